# Contents page: configuration, the kind of study, its stages and named targets. All code is in earnest/.
from snakemake.utils import min_version

min_version("9.0")


if "study" not in config:

    configfile: "config/config.yaml"


include: "rules/common.smk"


# Studies on tables, and on predictions made elsewhere, have schemas, stages and targets of their own;
# every other study is one on mixtures of sounds.
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

else:

    include: "rules/mixtures/common.smk"
    include: "rules/mixtures/data.smk"
    include: "rules/mixtures/mixtures.smk"
    include: "rules/mixtures/embeddings.smk"
    include: "rules/mixtures/tasks.smk"
    include: "rules/mixtures/draws.smk"
    include: "rules/mixtures/estimates.smk"
    include: "rules/mixtures/reports.smk"

    localrules:
        all,
        clips,
        mixtures,
        embeddings,
        pools,
        draws,
        estimates,
        reports,

    rule all:
        default_target: True
        input:
            get_result("report.html"),
            get_result("checks.json"),

    rule clips:
        input:
            get_result("clips.parquet"),

    rule mixtures:
        input:
            get_result("mixtures.parquet"),

    rule embeddings:
        input:
            get_result("embeddings/embeddings.npy"),

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
