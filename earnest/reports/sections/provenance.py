"""The section on where a page comes from: settings as keys and values."""

from collections.abc import Mapping
from typing import Any


def settings(provenance: Mapping[str, Any]) -> dict[str, list[tuple[str, str]]]:
    """Rows of settings by heading, one heading for each entry of a report's provenance."""
    return {str(heading): settings_rows(tree) for heading, tree in provenance.items()}


def settings_rows(tree: Any, prefix: str = "") -> list[tuple[str, str]]:
    """Flatten nested settings to `key.subkey` and text, lists of plain values on one line."""
    if isinstance(tree, Mapping):
        rows = [settings_rows(v, f"{prefix}.{k}" if prefix else str(k)) for k, v in tree.items()]
        return [row for part in rows for row in part] or [(prefix, "none")]
    if isinstance(tree, (list, tuple)):
        if any(isinstance(item, (Mapping, list, tuple)) for item in tree):
            rows = [settings_rows(item, f"{prefix}[{place}]") for place, item in enumerate(tree)]
            return [row for part in rows for row in part]
        return [(prefix, ", ".join(_setting(item) for item in tree) or "none")]
    return [(prefix, _setting(tree))]


def _setting(value: Any) -> str:
    if value is None:
        return "none"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
