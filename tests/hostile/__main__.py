"""Attack everything that is read with mutated bytes: `make hostile`.

    python -m tests.hostile [--n 200000] [--seed 0] [--only NAME]

Prints one line for each stored file that the inputs began from; exits with 1 where one raised what
is no refusal, or gave a value that contradicts itself. Each fault shows the seed that makes it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.hostile.fuzz import fuzzed

LINE = "{:34} {:>8} {:>8} {:>6} {:>6}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile")
    parser.add_argument("--n", type=int, default=200_000, help="inputs in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="a part of the names of the stored files")
    given = parser.parse_args()
    print(LINE.format("begun from", "inputs", "refused", "read", "faults"))
    n, n_refused, n_read, n_faults = 0, 0, 0, 0
    with tempfile.TemporaryDirectory(prefix="karat-hostile-") as folder:
        for one in fuzzed(Path(folder), given.n, given.seed, given.only):
            refused = sum(one.codes.values())
            print(LINE.format(one.name, one.n, refused, one.n_read, len(one.faults)), flush=True)
            for fault in one.faults[:3]:
                print(f"  seed {fault.seed}\n{fault.told}")
            n, n_refused = n + one.n, n_refused + refused
            n_read, n_faults = n_read + one.n_read, n_faults + len(one.faults)
    print(LINE.format("all", n, n_refused, n_read, n_faults))
    return min(1, n_faults)


if __name__ == "__main__":
    sys.exit(main())
