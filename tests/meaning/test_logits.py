"""Logits: ranked by log-odds, measured by their softmax, predicted by their probability."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

import karat
from karat.data.scores import matrix
from karat.data.scores.matrix import Columns, LogOdds
from karat.errors import KaratError
from tests.grouping import grouped
from tests.optional import optional
from tests.same import assert_same
from tests.tally.score_tables import rewritten

N = 240
RNG = np.random.default_rng(41)
TRUE = RNG.integers(0, 3, N)
LOGITS = np.round(RNG.normal(size=(N, 3)) * 4 + 2 * (np.arange(3) == TRUE[:, None]), 2)
TWO = (TRUE == 1).astype(int)
SINGLE = LOGITS[:, 1] - LOGITS[:, 0]
METRICS = ["roc_auc_ovr_macro", "mean_average_precision", "log_loss", "brier", "accuracy"]
OF_TWO = ["roc_auc", "average_precision", "log_loss", "brier", "accuracy", "f_beta_threshold"]


def values(found: Any) -> dict[str, float]:
    return {name: result.value for name, result in found.metrics.items()}


def exact_log_odds(row: Any, i: int) -> Any:
    with mpmath.workdps(80):
        z = [mpmath.mpf(float(x)) for x in row]
        return z[i] - mpmath.log(sum(mpmath.exp(x) for j, x in enumerate(z) if j != i))


def softmax(logits: Any) -> Any:
    with mpmath.workdps(80):
        rows = [[mpmath.exp(mpmath.mpf(float(x))) for x in row] for row in logits]
        return [[x / sum(row) for x in row] for row in rows]


# Log-odds.

SIZES = {"small": 3.0, "saturated": 40.0, "beyond": 800.0}


def off(columns: Any, logits: Any) -> float:
    """The largest distance from the exact log-odds: in units of the last place of the larger gap.

    Near 0 the log-odds are the difference of a gap and a logarithm, which have rounded before.
    """
    most = 0.0
    for i in range(logits.shape[1]):
        for given, row in zip(columns[i].tolist(), logits, strict=True):
            exact = exact_log_odds(row, i)
            others = np.delete(row.astype(np.float64), i)
            size = max(abs(float(row[i]) - others.max()), float(abs(exact)))
            most = max(most, float(abs(given - exact) / np.spacing(size)))
    return most


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_log_odds_against_80_digits(size: float, dtype: str) -> None:
    logits = (RNG.normal(size=(60, 5)) * size).astype(dtype)
    logits[::4] = RNG.choice([-size, 0.0, size], (15, 5))
    columns = LogOdds(logits if dtype != "f2" else logits.astype("f4"))
    assert off(columns, logits) < 6.0


def of_softmax(logits: Any) -> Any:
    """As a ranking by probabilities has them."""
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        return (np.log(p) - np.log1p(-p)).T.copy()


def test_log_odds_of_saturated_probabilities_are_noticed() -> None:
    logits = RNG.normal(size=(60, 5)) * 40.0
    assert off(LogOdds(logits), logits) < 6.0
    assert not off(of_softmax(logits), logits) < 6.0


def test_saturated_logits_keep_their_ranks() -> None:
    """Every probability of the class is 1 in a double, and the AUC is neither 0.5 nor lost."""
    true = np.array([0, 0, 1, 1, 2, 2])
    logits = np.zeros((6, 3))
    logits[:, 1] = [790.0, 792.0, 791.0, 800.0, 795.0, 789.0]
    assert karat.roc_auc(true, y_logit=logits, average=None)[1] == 6 / 8
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    assert karat.roc_auc(true, y_prob=p, average=None)[1] == 0.5


@pytest.mark.parametrize("size", [40.0, 800.0, 1e300])
def test_losses_of_saturated_logits_are_exact(size: float) -> None:
    logits = np.array([[size, 0.0, -size], [0.0, size, 0.0], [-size, 0.0, size]])
    right, wrong = np.array([0, 1, 2]), np.array([2, 0, 0])
    with mpmath.workdps(80):
        for true in (right, wrong):
            rows = [[mpmath.mpf(float(x)) for x in row] for row in logits]
            each = [
                mpmath.log(sum(mpmath.exp(x - row[t]) for x in row))
                for row, t in zip(rows, true.tolist(), strict=True)
            ]
            exact = float(sum(each) / 3)
            found = karat.log_loss(true, y_logit=logits, labels=[0, 1, 2])
            assert_same(found, exact, within=1e-15)


# What carries no information.


def test_a_level_of_each_row_changes_no_bit() -> None:
    """Where the sums are exact, as here, bit for bit."""
    logits = np.round(LOGITS * 8) / 8
    level = RNG.integers(-(1 << 20), 1 << 20, (N, 1)) / 8
    plain = karat.evaluate(TRUE, y_logit=logits)
    moved = karat.evaluate(TRUE, y_logit=logits + level)
    assert values(plain) == values(moved)
    intervals = [(r.low, r.high) for r in plain.metrics.values()]
    assert intervals == [(r.low, r.high) for r in moved.metrics.values()]


def test_a_level_that_rounds_changes_little() -> None:
    level = RNG.normal(size=(N, 1)) * 3
    plain = values(karat.evaluate(TRUE, y_logit=LOGITS, metrics=METRICS, level=None))
    moved = values(karat.evaluate(TRUE, y_logit=LOGITS + level, metrics=METRICS, level=None))
    for name, value in plain.items():
        assert_same(moved[name], value, within=1e-3 if name[0] == "r" or name[0] == "m" else 1e-12)


def test_a_level_is_noticed_where_columns_are_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sabotaged control: columns as given, as those of `y_score`."""
    level = RNG.integers(-64, 64, (N, 1)) / 8
    logits = np.round(LOGITS * 8) / 8
    wanted = karat.roc_auc(TRUE, y_logit=logits, average="macro")
    assert karat.roc_auc(TRUE, y_logit=logits + level, average="macro") == wanted
    monkeypatch.setattr(matrix, "LogOdds", Columns)
    assert karat.roc_auc(TRUE, y_logit=logits + level, average="macro") != wanted


def test_two_columns_are_ranked_by_their_difference() -> None:
    rng = np.random.default_rng(5)
    true = rng.integers(0, 2, 4000)
    z = rng.normal(size=4000) + 1.03 * (2 * true - 1)
    level = rng.normal(size=4000) * 2
    both = np.column_stack([level - z, level + z])
    area = karat.roc_auc(true, y_logit=both)
    assert_same(area, karat.roc_auc(true, y_logit=2 * z), within=1e-3)
    assert 0.92 < area < 0.935 < 1 - karat.roc_auc(true, y_logit=-both) + 0.02
    assert area - karat.roc_auc(true, y_logit=both[:, 1]) > 0.1
    assert_same(
        karat.log_loss(true, y_logit=both), karat.log_loss(true, y_logit=2 * z), within=1e-12
    )


def values_of(difference: Any) -> dict[str, float]:
    return {difference.a: difference.value_a, difference.b: difference.value_b}


# Every source.


def table() -> Any:
    import pandas as pd

    columns = {"label": TRUE} | {f"logit_{i}": LOGITS[:, i] for i in range(3)}
    return pd.DataFrame(columns)


def written(folder: Path, ending: str) -> str:
    path = folder / f"rows.{ending}"
    frame = table()
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    return str(path)


def streamed(times: int = 1, **options: Any) -> Any:
    stream = karat.Stream(metrics=METRICS, level=None, labels=[0, 1, 2], **grouped(options))
    true, logits = np.tile(TRUE, times), np.tile(LOGITS, (times, 1))
    for first in range(0, len(true), 7000):
        part = slice(first, first + 7000)
        stream.update(true[part], y_logit=logits[part])
    return karat.Stream.from_bytes(stream.to_bytes()).report()


def as_tensors(kind: str) -> Any:
    torch: Any = optional("torch")
    logits = torch.tensor(LOGITS, dtype=getattr(torch, kind))
    return torch.tensor(TRUE), logits


def of_tensors(kind: str) -> Any:
    true, logits = as_tensors(kind)
    return karat.evaluate(true, y_logit=logits, metrics=METRICS, level=None)


def partitioned() -> Any:
    dask: Any = optional("dask.dataframe")
    frame = dask.from_pandas(table(), npartitions=3)
    return karat.evaluate(
        frame, y_true="label", y_logit="logit_*", metrics=METRICS, level=None, labels=[0, 1, 2]
    )


SOURCES: dict[str, Callable[[Path], Any]] = {
    "lists": lambda _: karat.evaluate(
        TRUE.tolist(), y_logit=LOGITS.tolist(), metrics=METRICS, level=None
    ),
    "a table, by name": lambda _: karat.evaluate(table(), metrics=METRICS, level=None),
    "a table, by pattern": lambda _: karat.evaluate(
        table(), y_true="label", y_logit="logit_*", metrics=METRICS, level=None
    ),
    "CSV": lambda folder: karat.evaluate(written(folder, "csv"), metrics=METRICS, level=None),
    "Parquet": lambda folder: karat.evaluate(
        written(folder, "parquet"),
        metrics=METRICS,
        level=None,
        reading=karat.Reading(max_memory=1 << 20),
    ),
    "a stream": lambda _: streamed(),
    "a stream in tables": lambda _: streamed(400, max_memory=1 << 20),
    "tensors": lambda _: of_tensors("float64"),
    "partitions": lambda _: partitioned(),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_every_source_gives_the_same_numbers(source: Callable[[Path], Any], tmp_path: Path) -> None:
    wanted = karat.evaluate(TRUE, y_logit=LOGITS, metrics=METRICS, level=None)
    found = source(tmp_path)
    assert found.scores == wanted.scores == "logits"
    for name, value in values(wanted).items():
        assert_same(found[name].value, value, within=1e-12)


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32"])
def test_short_tensors_are_read_as_their_numbers(kind: str) -> None:
    _, logits = as_tensors(kind)
    wide = karat.evaluate(TRUE, y_logit=logits.double().numpy(), metrics=METRICS, level=None)
    found = of_tensors(kind)
    for name, value in values(wide).items():
        assert_same(found[name].value, value, within=1e-12)
    other = values(karat.evaluate(TRUE, y_logit=LOGITS, metrics=METRICS, level=None))
    assert kind == "float32" or values(found) != other


def test_logits_and_scores_are_not_one_kind() -> None:
    stream = karat.Stream()
    stream.update(TWO, y_logit=SINGLE)
    with pytest.raises(KaratError, match="K202"):
        stream.update(TWO, y_score=SINGLE)
    with pytest.raises(KaratError, match="K129"):
        karat.roc_auc(TWO, y_logit=SINGLE, y_score=SINGLE)
    with pytest.raises(KaratError, match="K129"):
        karat.evaluate(table(), y_logit="logit_*", y_prob="logit_0")


# Predicted classes.


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.83])
def test_a_threshold_is_a_probability(threshold: float) -> None:
    p = np.exp(SINGLE) / (1 + np.exp(SINGLE))
    by_prob = karat.evaluate(TWO, y_prob=p, threshold=threshold)
    for logits in (SINGLE, np.column_stack([3 - SINGLE, np.full(N, 3.0)])):
        report = karat.evaluate(TWO, y_logit=logits, threshold=threshold)
        assert report.threshold == threshold
        assert report.confusion.matrix.tolist() == by_prob.confusion.matrix.tolist()
    sets = np.column_stack([TWO, 1 - TWO])
    both = np.column_stack([SINGLE, -SINGLE])
    of_sets = karat.evaluate(y_true=sets, y_logit=both, threshold=threshold)
    wanted = karat.evaluate(
        y_true=sets, y_prob=np.column_stack([p, 1 / (1 + np.exp(SINGLE))]), threshold=threshold
    )
    assert of_sets["micro_f1"].value == wanted["micro_f1"].value


@pytest.mark.parametrize("threshold", [-0.5, 1.5])
def test_a_threshold_outside_of_probabilities_is_refused(threshold: float) -> None:
    for call in (
        lambda: karat.evaluate(TWO, y_logit=SINGLE, threshold=threshold),
        lambda: karat.evaluate(y_true=np.eye(2)[TWO], y_logit=np.eye(2)[TWO], threshold=threshold),
    ):
        with pytest.raises(KaratError, match="K136") as found:
            call()
        assert "A threshold of logits is a probability" in str(found.value)
    assert karat.evaluate(TWO, y_score=SINGLE, threshold=threshold).threshold == threshold


def test_best_thresholds_are_probabilities_that_predict() -> None:
    report = karat.evaluate(TWO, y_logit=SINGLE)
    best = report.thresholds["f1"]
    assert 0 < best["threshold"] < 1
    again = karat.evaluate(TWO, y_logit=SINGLE, threshold=best["threshold"])
    assert again["f1"].value == best["value"]
    assert karat.f_beta_threshold(TWO, y_logit=SINGLE) == best["threshold"]


def test_the_most_probable_class_is_predicted() -> None:
    report = karat.evaluate(TRUE, y_logit=LOGITS)
    assert report["accuracy"].value == (LOGITS.argmax(axis=1) == TRUE).mean()
    assert report.threshold is None
    ties = karat.evaluate([0, 1, 1], y_logit=[0.0, 0.0, 1e-20])
    assert ties.confusion.matrix.tolist() == [[1, 0], [1, 1]]


# Calibration.


def test_calibration_reads_the_softmax() -> None:
    p = np.array([[float(x) for x in row] for row in softmax(LOGITS)])
    names = ["expected_calibration_error", "classwise_calibration_error", "log_loss", "brier"]
    by_prob = karat.evaluate(TRUE, y_prob=p, metrics=names, level=None)
    by_logit = karat.evaluate(TRUE, y_logit=LOGITS, metrics=names, level=None)
    for name in names:
        assert_same(by_logit[name].value, by_prob[name].value, within=1e-12)


# Scores of any kind have no probabilities.

OF_PROBABILITIES = [
    "log_loss",
    "one_vs_all_log_loss",
    "brier",
    "d2_brier",
    "expected_calibration_error",
    "classwise_calibration_error",
]


@pytest.mark.parametrize("name", OF_PROBABILITIES)
def test_scores_have_no_metrics_of_probabilities(name: str) -> None:
    report = karat.evaluate(TRUE, y_score=LOGITS)
    calls: list[Callable[[], Any]] = [
        lambda: getattr(karat, name)(TRUE, y_score=LOGITS),
        lambda: report[name],
        lambda: karat.evaluate(TRUE, y_score=LOGITS, metrics=[name]),
        lambda: karat.compare(TRUE, y_score={"a": LOGITS, "b": -LOGITS}, metrics=[name]),
        lambda: karat.gate(TRUE, y_score=LOGITS, max={name: 0.5}),
        lambda: report.metrics[name],
    ]
    if "calibration" not in name:  # a sum of absolute gaps has a kink, and no losses of rows
        by = {"g": TRUE % 2}
        calls.append(lambda: karat.find_weak_slices(TRUE, y_score=LOGITS, metric=name, by=by))
    for call in calls:
        with pytest.raises(KaratError, match="K319") as found:
            call()
        assert "y_logit=" in str(found.value)
        assert "y_prob=" in str(found.value)
    assert name not in report.metrics
    assert name in karat.evaluate(TRUE, y_logit=LOGITS, metrics=[name]).metrics


def test_scores_keep_ranks_places_and_margins() -> None:
    report = karat.evaluate(TRUE, y_score=LOGITS)
    assert {"roc_auc_ovr_macro", "hinge_loss", "top_2_accuracy"} <= {*report.metrics}
    raw = karat.roc_auc(TRUE, y_score=LOGITS, average="macro")
    assert report["roc_auc_ovr_macro"].value == raw
    assert raw != karat.roc_auc(TRUE, y_logit=LOGITS, average="macro")
    assert_same(
        karat.hinge_loss(TRUE, y_score=LOGITS), karat.hinge_loss(TRUE, y_logit=LOGITS), within=1e-15
    )


def test_columns_of_scores_that_may_be_logits_are_a_doubt() -> None:
    level = RNG.normal(size=(N, 1)) * 3
    (one,) = [x for x in karat.evaluate(TRUE, y_score=LOGITS + level).doubts if x.code == "D159"]
    assert "y_logit=" in one.option
    by_columns = karat.roc_auc(TRUE, y_score=LOGITS + level, average="macro")
    by_odds = karat.roc_auc(TRUE, y_logit=LOGITS + level, average="macro")
    assert f"{by_columns:.4f}" in one.evidence
    assert f"{by_odds:.4f}" in one.evidence
    same = LOGITS - LOGITS.mean(axis=1, keepdims=True)
    odds = np.column_stack([LogOdds(same)[i] for i in range(3)])
    for call in (
        karat.evaluate(TRUE, y_score=odds * 100),
        karat.evaluate(TRUE, y_logit=LOGITS + level),
        karat.evaluate(TWO, y_score=LOGITS[:, :2]),
    ):
        assert "D159" not in [x.code for x in call.doubts]


def test_a_report_of_scores_draws_no_probabilities() -> None:
    report = karat.evaluate(TWO, y_score=SINGLE)
    assert "reliability" not in list(report.curves)
    assert "net_benefit" not in list(report.curves)
    assert report.curves.roc.positive.area == report["roc_auc"].value
    for call in (
        lambda: report.curves.reliability,
        lambda: report.curves.net_benefit,
        lambda: report.calibration,
        lambda: karat.curves.reliability(TWO, y_score=SINGLE),
        lambda: karat.curves.net_benefit(TWO, y_score=SINGLE),
    ):
        with pytest.raises(KaratError, match="K319"):
            call()
    again = karat.Report.from_json(report.to_json())
    assert values(again) == values(report)
    with pytest.raises(KaratError, match="K319"):
        _ = again.curves.reliability
    assert "Reliability" not in report.to_html()
    assert "Reliability" in karat.evaluate(TWO, y_logit=SINGLE).to_html()


def test_sets_of_scores_have_no_cross_entropy() -> None:
    true, logits = np.eye(3)[TRUE], LOGITS
    of_logits, of_scores = (
        karat.evaluate(y_true=true, **grouped({name: logits})) for name in ("y_logit", "y_score")
    )
    p = 1 / (1 + np.exp(-logits))
    of_prob = karat.evaluate(y_true=true, y_prob=p)
    for name in ("binary_cross_entropy", "multilabel_brier", "roc_auc_ovr_macro", "micro_f1"):
        assert_same(of_logits[name].value, of_prob[name].value, within=1e-12)
    assert "binary_cross_entropy" not in of_scores.metrics
    assert "label_ranking_average_precision" in of_scores.metrics
    for call in (
        lambda: of_scores["binary_cross_entropy"],
        lambda: karat.multilabel_brier(true, y_score=logits),
        lambda: karat.log_loss(true, y_score=logits),
        lambda: karat.compare(
            true, y_score={"a": logits, "b": -logits}, metrics=["binary_cross_entropy"]
        ),
    ):
        with pytest.raises(KaratError, match="K319"):
            call()


# Other verbs.


def test_comparisons_gates_and_slices_take_logits() -> None:
    worse = LOGITS + RNG.normal(size=LOGITS.shape) * 3
    found = karat.compare(TRUE, y_logit={"new": LOGITS, "old": worse}, metrics=METRICS)
    for name in METRICS:
        for model, logits in (("new", LOGITS), ("old", worse)):
            alone = karat.evaluate(TRUE, y_logit=logits, metrics=[name], level=None)
            assert values_of(found[name])[model] == alone[name].value
    assert {"log_loss", "brier"} <= {
        *karat.compare(TRUE, y_logit={"a": LOGITS, "b": worse}).metrics
    }
    assert karat.gate(TRUE, y_logit=LOGITS, baseline=worse, no_worse_than={"log_loss": 0.1})
    with pytest.raises(KaratError, match="K319"):
        karat.gate(TRUE, y_score=LOGITS, baseline=worse, no_worse_than={"log_loss": 0.1})
    by = np.array(["a", "b"])[np.arange(N) % 2]
    report = karat.evaluate(TRUE, y_logit=LOGITS, by={"group": by}, metrics=METRICS)
    part = by == "a"
    alone = karat.evaluate(TRUE[part], y_logit=LOGITS[part], level=None)
    assert_same(
        report.slices["group"]["a"]["log_loss"].value, alone["log_loss"].value, within=1e-12
    )
    weak = karat.find_weak_slices(TRUE, y_logit=LOGITS, by={"group": by}, metric="log_loss")
    assert weak.measure == "log_loss"
    assert karat.check(TRUE, y_logit=LOGITS).scores == "logits"


def test_a_monitor_takes_logits() -> None:
    monitor = karat.Monitor(min={"roc_auc": 0.5}, positive=1)
    first = monitor.add(TWO, y_logit=SINGLE)
    again = karat.Monitor.from_bytes(monitor.to_bytes()).add(TWO, y_logit=SINGLE, again=True)
    assert first.n == N
    assert again.n == 2 * N
    with pytest.raises(KaratError, match="K240"):
        monitor.add(TWO, y_score=SINGLE + 1)


def test_a_state_of_0_2_whose_rules_read_probabilities_cannot_go_on() -> None:
    def as_before(header: Any) -> None:
        header["rows"]["new"]["argument"] = "y_score"

    monitor = karat.Monitor(max={"log_loss": 5.0})
    monitor.add(TWO, y_logit=SINGLE)
    data = monitor.to_bytes()
    with pytest.raises(KaratError, match="K205") as found:
        karat.Monitor.from_bytes(rewritten(data, as_before))
    assert "Start another monitor from the rows, with y_logit= for logits" in str(found.value)
    assert karat.Monitor.from_bytes(data).result.n == N
    ranking = karat.Monitor(min={"roc_auc": 0.1})
    ranking.add(TWO, y_logit=SINGLE)
    again = karat.Monitor.from_bytes(rewritten(ranking.to_bytes(), as_before))
    assert again.add(TWO, y_score=SINGLE, again=True).n == 2 * N


def test_a_monitor_of_scores_that_predict_nothing_goes_on() -> None:
    monitor = karat.Monitor(min={"roc_auc": 0.1})
    monitor.add(TWO, y_score=SINGLE)
    monitor.add(TWO, y_score=SINGLE, again=True)
    found = karat.Monitor.from_bytes(monitor.to_bytes()).add(TWO, y_score=-SINGLE, again=True)
    whole = karat.roc_auc(np.tile(TWO, 3), y_score=np.concatenate([SINGLE, SINGLE, -SINGLE]))
    assert_same(found.rules[0].value, whole, within=1e-12)
    with pytest.raises(KaratError, match="K320"):
        karat.Monitor(min={"accuracy": 0.1}).add(TWO, y_score=SINGLE)


def test_baselines_keep_the_kind(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    karat.gate(TWO, y_logit=SINGLE, positive=1).save_baseline(path)
    assert karat.gate(
        TWO, y_logit=SINGLE, baseline=path, no_worse_than={"log_loss": 2.0}, positive=1
    )


def test_a_judge_beside_logits() -> None:
    gold = [int(y) if i % 2 else None for i, y in enumerate(TWO)]
    given: dict[str, Any] = {"gold": gold, "judge": TWO, "positive": 1, "gold_is_random": True}
    found = karat.evaluate(y_logit=SINGLE, metrics=["log_loss"], **grouped(given))
    p = 1 / (1 + np.exp(-SINGLE))
    wanted = karat.evaluate(y_prob=p, metrics=["log_loss"], **grouped(given))
    assert_same(found["log_loss"].value, wanted["log_loss"].value, within=1e-12)
    with pytest.raises(KaratError, match="K319"):
        karat.evaluate(y_score=SINGLE, threshold=0, metrics=["log_loss"], **grouped(given))


def test_a_metric_that_a_report_lacks_is_a_key_error_that_says_why() -> None:
    reports = [
        karat.evaluate(TWO, y_score=SINGLE),
        karat.evaluate(TWO, y_score=SINGLE, metrics=["roc_auc"]),
    ]
    for report in reports:
        with pytest.raises(KeyError) as found:
            report.metrics["log_loss"]
        assert str(found.value).startswith("K319")
        assert report.metrics.get("log_loss") is None
        with pytest.raises(KeyError, match="K301"):
            report.metrics["nothing"]
        with pytest.raises(KeyError, match="auc"):
            report.metrics["auc"]
        assert dict(report.metrics)["roc_auc"] == report["auc"]
        mapping: Any = report.metrics
        with pytest.raises(KeyError):
            mapping[3]


def test_a_report_of_scores_says_once_that_it_has_no_losses() -> None:
    text = "No losses: y_score has no probabilities; logits are y_logit="
    for given in ({"y_score": SINGLE}, {"y_score": SINGLE, "threshold": 0.0}):
        assert str(karat.evaluate(TWO, **given)).count(text) == 1
    for other in ({"y_logit": SINGLE}, {"y_score": SINGLE, "metrics": ["roc_auc"]}):
        call: Any = karat.evaluate
        assert "No losses" not in str(call(TWO, **other))


@pytest.mark.parametrize(("name", "ranks"), [("log_loss", False), ("roc_auc", True)])
def test_only_outputs_that_a_metric_can_read_are_asked_for(name: str, ranks: bool) -> None:
    models = {"a": TWO, "b": 1 - TWO}
    calls: list[Callable[[], Any]] = [
        lambda: getattr(karat, name)(TWO),
        lambda: karat.evaluate(TWO, TWO, metrics=[name]),
        lambda: karat.compare(TWO, models, metrics=[name]),
        lambda: karat.compare(
            {model: karat.evaluate(TWO, y) for model, y in models.items()}, metrics=[name]
        ),
        lambda: karat.gate(TWO, TWO, max={name: 0.5}),
        lambda: karat.find_weak_slices(TWO, TWO, metric=name, by={"g": TRUE}),
    ]
    for call in calls:
        with pytest.raises(KaratError, match=r"K210|K166|K128") as found:
            call()
        advice = str(found.value).splitlines()[-1]
        assert "y_logit=" in advice
        assert ("y_score=" in advice) == ranks
