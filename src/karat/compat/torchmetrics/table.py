"""The metrics of the drop-in: one record each, from which functions, classes and the stub are made.

A record lists arguments by name, in torchmetrics' order, which is not the same for a function, its
class and the variant by task. ``name=value`` replaces the default in `ARGUMENTS`.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from inspect import Parameter
from typing import Any, Final

REQUIRED: Final = Parameter.empty
"""In place of a default, or of a type that is not written."""

TASKS: Final = ("binary", "multiclass", "multilabel")
"""Kinds of targets: 0 or 1, one of k classes, any of k labels."""

ARGUMENTS: Final[dict[str, tuple[str, Any]]] = {
    "average": ("str | None", "macro"),
    "beta": ("float", REQUIRED),
    "fpr_range": ("tuple[float, float]", (0.001, 0.1)),
    "ignore_index": ("int | None", None),
    "max_fpr": ("float | None", None),
    "min_precision": ("float", REQUIRED),
    "min_recall": ("float", REQUIRED),
    "min_sensitivity": ("float", REQUIRED),
    "min_specificity": ("float", REQUIRED),
    "multiclass_mode": ("str", "crammer-singer"),
    "multidim_average": ("str", "global"),
    "n_bins": ("int", 15),
    "norm": ("str", "l1"),
    "normalization": ("str | None", "sigmoid"),
    "normalize": ("str | None", None),
    "num_classes": ("int", REQUIRED),
    "num_labels": ("int", REQUIRED),
    "preds": ("Tensor", REQUIRED),
    "squared": ("bool", False),
    "target": ("Tensor", REQUIRED),
    "task": ("Any", REQUIRED),
    "threshold": ("float", 0.5),
    "thresholds": ("Any", None),
    "top_k": ("int", 1),
    "validate_args": ("bool", True),
    "weights": ("str | None", None),
    "zero_division": ("float", 0),
}
"""The type and the default of each argument."""


@dataclass(frozen=True)
class Task:
    """A metric of one task.

    Attributes:
        doc: the docstring, without its full stop.
        function, metric: arguments of the function, and of the class where they differ.
        more: what only the docstring of the function adds.
    """

    doc: str
    function: str
    metric: str = ""
    more: str = ""

    def of_function(self) -> list[Parameter]:
        """Parameters of the function: rows first, last their weights.

        Cohen's kappa has ``weights`` of its own, so that those of rows are ``row_weights``.
        """
        given = _parameters(f"preds target {self.function}")
        weights = "row_weights" if any(own.name == "weights" for own in given) else "weights"
        return [*given, Parameter(weights, Parameter.KEYWORD_ONLY, default=None, annotation="Any")]

    def of_class(self) -> list[Parameter]:
        """Parameters of the constructor, without ``self``."""
        others = Parameter("kwargs", Parameter.VAR_KEYWORD, annotation="Any")
        return [*_parameters(self.metric or self.function), others]


@dataclass(frozen=True)
class Measure:
    """A metric, as a function and as a class.

    Attributes:
        names: of the function and of the class, without a task.
        of: the kind of tally, and the value of it or the metric of karat's catalogue.
        binary, multiclass, multilabel: what it is of each task; None: torchmetrics has none of it.
        by_task: arguments of the function and of the class that take ``task``; none: there is no
            such function.
        function_by_task: those of the function, where their order is another.
        function_adds: an argument after them that only the function takes.
        higher_is_better: an attribute of the class.
        returns: the type of what the function gives.
        also_takes: keywords of the class that its signature does not name.
        parent: the class without a task that the class is a case of.
        fixed: what it gives to that one first.
    """

    names: tuple[str, str]
    of: tuple[str, str]
    binary: Task | None
    multiclass: Task | None
    multilabel: Task | None = None
    by_task: str = ""
    function_by_task: str = ""
    function_adds: str = ""
    higher_is_better: bool | None = True
    returns: str = "Tensor"
    also_takes: tuple[str, ...] = ()
    parent: str = ""
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def tasks(self) -> Iterator[tuple[str, str, Task]]:
        """Iterate over the tasks: the names of the function and of the class, and the rest."""
        function, metric = self.names
        for name in TASKS:
            task: Task | None = getattr(self, name)
            if task is not None:
                yield f"{name}_{function}", f"{name.capitalize()}{metric}", task

    def any_task(self) -> Task | None:
        """The variant that takes ``task``, if there is one."""
        if not self.by_task:
            return None
        of_function = f"task {self.function_by_task or self.by_task} {self.function_adds}"
        return Task("", of_function, f"task {self.by_task}")


def _parameters(arguments: str) -> list[Parameter]:
    found: list[Parameter] = []
    for name, _, value in (item.partition("=") for item in arguments.split()):
        kind, default = ARGUMENTS[name]
        if value:
            default = literal_eval(value)
        if default is None and kind != "Any" and not kind.endswith("None"):
            kind += " | None"
        place = Parameter.POSITIONAL_OR_KEYWORD
        found.append(Parameter(name, place, default=default, annotation=kind))
    return found


def written(parameters: list[Parameter]) -> list[str]:
    """Parameters as they stand in a definition."""
    found: list[str] = []
    for own in parameters:
        text = own.name if own.annotation is REQUIRED else f"{own.name}: {own.annotation}"
        if own.kind is Parameter.VAR_KEYWORD:
            text = f"**{text}"
        if own.kind is Parameter.KEYWORD_ONLY:
            found.append("*")
        if own.default is not REQUIRED:
            text += f' = "{own.default}"' if isinstance(own.default, str) else f" = {own.default!r}"
        found.append(text)
    return found


_LAST = "ignore_index validate_args"
_COUNTS = "num_classes=None num_labels=None"

_TWO = f"threshold multidim_average {_LAST}"
_MANY = f"average top_k multidim_average {_LAST}"
_MANY_FED = f"top_k average multidim_average {_LAST}"
_OF_K = f"num_classes {_MANY}"
_OF_ANY = f"num_classes=None {_MANY}"
_OF_ANY_FED = f"num_classes=None {_MANY_FED}"
_RATE = f"threshold {_COUNTS} average='micro' multidim_average top_k {_LAST}"
_F_TWO = f"{_TWO} zero_division"
_F_MANY = f"num_classes {_MANY} zero_division"
_F_MANY_FED = f"num_classes {_MANY_FED} zero_division"
_F_BY_TASK = f"{_RATE} zero_division"
_CELLS = f"threshold {_COUNTS} normalize {_LAST}"
_KAPPA = f"threshold num_classes=None weights {_LAST}"
_PLAIN = f"threshold {_COUNTS} {_LAST}"
_OVERLAP = f"threshold {_COUNTS} average {_LAST}"
_SCORED = f"thresholds {_LAST}"
_CLASSES_SCORED = f"num_classes average {_SCORED}"
_AREA = f"thresholds {_COUNTS} average max_fpr {_LAST}"
_STEPS = f"thresholds {_COUNTS} average {_LAST}"
_BINS = f"n_bins norm num_classes=None {_LAST}"
_HINGE = f"num_classes=None squared multiclass_mode {_LAST}"
_UNCHECKED = "ignore_index validate_args=False"
_ANY = f"num_labels threshold average multidim_average {_LAST}"
_F_ANY = f"{_ANY} zero_division"
_LABELS_SCORED = f"num_labels average {_SCORED}"
_MATCHED = f"multidim_average {_LAST}"
_CURVE_BY_TASK = f"thresholds {_COUNTS} {_LAST}"
_CURVE_FUNCTION = f"thresholds {_COUNTS} average=None {_LAST}"
_THREE = "tuple[Tensor, Tensor, Tensor] | tuple[list[Tensor], list[Tensor], list[Tensor]]"
_PAIR = "tuple[Tensor, Tensor]"

TABLE: Final = (
    Measure(
        ("accuracy", "Accuracy"),
        ("rate", "accuracy"),
        Task("Proportion of rows predicted correctly", _TWO),
        Task(
            "Proportion of rows predicted correctly; by default the mean over the classes",
            _OF_ANY,
            _OF_ANY_FED,
        ),
        multilabel=Task(
            "Proportion of labels predicted correctly; by default the mean over the labels", _ANY
        ),
        by_task=_RATE,
        also_takes=("zero_division",),
    ),
    Measure(
        ("auroc", "AUROC"),
        ("ranking", "auroc"),
        Task("Area under the ROC curve", f"max_fpr {_SCORED}", f"max_fpr {_SCORED} normalization"),
        Task("Area under the ROC curve of each class against the rest", _CLASSES_SCORED),
        multilabel=Task("Area under the ROC curve of each label", _LABELS_SCORED),
        by_task=_AREA,
    ),
    Measure(
        ("average_precision", "AveragePrecision"),
        ("ranking", "average_precision"),
        Task("Precision averaged over the steps of recall", _SCORED, f"{_SCORED} normalization"),
        Task(
            "Precision averaged over the steps of recall, of each class against the rest",
            _CLASSES_SCORED,
        ),
        multilabel=Task(
            "Precision averaged over the steps of recall, of each label", _LABELS_SCORED
        ),
        by_task=_STEPS,
    ),
    Measure(
        ("calibration_error", "CalibrationError"),
        ("calibration", "calibration_error"),
        Task(
            "Distance of the probability of class 1 from its share, over bins",
            f"n_bins norm {_LAST}",
        ),
        Task(
            "Distance of the largest probability from the share of hits, over bins",
            f"num_classes n_bins norm {_LAST}",
        ),
        by_task=_BINS,
        higher_is_better=False,
    ),
    Measure(
        ("cohen_kappa", "CohenKappa"),
        ("table", "kappa"),
        Task(
            "Agreement beyond chance; ``weights`` is the distance between classes",
            f"threshold weights {_LAST}",
            "threshold ignore_index weights validate_args",
            more=", as in torchmetrics",
        ),
        Task(
            "Agreement beyond chance; ``weights`` is the distance between classes",
            f"num_classes weights {_LAST}",
            "num_classes ignore_index weights validate_args",
            more=", as in torchmetrics",
        ),
        by_task=_KAPPA,
    ),
    Measure(
        ("confusion_matrix", "ConfusionMatrix"),
        ("table", "confusion_matrix"),
        Task(
            "Rows by true and predicted class, [2, 2]",
            f"threshold normalize {_LAST}",
            "threshold ignore_index normalize validate_args",
        ),
        Task(
            "Rows by true and predicted class, [k, k]",
            f"num_classes normalize {_LAST}",
            "num_classes ignore_index normalize validate_args",
        ),
        multilabel=Task(
            "[[tn, fp], [fn, tp]] of each label, [k, 2, 2]",
            f"num_labels threshold normalize {_LAST}",
            "num_labels threshold ignore_index normalize validate_args",
        ),
        by_task=_CELLS,
        higher_is_better=None,
    ),
    Measure(
        ("coverage_error", "CoverageError"),
        ("order", "coverage"),
        None,
        None,
        Task("Number of top scores that include every true label", f"num_labels {_LAST}"),
        higher_is_better=False,
    ),
    Measure(
        ("eer", "EER"),
        ("curve", "eer"),
        None,
        None,
        Task(
            "Error rate of each label where both kinds of errors are equal", f"num_labels {_SCORED}"
        ),
        by_task=_CURVE_FUNCTION,
        higher_is_better=None,
    ),
    Measure(
        ("exact_match", "ExactMatch"),
        ("match", "exact_match"),
        None,
        Task("Proportion of the samples whose items are all right", f"num_classes {_MATCHED}"),
        Task(
            "Proportion of the rows whose labels are all right", f"num_labels threshold {_MATCHED}"
        ),
        by_task=f"threshold {_COUNTS} {_MATCHED}",
        function_by_task=f"{_COUNTS} threshold {_MATCHED}",
    ),
    Measure(
        ("f1_score", "F1Score"),
        ("rate", "f_beta"),
        Task("Harmonic mean of precision and recall of class 1", _F_TWO),
        Task("Harmonic mean of precision and recall", _F_MANY, _F_MANY_FED),
        multilabel=Task("Harmonic mean of precision and recall", _F_ANY),
        by_task=_F_BY_TASK,
        also_takes=("beta", "zero_division"),
        parent="FBetaScore",
        fixed={"beta": 1.0},
    ),
    Measure(
        ("fbeta_score", "FBetaScore"),
        ("rate", "f_beta"),
        Task("Precision and recall of class 1 as one number; beta weighs recall", f"beta {_F_TWO}"),
        Task(
            "Precision and recall as one number; beta weighs recall",
            f"beta {_F_MANY}",
            f"beta {_F_MANY_FED}",
        ),
        multilabel=Task("Precision and recall as one number; beta weighs recall", f"beta {_F_ANY}"),
        by_task=f"beta=1.0 {_F_BY_TASK}",
        also_takes=("beta", "zero_division"),
    ),
    Measure(
        ("hamming_distance", "HammingDistance"),
        ("rate", "hamming_distance"),
        Task("Proportion of rows predicted wrongly", _TWO),
        Task("Proportion of rows of a class predicted as another", _OF_K, _OF_ANY_FED),
        Task("Proportion of labels predicted wrongly", _ANY),
        by_task=_RATE,
        higher_is_better=False,
        also_takes=("zero_division",),
    ),
    Measure(
        ("hinge_loss", "HingeLoss"),
        ("hinge", "hinge_loss"),
        Task("Mean hinge loss", f"squared {_UNCHECKED}", f"squared {_LAST}"),
        Task(
            "Mean hinge loss, by the best other class or of each class against the rest",
            f"num_classes squared multiclass_mode {_UNCHECKED}",
            f"num_classes squared multiclass_mode {_LAST}",
        ),
        by_task=_HINGE,
        higher_is_better=False,
    ),
    Measure(
        ("jaccard_index", "JaccardIndex"),
        ("table", "jaccard"),
        Task(
            "Rows of class 1 in both, by rows of it in either",
            f"threshold {_LAST} zero_division=0.0",
            f"threshold {_LAST} zero_division",
        ),
        Task(
            "Rows of a class in both, by rows of it in either",
            f"num_classes average {_LAST} zero_division=0.0",
            f"num_classes average {_LAST} zero_division",
        ),
        multilabel=Task(
            "Rows that have a label in both, by rows that have it in either",
            f"num_labels threshold average {_LAST} zero_division=0.0",
            f"num_labels threshold average {_LAST} zero_division",
        ),
        by_task=_OVERLAP,
        function_adds="zero_division=0.0",
    ),
    Measure(
        ("logauc", "LogAUC"),
        ("curve", "logauc"),
        None,
        None,
        Task(
            "Area of each label by the logarithm of the false positive rate, over a range of it",
            f"num_labels fpr_range average {_SCORED}",
            f"num_labels fpr_range average=None {_SCORED}",
        ),
        by_task=f"thresholds fpr_range {_COUNTS} {_LAST}",
        function_by_task=f"thresholds {_COUNTS} fpr_range average=None {_LAST}",
    ),
    Measure(
        ("matthews_corrcoef", "MatthewsCorrCoef"),
        ("table", "matthews"),
        Task("Correlation of true and predicted class", f"threshold {_LAST}"),
        Task("Correlation of true and predicted class", f"num_classes {_LAST}"),
        multilabel=Task(
            "Correlation of true and predicted cells of all labels", f"num_labels threshold {_LAST}"
        ),
        by_task=_PLAIN,
    ),
    Measure(
        ("negative_predictive_value", "NegativePredictiveValue"),
        ("rate", "negative_predictive_value"),
        Task("Proportion of the rows predicted as class 0 that belong to it", _F_TWO, _TWO),
        Task(
            "Proportion of the rows predicted as another class that belong to another",
            _F_MANY,
            _OF_ANY_FED,
        ),
        Task("Proportion of the rows predicted without a label that do not have it", _F_ANY, _ANY),
        by_task=_RATE,
        function_adds="zero_division",
        higher_is_better=None,
        also_takes=("zero_division",),
    ),
    Measure(
        ("precision", "Precision"),
        ("rate", "precision"),
        Task("Proportion of the rows predicted as class 1 that belong to it", _F_TWO, _TWO),
        Task("Proportion of the rows predicted as a class that belong to it", _F_MANY, _OF_ANY_FED),
        multilabel=Task("Proportion of the predictions of a label that are right", _F_ANY, _ANY),
        by_task=_RATE,
        function_adds="zero_division",
        also_takes=("zero_division",),
    ),
    Measure(
        ("precision_at_fixed_recall", "PrecisionAtFixedRecall"),
        ("curve", "best"),
        None,
        None,
        Task(
            "Largest precision of each label with a recall, and its threshold",
            f"num_labels min_recall {_SCORED}",
        ),
        by_task=f"min_recall {_CURVE_BY_TASK}",
        higher_is_better=None,
        returns=_PAIR,
    ),
    Measure(
        ("precision_recall_curve", "PrecisionRecallCurve"),
        ("curve", "precision_recall_curve"),
        None,
        None,
        Task("Precision, recall and thresholds of each label", f"num_labels {_SCORED}"),
        by_task=_CURVE_BY_TASK,
        function_by_task=_CURVE_FUNCTION,
        higher_is_better=None,
        returns=_THREE,
    ),
    Measure(
        ("ranking_average_precision", "RankingAveragePrecision"),
        ("order", "precision"),
        None,
        None,
        Task("Mean precision at the ranks of the true labels", f"num_labels {_LAST}"),
    ),
    Measure(
        ("ranking_loss", "RankingLoss"),
        ("order", "loss"),
        None,
        None,
        Task(
            "Proportion of pairs of a true and a false label in the wrong order",
            f"num_labels {_LAST}",
        ),
        higher_is_better=False,
    ),
    Measure(
        ("recall", "Recall"),
        ("rate", "recall"),
        Task("Proportion of the rows of class 1 that are predicted as it", _F_TWO, _TWO),
        Task("Proportion of the rows of a class that are predicted as it", _F_MANY, _OF_ANY_FED),
        multilabel=Task(
            "Proportion of the rows with a label that are predicted to have it", _F_ANY, _ANY
        ),
        by_task=_RATE,
        function_adds="zero_division",
        also_takes=("zero_division",),
    ),
    Measure(
        ("recall_at_fixed_precision", "RecallAtFixedPrecision"),
        ("curve", "best"),
        None,
        None,
        Task(
            "Largest recall of each label with a precision, and its threshold",
            f"num_labels min_precision {_SCORED}",
        ),
        by_task=f"min_precision {_CURVE_BY_TASK}",
        higher_is_better=None,
        returns=_PAIR,
    ),
    Measure(
        ("roc", "ROC"),
        ("curve", "roc"),
        None,
        None,
        Task("False and true positive rates and thresholds of each label", f"num_labels {_SCORED}"),
        by_task=_CURVE_BY_TASK,
        function_by_task=_CURVE_FUNCTION,
        higher_is_better=None,
        returns=_THREE,
    ),
    Measure(
        ("sensitivity_at_specificity", "SensitivityAtSpecificity"),
        ("curve", "best"),
        None,
        None,
        Task(
            "Largest sensitivity of each label with a specificity, and its threshold",
            f"num_labels min_specificity {_SCORED}",
        ),
        by_task=f"min_specificity {_CURVE_BY_TASK}",
        higher_is_better=None,
        returns=_PAIR,
    ),
    Measure(
        ("specificity", "Specificity"),
        ("rate", "specificity"),
        Task("Proportion of the rows of class 0 that are predicted as it", _TWO),
        Task(
            "Proportion of the rows of other classes that are predicted as others",
            _OF_K,
            _OF_ANY_FED,
        ),
        multilabel=Task(
            "Proportion of the rows without a label that are predicted without it", _ANY
        ),
        by_task=_RATE,
        higher_is_better=None,
        also_takes=("zero_division",),
    ),
    Measure(
        ("specificity_at_sensitivity", "SpecificityAtSensitivity"),
        ("curve", "best"),
        None,
        None,
        Task(
            "Largest specificity of each label with a sensitivity, and its threshold",
            f"num_labels min_sensitivity {_SCORED}",
        ),
        by_task=f"min_sensitivity {_CURVE_BY_TASK}",
        higher_is_better=None,
        returns=_PAIR,
    ),
    Measure(
        ("stat_scores", "StatScores"),
        ("rate", "stat_scores"),
        Task("tp, fp, tn, fn and the rows of class 1", _TWO, more=", int64[5] or [n, 5]"),
        Task(
            "tp, fp, tn, fn and the rows of each class",
            _OF_K,
            _OF_ANY_FED,
            more=", along the last axis",
        ),
        multilabel=Task(
            "tp, fp, tn, fn and the rows that have the label", _ANY, more=", along the last axis"
        ),
        by_task=_RATE,
        higher_is_better=None,
        also_takes=("zero_division",),
    ),
)
"""Every metric, in the order of their names."""

MEASURES: Final = dict(measure.names for measure in TABLE)
"""A function without its task → its class without its task."""
FUNCTIONS: Final = tuple(
    name
    for measure in TABLE
    for name in (
        *((measure.names[0],) if measure.by_task else ()),
        *(function for function, _, _ in measure.tasks()),
    )
)
CLASSES: Final = tuple(
    name
    for measure in TABLE
    for name in (
        *((measure.names[1],) if measure.by_task else ()),
        *(metric for _, metric, _ in measure.tasks()),
    )
)
