# Labelled subsets: which pool items each sampler chooses.
rule draw_subsets:
    input:
        pool="results/{study}/pools/{task}/pool.parquet",
        embeddings="results/{study}/pools/{task}/embeddings.npy",
        description="results/{study}/pools/{task}/task.json",
    output:
        shard="results/{study}/draws/{task}/{sampler}/seeds-{first}-{last}.parquet",
    log:
        "logs/{study}/draw_subsets/{task}/{sampler}/seeds-{first}-{last}.log",
    benchmark:
        "benchmarks/runs/{study}/draw_subsets/{task}/{sampler}/seeds-{first}-{last}.tsv"
    resources:
        mem_mb=grow_memory,
        runtime=60,
    params:
        draw=STUDY.draw_options(),
        seeds=STUDY.seeds,
        code=STUDY.code_of("draws"),
        stamp=STUDY.stamp_of("draws"),
    message:
        "Drawing labelled subsets: {wildcards.task}, {wildcards.sampler}, seeds {wildcards.first}-{wildcards.last}"
    script:
        "../../workflow_scripts/draw_subsets.py"
