"""Many pairs: Holm, the largest difference, the test of all models at once, margins."""

from __future__ import annotations

import math

import numpy as np
import pytest

import karat
from karat.inference.comparison import families
from karat.inference.comparison.contrasts import Apart
from karat.inference.comparison.families import holm, largest, tail_of, wald
from karat.inference.comparison.judging import ComparisonSpec, Measured, judged
from karat.inference.comparison.models import Joint
from karat.inference.comparison.shares import PairedShare
from karat.inference.comparison.sides import scaled as _scaled
from karat.inference.estimate import Estimate
from karat.metrics import Node, Table, get, total
from karat.tally import Classes, JointCells
from tests.comparison.data import drawn
from tests.inference.test_metrics_of_others import made
from tests.same import assert_same

ERRORS = (0.3, 0.22, 0.2, 0.2)
NAMES = ("old", "big", "deep", "wide")


def four(
    seed: int = 0, n: int = 600, errors: tuple[float, ...] = ERRORS
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    true, said = drawn(seed, n, errors)
    return true, dict(zip(NAMES, said, strict=True))


def test_holm_is_no_smaller_than_p_keeps_its_order_and_is_at_most_that_of_bonferroni() -> None:
    p = np.random.default_rng(0).random(9) ** 3
    adjusted = np.array(holm(list(p)))
    assert (adjusted >= p).all()
    assert (adjusted <= np.minimum(1.0, 9 * p) + 1e-15).all()
    assert (np.diff(adjusted[np.argsort(p)]) >= 0).all()
    assert holm([0.2]) == [0.2]
    assert holm([]) == []


def test_the_largest_of_independent_differences_has_the_quantile_of_sidak() -> None:
    # Differences to a first model that does not vary are independent.
    drawn_largest = largest(np.eye(4), [(i, 0) for i in range(1, 5)], np.inf, seed=0)
    from statistics import NormalDist

    sidak = NormalDist().inv_cdf(0.5 + 0.95 ** (1 / 4) / 2)
    assert drawn_largest.quantile(0.95) == pytest.approx(sidak, abs=0.02)
    assert drawn_largest.p_value(sidak) == pytest.approx(0.05, abs=0.003)
    once = largest(np.ones((4, 4)), [(i, 0) for i in range(1, 5)], np.inf, seed=0)
    assert once.quantile(0.95) == pytest.approx(1.96, abs=0.02)


def test_the_draws_of_many_pairs_do_not_depend_on_the_block(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pairs = [(1, 0), (2, 0), (2, 1)]
    monkeypatch.setattr(families, "_DRAWS", 50)
    wanted = largest(np.eye(2), pairs, np.inf, seed=3)
    for block in (2, 21):
        monkeypatch.setattr(families, "_BLOCK", block)
        assert_same(largest(np.eye(2), pairs, np.inf, seed=3).draws, wanted.draws, within=1e-12)
    nothing = largest(np.zeros((2, 2)), pairs, np.inf, seed=3)
    assert not nothing.draws.any(), "models that are all the same"


@pytest.mark.parametrize("df", [math.inf, 4.0, 0.0])
def test_a_statistic_without_end_is_never_reached_by_chance(df: float) -> None:
    assert tail_of(math.inf, df) == tail_of(-math.inf, df) == 0.0


def test_of_metrics_of_the_right_rows_only_shares_have_the_test_of_shares() -> None:
    true, models = four()
    found = karat.compare(true, models, metrics=["accuracy", "micro_f1", "micro_jaccard"])
    tests = {one.metric: str(one.method).split(",")[0] for one in found.differences}
    assert tests["accuracy"] == tests["micro_f1"] == "mid-p McNemar"
    assert tests["micro_jaccard"] == "mid-p McNemar and influence z"


def test_adjusted_values_lie_between_p_and_holm_and_intervals_are_wider() -> None:
    true, models = four()
    plain, by_holm, by_largest = (
        karat.compare(true, models, adjust=adjust) for adjust in ("none", "holm", "maxt")
    )
    for one, two, three in zip(
        plain.differences, by_holm.differences, by_largest.differences, strict=True
    ):
        assert one.p == two.p == three.p
        assert one.p_adjusted == one.p
        for found in (two, three):
            assert found.p_adjusted is not None
            assert one.p is not None
            assert found.p_adjusted >= one.p
        assert one.low is not None
        assert three.low is not None
        assert (one.low, one.high) == (two.low, two.high)
        assert three.low < one.low
    assert by_largest.to_dict() == karat.compare(true, models, adjust="maxt").to_dict()


def test_the_order_of_pairs_and_the_baseline() -> None:
    true, models = four()
    found = karat.compare(true, models, metrics="accuracy")
    pairs = [(one.a, one.b) for one in found.differences]
    assert pairs == [("big", "old"), ("deep", "old"), ("wide", "old"), ("deep", "big"),
                     ("wide", "big"), ("wide", "deep")]  # fmt: skip
    found = karat.compare(true, models, metrics="accuracy", baseline="deep")
    assert [(one.a, one.b) for one in found.differences] == [
        ("old", "deep"), ("big", "deep"), ("wide", "deep"),
    ]  # fmt: skip


def test_all_models_at_once_is_cochrans_q_for_the_accuracy() -> None:
    true, models = four(1, 3000, (0.2,) * 4)
    found = karat.compare(true, models, metrics="accuracy").omnibus["accuracy"]
    right = np.stack([said == true for said in models.values()], axis=1).astype(float)
    rows, columns, m = right.sum(axis=1), right.sum(axis=0), right.shape[1]
    q = (m - 1) * (m * (columns**2).sum() - columns.sum() ** 2)
    q /= m * rows.sum() - (rows**2).sum()
    assert found.df == 3
    assert found.statistic == pytest.approx(q, rel=0.05)
    assert karat.compare(true, {"a": models["old"], "b": models["big"]}).omnibus == {}


def test_models_that_are_copies_take_no_degree_of_freedom() -> None:
    true, models = four(2)
    twins = {"one": models["old"], "two": models["old"], "three": models["big"]}
    found = karat.compare(true, twins, adjust="maxt")
    assert {test.df for test in found.omnibus.values()} == {1}
    assert found["accuracy", "two", "one"].p_adjusted == 1.0
    statistic, df, p = wald(np.zeros(2), np.zeros((2, 2)), np.inf)
    assert (statistic, df, p) == (0.0, 0, 1.0)


def test_clusters_make_the_test_of_all_models_one_of_hotelling() -> None:
    true, models = four(3)
    found = karat.compare(true, models, clusters=np.arange(600) // 100, metrics="kappa")
    free = karat.compare(true, models, metrics="kappa")
    # Six clusters and three differences: next to nothing can be shown.
    assert found.omnibus["kappa"].p > free.omnibus["kappa"].p


def test_equivalence_is_an_interval_inside_the_margin() -> None:
    true, models = four(4, 2000)
    pair = {"deep": models["deep"], "wide": models["wide"]}
    for metric in ("accuracy", "macro_f1"):
        inner = karat.compare(true, pair, metrics=metric, level=0.9).differences[0]
        assert inner.low is not None
        assert inner.high is not None
        reach = max(-inner.low, inner.high)
        for margin, verdict in ((reach * 1.001, "equivalent"), (reach * 0.999, "inconclusive")):
            found = karat.compare(true, pair, metrics=metric, margin=margin).differences[0]
            assert found.verdict == verdict
            assert found.p_equivalent == pytest.approx(0.05, abs=0.002)
            assert (found.p_equivalent <= 0.05) == (verdict == "equivalent")


def test_a_model_may_be_shown_not_to_be_inferior_without_being_equivalent() -> None:
    true, models = four(5, 1000)
    found = karat.compare(true, {"old": models["old"], "new": models["deep"]}, margin=0.02)
    one = found["accuracy"]
    assert one.verdict == "better"
    assert one.not_inferior
    assert one.p_equivalent is not None
    assert one.p_equivalent > 0.5
    turned = found["accuracy", "old", "new"]
    assert (turned.verdict, turned.not_inferior) == ("worse", None)
    losing = karat.compare(true, {"new": models["deep"], "old": models["old"]}, margin=0.02)
    assert losing["accuracy"].not_inferior is False
    lower = karat.compare(true, {"new": models["deep"], "old": models["old"]}, margin=0.02,
                          metrics="error_rate")  # fmt: skip
    assert lower["error_rate"].not_inferior is False
    assert lower["error_rate"].verdict == "worse"


def test_a_margin_of_one_metric_leaves_the_others_alone() -> None:
    true, models = four(6)
    found = karat.compare(true, models, margin={"mcc": 0.5})
    margins = {one.metric: (one.margin, one.p_equivalent) for one in found}
    assert margins["matthews_correlation"][0] == 0.5
    assert margins["accuracy"] == (None, None)


def test_the_largest_does_not_depend_on_the_unit() -> None:
    covariance = np.array([[1.0, 0.3], [0.3, 2.0]])
    pairs = [(1, 0), (2, 0), (2, 1)]
    wanted = largest(covariance, pairs, 9.0, seed=3).quantile(0.95)
    for unit in (1e-40, 1e-12, 1e20):
        found = largest(covariance * unit, pairs, 9.0, seed=3).quantile(0.95)
        assert found == pytest.approx(wanted, rel=1e-9)


def test_models_that_differ_on_every_row_alike_are_tested_by_the_number_of_rows() -> None:
    true = np.tile([0, 1], 10)
    models = {"right": true, "wrong": 1 - true, "same": true}
    omnibus = karat.compare(true, models, metrics="accuracy").omnibus["accuracy"]
    assert (omnibus.statistic, omnibus.df) == (20.0, 1)
    found = karat.compare(true, models, metrics="accuracy", clusters=np.arange(20) // 2)
    assert found.omnibus["accuracy"].statistic == 10.0


def test_limits_at_another_level_are_scaled_by_the_quantile() -> None:
    limits = _scaled(get("roc_auc"), (0.001, 0.002), (0.003, 0.001), lambda _: 0.0, 0.95, np.inf)
    quantile = 1.959963984540054
    one, two = limits(quantile), limits(2.0 * quantile)
    assert one == pytest.approx((-np.hypot(0.001, 0.001), np.hypot(0.002, 0.003)), rel=1e-6)
    assert two == pytest.approx((2.0 * one[0], 2.0 * one[1]), rel=1e-6)


def test_a_difference_beyond_the_margin_has_a_p_value_of_equivalence() -> None:
    true = np.tile([0, 1], 100)
    a = np.where(np.arange(200) < 30, 1 - true, true)
    b = np.where(np.arange(200) < 60, 1 - true, true)
    one = karat.compare(true, {"a": a, "b": b}, metrics="accuracy", margin=0.1).differences[0]
    assert one.p_equivalent is not None
    assert 0.5 < one.p_equivalent < 1.0
    far = karat.compare(true, {"a": a, "b": b}, metrics="accuracy", margin=0.01).differences[0]
    assert far.p_equivalent is not None
    assert one.p_equivalent < far.p_equivalent < 1.0


def test_a_metric_without_a_better_side_has_no_inferior_model() -> None:
    true, said = drawn(0, 200, (0.3, 0.2), k=2)
    models = {"a": said[0], "b": said[1]}
    for name, is_known in (("accuracy", True), ("predicted_count", False)):
        one = karat.compare(true, models, metrics=name, margin=0.9).differences[0]
        assert (one.not_inferior is not None) is is_known


def test_two_differences_are_many() -> None:
    true, models = four()
    first = {name: models[name] for name in NAMES[:3]}
    found = karat.compare(true, first, baseline="old", adjust="maxt", metrics="macro_f1")
    assert len(found) == 2
    assert all(str(one.method).endswith(", simultaneous") for one in found)


def test_limits_that_touch_0_hold_it() -> None:
    def limits(_: float) -> tuple[float, float]:
        return 0.0, 0.2

    pair, spread = (0, 1), Apart(np.array([0.001, 0.001]))
    found = Measured(
        get("accuracy"), [Estimate(0.8, 99), Estimate(0.7, 99)], spread, "z",
        tests={pair: ("z", 0.06)}, limits={pair: ("score", limits)},
    )  # fmt: skip
    (one,) = judged(found, ["a", "b"], ComparisonSpec(0.95, "none", {}, (pair,)))
    assert (one.low, one.high) == (0.0, 0.2)
    assert one.remark is None


def rows_right_in_a_million(c: Table) -> Node:
    """The accuracy, scaled and moved so that it is rounded."""
    return 1e6 * (total(c.tp) / c.n) + 0.3


def test_the_share_of_right_rows_is_one_on_any_scale() -> None:
    true = np.array([0, 1, 2, 0])
    cells = JointCells.of(Classes.of(range(3)), ["a", "b"], true, [true, true[::-1]])
    metric = made(rows_right_in_a_million, (0.3, 1000000.3), is_of_right_rows=True)
    scaled = PairedShare.of(metric, cells, Joint(cells).counted)
    assert scaled is not None
    assert scaled.scale((0, 1)) == pytest.approx(1e6)
    curved = PairedShare.of(get("micro_jaccard"), cells, Joint(cells).counted)
    assert curved is not None
    assert curved.scale((0, 1)) is None


def test_the_largest_of_differences_that_do_not_vary_is_0() -> None:
    still = largest(np.zeros((2, 2)), [(0, 1), (0, 2), (1, 2)], math.inf, 0)
    assert (still.quantile(0.95), still.p_value(0.1)) == (0.0, pytest.approx(1 / 100_001))
    # A difference that does not vary adds nothing to the largest of the others.
    one = largest(np.diag([1.0, 0.0]), [(0, 1), (0, 2)], math.inf, 0)
    assert one.quantile(0.95) == pytest.approx(1.96, abs=0.02)
