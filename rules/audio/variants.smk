# Several renderings of one plan: the classifier of each task on the same mixtures at every margin.
rule score_variants:
    input:
        item_tables=STUDY.task_files("items.parquet"),
        embeddings=STUDY.task_files("embeddings.npy"),
        network=STUDY.task_network,
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
        task=STUDY.task,
        classifier=STUDY.task_classifier,
        root_seed=config["root_seed"],
        margins=dict(STUDY.variants),
        scoring=STUDY.variant_options(),
        code=STUDY.code_of("variants"),
        stamp=STUDY.stamp_of("variants"),
    message:
        "Scoring task {wildcards.task} at every margin"
    script:
        "../../workflow_scripts/score_variants.py"
