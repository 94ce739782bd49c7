"""Compare the cost of pinned calls at two commits, interleaved.

Each pair of measurements comes from new processes. A case that is not clear after --pairs pairs
takes three times as many, and no more.

Exit codes: 1 where HEAD is slower, gives another answer or fails;
3 where a case is unclear or not in BASE; else 0.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from benchmarks.machine import processor
from benchmarks.pins import table
from benchmarks.pins.ratios import FEWEST, UNCLEAR, Ratio
from benchmarks.pins.sides import BASE, HEAD, Bench, CannotCompareError, Case, Pair
from benchmarks.pins.table import Outcome
from benchmarks.pins.trees import commit_tree, working_tree

PAIRS: Final = 15
QUICK: Final = FEWEST
MORE: Final = 3
"""Pairs of the second look, times those of the first."""

LIMIT: Final = 1.10


def main(words: Sequence[str] | None = None) -> int:
    """Build what is missing, measure, print, and write where that is wanted."""
    options = _parser().parse_args(words)
    if options.pairs < FEWEST:
        _parser().error(f"--pairs is at least {FEWEST}")
    if options.limit <= 1.0:
        _parser().error("--limit is a ratio above 1, such as 1.1")
    looks = (QUICK,) if options.quick else (options.pairs, MORE * options.pairs)
    base = commit_tree(options.base)
    head = commit_tree(options.head) if options.head else working_tree()
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(base, head, Path(folder))
        cases = chosen(bench.cases(), options.cases)
        if not cases:
            _parser().error(f"no case has {' or '.join(map(repr, options.cases))} in its name")
        lines = [
            f"BASE is {base.name}: {base.site / 'karat'}  ",
            f"HEAD is {head.name}: {head.site / 'karat'}  ",
            f"{processor()}, load {os.getloadavg()[0]:.1f}, one thread, limit {options.limit:g}",
            "",
            *table.HEADER,
        ]
        print("\n".join(lines), flush=True)
        outcomes = []
        for case in cases:
            outcomes.append(measured(bench, case, looks, options.limit))
            print(outcomes[-1].row(), flush=True)
    minutes, seconds = divmod(round(time.monotonic() - start), 60)
    ending = f"{table.summary(outcomes)} {minutes} min {seconds} s."
    print(f"\n{ending}")
    if options.out:
        text = "\n".join([*lines, *(outcome.row() for outcome in outcomes), "", ending, ""])
        options.out.with_suffix(".md").write_text(text, encoding="utf-8")
        content = {
            "base": base.name,
            "head": head.name,
            "limit": options.limit,
            "cases": [outcome.to_json() for outcome in outcomes],
        }
        options.out.with_suffix(".json").write_text(json.dumps(content, indent=1) + "\n")
    return table.exit_code(outcomes)


def chosen(cases: Sequence[Case], texts: Sequence[str]) -> list[Case]:
    """The cases that have one of the texts in their name; all without a text."""
    return [case for case in cases if not texts or any(text in case.name for text in texts)]


def measured(bench: Bench, case: Case, looks: Sequence[int], limit: float) -> Outcome:
    """Take pairs of a case up to the look that decides; more looks raise more false alarms."""
    pairs: list[Pair] = []
    try:
        with closing(bench.pairs(case)) as stream:
            for pair in stream:
                pairs.append(pair)
                if len(pairs) not in looks:
                    continue
                is_last = len(pairs) == looks[-1]
                outcome = outcome_of_pairs(case, pairs, limit, is_last)
                if outcome.verdict != UNCLEAR or is_last:
                    return outcome
    except CannotCompareError as fault:
        verdicts = {BASE: table.NOT_IN_BASE, HEAD: table.FAILS}
        return Outcome(case.name, verdicts.get(fault.side, table.DIFFERS), str(fault))
    raise AssertionError("pairs have no end")


def outcome_of_pairs(case: Case, pairs: Sequence[Pair], limit: float, is_last: bool) -> Outcome:
    """The ratio of the cost that decides, with the time on the clock beside it."""
    costs = [(pair.base[case.cost], pair.head[case.cost]) for pair in pairs]
    ratio = Ratio.from_pairs(costs)
    base, head = (statistics.median(side) for side in zip(*costs, strict=True))
    return Outcome(
        case.name,
        ratio.verdict(limit, is_last),
        unit="bytes" if case.cost == "peak" else "ns",
        base=base,
        head=head,
        ratio=ratio,
        wall=statistics.median(pair.head["wall"] / pair.base["wall"] for pair in pairs),
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.pins",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("base", metavar="BASE", help="a commit")
    parser.add_argument("head", metavar="HEAD", nargs="?", help="default: the working tree")
    parser.add_argument(
        "--cases", nargs="+", default=[], metavar="TEXT", help="cases with a text in their name"
    )
    parser.add_argument(
        "--pairs",
        type=int,
        default=PAIRS,
        help=f"pairs of a case; {MORE} times as many where it is unclear (default: {PAIRS})",
    )
    parser.add_argument(
        "--limit", type=float, default=LIMIT, help=f"largest ratio (default: {LIMIT})"
    )
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} pairs, and no more")
    parser.add_argument("--out", type=Path, help="writes OUT.json and OUT.md too")
    return parser


if __name__ == "__main__":
    sys.exit(main())
