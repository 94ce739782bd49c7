"""Results as Markdown for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.case import BINCOUNT, KARAT, PEER, Row
from benchmarks.memory import MOST_BYTES, Peak, is_bounded
from benchmarks.timing import Time

HEADER = """\
| case | peer CPU (wall) | karat CPU (wall) | np.bincount CPU | ratio | floor | stretch | most µs | verdict |
|---|---:|---:|---:|---:|---:|---:|---:|---|"""  # noqa: E501


def duration(nanoseconds: float) -> str:
    """A time in the unit that suits it: 5.2 µs, 6.31 ms, 1.10 s."""
    for unit, size in (("s", 1e9), ("ms", 1e6)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds / 1e3:.3g} µs"


def markdown_row(row: Row) -> str:
    """One line of the table; a row whose answers differ says how and shows no number."""
    if row.disagreement is not None or row.ratio is None:
        return f"| {row.name} | | | | | | | | **no figure: {row.disagreement}** |"
    cells = [
        row.name,
        f"{'' if row.peer == PEER else f'{row.peer} '}{_both(row.times[row.peer])}",
        _both(row.times[KARAT]),
        duration(row.times[BINCOUNT].cpu_ns) if BINCOUNT in row.times else "",
        f"{row.ratio:.0f}x" if row.ratio >= 10 else f"{row.ratio:.2g}x",
        *(f"{goal:g}x" if goal else "" for goal in (row.goal.floor, row.goal.stretch)),
        f"{row.goal.most_us:g}" if row.goal.most_us else "",
        verdict(row),
    ]
    return "| " + " | ".join(cells) + " |"


def _both(time: Time) -> str:
    return f"{duration(time.cpu_ns)} ({duration(time.wall_ns)})"


def verdict(row: Row) -> str:
    """met, stretch reached, or below the floor."""
    if row.goal.floor is None and row.goal.most_us is None:
        return "no goal"
    if not row.is_met:
        return "**below floor**"
    is_stretched = row.goal.stretch is not None and (row.ratio or 0) >= row.goal.stretch
    return "stretch reached" if is_stretched else "floor met"


def markdown_peaks(peaks: Sequence[Peak]) -> list[str]:
    """The table of the bounded-memory case."""
    lines = [
        "| rows of Parquet labels | file | peak memory | wall | CPU | verdict |",
        "|---:|---:|---:|---:|---:|---|",
    ]
    bounded = "bounded" if is_bounded(peaks[0], peaks[-1]) else "**not bounded**"
    for peak in peaks:
        if peak.disagreement is not None:
            lines.append(f"| {peak.n_rows:,} | | | | | **no figure: {peak.disagreement}** |")
            continue
        lines.append(
            f"| {peak.n_rows:,} | {peak.file_bytes / 1e6:.0f} MB | {peak.peak_bytes / 1e6:.0f} MB "
            f"| {peak.wall_seconds:.1f} s | {peak.cpu_seconds:.1f} s | {bounded} |"
        )
    return lines


def markdown(facts: dict[str, str | int], rows: Sequence[Row], peaks: Sequence[Peak]) -> str:
    """The whole page."""
    told = "The peer is scikit-learn where no other is named."
    lines = ["# karat beside its peers", "", told, ""]
    lines += [f"- {name}: {value}" for name, value in facts.items()]
    if rows:
        lines += ["", HEADER, *(markdown_row(row) for row in rows)]
    if peaks:
        lines += ["", f"`karat report` may use {MOST_BYTES >> 20} MiB, whatever the rows.", ""]
        lines += markdown_peaks(peaks)
    return "\n".join(lines) + "\n"


def as_json(facts: dict[str, str | int], rows: Sequence[Row], peaks: Sequence[Peak]) -> str:
    """The same facts for a program; times in nanoseconds."""
    return json.dumps(
        {
            "schema": "karat.bench/1",
            "machine": facts,
            "cases": [
                {
                    "name": row.name,
                    "disagreement": row.disagreement,
                    "ratio": row.ratio,
                    "goal": asdict(row.goal),
                    "is_met": row.is_met,
                    "times": {name: asdict(time) for name, time in row.times.items()},
                }
                for row in rows
            ],
            "memory": [asdict(peak) for peak in peaks],
        },
        indent=2,
    )


def write(
    folder: Path, facts: dict[str, str | int], rows: Sequence[Row], peaks: Sequence[Peak]
) -> Path:
    """Write bench.md and bench.json; return the path of the page."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bench.json").write_text(as_json(facts, rows, peaks) + "\n", encoding="utf-8")
    page = folder / "bench.md"
    page.write_text(markdown(facts, rows, peaks), encoding="utf-8")
    return page
