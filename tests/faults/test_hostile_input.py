"""Study files and names that would lead elsewhere or run something: refused in a sentence."""

import csv
import subprocess

import numpy as np
import pytest
import yaml

from earnest.commands import main
from earnest.datasets import registry
from earnest.studies import documents
from tests.made_own import made_pool, some_labels, write

OUTSIDE = [
    "../../etc",
    "/absolute",
    "a/b",
    "..",
    ".hidden",
    "-option",
    "name\n",
    "nul\0",
    "$(id)",
    "a; b",
    "a b",
    "\U0001f415",
    "",
    "a" * 101,
]


def schema_of(root, kind):
    path = root / "config" / "schemas" / f"{kind}.schema.yaml"
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def problems(document, schema):
    with pytest.raises(documents.DocumentError) as caught:
        documents.completed(document, schema)
    return str(caught.value).splitlines()


@pytest.mark.parametrize("kind", ["config", "own", "predictions", "tables"])
def test_no_name_of_a_study_leads_out_of_its_folder(root, kind):
    schema = schema_of(root, kind)
    for name in OUTSIDE:
        (line,) = (line for line in problems({"study": name}, schema) if line[:6] == "study:")
        wanted = "is too long" if len(name) > 100 else "wanted: Name of the study and of its folder"
        assert wanted in line
    fitting = problems({"study": "a-1"}, schema)
    assert not any(line.startswith("study:") for line in fitting)


def test_no_other_name_that_stands_in_a_path_leads_out(root):
    for name in OUTSIDE:
        document = {
            "tasks": [{"name": name, "kind": "classes"}],
            "embeddings": {name: {"backend": "logmel"}},
        }
        found = problems(document, schema_of(root, "config"))
        assert any(line.startswith("tasks.0.name: ") for line in found)
        assert any(line.startswith("embeddings: ") for line in found)
        found = problems({"models": [{"name": name}]}, schema_of(root, "predictions"))
        assert any(line.startswith("models.0.name: ") for line in found)
        found = problems({"datasets": [name]}, schema_of(root, "tables"))
        assert any(line.startswith("datasets.0: ") for line in found)
        found = problems({"datasets": [name]}, schema_of(root, "config"))
        assert any(line.startswith("datasets.0: ") for line in found)


def test_a_huge_value_gives_a_short_message(root):
    found = problems({"study": ["x" * 100] * 10_000}, schema_of(root, "own"))
    assert max(map(len, found)) < 700


@pytest.mark.parametrize(
    "cells",
    [
        {"dataset": "../birds"},
        {"dataset": "/birds"},
        {"file": "../birds.zip"},
        {"place": "../.."},
        {"place": "/absolute"},
    ],
)
def test_no_row_of_the_registry_leads_out_of_its_folder(tmp_path, cells):
    good = {"dataset": "birds", "file": "birds.zip", "address": "https://example.org/birds.zip"}
    row = [(good | cells).get(name, "") for name in registry.COLUMNS]
    table = tmp_path / "datasets.tsv"
    table.write_text("\t".join(registry.COLUMNS) + "\n" + "\t".join(row) + "\n")
    with pytest.raises(ValueError, match=r"datasets\.tsv, line 2: .*(plain names|must lie in)"):
        registry.read_registry(table)


CLASSES = {
    "cat": '<img src=x onerror="alert(1)">\U0001f408',
    "dog": "=cmd|' /C calc'!A0",
    "owl": 'two lines, "quoted"',
}


def hostile_pool(folder):
    """Write a pool whose classes and items have hostile names; return the two paths and ids."""
    frame, truth, _ = made_pool(90)
    ids = [f"{start}{i}" for i, start in enumerate(["=1+", "@", "-", "\u96e8 ", "'x", "<b>"] * 15)]
    frame["item_id"] = ids
    frame["prediction"] = frame["prediction"].map(CLASSES)
    frame = frame.rename(columns={f"posterior_{k}": f"posterior_{v}" for k, v in CLASSES.items()})
    labels = some_labels(np.array([CLASSES[name] for name in truth]), 40)
    return [str(path) for path in write(folder, frame, labels)], ids


def test_hostile_names_of_an_own_pool_are_text_and_come_back(tmp_path, capsys):
    given, ids = hostile_pool(tmp_path)
    out = tmp_path / "somebody's output; touch pwned"
    few = ["--estimators", "unweighted", "calibrated", "--resamples", "20", "--budget", "30"]
    assert main(["estimate", *given, *few, "--output", str(out)]) == 0
    assert '<img src=x onerror="alert(1)">\U0001f408' in capsys.readouterr().out
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "<img src=x" not in page
    assert "&lt;img src=x onerror=&#34;alert(1)&#34;&gt;\U0001f408" in page
    with open(out / "next_labels.csv", encoding="utf-8", newline="") as file:
        listed = [row["item_id"] for row in csv.DictReader(file)]
    assert len(listed) == 30
    assert not any(name.startswith(("=", "@", "-")) for name in listed)
    assert {name.removeprefix("'") for name in listed} <= set(ids)


def test_an_output_folder_that_is_read_only_ends_in_one_sentence(tmp_path, capsys):
    given, _ = hostile_pool(tmp_path)
    out = tmp_path / "read-only"
    out.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(out)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted here: a read-only folder was not tried")
    try:
        few = ["--estimators", "unweighted", "--resamples", "20"]
        assert main(["estimate", *given, *few, "--output", str(out)]) == 2
        said = capsys.readouterr().err
        assert said.startswith("earnest: ")
        assert "Read-only file system" in said
        assert f"make {out} writable for this user and run again" in said
    finally:
        subprocess.run(["umount", str(out)], check=True)


@pytest.mark.workflow
@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            'study: !!python/object/apply:os.system ["touch pwned"]\n',
            "Config file is not valid JSON or YAML",
        ),
        ("study: !!python/name:os.system\n", "study: <built-in function system> is not of type"),
        ("study: ../../escaped\n", "study: '../../escaped' does not match"),
    ],
)
def test_a_study_file_runs_nothing_and_writes_nothing(empty_project, text, words):
    (empty_project.folder / "config/hostile.yaml").write_text(text)
    stopped = empty_project.snakemake(config="config/hostile.yaml", check=False)
    assert stopped.returncode != 0
    assert words in stopped.stdout
    assert not (empty_project.folder / "results").exists()
    around = empty_project.folder.parent.parent
    assert [path for path in around.rglob("*") if path.name in ("pwned", "escaped")] == []
