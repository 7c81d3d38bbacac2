"""Trained networks in files: what they hold, and whether they are the ones that are asked for."""

import hashlib
import io as buffers
import os
import pickle
import zipfile
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from earnest import io

if TYPE_CHECKING:
    import torch

FORMAT = 1
KEYS = {
    "format",
    "architecture",
    "classes",
    "spectrogram",
    "samples",
    "mean",
    "sd",
    "settings",
    "validation_recordings",
    "weights",
    "training",
}


class WrongCheckpoint(ValueError):
    """A file that holds no trained network, or not the one that is asked for."""


def save(checkpoint: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write a checkpoint, aside and renamed; equal content gives equal bytes."""
    import torch

    # into memory first: torch writes the name of the file into it
    buffer = buffers.BytesIO()
    torch.save(dict(checkpoint), buffer)
    with io.written_aside(path) as aside:
        aside.write_bytes(buffer.getbuffer())


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read what `save` wrote, onto the CPU; nothing but tensors and plain values is unpickled.

    Raises
    ------
    WrongCheckpoint
        If there is no such file, or it is no file of torch, is cut short, or holds other objects.
    """
    import torch

    if not os.path.isfile(path):
        raise WrongCheckpoint(f"there is no checkpoint {path}")
    try:
        found = torch.load(path, map_location="cpu", weights_only=True)
    except (
        RuntimeError,
        EOFError,
        pickle.UnpicklingError,
        zipfile.BadZipFile,
        ValueError,
    ) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise WrongCheckpoint(f"{path} is no checkpoint that can be loaded: {reason}") from None
    if not isinstance(found, dict):
        raise WrongCheckpoint(f"{path} holds a {type(found).__name__}, not a checkpoint")
    return found


def read_network(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the checkpoint of a trained network.

    Raises
    ------
    WrongCheckpoint
        If it is none of this format; the keys that are missing are named.
    """
    found = read(path)
    missing = sorted(KEYS - found.keys())
    if missing:
        raise WrongCheckpoint(f"{path} is no network trained by earnest: {missing[0]!r} is missing")
    if found["format"] != FORMAT:
        raise WrongCheckpoint(f"{path} has format {found['format']}, this version reads {FORMAT}")
    return found


def check_same(
    expected: Mapping[str, Any], found: Mapping[str, Any], path: str | os.PathLike[str]
) -> None:
    """Check that what a checkpoint was made with is what is asked for.

    Raises
    ------
    WrongCheckpoint
        At the first difference; the message gives both values.
    """
    for key, value in expected.items():
        other = found.get(key)
        if isinstance(value, Mapping) and isinstance(other, Mapping):
            check_same(value, other, path)
        elif value != other:
            raise WrongCheckpoint(
                f"{path} was made with another {key}: it has {other!r}, this study {value!r};"
                " delete it or set the old value"
            )


def head(checkpoint: Mapping[str, Any]) -> dict[str, Any]:
    """Return the last layer of a network, which makes logits of embeddings, as plain values.

    Returns
    -------
    dict
        `classes`; `weights`: for each class those of the embedding, then the bias; and
        `validation_recordings`, which chose the epoch and were not trained on.
    """
    import torch

    weights = checkpoint["weights"]
    (matrix,) = (weights[name] for name in weights if name.endswith("weight") and _in_head(name))
    (bias,) = (weights[name] for name in weights if name.endswith("bias") and _in_head(name))
    rows = torch.cat([matrix, bias[:, None]], dim=1)
    return {
        "classes": list(checkpoint["classes"]),
        "weights": rows.tolist(),
        "validation_recordings": list(checkpoint["validation_recordings"]),
    }


def _in_head(name: str) -> bool:
    return name.startswith("head.")


def weights_hash(weights: "Mapping[str, torch.Tensor]") -> str:
    """Return 16 hexadecimal digits of the SHA-256 of names and values of all weights."""
    digest = hashlib.sha256()
    for name in sorted(weights):
        array = weights[name].detach().cpu().contiguous().numpy()
        digest.update(f"{name}\0{array.dtype}\0{array.shape}\0".encode() + array.tobytes())
    return digest.hexdigest()[:16]
