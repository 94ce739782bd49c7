"""What was fuzzed: a line for each target that ended, in fuzz/results/runs.jsonl, and its page.

Hours of fuzzing are interrupted: what ended is kept, and `make fuzz REST=1` goes on with the rest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from fuzz.build import ROOT
from fuzz.outcome import Outcome

FOLDER = Path(__file__).with_name("results")
RUNS = FOLDER / "runs.jsonl"
PAGE = FOLDER / "README.md"


@dataclass(frozen=True)
class Run:
    """One target, fuzzed once.

    Attributes:
        native: which native code it was, by its files.
        finding: what was said of it first, or nothing.
        input: which led to it, base64: what a line of fuzz/corpus holds.
    """

    target: str
    day: str
    native: str
    executions: int
    calls: int
    edges: int
    finding: str
    input: str = ""


@cache
def native() -> str:
    """Twelve digits that change with any file of the native code."""
    found = hashlib.sha256()
    for path in sorted((ROOT / "native").rglob("*")):
        if path.is_file():
            found.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return found.hexdigest()[:12]


def add(outcome: Outcome) -> None:
    """Keep what became of a target."""
    said = outcome.finding.splitlines()
    run = Run(
        outcome.name, f"{datetime.now(UTC):%Y-%m-%d}", native(), outcome.n_executions,
        outcome.n_calls, outcome.n_edges,
        (said or [""])[0].replace(f"{ROOT}/", ""),
        next((line.split()[1] for line in said if line.startswith("input ")), ""),
    )  # fmt: skip
    FOLDER.mkdir(exist_ok=True)
    with RUNS.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(run)) + "\n")


def read() -> list[Run]:
    """All runs that were kept, in their order."""
    if not RUNS.exists():
        return []
    return [Run(**json.loads(line)) for line in RUNS.read_text(encoding="utf-8").splitlines()]


def rest(names: Iterable[str], least: int) -> list[str]:
    """The targets that were not executed so often without a finding."""
    well: dict[str, int] = {}
    for run in read():
        # A finding that is mended begins anew.
        well[run.target] = 0 if run.finding else well.get(run.target, 0) + run.executions
    return [name for name in names if well.get(name, 0) < least]


def page(names: Iterable[str]) -> str:
    """Every target with what all runs of it came to."""
    runs, names, today = read(), sorted(names), native()
    of = {name: [run for run in runs if run.target == name] for name in names}
    counts = {name: sum(run.executions for run in of[name]) for name in names}
    n_left = sum(bool(own and own[-1].finding) for own in of.values())
    n_mended = sum(sum(bool(run.finding) for run in own) for own in of.values()) - n_left
    gone = [run for own in of.values() for run in own[:-1] if is_gone(run, own)]
    mended = "mended since" + (" but for those below the table" if gone else "")
    days = sorted({run.day for run in runs}) or ["never"]
    lines = [
        "# Fuzzing of the native core",
        "",
        f"`make fuzz`, {days[0]} to {days[-1]}: {len(names)} targets, {sum(counts.values()):,}",
        f"executions, the fewest of a target {min(counts.values()):,}; {n_left} findings of the",
        "address and undefined-behaviour sanitizers or of a target in the last run of each,",
        f"{n_mended} in earlier runs, {mended}. `runs.jsonl` has a line for each run, with the",
        "native code that it had; the third column counts those of the code as it is now.",
        "",
        "| binding | executions | as it is now | calls of it | edges | findings, last | earlier |",
        "| --- | ---: | ---: | ---: | ---: | --- | ---: |",
    ]
    for name in names:
        own = of[name]
        last = own[-1] if own else None
        current = sum(run.executions for run in own if run.native == today)
        found = sum(bool(run.finding) for run in own[:-1])
        lines.append(
            f"| {name} | {counts[name]:,} | {current:,} | {sum(run.calls for run in own):,} "
            f"| {max((run.edges for run in own), default=0):,} "
            f"| {(last.finding or '0') if last else 'never run'} | {found} |"
        )
    if gone:
        lines += ["", _GONE, "", *(f"- {run.target}, {run.day}: {run.finding}" for run in gone)]
    return "\n".join(lines) + "\n"


_GONE = """\
Gone without a change of the native code: mended in a target, in a limit of the fuzzer or in how it
reads the counters of edges (tracebacks, RuntimeErrors), or, where none of these fits, not
explained:"""


def is_gone(run: Run, own: list[Run]) -> bool:
    """Whether nothing was found by a later run of the target on the same native code."""
    later = own[own.index(run) + 1 :]
    return bool(run.finding) and any(
        not each.finding and each.native == run.native for each in later
    )


def write(names: Iterable[str]) -> None:
    """Write the page."""
    FOLDER.mkdir(exist_ok=True)
    PAGE.write_text(page(names), encoding="utf-8")
