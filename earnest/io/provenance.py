"""What made a result: a hash of the code that computed it, library versions, stamps."""

import ast
import hashlib
import importlib.metadata
import json
import platform
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from earnest.records import ROOMS

PACKAGE = Path(__file__).parent.parent
SCRIPTS = PACKAGE.parent / "workflow_scripts"
# Every entry script imports it, and no result depends on it.
LOGGING = "studies.joblog"


@cache
def code_version(*modules: str, scripts: tuple[str, ...] = ()) -> str:
    """Hash the source of some `earnest` modules and of every `earnest` module they import.

    The hash is taken over syntax trees without docstrings, so comments, formatting and
    documentation do not count; imports are followed wherever they stand, also inside functions.
    The words of a record (`earnest.records`) count only where a module asks for them: a call
    such as `records.registry("samplers")` adds the records of that kind, without the code
    behind them. Files of other kinds that a package holds, such as page templates, count byte
    by byte.

    Parameters
    ----------
    *modules : str
        Names below the package, for example `"weights"` or `"embeddings.logmel"`. A
        package stands for all the modules below it.
    scripts : tuple of str
        Entry scripts of the workflow, without their suffix: their own source counts too, and
        that of all they import, but for the module that writes logs.

    Returns
    -------
    str
        16 hexadecimal digits.

    Raises
    ------
    ValueError
        If a module or a script does not exist.
    """
    trees = {name: _script_tree(name) for name in scripts}
    imported = {name for tree in trees.values() for name in _imports_of(tree)} - {LOGGING}
    reached = [_reachable(module) for module in modules]
    names = sorted(set().union(*reached, _closure(imported)))
    digest = hashlib.sha256()
    for name, tree in trees.items():
        digest.update(f"{name}\0{_text_of(tree)}\0".encode())
    for name in names:
        digest.update(f"{name}\0{_tree_text(name)}\0".encode())
        for file in _package_data(name):
            digest.update(f"{file.relative_to(PACKAGE)}\0".encode() + file.read_bytes())
    for room in sorted({room for name in names for room in _rooms_read(name)}):
        for name in sorted(_reachable(room)):
            digest.update(_records_text(name).encode())
    return digest.hexdigest()[:16]


def stamp(code: str, **settings: Any) -> str:
    """Join a code version and the settings that shaped a shard into one short string.

    Parameters
    ----------
    code : str
        A `code_version`.
    **settings
        Plain values; their order does not matter.

    Returns
    -------
    str
        16 hexadecimal digits.
    """
    text = json.dumps([code, settings], sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def library_versions(*names: str) -> dict[str, str]:
    """Return the installed versions of Python and of the named distributions."""
    return {"python": platform.python_version()} | {
        name: importlib.metadata.version(name) for name in names
    }


@cache
def _reachable(module: str) -> frozenset[str]:
    """Names of a module, of what lies below it if it is a package, and of all they import."""
    return frozenset(_closure(_members(module)))


def _closure(modules: Iterable[str]) -> set[str]:
    """Names of some modules and of all they import."""
    seen: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting.extend(_imports(name))
    return seen


def _path(name: str) -> Path | None:
    base = PACKAGE.joinpath(*name.split(".")) if name else PACKAGE
    for candidate in (base.with_suffix(".py"), base / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


def _members(module: str) -> Iterator[str]:
    path = _path(module)
    if path is None:
        raise ValueError(f"there is no module earnest.{module}")
    yield module
    if path.name == "__init__.py":
        for file in sorted(path.parent.rglob("*.py")):
            relative = file.relative_to(PACKAGE).with_suffix("")
            yield ".".join(part for part in relative.parts if part != "__init__")


def _package_data(name: str) -> list[Path]:
    """Files that are not Python in a package and its plain sub-folders."""
    path = _path(name)
    if path is None or path.name != "__init__.py" or path.parent == PACKAGE:
        return []
    return sorted(
        file
        for file in path.parent.rglob("*")
        # Compiled code appears while a study runs, and is no edit.
        if file.is_file() and file.suffix != ".py" and "__pycache__" not in file.parts
    )


@cache
def _tree(name: str) -> ast.Module:
    path = _path(name)
    assert path is not None, name
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _script_tree(name: str) -> ast.Module:
    path = SCRIPTS / f"{name}.py"
    if not path.is_file():
        raise ValueError(f"there is no entry script {name}.py")
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _imports(name: str) -> tuple[str, ...]:
    return _imports_of(_tree(name))


def _imports_of(tree: ast.Module) -> tuple[str, ...]:
    """Names below the package that some code imports; both `import` forms, absolute only."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            targets = [f"{node.module}.{alias.name}" for alias in node.names] + [str(node.module)]
        else:
            continue
        for target in targets:
            below = target.removeprefix("earnest.")
            if below != target and _path(below) is not None:
                found.append(below)
    return tuple(found)


@cache
def _tree_text(name: str) -> str:
    return _text_of(_tree(name))


def _text_of(code: ast.Module) -> str:
    """The syntax tree of some code as text, without docstrings and the words of records."""
    tree = ast.parse(ast.unparse(code))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            node.keywords = [keyword for keyword in node.keywords if not _is_words(keyword)]
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            _drop_docstring(node)
    return ast.dump(tree)


def _is_words(keyword: ast.keyword) -> bool:
    """Tell the words of a record, written where it is made."""
    made = keyword.value
    if keyword.arg != "words" or not isinstance(made, ast.Call):
        return False
    return ast.unparse(made.func).rpartition(".")[2] in ("Words", "Choice", "Style")


@cache
def _rooms_read(name: str) -> tuple[str, ...]:
    """Rooms whose records a module asks for, by `records.registry("kind")`."""
    return tuple(
        ROOMS[str(node.args[0].value)]
        for node in ast.walk(_tree(name))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) == "records.registry"
        and isinstance(node.args[0], ast.Constant)
    )


@cache
def _records_text(name: str) -> str:
    """The names, words and traits of the records that a module makes, in their order."""
    tree = _tree(name)
    keys = {
        id(value): ast.unparse(key)
        for node in ast.walk(tree)
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if key is not None
    }
    return "".join(
        f"{keys.get(id(node))}\0{ast.dump(node)}\0"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and any(map(_is_words, node.keywords))
    )


def _drop_docstring(node: Any) -> None:
    first = node.body[0] if node.body else None
    value = first.value if isinstance(first, ast.Expr) else None
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        node.body = node.body[1:] or [ast.Pass()]
