# Studies on mixtures of sounds: their configuration, grid and helper functions.
from earnest import plan, samplers

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
    absent = [
        key
        for key in ("pairs", "rejected")
        if not os.path.isfile(study["mixtures"][key])
    ]
    for key in absent:
        yield f"mixtures.{key}: there is no file {study['mixtures'][key]}"
    if "pairs" not in absent:
        yield from find_pairs_problems(study)


def find_pairs_problems(study):
    """Yield what is wrong in the pairs table, and context tasks whose foreground is not in it."""
    try:
        foregrounds = set(plan.read_pairs(study["mixtures"]["pairs"])["foreground"])
    except plan.PairsError as error:
        yield f"mixtures.pairs: {error}"
        return
    for task in study["tasks"]:
        if task["kind"] == "context" and task["foreground"] not in foregrounds:
            known = ", ".join(sorted(foregrounds))
            yield f"tasks: {task['name']!r}: no foreground {task['foreground']!r}; there are {known}"


config = checked_config(config, SCHEMA, find_config_problems)
STUDY = config["study"]
TASKS = {task["name"]: task for task in config["tasks"]}
PARTS = range(config["clips"]["parts"])
SHARDS = range(config["mixtures"]["shards"])


wildcard_constraints:
    study=re.escape(STUDY),
    dataset=get_names(config["datasets"]),
    part=r"\d+",
    shard=r"\d+",
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
    "embeddings": ("embeddings",),
    "pools": ("pools",),
    "draws": ("engine.drawing",),
    "estimates": ("engine.estimating",),
    "summary": ("assessment",),
    "report": ("reports", "assessment"),
}
SETTINGS = {
    "clips": {
        "root_seed": config["root_seed"],
        "resampler": config["clips"]["resampler"],
        "parts": config["clips"]["parts"],
    },
    "plan": {
        key: config["mixtures"][key]
        for key in ("per_foreground", "primary_share", "train_share")
    }
    | {"shards": config["mixtures"]["shards"], "root_seed": config["root_seed"]},
    "mixtures": {key: config["mixtures"][key] for key in ("margin_lu", "format")},
    "embeddings": config["embedding"],
    "pools": {"classifier": config["classifier"], "root_seed": config["root_seed"]},
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
    "embeddings": "mixtures",
    "pools": "embeddings",
    "draws": "pools",
    "estimates": "draws",
}


# --- data sets and mixtures ---------------------------------------------------


def get_root(wildcards):
    """The file that says where a data set lies: synthesised, in the mirror or downloaded."""
    if wildcards.dataset == "demo":
        return f"data/demo/clips-{config['demo']['clips_per_kind']}/root.json"
    return f"data/raw/{wildcards.dataset}.json"


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


def get_mixture_shards(wildcards):
    return [f"results/{STUDY}/mixtures/shard-{shard}.parquet" for shard in SHARDS]


def get_mixture_audio(wildcards):
    return [
        f"results/{STUDY}/mixtures/shard-{s}.{config['mixtures']['format']}"
        for s in SHARDS
    ]


def get_embedding_shards(wildcards):
    return [f"results/{STUDY}/embeddings/shard-{shard}.npy" for shard in SHARDS]


def get_embedding_meta(wildcards):
    return [f"results/{STUDY}/embeddings/shard-{shard}.json" for shard in SHARDS]


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
    """The specification of one task."""
    return TASKS[wildcards.task]


def get_seeds(wildcards):
    return list(range(int(wildcards.first), int(wildcards.last) + 1))


def get_pool_files(name):
    """One file of every task's pool, in the order of the tasks."""
    return [f"results/{STUDY}/pools/{task}/{name}" for task in TASKS]
