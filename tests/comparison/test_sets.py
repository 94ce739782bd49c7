"""Models of rows with sets: differences row by row, by hand, by other routes, by simulation."""

from __future__ import annotations

import itertools
import json
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from karat.inference.comparison.set_swaps import swap_p_values_of_sets
from karat.metrics import get
from karat.metrics._of_sets import values_on_sets
from karat.tally import Classes
from karat.tally.set_tally import SetRows
from karat.tally.sets import Sets
from tests.six_rows import KNOWN, PRED, TRUE, WEIGHTS, bits

OTHER = bits("1010 0100 0001 1100 0000 0000")
NAMES = ("subset_accuracy", "hamming_loss", "samples_f1", "micro_f1", "macro_f1", "weighted_f1")


def random_rows(seed: int, n: int, k: int = 5) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng([26, seed])
    true = (0.6 * rng.normal(size=(n, 1)) + rng.normal(size=(n, k))) > 0.8
    both = rng.random((n, k)) < 0.08
    models = {
        name: np.where(both | (rng.random((n, k)) < share), ~true, true)
        for name, share in (("a", 0.10), ("b", 0.06))
    }
    return true, models


def value(name: str, true: np.ndarray, pred: np.ndarray, w: Any = None) -> float:
    labels = Classes(tuple(range(true.shape[1])), is_declared=True)
    rows = SetRows(labels, Sets.of_matrix(true), Sets.of_matrix(pred), weights=w)
    return float(values_on_sets(get(name), rows.tally).value)


def test_differences_by_hand() -> None:
    found = karat.compare(TRUE, {"p": PRED, "q": OTHER}, metrics=["micro_f1", "macro_f1"])
    micro, macro = found["micro_f1"], found["macro_f1"]
    assert (micro.value_a, micro.difference) == pytest.approx((0.769231, 0.153846), abs=1e-6)
    assert macro.difference == pytest.approx(0.041667, abs=1e-6)
    # √(Σφ²) ÷ n of the specification of sets, times √(n ÷ (n − 1)).
    assert micro.standard_error == pytest.approx(0.115952 * np.sqrt(6 / 5), abs=1e-6)
    assert macro.standard_error == pytest.approx(0.109691 * np.sqrt(6 / 5), abs=1e-6)
    apart = karat.compare(TRUE, {"p": PRED, "q": OTHER}, metrics="micro_f1", paired=False)
    assert apart["micro_f1"].standard_error != pytest.approx(micro.standard_error, rel=0.1)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_standard_errors_are_those_of_the_jackknife(name: str, is_weighted: bool) -> None:
    n = 250
    true, models = random_rows(1, n)
    w = np.random.default_rng(0).integers(1, 4, n).astype(float) if is_weighted else None
    one = karat.compare(true, models, metrics=name, weights=w)[name]
    without = []
    for row in range(n):
        kept = np.arange(n) != row
        some = None if w is None else w[kept]
        sides = [value(name, true[kept], pred[kept], some) for pred in models.values()]
        without.append(sides[1] - sides[0])
    assert one.standard_error == pytest.approx(np.sqrt((n - 1) * np.var(without)), rel=0.03)
    assert one.low is not None
    assert one.high is not None
    assert one.low < one.difference < one.high


def test_right_rows_are_compared_as_right_rows_of_one_class_are() -> None:
    true, models = random_rows(2, 300)
    sets = karat.compare(true, models, metrics="subset_accuracy")["subset_accuracy"]
    right = {name: (pred == true).all(axis=1).astype(int) for name, pred in models.items()}
    rows = karat.compare(np.ones(300, int), right, metrics="accuracy", labels=[0, 1])["accuracy"]
    for part in ("difference", "standard_error", "low", "high", "p", "method", "discordant"):
        assert getattr(sets, part) == getattr(rows, part)


def test_forms_weights_and_clusters_that_say_the_same() -> None:
    true, models = random_rows(3, 120)

    def numbers(*args: Any, **options: Any) -> list[tuple[float, ...]]:
        found = karat.compare(*args, metrics=NAMES[1:], **options)
        return [(x.difference, x.standard_error, x.low, x.high) for x in found]

    plain = numbers(true, models)
    lists = [np.flatnonzero(row).tolist() for row in true]
    listed = {name: [set(np.flatnonzero(x).tolist()) for x in p] for name, p in models.items()}
    assert numbers(lists, listed, labels=range(5)) == plain
    assert numbers(true, models, clusters=np.arange(120)) == plain
    w = np.random.default_rng(1).integers(0, 4, 120)
    at = np.repeat(np.arange(120), w)
    repeated = numbers(true[at], {name: pred[at] for name, pred in models.items()})
    often = numbers(true, models, weights=karat.Frequency(w))
    assert np.array(often) == pytest.approx(np.array(repeated), rel=1e-6, abs=1e-9)
    # Pairs of equal rows are as many clusters as there were rows.
    twice = np.repeat(true, 2, axis=0), {x: np.repeat(p, 2, axis=0) for x, p in models.items()}
    by_pair = numbers(*twice, clusters=np.repeat(np.arange(120), 2))
    errors = [np.array(each)[:, 1] for each in (by_pair, plain, numbers(*twice))]
    assert errors[0] == pytest.approx(errors[1], rel=1e-9)
    # The control: as independent rows they seem to say more.
    assert (errors[2] < 0.8 * errors[0]).all()


def test_rows_apart_and_reports() -> None:
    true, models = random_rows(4, 200)
    own = dict.fromkeys(models, true)
    apart = karat.compare(own, models, metrics=NAMES)
    reports: Any = {name: karat.evaluate(true, pred) for name, pred in models.items()}
    assert [*karat.compare(reports, metrics=NAMES)] == [*apart]
    for one in apart:
        errors = [reports[name][one.metric].standard_error for name in models]
        assert one.standard_error == pytest.approx(float(np.hypot(*errors)))
    paired = karat.compare(true, models, metrics=NAMES)
    assert paired["micro_f1"].standard_error < apart["micro_f1"].standard_error


def test_rows_of_unknown_truth_count_nowhere() -> None:
    true = np.where(KNOWN == 1, TRUE, np.nan)
    found = karat.compare(true, {"p": PRED, "q": OTHER}, metrics=NAMES)
    kept = karat.compare(np.delete(true, 2, 0), {"p": np.delete(PRED, 2, 0),
                         "q": np.delete(OTHER, 2, 0)}, metrics=NAMES)  # fmt: skip
    assert [*found] == [*kept]
    assert found["micro_f1"].value_b == pytest.approx(2 / 3)


def test_what_is_shown_and_written() -> None:
    true, models = random_rows(5, 60)
    found = karat.compare(
        true, {**models, "c": true}, adjust="maxt", labels=karat.Labels(names=list("vwxyz"))
    )
    assert "a, b, c · 60 rows · 5 labels · the same rows" in str(found)
    assert found.metrics == (
        "subset_accuracy",
        "hamming_loss",
        "samples_f1",
        "micro_f1",
        "macro_f1",
    )
    assert found.best("macro_f1").model == "c"
    assert json.loads(found.to_json())["labels"] == [0, 1, 2, 3, 4]
    flips = karat.compare(TRUE, {"p": PRED, "q": OTHER}).flips["q", "p"]
    assert flips.rows.tolist() == [0, 1, 2, 5]
    assert flips.gained.tolist() == [True, True, False, True]
    assert (flips.true[0], flips.said_b[0]) == ({0, 2}, {0})
    every = karat.compare(true, models, metrics="all")
    assert len(every.metrics) > 80


def test_models_that_predict_the_same() -> None:
    true, models = random_rows(6, 80)
    for one in karat.compare(true, {"a": models["a"], "b": models["a"]}, metrics=NAMES):
        assert one.difference == 0.0
        assert one.p == pytest.approx(1.0)
        assert one.remark == "both predict the same for every row"
        assert one.low is not None
        assert one.low < 0.0


def test_models_that_predict_as_many_labels_do_not_predict_the_same() -> None:
    """As many labels in every row, but others; and the same labels, but in other rows."""
    true = np.eye(3, dtype=int)[[0, 1, 2] * 10]
    shifted = np.tile([[1, 1, 0], [0, 0, 0], [0, 0, 1]], (10, 1))
    for a, b in ((true, true[:, [1, 0, 2]]), (true, shifted)):
        for one in karat.compare(true, {"a": a, "b": b}, metrics=["micro_f1", "samples_f1"]):
            assert one.difference < 0.0
            assert one.remark != "both predict the same for every row"


def test_swaps_of_whole_sets_are_those_of_every_choice() -> None:
    true, models = random_rows(7, 9, 3)
    sides = []
    for pred in models.values():
        labels = Classes((0, 1, 2), is_declared=True)
        sides.append(SetRows(labels, Sets.of_matrix(true), Sets.of_matrix(pred)))
    names = ["macro_f1", "macro_recall"]
    differences = []
    for swapped in itertools.product([False, True], repeat=9):
        at = np.array(swapped)[:, None]
        a, b = np.where(at, models["b"], models["a"]), np.where(at, models["a"], models["b"])
        differences.append([value(x, true, a) - value(x, true, b) for x in names])
    exact = (np.abs(differences) >= np.abs(differences[0]) - 1e-12).mean(axis=0)
    drawn = swap_p_values_of_sets((sides[0], sides[1]), [get(x) for x in names], 20_000, (1,))
    assert drawn is not None
    assert drawn[0] == pytest.approx(exact, abs=0.015)
    rare = karat.compare(true, models, metrics=names)["macro_f1"]
    assert rare.method.startswith("swap permutation")
    assert rare.p is not None
    assert rare.p >= exact[0] - 0.03


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"y_prob": {"p": np.full((6, 3), 0.5)}}, "K134"),
        ({"y_pred": {"a": PRED}}, "K161"),
        ({"y_pred": {"a": PRED, "b": np.arange(6)}}, "K103"),
        ({"y_pred": {"a": PRED, "b": PRED[:, :3]}}, "K199"),
        ({"metrics": "accuracy"}, "K219"),
        ({"metrics": "f1"}, "K220"),
        ({"positive": 1}, "K221"),
        ({"clusters": np.zeros(6)}, "K145"),
        ({"weights": karat.Frequency(WEIGHTS + 0.5)}, "K150"),
    ],
)
def test_what_cannot_be_compared(change: dict[str, Any], code: str) -> None:
    with pytest.raises(KaratError) as caught:
        karat.compare(**{"y_true": TRUE, "y_pred": {"p": PRED, "q": OTHER}, **change})
    assert caught.value.code == code


@pytest.mark.parametrize("undefined", ["zero", "exclude", "nan"])
def test_rows_that_say_little(undefined: str) -> None:
    true, models = random_rows(8, 12)
    lost = true.astype(float)
    lost[:, 0] = np.nan
    options: dict[str, Any] = {
        "undefined": undefined,
        "interval": karat.Interval(n_replicates=99),
        "metrics": "all",
    }
    # A stratum of which nothing is known, and rows that are known in one cluster alone.
    apart = karat.compare(lost, models, label_strata={"gone": [0]}, **options)
    assert all(one.low is None for one in apart.strata["gone"])
    lost[:6] = np.nan
    clusters = np.repeat([0, 1], 6)
    assert all(one.low is None for one in karat.compare(lost, models, clusters=clusters, **options))
    assert karat.evaluate(lost, models["a"], clusters=clusters)["micro_f1"].low is None
    for few in (1, 2):
        sides = {name: pred[:few] for name, pred in models.items()}
        found = karat.compare(true[:few], sides, **options)
        assert len(found.per_label("positive_likelihood_ratio")) == 5
        assert str(found)


def test_a_report_of_json_has_no_rows() -> None:
    report: Any = karat.evaluate(TRUE, PRED)
    again = karat.MultilabelReport.from_json(report.to_json())
    with pytest.raises(KaratError, match="K166"):
        karat.compare({"p": report, "q": again})


def test_equal_models_of_few_rows_are_rarely_called_different() -> None:
    names = ("micro_f1", "macro_f1")
    shown = np.zeros((2, 2))
    for seed in range(150):
        rng = np.random.default_rng([11, seed])
        # Of 25 rows rare labels have one or two.
        both = np.sqrt(0.3) * rng.normal(size=(25, 1)) + np.sqrt(0.7) * rng.normal(size=(25, 20))
        cut = np.where(np.arange(20) < 15, 1.04, 2.05)
        errors = rng.normal(size=(3, 25, 20)) * 0.6
        models = {x: both + errors[0] + errors[i + 1] > cut + 0.2 for i, x in enumerate("ab")}
        found = karat.compare(
            both > cut, models, metrics=names, interval=karat.Interval(n_replicates=199)
        )
        for i, one in enumerate(found):
            assert one.p is not None
            t = one.difference / (one.standard_error or np.inf)
            shown[:, i] += one.p < 0.05, abs(t) > 2.06
    assert (shown[0] <= 0.1 * 150).all(), shown
    # The control: the difference of means over labels in standard errors.
    assert shown[1, 1] > 0.1 * 150


def test_macro_averages_in_few_clusters_count_degrees_of_freedom_once() -> None:
    """Where labels are alike, the macro average varies as the micro average does."""
    rng = np.random.default_rng(5)
    n_clusters, n_rows = 6, 200
    clusters = np.repeat(np.arange(n_clusters), n_rows)
    effect = rng.normal(0, 0.25, n_clusters)[clusters]
    true = rng.random((n_clusters * n_rows, 3)) < 0.45

    def predicted(right: float) -> np.ndarray:
        share = np.clip(right + 0.5 * effect, 0.3, 0.97)[:, None]
        return np.where(rng.random(true.shape) < share, true, ~true).astype(int)

    models = {"a": predicted(0.80), "b": predicted(0.72)}
    metrics = ["macro_f1", "micro_f1"]
    macro, micro = karat.compare(
        true.astype(int), models, clusters=clusters, metrics=metrics
    ).differences
    assert macro.standard_error == pytest.approx(micro.standard_error, rel=0.02)
    # Degrees of freedom that count twice make it 1.98 times as wide.
    assert macro.high - macro.low == pytest.approx(micro.high - micro.low, rel=0.05)
    assert macro.p == pytest.approx(micro.p, rel=0.2)
