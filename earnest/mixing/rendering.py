"""One planned mixture after the other, from prepared clips."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from earnest.audio.loudness import Blocks
from earnest.io import checksums
from earnest.mixing import sums

GAP_TOLERANCE_LU = 0.05
ROLES = ("foreground", "background")
CLIP_COLUMNS = (
    *("clip_id", "status", "reason", "part", "row", "length", "crop_start", "checksum"),
    *(f"{role}_{fact}" for role in ROLES for fact in ("lufs", "blocks")),
)

_MEASURED = {
    "foreground": {"fg_lufs": "foreground_lufs"},
    "background": {"bg_lufs": "background_lufs"},
}


class RejectedMixture(Exception):
    """A mixture that cannot be made; the message is its reason."""


class Renderer:
    """What the mixtures of one shard share: clips, their prepared sound and block powers.

    Parameters
    ----------
    clips : mapping of str to mapping
        Rows of the table `clips` by their ids.
    prepared : mapping of int to numpy.ndarray
        The array (rows, length) of each part.
    margin_lu : float or None
        Gap in LU; none for the foreground alone.
    peak : float
        Largest magnitude.
    """

    def __init__(
        self,
        clips: Mapping[str, Mapping[str, Any]],
        prepared: Mapping[int, np.ndarray],
        *,
        margin_lu: float | None,
        peak: float,
    ) -> None:
        self._clips = clips
        # As plain arrays: rows of a memory map cost ten times as much to take.
        self._prepared = {part: np.asarray(array) for part, array in prepared.items()}
        self._margin_lu = margin_lu
        self._peak = peak
        self._blocks: dict[tuple[str, str], Blocks] = {}
        self._verified: set[str] = set()
        # Used again and again: fresh memory costs as much time as the arithmetic.
        length = next((array.shape[1] for array in self._prepared.values()), 0)
        self._total = np.empty(length, dtype=np.float64)
        self._rounded = np.empty(length, dtype=np.float32)
        self._looped = np.empty(length, dtype=np.float32)

    def render(self, planned: Mapping[str, Any], out: np.ndarray) -> dict[str, Any]:
        """Write one mixture to `out` (int16, shape (length,)) and return what was measured.

        Raises
        ------
        RejectedMixture
            If it cannot be made.
        """
        roles = ROLES if self._margin_lu is not None else ROLES[:1]
        parts = [self._part(planned[f"{role}_clip"], role) for role in roles]
        gain_db, gain, under = None, None, None
        if self._margin_lu is not None:
            levels = parts[0]["foreground_lufs"], parts[1]["background_lufs"]
            gain_db = sums.background_gain_db(*levels, self._margin_lu)
            gain = sums.linear_gain(gain_db)
            under = background_signal(parts[1], self._prepared, out=self._looped)
        over = foreground_signal(parts[0], self._prepared)
        total = sums.sum_parts(over, under, gain, out=self._total)
        try:
            peak_gain = sums.gain_to_peak(total, self._peak)
        except ValueError as error:
            raise RejectedMixture(str(error)) from error
        if gain_db is not None and self._margin_lu is not None:
            for level in (0.0, 20.0 * math.log10(peak_gain)):
                self._refuse_gap(parts, gain_db, level, self._margin_lu)
        sums.scale_to_pcm16(total, peak_gain, self._rounded, out)
        facts = {"background_gain_db": gain_db, "peak_gain": peak_gain}
        for role, clip in zip(roles, parts, strict=True):
            facts |= {column: clip[name] for column, name in _MEASURED[role].items()}
            facts |= {f"{role}_{name}": int(clip[name]) for name in ("length", "crop_start")}
        return facts

    def _part(self, clip_id: str, role: str) -> Mapping[str, Any]:
        """Return the clip's row if it can play its role."""
        clip = self._clips.get(clip_id)
        if clip is None:
            raise RejectedMixture(f"{role} clip {clip_id} is not among the prepared clips")
        if clip["status"] != "used":
            raise RejectedMixture(f"{role} clip {clip_id} was rejected: {clip['reason']}")
        if clip_id not in self._verified:
            self._verify(clip)
        return clip

    def _verify(self, clip: Mapping[str, Any]) -> None:
        """Refuse samples that are not those of the table; each clip is looked at once."""
        samples = foreground_signal(clip, self._prepared)
        array = f"the prepared array of part {clip['part']}"
        checksums.verify_samples(array, int(clip["row"]), samples, clip["checksum"])
        self._verified.add(clip["clip_id"])

    def _refuse_gap(
        self, parts: list[Mapping[str, Any]], gain_db: float, level: float, margin_lu: float
    ) -> None:
        """Refuse a gap other than the one asked for, when both parts are moved by `level` dB."""
        gap = self._blocks_of(parts[0], "foreground").loudness(level)
        gap -= self._blocks_of(parts[1], "background").loudness(level + gain_db)
        if not abs(gap - margin_lu) <= GAP_TOLERANCE_LU:
            raise RejectedMixture(
                f"the gap depends on the level: {gap:.2f} LU instead of {margin_lu:g} LU "
                f"at {level:+.1f} dB, because much of a clip lies near the gate of -70 LUFS"
            )

    def _blocks_of(self, clip: Mapping[str, Any], role: str) -> Blocks:
        key = role, clip["clip_id"]
        if key not in self._blocks:
            powers = np.asarray(clip[f"{role}_blocks"], dtype=np.float64)
            self._blocks[key] = Blocks(tuple(powers.tolist()))
        return self._blocks[key]


def foreground_signal(clip: Mapping[str, Any], prepared: Mapping[int, np.ndarray]) -> np.ndarray:
    """Return a clip as it sounds in front: float32, zeros where it is too short."""
    return np.asarray(prepared[int(clip["part"])][int(clip["row"])])


def background_signal(
    clip: Mapping[str, Any], prepared: Mapping[int, np.ndarray], out: np.ndarray | None = None
) -> np.ndarray:
    """Return a clip as it sounds behind: float32, repeated where it is too short, in `out` then."""
    samples = foreground_signal(clip, prepared)
    filled = int(clip["length"])
    if filled >= len(samples):
        return samples
    if out is None:
        out = np.empty(len(samples), dtype=np.float32)
    out[:filled] = samples[:filled]
    while filled < len(out):  # twice as many repetitions each time
        more = min(filled, len(out) - filled)
        out[filled : filled + more] = out[:more]
        filled += more
    return out
