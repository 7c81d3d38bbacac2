# The summary over all cells, the report for people, and whether the run may be called clean.
rule summarise:
    input:
        shards=get_all_estimates,
    output:
        summary="results/{study}/summary.parquet",
        curves="results/{study}/curves.csv",
        metrics="results/{study}/metrics.json",
    log:
        "logs/{study}/summarise.log",
    resources:
        mem_mb=grow_memory,
        runtime=30,
    params:
        estimates_stamp=get_stamp("estimates"),
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


rule write_report:
    input:
        summary="results/{study}/summary.parquet",
        metrics="results/{study}/metrics.json",
        clips="results/{study}/clips.parquet",
        dropped="results/{study}/plan/dropped.parquet",
        mixtures="results/{study}/mixtures.parquet",
        audio=get_mixture_audio,
        pools=get_pool_files("pool.parquet"),
        subconcepts=get_pool_files("subconcepts.parquet"),
        descriptions=get_pool_files("task.json"),
        embedding="results/{study}/embeddings/meta.json",
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
        provenance=get_provenance(codes=CODE, stamps=SETTINGS),
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
