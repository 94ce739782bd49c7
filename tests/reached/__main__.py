"""Count what the tests reach of the native core and of Python: `make coverage`.

`python -m tests.reached native` or `python` for one half alone.
The totals and the holes go to standard output and to tests/reached/results/DATE-HALF.md.
"""

from __future__ import annotations

import argparse
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path

from tests.reached import native, python

RESULTS = Path(__file__).with_name("results")
HALVES = {"native": native.report, "python": python.report}


def main() -> int:
    """1 where tests failed, or fewer branches of the native core are reached than are asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.reached", description=__doc__)
    parser.add_argument("half", nargs="?", choices=[*HALVES], help="both by default")
    chosen = parser.parse_args().half
    is_well = True
    for half in [chosen] if chosen else HALVES:
        text, is_enough = HALVES[half]()
        today = f"{datetime.now(UTC):%Y-%m-%d}"
        machine = f"{today}, Python {platform.python_version()}, {platform.machine()}"
        text = (
            f"# What tests reach: {half}\n\n{machine}: `python -m tests.reached {half}`\n\n{text}"
        )
        print(text)
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"{today}-{half}.md").write_text(text, encoding="utf-8")
        is_well &= is_enough
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
