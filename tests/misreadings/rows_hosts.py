"""Section 5: what hosts pass and what models return."""

from __future__ import annotations

from typing import Any

import numpy as np

import karat
from tests.misreadings.table import error, row


def _sample() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(3)
    features = rng.normal(size=(120, 3))
    truth = (features[:, 0] + rng.normal(scale=1.5, size=120) > 0).astype(int)
    return features, truth, rng.exponential(size=120)


@row(5, "scikit-learn's metadata routing: weights of the scorer, beside scikit-learn's", "same")
def routed_weights() -> object:
    import sklearn
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import get_scorer
    from sklearn.model_selection import cross_val_score

    features, truth, weights = _sample()
    with sklearn.config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=True)
        params = {"sample_weight": weights}
        found = [
            cross_val_score(
                model, features, truth, params=params,
                scoring=scorer.set_score_request(sample_weight=True),
            )
            for scorer in (karat.scorer("accuracy"), get_scorer("accuracy"))
        ]  # fmt: skip
    return "same" if np.allclose(*found, rtol=1e-12) else found


@row(5, "TunedThresholdClassifierCV by F1: the threshold, beside scikit-learn's scorer", "same")
def tuned_threshold() -> object:
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import TunedThresholdClassifierCV

    features, truth, _ = _sample()
    found = [
        TunedThresholdClassifierCV(LogisticRegression(), scoring=scoring)
        .fit(features, truth)
        .best_threshold_
        for scoring in (karat.scorer("f1"), "f1")
    ]
    return "same" if found[0] == found[1] else found


@row(5, "log loss as the score of a model with margins alone", "K313 .* has no predict_proba.*")
def log_loss_of_margins() -> object:
    from sklearn.svm import LinearSVC

    features, truth, _ = _sample()
    model = LinearSVC().fit(features, truth)
    return error(lambda: karat.scorer("log_loss")(model, features, truth))


_PROB = np.random.default_rng(4).dirichlet([1, 1, 1], 30)
_NAMES = ["ant", "bee", "cow"]
_TRUTH = np.array(_NAMES * 10)


def _beside(found: float) -> object:
    right = karat.log_loss(_TRUTH, y_prob=_PROB)
    return "same" if abs(found - right) < 1e-12 else f"{found} for {right}"


@row(5, "predict_proba of several outputs, a list of arrays: log loss of the matrix", "same")
def list_of_arrays() -> object:
    marks = np.vstack([np.eye(3, dtype=int)] * 10)
    given = [np.column_stack([1 - p, p]) for p in _PROB.T]
    found = karat.log_loss(marks, y_prob=given), karat.log_loss(marks, y_prob=_PROB)
    return "same" if found[0] == found[1] else found


@row(5, "rows of a pipeline with top_k=None, best class first: log loss of the matrix", "same")
def rows_of_a_pipeline() -> object:
    rows = [[{"label": _NAMES[i], "score": float(p[i])} for i in np.argsort(-p)] for p in _PROB]
    return _beside(karat.log_loss(_TRUTH, y_prob=rows))


@row(5, "rows of a pipeline with the best class alone", r"K130 .*top_k=None.*row\['label'\].*")
def best_class_of_a_pipeline() -> object:
    rows = [{"label": _NAMES[p.argmax()], "score": float(p.max())} for p in _PROB]
    return error(lambda: karat.log_loss(_TRUTH, y_prob=rows))


@row(5, "a dict of class and probability in each row: log loss of the matrix", "same")
def rows_of_dicts() -> object:
    rows = [{_NAMES[i]: float(p[i]) for i in np.argsort(-p)} for p in _PROB]
    return _beside(karat.log_loss(_TRUTH, y_prob=rows))


@row(5, "the drop-in for scikit-learn: sums of weights in 8 and 16 bits", r"\[1\.0, 1\.0, 1\.0\]")
def narrow_weights() -> object:
    from karat.compat import sklearn as drop_in

    marks, weights = np.eye(3, dtype=int), np.array([100, 100, 100], np.int8)
    halves = np.array([60_000.0] * 3, np.float16)
    with np.errstate(over="ignore"):
        found = [
            drop_in.accuracy_score(marks, marks, normalize=False, sample_weight=weights),
            drop_in.zero_one_loss([0, 1, 0], [1, 0, 1], normalize=False, sample_weight=halves),
            drop_in.hamming_loss(marks, marks[::-1], sample_weight=halves),
        ]
    return np.round(np.array(found) / [300, 3 * float(halves[0]), 4 / 9], 9).tolist()
