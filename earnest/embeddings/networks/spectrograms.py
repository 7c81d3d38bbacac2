"""Log-mel spectrograms that networks see, one waveform at a time."""

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import scipy.sparse

LOGARITHMS = ("natural", "decibel")


@dataclass(frozen=True)
class Spectrogram:
    """How a waveform becomes a log-mel spectrogram.

    Frame t covers the samples [hop t, hop t + window), shifted half a window to the left when
    `centred`; the waveform is padded with zeros so that there are samples // hop frames
    (one more when centred), 250 in 5 s at 16 kHz with a hop of 20 ms.

    Attributes
    ----------
    sample_rate : int
        Hz.
    bands : int
        Triangular filters on Slaney's mel scale from 0 Hz to half the sample rate, not
        area-normalised.
    window, hop : int
        Samples; the window is also the length of the transform.
    taper : str
        A window of scipy.signal, taken as periodic.
    power : int
        1 for magnitudes, 2 for energies.
    logarithm : str
        `natural`, or `decibel` (10 log10 of energies, 20 log10 of magnitudes).
    floor : float
        Added before the logarithm.
    centred : bool
        Whether frame t is centred on sample hop t.
    """

    sample_rate: int = 16_000
    bands: int = 40
    window: int = 640
    hop: int = 320
    taper: str = "hamming"
    power: int = 1
    logarithm: str = "natural"
    floor: float = 1e-3
    centred: bool = False

    def __post_init__(self) -> None:
        if self.bands < 1 or self.window < self.hop or self.hop < 1:
            raise ValueError(f"bands >= 1 and window >= hop >= 1 are needed, got {self}")
        if not self.floor > 0 or self.power not in (1, 2) or self.logarithm not in LOGARITHMS:
            raise ValueError(
                f"floor must be positive, power 1 or 2, logarithm one of {LOGARITHMS}, got {self}"
            )

    @cached_property
    def _taper(self) -> np.ndarray:
        from scipy.signal import get_window

        return get_window(self.taper, self.window, fftbins=True).astype(np.float32)

    @cached_property
    def _filters(self) -> "scipy.sparse.csr_array":
        """Filter bank (bands, bins); a bin lies in two filters at most."""
        from librosa.filters import mel
        from scipy.sparse import csr_array

        bank = mel(sr=self.sample_rate, n_fft=self.window, n_mels=self.bands, norm=None)
        return csr_array(bank.astype(np.float32))

    def frames(self, samples: int) -> int:
        """Return the number of frames of a waveform of so many samples."""
        return max(samples // self.hop, 1) + self.centred

    def of(self, waveform: np.ndarray) -> np.ndarray:
        """Return the spectrogram of one waveform.

        Parameters
        ----------
        waveform : (samples,) float32
            Finite, at the sample rate of the spectrogram.

        Returns
        -------
        (bands, frames) float32
        """
        import torch

        count = self.frames(len(waveform))
        before = self.window // 2 if self.centred else 0
        after = max((count - 1) * self.hop + self.window - before - len(waveform), 0)
        padded = torch.from_numpy(np.pad(waveform, (before, after)))
        frames = padded.unfold(0, self.window, self.hop)[:count]
        spectra = torch.fft.rfft(frames * torch.from_numpy(self._taper)).numpy()
        strength = np.abs(spectra)
        if self.power == 2:
            np.square(strength, out=strength)
        energies = self._filters @ np.ascontiguousarray(strength.T)
        energies += np.float32(self.floor)
        if self.logarithm == "natural":
            return np.log(energies, out=energies)
        return np.log10(energies, out=energies) * np.float32(20 / self.power)

    def describe(self) -> dict[str, Any]:
        """Return every setting as plain values."""
        return asdict(self)


def checked(waveforms: np.ndarray, *, first: int = 0) -> np.ndarray:
    """Return waveforms (n, samples) as float32.

    Parameters
    ----------
    waveforms : (n, samples) float
    first : int
        Number of the first row, for messages.

    Raises
    ------
    ValueError
        If the array has another number of dimensions, no samples, or a sample that is not
        finite; its row is named.
    """
    waveforms = np.asarray(waveforms)
    if waveforms.ndim != 2 or waveforms.shape[1] == 0:
        raise ValueError(f"waveforms must be (n, samples), got shape {waveforms.shape}")
    waveforms = waveforms.astype(np.float32, copy=False)
    bad = np.flatnonzero(~np.isfinite(waveforms).all(axis=1))
    if len(bad):
        raise ValueError(f"waveform {first + bad[0]} holds a non-finite sample")
    return waveforms
