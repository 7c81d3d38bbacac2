# Paths and settings of data sets, mixtures and embeddings.
def get_root(wildcards):
    """The file that says where a data set lies: synthesised, own, in the mirror or downloaded."""
    if wildcards.dataset == "folder":
        return f"data/folders/{STUDY}.json"
    if wildcards.dataset == "demo":
        return f"data/demo/clips-{config['demo']['clips_per_kind']}/root.json"
    return f"data/raw/{wildcards.dataset}.json"


def get_listing_options(wildcards):
    """What the study says about labels and recordings of its own folder; nothing of others."""
    if wildcards.dataset != "folder":
        return {}
    return {key: config["folder"][key] for key in ("labels", "recordings")}


def get_folder_contents(wildcards):
    """Number, bytes and latest change of the own files: when they change, they are listed anew."""
    return folder.fingerprint(config["folder"]["path"])


def get_mirror(wildcards):
    """Whether the mirror has this data set: when that changes, the data set is located anew."""
    return bool(config["mirror"]) and os.path.isdir(
        os.path.join(config["mirror"], wildcards.dataset)
    )


def get_clip_parts(wildcards):
    return [
        f"results/{STUDY}/clips/{dataset}/part-{part}.parquet"
        for dataset in config["datasets"]
        for part in PARTS
    ]


def get_prepared_arrays(wildcards):
    return [path.replace(".parquet", ".npy") for path in get_clip_parts(wildcards)]


def get_mixture_shards(variants):
    """The tables of the mixtures of some variants, shard by shard."""
    return [
        f"results/{STUDY}/mixtures/{variant}/shard-{shard}.parquet"
        for variant in variants
        for shard in SHARDS
    ]


def get_mixture_audio(variant):
    """The sound files of the mixtures of a variant."""
    return [
        f"results/{STUDY}/mixtures/{variant}/shard-{shard}.{config['mixtures']['format']}"
        for shard in SHARDS
    ]


def get_all_mixture_audio():
    """The sound files of the mixtures of all variants, by variant and shard."""
    return {
        (variant, shard): get_mixture_audio(variant)[shard]
        for variant in VARIANTS
        for shard in SHARDS
    }


def get_margin(wildcards):
    """How far the background lies below; none for the variant without background."""
    return VARIANTS[wildcards.variant]


def get_plan(wildcards):
    """What the items of the study are, in order."""
    return get_result("plan/mixtures.parquet" if MIXED else "plan/items.parquet")


def get_sounds(wildcards):
    """The items of one shard of a variant: a table, and their sound."""
    shard = int(wildcards.shard)
    if MIXED:
        return {
            "sounds": get_mixture_shards([wildcards.variant])[shard],
            "audio": get_mixture_audio(wildcards.variant)[shard],
        }
    return {
        "sounds": get_plan(wildcards),
        "audio": get_prepared_arrays(wildcards)[shard],
    }


def get_all_sounds(wildcards):
    """The tables of the items of all shards of a variant."""
    return get_mixture_shards([wildcards.variant]) if MIXED else [get_plan(wildcards)]


def get_backbone(embedding, name):
    """A file of the network that the study trains for an embedding."""
    return get_result(f"embeddings/{embedding}/backbone/{name}")


def get_trained():
    """The embeddings whose networks the study trains."""
    return [
        name
        for name, embedding in config["embeddings"].items()
        if is_trained(embedding)
    ]


def get_all_trainings(wildcards):
    """How these networks were trained."""
    return [get_backbone(embedding, "training.json") for embedding in get_trained()]


def get_all_training_sounds(wildcards):
    """The tables of the items that a network is trained on: those of the main variant."""
    return get_mixture_shards([MAIN]) if MIXED else [get_plan(wildcards)]


def get_all_training_audio(wildcards):
    return get_mixture_audio(MAIN) if MIXED else get_prepared_arrays(wildcards)


def get_training(wildcards):
    """How the network of an embedding is trained."""
    return {
        **config["embeddings"][wildcards.embedding],
        "root_seed": config["root_seed"],
        "name": wildcards.embedding,
        "sample_rate": config["clips"]["sample_rate"],
        "length": LENGTH,
    }


def get_training_threads(wildcards):
    """A number that the study sets, because it decides how sums are rounded."""
    return config["embeddings"][wildcards.embedding]["options"].get("threads", 1)


def get_unfinished(wildcards):
    """Where an unfinished training lies; one with other settings lies elsewhere."""
    stamp = get_stamp("backbones", embedding=wildcards.embedding)
    return get_backbone(wildcards.embedding, f"unfinished-{stamp}")


def get_embedding(wildcards):
    """The backend of one embedding and its options, with the network that the study trains."""
    one = config["embeddings"][wildcards.embedding]
    if not is_trained(one):
        return one
    model = get_backbone(wildcards.embedding, "model.pt")
    return one | {"options": one["options"] | {"checkpoint": model}}


def get_embedding_sources(wildcards):
    """The files behind a backend: weights, or the user's own vectors."""
    one = get_embedding(wildcards)
    return embeddings.sources(one["backend"], one["options"])


def get_embedding_input(wildcards):
    """What the embedding of one shard is made of: sounds, and the files behind the backend."""
    return get_sounds(wildcards) | {"sources": get_embedding_sources(wildcards)}


def get_backend_code(embedding):
    """Hash of the code behind one embedding: what reads sounds, and its own backend."""
    backend = config["embeddings"][embedding]["backend"]
    return provenance.code_version("embeddings.store", embeddings.module_of(backend))


def get_embedding_code(wildcards):
    return get_backend_code(wildcards.embedding)


def get_embedding_checks(wildcards):
    return [
        get_result(f"embeddings/{embedding}/check.json")
        for embedding in config["embeddings"]
    ]


def get_embedding_stamp(wildcards):
    return get_stamp("embeddings", embedding=wildcards.embedding)


def get_embedding_shards(extension):
    """The files of one extension of all shards of an embedding of a variant."""

    def named(wildcards):
        folder = f"results/{STUDY}/embeddings/{wildcards.embedding}/{wildcards.variant}"
        return [f"{folder}/shard-{shard}.{extension}" for shard in SHARDS]

    return named


def get_embedding_descriptions(wildcards):
    """How each embedding of the main variant was made."""
    return [
        get_result(f"embeddings/{embedding}/{MAIN}/meta.json")
        for embedding in config["embeddings"]
    ]


def get_all_embeddings(wildcards):
    return [
        f"results/{STUDY}/embeddings/{embedding}/{variant}/embeddings.npy"
        for embedding in config["embeddings"]
        for variant in VARIANTS
    ]
