"""Embedding backends behind one protocol: waveforms in, one vector per waveform out."""

import difflib
import importlib
import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from earnest.embeddings.protocol import Backend

__all__ = [
    "BACKENDS",
    "TRAINED",
    "Backend",
    "find_problems",
    "get_backend",
    "leftovers",
    "module_of",
    "sources",
]

# A new backend is one module and one line here; docs/embeddings.md says how.
BACKENDS = {
    "logmel": "earnest.embeddings.backends.logmel:LogMel",
    "cnn": "earnest.embeddings.backends.trained:Cnn",
    "conv64f": "earnest.embeddings.backends.trained:Conv64F",
    "resnet12": "earnest.embeddings.backends.trained:ResNet12",
    "birdnet": "earnest.embeddings.backends.birdnet:BirdNet",
    "file": "earnest.embeddings.backends.user_array:UserArray",
    "wav2vec2_base": "earnest.embeddings.backends.speech:Wav2Vec2Base",
    "hubert_base": "earnest.embeddings.backends.speech:HubertBase",
    "wavlm_base": "earnest.embeddings.backends.speech:WavLMBase",
    "panns": "earnest.embeddings.backends.panns:Panns",
    "clap": "earnest.embeddings.backends.clap:Clap",
    "beats": "earnest.embeddings.backends.beats:Beats",
    "ast": "earnest.embeddings.backends.spectrogram_transformer:SpectrogramTransformer",
}
# Those that a study trains on its own training split.
TRAINED = ("cnn", "conv64f", "resnet12")


def get_backend(name: str, **options: Any) -> Backend:
    """Make the backend of a name.

    Parameters
    ----------
    name : str
        A key of `BACKENDS`.
    **options
        The backend's own options.

    Raises
    ------
    ValueError
        If no such backend is known; the message names those that are.
    TypeError
        If the backend has no such option, or needs one that is not given.
    """
    return _factory(name)(**options)


def find_problems(name: str, options: Mapping[str, Any]) -> Iterator[str]:
    """Yield why a backend cannot run here with these options, before anything is computed.

    Parameters
    ----------
    name : str
        A key of `BACKENDS`.
    options : mapping
        The backend's own options.

    Yields
    ------
    str
        One sentence for each unknown or missing option, package that is not installed, and file
        of weights that is not there; no heavy package is imported to find out.
    """
    factory = _factory(name)
    problems = list(_option_problems(name, inspect.signature(factory), options))
    yield from problems
    if not problems and hasattr(factory, "find_problems"):
        yield from factory.find_problems(**options)


def sources(name: str, options: Mapping[str, Any]) -> list[str]:
    """Return the files that a backend reads and that its options name: weights, vectors."""
    factory = _factory(name)
    return [str(path) for path in getattr(factory, "sources", lambda **_: [])(**options)]


def leftovers(
    backend: str, options: Mapping[str, Any], *, items: Sequence[str], variant: str | None = None
) -> str:
    """Say which of the user's own vectors belong to no item of a study; nothing for others.

    Parameters
    ----------
    backend : str
        A key of `BACKENDS`.
    options : mapping
        The backend's own options.
    items : sequence of str
        Names of the study's items.
    variant : str, optional
        Which variant of the mixtures they are.
    """
    if backend != "file":
        return ""
    names = get_backend(backend, **options).unused(items, variant=variant)
    if not names:
        return "every vector belongs to an item"
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"vectors that belong to no item: {len(names)} ({', '.join(names[:5])}{more})"


def module_of(name: str) -> str:
    """Return the module of a backend, below the package, as `provenance.code_version` takes it."""
    _known(name)
    return BACKENDS[name].split(":")[0].removeprefix("earnest.")


def _known(name: str) -> None:
    if name not in BACKENDS:
        raise ValueError(
            f"unknown embedding backend {name!r}; known are {', '.join(sorted(BACKENDS))}"
        )


def _factory(name: str) -> Any:
    _known(name)
    module, factory = BACKENDS[name].split(":")
    return getattr(importlib.import_module(module), factory)


def _option_problems(
    name: str, signature: inspect.Signature, options: Mapping[str, Any]
) -> Iterator[str]:
    own = {key: one for key, one in signature.parameters.items() if one.kind is one.KEYWORD_ONLY}
    open_ended = any(one.kind is one.VAR_KEYWORD for one in signature.parameters.values())
    for key in options:
        if key not in own and not open_ended:
            near = difflib.get_close_matches(key, own, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(own) or 'none'}"
            yield f"backend {name} has no option {key!r}; {hint}"
    for key, one in own.items():
        if one.default is one.empty and key not in options:
            yield f"backend {name} needs the option {key!r}"
