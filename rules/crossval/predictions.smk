# Predictions of models trained elsewhere: read, checked and scored, one job per model.
rule score_predictions:
    output:
        description="results/{study}/splits/{dataset}/task.json",
        subconcepts="results/{study}/splits/{dataset}/subconcepts.parquet",
        recognition="results/{study}/splits/{dataset}/recognition.parquet",
        scores="results/{study}/scores/{dataset}/given/scores.parquet",
        recalls="results/{study}/scores/{dataset}/given/recalls.parquet",
    log:
        "logs/{study}/score_predictions/{dataset}.log",
    benchmark:
        "benchmarks/runs/{study}/score_predictions/{dataset}.tsv"
    resources:
        mem_mb=grow_memory,
        runtime=30,
    params:
        model=STUDY.model,
        code=STUDY.code_of("predictions"),
        stamp=STUDY.stamp_of("predictions"),
    message:
        "Scoring the predictions of {wildcards.dataset}"
    script:
        "../../workflow_scripts/score_predictions.py"
