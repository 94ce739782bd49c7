"""The cases of the benchmark compute what they say, on both sides."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.optional import optional

optional("sklearn")

from benchmarks import cases, compat_cases, memory  # noqa: E402
from benchmarks.case import PEER, disagreement_of  # noqa: E402

MAKERS: dict[str, Callable[[], cases.Candidates]] = {
    "confusion": lambda: cases.confusion(2000, 7),
    "weighted confusion": lambda: cases.weighted_confusion(2000, 7),
    "fixed-width strings": lambda: cases.text_confusion(2000, 7, np.str_),
    "object strings": lambda: cases.text_confusion(2000, 7, object),
    "accuracy": lambda: cases.accuracy(2000, 7),
    "macro F1": lambda: cases.macro_f1(2000, 7),
    "macro F1 of many classes": lambda: cases.macro_f1(2000, 1500),
    "Matthews correlation": lambda: cases.matthews_correlation(2000, 7),
    "drop-in accuracy": lambda: compat_cases.accuracy(2000),
    "drop-in macro F1": lambda: compat_cases.macro_f1(2000),
    "drop-in confusion": lambda: compat_cases.confusion(2000),
    "drop-in confusion of text": lambda: compat_cases.text_confusion(2000),
    "drop-in log-loss": lambda: compat_cases.log_loss(2000),
    "drop-in ROC AUC": lambda: compat_cases.roc_auc(2000),
    "drop-in ROC AUC ovr": lambda: compat_cases.roc_auc_ovr(2000),
}


@pytest.mark.parametrize("name", MAKERS)
def test_both_sides_give_the_same_answer(name: str) -> None:
    assert disagreement_of(MAKERS[name](), within=cases.ROUNDED) is None


@pytest.mark.parametrize("name", MAKERS)
def test_an_answer_that_is_off_is_seen(name: str) -> None:
    candidates = dict(MAKERS[name]())
    honest = candidates[PEER]
    candidates[PEER] = lambda: np.asarray(honest()) * 1.000001
    assert disagreement_of(candidates, within=cases.ROUNDED) is not None


def test_a_case_of_object_strings_has_a_string_for_each_row() -> None:
    # Rows that share one object would measure a table of pointers.
    y_true, _ = cases.text_labels(100, 3, object)
    assert len({id(text) for text in y_true}) == 100


def test_case_names_are_unique_and_stretch_lies_above_floor() -> None:
    names = [case.name for case in (*cases.CASES, *compat_cases.COMPAT_CASES)]
    assert len(set(names)) == len(names)
    goals = [case.goal for case in cases.CASES if case.goal.floor and case.goal.stretch]
    assert [goal for goal in goals if goal.floor > goal.stretch] == []


def test_the_bounded_memory_case_is_right_on_few_rows() -> None:
    optional("duckdb")
    peak = memory.measure(100_000)
    assert peak.disagreement is None
    assert 0 < peak.peak_bytes < memory.MOST_BYTES
