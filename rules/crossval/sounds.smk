# Cross-validation of the items of a study on sounds by recordings, as of tables: its data sets are tasks.
CROSSVAL = STUDY.crossval


include: "scores.smk"
include: "assessment.smk"


rule split_sounds:
    input:
        clips="results/{study}/clips.parquet",
        item_table=CROSSVAL.item_table,
        embeddings=CROSSVAL.features,
    output:
        description="results/{study}/subconcepts/splits/{dataset}/task.json",
        item_table="results/{study}/subconcepts/splits/{dataset}/items.parquet",
        subconcepts="results/{study}/subconcepts/splits/{dataset}/subconcepts.parquet",
        recognition="results/{study}/subconcepts/splits/{dataset}/recognition.parquet",
    log:
        "logs/{study}/split_sounds/{dataset}.log",
    benchmark:
        "benchmarks/runs/{study}/split_sounds/{dataset}.tsv"
    wildcard_constraints:
        dataset=CROSSVAL.names,
    resources:
        mem_mb=grow_memory,
        runtime=60,
    params:
        task=CROSSVAL.task,
        split=CROSSVAL.split_options(),
        code=CROSSVAL.code_of("splits"),
        stamp=CROSSVAL.stamp_of("splits"),
    message:
        "Halving the items by recordings and predicting their subconcepts: {wildcards.dataset}"
    script:
        "../../workflow_scripts/split_sounds.py"


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
        assessment=CROSSVAL.contrast_options(),
        code=CROSSVAL.code_of("contrasts"),
        stamp=CROSSVAL.stamp_of("scores"),
    message:
        "Setting rare contexts against usual ones"
    script:
        "../../workflow_scripts/contrast_contexts.py"


rule write_subconcepts_report:
    input:
        unpack(CROSSVAL.contrasted),
    output:
        report=report(
            "results/{study}/subconcepts/report.html",
            caption="../captions/subconcepts.rst",
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
        title=STUDY.given("title"),
        level=config["estimates"]["level"],
        provenance=CROSSVAL.provenance,
        libraries=CROSSVAL.libraries,
        code=CROSSVAL.code_of("report"),
    message:
        "Writing the report of the cross-validation"
    script:
        "../../workflow_scripts/write_subconcepts_report.py"
