"""Values of the confusion matrix, batch by batch."""

from __future__ import annotations

from typing import Any

from karat.compat.torchmetrics.arguments import table
from karat.compat.torchmetrics.metric import Metric

__all__ = [
    "BinaryCohenKappa",
    "BinaryConfusionMatrix",
    "BinaryJaccardIndex",
    "BinaryMatthewsCorrCoef",
    "MulticlassCohenKappa",
    "MulticlassConfusionMatrix",
    "MulticlassJaccardIndex",
    "MulticlassMatthewsCorrCoef",
]


class BinaryConfusionMatrix(Metric):
    """Rows by true and predicted class, [2, 2]."""

    def __init__(
        self,
        threshold: float = 0.5,
        ignore_index: int | None = None,
        normalize: str | None = None,
        validate_args: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.threshold = threshold
        self.ignore_index = ignore_index
        self.normalize = normalize
        self.validate_args = validate_args
        rule = table(
            "confusion_matrix", None, threshold, ignore_index, validate_args, normalize=normalize
        )
        self.measure_by(rule)


class MulticlassConfusionMatrix(Metric):
    """Rows by true and predicted class, [k, k]."""

    def __init__(
        self,
        num_classes: int,
        ignore_index: int | None = None,
        normalize: str | None = None,
        validate_args: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.num_classes = num_classes
        self.ignore_index = ignore_index
        self.normalize = normalize
        self.validate_args = validate_args
        rule = table(
            "confusion_matrix", num_classes, 0.5, ignore_index, validate_args, normalize=normalize
        )
        self.measure_by(rule)


class BinaryMatthewsCorrCoef(Metric):
    """Correlation of true and predicted class."""

    higher_is_better = True

    def __init__(
        self,
        threshold: float = 0.5,
        ignore_index: int | None = None,
        validate_args: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.threshold = threshold
        self.ignore_index = ignore_index
        self.validate_args = validate_args
        rule = table("matthews", None, threshold, ignore_index, validate_args)
        self.measure_by(rule)


class MulticlassMatthewsCorrCoef(Metric):
    """Correlation of true and predicted class."""

    higher_is_better = True

    def __init__(
        self,
        num_classes: int,
        ignore_index: int | None = None,
        validate_args: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.num_classes = num_classes
        self.ignore_index = ignore_index
        self.validate_args = validate_args
        rule = table("matthews", num_classes, 0.5, ignore_index, validate_args)
        self.measure_by(rule)


class BinaryCohenKappa(Metric):
    """Agreement beyond chance; ``weights`` is how far classes lie apart."""

    higher_is_better = True

    def __init__(
        self,
        threshold: float = 0.5,
        ignore_index: int | None = None,
        weights: str | None = None,
        validate_args: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.threshold = threshold
        self.ignore_index = ignore_index
        self.weights = weights
        self.validate_args = validate_args
        rule = table("kappa", None, threshold, ignore_index, validate_args, weights=weights)
        self.measure_by(rule)


class MulticlassCohenKappa(Metric):
    """Agreement beyond chance; ``weights`` is how far classes lie apart."""

    higher_is_better = True

    def __init__(
        self,
        num_classes: int,
        ignore_index: int | None = None,
        weights: str | None = None,
        validate_args: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.num_classes = num_classes
        self.ignore_index = ignore_index
        self.weights = weights
        self.validate_args = validate_args
        rule = table("kappa", num_classes, 0.5, ignore_index, validate_args, weights=weights)
        self.measure_by(rule)


class BinaryJaccardIndex(Metric):
    """Rows of class 1 in both, by rows of it in either."""

    higher_is_better = True

    def __init__(
        self,
        threshold: float = 0.5,
        ignore_index: int | None = None,
        validate_args: bool = True,
        zero_division: float = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.threshold = threshold
        self.ignore_index = ignore_index
        self.validate_args = validate_args
        self.zero_division = zero_division
        self.measure_by(
            table(
                "jaccard", None, threshold, ignore_index, validate_args, zero_division=zero_division
            )
        )


class MulticlassJaccardIndex(Metric):
    """Rows of a class in both, by rows of it in either."""

    higher_is_better = True

    def __init__(
        self,
        num_classes: int,
        average: str | None = "macro",
        ignore_index: int | None = None,
        validate_args: bool = True,
        zero_division: float = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.num_classes = num_classes
        self.average = average
        self.ignore_index = ignore_index
        self.validate_args = validate_args
        self.zero_division = zero_division
        self.measure_by(
            table(
                "jaccard",
                num_classes,
                0.5,
                ignore_index,
                validate_args,
                average=average,
                zero_division=zero_division,
            )
        )
