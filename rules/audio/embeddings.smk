# Embeddings of the items, shard by shard, then one memory-mapped array.
localrules:
    gather_embeddings,


rule embed_items:
    input:
        unpack(STUDY.embedding_input),
    output:
        embeddings="results/{study}/embeddings/{embedding}/{variant}/shard-{shard}.npy",
        meta="results/{study}/embeddings/{embedding}/{variant}/shard-{shard}.json",
    log:
        "logs/{study}/embed_items/{embedding}/{variant}/shard-{shard}.log",
    benchmark:
        "benchmarks/runs/{study}/embed_items/{embedding}/{variant}/shard-{shard}.tsv"
    resources:
        mem_mb=grow_memory,
        runtime=60,
    params:
        embedding=STUDY.embedding,
        table=STUDY.ITEMS,
        sample_rate=config["clips"]["sample_rate"],
        length=STUDY.length,
        # vectors by the content of their sound, of all studies: deleting the folder loses nothing but time
        kept="data/vectors",
        code=STUDY.code_of("embeddings"),
        stamp=STUDY.stamp_of("embeddings"),
    message:
        "Embedding by {wildcards.embedding}: {wildcards.variant}, shard {wildcards.shard}"
    script:
        "../../workflow_scripts/embed_items.py"


rule gather_embeddings:
    input:
        plan=STUDY.plan,
        sounds=STUDY.item_tables,
        shards=STUDY.embedding_shards("npy"),
        meta=STUDY.embedding_shards("json"),
    output:
        embeddings="results/{study}/embeddings/{embedding}/{variant}/embeddings.npy",
        item_table="results/{study}/embeddings/{embedding}/{variant}/items.parquet",
        meta="results/{study}/embeddings/{embedding}/{variant}/meta.json",
    log:
        "logs/{study}/gather_embeddings/{embedding}/{variant}.log",
    params:
        embedding=STUDY.embedding,
        plan=STUDY.PLAN,
        table=STUDY.ITEMS,
        shards=len(STUDY.shards),
        sounds_stamp=STUDY.stamp_of(STUDY.ITEM_STAGE),
        code=STUDY.code_of("embeddings"),
        stamp=STUDY.stamp_of("embeddings"),
    message:
        "Joining the embeddings by {wildcards.embedding}: {wildcards.variant}"
    script:
        "../../workflow_scripts/gather_embeddings.py"


rule check_backend:
    input:
        sources=STUDY.embedding_sources,
    output:
        checks="results/{study}/embeddings/{embedding}/check.json",
    log:
        "logs/{study}/check_backend/{embedding}.log",
    resources:
        mem_mb=grow_memory,
        runtime=60,
    params:
        embedding=STUDY.embedding,
        code=STUDY.code_of("embeddings"),
        checks=STUDY.stamp_of("checks"),
    message:
        "Checking that the backend of embedding {wildcards.embedding} keeps its promises"
    script:
        "../../workflow_scripts/check_backend.py"
