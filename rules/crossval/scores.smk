# One binary forest of a data set for each correction of imbalance.
rule score_correction:
    input:
        description=f"results/{{study}}/{CROSSVAL.FOLDER}splits/{{dataset}}/task.json",
        features=CROSSVAL.features,
        item_table=f"results/{{study}}/{CROSSVAL.FOLDER}splits/{{dataset}}/items.parquet",
    output:
        scores=f"results/{{study}}/{CROSSVAL.FOLDER}scores/{{dataset}}/{{correction}}/scores.parquet",
        recalls=f"results/{{study}}/{CROSSVAL.FOLDER}scores/{{dataset}}/{{correction}}/recalls.parquet",
    log:
        "logs/{study}/score_correction/{dataset}/{correction}.log",
    benchmark:
        "benchmarks/runs/{study}/score_correction/{dataset}/{correction}.tsv"
    wildcard_constraints:
        dataset=CROSSVAL.names,
    resources:
        mem_mb=grow_memory,
        runtime=60,
    params:
        score=CROSSVAL.score_options(),
        code=CROSSVAL.code_of("scores"),
        stamp=CROSSVAL.stamp_of("scores"),
        splits_stamp=CROSSVAL.stamp_of("splits"),
    message:
        "Scoring {wildcards.dataset}, correction {wildcards.correction}"
    script:
        "../../workflow_scripts/score_correction.py"
