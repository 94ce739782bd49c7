"""The command line: `karat report predictions.parquet`. Needs ``pip install "karat[cli]"``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from karat.errors.kinds import SAID, lacks_memory

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    0 done, 1 a gate failed, 2 wrong usage or input, 3 a gate is inconclusive, 70 a bug in karat,
    130 interrupted.

    Args:
        arguments: what follows the name of the program; those of the process by default.
    """
    try:
        import click  # noqa: F401

        from karat.cli.app import run
    except (ImportError, MemoryError) as problem:
        if lacks_memory(problem):
            sys.stderr.write(f"{SAID}\n")
        elif isinstance(problem, ModuleNotFoundError) and problem.name == "click":
            sys.stderr.write('The karat command needs its extra: pip install "karat[cli]"\n')
        else:
            raise
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        return 130
    return run(list(sys.argv[1:] if arguments is None else arguments))
