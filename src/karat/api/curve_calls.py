"""What every function of `karat.curves` shares: rows read, columns sorted, arguments checked.

The decorator `drawn` makes a public function from a body that draws the curve of one sorted
column, and writes what all of them share into the signature and the docstring.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from numbers import Integral
from typing import Any, Final

import numpy as np

from karat.api.function_docs import SCORE_ARGUMENTS
from karat.api.scored_functions import given_scores, no_predictions
from karat.curves._curve import ByClass, Curve
from karat.curves._decisions import checked_thresholds
from karat.data.scores.rows import ScoreTally, tally_scores
from karat.errors import UndefinedWarning, error, shown
from karat.errors.habits import unknown_argument
from karat.metrics import ClassProbabilities, ClassRanks
from karat.metrics._positive import no_positive
from karat.metrics._reliability import MOST_BINS
from karat.results.result import NOT_GIVEN
from karat.tally import Label

__all__ = ["drawn"]

_LEAST_POINTS: Final = 2
_LEAST_CORNERS: Final = 3
_DEFAULTS: Final = {
    "limit": None,
    "bins": 15,
    "scheme": "uniform",
    "closed": "right",
    "drop_intermediate": False,
}
_SHARED: Final = {
    **{name: SCORE_ARGUMENTS[name] for name in ("y_true", "y_prob", "y_score")},
    "average": "without it, two classes give the curve of the positive one; None gives a curve for"
    " each class, one against the rest",
    "classes": "labels of the classes to give curves of, each one against the rest.",
    **{name: SCORE_ARGUMENTS[name] for name in ("labels", "positive", "weights")},
    "drop_intermediate": "leave out points on straight lines between others. No area changes.",
    "limit": "the most points to keep, for display. The curve says how far it is from the whole"
    " one: `error`. No area changes.",
    "bins": "how many: 1 to 10 000.",
    "scheme": '"uniform": edges at equal distances; "quantile": bins of equal weight.',
    "closed": 'which edge belongs to a bin: "right", (lo, hi], or "left", [lo, hi).',
    "thresholds": "threshold probabilities float[t], from 0 to below 1, in any order; default:"
    " 0.01, 0.02, … 0.99.",
    "n_threads": SCORE_ARGUMENTS["n_threads"],
}


def drawn(body: Callable[..., Curve]) -> Callable[..., Any]:
    """The public function of a body that reads the view of one column."""
    view, _, *options = inspect.signature(body, eval_str=True).parameters.values()
    reads: type = view.annotation
    defaults = {item.name: item.default for item in options}

    @wraps(body)
    def function(
        y_true: Any = None,
        y_pred: Any = None,
        *,
        y_prob: Any = None,
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
        chosen = _checked(defaults | given, least=_least(body))
        rows = tally_scores(
            y_true,
            given_scores(y_prob, y_score),
            labels=labels,
            positive=positive,
            weights=weights,
            n_threads=n_threads,
        )
        places = _places(rows, body.__name__, average, classes)
        rows.read()  # every value is what it claims to be
        if average == "micro":
            return body(ClassRanks(rows.pooled()), None, **chosen)
        curves = {
            rows.classes.labels[i]: body(_view(rows, i, reads), rows.classes.labels[i], **chosen)
            for i in places
        }
        _warn(body.__name__, curves)
        if average is NOT_GIVEN and classes is None:
            return curves[rows.classes.labels[places[0]]]
        return ByClass(curves, rows.classes)

    shared = list(inspect.signature(function, follow_wrapped=False).parameters.values())[:-1]
    own = [
        item.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=inspect.Parameter.empty)
        for item in options
    ]
    first, _, *others, last = shared
    signature = inspect.Signature([first, *others, *own, last])
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__doc__ = _docstring(body, has_micro=reads is ClassRanks)
    function.__annotations__ = {}
    del function.__wrapped__
    return function


def _view(rows: ScoreTally, i: int, reads: type) -> ClassRanks | ClassProbabilities:
    if reads is ClassRanks:
        return ClassRanks(rows.column(i))
    return ClassProbabilities(rows.probability_column(i))


def _check_average(name: str, average: Any, classes: Any, *, has_micro: bool) -> None:
    """Refuse an average that there is not.

    Errors:
        K122, K159.
    """
    choices = [None, "micro"] if has_micro else [None]
    if average is not NOT_GIVEN and not (average is None or _is_text(average, choices[1:])):
        raise error(
            "K122",
            argument="average",
            value=average,
            choices=shown(choices),
            do="None gives one curve for each class.",
        )
    if classes is not None and average is not NOT_GIVEN and average is not None:
        raise error("K159", function=name, average=average)


def _is_text(given: Any, choices: list[Any]) -> bool:
    return isinstance(given, str) and given in choices


def _places(rows: ScoreTally, name: str, average: Any, given: Any) -> list[int]:
    """The columns to sort.

    Errors:
        K121 more than two classes and no choice; K122 classes= names none of them.
    """
    classes = rows.classes
    if given is not None:
        known = {label: i for i, label in enumerate(classes.labels)}
        try:
            wanted = [] if isinstance(given, str | bytes) else list(dict.fromkeys(given))
        except TypeError:
            wanted = []
        if not wanted or not set(wanted) <= known.keys():
            raise error(
                "K122",
                argument="classes",
                value=given,
                choices=shown(classes.labels),
                do="Give a list of some of them; average=None gives all.",
            )
        return [known[label] for label in wanted]
    if average is not NOT_GIVEN:
        return list(range(classes.k))
    if classes.positive is None:
        raise no_positive(f"karat.curves.{name}", classes, ["micro"])
    return [classes.positive]


def _least(body: Callable[..., Curve]) -> int:
    return _LEAST_CORNERS if body.__name__ == "cost" else _LEAST_POINTS


def _checked(options: dict[str, Any], *, least: int) -> dict[str, Any]:
    """The options of a body.

    Errors:
        K122 one of them is not a choice.
    """
    whole = {"limit": (least, None), "bins": (1, MOST_BINS)}
    texts = {"scheme": ["uniform", "quantile"], "closed": ["right", "left"]}
    for name, value in options.items():
        choices = None
        if name in whole and not (name == "limit" and value is None):
            lowest, most = whole[name]
            is_whole = isinstance(value, Integral) and not isinstance(value, bool | np.bool_)
            if not (is_whole and lowest <= value <= (value if most is None else most)):
                end = " or None" if most is None else f" to {most}"
                choices = f"a whole number from {lowest}{end}"
        elif name in texts and not _is_text(value, texts[name]):
            choices = shown(texts[name])
        elif name == "drop_intermediate" and not isinstance(value, bool | np.bool_):
            choices = "True, False"
        if choices:
            do = f"The default is {_DEFAULTS[name]!r}."
            raise error("K122", argument=name, value=value, choices=choices, do=do)
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


def _docstring(body: Callable[..., Curve], *, has_micro: bool) -> str:
    text, _, example = inspect.cleandoc(body.__doc__ or "").partition("\n\nExample:")
    options = list(inspect.signature(body).parameters)[2:]
    names = [name for name in _SHARED if name not in _DEFAULTS and name != "thresholds"]
    lines = [text, "", "Args:"]
    for name in [*names[:-1], *options, names[-1]]:
        micro = '; "micro" that of every row and class together.' if has_micro else "."
        lines.append(f"    {name}: {_SHARED[name]}{micro if name == 'average' else ''}")
    kind = inspect.signature(body, eval_str=True).return_annotation.__name__
    lines += [
        "",
        "Returns:",
        f"    `{kind}`; with average=None or classes=, a `ByClass` of them: a mapping by label.",
        "",
        "Errors:",
        "    K101-K124: the labels, weights or options cannot be used; K121: of more than two",
        "    classes, average= or classes= is needed.",
        "    K130-K139: the probabilities or scores cannot be used.",
        "",
        "Cost: one read of the matrix, one sort of n keys a column.",
        "",
        f"Example:{example}",
    ]
    return "\n".join(lines)
