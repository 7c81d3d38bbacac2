"""Embedding backends behind one protocol: waveforms in, one vector per waveform out."""

import difflib
import importlib
import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from earnest.embeddings.protocol import Backend
from earnest.records import Record, Registry, Words

__all__ = [
    "BACKENDS",
    "TRAINED",
    "Backend",
    "BackendRecord",
    "find_problems",
    "get_backend",
    "leftovers",
    "module_of",
    "sources",
]


@dataclass(frozen=True)
class BackendRecord(Record):
    """One way to embed sounds; calling it with its options makes the backend.

    Attributes
    ----------
    function : str
        `module:class` of an `earnest.embeddings.Backend`, imported when it is needed. Options
        are the keyword-only arguments of the class.
    words : Words
    is_trained : bool
        A study trains it on its own training split.
    is_matched : bool
        It computes nothing: vectors of the user's are matched to items by name.
    """

    is_trained: bool = False
    is_matched: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if ":" not in self.function:
            raise ValueError(f"its function must be module:class, not {self.function!r}")

    @property
    def module(self) -> str:
        """The module of the class."""
        return self.function.partition(":")[0]

    def load(self) -> Any:
        """Return the class."""
        return getattr(importlib.import_module(self.module), self.function.partition(":")[2])


BACKENDS = Registry(
    "embeddings",
    BackendRecord,
    {
        "logmel": BackendRecord(
            "earnest.embeddings.backends.logmel:LogMel",
            words=Words(
                label="Log-mel statistics",
                meaning="statistics over time of the energies of 40 mel bands; nothing is learnt",
            ),
        ),
        "cnn": BackendRecord(
            "earnest.embeddings.backends.trained:Cnn",
            is_trained=True,
            words=Words(
                label="Small CNN",
                meaning="two convolutions, trained by the study on its own training items",
            ),
        ),
        "conv64f": BackendRecord(
            "earnest.embeddings.backends.trained:Conv64F",
            is_trained=True,
            words=Words(
                label="Conv64F",
                meaning="four convolutions, trained by the study on its own training items",
            ),
        ),
        "resnet12": BackendRecord(
            "earnest.embeddings.backends.trained:ResNet12",
            is_trained=True,
            words=Words(
                label="ResNet-12",
                meaning="a residual network, trained by the study on its own training items",
            ),
        ),
        "birdnet": BackendRecord(
            "earnest.embeddings.backends.birdnet:BirdNet",
            words=Words(
                label="BirdNET",
                meaning="a network that tells species by their sounds",
            ),
        ),
        "file": BackendRecord(
            "earnest.embeddings.backends.user_array:UserArray",
            is_matched=True,
            words=Words(
                label="Own vectors",
                meaning="the user's own vectors, matched to items by name",
            ),
        ),
        "wav2vec2_base": BackendRecord(
            "earnest.embeddings.backends.speech:Wav2Vec2Base",
            words=Words(
                label="wav2vec 2.0",
                meaning="a transformer trained on speech without labels",
            ),
        ),
        "hubert_base": BackendRecord(
            "earnest.embeddings.backends.speech:HubertBase",
            words=Words(
                label="HuBERT",
                meaning="a transformer trained on speech to name clusters of sounds",
            ),
        ),
        "wavlm_base": BackendRecord(
            "earnest.embeddings.backends.speech:WavLMBase",
            words=Words(
                label="WavLM",
                meaning="a transformer trained on speech among other voices and noise",
            ),
        ),
        "panns": BackendRecord(
            "earnest.embeddings.backends.panns:Panns",
            words=Words(
                label="PANNs",
                meaning="a network trained to name the sounds of AudioSet",
            ),
        ),
        "clap": BackendRecord(
            "earnest.embeddings.backends.clap:Clap",
            words=Words(
                label="CLAP",
                meaning="a network trained on sounds and the texts that describe them",
            ),
        ),
        "beats": BackendRecord(
            "earnest.embeddings.backends.beats:Beats",
            words=Words(
                label="BEATs",
                meaning="a transformer trained on the sounds of AudioSet without labels",
            ),
        ),
        "ast": BackendRecord(
            "earnest.embeddings.backends.spectrogram_transformer:SpectrogramTransformer",
            words=Words(
                label="AST",
                meaning="a transformer on spectrograms, trained to name the sounds of AudioSet",
            ),
        ),
    },
    group="earnest.embeddings",
)
TRAINED = BACKENDS.having("is_trained")


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
    if not BACKENDS[backend].is_matched:
        return ""
    array: Any = get_backend(backend, **options)  # the only backend that may hold too much
    names = array.unused(items, variant=variant)
    if not names:
        return "every vector belongs to an item"
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"vectors that belong to no item: {len(names)} ({', '.join(names[:5])}{more})"


def module_of(name: str) -> str:
    """Return the module of a backend, below the package, as `provenance.code_version` takes it.

    That of a plug-in lies elsewhere, and stands for itself in `earnest.records.origins`: what
    it shares with the library's own is named instead.
    """
    _known(name)
    module = BACKENDS[name].module
    return module.removeprefix("earnest.") if name in set(BACKENDS) else "embeddings.protocol"


def _known(name: str) -> None:
    if name not in BACKENDS:
        raise ValueError(
            f"unknown embedding backend {name!r}; known are {', '.join(sorted(BACKENDS.names()))}"
        )


def _factory(name: str) -> Any:
    _known(name)
    return BACKENDS[name].load()


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
