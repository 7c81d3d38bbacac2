"""The validation part: whole recordings, so that an epoch is chosen by sounds never trained on."""

from typing import NamedTuple

import numpy as np


class Parts(NamedTuple):
    """Row numbers (int64, ascending) of both parts, and classes that only train."""

    training: np.ndarray
    validation: np.ndarray
    unvalidated: tuple[str, ...]


def split_off(
    labels: np.ndarray, recordings: np.ndarray, *, share: float, rng: np.random.Generator
) -> Parts:
    """Split items by recording so that about a share of every class is for validation.

    Classes with the fewest recordings are settled first. The recordings of a class come in
    random order, and each goes to validation if that brings the class nearer to its share; at
    least one stays on each side. A class with a single recording stays in the training part.

    Parameters
    ----------
    labels, recordings : (n,) str
    share : float
        In (0, 1).
    rng : numpy.random.Generator

    Returns
    -------
    Parts

    Raises
    ------
    ValueError
        If no class has two recordings, or only one class would be left to train on.
    """
    labels, recordings = np.asarray(labels, dtype=str), np.asarray(recordings, dtype=str)
    of_class = {
        label: dict(zip(*np.unique(recordings[labels == label], return_counts=True), strict=True))
        for label in np.unique(labels).tolist()
    }
    side: dict[str, bool] = {}
    for label in sorted(of_class, key=lambda label: (len(of_class[label]), label)):
        _settle(of_class[label], side, share, rng)
    is_validation = np.array([side[recording] for recording in recordings.tolist()], dtype=bool)
    if not is_validation.any():
        raise ValueError(
            f"too few recordings for a validation part: none of {len(of_class)} classes has two"
            f" ({len(labels)} items of {len(side)} recordings)"
        )
    untrained = sorted(of_class.keys() - set(labels[~is_validation].tolist()))
    if untrained:
        raise ValueError(
            f"too few recordings for a validation part: those of {untrained[0]!r} are shared with"
            " other classes, and none is left to train on"
        )
    unvalidated = sorted(of_class.keys() - set(labels[is_validation].tolist()))
    return Parts(np.flatnonzero(~is_validation), np.flatnonzero(is_validation), tuple(unvalidated))


def _settle(
    sizes: dict[str, int], side: dict[str, bool], share: float, rng: np.random.Generator
) -> None:
    """Choose the sides of one class's recordings that have none yet."""
    wanted = share * sum(sizes.values())
    chosen = {recording for recording in sizes if side.get(recording, False)}
    held = sum(sizes[recording] for recording in chosen)
    names = sorted(sizes.keys() - side.keys())
    for recording in (names[position] for position in rng.permutation(len(names))):
        nearer = abs(held + sizes[recording] - wanted) < abs(held - wanted)
        side[recording] = nearer and len(chosen) < len(sizes) - 1
        if side[recording]:
            chosen.add(recording)
            held += sizes[recording]
    if not chosen and len(sizes) > 1 and names:
        # all are larger than twice the share: the smallest misses it least
        side[min(names, key=lambda recording: (sizes[recording], recording))] = True
