"""Doubts that need rows or results: found once, from what was accumulated and what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from karat.api.rank_doubts import (
    AREAS,
    Limits,
    of_areas,
    of_each_area,
    of_logits,
    order_of_scores,
    sign_of_margins,
    whose,
)
from karat.data.accumulator import Tallies
from karat.data.checks import (
    are_all,
    log_probabilities,
    n_at_least_of_other_scores,
    n_beside_threshold,
    n_not_of_largest,
    zero_threshold,
)
from karat.data.label_doubts import doubts_of_labels
from karat.data.labels.names import named as place_of
from karat.data.labels.several import looks_separated
from karat.data.roles import ending_of, normalized
from karat.data.rows import Rows
from karat.data.scores.order import refuse_found_scores, unnamed_classes
from karat.data.scores.rows import InMemoryScores
from karat.errors import short, shown
from karat.errors.doubts import CauseDoubt, DisagreementDoubt, Doubt, doubt, has_doubt, only_doubts
from karat.errors.options import as_typed, each_option, is_command_line, option
from karat.errors.text import count, counted, value
from karat.inference.confidence import Confidence
from karat.inference.judge.selection import imbalance_of_counts
from karat.inference.label_intervals import label_interval
from karat.inference.table_variance import TableVariance
from karat.metrics import Metric, get
from karat.metrics._measure import losses_of
from karat.results.values import ReportValues
from karat.tally import Cells, Classes, Label, ScoredRows
from karat.tally.classes import usual_positive
from karat.tally.score_histograms import ScoreHistograms
from karat.tally.score_kind import KINDS, ROLES

if TYPE_CHECKING:
    from karat.results.gate.verdicts import Rule

_LOG_LOSS: Final = "negative_log_probability"
_OTHERWISE: Final = 0.05
"""The share of rows that may be predicted otherwise than by their scores."""
ReportT = TypeVar("ReportT", bound=ReportValues)


def with_doubts(report: ReportT, found: Tallies) -> ReportT:
    """Return the report with the doubts about its rows and its results before its warnings."""
    areas = {
        name: (float(report.measured[metric].value), interval.low, interval.high)
        for name, metric in zip(AREAS, map(get, AREAS), strict=True)
        if (interval := report.intervals.get(metric)) is not None
    }
    n_columns, is_by_threshold = found.n_columns_of_scores, report.threshold is not None
    n_deciding = n_columns if is_by_threshold else _n_deciding(found)
    labels = [*doubts_of_labels(report.cells), *_of_texts(report)]
    ranks = [*of_each_area(report)]
    if not ranks:
        is_prob = report.scores not in ("logits", "scores")
        ranks += of_areas(areas, report.classes, n_columns, is_prob=is_prob)
    is_told = has_doubt((*labels, *ranks), CauseDoubt)
    doubts = (
        *of_classes(report.classes),
        *_of_whole_weights(report.cells, report.mapping.get("weights")),
        *_of_rows_without_truth(report, found.unverified),
        *(() if is_by_threshold else _of_predictions(found, found.origin.mapping)),
        *(_of_values(found) or _of_range(found, found.origin.mapping)),
        *zero_threshold(report.threshold, report.scores),
        *of_logits(report, found.rows),
        *labels,
        *ranks,
        *(() if is_told else of_agreement(_spread_of(report), n_deciding)),
    )
    return replace(report, warnings=(*doubts, *report.warnings)) if doubts else report


def _of_rows_without_truth(
    report: ReportValues, unverified: Mapping[Label, int]
) -> Iterator[Doubt]:
    """Iterate over the doubt that the truth of some predictions was looked up more often."""
    if not unverified or report.is_clustered or report.is_weighted:
        return
    if not report.cells.has_predictions:
        return
    fields, place = report.fields, {label: i for i, label in enumerate(report.labels)}
    counts = [*(fields.tp + fields.fp).astype(int).tolist(), 0]
    others = [0] * len(counts)
    for label, n in unverified.items():
        # Classes that occur in rows without truth alone are one.
        others[place.get(label, -1)] += n
    one = imbalance_of_counts(counts, others)
    if one is not None:
        shares = [f"{100 * share:.3g}" for share in (one.of_gold, one.of_rest)]
        is_known = one.place < len(place)
        yield doubt(
            "D146",
            name=repr(report.classes.display[one.place]) if is_known else "another class",
            of_verified=shares[0],
            of_others=shares[1],
            n=sum(others),
            p=f"{max(one.p, 1e-300):.1g}",
            weights=option("weights"),
        )


def _of_whole_weights(cells: Cells, column: object = None) -> Iterator[Doubt]:
    """Iterate over the doubt that weights are numbers of rows: whole ones of few rows.

    Args:
        column: of the weights, where they have one: with the name of counts, any above 1 suffices.
    """
    squares = cells.squares
    if not cells.is_weighted or squares is None:
        return
    n, total = int(cells.n_rows), float(cells.counts.sum())
    is_of_rows = float(squares.sum()) == total
    sums = (cells.counts, squares)
    is_named = isinstance(column, str) and normalized(column) in _COUNTS
    if (
        (is_named or total >= _ROWS_OF_WEIGHT * n)
        and not is_of_rows
        and all((x % 1.0 == 0.0).all() for x in sums)
    ):
        settles = option("weights_are", "frequency")
        yield doubt("D128", n=counted(n, "row"), total=count(int(total)), option=settles)


_ROWS_OF_WEIGHT: Final = 5
_COUNTS: Final = ("count", "counts", "n", "freq", "frequency")


def _of_texts(report: ReportValues) -> Iterator[Doubt]:
    """Iterate over the doubt that texts hold several labels each."""
    found = looks_separated(report.classes.labels)
    if found is not None and not report.scores:
        mark, texts = found
        what = f"{counted(len(texts), 'class')} of {report.classes.k} hold {mark!r}"
        do = f"name what separates them: {option('separator', mark)}"
        if not mark:
            what = "Every one is a list that was written as text"
            do = f"write them as a|b, and give {option('separator', '|')}"
        yield doubt("D119", found=f"{what}: {shown(texts, 3)}", do=do)


def of_rows(rows: Rows, of: str = "") -> list[Doubt]:
    """Return the doubts about rows that were read, those of the reading first.

    Args:
        of: the side, where there are several.
    """
    read, labels = (
        [one.within(of) if of else one for one in found]
        for found in (only_doubts(rows.warnings), doubts_of_labels(rows))
    )
    return [*read, *of_classes(rows.classes), *of_scores(rows, of=of), *labels]


def of_bounds(rules: Iterable[Rule], k: int) -> Iterator[Doubt]:
    """Iterate over the doubts about rules, of rows with `k` classes or labels.

    A bound stops better models, and no other stops worse ones; a drop is allowed that is a large
    part of the range.
    """
    from karat.results.gate.verdicts import example_rule

    rules = list(rules)
    bounds = [rule for rule in rules if not rule.needs_baseline]
    for rule in bounds:
        wrong, right = {"higher": ("max", "min"), "lower": ("min", "max")}.get(
            rule.metric.better or "", ("", "")
        )
        has_other = any(one.kind == right and one.metric == rule.metric for one in bounds)
        if rule.kind != wrong or has_other:
            continue
        name, number = str(rule.metric), f"{rule.bound:.10g}"
        written = f"{name}={number}" if is_command_line() else {name: rule.bound}
        yield doubt(
            "D118",
            metric=name,
            rule=rule.text,
            better=rule.metric.better,
            option=option(right, written),
        )
    for rule in rules:
        low, high = rule.metric.with_classes(k).range
        if rule.needs_baseline and _WIDE * (high - low) < rule.bound:
            argument, name = rule.kind.replace("-", "_"), str(rule.metric)
            yield doubt(
                "D145",
                rule=rule.text,
                metric=name,
                low=f"{low:g}",
                high=f"{high:g}",
                share=f"{100 * rule.bound / (high - low):.0f} %",
                option=option(argument, example_rule(argument, name)),
            )


_WIDE: Final = 0.3
"""Proportion of the range of a metric above which an allowed drop or a margin is in doubt."""


def of_margins(margins: Mapping[str, float], k: int) -> Iterator[Doubt]:
    """Iterate over the doubt that a margin is a large part of the range with `k` classes."""
    for name, margin in margins.items():
        low, high = get(name).with_classes(k).range
        if _WIDE * (high - low) < margin:
            yield doubt(
                "D151",
                metric=name,
                low=f"{low:g}",
                high=f"{high:g}",
                share=f"{100 * margin / (high - low):.0f} %",
                option=option("margin", 0.02),
            )


def of_classes(classes: Classes) -> Iterator[Doubt]:
    """Iterate over the doubt that neither of two classes is positive, where that is so."""
    if classes.k == 2 and classes.positive is None:
        yield doubt(
            "D101", labels=shown(classes.labels), options=each_option("positive", classes.labels)
        )


def of_scores(rows: Rows, of: str = "") -> Iterator[Doubt]:
    """Iterate over the doubts about the scores of rows.

    Args:
        of: the model, where there are several.
    """
    found = Tallies(rows=rows)
    yield from _of_predictions(found, rows.mapping, of)
    yield from (_of_values(found, of) or _of_range(found, rows.mapping, of))


def _of_values(found: Tallies, of: str = "") -> tuple[Doubt, ...]:
    """Return the doubt that scores are predicted labels, or confidences in the predicted class."""
    classes = found.classes
    parts = [] if found.rows is None else [found.rows]
    scores = [rows.scores for rows in parts if rows.scores is not None]
    n = sum(one.values.size for one in scores)
    if classes is None or found.n_rows < _LEAST_ROWS or not n:
        return ()
    (values,), is_prob = [one.values for one in scores], scores[0].is_prob
    for low in (0.0, -1.0):
        if are_all(values, partial(np.isin, test_elements=(low, 1.0))):
            facts = {"n": count(n), "values": f"{low:g} or 1", "option": option("y_pred")}
            return (doubt("D153", of=whose(of), **facts),)
    if not (is_prob and values.ndim == 1 and classes.positive is not None and _n_deciding(found)):
        return ()
    assert found.rows is not None
    n_other = int(np.count_nonzero(found.rows.true != classes.positive))
    is_one = values.max() == values.min()
    if is_one or not n_other or not are_all(values, lambda part: part >= _HALF):
        return ()
    label, other = (classes.labels[i] for i in (classes.positive, 1 - classes.positive))
    facts = {"n": count(n), "times": f"in {counted(n_other, 'row')}"}
    return (doubt("D154", of=whose(of), label=repr(label), other=repr(other), **facts),)


WHY_RANGE: Final[Mapping[str, str]] = {
    "logits": "the softmax of logits is another probability",
    "scores": "scores have no losses, no calibration and, without a threshold, no predictions",
}
"""Why numbers from 0 to 1 are in doubt."""
_LEAST_ROWS: Final = 10
"""Rows from which no value of another kind is a surprise."""
_HALF: Final = 0.5


def _of_range(found: Tallies, mapping: Mapping[str, Any], of: str = "") -> Iterator[Doubt]:
    """Iterate over the doubt that scores may be probabilities, where all lie in [0, 1]."""
    limits = found.limits_of_scores
    if limits is not None and found.n_columns_of_scores == 1:
        yield from log_probabilities(found.kind, limits, found.n_rows, whose(of))
    if limits is None or limits[0] < 0.0 or limits[1] > 1.0:
        return
    columns = mapping.get("logit") or mapping.get("score")
    settles = option("y_prob")
    if columns:
        settles = option("y_prob", columns[0]) if len(columns) == 1 else option("y_prob")
    n = count(found.n_rows * found.n_columns_of_scores)
    kind = found.kind or "scores"
    yield doubt("D102", what=f"All {n} {kind}{whose(of)}", option=settles, why=WHY_RANGE[kind])


def of_labels(table: TableVariance) -> tuple[Doubt, ...]:
    """The doubts about the labels of one of several models, looked for once."""
    key = "doubts of labels"
    if key not in table.kept:
        table.kept[key] = tuple(doubts_of_labels(table.cells))
    found: tuple[Doubt, ...] = table.kept[key]
    return found


def of_model(
    table: TableVariance,
    rows: InMemoryScores | None,
    metrics: Sequence[Metric],
    found: Mapping[str, Limits],
    of: str,
) -> Iterator[Doubt]:
    """Iterate over the doubts that the results of one of several models raise.

    Args:
        table: its labels.
        rows: its rows, where they have scores.
        metrics: those that were measured.
        found: what they gave, by name.
        of: the model.
    """
    doubts, n_deciding = [*of_labels(table)], 0
    if rows is not None:
        read = Tallies(rows=rows.rows)
        n_deciding = _n_deciding(read)
        n_columns, is_prob = read.n_columns_of_scores, rows.is_prob
        ranks = [*of_areas(found, rows.classes, n_columns, of, is_prob=is_prob)]
        yield from ranks
        yield from of_zeros(impossible_rows(rows, metrics), rows.n_rows, of)
        doubts += ranks
    if not has_doubt(doubts, CauseDoubt):
        yield from of_agreement(table, n_deciding, of)


def without_effects(doubts: Sequence[Doubt]) -> list[Doubt]:
    """Return the doubts of one side without that of disagreement, where its cause is reported."""
    is_told = has_doubt(doubts, CauseDoubt)
    return [x for x in doubts if not (is_told and isinstance(x, DisagreementDoubt))]


def _n_deciding(found: Tallies) -> int:
    """Return the number of scores of each row where they predict; 0 where labels are given."""
    shape = None if found.scores is None else found.scores.shape
    has_labels = found.rows.pred is not None if found.rows is not None else shape and shape[1]
    return 0 if has_labels else found.n_columns_of_scores


def of_agreement(spread: TableVariance, n_deciding: int, of: str = "") -> Iterator[Doubt]:
    """Iterate over the doubt that predictions agree with the truth less than by chance.

    Args:
        spread: the table, with its design and its clusters.
        n_deciding: scores of each row that predict; 0: labels do.
        of: the model, where there are several.

    Cost: that of one metric; of an interval only where kappa is below 0.
    """
    metric, classes = get("kappa"), spread.cells.classes
    if not spread.cells.has_predictions:
        return
    number = float(metric.values(spread.cells).value)
    if not number < 0.0:
        return
    asked = Confidence(design=spread.design)
    interval = label_interval(metric, number, spread, asked)
    if interval.low is None or interval.high is None or interval.high >= 0.0:
        return
    do = (
        f"Check that both sides label the same classes, {shown(classes.labels)}, and that their "
        "rows are in the same order."
    )
    yield doubt(
        "D116",
        of=whose(of),
        value=value(number),
        low=value(interval.low),
        high=value(interval.high),
        do=order_of_scores(classes, n_deciding) if n_deciding else do,
    )


def _spread_of(report: ReportValues) -> TableVariance:
    design = "cohort" if report.confidence is None else report.confidence.design
    return TableVariance(report.cells, design, report.clusters)


def _of_predictions(found: Tallies, mapping: Mapping[str, Any], of: str = "") -> Iterator[Doubt]:
    """Iterate over the doubt that predictions given beside scores are not what these predict."""
    classes = found.classes
    if classes is None:
        return
    scores = found.scores
    if scores is not None and scores.histograms is not None:
        if scores.shape is None or not scores.shape[1]:
            return  # the scores predict
        histograms = scores.settled().histograms
        if not isinstance(histograms, ScoreHistograms):
            return  # another storage, which need not have counts
        n, n_other = histograms.n_rows, n_at_least_of_other_scores(histograms)
        fact = "At least {} have predictions that contradict their scores"
    else:
        parts = _predictions_beside_scores(found)
        n = sum(len(pred) for pred, _ in parts)
        if classes.k > 2:
            n_other = sum(n_not_of_largest(pred, values) for pred, values in parts)
            fact = "{} are predicted as another class than that of their largest score"
        else:
            n_other = n_beside_threshold(parts, classes.positive) if parts else 0
            fact = "With any threshold, at least {} are on the wrong side"
    if n_other > _OTHERWISE * n:
        fact = fact.format(f"{count(n_other)} of {counted(n, 'row')}")
        if classes.k <= _PAIR and classes.positive == 0 and _are_margins(found):
            fact += f". {sign_of_margins(classes).removesuffix('.')}"
        without = "without y_pred=, predictions come from the scores"
        if (column := mapping.get("pred")) is not None:
            without = (
                f"if another column than {short(column)} has the predictions, name it: "
                f"{option('pred')}"
            )
        yield doubt("D115", of=whose(of), found=fact, option=as_typed(without))


_PAIR: Final = 2


def _are_margins(found: Tallies) -> bool:
    """Return whether scores of rows in memory are one number each, and no probabilities."""
    scores = None if found.rows is None else found.rows.scores
    return scores is not None and not scores.is_prob and scores.values.ndim == 1


def _predictions_beside_scores(found: Tallies) -> list[tuple[Any, Any]]:
    """Return int32[n], predictions, with their scores, of each part of the rows in memory."""
    rows, held = found.rows, None if found.scores is None else found.scores.held
    parts: list[tuple[Any, Any]] = []
    if rows is not None and rows.scores is not None:
        parts = [(rows.pred, rows.scores.values)]
    elif held is not None:
        parts = [(chunk.pred, chunk.values) for chunk in held.chunks]
    return [(pred, values) for pred, values in parts if pred is not None and len(pred)]


def impossible_rows(rows: ScoredRows, metrics: Sequence[Metric]) -> int | None:
    """Rows that weigh something, whose true class has probability 0: a loss of them is infinite.

    0 where no metric reads that loss unclipped, or the scores are no probabilities; None where they
    were not counted.
    """
    if not rows.is_prob or not read_log_loss(metrics):
        return 0
    return rows.sums((_LOG_LOSS,)).infinite_rows


def read_log_loss(metrics: Sequence[Metric]) -> bool:
    """True if a metric reads the unclipped log loss of each row."""
    return _LOG_LOSS in losses_of(metrics)


def of_zeros(n: int | None, n_rows: int, of: str = "") -> tuple[Doubt, ...]:
    """Return the doubt about rows whose true class has probability 0; none without such rows.

    Args:
        n: how many they are; None: some, which were not counted.
        of: the model, where there are several.
    """
    if n == 0:
        return ()
    rows = f"{'Some' if n is None else count(n)} of {counted(n_rows, 'row')}"
    return (doubt("D106", of=whose(of), rows=f"{rows} {'has' if n == 1 else 'have'}"),)


def with_order_of_columns(found: Tallies, named: Mapping[str, Any], labels: Any) -> Tallies:
    """Return what was accumulated, with the doubt about columns whose names name no class.

    Args:
        named: the columns that the caller named, or None, by role.
        labels: the classes that the caller listed, or None.
    """
    doubts = _of_columns(found, found.origin.mapping, named, labels)
    if not doubts:
        return found
    origin = replace(found.origin, warnings=(*doubts, *found.origin.warnings))
    return replace(found, origin=origin)


def with_order_of_rows(rows: Rows, named: Mapping[str, Any], labels: Any) -> Rows:
    """Return rows of a table, with the same doubt."""
    doubts = _of_columns(Tallies(rows=rows), rows.mapping, named, labels)
    return replace(rows, warnings=(*doubts, *rows.warnings)) if doubts else rows


def _of_columns(
    found: Tallies, mapping: Mapping[str, Any], named: Mapping[str, Any], labels: Any
) -> list[Doubt]:
    classes = found.classes
    doubts: list[Doubt] = []
    for argument, role in ROLES.items():
        columns = mapping.get(role)
        if classes is None or not columns or labels is not None or named.get(role) is not None:
            continue
        texts = [str(label) for label in classes.labels]
        if len(columns) == 1 and found.n_columns_of_scores == 1:
            doubts += _of_one_column(columns[0], texts, classes, role)
        else:
            doubts += unnamed_classes(columns, classes, KINDS[argument])
    return doubts


def _of_one_column(column: str, texts: list[str], classes: Classes, role: str) -> Iterator[Doubt]:
    # A positive class that is not the usual one was given: it is the one that the column is of.
    if ending_of(column) is None or usual_positive(classes.labels) is None:
        return
    if classes.positive is None or place_of(column, texts) is not None:
        return
    label, other = (classes.labels[i] for i in (classes.positive, 1 - classes.positive))
    yield doubt(
        "D109",
        column=repr(column),
        label=label,
        labels=shown(classes.labels),
        option=option(role, column),
        other=option("positive", other),
    )


def check_found_scores(found: Tallies, named: Any) -> None:
    """Refuse scores that were found by their names and may be probabilities (K192).

    Args:
        named: the columns that the caller named as scores; None where they were looked for.
    """
    columns = found.origin.mapping.get("score")
    if columns and named is None:
        refuse_found_scores(columns, found.limits_of_scores, found.n_rows)
