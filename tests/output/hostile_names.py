"""Class names that try to be something else in some format, and reports that have them."""

from __future__ import annotations

import numpy as np

import karat
from karat.api.report import Report
from karat.api.results import ClassReport, Comparison
from karat.tally import Cells, Classes

NAMES = [
    "<script>alert(1)</script>",
    "</td></tr></table><img src=x onerror=alert(1)>",
    "\" onmouseover=\"alert(1)' x='",
    "a|b",
    "a\\|b\\",
    "``code`` `",
    "line\nbreak\r\nand\ttab",
    "\u202eright to left\u202c",
    "שלום عالم",
    "L" * 300,
    "🦊 fox",
    r"\input{/etc/passwd} $x^2$ & 50% #1 _y_ ~{z}^",
    "[x](javascript:alert(1)) ![y](z)",
    "@everyone #123 http://example.com www.example.com a@b.co",
    "*bold* __under__ ~~gone~~",
    "- item",
    "# heading",
    "1. one",
    "---",
    "=1+2",
    "*",
    "[1em]",
    " ",
    "null",
    "&lt;b&gt; &amp; &#35;",
    "a, \"b\", 'c'",
    "\ud800half",
    "{{ 7 * 7 }}",
    "..",
    "a/b",
    "a_b",
    "a b",
]


def hostile_report(names: list[str] = NAMES) -> Report:
    """Every class is taken for the next one now and then; the names are in notes too."""
    k = len(names)
    matrix = np.diag(np.arange(k) + 5) + np.roll(np.eye(k, dtype=int), 1, axis=1) * 2
    cells = Cells.dense(matrix, classes=Classes.of(names))
    return ClassReport(cells, warnings=tuple(f"Seen: {name}" for name in names),
                  source={"files": [f"{names[0]}|.csv"]})  # fmt: skip


def hostile_comparison() -> Comparison:
    """Models called like that."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 120)
    models = {
        name: np.where(rng.random(120) < 0.5 + 0.1 * i, truth, rng.integers(0, 3, 120))
        for i, name in enumerate((NAMES[0], NAMES[3], NAMES[11]))
    }
    return karat.compare(truth, models, metrics=["accuracy", "macro_f1"])
