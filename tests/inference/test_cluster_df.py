"""Clusters count for as many as hold the uncertainty."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from karat.designs import clusters as design
from karat.designs.clusters import degrees_of_clusters
from tests.same import assert_same


def test_degrees_of_freedom_are_those_of_so_many_equal_clusters() -> None:
    assert degrees_of_clusters(np.ones(12)) == 11
    assert degrees_of_clusters(np.r_[np.ones(5), np.zeros(40)]) == pytest.approx(5)
    assert degrees_of_clusters(np.array([3.0, 1.0])) == 1.0
    sizes = np.random.default_rng(0).lognormal(size=30)
    expected = (sizes**2).sum() ** 2 / (sizes**4).sum()
    both = degrees_of_clusters(np.stack([sizes, 1e-200 * sizes]))
    assert_same(both, [expected, expected], within=1e-12)
    assert degrees_of_clusters(np.zeros(9)) == 8, "what does not vary leaves all clusters"


def samples(n_clusters: int, sigma: float, right: float, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    for _ in range(250):
        sizes = np.maximum(np.round(10 * rng.lognormal(0.0, sigma, n_clusters)), 1).astype(int)
        cluster = np.repeat(np.arange(n_clusters), sizes)
        true = rng.integers(2, size=len(cluster))
        share = rng.beta(right * 7 / 3, (1 - right) * 7 / 3, n_clusters)[cluster]
        yield true, np.where(rng.random(len(true)) < share, true, 1 - true), cluster


def held(n_clusters: int, sigma: float, right: float) -> float:
    found = 0
    for true, pred, cluster in samples(n_clusters, sigma, right, 4):
        one = karat.evaluate(true, pred, clusters=cluster, metrics="accuracy")["accuracy"]
        found += one.low <= right <= one.high
    return found / 250


def test_unequal_clusters_hold_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    assert held(40, 1.2, 0.9) > 0.91
    monkeypatch.setattr(
        design, "degrees_of_clusters", lambda s: np.full(s.shape[:-1], s.shape[-1] - 1.0)
    )
    assert held(40, 1.2, 0.9) < 0.9, "a control: clusters less one are too many"


def test_a_caution_names_few_clusters_and_those_that_hold_the_errors() -> None:
    true, cluster = np.zeros(400, int), np.arange(400) % 40
    cases = {
        "There are only 8 clusters": (np.where(np.arange(400) < 60, 1, 0), np.arange(400) % 8),
        "Of 40 clusters, one or two have": (np.where(cluster == 3, 1, 0), cluster),
        "": (np.where(np.arange(400) % 7 == 0, 1, 0), cluster),
    }
    for text, (pred, groups) in cases.items():
        report = karat.evaluate(true, pred, clusters=groups, labels=[0, 1])
        about = [one for one in report.cautions if "clusters" in one]
        assert len(about) == bool(text)
        assert text in " ".join(about)
