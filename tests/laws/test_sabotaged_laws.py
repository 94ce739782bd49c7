"""The laws themselves can fail: a damaged record breaks the law that should notice."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from karat.errors import KaratError
from karat.metrics import Record, case, get, metric
from karat.metrics._formula import Node, const
from karat.metrics._lift import OneVsRest
from karat.metrics._proportions import OF_PREDICTED_CLASSES, OF_TRUE_CLASSES
from karat.metrics._record import _registered
from karat.testing import laws
from karat.testing.laws import unlisted
from karat.testing.proportion_laws import proportions_are_declared


def damaged(name: str, **changes: Any) -> Record:
    return dataclasses.replace(get(name).record, **changes)


def test_a_wrong_formula_fails_its_golden_case() -> None:
    def torchmetrics_docs(c: OneVsRest) -> Node:
        return c.tn / (c.tn + c.fp)

    with pytest.raises(AssertionError, match="Altman"):
        laws.golden_cases_hold(damaged("npv", formula=torchmetrics_docs))


def test_a_weak_case_lets_mutants_live() -> None:
    symmetric = case(tp=5, fp=2, fn=2, tn=5, gives="10/14", source="too symmetric")
    weak = damaged("f1", cases=(symmetric,))
    assert unlisted(weak)
    with pytest.raises(AssertionError, match="also pass for"):
        laws.every_mutant_dies(weak)


def test_an_identity_that_does_not_hold_is_refused() -> None:
    symmetric = case(tp=5, fp=2, fn=2, tn=5, gives="5/7", source="too symmetric")
    weak = damaged("precision", cases=(symmetric,), identities={"field fp → fn": "not so"})
    assert "field fp → fn" in unlisted(weak)


def test_a_wrong_range_is_noticed() -> None:
    with pytest.raises(AssertionError, match="range"):
        laws.value_lies_in_range(damaged("informedness", range=(0.0, 1.0)))


def test_a_wrong_optimum_is_noticed() -> None:
    with pytest.raises(AssertionError, match="perfect"):
        laws.perfect_prediction_is_best(damaged("fpr", perfect=1.0))


def test_a_hidden_division_by_zero_is_noticed() -> None:
    def hidden(c: OneVsRest) -> Node:
        # 1/(1/x) hides x = 0: the value is 0, although a divisor was 0.
        return const(1.0) / (c.n / c.tp)

    record = damaged("recall", formula=hidden)
    with pytest.raises(AssertionError):
        laws.undefined_where_the_trace_says(record)


def test_a_gradient_that_is_not_the_slope_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = laws.gradient

    def wrong(*args: Any) -> Any:
        found = right(*args)
        found.true = found.true + 0.01
        return found

    monkeypatch.setattr(laws, "gradient", wrong)
    with pytest.raises(AssertionError, match="gradient of"):
        laws.gradient_is_the_slope(get("f1").record)


def test_a_formula_that_branches_on_data_is_refused() -> None:
    def branching(c: OneVsRest) -> Node:
        return c.tp if c.tp > 0 else c.fp

    with pytest.raises(KaratError, match="K305"):
        laws.golden_cases_hold(damaged("precision", formula=branching))


def test_a_clash_of_names_is_refused() -> None:
    golden = case(tp=8, fp=1, fn=4, tn=3, gives="8/9", source="arithmetic")
    before = list(_registered)

    @metric(aliases=("ppv",), cases=[golden], since="0.1")
    def share_of_hits(c: OneVsRest) -> Node:
        """Share of hits."""
        return c.tp / c.pred_pos

    with pytest.raises(KaratError, match="share_of_hits"):
        get("share_of_hits")
    assert _registered == before
    assert get("ppv").name == "precision"


def test_an_untyped_formula_is_refused() -> None:
    def untyped(c):  # type: ignore[no-untyped-def]
        """Hits."""
        return c.tp

    golden = case(tp=8, fp=1, fn=4, tn=3, gives="8", source="arithmetic")
    with pytest.raises(KaratError, match="neither OneVsRest nor Table"):
        metric(cases=[golden], since="0.1")(untyped)


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("true_positives", {"is_count": False}, "twice the rows"),
        ("recall", {"is_count": True}, "twice the rows"),
        ("prevalence", {"constant_averages": ()}, "constant_averages"),
        ("recall", {"constant_averages": ("macro",)}, "constant_averages"),
    ],
)
def test_a_wrong_fact_about_counts_and_constants_is_noticed(
    name: str, changes: dict[str, Any], message: str
) -> None:
    laws.counts_and_constants_are_declared(get(name).record)
    with pytest.raises(AssertionError, match=message):
        laws.counts_and_constants_are_declared(damaged(name, **changes))


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("recall", {"proportion": None}, "proportion is None"),
        ("precision", {"proportion": OF_TRUE_CLASSES[1]}, "proportion is"),
        ("f_beta", {"proportion": None}, "proportion is None"),
        ("informedness", {"sum_of": OF_PREDICTED_CLASSES}, "sum_of"),
        ("markedness", {"sum_of": None}, "sum_of is None"),
        ("diagnostic_odds_ratio", {"ratio_of": None}, "ratio_of is None"),
        ("accuracy", {"is_of_right_rows": False}, "is_of_right_rows is False"),
        ("matthews_correlation", {"is_of_right_rows": True}, "is_of_right_rows is True"),
    ],
)
def test_a_wrong_fact_about_proportions_is_noticed(
    name: str, changes: dict[str, Any], message: str
) -> None:
    proportions_are_declared(get(name).record)
    with pytest.raises(AssertionError, match=message):
        proportions_are_declared(damaged(name, **changes))
