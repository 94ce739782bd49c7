"""Run the benchmark: check, time, print and write."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

# Before karat is imported: the floors are stated for one thread.
os.environ["KARAT_NUM_THREADS"] = "1"

from benchmarks import machine, memory, render
from benchmarks.case import run
from benchmarks.cases import CASES
from benchmarks.compat_cases import COMPAT_CASES
from benchmarks.score_cases import SCORE_CASES

RESULTS = Path(__file__).parent / "results"
MEMORY = "memory"


def main(arguments: list[str]) -> int:
    """Run the chosen cases; the exit status is 1 when any answers differ."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", default="", help="run the cases whose name holds this text")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder to write into")
    options = parser.parse_args(arguments)

    rows = []
    chosen = [case for case in (*CASES, *SCORE_CASES, *COMPAT_CASES) if options.only in case.name]
    if chosen:
        print(render.HEADER, flush=True)
    for case in chosen:
        rows.append(run(case))
        print(render.markdown_row(rows[-1]), flush=True)
    peaks = []
    if options.only in MEMORY:
        peaks = [memory.measure(n_rows) for n_rows in (memory.SMALL, memory.LARGE)]
        print("\n" + "\n".join(render.markdown_peaks(peaks)))

    page = render.write(options.out, machine.facts(), rows, peaks)
    with_goal = [row for row in rows if row.goal.floor or row.goal.most_us]
    n_met = sum(row.is_met for row in with_goal)
    verdicts = [row.disagreement for row in rows] + [peak.disagreement for peak in peaks]
    n_differing = sum(verdict is not None for verdict in verdicts)
    print(f"\n{n_met} of {len(with_goal)} goals met, {n_differing} answers differ; see {page}")
    return 1 if n_differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
