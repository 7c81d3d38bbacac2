"""An interrupted update of a finished study is an update still to do: it ends in the same bytes."""

import os
import random

import pytest

from tests.faults import updates
from tests.faults.updates import FOLDER, TINY, UPDATES, WAYS

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

SEED = 11
INTERRUPTIONS = int(os.environ.get("UPDATES", "30"))


@pytest.fixture(scope="module")
def finished_folder(checkout, tmp_path_factory):
    """The checkout in which the study of a folder has run; to be read only."""
    project = checkout(tmp_path_factory.mktemp("folder") / "somebody's project")
    updates.write_folder_study(project)
    project.snakemake(config=FOLDER)
    return project


@pytest.fixture(scope="module")
def undisturbed(request, tmp_path_factory):
    """What gives each update, undisturbed once, the first time it is asked for."""
    known = {}
    fixtures = {FOLDER: "finished_folder", TINY: "finished"}

    def of(config, change):
        if change not in known:
            folder = tmp_path_factory.mktemp("undisturbed") / "somebody's copy"
            study = request.getfixturevalue(fixtures[config])
            known[change] = updates.undisturbed(study, config, change, folder)
        return known[change]

    return of


def drawn(count):
    """Draw interruptions: every update is met, every way is used, moments are spread."""
    draw = random.Random(SEED)
    changes = [(config, change) for config, some in UPDATES.items() for change in some]
    for number in range(count):
        config, change = changes[number % len(changes)]
        yield config, change, WAYS[number % len(WAYS)], draw.random()


@pytest.mark.parametrize(
    ("change", "way", "share"),
    [(updates.changed_clip, "kill", 0.4), (updates.corrected_label, "interrupt", 0.2)],
    ids=["changed clip", "corrected label"],
)
def test_an_interrupted_update_of_a_folder_is_still_to_do(
    undisturbed, tmp_path, change, way, share
):
    update = undisturbed(FOLDER, change)
    assert update.interrupted(tmp_path / "somebody's copy", way, share) == []


@pytest.mark.faults
@pytest.mark.parametrize(
    ("config", "change", "way", "share"),
    list(drawn(INTERRUPTIONS)),
    ids=[f"{k}-{c.__name__}-{w}" for k, (_, c, w, _) in enumerate(drawn(INTERRUPTIONS))],
)
def test_every_interrupted_update_ends_in_the_same_bytes(
    undisturbed, tmp_path, config, change, way, share
):
    update = undisturbed(config, change)
    assert update.interrupted(tmp_path / "somebody's copy", way, share) == []
