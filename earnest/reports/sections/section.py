"""A part of a page: what it takes from the page's subject, and the template that shows it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Section:
    """One part of a page, which lists its sections in order.

    Attributes
    ----------
    name : str
        Its template is `NAME.html`, which finds what it shows as `part.shown`.
    shows : callable
        From the subject of the page (a `StudyPage`; in a task, the page and its `TaskView`; of
        cross-validation, the inputs) to what the template shows; None where it does not apply.
    links : tuple of (str, str)
        Anchor and title of its entries in the list of sections.
    """

    name: str
    shows: Callable[..., Mapping[str, Any] | None]
    links: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Part:
    """A section that has something to show."""

    template: str
    links: Sequence[tuple[str, str]]
    shown: Mapping[str, Any]


def parts(sections: Sequence[Section], *subject: Any) -> list[Part]:
    """Return those sections that apply to a subject, each with what it shows.

    Parameters
    ----------
    sections : sequence of Section
        In the order of the page.
    *subject
        What every section of the page looks at.
    """
    found = ((section, section.shows(*subject)) for section in sections)
    return [
        Part(f"{section.name}.html", shown.get("links", section.links), shown)
        for section, shown in found
        if shown is not None
    ]
