"""Every law for every record: a new metric enters by existing.

The golden cases have a file of their own, `test_golden_cases`.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

import karat
from karat.errors import KaratError
from karat.metrics import Metric, Record, all_metrics, all_records, get, parse
from karat.metrics._registry import find
from karat.metrics.reasons import no_calibration, not_computed
from karat.testing import LAWS, SCORE_LAWS, laws, score_laws

OF_LABELS = [record for record in all_records() if record.is_traced]
OF_SCORES = [record for record in all_records() if not record.is_traced]
GOLDEN = "golden_cases_hold"


def others(laws: Sequence[Callable[[Record], None]]) -> list[Callable[[Record], None]]:
    """All but the law of the golden cases, which each has."""
    found = [law for law in laws if law.__name__ != GOLDEN]
    assert len(found) == len(laws) - 1
    return found


@pytest.mark.parametrize("record", OF_LABELS, ids=lambda record: record.name)
@pytest.mark.parametrize("law", others(LAWS), ids=lambda law: law.__name__)
def test_law(law: Callable[[Record], None], record: Record) -> None:
    law(record)


@pytest.mark.parametrize("record", OF_SCORES, ids=lambda record: record.name)
@pytest.mark.parametrize("law", others(SCORE_LAWS), ids=lambda law: law.__name__)
def test_law_of_scores(law: Callable[[Record], None], record: Record) -> None:
    law(record)


def test_metrics_that_the_class_sizes_do_not_change() -> None:
    """Of labels it follows from the formula, of scores it is declared: nothing else lacks it."""

    def within(k: int) -> set[str]:
        plain = (metric for metric in all_metrics() if metric.lift in ("plain", "macro"))
        known = (m for m in plain if not m.record.is_only_of_sets and (k == 2 or m.lift != "plain"))
        return {m.record.name for m in known if m.record.in_report and not m.depends_on_mix(k)}

    assert within(2) == {
        *("recall", "specificity", "false_positive_rate", "false_negative_rate", "informedness"),
        *("positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio"),
        *("balanced_accuracy", "g_mean", "prevalence"),
        *("roc_auc", "roc_auc_ovo_macro", "roc_auc_ovo_weighted", "roc_auc_mu", "gini"),
        *("ks_statistic", "equal_error_rate"),
    }
    assert within(3) == {"recall", "false_negative_rate", "prevalence"}
    assert not get("balanced_accuracy").depends_on_mix(3)
    assert get("precision").depends_on_mix(2)


def test_a_metric_of_scores_that_reads_class_sizes_is_noticed() -> None:
    wrong = replace(get("average_precision").record, is_within_classes=True)
    with pytest.raises(AssertionError, match="other sizes"):
        score_laws.sizes_of_classes_are_declared(wrong)


@pytest.mark.parametrize("name", ["roc_auc", "gini"])
def test_a_metric_of_scores_that_reads_no_class_sizes_is_noticed(name: str) -> None:
    wrong = replace(get(name).record, is_within_classes=False)
    with pytest.raises(AssertionError, match="change nothing"):
        score_laws.sizes_of_classes_are_declared(wrong)


@pytest.mark.parametrize("is_mixed", [False, True])
def test_a_wrong_word_on_class_sizes_is_noticed(
    is_mixed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Metric, "depends_on_mix", lambda *_: is_mixed)
    with pytest.raises(AssertionError, match="depends on their mix"):
        laws.sizes_of_classes_are_known(get("recall" if is_mixed else "precision").record)


def test_the_order_of_the_catalogue_does_not_depend_on_imports() -> None:
    program = "import karat.metrics as m; print(*m.all_metrics(), sep='|')"
    orders = {
        subprocess.run(
            [sys.executable, "-c", first + program], capture_output=True, check=True, text=True
        ).stdout
        for first in ("", "import karat.metrics.thresholds, karat.metrics.agreement; ")
    }
    assert len(orders) == 1


def test_text_is_no_number_of_a_matrix() -> None:
    for costs in ([[Fraction(0), "2"], [1, 0]], [[0, b"1"], [Fraction(1, 2), 0]]):
        with pytest.raises(KaratError, match="K302"):
            karat.mean_cost([0, 1], [1, 1], costs=costs)
    assert karat.mean_cost([0, 1], [1, 1], costs=[[0, Fraction(1, 2)], [1, 0]]) == 0.25


def test_a_matrix_that_says_everything_is_asked_for() -> None:
    for name in ("kappa_weighted", "mean_cost"):
        with pytest.raises(KaratError, match=r"(?s)K302.*was not given"):
            karat.evaluate([0, 1], [1, 1], metrics=name)


def test_numbers_of_rows_that_are_not_given_are_ten() -> None:
    for name in ("precision_at_k", "recall_at_k"):
        assert dict(parse(name).params) == {"k": 10}


@pytest.mark.parametrize(("entry", "shown"), [(1e-320, "1e-320"), (1e300, "1e+300")])
def test_a_number_that_is_too_small_or_too_large_is_shown(entry: float, shown: str) -> None:
    with pytest.raises(KaratError, match=re.escape(f"holds {shown};")):
        karat.expected_cost([0, 1], [1, 1], costs=[[0, 1], [entry, 0]])


def test_averages_under_names_of_their_own_have_a_record() -> None:
    for name, record in (("roc_auc_ovr_macro", "roc_auc"), ("f1_macro", "f1")):
        found = find(name)
        assert found is not None
        assert (found.record, found.lift) == (get(record).record, "macro")
    assert find("roc_auc_of_macro") is None


def test_the_error_of_missing_calibration_names_metrics_of_calibration_only() -> None:
    problem = no_calibration([parse("roc_auc"), parse("expected_calibration_error")])
    assert "expected_calibration_error" in str(problem)
    assert "roc_auc" not in str(problem)


def test_one_metric_that_is_missing_is_named_as_one_and_more_as_several() -> None:
    assert "Name it: karat.evaluate(..., metrics=['gini'])." in str(not_computed(["gini"]))
    assert "Name them: karat.evaluate" in str(not_computed(["gini", "roc_auc"]))


def test_parameters_are_compared_with_other_libraries_at_other_numbers_than_the_default() -> None:
    """At the default another metric may be the same: f_beta is f1."""
    compared = [(r.oracle.params[p.name], p.default) for r in all_records() if r.oracle is not None
                for p in r.parameters if p.name in r.oracle.params]  # fmt: skip
    assert compared
    assert all(number != default for number, default in compared)
