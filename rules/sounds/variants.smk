# Several renderings of one plan: the classifier of each task on the same mixtures at every margin.
rule score_variants:
    input:
        item_tables=get_variant_files("items.parquet"),
        embeddings=get_variant_files("embeddings.npy"),
        network=get_task_network,
    output:
        scores="results/{study}/dose_response/{task}.parquet",
    log:
        "logs/{study}/score_variants/{task}.log",
    benchmark:
        "benchmarks/runs/{study}/score_variants/{task}.tsv"
    resources:
        mem_mb=grow_memory,
        runtime=30,
    params:
        task=get_task,
        classifier=get_task_classifier,
        root_seed=config["root_seed"],
        margins=VARIANTS,
        scoring={
            key: config["estimates"][key] for key in ("measures", "level", "resamples")
        },
        code=code_version("variants"),
        stamp=get_task_stamp("variants"),
    message:
        "Scoring task {wildcards.task} at every margin"
    script:
        "../../workflow_scripts/score_variants.py"
