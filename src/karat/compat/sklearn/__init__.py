"""Drop-in for the classification metrics of scikit-learn 1.9: the same calls, the same answers.

One changed import line is enough:

    from karat.compat.sklearn import classification_report

Signatures, return types, warnings, errors and known defects are scikit-learn's; the counting is
karat's.
"""

from karat.compat.sklearn._areas import auc, average_precision_score, roc_auc_score
from karat.compat.sklearn._curves import (
    calibration_curve,
    confusion_matrix_at_thresholds,
    det_curve,
    precision_recall_curve,
    roc_curve,
)
from karat.compat.sklearn._install import install, uninstall
from karat.compat.sklearn._label_ranking import (
    coverage_error,
    dcg_score,
    label_ranking_average_precision_score,
    label_ranking_loss,
    ndcg_score,
)
from karat.compat.sklearn._labels import (
    accuracy_score,
    balanced_accuracy_score,
    class_likelihood_ratios,
    cohen_kappa_score,
    confusion_matrix,
    hamming_loss,
    matthews_corrcoef,
    zero_one_loss,
)
from karat.compat.sklearn._losses import (
    brier_score_loss,
    d2_brier_score,
    d2_log_loss_score,
    hinge_loss,
    log_loss,
    top_k_accuracy_score,
)
from karat.compat.sklearn._rates import (
    classification_report,
    f1_score,
    fbeta_score,
    jaccard_score,
    multilabel_confusion_matrix,
    precision_recall_fscore_support,
    precision_score,
    recall_score,
)

__all__ = [
    "accuracy_score",
    "auc",
    "average_precision_score",
    "balanced_accuracy_score",
    "brier_score_loss",
    "calibration_curve",
    "class_likelihood_ratios",
    "classification_report",
    "cohen_kappa_score",
    "confusion_matrix",
    "confusion_matrix_at_thresholds",
    "coverage_error",
    "d2_brier_score",
    "d2_log_loss_score",
    "dcg_score",
    "det_curve",
    "f1_score",
    "fbeta_score",
    "hamming_loss",
    "hinge_loss",
    "install",
    "jaccard_score",
    "label_ranking_average_precision_score",
    "label_ranking_loss",
    "log_loss",
    "matthews_corrcoef",
    "multilabel_confusion_matrix",
    "ndcg_score",
    "precision_recall_curve",
    "precision_recall_fscore_support",
    "precision_score",
    "recall_score",
    "roc_auc_score",
    "roc_curve",
    "top_k_accuracy_score",
    "uninstall",
    "zero_one_loss",
]
