# Studies on tables and on predictions made elsewhere: configuration, grid and helper functions.
from earnest.datasets import table_downloads, tabular

SCHEMAS = {
    "tables": workflow.source_path("../../config/schemas/tables.schema.yaml"),
    "predictions": workflow.source_path("../../config/schemas/predictions.schema.yaml"),
}
LIBRARIES = (
    "numpy",
    "scipy",
    "pandas",
    "scikit-learn",
    "imbalanced-learn",
    "snakemake",
)


def find_config_problems(study):
    """Yield what a schema cannot see: two models of one name."""
    yield from find_repeats(
        "models", [model["name"] for model in study.get("models", [])]
    )


config = checked_config(config, SCHEMAS[config["kind"]], find_config_problems)
STUDY = config["study"]
# Predictions of models trained elsewhere are scored like a collection with one correction.
MODELS = {model["name"]: model for model in config.get("models", [])}
REGISTRY = "config/datasets.tsv"
COLLECTION = config.get("collection", "predictions")
DATASETS = config.get("datasets", list(MODELS))
CORRECTIONS = config.get("corrections", ["given"])
FOLDERS = [
    os.path.join(folder, COLLECTION)
    for folder in (config.get("mirror"), "data/raw")
    if folder
]


wildcard_constraints:
    study=re.escape(STUDY),
    dataset=get_names(DATASETS),
    correction=get_names(CORRECTIONS),


# Stage: modules whose code decides its rows, configuration that does, stages before it.
# Lists that only make the grid longer (data sets, corrections) are not settings.
CODE = {
    "splits": ("protocols.crossval.splitting", f"datasets.{COLLECTION}"),
    "scores": ("protocols.crossval.scoring",),
    "predictions": ("protocols.crossval.predictions",),
    "assessment": (
        "protocols.crossval.correlations",
        "protocols.crossval.weight_quality",
    ),
    "report": (
        "reports.subconcepts",
        "reports.reading",
        "protocols.crossval.published",
    ),
}
SETTINGS = {
    "splits": {
        "collection": COLLECTION,
        "root_seed": config["root_seed"],
        "repeats": config.get("repeats"),
        "n_estimators": config.get("trees"),
    },
    "scores": {
        "root_seed": config["root_seed"],
        "n_estimators": config.get("trees"),
    },
    "predictions": {},
}
# Which stages make the tables of each kind of study.
SPLITS, SCORES = ("predictions", "predictions") if MODELS else ("splits", "scores")
BEFORE = {"scores": "splits"}
ASSESSMENT = {
    "collection": COLLECTION,
    "root_seed": config["root_seed"],
    "resamples": config["resamples"],
    "level": config["level"],
}


def get_table_files(wildcards):
    """The files of a data set, else what came of downloading it; none if nobody knows where it is."""
    files = tabular.files(COLLECTION, wildcards.dataset, FOLDERS)
    if files or not table_downloads.is_registered(
        COLLECTION, wildcards.dataset, REGISTRY
    ):
        return files
    return [f"data/raw/tables/{COLLECTION}/{wildcards.dataset}.json"]


def get_model(wildcards):
    """The files of one model."""
    return MODELS[wildcards.dataset]


def get_model_files(wildcards):
    """The files of a model that are there; a missing one is a row with that reason."""
    model = get_model(wildcards)
    return [
        path
        for path in (model["predictions"], model["subconcepts"])
        if os.path.isfile(path)
    ]


def get_splits(name):
    """One file of every data set's split, in the order of the study."""
    return [f"results/{STUDY}/splits/{dataset}/{name}" for dataset in DATASETS]


def get_shards(name):
    """One file of every data set and correction, in the order of the study."""
    return [
        f"results/{STUDY}/scores/{dataset}/{correction}/{name}"
        for dataset in DATASETS
        for correction in CORRECTIONS
    ]
