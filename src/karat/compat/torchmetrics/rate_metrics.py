"""Rates of labels, batch by batch: accuracy, precision, recall, F, specificity and their counts."""

from __future__ import annotations

from typing import Any

from karat.compat.torchmetrics.arguments import labels_of_classes, labels_of_two
from karat.compat.torchmetrics.metric import Metric

__all__ = [
    "BinaryAccuracy",
    "BinaryF1Score",
    "BinaryFBetaScore",
    "BinaryPrecision",
    "BinaryRecall",
    "BinarySpecificity",
    "BinaryStatScores",
    "MulticlassAccuracy",
    "MulticlassF1Score",
    "MulticlassFBetaScore",
    "MulticlassPrecision",
    "MulticlassRecall",
    "MulticlassSpecificity",
    "MulticlassStatScores",
]


class _BinaryRate(Metric):
    """A rate of two classes, named by `value`."""

    also_takes: tuple[str, ...] = ("zero_division",)
    value = ""

    def __init__(
        self,
        threshold: float = 0.5,
        multidim_average: str = "global",
        ignore_index: int | None = None,
        validate_args: bool = True,
        **kwargs: Any,
    ) -> None:
        options = {name: kwargs.pop(name) for name in self.also_takes if name in kwargs}
        super().__init__(**kwargs)
        self.threshold = threshold
        self.multidim_average = multidim_average
        self.ignore_index = ignore_index
        self.validate_args = validate_args
        self.zero_division = options.get("zero_division", 0)
        rule = labels_of_two(
            self.value, threshold, multidim_average, ignore_index, validate_args, **options
        )
        self.measure_by(rule)


class _MulticlassRate(Metric):
    """A rate of k classes, named by `value`."""

    also_takes: tuple[str, ...] = ("zero_division",)
    value = ""

    def __init__(
        self,
        num_classes: int | None = None,
        top_k: int = 1,
        average: str | None = "macro",
        multidim_average: str = "global",
        ignore_index: int | None = None,
        validate_args: bool = True,
        **kwargs: Any,
    ) -> None:
        options = {name: kwargs.pop(name) for name in self.also_takes if name in kwargs}
        super().__init__(**kwargs)
        self.num_classes = num_classes
        self.top_k = top_k
        self.average = average
        self.multidim_average = multidim_average
        self.ignore_index = ignore_index
        self.validate_args = validate_args
        self.zero_division = options.get("zero_division", 0)
        rule = labels_of_classes(
            self.value,
            num_classes,
            average,
            top_k,
            multidim_average,
            ignore_index,
            validate_args,
            **options,
        )
        self.measure_by(rule)


class BinaryAccuracy(_BinaryRate):
    """Share of rows predicted rightly."""

    higher_is_better = True
    value = "accuracy"


class MulticlassAccuracy(_MulticlassRate):
    """Share of rows predicted rightly; by default the mean over the classes."""

    higher_is_better = True
    value = "accuracy"


class BinaryPrecision(_BinaryRate):
    """Share of the rows predicted as class 1 that are of it."""

    higher_is_better = True
    value = "precision"


class MulticlassPrecision(_MulticlassRate):
    """Share of the rows predicted as a class that are of it."""

    higher_is_better = True
    value = "precision"


class BinaryRecall(_BinaryRate):
    """Share of the rows of class 1 that are predicted as it."""

    higher_is_better = True
    value = "recall"


class MulticlassRecall(_MulticlassRate):
    """Share of the rows of a class that are predicted as it."""

    higher_is_better = True
    value = "recall"


class BinarySpecificity(_BinaryRate):
    """Share of the rows of class 0 that are predicted as it."""

    value = "specificity"


class MulticlassSpecificity(_MulticlassRate):
    """Share of the rows of other classes that are predicted as others."""

    value = "specificity"


class BinaryStatScores(_BinaryRate):
    """tp, fp, tn, fn and the rows of class 1."""

    value = "stat_scores"


class MulticlassStatScores(_MulticlassRate):
    """tp, fp, tn, fn and the rows of each class."""

    value = "stat_scores"


class BinaryFBetaScore(_BinaryRate):
    """Precision and recall of class 1 as one number; beta weighs recall."""

    higher_is_better = True
    also_takes = ("beta", "zero_division")
    value = "f_beta"

    def __init__(
        self,
        beta: float,
        threshold: float = 0.5,
        multidim_average: str = "global",
        ignore_index: int | None = None,
        validate_args: bool = True,
        zero_division: float = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            threshold,
            multidim_average,
            ignore_index,
            validate_args,
            beta=beta,
            zero_division=zero_division,
            **kwargs,
        )
        self.beta = beta


class MulticlassFBetaScore(_MulticlassRate):
    """Precision and recall as one number; beta weighs recall."""

    higher_is_better = True
    also_takes = ("beta", "zero_division")
    value = "f_beta"

    def __init__(
        self,
        beta: float,
        num_classes: int,
        top_k: int = 1,
        average: str | None = "macro",
        multidim_average: str = "global",
        ignore_index: int | None = None,
        validate_args: bool = True,
        zero_division: float = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            num_classes,
            top_k,
            average,
            multidim_average,
            ignore_index,
            validate_args,
            beta=beta,
            zero_division=zero_division,
            **kwargs,
        )
        self.beta = beta


class BinaryF1Score(BinaryFBetaScore):
    """Harmonic mean of precision and recall of class 1."""

    higher_is_better = True
    value = "f_beta"

    def __init__(
        self,
        threshold: float = 0.5,
        multidim_average: str = "global",
        ignore_index: int | None = None,
        validate_args: bool = True,
        zero_division: float = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            1.0,
            threshold,
            multidim_average,
            ignore_index,
            validate_args,
            zero_division,
            **kwargs,
        )


class MulticlassF1Score(MulticlassFBetaScore):
    """Harmonic mean of precision and recall."""

    higher_is_better = True
    value = "f_beta"

    def __init__(
        self,
        num_classes: int,
        top_k: int = 1,
        average: str | None = "macro",
        multidim_average: str = "global",
        ignore_index: int | None = None,
        validate_args: bool = True,
        zero_division: float = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            1.0,
            num_classes,
            top_k,
            average,
            multidim_average,
            ignore_index,
            validate_args,
            zero_division,
            **kwargs,
        )
