"""Prediction-powered estimates: facts of PPI++ and Rogan–Gladen, and the same of every source."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import karat
from karat.inference.confidence import Confidence
from karat.inference.judge.estimates import JudgedLabels
from karat.inference.judge.labels import powered
from karat.inference.judge.selection import imbalance, imbalance_of_counts
from karat.metrics import get
from karat.tally import Classes, JointCells
from tests.grouping import grouped
from tests.same import assert_same

TWO = Classes.of([0, 1])
# ppi-python 0.2.3 (MIT), ppi_mean_pointestimate and ppi_mean_ci(alpha=0.05) with its own λ, on rows
# of these counts: gold × judge × prediction, and judge × prediction of the rows without gold.
# accuracy: of 1[gold = prediction]; share: of gold = 1.
PPI_PYTHON: list[tuple[list[int], list[int], float, float, tuple[float, float]]] = [
    (
        [49, 12, 4, 0, 1, 1, 8, 25],
        [416, 133, 94, 257],
        0.7884365450725743,
        0.36518340661006676,
        (0.7398172078165484, 0.8370558823286003),
    ),
    (
        [93, 53, 19, 9, 4, 24, 38, 60],
        [720, 418, 349, 513],
        0.6875476900168255,
        0.4258631840212633,
        (0.6439343143772928, 0.7311610656563582),
    ),
    (
        [25, 0, 0, 0, 0, 1, 4, 20],
        [2571, 378, 306, 1745],
        0.8977387072178555,
        0.43149268158347676,
        (0.8586798645986642, 0.9367975498370469),
    ),
]


def rows_of(gold: list[int], rest: list[int]) -> dict[str, Any]:
    """Labels row by row: gold labels are NaN on the rows without."""
    own = np.repeat(np.arange(8), gold)
    others = np.repeat(np.arange(4), rest)
    return {
        "gold": np.concatenate([own // 4, np.full(len(others), np.nan)]),
        "judge": np.concatenate([own // 2 % 2, others // 2]).astype(int),
        "y_pred": np.concatenate([own % 2, others % 2]).astype(int),
    }


def counted(gold: list[int], rest: list[int]) -> JudgedLabels:
    rows = rows_of(gold, rest)
    n = sum(gold)
    sides = rows["judge"], rows["y_pred"]
    of_gold = JointCells.of(
        TWO, ("judge", "prediction"), rows["gold"][:n].astype(int), [x[:n] for x in sides]
    )
    of_rest = JointCells.of(TWO, ("prediction",), rows["judge"][n:], [rows["y_pred"][n:]])
    return JudgedLabels.of_cells(of_gold, of_rest)


@pytest.mark.parametrize(("gold", "rest", "accuracy", "share", "limits"), PPI_PYTHON)
def test_the_mean_is_that_of_ppi_python(
    gold: list[int], rest: list[int], accuracy: float, share: float, limits: tuple[float, float]
) -> None:
    report = karat.evaluate(**grouped({"gold_is_random": True, **rows_of(gold, rest)}))
    found = report["accuracy"]
    assert_same(found.value, accuracy, within=1e-12)
    assert_same(report.shares[1].value, share, within=1e-12)
    # Its standard error has neither the correction for λ nor that for few rows.
    n = sum(gold)
    of_library = (limits[1] - limits[0]) / 2 / 1.959963984540054
    assert 1.0 < found.standard_error / of_library < np.sqrt(n / (n - 3) * (1 + 2 / n))


def test_another_weight_of_the_judge_gives_another_mean() -> None:
    """Sabotage: the comparison with ppi-python sees a λ that is 2 % too small."""
    gold, rest, accuracy, *_ = PPI_PYTHON[0]
    labels = counted(gold, rest)
    one = powered(get("accuracy"), labels.table, Confidence())
    cells = labels.table.cells(0.98 * one.tuned.weight, 100.0)
    assert abs(float(get("accuracy").values(cells).value) - accuracy) > 1e-5


def test_a_judge_that_knows_nothing_leaves_the_interval_of_the_gold_rows() -> None:
    rng = np.random.default_rng(1)
    truth, pred = rng.integers(0, 2, (2, 900))
    gold = np.where(np.arange(900) < 200, truth, -1).astype(float)
    gold[gold < 0] = np.nan
    judge = rng.integers(0, 2, 900)
    report = karat.evaluate(y_true=gold, design=karat.Judge(judge), y_pred=pred, labels=[0, 1])
    alone = karat.evaluate(truth[:200], pred[:200], labels=[0, 1])
    same = [name for name, one in report.metrics.items() if one.judge_weight == 0.0]
    # Others gain by the predictions of all rows.
    assert {"accuracy", "kappa", "matthews_correlation"} <= {*same}
    for name in same:
        one = report[name]
        assert_same(one.value, alone[name].value, within=1e-12)
        assert_same(one.low, alone[name].low, within=1e-9)
        assert_same(one.high, alone[name].high, within=1e-9)


def test_the_tally_of_two_parts_is_that_of_all_rows() -> None:
    gold, rest, *_ = PPI_PYTHON[1]
    rows = rows_of(gold, rest)
    whole = JointCells.of(TWO, ("prediction",), rows["judge"], [rows["y_pred"]])
    parts = [
        JointCells.of(TWO, ("prediction",), rows["judge"][part], [rows["y_pred"][part]])
        for part in (slice(0, 700), slice(700, None))
    ]
    merged = JointCells.from_bytes(parts[0].merge(parts[1]).to_bytes())
    assert merged.counts.tolist() == whole.counts.tolist()
    a, b = (JudgedLabels.of_cells(counted_gold(gold), x) for x in (whole, merged))
    first, second = (powered(get("kappa"), x.table, Confidence()) for x in (a, b))
    assert first == second


def counted_gold(gold: list[int]) -> JointCells:
    own = np.repeat(np.arange(8), gold)
    return JointCells.of(TWO, ("judge", "prediction"), own // 4, [own // 2 % 2, own % 2])


def test_rogan_gladen_is_its_formula() -> None:
    gold, rest, *_ = PPI_PYTHON[0]
    report = karat.evaluate(**grouped({"gold_is_random": True, **rows_of(gold, rest)}))
    table = np.array(gold).reshape(2, 2, 2).sum(axis=2)
    sensitivity, specificity = table[1, 1] / table[1].sum(), table[0, 0] / table[0].sum()
    seen = sum(rest[2:]) / sum(rest)
    contrast = sensitivity + specificity - 1
    share = (seen + specificity - 1) / contrast
    found = report.shares[1]
    assert_same(found.corrected, share, within=1e-12)
    # Delta method, with n ÷ (n − 2) for the two fitted rates.
    n = sum(gold)
    of_judge = seen * (1 - seen) / sum(rest)
    of_rates = share**2 * sensitivity * (1 - sensitivity) / table[1].sum()
    of_rates += (1 - share) ** 2 * specificity * (1 - specificity) / table[0].sum()
    error = np.sqrt(of_judge + n / (n - 2) * of_rates) / contrast
    step = 1.959963984540054 * error / (share * (1 - share))
    odds = share / (1 - share)
    assert_same(found.corrected_low, 1 / (1 + np.exp(step) / odds), within=1e-9)
    assert_same(found.corrected_high, 1 / (1 + np.exp(-step) / odds), within=1e-9)


def drawn(n: int = 1500, seed: int = 3, n_gold: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    names = np.array(["bad", "good"])
    judge = names[np.where(rng.random(n) < 0.85, truth, 1 - truth)]
    prob = 1 / (1 + np.exp(-(rng.normal(0, 1, n) + 2 * truth - 1)))
    gold = [names[t] if i < n_gold else None for i, t in enumerate(truth)]
    frame = pd.DataFrame({"id": np.arange(n), "gold": gold, "judge": judge})
    return frame.assign(pred=names[(prob >= 0.5) * 1], proba_good=prob, user=np.arange(n) // 3)


def test_every_source_gives_the_same_report(tmp_path: Path) -> None:
    import polars as pl

    frame = drawn()
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame.to_parquet(tmp_path / "rows.parquet")
    given: dict[str, Any] = {"positive": "good", "clusters": "user", "design": karat.Judge("judge")}
    given |= {"metrics": ["accuracy", "f1", "roc_auc", "log_loss"]}
    sources = {
        "pandas": frame,
        "polars": pl.from_pandas(frame),
        "csv": str(tmp_path / "rows.csv"),
        "parquet": [str(tmp_path / "rows.parquet")],
        "query": f"SELECT * FROM '{tmp_path}/rows.parquet'",
    }
    found = {name: karat.evaluate(x, **grouped(given)).to_dict() for name, x in sources.items()}
    columns = {"gold": "gold", "judge": "judge", "y_prob": "proba_good", "clusters": "user"}
    values = {argument: frame[name].to_numpy() for argument, name in columns.items()}
    arrays = karat.evaluate(y_pred=frame["pred"], **grouped({**given, **values})).to_dict()
    for name, one in found.items():
        for metric, each in arrays["metrics"].items():
            for key, number in each.items():
                other = one["metrics"][metric][key]
                if isinstance(number, float):
                    assert_same(other, number, within=1e-9), (name, metric, key)
                else:
                    assert other == number, (name, metric, key)
        assert json.dumps(one, allow_nan=False)


def test_gold_rows_that_are_no_random_part_are_refused_and_weights_repair_them() -> None:
    """Gold rows chosen where judge and model differ: biased without weights, right with them."""
    rng = np.random.default_rng(5)
    n = 6000
    truth = (rng.random(n) < 0.3).astype(int)
    judge = np.where(rng.random(n) < 0.85, truth, 1 - truth)
    pred = np.where(rng.random(n) < np.where(truth == 1, 0.6, 0.95), truth, 1 - truth)
    chance = np.where(judge == pred, 0.05, 0.3)
    has = rng.random(n) < chance
    given: dict[str, Any] = {"gold": np.where(has, truth, np.nan), "judge": judge, "y_pred": pred}
    with pytest.raises(karat.InputError, match="K245") as refused:
        karat.evaluate(**grouped(given))
    assert "The judge's label is the prediction in" in str(refused.value)
    value = float((truth == pred).mean())
    stated = karat.evaluate(**grouped({"gold_is_random": True, **given}))["accuracy"]
    assert not stated.low <= value <= stated.high
    weighed = karat.evaluate(
        **grouped({"gold_weights": np.where(has, 1 / chance, np.nan), **given})
    )
    found = weighed["accuracy"]
    assert found.low <= value <= found.high
    assert abs(found.value - value) < abs(stated.value - value) / 2
    share = weighed.shares[1]
    assert share.low <= truth.mean() <= share.high


def test_random_gold_rows_are_refused_as_rarely_as_stated() -> None:
    rng = np.random.default_rng(6)
    refused = 0
    for _ in range(1500):
        codes = rng.choice(5, 600, p=[0.6, 0.3, 0.07, 0.02, 0.01])
        has = np.arange(600) < 80
        scores = rng.random(600)
        refused += imbalance(has, {"judge": codes}, scores) is not None
    # 1.5 are expected at most.
    assert refused <= 6


def test_an_imbalance_of_counts_states_both_shares() -> None:
    found = imbalance_of_counts([90, 10], [300, 700])
    assert found is not None
    assert (found.what, found.place, found.of_gold, found.of_rest) == ("prediction", 1, 0.1, 0.7)
    # 710 of 1,100 rows are of the class: at most 10 of 100 are few. Two sides, and two classes.
    assert found.p == pytest.approx(4.0 * stats.binom.cdf(10, 100, 710 / 1100))
    assert imbalance_of_counts([9, 1], [900, 100]) is None


def test_clusters_count_together() -> None:
    frame = drawn(n_gold=300)
    repeated = pd.concat([frame] * 3, ignore_index=True)
    given: dict[str, Any] = {"design": karat.Judge("judge", is_random=True), "positive": "good"}
    once = karat.evaluate(frame, **grouped(given))
    thrice = karat.evaluate(repeated, clusters="id", **grouped(given))
    naive = karat.evaluate(repeated, **grouped(given))
    for name in ("accuracy", "f1", "roc_auc", "log_loss"):
        a, b, c = once[name], thrice[name], naive[name]
        assert_same(b.value, a.value, within=5e-3)
        assert 0.97 < (b.high - b.low) / (a.high - a.low) < 1.06, name
        assert (c.high - c.low) < 0.7 * (b.high - b.low), name


def test_metrics_that_are_not_listed_and_travel() -> None:
    frame = drawn().drop(columns=["proba_good", "user"])
    report = karat.evaluate(frame, design=karat.Judge("judge"))
    assert [one.code for one in report.doubts] == ["D101"]
    with pytest.raises(karat.KaratError, match="K194"):
        _ = report["f1"]
    with pytest.raises(karat.InputError, match="K247"):
        _ = report["micro_support"]
    one = report["macro_f_beta(beta=2)"]
    assert one.low < one.value < one.high
    again = pickle.loads(pickle.dumps(report))
    assert again.to_json() == report.to_json()
    assert "<table" in report._repr_html_()
    with pytest.raises(AttributeError, match="nothing"):
        _ = report.nothing


def test_a_class_without_gold_labels_has_no_corrected_share() -> None:
    gold = [0, 1, 0, 1, 0, None, None, None]
    judge = [0, 1, 0, 1, 1, 2, 0, 1]
    report = karat.evaluate(y_true=gold, design=karat.Judge(judge, is_random=True))
    assert [one.corrected for one in report.shares] == [None] * 3
    assert report.shares[0].remark == "a class has no gold label"
    assert "Fewer than 10 gold labels" in report.warnings[-1]


@pytest.mark.parametrize("side", ["low", "high"])
def test_one_sided_limits_have_the_end_of_the_range(side: str) -> None:
    report = karat.evaluate(
        drawn(), design=karat.Judge("judge"), positive="good", interval=karat.Interval(side=side)
    )
    for one in (report["accuracy"], report["roc_auc"]):
        assert (one.low, one.high)[side == "low"] == float(side == "low")
        both = karat.evaluate(drawn(), design=karat.Judge("judge"), positive="good", level=0.9)[
            one.name
        ]
        assert_same(
            (one.low, one.high)[side == "high"], (both.low, both.high)[side == "high"], within=1e-9
        )


def covered(n: int, agreement: float, replicates: int, share: float = 1.0) -> dict[str, float]:
    """Share of samples whose interval covers; `share` scales the weight of the variance."""
    rng = np.random.default_rng([n, int(100 * agreement)])
    truth_pred = np.array([[0.55, 0.10], [0.05, 0.30]])
    judged = np.array([[agreement, 1 - agreement], [1 - agreement, agreement]])
    joint = np.einsum("tp,tj->tjp", truth_pred, judged).ravel()
    names = ("accuracy", "f1", "kappa")
    from karat.tally import Cells

    whole = Cells.dense((truth_pred * 1e9).round().astype(int), classes=TWO)
    true = {name: float(get(name).values(whole).value) for name in names}
    hits = dict.fromkeys(names, 0)
    for _ in range(replicates):
        gold = rng.multinomial(n, joint)
        rest = rng.multinomial(3000, joint).reshape(2, 2, 2).sum(axis=0).ravel()
        own, others = np.flatnonzero(gold), np.flatnonzero(rest)
        of_gold = JointCells(
            TWO, ("judge", "prediction"), np.array([own // 4, own // 2 % 2, own % 2]), gold[own], n
        )
        of_rest = JointCells(
            TWO, ("prediction",), np.array([others // 2, others % 2]), rest[others], 3000
        )
        table = JudgedLabels.of_cells(of_gold, of_rest).table
        for name in names:
            one = powered(get(name), table, Confidence())
            assert one.interval.low is not None
            assert one.interval.high is not None
            low = one.value - share * (one.value - one.interval.low)
            high = one.value + share * (one.interval.high - one.value)
            hits[name] += low <= true[name] <= high
    return {name: found / replicates for name, found in hits.items()}


def test_intervals_cover_and_narrower_ones_do_not() -> None:
    found = covered(100, 0.9, 200)
    assert all(0.91 <= one <= 0.985 for one in found.values()), found
    narrow = covered(100, 0.9, 200, share=0.75)
    assert all(one < 0.91 for one in narrow.values()), narrow


def test_no_interval_is_much_wider_than_that_of_the_gold_rows() -> None:
    rng = np.random.default_rng(21)
    joint = np.einsum("tp,tj->tjp", [[0.6, 0.03], [0.02, 0.35]], [[0.7, 0.3], [0.3, 0.7]])
    judged = 0
    for _ in range(60):
        gold = rng.multinomial(60, joint.ravel()).tolist()
        rest = rng.multinomial(2000, joint.sum(axis=0).ravel()).tolist()
        table = counted(gold, rest).table
        for name in ("accuracy", "f1"):
            one = powered(get(name), table, Confidence())
            alone = powered(get(name), table, Confidence(), weight=0.0)
            widths = [x.interval.high - x.interval.low for x in (one, alone)]
            assert widths[0] <= 1.03 * widths[1] + 1e-12
            judged += one.tuned.weight > 0.0
    assert judged > 30


def test_a_judge_that_agreed_so_far_may_err_on_the_next_row() -> None:
    rng = np.random.default_rng(7)
    truth = (rng.random(2000) < 0.65).astype(int)
    gold = np.where(np.arange(2000) < 50, truth, np.nan)
    share = karat.evaluate(y_true=gold, design=karat.Judge(truth, is_random=True)).shares[1]
    rest = 1.96 * np.sqrt(0.65 * 0.35 / 1950)
    # Wider than the sampling of the other rows alone by what one wrong row of 50 adds.
    assert share.high - share.low > 1.5 * 2 * rest


def test_blank_texts_are_no_gold_labels() -> None:
    rng = np.random.default_rng(8)
    truth = np.where(rng.random(300) < 0.6, "good", "bad")
    judge = np.where(rng.random(300) < 0.85, truth, "good")
    blank = [label if i < 80 else " " for i, label in enumerate(truth.tolist())]
    none = [label if i < 80 else None for i, label in enumerate(truth.tolist())]
    found = [
        karat.evaluate(y_true=x, design=karat.Judge(judge, is_random=True)) for x in (blank, none)
    ]
    assert [one.n_gold for one in found] == [80, 80]
    assert found[0].shares == found[1].shares
