"""Differences of models in every label of sets, and in strata of labels."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from karat.inference.comparison import set_swaps


def drawn(seed: int, n: int, k: int, shares: tuple[float, float]) -> tuple[np.ndarray, Any]:
    rng = np.random.default_rng([272, seed])
    true = (0.6 * rng.normal(size=(n, 1)) + rng.normal(size=(n, k))) > 0.7
    both, row = rng.random((n, k)) < 0.05, rng.random((n, 1))
    models = {
        # Mistakes of a row go together.
        name: np.where(both | (0.7 * rng.random((n, k)) + 0.3 * row < share), ~true, true)
        for name, share in zip("ab", shares, strict=True)
    }
    return true, models


def recalls(true: np.ndarray, pred: np.ndarray) -> np.ndarray:
    return (true & pred).sum(axis=0) / true.sum(axis=0)


def test_p_values_are_those_of_every_exchange_of_rows() -> None:
    true, models = drawn(26, 10, 3, (0.5, 0.3))
    a, b = models["a"], models["b"]
    every = []
    for swapped in itertools.product([False, True], repeat=10):
        at = np.array(swapped)[:, None]
        every.append(recalls(true, np.where(at, b, a)) - recalls(true, np.where(at, a, b)))
    each = np.abs(every)
    alone = (each >= each[0] - 1e-12).mean(axis=0)
    deviation = np.sqrt((each**2).mean(axis=0))
    scaled = each / np.where(deviation > 0.0, deviation, np.inf)
    together = (scaled.max(axis=1)[:, None] >= scaled[0] - 1e-12).mean(axis=0)
    found = karat.compare(true, models, interval=karat.Interval(n_replicates=20_000)).per_label(
        "recall", "a", "b"
    )
    assert [one.p for one in found] == pytest.approx(alone, abs=0.015)
    assert [one.p_adjusted for one in found] == pytest.approx(together, abs=0.02)
    assert [one.difference for one in found] == pytest.approx(recalls(true, a) - recalls(true, b))
    assert [one.n for one in found] == true.sum(axis=0).tolist()


@pytest.mark.parametrize("options", [{}, {"weights": np.arange(300) % 3 + 1.0}])
def test_limits_are_those_of_two_classes(options: dict[str, Any]) -> None:
    true, models = drawn(2, 300, 3, (0.2, 0.12))
    for name in ("recall", "f1", "specificity"):
        found = karat.compare(
            true, models, interval=karat.Interval(n_replicates=299), **options
        ).per_label(name)
        for label, one in enumerate(found):
            columns = {x: pred[:, label] for x, pred in models.items()}
            facts: dict[str, Any] = {
                "metrics": name,
                "positive": True,
                "interval": karat.Interval(n_replicates=99),
            }
            alone = karat.compare(true[:, label], columns, **facts, **options)[name]
            assert one.difference == pytest.approx(alone.difference)
            assert (one.low, one.high) == pytest.approx((alone.low, alone.high), abs=0.006)
            assert one.low_simultaneous < one.low < one.high < one.high_simultaneous
            assert one.p_adjusted >= one.p
            assert one.q >= one.p - 1e-9


def test_labels_at_once_are_rarely_called_different() -> None:
    shown = np.zeros(2)
    for seed in range(60):
        true, models = drawn(seed + 10, 80, 20, (0.25, 0.25))
        compared = karat.compare(
            true, models, metrics="micro_f1", interval=karat.Interval(n_replicates=299)
        )
        found = compared.per_label("specificity")
        shown[0] += min(one.p_adjusted for one in found) < 0.05
        shown[1] += min(one.p for one in found) < 0.05
    assert shown[0] <= 0.12 * 60
    # The control: each label alone.
    assert shown[1] > 0.2 * 60


def test_one_label_that_is_better_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    true, models = drawn(3, 400, 6, (0.15, 0.15))
    models["b"] = np.where(np.arange(6) == 4, true, models["b"])
    found = karat.compare(true, models, labels=karat.Labels(names=list("uvwxyz"))).per_label()
    assert [one.label for one in found if one.p_adjusted < 0.05] == [4]
    assert str(found[4]).startswith("f1 of 4: b − a = +0.")
    clustered = karat.compare(true, models, clusters=np.arange(400) // 2)
    assert clustered.per_label()[4].p_adjusted < 0.05
    # Where so many replicates are too dear, the normal distribution and Holm.
    wide = np.tile(true, 12), {name: np.tile(pred, 12) for name, pred in models.items()}
    dear = karat.compare(*wide, metrics="micro_f1", interval=karat.Interval(n_replicates=1_000_000))
    monkeypatch.setattr(set_swaps, "_MOST_PRODUCTS", 1)
    by_normal = dear.per_label()
    assert by_normal[4].method.startswith("influence z")
    assert by_normal[4].p_adjusted < 0.05


def test_a_stratum_is_a_comparison_of_its_labels() -> None:
    true, models = drawn(4, 200, 6, (0.2, 0.1))
    found = karat.compare(true, models, label_strata={"head": [0, 1, 2], "tail": [5, 4]})
    for name, columns in (("head", [0, 1, 2]), ("tail", [4, 5])):
        some = {x: pred[:, columns] for x, pred in models.items()}
        alone = karat.compare(true[:, columns], some)
        for one, other in zip(found.strata[name], alone, strict=True):
            assert (one.difference, one.low, one.p) == (other.difference, other.low, other.p)
        assert found.strata[name].classes.labels == tuple(columns)
    assert found.strata["head"]["macro_f1"].difference != found["macro_f1"].difference
    assert set(found.to_dict()["strata"]) == {"head", "tail"}


def test_a_report_of_some_labels() -> None:
    true, models = drawn(6, 120, 5, (0.2, 0.1))
    prob = np.where(models["a"], 0.8, 0.3) + np.linspace(0.0, 0.1, 120)[:, None]
    w = np.arange(120) % 3 + 1.0
    for facts in ({"y_pred": models["a"]}, {"y_prob": prob}, {"y_pred": models["a"], "weights": w}):
        report: Any = karat.evaluate(true, clusters=np.arange(120) // 2, **facts)
        some = report.of_labels([4, 1])
        own = {x: v if x == "weights" else v[:, [1, 4]] for x, v in facts.items()}
        alone: Any = karat.evaluate(true[:, [1, 4]], clusters=np.arange(120) // 2, **own)
        assert [row["label"] for row in some.per_class] == [1, 4]
        assert set(some) == set(alone)
        for name in some:
            limits = [(one[name].value, one[name].low or 0.0) for one in (some, alone)]
            assert limits[0] == pytest.approx(limits[1], nan_ok=True, rel=1e-9), name
    with pytest.raises(KaratError, match="K109"):
        report.of_labels([9])
    with pytest.raises(KaratError, match="K211"):
        karat.MultilabelReport.from_json(report.to_json()).of_labels([1])


def test_what_is_refused() -> None:
    true, models = drawn(5, 60, 3, (0.2, 0.1))
    plain = {"a": [0, 1], "b": [1, 1]}
    calls: list[tuple[str, Any]] = [
        ("K109", lambda: karat.compare(true, models, label_strata={"tail": [7]})),
        ("K122", lambda: karat.compare(true, models, label_strata=[0, 1])),
        ("K221", lambda: karat.compare([0, 1], plain, label_strata={"x": [0]})),
        ("K166", lambda: karat.compare([0, 1], plain).per_label()),
        ("K166", lambda: karat.compare(dict.fromkeys("ab", true), models).per_label()),
        ("K166", lambda: karat.compare(true, models).per_label("roc_auc")),
        ("K168", lambda: karat.compare(true, models).per_label("f1", "a", "c")),
        ("K219", lambda: karat.compare(true, models).per_label("kappa_linear")),
        ("K219", lambda: karat.compare(true, models).per_label("hamming_loss")),
    ]
    for code, call in calls:
        with pytest.raises(KaratError) as caught:
            call()
        assert caught.value.code == code


def test_rows_that_stand_for_several_are_exchanged_one_by_one() -> None:
    true, models = drawn(3, 60, 3, (0.9, 0.8))
    times = np.arange(60) % 4
    at = np.repeat(np.arange(60), times)
    written = {name: pred[at] for name, pred in models.items()}
    asked: dict[str, Any] = {"metrics": "micro_f1", "interval": karat.Interval(n_replicates=4999)}
    often = karat.compare(true, models, weights=karat.Frequency(times), **asked)
    sides = [often, karat.compare(true[at], written, **asked)]
    for metric in ("f1", "recall"):
        found, wanted = ([one.p for one in each.per_label(metric)] for each in sides)
        assert found == pytest.approx(wanted, abs=0.03)
    # The control: rows of as much importance are exchanged whole.
    heavy = karat.compare(true, models, weights=times, **asked).per_label("f1")
    assert heavy[0].p > 10 * sides[0].per_label("f1")[0].p


def test_limits_of_labels_exclude_0_exactly_where_p_does() -> None:
    n_shown = 0
    for seed in (11, 15, 21, 24, 30):
        rng = np.random.default_rng([5, seed])
        true = (rng.random((150, 8)) < 0.12).astype(int)
        wrong = np.where(true, 0.3, 0.04)
        models = {x: np.where(rng.random(true.shape) < wrong, 1 - true, true) for x in "ab"}
        models["b"][:, 0] = true[:, 0]
        found = karat.compare(
            true, models, metrics="macro_f1", interval=karat.Interval(n_replicates=499)
        )
        for metric in ("recall", "f1"):
            for one in found.per_label(metric):
                assert one.low is not None
                assert one.high is not None
                assert one.low_simultaneous is not None
                assert one.high_simultaneous is not None
                assert one.p is not None
                assert one.p_adjusted is not None
                assert one.low_simultaneous <= one.low <= one.difference
                assert one.difference <= one.high <= one.high_simultaneous
                assert (one.low > 0 or one.high < 0) == (one.p < 0.05)
                is_apart = one.low_simultaneous > 0 or one.high_simultaneous < 0
                assert is_apart == (one.p_adjusted < 0.05)
                n_shown += is_apart
    assert n_shown > 0


def test_a_label_that_is_undefined_for_a_model_is_not_compared() -> None:
    true = [{"cat"}, {"dog"}, {"cat", "dog"}] * 20
    models = {"old": [{"cat"}] * 60, "new": true}
    found = {one.label: one for one in karat.compare(true, models).per_label("precision")}
    dog = found["dog"]
    assert np.isnan(dog.difference)
    assert (dog.p, dog.low, dog.verdict) == (None, None, "not tested")
    assert "undefined for a model" in str(dog)
    assert found["cat"].p is not None


@pytest.mark.parametrize("draws", [set_swaps.n_replicates, lambda *_: 0])
def test_limits_of_labels_have_no_unit_of_weights(
    monkeypatch: pytest.MonkeyPatch, draws: Any
) -> None:
    monkeypatch.setattr(set_swaps, "n_replicates", draws)
    true, models = drawn(5, 60, 3, (0.3, 0.15))
    weights = np.arange(60) % 3 + 1.0
    made = [
        karat.compare(
            true, models, weights=unit * weights, interval=karat.Interval(n_replicates=199)
        ).per_label("recall")
        for unit in (1.0, 2.0**-400, 2.0**400)
    ]
    for found in made[1:]:
        for one, other in zip(made[0], found, strict=True):
            limits = one.low, one.high, one.low_simultaneous, one.high_simultaneous
            moved = other.low, other.high, other.low_simultaneous, other.high_simultaneous
            assert moved == pytest.approx(limits, rel=1e-9)
            assert (other.p, other.p_adjusted) == pytest.approx((one.p, one.p_adjusted))


@pytest.mark.parametrize("name", ["ndcg", "coverage_error", "label_ranking_average_precision"])
def test_metrics_of_sets_are_refused_for_scores_of_two_classes(name: str) -> None:
    scores = {"a": [0.2, 0.6, 0.3, 0.4], "b": [0.8, 0.4, 0.7, 0.6]}
    with pytest.raises(KaratError) as caught:
        karat.compare([0, 1, 1, 0], y_prob=scores, metrics=name)
    assert caught.value.code == "K221"
