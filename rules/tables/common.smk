# Studies on tables: configuration, the grid and the helper functions.
import os
import re
import shlex
import sys

import yaml
from snakemake.exceptions import WorkflowError

# Snakemake starts scripts by this name without quoting it, and .venv lies in the checkout,
# whose path may hold spaces and quotes.
sys.executable = shlex.quote(sys.executable)

# Entry scripts run outside this folder, so they find the library by the environment.
sys.path.insert(0, str(workflow.basedir))
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(workflow.basedir)] + os.environ.get("PYTHONPATH", "").split(os.pathsep)
).rstrip(os.pathsep)

from earnest import documents, provenance
from earnest.datasets import tabular

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


def checked_config(given):
    """Return the study with the schema's defaults, or stop with every problem named."""
    with open(SCHEMAS[given["kind"]], encoding="utf-8") as file:
        schema = yaml.safe_load(file)
    try:
        study = documents.completed(given, schema)
    except documents.DocumentError as error:
        raise WorkflowError(f"The study file is not valid:\n{error}") from None
    names = [model["name"] for model in study.get("models", [])]
    for name in sorted({name for name in names if names.count(name) > 1}):
        raise WorkflowError(
            f"The study file is not valid:\nmodels: two are named {name!r}"
        )
    return study


config = checked_config(config)
STUDY = config["study"]
# Predictions of models trained elsewhere are scored like a collection with one correction.
MODELS = {model["name"]: model for model in config.get("models", [])}
COLLECTION = config.get("collection", "predictions")
DATASETS = config.get("datasets", list(MODELS))
CORRECTIONS = config.get("corrections", ["given"])
FOLDERS = [
    os.path.join(folder, COLLECTION)
    for folder in (config.get("mirror"), "data/raw")
    if folder
]


def get_names(names):
    """Wildcard constraint that matches these names and nothing else."""
    return "|".join(re.escape(str(name)) for name in names)


wildcard_constraints:
    study=re.escape(STUDY),
    dataset=get_names(DATASETS),
    correction=get_names(CORRECTIONS),


# Stage: modules whose code decides its rows, configuration that does, stages before it.
# Lists that only make the grid longer (data sets, corrections) are not settings.
CODE = {
    "splits": ("tables.splitting", f"datasets.{COLLECTION}"),
    "scores": ("tables.scoring",),
    "predictions": ("tables.predicted",),
    "assessment": ("tables.assessing", "tables.weighting"),
    "report": ("reports.subconcepts", "tables.published"),
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


def code_version(stage):
    """Hash of the code behind a stage (Snakemake does not see edits in imported modules)."""
    return provenance.code_version(*CODE[stage])


def get_stamp(stage):
    """What a shard of a stage carries: its code, its settings and the stamp of the stage before."""
    before = get_stamp(BEFORE[stage]) if stage in BEFORE else ""
    return provenance.stamp(code_version(stage), before=before, **SETTINGS[stage])


def grow_memory(wildcards, attempt):
    """Memory in MB: 2 GB, doubled at every retry."""
    return 2000 * 2 ** (attempt - 1)


def get_result(name):
    """Path of a result of this study."""
    return f"results/{STUDY}/{name}"


def get_table_files(wildcards):
    """The files of a data set; none when it is missing, so that its job can say so."""
    return tabular.files(COLLECTION, wildcards.dataset, FOLDERS)


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


def get_provenance():
    """What the report says about how it was made; plain values in a fixed order."""
    return {
        "config": config,
        "code": {
            stage: code_version(stage)
            for stage in (SPLITS, SCORES, "assessment", "report")
        },
        "stamps": {stage: get_stamp(stage) for stage in (SPLITS, SCORES)},
    }
