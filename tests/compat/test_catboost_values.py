"""The CatBoost adapter on stored problems: values, messages and names of CatBoost 1.2.10."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from karat.compat.catboost import capabilities, eval_metric, metric_names, objective_object
from karat.errors import KaratError
from tests.objectives.test_catboost_derivatives import check_leaves
from tests.same import assert_same

DATA = Path(__file__).resolve().parents[1] / "oracles" / "data" / "catboost.json"
STORED = json.loads(DATA.read_text("utf-8"))
CASES = STORED["cases"]
ERRORS = [case for case in CASES if "error" in case["tags"]]
VALUES = [case for case in CASES if "error" not in case["tags"]]
WITHIN = 1e-9


def case_id(case: dict[str, Any]) -> str:
    return f"{case['id']}-{case.get('metric', '')[:30]}"


def ours(case: dict[str, Any]) -> list[float]:
    return eval_metric(case["labels"], case["approx"], case["metric"], weight=case["weights"])


def wanted(case: dict[str, Any]) -> list[float]:
    return [float(value) for value in case["expected_use_weights_honoured"]]


def test_all_problems_are_compared() -> None:
    assert (len(VALUES), len(ERRORS), len(STORED["derivative_cases"])) == (77, 12, 6)


@pytest.mark.parametrize("case", VALUES, ids=case_id)
def test_a_stored_value(case: dict[str, Any]) -> None:
    found = ours(case)
    assert isinstance(found, list)
    assert {type(value) for value in found} == {float}
    assert_same(found, wanted(case), within=WITHIN)


@pytest.mark.parametrize("case", ERRORS, ids=case_id)
def test_a_stored_error(case: dict[str, Any]) -> None:
    with pytest.raises(KaratError) as caught:
        ours(case)
    assert isinstance(caught.value, ValueError)
    if "label_out_of_range" in case["tags"]:
        assert caught.value.code == "K153"
    else:
        assert case["expected_error"].strip().rstrip(".") in str(caught.value)


@pytest.mark.parametrize("case", [case for case in VALUES if case.get("pool_names")], ids=case_id)
def test_the_names_of_training(case: dict[str, Any]) -> None:
    names = metric_names(case["metric"], case["k"])
    if case["metric"].startswith("PRAUC"):
        # CatBoost has one name for all classes, and keeps the value of one.
        (shared,) = case["pool_names"]
        colon = ";" if ":" in shared else ":"
        assert names == [f"{shared}{colon}class={i}" for i in range(case["k"])]
    else:
        assert names == case["pool_names"]


@pytest.mark.parametrize(
    "case", [case for case in VALUES if len(case["expected"]) > 1], ids=case_id
)
def test_a_name_of_training_is_a_description_of_its_value(case: dict[str, Any]) -> None:
    values = ours(case)
    for name, value in zip(metric_names(case["metric"], case["k"]), values, strict=True):
        found = eval_metric(case["labels"], case["approx"], name, weight=case["weights"])
        assert_same(found, [value])


@pytest.mark.parametrize("case", STORED["derivative_cases"], ids=case_id)
def test_stored_derivatives(case: dict[str, Any]) -> None:
    ask = objective_object(case["objective"]).calc_ders_multi
    rows = zip(case["approx"], case["labels"], case["weights"], strict=True)
    uphill = [ask(np.array(z), float(t), w) for z, t, w in rows]
    first, second = (np.array(part) for part in zip(*uphill, strict=True))
    check_leaves(case, first, -second)


def test_the_table_of_capabilities() -> None:
    """CatBoost's page "Multiclassification", table "Used for optimization"; PRAUC has no row."""
    table = """
        MultiClass + +, MultiClassOneVsAll + +, Precision - +, Recall - +, F - -, F1 - +,
        TotalF1 - +, MCC - +, Accuracy - +, HingeLoss - -, HammingLoss - -, ZeroOneLoss - +,
        Kappa - -, WKappa - -, AUC - -, PRAUC - -
    """
    rows = [row.split() for row in table.split(",")]
    wanted = {name: (optimization == "+", gpu == "+") for name, optimization, gpu in rows}
    assert capabilities() == wanted


def test_another_column_is_noticed() -> None:
    """The comparison can fail: a value needs each score in its column."""
    n_noticed = 0
    tags = {"degenerate", "all_zero_weights", "single_class", "all_tied", "antisymmetric"}
    compared = [
        case
        for case in VALUES
        if case["layout"] == "NxK" and case["n"] > 1 and not tags & set(case["tags"])
    ]
    for case in compared:
        moved = case | {"approx": np.roll(case["approx"], 1, axis=1)}
        try:
            assert_same(ours(moved), wanted(case), within=WITHIN)
        except AssertionError:
            n_noticed += 1
    assert n_noticed >= 0.95 * len(compared)
