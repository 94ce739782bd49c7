"""What is asked of intervals: what is refused, what hostile rows give, what reports warn of."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from tests.grouping import grouped

N = 100
RNG = np.random.default_rng(0)
Y_TRUE = RNG.integers(0, 3, N)
Y_PRED = np.where(RNG.random(N) < 0.7, Y_TRUE, RNG.integers(0, 3, N))
PROB = RNG.dirichlet(np.ones(3), N)


def refused(code: str, *given: Any, **asked: Any) -> str:
    with pytest.raises(KaratError) as caught:
        karat.evaluate(*(given or (Y_TRUE, Y_PRED)), **grouped(asked))
    assert caught.value.code == code
    return str(caught.value)


def check(report: karat.Report) -> None:
    """Limits hold their values, or a remark or a reason stands beside it; it can be written."""
    for name, found in report.metrics.items():
        if found.low is None or found.high is None:
            assert found.remark or found.undefined, name
        else:
            assert found.low <= found.value <= found.high, name
    assert karat.Report.from_json(report.to_json()).to_json() == report.to_json()
    assert str(report)


@pytest.mark.parametrize("level", [0, 1, 1.5, -1, "95", float("nan"), float("inf"), True, [0.95]])
def test_a_level_that_is_none(level: Any) -> None:
    assert f"level={level!r}" in refused("K122", level=level)


@pytest.mark.parametrize("argument", ["method", "side"])
@pytest.mark.parametrize("value", ["foo", "", 1, ["low"], b"low"])
def test_a_word_that_is_no_choice(argument: str, value: Any) -> None:
    with pytest.raises(karat.KaratError, match="K122") as caught:
        karat.Interval(**{argument: value})
    assert f"{argument}={value!r}" in str(caught.value)


@pytest.mark.parametrize("seed", [-1, 1.5, 2**64, 10**30, "1", True, None, float("nan")])
def test_a_seed_that_is_none(seed: Any) -> None:
    with pytest.raises(karat.KaratError, match="K122  seed="):
        karat.evaluate([0, 1], [0, 1], interval=karat.Interval(seed=seed))


@pytest.mark.parametrize("n_replicates", [3, 99, 10**7, "1000", 100.5])
def test_replicates_that_are_too_few(n_replicates: Any) -> None:
    assert "n_replicates=" in refused("K122", interval=karat.Interval(n_replicates=n_replicates))


@pytest.mark.parametrize("level", [0.5, 1 - 2.1e-12, np.float32(0.9)])
def test_levels_near_the_ends(level: Any) -> None:
    check(karat.evaluate(Y_TRUE, Y_PRED, level=level))


@pytest.mark.parametrize("level", [1 - 1e-12, 1 - 1e-16])
def test_levels_past_the_end(level: Any) -> None:
    assert "1 − 2e-12" in refused("K122", level=level)


@pytest.mark.parametrize("level", [0.0001, 0.05, 0.499])
def test_levels_that_are_error_rates(level: Any) -> None:
    assert f"level={1.0 - level:g}" in refused("K122", level=level)


@pytest.mark.parametrize(
    ("clusters", "code"),
    [
        (np.arange(99), "K102"),
        ([None, *range(99)], "K104"),
        (np.where(np.arange(N) == 3, np.nan, 1.0), "K104"),
        (np.linspace(0, 1, N), "K105"),
        (np.zeros(N, int), "K145"),
        (np.zeros((N, 2)), "K103"),
        ([1, "a"] * 50, "K107"),
        ([], "K101"),
    ],
)
@pytest.mark.parametrize("kind", ["labels", "scores"])
def test_clusters_that_are_none(clusters: Any, code: str, kind: str) -> None:
    given = {"y_pred": Y_PRED} if kind == "labels" else {"y_prob": PROB}
    message = refused(code, Y_TRUE, **given, clusters=clusters)
    assert "cluster" in message


def test_clusters_without_rows() -> None:
    with pytest.raises(KaratError, match="clusters= was given without rows"):
        karat.evaluate(confusion=[[3, 1], [2, 4]], clusters=[0, 1])
    assert "Column names" in refused("K143", clusters="patient")


def test_frequencies_that_are_no_numbers_of_rows() -> None:
    half = np.full(N, 0.5)
    assert "whole" in refused("K150", weights=karat.Frequency(half))
    prob = {"y_prob": PROB, "weights_are": "frequency"}
    assert "whole" in refused("K150", Y_TRUE, **prob, weights=half)
    assert "rows" in refused("K150", Y_TRUE, **prob, weights=np.full(N, 1e9))


@pytest.mark.parametrize("method", [None, "bootstrap", "bayesian"])
def test_a_matrix_of_sums_of_weights(method: str | None) -> None:
    report = karat.evaluate(confusion=[[3.5, 1], [2, 4.25]], interval=karat.Interval(method=method))
    check(report)
    said = "the table holds sums of weights, and their squares are not known"
    assert report["accuracy"].remark == said
    whole = karat.evaluate(confusion=[[3.0, 1], [2, 4.0]])
    assert whole["accuracy"].low is not None


METHODS = [None, "wald", "logit", "bootstrap", "bca", "bayesian"]


@pytest.mark.parametrize("method", METHODS)
def test_small_and_perfect_tables(method: str | None) -> None:
    asked = {"interval": karat.Interval(method=method, n_replicates=100)}
    check(karat.evaluate([1] * 9, [1] * 9, **grouped(asked)))
    check(karat.evaluate(["a"] * 9, ["a"] * 9, **grouped(asked)))
    for y_pred in ([1], [0]):
        check(karat.evaluate([1], y_pred, **grouped(asked)))
    check(karat.evaluate([1], [1], labels=[0, 1, 2], **grouped(asked)))
    check(karat.evaluate(Y_TRUE, Y_TRUE, **grouped(asked)))
    check(karat.evaluate([0, 1, 2], y_prob=np.eye(3), **grouped(asked)))
    check(karat.evaluate([1], y_prob=PROB[:1], labels=[0, 1, 2], **grouped(asked)))
    certain = PROB.copy()
    certain[0] = np.where(np.arange(3) == Y_TRUE[0], 0.0, 0.5)
    check(karat.evaluate(Y_TRUE, y_prob=certain, **grouped(asked)))


@pytest.mark.parametrize("method", METHODS)
def test_very_many_rows(method: str | None) -> None:
    table = [[10**15, 10**14], [2 * 10**14, 10**15]]
    report = karat.evaluate(
        confusion=table, interval=karat.Interval(method=method, n_replicates=100)
    )
    check(report)
    found = report["accuracy"]
    assert 0 < found.high - found.low < 1e-7


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", [1e130, 1e-130])
def test_extreme_weights(scale: float, method: str | None) -> None:
    """The unit of weights changes no interval."""
    weights = RNG.random(N)
    power = 2.0 ** round(np.log2(scale))
    for given in ({"y_pred": Y_PRED}, {"y_prob": PROB}):
        for clusters in (None, np.arange(N) // 5):
            asked = {
                "interval": karat.Interval(method=method, n_replicates=100),
                "clusters": clusters,
            }
            plain = karat.evaluate(Y_TRUE, **grouped({**given, **asked}), weights=weights)
            scaled = karat.evaluate(Y_TRUE, **grouped({**given, **asked}), weights=weights * power)
            check(scaled)
            for name in ("accuracy", "macro_f1", "kappa", "log_loss", "roc_auc_ovr_macro"):
                if name in plain:
                    one, two = plain[name], scaled[name]
                    assert two.low == pytest.approx(one.low, rel=1e-9), name
                    assert two.standard_error == pytest.approx(one.standard_error, rel=1e-9), name


@pytest.mark.parametrize("method", METHODS)
def test_weights_that_have_no_common_unit(method: str | None) -> None:
    weights = np.where(Y_TRUE == 0, 1e130, 1e-130)
    for clusters in (None, np.arange(N) // 5):
        check(
            karat.evaluate(
                Y_TRUE,
                Y_PRED,
                weights=weights,
                interval=karat.Interval(method=method, n_replicates=100),
                clusters=clusters,
            )
        )


def test_extreme_scores() -> None:
    check(karat.evaluate(Y_TRUE, y_score=np.log(PROB) * 1e300))


def test_thousands_of_classes() -> None:
    rng = np.random.default_rng(1)
    y_true = rng.integers(0, 3000, 20_000)
    y_pred = np.where(rng.random(20_000) < 0.6, y_true, rng.integers(0, 3000, 20_000))
    report = karat.evaluate(y_true, y_pred, metrics=["macro_f1", "kappa"])
    started = time.process_time()
    for name in ("macro_f1", "kappa"):
        found = report[name]
        assert found.low is not None
        assert found.low < found.value < found.high
    assert time.process_time() - started < 5.0  # a fraction of a second where nothing else runs


def test_every_caution_is_said_once_and_only_where_it_holds() -> None:
    table = np.array([[50, 10], [5, 60]])
    y_true, y_pred = np.repeat([0, 0, 1, 1], table.ravel()), np.repeat([0, 1, 0, 1], table.ravel())
    n = len(y_true)
    assert karat.evaluate(y_true, y_pred).cautions == ()
    said = {
        "Fewer than 10 true rows of 2": {"y_true": [*y_true, 2, 2], "y_pred": [*y_pred, 2, 0]},
        "No row is predicted wrongly": {"y_true": y_true, "y_pred": y_true},
        "The weights differ so much": {
            "y_true": np.tile(y_true, 8),
            "y_pred": np.tile(y_pred, 8),
            "weights": np.where(np.arange(8 * n) % 7, 0.02, 1.0),
        },
        "There are only 5 clusters": {
            "y_true": y_true,
            "y_pred": y_pred,
            "clusters": np.arange(n) % 5,
        },
        "Replicates draw whole clusters": {
            "y_true": y_true,
            "y_pred": y_pred,
            "clusters": np.arange(n) // 2,
            "design": karat.CaseControl(),
            "interval": karat.Interval(method="bootstrap"),
        },
    }
    for start, given in said.items():
        (caution,) = karat.evaluate(**grouped(given)).cautions
        assert caution.startswith(start)
        assert caution in karat.evaluate(**grouped(given)).to_dict()["cautions"]


def test_many_small_classes_are_not_all_named() -> None:
    (caution, _) = karat.evaluate(range(9), range(9)).cautions
    assert "true rows of 0, 1, 2, 3, 4 and 4 more" in caution
