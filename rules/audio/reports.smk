# The summary over all cells, the report for people, and whether the run may be called clean.
rule summarise:
    input:
        shards=STUDY.all_estimates,
    output:
        summary="results/{study}/summary.parquet",
        comparisons="results/{study}/comparisons.parquet",
        comparison_list="results/{study}/comparisons.csv",
        curves="results/{study}/curves.csv",
        metrics="results/{study}/metrics.json",
    log:
        "logs/{study}/summarise.log",
    resources:
        mem_mb=grow_memory,
        runtime=30,
    params:
        estimates_stamps=STUDY.estimate_stamps,
        level=config["estimates"]["level"],
        headline=STUDY.headline(),
        measures=STUDY.headline_measures(),
        code=STUDY.code_of("summary"),
    message:
        "Summarising the estimates"
    script:
        "../../workflow_scripts/summarise.py"


rule compare_weights:
    input:
        shards=STUDY.all_estimates,
    output:
        joint="results/{study}/joint.parquet",
    log:
        "logs/{study}/compare_weights.log",
    resources:
        mem_mb=grow_memory,
        runtime=30,
    params:
        estimates_stamps=STUDY.estimate_stamps,
        comparison=STUDY.comparison_options(),
        code=STUDY.code_of("joint"),
    message:
        "Comparing joint weights with one weight alone"
    script:
        "../../workflow_scripts/compare_weights.py"


rule write_report:
    input:
        unpack(STUDY.report_items),
        summary="results/{study}/summary.parquet",
        comparisons="results/{study}/comparisons.parquet",
        joint="results/{study}/joint.parquet",
        metrics="results/{study}/metrics.json",
        clips="results/{study}/clips.parquet",
        dropped="results/{study}/plan/dropped.parquet",
        pools=STUDY.pool_files("pool.parquet"),
        subconcepts=STUDY.pool_files("subconcepts.parquet"),
        descriptions=STUDY.pool_files("task.json"),
        trainings=STUDY.trainings,
        embeddings=STUDY.embedding_descriptions,
        doses=STUDY.doses,
    output:
        report=report(
            "results/{study}/report.html",
            caption="../captions/report.rst",
            category="Reports",
            labels={"study": "{study}"},
        ),
        provenance="results/{study}/provenance.json",
    log:
        "logs/{study}/write_report.log",
    resources:
        mem_mb=grow_memory,
        runtime=30,
    params:
        title=STUDY.given("title"),
        headline=STUDY.headline(),
        level=config["estimates"]["level"],
        examples=config["report"]["examples"],
        provenance=STUDY.provenance,
        embeddings=list(config["embeddings"]),
        task_embeddings=STUDY.task_embeddings(),
        variant=STUDY.main,
        trained=STUDY.trained,
        length=STUDY.length,
        sample_rate=config["clips"]["sample_rate"],
        mixtures_stamp=STUDY.stamp_of(STUDY.ITEM_STAGE),
        doses_stamps=STUDY.dose_stamps,
        plan_stamp=STUDY.stamp_of("plan"),
        libraries=STUDY.LIBRARIES,
        code=STUDY.code_of("report"),
    message:
        "Writing the report"
    script:
        "../../workflow_scripts/write_report.py"


# Last, so that the report is there whatever this says.
rule check_clips:
    input:
        clips="results/{study}/clips.parquet",
        report="results/{study}/report.html",
    output:
        checks="results/{study}/checks.json",
    log:
        "logs/{study}/check_clips.log",
    params:
        accepted_reasons=config["clips"]["accepted_reasons"],
        code=STUDY.code_of("acceptance"),
        stamp=STUDY.stamp_of("clips"),
    message:
        "Checking that no clip was rejected for an unexpected reason"
    script:
        "../../workflow_scripts/check_clips.py"
