"""Differences of models over folds: the corrected resampled t-test, and rules of a gate."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import karat
from karat.errors import KaratError
from tests.cli.running import Karat

PREDICTIONS = Path("examples/predictions")
NB, RF = (PREDICTIONS / f"iris_{name}.csv" for name in ("nb", "rf"))
PROBABILITIES = ["proba_setosa", "proba_versicolor", "proba_virginica"]


def corrected_t(values: np.ndarray, ratio: float) -> tuple[float, float, float]:
    """Two-sided p-value and limits at 95 %, straight from Nadeau & Bengio (2003)."""
    n = len(values)
    error = math.sqrt((1 / n + ratio) * np.var(values, ddof=1))
    p = 2 * stats.t.sf(abs(values.mean()) / error, n - 1)
    far = stats.t.ppf(0.975, n - 1) * error
    return p, values.mean() - far, values.mean() + far


def models() -> tuple[pd.DataFrame, pd.DataFrame]:
    return pd.read_csv(NB), pd.read_csv(RF)


@pytest.mark.parametrize("metric", ["accuracy", "macro_f1", "log_loss"])
def test_differences_are_those_of_the_folds(metric: str) -> None:
    nb, rf = models()
    scores = {name: one[PROBABILITIES].to_numpy() for name, one in (("nb", nb), ("rf", rf))}
    found = karat.compare(nb.label, y_prob=scores, design=karat.Folds(nb.fold), metrics=[metric])
    each = {
        name: np.array(
            [
                karat.evaluate(rows.label, y_prob=rows[PROBABILITIES].to_numpy())[metric].value
                for _, rows in one.groupby("fold")
            ]
        )
        for name, one in (("nb", nb), ("rf", rf))
    }
    values = each["rf"] - each["nb"]
    one = found.folds[metric]
    assert (one.a, one.b) == ("rf", "nb")
    assert one.values == pytest.approx(values, abs=1e-12)
    p, low, high = corrected_t(values, 1 / 4)
    assert (one.p, one.low, one.high) == pytest.approx((p, low, high), rel=1e-9)
    # A naive t-test over folds would find more: it is the control that has to differ.
    assert one.p > stats.ttest_1samp(values, 0.0).pvalue
    turned = found.folds[metric, "nb", "rf"]
    assert (turned.fold_mean, turned.low) == (-one.fold_mean, -one.high)
    # The paired difference of all rows keeps its name and its number.
    alone = karat.compare(nb.label, y_prob=scores, metrics=[metric])
    assert found[metric] == alone[metric]


def test_pairs_of_three_models_are_adjusted() -> None:
    nb, rf = models()
    given = {"nb": nb.pred, "rf": rf.pred, "worst": np.roll(nb.pred, 40)}
    found = karat.compare(nb.label, given, design=karat.Folds(nb.fold), metrics=["accuracy"])
    p = sorted(one.p for one in found.folds.values())
    adjusted = sorted(one.p_adjusted for one in found.folds.values())
    assert adjusted == pytest.approx(np.maximum.accumulate([3 * p[0], 2 * p[1], p[2]]))
    assert [one["metric"] for one in found.to_dict()["folds"]] == ["accuracy"] * 3


def test_the_command_line_compares_over_folds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Karat(capsys)
    text = run("compare", str(NB), str(RF), "--folds", "fold").out
    assert "iris_rf − iris_nb over 5 folds" in text
    out = tmp_path / "compared.json"
    run("compare", str(NB), str(RF), "--folds", "auto", "-o", str(out))
    nb, rf = models()
    wanted = karat.compare(
        nb.label, {"iris_nb": nb.pred, "iris_rf": rf.pred}, design=karat.Folds(nb.fold)
    )
    of_accuracy = json.loads(out.read_text())["folds"][0]
    assert of_accuracy["p"] == pytest.approx(wanted.folds["accuracy"].p)
    html = tmp_path / "compared.html"
    run("compare", str(NB), str(RF), "--folds", "fold", "-o", str(html))
    assert "Corrected resampled t-test" in html.read_text()


def test_a_gate_judges_means_over_folds() -> None:
    report = karat.evaluate(NB, design=karat.Folds("fold"))
    mean, pooled = report.folds["accuracy"], report["accuracy"]
    assert mean.low > pooled.low  # five folds of these data differ little
    between = (mean.low + pooled.low) / 2
    options: dict[str, Any] = {"min": {"accuracy": between}, "rules": karat.Rules(evidence="low")}
    assert karat.gate(NB, **options).verdict == "PASS"
    assert karat.gate(NB, **options).rules[0].verdict == "INCONCLUSIVE"
    (rule,) = karat.gate(NB, design=karat.Folds("fold"), **options).rules
    assert rule.verdict == "PASS"
    assert (rule.value, rule.low, rule.high) == (mean.fold_mean, mean.low, mean.high)
    assert rule.rule.startswith("fold mean of accuracy ≥")


def test_a_gate_compares_fold_by_fold(tmp_path: Path) -> None:
    nb, rf = models()
    wanted = karat.compare(nb.label, {"rf": rf.pred, "nb": nb.pred}, design=karat.Folds(nb.fold))
    for given in (
        karat.gate(NB, baseline=RF, design=karat.Folds("fold"), no_worse_than={"accuracy": 0.02}),
        karat.gate(
            nb.label,
            nb.pred,
            baseline=rf.pred,
            design=karat.Folds(nb.fold),
            no_worse_than={"accuracy": 0.02},
        ),
    ):
        (rule,) = given.rules
        one = wanted.folds["accuracy", "nb", "rf"]
        assert rule.difference == pytest.approx(one.fold_mean)
        assert rule.difference_low == pytest.approx(one.low)
        assert rule.verdict == "PASS"
    base = tmp_path / "base.json"
    karat.gate(RF).save_baseline(base)
    (rule,) = karat.gate(
        NB, baseline=base, design=karat.Folds("fold"), no_worse_than={"accuracy": 0.02}
    ).rules
    assert rule.verdict == "INCONCLUSIVE"
    assert "no rows with the same folds" in rule.reason


def test_other_folds_are_refused() -> None:
    nb, rf = models()
    with pytest.raises(KaratError, match="K256"):
        karat.gate(nb, baseline=rf.assign(fold=np.roll(rf.fold, 1)), design=karat.Folds("fold"))
    with pytest.raises(KaratError, match="K250"):
        karat.compare(
            {"a": [0, 1], "b": [0, 1]}, {"a": [0, 1], "b": [1, 0]}, design=karat.Folds([0, 1])
        )
    with pytest.raises(KaratError, match="K176"):
        karat.gate(NB, design=karat.Folds("fold"), by="label", min={"accuracy": 0.5})


def test_repeats_of_models_need_ids_as_clusters() -> None:
    rng = np.random.default_rng(5)
    true = np.tile(rng.integers(0, 2, 60), 2)
    given = {name: np.where(rng.random(120) < 0.2, 1 - true, true) for name in "ab"}
    folds = {"repeat": np.repeat([0, 1], 60), "fold": np.tile(np.arange(60) % 3, 2)}
    with pytest.raises(KaratError, match="K251"):
        karat.compare(true, given, design=karat.Folds(folds))
    found = karat.compare(
        true, given, design=karat.Folds(folds), clusters=np.tile(np.arange(60), 2)
    )
    assert found.folds["accuracy"].n_folds == 6


def test_looks_and_judges_have_no_folds() -> None:
    nb, rf = models()
    both = {"nb": nb.pred, "rf": rf.pred}
    with pytest.raises(KaratError, match="K237"):
        karat.evaluate(nb.label, nb.pred, design=[karat.Folds(nb.fold), karat.Looks(150)])
    with pytest.raises(KaratError, match="K237"):
        karat.compare(nb.label, both, design=[karat.Folds(nb.fold), karat.Looks(150)])
    with pytest.raises(KaratError, match="K237"):
        karat.gate(NB, min={"accuracy": 0.5}, design=[karat.Folds("fold"), karat.Looks(150)])
    gold = nb.label.where(nb.index < 60, None)
    with pytest.raises(KaratError, match="K243"):
        karat.evaluate(
            y_true=gold, design=[karat.Judge(nb.pred, is_random=True), karat.Folds(nb.fold)]
        )
    with pytest.raises(KaratError, match="K243"):
        karat.compare(
            None,
            both,
            y_true=gold,
            design=[karat.Judge(nb.pred, is_random=True), karat.Folds(nb.fold)],
        )


def test_limits_end_at_the_range_of_a_difference() -> None:
    y = np.tile([0, 1], 30)
    good, bad = y.copy(), 1 - y
    bad[:20:4] = y[:20:4]
    folds = np.repeat([1, 2, 3], [18, 20, 22])
    one = karat.compare(
        y, {"bad": bad, "good": good}, design=karat.Folds(folds), metrics=["accuracy"]
    ).folds["accuracy"]
    _, low, high = corrected_t(np.array(one.values), one.test_train_ratio)
    # By the standard error alone it would end above 1, where no difference of accuracies lies.
    assert high > 1.0
    assert (one.high, one.low) == (1.0, pytest.approx(low, rel=1e-9))
    turned = karat.compare(
        y, {"good": good, "bad": bad}, design=karat.Folds(folds), metrics=["accuracy"]
    ).folds["accuracy"]
    assert (turned.low, turned.high) == (-1.0, pytest.approx(-low, rel=1e-9))
