"""Checking of nested documents, such as study files, against a JSON schema."""

import copy
import difflib
from typing import Any


class DocumentError(ValueError):
    """A document does not fit its schema; the message lists every problem with its place."""


def completed(document: Any, schema: dict) -> Any:
    """Check a document and return a copy in which absent keys have the schema's defaults.

    Parameters
    ----------
    document : mapping
        For example a study as read from YAML.
    schema : mapping
        A JSON schema (draft 2020-12) whose objects set `additionalProperties: false`.

    Returns
    -------
    mapping
        A deep copy; the document given is not changed.

    Raises
    ------
    DocumentError
        If the document does not fit. Every problem is named with its key, where it
        stands and, for an unknown key or value, the nearest valid one.
    """
    import jsonschema

    problems = [
        message
        for error in sorted(
            jsonschema.Draft202012Validator(schema).iter_errors(document),
            key=lambda error: [str(step) for step in error.absolute_path],
        )
        for message in _messages(error)
    ]
    if problems:
        raise DocumentError("\n".join(problems))
    result = copy.deepcopy(document)
    _fill(result, schema)
    return result


def _fill(value: Any, schema: dict) -> None:
    if isinstance(value, dict):
        for key, below in schema.get("properties", {}).items():
            if "default" in below:
                value.setdefault(key, copy.deepcopy(below["default"]))
            if key in value:
                _fill(value[key], below)
    elif isinstance(value, list):
        for item in value:
            _fill(item, schema.get("items", {}))


def _messages(error: Any) -> list[str]:
    place = ".".join(str(step) for step in error.absolute_path) or "the top level"
    if error.validator == "additionalProperties":
        valid = list(error.schema.get("properties", {}))
        unknown = [key for key in error.instance if key not in valid]
        return [f"unknown key {key!r} at {place}{_nearest(key, valid)}" for key in unknown]
    if error.validator == "enum":
        valid = error.validator_value
        return [
            f"{place}: {error.instance!r} is not one of {valid}{_nearest(error.instance, valid)}"
        ]
    if error.validator == "required":
        missing = [key for key in error.validator_value if key not in error.instance]
        return [f"missing key {key!r} at {place}" for key in missing]
    return [f"{place}: {error.message}"]


def _nearest(word: Any, valid: list) -> str:
    found = difflib.get_close_matches(str(word), [str(v) for v in valid], n=1, cutoff=0.5)
    return f"; did you mean {found[0]!r}?" if found else f"; valid: {', '.join(map(str, valid))}"
