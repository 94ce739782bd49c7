"""Random calls of multilabel metrics: tensors and options, drawn from a seed."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.compat.torchmetrics_calls import CLASSES, FLOATS, Call, thresholds
from tests.optional import optional

torch = optional("torch")

RATES = (
    "accuracy", "precision", "recall", "specificity", "stat_scores", "f1_score", "fbeta_score",
    "hamming_distance", "negative_predictive_value",
)  # fmt: skip
LABELS = (*RATES, "exact_match", "confusion_matrix", "matthews_corrcoef", "jaccard_index")
AREAS = ("auroc", "average_precision")
ORDERS = ("coverage_error", "ranking_average_precision", "ranking_loss")
MEASURES = (*LABELS, *AREAS, *ORDERS)
ORDERED = {
    "coverage_error": "CoverageError",
    "ranking_average_precision": "RankingAveragePrecision",
    "ranking_loss": "RankingLoss",
}
CURVES = {
    "eer": "EER",
    "logauc": "LogAUC",
    "precision_at_fixed_recall": "PrecisionAtFixedRecall",
    "precision_recall_curve": "PrecisionRecallCurve",
    "recall_at_fixed_precision": "RecallAtFixedPrecision",
    "roc": "ROC",
    "sensitivity_at_specificity": "SensitivityAtSpecificity",
    "specificity_at_sensitivity": "SpecificityAtSensitivity",
}
"""Metrics that the drop-in has of several labels only: those of curves."""
WITH_ZERO_DIVISION = ("f1_score", "fbeta_score", "precision", "recall", "negative_predictive_value")


def needed(name: str) -> dict[str, float]:
    """Arguments without a default of a function or class, beside the number of classes."""
    found = re.search("_at_fixed_|_at_|AtFixed|At(?=S)", name)
    if found is not None:
        return {f"min_{name[found.end() :].lower()}": 0.5}
    return {"beta": 1.0} if "fbeta" in name.lower() else {}


def task_of(name: str) -> str:
    """A task that a name without one has."""
    return "multilabel" if name in {*CURVES, *CURVES.values()} else "multiclass"


@dataclass
class LabelCall(Call):
    """One metric on rows with several labels."""

    @property
    def metric(self) -> str:
        return "Multilabel" + {**CLASSES, **ORDERED, **CURVES}[self.measure]

    @property
    def k(self) -> int:
        """Classes of each label."""
        return 2

    @property
    def n_labels(self) -> int:
        return int(self.options["num_labels"])


def label_call_of(seed: int, measure: str | None = None, *, is_fed: bool = False) -> LabelCall:
    rng = random.Random(seed)
    numbers = np.random.default_rng(seed)
    measure = measure or rng.choice(MEASURES)
    k = rng.randint(2, 5)
    options = _options(rng, measure, k, is_fed)
    call = LabelCall("multilabel", measure, None, None, options, is_fed=is_fed)
    shape = (rng.choice((1, 2, 8, 12, 20, 33)), k)
    if options.get("multidim_average") == "samplewise" or rng.random() < 0.25:
        shape = (*shape, rng.randint(1, 5), *([2] if rng.random() < 0.3 else []))
    shares = numbers.random((1, k, *[1] * (len(shape) - 2))) ** rng.choice((0.5, 1.0, 3.0))
    target = (numbers.random(shape) < shares).astype(np.int64)
    target[numbers.random(len(target)) < 0.15] = rng.choice((0, 0, 1))
    ignore = options.get("ignore_index")
    if ignore is not None:
        target = np.where(numbers.random(shape) < rng.choice((0.1, 0.4)), ignore, target)
        target[numbers.random(len(target)) < 0.1] = ignore
    call.target = torch.from_numpy(target)
    if rng.random() < 0.2:
        call.target = call.target.int()
    if measure in LABELS and rng.random() < 0.4:
        call.preds = torch.from_numpy(numbers.integers(0, 2, shape))
        if rng.random() < 0.3:
            call.preds = call.preds.bool()
    else:
        call.preds = _scores(rng, numbers, shape)
    if rng.random() < 0.06:
        _spoil(rng, call)
    return call


def _scores(rng: random.Random, numbers: Any, shape: tuple[int, ...]) -> Any:
    raw = torch.from_numpy(numbers.normal(0, 2, shape))
    if rng.random() < 0.4:
        raw = (raw * 2).round() / 2  # ties
    if rng.random() < 0.7:
        raw = torch.sigmoid(raw)
    return raw.to(rng.choice(FLOATS))


def _options(rng: random.Random, measure: str, k: int, is_fed: bool) -> dict[str, Any]:
    options: dict[str, Any] = {"num_labels": k}
    if rng.random() < 0.4:
        options["ignore_index"] = rng.choice((0, 1, -1, -100, k - 1, 255))
    if rng.random() < 0.3:
        options["validate_args"] = False
    if measure in LABELS and rng.random() < 0.3:
        options["threshold"] = rng.choice((0.0, 0.3, 0.7, 1.0))
    if measure in (*RATES, "exact_match") and rng.random() < 0.3:
        options["multidim_average"] = "samplewise"
    if measure in (*RATES, "jaccard_index"):
        options["average"] = rng.choice(("micro", "macro", "weighted", "none", None))
    if measure in WITH_ZERO_DIVISION and rng.random() < 0.4:
        options["zero_division"] = rng.choice((0, 1))
    if measure == "fbeta_score":
        options["beta"] = rng.choice((0.5, 1.0, 2.0))
    if measure == "jaccard_index":
        options["zero_division"] = rng.choice((0.0, 1.0))
    if measure in AREAS:
        options["average"] = rng.choice(("micro", "macro", "weighted", "none", None))
        options["thresholds"] = thresholds(rng)
    if measure in CURVES:
        options["thresholds"] = thresholds(rng)
    if "_at_" in measure:
        options[next(iter(needed(measure)))] = rng.choice((0.0, 0.25, 0.5, 0.8, 1.0, 1))
    if measure == "logauc":
        options["average"] = rng.choice(("macro", "none", None))
        options["fpr_range"] = rng.choice(((0.001, 0.1), (0.05, 0.5), (0.25, 1.0)))
    if measure == "confusion_matrix":
        options["normalize"] = rng.choice((None, "none", "true", "pred", "all"))
    return options


def _spoil(rng: random.Random, call: LabelCall) -> None:
    flaw = rng.choice(("target", "preds", "nan", "shape", "option"))
    flat = call.target.reshape(-1)
    if flaw == "target":
        flat[rng.randrange(len(flat))] = rng.choice((-3, 2, 7))
    elif flaw == "preds" and not call.preds.is_floating_point() and call.preds.dtype != torch.bool:
        call.preds.reshape(-1)[0] = rng.choice((-2, 2, 9))
    elif flaw == "nan" and call.preds.is_floating_point():
        call.preds.reshape(-1)[0] = float("nan")
    elif flaw == "shape":
        call.preds = call.preds[:, :-1]
    elif flaw == "option":
        bad = {"average": "best", "multidim_average": "each", "ignore_index": 0.5, "num_labels": 1}
        name = rng.choice([name for name in bad if name in call.options])
        call.options[name] = bad[name]
        call.options.pop("validate_args", None)
    else:
        return
    call.flaws.add(flaw)
