"""Rows with sets in clusters, and rows that stand for several: by the jackknife, by repetition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from karat.designs.clusters import degrees_of_clusters
from karat.errors import KaratError
from karat.inference.set_variance import LabelClusters
from karat.metrics import get
from karat.metrics._of_sets import values_on_sets
from karat.tally import Classes, ClusteredCells
from karat.tally.cells import Axis
from karat.tally.set_tally import SetRows
from karat.tally.sets import Sets

NAMES = ("subset_accuracy", "hamming_loss", "samples_f1", "micro_f1", "macro_f1", "weighted_f1")


def drawn(seed: int, g: int = 60, k: int = 5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Truth, predictions and the cluster of each row: clusters of 1 to 7 rows that go together."""
    rng = np.random.default_rng([270, seed])
    clusters = np.repeat(np.arange(g), rng.integers(1, 8, g))
    n, hard = len(clusters), rng.normal(size=(g, 1))[clusters]
    true = 0.6 * rng.normal(size=(g, k))[clusters] + rng.normal(size=(n, k)) > 0.8
    return true, np.where(rng.normal(size=(n, k)) + 0.8 * hard > 1.7, ~true, true), clusters


def value(name: str, true: Any, pred: Any, policy: Any) -> float:
    labels = Classes(tuple(range(true.shape[1])), is_declared=True)
    rows = SetRows(labels, Sets.of_matrix(true), Sets.of_matrix(pred))
    return float(values_on_sets(get(name), rows.tally, policy).value)


@pytest.mark.parametrize("policy", ["zero", "exclude"])
def test_standard_errors_are_those_of_the_jackknife_of_clusters(policy: Any) -> None:
    true, pred, clusters = drawn(1)
    report: Any = karat.evaluate(true, pred, clusters=clusters, undefined=policy)
    rows: Any = karat.evaluate(true, pred, undefined=policy)
    g = clusters.max() + 1
    for name in NAMES:
        without = [value(name, true[clusters != c], pred[clusters != c], policy) for c in range(g)]
        jackknife = float(np.sqrt((g - 1) * np.var(without)))
        assert report[name].standard_error == pytest.approx(jackknife, rel=0.05)
        # The control: rows as the units.
        assert rows[name].standard_error < 0.9 * report[name].standard_error
        assert report[name].low < rows[name].low < rows[name].high < report[name].high


def test_sums_of_a_label_over_clusters_are_those_of_its_rows() -> None:
    true, pred, clusters = drawn(2)
    n, k = true.shape
    w = np.random.default_rng(0).integers(0, 3, n).astype(float)
    lost = np.random.default_rng(1).random((n, k)) < 0.05
    axis = Axis("clusters", tuple(range(60)))
    labels = Classes(tuple(range(k)), is_declared=True)
    sides = [Sets.of_matrix(side) for side in (true, pred, lost)]
    codes = clusters.astype(np.int32)[None]
    rows = SetRows(labels, *sides, weights=w, axes=(axis,), codes=codes).known
    found = LabelClusters.of(rows, ClusteredCells.of(rows.clusters, np.arange(n), w))
    phi = np.random.default_rng(2).normal(size=(k, 2, 2))
    each = phi[np.arange(k), true.astype(int), pred.astype(int)] * ~lost * w[:, None]
    held = np.unique(clusters[w > 0])
    sums = np.array([each[clusters == c].sum(axis=0) for c in held])
    wanted = (sums**2).sum(axis=0) * len(held) / (len(held) - 1)
    assert found.variances(phi) == pytest.approx(wanted, rel=1e-9)
    sizes = np.array([np.abs(each[clusters == c]).sum(axis=0) for c in held])
    assert found.degrees(phi, np.ones(k, bool)) == pytest.approx(
        degrees_of_clusters(sizes.T), rel=1e-9
    )


def test_limits_of_labels_are_those_of_two_classes() -> None:
    true, pred, clusters = drawn(3)
    report: Any = karat.evaluate(true, pred, clusters=clusters)
    for label, row in enumerate(report.per_class):
        alone = karat.evaluate(true[:, label], pred[:, label], clusters=clusters, positive=True)
        for name in ("precision", "recall", "f1"):
            result = alone[name]
            assert row["intervals"][name] == pytest.approx((result.low, result.high), abs=0.02)


def test_what_clusters_leave_as_it_is() -> None:
    true, pred, clusters = drawn(4)
    plain: Any = karat.evaluate(true, pred)
    assert karat.evaluate(true, pred, clusters=np.arange(len(true))).to_json() == plain.to_json()
    # Pairs of equal rows are as many clusters as there were rows.
    twice = karat.evaluate(
        np.repeat(true, 2, axis=0), np.repeat(pred, 2, axis=0),
        clusters=np.repeat(np.arange(len(true)), 2),
    )  # fmt: skip
    for name in NAMES:
        assert twice[name].standard_error == pytest.approx(plain[name].standard_error, rel=1e-9)
    report: Any = karat.evaluate(true, pred, clusters=[f"user {c}" for c in clusters])
    assert "clustered rows" in str(report)
    again = karat.MultilabelReport.from_json(report.to_json())
    assert again.to_json() == report.to_json()
    assert again.per_class == report.per_class
    with pytest.raises(KaratError, match="K145"):
        karat.evaluate(true, pred, clusters=np.zeros(len(true)))


@pytest.mark.parametrize("method", [None, "logit", "bootstrap", "bayesian"])
def test_a_row_of_weight_three_is_three_rows(method: str | None) -> None:
    true, pred, _ = drawn(5)
    w = np.random.default_rng(0).integers(0, 4, len(true))
    at = np.repeat(np.arange(len(true)), w)
    options: dict[str, Any] = {
        "interval": karat.Interval(method=method, n_replicates=100),
        "metrics": NAMES,
    }
    options["labels"] = karat.Labels(names=list("vwxyz"))
    once: Any = karat.evaluate(true, pred, weights=karat.Frequency(w), **options)
    often: Any = karat.evaluate(true[at], pred[at], **options)
    within = {"abs": 0.03} if method in ("bootstrap", "bayesian") else {"rel": 1e-9}
    for name in NAMES:
        one, other = once[name], often[name]
        assert (one.value, one.n) == (pytest.approx(other.value), other.n)
        assert (one.low, one.high) == pytest.approx((other.low, other.high), **within)
    assert [row["name"] for row in once.per_class] == list("vwxyz")
    assert karat.MultilabelReport.from_json(once.to_json()).to_json() == once.to_json()
    clustered: Any = karat.evaluate(true, pred, clusters=np.arange(len(true)) // 2, **options)
    assert clustered["macro_f1"].low < clustered["macro_f1"].value < clustered["macro_f1"].high


def test_intervals_of_clusters_hold_the_true_value() -> None:
    names = ("hamming_loss", "samples_f1", "micro_f1", "macro_f1")
    whole = drawn(0, 40_000)
    truth = {name: value(name, *whole[:2], "zero") for name in names}
    held = np.zeros((2, len(names)))
    for seed in range(120):
        true, pred, clusters = drawn(seed + 1)
        by_cluster: Any = karat.evaluate(true, pred, clusters=clusters, metrics=names)
        by_row: Any = karat.evaluate(true, pred, metrics=names)
        for i, name in enumerate(names):
            for row, report in zip(held, (by_cluster, by_row), strict=True):
                row[i] += report[name].low <= truth[name] <= report[name].high
    assert (held[0] >= 0.89 * 120).all(), held
    # The control: rows as the units.
    assert (held[1, [0, 2, 3]] <= 0.8 * 120).all(), held


def test_metrics_of_scores_take_clusters_and_numbers_of_rows() -> None:
    rng = np.random.default_rng(8)
    true, _, clusters = drawn(8)
    n = len(true)
    hard = rng.normal(size=(60, 1))[clusters]
    prob = 1 / (1 + np.exp(-(2.0 * true - 1.0 + hard + rng.normal(size=true.shape))))
    names = ["macro_roc_auc", "micro_roc_auc", "weighted_average_precision", "d_prime"]
    names += ["label_ranking_average_precision", "binary_cross_entropy", "coverage_error"]
    plain: Any = karat.evaluate(true, y_prob=prob, metrics=names)
    twice = karat.evaluate(
        np.repeat(true, 2, axis=0), y_prob=np.repeat(prob, 2, axis=0), metrics=names,
        clusters=np.repeat(np.arange(n), 2),
    )  # fmt: skip
    together: Any = karat.evaluate(true, y_prob=prob, metrics=names, clusters=clusters)
    w = rng.integers(0, 3, n)
    at = np.repeat(np.arange(n), w)
    facts: dict[str, Any] = {"weights": karat.Frequency(w)}
    often: Any = karat.evaluate(true, y_prob=prob, metrics=names, **facts)
    again: Any = karat.evaluate(true[at], y_prob=prob[at], metrics=names)
    for name in names:
        # The control: rows as the units.
        assert together[name].standard_error != pytest.approx(plain[name].standard_error, rel=0.02)
        assert twice[name].standard_error == pytest.approx(plain[name].standard_error, rel=0.01)
        assert often[name].low == pytest.approx(again[name].low)
    assert together["micro_roc_auc"].standard_error > 1.2 * plain["micro_roc_auc"].standard_error
    drawn_again: Any = karat.evaluate(
        true,
        y_prob=prob,
        metrics=names[:1],
        clusters=clusters,
        interval=karat.Interval(method="bootstrap", n_replicates=100),
    )
    error = drawn_again["macro_roc_auc"].standard_error
    assert error == pytest.approx(together["macro_roc_auc"].standard_error)
