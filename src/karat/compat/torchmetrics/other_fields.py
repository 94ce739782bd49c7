"""What torchmetrics measures beside classification: names that the drop-in answers with words."""

from __future__ import annotations

from typing import Final

__all__ = ["OTHER_FIELDS"]

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
