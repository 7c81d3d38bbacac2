"""A block of seeds: draw the labelled subsets of one pool.

How the seeds are split over blocks changes no number: every draw has
its own generator, named by task, sampler and seed.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest.io.schemas import TABLES
from earnest.pools.geometry import PoolGeometry, prepare_pool
from earnest.pools.pool import Pool
from earnest.rng import generator
from earnest.samplers import DETERMINISTIC, PREFIX_SAMPLERS, SAMPLERS, TRAVERSALS, prepare_walks

if TYPE_CHECKING:
    import pandas


def draw_block(
    pool: Pool,
    *,
    task: str,
    sampler: str,
    sizes: Sequence[int],
    seeds: Sequence[int],
    root_seed: int,
    options: dict[str, Any] | None = None,
) -> "pandas.DataFrame":
    """Draw the labelled subsets of one sampler for some seeds.

    Parameters
    ----------
    pool : Pool
        With embeddings.
    task, sampler : str
        Name of the task; a key of `earnest.samplers.SAMPLERS`.
    sizes : sequence of int
        Subset sizes, of the whole study.
    seeds : sequence of int
        The seeds of this block.
    root_seed : int
        Seed of the study.
    options : dict, optional
        Options of the sampler.

    Returns
    -------
    pandas.DataFrame
        Table `draws`. A sampler whose prefixes are its smaller subsets has one row a seed,
        of the largest size; a deterministic one has rows for seed 0 only.

    Raises
    ------
    ValueError
        If the sampler is unknown or a size is larger than the pool.
    """
    import pandas as pd

    if sampler not in SAMPLERS:
        raise ValueError(f"unknown sampler {sampler!r}; there are {', '.join(SAMPLERS.names())}")
    if not sizes:
        raise ValueError("no subset size was given")
    is_prefix = sampler in PREFIX_SAMPLERS
    drawn_sizes = [max(sizes)] if is_prefix else list(sizes)
    geometry = prepare_pool(pool.embeddings)
    if sampler in TRAVERSALS and len(seeds) > 1 and max(sizes) <= len(geometry):
        starting = (generator(root_seed, task, sampler, seed) for seed in seeds)
        prepare_walks(sampler, geometry, max(sizes), starting, **(options or {}))
    rows = []
    for seed in seeds if sampler not in DETERMINISTIC else [s for s in seeds if s == 0]:
        for size in drawn_sizes:
            rng = generator(root_seed, task, sampler, seed)
            drawn = _draw(sampler, pool, geometry, size, rng, options or {})
            cell = {"task": task, "sampler": sampler, "size": size, "seed": seed}
            rows.append(cell | {"is_prefix": is_prefix} | drawn)
    return pd.DataFrame(rows, columns=list(TABLES["draws"]))


def _draw(
    sampler: str,
    pool: Pool,
    geometry: PoolGeometry,
    size: int,
    rng: np.random.Generator,
    options: dict[str, Any],
) -> dict[str, Any]:
    """Return the items, with their chances where the sampler has them."""
    rule = SAMPLERS[sampler]
    if rule.with_chances is not None:
        return vars(rule.with_chances(pool.posteriors, size, rng=rng, **options))
    items = rule(geometry, size, posteriors=pool.posteriors, rng=rng, **options)
    return {"items": items, "chances": None, "missed": None}
