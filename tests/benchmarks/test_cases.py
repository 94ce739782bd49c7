"""The cases of the benchmark compute what they say, on both sides."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.optional import optional

optional("sklearn")
optional("pandas")
optional("polars")
optional("pyarrow")

import karat  # noqa: E402
from benchmarks import memory  # noqa: E402
from benchmarks.case import LIMIT, PEER, Candidates, disagreement_of  # noqa: E402
from benchmarks.cases import (  # noqa: E402
    cases_of,
    data,
    dropin,
    labels,
    losses,
    ranking,
    resampling,
    small,
    text,
)

MAKERS: dict[str, Callable[[], Candidates]] = {
    "confusion": lambda: labels.confusion(2000, 7),
    "confusion of bytes": lambda: labels.confusion(2000, 7, np.uint8),
    "weighted confusion": lambda: labels.weighted_confusion(2000, 7),
    "fixed-width strings": lambda: text.text_confusion(2000, 7, np.str_),
    "object strings": lambda: text.text_confusion(2000, 7, object),
    "macro F1": lambda: labels.macro_f1(2000, 7),
    "macro F1 of many classes": lambda: labels.macro_f1(2000, 1500),
    "report": lambda: labels.everything(2000, 7),
    "small report of labels": lambda: small.report(200),
    "small report of probabilities": lambda: small.score_report(200),
    "log-loss": lambda: losses.log_loss(2000, 7),
    "Brier score": lambda: losses.brier_score(2000, 7),
    "ROC AUC": lambda: ranking.roc_auc(2000, np.float64),
    "weighted ROC AUC": lambda: ranking.weighted_roc_auc(2000, np.float32),
    "average precision": lambda: ranking.average_precision(2000, np.float64),
    "one-vs-rest": lambda: ranking.one_vs_rest(2000, 7),
    "one-vs-one": lambda: ranking.one_vs_one(2000, 7),
    "drop-in accuracy": lambda: dropin.accuracy(2000),
    "drop-in macro F1": lambda: dropin.macro_f1(2000),
    "drop-in confusion": lambda: dropin.confusion(2000),
    "drop-in confusion of text": lambda: dropin.text_confusion(2000),
    "drop-in log-loss": lambda: dropin.log_loss(2000),
    "drop-in ROC AUC": lambda: dropin.roc_auc(2000),
    "drop-in ROC AUC ovr": lambda: dropin.roc_auc_ovr(2000),
    **{f"held as {name}": lambda hold=hold: text.held_confusion(2000, 7, hold)
       for name, hold in text.HELD.items()},
    **{f"small {name}": lambda make=make: make(200) for name, (make, _) in small.MAKERS.items()},
}  # fmt: skip


@pytest.mark.parametrize("name", MAKERS)
def test_both_sides_give_the_same_answer(name: str) -> None:
    assert disagreement_of(MAKERS[name](), within=labels.ROUNDED) is None


@pytest.mark.parametrize("name", MAKERS)
def test_an_answer_that_is_off_is_seen(name: str) -> None:
    candidates = dict(MAKERS[name]())
    honest = candidates[PEER]
    candidates[PEER] = lambda: np.asarray(honest()) * 1.000001
    assert disagreement_of(candidates, within=labels.ROUNDED) is not None


def test_replicates_whose_spread_is_off_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert disagreement_of(resampling.bootstrap(3000), within=1e-12) is None
    native = resampling.native
    monkeypatch.setattr(resampling, "native", lambda y, s: 1.3 * native(y, s))
    assert disagreement_of(resampling.bootstrap(3000), within=1e-12) is not None


def test_the_limit_is_no_answer() -> None:
    made = dict(labels.confusion(2000, 7))
    made[LIMIT] = lambda: "anything"
    assert disagreement_of(made, within=0.0) is None


def test_a_case_of_object_strings_has_a_string_for_each_row() -> None:
    # Rows that share one object would measure a table of pointers.
    y_true, _ = data.text_labels(100, 3, object)
    assert len({id(label) for label in y_true}) == 100


def test_case_names_are_unique_and_stretch_lies_above_floor() -> None:
    cases = (*cases_of(PEER), *dropin.CASES)
    names = [case.name for case in cases]
    assert len(set(names)) == len(names)
    goals = [case.goal for case in cases if case.goal.floor and case.goal.stretch]
    assert goals
    assert [goal for goal in goals if goal.floor > goal.stretch] == []


def test_the_data_are_what_their_names_say() -> None:
    y_true, y_pred = data.labels(20_000, 5)
    assert karat.accuracy(y_true, y_pred) == pytest.approx(0.8 + 0.2 / 5, abs=0.02)
    y, p = data.many_classes(100, 4, np.float32)
    assert p.dtype == np.float32
    assert p.flags.c_contiguous
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-6)
    assert set(y.tolist()) == {0, 1, 2, 3}
    assert data.logits(10, 3, np.float64, "F")[1].flags.f_contiguous


def test_the_bounded_memory_case_is_right_on_few_rows() -> None:
    optional("duckdb")
    peak = memory.measure(100_000)
    assert peak.disagreement is None
    assert 0 < peak.peak_bytes < memory.MOST_BYTES
