"""Every report is a `karat.Report`: what all have, and what a kind lacks."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import karat
from karat.results.parts import parts_of
from karat.results.result import Result
from tests.grouping import grouped

SETS = [["ant"], ["ant", "bee"], []] * 8
LABELS = [0, 1, 1, 0] * 12
KINDS: dict[str, Callable[[], Any]] = {
    "classes": lambda: karat.evaluate(LABELS, LABELS[::-1], ids=range(48)),
    "sets": lambda: karat.evaluate(SETS, SETS[::-1]),
    "judge": lambda: karat.evaluate(
        y_true=[0, 1, 1, None] * 12, design=karat.Judge(LABELS, is_random=True), y_pred=LABELS[::-1]
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


def test_a_class_without_data_is_refused_and_one_of_a_kind_works() -> None:
    class Bare(karat.Report):
        pass

    report = KINDS["classes"]()

    class Whole(type(report)):  # type: ignore[misc]
        pass

    assert not any(parts_of(Bare).values())
    for call in (lambda: Bare(report.cells), Bare, lambda: Bare.from_json(report.to_json())):
        with pytest.raises(TypeError, match="derive from the type of a report"):
            call()
    assert type(Whole.from_json(report.to_json())) is Whole
    assert type(karat.Report(report.cells)) is type(report)


def test_the_class_shows_what_reports_have() -> None:
    reports = [KINDS["classes"](), KINDS["sets"](), KINDS["judge"]()]
    assert list(map(karat.Report.to_json, reports)) == [report.to_json() for report in reports]
    assert karat.Report.rows(reports[0], wrong=True).ids == reports[0].rows(wrong=True).ids
    assert karat.Report.n_rows.fget(reports[0]) == 48
    for name in ("confusion", "n_rows", "transfers", "shares"):
        assert isinstance(getattr(karat.Report, name), property)
        assert getattr(karat.Report, name).__doc__
    assert list(inspect.signature(karat.Report.rows).parameters)[:3] == ["self", "true", "pred"]


@pytest.mark.parametrize("text", ["{", b"\xff", "x_karat.judged.json", "", 7, None, {"schema": 1}])
def test_what_is_no_text_of_a_report(text: Any) -> None:
    with pytest.raises(karat.KaratError) as caught:
        karat.Report.from_json(text)
    assert caught.value.code == "K205"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize("kind", KINDS)
def test_bytes_of_every_encoding_of_json_are_read(kind: str, encoding: str) -> None:
    text = KINDS[kind]().to_json()
    assert karat.Report.from_json(text.encode(encoding)).to_json() == text
    escaped = text.replace("karat.judged/2", "karat.judged\\u002f1")
    assert karat.Report.from_json(escaped).to_json() == text


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
    assert isinstance(result, karat.Result)
    assert result.name in result._repr_html_()
    back = karat.Report.from_json(report.to_json())["macro_f1"]
    assert back == result


def test_an_undefined_result_with_a_judge_has_its_reason() -> None:
    rows = {"y_true": [0, 1, None, None] * 30, "design": karat.Judge([0, 1] * 60, is_random=True)}
    report = karat.evaluate(**grouped(rows), y_pred=[0] * 120)
    assert report["precision"].undefined == report.gold["precision"].undefined
    assert "nothing was predicted" in str(report["precision"])
    exact = karat.evaluate(**grouped(rows), y_pred=[0, 1] * 60)
    for result in exact.metrics.values():
        assert math.isfinite(result.value) or result.undefined
