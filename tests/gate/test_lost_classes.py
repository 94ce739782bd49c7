"""A baseline with a class that no row has now: no comparison, as of a slice that is gone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat

TRUE = np.array(["a", "b", "c"] * 40)
PRED = np.where(np.arange(120) % 7 == 0, "a", TRUE)
KEPT = TRUE != "c"
# The class is still predicted, so that both sides have the same classes.
NOW = np.where(np.arange(120) == 3, "c", PRED)[KEPT]
DROP: Any = {"max_drop": {"accuracy": 0.2}, "min": {"accuracy": 0.5}}


def baselines(folder: Path) -> dict[str, Any]:
    path, rows = folder / "base.json", {"label": TRUE, "pred": PRED}
    karat.gate(rows, min={"accuracy": 0.1}).save_baseline(path)
    return {"a report": karat.evaluate(TRUE, PRED), "a file": path, "a table": rows}


@pytest.mark.parametrize("kind", ["a report", "a file"])
def test_rules_that_compare_fail_and_name_the_class(kind: str, tmp_path: Path) -> None:
    rows = {"label": TRUE[KEPT], "pred": NOW}
    found = karat.gate(rows, baseline=baselines(tmp_path)[kind], **DROP)
    bound, drop = found.rules
    assert (bound.verdict, drop.verdict, found.exit_code) == ("PASS", "FAIL", 1)
    assert drop.reason == "the baseline has rows of class 'c'; these rows have none"
    assert drop.before == pytest.approx(np.mean(TRUE == PRED))


def test_a_class_of_few_rows_is_in_a_note(tmp_path: Path) -> None:
    rows, base = {"label": TRUE[KEPT], "pred": NOW}, baselines(tmp_path)["a report"]
    note = "The baseline has rows of class 'c'; these rows have none."
    few = karat.gate(rows, baseline=base, rules=karat.Rules(min_n=41), **DROP)
    assert (few.passed, note in few.notes) == (True, True)
    declared = karat.gate(rows, baseline=base, rules=karat.Rules(allow_mismatch=True), **DROP)
    assert (declared.passed, note in declared.notes) == (True, True)


def test_a_baseline_with_the_same_classes_has_no_such_verdict(tmp_path: Path) -> None:
    found = karat.gate(
        {"label": TRUE, "pred": PRED}, baseline=baselines(tmp_path)["a file"], **DROP
    )
    assert found.passed
    assert not any("have none" in note for note in found.notes)


def test_sets_of_labels_have_the_same_rule() -> None:
    truth, pred = ([{one} for one in column] for column in (TRUE, PRED))
    base = karat.evaluate([*truth, {"a", "b"}], [*pred, {"a"}])
    now, predicted = ([{one} for one in column] for column in (TRUE[KEPT], NOW))
    (rule,) = karat.gate(now, predicted, baseline=base, max_drop={"micro_f1": 0.2}).rules
    assert (rule.verdict, "class 'c'" in rule.reason) == ("FAIL", True)


def test_a_weighted_baseline_counts_weights() -> None:
    weights = np.ones(120)
    base = karat.evaluate(TRUE, PRED, weights=weights)
    found = karat.gate(TRUE[KEPT], NOW, baseline=base, weights=weights[KEPT], **DROP)
    assert found.rules[1].verdict == "FAIL"


def test_rows_of_a_label_are_counted_whatever_they_weigh() -> None:
    truth, pred = ([{one} for one in column] for column in (TRUE, PRED))
    now, predicted = ([{one} for one in column] for column in (TRUE[KEPT], NOW))
    weights = np.full(len(TRUE), 100.0)
    base = karat.evaluate(truth, pred, weights=weights)
    given = {"weights": weights[KEPT], "max_drop": {"micro_f1": 0.2}}
    (rule,) = karat.gate(now, predicted, baseline=base, **given).rules
    assert (rule.verdict, "class 'c'" in rule.reason) == ("FAIL", True)
