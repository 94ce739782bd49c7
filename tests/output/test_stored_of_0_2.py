"""Reports and baselines in JSON that karat 0.2 wrote are read: the same numbers and verdicts."""

from __future__ import annotations

import json
from typing import Any

import pytest

import karat
from karat.errors import DamagedError, NewerError
from karat.errors.doubts import RepeatedIdsDoubt, has_doubt
from tests.grouping import grouped
from tests.output.rows_of_0_2 import BASELINES, REPORTS, ROLES, STORED, TABLE
from tests.same import assert_same

KINDS = {"sets": karat.MultilabelReport, "judge": karat.JudgedReport}


def text_of(name: str) -> str:
    return (STORED / f"{name}.report.json").read_text(encoding="utf-8")


def test_a_file_of_every_call_is_stored() -> None:
    names = {f"{name}.report.json" for name in REPORTS} | {f"{x}.baseline.json" for x in BASELINES}
    assert {path.name for path in STORED.glob("*.json")} == names
    for path in STORED.glob("*.json"):
        assert json.loads(path.read_text(encoding="utf-8"))["karat"] == "0.2.0"


def numbers_of(report: Any) -> dict[str, tuple[Any, ...]]:
    return {
        name: (result.value, result.low, result.high, result.n)
        for name, result in report.metrics.items()
    }


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_has_the_numbers_that_were_written(name: str) -> None:
    text = text_of(name)
    report, stored, again = karat.Report.from_json(text), json.loads(text), REPORTS[name]()
    assert type(report) is KINDS.get(name, type(again))
    assert report.n_rows == stored.get("n_rows", len(TABLE)) == again.n_rows
    assert [x.code for x in report.doubts] == [x["code"] for x in stored.get("doubts", [])]
    found, wanted = numbers_of(report), numbers_of(again)
    assert found.keys() == wanted.keys()
    for metric, numbers in wanted.items():
        for number, other in zip(found[metric], numbers, strict=True):
            assert (number is None) == (other is None), metric
            if number is not None:
                assert_same(number, other, within=1e-9)


def test_slices_folds_and_intervals_are_read() -> None:
    slices = karat.Report.from_json(text_of("slices")).slices["country"]
    assert set(slices) == {"NO", "SE"}
    assert karat.Report.from_json(text_of("folds")).folds["accuracy"].fold_mean > 0
    assert karat.Report.from_json(text_of("weights")).confidence.level == 0.9
    assert karat.Report.from_json(text_of("clusters")).is_clustered


def test_doubts_of_0_2_have_their_class() -> None:
    # What settles them is no fact there; this karat writes it.
    report = karat.Report.from_json(text_of("doubts"))
    assert has_doubt(report.doubts, RepeatedIdsDoubt)
    assert {len(doubt.settled_by) for doubt in report.doubts} == {0}


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_judges_as_that_of_today(name: str, tmp_path: Any) -> None:
    rules = {"min": {"accuracy": 0.1}, "max_drop": {"accuracy": 0.2}}
    today = tmp_path / "baseline.json"
    karat.gate(TABLE, **grouped({**ROLES, **BASELINES[name]}), min=rules["min"]).save_baseline(
        today
    )
    by = {"by": "country"} if name == "rows" else {}
    changed = TABLE.assign(pred=1 - TABLE["label"])
    for table, passes in ((TABLE, True), (changed, False)):
        old, new = (
            karat.gate(table, **grouped({**ROLES, **by, **rules}), ids="", baseline=path)
            for path in (STORED / f"{name}.baseline.json", today)
        )
        assert old.passed == new.passed == passes, str(old)
        assert [(r.metric, r.slice, r.verdict) for r in old.rules] == [
            (r.metric, r.slice, r.verdict) for r in new.rules
        ]


def test_a_file_that_says_something_else_is_refused() -> None:
    """The sabotaged twin: a later number, and another count, are no report of 0.2."""
    text = text_of("labels")
    with pytest.raises(NewerError, match="newer karat"):
        karat.Report.from_json(text.replace("karat.report/1", "karat.report/3"))
    stored = json.loads(text)
    stored["n_rows"] += 1
    with pytest.raises(DamagedError):
        karat.Report.from_json(json.dumps(stored))
    stored = json.loads(text)
    stored["metrics"]["accuracy"]["value"] += 0.01
    with pytest.raises(DamagedError):
        karat.Report.from_json(json.dumps(stored))
