# Studies on tables, and on predictions made elsewhere: their stages and named targets.
CROSSVAL = STUDY


include: f"{STUDY.kind}.smk"
include: "assessment.smk"
include: "reports.smk"


rule splits:
    input:
        STUDY.split_files("task.json"),
    localrule: True


rule scores:
    input:
        STUDY.score_files("scores.parquet"),
    localrule: True


rule reports:
    input:
        STUDY.result("report.html"),
    localrule: True
