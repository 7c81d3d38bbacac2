# Studies on sounds, mixed or as they are: their configuration, grid and helper functions.
from earnest import classifiers, datasets, embeddings, plan, samplers
from earnest.datasets import folder

SCHEMA = workflow.source_path("../../config/schemas/config.schema.yaml")
LIBRARIES = (
    "numpy",
    "scipy",
    "pandas",
    "scikit-learn",
    "librosa",
    "soxr",
    "pyloudnorm",
    "kmedoids",
    "numba",
    "snakemake",
)


def find_config_problems(study):
    """Yield what a schema cannot see: names that clash or are missing, files that are not there."""
    yield from find_repeats("tasks", [task["name"] for task in study["tasks"]])
    for task in study["tasks"]:
        if (task["kind"] == "context") != (task["foreground"] is not None):
            yield f"tasks: {task['name']!r}: `foreground` is for tasks of kind context, and needed there"
        if task["embedding"] not in (None, *study["embeddings"]):
            known = ", ".join(study["embeddings"])
            yield f"tasks: {task['name']!r}: no embedding {task['embedding']!r}; there are {known}"
    crossed = (study["subconcepts"] or {}).get("embedding")
    if crossed not in (None, *study["embeddings"]):
        known = ", ".join(study["embeddings"])
        yield f"subconcepts.embedding: no embedding {crossed!r}; there are {known}"
    for name, one in study["embeddings"].items():
        for problem in embeddings.find_problems(one["backend"], one["options"]):
            yield f"embeddings.{name}: {problem}"
    yield from find_classifier_problems(study)
    yield from find_folder_problems(study)
    needed, other = {"mixtures": ("mixtures", "split"), "clips": ("split", "mixtures")}[
        study["kind"]
    ]
    if study[needed] is None:
        yield f"a study of kind {study['kind']} needs the key `{needed}`"
    elif study[other] is not None:
        yield f"the key `{other}` has no meaning in a study of kind {study['kind']}; remove it"
    elif study["kind"] == "mixtures":
        yield from find_mixture_problems(study)
    else:
        yield from find_split_problems(study)


def find_classifier_problems(study):
    """Yield classifiers that cannot run here, or not on the embedding of their task."""
    for task in study["tasks"]:
        name = (task["classifier"] or study["classifier"])["name"]
        embedding = study["embeddings"].get(
            task["embedding"] or next(iter(study["embeddings"]))
        )
        problems = classifiers.find_problems(
            name,
            task=task["kind"],
            is_trained=bool(embedding) and is_trained(embedding),
        )
        for problem in problems:
            yield f"tasks: {task['name']!r}: {problem}"


def is_trained(embedding):
    """Whether the study trains this network itself, and is not given one that was trained before."""
    own = "checkpoint" not in embedding["options"]
    return embedding["backend"] in embeddings.TRAINED and own


def find_folder_problems(study):
    """Yield what is wrong with the study's own folder, if it has one."""
    path = study["folder"]["path"]
    if "folder" not in study["datasets"]:
        if path is not None:
            yield "folder.path: add `folder` to `datasets`, or remove the key"
    elif path is None:
        yield "folder.path: name the folder that holds your audio"
    elif not os.path.isdir(path):
        yield f"folder.path: there is no folder {path}"


def find_split_problems(study):
    """Yield what is wrong in a split by folds, and tasks that need backgrounds."""
    train, pool = study["split"]["train_folds"], study["split"]["pool_folds"]
    if (train is None) != (pool is None):
        yield "split: give both `train_folds` and `pool_folds`, or neither"
    for fold in sorted({*(train or [])} & {*(pool or [])}):
        yield f"split: fold {fold} is in both `train_folds` and `pool_folds`"
    if (study["subconcepts"] or {}).get("foregrounds"):
        yield "subconcepts.foregrounds: clips as they are have no background; leave the list empty"
    for task in study["tasks"]:
        if task["kind"] == "context":
            yield f"tasks: {task['name']!r}: clips as they are have no background; kind context is for mixtures"


def find_mixture_problems(study):
    """Yield files that are not there, and what is wrong in the pairs table."""
    # As they stand in paths: two that differ only beyond six digits would be one variant.
    margins = [f"{margin:g}" for margin in get_margins(study["mixtures"])]
    yield from find_repeats("mixtures.margin_lu", margins)
    absent = [
        key
        for key in ("pairs", "rejected")
        if not os.path.isfile(study["mixtures"][key])
    ]
    for key in absent:
        yield f"mixtures.{key}: there is no file {study['mixtures'][key]}"
    if "pairs" not in absent:
        yield from find_pairs_problems(study)


def get_margins(mixtures):
    """The margins of a study, of which the first is the main one."""
    margins = mixtures["margin_lu"]
    return list(margins) if isinstance(margins, list) else [margins]


def find_pairs_problems(study):
    """Yield what is wrong in the pairs table, and context tasks whose foreground is not in it."""
    try:
        known = datasets.known_labels(study["datasets"])
        pairs = plan.read_pairs(study["mixtures"]["pairs"], known=known)
        pairs = plan.pairs_of_splits(pairs, study["mixtures"]["class_splits"])
        foregrounds = set(pairs["foreground"])
    except plan.PairsError as error:
        yield f"mixtures.pairs: {error}"
        return
    for task in study["tasks"]:
        if task["kind"] == "context" and task["foreground"] not in foregrounds:
            known = ", ".join(sorted(foregrounds))
            yield f"tasks: {task['name']!r}: no foreground {task['foreground']!r}; there are {known}"
    for name in (study["subconcepts"] or {}).get("foregrounds") or []:
        if name not in foregrounds:
            known = ", ".join(sorted(foregrounds))
            yield f"subconcepts.foregrounds: no foreground {name!r}; there are {known}"


def get_variants():
    """The same mixtures at several margins, and without a background; clips have one variant."""
    if not MIXED:
        return {"clips": None}
    variants = {f"{margin:g}-lu": margin for margin in get_margins(config["mixtures"])}
    return variants | ({"clean": None} if config["mixtures"]["clean"] else {})


def get_shards():
    """Number of shards: of the mixtures, or the parts of all data sets."""
    if MIXED:
        return config["mixtures"]["shards"]
    return len(config["datasets"]) * config["clips"]["parts"]


config = checked_config(config, SCHEMA, find_config_problems)
STUDY = config["study"]
MIXED = config["kind"] == "mixtures"
TASKS = {task["name"]: task for task in config["tasks"]}
PARTS = range(config["clips"]["parts"])
LENGTH = round(config["clips"]["sample_rate"] * config["clips"]["duration_s"])
VARIANTS = get_variants()
# Tasks, draws and estimates are of this one.
MAIN = next(iter(VARIANTS))
SHARDS = range(get_shards())


wildcard_constraints:
    study=re.escape(STUDY),
    dataset=get_names(config["datasets"]),
    part=r"\d+",
    shard=r"\d+",
    variant=get_names(VARIANTS),
    embedding=get_names(config["embeddings"]),
    task=get_names(TASKS),
    sampler=get_names(config["draws"]["samplers"]),
    estimator=get_names(config["estimates"]["estimators"]),
    first=r"\d+",
    last=r"\d+",


# --- what made a result -------------------------------------------------------

# Stage: modules whose code decides its rows, configuration that does, stages before it.
# Lists that only make the grid longer (seeds, samplers, estimators, tasks) are not settings:
# a grown grid must leave the old shards as they are.
CODE = {
    "clips": ("datasets.preparing",),
    "plan": ("plan",),
    "mixtures": ("mixing",),
    "backbones": ("embeddings.training",),
    "embeddings": ("embeddings.store",),
    "pools": ("pools",),
    "variants": ("variants",),
    "draws": ("engine.drawing",),
    "estimates": ("engine.estimating",),
    "summary": ("assessment", "comparisons"),
    "report": ("reports.page", "reports.examples", "assessment"),
    "listening": ("reports.listening", "plan"),
}
SETTINGS = {
    "clips": {
        "root_seed": config["root_seed"],
        "resampler": config["clips"]["resampler"],
        "parts": config["clips"]["parts"],
        "sample_rate": config["clips"]["sample_rate"],
        "length": LENGTH,
    },
    "plan": {"root_seed": config["root_seed"]}
    | (
        {
            key: config["mixtures"][key]
            for key in (
                "per_foreground",
                "primary_share",
                "train_share",
                "class_splits",
                "shards",
            )
        }
        if MIXED
        else config["split"]
    ),
    "mixtures": {"format": config["mixtures"]["format"]} if MIXED else {},
    "backbones": lambda embedding, **_: {
        "name": embedding,
        "variant": MAIN,
        "root_seed": config["root_seed"],
    }
    | config["embeddings"][embedding],
    # the code of its own backend, so that an edit of one backend is an edit of no other;
    # what a trained network gives depends on how it was trained
    "embeddings": lambda embedding, **_: config["embeddings"][embedding]
    | {"code_of_backend": get_backend_code(embedding)}
    | (
        {"backbone": get_stamp("backbones", embedding=embedding)}
        if is_trained(config["embeddings"][embedding])
        else {}
    ),
    "pools": lambda task, **_: {
        "classifier": TASKS[task]["classifier"] or config["classifier"],
        "variant": MAIN,
        "root_seed": config["root_seed"],
    },
    "variants": {
        "margins": VARIANTS,
        "measures": config["estimates"]["measures"],
        "level": config["estimates"]["level"],
        "resamples": config["estimates"]["resamples"],
    },
    "draws": {"sizes": config["draws"]["sizes"], "root_seed": config["root_seed"]},
    "estimates": {
        key: config["estimates"][key]
        for key in ("measures", "utilities", "level", "resamples", "interval")
    }
    | {"root_seed": config["root_seed"]},
}
BEFORE = {
    "plan": "clips",
    "mixtures": "plan",
    "backbones": "mixtures",
    "embeddings": "mixtures",
    "pools": "embeddings",
    "variants": "pools",
    "draws": "pools",
    "estimates": "draws",
}


# --- data sets and mixtures ---------------------------------------------------


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


# --- tasks, draws, estimates --------------------------------------------------


def get_blocks(sampler):
    """First and last seed of each job; a deterministic sampler has one draw."""
    if sampler in samplers.DETERMINISTIC:
        return [(0, 0)]
    seeds, per_job = config["draws"]["seeds"], config["draws"]["seeds_per_job"]
    return [
        (first, min(first + per_job, seeds) - 1) for first in range(0, seeds, per_job)
    ]


def get_all_pools(wildcards):
    return [f"results/{STUDY}/pools/{task}/pool.parquet" for task in TASKS]


def get_all_draws(wildcards):
    return [
        f"results/{STUDY}/draws/{task}/{sampler}/seeds-{first}-{last}.parquet"
        for task in TASKS
        for sampler in config["draws"]["samplers"]
        for first, last in get_blocks(sampler)
    ]


def get_all_estimates(wildcards):
    return [
        f"results/{STUDY}/estimates/{task}/{sampler}/{estimator}/seeds-{first}-{last}.parquet"
        for task in TASKS
        for sampler in config["draws"]["samplers"]
        for estimator in config["estimates"]["estimators"]
        for first, last in get_blocks(sampler)
    ]


def get_task(wildcards):
    """The specification of one task, without what the rules settle."""
    settled = ("embedding", "classifier")
    return {
        key: value for key, value in TASKS[wildcards.task].items() if key not in settled
    }


def get_task_classifier(wildcards):
    """The classifier of a task and its options."""
    return TASKS[wildcards.task]["classifier"] or config["classifier"]


def get_task_network(wildcards):
    """The last layer of the network behind a task's embedding, where the study trained one."""
    embedding = get_task_embedding(wildcards.task)
    if not is_trained(config["embeddings"][embedding]):
        return []
    return [get_backbone(embedding, "head.json")]


def get_choice(task):
    """What the settings of a task's stages depend on."""
    return {"task": task, "embedding": get_task_embedding(task)}


def get_task_embedding(task):
    """The name of the embedding that a task is learned on: the first, unless it says another."""
    return TASKS[task]["embedding"] or next(iter(config["embeddings"]))


def get_items(name):
    """A file of the embedding that a task is learned on."""

    def named(wildcards):
        embedding = get_task_embedding(wildcards.task)
        return get_result(f"embeddings/{embedding}/{MAIN}/{name}")

    return named


def get_variant_files(name):
    """A file of the embedding that a task is learned on, of every variant."""

    def named(wildcards):
        embedding = get_task_embedding(wildcards.task)
        return [
            get_result(f"embeddings/{embedding}/{variant}/{name}")
            for variant in VARIANTS
        ]

    return named


def get_dose_responses():
    """Scores at every margin, of all tasks; none where there is one variant."""
    if len(VARIANTS) < 2:
        return []
    return [get_result(f"dose_response/{task}.parquet") for task in TASKS]


def get_dose_stamps():
    """The stamps of these scores, in their order."""
    stamps = [get_stamp("variants", **get_choice(task)) for task in TASKS]
    return stamps if len(VARIANTS) > 1 else []


def get_task_stamp(stage):
    """The stamp of the shards of a stage, for the embedding of their task."""

    def stamp(wildcards):
        return get_stamp(stage, **get_choice(wildcards.task))

    return stamp


def get_estimate_stamps(wildcards):
    """The stamps of all shards of estimates, in their order."""
    paths = get_all_estimates(wildcards)
    stamps = {task: get_stamp("estimates", **get_choice(task)) for task in TASKS}
    return [stamps[path.split("/")[3]] for path in paths]


def get_all_stamps():
    """The stamp of every stage; of each task, from the embeddings on."""
    stamps = {stage: get_stamp(stage) for stage in ("clips", "plan", "mixtures")}
    for stage in ("embeddings", "pools", "draws", "estimates"):
        stamps[stage] = {task: get_stamp(stage, **get_choice(task)) for task in TASKS}
    return stamps


def get_seeds(wildcards):
    return list(range(int(wildcards.first), int(wildcards.last) + 1))


def get_pool_files(name):
    """One file of every task's pool, in the order of the tasks."""
    return [f"results/{STUDY}/pools/{task}/{name}" for task in TASKS]
