# The summary over all cells, the report for people, and whether the run may be called clean.
rule summarise:
    input:
        shards=get_all_estimates,
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
        estimates_stamps=get_estimate_stamps,
        level=config["estimates"]["level"],
        headline={
            "size": config["report"]["headline_size"],
            "sampler": config["report"]["headline_sampler"],
        },
        code=code_version("summary"),
    message:
        "Summarising the estimates"
    script:
        "../../workflow_scripts/summarise.py"


rule compare_weights:
    input:
        shards=get_all_estimates,
    output:
        joint="results/{study}/joint.parquet",
    log:
        "logs/{study}/compare_weights.log",
    resources:
        mem_mb=grow_memory,
        runtime=30,
    params:
        estimates_stamps=get_estimate_stamps,
        comparison={
            "root_seed": config["root_seed"],
            "level": config["estimates"]["level"],
        },
        code=provenance.code_version("protocols.subsets.joint"),
    message:
        "Comparing joint weights with one weight alone"
    script:
        "../../workflow_scripts/compare_weights.py"


rule write_report:
    input:
        summary="results/{study}/summary.parquet",
        comparisons="results/{study}/comparisons.parquet",
        joint="results/{study}/joint.parquet",
        metrics="results/{study}/metrics.json",
        clips="results/{study}/clips.parquet",
        dropped="results/{study}/plan/dropped.parquet",
        mixtures=[get_result("mixtures.parquet")] if MIXED else [],
        audio=get_mixture_audio(MAIN) if MIXED else [],
        item_table=[] if MIXED else [get_result("plan/items.parquet")],
        pools=get_pool_files("pool.parquet"),
        subconcepts=get_pool_files("subconcepts.parquet"),
        descriptions=get_pool_files("task.json"),
        trainings=get_all_trainings,
        embeddings=get_embedding_descriptions,
        doses=get_dose_responses(),
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
        title=config["title"],
        headline={
            "size": config["report"]["headline_size"],
            "sampler": config["report"]["headline_sampler"],
        },
        level=config["estimates"]["level"],
        examples=config["report"]["examples"],
        provenance=get_provenance(codes=CODE, stamps=get_all_stamps()),
        embeddings=list(config["embeddings"]),
        task_embeddings={task: get_task_embedding(task) for task in TASKS},
        variant=MAIN,
        trained=get_trained(),
        length=LENGTH,
        sample_rate=config["clips"]["sample_rate"],
        mixtures_stamp=get_stamp("mixtures"),
        doses_stamps=get_dose_stamps(),
        plan_stamp=get_stamp("plan"),
        libraries=LIBRARIES,
        code=code_version("report"),
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
        code=provenance.code_version("datasets.acceptance"),
    message:
        "Checking that no clip was rejected for an unexpected reason"
    script:
        "../../workflow_scripts/check_clips.py"
