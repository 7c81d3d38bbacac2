# Cross-validation of tables: folds and subconcept forests of each data set.
include: "scores.smk"


localrules:
    fetch_table,


rule fetch_table:
    output:
        fetched="data/raw/tables/{collection}/{dataset}.json",
    log:
        "logs/fetch_table/{collection}/{dataset}.log",
    wildcard_constraints:
        collection=STUDY.collection,
    params:
        registry=STUDY.registry,
        destination="data/raw",
        records="data/checksums",
        code=STUDY.code_of("downloads"),
    message:
        "Downloading {wildcards.dataset}"
    script:
        "../../workflow_scripts/fetch_table.py"


rule split_table:
    input:
        files=STUDY.table_files,
    output:
        description="results/{study}/splits/{dataset}/task.json",
        features="results/{study}/splits/{dataset}/features.npy",
        item_table="results/{study}/splits/{dataset}/items.parquet",
        subconcepts="results/{study}/splits/{dataset}/subconcepts.parquet",
        recognition="results/{study}/splits/{dataset}/recognition.parquet",
    log:
        "logs/{study}/split_table/{dataset}.log",
    benchmark:
        "benchmarks/runs/{study}/split_table/{dataset}.tsv"
    resources:
        mem_mb=grow_memory,
        runtime=60,
    params:
        collection=STUDY.collection,
        folders=STUDY.table_folders,
        split=STUDY.split_options(),
        code=STUDY.code_of("splits"),
        stamp=STUDY.stamp_of("splits"),
    message:
        "Splitting {wildcards.dataset} and predicting its subconcepts"
    script:
        "../../workflow_scripts/split_table.py"
