"""Write a short version of the results, with drawn curves, into a page of the documentation."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from benchmarks import render, scaling
from benchmarks.case import KARAT, NATIVE, Row
from benchmarks.page import Page
from benchmarks.timing import duration

MARK: Final = "<!-- written by python -m benchmarks --page docs/speed.md -->"


def refresh(path: Path, page: Page) -> None:
    """Rewrite the part of a page after the mark, and its drawings in the folder of its name.

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
    lines = [MARK, "", *_told(page), *_curves(page, folder.name, list(drawn))]
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


def _told(page: Page) -> list[str]:
    date = page.facts["date"]
    lines = [
        f"Measured on {date} ([every figure](../benchmarks/results/{date}.md)): {page.verdict}.",
        *_below(page),
        "",
        *(f"- {name}: {value}" for name, value in page.facts.items() if name != "date"),
    ]
    for peer in dict.fromkeys(row.peer for row in page.rows if row.peer != NATIVE):
        lines += [
            "",
            f"### Comparison with {peer}",
            "",
            f"| case | {peer} | karat | ratio | floor | stretch | karat ÷ limit | verdict |",
            "|---|---:|---:|---:|---:|---:|---:|---|",
            *(_line(row) for row in page.rows if row.peer == peer),
        ]
    for title, told in render.sections(page).items():
        if title != "Scaling":
            lines += ["", f"### {title}", "", *told]
    return lines


def _below(page: Page) -> list[str]:
    """Return a line with the cases below their floor and their peers."""
    below = [f"{row.name} ({row.peer})" for row in page.rows if row.has_goal and not row.is_met]
    return [f"Below their floor: {'; '.join(below)}."] if below else []


def _line(row: Row) -> str:
    if row.disagreement is not None or row.ratio is None:
        return f"| {row.name} | | | | | | | **no figure: {row.disagreement}** |"
    cells = [
        row.name,
        duration(row.times[row.peer].cpu_ns * row.repeats),
        duration(row.times[KARAT].cpu_ns),
        render.ratio(row.ratio) if row.is_met else f"**{render.ratio(row.ratio)}**",
        render.goal(row.goal.floor),
        render.goal(row.goal.stretch),
        f"{row.over_limit:.2g}" if row.over_limit else "",
        render.verdict(row) if row.has_goal else "",
    ]
    return "| " + " | ".join(cells) + " |"


def _curves(page: Page, folder: str, axes: list[str]) -> list[str]:
    if not page.curves:
        return []
    lines = ["", "### Scaling"]
    for axis in axes:
        what = "Speedup over one thread" if axis == "threads" else "CPU time of one call"
        lines += ["", f"![{what} by {axis}]({folder}/{axis}.svg)"]
    return [*lines, "", *scaling.markdown(page.curves)]
