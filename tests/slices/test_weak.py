"""Weak slices among many columns: what is found, and how often noise looks like one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from karat.inference.slices import losses as losses_of
from karat.inference.slices.losses import RowLosses
from karat.inference.slices.search import _null, statistic
from simulations.weak_slices import noise, planted
from tests.grouping import grouped
from tests.optional import optional

pd = optional("pandas")


def table(n: int = 3000, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "site": rng.choice(list("abcdefgh"), n),
            "age": rng.normal(50, 10, n),
            "sex": rng.choice(["f", "m"], n),
            "id": [f"r{i}" for i in range(n)],
            "label": rng.integers(0, 2, n),
        }
    )
    is_weak = (frame["site"] == "c") & (frame["sex"] == "m")
    wrong = rng.random(n) < np.where(is_weak, 0.5, 0.1)
    frame["pred"] = np.where(wrong, 1 - frame["label"], frame["label"])
    return frame


def test_a_weak_cross_is_found_with_its_numbers() -> None:
    frame = table()
    found = karat.find_weak_slices(frame, interval=karat.Interval(n_replicates=199))
    crosses = karat.find_weak_slices(
        frame,
        y_true="label",
        y_pred="pred",
        by=["site", "sex"],
        interval=karat.Interval(n_replicates=199),
    )
    assert found.left_out == {"id": "It holds ids of rows."}
    own = (frame["site"] == "c") & (frame["sex"] == "m")
    wrong = frame["label"] != frame["pred"]
    (best,) = found
    assert (best.columns, best.key, best.limits) == (("site", "sex"), ("c", "m"), (None, None))
    assert best.n_rows == best.n_all == own.sum()
    assert best.value == best.loss == pytest.approx(wrong[own].mean())
    assert best.rest == pytest.approx(wrong[~own].mean())
    assert best.difference == best.value - best.rest
    assert found.n_explained >= 1
    assert crosses.n_tested == 8 + 2 + 16
    assert "site = c, sex = m" in str(found)


def test_a_cross_may_have_more_pairs_than_a_report_has_slices() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 40, (2, 6000))
    columns = {"a": a.astype(str), "b": b.astype(str)}
    loss = ((a == 7) & (rng.random(6000) < 0.5)).astype(float)
    found = karat.find_weak_slices(
        by=columns, loss=loss, min_n=2, interval=karat.Interval(n_replicates=99)
    )
    assert found.n_tested > 1000
    assert found.slices[0].name == "a = 7"
    assert found.slices[0].loss == pytest.approx(loss[a == 7].mean())


def test_the_statistic_is_that_of_shuffled_rows() -> None:
    rng = np.random.default_rng(0)
    loss = (rng.random(400) < 0.3).astype(float)
    rows = RowLosses.of(loss)
    inside = np.arange(400) < 60
    z = np.array([statistic(rows, rng.permutation(inside)) for _ in range(20_000)])
    assert abs(z.mean()) < 0.03
    assert z.std() == pytest.approx(1.0, abs=0.02)


def test_losses_of_any_size_are_shuffled_and_the_same_seed_finds_the_same() -> None:
    rng = np.random.default_rng(1)
    site = rng.choice(list("abcd"), 2000)
    loss = rng.exponential(size=2000) * np.where(site == "b", 1.6, 1.0)
    one, again = (
        karat.find_weak_slices(
            by={"site": site}, loss=loss, interval=karat.Interval(n_replicates=199, seed=3)
        )
        for _ in range(2)
    )
    assert [x.name for x in one] == ["site = b"]
    assert one.slices == again.slices


def test_blocks_of_replicates_and_rows_are_one_family(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = noise(3, n=1000, n_columns=6, n_permutations=99)
    monkeypatch.setattr(losses_of, "_BLOCK", 3000)
    monkeypatch.setattr(losses_of, "_FEWEST_AT_ONCE", {1: 7, 8: 5})
    assert noise(3, n=1000, n_columns=6, n_permutations=99) == whole


def test_permutations_of_the_native_core_find_the_same_slices(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn_by_numpy = [noise(seed, n=1000, n_columns=3, n_permutations=199).p for seed in range(20)]
    monkeypatch.setattr(losses_of, "_SHUFFLED_BY_NUMPY", 0)
    found = [noise(seed, n=1000, n_columns=3, n_permutations=199) for seed in range(20)]
    again = noise(3, n=1000, n_columns=3, n_permutations=199)
    assert again == found[3]
    difference = np.array([one.p for one in found]) - drawn_by_numpy
    # Both are estimates of one p-value from 199 permutations.
    assert 0.0 < np.abs(difference).max() < 4.0 * (2.0 * 0.25 / 199) ** 0.5
    assert abs(difference.mean()) < 4.0 * (2.0 * 0.25 / 199 / 20) ** 0.5


def test_without_a_mistake_nothing_is_weak() -> None:
    found = karat.find_weak_slices([0, 1] * 100, [0, 1] * 100, by={"a": [0, 1] * 100})
    assert not found
    assert "No weak slice" in str(found)


LABELS = {"y_true": [1, 0], "y_pred": [0, 1], "by": {"a": [1, 2]}}
LOSSES = {"loss": [1.0, 0.0], "by": {"a": [1, 2]}}
TABLE = {"data": {"label": [1, 0], "pred": [0, 1], "a": [1, 2], "x": [0.5, 2.0]}}


@pytest.mark.parametrize(
    ("given", "code", "says"),
    [
        ({**LOSSES, "by": 3}, "K181", "by= is 3 (int)"),
        ({**LOSSES, "by": None}, "K181", "by= was not given"),
        ({**LOSSES, "by": {}}, "K181", "not columns"),
        ({**LOSSES, "by": {"a": [1, 2, 3]}}, "K102", "by['a']"),
        ({**LOSSES, "loss": [1.0, -1.0]}, "K185", "Row 1 loses -1.0"),
        ({**LOSSES, "loss": [float("nan"), 1.0]}, "K185", "Row 0 loses nan"),
        ({**LOSSES, "loss": []}, "K185", "no row"),
        ({**LOSSES, "loss": 3.0}, "K116", "not one number a row"),
        ({**LOSSES, "loss": "x"}, "K143", "loss= names a column"),
        ({**LOSSES, "y_true": [1, 0]}, "K184", "loss= was given with labels"),
        ({**LOSSES, "weights": [1.0, -1.0]}, "K113", "weights"),
        ({**LOSSES, "weights": [1.0]}, "K102", "weights"),
        ({**LOSSES, "n_permutations": 5}, "K122", "n_replicates"),
        ({**LOSSES, "min_n": 0}, "K122", "min_n"),
        ({**LOSSES, "level": None}, "K122", "level"),
        ({"by": {"a": [1, 2]}}, "K128", "neither labels nor losses"),
        ({**LABELS, "y_pred": [0]}, "K102", "y_pred"),
        ({**LABELS, "y_true": "label"}, "K143", "y_true= names a column"),
        ({**TABLE, "by": ["b"]}, "K404", "'b'"),
        ({**TABLE, "by": {"b": [1, 2, 3]}}, "K102", "The table has 2 rows"),
        ({**TABLE, "loss": "y"}, "K404", "'y'"),
        ({**TABLE, "loss": "x", "y_pred": "pred"}, "K184", "loss= was given with labels"),
        ({"data": {"a": [1, 2]}}, "K406", "true"),
    ],
)  # fmt: skip
def test_what_cannot_be_looked_at_is_an_error(given: dict[str, Any], code: str, says: str) -> None:
    data = [given["data"]] if "data" in given else []
    options = {name: value for name, value in given.items() if name != "data"}
    with pytest.raises(KaratError) as caught:
        karat.find_weak_slices(*data, **grouped(options, ("min_n",)))
    assert caught.value.code == code, caught.value
    assert says in str(caught.value)


def test_a_table_and_its_columns_are_one() -> None:
    frame = table()
    columns = frame[["site", "age", "sex"]]
    whole = karat.find_weak_slices(
        frame.drop(columns="id"), interval=karat.Interval(n_replicates=99)
    )
    apart = karat.find_weak_slices(
        frame["label"], frame["pred"], by=columns, interval=karat.Interval(n_replicates=99)
    )
    named = karat.find_weak_slices(
        by=dict(columns),
        loss=frame["label"] != frame["pred"],
        interval=karat.Interval(n_replicates=99),
    )
    lost = karat.find_weak_slices(
        frame.assign(lost=(frame["label"] != frame["pred"]) * 1.0),
        loss="lost", by=["site", "age", "sex"], interval=karat.Interval(n_replicates=99),
    )  # fmt: skip
    assert whole
    assert whole == apart
    assert whole.slices == named.slices == lost.slices
    assert (whole.measure, named.measure) == ("error", "loss")


def test_weights_count_rows_and_stay_with_them() -> None:
    frame = table()
    wrong = frame["label"] != frame["pred"]
    rng = np.random.default_rng(5)
    weights = rng.exponential(size=len(frame)) * (rng.random(len(frame)) < 0.9)
    found = karat.find_weak_slices(
        frame.assign(w=weights), weights="w", by=["site"], interval=karat.Interval(n_replicates=199)
    )
    own, (best,) = frame["site"] == "c", found
    assert best.n_rows == (own & (weights > 0)).sum()
    assert best.loss == pytest.approx(np.average(wrong[own], weights=weights[own]))
    assert best.rest == pytest.approx(np.average(wrong[~own], weights=weights[~own]))
    scaled = karat.find_weak_slices(
        frame.assign(w=weights * 1e6),
        weights="w",
        by=["site"],
        interval=karat.Interval(n_replicates=199),
    )
    assert [x.name for x in scaled] == ["site = c"]
    # Equal weights are none.
    assert karat.find_weak_slices(
        frame.assign(w=0.25), weights="w", by=["site"], interval=karat.Interval(n_replicates=99)
    ) == karat.find_weak_slices(frame, by=["site"], interval=karat.Interval(n_replicates=99))


def test_a_table_of_predictions_is_read_as_evaluate_reads_it() -> None:
    frame = table().assign(sample_weight=1.0, proba_0=0.3, proba_1=0.7)
    frame.loc[frame["sex"] == "f", "sample_weight"] = 0.0
    found = karat.find_weak_slices(frame, interval=karat.Interval(n_replicates=99))
    assert {"proba_0", "proba_1"} < found.left_out.keys()
    assert "proba_0" in str(found)
    (best,) = found
    assert best.name == "site = c"
    # Rows of weight 0 are left out: of one sex only there is nothing to compare.
    assert best.n_rows == ((frame["site"] == "c") & (frame["sex"] == "m")).sum()
    unweighted = karat.find_weak_slices(frame, weights="", interval=karat.Interval(n_replicates=99))
    assert unweighted.slices[0].name == "site = c, sex = m"
    assert "weight = 1" not in str(found)


def test_rows_that_count_much_are_no_finding_by_themselves() -> None:
    """Of 60 data sets of noise with heavy weights at most 8 show a weak slice."""
    found = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        columns = {f"c{i}": rng.integers(0, 6, 800) for i in range(4)}
        found += bool(karat.find_weak_slices(
            by=columns, loss=rng.random(800) < 0.1, weights=rng.pareto(1.5, 800),
            interval=karat.Interval(n_replicates=99, seed=seed),
        ))  # fmt: skip
    assert found <= 8


def test_noise_shows_a_weak_slice_in_at_most_one_of_twenty() -> None:
    # 60 data sets: at 5 % more than 8 of them come with a chance of 0.3 %.
    found = (noise(seed, n=1000, n_columns=6, n_permutations=99) for seed in range(60))
    assert sum(map(bool, found)) <= 8


def test_a_planted_slice_is_found() -> None:
    found = [planted(seed, n_columns=6, n_permutations=99) for seed in range(8)]
    assert sum(hit for hit, _ in found) >= 7


def test_weights_that_follow_a_column_find_nothing_in_noise() -> None:
    hits = 0
    for seed in range(40):
        rng = np.random.default_rng([74, seed])
        x = rng.random(1000)
        columns = {"x": x, "y": rng.random(1000), "g": rng.choice(8, 1000)}
        found = karat.find_weak_slices(
            by=columns,
            loss=(rng.random(1000) < 0.9).astype(float),
            weights=1.0 / (x + 0.05),
            interval=karat.Interval(n_replicates=99),
        )
        hits += bool(len(found))
    # 5 % of many samples; where the products of weight and loss are permuted 38 %.
    assert hits <= 7


class _Counted:
    """Replicates whose largest statistic is known: 1.0 in the first of them, else 0.0."""

    def __init__(self, n_larger: int) -> None:
        self.n_larger = n_larger

    def replicates(self, n: int, seed: int) -> Any:
        del seed
        yield from np.split((np.arange(n) < self.n_larger) * 1.0, 3)

    def largest(self, values: Any) -> Any:
        return values


@pytest.mark.parametrize(("n_larger", "is_known"), [(4, True), (5, False), (6, False)])
def test_permutations_end_once_the_p_value_is_too_large(n_larger: int, is_known: bool) -> None:
    """With 99 replicates, 4 at least as large and the sample itself are 5 of 100."""
    replicates: Any = _Counted(n_larger)
    found = _null(replicates, replicates, 99, 0, 1.0, 0.05)
    assert (found is not None) == is_known
    whole = _null(replicates, replicates, 99, 0, 1.0)
    assert whole is not None
    assert whole.tolist() == [0.0] * (99 - n_larger) + [1.0] * n_larger
