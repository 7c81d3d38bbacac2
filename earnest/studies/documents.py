"""Checking of nested documents, such as study files, against a JSON schema."""

import copy
import re
from collections.abc import Iterator
from typing import Any

from earnest import records


class DocumentError(ValueError):
    """A document does not fit its schema; the message lists every problem with its place."""


def completed(document: Any, schema: dict) -> Any:
    """Check a document and return a copy in which absent keys have the schema's defaults.

    Parameters
    ----------
    document : mapping
        For example a study as read from YAML.
    schema : mapping
        A JSON schema (draft 2020-12) whose objects set `additionalProperties: false`. Its own
        keyword `x-method: samplers` wants a name in a registry of `earnest.records`, and
        `x-traits: {is_trained: false}` beside it those of the library that have these.

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
    problems = [
        message
        for error in sorted(
            _validator(schema).iter_errors(document),
            key=lambda error: [str(step) for step in error.absolute_path],
        )
        for message in _messages(error)
    ]
    if problems:
        raise DocumentError("\n".join(problems))
    return _filled(document, schema)


def _validator(schema: dict) -> Any:
    """Return what checks documents; a pattern is that of the whole text.

    With JSON Schema's search alone `^[a-z]+$` lets a line end through after the name.
    """
    import jsonschema

    def matches_whole(validator: Any, pattern: str, instance: Any, schema: dict) -> Any:
        if validator.is_type(instance, "string") and not re.fullmatch(pattern, instance):
            wanted = f"; wanted: {schema['description']}" if "description" in schema else ""
            yield jsonschema.ValidationError(f"{instance!r} does not match {pattern!r}{wanted}")

    whole = jsonschema.validators.extend(
        jsonschema.Draft202012Validator, {"pattern": matches_whole, "x-method": _names_method}
    )
    return whole(schema)


def _names_method(validator: Any, kind: str, instance: Any, schema: dict) -> Iterator[Any]:
    """Check the name of a method; those of plug-ins are loaded when they are named."""
    import jsonschema

    if not validator.is_type(instance, "string"):
        return
    methods = records.registry(kind)
    valid = methods.names(**schema.get("x-traits", {}))
    if instance not in valid:
        yield jsonschema.ValidationError("", validator="enum", validator_value=valid)
        return
    for problem in methods.find_problems(instance):
        yield jsonschema.ValidationError(problem)


def _filled(value: Any, schema: dict) -> Any:
    """Copy a value with defaults filled in and keys in the order of the schema.

    The order matters where a value is a parameter of a job: a study file whose keys stand in
    another order must not make the job run again.
    """
    if isinstance(value, list):
        return [_filled(item, schema.get("items", {})) for item in value]
    if not isinstance(value, dict):
        return value
    known = schema.get("properties", {})
    result = {}
    for key, below in known.items():
        if key in value or "default" in below:
            result[key] = _filled(value.get(key, copy.deepcopy(below.get("default"))), below)
    others = schema.get("additionalProperties")
    others = others if isinstance(others, dict) else {}
    return result | {key: _filled(value[key], others) for key in _free_keys(value, schema)}


def _free_keys(value: dict, schema: dict) -> list[str]:
    """Return the keys that the schema does not name, by name unless their order counts."""
    free = [key for key in value if key not in schema.get("properties", {})]
    return free if schema.get("additionalProperties") else sorted(free)


def _messages(error: Any) -> list[str]:
    place = ".".join(str(step) for step in error.absolute_path) or "the top level"
    if error.validator == "additionalProperties":
        valid = list(error.schema.get("properties", {}))
        unknown = [key for key in error.instance if key not in valid]
        return [f"unknown key {key!r} at {place}{records.nearest(key, valid)}" for key in unknown]
    if error.validator == "enum":
        valid = error.validator_value
        hint = records.nearest(error.instance, valid)
        return [f"{place}: {error.instance!r} is not one of {valid}{hint}"]
    if error.validator == "required":
        missing = [key for key in error.validator_value if key not in error.instance]
        return [f"missing key {key!r} at {place}" for key in missing]
    return [f"{place}: {_shortened(error.message)}"]


def _shortened(message: str) -> str:
    return message if len(message) < 600 else f"{message[:300]} [...] {message[-200:]}"
