"""The corpus of recorded calls.

    python -m tests.corpus record [GROUP…] [--to FOLDER]      record all groups, or these
    python -m tests.corpus check [GROUP…] [--no-text]         make the calls again and compare
    python -m tests.corpus show GROUP/ID [--recorded]         print a whole outcome
    python -m tests.corpus diff FOLDER [GROUP…]               compare with another recording
    python -m tests.corpus table                              calls by verb and source

The groups of Dask and Spark start processes: name them, or give --all.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

from tests.corpus import store
from tests.corpus.calls import CLUSTERS, GROUPS, calls_of, in_a_folder
from tests.corpus.check import Finding, checked, findings, outcomes_of
from tests.corpus.exceptions import EXCEPTIONS, Allowed
from tests.corpus.outcome import outcome_of, shown


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.corpus",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=("record", "check", "show", "diff", "table"))
    parser.add_argument("names", nargs="*")
    parser.add_argument("--all", action="store_true", help="also the groups of Dask and Spark")
    parser.add_argument("--to", type=Path, default=store.FOLDER, help="the folder of a recording")
    parser.add_argument("--only", default="", help="calls whose id holds this text")
    parser.add_argument("--no-text", action="store_true", help="leave out messages and prose")
    parser.add_argument("--within", type=float, default=0.0, help="relative tolerance of floats")
    parser.add_argument("--recorded", action="store_true", help="show what was recorded")
    parser.add_argument("--most", type=int, default=5, help="differences to print of a call")
    given = parser.parse_args()
    return {"record": _record, "check": _check, "show": _show, "diff": _diff, "table": _table}[
        given.what
    ](given)


def _groups(given: argparse.Namespace, names: list[str]) -> list[str]:
    unknown = [name for name in names if name not in GROUPS]
    if unknown:
        sys.exit(f"no such group: {', '.join(unknown)}; the groups are {', '.join(GROUPS)}")
    return names or [group for group in GROUPS if given.all or group not in CLUSTERS]


def _record(given: argparse.Namespace) -> int:
    for group in _groups(given, given.names):
        start = time.process_time()
        outcomes = outcomes_of(group)
        store.write(group, outcomes, given.to)
        seconds = time.process_time() - start
        size = (given.to / f"{group}.xz").stat().st_size
        print(f"{group:20} {len(outcomes):5} calls {size:9,} bytes {seconds:6.1f} s", flush=True)
    return 0


def _check(given: argparse.Namespace) -> int:
    used: set[Allowed] = set()
    n = 0
    for group in _groups(given, given.names):
        start = time.process_time()
        found = checked(
            group, wanted=given.only, within=given.within, text=not given.no_text, used=used
        )
        n += len(found)
        print(f"{group:20} {len(found):5} differ {time.process_time() - start:6.1f} s", flush=True)
        _print(found, given.most)
    for one in EXCEPTIONS:
        if one not in used and not (given.names or given.only or given.no_text or not given.all):
            print(f"the exception for {one.calls} covers nothing: {one.reason}")
    return min(1, n)


def _print(found: list[Finding], most: int) -> None:
    for finding in found:
        print(finding.text(most))


def _show(given: argparse.Namespace) -> int:
    for name in given.names:
        group, _, own = name.partition("/")
        if given.recorded:
            print(shown(store.read(group, given.to)[own]))
            continue
        call = next((call for call in calls_of(group) if call.id == own), None)
        if call is None:
            sys.exit(f"there is no call {name}")
        with in_a_folder():
            print(shown(outcome_of(call.run)))
    return 0


def _diff(given: argparse.Namespace) -> int:
    other, *names = given.names
    n = 0
    for group in _groups(given, names):
        left, right = (store.read(group, folder) for folder in (given.to, Path(other)))
        found = findings(
            group, left, right, within=given.within, text=not given.no_text, exceptions=()
        )
        n += len(found)
        print(f"{group:20} {len(found):5} differ")
        _print(found, given.most)
    return min(1, n)


def _table(given: argparse.Namespace) -> int:
    calls = [call for group in GROUPS for call in calls_of(group)]
    counts = Counter((call.verb, call.source) for call in calls)
    for verb, n in Counter(call.verb for call in calls).most_common():
        sources = sorted(((m, s) for (v, s), m in counts.items() if v == verb), reverse=True)
        print(f"{verb:22} {n:5}  {', '.join(f'{source} {m}' for m, source in sources)}")
    print(f"{'all':22} {len(calls):5}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
