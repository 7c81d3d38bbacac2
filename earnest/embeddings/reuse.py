"""Vectors kept by the content of their sound, so that what is known is not embedded again."""

import hashlib
import os
import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from earnest import io
from earnest.io import checksums, provenance

FLUSH = 512  # new vectors that are written at a time; a killed job loses no more


def content_key(waveform: np.ndarray, sample_rate: int) -> str:
    """Return the SHA-256 of a waveform (samples,) float32 and its rate in Hz."""
    digest = hashlib.sha256(sample_rate.to_bytes(8, "little"))
    digest.update(np.ascontiguousarray(waveform, dtype="<f4").data)
    return digest.hexdigest()


class KeptVectors:
    """A folder of vectors by key, of one backend with one set of settings, weights and versions.

    Vectors are added in packs, two files each, the list of keys last, so that several jobs may
    add at once and a killed one leaves nothing that counts.

    Parameters
    ----------
    folder : path-like
        May hold vectors of many backends; deleting it loses nothing but time.
    description : mapping
        What `Backend.describe` gives; vectors made otherwise are not seen.
    code : str
        Version of the code behind the vectors.
    """

    def __init__(
        self, folder: str | os.PathLike[str], *, description: Mapping[str, Any], code: str
    ) -> None:
        own = provenance.stamp(code, **io.plain(dict(description)))
        self.folder = Path(folder) / own
        self._keys: list[str] = []
        self._vectors: list[np.ndarray] = []
        self.known = self.new = 0

    @cached_property
    def _packs(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Keys and vectors of each whole pack; of one whose job was killed, there are no keys.

        A damaged pack is deleted, as its vectors can be computed again.
        """
        packs = []
        for listed in sorted(self.folder.glob("*.keys.npy")):
            vectors = listed.with_name(listed.name.replace(".keys.", ".vectors."))
            try:
                keys = io.read_array(listed, memory_map=False).astype(str)
                packs.append((keys, io.read_array(vectors)))
            except (checksums.DamagedFile, FileNotFoundError) as error:
                warnings.warn(f"kept vectors are computed again: {error}", stacklevel=2)
                listed.unlink(missing_ok=True)
                vectors.unlink(missing_ok=True)
                continue
            if len(keys) != len(packs[-1][1]):
                raise ValueError(
                    f"{listed} and {vectors} do not belong together; delete {self.folder}"
                )
        return packs

    @cached_property
    def _places(self) -> dict[str, tuple[int, int]]:
        """Pack and row of each key."""
        return {
            str(key): (pack, row)
            for pack, (keys, _) in enumerate(self._packs)
            for row, key in enumerate(keys)
        }

    def find(self, keys: Sequence[str], dimension: int) -> tuple[np.ndarray, np.ndarray]:
        """Look up vectors.

        Parameters
        ----------
        keys : sequence of str
            From `content_key`.
        dimension : int
            Length of a vector.

        Returns
        -------
        known : (n,) bool
        vectors : (n, dimension) float32
            Zeros where not known.
        """
        known = np.array([key in self._places for key in keys], dtype=bool)
        vectors = np.zeros((len(keys), dimension), dtype=np.float32)
        self.known += int(known.sum())
        for position in np.flatnonzero(known).tolist():
            pack, row = self._places[keys[position]]
            vectors[position] = self._packs[pack][1][row]
        return known, vectors

    def add(self, keys: Sequence[str], vectors: np.ndarray) -> None:
        """Keep vectors (n, d) float32; they are written when enough have come, and by `flush`."""
        self.new += len(keys)
        self._keys.extend(keys)
        self._vectors.append(vectors)
        if len(self._keys) >= FLUSH:
            self.flush()

    def flush(self) -> None:
        """Write what was added."""
        if not self._keys:
            return
        name = hashlib.sha256("".join(self._keys).encode()).hexdigest()[:32]
        io.write_array(np.concatenate(self._vectors), self.folder / f"{name}.vectors.npy")
        io.write_array(np.array(self._keys, dtype="S64"), self.folder / f"{name}.keys.npy")
        self._keys, self._vectors = [], []

    def summary(self) -> str:
        """Say how many vectors were found and how many were added."""
        return f"{self.new} sounds embedded, {self.known} known from before"
