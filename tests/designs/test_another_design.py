"""A design that karat does not have, in one file: what varies follows from its units alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import karat
from karat.designs import DRAWINGS, Drawing
from karat.designs.units import Floats, Sample, Units
from karat.inference.comparison.judging import ComparisonSpec
from karat.inference.comparison.models import Joint, paired
from karat.inference.comparison.sets import paired_sets
from karat.inference.confidence import Confidence
from karat.inference.label_intervals import label_interval
from karat.inference.set_intervals import SetIntervals
from karat.inference.table_variance import TableVariance
from karat.metrics import get
from karat.metrics._of_sets import values_on_sets
from karat.tally import Cells, Classes, ClusteredCells
from karat.tally.joint import JointCells

N, STRATA, K = 240, 6, 3


@dataclass(frozen=True, eq=False)
class StratifiedRows(Units):
    """Rows of equal weight drawn within strata: only rows of one stratum vary about its mean."""

    strata: ClusteredCells

    @property
    def df(self) -> float:
        return float(self.total - self.strata.n_clusters)

    def centred(self, phi: Floats) -> Floats:
        return np.asarray(phi - ((phi * self.weights).sum(-1) / self.total)[..., None])

    def errors(self, phi: Floats) -> Floats:
        strata, flat = self.strata, np.asarray(phi).reshape(-1, phi.shape[-1])
        rows = np.bincount(strata.cluster, strata.weight, strata.n_clusters)
        means = np.array([strata.sums(each) for each in flat]) / rows
        roots = np.sqrt(strata.weight * (rows / (rows - 1.0))[strata.cluster]) / self.total
        parts = (flat[:, strata.place] - means[:, strata.cluster]) * roots
        return np.asarray(parts.reshape(*phi.shape[:-1], -1))


def _units_of(sample: Sample, groups: Any) -> Units:
    return StratifiedRows(sample.weights, sample.squares, groups)


@pytest.fixture
def stratified(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setitem(DRAWINGS, "stratified", Drawing(_units_of, varies_less=True))
    return "stratified"


def data() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Strata, true classes and the predictions of two models, which differ between strata."""
    rng = np.random.default_rng(8)
    strata = np.repeat(np.arange(STRATA), N // STRATA)
    true = rng.integers(0, K, N)
    right = np.linspace(0.3, 0.95, STRATA)[strata]
    a, b = (
        np.where(rng.random(N) < right + more, true, rng.integers(0, K, N)) for more in (0.0, 0.05)
    )
    return strata, true, a, b


def by_hand(phi: np.ndarray, strata: np.ndarray) -> float:
    """Standard error of a mean of rows drawn within strata (Cochran 1977, 5.4)."""
    parts = [phi[strata == h] for h in np.unique(strata)]
    return float(np.sqrt(sum(len(x) * np.var(x, ddof=1) for x in parts)) / len(phi))


def moved(value: Any, n: int) -> np.ndarray:
    """Influence of each row on a value, from its change where the row weighs a little more."""
    step = 1e-6
    changes = [value(1.0 + step * (np.arange(n) == i)) - value(np.ones(n)) for i in range(n)]
    return np.array(changes) * n / step


def macro_f1(true: np.ndarray, pred: np.ndarray, w: np.ndarray) -> float:
    f1 = [
        2 * w[(true == c) & (pred == c)].sum() / (w[true == c].sum() + w[pred == c].sum())
        for c in range(K)
    ]
    return float(np.mean(f1))


def table(true: np.ndarray, pred: np.ndarray, strata: np.ndarray, design: Any) -> TableVariance:
    counts = np.bincount(true * K + pred, minlength=K * K).reshape(K, K)
    groups = ClusteredCells.of(strata, true * K + pred, None)
    return TableVariance(Cells.dense(counts, classes=Classes.of([0, 1, 2])), design, groups)


@pytest.mark.parametrize("name", ["accuracy", "macro_f1"])
def test_intervals_of_classes_know_it(stratified: Any, name: str) -> None:
    strata, true, a, _ = data()
    metric = get(name)
    phi = (true == a) * 1.0 if name == "accuracy" else moved(lambda w: macro_f1(true, a, w), N)
    error = {}
    for design in (stratified, "cohort"):
        spread = table(true, a, strata, design)
        value = float(metric.values(spread.cells, "zero").value)
        interval = label_interval(metric, value, spread, Confidence())
        assert interval.low < value < interval.high
        error[design] = interval.standard_error
    assert error[stratified] == pytest.approx(by_hand(phi, strata), rel=1e-4)
    # Rows of one cluster depend on each other, those of a stratum do not: another design.
    assert error["cohort"] > 2.0 * error[stratified]


def test_differences_of_classes_know_it(stratified: Any) -> None:
    strata, true, a, b = data()
    codes, place = np.unique(np.stack([true, a, b]), axis=1, return_inverse=True)
    counts = np.bincount(place.ravel()).astype(np.float64)
    cells = JointCells(Classes.of([0, 1, 2]), ("a", "b"), codes, counts, N)
    joint = Joint(cells, ClusteredCells.of(strata, place.ravel(), None), design=stratified)
    spec = ComparisonSpec(0.95, "none", {}, ((0, 1),))
    metrics = [get("accuracy"), get("macro_f1")]
    for measured, phi in zip(
        paired(joint, metrics, spec, "zero"),
        [
            1.0 * (true == a) - (true == b),
            moved(lambda w: macro_f1(true, a, w) - macro_f1(true, b, w), N),
        ],
        strict=True,
    ):
        assert measured.spread is not None
        variance = measured.spread.variance(0, 1)
        assert np.sqrt(variance) == pytest.approx(by_hand(phi, strata), rel=1e-4)


def test_sets_know_it(stratified: Any) -> None:
    strata, true, a, b = data()
    bits = [np.stack([codes > 0, codes == 1], axis=1).astype(int) for codes in (true, a, b)]
    reports = [karat.evaluate(bits[0], each, clusters=strata) for each in bits[1:]]
    models = [
        SetIntervals(report.tally, Confidence(design=stratified), report.encoded)
        for report in reports
    ]
    right = [(bits[0] == each).all(axis=1) * 1.0 for each in bits[1:]]
    value = float(values_on_sets(get("subset_accuracy"), models[0].tally, "zero").value)
    interval = models[0].of(get("subset_accuracy"), value)
    assert interval.standard_error == pytest.approx(by_hand(right[0], strata))
    spec = ComparisonSpec(0.95, "none", {}, ((0, 1),))
    (measured,) = paired_sets(
        models, [get("subset_accuracy")], spec, [model.rows for model in models]
    )
    assert measured.spread is not None
    error = np.sqrt(measured.spread.variance(0, 1))
    assert error == pytest.approx(by_hand(right[0] - right[1], strata))
