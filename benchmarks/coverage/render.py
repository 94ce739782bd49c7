"""Figures as Markdown for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.coverage.study import Figure
from benchmarks.coverage.tests import Rate

__all__ = ["markdown", "read", "write"]

HEADER = (
    "| metric | designs | coverage: median | lowest | too low | too high | width | warned "
    "| worst design |\n|---|---:|---:|---:|---:|---:|---:|---:|---|"
)
RATES = "| metric | quantity | design | rate | aim |\n|---|---|---|---:|---:|"


def write(folder: Path, family: str, facts: dict[str, Any], found: Sequence[Figure | Rate]) -> None:
    """Write one family as JSON, and the page of all families of the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    written = {
        "schema": "karat.coverage/1",
        "facts": facts,
        "found": [asdict(one) for one in found],
    }
    path = folder / f"{family.replace(', ', '-').replace(' ', '-')}.json"
    path.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    (folder / "coverage.md").write_text(markdown(folder), encoding="utf-8")


def read(path: Path) -> tuple[dict[str, Any], list[Figure | Rate]]:
    """What `write` wrote."""
    written = json.loads(path.read_text(encoding="utf-8"))
    kinds = (Figure, Rate)
    found: list[Figure | Rate] = []
    for one in written["found"]:
        kind = next(kind for kind in kinds if {item.name for item in fields(kind)} == set(one))
        found.append(kind(**one))
    return written["facts"], found


def markdown(folder: Path) -> str:
    """The page of all families that were run."""
    lines = ["# Coverage of 95 % intervals"]
    for path in sorted(folder.glob("*.json")):
        facts, found = read(path)
        lines += ["", f"## {facts['family'].capitalize()}", ""]
        told = (f"{name} {facts[name]}" for name in ("date", "seed", "replicates") if name in facts)
        lines += [f"{'; '.join(told)}; {facts['cpu_seconds']:.0f} s of one processor.", ""]
        figures = [one for one in found if isinstance(one, Figure)]
        rates = [one for one in found if isinstance(one, Rate)]
        if figures:
            lines += table([one for one in figures if not one.is_small], "20 rows of every class")
            small = [one for one in figures if one.is_small]
            lines += ["", *table(small, "8 rows of the rarest class")] if small else []
        if rates:
            lines += [RATES, *map(_of_rate, rates)]
    return "\n".join(lines) + "\n"


def table(figures: Sequence[Figure], title: str) -> list[str]:
    """One line for each metric, and one for all of them."""
    lines = [f"*{title}, or more*" if title.startswith("20") else f"*{title}*", "", HEADER]
    ordered = sorted(figures, key=lambda one: one.metric)
    for metric, group in groupby(ordered, key=lambda one: one.metric):
        lines.append(_of_metric(metric, list(group)))
    return [*lines, _of_metric("**all**", ordered)]


def _of_metric(name: str, group: Sequence[Figure]) -> str:
    known = [one for one in group if one.n_samples]
    worst = min(known, key=lambda one: one.coverage)
    of_worst = worst.metric + ": " if name.startswith("**") else ""
    return (
        f"| {name if name.startswith('**') else f'`{name}`'} | {len(group)} "
        f"| {_percent(median(one.coverage for one in known))} | {_percent(worst.coverage)} "
        f"| {_percent(_mean(one.below for one in known))} "
        f"| {_percent(_mean(one.above for one in known))} "
        f"| {_mean(one.width for one in known):.3g} "
        f"| {_percent(_mean(one.warned for one in known), 0)} | {of_worst}{worst.design} |"
    )


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)


def _of_rate(one: Rate) -> str:
    return f"| `{one.metric}` | {one.quantity} | {one.design} | {_percent(one.rate)} | {one.aim} |"


def _percent(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f}"
