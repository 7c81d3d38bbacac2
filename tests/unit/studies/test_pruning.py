"""Pruning deletes stale shards of one study, and nothing else."""

import pytest
import yaml

from earnest import io
from earnest.studies import pruning

STALE = "results/small/draws/context/random/seeds-2-3.parquet"
OTHERS = [
    "results/small/notes.txt",
    "results/small/listening/8-lu/bell-rain-0123456789.flac",  # of a folder made as a whole
    "results/other/draws/context/random/seeds-2-3.parquet",
    "data/demo/clips-8/corpus/audio/bell/bell_000a.wav",
]
# what Snakemake does not list: files of the grid, hidden files
KEPT = ["results/small/draws/foregrounds/random/seeds-0-1.parquet", "results/small/draws/.keep"]


@pytest.fixture
def folder(tmp_path):
    for name in [STALE, *OTHERS, *KEPT]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "study.yaml").write_text(yaml.safe_dump({"study": "small"}))
    return tmp_path


@pytest.fixture
def listed(monkeypatch):
    """As if Snakemake had listed everything that the grid does not have."""
    listed = [STALE, *OTHERS, "results/small/draws/../../other/draws/x.parquet"]
    monkeypatch.setattr(pruning, "_untracked", lambda study, folder: listed)


def deleted(folder):
    return [str(path) for path in pruning.prune("study.yaml", folder=folder)]


@pytest.mark.usefixtures("listed")
def test_only_stale_shards_of_the_study_go(folder):
    assert deleted(folder) == [STALE]
    assert not (folder / "results/small/draws/context").exists()
    assert all((folder / name).is_file() for name in [*OTHERS, *KEPT])


@pytest.mark.usefixtures("listed")
def test_what_a_killed_run_left_goes(folder):
    with io.written_aside(folder / KEPT[0]) as aside:
        killed = folder / "results/small/draws" / aside.name
    killed.write_text("half")  # under the name that a kill would have left
    assert deleted(folder) == sorted([f"results/small/draws/{killed.name}", STALE])


@pytest.mark.usefixtures("listed")
def test_nothing_goes_while_snakemake_runs(folder):
    (folder / ".snakemake/locks").mkdir(parents=True)
    (folder / ".snakemake/locks/0.input.lock").write_text("x")
    with pytest.raises(pruning.PruneError, match="make unlock"):
        pruning.prune("study.yaml", folder=folder)
    assert (folder / STALE).is_file()


def test_a_study_that_snakemake_refuses_loses_nothing(folder):
    with pytest.raises(pruning.PruneError, match=r"could not list the files of study\.yaml"):
        pruning.prune("study.yaml", folder=folder)  # there is no Snakefile
    assert (folder / STALE).is_file()


def test_without_a_study_it_says_how_to_call_it(capsys):
    assert pruning.main([]) == 2
    assert "STUDY_FILE" in capsys.readouterr().err
