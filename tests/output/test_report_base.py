"""Every report is a `karat.Report`: what all have, and what a kind lacks."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import karat
from karat.results.parts import parts_of
from karat.results.result import Result

SETS = [["ant"], ["ant", "bee"], []] * 8
LABELS = [0, 1, 1, 0] * 12
KINDS: dict[str, Callable[[], Any]] = {
    "classes": lambda: karat.evaluate(LABELS, LABELS[::-1], ids=range(48)),
    "sets": lambda: karat.evaluate(SETS, SETS[::-1]),
    "judge": lambda: karat.evaluate(
        gold=[0, 1, 1, None] * 12, judge=LABELS, y_pred=LABELS[::-1], gold_is_random=True
    ),
}
COMMON = (
    *("classes", "labels", "n_rows", "requested", "mapping", "source", "warnings", "doubts"),
    *("is_clustered", "metrics", "text", "to_json", "to_dict", "to_html", "to_frame", "to_csv"),
)
READ = {"curves", "calibration", "thresholds", "folds"}
"""Parts that raise an error of their own where the rows have none of it."""


@pytest.mark.parametrize("kind", KINDS)
def test_every_report_is_one(kind: str) -> None:
    report = KINDS[kind]()
    assert isinstance(report, karat.Report)
    assert all(hasattr(report, name) for name in COMMON)
    assert isinstance(report["accuracy" if kind != "sets" else "macro_f1"], Result)
    again = karat.Report.from_json(report.to_json())
    assert type(again) is type(report)
    assert again.to_json() == report.to_json()
    for same in (copy.copy(report), copy.deepcopy(report), pickle.loads(pickle.dumps(again))):
        assert type(same) is type(report)


@pytest.mark.parametrize("kind", KINDS)
def test_a_part_that_a_kind_lacks_is_an_error_that_lists_what_there_is(kind: str) -> None:
    report = KINDS[kind]()
    parts = parts_of(type(report))
    there = [name for name, is_there in parts.items() if is_there]
    assert len(parts) > 20
    assert 4 < len(there) < len(parts)
    for name, is_there in parts.items():
        if is_there:
            assert name in dir(report)
            assert name in READ or hasattr(report, name)
            continue
        assert name not in dir(report)
        with pytest.raises(AttributeError, match=f"has no {name}: it has metrics, ") as caught:
            getattr(report, name)
        assert all(other in str(caught.value) for other in there)


def test_a_subclass_without_a_part_is_found() -> None:
    class Bare(karat.Report):
        kind = "A bare report"

    assert not any(parts_of(Bare).values())


def test_the_from_json_of_a_kind_refuses_the_others() -> None:
    text = KINDS["sets"]().to_json()
    with pytest.raises(karat.KaratError, match="MultilabelReport") as caught:
        karat.JudgedReport.from_json(text)
    assert caught.value.code == "K205"


def test_a_result_with_a_judge_says_what_other_results_say() -> None:
    report = KINDS["judge"]()
    result, alone = report["macro_f1"], report.gold["macro_f1"]
    assert (result.definition, result.range) == (alone.definition, alone.range)
    assert (result.n, result.n_gold, result.undefined) == (48, 36, None)
    assert float(result) == result.value == round(result, 12) or result.value != 1.0
    assert result == copy.copy(result)
    assert result != alone
    back = karat.Report.from_json(report.to_json())["macro_f1"]
    assert back == result
