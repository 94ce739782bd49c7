"""Differences of metrics of labels: standard errors, weights, clusters, degenerate tables."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

import karat
from karat.inference.comparison import swaps
from karat.inference.comparison.swaps import swap_p_values
from karat.metrics import get
from karat.tally import Cells, Classes, JointCells
from tests.comparison.data import drawn

NAMES = ["accuracy", "macro_f1", "kappa", "matthews_correlation", "balanced_accuracy"]


def value(name: str, true: np.ndarray, said: np.ndarray, weights: np.ndarray, k: int = 4) -> float:
    table = np.zeros((k, k))
    np.add.at(table, (true, said), weights)
    return float(get(name).values(Cells.dense(table, classes=Classes.of(range(k)))).value)


@pytest.mark.parametrize("name", NAMES)
def test_the_standard_error_is_that_of_shifted_weights(name: str) -> None:
    true, (a, b) = drawn(1, 150, k=4)
    found = karat.compare(true, {"b": b, "a": a}, metrics=name)[name]
    ones, h = np.ones(150), 1e-5
    phi = []
    for i in range(150):
        up, down = ones.copy(), ones.copy()
        up[i], down[i] = 1 + h, 1 - h
        sides = [value(name, true, a, w) - value(name, true, b, w) for w in (up, down)]
        phi.append((sides[0] - sides[1]) / (2 * h))
    assert found.difference == pytest.approx(
        value(name, true, a, ones) - value(name, true, b, ones)
    )
    assert found.standard_error == pytest.approx(math.sqrt(np.sum(np.square(phi))), rel=1e-4)


@pytest.mark.parametrize("name", ["macro_f1", "kappa"])
def test_the_standard_error_is_near_that_of_the_bootstrap(name: str) -> None:
    true, (a, b) = drawn(2, 800, k=4)
    found = karat.compare(true, {"b": b, "a": a}, metrics=name)[name]
    rng = np.random.default_rng(3)
    differences = []
    for _ in range(600):
        w = np.bincount(rng.integers(0, 800, 800), minlength=800).astype(float)
        differences.append(value(name, true, a, w) - value(name, true, b, w))
    assert found.standard_error == pytest.approx(np.std(differences), rel=0.12)
    assert found.standard_error is not None
    apart = karat.compare(true, {"b": b, "a": a}, metrics=name, paired=False)[name]
    assert apart.standard_error is not None
    # The control: without the pairing the standard error is far from that of the bootstrap.
    assert apart.standard_error > 1.3 * found.standard_error


def test_the_accuracy_has_the_standard_error_of_discordant_rows() -> None:
    true, (a, b) = drawn(4, 300)
    found = karat.compare(true, {"b": b, "a": a})["accuracy"]
    assert found.discordant is not None
    up, down = found.discordant.b, found.discordant.c
    assert (up, down) == (((a == true) & (b != true)).sum(), ((b == true) & (a != true)).sum())
    assert found.difference == pytest.approx((up - down) / 300)
    variance = ((up + down) / 300 - found.difference**2) / 300
    assert found.standard_error == pytest.approx(math.sqrt(variance))
    assert found.discordant.odds == pytest.approx(up / down)
    assert found.discordant.error_ratio == pytest.approx((a != true).mean() / (b != true).mean())
    assert found.method == "mid-p McNemar, score interval"


def test_detectable_and_needed_rows_follow_from_the_standard_error() -> None:
    true, (a, b) = drawn(5, 500)
    found = karat.compare(true, {"b": b, "a": a})["macro_f1"]
    assert found.standard_error is not None
    both = 1.959964 + 0.841621
    assert found.detectable == pytest.approx(both * found.standard_error, rel=1e-6)
    needed = 500 * (both * found.standard_error / found.difference) ** 2
    assert found.rows_needed == math.ceil(needed)


def test_a_metric_that_is_the_error_rate_has_the_test_of_the_accuracy_turned() -> None:
    true, (a, b) = drawn(6, 400)
    found = karat.compare(true, {"b": b, "a": a}, metrics=["accuracy", "error_rate", "micro_f1"])
    right, wrong, micro = found["accuracy"], found["error_rate"], found["micro_f1"]
    assert (right.low, right.high) == pytest.approx((micro.low, micro.high))
    assert wrong.low is not None
    assert right.high is not None
    assert wrong.low == pytest.approx(-right.high)
    assert right.p == wrong.p == micro.p
    assert right.verdict == wrong.verdict


@pytest.mark.parametrize("weights", [None, np.ones(60), np.linspace(0.5, 2, 60)])
def test_models_that_predict_the_same_differ_by_nothing(weights: np.ndarray | None) -> None:
    true, (a, _) = drawn(7, 60)
    found = karat.compare(true, {"one": a, "two": a.copy()}, weights=weights)
    for one in found.differences:
        assert one.difference == 0.0
        assert (one.p, one.p_adjusted) == (1.0, 1.0)
        assert one.verdict == "identical"
        assert one.standard_error == 0.0
        assert one.low is not None
        assert one.high is not None
        assert one.low <= 0.0 <= one.high
        assert one.remark == "both predict the same for every row"
    near = karat.compare(true, {"one": a, "two": a.copy()}, weights=weights, margin=0.2)
    assert {one.verdict for one in near.differences} == {"equivalent"}


def test_models_of_which_one_is_always_right_differ_for_sure() -> None:
    true = np.arange(80) % 2
    for options in ({}, {"weights": np.full(80, 2.0)}, {"clusters": np.arange(80) // 2}):
        found = karat.compare(true, {"wrong": 1 - true, "right": true}, **options)  # type: ignore[arg-type]
        for one in found.differences:
            assert one.verdict == "better", (options, one)
            assert one.p is not None
            assert math.isfinite(one.p)
            assert "NaN" not in found.to_json()


def test_differences_stay_within_the_range_of_a_difference() -> None:
    true = np.array([0, 0, 0, 1, 1, 1])
    found = karat.compare(true, {"wrong": 1 - true, "right": true})
    for one in found.differences:
        low, high = get(one.metric).range
        assert one.low is not None
        assert one.high is not None
        assert low - high <= one.low <= one.difference <= one.high <= high - low


def test_weights_of_one_number_say_nothing_and_rows_twice_halve_the_variance() -> None:
    true, (a, b) = drawn(8, 200)
    plain = karat.compare(true, {"b": b, "a": a})
    heavy = karat.compare(true, {"b": b, "a": a}, weights=np.full(200, 2.0))
    twice = karat.compare(np.tile(true, 2), {"b": np.tile(b, 2), "a": np.tile(a, 2)})
    for name in plain.metrics:
        one, two, three = plain[name], heavy[name], twice[name]
        assert one.difference == pytest.approx(two.difference, abs=1e-14)
        assert one.difference == pytest.approx(three.difference, abs=1e-14)
        assert one.standard_error is not None
        assert two.standard_error == pytest.approx(one.standard_error)
        assert three.standard_error == pytest.approx(one.standard_error / math.sqrt(2))
    assert plain["macro_f1"].method.startswith("influence z")
    assert heavy["macro_f1"].method.startswith("influence t")


def test_clusters_of_one_row_are_no_clusters() -> None:
    true, (a, b) = drawn(9, 150)
    plain = karat.compare(true, {"b": b, "a": a})
    alone = karat.compare(true, {"b": b, "a": a}, clusters=np.arange(150)[::-1])
    assert alone.to_dict() == plain.to_dict()


def test_rows_that_are_copies_of_each_other_count_once_as_a_cluster() -> None:
    true, (a, b) = drawn(10, 150)
    plain = karat.compare(true, {"b": b, "a": a}, metrics=["kappa", "accuracy"])
    copies = {name: np.repeat(said, 4) for name, said in (("b", b), ("a", a))}
    found = karat.compare(
        np.repeat(true, 4), copies, metrics=["kappa", "accuracy"],
        clusters=[f"user {i}" for i in np.repeat(np.arange(150), 4)],
    )  # fmt: skip
    naive = karat.compare(np.repeat(true, 4), copies, metrics=["kappa", "accuracy"])
    for name in plain.metrics:
        error = plain[name].standard_error
        assert error is not None
        assert found[name].standard_error == pytest.approx(error * math.sqrt(150 / 149))
        # The control: without clusters the copies halve the standard error.
        assert naive[name].standard_error == pytest.approx(error / 2)
        assert found[name].method.startswith("influence t")


def test_rare_classes_are_tested_by_swaps_with_the_same_p_for_the_same_seed() -> None:
    true, (a, b) = drawn(11, 60)
    first, second, third = (
        karat.compare(
            true, {"b": b, "a": a}, interval=karat.Interval(seed=seed), metrics="macro_f1"
        )["macro_f1"]
        for seed in (0, 0, 1)
    )
    assert first.method.startswith("swap permutation")
    assert first == second
    assert first.p != third.p
    assert first.p == pytest.approx(third.p, abs=0.03)


def test_a_permutation_of_the_rows_gives_the_p_value_of_the_cells() -> None:
    true, (a, b) = drawn(12, 40, (0.4, 0.2), k=3)
    found = karat.compare(
        true, {"b": b, "a": a}, metrics="macro_f1", interval=karat.Interval(n_replicates=20_000)
    )
    rng, ones = np.random.default_rng(1), np.ones(40)
    seen = abs(value("macro_f1", true, a, ones, 3) - value("macro_f1", true, b, ones, 3))
    beyond = 0
    for _ in range(3000):
        swap = rng.random(40) < 0.5
        left, right = np.where(swap, b, a), np.where(swap, a, b)
        difference = value("macro_f1", true, left, ones, 3) - value(
            "macro_f1", true, right, ones, 3
        )
        beyond += abs(difference) >= seen - 1e-12
    assert found["macro_f1"].p == pytest.approx(beyond / 3000, abs=0.03)


def test_swaps_of_many_classes_are_those_of_few() -> None:
    true, (a, b) = drawn(13, 60, k=4)
    wide = list(range(100))
    few = karat.compare(true, {"b": b, "a": a}, metrics="matthews_correlation")
    many = karat.compare(true, {"b": b, "a": a}, metrics="matthews_correlation", labels=wide)
    metrics = [get("matthews_correlation"), get("macro_f1")]
    p = [
        swap_p_values(
            JointCells.of(Classes.of(labels), ["a", "b"], true, [a, b]), metrics, 499, [0]
        )
        for labels in (range(4), wide)
    ]
    assert p[0][0][0] == p[1][0][0]
    assert few.differences[0].p is not None
    # Of limits and swaps the larger p counts.
    assert few.differences[0].p >= p[0][0][0] - 0.03
    assert few.differences[0].standard_error == pytest.approx(many.differences[0].standard_error)


@pytest.mark.parametrize("k", [5, 90])
def test_swaps_of_class_totals_are_those_of_cells(k: int) -> None:
    """Beside a metric that reads cells, the others do too."""
    rng = np.random.default_rng(k)
    true = rng.integers(0, k, 400)
    a, b = (np.where(rng.random(400) < part, true, rng.integers(0, k, 400)) for part in (0.6, 0.64))
    pair = JointCells.of(Classes.of(list(range(k))), ["a", "b"], true, [a, b])
    metrics = [get(name) for name in ("macro_f1", "kappa", "kappa_linear")]
    of_totals, n = swap_p_values(pair, metrics[:2], 299, [0])
    assert (of_totals, n) == (swap_p_values(pair, metrics, 299, [0])[0][:2], 299)
    assert 0.01 < of_totals[0] < 0.99


def test_single_rows_of_many_cells_are_fair_coins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells of one row are bits, others words or binomial draws: the same distribution."""
    n = np.array([1] * 1000 + [2] * 100 + [64] * 20 + [200] * 20)
    monkeypatch.setattr(swaps, "_MANY", 100)
    bits, others = swaps._heads(np.random.default_rng(0), n, 1000, 300)
    heads = np.concatenate([np.unpackbits(bits, axis=1, count=1000), others], axis=1)
    assert heads.shape == (300, len(n))
    assert ((heads >= 0) & (heads <= n)).all()
    z = (heads - n / 2.0) / np.sqrt(n / 4.0)
    assert abs(z.mean()) < 5.0 / np.sqrt(z.size)
    assert (np.abs(z[:, :1000]) == 1.0).all()
    assert z[:, 1000:].std() == pytest.approx(1.0, abs=0.02)
    assert abs(np.corrcoef(heads[:, 0], heads[:, 1])[0, 1]) < 0.3
    rng = np.random.default_rng(1)
    true = rng.integers(0, 40, 500)
    a, b = (
        np.where(rng.random(500) < part, true, rng.integers(0, 40, 500)) for part in (0.6, 0.65)
    )
    pair = JointCells.of(Classes.of(list(range(40))), ["a", "b"], true, [a, b])
    (of_bits,), _ = swap_p_values(pair, [get("macro_f1")], 3000, [0])
    monkeypatch.undo()
    (of_words,), _ = swap_p_values(pair, [get("macro_f1")], 3000, [0])
    assert of_bits == pytest.approx(of_words, abs=0.04)
    assert of_bits != of_words


def test_a_p_value_that_replicates_bound_is_shown_as_a_bound() -> None:
    rng = np.random.default_rng(1)
    true = rng.permutation(np.repeat(np.arange(60), 5))
    bad, good, fair = (
        np.where(rng.random(300) < part, true, rng.integers(0, 60, 300)) for part in (0.4, 1, 0.45)
    )
    models = {"bad": bad, "good": good, "fair": fair}
    for adjust, factor in (("holm", 3), ("none", 1)):
        found = karat.compare(
            true,
            models,
            metrics=["macro_f1"],
            interval=karat.Interval(n_replicates=499),
            adjust=adjust,
        )
        shown = [f"<{factor * 0.002:.4f}", f"{found.differences[1].p_adjusted:.2f}"]
        for text in (found.text(200), found.to_markdown(), found.to_html()):
            cells = re.findall(r"(?:<|&lt;)0\.00\d\d", text.replace("0.0001", ""))
            assert {cell.replace("&lt;", "<") for cell in cells} == {shown[0]}, adjust
            assert shown[1] in text
        document = json.loads(found.to_json())["differences"]
        assert [one["p_adjusted"] for one in document] == [
            one.p_adjusted for one in found.differences
        ]
        assert document[0]["p"] == 0.002


def test_models_on_different_rows_add_their_variances() -> None:
    true, (a, b) = drawn(14, 400)
    found = karat.compare({"x": true[:250], "y": true[250:]}, {"x": a[:250], "y": b[250:]})
    assert not found.is_paired
    assert found.n == {"x": 250, "y": 150}
    for one in found.differences:
        errors = [found.values[one.metric][name].standard_error for name in ("x", "y")]
        assert one.standard_error == pytest.approx(math.hypot(*[float(e or 0) for e in errors]))
        assert one.method.startswith("unpaired z")
        assert one.remark is not None
        assert "independent" in one.remark
    reports = {
        "x": karat.evaluate(true[:250], a[:250]), "y": karat.evaluate(true[250:], b[250:]),
    }  # fmt: skip
    again = karat.compare(reports)
    assert again.to_dict() == found.to_dict()


def test_the_unpaired_accuracy_has_the_interval_of_newcombe() -> None:
    # Newcombe (1998), method 10, 56/70 against 48/80: 0.0524 to 0.3339.
    left, right = [1] * 56 + [0] * 14, [1] * 48 + [0] * 32
    found = karat.compare({"a": [1] * 70, "b": [1] * 80}, {"a": left, "b": right}, labels=[0, 1],
                          metrics="accuracy", baseline="b")  # fmt: skip
    one = found["accuracy"]
    assert one.low is not None
    assert one.high is not None
    assert (round(one.low, 4), round(one.high, 4)) == (0.0524, 0.3339)
