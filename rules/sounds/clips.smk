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
        plan=config["split"] | {"root_seed": config["root_seed"]},
        code=code_version("plan"),
        stamp=get_stamp("plan"),
    message:
        "Splitting the clips"
    script:
        "../../workflow_scripts/plan_clips.py"
