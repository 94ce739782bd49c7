"""Names of torchmetrics that the drop-in has not: what karat has instead, or where they are."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Final

from karat.compat.torchmetrics.names import CLASSES, FUNCTIONS, MEASURES
from karat.compat.torchmetrics.other_fields import OTHER_FIELDS
from karat.errors import error

__all__ = ["MEASURED_ELSEWHERE", "TOOLS", "absent"]

MEASURED_ELSEWHERE: Final = {
    ("eer", "EER"): "karat.equal_error_rate is where the lines between thresholds meet",
    ("exact_match", "ExactMatch"): "Give karat.accuracy one label for each sample",
    ("hamming_distance", "HammingDistance"): "It is karat.hamming_loss; of several classes, "
    "averaged over them, karat.false_negative_rate",
    ("logauc", "LogAUC"): "karat.curves.roc gives the points",
    ("negative_predictive_value", "NegativePredictiveValue"): "It is karat."
    "negative_predictive_value",
    ("precision_at_fixed_recall", "PrecisionAtFixedRecall"): "karat.curves.precision_recall gives "
    "the points",
    ("precision_recall_curve", "PrecisionRecallCurve"): "It is karat.curves.precision_recall",
    ("recall_at_fixed_precision", "RecallAtFixedPrecision"): "It is karat.recall_at_precision",
    ("roc", "ROC"): "It is karat.curves.roc",
    ("sensitivity_at_specificity", "SensitivityAtSpecificity"): "karat.curves.roc gives the points",
    ("specificity_at_sensitivity", "SpecificityAtSensitivity"): "karat.curves.roc gives the points",
    ("fairness", "Fairness"): "karat.evaluate(..., by=…) gives the rates of groups",
    ("groups_stat_rates", "GroupStatRates"): "karat.evaluate(..., by=…) gives the rates of groups",
    ("demographic_parity", ""): "karat.evaluate(..., by=…) gives the rates of groups",
    ("equal_opportunity", ""): "karat.evaluate(..., by=…) gives the rates of groups",
}
"""A function and a class without their task → what karat has, as the beginning of a sentence."""

TOOLS: Final = {
    "BootStrapper": "karat.evaluate gives every metric an interval",
    "CatMetric": "torch.cat joins tensors",
    "ClasswiseWrapper": "average=None gives a value for each class",
    "MaxMetric": "Keep the largest value of compute()",
    "MeanMetric": "Give rows weights=, or take the mean of the values of compute()",
    "MetricTracker": "Keep the values of compute() in a list, one for each epoch",
    "MinMaxMetric": "Keep the smallest and the largest value of compute()",
    "MinMetric": "Keep the smallest value of compute()",
    "MultioutputWrapper": "Make a metric for each output",
    "MultitaskWrapper": "Make a collection for each task",
    "RunningMean": "Take the mean of the last values of compute()",
    "RunningSum": "Take the sum of the last values of compute()",
    "SumMetric": "Take the sum of the values of compute()",
}
"""Wrappers and sums → what does it, as the beginning of a sentence."""

_MODULES: Final = (
    "aggregation",
    "clustering",
    "segmentation",
    "shape",
    "utilities",
    "video",
    "wrappers",
)
_TASKS: Final = ("Binary", "Multiclass", "binary_", "multiclass_")


def absent(module: str, name: str) -> Exception:
    """The error for a name that a module of the drop-in does not have.

    Returns:
        Of a name of torchmetrics K622, an ImportError: Python would replace the text of any
        AttributeError where a name is imported. Of any other name an AttributeError.
    """
    told = _told(name)
    if told is None:
        known = () if name.startswith("_") else (*CLASSES, *FUNCTIONS, "MetricCollection")
        nearest = ", ".join(get_close_matches(name, known, n=2, cutoff=0.75))
        hint = f". Nearest: {nearest}" if nearest else ""
        return AttributeError(f"module {module!r} has no attribute {name!r}{hint}")
    found, instead = told
    do = f"{instead}; torchmetrics' own may stand beside the drop-in, in collections of its own."
    return error("K622", name=name, module=module, found=found, do=do)


def _told(name: str) -> tuple[str, str] | None:
    """What a name is in torchmetrics, and what to do; None: torchmetrics has none of that name."""
    if name.startswith(("Multilabel", "multilabel_")):
        return "It measures several labels of a row", "Measure each label by itself, task='binary'"
    if name in TOOLS:
        return "It wraps or sums values, it measures no classifier itself", TOOLS[name]
    bare = name
    for task in _TASKS:
        bare = bare.removeprefix(task)
    for (function, of_class), instead in MEASURED_ELSEWHERE.items():
        if bare in (function, of_class):
            return f"The drop-in measures {', '.join(MEASURES)}", instead
    for field, names in OTHER_FIELDS.items():
        if name == field or name in names.split():
            return f"It is of torchmetrics.{field}", "karat measures classifiers"
    if name in _MODULES:
        return f"torchmetrics.{name} measures no classifier", "karat measures classifiers"
    return None
