"""One random generator per named draw, so that no result depends on how work is split."""

import hashlib

import numpy as np


def generator(root_seed: int, *names: str | int) -> np.random.Generator:
    """Return the generator that belongs to a root seed and a sequence of names.

    Two calls with equal arguments give generators in the same state; any change of
    the root seed, of a name or of where one name ends and the next begins gives an
    independent stream. Estimation draws are named `(task, sampler, seed)`.

    Parameters
    ----------
    root_seed : int
        The seed of the whole study, 0 or larger.
    *names : str or int
        What the draw is for, for example `"foregrounds", "farthest", 17`.
        The integer 1 and the string "1" are different names.

    Returns
    -------
    numpy.random.Generator
        A PCG64 generator seeded with the SHA-256 of the arguments.

    Raises
    ------
    ValueError
        If `root_seed` is negative.
    TypeError
        If a name is neither a string nor an integer.
    """
    if root_seed < 0:
        raise ValueError(f"root_seed must be 0 or larger, got {root_seed}")
    digest = hashlib.sha256(_encode(int(root_seed)))
    for name in names:
        digest.update(_encode(name))
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest.digest(), "big")))


def _encode(name: str | int) -> bytes:
    """Encode a name with its kind and length, so that ("ab", "c") differs from ("a", "bc")."""
    if isinstance(name, str):
        kind, text = b"s", name.encode("utf-8")
    elif not isinstance(name, bool) and isinstance(name, (int, np.integer)):
        kind, text = b"i", str(int(name)).encode("ascii")
    else:
        raise TypeError(f"a draw is named by strings and integers, not by {name!r}")
    return kind + len(text).to_bytes(8, "big") + text
