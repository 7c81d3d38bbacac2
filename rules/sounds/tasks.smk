# Tasks: a classifier trained on the training split, and the pool it is evaluated on.
rule build_pool:
    input:
        item_table=get_items("items.parquet"),
        embeddings=get_items("embeddings.npy"),
        network=get_task_network,
    output:
        pool="results/{study}/pools/{task}/pool.parquet",
        embeddings="results/{study}/pools/{task}/embeddings.npy",
        subconcepts="results/{study}/pools/{task}/subconcepts.parquet",
        description="results/{study}/pools/{task}/task.json",
    log:
        "logs/{study}/build_pool/{task}.log",
    benchmark:
        "benchmarks/runs/{study}/build_pool/{task}.tsv"
    resources:
        mem_mb=grow_memory,
        runtime=30,
    params:
        task=get_task,
        classifier=get_task_classifier,
        root_seed=config["root_seed"],
        code=code_version("pools"),
        stamp=get_task_stamp("pools"),
    message:
        "Training the classifier and predicting the pool of task {wildcards.task}"
    script:
        "../../workflow_scripts/build_pool.py"
