"""Whether a metric applies to classes: a positive class or an average, and an order if needed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from karat.errors import KaratError, error, shown
from karat.errors.options import each_option, is_command_line, option
from karat.metrics._metric import Metric
from karat.metrics._record import Record
from karat.tally import Cells, Classes, reorder
from karat.tally.look_alikes import slip_in
from karat.tally.score_kind import ScoreKind, undecided


def needs_both_classes(metric: Metric, classes: Classes) -> bool:
    """Return whether a metric reads the positive class and only one class occurs."""
    is_of_one = metric.record.is_per_class and metric.lift == "plain"
    return is_of_one and classes.k == 1 and classes.positive is None


def both_classes(classes: Classes, name: str) -> Classes:
    """Return the classes 0 and 1, or False and True, of which only one occurs: 1 is positive.

    Errors:
        K123 any other single class: the positive class is unknown.
    """
    label = classes.labels[0]
    if isinstance(label, str) or label not in (0, 1):
        raise error("K123", name=name, label=label)
    both = (type(label)(0), type(label)(1))
    names = tuple(classes.display[0] if other == label else str(other) for other in both)
    return Classes(both, positive=1, names=names)


def with_positive(cells: Cells, name: str) -> Cells:
    """Add the missing class to a tally of one class, so that the positive class is defined.

    Errors:
        K123 see `both_classes`.
    """
    return reorder(cells, both_classes(cells.classes, name))


def on_both_classes(metric: Metric, cells: Cells) -> Cells:
    """The tally, with the missing class where the metric reads the positive one (K123)."""
    return with_positive(cells, metric.name) if needs_both_classes(metric, cells.classes) else cells


def no_positive(name: str, classes: Classes, averages: Sequence[str]) -> KaratError:
    """Return the error of a per-class function where no class is positive.

    K190 for two classes, K121 for more: the call names none of its averages.
    """
    choices = shown([None, *averages])
    if classes.k == 2:
        return error(
            "K190",
            what=name,
            labels=shown(classes.labels),
            options=each_option("positive", classes.labels),
            or_else=f", or average= from {choices}",
        )
    slip = _slip_in(classes)
    do = slip or f"Choose average= from {choices}; None gives one value for each class."
    facts = {"labels": shown(classes.labels), "given": "average= was not given", "slip": slip}
    return error("K121", name=name, k=classes.k, do=do, **facts)


def _slip_in(classes: Classes) -> str | None:
    """Suggest a fix for classes that were discovered, not declared, and may contain a slip."""
    return None if classes.is_declared else slip_in(classes.labels)


def check_applies(metric: Metric, classes: Classes, held: Collection[Metric]) -> None:
    """Check that a metric of one class has a positive class, or an average, and an order if needed.

    Args:
        held: the metrics of scores in a report, which can compute those of labels.

    Errors:
        K194 neither of two classes is positive; K307 there are more classes, and the metric is of
        one; K316 see `check_order`.
    """
    check_order(metric, classes)
    record = metric.record
    if record.is_per_class and metric.lift == "plain" and classes.positive is None:
        if classes.k == 1:
            return
        if classes.k == 2:
            names = [record.lifted(average) for average in record.averages]
            raise error(
                "K194",
                name=metric.name,
                labels=shown(classes.labels),
                options=each_option("positive", classes.labels),
                or_else=f"; averages need none: {', '.join(names)}" if names else "",
            )
        found = _averages_held(metric, held)
        each = "A report lists each class" if is_command_line() else "Or read report.per_class"
        names = [record.lifted(average) for average in record.averages[:1]]
        do = f"Name the average, as {names[0]}. {each}." if names else f"{each}."
        do = _slip_in(classes) or do
        raise error("K307", name=metric.name, k=classes.k, found=found, do=do)


def suits(record: Record, kind: ScoreKind) -> bool:
    """Return whether a report of scores of a kind lists a metric of scores."""
    is_none = record.reads_probabilities if kind == "scores" else False
    return not (is_none or (kind == "probabilities" and record.is_of_scores_only))


def check_kind(metric: Metric, kind: str | None) -> None:
    """Refuse a metric that reads probabilities of scores that are none (K319)."""
    if metric.record.reads_probabilities:
        refuse_without_probabilities(str(metric), kind)


def refuse_without_probabilities(name: str, kind: str | None) -> None:
    """Refuse what reads probabilities of scores that are none (K319)."""
    if kind == "scores":
        options = {name: option(name) for name in ("y_score", "y_logit", "y_prob")}
        raise error("K319", name=name, **options)


def check_decided(metrics: Iterable[Metric], *, has_predictions: bool) -> None:
    """Refuse metrics of predicted classes where nothing decides which class is predicted (K320)."""
    for metric in () if has_predictions else metrics:
        if metric.reads_predictions:
            raise undecided(str(metric))


def check_order(metric: Metric, classes: Classes) -> None:
    """Refuse a metric that reads the order of classes without a declared one (K316)."""
    if metric.reads_order and not classes.has_order:
        raise error("K316", name=str(metric), labels=shown(classes.labels), option=option("labels"))


def _averages_held(metric: Metric, held: Collection[Metric]) -> str:
    record = metric.record
    names = {average: record.lifted(average) for average in record.averages}
    if not names:
        return "This report holds it for each class"
    if not metric.needs_scores:
        return f"This report holds {', '.join(names.values())}"
    lifts = {other.lift for other in held if other.record is record}
    here = [name for average, name in names.items() if average in lifts]
    others = [name for average, name in names.items() if average not in lifts]
    if not here:
        return f"Its averages, none of which this report holds, are {', '.join(others)}"
    asked = f"; metrics= may also name {', '.join(others)}" if others else ""
    return f"This report holds {', '.join(here)}{asked}"
