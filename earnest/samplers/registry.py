"""The samplers: one record each, with its function, words and traits."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from earnest.pools.geometry import PoolGeometry, prepare_pool
from earnest.records import Choice, Record, Registry, Words
from earnest.rng import generator
from earnest.samplers import approximate, designs, rules


@dataclass(frozen=True)
class Sampler(Record):
    """One rule that chooses which pool items get labelled.

    Attributes
    ----------
    function : callable
        Takes a `PoolGeometry` of N items, n, and by keyword posteriors (N, C) or None, a
        generator and options; returns n distinct rows, int64.
    words : Choice
    is_prefix : bool
        The first n of a longer draw are the draw of size n.
    is_deterministic : bool
        One subset per size whatever the seed, so items outside it have no chance of selection.
    is_traversal : bool
        Only its start is drawn, so equal starts are equal draws, and `prepare_walks` serves it.
    with_chances : callable, optional
        The same draw with the chances of the items: takes posteriors (N, C), n, and by keyword
        the generator and options; returns an `earnest.samplers.designs.Draw`.
    """

    is_prefix: bool = False
    is_deterministic: bool = False
    is_traversal: bool = False
    with_chances: Callable[..., Any] | None = None

    WORDS: ClassVar[type[Words]] = Choice


SAMPLERS = Registry(
    "samplers",
    Sampler,
    {
        "random": Sampler(
            rules.random,
            is_prefix=True,
            words=Choice(
                label="Random",
                meaning="every item has the same chance: the fair comparison",
                chosen="at random",
            ),
        ),
        "uncertainty": Sampler(
            rules.uncertainty,
            is_prefix=True,
            is_deterministic=True,
            words=Choice(
                label="Uncertainty",
                meaning="always the items the model is least sure of; the same ones every time",
                chosen="by uncertainty",
            ),
        ),
        "farthest": Sampler(
            rules.farthest,
            is_prefix=True,
            is_traversal=True,
            words=Choice(
                label="Farthest first",
                meaning="each new item is the one most unlike all those already chosen",
                chosen="farthest first",
            ),
        ),
        "density_farthest": Sampler(
            rules.density_farthest,
            is_prefix=True,
            is_traversal=True,
            words=Choice(
                label="Density-weighted farthest",
                meaning="unlike those already chosen, but in a well-populated region",
                chosen="farthest first, weighted by density",
            ),
        ),
        "kmedoids": Sampler(
            rules.kmedoids,
            words=Choice(
                label="k-medoids",
                meaning="one typical item from each of n groups of similar items",
                chosen="as k-medoids",
            ),
        ),
        "kmedoids_clara": Sampler(
            approximate.kmedoids_clara,
            words=Choice(
                label="k-medoids of parts (CLARA)",
                meaning="k-medoids of several random parts of a large pool, the best of them kept",
                chosen="as k-medoids of parts of the pool",
            ),
        ),
        "density_farthest_sampled": Sampler(
            rules.density_farthest_sampled,
            is_prefix=True,
            words=Choice(
                label="Density-weighted farthest, sampled",
                meaning="as density-weighted farthest, with the density estimated from a part of a"
                " large pool",
                chosen="farthest first, weighted by sampled density",
            ),
        ),
        "uncertainty_mixed": Sampler(
            designs.uncertainty_mixed,
            is_prefix=True,
            with_chances=designs.mixed_draw,
            words=Choice(
                label="Uncertainty, half uniform",
                meaning="half by uncertainty, half at random, with the chance of each item"
                " recorded",
                chosen="by uncertainty, half of them at random",
            ),
        ),
    },
    group="earnest.samplers",
)
PREFIX_SAMPLERS = SAMPLERS.having("is_prefix")
TRAVERSALS = SAMPLERS.having("is_traversal")
DETERMINISTIC = SAMPLERS.having("is_deterministic")


def select(
    name: str,
    embeddings: "ArrayLike | PoolGeometry",
    n: int,
    *,
    posteriors: ArrayLike | None = None,
    seed: int = 0,
    **options: object,
) -> np.ndarray:
    """Choose n items of a pool with a named sampler.

    Parameters
    ----------
    name : str
        A key of `SAMPLERS`.
    embeddings : array_like, shape (N, d), or PoolGeometry
    n : int
        From 1 to N.
    posteriors : array_like, shape (N, C), optional
        Rows sum to 1; uncertainty and uncertainty_mixed need them.
    seed : int
        0 or larger.
    **options
        Those of the sampler's function.

    Returns
    -------
    numpy.ndarray, shape (n,), int64
        Distinct rows from 0 to N - 1.

    Raises
    ------
    ValueError
        If the name is unknown, if n > N, or if the input cannot be used.
    """
    if name not in SAMPLERS:
        raise ValueError(f"sampler must be one of {', '.join(SAMPLERS.names())}, got {name!r}")
    pool = prepare_pool(embeddings)
    rng = generator(seed, "select", name)
    return SAMPLERS[name](pool, n, posteriors=posteriors, rng=rng, **options)
