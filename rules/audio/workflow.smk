# What studies on mixtures and on clips share, from the items on: stages and named targets.
include: "backbones.smk"
include: "embeddings.smk"
include: "tasks.smk"
include: "variants.smk"
include: "draws.smk"
include: "estimates.smk"
include: "reports.smk"


if STUDY.crossval:

    include: "../crossval/sounds.smk"

    rule subconcepts:
        input:
            STUDY.result("subconcepts/report.html"),
        localrule: True


rule clips:
    input:
        STUDY.result("clips.parquet"),
    localrule: True


rule embeddings:
    input:
        STUDY.all_embeddings,
    localrule: True


rule check_embedding:
    input:
        STUDY.embedding_checks,
    localrule: True


rule pools:
    input:
        STUDY.pool_files("pool.parquet"),
    localrule: True


rule draws:
    input:
        STUDY.all_draws,
    localrule: True


rule estimates:
    input:
        STUDY.all_estimates,
    localrule: True


rule reports:
    input:
        STUDY.result("report.html"),
    localrule: True
