"""How values of models vary together, and proportions of the same rows, against their formulas."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from karat.designs import units_of
from karat.designs.units import Sample, Units
from karat.inference.comparison.contrasts import Apart, Paired, mid_p, score_limits
from karat.inference.comparison.judging import ComparisonSpec, Measured
from karat.inference.comparison.records import Discordant
from karat.inference.comparison.shares import PairedShare, score_of, with_share
from karat.inference.comparison.sides import apart_by_limits, contrasted, limits_of_still, scaled
from karat.inference.confidence import Interval
from karat.inference.estimate import Estimate
from karat.metrics import Node, OneVsRest, get
from karat.metrics._proportions import proportion
from karat.tally import Classes, JointCells
from tests.comparison.test_contrasts_by_hand import Reach, covariance_by_hand, variance_by_hand
from tests.inference.test_metrics_of_others import made

ACCURACY = get("accuracy")
PAIR = (0, 1)


def estimate(value: float, down: float = 0.02, up: float = 0.01, **more: Any) -> Estimate:
    df = more.get("df", math.inf)
    return Estimate(value, 50, levels=Reach(value, down, up, df), **more)


def rows(n: int = 30) -> tuple[Any, Any, Units]:
    rng = np.random.default_rng(5)
    phi, w = rng.normal(size=(3, n)), rng.uniform(0.5, 2.0, n)
    return phi, w, units_of("cohort", Sample.of_rows(w, n))


# Independent models


def test_independent_models_have_variances_of_their_own() -> None:
    estimates = [
        estimate(0.7, variance=0.04, df=9.0, least=0.5),
        estimate(0.5, variance=0.01, df=4.0, least=0.25),
    ]
    found = contrasted(ACCURACY, estimates, [PAIR], "unpaired t", remark="apart")
    spread = found.spread
    assert isinstance(spread, Apart)
    assert spread.variances.tolist() == [0.04, 0.01]
    assert (spread.df, spread.least.tolist()) == (4.0, [0.5, 0.25])  # type: ignore[union-attr]
    assert (found.method, found.remark, found.same) == ("unpaired t", "apart", frozenset())
    name, limits = found.limits[PAIR]
    assert name == "combined"
    assert limits(1.0)[0] < 0.2 < limits(1.0)[1]
    same = contrasted(ACCURACY, estimates, [PAIR], "", same=frozenset({PAIR}))
    assert same.same == {PAIR}
    assert contrasted(ACCURACY, estimates, [PAIR], "", kind_of_limits="none").limits == {}
    # Without a variance nothing is known, nor are there limits.
    unknown = contrasted(ACCURACY, [estimate(0.7), *estimates[1:]], [PAIR], "")
    assert (unknown.spread, unknown.limits) == (None, {})
    # Nor are there limits where a value has none at other levels.
    bare = replace(estimates[0], levels=None)
    assert contrasted(ACCURACY, [bare, estimates[1]], [PAIR], "").limits == {}


def test_independent_models_vary_at_least_as_their_limits() -> None:
    """The farther limit lies 1.96, or Student's quantile, such standard errors away."""
    spec = ComparisonSpec(0.9, "none", {}, (PAIR,))
    normal = [estimate(0.7, variance=0.04), estimate(0.5, 0.03, 0.04, variance=0.01)]
    found = apart_by_limits(ACCURACY, normal, spec)
    assert found.method == "unpaired z"
    assert found.remark == "different rows: the models are treated as independent"
    assert [each.least for each in found.estimates] == pytest.approx([0.02**2, 0.04**2])
    levels = Reach(0.5, 0.03, 0.04, 7.0)
    mixed = [normal[0], replace(normal[1], levels=levels)]
    few = apart_by_limits(ACCURACY, mixed, spec)
    assert few.method == "unpaired t"
    assert [each.df for each in few.estimates] == [math.inf, 7.0]
    assert few.spread.degrees(*PAIR) == 7.0  # type: ignore[union-attr]
    assert few.estimates[1].least == pytest.approx(0.04**2)


# Models on the same rows


def test_models_on_the_same_rows_go_together_as_their_influences() -> None:
    phi, w, units = rows()
    estimates = [estimate(0.7, influence=phi[0]), estimate(0.5, 0.03, 0.04, influence=phi[1])]
    found = contrasted(ACCURACY, estimates, [PAIR], "", units)
    spread = found.spread
    assert isinstance(spread, Paired)
    assert spread.variance(*PAIR) == pytest.approx(variance_by_hand(w, phi[0] - phi[1]))
    own = [variance_by_hand(w, each) for each in phi[:2]]
    assert spread.own == pytest.approx(own)
    goes = covariance_by_hand(w, phi[0], phi[1]) / math.sqrt(own[0] * own[1])
    low, high = found.limits[PAIR][1](2.0)
    down = 2.0 * math.sqrt(0.02**2 + 0.04**2 - 2.0 * goes * 0.02 * 0.04)
    up = 2.0 * math.sqrt(0.01**2 + 0.03**2 - 2.0 * goes * 0.01 * 0.03)
    assert (low, high) == pytest.approx((0.2 - down, 0.2 + up), rel=1e-6)
    # Of models that agree on all of n rows they go together nearly entirely.
    agreeing = contrasted(
        ACCURACY, estimates, [PAIR], "", units, agreeing=lambda pair: (50.0, 0.8) if pair else None
    )
    together = 1.0 - 4.0 / 54.0 / (2.0 * 0.8 * 0.2)
    down = 2.0 * math.sqrt(0.02**2 + 0.04**2 - 2.0 * together * 0.02 * 0.04)
    assert agreeing.limits[PAIR][1](2.0)[0] == pytest.approx(0.2 - down, rel=1e-6)


def test_models_without_an_influence_have_no_difference_that_is_known() -> None:
    phi, w, units = rows()
    endless = phi[2].copy()
    endless[3] = math.inf
    pairs = [(0, 1), (0, 2), (1, 2)]
    for third in (None, endless):
        estimates = [
            estimate(0.7, influence=phi[0]),
            estimate(0.5, influence=phi[1]),
            estimate(0.4, influence=third),
        ]
        found = contrasted(ACCURACY, estimates, pairs, "", units)
        assert found.spread is not None
        assert found.spread.variance(0, 1) == pytest.approx(variance_by_hand(w, phi[0] - phi[1]))
        assert math.isnan(found.spread.variance(0, 2))
        assert math.isnan(found.spread.variance(1, 2))
        assert list(found.limits) == [(0, 1)]
        nothing = contrasted(ACCURACY, estimates, [(0, 2)], "", units)
        assert (nothing.spread, nothing.limits) == (None, {})


def test_variances_that_are_known_grow() -> None:
    phi, w, units = rows()
    own = [variance_by_hand(w, each) for each in phi[:2]]
    estimates = [
        estimate(0.7, influence=phi[0], variance=own[0], growth=0.5 * own[0]),
        estimate(0.5, influence=phi[1], variance=own[1]),
    ]
    found = contrasted(ACCURACY, estimates, [PAIR], "", units)
    assert isinstance(found.spread, Paired)
    assert found.spread.own.tolist() == own  # type: ignore[union-attr]
    goes = covariance_by_hand(w, phi[0], phi[1]) / math.sqrt(own[0] * own[1])
    wanted = 1.5 * own[0] + own[1] - 2.0 * goes * math.sqrt(1.5 * own[0] * own[1])
    assert found.spread.variance_of_limits(*PAIR) == pytest.approx(wanted)
    # Their limits count as independent.
    down = 2.0 * math.hypot(0.02, 0.01)
    assert found.limits[PAIR][1](2.0)[0] == pytest.approx(0.2 - down, rel=1e-6)
    some = [replace(estimates[0], growth=0.0), replace(estimates[1], variance=None)]
    of_influence = contrasted(ACCURACY, some, [PAIR], "", units)
    assert of_influence.spread.own == pytest.approx(own)  # type: ignore[union-attr]


# Values that no row moves


def still(value: float, low: float | None, error: float | None = 0.1) -> Estimate:
    limits = Interval(low, value + 0.2, standard_error=error)
    return Estimate(value, 50, interval=limits, level=0.9, n_effective=40.0)


def test_limits_of_equal_values_that_no_row_moves() -> None:
    """Those of both, which go together as those of models that agree on all rows do."""
    estimates, spread = [still(0.5, 0.4), still(0.5, 0.2, 0.3)], Apart(np.zeros(2), 12.0)
    found = limits_of_still(ACCURACY, estimates, spread, [PAIR])
    name, limits = found[PAIR]
    quantile = float(stats.t.ppf(0.95, 12))
    for times in (1.0, 2.0):
        z = times * quantile
        goes = 1.0 - z**2 / (40.0 + z**2) / 0.5
        down = times * math.sqrt(0.1**2 + 0.2**2 - 2.0 * goes * 0.1 * 0.2)
        up = times * math.sqrt(0.2**2 + 0.3**2 - 2.0 * goes * 0.2 * 0.3)
        assert limits(z) == pytest.approx((-down, up))
    assert name == "combined"
    as_kind = contrasted(
        ACCURACY, [replace(each, variance=0.0) for each in estimates], [PAIR], "",
        kind_of_limits="still",
    )  # fmt: skip
    assert list(as_kind.limits) == [PAIR]
    # Values with no standard error do not go together.
    for error in (0.0, None):
        for first, second in ((error, 0.3), (0.1, error)):
            none = [still(0.5, 0.4, first), still(0.5, 0.2, second)]
            alone = limits_of_still(ACCURACY, none, spread, [PAIR])[PAIR][1](quantile)
            assert alone == pytest.approx((-math.hypot(0.1, 0.2), math.hypot(0.2, 0.3)))


def test_other_values_have_no_such_limits() -> None:
    one, spread = still(0.5, 0.4), Apart(np.zeros(2))
    for other in (still(0.6, 0.4), still(0.5, None), replace(one, interval=None)):
        assert limits_of_still(ACCURACY, [one, other], spread, [PAIR]) == {}
        assert limits_of_still(ACCURACY, [other, one], spread, [PAIR]) == {}
    assert limits_of_still(ACCURACY, [one, one], Apart(np.array([0.1, 0.0])), [PAIR]) == {}
    # A pair without limits does not end the search.
    three = [one, still(0.6, 0.4), one]
    found = limits_of_still(ACCURACY, three, Apart(np.zeros(3)), [(0, 1), (0, 2)])
    assert list(found) == [(0, 2)]


def test_scaled_limits_are_students() -> None:
    limits = scaled(get("kappa"), (0.1, 0.2), (0.3, 0.1), lambda z: 0.5, 0.9, 5.0)
    quantile = float(stats.t.ppf(0.95, 5))
    down, up = math.sqrt(0.01 + 0.01 - 0.01), math.sqrt(0.04 + 0.09 - 0.06)
    assert limits(3.0 * quantile) == pytest.approx((-3.0 * down, 3.0 * up))


# Proportions of the same rows

TRUE = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 0])
SAID = [np.array([0, 0, 1, 1, 1, 1, 1, 0, 0, 2, 1]), np.array([0, 1, 1, 0, 1, 0, 0, 0, 1, 1, 0])]


def joint(positive: int | None = None, weights: Any = None) -> JointCells:
    classes = replace(Classes.of(range(3)), positive=positive)
    return JointCells.of(classes, ["a", "b"], TRUE, SAID, weights)


def share_of(name: str, positive: int | None = None) -> PairedShare | None:
    return PairedShare.of(get(name), joint(positive), [None, None])


def expected(right_a: Any, right_b: Any, inside: Any) -> Discordant:
    b = float((inside & right_a & ~right_b).sum())
    c = float((inside & right_b & ~right_a).sum())
    wrong = float((inside & ~right_a).sum()), float((inside & ~right_b).sum())
    n = None if inside.all() else float(inside.sum())
    return Discordant(b, c, b / c, wrong[0] / wrong[1], n)


@pytest.mark.parametrize(
    ("name", "positive", "ends"),
    [
        ("accuracy", None, (0.0, 0.5, 1.0)),
        ("error_rate", None, (1.0, 0.5, 0.0)),
        ("recall", 1, (0.0, 0.5, 1.0)),
        ("false_negative_rate", 1, (1.0, 0.5, 0.0)),
        ("specificity", 1, (0.0, 0.5, 1.0)),
        ("false_positive_rate", 1, (1.0, 0.5, 0.0)),
    ],
)
def test_metrics_of_right_rows_count_those_on_which_one_model_alone_is_right(
    name: str, positive: int | None, ends: tuple[float, ...]
) -> None:
    share, cells = share_of(name, positive), joint(positive)
    assert share is not None
    inside, right = np.ones(11, bool), [said == TRUE for said in SAID]
    if positive is not None:
        inside = (TRUE == 1) if name in ("recall", "false_negative_rate") else (TRUE != 1)
        right = [(said == 1) == (TRUE == 1) for said in SAID]
    wanted = expected(*right, inside)
    assert share.discordant(PAIR, cells.counts) == wanted
    turned = share.discordant((1, 0), cells.counts)
    assert (turned.b, turned.c) == (wanted.c, wanted.b)
    assert share.n_rows(cells.counts) == inside.sum()
    assert share.ends == (ends, ends)
    assert share.is_shared(PAIR)
    assert share.scale(PAIR) == ends[2] - ends[0]
    assert share.is_of_predictions is False


def test_weights_of_rows_count() -> None:
    w = np.linspace(0.5, 2.0, 11)
    cells = joint(None, w)
    share = PairedShare.of(ACCURACY, cells, [None, None])
    assert share is not None
    right = [said == TRUE for said in SAID]
    found = share.discordant(PAIR, cells.counts)
    assert found.b == pytest.approx(w[right[0] & ~right[1]].sum())
    assert found.c == pytest.approx(w[right[1] & ~right[0]].sum())
    assert found.error_ratio == pytest.approx(w[~right[0]].sum() / w[~right[1]].sum())
    assert share.n_rows(cells.counts) == pytest.approx(w.sum())


@pytest.mark.parametrize(
    ("name", "positive"),
    [("precision", 1), ("recall", None), ("macro_recall", 1), ("macro_recall", None),
     ("f1", 1), ("kappa", None), ("kappa", 1)],
)  # fmt: skip
def test_other_metrics_are_no_proportion_of_the_same_rows(name: str, positive: int | None) -> None:
    assert share_of(name, positive) is None


def share_said(c: OneVsRest) -> Node:
    """The share of rows with the predicted class."""
    return (c.tp + c.fp) / c.n


def test_a_share_of_predictions_is_one_of_all_rows() -> None:
    """Both models are compared by the rows that one of them alone predicts as positive."""
    metric = made(share_said, (0.0, 1.0), proportion=proportion("fp tp", "tn fn"))
    share = PairedShare.of(metric, joint(1), [None, None])
    assert share is not None
    said = [each == 1 for each in SAID]
    assert share.is_of_predictions is True
    found = share.discordant(PAIR, joint(1).counts)
    assert (found.b, found.c) == ((said[0] & ~said[1]).sum(), (said[1] & ~said[0]).sum())
    assert found.n is None
    measured = with_share(bare(), share, joint(1).counts, [PAIR], is_plain=True)
    assert measured.discordant == {}
    assert measured.tests[PAIR] == ("mid-p McNemar", mid_p(int(found.b), int(found.c)))


def test_the_ends_of_a_proportion_are_those_of_the_classes_that_count() -> None:
    places = [np.array([0, 1]), None]
    share = PairedShare.of(get("average_accuracy"), joint(), places)  # type: ignore[arg-type]
    assert share is not None
    assert np.array(share.ends) == pytest.approx(np.array([[0.0, 0.5, 1.0], [1 / 3, 2 / 3, 1.0]]))
    assert (share.is_shared(PAIR), share.is_shared((0, 0))) == (False, True)
    assert (share.scale(PAIR), share.scale((1, 0))) == pytest.approx((1.0, 2 / 3))


@pytest.mark.parametrize(
    ("ends", "scale"),
    [
        ((0.0, 0.5, 1.0), 1.0),
        ((3.0, 1.0, -1.0), -4.0),
        ((0.0, 0.4, 1.0), None),
        ((0.0, 0.6, 1.0), None),
        ((1.0, 1.0, 1.0), 0.0),
        ((0.0, math.inf, math.inf), None),
        ((math.nan, 0.5, 1.0), None),
        ((0.0, 0.5 + 0.49e-12, 1.0), 1.0),
        ((0.0, 0.5 - 0.51e-12, 1.0), None),
        ((0.0, -50.0 - 0.49e-10, -100.0), -100.0),
        ((0.0, -50.0 - 0.51e-10, -100.0), None),
    ],
)
def test_the_scale_of_a_linear_function(ends: tuple[float, ...], scale: float | None) -> None:
    share = PairedShare(np.ones(1, bool), np.ones((2, 1), bool), (ends, ends))
    assert share.scale(PAIR) == scale
    assert share.is_shared(PAIR)


def test_rows_that_are_right_or_wrong() -> None:
    right = [np.array([True, True, False, False]), np.array([True, False, True, False])]
    for is_of_wrong_rows, ends in ((False, (0.0, 0.5, 1.0)), (True, (1.0, 0.5, 0.0))):
        share = PairedShare.of_rows(right, is_of_wrong_rows=is_of_wrong_rows)
        assert share.ends == (ends, ends)
        assert share.discordant(PAIR, np.array([1, 2, 4, 8])) == Discordant(2, 4, 0.5, 12 / 10)
        assert share.n_rows(np.array([1, 2, 4, 8])) == 15.0


# With the tests and limits of proportions


def bare(**more: Any) -> Measured:
    return Measured(ACCURACY, [Estimate(0.6, 10), Estimate(0.4, 10)], None, "z", **more)


def test_plain_rows_have_the_test_and_the_limits_of_proportions() -> None:
    share, counts = share_of("error_rate"), joint().counts
    assert share is not None
    other = {(5, 6): ("kept", 0.5)}
    found = with_share(
        bare(guards=other, limits={PAIR: ("combined", lambda _: (0.0, 0.0))}),
        share, counts, [PAIR], is_plain=True,
    )  # fmt: skip
    rows_ = share.discordant(PAIR, counts)
    assert found.discordant == {PAIR: rows_}
    assert found.tests == {PAIR: ("mid-p McNemar", mid_p(int(rows_.b), int(rows_.c)))}
    assert found.guards == other
    name, limits = found.limits[PAIR]
    low, high = score_limits(rows_.b, rows_.c, 11, 2.0)
    assert (name, limits(2.0)) == ("score", (-high, -low))
    assert score_of(rows_.b, rows_.c, 11, 3.0)(2.0) == (3.0 * low, 3.0 * high)


def test_weighted_rows_are_told_but_not_tested() -> None:
    share, counts = share_of("accuracy"), joint().counts
    assert share is not None
    found = with_share(bare(), share, counts, [PAIR], is_plain=False)
    assert (found.tests, found.limits) == ({}, {})
    assert list(found.discordant) == [PAIR]
    empty = replace(share, is_read=np.zeros_like(share.is_read))
    none = with_share(bare(), empty, counts, [PAIR], is_plain=True)
    assert (none.tests, none.limits, list(none.discordant)) == ({}, {}, [PAIR])


def test_of_a_curved_function_the_test_is_a_guard() -> None:
    share, counts = share_of("accuracy"), joint().counts
    assert share is not None
    curved = replace(share, ends=((0.0, 0.3, 1.0),) * 2)
    found = with_share(bare(), curved, counts, [PAIR], is_plain=True)
    assert (found.tests, found.limits, found.discordant) == ({}, {}, {})
    rows_ = share.discordant(PAIR, counts)
    assert found.guards == {PAIR: ("mid-p McNemar", mid_p(int(rows_.b), int(rows_.c)))}
    # Different functions of the proportion are not compared by it.
    apart = replace(share, ends=((0.0, 0.3, 1.0), (0.0, 0.5, 1.0)))
    none = with_share(bare(), apart, counts, [PAIR], is_plain=True)
    assert (none.tests, none.guards, none.limits, none.discordant) == ({}, {}, {}, {})
