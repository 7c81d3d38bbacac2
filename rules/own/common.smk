# A pool of one's own: configuration and helper functions.
from earnest import embeddings
from earnest.datasets import folder

SCHEMA = workflow.source_path("../../config/schemas/own.schema.yaml")
LIBRARIES = ("numpy", "scipy", "pandas", "scikit-learn", "numba", "snakemake")
FILES = ("pool", "labels", "embeddings", "subconcepts", "drawn")


def find_config_problems(study):
    """Yield what a schema cannot see: files that are not there, two ways to have embeddings."""
    for key in FILES:
        if study[key] is not None and not os.path.isfile(study[key]):
            yield f"{key}: there is no file {study[key]}"
    audio = study["audio"]
    if audio is None:
        return
    if study["embeddings"] is not None:
        yield "`audio` and `embeddings` both give embeddings; leave one of them out"
    if not os.path.isdir(audio["path"]):
        yield f"audio.path: there is no folder {audio['path']}"
    yield from embeddings.find_problems(audio["backend"], audio["options"])


config = checked_config(config, SCHEMA, find_config_problems)
STUDY = config["study"]
AUDIO = config["audio"]


wildcard_constraints:
    study=re.escape(STUDY),


CODE = {
    "embeddings": (
        ("protocols.ownpool.embedding", embeddings.module_of(AUDIO["backend"]))
        if AUDIO
        else ()
    ),
    "evaluation": ("protocols.ownpool.evaluating", "protocols.ownpool.inputs"),
    "report": ("reports.own",),
}
SETTINGS = {"evaluation": {}}
BEFORE = {}
READING = {key: config[key] for key in ("sampler", "positive")}
EVALUATION = {
    key: config[key]
    for key in (
        "estimators",
        "level",
        "resamples",
        "budget",
        "target",
        "uniform_share",
    )
} | {"seed": config["root_seed"]}


def get_tables(wildcards):
    """The files of the study that are given, by what they hold."""
    found = {key: config[key] for key in FILES if config[key] is not None}
    if AUDIO:
        found["embeddings"] = get_result("embeddings.npy")
    return found


def get_fingerprint(wildcards):
    """What tells that the sounds have changed."""
    return folder.fingerprint(AUDIO["path"])
