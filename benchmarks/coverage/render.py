"""Figures as Markdown for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import MISSING, asdict, fields
from itertools import groupby, product
from pathlib import Path
from statistics import median
from typing import Any, Final, TypeAlias

from benchmarks.coverage.best import Chosen
from benchmarks.coverage.peers import KARAT, METHODS, MOST, PACKAGE, PeerFigure
from benchmarks.coverage.study import FAMILIES, PEERS, Figure
from benchmarks.coverage.tests import Rate
from benchmarks.marks import between

__all__ = ["Found", "markdown", "read", "refresh", "tables", "write"]

HEADER = (
    "| metric | designs | median coverage | lowest | too low | too high | width | warned "
    "| worst design |\n|---|---:|---:|---:|---:|---:|---:|---:|---|"
)
SUMMARY = (
    "| family | rows of the rarest class | designs | median | lowest | worst |\n"
    "|---|---:|---:|---:|---:|---|"
)
FIRST = "<!-- written by python -m benchmarks.coverage -->"
LAST = "<!-- end of what was written -->"
CHOSEN: Final = (
    "| design | metric | bias | corrected bias | remaining | coverage | corrected coverage "
    "| too low | too high | width |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|"
)
BESIDE: Final = (
    "| metric | intervals | designs | median coverage | lowest | too low | too high "
    "| width relative to karat | no interval | worst design |\n"
    "|---|---|---:|---:|---:|---:|---:|---:|---:|---|"
)
Found: TypeAlias = Figure | Rate | Chosen | PeerFigure
RATES = "| metric | quantity | design | rate | target |\n|---|---|---|---:|---:|"


def write(folder: Path, family: str, facts: dict[str, Any], found: Sequence[Found]) -> None:
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


def read(path: Path) -> tuple[dict[str, Any], list[Found]]:
    """What `write` wrote."""
    written = json.loads(path.read_text(encoding="utf-8"))
    kinds = (Figure, Rate, Chosen, PeerFigure)
    found: list[Found] = []
    for one in written["found"]:
        kind = next(kind for kind in kinds if _is_of(kind, set(one)))
        found.append(kind(**one))
    return written["facts"], found


def _is_of(kind: type[Found], names: set[str]) -> bool:
    """Whether a record has these fields; those with a default may be missing in older files."""
    known = {item.name for item in fields(kind)}
    return known >= names >= {item.name for item in fields(kind) if item.default is MISSING}


def markdown(folder: Path) -> str:
    """The page of all families that were run."""
    return "\n".join(["# Coverage of 95 % intervals", "", *tables(folder)]) + "\n"


def refresh(page: Path, folder: Path) -> None:
    """Put the tables of a folder into a page."""
    between(page, FIRST, LAST, tables(folder))


def tables(folder: Path) -> list[str]:
    """One line for each family, then the tables of each."""
    families = [read(path) for path in folder.glob("*.json")]
    families.sort(key=lambda one: (*FAMILIES, PEERS).index(one[0]["family"]))
    lines = [*SUMMARY.splitlines()]
    for facts, found in families:
        for is_small in (False, True):
            group = [one for one in found if isinstance(one, Figure) and one.is_small == is_small]
            if group:
                lines.append(_of_family(facts["family"], group, is_small=is_small))
    figures = [one for _, found in families for one in found if isinstance(one, Figure)]
    lines += ["", "### Intervals with coverage below 93 %", "", *_low(figures)]
    lines += ["", "### Remarks and cautions", "", *_warned(figures)]
    for facts, found in families:
        lines += ["", f"### {facts['family'].capitalize()}", ""]
        figures = [one for one in found if isinstance(one, Figure)]
        rates = [one for one in found if isinstance(one, Rate)]
        best = [one for one in found if isinstance(one, Chosen)]
        of_peers = [one for one in found if isinstance(one, PeerFigure)]
        sizes = sorted({one.n_samples for one in (*rates, *best)} or {facts["replicates"]})
        sizes = [min(facts["replicates"], MOST)] if of_peers else sizes
        told = " or ".join(map(str, sizes))
        minutes = facts["cpu_seconds"] / 60
        lines.append(f"Measured on {facts['date']} with seed {facts['seed']}: {told} samples")
        lines += [f"per design, {minutes:.0f} minutes of one processor.", ""]
        if figures:
            enough = [one for one in figures if not one.is_small]
            small = [one for one in figures if one.is_small]
            lines += table(enough, "At least 20 rows of every class") if enough else []
            lines += ["", *table(small, "8 rows of the rarest class")] if small else []
        if rates:
            lines += [RATES, *map(_of_rate, rates)]
        if of_peers:
            installed = facts.get(PACKAGE, "not installed")
            lines += [f"SciPy {facts['scipy']}, {PACKAGE} {installed}.", ""]
            lines += [*BESIDE.splitlines(), *_of_packages(of_peers)]
        if best:
            lines += [*CHOSEN.splitlines(), *map(_of_chosen, best)]
    return lines


def _of_family(name: str, group: Sequence[Figure], *, is_small: bool) -> str:
    known = [one for one in group if one.n_samples]
    worst = min(known, key=lambda one: one.coverage)
    n_designs = len({one.design for one in group})
    return (
        f"| {name} | {'8' if is_small else '20'} | {n_designs} "
        f"| {_percent(median(one.coverage for one in known))} | {_percent(worst.coverage)} "
        f"| `{worst.metric}`: {worst.design} |"
    )


LOW, SOUND = 0.93, (0.94, 0.96)
"""Below which coverage an interval ought to warn, and between which it ought not to."""


def _low(figures: Sequence[Figure]) -> list[str]:
    """One line for every metric and design with coverage below 93 %."""
    found = sorted(
        (one for one in figures if one.n_samples and one.coverage < LOW),
        key=lambda one: (FAMILIES.index(one.family), one.coverage),
    )
    return [
        "| family | metric | design | coverage | warned |",
        "|---|---|---|---:|---:|",
        *(
            f"| {one.family} | `{one.metric}` | {one.design} | {_percent(one.coverage)} "
            f"| {_percent(one.warned, 0)} |"
            for one in found
        ),
    ]


def _warned(figures: Sequence[Figure]) -> list[str]:
    """How often results warn where coverage is low, and where it is sound."""
    lines = [
        "| family | below 93 %: intervals | warned | 94 to 96 %: intervals | warned |",
        "|---|---:|---:|---:|---:|",
    ]
    known = [one for one in figures if one.n_samples]
    names = [name for name in FAMILIES if any(one.family == name for one in known)]
    for name in (*names, None):
        here = [one for one in known if name in (None, one.family)]
        low = [one.warned for one in here if one.coverage < LOW]
        sound = [one.warned for one in here if SOUND[0] <= one.coverage <= SOUND[1]]
        shares = [f"{len(x)} | {_percent(_mean(x), 0) if x else '–'}" for x in (low, sound)]
        lines.append(f"| {name or '**all**'} | {shares[0]} | {shares[1]} |")
    return lines


def table(figures: Sequence[Figure], title: str) -> list[str]:
    """One line for each metric, and one for all of them."""
    lines = [f"*{title}*", "", HEADER]
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


def _of_packages(found: Sequence[PeerFigure]) -> Iterator[str]:
    """One line for each metric and method, over its designs."""
    widths = {(one.metric, one.design): one.width for one in found if one.method == KARAT}
    metrics = dict.fromkeys(one.metric for one in found)
    for metric, method in product(metrics, METHODS):
        group = [one for one in found if (one.metric, one.method) == (metric, method)]
        if not group:
            continue
        worst = min(group, key=lambda one: one.coverage)
        ratios = [one.width / widths[metric, one.design] for one in group]
        figures = (
            *map(_percent, (median(one.coverage for one in group), worst.coverage)),
            *(
                _percent(_mean(x))
                for x in zip(*((one.below, one.above) for one in group), strict=True)
            ),
            f"{median(ratios):.2f}",
            _percent(_mean(one.without for one in group)),
        )
        yield f"| `{metric}` | {method} | {len(group)} | {' | '.join(figures)} | {worst.design} |"


def _of_chosen(one: Chosen) -> str:
    share = abs(one.corrected) / one.bias if one.bias > 0.1 else float("nan")
    figures = (
        f"{one.bias:+.3f}",
        f"{one.corrected:+.3f} ± {one.error:.3f}",
        "–" if share != share else f"{share:.0%}",
        *map(_percent, (one.coverage, one.corrected_coverage, one.below, one.above)),
        f"{one.width:.3f}",
    )
    return f"| {one.design} | `{one.metric}` | {' | '.join(figures)} |"


def _percent(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f}"
