"""The user's own vectors, made elsewhere: an array and the names of its rows."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest import io
from earnest.embeddings.protocol import MissingWeights, file_digest

if TYPE_CHECKING:
    import pandas

NAMES = ("item_id", "mixture_id", "clip_id")
SHOWN = 5  # names in a message
ROWS = 4_096  # in memory at a time


class UserArray:
    """Vectors matched to items by name.

    Parameters
    ----------
    array : str
        A .npy file (N, d) of float32 (float16 and float64 are converted); pickles are refused.
    items : str
        A .csv or .parquet file with N rows in the order of the array and one of the columns
        `item_id`, `mixture_id` and `clip_id`; in a study with several variants of its mixtures
        also `variant`.
    """

    name = "file"
    sample_rate = None

    def __init__(self, *, array: str, items: str) -> None:
        self.array, self.items = Path(array), Path(items)

    @classmethod
    def sources(cls, *, array: str, items: str) -> list[Path]:
        """Return the files that the options name."""
        return [Path(array), Path(items)]

    @cached_property
    def _vectors(self) -> np.ndarray:
        """The array, memory-mapped.

        Raises
        ------
        MissingWeights
            If a file is not there.
        ValueError
            If it holds no two-dimensional array of floating point numbers.
        """
        for path in self.sources(array=str(self.array), items=str(self.items)):
            if not path.is_file():
                raise MissingWeights(f"backend {self.name}: there is no file {path}")
        try:
            vectors = io.read_array(self.array, verified=False)
        except (ValueError, EOFError) as error:
            raise ValueError(f"{self.array} holds no plain array: {error}") from error
        if vectors.ndim != 2 or vectors.dtype.kind != "f" or vectors.shape[1] == 0:
            raise ValueError(
                f"{self.array} must hold (N, d) float32, got shape {vectors.shape} of"
                f" {vectors.dtype}"
            )
        return vectors

    @property
    def dimension(self) -> int:
        """Length of one vector."""
        return self._vectors.shape[1]

    @cached_property
    def _names(self) -> "pandas.Series":
        """Row number in the array by name, or by (variant, name)."""
        import pandas as pd

        vectors = self._vectors
        frame = _read_items(self.items)
        if len(frame) != len(vectors):
            raise ValueError(
                f"{self.items} names {len(frame)} rows, but {self.array} has {len(vectors)}"
            )
        keys = ["variant"] * ("variant" in frame.columns) + [_name_column(frame, self.items)]
        empty = frame[keys].isna().any(axis=1)
        if empty.any():
            raise ValueError(f"{self.items}, row {int(empty.argmax())}: {keys[-1]} is empty")
        twice = frame[frame.duplicated(keys)]
        if len(twice):
            raise ValueError(f"{self.items} names twice: {_shown(twice[keys[-1]])}")
        index = pd.MultiIndex.from_frame(frame[keys]) if len(keys) > 1 else frame[keys[0]]
        return pd.Series(np.arange(len(frame)), index=index)

    def _rows(self, names: Sequence[str], variant: str | None) -> "pandas.Series":
        rows = self._names
        if rows.index.nlevels == 2:
            if variant not in rows.index.get_level_values(0):
                raise ValueError(f"{self.items} has no rows of variant {variant!r}")
            rows = rows.loc[variant]
        return rows.reindex(list(names))

    def vectors_of(self, names: Sequence[str], *, variant: str | None = None) -> np.ndarray:
        """Return the vectors of items.

        Parameters
        ----------
        names : sequence of str
        variant : str, optional
            Which variant of the mixtures, where the items file has that column.

        Returns
        -------
        (n, d) float32

        Raises
        ------
        ValueError
            If a name is missing, or its vector is not finite; names and rows are given.
        """
        rows = self._rows(names, variant)
        missing = rows.index[rows.isna()]
        if len(missing):
            raise ValueError(
                f"{self.items} lacks {len(missing)} of {len(rows)} items: {_shown(missing)}"
            )
        positions = rows.to_numpy(dtype=np.int64)
        return self._read(positions, list(rows.index))

    def _read(self, positions: np.ndarray, names: Sequence[Any]) -> np.ndarray:
        with np.errstate(over="ignore"):  # what float32 cannot hold is reported just below
            vectors = np.asarray(self._vectors[positions], dtype=np.float32)
        bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1)).tolist()
        if len(bad):
            where = [f"{names[i]} (row {positions[i]})" for i in bad]
            raise ValueError(
                f"{self.array} holds {len(where)} vectors that are not finite: {_shown(where)}"
            )
        return vectors

    def check_vectors(self) -> int:
        """Read every vector, whatever the study needs, and return how many there are.

        Raises
        ------
        ValueError
            If one is not finite; the first block of rows that has any is named.
        """
        names = list(self._names.index)
        for first in range(0, len(names), ROWS):
            positions = np.arange(first, min(first + ROWS, len(names)))
            self._read(positions, names[first : first + ROWS])
        return len(names)

    def unused(self, names: Sequence[str], *, variant: str | None = None) -> list[str]:
        """Return the names of rows that are none of these items, in the order of the file."""
        rows = self._names
        if rows.index.nlevels == 2:
            rows = rows.loc[variant]
        return rows.index[~rows.index.isin(list(names))].to_list()

    def embed(self, waveforms: np.ndarray) -> np.ndarray:
        """Refuse: these vectors belong to items, not to waveforms."""
        raise TypeError("backend file knows vectors of items and cannot embed a waveform")

    def describe(self) -> dict[str, Any]:
        """Return the hashes of both files and library versions, as plain values."""
        from earnest.io.provenance import library_versions

        return {
            "backend": self.name,
            "sample_rate": self.sample_rate,
            "dimension": self.dimension,
            "weights": file_digest(self.array),
            "items": file_digest(self.items),
            "versions": library_versions("numpy"),
        }


def _read_items(path: Path) -> "pandas.DataFrame":
    import pandas as pd

    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    if path.suffix == ".csv":
        return pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
    raise ValueError(f"{path} must be a .csv or .parquet file")


def _name_column(frame: "pandas.DataFrame", path: Path) -> str:
    held = [name for name in NAMES if name in frame.columns]
    if len(held) != 1:
        raise ValueError(
            f"{path} must have one of the columns {', '.join(NAMES)}; it has"
            f" {', '.join(map(str, frame.columns))}"
        )
    return held[0]


def _shown(names: Sequence[Any]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(map(str, names[:SHOWN])) + more
