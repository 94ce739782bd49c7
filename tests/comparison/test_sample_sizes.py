"""`rows_needed`: the intervals and the power that so many rows give, by simulation."""

from __future__ import annotations

import math
import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from karat.inference.confidence import Confidence
from karat.inference.label_intervals import label_interval
from karat.inference.sizes import Pilot, SizeSpec, rows_for_scores
from karat.inference.table_variance import TableVariance
from karat.metrics import get
from karat.tally import Cells, Classes
from tests.comparison.data import drawn

TABLE = np.array([[70, 8, 2], [9, 40, 6], [3, 5, 17]])


@pytest.mark.parametrize("name", ["accuracy", "macro_f1", "kappa_quadratic", "balanced_accuracy"])
@pytest.mark.parametrize("half_width", [0.03, 0.08])
def test_samples_of_so_many_rows_have_intervals_of_that_width(name: str, half_width: float) -> None:
    n = karat.rows_needed(name, pilot=TABLE, half_width=half_width)
    rng, metric = np.random.default_rng(0), get(name)
    widths = []
    for _ in range(60):
        sample = rng.multinomial(n, TABLE.ravel() / TABLE.sum()).reshape(3, 3)
        spread = TableVariance(Cells.dense(sample, classes=Classes.of(range(3))))
        value = float(metric.values(spread.cells).value)
        found = label_interval(metric, value, spread, Confidence())
        assert found.low is not None
        assert found.high is not None
        widths.append((found.high - found.low) / 2)
    assert np.mean(widths) == pytest.approx(half_width, rel=0.05)


def test_the_rows_for_a_share_are_the_least_whose_wilson_interval_is_as_narrow() -> None:
    pilot = np.array([[90, 10], [0, 0]])
    n = karat.rows_needed("accuracy", pilot=pilot, half_width=0.02)

    def half(rows: int) -> float:
        z2, p = 1.959963984540054**2, 0.9
        return float(np.sqrt(z2 * (p * (1 - p) / rows + z2 / (4 * rows**2))) / (1 + z2 / rows))

    assert half(n) <= 0.02 < half(n - 1)


@pytest.mark.parametrize("name", ["accuracy", "macro_f1"])
def test_so_many_rows_show_the_difference_in_as_many_samples(name: str) -> None:
    true, (a, b) = drawn(0, 20_000, (0.24, 0.2), k=3)
    pilot = karat.compare(true, {"b": a, "a": b}, metrics=name)
    n = karat.rows_needed(name, pilot=pilot, difference=abs(pilot[name].difference))
    assert n == pytest.approx(pilot[name].rows_needed, abs=1)
    assert n == karat.rows_needed(name, pilot=pilot[name], difference=pilot[name].difference)
    rng = np.random.default_rng(1)
    shown = 0
    for _ in range(150):
        at = rng.integers(0, 20_000, n)
        found = karat.compare(true[at], {"b": a[at], "a": b[at]}, metrics=name)[name]
        shown += found.verdict == "better"
    assert 0.70 <= shown / 150 <= 0.90


def test_two_test_sets_need_more_rows_than_one_that_both_models_share() -> None:
    true, (a, b) = drawn(2, 2000)
    pilot = karat.compare(true, {"b": b, "a": a})
    report = karat.evaluate(true, a)
    for name in ("accuracy", "macro_f1"):
        together = karat.rows_needed(name, pilot=pilot, difference=0.03)
        apart = karat.rows_needed(name, pilot=report, difference=0.03)
        assert apart > 1.5 * together


def test_the_answer_grows_with_what_is_asked() -> None:
    def rows(**options: Any) -> int:
        return karat.rows_needed("macro_f1", pilot=TABLE, **options)

    assert rows(half_width=0.02) > rows(half_width=0.04)
    assert rows(half_width=0.02, level=0.99) > rows(half_width=0.02)
    assert rows(difference=0.02, power=0.9) > rows(difference=0.02)
    assert rows(difference=0.02) > rows(difference=0.02, interval=karat.Interval(side="low"))
    assert rows(half_width=0.02) > rows(half_width=0.02, interval=karat.Interval(side="high"))
    true, (a, _) = drawn(3, 500)
    weights = np.random.default_rng(0).lognormal(size=500)
    weighted, plain = karat.evaluate(true, a, weights=weights), karat.evaluate(true, a)
    sizes = [karat.rows_needed("accuracy", pilot=p, half_width=0.03) for p in (weighted, plain)]
    assert sizes[0] > 1.5 * sizes[1]
    scored = karat.compare(true % 2, y_prob={"x": np.linspace(0.1, 0.9, 500), "y": [0.5] * 500})
    assert karat.rows_needed("log_loss", pilot=scored, difference=0.1) > 1


@pytest.mark.parametrize(
    ("code", "metric", "options"),
    [
        ("K169", "accuracy", {}),
        ("K169", "accuracy", {"half_width": 0.1, "difference": 0.1}),
        ("K122", "accuracy", {"half_width": -0.1}),
        ("K122", "accuracy", {"difference": "much"}),
        ("K122", "accuracy", {"difference": 0.1, "power": 1.0}),
        ("K122", "accuracy", {"difference": 0.1, "level": None}),
        ("K167", "accuracy", {"half_width": 0.5}),
        ("K167", "roc_auc_ovr_macro", {"half_width": 0.1}),
        ("K167", "accuracy", {"difference": 1e-12}),
        ("K301", "macro_f2", {"half_width": 0.1}),
        ("K307", "f1", {"half_width": 0.1}),
    ],
)
def test_what_cannot_be_said_is_an_error(code: str, metric: str, options: dict[str, Any]) -> None:
    with pytest.raises(karat.KaratError) as caught:
        karat.rows_needed(metric, pilot=TABLE, **options)
    assert caught.value.code == code


def test_a_pilot_without_any_error_says_nothing_of_a_difference() -> None:
    with pytest.raises(karat.KaratError, match="K167"):
        karat.rows_needed("accuracy", pilot=np.diag([5, 5]), difference=0.1)
    assert karat.rows_needed("accuracy", pilot=np.diag([5, 5]), half_width=0.1) > 5


PILOT = karat.compare([0, 1] * 50, {"a": [0, 1] * 50, "b": [0, 1, 1, 1] * 25})


@pytest.mark.parametrize(
    ("metric", "pilot", "options", "code"),
    [
        ("f1", PILOT["accuracy"], {"half_width": 0.05}, "K168"),
        ("accuracy", PILOT, {"half_width": 1e-300}, "K167"),
        ("accuracy", TABLE, {"difference": 1e-300}, "K167"),
        ("precision", [[5]], {"difference": 0.1}, "K167"),
        ("accuracy", None, {"difference": 0.1}, "K170"),
        ("roc_auc", TABLE, {"half_width": 0.1}, "K167"),
        (
            "accuracy",
            karat.evaluate([0, 1, 1] * 4, [0, 1, 0] * 4, clusters=[0, 1, 2, 3] * 3),
            {"half_width": 0.1},
            "K167",
        ),
        (
            "accuracy",
            TABLE,
            {"half_width": 0.1, "interval": karat.Interval(side="low"), "level": 0.5},
            "K122",
        ),
    ],
)
def test_what_gives_no_number_is_refused(
    metric: str, pilot: Any, options: dict[str, Any], code: str
) -> None:
    with pytest.raises(karat.errors.KaratError, match=code):
        karat.rows_needed(metric, pilot=pilot, **options)


@pytest.mark.parametrize("metric", ["roc_auc", "log_loss", "brier"])
def test_a_report_of_scores_says_how_many_rows_a_metric_of_scores_needs(metric: str) -> None:
    rng = np.random.default_rng(4)
    true = rng.integers(0, 2, 400)
    prob = np.clip(0.5 + 0.25 * (2 * true - 1) + 0.2 * rng.normal(size=400), 0.02, 0.98)
    pilot = karat.evaluate(true, y_prob=prob)
    one = pilot[metric]
    assert one.standard_error is not None
    # The number of rows whose interval is as wide as that of the pilot is that of the pilot.
    width = (one.high - one.low) / 2.0
    assert karat.rows_needed(metric, pilot=pilot, half_width=width) == pytest.approx(400, rel=0.03)
    half = karat.rows_needed(metric, pilot=pilot, half_width=width / 2)
    assert half == pytest.approx(1600, rel=0.06)
    # The interval is wider than its standard errors, and less so of many rows.
    reach = 1.959964 * one.standard_error
    assert 400 < karat.rows_needed(metric, pilot=pilot, half_width=reach) < 440
    many = karat.rows_needed(metric, pilot=pilot, half_width=reach / 20)
    assert many == pytest.approx(160_000, rel=0.002)
    both = (1.959964 + 0.841621) * one.standard_error * math.sqrt(2)
    assert karat.rows_needed(metric, pilot=pilot, difference=both) == pytest.approx(400, abs=1)
    again = karat.Report.from_json(pilot.to_json())
    from_json = karat.rows_needed(metric, pilot=again, half_width=reach)
    assert from_json == karat.rows_needed(metric, pilot=pilot, half_width=reach)


def test_a_metric_of_scores_that_has_no_standard_error_is_refused_with_what_to_do() -> None:
    true = np.arange(60) % 2
    prob = np.where(true == 1, 0.7, 0.4) + np.linspace(0, 0.05, 60)
    for pilot in (karat.evaluate(true, true), karat.evaluate(true, y_prob=prob, level=None)):
        with pytest.raises(karat.KaratError, match="K167") as caught:
            karat.rows_needed("roc_auc", pilot=pilot, half_width=0.1)
        assert "a comparison of two models" in str(caught.value)


@pytest.mark.parametrize("name", ["accuracy", "macro_f1", "kappa"])
def test_a_number_of_rows_is_a_whole_number(name: str) -> None:
    for half_width in (0.03, 0.3):
        assert isinstance(karat.rows_needed(name, pilot=TABLE, half_width=half_width), int)


def test_so_many_rows_as_the_refusal_names_can_be_told() -> None:
    n = karat.rows_needed("accuracy", pilot=TABLE, difference=8e-8)
    assert 10**14 < n <= 10**15
    with pytest.raises(karat.KaratError, match=r"More than 1e\+15 rows"):
        karat.rows_needed("accuracy", pilot=TABLE, difference=1e-8)


def test_rows_needed_have_the_limits_of_what_a_pilot_knows() -> None:
    """Of accuracy p the variance is p·q, which a pilot knows as well as p; the share is exact."""
    n, p = 400, 0.9
    found = karat.rows_needed("accuracy", pilot=[[190, 20], [20, 170]], half_width=0.02)
    assert (int(found), found.level) == (found, 0.95)
    error_of_log = (2 * p - 1) / math.sqrt(p * (1 - p) * n)
    for end, sign in ((found.low, -1.0), (found.high, 1.0)):
        assert end == pytest.approx(found * math.exp(1.959964 * sign * error_of_log), abs=1)
    assert str(found) == f"{int(found)} [{found.low}, {found.high}]"
    wide = karat.rows_needed("accuracy", pilot=[[19, 2], [2, 17]], half_width=0.02)
    assert wide.high / wide.low > 3 * found.high / found.low
    assert pickle.loads(pickle.dumps(found)).high == found.high
    none = karat.rows_needed("accuracy", pilot=np.diag([5, 5]), half_width=0.1)
    assert (none.low, none.high) == (1, math.inf)
    assert str(none).endswith("unknown]")


def test_rows_for_the_difference_seen_follow_from_its_limits() -> None:
    true, (a, b) = drawn(5, 2000, (0.2, 0.26))
    one = karat.compare(true, {"b": b, "a": a}, metrics="accuracy")["accuracy"]
    assert one.low > 0.0
    for limit, end in ((one.high, one.rows_needed.low), (one.low, one.rows_needed.high)):
        assert end == pytest.approx(one.rows_needed * (one.difference / limit) ** 2, abs=2)
    some = slice(200, 260)
    models = {"b": b[some], "a": a[some]}
    few = karat.compare(true[some], models, metrics="accuracy")["accuracy"]
    assert few.low <= 0.0 <= few.high
    assert few.rows_needed.high == math.inf, "a control: the difference may be 0"
    assert type(few.to_dict()["rows_needed"]) is int


def test_limits_of_rows_needed_hold_those_of_the_population() -> None:
    rng, table = np.random.default_rng(3), np.array([[0.4, 0.05], [0.1, 0.45]])
    wanted = karat.rows_needed("kappa", pilot=np.round(table * 1e6).astype(int), half_width=0.05)
    pilots = rng.multinomial(150, table.ravel(), size=200).reshape(-1, 2, 2)
    found = [karat.rows_needed("kappa", pilot=pilot, half_width=0.05) for pilot in pilots]
    assert 0.9 <= np.mean([one.low <= wanted <= one.high for one in found]) <= 0.995
    spread = [one / 1.02 <= wanted <= one * 1.02 for one in found]
    assert np.mean(spread) < 0.5, "a control: two percent are too few"


def test_rows_with_sets_need_as_many_as_their_neediest_label() -> None:
    rng = np.random.default_rng(273)
    true = rng.random((600, 4)) < np.array([0.5, 0.3, 0.2, 0.05])
    pred = np.where(rng.random((600, 4)) < 0.1, ~true, true)
    pilot: Any = karat.evaluate(true, pred)
    each = []
    for label in range(4):
        alone = karat.evaluate(true[:, label], pred[:, label], positive=True)
        each.append(karat.rows_needed("recall", pilot=alone, half_width=0.05))
    needed = karat.rows_needed("recall", pilot=pilot, half_width=0.05)
    assert (needed, needed.low) == (max(each), max(each).low)
    assert each.index(needed) == 3
    for name in ("micro_f1", "macro_f1", "subset_accuracy", "hamming_loss", "samples_f1"):
        rows = karat.rows_needed(name, pilot=pilot, half_width=0.02)
        assert rows.low < rows < rows.high
        # As many rows have an interval as narrow.
        error = pilot[name].standard_error * np.sqrt(600 / rows)
        assert 1.96 * error == pytest.approx(0.02, rel=0.01)
    worse = np.where(rng.random((600, 4)) < 0.05, ~pred, pred)
    compared = karat.compare(true, {"old": pred, "new": worse})
    fewer = karat.rows_needed("micro_f1", pilot=compared, difference=0.02)
    assert fewer < karat.rows_needed("micro_f1", pilot=pilot, difference=0.02)
    with pytest.raises(KaratError, match="K219"):
        karat.rows_needed("accuracy", pilot=pilot, half_width=0.05)
    grouped: Any = karat.evaluate(true, pred, clusters=np.arange(600) // 2)
    with pytest.raises(KaratError, match="K167"):
        karat.rows_needed("micro_f1", pilot=grouped, half_width=0.05)


def rows_of_pilot(least: float) -> int:
    """Rows for a metric that is at least this, 0.5 above it in a pilot of 100 rows."""
    metric: Any = SimpleNamespace(range=(least, math.inf))
    asked = Confidence(0.95)
    pilot, size = Pilot(100, "log", asked), SizeSpec(0.04, None, 0.8, asked)
    return rows_for_scores(metric, least + 0.5, 0.05, least + 0.9, pilot, size)


@pytest.mark.parametrize("least", [1.0, -1.0, 4.0])
def test_a_metric_needs_as_many_rows_wherever_its_range_begins(least: float) -> None:
    assert rows_of_pilot(least) == rows_of_pilot(0.0)


def test_rows_for_scores_are_those_of_the_logarithm() -> None:
    """exp(± z·√(1 + excess·100 ÷ n)·error·√(100 ÷ n) ÷ value): the half width falls to 0.04."""
    z, error = 1.959963984540054, 0.05 / 0.5
    excess = (math.log(0.9 / 0.5) / (z * error)) ** 2 - 1.0

    def half_width(n: int) -> float:
        step = z * error * math.sqrt(100 / n * (1.0 + excess * 100 / n))
        return 0.5 * math.sinh(step)

    n = rows_of_pilot(0.0)
    assert half_width(n) <= 0.04 < half_width(n - 1)
