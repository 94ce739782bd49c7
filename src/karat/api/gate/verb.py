"""`gate`: whether predictions are good enough, and no worse than before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from karat.api.arguments import confidence_required
from karat.api.forms import attach_forms
from karat.api.gate.evaluation import Evaluation, decided_by
from karat.api.gate.folds import cases_over_folds
from karat.api.gate.rows import RowsSpec, baseline_of, current_rows
from karat.api.gate.sets import (
    DEFAULTS,
    SetEvaluation,
    SideOfSets,
    are_sets_of,
    baseline_of_sets,
    current_sets,
)
from karat.api.gate.spec import GateSpec
from karat.api.options import check_policy, one_of, unknown_choice, whole_number
from karat.api.results import Report
from karat.api.sets import refuse_on_sets
from karat.data.arguments import check_flag, check_threads
from karat.data.labels.separated import checked_separator
from karat.data.rows import Rows
from karat.data.slices.codes import name_of
from karat.errors import error
from karat.errors.habits import names_its_arguments
from karat.errors.options import option
from karat.results.gate.result import GateResult
from karat.results.gate.verdicts import Rule, default_rules, example_rule, judged, refused, rules_of
from karat.tally.writing import write_text

attach_forms(GateResult)


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
    folds: Any = None,
    id: Any = None,  # noqa: A002
    labels: Any = None,
    positive: Any = None,
    threshold: float | None = None,
    separator: str | None = None,
    level: float = 0.95,
    adjust: str = "holm",
    allow_mismatch: bool = False,
    inconclusive: str | None = None,
    strict_inconclusive: bool = False,
    warn_only: bool = False,
    update_baseline: str | PathLike[str] | None = None,
    with_rows: bool = False,
    undefined: str = "zero",
    nulls: str = "error",
    n_threads: int | None = None,
    anytime: int | bool | None = None,
) -> GateResult:
    """Check whether predictions are good enough, and no worse than those of an earlier model.

    The verdict is ``"FAIL"`` where a rule fails, ``"INCONCLUSIVE"`` where the rows do not decide
    one, else ``"PASS"``; the result is true where it is ``"PASS"``. Without a rule and a baseline
    there is no verdict: `update_baseline` alone writes the first baseline.

    Args:
        y_true: true labels, [n], or sets of labels; or a table, files of predictions, a `Report` or
            a `MultilabelReport`.
        y_pred, y_prob, y_score: its predictions, as in `karat.evaluate`.
        min, max: a dict from metric to the bound of its value.
        max_drop: a dict from metric to a drop: it fails where a larger one than that is shown.
        no_worse_than: a dict from metric to a drop: it passes only where such a drop is excluded.
        baseline: what to compare with: a file that `update_baseline` wrote, predictions of the
            earlier model in files or a table, its `Report` or the JSON of it, or, beside arrays,
            its predictions of the same rows. Without `max_drop` and `no_worse_than`, accuracy (of
            sets: subset accuracy) and macro F1 may not be significantly worse. With `by` it holds
            rows, or slices by the same column.
        evidence: ``"value"``: bounds hold for the value; ``"low"``: for the limit of its
            interval on their side, as always with `anytime`.
        by: a column, or a value for each row, also as ``{"country": values}``: every rule holds for
            every slice too. A slice that the baseline has and these rows do not fails; of one that
            only these rows have, what compares with the baseline is inconclusive.
        min_n: slices with fewer rows are inconclusive.
        true, pred, prob, score, weights, clusters: columns of a table, as in `karat.evaluate`;
            weights and clusters of arrays are values.
        folds: a column, or the fold of each row, as in `karat.evaluate`: every rule is about the
            mean over folds, with the interval of Nadeau and Bengio, and a drop about the mean
            difference over the folds of both. Not with `by`.
        id: a column, or a value for each row, that rows of both models are matched by. Default: a
            column ``id``, ``sample_id``, ``row_id`` … that both have, else the order of the rows.
        labels, positive, threshold, undefined, nulls, n_threads: as in `karat.evaluate`.
        separator: what separates the labels of a text that holds several, as in `karat.evaluate`.
        level: of the intervals; a drop counts where its one-sided p-value is below half of
            1 − level.
        adjust: ``"holm"``: p-values allow for all rules that compare with the baseline;
            ``"none"``.
        allow_mismatch: compare the rows that both have, where some are missing.
        inconclusive: ``"fail"``: an inconclusive rule keeps the gate from passing, with the exit
            code 3; ``"pass"``: it does not. Default: ``"fail"`` for `max_drop` and
            `no_worse_than`, ``"pass"`` for other rules, and for a slice that its own rows cannot
            judge: fewer than `min_n`, of one cluster or without weight.
        strict_inconclusive: the same as ``inconclusive="fail"``.
        warn_only: whether the exit code is 0 for every verdict.
        update_baseline: where to write these predictions as the next baseline, if the gate passes.
        with_rows: whether it holds the rows, so that the next model is compared row by row.
        anytime: planned number of rows, or of clusters, of a gate that is run again and again on
            rows that keep coming: limits and p-values hold at every run, and bounds are judged by
            the limits; True is 10 000. See docs/monitoring.md.

    Returns:
        A `GateResult`: true where it passed; ``.verdict``, ``.rules``, ``.exit_code``, ``print``.

    Errors:
        K171 to K175 rows that cannot be matched; K176 rules that cannot be; K189 a baseline without
        these slices; K205, K206 a damaged baseline; K3xx no such metric; K413 the baseline
        cannot be written; else as `karat.evaluate`.

    Example:
        >>> import karat
        >>> truth = ["cat", "dog", "dog", "cat"] * 25
        >>> predicted = ["cat", "dog", "cat", "cat"] * 25
        >>> print(karat.gate(truth, predicted, positive="dog", min={"accuracy": 0.7}))
        karat gate  PASS: 1 of 1 rule passed
          PASS          accuracy ≥ 0.7: 0.75 [0.657, 0.8245], n = 100
    """
    slice_name, by = _named(by)
    columns = {
        "true": true,
        "pred": pred,
        "prob": prob,
        "score": score,
        "weights": weights,
        "clusters": clusters,
        "folds": folds,
        "ids": id,
        "by": by,
    }
    options = {
        "labels": labels,
        "positive": positive,
        "threshold": threshold,
        "separator": checked_separator(separator),
        "nulls": nulls,
        "n_threads": n_threads,
    }
    return run_gate(
        RowsSpec(y_true, y_pred, y_prob, y_score, columns, options, slice_name),
        rules_of(min=min, max=max, max_drop=max_drop, no_worse_than=no_worse_than),
        baseline,
        update_baseline,
        evidence=evidence,
        min_n=min_n,
        level=level,
        adjust=adjust,
        allow_mismatch=allow_mismatch,
        inconclusive=inconclusive,
        strict_inconclusive=strict_inconclusive,
        warn_only=warn_only,
        with_rows=with_rows,
        undefined=undefined,
        anytime=anytime,
    )


def _named(by: Any) -> tuple[str, Any]:
    """The name of slices of arrays, and their values (K181)."""
    if not isinstance(by, Mapping):
        return RowsSpec.slice_name, by
    match list(by.items()):
        case [(str(name), values)]:
            return name, values
    raise error(
        "K181",
        found=f"A gate splits rows by one column, and by= has {len(by)}",
        do="Give one, as by={'country': countries}",
    )


def run_gate(
    given: RowsSpec,
    rules: Sequence[Rule],
    baseline: Any = None,
    update_baseline: Any = None,
    **choices: Any,
) -> GateResult:
    """The gate of rows and rules; see `gate`.

    The choices are those of `GateSpec`, and `strict_inconclusive`.
    """
    spec = _spec(**choices)
    needing = next((rule for rule in rules if rule.needs_baseline), None)
    if needing is not None and baseline is None:
        bounds = f"{option('min')}, {option('max')}"
        do = f"Give {option('baseline')}, or bounds of the value: {bounds}."
        raise refused(f"The rule {needing.text!r} needs a baseline", do)
    check_threads(given.options.get("n_threads"))
    target = None if update_baseline is None else _target(update_baseline)
    if not rules and baseline is None and target is None:
        *kinds, last = (option(kind) for kind in ("min", "max", "max_drop", "no_worse_than"))
        rule = option("min", example_rule("min"))
        do = (
            f"Give a rule, such as {rule} ({', '.join(kinds)} or {last}), or "
            f"{option('baseline')} alone. {option('update_baseline')} writes the first baseline."
        )
        raise refused("There is no rule and no baseline", do)
    name = _name(baseline, "the baseline")
    current = _current(given, spec)
    is_of_sets = not isinstance(current, Rows | Report)
    if baseline is not None and needing is None:
        rules = [*rules, *(default_rules(DEFAULTS) if is_of_sets else default_rules())]
    run: Evaluation | SetEvaluation
    if isinstance(current, Rows | Report):
        run = _evaluation(given, rules, spec, current, baseline, name)
    else:
        of_one_class = {"with_rows": spec.with_rows or None, "folds": given.columns.get("folds")}
        refuse_on_sets({**of_one_class, "anytime": spec.anytime})
        then = None if baseline is None else baseline_of_sets(given, baseline, name, current)
        run = SetEvaluation.of(rules, spec, current, then, name)
    cases = run.cases()
    of_folds: tuple[str, ...] = ()
    if given.columns.get("folds") is not None and isinstance(run, Evaluation):
        cases, of_folds = cases_over_folds(run, cases, spec)
    beside = (*_of_looks(spec), *of_folds)
    result = GateResult(
        judged(
            cases,
            level=spec.level,
            evidence=spec.evidence,
            adjust=spec.adjust,
            inconclusive=spec.inconclusive,
        ),
        run.n,
        spec.level,
        spec.adjust,
        None if baseline is None else name,
        run.is_paired,
        (*run.doubts_and_notes(), *beside),
        spec.inconclusive,
        spec.warn_only,
        run.mapping,
        is_of_sets,
        anytime=spec.anytime,
    )
    if target is None:
        return result
    if not result.passed:
        why = "the gate failed" if result.verdict == "FAIL" else "the gate is inconclusive"
        return replace(result, notes=(*result.notes, f"{target} was not written: {why}."))
    _write(target, run.baseline_text() + "\n")
    # Without a rule the headline says it.
    wrote = (f"Wrote {target}.",) if result.rules else ()
    notes = (*run.doubts_and_notes(), *beside, *wrote)
    return replace(result, notes=notes, updated_baseline=target)


def _of_looks(spec: GateSpec) -> list[str]:
    """Sentence on the looks that limits and p-values hold at; none for one look."""
    looks = spec.confidence.looks
    return [f"{looks[0].upper()}{looks[1:]}; p-values too."] if looks else []


def _current(given: RowsSpec, spec: GateSpec) -> Rows | Report | SideOfSets:
    """The rows that are to pass, or their report."""
    by, folds = given.columns.get("by"), given.columns.get("folds")
    if folds is not None and (by is not None or isinstance(given.y_true, Report)):
        beside = "a report was given" if by is None else f"{option('by')} was given"
        do = f"Give rows and {option('folds')} alone: a rule is about slices or about folds."
        raise refused(f"{option('folds')} judges means over folds, and {beside}", do)
    if isinstance(given.y_true, Report):
        if by is not None or spec.with_rows:
            argument = option("with_rows" if by is None else "by")
            raise error(
                "K160",
                argument=argument,
                report="a report",
                found=f"A report was given with {argument}",
                do="Give the rows: a report does not hold them.",
            )
        return given.y_true
    if are_sets_of(given):
        return current_sets(given)
    return current_rows(given, _name(given.y_true, "the predictions"))


def _evaluation(
    given: RowsSpec,
    rules: Sequence[Rule],
    spec: GateSpec,
    current: Rows | Report,
    baseline: Any,
    name: str,
) -> Evaluation:
    """The rules on rows with one class each, or on their report, and the earlier model."""
    by = given.columns.get("by")
    return Evaluation(
        rules,
        spec,
        current,
        None if baseline is None else baseline_of(given, baseline, name),
        name,
        name_of(by, given.slice_name),
        not given.is_table or given.columns.get("weights") is not None,
        decided_by(current) if isinstance(current, Report) else given.decided_by(current),
    )


def _name(source: Any, otherwise: str) -> str:
    return fspath(source) if isinstance(source, str | PathLike) else otherwise


def _spec(
    evidence: Any,
    level: Any,
    adjust: Any,
    undefined: Any,
    min_n: Any,
    inconclusive: Any,
    strict_inconclusive: Any = False,
    anytime: Any = None,
    **flags: Any,
) -> GateSpec:
    """The choices of a gate, beside its rules (K122, K176)."""
    do = "'low' asks a bound of the limit; 'holm' allows for many rules."
    evidence = one_of("evidence", evidence, ("value", "low"), do)
    adjust = one_of("adjust", adjust, ("holm", "none"), do)
    do = "A gate needs intervals to tell a drop from chance."
    asked = confidence_required(level, do, anytime=anytime)
    do = "Slices with fewer rows are not judged."
    n = whole_number("min_n", min_n, do, 1, choices="a whole number of at least 1")
    policy = check_policy(undefined)
    do = "'fail' has the exit code 3; None is 'fail' for max_drop and no_worse_than alone."
    inconclusive = one_of("inconclusive", inconclusive, (None, "pass", "fail"), do)
    for argument, flag in {**flags, "strict_inconclusive": strict_inconclusive}.items():
        check_flag(argument, flag, "A text such as 'no' would count as True.")
    if strict_inconclusive:
        if inconclusive == "pass":
            strict, lax = option("strict_inconclusive", True), option("inconclusive", "pass")
            do = f"Leave {strict} out."
            raise refused(f"{lax} and {strict} contradict each other", do)
        inconclusive = "fail"
    is_set = {argument: bool(flag) for argument, flag in flags.items()}
    return GateSpec(
        # A value passes and fails by chance at some run; limits of every run do not.
        evidence if asked.anytime is None else "low",
        asked.level,
        adjust,
        n,
        policy,
        inconclusive=inconclusive,
        anytime=asked.anytime,
        **is_set,
    )


def _target(path: Any) -> str:
    """The file of the next baseline, checked before the rows are read (K122, K413)."""
    if not isinstance(path, str | PathLike):
        do = "The next baseline is written there, if the gate passes."
        raise unknown_choice("update_baseline", path, "the path of a file", do)
    target = fspath(path)
    if not Path(target).absolute().parent.is_dir():
        raise error("K413", path=target, found="there is no such folder")
    return target


def _write(path: str, text: str) -> None:
    try:
        write_text(path, text)
    except (OSError, ValueError) as problem:  # a name may hold what no file system takes
        found = getattr(problem, "strerror", None) or str(problem)
        raise error("K413", path=path, found=found[:1].lower() + found[1:]) from None
