"""The section that plays a few of the mixtures."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest.reports import audio, charts, figures, findings
from earnest.reports.inputs import StudyPage
from earnest.reports.view import plain

if TYPE_CHECKING:
    import pandas


def shows(page: StudyPage) -> dict[str, Any] | None:
    """Return pictures and sounds of the examples, None where there are none."""
    rate = page.inputs.sample_rate
    examples = [_example(*example, rate) for example in page.inputs.examples]
    return {"examples": examples} if examples else None


def choose_examples(mixtures: "pandas.DataFrame", count: int) -> list[dict[str, Any]]:
    """Choose mixtures to listen to: a primary and a rare context of one foreground after another.

    Parameters
    ----------
    mixtures : pandas.DataFrame
        A `mixtures` table; rows with status `used` are candidates.
    count : int
        How many at most.

    Returns
    -------
    list of dict
        Rows, in the order to show; the choice depends on the rows only, not on their order.
    """
    used = mixtures[mixtures["status"] == "used"].sort_values("mixture_id", kind="stable")
    firsts = used.drop_duplicates(["foreground", "is_primary"])
    ordered = firsts.sort_values(
        ["foreground", "is_primary"], ascending=[True, False], kind="stable"
    )
    return ordered.head(count).to_dict("records")


def _example(row: Mapping[str, Any], samples: np.ndarray, sample_rate: int) -> dict[str, Any]:
    row = {key: plain(value) for key, value in row.items()}
    foreground = str(row["foreground"]).replace("_", " ")
    background = str(row["background"]).replace("_", " ")
    seconds = len(samples) / sample_rate
    picture = audio.picture_uri(audio.spectrogram(samples, sample_rate))
    return {
        "name": f"{foreground} over {background}",
        "foreground": foreground,
        "background": background,
        "is_primary": bool(row["is_primary"]),
        "mixture_id": row["mixture_id"],
        "fg_lufs": findings.number(row.get("fg_lufs"), 1),
        "bg_lufs": findings.number(row.get("bg_lufs"), 1),
        "gain": findings.signed(row.get("background_gain_db"), 1),
        "peak_gain": findings.number(row.get("peak_gain"), 2),
        "sound": audio.sound_uri(samples, sample_rate),
        "picture": charts.safe(
            figures.spectrogram(picture, seconds, f"Spectrogram of {foreground} over {background}")
        ),
    }
