"""Who gets labelled: the rules that choose pool items, and the chances with which they do."""

from earnest.samplers.registry import (
    DETERMINISTIC,
    PREFIX_SAMPLERS,
    SAMPLERS,
    TRAVERSALS,
    Sampler,
    select,
)
from earnest.samplers.rules import (
    LARGEST_DENSITY_POOL,
    LARGEST_KMEDOIDS_POOL,
    density_farthest,
    density_farthest_sampled,
    farthest,
    kmedoids,
    prepare_walks,
    random,
    uncertainty,
)

__all__ = [
    "DETERMINISTIC",
    "LARGEST_DENSITY_POOL",
    "LARGEST_KMEDOIDS_POOL",
    "PREFIX_SAMPLERS",
    "SAMPLERS",
    "TRAVERSALS",
    "Sampler",
    "density_farthest",
    "density_farthest_sampled",
    "farthest",
    "kmedoids",
    "prepare_walks",
    "random",
    "select",
    "uncertainty",
]
