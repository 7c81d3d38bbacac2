"""Log-mel statistics: 40 Slaney bands, 40 ms windows, 20 ms hop; no weights, no torch."""

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest.embeddings.protocol import checked

if TYPE_CHECKING:
    import scipy.sparse

PERCENTILES = (10, 50, 90)
STATISTICS = ("mean", "sd", *(f"p{p}" for p in PERCENTILES), "delta_mean", "delta_sd")
DELTA_WIDTH = 9


class LogMel:
    """Mean, SD, percentiles and delta statistics over time of each band's log energy.

    The bands are those of the DCASE 2018 task 1 baseline at 16 kHz: 40 triangular filters on
    Slaney's mel scale from 0 to 8 kHz, not area-normalised, of the power spectrum under a
    Hamming window. The delta is the slope of the least-squares line over 9 frames (180 ms);
    its mean is that of its absolute value, because the mean of a signed slope says only how a
    clip's end differs from its beginning.

    Parameters
    ----------
    bands : int
        Number of mel bands.
    floor : float
        Energy added before the natural logarithm. The default lies 14 to 22 dB above the noise
        that 16-bit quantisation leaves in a band, so that digital silence and a quiet recording
        read alike (on ESC-10 the accuracy of a probe rises by 1 to 2 points from 1e-7 to 1e-5).
    """

    name = "logmel"
    sample_rate = 16_000
    window = 640
    hop = 320

    def __init__(self, *, bands: int = 40, floor: float = 1e-5) -> None:
        if bands < 1 or not floor > 0:
            raise ValueError(f"bands must be at least 1 and floor positive, got {bands}, {floor}")
        self.bands, self.floor = int(bands), float(floor)
        self.dimension = self.bands * len(STATISTICS)

    @cached_property
    def _taper(self) -> np.ndarray:
        from scipy.signal import get_window

        return get_window("hamming", self.window, fftbins=True).astype(np.float32)

    @cached_property
    def _filters(self) -> "scipy.sparse.csr_array":
        """Filter bank (bands, bins): a bin lies in two filters at most, so it is kept sparse.

        A product so small would also cost more in a threaded BLAS than it takes in one thread.
        """
        from librosa.filters import mel
        from scipy.sparse import csr_array

        bank = mel(sr=self.sample_rate, n_fft=self.window, n_mels=self.bands, norm=None)
        return csr_array(bank.astype(np.float32))

    def log_energies(self, waveform: np.ndarray) -> np.ndarray:
        """Return the log band energies of one waveform.

        Parameters
        ----------
        waveform : (samples,) float32
            Zeros are added at the end when it is shorter than a window.

        Returns
        -------
        (bands, frames) float32
            Natural logarithm; frame t covers the samples [320 t, 320 t + 640).
        """
        from scipy.fft import rfft

        short = self.window - waveform.shape[0]
        if short > 0:
            waveform = np.pad(waveform, (0, short))
        frames = np.lib.stride_tricks.sliding_window_view(waveform, self.window)[:: self.hop]
        spectra = rfft(frames * self._taper, axis=-1)
        power = np.square(spectra.real) + np.square(spectra.imag)
        energies = self._filters @ np.ascontiguousarray(power.T)
        return np.log(energies + np.float32(self.floor))

    def embed(self, waveforms: np.ndarray) -> np.ndarray:
        """Embed waveforms.

        Parameters
        ----------
        waveforms : (n, samples) float32
            16 kHz mono, finite.

        Returns
        -------
        (n, 7 * bands) float32
            The statistics in the order of `STATISTICS`, each over all bands from low to high.
            One waveform at a time goes through the same operations on the same shapes, so a
            vector is the same to the last bit whatever the batch.

        Raises
        ------
        ValueError
            If the array is not two-dimensional, has no samples, or holds a non-finite sample.
        """
        waveforms = checked(waveforms)
        vectors = np.empty((len(waveforms), self.dimension), dtype=np.float32)
        for row, waveform in enumerate(waveforms):
            vectors[row] = _statistics(self.log_energies(waveform))
        return vectors

    def describe(self) -> dict[str, Any]:
        """Return settings and library versions, as plain values."""
        from earnest.provenance import library_versions

        return {
            "backend": self.name,
            "sample_rate": self.sample_rate,
            "dimension": self.dimension,
            "bands": self.bands,
            "window": self.window,
            "hop": self.hop,
            "taper": "hamming",
            "floor": self.floor,
            "delta_width": DELTA_WIDTH,
            "statistics": list(STATISTICS),
            "versions": library_versions("numpy", "scipy", "librosa"),
        }


def _statistics(energies: np.ndarray) -> np.ndarray:
    """Summarise (bands, frames) over frames into (7 * bands,)."""
    slopes = _slopes(energies)
    parts = [
        energies.mean(axis=1),
        energies.std(axis=1),
        *np.percentile(energies, PERCENTILES, axis=1),
        np.abs(slopes).mean(axis=1),
        slopes.std(axis=1),
    ]
    return np.concatenate(parts).astype(np.float32)


def _slopes(energies: np.ndarray) -> np.ndarray:
    """Least-squares slope per frame over `DELTA_WIDTH` frames; the edges repeat the last frame."""
    from scipy.ndimage import correlate1d

    offsets = np.arange(DELTA_WIDTH, dtype=np.float64) - DELTA_WIDTH // 2
    return correlate1d(energies, offsets / np.square(offsets).sum(), axis=1, mode="nearest")
