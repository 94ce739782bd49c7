"""The corpus of recorded calls.

    python -m tests.corpus check [GROUP…] [--no-text]      make the calls again and compare
    python -m tests.corpus show GROUP/ID [--recorded]      print a whole outcome
    python -m tests.corpus record [GROUP…] [--to FOLDER]   record all groups, or these
    python -m tests.corpus words [GROUP…]                  record changed prose; refuse all else
    python -m tests.corpus diff FOLDER|COMMIT [GROUP…]     compare with another recording
    python -m tests.corpus table                           calls by group, by verb and source
    python -m tests.corpus types [GROUP…]                  check results against annotations

The groups of Dask and Spark start processes: name them, or give --all.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from tests.corpus import store
from tests.corpus.calls import CLUSTERS, GROUPS, calls_of, in_a_folder
from tests.corpus.check import Finding, checked, compared, outcomes_of, tolerance_here
from tests.corpus.differences import EXACT, SAME_PROCESSOR, is_wording
from tests.corpus.outcome import Outcome, outcome_of, shown


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.corpus",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = {
        "record": _record,
        "words": _words,
        "check": _check,
        "show": _show,
        "diff": _diff,
        "table": _table,
        "types": _types,
    }
    parser.add_argument("what", choices=tuple(verbs))
    parser.add_argument("names", nargs="*")
    parser.add_argument("--all", action="store_true", help="also the groups of Dask and Spark")
    parser.add_argument("--to", type=Path, default=store.FOLDER, help="the folder of a recording")
    parser.add_argument("--only", default="", help="calls whose id holds this text")
    parser.add_argument("--no-text", action="store_true", help="leave out messages and prose")
    parser.add_argument("--exact", action="store_true", help="compare limits bit for bit, too")
    parser.add_argument("--recorded", action="store_true", help="show what was recorded")
    parser.add_argument("--most", type=int, default=5, help="differences to print of a call")
    options = parser.parse_args()
    return verbs[options.what](options)


def _groups(options: argparse.Namespace, names: list[str]) -> list[str]:
    unknown = [name for name in names if name not in GROUPS]
    if unknown:
        sys.exit(f"no such group: {', '.join(unknown)}; the groups are {', '.join(GROUPS)}")
    return names or [group for group in GROUPS if options.all or group not in CLUSTERS]


def _record(options: argparse.Namespace) -> int:
    for group in _groups(options, options.names):
        start = time.process_time()
        outcomes = outcomes_of(group)
        store.write(group, outcomes, options.to)
        seconds = time.process_time() - start
        size = (options.to / f"{group}.xz").stat().st_size
        print(f"{group:20} {len(outcomes):5} calls {size:9,} bytes {seconds:6.1f} s", flush=True)
    return 0


def _words(options: argparse.Namespace) -> int:
    """Take over prose that changed; a group in which anything else did stays as it is."""
    status = 0
    for group in _groups(options, options.names):
        was, now = store.read(group), outcomes_of(group)
        check = compared(group, was, now, tolerance_here(group))
        facts = [
            Finding(finding.name, [d for d in finding.differences if not is_wording(d)])
            for finding in check.findings
        ]
        check.findings = [finding for finding in facts if finding.differences]
        if check.findings:
            status = 1
            print(check.text(options.most), flush=True)
            continue
        new = {name: Outcome(now[name].skeleton, was[name].floats, now[name].prose) for name in was}
        n = sum(new[name] != was[name] for name in was)
        store.write(group, new, options.to, store.machine_of(group))
        print(f"{group:20} {n:5} calls with new words", flush=True)
    return status


def _check(options: argparse.Namespace) -> int:
    n = 0
    for group in _groups(options, options.names):
        start = time.process_time()
        tolerance = EXACT if options.exact else None
        check = checked(group, wanted=options.only, tolerance=tolerance, text=not options.no_text)
        n += len(check.findings)
        head, *rest = check.text(options.most).split("\n")
        print(f"{head}  {time.process_time() - start:.1f} s", *rest, sep="\n", flush=True)
    return min(1, n)


def _show(options: argparse.Namespace) -> int:
    for name in options.names:
        group, _, call_id = name.partition("/")
        if options.recorded:
            print(shown(store.read(group, options.to)[call_id]))
            continue
        call = next((call for call in calls_of(group) if call.id == call_id), None)
        if call is None:
            sys.exit(f"there is no call {name}")
        with in_a_folder():
            print(shown(outcome_of(call.run)))
    return 0


def _diff(options: argparse.Namespace) -> int:
    """Compare with the recording of another folder, or of a commit."""
    other, *names = options.names
    groups = set(_recorded_groups(other))
    n = 0
    for group in _groups(options, names):
        if group not in groups:
            n += 1
            print(f"{group:20}       is new")
            continue
        was, now = _recorded(group, other), store.read(group, options.to)
        tolerance = EXACT if options.exact else SAME_PROCESSOR
        check = compared(group, was, now, tolerance, text=not options.no_text)
        n += len(check.findings)
        print(check.text(options.most))
    for group in sorted(groups - set(GROUPS)):
        n += 1
        print(f"{group:20}       is gone")
    return min(1, n)


def _recorded_groups(other: str) -> list[str]:
    """Return the groups that another folder, or a commit, holds."""
    if Path(other).is_dir():
        return [path.stem for path in Path(other).glob("*.xz")]
    paths = _git("ls-tree", "--name-only", other, f"{store.FOLDER.name}/").decode().split("\n")
    return [Path(path).stem for path in paths if path.endswith(".xz")]


def _recorded(group: str, other: str) -> dict[str, Outcome]:
    """Return the outcomes of a group in another folder or commit."""
    if Path(other).is_dir():
        return store.read(group, Path(other))
    return store.unpacked(_git("show", f"{other}:./{store.FOLDER.name}/{group}.xz"))[0]


def _git(*arguments: str) -> bytes:
    done = subprocess.run(
        ["git", *arguments], cwd=store.FOLDER.parent, capture_output=True, check=False
    )
    if done.returncode:
        sys.exit(f"neither a folder nor a commit: {done.stderr.decode().strip()}")
    return done.stdout


def _table(options: argparse.Namespace) -> int:
    by_group = {group: calls_of(group) for group in GROUPS}
    for group, calls in by_group.items():
        print(f"{group:22} {len(calls):5}")
    print(f"{'all':22} {sum(map(len, by_group.values())):5}\n")
    counts = Counter((call.verb, call.source) for calls in by_group.values() for call in calls)
    verbs: Counter[str] = Counter()
    for (verb, _), n in counts.items():
        verbs[verb] += n
    for verb, n in verbs.most_common():
        sources = sorted(((m, s) for (v, s), m in counts.items() if v == verb), reverse=True)
        print(f"{verb:22} {n:5}  {', '.join(f'{source} {m}' for m, source in sources)}")
    return 0


def _types(options: argparse.Namespace) -> int:
    from tests.corpus.typing_check import main as check_types

    return check_types(_groups(options, options.names))


if __name__ == "__main__":
    sys.exit(main())
