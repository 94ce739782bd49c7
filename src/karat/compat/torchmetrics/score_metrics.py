"""Values of scores, batch by batch: areas, calibration errors and hinge losses."""

from __future__ import annotations

from typing import Any

from karat.compat.torchmetrics.arguments import calibration, hinge, ranking
from karat.compat.torchmetrics.metric import Metric

__all__ = [
    "BinaryAUROC",
    "BinaryAveragePrecision",
    "BinaryCalibrationError",
    "BinaryHingeLoss",
    "MulticlassAUROC",
    "MulticlassAveragePrecision",
    "MulticlassCalibrationError",
    "MulticlassHingeLoss",
]


class BinaryAUROC(Metric):
    """Area under the ROC curve."""

    higher_is_better = True

    def __init__(
        self,
        max_fpr: float | None = None,
        thresholds: Any = None,
        ignore_index: int | None = None,
        validate_args: bool = True,
        normalization: str | None = "sigmoid",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.max_fpr = max_fpr
        self.thresholds = thresholds
        self.ignore_index = ignore_index
        self.validate_args = validate_args
        self.normalization = normalization
        rule = ranking(
            "auroc", None, thresholds, ignore_index, validate_args, normalization, max_fpr=max_fpr
        )
        self.measure_by(rule)


class MulticlassAUROC(Metric):
    """Area under the ROC curve of each class against the rest."""

    higher_is_better = True

    def __init__(
        self,
        num_classes: int,
        average: str | None = "macro",
        thresholds: Any = None,
        ignore_index: int | None = None,
        validate_args: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.num_classes = num_classes
        self.average = average
        self.thresholds = thresholds
        self.ignore_index = ignore_index
        self.validate_args = validate_args
        rule = ranking(
            "auroc",
            num_classes,
            thresholds,
            ignore_index,
            validate_args,
            "softmax",
            average=average,
        )
        self.measure_by(rule)


class BinaryAveragePrecision(Metric):
    """Precision averaged over the steps of recall."""

    higher_is_better = True

    def __init__(
        self,
        thresholds: Any = None,
        ignore_index: int | None = None,
        validate_args: bool = True,
        normalization: str | None = "sigmoid",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.thresholds = thresholds
        self.ignore_index = ignore_index
        self.validate_args = validate_args
        self.normalization = normalization
        rule = ranking(
            "average_precision", None, thresholds, ignore_index, validate_args, normalization
        )
        self.measure_by(rule)


class MulticlassAveragePrecision(Metric):
    """Precision averaged over the steps of recall, of each class against the rest."""

    higher_is_better = True

    def __init__(
        self,
        num_classes: int,
        average: str | None = "macro",
        thresholds: Any = None,
        ignore_index: int | None = None,
        validate_args: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.num_classes = num_classes
        self.average = average
        self.thresholds = thresholds
        self.ignore_index = ignore_index
        self.validate_args = validate_args
        rule = ranking(
            "average_precision",
            num_classes,
            thresholds,
            ignore_index,
            validate_args,
            "softmax",
            average=average,
        )
        self.measure_by(rule)


class BinaryCalibrationError(Metric):
    """Distance of the probability of class 1 from its share, over bins."""

    higher_is_better = False

    def __init__(
        self,
        n_bins: int = 15,
        norm: str = "l1",
        ignore_index: int | None = None,
        validate_args: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.n_bins = n_bins
        self.norm = norm
        self.ignore_index = ignore_index
        self.validate_args = validate_args
        rule = calibration(None, n_bins, norm, ignore_index, validate_args)
        self.measure_by(rule)


class MulticlassCalibrationError(Metric):
    """Distance of the largest probability from the share of hits, over bins."""

    higher_is_better = False

    def __init__(
        self,
        num_classes: int,
        n_bins: int = 15,
        norm: str = "l1",
        ignore_index: int | None = None,
        validate_args: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.num_classes = num_classes
        self.n_bins = n_bins
        self.norm = norm
        self.ignore_index = ignore_index
        self.validate_args = validate_args
        rule = calibration(num_classes, n_bins, norm, ignore_index, validate_args)
        self.measure_by(rule)


class BinaryHingeLoss(Metric):
    """Mean hinge loss."""

    higher_is_better = False

    def __init__(
        self,
        squared: bool = False,
        ignore_index: int | None = None,
        validate_args: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.squared = squared
        self.ignore_index = ignore_index
        self.validate_args = validate_args
        rule = hinge(None, squared, "crammer-singer", ignore_index, validate_args, of_batches=True)
        self.measure_by(rule)


class MulticlassHingeLoss(Metric):
    """Mean hinge loss, by the best other class or of each class against the rest."""

    higher_is_better = False

    def __init__(
        self,
        num_classes: int,
        squared: bool = False,
        multiclass_mode: str = "crammer-singer",
        ignore_index: int | None = None,
        validate_args: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.num_classes = num_classes
        self.squared = squared
        self.multiclass_mode = multiclass_mode
        self.ignore_index = ignore_index
        self.validate_args = validate_args
        rule = hinge(
            num_classes, squared, multiclass_mode, ignore_index, validate_args, of_batches=True
        )
        self.measure_by(rule)
