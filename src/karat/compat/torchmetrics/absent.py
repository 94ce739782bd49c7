"""Names of torchmetrics that the drop-in has not: what karat has instead, or where they are."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from typing import Final

from karat.compat.torchmetrics.table import CLASSES, FUNCTIONS, MEASURES
from karat.errors import error

MEASURED_ELSEWHERE: Final = {
    ("eer", "EER"): "karat.equal_error_rate is where the lines between thresholds meet",
    ("logauc", "LogAUC"): "karat.curves.roc gives the points",
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
"""A function and a class without their task → what karat has, as the beginning of a sentence.

The drop-in may have it of several labels a row: of two and of many classes it has not.
"""

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

OTHER_FIELDS: Final = {
    "audio": """
        PermutationInvariantTraining ScaleInvariantSignalDistortionRatio
        ScaleInvariantSignalNoiseRatio SignalDistortionRatio SignalNoiseRatio
        permutation_invariant_training pit_permutate
        scale_invariant_signal_distortion_ratio scale_invariant_signal_noise_ratio
        signal_distortion_ratio signal_noise_ratio
    """,
    "detection": """
        ModifiedPanopticQuality PanopticQuality panoptic_quality
    """,
    "image": """
        ErrorRelativeGlobalDimensionlessSynthesis
        MultiScaleStructuralSimilarityIndexMeasure PeakSignalNoiseRatio
        RelativeAverageSpectralError RootMeanSquaredErrorUsingSlidingWindow
        SpectralAngleMapper SpectralDistortionIndex StructuralSimilarityIndexMeasure
        TotalVariation UniversalImageQualityIndex
        error_relative_global_dimensionless_synthesis image_gradients
        multiscale_structural_similarity_index_measure peak_signal_noise_ratio
        relative_average_spectral_error root_mean_squared_error_using_sliding_window
        spectral_angle_mapper spectral_distortion_index
        structural_similarity_index_measure total_variation universal_image_quality_index
    """,
    "multimodal": """
        lip_vertex_error
    """,
    "nominal": """
        CramersV FleissKappa PearsonsContingencyCoefficient TheilsU TschuprowsT cramers_v
        cramers_v_matrix fleiss_kappa pearsons_contingency_coefficient
        pearsons_contingency_coefficient_matrix theils_u theils_u_matrix tschuprows_t
        tschuprows_t_matrix
    """,
    "pairwise": """
        pairwise_cosine_similarity pairwise_euclidean_distance pairwise_linear_similarity
        pairwise_manhattan_distance pairwise_minkowski_distance
    """,
    "regression": """
        ConcordanceCorrCoef CosineSimilarity CriticalSuccessIndex ExplainedVariance
        KLDivergence KendallRankCorrCoef LogCoshError MeanAbsoluteError
        MeanAbsolutePercentageError MeanSquaredError MeanSquaredLogError MinkowskiDistance
        NormalizedRootMeanSquaredError PearsonCorrCoef R2Score RelativeSquaredError
        SpearmanCorrCoef SymmetricMeanAbsolutePercentageError TweedieDevianceScore
        WeightedMeanAbsolutePercentageError concordance_corrcoef cosine_similarity
        critical_success_index explained_variance kendall_rank_corrcoef kl_divergence
        log_cosh_error mean_absolute_error mean_absolute_percentage_error
        mean_squared_error mean_squared_log_error minkowski_distance
        normalized_root_mean_squared_error pearson_corrcoef r2_score
        relative_squared_error spearman_corrcoef symmetric_mean_absolute_percentage_error
        tweedie_deviance_score weighted_mean_absolute_percentage_error
    """,
    "retrieval": """
        RetrievalFallOut RetrievalHitRate RetrievalMAP RetrievalMRR RetrievalNormalizedDCG
        RetrievalPrecision RetrievalPrecisionRecallCurve RetrievalRPrecision
        RetrievalRecall RetrievalRecallAtFixedPrecision retrieval_average_precision
        retrieval_fall_out retrieval_hit_rate retrieval_normalized_dcg retrieval_precision
        retrieval_precision_recall_curve retrieval_r_precision retrieval_recall
        retrieval_reciprocal_rank
    """,
    "text": """
        BLEUScore CHRFScore CharErrorRate ExtendedEditDistance MatchErrorRate Perplexity
        SQuAD SacreBLEUScore TranslationEditRate WordErrorRate WordInfoLost
        WordInfoPreserved bleu_score char_error_rate chrf_score extended_edit_distance
        match_error_rate perplexity rouge_score sacre_bleu_score squad
        translation_edit_rate word_error_rate word_information_lost
        word_information_preserved
    """,
}
"""A module of torchmetrics → its names in `torchmetrics` and `torchmetrics.functional`."""

_MODULES: Final = (
    "aggregation",
    "clustering",
    "segmentation",
    "shape",
    "utilities",
    "video",
    "wrappers",
)
_TASKS: Final = ("Binary", "Multiclass", "Multilabel", "binary_", "multiclass_", "multilabel_")


def missing(module: str, name: str) -> Exception:
    """The error for a name that a module of the drop-in does not have; for its `__getattr__`.

    Of a name of torchmetrics it has the text of K622: where the name is imported as an ImportError,
    since Python would replace the text of an AttributeError, which it is elsewhere. A module is
    asked by `_handle_fromlist` where it has a `__path__`.
    """
    told = _told(name)
    if told is None:
        known = () if name.startswith("_") else (*CLASSES, *FUNCTIONS, "MetricCollection")
        nearest = ", ".join(get_close_matches(name, known, n=2, cutoff=0.75))
        hint = f". Nearest: {nearest}" if nearest else ""
        return AttributeError(f"module {module!r} has no attribute {name!r}{hint}")
    found, instead = told
    do = f"{instead}; or use the metric of torchmetrics, in a collection of its own."
    problem = error("K622", name=name, module=module, found=found, do=do)
    is_import = sys._getframe(2).f_code.co_name == "_handle_fromlist"
    return problem if is_import else AttributeError(str(problem))


def _told(name: str) -> tuple[str, str] | None:
    """Meaning of a name in torchmetrics and what to use instead; None if torchmetrics lacks it."""
    if name in TOOLS:
        return "It wraps or sums values and does not measure classifiers itself", TOOLS[name]
    instead = instead_of(name)
    if instead is not None:
        if _bare(name) in {*MEASURES, *MEASURES.values()}:
            return "The drop-in has it for multilabel data only", instead
        return f"The drop-in measures {', '.join(MEASURES)}", instead
    for field, names in OTHER_FIELDS.items():
        if name == field or name in names.split():
            return f"It belongs to torchmetrics.{field}", "karat measures classifiers"
    if name in _MODULES:
        return f"torchmetrics.{name} does not measure classifiers", "karat measures classifiers"
    return None


def instead_of(name: str) -> str | None:
    """Replacement in karat for a function or a class of two or many classes."""
    pairs = MEASURED_ELSEWHERE.items()
    return next((instead for names, instead in pairs if _bare(name) in names), None)


def _bare(name: str) -> str:
    for task in _TASKS:
        name = name.removeprefix(task)
    return name
