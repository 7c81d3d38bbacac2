# Embeddings of the items, shard by shard, then one memory-mapped array.
localrules:
    gather_embeddings,


rule embed_items:
    input:
        unpack(get_embedding_input),
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
        embedding=get_embedding,
        table="mixtures" if MIXED else "items",
        sample_rate=config["clips"]["sample_rate"],
        length=LENGTH,
        # vectors by the content of their sound, of all studies: deleting the folder loses nothing but time
        kept="data/vectors",
        code=get_embedding_code,
        stamp=get_embedding_stamp,
    message:
        "Embedding by {wildcards.embedding}: {wildcards.variant}, shard {wildcards.shard}"
    script:
        "../../workflow_scripts/embed_items.py"


rule gather_embeddings:
    input:
        plan=get_plan,
        sounds=get_all_sounds,
        shards=get_embedding_shards("npy"),
        meta=get_embedding_shards("json"),
    output:
        embeddings="results/{study}/embeddings/{embedding}/{variant}/embeddings.npy",
        item_table="results/{study}/embeddings/{embedding}/{variant}/items.parquet",
        meta="results/{study}/embeddings/{embedding}/{variant}/meta.json",
    log:
        "logs/{study}/gather_embeddings/{embedding}/{variant}.log",
    params:
        embedding=get_embedding,
        plan="mixture_plan" if MIXED else "items",
        table="mixtures" if MIXED else "items",
        shards=len(SHARDS),
        sounds_stamp=get_stamp("mixtures" if MIXED else "plan"),
        code=get_embedding_code,
        stamp=get_embedding_stamp,
    message:
        "Joining the embeddings by {wildcards.embedding}: {wildcards.variant}"
    script:
        "../../workflow_scripts/gather_embeddings.py"


rule check_backend:
    input:
        sources=get_embedding_sources,
    output:
        checks="results/{study}/embeddings/{embedding}/check.json",
    log:
        "logs/{study}/check_backend/{embedding}.log",
    resources:
        mem_mb=grow_memory,
        runtime=60,
    params:
        embedding=get_embedding,
        code=get_embedding_code,
        checks=provenance.code_version("embeddings.checking"),
    message:
        "Checking that the backend of embedding {wildcards.embedding} keeps its promises"
    script:
        "../../workflow_scripts/check_backend.py"
