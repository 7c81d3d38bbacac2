# Embeddings of the mixtures, shard by shard, then one memory-mapped array.
localrules:
    gather_embeddings,


rule embed_mixtures:
    input:
        mixtures="results/{study}/mixtures/shard-{shard}.parquet",
        audio=f"results/{{study}}/mixtures/shard-{{shard}}.{config['mixtures']['format']}",
    output:
        embeddings="results/{study}/embeddings/shard-{shard}.npy",
        meta="results/{study}/embeddings/shard-{shard}.json",
    log:
        "logs/{study}/embed_mixtures/shard-{shard}.log",
    benchmark:
        "benchmarks/runs/{study}/embed_mixtures/shard-{shard}.tsv"
    resources:
        mem_mb=grow_memory,
        runtime=60,
    params:
        backend=config["embedding"]["backend"],
        code=code_version("embeddings"),
        stamp=get_stamp("embeddings"),
    message:
        "Embedding mixtures, shard {wildcards.shard}"
    script:
        "../../workflow_scripts/embed_mixtures.py"


rule gather_embeddings:
    input:
        plan="results/{study}/plan/mixtures.parquet",
        mixtures=get_mixture_shards,
        shards=get_embedding_shards,
        meta=get_embedding_meta,
    output:
        embeddings="results/{study}/embeddings/embeddings.npy",
        item_table="results/{study}/embeddings/items.parquet",
        meta="results/{study}/embeddings/meta.json",
    log:
        "logs/{study}/gather_embeddings.log",
    params:
        mixtures_stamp=get_stamp("mixtures"),
        code=code_version("embeddings"),
        stamp=get_stamp("embeddings"),
    message:
        "Joining the embeddings"
    script:
        "../../workflow_scripts/gather_embeddings.py"
