# Cross-validation: folds and subconcept forests of each data set, then one binary forest per correction.
localrules:
    fetch_table,


rule fetch_table:
    output:
        fetched="data/raw/tables/{collection}/{dataset}.json",
    log:
        "logs/fetch_table/{collection}/{dataset}.log",
    wildcard_constraints:
        collection=COLLECTION,
    params:
        registry=REGISTRY,
        destination="data/raw",
        records="data/checksums",
        code=provenance.code_version("datasets.table_downloads"),
    message:
        "Downloading {wildcards.dataset}"
    script:
        "../../workflow_scripts/fetch_table.py"


rule split_table:
    input:
        files=get_table_files,
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
        collection=COLLECTION,
        folders=FOLDERS,
        split={
            "root_seed": config["root_seed"],
            "repeats": config["repeats"],
            "n_estimators": config["trees"],
        },
        code=code_version("splits"),
        stamp=get_stamp("splits"),
    message:
        "Splitting {wildcards.dataset} and predicting its subconcepts"
    script:
        "../../workflow_scripts/split_table.py"


rule score_correction:
    input:
        description="results/{study}/splits/{dataset}/task.json",
        features="results/{study}/splits/{dataset}/features.npy",
        item_table="results/{study}/splits/{dataset}/items.parquet",
    output:
        scores="results/{study}/scores/{dataset}/{correction}/scores.parquet",
        recalls="results/{study}/scores/{dataset}/{correction}/recalls.parquet",
    log:
        "logs/{study}/score_correction/{dataset}/{correction}.log",
    benchmark:
        "benchmarks/runs/{study}/score_correction/{dataset}/{correction}.tsv"
    resources:
        mem_mb=grow_memory,
        runtime=60,
    params:
        score={"root_seed": config["root_seed"], "n_estimators": config["trees"]},
        code=code_version("scores"),
        stamp=get_stamp("scores"),
        splits_stamp=get_stamp("splits"),
    message:
        "Scoring {wildcards.dataset}, correction {wildcards.correction}"
    script:
        "../../workflow_scripts/score_correction.py"
