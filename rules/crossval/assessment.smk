# What the scores of all data sets add up to.
rule assess_tables:
    input:
        descriptions=CROSSVAL.split_files("task.json"),
        subconcepts=CROSSVAL.split_files("subconcepts.parquet"),
        recognition=CROSSVAL.split_files("recognition.parquet"),
        scores=CROSSVAL.score_files("scores.parquet"),
        recalls=CROSSVAL.score_files("recalls.parquet"),
    output:
        datasets=f"results/{{study}}/{CROSSVAL.FOLDER}datasets.json",
        scores=f"results/{{study}}/{CROSSVAL.FOLDER}scores.parquet",
        recalls=f"results/{{study}}/{CROSSVAL.FOLDER}recalls.parquet",
        correlations=f"results/{{study}}/{CROSSVAL.FOLDER}correlations.parquet",
        gaps=f"results/{{study}}/{CROSSVAL.FOLDER}gaps.parquet",
        differences=f"results/{{study}}/{CROSSVAL.FOLDER}gap_differences.parquet",
        quality=f"results/{{study}}/{CROSSVAL.FOLDER}weight_quality.parquet",
        recognition=f"results/{{study}}/{CROSSVAL.FOLDER}recognition_correlations.parquet",
        distances=f"results/{{study}}/{CROSSVAL.FOLDER}distances.parquet",
        weights=f"results/{{study}}/{CROSSVAL.FOLDER}weights.parquet",
        metrics=f"results/{{study}}/{CROSSVAL.FOLDER}metrics.json",
    log:
        "logs/{study}/assess_tables.log",
    resources:
        mem_mb=grow_memory,
        runtime=30,
    params:
        splits_stamps=CROSSVAL.split_stamps,
        scores_stamps=CROSSVAL.score_stamps,
        assessment=CROSSVAL.assessment_options(),
        code=CROSSVAL.code_of("assessment"),
    message:
        "Correlating scores over data sets"
    script:
        "../../workflow_scripts/assess_tables.py"
