"""WildDESED's weakly labelled clips: those of DESED under the noises of eight home scenes."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from earnest.datasets import desed

if TYPE_CHECKING:
    import pandas

CLIPS = desed.CLIPS
LABELS = desed.LABELS
PARTIAL = True


def list_clips(root: str | os.PathLike[str]) -> "pandas.DataFrame":
    """List the clips with exactly one label; the layout is DESED's.

    `recording` is `desed/<video>`, because the sounds are those of DESED: a study on both keeps
    them on one side. Parameters, returns and errors are those of `earnest.datasets.desed`.
    """
    return desed.list_weak(Path(root), "wilddesed")


def check(root: str | os.PathLike[str], *, complete: bool) -> list[str]:
    """Say what is wrong with a folder, as `earnest.datasets.desed.check` does."""
    return desed.check_weak(Path(root), list_clips(root))
