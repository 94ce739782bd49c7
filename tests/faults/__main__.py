"""What goes wrong outside of karat, and what survives it: `make faults`.

    python -m tests.faults [--n 20] [--only NAME]

One line for each fault: where it was injected, how often, and how often everything was as it has
to be afterwards. Exits with 1 where something was not. The last lines say how long Ctrl-C took.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from tests.faults import cases, interrupts

LINE = "{:20} {:58} {:>8} {:>9}"
T = TypeVar("T")


def _told(problem: BaseException) -> str:
    return (str(problem) or type(problem).__name__)[:300].replace("\n", " ")


def _tried(checks: Sequence[Callable[[], T]]) -> list[T]:
    """What the checks that pass return; a line is printed for each of the others."""
    passed = []
    for check in checks:
        try:
            passed.append(check())
        except Exception as problem:
            print(f"  {_told(problem)}")
    return passed


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults")
    parser.add_argument("--n", type=int, default=20, help="times of each fault that is random")
    parser.add_argument("--only", default="", help="a part of the names of the faults")
    given = parser.parse_args()
    n_faults = 0
    print(LINE.format("fault", "where", "injected", "survived"))
    with tempfile.TemporaryDirectory(prefix="karat-faults-") as name:
        for fault in cases.faults(Path(name), given.n):
            if given.only not in fault.name:
                continue
            n, n_survived = len(fault.checks), len(_tried(fault.checks))
            n_faults += n - n_survived
            print(LINE.format(fault.name, fault.where, n, n_survived), flush=True)
    if given.only in "interrupt":
        for name in interrupts.WORK:
            after = [0.05 + 0.11 * i for i in range(max(1, given.n // 4))]
            took = _tried([partial(interrupts.interrupted, name, seconds) for seconds in after])
            n_faults += len(after) - len(took)
            shown = f"{name}: {1000 * max(took):.0f} ms at most" if took else name
            print(LINE.format("interrupt", shown, len(after), len(took)), flush=True)
    return min(1, n_faults)


if __name__ == "__main__":
    sys.exit(main())
