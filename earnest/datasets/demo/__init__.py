"""The demo corpus: 14 kinds of synthetic sound, made on the spot, so that a study needs no network.

It is made to be hard in the ways real collections are: recordings of one kind differ in pitch,
rhythm, room, microphone, level, sample rate and length; kinds overlap; some recordings were
cut into two clips; and some files are damaged.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from earnest import io
from earnest.datasets.demo.backgrounds import TEXTURES
from earnest.datasets.demo.damaged import write_damaged
from earnest.datasets.demo.foregrounds import VOICES
from earnest.datasets.demo.recordings import record

if TYPE_CHECKING:
    import pandas

FOREGROUNDS = tuple(VOICES)
BACKGROUNDS = tuple(TEXTURES)
LABELS = FOREGROUNDS + BACKGROUNDS
LIST = "clips.csv"
COLUMNS = ("filename", "label", "recording")


def synthesise(
    folder: str | os.PathLike[str],
    *,
    clips_per_kind: int = 40,
    root_seed: int,
    damaged: bool = True,
) -> Path:
    """Write the demo corpus.

    The same seed gives the same bytes; more clips per kind add files and change none.

    Parameters
    ----------
    folder : path-like
        Where `audio/<label>/<clip>.wav` and `clips.csv` go. The list is written last, so a run
        that was killed leaves no list.
    clips_per_kind : int
        Clips of each of the 14 kinds; 40 take about 120 MB.
    root_seed : int
        0 or larger.
    damaged : bool
        Whether to add seven damaged files, and one with a false sample rate.

    Returns
    -------
    pathlib.Path
        `folder`.

    Raises
    ------
    ValueError
        If `clips_per_kind` is not positive.
    """
    import pandas as pd

    if clips_per_kind < 1:
        raise ValueError(f"clips_per_kind must be 1 or more, got {clips_per_kind}")
    folder = Path(folder)
    audio = folder / "audio"
    (folder / LIST).unlink(missing_ok=True)
    rows = [
        row
        for label in FOREGROUNDS + BACKGROUNDS
        for row in _write_kind(audio, label, clips_per_kind, root_seed)
    ]
    if damaged:
        rows += write_damaged(audio, root_seed)
    table = pd.DataFrame(rows, columns=list(COLUMNS)).sort_values("filename")
    io.write_text(table.to_csv(index=False, lineterminator="\n"), folder / LIST)
    return folder


def _write_kind(audio: Path, label: str, clips: int, root_seed: int) -> list[dict[str, str]]:
    import soundfile

    (audio / label).mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, str]] = []
    number = 0
    while len(rows) < clips:
        recording = record(root_seed, label, number)
        name = f"{label}_{number:03d}"
        for samples, take in zip(recording.clips, "ab", strict=False):
            if len(rows) < clips:
                path = audio / label / f"{name}{take}.wav"
                soundfile.write(path, samples, recording.sample_rate, subtype="PCM_16")
                rows.append({"filename": f"{label}/{path.name}", "label": label, "recording": name})
        number += 1
    return rows


def list_clips(root: str | os.PathLike[str]) -> "pandas.DataFrame":
    """List the clips of a corpus that `synthesise` wrote, damaged ones included.

    Returns
    -------
    pandas.DataFrame
        Table `listing`, sorted by `clip_id`; there are no folds.

    Raises
    ------
    FileNotFoundError
        If there is no `clips.csv`: the corpus was not made, or not to its end.
    """
    import pandas as pd

    path = Path(root) / LIST
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing: the demo corpus was not made to its end")
    rows = pd.read_csv(path, dtype=str)
    listing = pd.DataFrame(
        {
            "clip_id": [f"demo/{Path(name).stem}" for name in rows["filename"]],
            "dataset": "demo",
            "path": [str(Path(root) / "audio" / name) for name in rows["filename"]],
            "label": rows["label"],
            "fold": pd.array([pd.NA] * len(rows), dtype="Int64"),
            "recording": "demo/" + rows["recording"],
            "sha256": None,  # hashed where the listing is verified
        }
    )
    return listing.sort_values("clip_id", ignore_index=True)
