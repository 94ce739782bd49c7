"""All metrics on one Markdown page: every fact comes from the records, none is typed here.

python docs/build.py build/docs    # the site has a page for each metric: make docs
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from karat import metrics
from karat.metrics._registry import every_record


def page() -> str:
    """The whole page as Markdown."""
    lines = ["# Metrics", "", "Made from the records in `src/karat/metrics` by `make docs`.", ""]
    for family, records in groupby(every_record(), key=lambda record: record.family):
        lines += [f"## {family.replace('_', ' ').capitalize()}", ""]
        for record in records:
            lines += entry(record)
    return "\n".join(lines).rstrip() + "\n"


def entry(record: metrics.Record) -> Iterator[str]:
    """One metric: what it is, its formula, when it is undefined, its other names."""
    yield f"### `{record.name}`"
    yield ""
    yield record.summary
    yield ""
    if record.description:
        yield record.description
        yield ""
    yield from (f"- {name}: {text}" for name, text in facts_of(record).items())
    yield ""


def facts_of(record: metrics.Record) -> dict[str, str]:
    """What the record says of a metric, by heading; nothing that is empty."""
    plain = metrics.Metric(record, "plain", metrics.Metric.defaults(record))
    low, high = (f"{bound:g}" for bound in record.range)
    facts = {
        "Formula": f"`{plain.formula}`",
        "Range": f"{low} to {high}",
        "Better": record.better or "neither",
        "Undefined": plain.undefined_when or "never",
        "Averages": ", ".join(f"`{average}_{record.name}`" for average in record.averages),
        "Also called": ", ".join(f"`{alias}`" for alias in record.aliases),
        "Parameters": "; ".join(f"`{item.name}`: {item.text}" for item in record.parameters),
        "Equals": "; ".join(f"{item.library} `{item.text}`" for item in record.equals),
        "References": "; ".join(record.references),
    }
    return {name: text for name, text in facts.items() if text}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "metrics.md").write_text(page(), encoding="utf-8")
    print(folder / "metrics.md")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
