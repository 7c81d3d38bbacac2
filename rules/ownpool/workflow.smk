# A study on a pool of one's own: its stages and named targets.
include: "evaluation.smk"


rule reports:
    input:
        STUDY.result("report.html"),
    localrule: True
