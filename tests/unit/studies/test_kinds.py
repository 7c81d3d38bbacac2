"""Studies of every kind: made from a file, refused with every problem, and their grids."""

import re
from types import SimpleNamespace

import pytest
import yaml

from earnest.mixing import pairs
from earnest.reports.pages import index
from earnest.studies import kinds
from earnest.studies.study import StudyError, grow_memory

TINY = "config/tiny.yaml"


@pytest.fixture(autouse=True)
def _in_the_project(root, monkeypatch):
    monkeypatch.chdir(root)


def changed(path=TINY, **changes):
    """A study file with some sections updated, made a study."""
    with open(path, encoding="utf-8") as file:
        given = yaml.safe_load(file)
    for section, change in changes.items():
        whole = isinstance(change, dict) and isinstance(given.get(section), dict)
        given[section] = given[section] | change if whole else change
    return kinds.study_of(given)


def predictions(names):
    models = [{"name": n, "predictions": f"{n}.csv", "subconcepts": f"{n}.tsv"} for n in names]
    return kinds.study_of({"kind": "predictions", "study": "p", "title": "P", "models": models})


def test_every_shipped_study_is_of_its_kind(root):
    seen = {}
    for path in [root / "config/config.yaml", root / TINY, *root.glob("config/studies/*.yaml")]:
        if "birdnet" in path.read_text() or "cnn" in path.read_text():
            continue  # needs packages that are optional
        study = kinds.read_study(path)
        assert isinstance(study, kinds.KINDS[study.kind])
        assert (root / f"rules/{study.RULES}/workflow.smk").is_file()
        seen[path.name] = study.kind
    assert seen["tiny.yaml"] == seen["config.yaml"] == "mixtures"
    assert seen["keel.yaml"] == "tables"
    assert seen["own.yaml"] == "own"


def test_the_index_has_words_for_every_kind():
    assert list(index.KINDS) == list(kinds.KINDS)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"kind": "mixture"}, "kind: 'mixture' is not one of"),
        ({"kind": ["own"]}, "kind: ['own'] is not one of"),
        ({"mixtures": {"primary_shar": 1}}, "did you mean 'primary_share'?"),
        ({"mixtures": None}, "a study of kind mixtures needs the key `mixtures`"),
        (
            {"split": {}},
            "the key `split` has no meaning in a study of kind mixtures; remove it",
        ),
        ({"kind": "clips"}, "a study of kind clips needs the key `split`"),
        (
            {"mixtures": {"margin_lu": [8, 8.0000001]}},
            "mixtures.margin_lu: two are named '8'",
        ),
        (
            {"mixtures": {"pairs": "config/pears.tsv"}},
            "mixtures.pairs: there is no file config/pears.tsv",
        ),
        (
            {"subconcepts": {"embedding": "other", "foregrounds": ["cat"]}},
            "subconcepts.embedding: no embedding 'other'; there are logmel\n"
            "subconcepts.foregrounds: no foreground 'cat'; there are bell, cough",
        ),
        ({"folder": {"path": "x"}}, "folder.path: add `folder` to `datasets`, or remove the key"),
        (
            {"datasets": ["demo", "folder"]},
            "folder.path: name the folder that holds your audio",
        ),
        (
            {"tasks": [{"name": "a", "kind": "context"}, {"name": "a", "kind": "classes"}]},
            "tasks: two are named 'a'\n"
            "tasks: 'a': `foreground` is for tasks of kind context, and needed there",
        ),
        (
            {"kind": "clips", "mixtures": None, "split": {"train_folds": [1]}, "subconcepts": None},
            "split: give both `train_folds` and `pool_folds`, or neither\n"
            "tasks: 'context': clips as they are have no background; kind context is for mixtures",
        ),
    ],
)
def test_a_bad_study_is_refused_with_every_problem(changes, problem):
    with pytest.raises(StudyError, match=r"^The study file is not valid:\n") as error:
        changed(**changes)
    assert problem in str(error.value)


def test_two_models_of_one_name_are_refused():
    with pytest.raises(StudyError, match="models: two are named 'a'"):
        predictions(["a", "b", "a"])


def test_pairs_that_no_source_has_are_refused_unless_they_may_be_missing(tmp_path):
    for label in ("Helicopter", "rain", "wind"):
        (tmp_path / "sounds" / label).mkdir(parents=True)
        (tmp_path / "sounds" / label / "a.wav").write_bytes(b"")
    rows = ["split\tforeground\tbackground\tprimary"]
    rows += [f"train\tHelikopter\t{label}\t{int(label == 'rain')}" for label in ("rain", "wind")]
    (tmp_path / "pairs.tsv").write_text("\n".join(rows) + "\n")
    changes = {"datasets": ["folder"], "folder": {"path": str(tmp_path / "sounds")}}
    changes["tasks"] = [{"name": "kinds", "kind": "classes"}]
    mixtures = {"pairs": str(tmp_path / "pairs.tsv")}
    with pytest.raises(StudyError, match="unknown class 'Helikopter'; did you mean 'Helicopter'"):
        changed(mixtures=mixtures, **changes)
    study = changed(mixtures=mixtures | {"allow_missing": True}, **changes)
    assert study.pairs["foreground"].tolist() == ["Helikopter", "Helikopter"]


def test_the_table_of_pairs_is_read_once(monkeypatch):
    read, paths = pairs.read_pairs, []

    def counted(path, **options):
        paths.append(path)
        return read(path, **options)

    monkeypatch.setattr(pairs, "read_pairs", counted)
    study = changed(clips={"only_paired": True}, subconcepts={"trees": 5})
    assert "dog_bark" in study.wanted_labels()
    assert study.crossval.datasets[:2] == ["foregrounds", "bell"]
    study.provenance()
    assert paths == ["config/demo/pairs.tsv"]


def test_the_grid_of_subsets():
    study = changed(draws={"seeds": 5}, estimates={"estimators": ["kde"]})
    assert study.blocks("random") == [(0, 1), (2, 3), (4, 4)]
    assert study.blocks("uncertainty") == [(0, 0)]
    estimates = study.all_estimates()
    assert len(estimates) == 2 * (3 + 1 + 3)
    assert estimates[2] == "results/tiny/estimates/foregrounds/random/kde/seeds-4-4.parquet"
    stamps = study.estimate_stamps()
    assert stamps == [study.stamp_of("estimates")(wildcards(path)) for path in estimates]
    assert len(set(stamps)) == 1
    assert study.seeds(SimpleNamespace(first="2", last="4")) == [2, 3, 4]


def wildcards(path):
    return SimpleNamespace(task=path.split("/")[3])


def test_each_task_is_stamped_by_its_own_classifier():
    tasks = [
        {"name": "plain", "kind": "classes"},
        {
            "name": "other",
            "kind": "classes",
            "classifier": {"name": "logistic", "options": {"C": 9}},
        },
    ]
    study = changed(tasks=tasks, estimates={"estimators": ["kde"]})
    stamps = study.estimate_stamps()
    assert len(set(stamps)) == 2
    assert stamps == sorted(stamps, key=stamps.index)


def test_a_longer_grid_leaves_the_stamps_as_they_are():
    old, new = changed(), changed(draws={"seeds": 9, "samplers": ["random", "kmedoids"]})
    assert old.stamps() == new.stamps()
    assert old.stamps() != changed(draws={"sizes": [10]}).stamps()


def test_variants_are_named_by_their_margins():
    study = changed(mixtures={"margin_lu": [8, 0.5], "clean": True})
    assert study.variants == {"8-lu": 8, "0.5-lu": 0.5, "clean": None}
    assert study.main == "8-lu"
    assert study.margin(SimpleNamespace(variant="clean")) is None
    assert study.audio_shards() == [(v, s) for v in study.variants for s in (0, 1)]
    assert len(study.all_mixture_audio()) == 6
    assert study.doses() == [
        "results/tiny/dose_response/foregrounds.parquet",
        "results/tiny/dose_response/context.parquet",
    ]
    assert study.dose_stamps() != []
    assert changed().doses() == changed().dose_stamps() == []


def test_an_embedding_that_is_trained_follows_its_training():
    given = changed().config
    options = {"embeddings": {"logmel": {"backend": "logmel", "options": {}}}}
    network = {"backend": "cnn", "options": {}}
    make = kinds.kind_of(given)
    study = make({**given, "embeddings": {**options["embeddings"], "net": network}})
    assert study.trained == ["net"]
    of_net = SimpleNamespace(embedding="net")
    model = "results/tiny/embeddings/net/backbone/model.pt"
    assert study.embedding(of_net)["options"] == {"checkpoint": model}
    assert study.embedding_sources(of_net) == [model]
    assert study.unfinished(of_net).endswith(study.stamp("backbones", embedding="net"))
    network = {"backend": "cnn", "options": {"epochs": 3}}
    other = make({**given, "embeddings": {**options["embeddings"], "net": network}})
    for stage in ("backbones", "embeddings"):
        assert study.stamp(stage, embedding="net") != other.stamp(stage, embedding="net")
    assert study.stamp("embeddings", embedding="logmel") == other.stamp(
        "embeddings", embedding="logmel"
    )


def test_the_files_that_a_study_reads_by_their_keys():
    assert changed().input_files() == {
        "mixtures.pairs": ["config/demo/pairs.tsv"],
        "mixtures.rejected": ["config/spuraudio/rejected.tsv"],
        "embeddings.logmel": [],
    }
    assert kinds.read_study("config/studies/own.yaml").input_files() == {
        "pool": ["config/own/pool.csv"],
        "labels": ["config/own/labels.csv"],
    }
    assert predictions("ab").input_files() == {
        "models.a": ["a.csv", "a.tsv"],
        "models.b": ["b.csv", "b.tsv"],
    }


def test_the_files_of_a_cross_validation():
    study = changed(subconcepts={"foregrounds": ["bell"], "corrections": ["none", "smote"]})
    assert study.crossval.score_files("scores.parquet")[:3] == [
        "results/tiny/subconcepts/scores/foregrounds/none/scores.parquet",
        "results/tiny/subconcepts/scores/foregrounds/smote/scores.parquet",
        "results/tiny/subconcepts/scores/bell/none/scores.parquet",
    ]
    assert study.crossval.task(SimpleNamespace(dataset="bell")) == {
        "name": "bell",
        "kind": "context",
        "foreground": "bell",
        "pool_task": None,
    }
    assert study.crossval.task(SimpleNamespace(dataset="foregrounds"))["pool_task"] == "foregrounds"
    assert study.wildcards()["correction"] == "none|smote"
    assert set(study.crossval.stamps()) == {"splits", "scores"}
    scored = predictions("ab")
    assert scored.split_files("task.json") == [
        "results/p/splits/a/task.json",
        "results/p/splits/b/task.json",
    ]


def test_merged_foregrounds_are_drawn_down_as_the_first_task_of_their_kind():
    first = {"name": "classes", "kind": "classes"}
    merged = [{"name": name, "kind": "subconcepts"} for name in ("rare", "rarer")]
    study, other = (
        changed(subconcepts={"trees": 5}, tasks=[first, *tasks]) for tasks in (merged, merged[1:])
    )
    assert study.crossval.task(SimpleNamespace(dataset="foregrounds")) == {
        "name": "foregrounds",
        "kind": "subconcepts",
        "foreground": None,
        "pool_task": "rare",
    }
    # the draw hangs on the name, and so do the stamps of what is made of it
    assert study.crossval.stamps() != other.crossval.stamps()


def test_wildcards_match_whole_names_only():
    pattern = changed().wildcards()["task"]
    assert re.fullmatch(pattern, "context")
    assert not re.fullmatch(pattern, "contexts")


def test_folders_that_a_job_makes_as_a_whole_are_those_of_the_rules(root):
    text = "".join(path.read_text() for path in (root / "rules").rglob("*.smk"))
    whole = set(re.findall(r'directory\("results/\{study\}/(\w+)"\)', text))
    assert whole == {name for kind in kinds.KINDS.values() for name in kind.WHOLE_FOLDERS}


def test_memory_doubles_at_every_attempt():
    assert [grow_memory(None, attempt) for attempt in (1, 2, 3)] == [2000, 4000, 8000]
