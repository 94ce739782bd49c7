"""Settings of intervals at their edges, estimates, and limits of averages from their classes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from karat.designs.looks import p_of_look, tail_of_look
from karat.errors import KaratError
from karat.inference.class_limits import NO_SLOPE, ClassLimits
from karat.inference.combined_limits import (
    _deciding,
    _mover,
    _not_narrow,
    combined,
    is_combined,
    mover_interval,
    part_factors,
)
from karat.inference.confidence import (
    Confidence,
    Interval,
    checked_count,
    checked_design,
    checked_level,
    checked_word,
    designs,
    of_looks,
    planned_units,
    words_on_looks,
)
from karat.inference.estimate import Estimate, least_variance
from karat.inference.table_variance import TableVariance, derivative
from karat.inference.whole_limits import whole_limits
from karat.metrics import Metric, get
from karat.tally import Cells, Classes, to_sparse
from tests.inference.slow_intervals import slow_combined
from tests.inference.tables import KINDS, MISSED, WHOLE, spread_of_kind

Z = float(stats.norm.isf(0.05))


def test_tails_of_one_look() -> None:
    """Half of what the level leaves on each side, or all of it on one; of windows a share."""
    assert Confidence(0.9).tail == pytest.approx(0.05, rel=1e-12)
    assert Confidence(0.9, side="low").tail == pytest.approx(0.1, rel=1e-12)
    assert Confidence(0.9).quantile() == pytest.approx(Z, rel=1e-12)
    assert Confidence(0.9).quantile(7.0) == pytest.approx(float(stats.t.isf(0.05, 7)), rel=1e-9)
    share = 6 / (math.pi * 3) ** 2
    assert Confidence(0.9, window=3).tail == pytest.approx(0.1 * share / 2, rel=1e-12)
    one = Confidence(0.9, side="high", window=3)
    assert one.tail == pytest.approx(0.1 * share, rel=1e-12)
    assert Confidence(0.9, window=10**6).tail == 1e-12
    assert Confidence(0.9, window=3).p_value(0.01) == pytest.approx(0.01 / share, rel=1e-12)
    assert Confidence(0.9, window=3).p_value(0.5) == 1.0
    assert Confidence(0.9).p_value(0.01) == 0.01


def test_tails_of_every_look() -> None:
    """Those of a confidence sequence, for which the units at the look must be known."""
    for side in ("both", "low", "high"):
        asked = Confidence(0.9, side=side, anytime=500, n_units=80.0)
        expected = tail_of_look(80.0, 500, 1.0 - 0.9, is_two_sided=side == "both")
        assert asked.tail == expected
        assert asked.p_value(0.01) == p_of_look(0.01, 80.0, 500, 1.0 - 0.9)
    for read in (lambda c: c.tail, lambda c: c.p_value(0.01)):
        with pytest.raises(KaratError) as problem:
            read(Confidence(0.9, anytime=500))
        assert problem.value.code == "K452"
    assert Confidence(0.9, anytime=500).at(80).n_units == 80.0
    assert Confidence(0.9).at(80).n_units is None
    looks = (Confidence(), Confidence(anytime=500), Confidence(window=1))
    assert [each.is_of_looks for each in looks] == [False, True, True]


def test_settings_in_words() -> None:
    """Level and side, and the looks they hold at."""
    texts = {
        "95 %": Confidence(),
        "99.5 %": Confidence(0.995),
        "one-sided 90 %": Confidence(0.9, side="low"),
        "95 % anytime": Confidence(anytime=500),
        "one-sided 95 % window 4": Confidence(side="high", window=4),
    }
    assert [asked.text for asked in texts.values()] == list(texts)
    assert [asked.when for asked in texts.values()] == ["", "", "", "anytime", "window 4"]
    every = "intervals for every look, planned for 200 rows"
    assert words_on_looks(200) == Confidence(anytime=200).looks == every
    assert Confidence().looks == Confidence(window=4).looks == ""


def test_one_sided_limits_have_the_end_of_the_range() -> None:
    """Numbers and arrays alike."""
    ends = (-1.0, 2.0)
    for side, expected in (("both", (0.2, 0.4)), ("low", (0.2, 2.0)), ("high", (-1.0, 0.4))):
        asked = Confidence(side=side)
        assert asked.one_sided(0.2, 0.4, ends) == expected
        low, high = asked.one_sided(np.full(2, 0.2), np.full(2, 0.4), ends)
        assert (low.tolist(), high.tolist()) == ([expected[0]] * 2, [expected[1]] * 2)


def test_limits_of_shares_of_windows_are_exact() -> None:
    """With a normal quantile in the place of Student's: n·(z ÷ t)² rows."""
    asked = Confidence(0.9, window=1)
    z, n, p = asked.quantile(), 40.0, 0.3
    for quantile in (z, 2 * z):
        rows = n * (z / quantile) ** 2
        low, high = asked.share_limits(p, n, quantile)
        beta = stats.beta([p * rows, p * rows + 1], [(1 - p) * rows + 1, (1 - p) * rows])
        expected = beta.ppf([asked.tail, 1 - asked.tail])
        assert [float(low), float(high)] == pytest.approx(expected, rel=1e-9)


def code_of(call: Any, *given: Any, **more: Any) -> str:
    with pytest.raises(KaratError) as problem:
        call(*given, **more)
    return f"{problem.value.code} {problem.value}"


def test_settings_are_checked() -> None:
    """No settings for no level; those given; the tails that there are."""
    assert Confidence.of(None) is None
    assert Confidence.of() == Confidence()
    given = Confidence.of(0.9, "low", "wald", "case-control", 7, 200)
    assert given == Confidence(0.9, "low", "wald", "case-control", 7, 200)
    assert Confidence.of(0.9, anytime=True) == Confidence(0.9, anytime=10_000)
    assert Confidence.of(0.9, anytime=50) == Confidence(0.9, anytime=50)
    assert Confidence.of(0.9, anytime=False) == Confidence(0.9)
    for arguments in (
        {"side": "lower"},
        {"method": "walt"},
        {"design": "cohorts"},
        {"seed": -1},
        {"n_replicates": 99},
        {"anytime": 9},
        {"level": 2.0},
    ):
        assert code_of(Confidence.of, **arguments).startswith("K122"), arguments
        wrong = {"level": None} | arguments
        if "level" not in arguments:
            assert code_of(Confidence.of, **wrong).startswith("K122"), arguments
    assert Confidence.of(1 - 2.1e-12) is not None
    assert Confidence.of(1 - 1.1e-12, "low") is not None
    far = code_of(Confidence.of, 1 - 1e-12)
    assert "a number from 0.5 to 1 − 2e-12, as 0.95" in far
    one = code_of(Confidence.of, 1 - 0.5e-12, "high")
    assert "a number from 0.5001 to 1 − 1e-12, as 0.95" in one
    assert "a number from 0.5001" in code_of(Confidence.of, 0.5, "high")
    assert Confidence.of(0.5) is not None
    assert Confidence.of(0.5001, "high") is not None


def test_levels() -> None:
    """A share of at least a half; a percentage and an error rate are told what to give."""
    assert checked_level(None) is None
    for level in (0.5, 0.95, np.float32(0.75), np.array(0.75)):
        assert checked_level(level) == float(level)
    assert isinstance(checked_level(np.float32(0.75)), float)
    choices = "a number between 0 and 1, as 0.95, or None for no intervals"
    for wrong in (0.0, 1.0, -0.5, math.nan, math.inf, True, "0.9", b"0.9", [0.9], 10**400):
        assert choices in code_of(checked_level, wrong), wrong
    assert choices in code_of(checked_level, np.array([0.9]))
    for percent, share in ((95, "0.95"), (50, "0.5"), (99.9, "0.999")):
        assert f"level={share}: a proportion" in code_of(checked_level, percent)
    for other in (49.9, 100.0, 5.0, 150.0):
        assert "a proportion. " not in code_of(checked_level, other)
    for rate, level in ((0.05, "0.95"), (0.499, "0.501"), (1e-12, "0.999999999999")):
        text = code_of(checked_level, rate)
        assert f"Give level={level}: level= is the coverage" in text, text
        assert "a number from 0.5 to 1, as 0.95, or None for no intervals" in text
    assert "Give level=" not in code_of(checked_level, 0.9e-12)


def test_counts_and_words() -> None:
    """Whole numbers in their range, of any type; words that are known."""
    for name, least, most in (("seed", 0, 2**64 - 1), ("n_replicates", 100, 1_000_000)):
        for value in (least, most, np.int64(150), 150.0):
            found = checked_count(name, value)
            assert (found, type(found)) == (int(value), int)
        for value in (least - 1, most + 1, 150.5, "150", b"150", True, None, [150]):
            text = code_of(checked_count, name, value)
            assert f"a whole number from {least} to {most}" in text
    assert planned_units(None) is planned_units(False) is None
    assert planned_units(True) == 10_000
    assert planned_units(10) == 10
    assert planned_units(10**12) == 10**12
    for value in (9, 10**12 + 1, "50", 0, 1):
        assert code_of(planned_units, value).startswith("K122")
    assert checked_word("side", np.str_("low")) == "low"
    assert type(checked_word("side", np.str_("low"))) is str
    assert "'both', 'low', 'high'" in code_of(checked_word, "side", "lower")
    assert code_of(checked_word, "side", 3).startswith("K122")
    assert [checked_design(word) for word in ("cohort", "case-control")] == [
        "cohort",
        "case-control",
    ]
    assert code_of(checked_design, "control").startswith("K122")


def test_designs_as_calls() -> None:
    """What the settings say of how rows were drawn."""
    assert designs(None) == designs(Confidence()) == {}
    assert designs(Confidence(design="case-control")) == {"CaseControl": {}}
    assert designs(Confidence(weights_are="frequency")) == {"Frequency": {}}
    assert designs(Confidence(anytime=50)) == {"Looks": {"planned": 50}}
    assert of_looks(None) == {}
    assert of_looks(50) == {"design": {"Looks": {"planned": 50}}}


def test_intervals_that_depend_on_a_seed() -> None:
    """Those of methods that resample."""
    drawn = ("bootstrap", "bca", "bayesian", "test inversion", "bootstrap less bias")
    assert all(Interval(method=method).is_drawn for method in drawn)
    assert not any(Interval(method=method).is_drawn for method in ("wilson", "t", None))


def test_estimates() -> None:
    """Influences that are finite, the interval that counts, and the distances of its limits."""
    assert Estimate(0.5, 10).finite_influence is None
    phi = np.array([0.1, -0.1])
    assert Estimate(0.5, 2, influence=phi).finite_influence is phi
    for odd in (np.nan, np.inf):
        assert Estimate(0.5, 2, influence=np.array([0.1, odd])).finite_influence is None

    class Levels:
        df = 3.0

        def interval(self, confidence: Confidence) -> Interval:
            return Interval(confidence.level - 0.9, 1.0)

    limits, asked = Interval(0.2, 0.9), Confidence(0.95)
    assert Estimate(0.5, 2).interval_at(asked) == Interval()
    assert Estimate(0.5, 2, levels=Levels()).interval_at(asked).low == 0.95 - 0.9
    assert Estimate(0.5, 2, levels=Levels(), interval=limits).interval_at(asked) is limits
    assert Estimate(0.5, 2, undefined="odd", interval=limits).interval_at(asked) == Interval()
    assert Estimate(0.5, 2, interval=limits).distances == (0.5 - 0.2, 0.9 - 0.5)
    for none in (None, Interval(), Interval(0.2, None), Interval(None, 0.9)):
        assert Estimate(0.5, 2, interval=none).distances is None
    assert least_variance((0.2, 0.4), 2.0) == pytest.approx(0.04, rel=1e-12)
    assert least_variance((0.4, 0.2), 2.0) == pytest.approx(0.04, rel=1e-12)
    assert least_variance(None, 2.0) == 0.0
    assert math.isfinite(least_variance((0.4, math.inf), 2.0))
    plain = Estimate(0.5, 10)
    assert (plain.df, plain.least, plain.growth) == (math.inf, 0.0, 0.0)
    assert (plain.n_effective, plain.level) == (math.inf, 0.95)


STILL = [[9, 0, 2], [0, 6, 0], [1, 0, 4]]
MANY: Any = (np.eye(6, dtype=int) * 5 + np.arange(36).reshape(6, 6) % 3).tolist()
TABLES = {"few": WHOLE, "still": STILL, "never": MISSED, "many": MANY}


@pytest.mark.parametrize(
    ("shape", "kind"),
    [(s, k) for i, s in enumerate(TABLES) for j, k in enumerate(KINDS) if (i + j) % 2 == 0],
)
def test_limits_of_averages_are_combined_from_their_classes(shape: str, kind: str) -> None:
    """By the correlations of the classes, mixed with those of the whole; as the plain formulas."""
    spread, asked = spread_of_kind(TABLES[shape], kind), Confidence(0.9)
    for name in ("macro_f1", "weighted_f1", "macro_recall", "macro_diagnostic_odds_ratio"):
        metric = get(name)
        value = float(metric.values(spread.cells).value)
        if not math.isfinite(value):
            continue
        found = combined(metric, value, spread, asked, "zero")
        slow = slow_combined(metric, value, spread, asked)
        if slow is None:
            assert (found.low, found.high) == (None, None)
            continue
        assert found.method == "mover"
        assert (found.low, found.high) == pytest.approx(slow, rel=1e-9)
        variance = float(spread.variance(np.asarray(slopes(metric, spread))))
        assert found.standard_error == pytest.approx(math.sqrt(variance), rel=1e-9)


def slopes(metric: Metric, spread: TableVariance) -> Any:
    return derivative(metric, spread.cells)


@pytest.mark.parametrize("kind", ["plain", "weighted", "weighted control"])
@pytest.mark.parametrize("shape", ["still", "never"])
def test_classes_without_an_error_stand_alone_where_cells_are_listed(shape: str, kind: str) -> None:
    """No smoothed table says how they go together: their squared distances are added."""
    dense, asked = spread_of_kind(TABLES[shape], kind), Confidence(0.9)
    spread = TableVariance(to_sparse(dense.cells), dense.design)
    for name in ("macro_recall", "macro_f1"):
        metric = get(name)
        value = float(metric.values(spread.cells).value)
        found = combined(metric, value, spread, asked, "zero")
        slow = slow_combined(metric, value, spread, asked)
        assert slow is not None
        assert (found.low, found.high) == pytest.approx(slow, rel=1e-9)


def test_heavy_classes_leave_the_limits_of_light_ones() -> None:
    """Sums over all cells would be rounding errors of the heavy class."""
    weights = np.array([[1e12], [1.0], [1e-3]])
    counts = np.array(WHOLE)
    cells = Cells.dense(
        counts * weights, classes=Classes.of(range(3)), squares=counts * weights**2, n_rows=45
    )
    spread, metric, asked = TableVariance(cells), get("macro_recall"), Confidence(0.9)
    value = float(metric.values(cells).value)
    found = combined(metric, value, spread, asked, "zero")
    slow = slow_combined(metric, value, spread, asked)
    assert slow is not None
    assert (found.low, found.high) == pytest.approx(slow, rel=1e-7)
    # The recalls of classes are independent: p·(1 − p) ÷ n of each.
    parts = [(r[i] / sum(r) * (1 - r[i] / sum(r))) / sum(r) for i, r in enumerate(WHOLE)]
    assert found.standard_error == pytest.approx(math.sqrt(sum(parts)) / 3, rel=1e-7)


@pytest.mark.parametrize(
    ("counts", "name", "planned"),
    [
        ([[11, 1, 0, 0], [0, 11, 0, 0], [2, 1, 20, 1], [1, 2, 2, 6]], "macro_f1", 10),
        ([[11, 1, 0, 0], [0, 11, 0, 0], [2, 1, 20, 1], [1, 2, 2, 6]], "macro_f1", 100_000),
        ([[15, 0], [20, 21]], "macro_recall", 10),
        ([[19, 1], [2, 13]], "macro_f1", 10),
    ],
)
def test_limits_of_averages_at_looks_are_the_wider_of_two(
    counts: Any, name: str, planned: int
) -> None:
    """Those of the classes, as at one look with such tails, and those of the whole."""
    spread, metric = spread_of_kind(counts, "plain"), get(name)
    value = float(metric.values(spread.cells).value)
    asked = Confidence(0.95, anytime=planned, n_units=float(np.sum(counts)))
    found = combined(metric, value, spread, asked, "zero")
    whole = whole_limits(metric, value, spread, asked, "zero")
    classes, _ = _mover(metric, value, spread, Confidence(1 - 2 * asked.tail), "zero")
    assert whole is not None
    assert classes.low is not None
    assert classes.high is not None
    expected = min(classes.low, whole[0]), max(classes.high, whole[1])
    assert (found.low, found.high) == pytest.approx(expected, rel=1e-9)
    assert (found.method, found.remark) == ("mover", None)


def test_averages_without_a_derivative_have_no_limits() -> None:
    """The mean of recalls of which one is 0, as a product, rises infinitely fast."""
    for kind in ("plain", "weighted"):
        spread = spread_of_kind([[5, 0], [3, 0]], kind)
        for asked in (Confidence(0.9), Confidence(0.9, anytime=20, n_units=8.0)):
            assert combined(get("g_mean"), 0.0, spread, asked, "zero") == Interval(remark=NO_SLOPE)


def limits_of(low: Any, high: Any) -> ClassLimits:
    low, high = np.asarray(low, float), np.asarray(high, float)
    k = len(low)
    return ClassLimits((low + high) / 2, low, high, np.zeros((k, 2, 2)), np.ones(k), "")


def test_the_number_of_classes_that_decide() -> None:
    """(Σd²)² ÷ Σd⁴ with the widths of classes by their slopes, of all parts together."""
    first = limits_of([0.1, 0.2, 0.3], [0.5, 0.4, 0.3])
    second = limits_of([0.0, 0.0, 0.0], [0.2, 0.0, 1.0])
    d = np.array([2 * 0.4, 1 * 0.2, 0.0])
    expected = (d**2).sum() ** 2 / (d**4).sum()
    slopes_of = [np.array([-2.0, 1.0, 5.0]), np.array([1.0, 3.0, -0.5])]
    assert _deciding([first], slopes_of[:1]) == pytest.approx(expected, rel=1e-12)
    d += np.array([0.2, 0.0, 0.5])
    expected = (d**2).sum() ** 2 / (d**4).sum()
    assert _deciding([first, second], slopes_of) == pytest.approx(expected, rel=1e-12)
    tiny = limits_of([0.0, 0.0], [1e-200, 1e-200])
    assert _deciding([tiny], [np.ones(2)]) == pytest.approx(2.0, rel=1e-12)
    # None decides, or one without a width.
    assert _deciding([first], [np.zeros(3)]) == 1.0
    odd = limits_of([0.0, 0.0, 0.0], [np.nan, 1.0, 1.0])
    assert _deciding([odd], [np.ones(3)]) == pytest.approx(2.0, rel=1e-12)


def test_factors_of_classes() -> None:
    """Slope × distance ÷ error on the side it counts on; without an error, alone."""
    limits = ClassLimits(
        np.array([0.5, 0.6, 0.7]),
        np.array([0.3, 0.5, 0.6]),
        np.array([0.9, 0.9, 0.8]),
        np.zeros((3, 2, 2)),
        np.array([0.04, 0.01, 0.0]),
        "",
    )
    slopes_of = np.array([0.5, -2.0, 3.0])
    (of_part,), (below, above), n_still = part_factors([limits], [limits], [slopes_of])
    assert of_part[:, 0] == pytest.approx([0.5 * 0.2 / 0.2, 0.5 * 0.4 / 0.2, 0.5], rel=1e-12)
    assert of_part[:, 1] == pytest.approx([-2 * 0.3 / 0.1, -2 * 0.1 / 0.1, -2.0], rel=1e-12)
    assert of_part[:2, 2].tolist() == [0.0, 0.0]
    assert (below, above) == pytest.approx(((3 * 0.1) ** 2, (3 * 0.1) ** 2), rel=1e-12)
    assert n_still == 1
    both = part_factors([limits] * 2, [limits] * 2, [slopes_of] * 2)
    assert both[1] == pytest.approx((2 * below, 2 * above), rel=1e-12)
    assert (len(both[0]), both[2]) == (2, 2)


def test_an_interval_from_squares() -> None:
    """Its limits lie their roots away."""
    found = mover_interval(0.5, (0.04, 0.09), 0.1, "a remark")
    assert (found.low, found.high) == pytest.approx((0.3, 0.8), rel=1e-12)
    assert (found.method, found.standard_error, found.remark) == ("mover", 0.1, "a remark")
    assert mover_interval(0.5, (0.0, 0.0)) == Interval(0.5, 0.5, "mover")


def test_limits_are_no_narrower_than_the_error_says() -> None:
    """Those of the whole, where they lie nearer than n rows with these influences have them."""
    spread, metric, asked = spread_of_kind(WHOLE, "plain"), get("macro_f1"), Confidence(0.9)
    value = float(metric.values(spread.cells).value)
    error = math.sqrt(float(spread.variance(slopes(metric, spread))))
    phi = spread.centred(slopes(metric, spread))
    w = spread.weights
    n = (w * phi**2).sum() ** 2 / (w * phi**4).sum()
    shrunk = Z * error / math.sqrt(1 + Z**2 / n)
    whole = (value - 3 * error, value + 0.5 * error)

    def made(half: float, by: tuple[float, float] | None = whole) -> Interval:
        bare = Interval(value - half, value + half, "mover", error)
        return _not_narrow(bare, metric, value, spread, asked, "zero", by)

    for half in (Z * error, 0.995 * Z * error, 1.0001 * shrunk):
        assert made(half) == Interval(value - half, value + half, "mover", error)
    half = 0.999 * shrunk
    assert shrunk < 0.99 * Z * error
    assert made(half) == Interval(whole[0], value + half, "mover", error)
    own = whole_limits(metric, value, spread, asked, "zero")
    assert own is not None
    narrow = made(0.1 * shrunk, None)
    assert (narrow.low, narrow.high) == own
    # Without an end of the range there are no limits of the whole.
    open_end, odds = get("macro_diagnostic_odds_ratio"), Interval(29.9, 30.1, "mover", 20.0)
    assert _not_narrow(odds, open_end, 30.0, spread, asked, "zero") is odds
    for bare in (
        Interval(value, value, "mover", None),
        Interval(value, value, "mover", 0.0),
        Interval(None, value, "mover", error),
        Interval(value, None, "mover", error),
    ):
        assert _not_narrow(bare, metric, value, spread, asked, "zero", whole) is bare


def test_metrics_that_are_combined() -> None:
    """Averages over classes, not those of one class, of all rows or of the right rows."""
    names = ("macro_f1", "weighted_recall", "macro_precision", "f1", "micro_f1", "accuracy")
    assert [is_combined(get(name), "zero") for name in names] == [True] * 3 + [False] * 3
