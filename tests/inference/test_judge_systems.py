"""Systems under one judge, the gold labels that they need, and which rows to label next."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import karat
from karat.designs.judge import Both, Weighed, cost_of_tuning
from karat.inference.comparison.judging import ComparisonSpec
from karat.inference.confidence import Confidence
from karat.inference.judge.comparison import _weight
from karat.inference.judge.sampling import FLOOR, allocation, drawn
from karat.inference.judge.scores import ScoredMoves
from karat.inference.sampling_error import SamplingError
from karat.inference.sizes import RowsNeeded, gold_rows_needed
from karat.inference.value_limits import score_interval
from karat.metrics import get
from tests.grouping import grouped
from tests.optional import optional
from tests.same import assert_same


def systems(n: int = 3000, n_gold: int = 200, seed: int = 2, **accuracies: float) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    judge = np.where(rng.random(n) < 0.9, truth, 1 - truth)
    shares = accuracies or {"a": 0.85, "b": 0.8}
    models = {
        name: np.where(rng.random(n) < share, truth, 1 - truth) for name, share in shares.items()
    }
    gold = np.where(np.arange(n) < n_gold, truth, -1).astype(float)
    gold[gold < 0] = np.nan
    return {"gold": gold, "judge": judge, "y_pred": models}


def test_a_difference_is_that_of_the_mean_of_both() -> None:
    """For accuracy: PPI++ of the difference of right and wrong, with the λ that it says."""
    given = systems()
    found = karat.compare(**grouped(given, ("adjust",)), metrics="accuracy")["accuracy"]
    has = ~np.isnan(given["gold"])
    a, b = (given["y_pred"][name] for name in ("b", "a"))
    by_gold = (a == given["gold"]).astype(float) - (b == given["gold"])
    by_judge = (a == given["judge"]).astype(float) - (b == given["judge"])
    n, rest = has.sum(), (~has).sum()
    first = by_gold[has] - by_gold[has].mean()
    second = by_judge[has] - by_judge[has].mean()
    third = by_judge[~has] - by_judge[~has].mean()
    weight = (first @ second / n**2) / (second @ second / n**2 + third @ third / rest**2)
    value = by_gold[has].mean() + weight * (by_judge[~has].mean() - by_judge[has].mean())
    assert_same(found.difference, value, within=1e-9)
    residual = first - weight * second
    variance = residual @ residual / n**2 + weight**2 * (third @ third) / rest**2
    variance *= n / (n - 2) * (1 + 1 / n)
    assert_same(found.standard_error, np.sqrt(variance), within=1e-9)
    assert "judge weight λ" in found.remark


def test_a_difference_is_narrower_than_that_of_gold_rows_and_covers_zero_as_often() -> None:
    widths, hits, n_gold = [], 0, 120
    for seed in range(50):
        given = systems(n=1200, n_gold=n_gold, seed=seed, a=0.85, b=0.85)
        one = karat.compare(
            **grouped({"gold_is_random": True, **given}, ("adjust",)), metrics="accuracy"
        )["accuracy"]
        truth = given["gold"][:n_gold].astype(int)
        own = {name: x[:n_gold] for name, x in given["y_pred"].items()}
        alone = karat.compare(truth, own, metrics="accuracy")["accuracy"]
        widths.append((one.high - one.low, alone.high - alone.low))
        hits += one.low <= 0.0 <= one.high
    assert 0.86 <= hits / 50 <= 1.0
    both, of_gold = np.mean(widths, axis=0)
    assert both < 0.75 * of_gold


def test_three_systems_and_scores_are_compared() -> None:
    rng = np.random.default_rng(8)
    given = systems(a=0.8, b=0.8, c=0.9)
    truth = rng.integers(0, 2, 3000)
    scores = {
        name: 1 / (1 + np.exp(-(rng.normal(0, 1, 3000) + k * (2 * truth - 1))))
        for name, k in (("a", 1.0), ("b", 1.6))
    }
    found = karat.compare(**grouped(given, ("adjust",)), metrics=["accuracy", "kappa"])
    assert found["accuracy", "c", "a"].verdict == "better"
    assert found["accuracy", "b", "a"].verdict == "inconclusive"
    assert found.best("accuracy").model == "c"
    labels = {
        "y_true": np.where(np.arange(3000) < 200, truth, np.nan),
        "design": karat.Judge(given["judge"]),
    }
    labels["judge"] = np.where(rng.random(3000) < 0.9, truth, 1 - truth)
    of_scores = karat.compare(**grouped(labels, ("adjust",)), y_prob=scores)
    assert of_scores["roc_auc"].verdict == of_scores["log_loss"].verdict == "better"
    alone = karat.evaluate(**grouped(labels), y_prob=scores["a"])["roc_auc"]
    assert abs(of_scores.values["roc_auc"]["a"].value - alone.value) < 0.01


def test_verdicts_about_two_systems_have_proportions() -> None:
    rng = np.random.default_rng(9)
    n = 3000
    truth = {"a": rng.random(n) < 0.7, "b": rng.random(n) < 0.6}
    judge = {name: np.where(rng.random(n) < 0.9, x, ~x).astype(int) for name, x in truth.items()}
    gold = {name: np.where(np.arange(n) < 300, x, np.nan) for name, x in truth.items()}
    found = karat.compare(y_true=gold, design=karat.Judge(judge))["prevalence"]
    assert found.verdict == "lower"
    assert found.low <= truth["b"].mean() - truth["a"].mean() <= found.high
    with pytest.raises(karat.InputError, match="K247"):
        karat.compare(y_true=gold, design=karat.Judge(judge), metrics="accuracy")


def test_gold_labels_needed_are_those_of_the_formula() -> None:
    """1/r = (1 − ρ²)/n + ρ²/N."""
    found = gold_rows_needed(RowsNeeded(400, 350.0, 460.0), 0.5, 200, 10_000)
    assert found is not None
    assert int(found) == int(np.ceil(0.5 / (1 / 400 - 0.5 / 10_000)))
    assert found.low < found < found.high
    assert gold_rows_needed(RowsNeeded(400, 350.0, 460.0), 0.0, 200, 10_000) == 400
    assert gold_rows_needed(RowsNeeded(2000, 1900.0, 2100.0), 0.5, 200, 500) is None
    # Without more rows than gold rows the judge does not help.
    assert gold_rows_needed(RowsNeeded(400, 350.0, 460.0), 0.7, 200, 400) == 400


def test_the_needed_labels_give_the_half_width() -> None:
    given = systems(n=20_000, n_gold=300, seed=4)
    given["y_pred"] = given["y_pred"]["b"]
    pilot = karat.evaluate(**grouped(given))
    n = karat.rows_needed("accuracy", pilot=pilot, half_width=0.02)
    assert int(n) < int(karat.rows_needed("accuracy", pilot=pilot.gold, half_width=0.02))
    again = systems(n=20_000, n_gold=int(n), seed=5)
    again["y_pred"] = again["y_pred"]["b"]
    one = karat.evaluate(**grouped(again))["accuracy"]
    assert 0.85 < (one.high - one.low) / 0.04 < 1.15


def test_allocation_is_neyman_with_a_floor() -> None:
    sizes, spreads = np.array([800, 150, 50]), np.array([0.1, 0.4, 0.5])
    found = allocation(sizes, spreads, 100)
    assert found.sum() == 100
    best = sizes * spreads / (sizes * spreads).sum()
    wanted = 100 * (FLOOR * sizes / 1000 + (1 - FLOOR) * best)
    assert (abs(found - wanted) <= 1.0).all()
    assert allocation(sizes, np.zeros(3), 100).tolist() == [80, 15, 5]
    assert allocation(np.array([3, 997]), np.array([1.0, 0.0]), 500).tolist() == [3, 497]


def test_drawn_rows_have_the_weight_of_their_stratum() -> None:
    rng = np.random.default_rng(3)
    confidence = np.where(rng.random(2000) < 0.8, 0.97, 0.6)
    judge = rng.integers(0, 3, 2000)
    found = drawn(judge, 150, confidence, seed=1)
    assert len(np.unique(found.rows)) == 150
    assert_same(float(found.weights.sum()), 2000.0, within=1e-9)
    unsure = confidence[found.rows] == 0.6
    assert unsure.mean() > 1.6 * (confidence == 0.6).mean()
    same = drawn(judge, 150, confidence, seed=1)
    assert same.rows.tolist() == found.rows.tolist()
    assert drawn(judge, 150, confidence, seed=2).rows.tolist() != found.rows.tolist()


def test_weights_make_drawn_rows_unbiased_and_without_them_they_are_not() -> None:
    rng = np.random.default_rng(11)
    n, values, naive = 4000, [], []
    for seed in range(30):
        sure = np.where(rng.random(n) < 0.8, 0.98, 0.55)
        truth = (rng.random(n) < 0.35).astype(int)
        judge = np.where(rng.random(n) < sure, truth, 1 - truth)
        # The model errs where the judge does.
        pred = np.where(rng.random(n) < np.where(sure > 0.9, 0.95, 0.6), truth, 1 - truth)
        found = karat.rows_to_label(judge, 200, confidence=sure, seed=seed)
        gold = np.full(n, np.nan)
        gold[found.rows] = truth[found.rows]
        given: dict[str, Any] = {"gold": gold, "judge": judge, "y_pred": pred}
        given["metrics"] = "accuracy"
        right = float((pred == truth).mean())
        one = karat.evaluate(**grouped({"gold_weights": found.gold_weights, **given}))["accuracy"]
        values.append((one.value - right, one.low <= 0.88 <= one.high))
        two = karat.evaluate(**grouped({"gold_is_random": True, **given}))["accuracy"]
        naive.append(two.value - right)
    assert abs(np.mean([error for error, _ in values])) < 0.01
    assert np.mean([hit for _, hit in values]) > 0.85
    assert np.mean(naive) < -0.015


def test_the_file_of_rows_to_label_is_read_back(tmp_path: Path) -> None:
    rng = np.random.default_rng(12)
    truth = rng.integers(0, 2, 500)
    judge = np.where(rng.random(500) < 0.9, truth, 1 - truth)
    frame = pd.DataFrame({"id": np.arange(1000, 1500), "judge": judge, "pred": judge})
    frame["pred"] = np.where(rng.random(500) < 0.8, truth, 1 - truth)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    found = karat.rows_to_label(frame["judge"], 80, ids=frame["id"], seed=3)
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    for row in rows:
        row["gold"] = str(truth[int(row["id"]) - 1000])
    pd.DataFrame(rows).to_csv(tmp_path / "labeled.csv", index=False)
    both = f"'{tmp_path}/rows.csv' LEFT JOIN '{tmp_path}/labeled.csv' USING (id, judge)"
    columns = {"y_true": "gold", "design": karat.Judge("judge", weights="gold_weight")}
    of_files = karat.evaluate(f"SELECT * FROM {both}", **grouped(columns))["accuracy"]
    gold = np.full(500, np.nan)
    gold[found.rows] = truth[found.rows]
    given: dict[str, Any] = {"judge": judge, "y_pred": frame["pred"], "gold": gold}
    one = karat.evaluate(**grouped({"gold_weights": found.gold_weights, **given}))["accuracy"]
    assert_same(of_files.value, one.value, within=1e-12)
    assert_same(of_files.low, one.low, within=1e-9)


def _polars(frame: pd.DataFrame) -> Any:
    return optional("polars").from_pandas(frame)


def _arrow(frame: pd.DataFrame) -> Any:
    return optional("pyarrow").Table.from_pandas(frame)


@pytest.mark.parametrize("table", [pd.DataFrame, _polars, _arrow])
def test_a_table_with_a_column_for_each_system_is_a_dict_of_them(table: Any) -> None:
    given = systems(n=900, n_gold=120)
    frame = pd.DataFrame(given["y_pred"])
    one = karat.compare(**grouped(given, ("adjust",)), metrics=["accuracy", "f1"])
    two = karat.compare(
        **grouped({**given, "y_pred": table(frame)}, ("adjust",)), metrics=["accuracy", "f1"]
    )
    assert one.to_json() == two.to_json()
    other = karat.compare(
        **grouped({**given, "y_pred": table(frame[["b", "a"]])}, ("adjust",)), metrics="accuracy"
    )
    assert other.models == ("b", "a")


def test_tables_of_verdicts_about_each_system() -> None:
    given = systems(n=900, n_gold=120)
    gold = {"x": given["gold"], "y": given["gold"]}
    judge = {"x": given["judge"], "y": given["y_pred"]["a"]}
    options: dict[str, Any] = {"gold_is_random": True}
    one = karat.compare(
        y_true=gold, **grouped({"design": karat.Judge(judge), **options}, ("adjust",))
    )
    two = karat.compare(
        y_true=pd.DataFrame(gold),
        **grouped({"design": karat.Judge(pd.DataFrame(judge)), **options}, ("adjust",)),
    )
    assert one.to_json() == two.to_json()
    with pytest.raises(karat.InputError, match="K163"):
        karat.compare(
            y_true=pd.DataFrame(gold),
            **grouped(
                {"design": karat.Judge({"x": judge["x"], "z": judge["y"]}), **options}, ("adjust",)
            ),
        )


WHOLE = pd.DataFrame({"gold": [1.0, np.nan], "judge": [1, 0], "a": [1, 0], "b": [0, 0]})


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"data": WHOLE, "y_true": "gold", "design": karat.Judge("judge")}, "judge='judge'"),
        ({"data": "rows.csv", "design": karat.Judge("judge")}, "y_true='rows.csv'"),
        (
            {"y_pred": {"a": WHOLE, "b": WHOLE}, "y_true": WHOLE["gold"],
             "design": karat.Judge(WHOLE["judge"])},
            "y_pred= of tables (DataFrame)",
        ),
        (
            {"y_pred": {"a": "a.csv", "b": "b.csv"}, "y_true": WHOLE["gold"],
             "design": karat.Judge([1, 0])},
            "y_pred= of 'a.csv'",
        ),
    ],
)  # fmt: skip
def test_whole_tables_and_names_are_refused(given: dict[str, Any], shown: str) -> None:
    options = {name: value for name, value in given.items() if name != "data"}
    with pytest.raises(karat.InputError, match="K128") as raised:
        karat.compare(given.get("data"), **options)
    assert shown in str(raised.value)
    call = "karat.compare(table['gold'], table[['old', 'new']], design=karat.Judge(table['judge']))"
    assert call in str(raised.value)


def test_a_name_without_a_table_is_refused() -> None:
    with pytest.raises(karat.InputError, match="K143  y_true= names a column"):
        karat.compare(y_pred=WHOLE[["a", "b"]], y_true="gold", design=karat.Judge("judge"))


@pytest.mark.parametrize("argument", ["y_prob", "y_score"])
def test_a_table_of_scores_is_refused_as_without_a_judge(argument: str) -> None:
    frame = WHOLE[["a", "b"]].astype(float)
    with pytest.raises(karat.InputError, match="K162"):
        karat.compare(
            y_true=WHOLE["gold"],
            **grouped({"design": karat.Judge(WHOLE["judge"]), argument: frame}, ("adjust",)),
        )
    with pytest.raises(karat.InputError, match="K162"):
        karat.compare(WHOLE["judge"], **grouped({argument: frame}, ("adjust",)))


def verdicts(n: int, n_gold: int, seed: int = 4) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.7).astype(int)
    judge = np.where(rng.random(n) < 0.9, truth, 1 - truth)
    gold = np.where(np.arange(n) < n_gold, truth, np.nan)
    return {"y_true": gold, "design": karat.Judge(judge, is_random=True), "positive": 1}


def test_gold_labels_for_a_proportion_of_verdicts_give_the_interval() -> None:
    pilot = karat.evaluate(**grouped(verdicts(5000, 200)))
    found = karat.rows_needed("prevalence", pilot=pilot, half_width=0.03, gold=5000)
    alone = karat.rows_needed("prevalence", pilot=pilot.judge, half_width=0.03)
    assert found.low < found < found.high
    assert found < 0.75 * alone
    share = karat.evaluate(**grouped(verdicts(5000, int(found), seed=5))).shares[1]
    assert 0.8 < (share.high - share.low) / 0.06 < 1.2
    # The control: as many labels as without a judge are too many.
    share = karat.evaluate(**grouped(verdicts(5000, int(alone), seed=5))).shares[1]
    assert (share.high - share.low) / 0.06 < 0.92


def test_other_metrics_of_verdicts_cannot_be_planned() -> None:
    pilot = karat.evaluate(**grouped(verdicts(1000, 100)))
    with pytest.raises(karat.InputError, match="plan prevalence"):
        karat.rows_needed("accuracy", pilot=pilot, half_width=0.05)
    many = {**verdicts(1000, 100), "positive": None}
    judge = np.where(np.arange(1000) % 9 == 0, 2, many["design"].judge)
    many["design"] = karat.Judge(judge, is_random=True)
    with pytest.raises(karat.KaratError, match=r"K194|K307"):
        karat.rows_needed("prevalence", pilot=karat.evaluate(**grouped(many)), half_width=0.05)


def test_the_weight_of_a_judge_makes_all_differences_together_most_precise() -> None:
    rng = np.random.default_rng(4)
    errors = rng.normal(size=(3, 2, 40))
    errors[:, 1] = -0.7 * errors[:, 0] + 0.2 * errors[:, 1]
    pairs = ((0, 1), (1, 2))
    spec = ComparisonSpec(0.95, "none", {}, pairs)
    gold, judge = (
        np.concatenate([errors[a, side] - errors[b, side] for a, b in pairs]) for side in (0, 1)
    )
    weight = -(gold @ judge) / (judge @ judge)
    found, factor = _weight(errors, spec, 40.0)
    assert 0.0 < weight < 1.0 or found in (0.0, 1.0)
    assert found == pytest.approx(min(weight, 1.0))
    assert factor == pytest.approx(cost_of_tuning(40.0))
    # What is saved must pay for the weight: here 12 gold rows would not be enough.
    errors[:, 1] = rng.normal(size=(3, 40)) - 0.45 * errors[:, 0]
    gold, judge = (
        np.concatenate([errors[a, side] - errors[b, side] for a, b in pairs]) for side in (0, 1)
    )
    share = min(max(-(gold @ judge) / (judge @ judge), 0.0), 1.0)
    saved = ((gold + share * judge) ** 2).sum() / (gold**2).sum()
    assert 0.0 < saved < 1.0
    for n in (5.0, 8.0, 12.0, 40.0, 400.0):
        is_worth_it = cost_of_tuning(n) * saved < n / (n - 1.0)
        assert (_weight(errors, spec, n)[0] > 0.0) == is_worth_it
        if not is_worth_it:
            assert _weight(errors, spec, n) == (0.0, pytest.approx(n / (n - 1.0)))
    assert _weight(errors, spec, 3.9) == (0.0, pytest.approx(3.9 / 2.9))
    assert _weight(0.0 * errors, spec, 40.0) == (0.0, pytest.approx(40 / 39))
    assert np.isnan(_weight(errors, spec, 1.0)[1])


def test_limits_of_losses_with_a_judge_are_those_of_gold_rows_with_less_variance() -> None:
    rng = np.random.default_rng(2)
    metric, n, rest = get("log_loss"), 60, 600
    own = rng.exponential(0.4, n)
    judged, others = 0.9 * own + 0.05 * rng.exponential(0.4, n), rng.exponential(0.4, rest)
    both = Both(Weighed.of(np.ones(n)), Weighed.of(np.ones(rest)))
    spread = SamplingError(float(own.var()) / (n - 1), float(own.var()) / (n - 1), n - 1.0, n)
    asked = Confidence(0.95)
    alone = score_interval(metric, float(own.mean()), spread, asked, float("nan"))
    values = tuple(float(x.mean()) for x in (own, judged, others))
    moves = own - own.mean(), judged - judged.mean(), others - others.mean()
    scored = ScoredMoves(metric, values, alone, moves)
    found = scored.powered(both, asked)
    tuned = both.tuned(*moves)
    assert found.tuned == tuned
    assert tuned.weight > 0.0
    residual = both.gold.moves(moves[0]) - tuned.weight * both.gold.moves(moves[1])

    def degrees(x: np.ndarray) -> float:
        return 2.0 / ((x**4).sum() / (x**2).sum() ** 2 - 1 / n)

    few, many = degrees(residual), degrees(both.gold.moves(moves[0]))
    tails = max(asked.quantile(max(few, 2.0)) / asked.quantile(max(many, 2.0)), 1.0)
    gain = tuned.gain / tails**2
    value = values[0] + tuned.weight * (values[2] - values[1])
    less = SamplingError(
        spread.variance / gain, spread.shrunk / gain, n - 1.0, n * gain, float("nan")
    )
    expected = score_interval(metric, value, less, asked, float("nan"))
    assert found.value == pytest.approx(value)
    assert (found.interval.low, found.interval.high) == pytest.approx((expected.low, expected.high))
    assert found.interval.standard_error == pytest.approx(expected.standard_error)


def test_rows_to_label_are_spread_by_the_size_of_a_class_or_by_confidence() -> None:
    judge = np.repeat([0, 1, 2], [700, 250, 50])
    made = drawn(judge, 60, None, 0)
    sizes = np.array([700, 250, 50])
    counts = allocation(sizes, 1.0 / np.sqrt(sizes), 60)
    assert np.bincount(judge[made.rows]).tolist() == counts.tolist()
    # Each drawn row stands for as many as there are of its class for each one drawn.
    assert np.bincount(judge[made.rows], made.weights) == pytest.approx(sizes)
    assert counts.tolist() != allocation(sizes, np.ones(3), 60).tolist()
