"""Arguments of metrics: what torchmetrics checks of them, and the rules that follow."""

from __future__ import annotations

from typing import Any, Final

import torch
from torch import Tensor

from karat.compat.torchmetrics.label_needs import BinaryCells, ClassCells, Hits, Need
from karat.compat.torchmetrics.loss_needs import Confidences, Margins
from karat.compat.torchmetrics.rules import Rule
from karat.compat.torchmetrics.score_needs import BinnedScores, KeptScores, thresholds_of
from karat.errors import error

__all__ = ["calibration", "hinge", "labels_of_classes", "labels_of_two", "ranking", "table"]

_AVERAGES: Final = ("micro", "macro", "weighted", "none", None)
_MULTIDIM: Final = ("global", "samplewise")


def labels_of_two(
    name: str,
    threshold: float,
    multidim_average: str,
    ignore_index: int | None,
    validate_args: bool,
    **options: Any,
) -> Rule:
    """A rate of two classes, or `stat_scores`."""
    if validate_args:
        _check_threshold(threshold)
        _check_choice("multidim_average", multidim_average, _MULTIDIM)
        _check_index(ignore_index)
        _check_options(options)
    need = BinaryCells(threshold, ignore_index, samplewise=multidim_average == "samplewise")
    return _of_labels(need, name, validate_args, options)


def labels_of_classes(
    name: str,
    num_classes: int | None,
    average: str | None,
    top_k: int,
    multidim_average: str,
    ignore_index: int | None,
    validate_args: bool,
    **options: Any,
) -> Rule:
    """A rate of k classes, or `stat_scores`."""
    is_each = multidim_average == "samplewise"
    if num_classes is None and (average != "micro" or is_each or top_k != 1):
        do = "None is enough for average='micro' over all rows with top_k=1."
        raise error("K122", argument="num_classes", value=None, choices="2, 3, …", do=do)
    if validate_args:
        if num_classes is not None:
            _check_classes(num_classes)
            _check_count("top_k", top_k, 1, num_classes)
        _check_choice("average", average, _AVERAGES)
        _check_choice("multidim_average", multidim_average, _MULTIDIM)
        _check_index(ignore_index)
        _check_options(options)
    need: Need
    if num_classes is None:
        need = Hits(ignore_index)
    else:
        need = ClassCells(num_classes, ignore_index, top_k, is_each)
    return _of_labels(need, name, validate_args, {**options, "average": average})


def table(
    name: str,
    num_classes: int | None,
    threshold: float,
    ignore_index: int | None,
    validate_args: bool,
    **options: Any,
) -> Rule:
    """A value of the confusion matrix; num_classes None: of two classes."""
    if validate_args:
        _check_threshold(threshold)
        _check_index(ignore_index)
        if num_classes is not None:
            _check_classes(num_classes)
        for argument, choices in (
            ("normalize", ("true", "pred", "all", "none", None)),
            ("weights", ("linear", "quadratic", "none", None)),
            ("average", _AVERAGES),
        ):
            _check_choice(argument, options.get(argument), choices)
    need: Need
    if num_classes is None:
        need = BinaryCells(threshold, ignore_index, decides_by_all=ignore_index is None)
    else:
        need = ClassCells(num_classes, ignore_index)
    return Rule.of(need, name, validate_args, **options)


def ranking(
    name: str,
    num_classes: int | None,
    thresholds: Any,
    ignore_index: int | None,
    validate_args: bool,
    normalization: str | None = None,
    **options: Any,
) -> Rule:
    """An area, over kept scores or between thresholds; num_classes None: of two classes."""
    if validate_args:
        if num_classes is not None:
            _check_classes(num_classes)
            _check_choice("average", options.get("average"), ("macro", "weighted", "none", None))
        _check_thresholds(thresholds)
        _check_index(ignore_index)
        _check_fpr(options.get("max_fpr"))
    found, need = thresholds_of(thresholds), None
    if found is None:
        need = KeptScores(num_classes, ignore_index, normalization)
        return Rule.of(need, name, validate_args, **options)
    binned = BinnedScores(num_classes, ignore_index, normalization, found)
    return Rule.of(binned, name, validate_args, **options)


def calibration(
    num_classes: int | None,
    n_bins: int,
    norm: str,
    ignore_index: int | None,
    validate_args: bool,
) -> Rule:
    """A calibration error; num_classes None: of two classes."""
    if validate_args:
        if num_classes is not None:
            _check_classes(num_classes)
        _check_count("n_bins", n_bins, 1, None)
        _check_choice("norm", norm, ("l1", "l2", "max"))
        _check_index(ignore_index)
    kind = "sigmoid" if num_classes is None else "softmax"
    need = Confidences(num_classes, ignore_index, kind, n_bins)
    return Rule.of(need, "calibration_error", validate_args, norm=norm)


def hinge(
    num_classes: int | None,
    squared: bool,
    multiclass_mode: str,
    ignore_index: int | None,
    validate_args: bool,
    *,
    of_batches: bool = False,
) -> Rule:
    """A hinge loss; num_classes None: of two classes."""
    if validate_args:
        _check_choice("squared", squared, (True, False))
        _check_index(ignore_index)
        if num_classes is not None:
            _check_classes(num_classes)
            _check_choice("multiclass_mode", multiclass_mode, ("crammer-singer", "one-vs-all"))
    kind = "sigmoid" if num_classes is None else "softmax"
    is_each = num_classes is not None and multiclass_mode == "one-vs-all"
    need = Margins(num_classes, ignore_index, kind, squared, is_each)
    return Rule.of(need, "hinge_loss", validate_args, of_batches=of_batches)


def _of_labels(need: Need, name: str, validate_args: bool, options: dict[str, Any]) -> Rule:
    if name == "stat_scores":
        average = options.get("average")
        return Rule.of(need, "stat_scores", validate_args, average=average)
    return Rule.of(need, "rate", validate_args, metric=name, **options)


def _check_choice(argument: str, value: Any, choices: tuple[Any, ...]) -> None:
    is_one = isinstance(value, str | bool | int | float | None)
    if not is_one or not any(value is choice or value == choice for choice in choices):
        shown = ", ".join(repr(choice) for choice in choices)
        raise error("K122", argument=argument, value=value, choices=shown, do="Give one of them.")


def _check_count(argument: str, value: Any, least: int, most: int | None) -> None:
    if isinstance(value, int) and value >= least and (most is None or value <= most):
        return
    choices = f"{least}, {least + 1}, …" if most is None else f"{least} to {most}"
    raise error("K122", argument=argument, value=value, choices=choices, do="Give a whole number.")


def _check_classes(num_classes: Any) -> None:
    _check_count("num_classes", num_classes, 2, None)


def _check_threshold(threshold: Any) -> None:
    if not (isinstance(threshold, float) and 0 <= threshold <= 1):
        do = "Give a float, as torchmetrics does: 1.0, not 1."
        raise error("K122", argument="threshold", value=threshold, choices="0.0 to 1.0", do=do)


def _check_index(ignore_index: Any) -> None:
    is_index = isinstance(ignore_index, int) and -(1 << 63) <= ignore_index < 1 << 63
    if ignore_index is not None and not is_index:
        do = "Rows of that label are left out."
        choices = "None, an integer"
        raise error("K122", argument="ignore_index", value=ignore_index, choices=choices, do=do)


def _check_options(options: dict[str, Any]) -> None:
    if "zero_division" in options:
        _check_choice("zero_division", options["zero_division"], (0, 1))
    beta = options.get("beta", 1.0)
    if not (isinstance(beta, float) and beta > 0):
        do = "Give a float, as torchmetrics does: 2.0, not 2."
        raise error("K122", argument="beta", value=beta, choices="floats above 0", do=do)


def _check_thresholds(thresholds: Any) -> None:
    if thresholds is None or (isinstance(thresholds, Tensor) and thresholds.ndim == 1):
        return
    if isinstance(thresholds, int) and thresholds >= 2:
        return
    if isinstance(thresholds, list) and all(
        isinstance(t, float) and 0.0 <= t <= 1.0 for t in thresholds
    ):
        return
    choices = "None, 2, 3, …, a list of floats from 0 to 1, a tensor of one dimension"
    value = tuple(thresholds.shape) if isinstance(thresholds, torch.Tensor) else thresholds
    do = "None keeps every score."
    raise error("K122", argument="thresholds", value=value, choices=choices, do=do)


def _check_fpr(max_fpr: Any) -> None:
    if max_fpr is not None and not (isinstance(max_fpr, float) and 0.0 < max_fpr <= 1.0):
        choices = "None, floats above 0 up to 1.0"
        do = "None measures the whole area."
        raise error("K122", argument="max_fpr", value=max_fpr, choices=choices, do=do)
