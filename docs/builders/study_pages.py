"""Pages of the studies with every stored figure: coverage of intervals, speed."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from benchmarks import docs_page
from benchmarks.coverage import render
from builders.written import write_changed

__all__ = ["write_study_pages"]

_HEAD: Final = "---\norphan: true\n---\n\n"


def write_study_pages(docs: Path) -> None:
    """Write the pages of all designs and of all cases, from the results beside the folder."""
    studies = docs.parent / "benchmarks"
    designs = render.every_design(studies / "results/coverage", studies / "coverage/found.json")
    cases = docs_page.every_case(docs_page.newest(studies / "results"), docs / "speed")
    for name, text in {"coverage/designs": designs, "speed/cases": cases}.items():
        summary = f"The summary is [{name.partition('/')[0]}](../{name.partition('/')[0]}.md)."
        title, _, rest = text.partition("\n")
        page = docs / f"{name}.md"
        page.parent.mkdir(exist_ok=True)
        write_changed(page, f"{_HEAD}{title}\n\n{summary}\n{rest}")
