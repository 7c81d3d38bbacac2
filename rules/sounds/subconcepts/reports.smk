# What all cross-validated tasks add up to, whether rare contexts fail, and the report for people.
rule assess_tables:
    input:
        descriptions=get_topic_files("task.json"),
        subconcepts=get_topic_files("subconcepts.parquet"),
        recognition=get_topic_files("recognition.parquet"),
        scores=get_topic_shards("scores.parquet"),
        recalls=get_topic_shards("recalls.parquet"),
    output:
        datasets="results/{study}/subconcepts/datasets.json",
        scores="results/{study}/subconcepts/scores.parquet",
        recalls="results/{study}/subconcepts/recalls.parquet",
        correlations="results/{study}/subconcepts/correlations.parquet",
        gaps="results/{study}/subconcepts/gaps.parquet",
        differences="results/{study}/subconcepts/gap_differences.parquet",
        quality="results/{study}/subconcepts/weight_quality.parquet",
        recognition="results/{study}/subconcepts/recognition_correlations.parquet",
        distances="results/{study}/subconcepts/distances.parquet",
        weights="results/{study}/subconcepts/weights.parquet",
        metrics="results/{study}/subconcepts/metrics.json",
    log:
        "logs/{study}/assess_tables.log",
    resources:
        mem_mb=grow_memory,
        runtime=30,
    params:
        splits_stamp=get_splits_stamp(),
        scores_stamp=get_scores_stamp(),
        assessment=get_assessment() | {"collection": "sounds"},
        code=CROSSED_CODE["assessment"],
    message:
        "Correlating scores over tasks"
    script:
        "../../../workflow_scripts/assess_tables.py"


rule contrast_contexts:
    input:
        datasets="results/{study}/subconcepts/datasets.json",
        scores="results/{study}/subconcepts/scores.parquet",
        recalls="results/{study}/subconcepts/recalls.parquet",
    output:
        contrasts="results/{study}/subconcepts/contrasts.parquet",
        statistics="results/{study}/subconcepts/contrast_statistics.parquet",
    log:
        "logs/{study}/contrast_contexts.log",
    resources:
        mem_mb=grow_memory,
        runtime=30,
    params:
        assessment=get_assessment(),
        code=CROSSED_CODE["contrasts"],
    message:
        "Setting rare contexts against usual ones"
    script:
        "../../../workflow_scripts/contrast_contexts.py"


rule write_subconcepts_report:
    input:
        datasets="results/{study}/subconcepts/datasets.json",
        scores="results/{study}/subconcepts/scores.parquet",
        recalls="results/{study}/subconcepts/recalls.parquet",
        correlations="results/{study}/subconcepts/correlations.parquet",
        gaps="results/{study}/subconcepts/gaps.parquet",
        differences="results/{study}/subconcepts/gap_differences.parquet",
        quality="results/{study}/subconcepts/weight_quality.parquet",
        recognition="results/{study}/subconcepts/recognition_correlations.parquet",
        distances="results/{study}/subconcepts/distances.parquet",
        weights="results/{study}/subconcepts/weights.parquet",
        contrasts="results/{study}/subconcepts/contrasts.parquet",
        statistics="results/{study}/subconcepts/contrast_statistics.parquet",
    output:
        report=report(
            "results/{study}/subconcepts/report.html",
            caption="../../captions/subconcepts.rst",
            category="Reports",
            labels={"study": "{study}, cross-validated"},
        ),
        provenance="results/{study}/subconcepts/provenance.json",
    log:
        "logs/{study}/write_subconcepts_report.log",
    resources:
        mem_mb=grow_memory,
        runtime=30,
    params:
        title=config["title"],
        level=config["estimates"]["level"],
        provenance=get_subconcepts_provenance(),
        libraries=(*LIBRARIES, "imbalanced-learn"),
        code=CROSSED_CODE["report"],
    message:
        "Writing the report of the cross-validation"
    script:
        "../../../workflow_scripts/write_subconcepts_report.py"
