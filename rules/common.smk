# What every kind of study shares: the library on its path, the checked study and its wildcards.
import os
import shlex
import sys

from snakemake.exceptions import WorkflowError

# Snakemake starts scripts by this name without quoting it, and .venv lies in the checkout,
# whose path may hold spaces and quotes.
sys.executable = shlex.quote(sys.executable)

# The folder of the library; that of the workflow is another one where this is a module of it.
LIBRARY = os.path.dirname(workflow.current_basedir.get_path_or_uri(secret_free=True))
if not os.path.isdir(LIBRARY):
    raise WorkflowError(
        "earnest runs from a clone: name the Snakefile of one, as docs/module.md says"
    )

# Entry scripts run outside this folder, so they find the library by the environment.
sys.path.insert(0, LIBRARY)
os.environ["PYTHONPATH"] = os.pathsep.join(
    [LIBRARY] + os.environ.get("PYTHONPATH", "").split(os.pathsep)
).rstrip(os.pathsep)

from earnest.io import disk
from earnest.reports.pages import index
from earnest.studies import kinds
from earnest.studies.study import StudyError, grow_memory

# Said at once and in a dry run too: Snakemake tells it late, and not what to do.
for problem in disk.find_unwritable("results", "logs", "data"):
    print(f"earnest: {problem}", file=sys.stderr)


# No rule makes the index of studies: it would tie every study to every other.
onsuccess:
    index.write_index()
    for page in STUDY.pages():
        print(f"earnest: see {page}")


try:
    STUDY = kinds.study_of(
        config,
        in_job=not workflow.is_main_process,
    )
except StudyError as error:
    raise WorkflowError(str(error)) from None
config = STUDY.config


wildcard_constraints:
    **STUDY.wildcards(),
