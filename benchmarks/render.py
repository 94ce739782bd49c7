"""Results as Markdown for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks import scaling
from benchmarks.case import BINCOUNT, KARAT, LIMIT, Row
from benchmarks.cold import Start
from benchmarks.memory import MOST_BYTES, Peak, is_bounded
from benchmarks.page import Page
from benchmarks.peaks import ArrayPeak
from benchmarks.threads import LEAST, Shared
from benchmarks.timing import Time, duration

HEADER = """\
| case | peer CPU (wall) | karat CPU (wall) | np.bincount CPU | limit CPU | karat ÷ limit | ratio | floor | stretch | maximum µs | verdict |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|"""  # noqa: E501

ABOUT = """\
One thread; medians of rounds in which karat, the peer and the limit took turns, in one process per
peer, after their answers were compared. The ratio is the CPU time of the peer divided by that of
karat. *Floor* is the lowest ratio that karat accepts, *stretch* the ratio that a prototype reached.
*Limit* is the time of the essential work alone: for counts and losses to read the memory once, for
areas to copy and sort the whole keys once. karat sorts half keys, so it may be below the limit."""


def markdown_row(row: Row) -> str:
    """One line of the table; a row whose answers differ says how and shows no number."""
    if row.disagreement is not None or row.ratio is None:
        return f"| {row.name} | | | | | | | | | | **no figure: {row.disagreement}** |"
    times = row.times
    cells = [
        row.name,
        _both(times[row.peer], row.repeats),
        _both(times[KARAT]),
        *(duration(times[name].cpu_ns) if name in times else "" for name in (BINCOUNT, LIMIT)),
        f"{row.over_limit:.2g}" if row.over_limit else "",
        ratio(row.ratio),
        goal(row.goal.floor),
        goal(row.goal.stretch),
        f"{row.goal.most_us:g}" if row.goal.most_us else "",
        verdict(row),
    ]
    return "| " + " | ".join(cells) + " |"


def ratio(value: float) -> str:
    """How many times as fast, with the digits that tell it from a floor: 4.38x, 17.9x, 254x."""
    return f"{value:.3g}x" if value < 100 else f"{value:.0f}x"


def goal(value: float | None) -> str:
    """A ratio to reach; nothing for none."""
    return f"{value:g}x" if value else ""


def _both(time: Time, repeats: int = 1) -> str:
    return f"{duration(time.cpu_ns * repeats)} ({duration(time.wall_ns * repeats)})"


def verdict(row: Row) -> str:
    """met, stretch reached, or below the floor."""
    if not row.has_goal:
        return "no goal"
    if not row.is_met:
        return "**below floor**"
    return "stretch reached" if row.is_stretched else "floor met"


def markdown_threads(found: Sequence[Shared]) -> list[str]:
    """The table of threads; no figure where not enough cores were free."""
    counts = found[0].threads
    lines = [
        f"Wall time; the goal is that two threads are at least {LEAST:g} times as fast as one.",
        "Results have the same bits. A case has figures only if a probe found enough free cores",
        "before and after it.",
        "A *limit* is the speedup of NumPy on two threads without shared data.",
        "",
        "| case | "
        + " | ".join(f"threads: {each}" for each in counts)
        + " | ratio | free cores | verdict |",
        "|---|" + "---:|" * (len(counts) + 2) + "---|",
    ]
    for one in found:
        if not one.seconds:
            why = one.disagreement or "the cores were busy"
            blank = " |" * (len(counts) + 1)
            lines.append(f"| {one.name} |{blank} {one.free_cores:.2f} | **no figure: {why}** |")
            continue
        told = "met" if one.ratios[1] >= LEAST else "" if one.is_limit else "**below**"
        times = " | ".join(duration(each * 1e9) for each in one.seconds)
        ratios = ", ".join(f"{each:.2f}x" for each in one.ratios[1:])
        lines.append(f"| {one.name} | {times} | {ratios} | {one.free_cores:.2f} | {told} |")
    return lines


def markdown_starts(starts: Sequence[Start]) -> list[str]:
    """The table of new processes."""
    lines = [
        "Medians of new processes, with files in the cache.",
        "*Beyond* is the time in addition to the process in parentheses.",
        "",
        "| process | CPU | wall | beyond | maximum | verdict |",
        "|---|---:|---:|---:|---:|---|",
    ]
    for start in starts:
        beyond = most = told = ""
        if start.beyond:
            # Below nothing by chance: two medians differ by the noise of both.
            sign = "−" if start.beyond_seconds < 0 else ""
            beyond = f"{sign}{duration(abs(start.beyond_seconds) * 1e9)} ({start.beyond})"
        if start.most_seconds is not None:
            most = duration(start.most_seconds * 1e9)
            told = "met" if start.is_met else "**missed**"
        cpu, wall = (duration(each * 1e9) for each in (start.cpu_seconds, start.wall_seconds))
        lines.append(f"| {start.name} | {cpu} | {wall} | {beyond} | {most} | {told} |")
    return lines


def markdown_peaks(peaks: Sequence[Peak]) -> list[str]:
    """The table of the bounded-memory case."""
    lines = [
        f"`karat report` may use {MOST_BYTES >> 20} MiB, for any number of rows.",
        "",
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


def markdown_array_peaks(peaks: Sequence[ArrayPeak]) -> list[str]:
    """The table of memory that calls take beyond their arrays."""
    lines = [
        "Memory of one call in addition to its input arrays, on one thread.",
        "",
        "| case | arrays | karat | scikit-learn | wall: karat | scikit-learn |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for peak in peaks:
        if peak.disagreement is not None:
            lines.append(f"| {peak.name} | | | | | **no figure: {peak.disagreement}** |")
            continue
        cells = [f"{size / 1e6:,.0f} MB" for size in (peak.input_bytes, *peak.peak_bytes.values())]
        cells += [duration(seconds * 1e9) for seconds in peak.wall_seconds.values()]
        lines.append(f"| {peak.name} | " + " | ".join(cells) + " |")
    return lines


def sections(page: Page) -> dict[str, list[str]]:
    """The parts beside the cases that were run, by their titles."""
    return {
        title: table
        for title, table in (
            ("Threads", page.threads and markdown_threads(page.threads)),
            ("Start-up", page.starts and markdown_starts(page.starts)),
            ("Large files", page.peaks and markdown_peaks(page.peaks)),
            ("Large arrays", page.array_peaks and markdown_array_peaks(page.array_peaks)),
            ("Scaling", page.curves and scaling.markdown(page.curves)),
        )
        if table
    }


def markdown(page: Page) -> str:
    """The whole page."""
    lines = ["# karat compared with other libraries", "", ABOUT, "", f"**{page.verdict}.**", ""]
    lines += [f"- {name}: {value}" for name, value in page.facts.items()]
    for peer in dict.fromkeys(row.peer for row in page.rows):
        title = (
            "The drop-in for scikit-learn"
            if peer.startswith("karat")
            else f"Comparison with {peer}"
        )
        told = ["", f"## {title}", "", HEADER]
        lines += [*told, *(markdown_row(row) for row in page.rows if row.peer == peer)]
    for title, told in sections(page).items():
        lines += ["", f"## {title}", "", *told]
    return "\n".join(lines) + "\n"


def as_json(page: Page) -> str:
    """The page for a program."""
    return json.dumps(page.to_json(), indent=1, ensure_ascii=False)


def write(folder: Path, page: Page) -> Path:
    """Write DATE.md and DATE.json; return the path of the page."""
    folder.mkdir(parents=True, exist_ok=True)
    name = str(page.facts.get("date", "bench"))
    (folder / f"{name}.json").write_text(as_json(page) + "\n", encoding="utf-8")
    written = folder / f"{name}.md"
    written.write_text(markdown(page), encoding="utf-8")
    return written
