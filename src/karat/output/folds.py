"""Sections about folds: of a report, and of a comparison of models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from karat.errors.text import count, counted, interval, value
from karat.output.document import Table, TableColumn

if TYPE_CHECKING:
    from karat.results.folds import FoldResult, Folds
    from karat.results.report import ClassReport


def folds_section(report: ClassReport, names: Sequence[str]) -> Table | None:
    """Means over folds beside pooled values, and what each interval covers; None without folds."""
    folds = report.kept_folds
    if folds is None or not names:
        return None
    names = _first(report, names)
    results = [folds[name] for name in names]
    asked = report.confidence
    limits, nested = [], []
    if asked is not None:
        head = TableColumn(f"{asked.text} interval", "left", rank=1, style="dim")
        limits.append((head, [interval(one.low, one.high) for one in results]))
    if folds.has_nested:
        of_models = [one.nested for one in results]
        nested.append(
            (
                TableColumn("nested", rank=2),
                ["" if x is None else value(x.value) for x in of_models],
            )
        )
        if asked is not None:
            head = TableColumn("nested interval", "left", rank=2, style="dim")
            nested.append((head, [interval(x.low, x.high) if x else "" for x in of_models]))
    return Table.by_column(
        f"Folds by {' × '.join(folds.columns)}  {_size(folds)}",
        (TableColumn("metric", "left"), list(names)),
        (TableColumn("fold mean", style="strong"), [_marked(one) for one in results]),
        *limits,
        (TableColumn("sd", rank=3), [value(one.sd) for one in results]),
        (TableColumn("pooled", rank=4), [value(one.pooled) for one in results]),
        *nested,
        notes=tuple(_notes(folds, results)),
    )


_FIRST: Final = (
    *("accuracy", "balanced_accuracy", "f1", "macro_f1", "matthews_correlation"),
    *("roc_auc", "roc_auc_ovr_macro", "average_precision", "mean_average_precision"),
    *("log_loss", "brier"),
)
"""Metrics that are shown over folds, where none were requested."""


def _first(report: ClassReport, names: Sequence[str]) -> list[str]:
    """Return the shown metrics: all requested ones, else the main ones of the headline."""
    found = [name for name in names if name in _FIRST]
    return list(names) if report.requested is not None or not found else found


def _size(folds: Folds) -> str:
    axis = folds.axis
    n = len(axis.folds)
    repeats = f" in {axis.n_repeats} repeats" if axis.n_repeats > 1 else ""
    sizes = axis.n_rows
    rows = count(int(sizes.min()))
    if sizes.min() < sizes.max():
        rows += f" to {count(int(sizes.max()))}"
    return f"{counted(n, 'fold')}{repeats} of {rows} rows"


def _marked(one: FoldResult) -> str:
    return f"{value(one.fold_mean)}{'*' if one.undefined else ''}"


def _notes(folds: Folds, results: Sequence[FoldResult]) -> list[str]:
    covers = folds.covers
    notes = [f"Fold mean: {covers['fold_mean']}.", f"Pooled: {covers['pooled']}."]
    if "repeats" in covers:
        notes.insert(1, f"Repeats: {covers['repeats']}.")
    if "nested" in covers:
        notes.append(f"Nested: {covers['nested']}.")
        others = [one.metric for one in results if one.nested is None]
        if others:
            notes.append(f"Nested: only for means over rows, not for {', '.join(others)}.")
    remarks = dict.fromkeys(one.remark for one in results if one.remark)
    notes += [f"Caution: {remark}." for remark in remarks]
    reasons = dict.fromkeys(one.undefined for one in results if one.undefined)
    return [*notes, *(f"* {reason}" for reason in reasons)]
