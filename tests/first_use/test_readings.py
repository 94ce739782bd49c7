"""Orders, scores, thresholds, weights and folds: their meaning, and what settles each question."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import karat
from karat.errors import KaratError
from karat.tally import Classes
from tests.same import assert_same

RNG = np.random.default_rng(11)
N = 240
TRUE = RNG.integers(0, 3, N)
PRED = np.where(RNG.random(N) < 0.25, (TRUE + 1) % 3, TRUE)
GRADES = ["low", "medium", "high"]
KIND = pd.CategoricalDtype(GRADES, ordered=True)


def code(call: Any) -> str:
    with pytest.raises(KaratError) as caught:
        call()
    return caught.value.code


def codes(found: Any) -> list[str]:
    return [one.code for one in found.doubts]


def graded(codes: Any) -> Any:
    return pd.Series(np.array(GRADES)[codes]).astype(KIND)


# The order of classes.


def tables() -> dict[str, Any]:
    frame = pd.DataFrame({"label": graded(TRUE), "pred": graded(PRED)})
    enum = pl.Enum(GRADES)
    return {
        "pandas": frame,
        "Polars": pl.DataFrame(
            {
                name: pl.Series([GRADES[i] for i in each], dtype=enum)
                for name, each in (("label", TRUE), ("pred", PRED))
            }
        ),
        "Arrow": pa.Table.from_pandas(frame),
    }


@pytest.mark.parametrize("kind", ["pandas", "Polars", "Arrow"])
def test_ordered_categories_declare_an_order(kind: str) -> None:
    wanted = karat.kappa_quadratic(TRUE, PRED)
    table = tables()[kind]
    assert karat.evaluate(table)["kappa_quadratic"].value == wanted
    gate = karat.gate(table, min={"kappa_quadratic": 0.0})
    assert gate.rules[0].value == wanted


def test_an_order_is_kept_where_batches_lack_a_grade() -> None:
    stream, other = karat.Stream(), karat.Stream()
    stream.update(graded(TRUE[TRUE != 1]), graded(TRUE[TRUE != 1]))
    other.update(graded(TRUE), graded(PRED))
    stream.merge(karat.Stream.from_bytes(other.to_bytes()))
    report = stream.report()
    assert report.labels == tuple(GRADES)
    both = np.concatenate([TRUE[TRUE != 1], TRUE]), np.concatenate([TRUE[TRUE != 1], PRED])
    assert_same(report["kappa_linear"].value, karat.kappa_linear(*both), within=1e-12)


BATCHES = [TRUE == 0, TRUE == 2, np.isin(TRUE, (0, 1))]
"""Rows of batches none of which holds all grades, true or predicted."""


def in_batches(add: Any, *kinds: pd.CategoricalDtype) -> None:
    for rows, kind in zip(BATCHES, kinds or [KIND] * 3, strict=True):
        pred = np.where(np.isin(PRED[rows], TRUE[rows]), PRED[rows], TRUE[rows])
        add(*(pd.Series(np.array(GRADES)[each]).astype(kind) for each in (TRUE[rows], pred)))


def whole() -> tuple[Any, Any]:
    found: list[Any] = []
    in_batches(lambda true, pred: found.append((true, pred)))
    return pd.concat([true for true, _ in found]), pd.concat([pred for _, pred in found])


def test_an_order_that_no_batch_holds_whole_is_kept() -> None:
    wanted = karat.evaluate(*whole())
    stream, parts = karat.Stream(), []
    in_batches(stream.update)

    def part(true: Any, pred: Any) -> None:
        parts.append(karat.Stream())
        parts[-1].update(true, pred)

    in_batches(part)
    stored = [karat.Stream.from_bytes(one.to_bytes()) for one in parts]
    for merged in (stream, stored[0].merge(stored[1]).merge(stored[2])):
        report = merged.report()
        assert report.labels == tuple(GRADES)
        assert_same(report["kappa_linear"].value, wanted["kappa_linear"].value, within=1e-12)


def test_a_monitor_keeps_an_order_that_no_batch_holds_whole(tmp_path: Path) -> None:
    path, wanted = tmp_path / "state", karat.kappa_linear(*whole())
    karat.Monitor(min={"kappa_linear": 0.1}).save(path)

    def add(true: Any, pred: Any) -> None:
        monitor = karat.Monitor.load(path)
        monitor.add(true, pred)
        monitor.save(path)

    in_batches(add)
    assert_same(karat.Monitor.load(path).result.rules[0].value, wanted, within=1e-12)


def test_an_order_is_that_of_the_batch_that_declares_most() -> None:
    stream = karat.Stream()
    some = [pd.CategoricalDtype([*GRADES][first:], ordered=True) for first in (0, 1, 0)]
    in_batches(stream.update, *some)
    assert stream.report().labels == tuple(GRADES)


@pytest.mark.parametrize("others", [GRADES[::-1], None])
def test_contradicting_or_lacking_declarations_are_asked_for(others: Any) -> None:
    stream = karat.Stream()
    kind: Any = object if others is None else pd.CategoricalDtype(others, ordered=True)
    in_batches(stream.update, KIND, KIND, kind)
    report = stream.report()
    assert report.labels == ("high", "low", "medium")
    assert code(lambda: report["kappa_linear"]) == "K316"


def test_an_order_that_is_forgotten_between_batches_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Sabotage: batches that keep only the order of the categories that occur."""
    monkeypatch.setattr(Classes, "categories", property(lambda own: own.is_ordered and own.labels))
    stream = karat.Stream()
    in_batches(stream.update)
    assert code(lambda: stream.report()["kappa_linear"]) == "K316"


def named_scores(rows: Any) -> pd.DataFrame:
    return pd.DataFrame(np.eye(3)[PRED[rows]] * 0.7 + 0.1, columns=GRADES)


@pytest.mark.parametrize("max_memory", [1 << 28, 1 << 20])
def test_scores_by_class_name_keep_the_order_in_a_stream(max_memory: int) -> None:
    stream, n = (
        karat.Stream(reading=karat.Reading(max_memory=max_memory)),
        1 if max_memory > 1 << 20 else 400,
    )
    for rows in BATCHES:
        scores = pd.concat([named_scores(rows)] * n, ignore_index=True)
        stream.update(pd.concat([graded(TRUE[rows])] * n, ignore_index=True), y_prob=scores)
    report = stream.report()
    whole = np.concatenate([np.flatnonzero(rows) for rows in BATCHES])
    wanted = karat.evaluate(graded(TRUE[whole]), y_prob=named_scores(whole))
    assert report.labels == tuple(GRADES)
    for name in ("kappa_quadratic", "macro_roc_auc"):
        assert_same(report[name].value, wanted[name].value, within=1e-9)


@pytest.mark.parametrize("is_first", [True, False])
def test_scores_move_with_classes_that_lose_their_order(is_first: bool) -> None:
    stream = karat.Stream()
    for is_graded in (is_first, not is_first):
        true = graded(TRUE) if is_graded else np.array(GRADES)[TRUE]
        stream.update(true, y_prob=named_scores(slice(None)))
    report = stream.report()
    wanted = karat.evaluate(graded(TRUE), y_prob=named_scores(slice(None)))
    assert report.labels == ("high", "low", "medium")
    assert code(lambda: report["kappa_linear"]) == "K316"
    for name in ("accuracy", "macro_roc_auc", "log_loss"):
        assert_same(report[name].value, wanted[name].value, within=1e-12)


def test_models_in_categories_have_their_order() -> None:
    models = {"a": graded(PRED), "b": graded(TRUE)}
    found = karat.compare(graded(TRUE), models, metrics=["kappa_quadratic"])
    assert found["kappa_quadratic"].value_b == karat.kappa_quadratic(TRUE, PRED)


@pytest.mark.parametrize("name", ["kappa_linear", "kappa_quadratic"])
@pytest.mark.parametrize("labels", [["a", "b"], [0, 1, 2], [-1, 5, 30]])
def test_two_texts_and_numbers_need_no_order(name: str, labels: list[Any]) -> None:
    k = len(labels)
    true, pred = (np.array(labels)[each % k] for each in (TRUE, PRED))
    assert 0.0 < getattr(karat, name)(true, pred) < 1.0


def test_a_cost_matrix_needs_the_order_of_its_rows() -> None:
    true, pred = np.array(GRADES)[TRUE], np.array(GRADES)[PRED]
    costs = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    assert code(lambda: karat.expected_cost(true, pred, costs=costs)) == "K316"
    found = karat.expected_cost(true, pred, costs=costs, labels=GRADES)
    assert found == karat.expected_cost(TRUE, PRED, costs=costs)


def test_a_table_of_counts_declares_an_order_unless_it_is_alphabetical() -> None:
    true, pred = pd.Series(np.array(GRADES)[TRUE]), pd.Series(np.array(GRADES)[PRED])
    table = pd.crosstab(true, pred)
    assert code(lambda: karat.kappa_linear(confusion=table)) == "K316"
    arranged = table.loc[GRADES, GRADES]
    assert karat.kappa_linear(confusion=arranged) == karat.kappa_linear(TRUE, PRED)
    assert karat.kappa_linear(confusion=arranged.to_numpy()) == karat.kappa_linear(TRUE, PRED)


def test_a_stored_report_keeps_the_order() -> None:
    report = karat.evaluate(graded(TRUE), graded(PRED))
    again = karat.Report.from_json(report.to_json())
    assert again["kappa_linear"].value == report["kappa_linear"].value
    plain = karat.evaluate(np.array(GRADES)[TRUE], np.array(GRADES)[PRED])
    assert not {"is_ordered", "order"} & plain.to_dict()["classes"].keys()


def test_stored_reports_of_some_grades_are_compared_in_their_order() -> None:
    reports = {}
    for name, grades in (("a", (0, 2)), ("b", (0, 1))):
        rows = np.isin(TRUE, grades) & np.isin(PRED, grades)
        report = karat.evaluate(graded(TRUE[rows]), graded(PRED[rows]))
        assert report.to_dict()["classes"]["order"] == GRADES
        reports[name] = karat.Report.from_json(report.to_json())
    found = karat.compare(reports, metrics=["kappa_linear"])["kappa_linear"]
    values = {report["kappa_linear"].value for report in reports.values()}
    assert {found.value_a, found.value_b} == values


# Two scores.


def test_a_common_level_never_ranks_rows() -> None:
    true = TRUE % 2
    gap = true + RNG.normal(size=N)
    level = np.round(RNG.normal(0.0, 1e6, N))
    both = np.column_stack([level, level + gap])
    names = ("roc_auc", "average_precision", "max_f_beta", "accuracy")
    for role, metrics in (("y_score", names), ("y_logit", (*names, "log_loss"))):
        # One column of scores has to be told where the positive class starts.
        at = {"threshold": 0.0} if role == "y_score" else {}
        wanted = karat.evaluate(true, **{role: both[:, 1] - both[:, 0]}, **at)
        for given in (both, pd.DataFrame(both, columns=["score_0", "score_1"]), both.tolist()):
            report = karat.evaluate(true, **{role: given})
            for name in metrics:
                assert_same(report[name].value, wanted[name].value, within=1e-12, about=name)
    assert karat.evaluate(true, y_score=both, threshold=1.0)["recall"].value == pytest.approx(
        np.mean(both[true == 1, 1] - both[true == 1, 0] >= 1.0)
    )
    curve = karat.curves.roc(true, y_score=both)
    assert np.nanmax(curve.thresholds[np.isfinite(curve.thresholds)]) < 10.0


def test_the_largest_numbers_have_a_finite_difference() -> None:
    scores = np.array([[-1e308, 1e308], [1e308, -1e308], [0.0, 1.0], [1.0, 0.0]])
    assert karat.roc_auc([1, 0, 1, 0], y_score=scores) == 1.0


def test_rows_behind_a_number_show_the_difference() -> None:
    true = np.array([0, 1, 1, 0] * 5)
    scores = np.column_stack([np.full(20, 7.0), 7.0 + np.where(true == 1, 1.0, -1.0)])
    scores[3] = [0.0, 5.0]
    rows = (
        karat.evaluate(true, y_score=scores, reading=karat.Reading(keep_rows=3))
        .rows(true=0, pred=1)
        .to_frame()
    )
    assert 5.0 in rows.to_numpy().ravel().tolist()


# Thresholds.


@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.7, 0.9])
def test_a_32_bit_number_reaches_the_threshold_that_it_was_written_as(threshold: float) -> None:
    p = np.where(TRUE % 2 == 1, threshold, threshold / 2).astype(np.float32)
    true = TRUE % 2
    for stored in (p, p.astype(np.float64)):
        assert karat.evaluate(true, y_prob=stored, threshold=threshold)["recall"].value == 1.0
        stream = karat.Stream(threshold=threshold)
        stream.update(true, y_prob=stored)
        assert stream.report()["recall"].value == 1.0
        curve = karat.curves.net_benefit(true, y_prob=stored, thresholds=[threshold])
        assert curve.benefit[0] == pytest.approx(true.mean())
    # A double just below does not.
    below = np.full(N, np.nextafter(threshold, 0.0))
    if float(np.float32(threshold)) != below[0]:
        assert karat.evaluate(true, y_prob=below, threshold=threshold)["recall"].value == 0.0


# What settles each question.


def test_minus_100_may_be_a_class() -> None:
    true = np.where(np.arange(N) < 20, -100, TRUE)
    assert code(lambda: karat.evaluate(true, PRED)) == "K318"
    listed = karat.evaluate(true, PRED, labels=[-100, 0, 1, 2])
    assert listed.n_rows == N
    # Predicted in other rows than those where it is true.
    predicted = np.where(np.arange(N) < 19, -100, PRED)
    assert karat.evaluate(true, predicted).labels == (-100, 0, 1, 2)
    assert karat.accuracy(true, predicted) > karat.accuracy(true, PRED, labels=[-100, 0, 1, 2])
    assert karat.accuracy([-100, 5], [5, 5]) == 0.5


def test_answers_of_a_model_that_are_listed_are_classes() -> None:
    true = np.array(GRADES, object)[TRUE]
    pred = np.array(GRADES, object)[PRED]
    pred[:4] = "unknown"
    assert codes(karat.evaluate(true, pred)) == ["D127"]
    assert codes(karat.evaluate(true, pred, labels=[*GRADES, "unknown"])) == []
    rare = pred.copy()
    rare[:4] = "zebra"
    assert codes(karat.evaluate(true, rare)) == ["D127"]
    assert codes(karat.evaluate(true, rare, labels=[*GRADES, "zebra"])) == []


def test_margins_of_a_listed_class_are_a_class() -> None:
    table = [[50, 10, 60], [5, 35, 40], [55, 45, 100]]
    assert code(lambda: karat.evaluate(confusion=table)) == "K424"
    assert karat.evaluate(confusion=table, labels=[0, 1, 2]).n_rows == 400
    assert karat.evaluate(confusion=np.diag([3, 4, 5])).n_rows == 12


@pytest.mark.parametrize(("rows", "columns", "is_turned"), [
    ("pred", "truth", True), ("predicted", "x", True), ("x", "label", True),
    ("truth", "pred", False), (None, None, False), ("pred", "yhat", False),
])  # fmt: skip
def test_named_axes_decide(rows: Any, columns: Any, is_turned: bool) -> None:
    table = pd.DataFrame([[5, 1], [3, 9]])
    table.index.name, table.columns.name = rows, columns
    found = karat.evaluate(confusion=table).confusion.matrix.tolist()
    assert found == ([[5, 3], [1, 9]] if is_turned else [[5, 1], [3, 9]])


def test_folds_of_rows_that_are_sorted_by_class_are_folds() -> None:
    true = np.sort(TRUE)
    assert karat.evaluate(true, PRED, design=karat.Folds(np.arange(N) % 5)).folds is not None
    runs = np.tile(TRUE, 3), np.tile(PRED, 3), np.repeat(np.arange(3), N)
    assert code(lambda: karat.evaluate(*runs[:2], design=karat.Folds(runs[2]))) == "K258"
    together = karat.evaluate(*runs[:2], clusters=np.tile(np.arange(N), 3))
    assert together["accuracy"].value == karat.accuracy(TRUE, PRED)


def test_ids_settle_files_of_one_truth(tmp_path: Path) -> None:
    for name, pred in (("a", TRUE), ("b", PRED)):
        pd.DataFrame({"label": TRUE, "pred": pred}).to_parquet(tmp_path / f"{name}.parquet")
    files = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    assert code(lambda: karat.evaluate(files)) == "K193"
    assert karat.evaluate(files, ids="").n_rows == 2 * N
    pd.DataFrame({"label": TRUE[::-1], "pred": PRED[::-1]}).to_parquet(files[1])
    assert karat.evaluate(files).n_rows == 2 * N


@pytest.mark.parametrize("k", [2, 3])
def test_columns_in_two_orders_are_asked_for(k: int) -> None:
    texts = np.array(["9", "10", "11"])[:k]
    true, prob = texts[TRUE % k], np.eye(k)[TRUE % k]
    assert code(lambda: karat.log_loss(true, y_prob=prob)) == "K317"
    assert karat.log_loss(true, y_prob=prob, labels=texts.tolist()) == 0.0
    named = pd.DataFrame(prob, columns=[f"p_{x}" for x in texts])
    assert karat.log_loss(true, y_prob=named) == 0.0
    if k == 2:
        assert karat.log_loss(true, y_prob=prob[:, 1], positive="10") == 0.0


def test_ignored_rows_are_no_class_beside_scores_and_where_both_sides_are_masked() -> None:
    """A rare class that is missing leaves as many columns as labels with -100."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 5, 400)
    scores = rng.normal(size=(400, 5)) + 2 * np.eye(5)[truth]
    masked = np.where(truth == 4, -100, truth)
    both = np.where(masked == -100, -100, scores.argmax(axis=1))
    prob = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    for call in (
        lambda: karat.evaluate(masked, y_logit=scores),
        lambda: karat.evaluate(masked, y_prob=prob),
        lambda: karat.log_loss(masked, y_logit=scores),
        lambda: karat.compare(masked, y_logit={"a": scores, "b": scores}),
        lambda: karat.evaluate(masked, both),
        lambda: karat.accuracy(masked, both),
    ):
        assert code(call) == "K318"
    # The controls: rows left out, a class of that name, another negative label.
    keep = masked != -100
    kept = karat.evaluate(truth[keep], y_logit=scores[keep], labels=range(5))
    assert kept["accuracy"].value == (scores.argmax(axis=1) == truth)[keep].mean()
    declared = [-100, 0, 1, 2, 3]
    assert karat.evaluate(masked, y_logit=scores, labels=declared).n_rows == 400
    assert karat.evaluate(masked, both, labels=[*declared, 4]).n_rows == 400
    assert karat.evaluate(np.where(truth == 0, -1, truth), y_logit=scores).n_rows == 400
