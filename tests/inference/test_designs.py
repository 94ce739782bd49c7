"""Variances of clustered, weighted and case-control rows against plain loops over rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

import karat
from tests.same import assert_same

N = 180
NAMES = ("accuracy", "macro_f1", "kappa", "matthews_correlation", "macro_recall")


def rows(seed: int = 0) -> tuple[Any, Any, Any]:
    """Truth, prediction and cluster: errors of a cluster go together."""
    rng = np.random.default_rng(seed)
    clusters = rng.integers(0, 30, N)
    wrong = rng.random(N) < 0.05 + 0.6 * (clusters % 3 == 0)
    y_true = rng.integers(0, 3, N)
    return y_true, np.where(wrong, (y_true + 1 + rng.integers(0, 2, N)) % 3, y_true), clusters


def influence(name: str, y_true: Any, y_pred: Any, weights: Any) -> Any:
    """float[n]: by moving the weight of each row through the public function."""
    function = getattr(karat, name)
    found = []
    for i in range(N):
        step = 1e-4 * np.eye(1, N, i)[0]
        up, down = (float(function(y_true, y_pred, weights=w)) for w in
                    (weights + step, weights - step))  # fmt: skip
        found.append((up - down) / 2e-4 * weights.sum())
    return np.array(found)


def independent(phi: Any, weights: Any) -> float:
    return float(sum((w * x) ** 2 for w, x in zip(weights, phi, strict=True)) / weights.sum() ** 2)


def clustered(phi: Any, weights: Any, clusters: Any) -> float:
    """G ÷ (G − 1) · Σ over clusters of (Σ w·φ)² ÷ W²."""
    total, names = 0.0, sorted(set(clusters[weights > 0].tolist()))
    for name in names:
        inside = sum(w * x for w, x, c in zip(weights, phi, clusters, strict=True) if c == name)
        total += inside**2
    return float(len(names) / (len(names) - 1) * total / weights.sum() ** 2)


def stratified(phi: Any, weights: Any, y_true: Any) -> float:
    """Each class by itself: rows less the mean of their class."""
    total = 0.0
    for value in set(y_true.tolist()):
        inside = y_true == value
        mean = np.average(phi[inside], weights=weights[inside])
        total += sum((weights[inside] * (phi[inside] - mean)) ** 2)
    return float(total / weights.sum() ** 2)


WEIGHTS: dict[str, Callable[[], Any]] = {
    "rows": lambda: np.ones(N),
    "weights": lambda: np.random.default_rng(9).lognormal(size=N),
    "some 0": lambda: np.where(np.arange(N) % 5, np.random.default_rng(9).random(N), 0.0),
}


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("name", NAMES)
def test_standard_errors_are_those_of_loops(name: str, kind: str) -> None:
    y_true, y_pred, clusters = rows()
    weights = WEIGHTS[kind]()
    given = {} if kind == "rows" else {"weights": weights}

    def error(**asked: Any) -> float:
        return float(karat.evaluate(y_true, y_pred, **given, **asked)[name].standard_error)

    if kind == "some 0":
        kept = weights > 0
        alone = karat.evaluate(
            y_true[kept], y_pred[kept], weights=weights[kept], clusters=clusters[kept]
        )
        assert error(clusters=clusters) == pytest.approx(alone[name].standard_error, rel=1e-12)
        return
    phi = influence(name, y_true, y_pred, weights)
    wanted = {
        "independent": (independent(phi, weights), error()),
        "clustered": (clustered(phi, weights, clusters), error(clusters=clusters)),
        "stratified": (stratified(phi, weights, y_true), error(design=karat.CaseControl())),
    }
    for about, (variance, found) in wanted.items():
        assert found**2 == pytest.approx(variance, rel=1e-5), about
    assert wanted["clustered"][0] > 1.2 * wanted["independent"][0], "a control: clusters matter"
    assert wanted["stratified"][0] <= wanted["independent"][0] * (1 + 1e-6)
    if name in ("macro_f1", "kappa"):
        assert wanted["stratified"][0] < 0.9999 * wanted["independent"][0], "a control"


def test_the_design_effect_widens_the_interval() -> None:
    """Wilson's limits with the rows divided by the design effect, and Student's t."""
    y_true, y_pred, clusters = rows()
    right = (y_true == y_pred).astype(float)
    share = right.mean()
    effect = clustered(right - share, np.ones(N), clusters) / (share * (1 - share) / N)
    assert effect > 1.5
    parts = [np.abs(right - share)[clusters == one].sum() for one in range(30)]
    df = sum(s**2 for s in parts) ** 2 / sum(s**4 for s in parts)
    assert 5 < df < 20, "a control: of 30 clusters, ten hold most of the errors"
    n, t = N / effect, stats.t(df).ppf(0.975)
    centre = (share + t**2 / (2 * n)) / (1 + t**2 / n)
    spread = t * math.sqrt(share * (1 - share) / n + t**2 / (4 * n**2)) / (1 + t**2 / n)
    found = karat.evaluate(y_true, y_pred, clusters=clusters)["accuracy"]
    assert_same([found.low, found.high], [centre - spread, centre + spread], within=1e-10)
    z, of_all = stats.norm.ppf(0.975), stats.t(29).ppf(0.975)
    plain = karat.evaluate(y_true, y_pred)["accuracy"]
    assert found.low < plain.low - 0.01
    for other in (z, of_all):
        wrong = centre - spread * other / t
        assert found.low != pytest.approx(wrong, abs=1e-4), "a control: t of as few clusters"


def test_kish_and_taylor_for_weights() -> None:
    """At most (Σw)² ÷ Σw² rows, and fewer where heavy rows are the wrong ones."""
    y_true, y_pred, _ = rows()
    right = (y_true == y_pred).astype(float)
    heavy = np.where(right > 0, 1.0, 3.0)
    light = np.where(right > 0, 3.0, 1.0)
    for weights in (heavy, light):
        share = float(np.average(right, weights=weights))
        kish = weights.sum() ** 2 / (weights**2).sum()
        taylor = share * (1 - share) / independent(right - share, weights)
        n, z = min(kish, taylor), stats.norm.ppf(0.975)
        centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
        spread = z * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
        found = karat.evaluate(y_true, y_pred, weights=weights)["accuracy"]
        assert_same([found.low, found.high], [centre - spread, centre + spread], within=1e-10)
        assert abs(kish - taylor) > 1, "a control: the two differ"


def test_scores_of_a_case_control_sample() -> None:
    """Losses less the mean of their class; the variance of an area is within classes anyway."""
    rng = np.random.default_rng(4)
    y_true = np.repeat([0, 1], [120, 60])
    prob = 1 / (1 + np.exp(-(rng.normal(size=N) + 1.5 * y_true - 1)))
    drawn = karat.evaluate(y_true, y_prob=prob)
    fixed = karat.evaluate(y_true, y_prob=prob, design=karat.CaseControl())
    loss = -np.log(np.where(y_true == 1, prob, 1 - prob))
    parts = [loss[y_true == value] for value in (0, 1)]
    variance = sum(len(part) * part.var(ddof=1) for part in parts) / N**2
    assert fixed["log_loss"].standard_error ** 2 == pytest.approx(variance, rel=1e-9)
    assert fixed["log_loss"].standard_error < drawn["log_loss"].standard_error
    assert fixed["roc_auc"].standard_error == pytest.approx(drawn["roc_auc"].standard_error)
    assert fixed["average_precision"].standard_error < drawn["average_precision"].standard_error
    assert fixed["prevalence"].low is None
    assert fixed["prevalence"].remark == "the design fixes the proportions of the true classes"


def test_replicates_of_a_case_control_sample_keep_the_classes() -> None:
    table = np.array([[40, 7, 3], [5, 61, 14], [2, 9, 29]])
    for method in ("bootstrap", "bayesian"):
        asked = {"interval": karat.Interval(method=method, n_replicates=4000)}
        fixed = karat.evaluate(confusion=table, design=karat.CaseControl(), **asked)
        closed = karat.evaluate(
            confusion=table, design=karat.CaseControl(), interval=karat.Interval(method="wald")
        )
        for name in ("accuracy", "macro_recall", "kappa"):
            width = fixed[name].high - fixed[name].low
            assert width == pytest.approx(closed[name].high - closed[name].low, rel=0.06), name
    from karat.inference.resampling import replicate_tables
    from karat.tally import Cells, Classes

    cells = Cells.dense(table, classes=Classes.of(range(3)))
    kept = replicate_tables(cells, 50, 0, is_by_class=True)
    assert (kept.counts.sum(axis=2) == table.sum(axis=1)).all()
    drawn = replicate_tables(cells, 50, 0)
    assert not (drawn.counts.sum(axis=2) == table.sum(axis=1)).all(), "a control"


@pytest.mark.parametrize("kind", ["plain", "weighted", "feather and lead", "clustered"])
@pytest.mark.parametrize("method", [None, "wald", "logit"])
def test_a_class_without_rows_makes_no_warning(kind: str, method: str | None) -> None:
    """Warnings are errors here."""
    y_true, y_pred = np.tile([0, 0, 1], 20), np.tile([0, 2, 1], 20)
    asked: dict[str, object] = {
        "plain": {},
        "weighted": {"weights": np.linspace(0.5, 2.0, 60)},
        "feather and lead": {"weights": np.tile([1e-130, 1e130, 1.0], 20)},
        "clustered": {"clusters": np.arange(60) // 2},
    }[kind]  # type: ignore[assignment]
    found = karat.evaluate(
        y_true,
        y_pred,
        labels=[0, 1, 2, 3],
        design=karat.CaseControl(),
        interval=karat.Interval(method=method),
        **asked,
    )
    for one in (found["macro_recall"], found["macro_f1"]):
        assert one.low is None or 0.0 <= one.low <= one.value <= one.high <= 1.0
    assert "NaN" not in found.to_json()


def test_replicates_of_scores_keep_the_rows_of_each_class() -> None:
    rng = np.random.default_rng(1)
    y_true = (rng.random(400) < 0.2).astype(int)
    y_prob = np.clip(np.where(y_true == 1, 0.2, 0.1) + rng.uniform(-0.05, 0.05, 400), 0.0, 1.0)
    wanted = {}
    for design, given in (("cohort", None), ("case-control", karat.CaseControl())):
        for method in ("default", "bootstrap"):
            found = karat.evaluate(
                y_true,
                y_prob=y_prob,
                metrics="brier",
                interval=karat.Interval(method=method),
                design=given,
            )["brier"]
            assert found.standard_error is not None
            wanted[design, method] = found.standard_error
        ratio = wanted[design, "bootstrap"] / wanted[design, "default"]
        assert abs(ratio - 1) < 0.15, design
    # How many rows are of the class makes most of what a mean loss varies by.
    assert wanted["cohort", "default"] > 3 * wanted["case-control", "default"]


def test_values_of_the_sampled_proportions_have_a_remark() -> None:
    rng = np.random.default_rng(8)
    y_true = np.repeat([0, 1], 60)
    y_prob = np.clip(0.3 + 0.4 * y_true + 0.2 * rng.normal(size=120), 0.01, 0.99)
    by = {"half": np.arange(120) % 2}
    found = karat.evaluate(y_true, y_prob=y_prob, by=by, design=karat.CaseControl())
    of_mix = "it depends on the class proportions, which the design fixes: give "
    of_mix += "design=karat.CaseControl(prevalence=…) for those of a population"
    read = karat.Report.from_json(found.to_json())
    for report in (found, read, found.slices["half"][0]):
        for name in ("precision", "accuracy", "kappa", "brier", "average_precision", "macro_f1"):
            assert of_mix in report[name].remark, name
            assert report[name].remark.count(of_mix) == 1, name
        for name in ("recall", "specificity", "roc_auc", "balanced_accuracy", "support"):
            assert of_mix not in (report[name].remark or ""), name
    assert " · case-control sample" in str(read)
    asked = {"metrics": ["recall", "brier", "roc_auc", "f1"], "design": karat.CaseControl()}
    text = karat.evaluate(y_true, y_prob=y_prob, **asked).to_markdown()
    (note,) = (line for line in text.splitlines() if of_mix in line)
    assert note == f"- brier, f1: {of_mix}"
    cohort = karat.evaluate(y_true, y_prob=y_prob)
    assert cohort["precision"].remark is None
    assert "case-control" not in str(cohort)
