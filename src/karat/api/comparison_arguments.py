"""The arguments of `compare`: the models, and the choices of a comparison."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, Final, cast, get_args

from karat.api.functions import plain_text
from karat.api.results import Report
from karat.data.sources.distributed.frames import refuse_distributed
from karat.data.sources.tables.frames import is_frame, open_frame
from karat.errors import KaratError, error, short, shown
from karat.inference.comparison.judging import Adjustment, ComparisonSpec
from karat.inference.confidence import Confidence
from karat.metrics import Metric, get
from karat.metrics._metric import check_has_positive
from karat.tally import Classes

__all__ = [
    "ModelArguments",
    "check_metrics",
    "check_models",
    "check_reports",
    "comparison_spec",
    "defaults",
    "margins_of",
    "model_arguments",
    "unknown_choice",
]

_PERMUTATIONS: Final = (99, 1_000_000)


@dataclass(frozen=True, eq=False)
class ModelArguments:
    """What was given of each model.

    Attributes:
        names: the models in the order given.
        true: the labels of the rows of all models; None where each has its own.
        predicted: model → predicted labels.
        scores: model → (``"y_prob"`` or ``"y_score"``, values).
        trues: model → true labels, where each has its own.
        reports: model → report, where these are all there is.
    """

    names: tuple[str, ...]
    true: Any = None
    predicted: Mapping[str, Any] = field(default_factory=dict)
    scores: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    trues: Mapping[str, Any] = field(default_factory=dict)
    reports: Mapping[str, Report] = field(default_factory=dict)

    @property
    def is_apart(self) -> bool:
        """Whether the models were measured on rows of their own."""
        return bool(self.trues)


def model_arguments(y_true: Any, y_pred: Any, y_prob: Any, y_score: Any) -> ModelArguments:
    """The models of the arguments.

    Errors:
        K127, K128 no true labels, no predictions; K129 two kinds of scores of one model;
        K162 an argument is no dict; K163 names that differ; K416 a table in partitions.
    """
    if not isinstance(y_pred, Mapping) and is_frame(y_pred):
        refuse_distributed(y_pred, "y_pred")
        frame = open_frame(y_pred)
        y_pred = frame.columns(frame.names)
    arguments = {"y_pred": y_pred, "y_prob": y_prob, "y_score": y_score}
    given = {name: values for name, values in arguments.items() if values is not None}
    if not given and isinstance(y_true, Mapping):
        if y_true and all(isinstance(value, Report) for value in y_true.values()):
            names = tuple(_names("The reports", y_true))
            return ModelArguments(names, reports=dict(zip(names, y_true.values(), strict=True)))
        raise error(
            "K128",
            found="y_true was given alone, and it is no dict of reports",
            do="Give the predictions of each model as y_pred=, y_prob= or y_score=.",
        )
    of_models = "a dict from model to predictions as y_pred=, y_prob= or y_score="
    if y_true is None:
        raise error("K127", others=of_models)
    if not given:
        raise error("K128", found="y_true was given alone", do=f"Give y_true and {of_models}.")
    named = {argument: _names(argument, values) for argument, values in given.items()}
    names = tuple(dict.fromkeys(name for each in named.values() for name in each))
    both = [name for name in named.get("y_prob", ()) if name in named.get("y_score", ())]
    if both:
        found = f"{both[0]!r} is in y_prob and in y_score"
        raise error("K129", found=found, prob="y_prob", score="y_score")
    predicted = (
        dict(zip(named["y_pred"], y_pred.values(), strict=True)) if "y_pred" in named else {}
    )
    scores = {
        name: (argument, values)
        for argument in ("y_prob", "y_score")
        if argument in named
        for name, values in zip(named[argument], given[argument].values(), strict=True)
    }
    if not isinstance(y_true, Mapping):
        return ModelArguments(names, y_true, predicted, scores)
    trues = dict(zip(_names("y_true", y_true), y_true.values(), strict=True))
    if set(trues) != set(names):
        given_names = {"left_names": shown(trues), "right_names": shown(names)}
        raise error("K163", left="y_true", right="the predictions", **given_names)
    return ModelArguments(names, None, predicted, scores, trues)


def check_reports(given: Mapping[str, Any]) -> None:
    """Refuse what says how rows are counted beside reports, which have counted theirs.

    Args:
        given: arguments by name.

    Errors:
        K160.
    """
    for name, value in given.items():
        if value is not None:
            raise error(
                "K160",
                argument=f"{name}=",
                report="reports",
                found=f"{name}= was given with reports, which have counted their rows",
                do=f"Give it to karat.evaluate, or compare y_true and y_pred with {name}=.",
            )


def _names(argument: str, values: Any) -> list[str]:
    """The names of the models of one argument.

    Errors:
        K162 it is no dict, or names them by something else than text.
    """
    if not isinstance(values, Mapping):
        floats = getattr(getattr(values, "dtype", None), "kind", "") == "f"
        also = "" if argument != "y_pred" or not floats else " Probabilities are y_prob=."
        raise error(
            "K162",
            argument=argument,
            found=f"It is a {type(values).__name__}, not a dict from model to values",
            do=f"Name models: karat.compare(y_true, {argument}={{'old': ..., 'new': ...}}).{also}",
        )
    names = []
    for name in values:
        text = plain_text(name)
        if not text or not text.isprintable():
            found = f"A model is called {short(name)}"
            do = "Names are text that can be printed."
            raise error("K162", argument=argument, found=found, do=do)
        names.append(text)
    return names


def check_models(names: Sequence[str], baseline: Any) -> None:
    """Refuse fewer than two models, and a baseline that is none of them.

    Errors:
        K161, K164.
    """
    if len(names) < 2:
        found = f"There is one, {names[0]!r}" if names else "There is none"
        raise error("K161", found=found)
    if baseline is not None and plain_text(baseline) not in names:
        raise error("K164", baseline=baseline, models=shown(names))


def comparison_spec(
    level: Any, adjust: Any, seed: Any, n_permutations: Any = 4999, paired: Any = True
) -> ComparisonSpec:
    """The choices of a comparison; its margins and pairs are added later.

    Errors:
        K122 one of them is not what it may be.
    """
    confidence = Confidence.of(level, seed=seed)
    if confidence is None:
        do = "A difference counts where its p-value is below 1 − level."
        raise unknown_choice("level", level, "a number between 0 and 1, as 0.95", do)
    if plain_text(adjust) not in get_args(Adjustment):
        do = "'holm' holds for any pairs; 'maxt' uses how they go together."
        raise unknown_choice("adjust", adjust, shown(get_args(Adjustment)), do)
    if not isinstance(paired, bool):
        do = "Models on the same rows are compared row by row."
        raise unknown_choice("paired", paired, "True, False", do)
    is_whole = isinstance(n_permutations, Integral) and not isinstance(n_permutations, bool)
    low, high = _PERMUTATIONS
    if not is_whole or not low <= int(n_permutations) <= high:
        choices = f"a whole number from {low} to {high}"
        do = "4999 replicates tell a p-value of 0.05 to 0.003."
        raise unknown_choice("n_permutations", n_permutations, choices, do)
    chosen = cast("Adjustment", str(adjust))
    return ComparisonSpec(confidence.level, chosen, {}, (), confidence.seed, int(n_permutations))


def unknown_choice(argument: str, value: Any, choices: str, do: str) -> KaratError:
    """K122: an option that is not what it may be."""
    return error("K122", argument=argument, value=value, choices=choices, do=do)


def defaults(classes: Classes, *, has_scores: bool, has_probabilities: bool) -> list[Metric]:
    """The metrics of a comparison when none is named."""
    is_binary = classes.positive is not None
    f1 = "f1" if is_binary else "macro_f1"
    names = ["accuracy", f1, "balanced_accuracy", "matthews_correlation"]
    if has_scores and classes.k > 1:
        names.append("roc_auc" if is_binary else "roc_auc_ovr_macro")
    if has_probabilities:
        names += ["log_loss", "brier"]
    return [get(name) for name in names]


def check_metrics(
    wanted: Sequence[Metric], classes: Classes, names: Sequence[str], scored: Collection[str]
) -> None:
    """Refuse metrics that these models do not have.

    Args:
        names: the models.
        scored: those that have scores.

    Errors:
        K166 a metric of scores of models without them; K307 a plain name of more than two classes.
    """
    missing = [name for name in names if name not in scored]
    for metric in wanted:
        check_has_positive(metric, classes, ())
        if metric.needs_scores and missing:
            raise error(
                "K166",
                metric=str(metric),
                found=f"It reads probabilities or scores; there are none of {shown(missing)}",
                do="Give those of every model as y_prob= or y_score=, or leave the metric out.",
            )


def margins_of(margin: Any, names: Sequence[str]) -> dict[str, float]:
    """The margin of each metric that has one.

    Args:
        names: the metrics that are compared.

    Errors:
        K165 a margin is no number above 0, or of no metric compared; K3xx unknown names.
    """
    if margin is None:
        return {}
    if not isinstance(margin, Mapping):
        return dict.fromkeys(names, _margin("margin", margin))
    margins: dict[str, float] = {}
    for key, number in margin.items():
        name = str(get(key))
        if name not in names:
            raise error("K165", found=f"{name} is not compared; {shown(names)} are")
        margins[name] = _margin(f"margin[{name!r}]", number)
    return margins


def _margin(argument: str, number: Any) -> float:
    try:
        found = math.nan if isinstance(number, bool | str | bytes) else float(number)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not (math.isfinite(found) and found > 0.0):
        raise error("K165", found=f"{argument} is {short(number)}")
    return found
