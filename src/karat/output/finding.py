"""The finding that opens a page: sentences computed from the numbers, each with its evidence."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from karat.errors import KaratError
from karat.errors.text import amount, count, counted, interval, share, value
from karat.metrics import get
from karat.metrics.headlines import MANY_CLASSES, is_rare
from karat.output.sections import (
    DifferenceTexts,
    difference_texts,
    slice_metric,
    thresholds_of,
    value_of,
)
from karat.results.sets import SetReport
from karat.tally.score_kind import NO_PREDICTIONS

if TYPE_CHECKING:
    from karat.inference.comparison.records import Difference
    from karat.results.comparison import Comparison
    from karat.results.report import ClassReport
    from karat.results.result import Result

_LEVEL: Final = 0.05
"""Below this p-value a test counts as a finding."""
_FEW: Final = 30
"""With fewer true rows of a class its numbers are uncertain."""
_WORTH: Final = 0.02
"""A gain in F1 that another threshold must promise to be named."""
_MOST_TILES: Final = 6
_MOST_NAMED: Final = 3

_OF_RARE: Final = ("recall", "precision", "average_precision", "roc_auc", "f1", "log_loss")
_OF_TWO: Final = ("accuracy", "recall", "precision", "f1", "roc_auc", "log_loss")
_WITHOUT_SCORES: Final = ("specificity", "matthews_correlation")
_OF_CLASSES: Final = (
    "accuracy",
    "macro_f1",
    "balanced_accuracy",
    "roc_auc_ovr_macro",
    "log_loss",
    "expected_calibration_error",
    "weighted_f1",
    "matthews_correlation",
)
_OF_MANY: Final = (
    "accuracy",
    "top_5_accuracy",
    "macro_f1",
    "balanced_accuracy",
    "roc_auc_ovr_macro",
    "log_loss",
    "weighted_f1",
    "matthews_correlation",
)
_OF_SETS: Final = (
    "subset_accuracy",
    "micro_f1",
    "macro_f1",
    "hamming_loss",
    "label_ranking_average_precision",
    "mean_average_precision",
)


LOWEST: Final = "lowest"
"""Id of the row of the class that a finding names as the lowest."""
_SECTIONS: Final = {
    LOWEST: "Table",
    "pair": "Differences",
    "summary": "Metrics",
    "metrics": "Metrics",
    "reliability": "Reliability curve",
    "together": "Wrong sets",
    "best": "All models",
    "shares": "Proportions",
}
"""Id of a section → its title, where that is another word."""


class Clause(NamedTuple):
    """A sentence of a finding, of at most four numbers.

    Attributes:
        text: the sentence.
        target: id of the section that holds its evidence.
    """

    text: str
    target: str

    @property
    def section(self) -> str:
        """Title of that section."""
        return _SECTIONS.get(self.target.partition("-")[0], self.target.capitalize())


class Tile(NamedTuple):
    """A number that stands large on top of a page.

    Attributes:
        name: the metric.
        value: its value.
        interval: its interval, or nothing.
        note: what to compare it with, or nothing.
    """

    name: str
    value: str
    interval: str
    note: str


def title_of(report: ClassReport | SetReport) -> str:
    """Return the title of a page: the file that the rows came from, else what is classified.

    Example:
        >>> import karat
        >>> title_of(karat.evaluate(["cat", "dog"], ["cat", "cat"]))
        'cat, dog'
    """
    files = [PurePath(str(name)).name for name in report.source.get("files") or ()]
    if files:
        more = f" and {count(len(files) - 1)} more" if len(files) > 1 else ""
        return f"{files[0]}{more}"
    names, k = report.classes.display, report.classes.k
    word = "label" if isinstance(report, SetReport) else "class"
    if all(map(_is_number, names)):
        return counted(k, word)
    positive = report.classes.positive
    if positive is not None:
        return f"{names[positive]} or {names[1 - positive]}"
    listed = ", ".join(map(str, names[:3]))
    return listed if k <= 3 else f"{listed} and {counted(k - 3, f'more {word}')}"


def _is_number(name: object) -> bool:
    return str(name).replace(".", "", 1).lstrip("-").isdigit()


def _called(name: object) -> str:
    """The name of a class within a sentence: a number alone would read as a value."""
    return f"class {name}" if _is_number(name) else str(name)


def tiles_of(report: ClassReport | SetReport) -> list[Tile]:
    """Return four to six numbers by the kind of problem; those asked for, where some were."""
    names = list(report.metrics)
    if report.requested is None:
        names = [name for name in _usual_tiles(report) if name in report.metrics]
    return [_tile(report, name) for name in names[:_MOST_TILES]]


def _usual_tiles(report: ClassReport | SetReport) -> Sequence[str]:
    if isinstance(report, SetReport):
        return _OF_SETS
    if report.is_binary:
        return (*(_OF_RARE if _rare(report) else _OF_TWO), *_WITHOUT_SCORES)
    return _OF_MANY if report.classes.k >= MANY_CLASSES else _OF_CLASSES


def _rare(report: ClassReport) -> bool:
    found = report.metrics.get("prevalence")
    return is_rare(None if found is None else found.value, has_positive=True)


def _tile(report: ClassReport | SetReport, name: str) -> Tile:
    one, note = report.metrics[name], ""
    if one.undefined:
        note = one.undefined
    elif name == "accuracy" and (base := _known(report, "no_information_rate")) is not None:
        note = f"largest class alone: {value(base.value)}"
    elif name == "average_precision" and (base := _known(report, "prevalence")) is not None:
        note = f"by chance: {value(base.value)}"
    elif name == "roc_auc":
        note = "by chance: 0.5"
    elif one.better == "lower":
        note = "lower is better"
    return Tile(name, value_of(one), interval(one.low, one.high), note)


def _known(report: ClassReport | SetReport, name: str) -> Result | None:
    """A result that has a value; None where it was not computed, or is undefined."""
    found = report.metrics.get(name)
    return None if found is None or found.undefined or not math.isfinite(found.value) else found


def first_sentence(clauses: Iterable[Clause]) -> str:
    """Return the first sentence of a finding, which opens a text; empty without any.

    Doubts are left out: a text lists them below. Later sentences are not computed.
    """
    return next((one.text for one in clauses if one.target != "doubts"), "")


def finding_of(report: ClassReport) -> list[Clause]:
    """Return the sentences about a report: values, classes, thresholds, calibration, slices."""
    return [*clauses_of(report)]


def clauses_of(report: ClassReport) -> Iterator[Clause]:
    """Yield the sentences of `finding_of`, each computed when it is asked for."""
    if report.requested is not None:
        yield from _requested(report)
    elif report.is_binary:
        yield from _of_positive(report)
    else:
        yield from _of_classes(report)
    yield from _calibration(report)
    yield from _slices(report)
    yield from _of_doubts(report.doubts)


def finding_of_sets(report: SetReport) -> list[Clause]:
    """Return the sentences about a report of rows with sets of labels."""
    clauses = [*_requested(report)] if report.requested is not None else [*_of_labels(report)]
    return [*clauses, *_of_doubts(report.doubts)]


def _requested(report: ClassReport | SetReport) -> Iterator[Clause]:
    found = [one for name in report.metrics if (one := _known(report, name)) is not None]
    yield from (Clause(f"{_stated(one)}.", "summary") for one in found[:_MOST_NAMED])


def _stated(one: Result, of: str = "", name: str = "") -> str:
    """``Recall of fraud 0.23 [0.16, 0.32]``."""
    words = name or one.name.replace("_", " ")
    limits = interval(one.low, one.high)
    return f"{words[:1].upper()}{words[1:]}{of} {value(one.value)}{f' {limits}' if limits else ''}"


def _of_positive(report: ClassReport) -> Iterator[Clause]:
    """Recall and precision of the positive class, and another threshold where it is better."""
    names, place = report.classes.display, report.classes.positive or 0
    called = _called(names[place])
    of = f" of {called}"
    row = report.per_class[place]
    n_true, n_predicted = row["support"], row.get("predicted_count")
    at = _where(report)
    if n_predicted is None:
        area = _known(report, "roc_auc")
        if area is not None:
            yield Clause(f"{_stated(area, name='ROC AUC')}.", "summary")
        yield Clause(f"{NO_PREDICTIONS}.", "summary")
    elif not n_predicted:
        rows = counted(n_true, "row") if n_true == int(n_true) else amount(n_true)
        missed = f": all {rows} are missed" if n_true else ""
        yield Clause(f"No row is predicted {called}{at}{missed}.", "confusion")
    else:
        for name in ("recall", "precision"):
            if (one := _known(report, name)) is not None:
                yield Clause(f"{_stated(one, of)}{at}.", "summary")
                of = at = ""
    yield from _other_threshold(report)
    if not _rare(report) and (one := _known(report, "accuracy")) is not None:
        yield Clause(f"{_stated(one)}.", "summary")
        yield from _of_largest(report, "larger")
    if 0 < n_true < _FEW:
        rows = "row is" if n_true == 1 else "rows are"
        yield Clause(f"Only {amount(n_true)} {rows} truly {called}.", "classes")


def _where(report: ClassReport) -> str:
    """`` at threshold 0.5``, where a threshold of scores predicts."""
    if report.scores is None or report.mapping.get("y_pred"):
        return ""
    usual = 0.0 if report.scores == "scores" else 0.5
    at = usual if report.threshold is None else report.threshold
    return f" at threshold {at:g}"


def _other_threshold(report: ClassReport) -> Iterator[Clause]:
    """The threshold of the largest F1, where it promises more than the present one."""
    points = thresholds_of(report) if report.scores is not None else None
    best = (points or {}).get("f1") or {}
    now = report.metrics.get("f1")
    if best.get("value") is None or best.get("undefined") or now is None:
        return
    if best["value"] < (0.0 if now.undefined else now.value) + _WORTH:
        return
    try:
        curve = report.curves.precision_recall.positive.columns()
    except KaratError:
        return
    at = int(np.abs(curve["thresholds"] - best["threshold"]).argmin())
    recall, precision = (value(float(curve[name][at])) for name in ("recall", "precision"))
    text = f"At {best['threshold']:.3g}, chosen on these rows, recall is {recall}"
    yield Clause(f"{text} and precision {precision}.", "threshold")


def _of_classes(report: ClassReport) -> Iterator[Clause]:
    """Accuracy beside that of the largest class, the worst class, the most frequent error."""
    k = report.classes.k
    if (one := _known(report, "accuracy")) is not None:
        yield Clause(f"{_stated(one)} over {counted(k, 'class')}.", "summary")
        yield from _of_largest(report, "largest")
    if (row := lowest_of(report)) is not None:
        yield Clause(f"{_lowest(row, 'recall')}.", LOWEST)
    yield from _largest_error(report)


def _of_largest(report: ClassReport, which: str) -> Iterator[Clause]:
    """What accuracy has to exceed."""
    if (base := _known(report, "no_information_rate")) is not None:
        text = f"Predicting the {which} class for every row gives {value(base.value)}."
        yield Clause(text, "summary")


def lowest_of(report: ClassReport | SetReport) -> Mapping[str, Any] | None:
    """Return the class with the lowest recall, or the label with the lowest f1."""
    key = "f1" if isinstance(report, SetReport) else "recall"
    rows = [row for row in report.per_class if row["support"] and row.get(key) is not None]
    if len(rows) < 2 or (not isinstance(report, SetReport) and report.is_binary):
        return None
    return min(rows, key=lambda row: (row[key], row["support"]))


def _lowest(row: Mapping[str, Any], key: str) -> str:
    """``Lowest recall: eel 0.5 [0.1, 0.9] (2 rows; interval of this class alone)``."""
    low, high = row["intervals"].get(key, (None, None))
    limits = f" {found}" if (found := interval(low, high)) else ""
    n = row["support"]
    size = counted(int(n), "row") if n == int(n) else f"weight {amount(n)}"
    alone = "; interval of this class alone" if limits else ""
    return f"Lowest {key}: {_called(row['name'])} {value(row[key])}{limits} ({size}{alone})"


def _largest_error(report: ClassReport) -> Iterator[Clause]:
    if not report.cells.has_matrix:
        return
    true, pred, totals = report.confusion.occupied()
    wrong = np.where(true == pred, 0.0, totals)
    if not wrong.any():
        yield Clause("No row is predicted wrongly.", "confusion")
        return
    at, names = int(wrong.argmax()), report.classes.display
    whole = float(totals[true == true[at]].sum())
    found = f"{amount(wrong[at].item())} of {amount(whole)} rows of {_called(names[true[at]])}"
    text = f"Most frequent error: {found} are predicted {_called(names[pred[at]])}"
    yield Clause(f"{text} ({share(float(wrong[at]), whole)}).", "confusion")


def _of_labels(report: SetReport) -> Iterator[Clause]:
    if (one := _known(report, "subset_accuracy")) is not None:
        name = "Proportion of rows with every label correct"
        yield Clause(f"{_stated(one, name=name)}.", "summary")
    for name in ("micro_f1", "macro_f1"):
        if (one := _known(report, name)) is not None:
            yield Clause(f"{_stated(one)}.", "summary")
    if (row := lowest_of(report)) is not None:
        yield Clause(f"{_lowest(row, 'f1')}.", LOWEST)
    rows = [row for row in report.per_class if row["support"] and row.get("f1") is not None]
    never = [str(row["name"]) for row in rows if not row["predicted_count"]]
    if never:
        listed = ", ".join(never[:3]) + (f" and {count(len(never) - 3)} more" * (len(never) > 3))
        yield Clause(f"Never predicted: {listed}.", "classes")
    patterns = report.patterns
    if patterns is not None and patterns.wrong_sets:
        one_set = patterns.wrong_sets[0]
        true, pred = (
            ", ".join(map(str, x)) or "no label" for x in (one_set.true, one_set.predicted)
        )
        rows_ = f"{amount(one_set.rows)} rows"
        text = f"Most frequent wrong set: {pred} predicted instead of {true}"
        yield Clause(f"{text} ({rows_}).", "together")


def _calibration(report: ClassReport) -> Iterator[Clause]:
    """Spiegelhalter's test, and the direction of a miscalibration where it is clear."""
    test = _known(report, "spiegelhalter_p")
    if test is None or report.requested is not None:
        return
    p = "p < 0.001" if test.value < 0.001 else f"p = {test.value:.2g}"
    target = "reliability" if _has_curves(report) else "summary"
    if test.value >= _LEVEL:
        yield Clause(f"No miscalibration found ({p}).", target)
        return
    how = "".join(f"; {x}" for x in (_direction(report),) if x)
    yield Clause(f"Probabilities are not calibrated ({p}){how}.", target)


def _has_curves(report: ClassReport) -> bool:
    try:
        return report.curves is not None
    except KaratError:
        return False


def _direction(report: ClassReport) -> str:
    """Which way probabilities are off, and how the spread differs, where it is clear."""
    return ", and ".join(part for part in (_shift(report), _spread(report)) if part)


def _shift(report: ClassReport) -> str:
    mean = report.metrics.get("calibration_in_the_large")
    if mean is not None and mean.low is not None and mean.high is not None:
        if mean.low > 0.0:
            return "on average they are too low"
        if mean.high < 0.0:
            return "on average they are too high"
    return ""


def _spread(report: ClassReport) -> str:
    slope = report.metrics.get("calibration_slope")
    if slope is not None and slope.low is not None and slope.high is not None:
        if slope.high < 1.0:
            return f"they are too extreme (slope {slope.value:.2f})"
        if slope.low > 1.0:
            return f"they are too close to the mean (slope {slope.value:.2f})"
    return ""


def _slices(report: ClassReport) -> Iterator[Clause]:
    """The worst slice by each column, or that none is shown to be worse and what would show."""
    if report.kept_slices is None or not report.metrics:
        return
    metric = slice_metric(report)
    better, words = get(metric).better, metric.replace("_", " ")
    if better is None:
        return
    for table in report.slices.values():
        try:
            differences = [one for one in table.difference(metric).values() if not one.undefined]
            worst = table.worst(metric)
        except KaratError:
            continue
        column = " × ".join(table.columns)
        if worst:
            one = next(one for one in differences if one.name == worst.name)
            than = f"{value(one.value)}, {value(one.rest)} in the rest"
            text = f"{words[:1].upper()}{words[1:]} is worst for {column} {one.name}: {than}."
            yield Clause(text, "slices")
            continue
        if not differences or any(one.is_shown for one in differences):
            continue
        # A drop shows where the upper limit of the difference is below 0, a rise likewise.
        ends = [
            (one.low_simultaneous, one.difference, one.high_simultaneous) for one in differences
        ]
        known = [
            high - found if better == "higher" else found - low
            for low, found, high in ends
            if low is not None and high is not None
        ]
        yield Clause(
            f"No {column} is shown to be worse in {words}{_least(metric, report, known)}.", "slices"
        )


def _least(metric: str, report: ClassReport, known: Sequence[float]) -> str:
    """The smallest drop that would show; nothing could, where it exceeds what there is to lose."""
    if not known:
        return ""
    one, (low, high), least = report.metrics[metric], get(metric).range, min(known)
    is_higher = get(metric).better == "higher"
    change = "drop" if is_higher else "rise"
    if least >= (one.value - low if is_higher else high - one.value):
        return f", but these rows are too few for any {change} to show"
    level = f"{100 * one.level:g} % " if one.level else ""
    return f"; a {change} would show from {value(least)} on (simultaneous {level}intervals)"


def _of_doubts(doubts: Sequence[Any]) -> Iterator[Clause]:
    if doubts:
        first = str(doubts[0]).partition(". ")[0].rstrip(".")
        n = f"{count(len(doubts))} doubts about the input, first" if len(doubts) > 1 else "A doubt"
        yield Clause(f"{n}: {first[:1].lower()}{first[1:]}.", "doubts")


_VERBS: Final = {
    "better": "is better than",
    "worse": "is worse than",
    "higher": "is higher than",
    "lower": "is lower than",
    "equivalent": "is equivalent to",
    "identical": "is identical to",
}


def finding_of_comparison(comparison: Comparison) -> list[Clause]:
    """Return the sentences about each pair of models: verdicts with the differences behind them."""
    pairs = list(dict.fromkeys((one.a, one.b) for one in comparison.differences))
    clauses = [Clause(_of_all(comparison), "differences")] if len(pairs) > 1 else []
    for place, (a, b) in enumerate(pairs[:_MOST_NAMED]):
        found = [one for one in comparison.differences if (one.a, one.b) == (a, b)]
        clauses += [Clause(text, f"pair-{place}") for text in _verdicts(found, a, b)]
    if len(pairs) > _MOST_NAMED:
        n = counted(len(pairs) - _MOST_NAMED, "more pair")
        clauses.append(Clause(f"{n} of models below.", "differences"))
    return [*clauses, *_of_best(comparison), *_of_doubts(comparison.doubts)]


def _of_all(comparison: Comparison) -> str:
    """A sentence about several pairs: which models are better than which, in some metric."""
    ways = {"better": 1, "worse": -1}
    shown = [one for one in comparison.differences if one.verdict in ways]
    pairs = {(one.a, one.b) if ways[one.verdict] > 0 else (one.b, one.a) for one in shown}
    # Models that each win in some metric are compared by their sentence below.
    won = [(winner, loser) for winner, loser in pairs if (loser, winner) not in pairs]
    order = comparison.models.index
    of_winner: dict[str, list[str]] = {}
    for winner, loser in sorted(won, key=lambda pair: (order(pair[0]), order(pair[1]))):
        of_winner.setdefault(winner, []).append(loser)
    if not of_winner:
        mixed = " in every metric" if pairs else ""
        return f"No model is shown to be better than another{mixed}."
    winner = max(of_winner, key=lambda name: len(of_winner[name]))
    losers = of_winner[winner]
    listed = " and ".join(filter(None, [", ".join(losers[:-1]), losers[-1]]))
    metrics = list(comparison.metrics)
    within = metrics[0].replace("_", " ") if len(metrics) == 1 else "at least one metric"
    return f"{winner} is better than {listed} in {within}."


def _of_best(comparison: Comparison) -> Iterator[Clause]:
    """A sentence about the best of three models or more, and by how many metrics it is."""
    best = [one.model for one in comparison.best_of_several.values() if one.model is not None]
    if not best:
        return
    groups = Counter(best).most_common(_MOST_NAMED - 1)
    named = [f"{name} by {counted(n, 'metric')}" for name, n in groups]
    n_more = len(best) - sum(n for _, n in groups)
    more = f" and others by {count(n_more)}" if n_more else ""
    text = f"Best measured of {len(comparison.models)}: {', '.join(named)}{more}"
    yield Clause(f"{text}; the table corrects for the selection.", "best")


def _verdicts(found: Sequence[Difference], a: str, b: str) -> Iterator[str]:
    """A sentence for each verdict, the largest group of metrics in it named first."""
    for verdict, verb in _VERBS.items():
        shown = [one for one in found if one.verdict == verdict]
        if shown:
            named = [one.metric.replace("_", " ") for one in shown[:_MOST_NAMED]]
            named += [f"{count(len(shown) - _MOST_NAMED)} more"] * (len(shown) > _MOST_NAMED)
            listed = " and ".join(filter(None, [", ".join(named[:-1]), named[-1]]))
            yield f"{a} {verb} {b} in {listed}."
            if verdict != "identical":
                texts = _difference(shown[0])
                size = f"{texts.difference} {texts.limits}".rstrip()
                yield f"The difference in {named[0]} is {size}."
    tested = [one for one in found if one.verdict != "not tested"]
    rest = [one for one in tested if one.verdict not in _VERBS]
    if rest:
        n = f"{count(len(rest))} of {counted(len(found), 'metric')}"
        text = f"{n} {'is' if len(rest) == 1 else 'are'} inconclusive"
        if len(rest) == len(tested) > 1:
            text = f"No metric separates {a} from {b}"
        known = next((one for one in rest if one.detectable is not None), None)
        if known is not None:
            name = known.metric.replace("_", " ")
            least = _difference(known).detectable
            text += f"; with these rows a difference in {name} of {least} would show in 80 % of"
            text += " samples"
        yield f"{text}."
    if n_untested := len(found) - len(tested):
        n = f"{count(n_untested)} of {counted(len(found), 'metric')}"
        yield f"{n} {'is' if n_untested == 1 else 'are'} not tested."


def _difference(one: Difference) -> DifferenceTexts:
    return difference_texts(one, in_points=True, unit="percentage points")


def title_of_comparison(comparison: Comparison) -> str:
    """``new against old``; of more models their names."""
    pairs = list(dict.fromkeys((one.a, one.b) for one in comparison.differences))
    if len(pairs) == 1:
        return " against ".join(pairs[0])
    names, n_more = comparison.models[:_MOST_NAMED], len(comparison.models) - _MOST_NAMED
    return f"{', '.join(names)}{f' and {count(n_more)} more models' * (n_more > 0)}"
