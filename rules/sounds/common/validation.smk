# What a schema cannot see: names that clash or are missing, files that are not there.
def find_config_problems(study):
    """Yield what a schema cannot see: names that clash or are missing, files that are not there."""
    yield from find_repeats("tasks", [task["name"] for task in study["tasks"]])
    yield from find_task_problems(study)
    yield from find_embedding_problems(study)
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
        if study["clips"]["only_paired"]:
            yield "clips.only_paired: a study of kind clips has no pairs; remove it"
        yield from find_split_problems(study)


def find_task_problems(study):
    """Yield tasks that lack what they need."""
    for task in study["tasks"]:
        if (task["kind"] == "context") != (task["foreground"] is not None):
            yield f"tasks: {task['name']!r}: `foreground` is for tasks of kind context, and needed there"
        if task["embedding"] not in (None, *study["embeddings"]):
            known = ", ".join(study["embeddings"])
            yield f"tasks: {task['name']!r}: no embedding {task['embedding']!r}; there are {known}"


def find_embedding_problems(study):
    """Yield embeddings that cannot be made here, or that are asked for and not there."""
    for name, one in study["embeddings"].items():
        for problem in embeddings.find_problems(one["backend"], one["options"]):
            yield f"embeddings.{name}: {problem}"
    crossed = (study["subconcepts"] or {}).get("embedding")
    if crossed not in (None, *study["embeddings"]):
        known = ", ".join(study["embeddings"])
        yield f"subconcepts.embedding: no embedding {crossed!r}; there are {known}"


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
