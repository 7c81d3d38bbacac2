"""Study files and names that would lead elsewhere or run something: refused in a sentence."""

import pytest
import yaml

from earnest import documents

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
