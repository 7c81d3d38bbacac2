"""Which clip meets which: distinct pairs, every clip used equally often."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from earnest.rng import generator

Pair = tuple[str, str]


@dataclass
class Wheel:
    """Clips in a fixed random order, used in turn.

    Attributes
    ----------
    clips : list of str
        Clip ids in the order of use.
    position : int
        Where the next use starts.
    """

    clips: list[str]
    position: int = 0


def make_wheel(clips: Iterable[str], root_seed: int, *names: str) -> Wheel:
    """Return a wheel whose order depends on the set of clips, the seed and the names only."""
    ordered = sorted(clips)
    order = generator(root_seed, "wheel", *names).permutation(len(ordered))
    return Wheel([ordered[place] for place in order])


def meet(
    foregrounds: Wheel, backgrounds: Wheel, count: int, forbidden: frozenset[Pair] = frozenset()
) -> list[Pair]:
    """Pair clips of two wheels, turning both, and move the wheels on.

    With F and B clips, walking both wheels in step gives lcm(F, B) distinct pairs and uses
    every clip equally often; shifting one wheel by a step gives as many new ones. A walk
    that stops early leaves the wheels where the next one goes on, so use stays even to
    within one over any number of calls. A forbidden pair swaps partners with another pair,
    which changes no count; only where no swap exists does an unused pair replace it.

    Parameters
    ----------
    foregrounds, backgrounds : Wheel
        At least one clip each.
    count : int
        Pairs wanted.
    forbidden : frozenset of (foreground clip, background clip)
        Pairs that must not be made.

    Returns
    -------
    list of (foreground clip, background clip)
        `count` distinct pairs.

    Raises
    ------
    ValueError
        If fewer distinct pairs exist.
    """
    total = len(foregrounds.clips) * len(backgrounds.clips)
    if count > total - len(forbidden):
        raise ValueError(f"{count} pairs wanted, {total - len(forbidden)} exist")
    cycle = math.lcm(len(foregrounds.clips), len(backgrounds.clips))
    whole, rest = divmod(count, cycle)
    pairs = _walk(foregrounds, backgrounds, 0, rest)
    for shift in range(1, whole + 1):
        pairs += _walk(foregrounds, backgrounds, shift, cycle)
    _replace_forbidden(pairs, foregrounds, backgrounds, forbidden)
    foregrounds.position += rest
    backgrounds.position += rest
    return pairs


def _walk(foregrounds: Wheel, backgrounds: Wheel, shift: int, steps: int) -> list[Pair]:
    over, under = foregrounds.clips, backgrounds.clips
    first, second = foregrounds.position, backgrounds.position + shift
    return [
        (over[(first + step) % len(over)], under[(second + step) % len(under)])
        for step in range(steps)
    ]


def _replace_forbidden(
    pairs: list[Pair], foregrounds: Wheel, backgrounds: Wheel, forbidden: frozenset[Pair]
) -> None:
    taken = set(pairs)
    for place, pair in enumerate(pairs):
        if pair not in forbidden:
            continue
        partner = _swap_partner(pairs, place, taken | forbidden)
        if partner is None:
            changed = {place: _least_used(pairs, foregrounds, backgrounds, taken | forbidden)}
        else:
            other = pairs[partner]
            changed = {place: (pair[0], other[1]), partner: (other[0], pair[1])}
        for index, new in changed.items():
            taken.discard(pairs[index])
            pairs[index] = new
            taken.add(new)


def _swap_partner(pairs: Sequence[Pair], place: int, barred: set[Pair]) -> int | None:
    """Return the next pair with which exchanging backgrounds gives two new allowed pairs."""
    over, under = pairs[place]
    for step in range(1, len(pairs)):
        partner = (place + step) % len(pairs)
        other_over, other_under = pairs[partner]
        if (over, other_under) not in barred and (other_over, under) not in barred:
            return partner
    return None


def _least_used(
    pairs: Sequence[Pair], foregrounds: Wheel, backgrounds: Wheel, barred: set[Pair]
) -> Pair:
    uses: dict[str, int] = defaultdict(int)
    for over, under in pairs:
        uses[over] += 1
        uses[under] += 1
    free = (
        (over, under)
        for over in foregrounds.clips
        for under in backgrounds.clips
        if (over, under) not in barred
    )
    return min(free, key=lambda pair: (uses[pair[0]] + uses[pair[1]], pair))


def context_counts(
    total: int, primary: str, others: Sequence[str], primary_share: float
) -> dict[str, int]:
    """Return how many of `total` mixtures each background gets.

    round(primary_share * total) the primary; the rest evenly, the first in alphabetical
    order taking what does not divide.
    """
    counts = {primary: round(primary_share * total)}
    rest = total - counts[primary]
    for place, name in enumerate(sorted(others)):
        counts[name] = rest // len(others) + (place < rest % len(others))
    return counts


def largest_total(
    wanted: int,
    primary: str,
    others: Sequence[str],
    primary_share: float,
    capacity: Mapping[str, int],
) -> int:
    """Return the largest total, at most `wanted`, whose counts fit the distinct pairs there are."""
    for total in range(wanted, 0, -1):
        counts = context_counts(total, primary, others, primary_share)
        if sum(counts.values()) == total and all(capacity[n] >= c for n, c in counts.items()):
            return total
    return 0
