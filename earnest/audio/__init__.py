"""Sounds of one clip: decoded, screened, cropped, and how loud they are."""

from earnest.audio.clips import (
    LENGTH,
    QUALITIES,
    REASONS,
    SAMPLE_RATE,
    Clip,
    UnusableClip,
    crop_start,
    false_rate_warning,
    fit,
    integrated_loudness,
    load,
    refuse_inaudible,
    screened_loudness,
    sound_digest,
)

__all__ = [
    "LENGTH",
    "QUALITIES",
    "REASONS",
    "SAMPLE_RATE",
    "Clip",
    "UnusableClip",
    "crop_start",
    "false_rate_warning",
    "fit",
    "integrated_loudness",
    "load",
    "refuse_inaudible",
    "screened_loudness",
    "sound_digest",
]
