"""Names of classes and items that differ only to a computer: case, blanks, look-alikes, typos."""

import unicodedata
from collections.abc import Collection, Iterable

SHOWN = 5
MOST_EDITS = 2
LETTERS_AN_EDIT = 4  # shorter names are other names when one letter differs: cat and bat
# Letters of other scripts that look like Latin ones, after case folding (UTS 39, the common ones).
_LOOK_ALIKES = str.maketrans(
    dict(
        zip(
            "\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0456\u0458\u0455\u04bb\u0501"
            "\u03b1\u03b2\u03b5\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7\u0131",
            "abekmhopctyxijshdabeikvoptuxi",
            strict=True,
        )
    )
)


def normal(text: str) -> str:
    """Return a text in Unicode's normal form C, in which equal names have equal code points."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def skeleton(name: str) -> str:
    """Return what is left of a name without case, blanks at its ends and look-alike letters.

    Two names of one skeleton are taken for one name by people (after UTS 39, Unicode Security
    Mechanisms, section 4). Runs of blanks count as one, invisible characters as none.
    """
    folded = unicodedata.normalize("NFKC", name).casefold()
    if not folded.isascii():
        folded = folded.translate(_LOOK_ALIKES)
        folded = "".join(one for one in folded if unicodedata.category(one) != "Cf")
    return " ".join(folded.split())


def shown(name: str, beside: str) -> str:
    """Return a name as messages show it beside another, with the code points that tell them apart.

    Code points are given only where both look alike when printed.
    """
    if ascii(name) == repr(name) and ascii(beside) == repr(beside):
        return repr(name)
    odd = [one for one in name if not one.isascii()]
    points = ", ".join(f"{one} is U+{ord(one):04X}" for one in dict.fromkeys(odd[:SHOWN]))
    return f"{name!r} ({points})" if points else f"{name!r} (ASCII)"


def alike(names: Iterable[str], accepted: Collection[str] = ()) -> tuple[str, str] | None:
    """Return the first two different names that people take for one, or None.

    Parameters
    ----------
    names : iterable of str
    accepted : collection of str
        Names that are meant as they are.
    """
    first: dict[str, str] = {}
    for name in sorted(set(names)):
        other = first.setdefault(skeleton(name), name)
        if other != name and name not in accepted and other not in accepted:
            return other, name
    return None


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that was probably meant, or None.

    A name is near another when at most one letter in four (two at most) was left out, put in,
    changed or exchanged with its neighbour; names that differ only in digits are not near.
    """
    best, fewest = None, MOST_EDITS + 1
    for other in sorted(set(known) - {name}):
        if skeleton(other) == skeleton(name):
            return other
        allowed = min(MOST_EDITS, min(len(name), len(other)) // LETTERS_AN_EDIT, fewest - 1)
        if abs(len(name) - len(other)) > allowed or _without_digits(name) == _without_digits(other):
            continue
        edits = _edits(name.casefold(), other.casefold())
        if edits <= allowed:
            best, fewest = other, edits
    return best


def _without_digits(name: str) -> str:
    return "".join(one for one in name if not one.isdigit())


def _edits(first: str, second: str) -> int:
    """Return the optimal string alignment distance (Damerau, 1964; Levenshtein, 1966)."""
    before: list[int] = []
    row = list(range(len(second) + 1))
    for i, letter in enumerate(first, 1):
        before, last, row = row, before, [i]
        for j, other in enumerate(second, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == second[j - 2] and first[i - 2] == other:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]
