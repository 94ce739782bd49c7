"""Write the summary of a result into a page of the documentation, and the page of all cases."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks import render, scaling
from benchmarks.case import NATIVE, PEER, Row
from benchmarks.memory import MOST_BYTES, is_bounded
from benchmarks.page import Page
from benchmarks.threads import LEAST
from benchmarks.timing import duration

MARK: Final = "<!-- written by python -m benchmarks --page docs/speed.md -->"
HEADER: Final = (
    "| compared with | cases | median ratio | lowest | case of the lowest | floors met |\n"
    "|---|---:|---:|---:|---|---:|"
)
MACHINE: Final = ("processor", "cores", "instruction set", "python", "karat", "numpy")
"""Facts of the summary; the page of all cases has the others."""
KINDS: Final = (
    (
        "reports, comparisons, gates",
        r"report, printed|report as|four metrics|comparison|gate|.*slices",
    ),
    ("calls on at most 1000 rows", r"small: "),
    ("losses", r"log-loss|Brier"),
    ("areas", r".*(ROC AUC|average precision)"),
    ("counts and averages of labels", r""),
)
"""Kinds of cases beside scikit-learn: the first whose pattern a name begins with."""
TABLES: Final = {
    "bottlenecks": ("Bottlenecks", "What takes most of the time of a case, and how it was found."),
    "comparisons": (
        "Comparisons before and after",
        'Processor time before and after each model took one pass: `--peer "one report"`.',
    ),
    "files": (
        "From a file to a report",
        "Two cores (Zen 4), float32: `python -m benchmarks.files --rows 10000000`.",
    ),
}
"""Stored table (CSV) → its title, and how it was measured."""


def refresh(path: Path, page: Page) -> None:
    """Rewrite the summary after the mark of a page, and the drawings in the folder of its name.

    Raises:
        ValueError: the page has no mark.
    """
    head = head_of(path)
    folder = path.with_suffix("")
    folder.mkdir(exist_ok=True)
    drawn = scaling.figures(page.curves)
    of_threads = scaling.figure_of_threads(page.threads)
    if of_threads is not None:
        drawn["threads"] = of_threads
    for axis, drawing in drawn.items():
        (folder / f"{axis}.svg").write_text(drawing, encoding="utf-8")
    lines = [MARK, "", *short(page)]
    if "rows" in drawn:
        lines += ["", f"![CPU time of one call by rows]({folder.name}/rows.svg)"]
    path.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


def head_of(path: Path) -> str:
    """Return the part of a page before the mark.

    Raises:
        ValueError: the page has no mark.
    """
    head, mark, _ = path.read_text(encoding="utf-8").partition(MARK)
    if not mark:
        raise ValueError(f"{path} has no line {MARK}")
    return head


def short(page: Page) -> list[str]:
    """The summary of a result: one line for each kind of cases, and one for each other part."""
    facts = page.facts
    lines = [f"Measured on {facts['date']}: {page.verdict}.", *_below(page)]
    named = [f"{name} {facts[name]}" for name in MACHINE if name in facts]
    lines += [f"Machine: {', '.join(named)}."] if named else []
    groups: dict[str, list[Row]] = {}
    for row in page.rows:
        groups.setdefault(kind(row), []).append(row)
    if groups:
        lines += ["", *HEADER.splitlines(), *(_of_kind(*each) for each in groups.items())]
    parts = list(_parts(page))
    if parts:
        lines += ["", "| part | found | goals met |", "|---|---|---:|", *parts]
    return lines


def kind(row: Row) -> str:
    """The line of the summary that counts a case."""
    if row.peer == NATIVE:
        return "drop-in for scikit-learn (beside karat's own function)"
    if row.peer != PEER:
        return row.peer
    return f"{PEER}: {next(name for name, told in KINDS if re.match(told, row.name))}"


def _of_kind(name: str, rows: list[Row]) -> str:
    measured = [(row.ratio, row.name) for row in rows if row.ratio is not None]
    goals = [row for row in rows if row.has_goal]
    cells = [str(len(rows)), "", "", ""]
    if measured:
        lowest, case = min(measured)
        middle = median(ratio for ratio, _ in measured)
        cells[1:] = [render.ratio(middle), render.ratio(lowest), case]
    met = f"{sum(row.is_met for row in goals)} of {len(goals)}" if goals else ""
    return f"| {name} | {' | '.join(cells)} | {met} |"


def _parts(page: Page) -> Iterator[str]:
    """The lines of threads, new processes and memory."""
    timed = [one for one in page.threads if one.seconds and not one.is_limit]
    if timed:
        ratios = [one.ratios[1] for one in timed]
        n_met = sum(ratio >= LEAST for ratio in ratios)
        found = f"{min(ratios):.2f}x to {max(ratios):.2f}x | {n_met} of {len(timed)}"
        yield f"| two threads beside one (goal: {LEAST:g}x) | {found} |"
    goals = [start for start in page.starts if start.most_seconds is not None]
    if goals:
        slowest = max(page.starts, key=lambda start: start.wall_seconds)
        yield (
            f"| new processes | at most {duration(slowest.wall_seconds * 1e9)} ({slowest.name}) "
            f"| {sum(start.is_met for start in goals)} of {len(goals)} |"
        )
    if page.peaks and page.peaks[-1].disagreement is None:
        most, is_met = page.peaks[-1], is_bounded(page.peaks[0], page.peaks[-1])
        yield (
            f"| report of {most.n_rows:,} labels in Parquet | {most.peak_bytes / 1e6:.0f} MB, "
            f"{most.wall_seconds:.1f} s (limit: {MOST_BYTES >> 20} MiB) | {int(is_met)} of 1 |"
        )
    sizes: dict[str, list[int]] = {}
    for peak in page.array_peaks:
        for side, size in peak.peak_bytes.items():
            sizes.setdefault(side, []).append(size)
    if sizes:
        told = (f"{side} at most {max(each) / 1e6:,.0f} MB" for side, each in sizes.items())
        yield f"| memory in addition to the arrays | {', '.join(told)} | |"


def every_case(page: Page, folder: Path) -> str:
    """The page of the site: every figure of a result, drawings, and what else was measured.

    Args:
        folder: of the drawings and of tables as CSV; their links lead within it.
    """
    text = render.markdown(page).partition("\n")[2]
    lines = ["# Speed: all cases", text.rstrip()]
    for path in sorted(folder.glob("*.svg")):
        what = "Speedup over one thread" if path.stem == "threads" else "CPU time of one call"
        lines += ["", f"![{what} by {path.stem}]({path.name})"]
    for path in sorted(folder.glob("*.csv")):
        lines += ["", *_of_csv(path, *TABLES[path.stem])]
    return "\n".join(lines) + "\n"


def _of_csv(path: Path, title: str, about: str) -> Iterator[str]:
    """A table that was measured by another command, and is stored as CSV."""
    with path.open(encoding="utf-8", newline="") as file:
        columns, *rows = csv.reader(file)
    yield from (f"## {title}", "", about, "", f"| {' | '.join(columns)} |")
    yield "|---" * len(columns) + "|"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def newest(results: Path) -> Page:
    """The newest dated result of a folder."""
    path = max(results.glob("20??-??-??.json"))
    return Page.from_json(json.loads(path.read_text(encoding="utf-8")))


def _below(page: Page) -> list[str]:
    """Return a line with the cases below their floor and their peers."""
    below = [f"{row.name} ({row.peer})" for row in page.rows if row.has_goal and not row.is_met]
    return [f"Below their floor: {'; '.join(below)}."] if below else []
