"""Where networks run: finding torch, choosing the device, and living with little memory."""

import contextlib
import importlib.util
import logging
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import torch

logger = logging.getLogger(__name__)


class MissingTorch(RuntimeError):
    """Torch is needed and not installed."""


def torch_is_installed() -> bool:
    """Tell whether torch is there, without importing it."""
    return importlib.util.find_spec("torch") is not None


def missing(what: str) -> str:
    """Return what to do when something needs torch and it is not installed."""
    return (
        f"{what} needs torch, which is not installed: run `make torch`"
        " (or pip install -r requirements-torch.txt)"
    )


def import_torch(what: str) -> Any:
    """Return the module torch, or say what needs it and how to get it.

    Raises
    ------
    MissingTorch
        If it is not installed.
    """
    try:
        import torch
    except ImportError:
        raise MissingTorch(missing(what)) from None
    return torch


def choose(device: str) -> "torch.device":
    """Return the device of a name: `auto` (CUDA where there is one), `cpu`, `cuda` or `cuda:1`.

    Raises
    ------
    ValueError
        If there is no such device here.
    """
    import torch

    available = torch.cuda.is_available()
    if device == "auto":
        return torch.device("cuda" if available else "cpu")
    try:
        chosen = torch.device(device)
    except RuntimeError:
        chosen = None
    if chosen is None or chosen.type not in ("cpu", "cuda"):
        raise ValueError(f"device {device!r} is none of auto, cpu, cuda, cuda:0, cuda:1, ...")
    if chosen.type == "cuda" and not (
        available and (chosen.index or 0) < torch.cuda.device_count()
    ):
        raise ValueError(
            f"device {device!r} was asked for, but torch sees {torch.cuda.device_count()} CUDA"
            " devices; set device: cpu or auto"
        )
    return chosen


@contextlib.contextmanager
def threads_set(threads: int) -> Iterator[None]:
    """Run a block with a number of threads; afterwards there are as many as before."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def reproducible(device: "torch.device", threads: int) -> Iterator[None]:
    """Run a block with a number of threads and, on the CPU, with deterministic algorithms only.

    Torch's own random state and settings are afterwards as they were before.
    """
    import torch

    before = torch.are_deterministic_algorithms_enabled()
    devices = [device] if device.type == "cuda" else []
    with torch.random.fork_rng(devices=devices), threads_set(threads):
        torch.use_deterministic_algorithms(device.type == "cpu")
        try:
            yield
        finally:
            torch.use_deterministic_algorithms(before)


def seed(rng: np.random.Generator) -> None:
    """Seed torch's global generator, which draws new weights and dropout."""
    import torch

    torch.manual_seed(int(rng.integers(2**63)))


class Halving:
    """Work in parts that fit into the memory of the device.

    Parameters
    ----------
    size : int
        Items in a part, at first.
    """

    def __init__(self, size: int) -> None:
        self.size = size

    def run(self, work: Callable[[slice], None], items: int) -> None:
        """Call `work` with one slice after the other; out of memory, halve the parts and go on.

        Raises
        ------
        torch.OutOfMemoryError
            If a single item does not fit.
        """
        import torch

        first = 0
        while first < items:
            part = slice(first, min(first + self.size, items))
            try:
                work(part)
            except torch.OutOfMemoryError:
                if part.stop - part.start == 1:
                    raise
                self.size = (part.stop - part.start) // 2
                logger.warning("out of memory: going on with %d items at a time", self.size)
                if torch.cuda.is_available():
                    torch.cuda.empty_cache()
                continue
            first = part.stop
