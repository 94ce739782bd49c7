"""Code tells doubts from each other by their class and their facts, never by code or text."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import karat
from karat.errors.doubts import (
    DOUBTS,
    KINDS,
    CauseDoubt,
    CodingDoubt,
    Doubt,
    LabelsDoubt,
    RepeatedIdsDoubt,
    SpellingDoubt,
    has_doubt,
    new_doubts,
)

SOURCES = Path(karat.__file__).parent
FRAME = pd.DataFrame(
    {"user_id": np.arange(30) // 2, "label": [0, 1, 0, 1, 1, 0] * 5, "pred": [0, 1, 0, 1, 0, 0] * 5}
)
HOMES = {"errors/doubts.py", "testing/conformance.py", "data/sources/torch/faults.py"}
"""Kinds from codes; what a test harness wants; the code of a check to run, not of an error."""
BY_CODE = re.compile(
    r"\.code (?:==|!=|in|not in) |\.(?:option|evidence|noticed)\.(?:ends|starts)with"
)


def readers(folder: Path) -> set[str]:
    """Files in which a decision rests on the code or the text of an error or a doubt."""
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if BY_CODE.search(path.read_text(encoding="utf-8"))
    }


def test_nothing_decides_by_a_code_or_a_text(tmp_path: Path) -> None:
    assert readers(SOURCES) <= HOMES
    wrong = ('if one.code == "D105":', 'if one.option.endswith("x"):', "if x.code in CAUSES:")
    for i, line in enumerate(wrong):
        (tmp_path / f"{i}.py").write_text(f"{line}\n    pass\n")
    (tmp_path / "right.py").write_text("if isinstance(one, CauseDoubt):\n    pass\n")
    assert readers(tmp_path) == {"0.py", "1.py", "2.py"}


def of_code(code: str) -> Doubt:
    return Doubt(code, "Noticed.", "Evidence.", "Option.")


def test_every_code_of_a_class_is_in_the_catalogue() -> None:
    assert KINDS.keys() <= DOUBTS.keys()
    assert all(type(of_code(code)) is kind for code, kind in KINDS.items())
    assert type(of_code("D129")) is Doubt
    is_cause = {code for code in DOUBTS if isinstance(of_code(code), CauseDoubt)}
    is_of_labels = {code for code in DOUBTS if isinstance(of_code(code), LabelsDoubt)}
    assert is_cause == {"D103", "D111", "D114", "D150"}
    assert is_of_labels == {"D111", "D112", "D114", "D120"}
    assert issubclass(SpellingDoubt, CodingDoubt)


@pytest.mark.parametrize("code", ["D105", "D129"])
def test_a_copy_of_a_doubt_has_its_class_and_its_facts(code: str) -> None:
    known = Doubt(code, "Noticed.", "", "Option.", {"clusters": "user"})
    for copy in (pickle.loads(pickle.dumps(known)), known.within("the baseline")):
        assert type(copy) is type(known)
        assert copy.settled_by == {"clusters": "user"}
    assert pickle.loads(pickle.dumps(known)).to_dict() == known.to_dict()
    assert "settled_by" not in of_code(code).to_dict()


def test_what_settles_repeated_ids_is_a_fact_also_after_json_and_bytes() -> None:
    report = karat.evaluate(FRAME, y_true="label", y_pred="pred", ids="user_id")
    again = karat.Report.from_json(report.to_json())
    for each in (report, again):
        (doubt,) = [x for x in each.doubts if isinstance(x, RepeatedIdsDoubt)]
        assert doubt.settled_by == {"clusters": "user_id"}
    assert again.to_json() == report.to_json()
    values = karat.evaluate(FRAME["label"], FRAME["pred"], ids=FRAME["user_id"])
    assert [x.settled_by for x in values.doubts if isinstance(x, RepeatedIdsDoubt)] == [{}]


def test_a_gate_by_clusters_does_not_doubt_that_they_repeat_in_the_baseline() -> None:
    rows = {"y_true": "label", "y_pred": "pred"}
    before = karat.evaluate(FRAME, **rows, ids="user_id")
    assert has_doubt(before.doubts, RepeatedIdsDoubt)
    for baseline in (before, karat.Report.from_json(before.to_json())):
        settled = karat.gate(
            FRAME, **rows, clusters="user_id", baseline=baseline, max_drop={"accuracy": 0.1}
        )
        assert not has_doubt(settled.doubts, RepeatedIdsDoubt)
        other = FRAME.assign(session=np.arange(30) // 3)
        found = karat.gate(
            other, **rows, clusters="session", baseline=baseline, max_drop={"accuracy": 0.1}
        )
        assert has_doubt(found.doubts, RepeatedIdsDoubt)


def test_what_is_known_is_not_doubted_twice() -> None:
    known = [of_code("D101"), of_code("D105")]
    assert new_doubts([of_code("D105"), of_code("D116")], known) == [of_code("D116")]
    assert new_doubts(known, []) == known
