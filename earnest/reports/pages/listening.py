"""The listening page: a few mixtures of every pair to hear, see and reject."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from earnest import io
from earnest.reports import audio
from earnest.reports.findings import number, signed
from earnest.reports.rendering import render
from earnest.reports.view import plain, records

if TYPE_CHECKING:
    import pandas

SOUNDS = "listening"  # the folder beside the page
TICKS_HZ = (250, 1000, 2000, 4000, 8000)
# What listeners often write; the page offers them, and takes any other words.
USUAL_REASONS = (
    "the foreground is not heard",
    "the foreground is another sound than its label says",
    "the background is another sound than its label says",
    "the background drowns the foreground",
    "both sounds are the same",
    "damaged: clicks, hum or gaps",
    "intelligible speech of a person",
)


@dataclass(frozen=True)
class ListeningInputs:
    """All that the page shows.

    Attributes
    ----------
    study, title : str
        Name of the study, a slug, and what it is.
    mixtures : pandas.DataFrame
        Table "mixtures" of every variant.
    variants : sequence of str
        Names of the variants, the main one first.
    per_pair : int
        How many mixtures of each pair can be heard, at most.
    rejections : sequence of mapping
        Rows (kind, name, reason) of the table of rejected mixtures and pairs as it is now.
    rejected_path : str
        Where that table lies, as the study names it.
    words : mapping of (str, str) to str
        What the spectrogram of a variant and mixture shows, as `write_sounds` returns it.
    seconds : float
        Length of a mixture.
    sample_rate : int
        In Hz.
    """

    study: str
    title: str
    mixtures: "pandas.DataFrame"
    variants: Sequence[str]
    per_pair: int
    rejections: Sequence[Mapping[str, str]]
    rejected_path: str
    words: Mapping[tuple[str, str], str]
    seconds: float = 5.0
    sample_rate: int = audio.SAMPLE_RATE


def choose(mixtures: "pandas.DataFrame", main: str, per_pair: int) -> "pandas.DataFrame":
    """Choose the mixtures of each pair that can be heard.

    The hash that ends a `mixture_id` decides. It knows nothing of the sound, so the share of
    bad ones among those chosen estimates the share in the pair.

    Parameters
    ----------
    mixtures : pandas.DataFrame
        Table "mixtures"; rows of the variant `main` with status `used` are candidates.
    main : str
        The main variant.
    per_pair : int
        How many of each pair at most.

    Returns
    -------
    pandas.DataFrame
        Rows of the main variant: foregrounds by name, of each the primary background first.
    """
    made = mixtures[(mixtures["variant"] == main) & (mixtures["status"] == "used")]
    made = made.assign(chance=made["mixture_id"].str.rsplit("-", n=1).str[-1])
    made = made.sort_values(
        ["foreground", "is_primary", "background", "chance", "mixture_id"],
        ascending=[True, False, True, True, True],
        kind="stable",
        ignore_index=True,
    )
    chosen = made.groupby(["foreground", "background"], sort=False).head(per_pair)
    return chosen.drop(columns="chance").reset_index(drop=True)


def write_sounds(
    mixtures: "pandas.DataFrame",
    files: Mapping[tuple[str, int], str],
    folder: str,
    *,
    main: str,
    per_pair: int,
    length: int,
    sample_rate: int = audio.SAMPLE_RATE,
) -> dict[tuple[str, str], str]:
    """Write sound and spectrogram of the chosen mixtures in every variant.

    Parameters
    ----------
    mixtures : pandas.DataFrame
        Table "mixtures" of every variant.
    files : mapping of (str, int) to path-like
        The sound file of each variant and shard.
    folder : path-like
        Where `<variant>/<mixture_id>.flac` and `.png` go.
    main, per_pair
        See `choose`.
    length : int
        Samples of a mixture.
    sample_rate : int
        In Hz.

    Returns
    -------
    dict of (str, str) to str
        For each variant and mixture written, what its spectrogram shows, in words.
    """
    wanted = set(choose(mixtures, main, per_pair)["mixture_id"])
    used = mixtures[mixtures["mixture_id"].isin(wanted) & (mixtures["status"] == "used")]
    said = {}
    columns = (used[name] for name in ("variant", "mixture_id", "shard", "row", "checksum"))
    for variant, mixture, shard, row, checksum in zip(*columns, strict=True):
        samples = io.read_item(files[variant, shard], row, length, checksum)
        shades = audio.spectrogram(samples, sample_rate)
        place = Path(folder) / variant
        io.write_bytes(audio.encode_sound(samples, sample_rate), place / f"{mixture}.flac")
        io.write_bytes(audio.encode_picture(shades), place / f"{mixture}.png")
        said[variant, mixture] = audio.in_words(shades, sample_rate)
    return said


def build_page(inputs: ListeningInputs) -> str:
    """Build the listening page of a study.

    Parameters
    ----------
    inputs : ListeningInputs

    Returns
    -------
    str
        A complete HTML document. It loads sounds and pictures from the folder `listening`
        beside it, each when it is needed, and nothing else. Without JavaScript it plays the
        main variant; sorting, filtering and rejecting need it.
    """
    main = inputs.variants[0]
    chosen = choose(inputs.mixtures, main, inputs.per_pair)
    mixtures = inputs.mixtures
    made = mixtures[(mixtures["variant"] == main) & (mixtures["status"] == "used")]
    return render(
        "listening.html",
        scripts=("listening.js", "print.js"),
        styles=("report.css", "listening.css"),
        sources="'self' file: data:",
        inputs=inputs,
        folder=SOUNDS,
        main=main,
        pairs=_pairs(inputs, made, chosen),
        made=len(made),
        shown=len(chosen),
        failed=int(((mixtures["variant"] == main) & (mixtures["status"] != "used")).sum()),
        reasons=USUAL_REASONS,
        in_variant=in_variant,
        ticks=[
            (f"{hertz / 1000:g}", round(100 * audio.position(hertz, inputs.sample_rate), 1))
            for hertz in TICKS_HZ
            if hertz <= audio.highest(inputs.sample_rate)
        ],
    )


def _pairs(
    inputs: ListeningInputs, made: "pandas.DataFrame", chosen: "pandas.DataFrame"
) -> list[dict[str, Any]]:
    """One entry per pair, each with its mixtures, in the order of `choose`."""
    of_pair = made.groupby(["foreground", "background"], sort=False)
    counts = of_pair.size()
    medians = of_pair[["fg_lufs", "bg_lufs", "background_gain_db"]].median()
    others = _others(inputs, chosen)
    pairs: dict[tuple[str, str], dict[str, Any]] = {}
    for row in records(chosen):
        key = row["foreground"], row["background"]
        if key not in pairs:
            pairs[key] = _pair(row, int(counts[key]), medians.loc[key].to_dict())
        pairs[key]["mixtures"].append(_mixture(row, inputs, others))
    return list(pairs.values())


def _others(inputs: ListeningInputs, chosen: "pandas.DataFrame") -> dict[tuple[str, str], dict]:
    """The chosen mixtures in every variant, by variant and mixture."""
    rows = inputs.mixtures[inputs.mixtures["mixture_id"].isin(set(chosen["mixture_id"]))]
    return {(row["variant"], row["mixture_id"]): row for row in records(rows)}


def _pair(row: Mapping[str, Any], count: int, medians: Mapping[str, float]) -> dict[str, Any]:
    known = {name: plain(value) for name, value in medians.items()}
    foreground, background = row["foreground"], row["background"]
    name = f"{foreground}/{background}"
    return {
        # a label with a slash makes a name that the table of rejected pairs cannot hold
        "name": name if name.count("/") == 1 else None,
        "foreground": in_words(foreground),
        "background": in_words(background),
        "is_primary": bool(row["is_primary"]),
        "class_split": row["class_split"],
        "count": count,
        "sort": known,
        "fg_lufs": number(known["fg_lufs"], 1),
        "bg_lufs": number(known["bg_lufs"], 1),
        "gain": signed(known["background_gain_db"], 1),
        "mixtures": [],
    }


def _mixture(
    row: Mapping[str, Any], inputs: ListeningInputs, others: Mapping[tuple[str, str], dict]
) -> dict[str, Any]:
    name = row["mixture_id"]
    found = [(variant, others.get((variant, name))) for variant in inputs.variants]
    title = f"{in_words(row['foreground'])} over {in_words(row['background'])}"
    return {
        "id": name,
        "title": title,
        "foreground_clip": row["foreground_clip"],
        "background_clip": row["background_clip"],
        "split": {"train": "to train", "pool": "in the pool"}.get(row["split"], row["split"]),
        "fg_lufs": number(row["fg_lufs"], 1),
        "bg_lufs": number(row["bg_lufs"], 1),
        "variants": [
            _variant(variant, other, inputs.words.get((variant, name)), title)
            for variant, other in found
        ],
    }


def _variant(
    variant: str, row: Mapping[str, Any] | None, said: str | None, title: str
) -> dict[str, Any]:
    """One mixture in one variant: its gains, or why it cannot be heard."""
    if row is None or row["status"] != "used" or said is None:
        reason = "not made" if row is None else row["reason"] or "no reason recorded"
        return {"name": variant, "missing": reason, "alt": "", "gains": ""}
    gain = row["background_gain_db"]
    below = "no background" if gain is None else f"background {signed(gain, 1)} dB"
    return {
        "name": variant,
        "missing": None,
        "alt": f"Spectrogram of {title}, {in_variant(variant)}: {said}",
        "gains": f"{below}, then both ×\u00a0{number(row['peak_gain'], 2)}",
    }


def in_variant(name: str) -> str:
    """Say which variant a name such as `8-lu` or `clean` means."""
    if name == "clean":
        return "without background"
    margin = name.removesuffix("-lu").replace("-", "\u2212")
    return f"background {margin} LU below" if name.endswith("-lu") else name


def in_words(label: str) -> str:
    """Write a class name as words: `dog+dog_bark` as `dog + dog bark`."""
    return label.replace("_", " ").replace("+", " + ")
