"""Models on the same rows, in joint cells, against loops over the rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from karat.inference.comparison import models as of_models
from karat.inference.comparison.contrasts import Paired
from karat.inference.comparison.judging import ComparisonSpec
from karat.inference.comparison.models import (
    Joint,
    apart,
    estimate_apart,
    estimate_of_table,
    paired,
)
from karat.inference.comparison.swaps import swap_p_values
from karat.inference.confidence import Confidence
from karat.inference.table_variance import TableVariance
from karat.metrics import get
from karat.tally import Cells, Classes, ClusteredCells, JointCells

K, N = 3, 40
RNG = np.random.default_rng(11)
TRUE = RNG.integers(0, K, N)
SAID = [np.where(RNG.random(N) < error, RNG.integers(0, K, N), TRUE) for error in (0.2, 0.5)]
WEIGHTS = RNG.uniform(0.5, 2.0, N)
PAIR = (0, 1)


def joint(
    true: Any = TRUE, said: Any = SAID, weights: Any = None, k: int = K, **more: Any
) -> Joint:
    classes = Classes.of(range(k))
    return Joint(JointCells.of(classes, ["a", "b"], true, said, weights), **more)


def spec(**more: Any) -> ComparisonSpec:
    return ComparisonSpec(0.95, "none", {}, (PAIR,), **more)


def clustered(n_rows: int = 4) -> Joint:
    cells, place = JointCells.placed(Classes.of(range(K)), ["a", "b"], TRUE, SAID)
    return Joint(cells, ClusteredCells.of(np.arange(N) // n_rows, place, None))


def covariance(values: Any, others: Any, weights: Any) -> float:
    """Σ w²(x − mean)(y − mean) ÷ W²."""
    w = np.ones(N) if weights is None else weights
    one, other = (x - (w * x).sum() / w.sum() for x in (values, others))
    return float((w**2 * one * other).sum() / w.sum() ** 2)


# Parts of joint cells


def test_units_of_plain_and_of_weighted_rows() -> None:
    plain, weighted = joint(), joint(weights=WEIGHTS)
    assert (plain.is_plain, weighted.is_plain, clustered().is_plain) == (True, False, False)
    assert (plain.units.df, plain.units.n_effective) == (math.inf, float(N))
    n = WEIGHTS.sum() ** 2 / (WEIGHTS**2).sum()
    assert weighted.units.df == pytest.approx(n - 1.0)
    assert weighted.units.n_effective == pytest.approx(n)
    assert weighted.units.total == pytest.approx(WEIGHTS.sum())
    # One row with nearly all of the weight leaves one degree of freedom.
    heavy = np.where(np.arange(N) == 0, 1e6, 1.0)
    assert joint(weights=heavy).units.df == 1.0


def test_tables_of_each_model() -> None:
    for given in (None, WEIGHTS):
        w = np.ones(N) if given is None else given
        found = joint(weights=given)
        for said, table in zip(SAID, found.tables, strict=True):
            wanted = [[w[(i == TRUE) & (said == j)].sum() for j in range(K)] for i in range(K)]
            np.testing.assert_allclose(table.cells.matrix(), wanted)
        for table, places in zip(found.tables, found.places, strict=True):
            # Each joint cell belongs to the listed cell with its classes.
            rows, cols = table.cells.coordinates()
            model = found.tables.index(table)
            assert rows[places].tolist() == found.cells.codes[0].tolist()
            assert cols[places].tolist() == found.cells.codes[1 + model].tolist()


def test_shares_of_right_rows() -> None:
    plain, weighted = joint(), joint(weights=WEIGHTS)
    for model, said in enumerate(SAID):
        is_right = said == TRUE
        assert plain.share_of_right(model) == pytest.approx(is_right.mean())
        share = WEIGHTS[is_right].sum() / WEIGHTS.sum()
        assert weighted.share_of_right(model) == pytest.approx(share)
        for found, w in ((plain, np.ones(N)), (weighted, WEIGHTS)):
            read = found.cells.codes[0] == 1
            n, of_class = found.rows_read(model, read)
            inside = w[TRUE == 1].sum()
            assert n == pytest.approx(w.sum() ** 2 / (w**2).sum() * inside / w.sum())
            assert of_class == pytest.approx(w[(TRUE == 1) & is_right].sum() / inside)
            assert found.rows_read(model, np.zeros(len(read), bool)) == (0.0, 0.0)
        light = joint(weights=1e-3 * WEIGHTS)
        assert light.rows_read(model, read) == pytest.approx(weighted.rows_read(model, read))


def test_models_that_say_the_same() -> None:
    assert not joint().is_same(PAIR)
    assert joint(said=[SAID[0], SAID[0].copy()]).is_same(PAIR)
    # On rows without weight they may differ.
    differs = SAID[0] != SAID[1]
    assert joint(weights=np.where(differs, 0.0, 1.0)).is_same(PAIR)


def test_classes_that_count_for_each_model() -> None:
    """Those that are true, or that the model predicts; all of them, where they were declared."""
    true, a, b = (np.array(x) for x in ([0, 0, 1, 1], [0, 2, 1, 1], [0, 0, 1, 3]))
    whole = joint(true, [a, b], k=4)
    assert whole.counted == (None, None)
    assert whole.has_same_classes(PAIR)
    assert whole.whole is whole
    each = joint(true, [a, b], k=4, keeps_all=(False, False))
    assert [places.tolist() for places in each.counted if places is not None] == [
        [0, 1, 2],
        [0, 1, 3],
    ]
    assert not each.has_same_classes(PAIR)
    assert each.has_same_classes((0, 0))
    assert [table.cells.classes.k for table in each.tables] == [3, 3]
    some = joint(true, [a, b], k=4, keeps_all=(True, False))
    assert some.counted[0] is None
    assert not some.has_same_classes(PAIR)
    assert each.whole.counted == (None, None)
    assert each.of_metric(get("kappa")) is each
    assert each.of_metric(get("mean_cost(costs=[[0,1],[1,0]])")) is each.whole
    assert each.of_pair(PAIR).classes.k == 4
    assert some.of_pair(PAIR).classes.k == 4
    # Classes that count for neither are left out.
    five = joint(true, [a, b], k=5, keeps_all=(False, False))
    assert five.of_pair(PAIR).classes.k == 4
    alike = joint(true, [a, np.array([0, 2, 2, 1])], k=4, keeps_all=(False, False))
    assert alike.has_same_classes(PAIR)
    # With all classes in use nothing is left out.
    assert joint(keeps_all=(False, False)).counted == (None, None)


def test_the_same_models_on_more_classes() -> None:
    more = joint(keeps_all=(False, False)).on(Classes.of([5, 2, 1, 0]))
    assert more.keeps_all == ()
    assert more.cells.classes.k == 4
    place = {0: 3, 1: 2, 2: 1}
    before = joint().cells
    assert more.cells.codes.tolist() == [[place[c] for c in row] for row in before.codes.tolist()]


# Values and differences


def test_the_estimate_of_a_table() -> None:
    table = joint().tables[0]
    found = estimate_of_table(get("accuracy"), table, "zero")
    share = float((SAID[0] == TRUE).mean())
    assert (found.value, found.n, found.undefined) == (pytest.approx(share), N, None)
    assert found.variance is None
    own = estimate_apart(get("accuracy"), table, "zero")
    assert own.variance == pytest.approx(share * (1 - share) / N)
    interval = own.interval_at(Confidence(0.95))
    assert interval.low is not None
    assert interval.low < share < (interval.high or 0.0)


def test_values_that_the_rows_do_not_define() -> None:
    cells = Cells.dense(np.array([[4, 0], [3, 0]]), classes=Classes.of([0, 1]))
    table = TableVariance(cells)
    assert estimate_of_table(get("macro_precision"), table, "zero").undefined is None
    likely = estimate_of_table(get("macro_diagnostic_odds_ratio"), table, "nan")
    assert likely.undefined
    nothing = estimate_apart(get("macro_diagnostic_odds_ratio"), table, "nan")
    assert nothing.variance is not None
    assert math.isnan(nothing.variance)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_differences_of_the_accuracy_by_hand(is_weighted: bool) -> None:
    weights = WEIGHTS if is_weighted else None
    w = np.ones(N) if weights is None else weights
    (found,) = paired(joint(weights=weights), [get("accuracy")], spec(), "zero")
    right = [(said == TRUE).astype(float) for said in SAID]
    assert found.method == ("influence t" if is_weighted else "influence z")
    values = [float((w * each).sum() / w.sum()) for each in right]
    assert found.defined_values == pytest.approx(values)
    assert isinstance(found.spread, Paired)
    apart_ = right[0] - right[1]
    assert found.spread.variance(*PAIR) == pytest.approx(covariance(apart_, apart_, weights))
    assert found.n == [N, N]
    b, c = (w[(each > 0) & (other == 0)] for each, other in (right, right[::-1]))
    assert found.discordant[PAIR].b == pytest.approx(b.sum())
    assert found.discordant[PAIR].c == pytest.approx(c.sum())
    # If all rows with other predictions had the same sign: 2⁻ⁿ.
    differs = w[SAID[0] != SAID[1]]
    n = differs.sum() ** 2 / (differs**2).sum()
    assert found.least[PAIR] == pytest.approx(2.0**-n)
    assert list(found.tests) == ([] if is_weighted else [PAIR])
    assert found.limits[PAIR][0] == ("combined" if is_weighted else "score")
    assert found.same == frozenset()
    same = paired(joint(said=[SAID[0]] * 2), [get("kappa")], spec(), "zero")[0]
    assert same.same == {PAIR}


def test_differences_of_clusters_by_hand() -> None:
    (found,) = paired(clustered(), [get("accuracy")], spec(), "zero")
    apart_ = (SAID[0] == TRUE).astype(float) - (SAID[1] == TRUE)
    centred = (apart_ - apart_.mean()).reshape(10, 4).sum(axis=1) / N
    assert found.spread is not None
    assert found.spread.variance(*PAIR) == pytest.approx(10 / 9 * float((centred**2).sum()))
    assert found.method == "influence t"
    assert found.guards == {}
    assert (found.tests, list(found.limits)) == ({}, [PAIR])


def test_models_apart_are_independent() -> None:
    tables = joint().tables
    (found,) = apart(tables, [get("accuracy")], spec(), "zero")
    shares = [float((said == TRUE).mean()) for said in SAID]
    wanted = sum(p * (1 - p) / N for p in shares)
    assert found.spread is not None
    assert found.spread.variance(*PAIR) == pytest.approx(wanted)
    assert found.method == "unpaired z"


# Swaps where a class is rare


def labels(rarest: int, n: int = 60) -> tuple[Any, list[Any]]:
    rng = np.random.default_rng(5)
    true = np.where(np.arange(n) < rarest, 1, 0)
    return true, [np.where(rng.random(n) < e, 1 - true, true) for e in (0.1, 0.3)]


@pytest.mark.parametrize(("rarest", "is_rare"), [(1, True), (19, True), (20, False)])
def test_few_rows_of_a_class_are_guarded_by_swaps(rarest: int, is_rare: bool) -> None:
    true, said = labels(rarest)
    given = joint(true, said, k=2)
    asked = spec(seed=3, n_permutations=50)
    kappa, accuracy = paired(given, [get("kappa"), get("accuracy")], asked, "zero")
    assert accuracy.guards == {}
    if not is_rare:
        assert (kappa.guards, kappa.remark) == ({}, None)
        return
    (p,), _ = swap_p_values(given.cells, [get("kappa")], 50, 3)
    assert kappa.guards == {PAIR: ("swap permutation", p)}
    assert kappa.remark == f"the rarest class has {rarest} row{'s' if rarest > 1 else ''}"
    assert accuracy.remark is None
    look = ComparisonSpec(0.95, "none", {}, (PAIR,), look=Confidence(0.95, anytime=100).at(60))
    assert paired(given, [get("kappa")], look, "zero")[0].guards == {}
    weighted = joint(true, said, np.linspace(1, 2, 60), 2)
    assert paired(weighted, [get("kappa")], asked, "zero")[0].guards == {}


def test_fewer_permutations_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from karat.inference.comparison import swaps

    monkeypatch.setattr(swaps, "_MOST_DRAWS", 1)
    monkeypatch.setattr(swaps, "_FEWEST", 30)
    true, said = labels(7)
    (found,) = paired(joint(true, said, k=2), [get("kappa")], spec(n_permutations=50), "zero")
    assert found.remark == "the rarest class has 7 rows, 30 permutations"


def test_classes_of_one_model_alone_are_guarded_by_swaps() -> None:
    """Their number changes with every exchange, however many rows the others have."""
    rng = np.random.default_rng(8)
    true = np.repeat([0, 1], [20, 30])
    said = [np.where(rng.random(50) < e, 1 - true, true) for e in (0.1, 0.3)]
    said[1][0] = 2
    asked = spec(seed=1, n_permutations=40)
    own = joint(true, said, k=3, keeps_all=(False, False))
    whole = joint(true, said, k=3)
    macro = get("macro_f1")
    (found,) = paired(own, [macro], asked, "zero")
    (p,), _ = swap_p_values(own.of_pair(PAIR), [macro], 40, 1, are_occurring=True)
    assert found.guards == {PAIR: (of_models.SWAPS, p)}
    assert found.remark is None
    assert paired(whole, [macro], asked, "zero")[0].guards == {}


def test_models_that_agree_where_a_metric_reads_go_together() -> None:
    """They differ on rows of another class alone: limits are those of rows that agree."""
    true = np.repeat([0, 1], [30, 10])
    a, b = true.copy(), true.copy()
    a[32:35] = b[32:35] = 0
    a[0], b[1] = 1, 1
    classes = Classes((0, 1), positive=1)
    cells = JointCells.of(classes, ["a", "b"], true, [a, b], np.linspace(1.0, 1.2, 40))
    (found,) = paired(Joint(cells), [get("recall")], spec(), "zero")
    assert found.spread is not None
    assert found.spread.variance(*PAIR) == 0.0
    low, high = found.limits[PAIR][1](2.0)
    assert low < 0.0 < high
    w = np.linspace(1.0, 1.2, 40)
    n = w.sum() ** 2 / (w**2).sum() * w[30:].sum() / w.sum()
    share = 1.0 - w[32:35].sum() / w[30:].sum()
    goes = 1.0 - 4.0 / (n + 4.0) / (2.0 * share * (1.0 - share))
    assert (low, high) == pytest.approx(of_agreeing(found, goes), rel=1e-6)


def of_agreeing(found: Any, goes: float) -> tuple[float, float]:
    """Limits two standard errors away of equal values that go together so much."""
    one = found.estimates[0]
    df = one.levels.df
    tail = math.erfc(math.sqrt(2.0)) if math.isinf(df) else 2.0 * stats.t.sf(2.0, df)
    limits = one.levels.interval(Confidence(1.0 - tail))
    down, up = one.value - limits.low, limits.high - one.value
    far = math.sqrt(down**2 + up**2 - 2.0 * goes * down * up)
    return -far, far


def test_models_that_say_the_same_go_together() -> None:
    (found,) = paired(joint(said=[SAID[0]] * 2, weights=WEIGHTS), [get("kappa")], spec(), "zero")
    n = WEIGHTS.sum() ** 2 / (WEIGHTS**2).sum()
    share = WEIGHTS[SAID[0] == TRUE].sum() / WEIGHTS.sum()
    goes = 1.0 - 4.0 / (n + 4.0) / (2.0 * share * (1.0 - share))
    assert found.limits[PAIR][1](2.0) == pytest.approx(of_agreeing(found, goes), rel=1e-6)
