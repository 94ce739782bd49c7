"""Reports from few gold labels and a judge's labels for every row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, Self

import numpy as np

from karat.api.arguments import dressed, intervals_of, wanted_of_scores
from karat.api.exports import written
from karat.api.measuring import class_report_of
from karat.api.report import Report
from karat.api.request.request import Request
from karat.api.results import ClassReport, Result
from karat.api.score_functions import given_scores
from karat.api.sources import columns_to_read, row_arguments
from karat.api.spec import Spec
from karat.data.accumulator import accumulate
from karat.data.judged import JudgeColumns, JudgedRows, judged_arrays, judged_table
from karat.data.label_doubts import doubts_of_labels
from karat.data.roles import SCORE_ROLES
from karat.data.rows import Rows
from karat.data.scores.rows import InMemoryScores
from karat.data.scores.storage import ScoreParts
from karat.data.sources.arrays.sets import hold_sets
from karat.errors import error
from karat.errors.doubts import Doubt, new_doubts, only_doubts
from karat.errors.options import option
from karat.errors.together import refuse
from karat.inference.confidence import Confidence
from karat.inference.judge.estimates import Estimates, JudgedLabels, Sample
from karat.inference.judge.scores import Three
from karat.inference.judge.selection import Imbalance, imbalance
from karat.metrics import Metric
from karat.metrics._applies import check_applies, on_both_classes
from karat.metrics._influence.gather import reason_without
from karat.metrics._measure import measure
from karat.metrics.plan import requested
from karat.results import judged as outcome
from karat.results.judged import JudgedShare
from karat.results.roles import by_name
from karat.results.values import listed_metrics
from karat.tally import Cells
from karat.tally.cached import cached_property

if TYPE_CHECKING:
    from os import PathLike

    from karat.output.document import Document
    from karat.output.tidy import Row


class JudgedResult(outcome.JudgedResult, Result):
    """One metric from gold labels and a judge's: a `Result` with the parts of the estimate.

    Attributes:
        judge_weight: λ of PPI++, the weight of the judge's labels, from 0 to 1.
        n_effective: number of gold labels that would give as narrow an interval without a judge.
        n_gold: rows with a gold label.
        gold_value, gold_low, gold_high: the metric of the gold rows alone, with its interval.
        judge_value: the metric with the judge's labels as the truth, of all rows.
    """

    __slots__ = ()


class JudgedReport(outcome.JudgedReport, Report):
    """Metrics from few gold labels and a judge's labels for every row.

    Get a metric by item or attribute: ``report["macro_f1"]``, ``report.macro_f1``: a record with
    `value`, `low`, `high`, the weight of the judge and the same number by the gold rows alone.

    Attributes:
        classes: the classes.
        n_rows: rows, each with a judge's label.
        n_gold: rows with a gold label.
        level: confidence level of the intervals.
        shares: proportion of each class: prediction-powered, by gold rows alone, by the judge
            alone, and the judge's corrected by its confusion (Rogan–Gladen).
        judge: the judge against the gold labels, a `Report` of the gold rows.
        gold: the predictions on the gold rows alone, a `Report`; None without predictions.
        listed: metrics by name.
        make: function that estimates one metric.
        mapping: column of each role, if the rows come from a table.
        source: facts about the origin of the rows.
        warnings: sentences for the reader.
        requested: the requested metrics, or None for all.
        is_clustered: True if intervals account for clusters.
        has_gold_weights: True if gold rows were chosen with known probabilities.
    """

    kind = "A report with a judge"

    def text(self, width: int = 80) -> str:
        """Return the report as plain text of at most `width` columns."""
        from karat.output.layout import text_of

        return text_of(self._document("headline"), width)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON types, in the schema ``karat.judged/2``."""
        from karat.output.json.judged import judged_to_dict

        return judged_to_dict(self)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read a report from its JSON text.

        The reports of the judge and of the gold rows are those of `Report.from_json`. Estimates
        are read as they were written: there is none of a metric that is not listed (K247).

        Errors:
            K205 it is not a whole report of schema ``karat.judged/2``, or contradicts itself; K211,
            K301, K302 it asks for metrics that it or karat lacks.
        """
        from karat.output.json.judged import judged_from_json

        return judged_from_json(text, cls, ClassReport, JudgedResult)

    def to_json(self, path: str | PathLike[str] | None = None) -> str:
        """Return the report as JSON text with sorted keys; write it to `path` too, if given."""
        return super().to_json(path)

    def to_html(self, path: str | PathLike[str] | None = None, *, title: str | None = None) -> str:
        """Return the report as one self-contained HTML page; write it to `path` too, if given.

        Args:
            path: where the page is written, or None.
            title: heading of the page and of its tab.

        Errors:
            K122 the title is no text; K501 jinja2 is missing: ``pip install "karat[cli]"``.
        """
        from karat.output.html.page import judged_to_html

        return written(judged_to_html(self, title), path, end="")

    def _repr_html_(self) -> str:
        from karat.output.notebook import html_of

        return html_of(self._document("headline"))

    def _document(self, metrics: Literal["headline", "all"]) -> Document:
        from karat.output.describe_judged import describe_judged

        return describe_judged(self, metrics)

    def _rows(self) -> tuple[Sequence[Row], Mapping[str, type]]:
        from karat.output.tidy import JUDGED_COLUMNS, rows_of_judged

        return rows_of_judged(self), JUDGED_COLUMNS


def evaluate_judged(request: Request) -> JudgedReport:
    """Return the report of a request of `karat.evaluate` with a judge's labels.

    Errors:
        K242 a judge's labels without gold labels; K243 an argument that a judge does not
        have; K244 too few or too many gold labels; K245 gold rows that are no random part; K246
        weights of gold rows; K247 a metric without an estimate; K1xx as `karat.evaluate`.
    """
    spec = judged_spec(request)
    table = request.y_true
    if request.has_data:
        for name in ("judge", "gold_weights"):
            if not isinstance(getattr(request, name), str | None):
                found = "It holds values, and the rows are a table"
                do = f"Name its column: {option(name, 'NAME')}."
                raise error("K243", argument=f"{option(name)} of values", found=found, do=do)
        rows = judged_table(table, judge_columns(request), columns_to_read(request))
    else:
        rows = _of_arrays(request)
    return judged_report(rows, spec, is_random=request.gold_is_random, names=request.class_names)


def judge_columns(request: Request) -> JudgeColumns:
    """The columns of the labels of a judge and of people."""
    return JudgeColumns(request.judge, request.gold_weights)


def _of_arrays(request: Request) -> JudgedRows:
    if isinstance(request.judge, str):
        found, do = "It names a column, and there is no table", "Give the table first."
        raise error("K243", argument=option("judge", request.judge), found=found, do=do)
    for name in ("true", "pred", *SCORE_ROLES):
        if getattr(request, name) is not None:
            found = f"{name}= names a column, and there is no table"
            do = f"Give the values: y_{name}=…; or a table first."
            raise error("K143", argument=name, found=found, do=do)
    gold, pred = gold_of(request), request.y_pred
    if hold_sets(gold, request.judge):
        found = "They are sets of labels, and a judge's label is one class a row"
        do = "Evaluate one label at a time: give 1 where a row has it and 0 where it has not."
        raise error("K243", argument=option("y_true"), found=found, do=do)
    scores = None
    if request.has_scores:
        scores = given_scores(request.outputs)
    return judged_arrays(
        gold,
        request.judge,
        pred,
        scores,
        gold_weights=request.gold_weights,
        options=row_arguments(request),
    )


def gold_of(request: Request) -> Any:
    """Return the labels of people, which are the truth (K242: there are none)."""
    if request.y_true is None:
        do = "Give the labels of people, missing (None, NaN) where there is none, as y_true."
        found = "y_true was not given"
        raise error("K242", given="karat.Judge", lacking="y_true", found=found, do=do)
    return request.y_true


def judged_spec(request: Request) -> Spec:
    """Return the settings of a report with a judge (K243: an argument that it does not have)."""
    refuse("evaluate", "judge", request.chosen)
    confidence = intervals_of(request)
    metrics = request.metrics
    if isinstance(metrics, str) and metrics == "all":
        metrics = None
    wanted = None if metrics is None else tuple(requested(metrics))
    threads, threshold = request.n_threads, request.threshold
    return Spec(wanted, request.undefined, confidence, threads, threshold, keeps_curves=False)


def judged_report(
    found: JudgedRows, spec: Spec, *, is_random: bool = False, names: Any = None
) -> JudgedReport:
    """Return the report of rows with gold labels and a judge's.

    Args:
        is_random: whether the gold rows are stated to be a random part of all.
        names: display names of the classes.

    Errors:
        K245 gold rows that differ from the others; K247 a metric without an estimate; K117 names.
    """
    confidence = spec.confidence
    assert confidence is not None
    rows, has_gold, weights = found.rows, found.has_gold, found.rows.weights
    sample = Sample(has_gold, weights, found.gold_weights, rows.cluster_codes)
    sample.check_weights()
    pred = predictions_of(rows, spec)
    scores = rows.scores
    if found.gold_weights is None and not is_random:
        check_random(found, pred if found.has_predictions else None)
    labels = JudgedLabels.of(rows.classes, sample, found.gold, found.judge, pred)
    own = sample.gold
    alone = replace(spec, wanted=None)
    gold_rows = _gold_rows(rows, sample)
    against = replace(gold_rows, pred=found.judge[own], scores=None)
    judge = _ordinary(against, replace(alone, threshold=None), names)
    gold: ClassReport | None = None
    three: Three | None = None
    of_scores: list[Metric] = []
    listed: dict[str, Metric] = {}
    if found.has_predictions:
        wanted = spec.wanted
        unfit = next((one for one in wanted or () if one.needs_scores), None)
        if unfit is not None and scores is None:
            raise unfit.no_scores(rows.warnings)
        gold = _ordinary(gold_rows, spec, names)
        if scores is not None:
            three = parts_with_scores(found, sample, spec)
            found_metrics = wanted_of_scores(rows.classes, wanted, scores.kind)
            of_scores = [metric for metric in found_metrics if not _why_not(metric)]
        listed = _listed(gold, wanted, of_scores)
    estimates = Estimates(labels, confidence, spec.policy, sample, three, of_scores)
    by_judge = replace(rows, true=found.judge, by=(), cells=None, clusters=None, pred=pred)
    made = _Estimated(estimates, gold, by_judge, spec, len(own))
    shares = _shares(labels, confidence, found, sample)
    report = JudgedReport(
        rows.classes,
        rows.n,
        len(own),
        confidence.level,
        shares,
        judge,
        gold,
        listed,
        made,
        by_name(rows.mapping),
        rows.source,
        tuple(dict.fromkeys([*rows.warnings, *_doubts(gold, by_judge), *_cautions(found, sample)])),
        spec.wanted,
        rows.clusters is not None,
        found.gold_weights is not None,
    )
    return report if names is None else _named(report, judge)


def _named(report: JudgedReport, judge: ClassReport) -> JudgedReport:
    classes = judge.classes
    shares = tuple(
        replace(one, name=name) for one, name in zip(report.shares, classes.display, strict=True)
    )
    return replace(report, classes=classes, shares=shares)


def _gold_rows(rows: Rows, sample: Sample) -> Rows:
    own = replace(rows.at(sample.gold), weights=sample.weights_of_gold)
    return replace(own, by=(), warnings=(), cells=None, mapping={})


def parts_with_scores(found: JudgedRows, sample: Sample, spec: Spec) -> Three:
    """Return the gold rows by their gold labels and by the judge's, and the reference rows."""
    own, rest, gold_rows = sample.gold, sample.reference, _gold_rows(found.rows, sample)
    parts = (
        gold_rows,
        replace(gold_rows, true=found.judge[own]),
        replace(found.rows.at(rest), true=found.judge[rest], by=(), cells=None),
    )
    first, second, third = (InMemoryScores.of(one, spec.threshold, spec.n_threads) for one in parts)
    return first, second, third


def predictions_of(rows: Rows, spec: Spec) -> Any:
    """int32[n]: class that each row is predicted as."""
    if rows.pred is not None:
        return rows.pred
    tally = InMemoryScores.of(rows, spec.threshold, spec.n_threads)
    tally.check()
    return np.asarray(tally.predicted("An estimate with a judge"), np.int32)


def _ordinary(rows: Rows, spec: Spec, names: Any) -> ClassReport:
    """The ordinary report of the gold rows."""
    tallies = accumulate(rows, ScoreParts(0), n_threads=spec.n_threads)
    report = class_report_of(tallies, spec)
    return dressed(report, names, is_frequency=False)


def _why_not(metric: Metric) -> str:
    """Why a metric has no estimate with a judge; empty if it has."""
    if metric.lift == "per_class":
        return "it is a number of each class"
    if metric.needs_scores:
        if not metric.record.is_estimate:
            return f"it is {metric.record.no_influence}"
        return "no influence of each row on it is known" if reason_without(metric) else ""
    if metric.record.is_count:
        return "it counts rows"
    return "it is the same for every table" if metric.is_constant else ""


def _listed(
    gold: ClassReport, wanted: Sequence[Metric] | None, of_scores: Sequence[Metric]
) -> dict[str, Metric]:
    if wanted is None:
        return {str(metric): metric for metric in listed_of(gold.cells, of_scores)}
    for metric in wanted:
        check_estimated(metric)
        check_applies(metric, gold.classes, ())
    return {str(metric): metric for metric in wanted}


def listed_of(cells: Cells, of_scores: Sequence[Metric]) -> list[Metric]:
    """Return the metrics that have an estimate with a judge."""
    return [metric for metric in listed_metrics(cells, of_scores) if not _why_not(metric)]


def check_estimated(metric: Metric) -> None:
    """Refuse a metric without an estimate with a judge (K247)."""
    if why := _why_not(metric):
        raise error("K247", name=str(metric), found=why.capitalize(), do="Leave it out.")


@dataclass(eq=False)
class _Estimated:
    """Function that returns one metric from gold labels and a judge's.

    Attributes:
        estimates: the estimates.
        gold: the predictions on the gold rows alone.
        by_judge: all rows, with the judge's labels as the truth.
        spec: how they are measured.
        n_gold: rows with a gold label.
    """

    estimates: Estimates
    gold: ClassReport | None
    by_judge: Rows
    spec: Spec
    n_gold: int
    _kept: dict[Metric, float] = field(default_factory=dict)

    def __call__(self, metric: Metric) -> JudgedResult:
        assert self.gold is not None
        check_estimated(metric)
        one, by_gold = self.estimates.of(metric), self.gold[metric]
        interval, tuned = one.interval, one.tuned
        return JudgedResult.beside(
            by_gold,
            self.by_judge.n,
            value=one.value,
            low=interval.low,
            high=interval.high,
            level=self.estimates.confidence.level,
            method=interval.method,
            standard_error=float(np.sqrt(tuned.variance)) if tuned.variance >= 0.0 else None,
            judge_weight=tuned.weight,
            n_effective=one.n,
            n_gold=self.n_gold,
            gold_value=by_gold.value,
            gold_low=by_gold.low,
            gold_high=by_gold.high,
            judge_value=self._value(metric),
            remark=interval.remark,
        )

    def _value(self, metric: Metric) -> float:
        """The metric of all rows with the judge's labels as the truth."""
        if not metric.needs_scores:
            cells = on_both_classes(metric, self._cells)
            return float(metric.values(cells, self.spec.policy).value)
        if metric not in self._kept:
            tally = InMemoryScores.of(self.by_judge, None, self.spec.n_threads)
            values = measure(tally, self.estimates.of_scores, self.spec.policy)
            self._kept |= {each: float(found.value) for each, found in values.items()}
        return self._kept[metric]

    @cached_property
    def _cells(self) -> Cells:
        rows = accumulate(replace(self.by_judge, scores=None), ScoreParts(0)).rows
        assert rows is not None
        assert rows.cells is not None
        return rows.cells


def _shares(
    labels: JudgedLabels, confidence: Confidence, found: JudgedRows, sample: Sample
) -> tuple[JudgedShare, ...]:
    verdicts, classes = labels.verdicts, labels.classes
    weights = np.ones(found.rows.n) if sample.weights is None else sample.weights
    judged = np.bincount(found.judge, weights, classes.k) / weights.sum()
    shares = []
    for i, (value, limits) in enumerate(verdicts.corrected(confidence)):
        one, alone = verdicts.share(i, confidence), verdicts.gold_share(i, confidence)
        low, high = one.interval.low, one.interval.high
        gold_low, gold_high = alone.interval.low, alone.interval.high
        assert low is not None
        assert high is not None
        assert gold_low is not None
        assert gold_high is not None
        shares.append(
            JudgedShare(
                classes.labels[i],
                classes.display[i],
                one.value,
                low,
                high,
                one.tuned.weight,
                one.n,
                alone.value,
                gold_low,
                gold_high,
                float(judged[i]),
                value if np.isfinite(value) else None,
                limits.low,
                limits.high,
                limits.remark,
            )
        )
    return tuple(shares)


def _doubts(gold: ClassReport | None, by_judge: Rows) -> tuple[Doubt, ...]:
    """The doubts about the predictions on the gold rows, and about the judge's labels of all."""
    found = () if gold is None else only_doubts(gold.warnings)
    return (*found, *new_doubts(doubts_of_labels(by_judge), found))


_FEW: Final = 30
_FEW_OF_A_CLASS: Final = 10


def _cautions(found: JudgedRows, sample: Sample) -> list[str]:
    """Sentences about few gold labels, of all rows and of classes."""
    cautions, n_effective, n_gold = [], sample.n_gold, int(found.has_gold.sum())
    if n_effective < _FEW:
        whole = f"There are {n_gold} gold labels"
        if round(n_effective) < n_gold:
            whole += f", and their weights differ so much that they count as {n_effective:.0f}"
        cautions.append(
            f"{whole}: intervals depend on few rows, and may cover the true value less often than "
            "stated."
        )
    n = np.bincount(found.gold[found.has_gold], minlength=found.classes.k)
    judged = np.bincount(found.judge, minlength=found.classes.k)
    none = [found.classes.display[i] for i in np.flatnonzero((n == 0) & (judged > 0))]
    if none:
        named = f"No gold label is {', '.join(none[:5])}"
        cautions.append(f"{named}: metrics that depend on rows of such a class have no interval.")
    few = [found.classes.display[i] for i in np.flatnonzero((n > 0) & (n < _FEW_OF_A_CLASS))]
    if few:
        named = f"Fewer than {_FEW_OF_A_CLASS} gold labels of {', '.join(few[:5])}"
        cautions.append(
            f"{named}: intervals of metrics that read such a class may cover the true value less "
            "often than stated."
        )
    return cautions


def check_random(found: JudgedRows, pred: Any) -> None:
    """Refuse gold rows that are no random part of all (K245)."""
    rows, scores = found.rows, None
    classes = {"judge": found.judge.astype(np.int64)}
    if pred is not None:
        classes["prediction"] = np.asarray(pred, np.int64)
    if rows.values is not None:
        values = np.asarray(rows.values, np.float64)
        scores = np.maximum(values, 1.0 - values) if values.ndim == 1 else values.max(axis=1)
    one = imbalance(found.has_gold, classes, scores, rows.cluster_codes)
    if one is not None:
        weights, statement = option("gold_weights"), option("gold_is_random", True)
        raise error("K245", found=_shown(one, found), weights=weights, statement=statement)


def _shown(one: Imbalance, found: JudgedRows) -> str:
    p = f"p = {one.p:.1g}"
    if one.what == "score":
        return (
            f"The mean rank of the largest score is {one.of_gold:.2f} among rows with a gold "
            f"label, {one.of_rest:.2f} among the others ({p})"
        )
    shares = (
        f"{100 * one.of_gold:.3g} % of the rows with a gold label, in {100 * one.of_rest:.3g} %"
    )
    if one.what == "agreement":
        return f"The judge's label is the prediction in {shares} of the others ({p})"
    what = "The judge's label" if one.what == "judge" else "The prediction"
    name = found.classes.display[one.place]
    return f"{what} is {name!r} in {shares} of the others ({p})"
