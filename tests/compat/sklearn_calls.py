"""Random calls of classification metrics: every function, with parameters of every kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from tests.compat.sklearn_inputs import Drawer


@dataclass(frozen=True)
class Call:
    """A function by its name, and what it is given."""

    name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]

    def __str__(self) -> str:
        given = [*map(repr, self.args), *(f"{key}={item!r}" for key, item in self.kwargs.items())]
        return f"{self.name}({', '.join(given)})"


def average(draw: Drawer, *, is_of_scores: bool = False) -> Any:
    common = ("macro", "micro", "weighted", None)
    if is_of_scores:
        return draw.one("macro", *common, "samples", *(["binary", 3] if draw.is_odd else []))
    return draw.one("binary", *common, *(["samples", "mean", 3] if draw.is_odd else []))


def zero_division(draw: Drawer) -> Any:
    odd = (2, "nan", None, "0", -1, np.float64(1.0), True) if draw.is_odd else ()
    return draw.one("warn", "warn", 0, 1, np.nan, 0.0, 1.0, *odd)


def flag(draw: Drawer) -> Any:
    return draw.one(True, False, *((1, None, "yes", np.True_) if draw.is_odd else ()))


def rates(draw: Drawer, name: str) -> Call:
    true, pred = draw.targets()
    given: dict[str, Any] = {}
    if draw.chance(0.75):
        given["average"] = average(draw)
    if draw.chance(0.4):
        given["pos_label"] = draw.label(true)
    if draw.chance(0.5):
        given["zero_division"] = zero_division(draw)
    given |= {"labels": draw.labels(true), "sample_weight": draw.weights()}
    if name == "fbeta_score" or (name.endswith("support") and draw.chance(0.5)):
        odd = (-1, "2", np.nan, None) if draw.is_odd else ()
        given["beta"] = draw.one(1, 2, 0.5, 0, np.inf, *odd)
    if name.endswith("support") and draw.chance(0.3):
        odd = ("f-score", 3) if draw.is_odd else ()
        given["warn_for"] = draw.one((), ("recall",), {"f-score"}, ["precision"], *odd)
    return Call(name, (true, pred), given)


def labels_only(draw: Drawer, name: str) -> Call:
    true, pred = draw.targets()
    given: dict[str, Any] = {"sample_weight": draw.weights()}
    if name in ("accuracy_score", "zero_one_loss") and draw.chance(0.5):
        given["normalize"] = flag(draw)
    if name == "balanced_accuracy_score" and draw.chance(0.5):
        given["adjusted"] = flag(draw)
    if name in ("confusion_matrix", "multilabel_confusion_matrix", "cohen_kappa_score"):
        given["labels"] = draw.labels(true)
    if name == "confusion_matrix" and draw.chance(0.5):
        odd = ("none", True) if draw.is_odd else ()
        given["normalize"] = draw.one("true", "pred", "all", None, *odd)
    if name == "multilabel_confusion_matrix" and draw.is_odd:
        given["samplewise"] = flag(draw)
    if name == "cohen_kappa_score":
        odd = ("cubic", 2) if draw.is_odd else ()
        given["weights"] = draw.one(None, "linear", "quadratic", *odd)
        if draw.chance(0.3):
            odd = (2.0, "nan", None) if draw.is_odd else ()
            given["replace_undefined_by"] = draw.one(0.0, np.nan, -1, 1.0, *odd)
    if name == "class_likelihood_ratios":
        if draw.chance(0.3):
            given["labels"] = draw.labels(true)
        if draw.chance(0.5):
            odd = (0.0, {"LR+": 0.0, "LR-": 0.0}, {"LR+": 1}, "nan") if draw.is_odd else ()
            given["replace_undefined_by"] = draw.one(
                np.nan, 1.0, 1, {"LR+": 3.0, "LR-": 0.5}, {"LR+": np.nan, "LR-": 0.0}, *odd
            )
    return Call(name, (true, pred), given)


def report(draw: Drawer, name: str) -> Call:
    true, pred = draw.targets()
    given = {"labels": draw.labels(true), "sample_weight": draw.weights()}
    if draw.chance(0.4):
        given["output_dict"] = flag(draw)
    if draw.chance(0.4):
        given["digits"] = draw.one(0, 3, 5, 14, *((-1, 2.0, "2") if draw.is_odd else ()))
    if draw.chance(0.4):
        given["zero_division"] = zero_division(draw)
    if draw.chance(0.3):
        names = ["one", "a name as long as this one", "drei"]
        given["target_names"] = draw.one(names[: draw.k], names, np.array(names), names[:1])
    return Call(name, (true, pred), given)


def of_probabilities(draw: Drawer, name: str) -> Call:
    codes, true = draw.truth()
    given: dict[str, Any] = {"sample_weight": draw.weights()}
    if draw.chance(0.5):
        given["labels"] = draw.labels(true)
    if name == "log_loss" and draw.chance(0.4):
        given["normalize"] = flag(draw)
    if "brier" in name and draw.chance(0.4):
        given["pos_label"] = draw.label(true)
    if name == "brier_score_loss" and draw.chance(0.4):
        odd = ("half", 1) if draw.is_odd else ()
        given["scale_by_half"] = draw.one(True, False, "auto", *odd)
    return Call(name, (true, draw.probabilities(codes)), given)


def margins(draw: Drawer, name: str) -> Call:
    codes, true = draw.truth()
    given: dict[str, Any] = {"sample_weight": draw.weights()}
    if draw.chance(0.5):
        given["labels"] = draw.labels(true)
    if name == "top_k_accuracy_score":
        if draw.chance(0.7):
            given["k"] = draw.one(1, 1, 2, 3, *((0, 1.5, "1") if draw.is_odd else ()))
        if draw.chance(0.4):
            given["normalize"] = flag(draw)
    return Call(name, (true, draw.probabilities(codes)), given)


def curves(draw: Drawer, name: str) -> Call:
    codes, true = draw.truth()
    given: dict[str, Any] = {}
    if name == "calibration_curve":
        if draw.chance(0.6):
            given["n_bins"] = draw.one(1, 2, 5, 10, *((0, 2.5) if draw.is_odd else ()))
        if draw.chance(0.5):
            given["strategy"] = draw.one(
                "uniform", "quantile", *(("other",) if draw.is_odd else ())
            )
    else:
        given["sample_weight"] = draw.weights()
        if name != "confusion_matrix_at_thresholds" and draw.chance(0.6):
            given["drop_intermediate"] = flag(draw)
    if draw.chance(0.5):
        given["pos_label"] = draw.label(true)
    return Call(name, (true, draw.scores(codes)), given)


def areas(draw: Drawer, name: str) -> Call:
    codes, true = draw.truth()
    given: dict[str, Any] = {"sample_weight": draw.weights()}
    if draw.chance(0.5):
        given["average"] = average(draw, is_of_scores=True)
    scores = draw.probabilities(codes) if draw.k > 2 or draw.chance(0.2) else draw.scores(codes)
    if name == "roc_auc_score":
        if draw.k > 2 or draw.chance(0.2):
            odd = ("both",) if draw.is_odd else ()
            given["multi_class"] = draw.one("ovr", "ovo", "ovr", "ovo", "raise", *odd)
            if draw.chance(0.6):
                given["labels"] = draw.labels(true)
        if draw.chance(0.2):
            given["max_fpr"] = draw.one(0.5, 1, 1.0, 0.1, *((0, 2, "1") if draw.is_odd else ()))
    elif draw.chance(0.4):
        given["pos_label"] = draw.label(true)
    return Call(name, (true, scores), given)


def area(draw: Drawer, name: str) -> Call:
    x = np.sort(draw.rng.random(draw.n))
    x = draw.one(x, x[::-1], np.round(x, 1), x if not draw.is_odd else draw.rng.random(draw.n))
    y = draw.rng.random(draw.n)
    return Call(name, (draw.spoiled(x), draw.spoiled(draw.one(y, y.tolist(), pd.Series(y)))), {})


FAMILIES: dict[Callable[[Drawer, str], Call], tuple[str, ...]] = {
    rates: (
        "precision_score", "recall_score", "f1_score", "fbeta_score", "jaccard_score",
        "precision_recall_fscore_support",
    ),
    labels_only: (
        "accuracy_score", "balanced_accuracy_score", "confusion_matrix", "hamming_loss",
        "multilabel_confusion_matrix", "class_likelihood_ratios", "matthews_corrcoef",
        "cohen_kappa_score", "zero_one_loss",
    ),
    report: ("classification_report",),
    of_probabilities: ("log_loss", "brier_score_loss", "d2_log_loss_score", "d2_brier_score"),
    margins: ("hinge_loss", "top_k_accuracy_score"),
    curves: (
        "roc_curve", "precision_recall_curve", "det_curve", "confusion_matrix_at_thresholds",
        "calibration_curve",
    ),
    areas: ("roc_auc_score", "average_precision_score"),
    area: ("auc",),
}  # fmt: skip

DRAWN: dict[str, Callable[[Drawer, str], Call]] = {
    name: made for made, names in FAMILIES.items() for name in names
}


def call_of(seed: int, number: int) -> Call:
    """One of the calls of a seed; every function has its turn."""
    names = sorted(DRAWN)
    name = names[number % len(names)]
    return DRAWN[name](Drawer([seed, number]), name)
