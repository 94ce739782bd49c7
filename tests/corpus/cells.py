"""Cells of the table of what goes together: each a result in short, or the code of a refusal."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping
from typing import Any

import karat
from tests.corpus.outcome import Prose, cleaned, digest, text_digest

Cells = dict[str, Callable[[], Any]]
N_METRICS = 2
NO_PARAMETER = ("K126", "K302")
"""Codes of arguments that a verb or a metric does not take."""


def cells_of(runs: Cells) -> dict[str, Any]:
    """What each run gives, by name; only the first, where the verb lacks a parameter of all."""
    cells: dict[str, Any] = {}
    for name, run in runs.items():
        cells[name] = cell_of(run)
        if len(cells) == 1 and cells[name].get("refused") in NO_PARAMETER:
            break
    return cells


def cells_of_result(make: Callable[[], Any], uses: dict[str, Callable[[Any], Any]]) -> Any:
    """What each use of one result gives, by name, or why there is no result."""
    try:
        result = make()
    except karat.KaratError as problem:
        return {"no result": problem.code}
    return {name: cell_of(lambda use=use: use(result)) for name, use in uses.items()}


def cell_of(run: Callable[[], Any]) -> dict[str, Any]:
    """What a run gives in short; a refusal by its code, another error by its type."""
    try:
        result = run()
        return {"works": shortened(result)}
    except karat.KaratError as problem:
        if problem.code in NO_PARAMETER:
            # Their messages list every argument.
            return {"refused": problem.code}
        return {"refused": problem.code, "message": Prose(cleaned(str(problem)))}
    except Exception as problem:
        message = Prose(cleaned(str(problem)))
        return {"raised": type(problem).__name__, "message": message}


def shortened(result: Any) -> Any:
    """A result as a few numbers and words."""
    kind = type(result).__name__
    if isinstance(result, str | bytes):
        if isinstance(result, str):
            return {"is": kind, "text": Prose(text_digest(result))}
        return {"is": kind, "bytes": len(result), "sha256": digest(result)}
    if kind in _SHORT:
        return {"is": kind, **_SHORT[kind](result)}
    if isinstance(result, numbers.Integral):
        return {"is": kind, **limits_in_short(result), "value": int(result)}
    if isinstance(result, numbers.Real):
        return float(result)
    if isinstance(result, list | tuple):
        return {"is": kind, "items": [str(item) for item in result][:10]}
    if isinstance(result, Mapping):
        return {"is": kind, "keys": [str(key) for key in result][:10], "n": len(result)}
    return {"is": kind}


def limits_in_short(result: Any) -> dict[str, Any]:
    """Value, limits and method of a number, as far as it has them."""
    names = ("value", "fold_mean", "low", "high", "method", "undefined")
    return {name: getattr(result, name) for name in names if hasattr(result, name)}


def _report_in_short(report: Any) -> dict[str, Any]:
    names = list(report.metrics)[:N_METRICS]
    summary: dict[str, Any] = {name: _metric(report, name) for name in names}
    summary["doubts"] = [doubt.code for doubt in report.doubts]
    folds = _part(report, "folds")
    if folds:
        summary["fold mean"] = limits_in_short(folds[names[0]])
    slices = _part(report, "slices")
    if slices:
        summary["slices"] = {str(key): list(map(str, slices[key])) for key in slices}
    return summary


def _metric(report: Any, name: str) -> dict[str, Any]:
    """A metric of a report, or why it cannot be read."""
    try:
        return limits_in_short(report.metrics[name])
    except karat.KaratError as problem:
        return {"refused": problem.code}


def _part(report: Any, name: str) -> Any:
    """A part of a report, None where it has none."""
    try:
        return getattr(report, name, None)
    except karat.KaratError:
        return None


def _comparison_in_short(comparison: Any) -> dict[str, Any]:
    summary: dict[str, Any] = {}
    for difference in list(comparison.differences)[:N_METRICS]:
        names = ("difference", "low", "high", "p", "method", "verdict")
        summary[difference.metric] = {name: getattr(difference, name) for name in names}
    summary["doubts"] = [doubt.code for doubt in comparison.doubts]
    return summary


def _gate_in_short(result: Any) -> dict[str, Any]:
    names = ("verdict", "value", "low", "high", "difference", "p")
    rules = [{name: rule[name] for name in names} for rule in result.to_dict()["rules"]]
    return {
        "verdict": result.verdict,
        "exit code": result.exit_code,
        "rules": rules,
        "doubts": [doubt.code for doubt in result.doubts],
    }


def _check_in_short(check: Any) -> dict[str, Any]:
    return {
        "problems": [problem.code for problem in check.problems],
        "doubts": [doubt.code for doubt in check.doubts],
        "available": [ability["is_there"] for ability in check.to_dict()["abilities"]],
    }


def _weak_slices_in_short(result: Any) -> dict[str, Any]:
    slices = [[weak.name, weak.value, weak.p] for weak in result.slices]
    return {"slices": slices, "p": result.p, "n_tested": result.n_tested}


def _rows_in_short(rows: Any) -> dict[str, Any]:
    return {"n": rows.n, "ids": list(rows.ids)[:5]}


_SHORT: dict[str, Callable[[Any], dict[str, Any]]] = {
    "Report": _report_in_short,
    "MultilabelReport": _report_in_short,
    "JudgedReport": _report_in_short,
    "Comparison": _comparison_in_short,
    "GateResult": _gate_in_short,
    "MonitorResult": _gate_in_short,
    "Check": _check_in_short,
    "WeakSlices": _weak_slices_in_short,
    "RowList": _rows_in_short,
}
