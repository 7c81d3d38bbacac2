# Tasks: a classifier trained on the training split, and the pool it is evaluated on.
rule build_pool:
    input:
        item_table=STUDY.task_file("items.parquet"),
        embeddings=STUDY.task_file("embeddings.npy"),
        network=STUDY.task_network,
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
        task=STUDY.task,
        classifier=STUDY.task_classifier,
        root_seed=config["root_seed"],
        code=STUDY.code_of("pools"),
        stamp=STUDY.stamp_of("pools"),
    message:
        "Training the classifier and predicting the pool of task {wildcards.task}"
    script:
        "../../workflow_scripts/build_pool.py"
