# Clips as they are: which of them train, and which form the pool.
localrules:
    plan_clips,


rule plan_clips:
    input:
        clips="results/{study}/clips.parquet",
    output:
        plan="results/{study}/plan/items.parquet",
        dropped="results/{study}/plan/dropped.parquet",
    log:
        "logs/{study}/plan_clips.log",
    params:
        plan=STUDY.plan_options(),
        code=STUDY.code_of("plan"),
        stamp=STUDY.stamp_of("plan"),
    message:
        "Splitting the clips"
    script:
        "../../workflow_scripts/plan_clips.py"
