"""Random calls of classification metrics: a name, tensors and options, drawn from a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from tests.optional import optional

torch = optional("torch")

RATES = (
    "accuracy", "precision", "recall", "specificity", "stat_scores", "f1_score", "fbeta_score",
    "hamming_distance", "negative_predictive_value",
)  # fmt: skip
TABLES = ("confusion_matrix", "matthews_corrcoef", "cohen_kappa", "jaccard_index")
SCORES = ("auroc", "average_precision", "calibration_error", "hinge_loss")
MEASURES = (*RATES, *TABLES, *SCORES, "exact_match")

CLASSES = {
    "accuracy": "Accuracy",
    "precision": "Precision",
    "recall": "Recall",
    "specificity": "Specificity",
    "stat_scores": "StatScores",
    "f1_score": "F1Score",
    "fbeta_score": "FBetaScore",
    "hamming_distance": "HammingDistance",
    "negative_predictive_value": "NegativePredictiveValue",
    "exact_match": "ExactMatch",
    "confusion_matrix": "ConfusionMatrix",
    "matthews_corrcoef": "MatthewsCorrCoef",
    "cohen_kappa": "CohenKappa",
    "jaccard_index": "JaccardIndex",
    "auroc": "AUROC",
    "average_precision": "AveragePrecision",
    "calibration_error": "CalibrationError",
    "hinge_loss": "HingeLoss",
}
"""The function's name without its task → the class's."""

FLOATS = (torch.float32, torch.float32, torch.float32, torch.float64, torch.float16, torch.bfloat16)


@dataclass
class Call:
    """One metric on one data set.

    Attributes:
        flaws: what is wrong with the data on purpose.
        is_fed: whether a class is given the rows batch by batch.
    """

    task: str
    measure: str
    preds: Any
    target: Any
    options: dict[str, Any]
    flaws: set[str] = field(default_factory=set)
    is_fed: bool = False

    @property
    def function(self) -> str:
        return f"{self.task}_{self.measure}"

    @property
    def metric(self) -> str:
        return self.task.capitalize() + CLASSES[self.measure]

    @property
    def k(self) -> int:
        return int(self.options.get("num_classes") or 2)

    @property
    def batches(self) -> list[slice]:
        """All rows; of a class that is fed, three batches of uneven length without empty ones."""
        n = len(self.target)
        if not self.is_fed:
            return [slice(0, n)]
        cuts = (0, n // 3, n // 3 + 1, n)
        return [slice(a, b) for a, b in pairwise(cuts) if b > a]

    def __str__(self) -> str:
        return (
            f"{self.function}({self.options}) preds {tuple(self.preds.shape)} {self.preds.dtype}, "
            f"target {tuple(self.target.shape)} {self.target.dtype}, flaws {sorted(self.flaws)}"
        )


def call_of(seed: int, measure: str | None = None, *, sound: bool = False) -> Call:
    """A call; sound: without flaws, and scores that are logits or probabilities in every row."""
    rng = random.Random(seed)
    numbers = np.random.default_rng(seed)
    task = rng.choice(("binary", "multiclass"))
    measure = measure or rng.choice(MEASURES)
    task = "multiclass" if measure == "exact_match" else task
    k = 2 if task == "binary" else rng.randint(2, 6)
    options = _options(rng, task, measure, k)
    shape = _shape(rng, options.get("multidim_average") == "samplewise")
    call = Call(task, measure, None, None, options)
    call.target = _target(rng, numbers, shape, k, options.get("ignore_index"))
    needs_scores = measure in SCORES or options.get("top_k", 1) > 1
    if needs_scores or rng.random() < 0.6:
        call.preds = _scores(rng, numbers, shape, task, k, sound)
    else:
        call.preds = torch.from_numpy(numbers.integers(0, k, shape))
        if task == "binary" and rng.random() < 0.3:
            call.preds = call.preds.bool()
        elif rng.random() < 0.3:
            call.preds = call.preds.int()
    if call.function == "multiclass_accuracy" and rng.random() < 0.2 and not needs_scores:
        options.update(average="micro", multidim_average="global", num_classes=None)
    if not sound and rng.random() < 0.06:
        _spoil(rng, call)
    return call


def _shape(rng: random.Random, samplewise: bool) -> tuple[int, ...]:
    n = rng.choice((1, 2, 8, 12, 20, 33, 64))
    if samplewise:
        return (n, rng.randint(1, 6), *([2] if rng.random() < 0.3 else []))
    if rng.random() < 0.2:
        return (max(n // 4, 1), rng.randint(1, 4), *([2] if rng.random() < 0.3 else []))
    return (n,)


def _target(
    rng: random.Random, numbers: Any, shape: tuple[int, ...], k: int, ignore: int | None
) -> Any:
    shares = numbers.dirichlet(np.full(k, rng.choice((0.2, 1.0, 5.0))))
    target = numbers.choice(k, shape, p=shares)
    if ignore is not None:
        target = np.where(numbers.random(shape) < rng.choice((0.1, 0.4)), ignore, target)
    found = torch.from_numpy(target)
    return found.int() if rng.random() < 0.2 else found


def _scores(
    rng: random.Random, numbers: Any, shape: tuple[int, ...], task: str, k: int, sound: bool
) -> Any:
    shape = shape if task == "binary" else (shape[0], k, *shape[1:])
    raw = torch.from_numpy(numbers.normal(0, 2, shape))
    if rng.random() < 0.3:
        raw = (raw * 2).round() / 2  # ties
    kind = rng.choice(("probabilities", "logits", "any in [0, 1]"))
    if kind == "probabilities":
        raw = torch.sigmoid(raw) if task == "binary" else torch.softmax(raw, 1)
    elif kind == "any in [0, 1]":
        raw = torch.from_numpy(numbers.random(shape))
        if rng.random() < 0.3:
            raw = (raw * 10).round() / 10
    elif sound:
        raw = torch.where(raw >= 0, raw + 1.5, raw - 0.5)
    return raw.to(rng.choice(FLOATS))


def _options(rng: random.Random, task: str, measure: str, k: int) -> dict[str, Any]:
    options: dict[str, Any] = {} if task == "binary" else {"num_classes": k}
    if rng.random() < 0.4:
        options["ignore_index"] = rng.choice((0, k - 1, -1, -100, k, 255))
    if rng.random() < 0.3:
        options["validate_args"] = False
    if measure in RATES:
        if rng.random() < 0.3:
            options["multidim_average"] = "samplewise"
        is_f = measure in ("f1_score", "fbeta_score")
        if (is_f or measure == "negative_predictive_value") and rng.random() < 0.4:
            options["zero_division"] = rng.choice((0, 1))
        if measure == "fbeta_score":
            options["beta"] = rng.choice((0.5, 1.0, 2.0))
        if task == "multiclass":
            options["average"] = rng.choice(("micro", "macro", "weighted", "none", None))
            if rng.random() < 0.25:
                options["top_k"] = rng.randint(1, k)
    elif measure == "exact_match":
        if rng.random() < 0.3:
            options["multidim_average"] = "samplewise"
    elif measure == "confusion_matrix":
        options["normalize"] = rng.choice((None, "none", "true", "pred", "all"))
    elif measure == "cohen_kappa":
        options["weights"] = rng.choice((None, "none", "linear", "quadratic"))
    elif measure == "jaccard_index":
        if task == "multiclass":
            options["average"] = rng.choice(("micro", "macro", "weighted", "none", None))
        options["zero_division"] = rng.choice((0.0, 1.0))
    elif measure == "calibration_error":
        options.update(n_bins=rng.choice((1, 5, 15)), norm=rng.choice(("l1", "l2", "max")))
    elif measure == "hinge_loss":
        options["squared"] = rng.random() < 0.5
        if task == "multiclass":
            options["multiclass_mode"] = rng.choice(("crammer-singer", "one-vs-all"))
    elif measure in ("auroc", "average_precision"):
        options["thresholds"] = thresholds(rng)
        if task == "multiclass":
            options["average"] = rng.choice(("macro", "weighted", "none", None))
        elif measure == "auroc" and rng.random() < 0.4:
            options["max_fpr"] = rng.choice((0.1, 0.5, 1.0))
    if task == "binary" and measure in (*RATES, *TABLES) and rng.random() < 0.3:
        options["threshold"] = rng.choice((0.0, 0.3, 0.7, 1.0))
    return options


def thresholds(rng: random.Random) -> Any:
    if rng.random() < 0.4:
        return None
    listed = [rng.choice((0.0, 0.1, 0.2, 0.5, 0.7, 0.9, 1.0)) for _ in range(rng.randint(2, 6))]
    if rng.random() < 0.5:
        listed.sort()
    return rng.choice((2, 5, 20, listed, torch.tensor(listed)))


def _spoil(rng: random.Random, call: Call) -> None:
    flaw = rng.choice(("target", "preds", "nan", "empty", "option"))
    flat = call.target.reshape(-1)
    if flaw == "target":
        flat[rng.randrange(len(flat))] = rng.choice((-3, call.k, call.k + 5))
    elif flaw == "preds" and not call.preds.is_floating_point() and call.preds.dtype != torch.bool:
        call.preds.reshape(-1)[0] = rng.choice((-2, call.k, call.k + 9))
    elif flaw == "nan" and call.preds.is_floating_point():
        ignored = (flat == call.options.get("ignore_index", -9)).nonzero()
        is_aligned = call.preds.shape == call.target.shape
        first = int(ignored[0]) if len(ignored) and is_aligned and rng.random() < 0.7 else 0
        call.preds.reshape(-1)[first] = float("nan")
    elif flaw == "empty":
        call.preds, call.target = call.preds[:0], call.target[:0]
    elif flaw == "option":
        bad = {"average": "best", "multidim_average": "each", "ignore_index": 0.5, "n_bins": 0}
        known = [name for name in bad if name in call.options]
        if not known:
            return
        name = rng.choice(known)
        call.options[name] = bad[name]
        call.options.pop("validate_args", None)
    else:
        return
    call.flaws.add(flaw)
