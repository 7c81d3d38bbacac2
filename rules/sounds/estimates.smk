# Estimates: importance weights of each labelled subset, and the scores they give.
rule estimate_scores:
    input:
        pool="results/{study}/pools/{task}/pool.parquet",
        embeddings="results/{study}/pools/{task}/embeddings.npy",
        description="results/{study}/pools/{task}/task.json",
        draws="results/{study}/draws/{task}/{sampler}/seeds-{first}-{last}.parquet",
    output:
        estimates="results/{study}/estimates/{task}/{sampler}/{estimator}/seeds-{first}-{last}.parquet",
        weights="results/{study}/weights/{task}/{sampler}/{estimator}/seeds-{first}-{last}.parquet",
    log:
        "logs/{study}/estimate_scores/{task}/{sampler}/{estimator}/seeds-{first}-{last}.log",
    benchmark:
        "benchmarks/runs/{study}/estimate_scores/{task}/{sampler}/{estimator}/seeds-{first}-{last}.tsv"
    resources:
        mem_mb=grow_memory,
        runtime=60,
    params:
        estimate={
            "sizes": config["draws"]["sizes"],
            "measures": config["estimates"]["measures"],
            "utilities": config["estimates"]["utilities"],
            "level": config["estimates"]["level"],
            "resamples": config["estimates"]["resamples"],
            "interval": config["estimates"]["interval"],
            "root_seed": config["root_seed"],
        },
        draws_stamp=get_task_stamp("draws"),
        code=code_version("estimates"),
        stamp=get_task_stamp("estimates"),
    message:
        "Estimating: {wildcards.task}, {wildcards.sampler}, {wildcards.estimator}, seeds {wildcards.first}-{wildcards.last}"
    script:
        "../../workflow_scripts/estimate_scores.py"
