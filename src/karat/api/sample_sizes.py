"""`rows_needed`: how large a test set has to be, from a pilot."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from karat.api.arguments import confidence_required
from karat.api.judging import JudgedReport
from karat.api.options import positive_number, unknown_choice, whole_number
from karat.api.request.groups import Interval, with_groups
from karat.api.results import ClassReport, Comparison
from karat.api.sets import MultilabelReport
from karat.data.sources.arrays.labels import tally_matrix
from karat.errors import KaratError, error, short
from karat.errors.habits import names_its_arguments
from karat.errors.reasons import NotAMatrixError
from karat.inference.comparison.records import Difference
from karat.inference.confidence import Confidence
from karat.inference.set_intervals import SetIntervals
from karat.inference.sizes import (
    Pilot,
    RowsNeeded,
    SizeSpec,
    gold_rows_needed,
    rows_for_difference,
    rows_for_interval,
    rows_for_scores,
    rows_for_variance,
    unknown,
    variance_of_variance,
)
from karat.inference.table_variance import TableVariance
from karat.metrics import Metric, get
from karat.metrics._applies import check_applies, on_both_classes
from karat.metrics._of_sets import meant_on_sets
from karat.results import report as outcome
from karat.tally import Cells, Classes

_TRIED: Final = 8
"""Labels that vary most, and as many that are rarest, of which the rows are computed."""
RELATIVE: Final = 6.0
"""Variance of a variance beside its square, times the rows that decide it: that of losses and
placements that spread as exponential numbers do is at most so large."""


@names_its_arguments
def rows_needed(
    metric: str | Metric,
    *,
    pilot: Any = None,
    half_width: float | None = None,
    difference: float | None = None,
    power: float = 0.8,
    level: float = 0.95,
    interval: Interval | None = None,
    gold: int | None = None,
) -> RowsNeeded:
    """Number of rows that a test set needs for an interval this narrow, or to detect a difference.

    Args:
        metric: a name; of scores, the pilot is a report of scores or a comparison.
        pilot: a `Report`, a `MultilabelReport` or a confusion matrix of rows like those to come; or
            a `Comparison`, or one `Difference` of it, for two models on the same rows. A metric of
            one label of sets is that of every label: the one that takes most rows decides.
        half_width: of the interval of the metric; of a comparison, of the difference.
        difference: a true difference that the rows shall show. From a comparison, of its two
            models on the same rows; else of two models, each with a test set of so many rows.
        power: the share of test sets that show the difference.
        level: of the interval, or 1 − the error rate of the test.
        interval: ``karat.Interval(side="low")``, or ``"high"``: one limit, or a test of one
            direction.
        gold: with a `JudgedReport` as the pilot: number of rows that the judge labels, of which
            some are to have gold labels; default: as in the pilot. The result is the number of
            gold labels. Of verdicts without predictions, ``"prevalence"`` is the proportion of the
            positive one.

    Returns:
        The least number of rows: an int with limits `low` and `high` at `level`, because a pilot
        knows only roughly how much rows vary. For an interval it is that of the interval that
        reports print; for a difference it follows from the standard error, so that it is rough
        below 100 rows.

    Errors:
        K169 not exactly one of `half_width` and `difference`; K170 no pilot, or none of these; K122
        an option that is no choice; K167 the pilot cannot say; K168 the comparison has no such
        metric.

    Example:
        >>> import karat
        >>> pilot = karat.evaluate(confusion=[[80, 20], [10, 90]])
        >>> karat.rows_needed("accuracy", pilot=pilot, half_width=0.02)
        1225 [934, 1608]
        >>> karat.rows_needed("accuracy", pilot=pilot, difference=0.05)
        801 [611, 1052]
    """
    chosen = get(metric)
    do = "It is the coverage: the proportion of such intervals that cover the true value."
    asked: dict[str, Any] = {"interval": interval}
    asked |= {} if level == Interval().level else {"level": level}
    asked = {"level": level, **with_groups("rows_needed", asked)}
    confidence = confidence_required(asked.pop("level"), do, **asked)
    if (half_width is None) == (difference is None):
        both = "Both half_width= and difference= were given"
        neither = "Neither half_width= nor difference= was given"
        raise error("K169", found=neither if half_width is None else both)
    share = _number("power", power, "a number between 0 and 1, as 0.8", below=1.0)
    size = SizeSpec(
        None if half_width is None else _number("half_width", half_width),
        None if difference is None else _number("difference", difference),
        share,
        confidence,
    )
    classes = getattr(pilot, "classes", None)
    if isinstance(classes, Classes):
        chosen = chosen.with_classes(classes.k)
    _check_size(chosen, size)
    if pilot is None:
        raise error("K170", found="pilot= was not given")
    if isinstance(pilot, JudgedReport):
        return _with_judge(chosen, pilot, size, gold)
    if gold is not None:
        do = "Give a report with karat.Judge as the pilot, or leave it out."
        raise error("K242", given="gold=", lacking="a judge", found="The pilot has none", do=do)
    if isinstance(pilot, Comparison | Difference):
        return _of_difference(chosen, pilot, size)
    if isinstance(pilot, ClassReport | MultilabelReport) and pilot.is_clustered:
        raise error(
            "K167",
            metric=str(chosen),
            found="Rows of the pilot come in clusters, and are less precise than independent rows",
            do="Give a comparison with clusters=, or a pilot of one row for each cluster.",
        )
    if isinstance(pilot, MultilabelReport):
        return _of_sets(chosen, pilot, size)
    if chosen.needs_scores:
        return _of_scores(chosen, pilot, size)
    if not isinstance(pilot, ClassReport):
        try:
            pilot = tally_matrix(pilot)
        except NotAMatrixError:
            found = f"A confusion matrix is square, and pilot= is {short(pilot)}"
            raise error("K170", found=found) from None
    cells = pilot.cells if isinstance(pilot, ClassReport) else pilot
    check_applies(chosen, cells.classes, ())
    cells = on_both_classes(chosen, cells)
    if cells.storage == "marginals":
        raise error("K204", name=str(chosen))
    return _of_table(chosen, TableVariance(cells), size)


def _check_size(metric: Metric, size: SizeSpec) -> None:
    """Refuse a difference that the range of the metric does not hold (K167)."""
    low, high = metric.range
    if size.difference is not None and size.difference >= high - low:
        raise error(
            "K167",
            metric=str(metric),
            found=f"difference= is {size.difference:g}, and {metric} lies between {low:g} and "
            f"{high:g}",
            do="Give a proportion, not a percentage: difference=0.02.",
        )


def _with_judge(
    metric: Metric, pilot: JudgedReport, size: SizeSpec, gold: int | None
) -> RowsNeeded:
    """Gold labels among rows that a judge labels (K167, K247, K249)."""
    n_effective, table = _of_pilot(metric, pilot)
    if size.half_width is None:
        found = "A report with a judge plans intervals"
        raise error("K167", metric=str(metric), found=found, do="Give half_width=.")
    do = "It is the number of rows that the judge labels."
    total = pilot.n_rows if gold is None else whole_number("gold", gold, do, 1, 10**15)
    if pilot.is_clustered or pilot.has_gold_weights:
        found = "The pilot has clusters, or weights of gold rows"
        do = "Give a pilot of independent rows with gold labels at random."
        raise error("K167", metric=str(metric), found=found, do=do)
    if metric.needs_scores:
        alone = _of_scores(metric, table, size)
    else:
        alone = _of_table(metric, TableVariance(on_both_classes(metric, table.cells)), size)
    n = pilot.n_gold
    gained = 1.0 - 1.0 / max(n_effective / n, 1.0)
    square = min(gained / (1.0 - n / pilot.n_rows), 1.0 - 1e-9)
    rows = gold_rows_needed(alone, square, n, total)
    if rows is None:
        found = f"{int(alone)} gold labels are needed without a judge, and it labels {total} rows"
        raise error("K249", found=found, do="Give a larger gold=, or a larger half_width=.")
    return rows


def _of_pilot(metric: Metric, pilot: JudgedReport) -> tuple[float, outcome.ClassReport]:
    """Gold labels alone that are worth the estimate of a pilot, and a report of its gold rows.

    Of verdicts without predictions the prevalence is the proportion of the positive one.
    """
    if pilot.gold is None and str(metric) == "prevalence":
        check_applies(metric, pilot.classes, ())
        # Of two classes; one that occurs alone is known as well as the other.
        return pilot.shares[pilot.classes.positive or 0].n_effective, pilot.judge
    one = pilot[metric]
    assert pilot.gold is not None
    return one.n_effective, pilot.gold


def _of_table(metric: Metric, table: TableVariance, size: SizeSpec) -> RowsNeeded:
    """Rows from a table of true × predicted classes (K167)."""
    find = rows_for_interval if size.half_width is not None else rows_for_difference
    rows = find(metric, table, size)
    return RowsNeeded.around(rows, variance_of_variance(metric, table), size.confidence)


def _of_sets(metric: Metric, pilot: MultilabelReport, size: SizeSpec) -> RowsNeeded:
    """Rows from a report of rows with sets: of every label, or of an average (K167, K219)."""
    record = metric.record
    if record.is_per_class and record.is_traced and metric.lift == "plain":
        meant_on_sets(Metric(record, "macro", metric.params))
        return _of_labels(metric, pilot, size)
    one = pilot[metric]
    if one.standard_error is None:
        do = "Give a report of rows in memory with intervals: karat.evaluate(y_true, y_pred)."
        found = "The pilot does not contain the variance of the metric"
        raise error("K167", metric=str(metric), found=found, do=do)
    n = pilot.n_rows - pilot.n_unknown
    models = 1.0 if size.difference is None else 2.0
    rows = rows_for_variance(metric, models * one.standard_error**2 * n, size)
    return RowsNeeded.around(rows, _known_of(metric, pilot, n), size.confidence)


def _known_of(metric: Metric, pilot: MultilabelReport, n: int) -> float:
    """Variance of the variance that a pilot shows, beside its square."""
    phi = None
    if pilot.encoded is not None and not metric.needs_scores:
        intervals = SetIntervals(pilot.tally, Confidence(), pilot.encoded, pilot.undefined)
        phi = intervals.influence(metric, float(pilot[metric].value))
    second = 0.0 if phi is None else float((phi**2).mean())
    if phi is None or not second > 0.0:
        return RELATIVE / n
    return max(float((phi**4).mean()) / second**2 - 1.0, 0.0) / n


def _of_labels(metric: Metric, pilot: MultilabelReport, size: SizeSpec) -> RowsNeeded:
    """The most rows that any label takes: of those that vary most, or have fewest true rows."""
    intervals = SetIntervals(pilot.tally, Confidence(), pilot.encoded, pilot.undefined)
    limits, fields = intervals.of_classes(metric), pilot.tally.fields
    true = fields.tp + fields.fn
    if limits is None or not (true > 0.0).any():
        raise unknown(metric, "The pilot does not vary, or has no standard error")
    seen = np.flatnonzero(true > 0.0)
    order = [np.argsort(-limits.variance[seen])[:_TRIED], np.argsort(true[seen])[:_TRIED]]
    found, first = [], None
    for i in np.unique(seen[np.concatenate(order)]).tolist():
        counts = [[fields.tn[i], fields.fp[i]], [fields.fn[i], fields.tp[i]]]
        table = np.array(counts) if pilot.tally.is_weighted else np.array(counts, np.int64)
        cells = Cells.dense(table, classes=Classes((False, True), positive=1))
        try:
            found.append(_of_table(metric, TableVariance(cells), size))
        except KaratError as problem:
            first = first or problem
    if not found:
        assert first is not None
        raise first
    return max(found)


def _of_difference(metric: Metric, pilot: Comparison | Difference, size: SizeSpec) -> RowsNeeded:
    """Rows from the standard error of a difference, of a pilot's first pair (K167, K168)."""
    found: Difference
    if isinstance(pilot, Comparison):
        of_metric = (one for one in pilot.differences if one.metric == str(metric))
        found = next(of_metric, None) or pilot[metric]
    else:
        found = pilot
    if found.metric != str(metric):
        raise error("K168", what=str(metric), known=repr(found.metric))
    error_ = found.standard_error
    rows = rows_for_variance(metric, math.nan if error_ is None else error_**2 * found.n, size)
    # Of the influences ± 1 of rows on which one model alone is right.
    n_apart = found.n / 2.0
    if found.discordant is not None:
        n_apart = found.discordant.b + found.discordant.c
    return RowsNeeded.around(rows, 1.0 / max(n_apart, 1.0), size.confidence)


def _of_scores(metric: Metric, pilot: Any, size: SizeSpec) -> RowsNeeded:
    """Rows from the interval of a metric of scores in the report of one model (K167)."""
    one = pilot[metric] if isinstance(pilot, ClassReport) and pilot.scores is not None else None
    if one is None or one.standard_error is None:
        raise error(
            "K167",
            metric=str(metric),
            found="The pilot does not contain the variance of this metric of scores",
            do="Give a report of scores with its standard error (karat.evaluate(y_true, "
            "y_prob=...)), or a comparison of two models.",
        )
    n, value, error_ = pilot.n_rows, float(one.value), one.standard_error
    scale, (low, high) = str(one.method).split("-", maxsplit=1)[0], metric.range
    is_inside = one.high is not None and low < value < one.high < high and error_ > 0.0
    if size.half_width is not None and is_inside and scale in ("log", "logit", "t"):
        shape = Pilot(n, scale, Confidence(one.level or 0.95))
        rows = rows_for_scores(metric, value, error_, float(one.high or high), shape, size)
    else:
        models = 1.0 if size.difference is None else 2.0
        rows = rows_for_variance(metric, models * error_**2 * n, size)
    known = RELATIVE / _n_deciding(metric, value, error_, pilot)
    return RowsNeeded.around(rows, known, size.confidence)


def _n_deciding(metric: Metric, value: float, error_: float, pilot: ClassReport) -> float:
    """Rows that the variance of a metric of scores follows from.

    Of a loss those that make up most of it; of a ranking those of the smallest class.
    """
    if metric.record.better == "lower" and metric.range[0] == 0.0 and value > 0.0:
        return 1.0 / ((error_ / value) ** 2 + 1.0 / pilot.n_rows)
    fields = pilot.cells.fields
    support = np.asarray(fields.tp + fields.fn, np.float64)
    return float(support[support > 0].min(initial=float(pilot.n_rows)))


def _number(
    argument: str, value: Any, choices: str = "a number above 0", below: float = math.inf
) -> float:
    found = positive_number(value)
    if found is None or not found < below:
        raise unknown_choice(argument, value, choices, "See help(karat.rows_needed).")
    return found
