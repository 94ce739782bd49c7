"""What IPython and Jupyter complete between the brackets of a report: every name it answers to."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import karat
from karat.metrics._registry import all_names
from tests.optional import optional

THREE, MATRIX = [0, 1, 2, 1], [[0.2, 0.4, 0.4], [0.3, 0.4, 0.3], [0.1, 0.2, 0.7], [0.2, 0.6, 0.2]]
SETS = np.array([[0, 1], [1, 1], [1, 0]])
SET_SCORES = np.array([[0.2, 0.3], [0.5, 0.6], [0.1, 0.7]])
NEEDS_AN_OPTION = {
    *("propensity_scored_precision_at_k", "propensity_scored_ndcg_at_k"),
    *("propensity_scored_recall_at_k", "psp_at_k", "psndcg_at_k", "psrecall_at_k"),
}
"""Names that a report answers to with parameters only: it lists them with its values of these."""

REPORTS: dict[str, Callable[[], Any]] = {
    "two classes": lambda: karat.evaluate([0, 1, 0, 1], [0, 1, 1, 1]),
    "no positive class": lambda: karat.evaluate(["a", "b", "a"], ["b", "b", "a"]),
    "one class": lambda: karat.evaluate([0, 0], [0, 0]),
    "one class of text": lambda: karat.evaluate(["a", "a"], ["a", "a"]),
    "three classes": lambda: karat.evaluate(THREE, [0, 1, 1, 2]),
    "probabilities of two": lambda: karat.evaluate([0, 1, 0, 1], y_prob=[0.2, 0.4, 0.6, 0.7]),
    "probabilities of three": lambda: karat.evaluate(THREE, y_prob=MATRIX),
    "scores of three": lambda: karat.evaluate(THREE, y_score=MATRIX),
    "some metrics": lambda: karat.evaluate(
        [0, 1, 0, 1], y_prob=[0.2, 0.4, 0.6, 0.7], metrics=["f1", "roc_auc"]
    ),
    "sets": lambda: karat.evaluate([{"a", "b"}, {"b"}], [{"a"}, {"b", "c"}]),
    "scores of sets": lambda: karat.evaluate(SETS, y_prob=SET_SCORES),
    "from JSON": lambda: karat.Report.from_json(karat.evaluate(THREE, y_prob=MATRIX).to_json()),
    "sets from JSON": lambda: karat.Report.from_json(
        karat.evaluate(SETS, y_prob=SET_SCORES).to_json()
    ),
}


def offered(report: Any) -> set[str]:
    return set(report._ipython_key_completions_())


def answered(report: Any, names: set[str]) -> set[str]:
    """Those of the names by which a report has a metric."""
    known = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            try:
                report[name]
            except karat.KaratError:
                continue
            known.add(name)
    return known


@pytest.mark.parametrize("kind", REPORTS)
def test_a_report_completes_every_name_that_it_answers_to(kind: str) -> None:
    report = REPORTS[kind]()
    names = offered(report)
    assert set(report) <= names
    assert names - set(report) <= set(all_names())
    assert names - NEEDS_AN_OPTION == answered(report, names.union(all_names())) - NEEDS_AN_OPTION


def test_averages_and_aliases_are_completed() -> None:
    names = offered(REPORTS["three classes"]())
    assert {"macro_f1", "weighted_f1", "mcc", "matthews_correlation", "cohen_kappa"} <= names
    assert "f1" not in names
    assert {"f1", "f1_score", "fall_out", "macro_f1"} <= offered(REPORTS["two classes"]())


def test_a_report_with_a_judge_completes_the_names_of_what_it_lists() -> None:
    rng = np.random.default_rng(0)
    true = rng.integers(0, 2, 60)
    gold = [str(label) if i < 30 else None for i, label in enumerate(true)]
    judge = [str(label) for label in np.where(rng.random(60) < 0.9, true, 1 - true)]
    report = karat.evaluate(y_pred=judge, y_true=gold, design=karat.Judge(judge))
    names = offered(report)
    assert set(report) <= names
    assert {"accuracy", "macro_f1", "recall", "sensitivity"} <= names
    assert answered(report, names) == names
    assert offered(karat.evaluate(y_true=gold, design=karat.Judge(judge))) == set()


def test_ipython_completes_them() -> None:
    optional("IPython")
    from IPython.core.completer import IPCompleter, provisionalcompleter

    space = {"report": REPORTS["two classes"](), "karat": karat}
    completer = IPCompleter(namespace=space, use_jedi=False)

    def completed(text: str) -> list[str]:
        with provisionalcompleter():
            return [item.text for item in completer.completions(text, len(text))]

    assert any("macro_f1" in item for item in completed('report["macro_f'))
    assert any("fall_out" in item for item in completed('report["fall'))
    assert [item for item in completed("karat.macro") if "macro" in item] == []
    assert completed("karat.matthews") != []
