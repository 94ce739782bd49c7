"""A metric as data: its arguments, as torchmetrics checks them, its tally and its value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor

from karat.compat.torchmetrics.label_curves import (
    labels_best,
    labels_eer,
    labels_logauc,
    labels_precision_recall_curve,
    labels_roc,
)
from karat.compat.torchmetrics.labels import (
    BinaryCells,
    ClassCells,
    Need,
    confusion_matrix,
    detail_of,
    jaccard,
    kappa,
    matthews,
    rate,
    stat_scores,
)
from karat.compat.torchmetrics.multilabel import (
    ClassMatches,
    LabelCells,
    Matches,
    exact_match,
    labels_confusion_matrix,
    labels_jaccard,
    labels_matthews,
    labels_rate,
    labels_stat_scores,
)
from karat.compat.torchmetrics.multilabel_scores import (
    BinnedLabels,
    KeptLabels,
    Ranked,
    labels_auroc,
    labels_average_precision,
    ranked,
)
from karat.compat.torchmetrics.reading import Detail
from karat.compat.torchmetrics.scores import (
    BinnedScores,
    Confidences,
    KeptScores,
    Margins,
    auroc,
    average_precision,
    calibration_error,
    hinge_loss,
    thresholds_of,
)
from karat.compat.torchmetrics.table import Measure
from karat.compat.torchmetrics.tally import Tally, refuse_counted, refused
from karat.errors import error

Given = dict[str, Any]

_VALUES: Final[dict[str, Callable[..., Any]]] = {
    value.__name__: value
    for value in (
        *(rate, stat_scores, confusion_matrix, kappa, matthews, jaccard),
        *(auroc, average_precision, calibration_error, hinge_loss),
        *(labels_rate, labels_stat_scores, labels_confusion_matrix, labels_matthews),
        *(labels_jaccard, exact_match, labels_auroc, labels_average_precision, ranked),
        *(labels_roc, labels_precision_recall_curve, labels_logauc, labels_eer, labels_best),
    )
}


@dataclass(frozen=True)
class Rule:
    """A need and a value of it.

    Attributes:
        need: metrics whose needs are equal share one tally.
        name, options: the value, by its name here, and its keywords.
        validates: whether a device is waited for, to refuse rows as soon as they are given.
    """

    need: Need
    name: str
    options: tuple[tuple[str, Any], ...]
    validates: bool

    def tally(self, preds: Tensor, target: Tensor, weights: Any) -> Tally:
        """The tally of one batch; a graph of gradients is neither read nor kept."""
        for argument, given in (("preds", preds), ("target", target)):
            if not isinstance(given, Tensor):
                kind = f"{type(given).__module__}.{type(given).__qualname__}"
                raise refused(
                    argument, f"{argument} is a {kind}", "Give a tensor: torch.as_tensor()."
                )
        with torch.no_grad():
            found = self.need.tally(preds, target, weights)
            if self.validates:
                refuse_counted(found)
        return found

    def value(self, tally: Tally) -> Any:
        """The value of a tally: a tensor, of curves tensors or lists of them."""
        with torch.no_grad():
            refuse_counted(tally)
            return _VALUES[self.name](tally, self.need, **dict(self.options))

    def once(self, preds: Tensor, target: Tensor, weights: Any = None) -> Any:
        """The value of one batch."""
        found = self.value(self.tally(preds, target, weights))
        is_each = isinstance(self.need, BinaryCells | LabelCells) and self.need.samplewise
        return found.squeeze() if is_each else found


_CHOICES: Final[Mapping[str, tuple[Any, ...]]] = {
    "average": ("micro", "macro", "weighted", "none", None),
    "multiclass_mode": ("crammer-singer", "one-vs-all"),
    "multidim_average": ("global", "samplewise"),
    "norm": ("l1", "l2", "max"),
    "normalize": ("true", "pred", "all", "none", None),
    "squared": (True, False),
    "weights": ("linear", "quadratic", "none", None),
    "zero_division": (0, 1),
}
"""Arguments that are one of a few values."""

_LEAST: Final = {"num_classes": 2, "num_labels": 2, "n_bins": 1, "top_k": 1}
"""Arguments that are whole numbers, and their least value."""

_WITH_ZERO_DIVISION: Final = ("f_beta", "jaccard", "precision", "recall")
"""Metrics whose class gives it what is undefined; those of others take it and ignore it."""

_CHECKED: Final = {
    "rate": "num_classes num_labels top_k threshold average multidim_average ignore_index "
    "zero_division beta",
    "table": "threshold ignore_index num_classes num_labels normalize weights average",
    "match": "num_classes num_labels threshold multidim_average ignore_index",
    "order": "num_labels ignore_index",
    "ranking": "num_classes num_labels average thresholds ignore_index max_fpr",
    "curve": "num_labels thresholds ignore_index min_precision min_recall min_specificity "
    "min_sensitivity fpr_range average",
    "calibration": "num_classes n_bins norm ignore_index",
    "hinge": "squared ignore_index num_classes multiclass_mode",
}
"""A kind of metrics → what is checked, in this order."""


def rule_of(measure: Measure, given: Mapping[str, Any], *, of_batches: bool = False) -> Rule:
    """The rule of a metric with its arguments; ``of_batches``: of a class."""
    kind, value = measure.of
    options = dict(given)
    validates = options.pop("validate_args")
    is_counted = kind == "rate" and options.get("num_classes", 0) is None
    if is_counted and (
        options["average"] != "micro"
        or options["multidim_average"] == "samplewise"
        or options["top_k"] != 1
    ):
        do = "None is enough for average='micro' over all rows with top_k=1."
        raise error("K122", argument="num_classes", value=None, choices="2, 3, …", do=do)
    if validates or "fpr_range" in options:  # torchmetrics' area checks its average whenever asked
        _check(kind, options)
    if "fpr_range" in options:
        options["fpr_range"] = tuple(options["fpr_range"])
    if of_batches and value not in _WITH_ZERO_DIVISION:
        options.pop("zero_division", None)
    if kind == "hinge":
        options["of_batches"] = of_batches
    if value == "jaccard" and "num_labels" in options:
        # A function of torchmetrics takes the target that is ignored for a label, its class not.
        options["without"] = None if of_batches else options["ignore_index"]
    of_labels = "labels_" if "num_labels" in options and kind not in ("match", "order") else ""
    if kind == "order":
        options["measure"], value = value, "ranked"
    need = _need_of(kind, value, options)
    if value == "stat_scores":
        options = {"average": options.get("average")}
    elif kind == "rate":
        options, value = {"metric": value, **options}, kind
    value = f"{of_labels}{value}"
    return Rule(need, value, tuple(options.items()), validates)


def _need_of(kind: str, value: str, options: Given) -> Need:
    """The need of a kind of metrics; what is left of the arguments are options of the value."""
    is_multiclass = "num_classes" in options
    k, ignore_index = options.pop("num_classes", None), options.pop("ignore_index")
    squashing = "sigmoid" if k is None else "softmax"
    if "num_labels" in options:
        return _need_of_labels(kind, options, ignore_index)
    if kind == "match":
        return ClassMatches(k, ignore_index, options.pop("multidim_average") == "samplewise")
    if kind == "rate":
        is_each = options.pop("multidim_average") == "samplewise"
        if "threshold" in options:
            return BinaryCells(options.pop("threshold"), ignore_index, samplewise=is_each)
        top_k = options.pop("top_k")
        detail: Detail = "hits" if options["average"] == "micro" else "classes"
        return ClassCells(k, ignore_index, top_k, is_each, detail)
    if kind == "table":
        threshold = options.pop("threshold", 0.5)
        if k is None:
            return BinaryCells(threshold, ignore_index, decides_by_all=ignore_index is None)
        detail = detail_of(value, options, ignore_index, k)
        return ClassCells(k, ignore_index, detail=detail)
    if kind == "ranking":
        squashing = "softmax" if is_multiclass else options.pop("normalization", "sigmoid")
        thresholds = thresholds_of(options.pop("thresholds"))
        if thresholds is None:
            return KeptScores(k, ignore_index, squashing)
        return BinnedScores(k, ignore_index, squashing, thresholds)
    if kind == "calibration":
        return Confidences(k, ignore_index, squashing, options.pop("n_bins"))
    is_each = options.pop("multiclass_mode", None) == "one-vs-all" and k is not None
    return Margins(k, ignore_index, squashing, options.pop("squared"), is_each)


def _need_of_labels(kind: str, options: Given, ignore_index: int | None) -> Need:
    k, threshold = options.pop("num_labels"), options.pop("threshold", 0.5)
    if kind == "order":
        return Ranked(k, ignore_index, options.pop("measure"))
    if kind in ("ranking", "curve"):
        thresholds = thresholds_of(options.pop("thresholds"))
        if thresholds is None:
            return KeptLabels(k, ignore_index, "sigmoid")
        return BinnedLabels(k, ignore_index, "sigmoid", thresholds)
    is_each = options.pop("multidim_average", "global") == "samplewise"
    if kind == "match":
        return Matches(k, threshold, ignore_index, is_each)
    return LabelCells(k, threshold, ignore_index, is_each)


def _check(kind: str, given: Given) -> None:
    for name in _CHECKED[kind].split():
        value = given.get(name)
        is_any_class = name == "num_classes" and value is None and kind == "rate"
        if name not in given or is_any_class:
            continue
        if name in _CHOICES:
            # An area of classes has no micro average.
            is_area = kind == "ranking" and name == "average" and "num_labels" not in given
            first = 1 if is_area else 0
            listed, do = _CHOICES[name][first:], "Give one of them."
            if kind == "curve":
                listed = ("macro", "none", None)
            is_valid = isinstance(value, str | bool | int | float | None) and value in listed
            choices = ", ".join(map(repr, listed))
        elif name in _LEAST:
            least, do = _LEAST[name], "Give a whole number."
            most = given["num_classes"] if name == "top_k" else None
            is_valid = isinstance(value, int) and value >= least and (most is None or value <= most)
            choices = f"{least}, {least + 1}, …" if most is None else f"{least} to {most}"
        else:
            check, choices, do = _VALID[name]
            is_valid = check(value)
        if not is_valid:
            if name == "thresholds" and isinstance(value, Tensor):
                value = tuple(value.shape)
            raise error("K122", argument=name, value=value, choices=choices, do=do)


def _are_thresholds(value: Any) -> bool:
    if isinstance(value, Tensor):
        return bool(value.ndim == 1)
    if isinstance(value, list):
        return all(isinstance(t, float) and 0.0 <= t <= 1.0 for t in value)
    return value is None or (isinstance(value, int) and value >= 2)


def _is_range(value: Any) -> bool:
    is_pair = isinstance(value, list | tuple) and len(value) == 2
    return is_pair and all(map(_is_share, value)) and bool(value[0] < value[1])


def _is_share(value: Any) -> bool:
    return isinstance(value, float | int) and 0 <= value <= 1


_LEAST_SHARE: Final = (_is_share, "0.0 to 1.0", "Give a proportion.")

_VALID: Final[Mapping[str, tuple[Callable[[Any], bool], str, str]]] = {
    "beta": (
        lambda value: isinstance(value, float) and value > 0,
        "floats above 0",
        "Give a float, as torchmetrics does: 2.0, not 2.",
    ),
    "fpr_range": (
        _is_range,
        "two numbers from 0 to 1, the lower one first",
        "It is a range of false positive rates.",
    ),
    "ignore_index": (
        lambda value: value is None or (isinstance(value, int) and -(1 << 63) <= value < 1 << 63),
        "None, an integer",
        "Rows of that label are left out.",
    ),
    "max_fpr": (
        lambda value: value is None or (isinstance(value, float) and 0.0 < value <= 1.0),
        "None, floats above 0 up to 1.0",
        "None measures the whole area.",
    ),
    **dict.fromkeys(
        ("min_precision", "min_recall", "min_sensitivity", "min_specificity"), _LEAST_SHARE
    ),
    "threshold": (
        lambda value: isinstance(value, float) and 0 <= value <= 1,
        "0.0 to 1.0",
        "Give a float, as torchmetrics does: 1.0, not 1.",
    ),
    "thresholds": (
        _are_thresholds,
        "None, 2, 3, …, a list of floats from 0 to 1, a tensor of one dimension",
        "None keeps every score.",
    ),
}
"""Other arguments → what they have to be, how that is shown, and what to do."""
