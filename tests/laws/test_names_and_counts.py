"""What the catalogue says of itself: aliases, searches, averages, and what is undefined."""

from __future__ import annotations

import math

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from karat.metrics import Metric, parse
from karat.metrics._interpret import evaluate
from karat.metrics._lift import Policy
from karat.metrics._registry import all_metrics, find
from karat.tally import Cells, Classes
from tests.library_calls import free_names_in, value_of


def test_an_average_has_the_aliases_of_its_metric() -> None:
    assert parse("f1").aliases[:2] == ("f_score", "f1_score")
    assert parse("macro_f1").aliases[:2] == ("macro_f_score", "macro_f1_score")


@pytest.mark.parametrize(
    ("metrics", "name", "told"),
    [
        (["macro_gini"], "gini", "holds macro_gini; metrics= may also name weighted_gini."),
        (["macro_gini", "weighted_gini"], "gini", "holds macro_gini, weighted_gini."),
        (["macro_gini"], "recall", "holds macro_recall, micro_recall, weighted_recall."),
        (["macro_gini"], "roc_auc", "none of which this report holds, are roc_auc_ovr_macro, "),
    ],
)
def test_a_metric_of_many_classes_says_which_averages_there_are(
    metrics: list[str], name: str, told: str
) -> None:
    report = karat.evaluate([0, 1, 2, 0], y_score=np.eye(4, 3), metrics=metrics)
    with pytest.raises(KaratError, match="K307") as caught:
        report[name]
    assert told in str(caught.value)


def test_a_search_lists_what_is_called_so_first() -> None:
    assert [found.name for found in karat.metrics.search("youden")] == ["informedness"]
    assert [found.name for found in karat.metrics.search("Recall")][:3] == [
        "recall", "balanced_accuracy", "recall_at_k",
    ]  # fmt: skip
    assert karat.metrics.search("no such words") == []


def test_an_unknown_name_lists_the_four_nearest() -> None:
    with pytest.raises(KaratError, match="K301") as caught:
        karat.metrics.get("precison")
    (near,) = [line for line in str(caught.value).splitlines() if "Nearest: " in line]
    assert near.strip() == ("Nearest: precision, precision_lift, precision_at_k, precision_score.")


@pytest.mark.parametrize("k", [2, 3, 4])
def test_a_report_leaves_out_what_few_classes_make_trivial(k: int) -> None:
    report = karat.evaluate(np.arange(k), y_score=np.eye(k), labels=list(range(k)))
    assert ("top_2_accuracy" in report.metrics) == (k > 2)
    assert parse("top_k_accuracy").record.least_classes == 3


def test_a_function_warns_where_it_is_undefined_and_nowhere_else() -> None:
    for given in (([0, 1], [0, 0]), (np.array([0, 1]), np.array([0, 0]))):
        with pytest.warns(karat.UndefinedWarning, match="nothing was predicted"):
            assert karat.precision(*given) == 0.0
    assert karat.precision([0, 1, 1], [1, 1, 0]) == 0.5


@pytest.mark.parametrize("policy", ["zero", "nan"])
def test_one_number_comes_with_how_often_it_is_undefined(policy: Policy) -> None:
    metric = parse("precision")
    for table, n_undefined in (([[3, 0], [2, 0]], 1), ([[3, 1], [2, 4]], 0)):
        cells = Cells.dense(np.array(table), classes=Classes.of([0, 1]))
        traced = metric.traced(policy)
        assert float(evaluate(traced.n_undefined, cells.fields)) == n_undefined
        assert metric.values(cells, policy).undefined == bool(n_undefined)


def test_a_call_of_another_library_may_use_three_constants() -> None:
    assert value_of("found['bits'] * ln2", lambda *_: {"bits": 3.0}, {}) == 3.0 * math.log(2.0)
    assert math.isnan(value_of("nan", lambda *_: None, {}))
    assert value_of("found(top=inf)", lambda _, given: given["top"], {}) == math.inf
    assert free_names_in("found(beta=beta) * ln2") == {"beta"}


@pytest.mark.parametrize("metric", all_metrics(), ids=str)
def test_what_is_found_is_what_the_name_means(metric: Metric) -> None:
    for name in (str(metric), *metric.record.aliases):
        assert find(name) == karat.metrics.get(name)


@pytest.mark.parametrize(
    "name",
    ["", "sharpness", "macro_sharpness", "macro_brier", "f_beta(beta=)", "f_beta(b=1)", "1", "a-b"],
)
def test_what_is_no_metric_is_not_found(name: str) -> None:
    assert find(name) is None
    with pytest.raises(KaratError, match=r"K30[1236]"):
        karat.metrics.get(name)
