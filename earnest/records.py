"""One record a method: its function, words, traits and options; other packages may add theirs.

A registry holds the library's own records of one kind. A package that is installed beside the
library adds one by an entry point, which is looked up by its name and loaded when somebody asks
for it. Installed packages change nothing for those who do not name what they offer: iterating
over a registry gives the library's own methods only.
"""

import difflib
import hashlib
import importlib
import importlib.util
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# Where the records of a kind are registered: a package or module below `earnest`.
ROOMS = {
    "samplers": "samplers",
    "weights": "weights",
    "estimators": "estimates",
    "embeddings": "embeddings",
    "measures": "measures",
}
MARKERS = ("circle", "square", "diamond", "triangle", "down")
_DATA = frozenset({"posteriors", "rng"})  # arguments with a default that are no options


class PluginError(ValueError):
    """A package offers a method that cannot be used; the message names the package."""


@dataclass(frozen=True, kw_only=True)
class Words:
    """What people read of a method. Rewording makes reports again, and computes nothing again.

    Attributes
    ----------
    label : str
        Its name for people.
    meaning : str
        One sentence in plain language, without a capital and a full stop.
    """

    label: str
    meaning: str

    def __post_init__(self) -> None:
        for given in fields(self):
            if not isinstance(getattr(self, given.name), str):
                raise TypeError(f"its {given.name} is no text")


@dataclass(frozen=True, kw_only=True)
class Choice(Words):
    """Words of a sampler.

    Attributes
    ----------
    chosen : str
        How it chooses, to follow "items chosen".
    """

    chosen: str


@dataclass(frozen=True, kw_only=True)
class Style(Words):
    """How an estimator is named and drawn.

    Colours start from those of Okabe and Ito and of Tol, which stay apart for colour-blind
    readers, the light ones made darker to be seen on white (3 to 1 at least); dash and marker
    together are each estimator's own, so no colour is needed to tell curves apart.

    Attributes
    ----------
    colour : str
        As `#0072B2`.
    dash : str
        Lengths of strokes and gaps, as SVG takes them; empty for an unbroken line.
    marker : str
        One of `MARKERS`.
    """

    colour: str
    dash: str
    marker: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if not re.fullmatch(r"#[0-9A-Fa-f]{6}", self.colour):
            raise ValueError(f"its colour must be like #0072B2, not {self.colour!r}")
        if self.marker not in MARKERS:
            raise ValueError(f"its marker must be one of {', '.join(MARKERS)}, not {self.marker!r}")


@dataclass(frozen=True)
class Record:
    """One method; calling the record calls its function.

    Attributes
    ----------
    function : callable
        What computes.
    words : Words
        Of the kind that `WORDS` says.
    """

    function: Any
    words: Words = field(kw_only=True)

    WORDS: ClassVar[type[Words]] = Words

    def __post_init__(self) -> None:
        if not isinstance(self.words, self.WORDS):
            raise TypeError(f"{type(self).__name__} needs words of the kind {self.WORDS.__name__}")
        if not (self.words.label and self.words.meaning):
            raise ValueError("its words need a label and a meaning")

    def load(self) -> Callable[..., Any]:
        """Return the function."""
        return self.function

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self.load()(*arguments, **options)

    @property
    def options(self) -> dict[str, Any]:
        """The options of the function and their defaults, as its signature has them."""
        parameters = inspect.signature(self.load()).parameters.values()
        given = {one.name: one.default for one in parameters if one.default is not one.empty}
        return {name: default for name, default in given.items() if name not in _DATA}


R = TypeVar("R", bound=Record)
_REGISTRIES: dict[str, "Registry[Any]"] = {}


class Registry(Mapping[str, R], Generic[R]):
    """The methods of one kind by their names.

    Parameters
    ----------
    kind : str
        A key of `ROOMS`.
    of : type
        The class of its records.
    own : mapping of str to Record
        The library's own, in the order in which they are listed.
    group : str, optional
        The group of entry points by which other packages add to them.
    """

    def __init__(
        self, kind: str, of: type[R], own: Mapping[str, R], *, group: str | None = None
    ) -> None:
        self.kind, self.of, self.group = kind, of, group
        self._own = dict(own)
        _REGISTRIES[kind] = self

    def __getitem__(self, name: str) -> R:
        if name in self._own:
            return self._own[name]
        return _load(self, name)

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self.offers

    def __iter__(self) -> Iterator[str]:
        return iter(self._own)

    def __len__(self) -> int:
        return len(self._own)

    @property
    def offers(self) -> "Mapping[str, tuple[EntryPoint, ...]]":
        """What installed packages offer, by name."""
        return _offers(self.group) if self.group else {}

    def names(self, **traits: bool) -> list[str]:
        """Return all names, the library's own with these traits first; nothing is loaded."""
        own = [
            name
            for name, record in self._own.items()
            if all(getattr(record, trait) == value for trait, value in traits.items())
        ]
        return own + sorted(self.offers.keys() - self._own.keys())

    def having(self, trait: str) -> "Having":
        """Return the names of those that have a trait."""
        return Having(self, trait)

    def find_problems(self, name: str) -> Iterator[str]:
        """Yield why a name cannot be used in a study: nothing where it is the library's own."""
        if name in self._own:
            for entry in self.offers.get(name, ()):
                yield (
                    f"{_package(entry)} offers {_a(self)} {name!r}, a name that the library has"
                    " itself: rename it there, or remove the package"
                )
        elif name in self.offers:
            try:
                _load(self, name)
            except PluginError as error:
                yield str(error)


class Having(Set[str]):
    """The names in a registry that have a trait; plug-ins are members, but not listed."""

    def __init__(self, registry: Registry[Any], trait: str) -> None:
        self._registry, self._trait = registry, trait

    def __contains__(self, name: object) -> bool:
        return name in self._registry and getattr(self._registry[str(name)], self._trait)

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._registry if getattr(self._registry[name], self._trait))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @classmethod
    def _from_iterable(cls, names: Iterable[Any]) -> Set[Any]:  # what & | - ^ give
        return frozenset(names)


def registry(kind: str) -> Registry[Any]:
    """Return the registry of a kind, a key of `ROOMS`; for those who only read words and traits.

    `earnest.io.provenance.code_version` sees a call of it and takes the records of that kind
    into account, without the code behind them.
    """
    importlib.import_module(f"earnest.{ROOMS[kind]}")
    return _REGISTRIES[kind]


def origins(kind: str, names: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return where those methods come from that the library does not have itself.

    What a plug-in computed must carry this in its stamp: `code_version` sees the library only.

    Parameters
    ----------
    kind : str
        A key of `ROOMS`.
    names : iterable of str

    Returns
    -------
    dict of str to dict
        By name: `distribution`, `version`, and `source`, 16 hexadecimal digits of the Python
        files of the package that holds the record. Empty where all are the library's own.

    Raises
    ------
    PluginError
        If two packages offer the name.
    """
    methods = registry(kind)
    return {
        name: _origin(_only(methods, name))
        for name in sorted(set(names))
        if name not in set(methods) and name in methods.offers
    }


def nearest(word: Any, valid: Iterable[Any]) -> str:
    """Return `; did you mean 'x'?`, or all valid words where none is near."""
    valid = [str(one) for one in valid]
    near = difflib.get_close_matches(str(word), valid, n=1, cutoff=0.5)
    return f"; did you mean {near[0]!r}?" if near else f"; valid: {', '.join(valid)}"


@cache
def _offers(group: str) -> "dict[str, tuple[EntryPoint, ...]]":
    from importlib.metadata import entry_points  # slow to import

    offers: dict[str, tuple[EntryPoint, ...]] = {}
    for entry in entry_points(group=group):
        offers[entry.name] = (*offers.get(entry.name, ()), entry)
    return offers


def _only(methods: Registry[Any], name: str) -> "EntryPoint":
    entries = methods.offers[name]
    if len(entries) > 1:
        packages = " and ".join(_package(entry) for entry in entries)
        raise PluginError(f"{packages} both offer {_a(methods)} {name!r}: remove one of them")
    return entries[0]


def _load(methods: Registry[Any], name: str) -> Any:
    entry = _only(methods, name)  # a KeyError for a name that nobody has
    offer = f"{_package(entry)} offers {_a(methods)} {name!r}"
    try:
        record = entry.load()
    except Exception as error:  # whatever the code of others may raise
        raise PluginError(f"{offer}, which cannot be loaded: {error}") from error
    if not isinstance(record, methods.of):
        wanted = f"{methods.of.__module__}.{methods.of.__name__}"
        raise PluginError(f"{offer}, but {entry.value} is a {type(record).__name__}, no {wanted}")
    return record


def _package(entry: "EntryPoint") -> str:
    return f"the package {entry.dist.name} {entry.dist.version}" if entry.dist else entry.value


def _a(methods: Registry[Any]) -> str:
    return {"samplers": "a sampler", "estimators": "an estimator"}.get(
        methods.kind, "an embedding backend"
    )


def _origin(entry: "EntryPoint") -> dict[str, str]:
    dist = entry.dist
    return {
        "distribution": dist.name if dist else "",
        "version": dist.version if dist else "",
        "source": _source_hash(entry.module.partition(".")[0]),
    }


def _source_hash(package: str) -> str:
    """Hash the Python files of a package, or of a module that stands alone; imports nothing."""
    spec = importlib.util.find_spec(package)
    digest = hashlib.sha256()
    if spec is None:
        return ""
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    files = [
        (file.relative_to(folder), file) for folder in folders for file in folder.rglob("*.py")
    ]
    if not folders and spec.origin:
        files = [(Path(package), Path(spec.origin))]
    for name, file in sorted(files):
        digest.update(f"{name.as_posix()}\0".encode() + file.read_bytes())
    return digest.hexdigest()[:16]
