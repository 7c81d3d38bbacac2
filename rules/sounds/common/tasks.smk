# Paths and settings of tasks, draws and estimates.
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
