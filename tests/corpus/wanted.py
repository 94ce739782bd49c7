"""Names of metrics that most calls ask for, so that the corpus stays small."""

from __future__ import annotations

OF_LABELS = (
    "accuracy",
    "balanced_accuracy",
    "macro_precision",
    "macro_recall",
    "macro_f1",
    "micro_f1",
    "weighted_f1",
    "macro_specificity",
    "matthews_correlation",
    "kappa",
    "gwet_ac1",
    "g_mean",
    "macro_jaccard",
    "normalized_mutual_information",
    "macro_f_beta(beta=2)",
)
OF_TWO = ("precision", "recall", "specificity", "f1", "informedness", "diagnostic_odds_ratio")
OF_RANKS = (
    "roc_auc_ovr_macro",
    "roc_auc_ovo_macro",
    "mean_average_precision",
    "macro_gini",
    "macro_ks_statistic",
    "top_k_accuracy(k=2)",
)
OF_PROBABILITIES = (
    "log_loss",
    "brier",
    "expected_calibration_error",
    "adaptive_calibration_error",
    "one_vs_all_log_loss",
)
OF_TWO_RANKS = (
    "roc_auc",
    "average_precision",
    "pr_auc_trapezoid",
    "ks_statistic",
    "gini",
    "equal_error_rate",
    "roc_auc(max_fpr=0.25)",
    "lift_at(share=0.2)",
    "min_cost",
    "max_f_beta",
)
OF_CALIBRATION = (
    "calibration_slope",
    "calibration_intercept",
    "spiegelhalter_z",
    "brier_miscalibration",
    "log_loss_discrimination",
)

# Those that are resampled take most of the time; whole reports have all of them.
DEAR = (
    "ks_statistic",
    "equal_error_rate",
    "lift_at(share=0.2)",
    "max_f_beta",
    "macro_ks_statistic",
)

LABELS = [*OF_LABELS]
TWO_LABELS = [*OF_LABELS[:9], *OF_TWO]
SCORES = [*OF_LABELS[:5], *(m for m in OF_RANKS if m not in DEAR), *OF_PROBABILITIES[:2]]
TWO_SCORES = [
    *OF_TWO[:3],
    *(m for m in OF_TWO_RANKS if m not in DEAR),
    *OF_PROBABILITIES[:3],
    *OF_CALIBRATION[:3],
]
# Few replicates: it is a call that is recorded, not a measurement.
FAST = {"n_replicates": 100}
