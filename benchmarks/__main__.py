"""Run the benchmark: check, time, print and write. One process for each peer, karat in each."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks import cold, docs_page, limits, machine, memory, peaks, render, scaling, threads
from benchmarks.case import Row
from benchmarks.cases import MODULES
from benchmarks.page import Page

RESULTS = Path(__file__).parent / "results"
PARTS = ("cases", "threads", "cold", "memory", "scaling")


def main(arguments: list[str]) -> int:
    """Run what is chosen; the exit status is 1 when any answers differ."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", default="", help="run the cases whose name holds this text")
    parser.add_argument("--peer", choices=MODULES, action="append", help="run the cases of a peer")
    parser.add_argument(
        "--part", choices=PARTS, action="append", help="run a part of the page; default: all"
    )
    parser.add_argument(
        "--out",
        type=Path,
        help="folder to write into; default: benchmarks/results of a whole page, nowhere of less",
    )
    parser.add_argument(
        "--keep", type=Path, help="a result (JSON) of today: what is not run again stays"
    )
    parser.add_argument("--page", type=Path, help="a page of docs to write the results into")
    options = parser.parse_args(arguments)
    chosen_cases = options.only or options.peer
    parts = options.part or (("cases",) if chosen_cases else PARTS)
    if options.keep and not options.part and not chosen_cases:
        parts = ()
    is_whole = bool(options.keep) or (not chosen_cases and set(parts) == set(PARTS))
    if chosen_cases and "cases" not in parts:
        parser.error("--only and --peer choose cases: add --part cases, or leave --part out")
    if options.page and not is_whole:
        parser.error("--page replaces every table of the page: add --keep, the rest of the result")
    if options.page:
        docs_page.head_of(options.page)

    page = Page({**machine.facts(), **limits.facts()})
    before = options.keep and Page.from_json(json.loads(options.keep.read_text(encoding="utf-8")))
    if before:
        page.check_like(before)
    if "cases" in parts:
        for peer in options.peer or MODULES:
            for row in rows_beside(peer, options.only):
                if not any(other.peer == peer for other in page.rows):
                    print(f"\n{render.HEADER}", flush=True)
                print(render.markdown_row(row), flush=True)
                page.rows.append(row)
        if not page.rows:
            parser.error(f"no case is named {options.only!r}: benchmarks/results has the names")
    if "threads" in parts:
        page.threads = [*threads.measure(), *threads.measure_limits()]
        print("\n" + "\n".join(render.markdown_threads(page.threads)), flush=True)
    if "cold" in parts:
        page.starts = cold.measure()
        print("\n" + "\n".join(render.markdown_starts(page.starts)), flush=True)
    if "memory" in parts:
        page.peaks = [memory.measure(n_rows) for n_rows in (memory.SMALL, memory.LARGE)]
        print("\n" + "\n".join(render.markdown_peaks(page.peaks)), flush=True)
        page.array_peaks = peaks.measure()
        print("\n" + "\n".join(render.markdown_array_peaks(page.array_peaks)), flush=True)
    if "scaling" in parts:
        page.curves = scaling.measure()
        print("\n" + "\n".join(scaling.markdown(page.curves)), flush=True)
    if before:
        page.keep(before)
    told = page.verdict
    if options.out or is_whole:
        told += f"; see {render.write(options.out or RESULTS, page)}"
    if options.page:
        docs_page.refresh(options.page, page)
    print(f"\n{told}")
    return 1 if page.n_differing else 0


def rows_beside(peer: str, text: str) -> Iterator[Row]:
    """Rows as the process of a peer tells them.

    Raises:
        RuntimeError: the process failed; what it said stands on stderr.
    """
    command = [sys.executable, "-m", "benchmarks.worker", peer, text]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        for line in worker.stdout:
            if line.startswith("{"):
                yield Row.from_json(json.loads(line))
    if worker.returncode:
        raise RuntimeError(f"the cases beside {peer} ended with status {worker.returncode}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
