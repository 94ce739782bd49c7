"""`gate`: whether predictions are good enough, and no worse than before."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath
from typing import Any

from karat.api.gate.arguments import asked_of, check_flags, target_of
from karat.api.gate.evaluation import GateCases
from karat.api.gate.measure import measured_in, measured_of, report_of
from karat.api.gate.rows import Given, baseline_of, rows_given, rows_of_baseline
from karat.api.results import Report
from karat.data.rows import Rows
from karat.data.threads import check_threads
from karat.errors import error
from karat.errors.habits import names_its_arguments
from karat.metrics import get
from karat.output.gate.baselines import Baseline, text_of_baseline
from karat.results.gate.outcome import GateResult
from karat.results.gate.rules import Rule, default_rules, rules_of
from karat.results.gate.verdicts import judged

__all__ = ["GateResult", "gate", "run_gate"]

KEPT_OF_SLICES = ("accuracy", "macro_f1")
"""What a baseline keeps of every slice, beside the metrics of the rules."""


@names_its_arguments
def gate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    min: Any = None,  # noqa: A002
    max: Any = None,  # noqa: A002
    max_drop: Any = None,
    no_worse_than: Any = None,
    baseline: Any = None,
    evidence: str = "value",
    by: Any = None,
    min_n: int = 30,
    true: str | None = None,
    pred: str | None = None,
    prob: str | Sequence[str] | None = None,
    score: str | Sequence[str] | None = None,
    weights: Any = None,
    clusters: Any = None,
    id: Any = None,  # noqa: A002
    labels: Any = None,
    positive: Any = None,
    threshold: float | None = None,
    level: float = 0.95,
    adjust: str = "holm",
    allow_mismatch: bool = False,
    strict_inconclusive: bool = False,
    warn_only: bool = False,
    update_baseline: str | PathLike[str] | None = None,
    with_rows: bool = False,
    undefined: str = "zero",
    nulls: str = "error",
    n_threads: int | None = None,
) -> GateResult:
    """Whether predictions are good enough, and no worse than those of an earlier model.

    Args:
        y_true: true labels, [n]; or a table, files of predictions, or a `Report`.
        y_pred, y_prob, y_score: what the model said of them, as in `karat.evaluate`.
        min, max: a dict from metric to the bound of its value.
        max_drop: a dict from metric to a drop: it fails where a larger one than that is shown.
        no_worse_than: a dict from metric to a drop: it passes only where such a drop is excluded.
        baseline: what to compare with: a file that `update_baseline` wrote, predictions of the
            earlier model in files or a table, its `Report` or the JSON of it, or, beside arrays,
            what it said of the same rows. Without `max_drop` and `no_worse_than`, accuracy and
            macro F1 may not be significantly worse.
        evidence: ``"value"``: bounds are asked of the value; ``"low"``: of the limit of its
            interval on their side.
        by: a column, or a value for each row: every rule is asked of every slice too.
        min_n: slices with fewer rows are inconclusive.
        true, pred, prob, score, weights, clusters: columns of a table, as in `karat.evaluate`;
            weights and clusters of arrays are values.
        id: a column, or a value for each row, that rows of both models are matched by. Default: a
            column ``id``, ``sample_id``, ``row_id`` … that both have, else the order of the rows.
        labels, positive, threshold, undefined, nulls, n_threads: as in `karat.evaluate`.
        level: of the intervals; a drop counts where its one-sided p-value is below half of
            1 − level.
        adjust: ``"holm"``: p-values allow for all rules that compare with the baseline;
            ``"none"``.
        allow_mismatch: compare the rows that both have, where some are missing.
        strict_inconclusive: whether what is inconclusive has the exit code 3.
        warn_only: whether the exit code is 0 whatever was found.
        update_baseline: where to write these predictions as the next baseline, if the gate passes.
        with_rows: whether it holds the rows, so that the next model is compared row by row.

    Returns:
        A `GateResult`: true where it passed; ``.rules``, ``.exit_code``, ``print``.

    Errors:
        K171 to K175 rows that cannot be matched; K176 rules that cannot be; K205, K206 a damaged
        baseline; K3xx no such metric; K413 the baseline cannot be written; else as
        `karat.evaluate`.

    Example:
        >>> import karat
        >>> truth = ["cat", "dog", "dog", "cat"] * 25
        >>> said = ["cat", "dog", "cat", "cat"] * 25
        >>> print(karat.gate(truth, said, min={"accuracy": 0.7}))
        karat gate  PASS: 1 of 1 rule passed
          PASS          accuracy ≥ 0.7: 0.75 [0.657, 0.8245], n = 100
    """
    columns = {
        "true": true, "pred": pred, "prob": prob, "score": score, "weights": weights,
        "clusters": clusters, "ids": id, "by": by,
    }  # fmt: skip
    options = {
        "labels": labels, "positive": positive, "threshold": threshold, "nulls": nulls,
        "n_threads": n_threads,
    }  # fmt: skip
    return run_gate(
        Given(y_true, y_pred, y_prob, y_score, columns, options),
        rules_of(min=min, max=max, max_drop=max_drop, no_worse_than=no_worse_than),
        baseline=baseline,
        evidence=evidence,
        min_n=min_n,
        level=level,
        adjust=adjust,
        allow_mismatch=allow_mismatch,
        strict_inconclusive=strict_inconclusive,
        warn_only=warn_only,
        update_baseline=update_baseline,
        with_rows=with_rows,
        undefined=undefined,
    )


def run_gate(
    given: Given,
    rules: list[Rule],
    *,
    baseline: Any = None,
    evidence: str = "value",
    min_n: int = 30,
    level: float = 0.95,
    adjust: str = "holm",
    allow_mismatch: bool = False,
    strict_inconclusive: bool = False,
    warn_only: bool = False,
    update_baseline: str | PathLike[str] | None = None,
    with_rows: bool = False,
    undefined: str = "zero",
) -> GateResult:
    """The gate of rows and rules; see `gate`."""
    asked = asked_of(evidence, level, adjust, undefined, min_n, rules, baseline)
    check_flags(
        allow_mismatch=allow_mismatch,
        strict_inconclusive=strict_inconclusive,
        warn_only=warn_only,
        with_rows=with_rows,
    )
    check_threads(given.options.get("n_threads"))
    target = None if update_baseline is None else target_of(update_baseline)
    rules = list(rules)
    if baseline is not None and not any(rule.needs_baseline for rule in rules):
        rules += default_rules()
    if not rules and update_baseline is None:
        raise error(
            "K176",
            found="There is no rule and no baseline",
            do="Say what to ask: min={'macro_f1': 0.8} (--min macro_f1=0.8), or baseline=.",
        )
    by = given.columns.get("by")
    if isinstance(given.y_true, Report):
        if by is not None or with_rows:
            argument = "with_rows=" if by is None else "by="
            raise error(
                "K160",
                argument=argument,
                report="a report",
                found=f"A report was given with {argument}",
                do="Give the rows: a report does not hold them.",
            )
        current: Rows | Report = given.y_true
    else:
        current = rows_given(given, _called(given.y_true, "the predictions"))
    name = _called(baseline, "the baseline")
    before = None if baseline is None else baseline_of(given, baseline, name)
    by_name = by if isinstance(by, str) else "slice"
    are_named = not given.is_table or given.columns.get("weights") is not None
    run = GateCases(rules, asked, current, before, name, by_name, allow_mismatch, are_named)
    cases, notes, is_paired = run.cases()
    result = GateResult(
        judged(cases, level=asked.level, evidence=asked.evidence, adjust=adjust),
        run.n,
        asked.level,
        adjust,
        None if baseline is None else name,
        is_paired,
        tuple(notes),
        bool(strict_inconclusive),
        bool(warn_only),
        None if isinstance(current, Report) else current.mapping or None,
    )
    if target is None:
        return result
    return _updated(result, run, target, with_rows=with_rows)


def _called(source: Any, otherwise: str) -> str:
    return fspath(source) if isinstance(source, str | PathLike) else otherwise


def _updated(result: GateResult, run: GateCases, path: str, *, with_rows: bool) -> GateResult:
    """Write the baseline, where the gate passes."""
    from dataclasses import replace

    from karat.data.writing import write_text

    if not result.passed:
        note = f"{path} was not written: the gate failed."
        return replace(result, notes=(*result.notes, note))
    text = text_of_baseline(_made(run, with_rows=with_rows)) + "\n"
    try:
        write_text(path, text)
    except (OSError, ValueError) as problem:  # a name may hold what no file system takes
        found = getattr(problem, "strerror", None) or str(problem)
        raise error("K413", path=path, found=found[:1].lower() + found[1:]) from None
    return replace(result, notes=(*result.notes, f"Wrote {path}."))


def _made(run: GateCases, *, with_rows: bool) -> Baseline:
    current = run.current
    settings = {"level": run.asked.level, "undefined": run.asked.undefined}
    if isinstance(current, Report):
        found = {name: measured_in(current, get(name)) for name in current.metrics}
        found |= {str(metric): measured_in(current, metric) for metric in run.metrics}
        return Baseline(current.classes, current.cells, current.n_rows, found, settings)
    report = report_of(current, None, run.asked)
    metrics = {name: measured_in(report, get(name)) for name in report.metrics}
    gated = measured_of(current, run.metrics, run.asked, is_whole=True)
    metrics |= {str(metric): found for metric, found in gated.items()}
    kept = list(dict.fromkeys([*map(get, KEPT_OF_SLICES), *run.metrics]))
    slices = {}
    for label, rows in run.slices(current):
        part = current.at(rows)
        if run.unfit(part, label) is None:
            of_slice = measured_of(part, kept, run.asked, is_whole=False)
            name = label.partition("=")[2]
            slices[name] = {str(metric): found for metric, found in of_slice.items()}
    cells = report.cells.with_classes(current.classes)
    return Baseline(
        current.classes,
        cells,
        current.n,
        metrics,
        settings,
        None if current.slices is None else run.by,
        slices,
        rows_of_baseline(current) if with_rows else None,
    )
