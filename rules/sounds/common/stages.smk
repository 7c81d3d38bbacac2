# Stage: modules whose code decides its rows, configuration that does, stages before it.
# Lists that only make the grid longer (seeds, samplers, estimators, tasks) are not settings:
# a grown grid must leave the old shards as they are.
CODE = {
    "clips": ("datasets.preparing",),
    "plan": ("mixing.plan",),
    "mixtures": ("mixing",),
    "backbones": ("embeddings.backbones",),
    "embeddings": ("embeddings.store",),
    "pools": ("tasks.pools",),
    "variants": ("protocols.doses",),
    "draws": ("protocols.subsets.drawing",),
    "estimates": ("protocols.subsets.estimating",),
    "summary": ("protocols.subsets.summary", "protocols.subsets.comparisons"),
    "report": (
        "reports.page",
        "reports.examples",
        "reports.reading",
        "protocols.subsets.summary",
    ),
    "listening": ("reports.listening", "mixing.plan"),
}


def get_wanted_labels():
    """The labels that the table of pairs names, where clips of others are not decoded; else None."""
    if not (MIXED and config["clips"]["only_paired"]):
        return None
    return sorted(plan.labels_of_pairs(plan.read_pairs(config["mixtures"]["pairs"])))


SETTINGS = {
    "clips": {
        "root_seed": config["root_seed"],
        "resampler": config["clips"]["resampler"],
        "parts": config["clips"]["parts"],
        "sample_rate": config["clips"]["sample_rate"],
        "length": LENGTH,
        "labels": get_wanted_labels(),
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
