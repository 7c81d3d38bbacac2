"""What the labelled items leave unseen of the pool."""

from typing import Any

import numpy as np

from earnest.estimates.support import outside_confidence, outside_distance
from earnest.protocols.ownpool.inputs import Inputs

NO_DISTANCE = "needs embeddings"


def unseen_rows(inputs: Inputs) -> list[dict[str, Any]]:
    """Return the rows of table `own_unseen`.

    Shares of the pool beyond the confidences and distances of the labelled items are always
    there; classes and subconcepts only where no labelled item is of them.
    """
    pool, labelled = inputs.pool, inputs.labelled
    size = len(pool)
    far = outside_distance(pool, labelled)
    rows = [
        _row("confidence", None, outside_confidence(pool, labelled), size),
        _row("distance", None, far, size, None if far is not None else NO_DISTANCE),
    ]
    for kind, values, seen in (
        ("prediction", pool.predictions, pool.predictions[labelled]),
        ("label", pool.predictions, inputs.labels),
        ("subconcept", inputs.subconcepts, None),
    ):
        if values is None:
            continue
        seen = values[labelled] if seen is None else seen
        names, counts = np.unique(values, return_counts=True)
        missing = ~np.isin(names, seen)
        rows += [
            _row(kind, str(name), count / size, size)
            for name, count in zip(names[missing], counts[missing], strict=True)
        ]
    return rows


def _row(
    kind: str, name: str | None, share: float | None, size: int, reason: str | None = None
) -> dict[str, Any]:
    return {
        "kind": kind,
        "name": name,
        "items": None if share is None else round(share * size),
        "share": None if share is None else float(share),
        "reason": reason,
    }
