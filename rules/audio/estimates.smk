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
        estimate=STUDY.estimate_options(),
        draws_stamp=STUDY.stamp_of("draws"),
        code=STUDY.code_of("estimates"),
        stamp=STUDY.stamp_of("estimates"),
    message:
        "Estimating: {wildcards.task}, {wildcards.sampler}, {wildcards.estimator}, seeds {wildcards.first}-{wildcards.last}"
    script:
        "../../workflow_scripts/estimate_scores.py"
