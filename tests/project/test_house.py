"""The standards of the house: layers, formatting, pins, names, thin scripts."""

import ast
import re
import subprocess
import sys

import yaml

HEAVY = ["torch", "snakemake", "dvc", "sklearn", "scipy", "pandas", "librosa", "matplotlib"]
HEAVY += ["pyarrow", "kmedoids", "pyloudnorm", "soundfile", "jinja2"]

LONG_FUNCTION, LARGEST_SHARE = 20, 0.053


def run(root, *command):
    """Run a tool of the environment in the project's root."""
    result = subprocess.run(
        [sys.executable, "-m", *command], cwd=root, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_ruff_finds_nothing(root):
    run(root, "ruff", "check", ".")


def test_python_is_formatted(root):
    run(root, "ruff", "format", "--check", ".")


def test_rules_are_formatted(root):
    run(root, "snakefmt", "--check", "Snakefile", "rules")


def test_imports_only_run_downward(root):
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    result = subprocess.run(
        [sys.executable, "-c", code, "--no-cache"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


def library_modules(root):
    return sorted(
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        for path in (root / "earnest").rglob("*.py")
    )


def test_no_module_imports_torch_snakemake_or_anything_heavy(root):
    code = "\n".join(
        [
            "import importlib, sys",
            f"for name in {library_modules(root)!r}: importlib.import_module(name)",
            f"print([name for name in {HEAVY!r} if name in sys.modules])",
        ]
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_every_module_stands_in_a_layer(root):
    text = (root / "pyproject.toml").read_text()
    layered = set(re.findall(r"earnest\.(\w+)", text.split("[[tool.importlinter.contracts]]")[1]))
    modules = {name.split(".")[1] for name in library_modules(root) if "." in name}
    assert modules - layered == set()


def test_scripts_are_short(root):
    lengths = {
        path.name: len(path.read_text().splitlines())
        for path in (root / "workflow_scripts").glob("*.py")
    }
    assert {name: length for name, length in lengths.items() if length > 45} == {}


def library_functions(root):
    """Return how many lines each function of the library has without its docstring."""
    for path in (root / "earnest").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                first = node.body[1:] if ast.get_docstring(node) else node.body
                lines = sum(part.end_lineno - part.lineno + 1 for part in first)
                yield f"{path.relative_to(root)}:{node.lineno} {node.name}", lines


def test_functions_are_mostly_short(root):
    lengths = dict(library_functions(root))
    long = [name for name, count in lengths.items() if count > LONG_FUNCTION]
    assert len(lengths) > 1000
    assert len(long) <= LARGEST_SHARE * len(lengths), long


def test_no_error_is_passed_over(root):
    silent = [
        f"{path.relative_to(root)}, line {node.lineno}"
        for folder in ("earnest", "workflow_scripts")
        for path in (root / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ExceptHandler)
        and all(isinstance(part, ast.Pass) for part in node.body)
    ]
    assert silent == []


def test_scripts_hold_no_logic(root):
    forbidden = (ast.FunctionDef, ast.ClassDef, ast.If, ast.For, ast.While, ast.Try, ast.Lambda)
    for path in (root / "workflow_scripts").glob("*.py"):
        found = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, forbidden)]
        assert not found, f"{path.name}, line {found[0].lineno}"


def test_rules_hold_no_python_that_cannot_be_imported(root):
    for path in [root / "Snakefile", *(root / "rules").rglob("*.smk")]:
        text = path.read_text()
        assert not re.search(r"^\s*(def|class|run:)\b|lambda", text, re.M), path
        if path.stem != "common":
            assert not re.search(r"^\s*(import|from earnest)\b", text, re.M), path


def test_the_snakefile_is_a_page_of_contents(root):
    assert len((root / "Snakefile").read_text().splitlines()) <= 60
    assert len((root / "rules/common.smk").read_text().splitlines()) <= 60


def test_every_rule_has_a_script_named_like_it(root):
    # named targets, which run nothing, stand in the files called workflow
    files = [path for path in (root / "rules").rglob("*.smk") if path.stem != "workflow"]
    rules = "".join(path.read_text() for path in files)
    scripts = set(re.findall(r"workflow_scripts/(\w+)\.py", rules))
    assert scripts == set(re.findall(r"^rule (\w+):", rules, re.M))
    assert scripts == {path.stem for path in (root / "workflow_scripts").glob("*.py")}


def pins(text):
    found = re.findall(r"^[ \-]*([A-Za-z0-9._-]+)==([^\s#]+)", text, re.M)
    return {name.lower().replace("_", "-"): version for name, version in found}


def test_every_requirement_is_pinned(root):
    for path in root.glob("requirements*.txt"):
        lines = [line for line in path.read_text().splitlines() if line and line[0] not in "#-"]
        assert len(pins("\n".join(lines))) == len(lines), path.name


def test_the_library_declares_ranges_that_hold_the_pins(root):
    import tomllib

    from packaging.requirements import Requirement

    core = pins((root / "requirements.txt").read_text())
    for text in tomllib.loads((root / "pyproject.toml").read_text())["project"]["dependencies"]:
        requirement = Requirement(text)
        assert requirement.specifier.contains(core[requirement.name.lower()]), text


def test_names_of_methods_in_the_schema_are_those_of_the_library(root):
    from earnest import audio, datasets, estimates
    from earnest.tasks import classifiers, pools
    from earnest.utility import UTILITIES

    study = yaml.safe_load((root / "config/schemas/config.schema.yaml").read_text())["properties"]

    def names(*steps):
        node = study
        for step in steps:
            node = node[step]
        return set(node["enum"])

    assert names("estimates", "properties", "interval") == {"own", *estimates.INTERVALS}
    assert names("estimates", "properties", "utilities", "items") == set(UTILITIES)
    assert names("classifier", "properties", "name") == set(classifiers.CLASSIFIERS)
    assert names("datasets", "items") == set(datasets.SOURCES)
    assert names("tasks", "items", "properties", "kind") == set(pools.KINDS)
    assert names("clips", "properties", "accepted_reasons", "items") == set(audio.REASONS)


def test_names_of_methods_in_the_schema_of_tables_are_those_of_the_library(root):
    from earnest.datasets import tabular
    from earnest.tasks import imbalance

    study = yaml.safe_load((root / "config/schemas/tables.schema.yaml").read_text())["properties"]
    assert set(study["corrections"]["items"]["enum"]) == set(imbalance.CORRECTIONS)
    assert set(study["collection"]["enum"]) == set(tabular.COLLECTIONS)
