# What every kind of study shares: the library on its path, the checked study, names and resources.
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

from earnest.io import disk, provenance
from earnest.reports import index
from earnest.studies import documents

# Said at once and in a dry run too: Snakemake tells it late, and not what to do.
for problem in disk.find_unwritable("results", "logs", "data"):
    print(f"earnest: {problem}", file=sys.stderr)


# No rule makes the index of studies: it would tie every study to every other.
onsuccess:
    index.write_index()


def checked_config(given, schema, find_problems):
    """Return the study with the schema's defaults, or stop with every problem named."""
    with open(schema, encoding="utf-8") as file:
        schema = yaml.safe_load(file)
    try:
        study = documents.completed(given, schema)
    except documents.DocumentError as error:
        raise WorkflowError(f"The study file is not valid:\n{error}") from None
    problems = list(find_problems(study))
    if problems:
        raise WorkflowError("The study file is not valid:\n" + "\n".join(problems))
    return study


def find_repeats(key, names):
    """Yield the names that a list of the study gives twice."""
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{key}: two are named {name!r}"


def get_names(names):
    """Wildcard constraint that matches these names and nothing else."""
    return "|".join(re.escape(str(name)) for name in names)


def get_result(name):
    """Path of a result of this study."""
    return f"results/{STUDY}/{name}"


def grow_memory(wildcards, attempt):
    """Memory in MB: 2 GB, doubled at every retry."""
    return 2000 * 2 ** (attempt - 1)


# Each kind of study says in its own common.smk which modules (CODE) and which configuration
# (SETTINGS) decide the rows of a stage, and which stage comes before it (BEFORE).


def code_version(stage):
    """Hash of the code behind a stage (Snakemake does not see edits in imported modules)."""
    return provenance.code_version(*CODE[stage])


def get_stamp(stage, **choice):
    """What a shard of a stage carries: its code, its settings and the stamp of the stage before.

    Settings that depend on a choice, such as which embedding, are functions of it.
    """
    before = get_stamp(BEFORE[stage], **choice) if stage in BEFORE else ""
    settings = SETTINGS[stage]
    settings = settings(**choice) if callable(settings) else settings
    return provenance.stamp(code_version(stage), before=before, **settings)


def get_provenance(codes, stamps):
    """What the report says about how it was made; plain values in a fixed order."""
    return {
        "config": config,
        "code": {stage: code_version(stage) for stage in codes},
        "stamps": stamps,
    }
