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

__all__ = ["Found", "every_design", "markdown", "of_search", "read", "refresh", "summary", "write"]

HEADER = (
    "| metric | designs | median coverage | lowest | too low | too high | width | warned "
    "| worst design |\n|---|---:|---:|---:|---:|---:|---:|---:|---|"
)
SUMMARY = (
    "| family | rows of the rarest class | designs | median | lowest | worst |\n"
    "|---|---:|---:|---:|---:|---|"
)
SHORT = (
    "| family | designs | median | 8 rows | lowest | below 93 % | warned | metrics below 93 % |\n"
    "|---|---:|---:|---:|---:|---:|---:|---|"
)
OTHERS = (
    "| family | quantity | designs | lowest | highest | target |\n|---|---|---:|---:|---:|---:|"
)
PACKAGES = "| intervals | median | lowest | metric | no interval |\n|---|---:|---:|---|---:|"
EACH = (
    "| design | metric | samples | coverage | too low | too high | width | warned | method |\n"
    "|---|---|---:|---:|---:|---:|---:|---:|---|"
)
EACH_OF_PACKAGES: Final = (
    "| design | metric | intervals | samples | coverage | too low | too high | width "
    "| no interval |\n|---|---|---|---:|---:|---:|---:|---:|---:|"
)
GAPS: Final = "gaps between groups"
LOW, SOUND = 0.93, (0.94, 0.96)
"""Below which coverage an interval ought to warn, and between which it ought not to."""
ABOUT: Final = """\
Figures are in percent; widths are in the unit of the metric. *Too low* and *too high* count
intervals entirely below or above the true value. *Warned* counts samples whose result has a remark
or whose report has a caution. Coverage refers to samples that have an interval. In the tables of
metrics, the rates are means over the designs.
"""
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
    return "\n".join(["# Coverage: all designs", "", ABOUT, *tables(folder)]) + "\n"


def every_design(folder: Path, kept: Path) -> str:
    """The page of the site: all families that were run, and the search.

    Args:
        kept: what the search for the lowest coverage found.
    """
    found = of_search(json.loads(kept.read_text(encoding="utf-8")))
    return "\n".join([markdown(folder), "## Search for the lowest coverage", "", *found]) + "\n"


def refresh(page: Path, folder: Path) -> None:
    """Put the summary of a folder into a page."""
    between(page, FIRST, LAST, summary(folder))


def _families(folder: Path) -> list[tuple[dict[str, Any], list[Found]]]:
    """Facts and figures of every stored family, in the order of the page."""
    families = [read(path) for path in folder.glob("*.json")]
    return sorted(families, key=lambda one: (*FAMILIES, PEERS).index(one[0]["family"]))


def summary(folder: Path) -> list[str]:
    """One line for each family of intervals, one for each other rate, one for each package."""
    families = _families(folder)
    every = [one for _, found in families for one in found]
    dates = sorted({facts["date"] for facts, _ in families})
    seeds = sorted({facts["seed"] for facts, _ in families})
    figures = [one for one in every if isinstance(one, Figure) and one.n_samples]
    low, sound = (
        f"{len(shares)} of {len(figures)}" + (f", {_percent(_mean(shares), 0)} %" if shares else "")
        for shares in _shares_warned(figures)
    )
    lines = [f"Measured on {', '.join(dates)} with seed {', '.join(map(str, seeds))}."]
    lines.append(f"Intervals below 93 %: {low} warned. From 94 to 96 %: {sound} warned.")
    names = [name for name in FAMILIES if any(one.family == name for one in figures)]
    lines += ["", *SHORT.splitlines()]
    lines += [_short(name, [one for one in figures if one.family == name]) for name in names]
    lines += ["", *OTHERS.splitlines(), *_other_rates(every)]
    peers = [one for one in every if isinstance(one, PeerFigure)]
    if peers:
        lines += ["", *PACKAGES.splitlines()]
        groups = {method: [one for one in peers if one.method == method] for method in METHODS}
        lines += [_of_package(method, group) for method, group in groups.items() if group]
    return lines


def of_search(kept: Sequence[dict[str, Any]]) -> list[str]:
    """One line for each box that was searched for its lowest coverage."""
    lines = []
    facts = dict.fromkeys(tuple(one["measured"].items()) for one in kept)
    for each in map(dict, facts):
        names = [one["name"] for one in kept if one["measured"] == each]
        of_these = "" if len(facts) == 1 else f" ({'; '.join(names)})"
        lines.append(
            f"Measured on {each['date']} with seed {each['seed']}: {each['samples']} samples per "
            f"design searched, {each['final']} different samples of the worst design{of_these}."
        )
    lines += [
        "",
        "| box | designs searched | metric | coverage | too low | too high | warned | design |",
        "|---|---|---|---:|---:|---:|---:|---|",
    ]
    for one in kept:
        figure = one["figure"]
        rates = " | ".join(f"{100 * figure[x]:.1f}" for x in ("coverage", "below", "above"))
        lines.append(
            f"| {one['name']} | {one['n_places']} designs: {one['about']} | `{figure['metric']}` "
            f"| {rates} | {100 * figure['warned']:.0f} | {figure['design']} |"
        )
    return lines


def _shares_warned(figures: Iterable[Figure]) -> tuple[list[float], list[float]]:
    """The shares of samples that warn, of intervals with low and with sound coverage."""
    known = [one for one in figures if one.n_samples]
    low = [one.warned for one in known if one.coverage < LOW]
    return low, [one.warned for one in known if SOUND[0] <= one.coverage <= SOUND[1]]


def _short(name: str, group: Sequence[Figure]) -> str:
    """The line of a family: medians of enough and of few rows, and where it falls short."""
    sizes = ([one.coverage for one in group if one.is_small == small] for small in (False, True))
    low = [one for one in group if one.coverage < LOW]
    cells = (
        str(len({one.design for one in group})),
        *(_percent(median(each)) if each else "–" for each in sizes),
        _percent(min(one.coverage for one in group)),
        f"{len(low)} of {len(group)}",
        _percent(_mean(one.warned for one in low), 0) if low else "–",
        ", ".join(f"`{metric}`" for metric in sorted({one.metric for one in low})),
    )
    return f"| {name} | {' | '.join(cells)} |"


def _other_rates(every: Sequence[Found]) -> Iterator[str]:
    """The lines of tests, bands and choices: between which rates all designs lie."""
    found: dict[tuple[str, str, str], list[tuple[str, float]]] = {}
    for one in every:
        if isinstance(one, Rate) and one.aim != "high":
            of_method = f"{one.metric}: " if one.family == GAPS else ""
            key = one.family, of_method + one.quantity, one.aim
            found.setdefault(key, []).append((one.design, one.rate))
        if isinstance(one, Chosen):
            for quantity, rate in (
                ("coverage as measured", one.coverage),
                ("corrected coverage", one.corrected_coverage),
            ):
                found.setdefault((one.family, quantity, "95.0"), []).append((one.design, rate))
    for (family, quantity, aim), pairs in found.items():
        rates = [rate for _, rate in pairs]
        yield (
            f"| {family} | {quantity} | {len({design for design, _ in pairs})} "
            f"| {_percent(min(rates))} | {_percent(max(rates))} | {aim} |"
        )


def _of_package(method: str, group: Sequence[PeerFigure]) -> str:
    """The line of a package, over all metrics and designs."""
    worst = min(group, key=lambda one: one.coverage)
    cells = (
        _percent(median(one.coverage for one in group)),
        _percent(worst.coverage),
        f"`{worst.metric}`",
        _percent(_mean(one.without for one in group)),
    )
    return f"| {method} | {' | '.join(cells)} |"


def tables(folder: Path) -> list[str]:
    """One line for each family, then the tables of each with every design."""
    families = _families(folder)
    lines = [*SUMMARY.splitlines()]
    for facts, found in families:
        for is_small in (False, True):
            group = [one for one in found if isinstance(one, Figure) and one.is_small == is_small]
            if group:
                lines.append(_of_family(facts["family"], group, is_small=is_small))
    figures = [one for _, found in families for one in found if isinstance(one, Figure)]
    lines += ["", "## Intervals with coverage below 93 %", "", *_low(figures)]
    lines += ["", "## Remarks and cautions", "", *_warned(figures)]
    for facts, found in families:
        lines += ["", f"## {facts['family'].capitalize()}", ""]
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
            lines += ["", "*Every design*", "", *EACH.splitlines(), *map(_of_design, figures)]
        if rates:
            lines += [RATES, *map(_of_rate, rates)]
        if of_peers:
            installed = facts.get(PACKAGE, "not installed")
            lines += [f"SciPy {facts['scipy']}, {PACKAGE} {installed}.", ""]
            lines += [*BESIDE.splitlines(), *_of_packages(of_peers)]
            lines += ["", "*Every design*", "", *EACH_OF_PACKAGES.splitlines()]
            lines += map(_of_peer, of_peers)
        if best:
            lines += [*CHOSEN.splitlines(), *map(_of_chosen, best)]
    return lines


def _of_design(one: Figure) -> str:
    rates = (one.coverage, one.below, one.above)
    cells = (
        f"{one.n_samples}",
        *(map(_percent, rates) if one.n_samples else ("–",) * 3),
        f"{one.width:.3g}" if one.n_samples else "–",
        _percent(one.warned, 0) if one.n_samples else "–",
        ", ".join(one.methods),
    )
    return f"| {one.design} | `{one.metric}` | {' | '.join(cells)} |"


def _of_peer(one: PeerFigure) -> str:
    rates = map(_percent, (one.coverage, one.below, one.above))
    cells = (f"{one.n_samples}", *rates, f"{one.width:.3g}", _percent(one.without))
    return f"| {one.design} | `{one.metric}` | {one.method} | {' | '.join(cells)} |"


def _of_family(name: str, group: Sequence[Figure], *, is_small: bool) -> str:
    known = [one for one in group if one.n_samples]
    worst = min(known, key=lambda one: one.coverage)
    n_designs = len({one.design for one in group})
    return (
        f"| {name} | {'8' if is_small else '20'} | {n_designs} "
        f"| {_percent(median(one.coverage for one in known))} | {_percent(worst.coverage)} "
        f"| `{worst.metric}`: {worst.design} |"
    )


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
        here = _shares_warned(one for one in known if name in (None, one.family))
        shares = [f"{len(x)} | {_percent(_mean(x), 0) if x else '–'}" for x in here]
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
