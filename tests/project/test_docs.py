"""The documentation says what the code does: tables, files, options, constants, the example."""

import ast
import importlib
import inspect
import re

import numpy as np
import pytest
import yaml

from earnest import (
    audio,
    datasets,
    embeddings,
    estimates,
    measures,
    mixing,
    samplers,
    tasks,
    utility,
    weights,
)
from earnest.embeddings.networks.options import training_options
from earnest.io import schemas
from earnest.protocols.subsets import summary
from earnest.studies.crossval import Crossval, SoundCrossval
from earnest.tasks import classifiers, pools

KINDS = {
    "string": "text",
    "int64": "integer",
    "float64": "number",
    "bool": "yes/no",
    "list<int64>": "list of integers",
    "list<float64>": "list of numbers",
    "list<string>": "list of text",
}
# Functions whose options the methods page tables; arguments that are data are no options.
WITH_OPTIONS = {
    "audio.load": audio.load,
    "mixing.mix": mixing.mix,
    "mixing.render": mixing.render,
    "tasks.build_task": tasks.build_task,
    "utility.expected_utility": utility.expected_utility,
    "tasks.classifiers.fit": classifiers.fit,
    "samplers.select": samplers.select,
    "estimates.estimate": estimates.estimate,
    "protocols.subsets.summary.summarise": summary.summarise,
}
DATA = {
    "recordings",
    "sounds",
    "network",
    "posteriors",
    "rng",
    "correct",
    "labels",
    "weights",
    "minority",
    "is_minority",
}


def section(text, heading):
    """Return what stands between a heading and the next one of its level or above."""
    level = heading.split(" ")[0]
    start = text.index(f"\n{heading}\n") + len(heading) + 2
    end = re.search(rf"^#{{1,{len(level)}}} ", text[start:], re.M)
    return text[start : start + end.start()] if end else text[start:]


def rows(text):
    """Return the body rows of the tables in a text, as lists of cells."""
    found = [line for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in found]


def unquoted(cell):
    return cell.strip().strip("`")


@pytest.fixture(scope="module")
def methods(root):
    return (root / "docs/methods.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def results(root):
    return (root / "docs/results.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("table", schemas.TABLES)
def test_every_column_of_a_table_is_documented_with_its_type(results, table):
    documented = {unquoted(name): kind for name, kind, _ in rows(section(results, f"### {table}"))}
    expected = {
        name: KINDS[column.kind] + "?" * column.nullable
        for name, column in schemas.TABLES[table].items()
    }
    assert documented == expected
    assert list(documented) == list(expected)


def test_no_table_is_documented_that_is_not_written(results):
    assert set(re.findall(r"^### (\w+)$", results, re.M)) == set(schemas.TABLES)


def filled(pattern, folder):
    """Return the pattern that an f-string of the rules stands for."""
    pattern = pattern.replace("{CROSSVAL.FOLDER}", folder)
    pattern = pattern.replace("{config['mixtures']['format']}", "{format}")
    return pattern.replace("{{", "{").replace("}}", "}")


def rule_outputs(root):
    """Return the path patterns of all outputs, wildcards in braces."""
    found = set()
    for path in (root / "rules").rglob("*.smk"):
        text = path.read_text(encoding="utf-8")
        for block in re.findall(r"^    output:\n((?:(?:        .*)?\n)+)", text, re.M):
            for prefix, pattern in re.findall(r"(f?)\"((?:results|data)/[^\"]+)\"", block):
                for kind in (Crossval, SoundCrossval):
                    found.add(filled(pattern, kind.FOLDER) if prefix else pattern)
    return found


def test_every_output_file_is_documented(root, results):
    documented = set(re.findall(r"^\| `((?:results|data)/[^`]+)`", results, re.M))
    outputs = rule_outputs(root)
    assert len(outputs) > 20
    assert documented == outputs


def test_every_flag_is_documented_and_explained_in_the_report(root, results):
    from earnest.reports import words

    flags = {unquoted(name) for name, _ in rows(section(results, "## Flags"))}
    assert flags == set(words.FLAGS)


def test_the_keys_of_the_json_files_are_documented(results):
    made = pools.build_pool(
        *small_items(), pools.TaskSettings(kind="classes", root_seed=0, name="small")
    )
    documented = [unquoted(row[0]) for row in rows(section(results, "## task.json"))]
    assert documented == list(made.description)
    frame = summary.summarise(small_estimates())
    found = summary.metrics(frame, size=1, measures={"t": "accuracy"})
    documented = [unquoted(row[0]) for row in rows(section(results, "## metrics.json"))]
    assert documented == list(found)


def small_estimates():
    import pandas as pd

    empty = dict.fromkeys(schemas.TABLES["estimates"])
    row = {"study": "s", "task": "t", "sampler": "random", "size": 1, "seed": 0}
    row |= {"estimator": "unweighted", "measure": "accuracy", "utility": "none", "value": 1.0}
    row |= {"truth": 1.0, "flags": [], "subset": "a"}
    return pd.DataFrame([empty | row])


def small_items():
    import pandas as pd

    count = 24
    frame = pd.DataFrame(
        {
            "item_id": [f"item{i}" for i in range(count)],
            "foreground": ["cat", "dog"] * (count // 2),
            "background": "rain",
            "is_primary": True,
            "split": ["train"] * (count // 2) + ["pool"] * (count // 2),
            "recording": [f"r{i}" for i in range(count)],
            "background_recording": "b",
            "shard": 0,
            "row": range(count),
        }
    )
    return frame, np.random.default_rng(0).normal(size=(count, 3))


def described(schema, place="study"):
    """Yield every property of a schema with the place where it stands."""
    for key, below in schema.get("properties", {}).items():
        yield f"{place}.{key}", below
        yield from described(below, f"{place}.{key}")
        yield from described(below.get("items", {}), f"{place}.{key}")


@pytest.mark.parametrize("kind", ["config", "tables", "predictions", "own"])
def test_every_key_of_a_study_is_described_with_its_unit(root, kind):
    text = (root / f"config/schemas/{kind}.schema.yaml").read_text(encoding="utf-8")
    keys = dict(described(yaml.safe_load(text)))
    assert len(keys) >= 7
    for place, below in keys.items():
        assert below.get("description"), place
        # a group of keys, a list of them and a plain count have no unit of their own
        if below.get("type") != "object" and "properties" not in below.get("items", {}):
            assert re.search(r"\([^)]*\)\.?$", below["description"]), place


def test_keys_of_a_study_that_the_pages_name_exist(root, methods, results):
    study = yaml.safe_load((root / "config/schemas/config.schema.yaml").read_text())
    keys = {place.removeprefix("study.") for place, _ in described(study)}
    groups = {key.split(".")[0] for key in keys if "." in key}
    readme = (root / "README.md").read_text(encoding="utf-8")
    pattern = rf"`((?:{'|'.join(groups)})\.[a-z_]+)`"
    named = {name for name in re.findall(pattern, methods + results + readme) if not is_code(name)}
    assert named - keys == set()
    assert {"clips.accepted_reasons", "report.headline_size"} <= named


def is_code(name):
    """Tell a function of the library, or a file, from a key of a study."""
    module, last = name.rsplit(".", 1)
    if last in ("parquet", "csv", "json", "npy", "html"):
        return True
    return hasattr(earnest_module(module), last)


def earnest_module(name):
    try:
        return importlib.import_module(f"earnest.{name}")
    except ModuleNotFoundError:
        return None


def options(function):
    """Return the defaults of a function's arguments that are no data."""
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}


def backends():
    """Yield the classes of the embedding backends by their names below the package."""
    for record in embeddings.BACKENDS.values():
        yield record.function.removeprefix("earnest.").replace(":", "."), record.load()


def test_every_option_is_documented_with_its_default(methods):
    functions = dict(WITH_OPTIONS)
    functions |= {f"samplers.{name}": one.function for name, one in samplers.SAMPLERS.items()}
    functions |= {f"weights.{name}": one.function for name, one in weights.WEIGHTS.items()}
    functions |= {
        f"tasks.classifiers._{name}": one for name, one in classifiers.CLASSIFIERS.items()
    }
    functions |= dict(backends())
    own = {method.values for method in estimates.ESTIMATORS.values()}
    functions |= {f"{one.__module__.removeprefix('earnest.')}.{one.__name__}": one for one in own}
    expected = {
        (name, option): default
        for name, function in functions.items()
        for option, default in options(function).items()
        if option not in DATA
    }
    documented = {
        (unquoted(name), unquoted(option)): ast.literal_eval(unquoted(default))
        for name, option, default, _ in rows(section(methods, "## 17. Options"))
    }
    assert documented == expected


def test_defaults_of_trainings_are_documented(methods):
    text = section(methods, "### Networks that a study trains")
    heading = re.search(r"^\| network \| (`epochs`.*) \|$", text, re.M)[1]
    names = [unquoted(name) for name in heading.split(" | ")]
    for network in embeddings.TRAINED:
        values = re.search(rf"^\| {network} \| (\d.*) \|$", text, re.M)[1].split(" | ")
        documented = dict(zip(names, map(ast.literal_eval, values), strict=True))
        assert documented == training_options(network).settings


def test_every_documented_constant_has_its_value(methods):
    table = rows(section(methods, "## 18. Constants"))
    assert len(table) > 15
    for name, value, _ in table:
        module, _, constant = unquoted(name).rpartition(".")
        found = getattr(importlib.import_module(f"earnest.{module}"), constant)
        assert found == ast.literal_eval(unquoted(value)), name


@pytest.mark.parametrize(
    ("heading", "names"),
    [
        ("## 2. Clips", audio.REASONS),
        ("## 5. Data sets", datasets.SOURCES),
        ("## 6. Embeddings", embeddings.BACKENDS),
        ("## 7. Classifiers", classifiers.CLASSIFIERS),
        ("## 8. Tasks", pools.KINDS),
        ("## 9. Samplers", samplers.SAMPLERS),
        ("## 11. Utility weights", utility.UTILITIES),
        ("## 12. Measures", measures.MEASURES),
        ("## 13. Estimators", estimates.ESTIMATORS),
    ],
)
def test_every_method_has_its_row(methods, heading, names):
    text = section(methods, heading).split("\n### ")[0]
    cells = [re.findall(r"`(\w+)`", row[0]) for row in rows(text)]
    assert [name for cell in cells for name in cell] == list(names)


def test_prefix_samplers_are_marked(methods):
    table = rows(section(methods, "## 9. Samplers"))
    marked = {unquoted(row[0]) for row in table if row[2] == "yes"}
    assert marked == samplers.PREFIX_SAMPLERS


def test_the_readme_example_runs(root, tmp_path, monkeypatch, capsys):
    text = (root / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.S)
    rng = np.random.default_rng(0)
    posteriors = rng.dirichlet((1, 1, 1), size=60)
    np.save(tmp_path / "embeddings.npy", rng.normal(size=(60, 4)))
    np.save(tmp_path / "posteriors.npy", posteriors)
    np.save(tmp_path / "labelled.npy", np.arange(0, 60, 3))
    np.save(tmp_path / "correct.npy", rng.random(20) < posteriors[::3].max(axis=1))
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["unweighted", "logistic", "difference"]
    assert all(re.search(r"value=0\.\d+, low=0\.\d+, high=0\.\d+", line) for line in lines)


def pages(root):
    return [root / "README.md", *sorted((root / "docs").glob("*.md"))]


def test_links_between_the_pages_lead_somewhere(root):
    for page in pages(root):
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if target.startswith("http"):
                continue
            name, _, anchor = target.partition("#")
            file = (page.parent / name) if name else page
            assert file.exists(), f"{page.name}: {target}"
            if anchor:
                assert anchor in anchors(file.read_text(encoding="utf-8")), f"{page.name}: {target}"


def anchors(text):
    """Return the anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    kept = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings]
    return {heading.replace(" ", "-") for heading in kept}


def test_files_that_the_readme_names_exist(root):
    text = (root / "README.md").read_text(encoding="utf-8")
    named = set(
        re.findall(r"(?:config|docs|rules|earnest)/[\w/.\-]+\.(?:ya?ml|md|tsv|py|png)", text)
    )
    assert len(named) > 5
    assert {name for name in named if not (root / name).exists()} == set()


def test_the_page_on_data_sets_is_that_of_the_registry(root):
    from earnest.datasets import registry

    text = (root / "docs/datasets.md").read_text(encoding="utf-8")
    sources = registry.read_registry(root / "config/datasets.tsv")
    expected = [
        [f"`{source.dataset}`", source.licence, source.citation]
        for rows_of_set in sources.values()
        for source in rows_of_set
    ]
    assert rows(section(text, "## Sources")) == list(map(list, dict.fromkeys(map(tuple, expected))))
    layouts = [unquoted(row[0]) for row in rows(section(text, "## Where they are looked for"))]
    assert layouts == [name for name in (*datasets.SOURCES, "keel", "pmlb") if name != "demo"]


def test_the_picture_of_the_report_is_small(root):
    assert 20_000 < (root / "docs/report.png").stat().st_size < 300_000
