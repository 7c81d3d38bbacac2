"""Two clips to one: which clips meet, at which gap in loudness, and the sound that comes of it."""

from earnest.mixing.gains import (
    GAP_TOLERANCE_LU,
    MARGIN_LU,
    PCM16_PEAK,
    Mixture,
    Shard,
    background_gain_db,
    combine,
    linear_gain,
    mix,
    prepared_signals,
    render,
    to_pcm16,
)

__all__ = [
    "GAP_TOLERANCE_LU",
    "MARGIN_LU",
    "PCM16_PEAK",
    "Mixture",
    "Shard",
    "background_gain_db",
    "combine",
    "linear_gain",
    "mix",
    "prepared_signals",
    "render",
    "to_pcm16",
]
