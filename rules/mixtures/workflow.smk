# Studies on mixtures of sounds: their stages and named targets.
include: "../audio/data.smk"
include: "mixtures.smk"
include: "listening.smk"
include: "export.smk"
include: "../audio/workflow.smk"


rule mixtures:
    input:
        STUDY.result("mixtures.parquet"),
    localrule: True


rule listening:
    input:
        STUDY.result("listening.html"),
    localrule: True


rule export:
    input:
        STUDY.result("export"),
    localrule: True
