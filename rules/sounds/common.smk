# Studies on sounds, mixed or as they are: their configuration and grid; more functions lie in common/.
from earnest import datasets, embeddings, samplers
from earnest.datasets import folder
from earnest.mixing import plan
from earnest.tasks import classifiers

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


def get_margins(mixtures):
    """The margins of a study, of which the first is the main one."""
    margins = mixtures["margin_lu"]
    return list(margins) if isinstance(margins, list) else [margins]


def is_trained(embedding):
    """Whether the study trains this network itself, and is not given one that was trained before."""
    own = "checkpoint" not in embedding["options"]
    return embedding["backend"] in embeddings.TRAINED and own


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


include: "common/validation.smk"


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


include: "common/stages.smk"
include: "common/sounds.smk"
include: "common/tasks.smk"
