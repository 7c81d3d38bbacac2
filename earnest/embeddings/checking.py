"""The self-check of an embedding backend: does it keep what the protocol promises?"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from earnest.embeddings.protocol import Backend
from earnest.rng import generator

SOUNDS = 4
TOLERANCE = 1e-5  # of the largest magnitude, where the last bits may differ


class FailedChecks(Exception):
    """A backend does not keep what the protocol promises."""


@dataclass(frozen=True)
class Check:
    """One promise of the protocol.

    Attributes
    ----------
    name : str
    passed : bool
    detail : str
        What was measured, or what went wrong.
    """

    name: str
    passed: bool
    detail: str


class _Refused(Exception):
    """A promise is broken; the text says how."""


def check_backend(backend: Backend, *, seconds: float = 5.0) -> list[Check]:
    """Check a backend on made-up sounds: tones in noise, silence, very short and long ones.

    Parameters
    ----------
    backend : Backend
    seconds : float
        Length of the sounds.

    Returns
    -------
    list of Check
        All of `CHECKS`, in their order, or of `CHECKS_OF_VECTORS` where the backend only knows
        vectors of items; a failed one does not stop the others.
    """
    checks = CHECKS_OF_VECTORS if hasattr(backend, "vectors_of") else CHECKS
    return [_run(name, check, backend, seconds) for name, check in checks.items()]


def table(checks: list[Check]) -> str:
    """Return the checks as lines for people to read."""
    width = max(len(check.name) for check in checks)
    return "\n".join(
        f"{check.name:{width}}  {'passed' if check.passed else 'FAILED'}  {check.detail}"
        for check in checks
    )


def demand(checks: list[Check], name: str) -> None:
    """Raise `FailedChecks` with every failed check of the backend of this name, if any failed."""
    failed = [f"{check.name} ({check.detail})" for check in checks if not check.passed]
    if failed:
        raise FailedChecks(f"backend {name} fails {len(failed)} checks: {'; '.join(failed)}")


def _run(name: str, check: Callable[..., Any], backend: Backend, seconds: float) -> Check:
    try:
        return Check(name, True, check(backend, seconds))
    except _Refused as refusal:
        return Check(name, False, str(refusal))
    except Exception as error:  # a backend may fail in any way; the others are checked all the same
        return Check(name, False, f"{type(error).__name__}: {error}")


def _sounds(backend: Backend, seconds: float, count: int = SOUNDS) -> np.ndarray:
    """Return tones of different pitch and loudness in noise, (count, samples) float32."""
    samples = max(1, round(seconds * backend.sample_rate))
    rng = generator(0, "check", count)
    times = np.arange(samples) / backend.sample_rate
    pitches = rng.uniform(100, 0.4 * backend.sample_rate, (count, 1))
    sounds = rng.uniform(0.05, 0.5, (count, 1)) * np.sin(2 * np.pi * pitches * times)
    return (sounds + 0.05 * rng.standard_normal((count, samples))).astype(np.float32)


def _demand(condition: bool, otherwise: str) -> None:
    if not condition:
        raise _Refused(otherwise)


def _difference(first: np.ndarray, second: np.ndarray) -> float:
    """Largest difference, in units of the largest magnitude."""
    _demand(first.shape == second.shape, f"shapes {first.shape} and {second.shape}")
    largest = float(np.abs(first).max(initial=0))
    return float(np.abs(first - second).max(initial=0)) / (largest or 1.0)


def _attributes(backend: Backend, seconds: float) -> str:
    for attribute, kind in (("name", str), ("sample_rate", int), ("dimension", int)):
        value = getattr(backend, attribute)
        _demand(isinstance(value, kind) and bool(value), f"{attribute} is {value!r}")
    return f"{backend.name}, {backend.sample_rate} Hz, {backend.dimension} numbers"


def _description(backend: Backend, seconds: float) -> str:
    told = backend.describe()
    json.dumps(told, allow_nan=False)
    expected = {
        "backend": backend.name,
        "sample_rate": backend.sample_rate,
        "dimension": backend.dimension,
    }
    for key, value in expected.items():
        _demand(told.get(key) == value, f"{key} is {told.get(key)!r} instead of {value!r}")
    _demand(bool(told.get("versions")), "no library versions")
    _demand(backend.describe() == told, "told twice, it differs")
    return f"{len(told)} entries"


def _shape_and_type(backend: Backend, seconds: float) -> str:
    vectors = backend.embed(_sounds(backend, seconds))
    wanted = (SOUNDS, backend.dimension)
    _demand(vectors.shape == wanted, f"shape {vectors.shape} instead of {wanted}")
    _demand(vectors.dtype == np.float32, f"{vectors.dtype} instead of float32")
    _demand(bool(np.isfinite(vectors).all()), "a vector is not finite")
    return f"{vectors.shape} {vectors.dtype}"


def _determinism(backend: Backend, seconds: float) -> str:
    sounds = _sounds(backend, seconds)
    first, second = backend.embed(sounds.copy()), backend.embed(sounds.copy())
    _demand(np.array_equal(first, second), f"two runs differ by {_difference(first, second):.1e}")
    return "the same bits twice"


def _leaves_input_alone(backend: Backend, seconds: float) -> str:
    sounds = _sounds(backend, seconds)
    before = sounds.copy()
    backend.embed(sounds)
    _demand(np.array_equal(sounds, before), "the waveforms are changed")
    return "waveforms unchanged"


def _order(backend: Backend, seconds: float) -> str:
    sounds = _sounds(backend, seconds)
    forward, backward = backend.embed(sounds), backend.embed(sounds[::-1].copy())
    difference = _difference(forward, backward[::-1])
    _demand(difference <= TOLERANCE, f"reversed, vectors differ by {difference:.1e}")
    return f"differences up to {difference:.1e}"


def _batch_size(backend: Backend, seconds: float) -> str:
    sounds = _sounds(backend, seconds)
    together = backend.embed(sounds)
    alone = np.concatenate([backend.embed(sound[None]) for sound in sounds])
    difference = _difference(together, alone)
    _demand(difference <= TOLERANCE, f"one by one, vectors differ by {difference:.1e}")
    return f"differences up to {difference:.1e}"


def _differing_sounds(backend: Backend, seconds: float) -> str:
    vectors = backend.embed(_sounds(backend, seconds))
    distinct = len(np.unique(vectors, axis=0))
    _demand(distinct == SOUNDS, f"{SOUNDS} different sounds have {distinct} different vectors")
    return f"{distinct} sounds, {distinct} vectors"


def _finite_on(sounds: np.ndarray, backend: Backend) -> str:
    vectors = backend.embed(sounds)
    wanted = (len(sounds), backend.dimension)
    _demand(vectors.shape == wanted, f"shape {vectors.shape} instead of {wanted}")
    _demand(bool(np.isfinite(vectors).all()), "the vector is not finite")
    return f"{vectors.shape}, finite"


def _silence(backend: Backend, seconds: float) -> str:
    return _finite_on(np.zeros((1, round(seconds * backend.sample_rate)), np.float32), backend)


def _short(backend: Backend, seconds: float) -> str:
    return _finite_on(_sounds(backend, 0.01, 2), backend)


def _one_sample(backend: Backend, seconds: float) -> str:
    return _finite_on(np.full((1, 1), 0.5, np.float32), backend)


def _long(backend: Backend, seconds: float) -> str:
    return _finite_on(_sounds(backend, 2.5 * seconds, 1), backend)


def _none(backend: Backend, seconds: float) -> str:
    vectors = backend.embed(np.empty((0, round(seconds * backend.sample_rate)), np.float32))
    wanted = (0, backend.dimension)
    _demand(vectors.shape == wanted, f"shape {vectors.shape} instead of {wanted}")
    return f"{vectors.shape}"


def _non_finite(backend: Backend, seconds: float) -> str:
    sounds = _sounds(backend, seconds, 2)
    sounds[1, 5] = np.nan
    try:
        backend.embed(sounds)
    except ValueError as error:
        _demand("1" in str(error), f"the message does not name waveform 1: {error}")
        return str(error)
    raise _Refused("a waveform with a NaN is embedded without complaint")


def _all_vectors(backend: Any, seconds: float) -> str:
    return f"{backend.check_vectors()} vectors, finite"


def _two_attributes(backend: Any, seconds: float) -> str:
    _demand(backend.dimension > 0, f"dimension is {backend.dimension!r}")
    return f"{backend.name}, {backend.dimension} numbers"


CHECKS: dict[str, Callable[[Backend, float], str]] = {
    "attributes": _attributes,
    "description": _description,
    "shape and type": _shape_and_type,
    "determinism": _determinism,
    "input left alone": _leaves_input_alone,
    "order": _order,
    "batch size": _batch_size,
    "differing sounds": _differing_sounds,
    "silence": _silence,
    "10 ms": _short,
    "one sample": _one_sample,
    "long clip": _long,
    "no clips": _none,
    "non-finite sample": _non_finite,
}


CHECKS_OF_VECTORS: dict[str, Callable[[Any, float], str]] = {
    "attributes": _two_attributes,
    "description": _description,
    "vectors": _all_vectors,
}


def report(backend: Backend, checks: list[Check]) -> dict[str, Any]:
    """Return the checks and what the backend says of itself, as plain values for JSON."""
    return {
        "backend": backend.name,
        "passed": all(check.passed for check in checks),
        "checks": [vars(check) for check in checks],
    }
