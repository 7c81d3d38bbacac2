# Cross-validation of all items by recordings, as tables are: its tasks, grid and helper functions.
CROSSED = config["subconcepts"]


def get_crossed_foregrounds():
    """The foregrounds with a context task each: those given, or all of the pairs."""
    if CROSSED["foregrounds"] is None and MIXED:
        return sorted(set(plan.read_pairs(config["mixtures"]["pairs"])["foreground"]))
    return CROSSED["foregrounds"] or []


# The task over merged foregrounds; the context task of a foreground is called like it.
MERGED = "foregrounds"
TOPICS = [MERGED, *get_crossed_foregrounds()]
CROSSED_CODE = {
    "splits": provenance.code_version("protocols.crossval.items"),
    "scores": provenance.code_version("protocols.crossval.scoring"),
    "assessment": provenance.code_version(
        "protocols.crossval.correlations", "protocols.crossval.weight_quality"
    ),
    "contrasts": provenance.code_version("protocols.crossval.contrasts"),
    "report": provenance.code_version("reports.subconcepts", "reports.reading"),
}


wildcard_constraints:
    topic=get_names(TOPICS),
    correction=get_names(CROSSED["corrections"]),


def get_forests():
    """What a forest of the cross-validation is made with."""
    return {"root_seed": config["root_seed"], "n_estimators": CROSSED["trees"]}


def get_crossed_embedding():
    """The name of the embedding that is cross-validated: the first, unless the study says another."""
    return CROSSED["embedding"] or next(iter(config["embeddings"]))


def get_crossed_items(name):
    """A file of that embedding."""
    return get_result(f"embeddings/{get_crossed_embedding()}/{MAIN}/{name}")


def get_topic(wildcards):
    """One task: what it is called, its kind and its foreground."""
    merged = wildcards.topic == MERGED
    return {
        "name": wildcards.topic,
        "kind": "subconcepts" if merged else "context",
        "foreground": None if merged else wildcards.topic,
    }


def get_split():
    """How the items are halved and their subconcepts learned."""
    return get_forests() | {"repeats": CROSSED["repeats"]}


def get_splits_stamp():
    """What the tables of a split carry."""
    before = get_stamp("embeddings", embedding=get_crossed_embedding())
    return provenance.stamp(
        CROSSED_CODE["splits"], before=before, variant=MAIN, **get_split()
    )


def get_scores_stamp():
    """What the tables of scores carry."""
    return provenance.stamp(
        CROSSED_CODE["scores"], before=get_splits_stamp(), **get_forests()
    )


def get_assessment():
    """How scores are assessed over the tasks."""
    return {
        "root_seed": config["root_seed"],
        "resamples": CROSSED["resamples"],
        "level": config["estimates"]["level"],
    }


def get_topic_files(name):
    """One file of every task's split, in the order of the study."""
    return [get_result(f"subconcepts/splits/{topic}/{name}") for topic in TOPICS]


def get_topic_shards(name):
    """One file of every task and correction, in the order of the study."""
    return [
        get_result(f"subconcepts/scores/{topic}/{correction}/{name}")
        for topic in TOPICS
        for correction in CROSSED["corrections"]
    ]


def get_subconcepts_provenance():
    """How the cross-validation was made; plain values in a fixed order."""
    return {
        "config": config,
        "code": CROSSED_CODE,
        "stamps": {"splits": get_splits_stamp(), "scores": get_scores_stamp()},
    }
