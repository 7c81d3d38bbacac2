"""A made study to listen to: planned from made clips, rendered as tones over noise, on disk."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from earnest import io
from earnest.mixing import plan
from earnest.reports.pages import listening
from earnest.rng import generator

HOSTILE = 'owl<img src=x onerror="alert(1)">&'
FOREGROUNDS = ("dog", HOSTILE)
BACKGROUNDS = ("rain", "wind")  # the first is primary
VARIANTS = ("8-lu", "0-lu", "clean")
LENGTH = 16_000
OPTIONS = {
    "mixtures_per_foreground": 20,
    "primary_share": 0.6,
    "train_share": 0.5,
    "shards": 2,
    "root_seed": 0,
}
EXISTING = [
    {"kind": "mixture", "name": "dog-rain-0123456789", "reason": 'clipped, "badly"'},
    {"kind": "mixture", "name": "cat-sea-0123456789", "reason": "of another study"},
]


@dataclass(frozen=True)
class Made:
    """Where the page and the table of rejections lie, and what the study was planned from."""

    page: Path
    rejected: Path
    pairs: pd.DataFrame
    clips: pd.DataFrame
    mixtures: pd.DataFrame
    words: dict

    def plan(self) -> plan.Plan:
        """Plan again with the present table of rejections."""
        rejected = plan.read_rejected(self.rejected)
        return plan.plan_mixtures(self.pairs, self.clips, rejected=rejected, **OPTIONS)


def make(folder: Path, *, per_pair: int = 3, variants=VARIANTS, **changes) -> Made:
    """Plan, render and write the page of a made study into a folder."""
    rejected = folder / "config" / "rejected.tsv"
    rows = [("kind", "name", "reason"), *(tuple(row.values()) for row in EXISTING)]
    io.write_text("".join("\t".join(row) + "\n" for row in rows), rejected)
    pairs = pd.DataFrame(
        [("test", f, b, b == BACKGROUNDS[0]) for f in FOREGROUNDS for b in BACKGROUNDS],
        columns=["split", "foreground", "background", "is_primary"],
    )
    clips = made_clips()
    planned = plan.plan_mixtures(
        pairs, clips, rejected=plan.read_rejected(rejected), **(OPTIONS | changes)
    ).mixtures
    mixtures = pd.concat([in_variant(planned, name) for name in variants], ignore_index=True)
    files = write_shards(mixtures, folder / "mixtures")
    words = listening.write_sounds(
        mixtures,
        files,
        folder / listening.SOUNDS,
        main=variants[0],
        per_pair=per_pair,
        length=LENGTH,
    )
    html = listening.build_page(
        listening.ListeningInputs(
            study="made",
            title="A made study & its sounds",
            mixtures=mixtures,
            variants=variants,
            per_pair=per_pair,
            rejections=EXISTING,
            rejected_path="config/rejected.tsv",
            words=words,
            seconds=LENGTH / 16_000,
        )
    )
    io.write_text(html, folder / "listening.html")
    return Made(folder / "listening.html", rejected, pairs, clips, mixtures, words)


def made_clips() -> pd.DataFrame:
    """Ten usable clips of each label, each of its own recording."""
    rows = [
        {
            "clip_id": f"made/{place}-{number}",
            "label": label,
            "recording": f"made/{place}-{number}",
            "sha256": f"{label}{number}",
            "audio_sha256": f"{label}{number}",
            "status": "used",
        }
        for place, label in enumerate(FOREGROUNDS + BACKGROUNDS)
        for number in range(10)
    ]
    return pd.DataFrame(rows)


def in_variant(planned: pd.DataFrame, name: str) -> pd.DataFrame:
    """The planned mixtures as rows of the table of mixtures, with loudness by their place."""
    place = np.arange(len(planned), dtype=float)
    margin = None if name == "clean" else float(name.removesuffix("-lu"))
    made = planned.assign(
        variant=name,
        row=planned.groupby("shard").cumcount(),
        checksum=None,
        fg_lufs=-20 - place / 10,
        bg_lufs=-30 + place / 10,
        background_gain_db=np.nan if margin is None else 10 - place / 5 - margin,
        peak_gain=0.9,
        status="used",
        reason=None,
    )
    if name == "0-lu":
        made.loc[made.index[0], ["status", "reason"]] = "rejected", "the background is silent"
    return made


def write_shards(mixtures: pd.DataFrame, folder: Path) -> dict[tuple[str, int], Path]:
    """Write every shard: a tone over noise for each mixture, the noise louder at 0 LU."""
    noise = {"8-lu": 0.02, "0-lu": 0.2, "clean": 0.0}
    files = {}
    for (variant, shard), rows in mixtures.groupby(["variant", "shard"]):
        sounds = []
        for mixture, row in zip(rows["mixture_id"], rows["row"], strict=True):
            rng = generator(0, "made listening", mixture)
            tone = np.sin(2 * np.pi * (400 + 100 * row) * np.arange(LENGTH) / 16_000)
            sounds.append(0.4 * tone + noise[variant] * rng.uniform(-1, 1, LENGTH))
        files[variant, shard] = folder / variant / f"shard-{shard}.wav"
        io.write_audio((np.concatenate(sounds) * 32_767).astype(np.int16), files[variant, shard])
    return files
