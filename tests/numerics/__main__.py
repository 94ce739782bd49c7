"""Print the worst error of every metric beside its bound; write the table into a page of docs."""

from __future__ import annotations

import sys
from pathlib import Path

from karat.metrics import error_bound
from tests.numerics.errors import UNIT, Seen, everything

BEGIN, END = "<!-- numerics: begin -->", "<!-- numerics: end -->"
HEAD = """\
| metric | worst of its bound | on | error | as a part of the value | bound of 1000 rows |
|---|---|---|---|---|---|"""


def table() -> list[str]:
    """One line a record: of its averages the one that comes closest to its bound."""
    worst: dict[str, Seen] = {}
    for seen in everything():
        name = seen.metric.record.name
        if seen.expected == seen.expected and (name not in worst or seen.used > worst[name].used):
            worst[name] = seen
    return [HEAD, *(line(each) for each in worst.values())]


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
    text = "\n".join(table())
    print(text)
    for name in arguments:
        page = Path(name)
        before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
        after = rest.partition(END)[2]
        page.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
