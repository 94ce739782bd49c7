"""Print the worst error of every metric beside its bound; write the table, and its summary."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from karat.metrics import error_bound
from tests.numerics.errors import UNIT, Seen, everything

BEGIN, END = "<!-- numerics: begin -->", "<!-- numerics: end -->"
RESULTS = Path(__file__).parent / "results" / "errors.md"
FAMILIES = {
    "rates": "rates",
    "fscores": "F scores, Jaccard",
    "accuracy": "accuracy",
    "agreement": "agreement, information",
    "counts": "counts",
    "costs": "costs",
    "probability": "losses, D², top k",
    "calibration": "calibration errors",
    "decompositions": "decompositions of losses",
    "recalibration": "calibration tests and fits",
    "ranking": "areas",
    "thresholds": "thresholds, top of a ranking",
    "sets": "averages over labels",
}
"""Family → its words in the summary, in this order."""
TITLE = """\
# Worst errors of the metrics

`make numerics` writes this table. `docs/trust.md` states what the bounds mean, and has its summary.
"""
HEAD = """\
| metric | worst of its bound | on | error | as a part of the value | bound of 1000 rows |
|---|---|---|---|---|---|"""
SUMMARY = """\
| metrics | number | closest to its bound | error ÷ bound |
|---|---|---|---|"""


def worst_of_each() -> dict[str, Seen]:
    """Name of a record → of its averages the one that comes closest to its bound."""
    worst: dict[str, Seen] = {}
    for seen in everything():
        name = seen.metric.record.name
        if seen.expected == seen.expected and (name not in worst or seen.used > worst[name].used):
            worst[name] = seen
    return worst


def summary(worst: Iterable[Seen]) -> list[str]:
    """One line a family: the metric that comes closest to its bound."""
    families: dict[str, list[Seen]] = {family: [] for family in FAMILIES}
    for seen in worst:
        families[seen.metric.record.family].append(seen)
    lines = [SUMMARY]
    for family, each in families.items():
        most = max(each, key=lambda seen: seen.used)
        name = most.metric.record.name
        lines.append(f"| {FAMILIES[family]} | {len(each)} | `{name}` | {most.used:.1%} |")
    return lines


def line(seen: Seen) -> str:
    part = seen.error / abs(seen.expected) if seen.expected else 0.0
    return (
        f"| `{seen.metric.record.name}` | {seen.used:.1%} | {seen.place} | {seen.error:.1e} "
        f"| {part:.1e} | {stated(seen)} |"
    )


def stated(seen: Seen) -> str:
    """The bound of a thousand rows without weights, in units of rounding."""
    bound = error_bound(seen.metric, 1000)
    parts = []
    if bound.relative:
        parts.append(f"{size(bound.relative)} of the value")
    if bound.absolute:
        scale = "" if bound.scale == "1" else f" × ({bound.scale})"
        parts.append(f"{size(bound.absolute)}{scale}")
    # A bar would end the cell.
    return (" + ".join(parts) or "exact").replace("|", "\\|")


def size(bound: float) -> str:
    return f"{bound / UNIT:.0f} u" if UNIT / 2 < bound < 1e-11 else f"{bound:.0e}"


def main(arguments: list[str]) -> int:
    worst = worst_of_each().values()
    table = "\n".join([HEAD, *map(line, worst)])
    print(table)
    text = "\n".join(summary(worst))
    for name in arguments:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(f"{TITLE}\n{table}\n", encoding="utf-8")
        page = Path(name)
        before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
        after = rest.partition(END)[2]
        page.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
