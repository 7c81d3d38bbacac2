"""The log of one job: everything printed or warned goes to a file, an error also to the screen."""

import logging
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

from earnest.io.checksums import DamagedFile


def set_aside(path: Path) -> Path:
    """Rename a damaged file, so that Snakemake sees that it is missing; nothing is deleted."""
    aside = path.with_name(f"{path.name}.damaged")
    path.replace(aside)
    return aside


@contextmanager
def job_log(path: str | os.PathLike) -> Iterator[None]:
    """Send printed text, warnings and log records to a file while the block runs.

    If the block raises, the traceback goes to the file and one sentence with the
    error's own words to the screen; then the process ends with exit code 1.

    Parameters
    ----------
    path : path-like
        The log file; parent folders are made, an older log is replaced.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    screen = sys.stderr
    with open(path, "w", encoding="utf-8", buffering=1) as file:
        handler = logging.StreamHandler(file)
        logging.captureWarnings(True)
        logging.getLogger().addHandler(handler)
        try:
            with redirect_stdout(file), redirect_stderr(file):
                yield
        except Exception as error:
            traceback.print_exc(file=file)
            print(f"earnest: {type(error).__name__}: {error} (details: {path})", file=screen)
            if isinstance(error, DamagedFile) and error.path.is_file():
                aside = set_aside(error.path)
                print(f"earnest: it is now {aside}; the same command makes it anew", file=screen)
            raise SystemExit(1) from error
        finally:
            logging.getLogger().removeHandler(handler)
            logging.captureWarnings(False)
