"""The command `earnest`: evaluate a pool of one's own, compare runs, without Snakemake."""

import argparse
import os
import sys
from collections.abc import Sequence

from earnest.commands import compare, estimate

BAD_INPUT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the shell when not given.

    Returns
    -------
    int
        0, or 2 where the input cannot be used, which one sentence on the error stream explains.
        Where nobody reads what is printed, such as before `head`, all files are written and it
        is 0.
    """
    parser = argparse.ArgumentParser(prog="earnest", description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    estimate.add_arguments(commands)
    compare.add_arguments(commands)
    given = parser.parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        # a terminal that lacks a character must not end the run
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        given.run(given)
        sys.stdout.flush()
    except BrokenPipeError:
        # whoever reads, such as `head`, has seen enough; what is printed at the exit has no reader
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ValueError, OSError) as error:
        print(f"earnest: {terminal_text(error)}", file=sys.stderr)
        return BAD_INPUT
    return 0


def terminal_text(error: Exception) -> str:
    """Return the words of an error, with nothing in them that a terminal would obey."""
    from earnest.commands.terminal import printable

    return printable(str(error) or type(error).__name__)
