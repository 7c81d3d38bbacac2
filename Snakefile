# Contents page: configuration, the kind of study, its stages and named targets. All code is in earnest/.
from snakemake.utils import min_version

min_version("9.0")


if "study" not in config:

    configfile: "config/config.yaml"


include: "rules/common.smk"


# Studies on tables, on predictions made elsewhere and on a pool of one's own have schemas, stages and
# targets of their own; every other study is one on sounds: on mixtures, or on the clips themselves.
if config.get("kind") in ("tables", "predictions"):

    include: "rules/tables/common.smk"
    include:
        "rules/tables/scores.smk"
        if config["kind"] == "tables"
        else "rules/tables/predictions.smk"
    include: "rules/tables/reports.smk"

    rule all:
        default_target: True
        input:
            get_result("report.html"),

    rule splits:
        input:
            get_splits("task.json"),

    rule scores:
        input:
            get_shards("scores.parquet"),

    rule reports:
        input:
            get_result("report.html"),

    localrules:
        all,
        splits,
        scores,
        reports,

elif config.get("kind") == "own":

    include: "rules/own/common.smk"
    include: "rules/own/evaluation.smk"

    rule all:
        default_target: True
        input:
            get_result("report.html"),

    rule reports:
        input:
            get_result("report.html"),

    localrules:
        all,
        reports,

else:

    include: "rules/sounds/common.smk"
    include: "rules/sounds/data.smk"
    include: "rules/sounds/mixtures.smk" if MIXED else "rules/sounds/clips.smk"
    include: "rules/sounds/backbones.smk"
    include: "rules/sounds/embeddings.smk"
    include: "rules/sounds/tasks.smk"
    include: "rules/sounds/variants.smk"
    include: "rules/sounds/draws.smk"
    include: "rules/sounds/estimates.smk"
    include: "rules/sounds/reports.smk"

    if config["subconcepts"]:

        include: "rules/sounds/subconcepts/common.smk"
        include: "rules/sounds/subconcepts/folds.smk"
        include: "rules/sounds/subconcepts/reports.smk"

        rule subconcepts:
            input:
                get_result("subconcepts/report.html"),
            localrule: True

    if MIXED:

        include: "rules/sounds/listening.smk"
        include: "rules/sounds/export.smk"

        rule export:
            input:
                get_result("export"),
            localrule: True

    localrules:
        all,
        clips,
        mixtures,
        embeddings,
        check_embedding,
        pools,
        draws,
        estimates,
        reports,
        listening,

    rule all:
        default_target: True
        input:
            get_result("report.html"),
            get_result("checks.json"),
            get_result("subconcepts/report.html") if config["subconcepts"] else [],
            get_result("listening.html") if MIXED else [],

    rule clips:
        input:
            get_result("clips.parquet"),

    rule mixtures:
        input:
            get_result("mixtures.parquet")
            if MIXED
            else get_result("plan/items.parquet"),

    rule embeddings:
        input:
            get_all_embeddings,

    rule check_embedding:
        input:
            get_embedding_checks,

    rule pools:
        input:
            get_all_pools,

    rule draws:
        input:
            get_all_draws,

    rule estimates:
        input:
            get_all_estimates,

    rule reports:
        input:
            get_result("report.html"),

    rule listening:
        input:
            get_result("listening.html") if MIXED else [],
