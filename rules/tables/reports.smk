# What all data sets add up to, and the report for people.
rule assess_tables:
    input:
        descriptions=get_splits("task.json"),
        subconcepts=get_splits("subconcepts.parquet"),
        recognition=get_splits("recognition.parquet"),
        scores=get_shards("scores.parquet"),
        recalls=get_shards("recalls.parquet"),
    output:
        datasets="results/{study}/datasets.json",
        scores="results/{study}/scores.parquet",
        recalls="results/{study}/recalls.parquet",
        correlations="results/{study}/correlations.parquet",
        gaps="results/{study}/gaps.parquet",
        differences="results/{study}/gap_differences.parquet",
        quality="results/{study}/weight_quality.parquet",
        recognition="results/{study}/recognition_correlations.parquet",
        distances="results/{study}/distances.parquet",
        weights="results/{study}/weights.parquet",
        metrics="results/{study}/metrics.json",
    log:
        "logs/{study}/assess_tables.log",
    resources:
        mem_mb=grow_memory,
        runtime=30,
    params:
        splits_stamp=get_stamp(SPLITS),
        scores_stamp=get_stamp(SCORES),
        assessment=ASSESSMENT,
        code=code_version("assessment"),
    message:
        "Correlating scores over data sets"
    script:
        "../../workflow_scripts/assess_tables.py"


rule write_tables_report:
    input:
        datasets="results/{study}/datasets.json",
        scores="results/{study}/scores.parquet",
        recalls="results/{study}/recalls.parquet",
        correlations="results/{study}/correlations.parquet",
        gaps="results/{study}/gaps.parquet",
        differences="results/{study}/gap_differences.parquet",
        quality="results/{study}/weight_quality.parquet",
        recognition="results/{study}/recognition_correlations.parquet",
        distances="results/{study}/distances.parquet",
        weights="results/{study}/weights.parquet",
    output:
        report=report(
            "results/{study}/report.html",
            caption="../captions/report.rst",
            category="Reports",
            labels={"study": "{study}"},
        ),
        provenance="results/{study}/provenance.json",
    log:
        "logs/{study}/write_tables_report.log",
    resources:
        mem_mb=grow_memory,
        runtime=30,
    params:
        title=config["title"],
        collection=COLLECTION,
        level=config["level"],
        provenance=get_provenance(
            codes=(SPLITS, SCORES, "assessment", "report"),
            stamps={stage: get_stamp(stage) for stage in (SPLITS, SCORES)},
        ),
        libraries=LIBRARIES,
        code=code_version("report"),
    message:
        "Writing the report"
    script:
        "../../workflow_scripts/write_tables_report.py"
