"""An inconclusive rule states how many rows would decide it, if what was measured stays."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import karat

RNG = np.random.default_rng(2)
N = 400
TRUE = RNG.integers(0, 2, N)
OLD = np.where(RNG.random(N) < 0.12, 1 - TRUE, TRUE)
NEW = np.where(RNG.random(N) < 0.16, 1 - TRUE, TRUE)
LOW = karat.Rules(evidence="low")


def gate(times: int, **rules: Any) -> karat.GateResult:
    """The same rows so many times over: what is measured stays."""
    true, new, old = (np.tile(part, times) for part in (TRUE, NEW, OLD))
    baseline = {} if "min" in rules else {"baseline": old}
    return karat.gate(true, new, positive=1, **baseline, **rules)


@pytest.mark.parametrize(
    "rules", [{"min": {"accuracy": 0.84}, "rules": LOW}, {"no_worse_than": {"accuracy": 0.05}}]
)
def test_so_many_rows_decide(rules: Any) -> None:
    (rule,) = gate(1, **rules).rules
    n = rule.n_deciding
    assert rule.verdict == "INCONCLUSIVE"
    assert n is not None
    stated = re.search(r"about ([\d,]+) rows would decide it", rule.summary)
    assert stated is not None
    assert float(stated[1].replace(",", "")) == pytest.approx(n, rel=0.05)
    (decided,) = gate(-(-n * 11 // 10 // N), **rules).rules
    assert decided.verdict != "INCONCLUSIVE"
    assert decided.n_deciding is None
    # Far fewer rows do not.
    (early,) = gate(max(1, n // N // 4), **rules).rules
    assert early.verdict == "INCONCLUSIVE"


def test_a_value_at_its_bound_has_no_number_of_rows() -> None:
    bound = float(np.mean(TRUE == NEW))
    (rule,) = gate(1, min={"accuracy": bound}, rules=LOW).rules
    assert (rule.verdict, rule.n_deciding) == ("INCONCLUSIVE", None)
    assert "would decide" not in rule.summary


def test_a_difference_is_read_as_every_estimate() -> None:
    comparison = karat.compare(TRUE, {"old": OLD, "new": NEW, "same": TRUE})
    difference = comparison["accuracy", "new", "old"]
    assert difference.value == difference.difference == float(difference)
    best = comparison["accuracy", "same", "old"]
    assert best.p_adjusted != best.p
    assert "for all pairs p " in str(best)
    alone = karat.compare(TRUE, {"old": OLD, "new": NEW})["accuracy"]
    assert "for all pairs" not in str(alone)


def test_means_over_folds_state_no_number_of_rows() -> None:
    folds = karat.Folds(np.arange(N) % 5)
    rules: Any = {"no_worse_than": {"accuracy": 0.03}, "baseline": OLD, "positive": 1}
    (rule,) = karat.gate(TRUE, NEW, design=folds, **rules).rules
    (of_rows,) = karat.gate(TRUE, NEW, **rules).rules
    assert rule.verdict == of_rows.verdict == "INCONCLUSIVE"
    assert rule.n_deciding is None
    assert of_rows.n_deciding is not None
    assert "is_of_folds" not in rule.to_dict()
