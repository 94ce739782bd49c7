"""What every record of the catalogue says of its metric, beside the formula."""

from __future__ import annotations

import math
import re
from pathlib import Path

from karat.metrics import all_records

ROOT = Path(__file__).resolve().parents[2]
RECORDS = {record.name: record for record in all_records()}


def which(holds: str) -> set[str]:
    """The metrics of which a fact is true."""
    return {name for name, record in RECORDS.items() if getattr(record, holds)}


def test_the_perfect_value_is_the_better_end_of_the_range() -> None:
    known = {name: record for name, record in RECORDS.items() if record.perfect is not None}
    assert len(known) > 50
    for name, record in known.items():
        low, high = record.range
        assert record.perfect == {"higher": high, "lower": low}[str(record.better)], name


def test_losses_and_counts_begin_at_zero() -> None:
    for name, record in RECORDS.items():
        low, high = record.range
        if high == math.inf and low != -math.inf:
            assert low == 0.0, name


def test_parts_of_a_loss_are_at_most_that_of_a_coin() -> None:
    for part in ("discrimination", "uncertainty"):
        assert RECORDS[f"brier_{part}"].range == (0.0, 0.25)
        assert RECORDS[f"log_loss_{part}"].range == (0.0, math.log(2))


def test_what_needs_a_choice_is_not_listed_without_being_asked() -> None:
    assert {name for name, record in RECORDS.items() if not record.in_report} == {
        "adaptive_calibration_error", "cost_threshold", "expected_cost", "f_beta",
        "f_beta_of_macro_averages", "f_beta_threshold", "gain_at", "informedness_threshold",
        "kappa_weighted", "label_balanced_accuracy", "label_kappa", "label_matthews_correlation",
        "lift_at", "log_loss_discrimination", "log_loss_miscalibration", "log_loss_uncertainty",
        "max_f_beta", "max_informedness", "min_cost", "precision_at_k",
        "recall_at_k", "recall_at_precision",
    }  # fmt: skip


def test_what_scikit_learn_calls_zero_is_zero_where_undefined() -> None:
    assert which("is_zero_when_undefined") == {
        "f1", "f1_of_macro_averages", "f_beta", "f_beta_of_macro_averages", "fowlkes_mallows",
        "jaccard", "label_matthews_correlation", "matthews_correlation",
        "negative_predictive_value", "precision", "recall", "specificity",
    }  # fmt: skip


def test_only_the_best_k_of_two_classes_are_trivial() -> None:
    assert {name: r.least_classes for name, r in RECORDS.items() if r.least_classes != 2} == {
        "top_k_accuracy": 3
    }


def test_the_outcome_of_a_test_estimates_nothing() -> None:
    assert {name for name, record in RECORDS.items() if not record.is_estimate} == {
        "expected_calibration_error_if_calibrated", "spiegelhalter_p", "spiegelhalter_z",
    }  # fmt: skip


def test_a_page_names_the_metrics_for_which_a_whole_weight_is_not_that_many_rows() -> None:
    page = " ".join((ROOT / "docs" / "labels-and-classes.md").read_text().split())
    sentence = page.split("except in metrics that depend on the number of rows:", 1)[1]
    sentence = sentence.split(". ", 1)[0]
    assert set(re.findall(r"`(\w+)`", sentence)) == set(RECORDS) - which("weights_are_rows")
