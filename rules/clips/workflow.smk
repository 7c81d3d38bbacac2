# Studies on clips as they are: their stages and named targets.
include: "../audio/data.smk"
include: "plan.smk"
include: "../audio/workflow.smk"


rule mixtures:
    input:
        STUDY.plan(),
    localrule: True


rule listening:
    input:
        [],
    localrule: True
