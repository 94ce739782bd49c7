"""The functions of `karat.curves`: rows read, columns sorted, each curve drawn of one column."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Final

from karat.api.forms import attach_forms
from karat.api.functions import SCORE_ARGUMENTS
from karat.api.options import one_of, unknown_choice, whole_number
from karat.api.score_functions import Outputs, given_scores, no_predictions
from karat.curves._curve import ByClass, Curve, Points, Reliability, reliability_curve
from karat.curves._sampling import Sampling
from karat.curves._traced import (
    Cost,
    Det,
    Gain,
    Lift,
    NetBenefit,
    PrecisionRecall,
    Roc,
    checked_thresholds,
    cost_curve,
    counts_at,
    net_benefit_curve,
    trace,
)
from karat.data.accumulator import rows_in_memory
from karat.data.arguments import check_flag
from karat.data.scores.rows import InMemoryScores
from karat.data.sources.arrays.rows import RowArguments, score_rows
from karat.errors import UndefinedWarning, error, shown
from karat.errors.habits import unknown_argument
from karat.metrics import ClassProbabilities, ClassRanks
from karat.metrics._applies import no_positive, refuse_without_probabilities
from karat.metrics._reliability import MOST_BINS, binned
from karat.results.result import NOT_GIVEN
from karat.tally import Label
from karat.tally.score_kind import KINDS

attach_forms(Curve, ByClass)

_DEFAULTS: Final = {
    "drop_intermediate": False,
    "limit": None,
    "bins": 15,
    "scheme": "uniform",
    "closed": "right",
    "thresholds": None,
}
_TEXTS: Final = {"scheme": ["uniform", "quantile"], "closed": ["right", "left"]}
_SHARED: Final = {
    **{name: SCORE_ARGUMENTS[name] for name in ("y_true", *KINDS)},
    "average": "Default: the curve of the positive class of two; None: a curve for each class, one"
    " against the rest",
    "classes": "labels of the classes that have a curve, each against the rest.",
    **{name: SCORE_ARGUMENTS[name] for name in ("labels", "positive", "weights")},
    "drop_intermediate": "whether to omit points on straight lines between others. Areas do not"
    " change.",
    "limit": "largest number of points, for display. `error` of the curve is its distance from the"
    " full curve. Areas do not change.",
    "bins": "number of bins, 1 to 10 000.",
    "scheme": '"uniform": edges at equal distances; "quantile": bins of equal weight.',
    "closed": 'the edge that belongs to a bin: "right", (lo, hi], or "left", [lo, hi).',
    "thresholds": "threshold probabilities float[t], from 0 to below 1, in any order; default:"
    " 0.01, 0.02, … 0.99.",
    "n_threads": SCORE_ARGUMENTS["n_threads"],
}


def drawn(body: Callable[..., Curve]) -> Callable[..., Any]:
    """Return the public function of a body that reads the view of one column.

    The options of a body have the defaults of the table; ``**points`` is what all traces have.
    """
    view, _, *options = inspect.signature(body, eval_str=True).parameters.values()
    reads: type = view.annotation
    names = [item.name for item in options]
    if names == ["points"]:
        names = ["drop_intermediate", "limit"]
    defaults = {name: _DEFAULTS[name] for name in names}

    @wraps(body)
    def function(
        y_true: Any = None,
        y_pred: Any = None,
        *,
        y_prob: Any = None,
        y_logit: Any = None,
        y_score: Any = None,
        average: Any = NOT_GIVEN,
        classes: Any = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        n_threads: int | None = None,
        **given: Any,
    ) -> Any:
        unknown = given.keys() - defaults.keys()
        if unknown:
            takes = list(inspect.signature(function).parameters)
            raise unknown_argument(body.__name__, min(unknown), takes)
        if y_pred is not None:
            raise no_predictions(f"karat.curves.{body.__name__}")
        _check_average(body.__name__, average, classes, has_micro=reads is ClassRanks)
        if y_true is None:
            raise error("K127", others="y_prob=")
        chosen = _checked(defaults | given, least=3 if body.__name__ == "cost" else 2)
        options = RowArguments(labels, positive, weights, n_threads=n_threads)
        outputs: Outputs = {"y_prob": y_prob, "y_logit": y_logit, "y_score": y_score}
        scores = given_scores(outputs, of_probabilities=reads is not ClassRanks)
        if reads is not ClassRanks:
            refuse_without_probabilities(f"karat.curves.{body.__name__}", scores.kind)
        source = score_rows(y_true, scores, options=options)
        rows = InMemoryScores.of(rows_in_memory(source), n_threads=n_threads)
        places = _places(rows, body.__name__, average, classes)
        rows.read()  # every value is what it claims to be
        if average == "micro":
            return body(ClassRanks(rows.pooled()), None, **chosen)
        sampling = Sampling()
        if rows.is_weighted:
            sampling = Sampling(is_weighted=True, square=rows.class_squares())
        curves = {}
        for i in places:
            column = rows.column(i) if reads is ClassRanks else rows.probability_column(i)
            label = rows.classes.labels[i]
            curves[label] = sampling.on(body(reads(column), label, **chosen), i)
        _warn(body.__name__, curves)
        if average is NOT_GIVEN and classes is None:
            return curves[rows.classes.labels[places[0]]]
        return ByClass(curves, rows.classes)

    shared = list(inspect.signature(function, follow_wrapped=False).parameters.values())[:-1]
    keyword = inspect.Parameter.KEYWORD_ONLY
    own = [inspect.Parameter(name, keyword, default=value) for name, value in defaults.items()]
    first, _, *others, last = shared
    signature = inspect.Signature([first, *others, *own, last])
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__doc__ = _docstring(body, names, has_micro=reads is ClassRanks)
    function.__annotations__ = {}
    del function.__wrapped__
    return function


def _check_average(name: str, average: Any, classes: Any, *, has_micro: bool) -> None:
    """Refuse an average that there is not (K122, K159)."""
    if average is not NOT_GIVEN:
        choices = [None, "micro"] if has_micro else [None]
        one_of("average", average, choices, "None gives one curve for each class.")
    if classes is not None and average is not NOT_GIVEN and average is not None:
        raise error("K159", function=name, average=average)


def _places(rows: InMemoryScores, name: str, average: Any, given: Any) -> list[int]:
    """The columns to sort (K121, K122)."""
    classes = rows.classes
    if given is not None:
        known = {label: i for i, label in enumerate(classes.labels)}
        try:
            wanted = [] if isinstance(given, str | bytes) else list(dict.fromkeys(given))
        except TypeError:
            wanted = []
        if not wanted or not set(wanted) <= known.keys():
            do = "Give a list of some of them, or leave classes= out: average=None gives all."
            raise unknown_choice("classes", given, shown(classes.labels), do)
        return [known[label] for label in wanted]
    if average is not NOT_GIVEN:
        return list(range(classes.k))
    if classes.positive is None:
        raise no_positive(f"karat.curves.{name}", classes, ["micro"])
    return [classes.positive]


def _checked(options: dict[str, Any], *, least: int) -> dict[str, Any]:
    """The options of a body (K122); a curve is limited to at least so many points."""
    for name, value in options.items():
        do = f"The default is {_DEFAULTS[name]!r}."
        if name == "limit" and value is not None:
            choices = f"a whole number from {least} or None"
            whole_number(name, value, do, least, choices=choices)
        elif name == "bins":
            whole_number(name, value, do, 1, MOST_BINS)
        elif name in _TEXTS:
            one_of(name, value, _TEXTS[name], do)
        elif name == "drop_intermediate":
            check_flag(name, value, do)
    if "thresholds" in options:
        options = options | {"thresholds": checked_thresholds(options["thresholds"])}
    return options


def _warn(name: str, curves: Mapping[Label, Curve]) -> None:
    reasons: dict[str, list[Label]] = {}
    for label, curve in curves.items():
        if curve.undefined:
            reasons.setdefault(curve.undefined, []).append(label)
    if reasons:
        each = "; ".join(f"{reason}: {shown(labels)}" for reason, labels in reasons.items())
        warnings.warn(f"karat.curves.{name} is undefined: {each}.", UndefinedWarning, stacklevel=3)


def _docstring(body: Callable[..., Curve], options: Sequence[str], *, has_micro: bool) -> str:
    text, _, example = inspect.cleandoc(body.__doc__ or "").partition("\n\nExample:")
    names = [name for name in _SHARED if name not in _DEFAULTS]
    lines = [text, "", "Args:"]
    for name in [*names[:-1], *options, names[-1]]:
        micro = '; "micro": that of all rows and classes together.' if has_micro else "."
        lines.append(f"    {name}: {_SHARED[name]}{micro if name == 'average' else ''}")
    kind = inspect.signature(body, eval_str=True).return_annotation.__name__
    lines += [
        "",
        "Returns:",
        f"    `{kind}`; with average=None or classes=, a `ByClass`: a mapping from label to curve.",
        "",
        "Errors:",
        "    K101-K124: the labels, weights or options cannot be used; K121: more than two classes",
        "    need average= or classes=.",
        "    K130-K139: the probabilities or scores cannot be used.",
        "",
        "Cost: one pass over the matrix and one sort of n keys per column.",
        "",
        f"Example:{example}",
    ]
    return "\n".join(lines)


@drawn
def roc(view: ClassRanks, label: Label | None, **points: Any) -> Roc:
    """ROC curve: true positive rate against false positive rate.

    Equals ``sklearn.metrics.roc_curve(…, drop_intermediate=False)`` in numbers and order.
    ``drop_intermediate`` omits all points on straight lines; scikit-learn keeps those at unequal
    distances.

    Example:
        >>> import karat
        >>> y_true, scores = [0, 0, 1, 0, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.8, 0.9]
        >>> curve = karat.curves.roc(y_true, y_score=scores)
        >>> for point in zip(curve.thresholds, curve.fpr, curve.tpr):
        ...     print("{:5.2f}  {:.2f}  {:.2f}".format(*point))
          inf  0.00  0.00
         0.90  0.00  0.33
         0.80  0.33  0.67
         0.40  0.67  0.67
         0.35  0.67  1.00
         0.10  1.00  1.00
        >>> curve.area == karat.roc_auc(y_true, y_score=scores)
        True
    """
    return trace(Roc, Points.of(view), label, **points)


@drawn
def precision_recall(view: ClassRanks, label: Label | None, **points: Any) -> PrecisionRecall:
    """Precision-recall curve: precision against recall over all thresholds.

    Equals ``sklearn.metrics.precision_recall_curve`` in reverse order, best score first.
    The point (recall 0, precision 1) has an infinite threshold here and none in scikit-learn.
    Without rows of the class, recall is NaN here and 1 there. ``drop_intermediate`` omits what
    scikit-learn omits, and points of equal precision.

    Example:
        >>> import karat
        >>> curve = karat.curves.precision_recall([0, 0, 1, 1], y_score=[0.1, 0.4, 0.35, 0.8])
        >>> curve.recall.tolist(), curve.precision.round(2).tolist()
        ([0.0, 0.5, 0.5, 1.0, 1.0], [1.0, 1.0, 0.5, 0.67, 0.5])
        >>> round(curve.average_precision, 4), round(curve.area, 4)
        (0.8333, 0.7917)
    """
    return trace(PrecisionRecall, Points.of(view), label, **points)


@drawn
def det(view: ClassRanks, label: Label | None, **points: Any) -> Det:
    """Detection error tradeoff curve: false negative rate against false positive rate.

    Equals ``sklearn.metrics.det_curve(…, drop_intermediate=False)`` in reverse order, best score
    first. scikit-learn's curve begins at the last point without a false positive and ends at the
    first without a false negative; here it has every point. ``drop_intermediate`` omits points on
    horizontal and vertical lines, which are straight on normal-deviate axes, too.

    Example:
        >>> import karat
        >>> curve = karat.curves.det([0, 0, 1, 1], y_score=[0.1, 0.4, 0.35, 0.8])
        >>> curve.fpr.tolist(), curve.fnr.tolist()
        ([0.0, 0.0, 0.5, 0.5, 1.0], [1.0, 0.5, 0.5, 0.0, 0.0])
    """
    return trace(Det, Points.of(view), label, **points)


@drawn
def gain(view: ClassRanks, label: Label | None, **points: Any) -> Gain:
    """Cumulative gain curve: proportion of the class found by proportion of rows, best first.

    Tied rows are one step. A straight line over it counts them in proportion, as `karat.gain_at`
    does. scikit-learn has no such curve.

    Example:
        >>> import karat
        >>> curve = karat.curves.gain([0, 0, 1, 1], y_score=[0.1, 0.4, 0.35, 0.8])
        >>> curve.share.tolist(), curve.gain.tolist()
        ([0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    return trace(Gain, Points.of(view), label, **points)


@drawn
def lift(view: ClassRanks, label: Label | None, **points: Any) -> Lift:
    """Lift curve: ratio of the proportion of the class in the best rows to that in all rows.

    A point equals `karat.lift_at` for its proportion of rows. ``drop_intermediate`` omits points of
    equal lift only. scikit-learn has no such curve.

    Example:
        >>> import karat
        >>> curve = karat.curves.lift([0, 0, 1, 1], y_score=[0.1, 0.4, 0.35, 0.8])
        >>> curve.share.tolist(), curve.lift.round(2).tolist()
        ([0.0, 0.25, 0.5, 0.75, 1.0], [2.0, 2.0, 1.0, 1.33, 1.0])
    """
    return trace(Lift, Points.of(view), label, **points)


@drawn
def reliability(
    view: ClassProbabilities, label: Label, *, bins: int, scheme: str, closed: str
) -> Reliability:
    """Reliability diagram: observed proportion of the class against its predicted probability.

    Scores are converted by softmax. Bins with rows equal those of
    ``sklearn.calibration.calibration_curve``, which are ``closed="right"``, too. scikit-learn omits
    empty bins; here they are NaN with weight 0. Edges are the floating-point numbers nearest to
    i ÷ bins, so that 0.3 is an edge of ten bins; scikit-learn's may differ by a rounding error.

    Example:
        >>> import karat
        >>> curve = karat.curves.reliability([0, 1, 1], y_prob=[0.2, 0.3, 0.9], bins=2)
        >>> curve.mean_confidence.tolist(), curve.share.tolist(), curve.weight.tolist()
        ([0.25, 0.9], [0.5, 1.0], [2.0, 1.0])
    """
    return reliability_curve(view.made(binned, bins, scheme, closed), label)


@drawn
def cost(view: ClassRanks, label: Label | None, *, limit: int | None) -> Cost:
    """Cost curve: the smallest expected cost for each ratio of costs and prevalence.

    The curve of Drummond and Holte has the best threshold for each probability-cost: the lower
    envelope of all thresholds, including those that predict nothing or everything positive. It is
    the dual of the convex hull of the ROC curve. scikit-learn has no such curve.

    Example:
        >>> import karat
        >>> curve = karat.curves.cost([0, 0, 1, 1], y_score=[0.1, 0.4, 0.35, 0.8])
        >>> curve.probability_cost.tolist(), curve.cost.tolist(), curve.thresholds.tolist()
        ([0.0, 0.5, 1.0], [0.0, 0.25, 0.0], [0.8, 0.35])

    References:
        Drummond, Holte (2006). Cost curves. Machine Learning 65.
    """
    return cost_curve(Points.of(view), label, limit=limit)


@drawn
def net_benefit(view: ClassProbabilities, label: Label, *, thresholds: Any) -> NetBenefit:
    """Net benefit (decision curve): the gain of acting on a probability over treating no one.

    The definition is that of Vickers and Elkin. It is exact at each threshold: rows with at least
    that probability are treated. Scores are converted by softmax. scikit-learn has no such curve.

    Example:
        >>> import karat
        >>> y_true, p = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
        >>> curve = karat.curves.net_benefit(y_true, y_prob=p, thresholds=[0.2, 0.5])
        >>> curve.benefit.tolist(), curve.treat_all.tolist()
        ([0.4375, 0.25], [0.375, 0.0])

    References:
        Vickers, Elkin (2006). Decision curve analysis. Medical Decision Making 26.
    """
    tps, fps = counts_at(view, thresholds)
    return net_benefit_curve(tps, fps, view.n_pos, view.n_neg, thresholds, label)
