"""What an inconclusive rule does: its exit code, who chooses it, and what agrees with it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from karat.metrics import get
from karat.output.gate import markdown_of_gate, workflow_commands
from karat.results.gate.verdicts import Case, Measured, Rule, judged
from tests.gate.rows import two_models

TRUE, OLD, NEW = two_models(1000, lost=40, won=4)
PROB = np.where(OLD[:, None] == np.arange(3), 0.7, 0.15)
AGAINST: dict[str, Any] = {"baseline": OLD}
UNDECIDED: dict[str, dict[str, Any]] = {
    "max drop": AGAINST | {"max_drop": {"accuracy": 0.035}},
    "no worse than": AGAINST | {"no_worse_than": {"accuracy": 0.035}},
    "no interval": {
        "y_prob": PROB,
        "baseline": PROB[::-1].copy(),
        "max_drop": {"expected_calibration_error": 0.9},
    },
}


def of_few_rows(**choice: Any) -> Any:
    by = np.where(np.arange(len(TRUE)) < 10, "few", "many")
    return karat.gate(TRUE, OLD, min={"accuracy": 0.5}, by=by, **choice)


@pytest.mark.parametrize("name", UNDECIDED)
def test_a_rule_that_the_rows_do_not_decide_does_not_pass(name: str) -> None:
    found = karat.gate(TRUE, NEW, **UNDECIDED[name])
    assert [rule.verdict for rule in found.rules] == ["INCONCLUSIVE"]
    assert (found.verdict, found.passed, bool(found)) == ("INCONCLUSIVE", False, False)
    assert found.exit_code == 3
    assert found.headline == "INCONCLUSIVE: 1 of 1 rule not decided"


@pytest.mark.parametrize("name", UNDECIDED)
def test_it_passes_where_that_is_chosen(name: str) -> None:
    found = karat.gate(TRUE, NEW, **UNDECIDED[name], rules=karat.Rules(inconclusive="pass"))
    assert [rule.verdict for rule in found.rules] == ["INCONCLUSIVE"]
    assert (found.verdict, found.passed, bool(found), found.exit_code) == ("PASS", True, True, 0)
    assert found.headline == "PASS: 0 of 1 rule passed, 1 inconclusive"


def test_a_slice_of_few_rows_does_not_pass_where_that_is_chosen_alone() -> None:
    for choice, verdict, code in (
        (None, "PASS", 0),
        ("pass", "PASS", 0),
        ("fail", "INCONCLUSIVE", 3),
    ):
        found = of_few_rows(rules=karat.Rules(inconclusive=choice))
        assert [rule.verdict for rule in found.rules] == ["PASS", "INCONCLUSIVE", "PASS"]
        assert (found.verdict, found.exit_code) == (verdict, code)


def test_a_rule_that_fails_comes_first() -> None:
    options = UNDECIDED["max drop"] | {"min": {"accuracy": 0.99}}
    for choice in (None, "pass", "fail"):
        found = karat.gate(TRUE, NEW, **options, rules=karat.Rules(inconclusive=choice))
        assert (found.verdict, found.exit_code, found.passed) == ("FAIL", 1, False)
        assert found.headline == "FAIL: 1 of 2 rules failed, 1 inconclusive"
    warned = replace(karat.gate(TRUE, NEW, **options), warns_only=True)
    assert (warned.verdict, warned.exit_code, warned.passed) == ("FAIL", 0, False)


def test_the_choices_are_words() -> None:
    assert of_few_rows(rules=karat.Rules(inconclusive="fail")).exit_code == 3
    for wrong in ("maybe", True, 1):
        with pytest.raises(KaratError, match="K122"):
            of_few_rows(rules=karat.Rules(inconclusive=wrong))


def test_json_says_what_was_chosen_and_what_came_of_it() -> None:
    for choice, verdict, code in ((None, "INCONCLUSIVE", 3), ("pass", "PASS", 0)):
        content = json.loads(
            karat.gate(
                TRUE, NEW, **UNDECIDED["max drop"], rules=karat.Rules(inconclusive=choice)
            ).to_json()
        )
        told = [content[key] for key in ("verdict", "passed", "exit_code", "inconclusive")]
        assert told == [verdict, code == 0, code, choice]
        assert content["rules"][0]["is_blocking"] == (code == 3)


def test_others_are_shown_what_keeps_the_gate_from_passing() -> None:
    for choice, mark, kind in ((None, "❌", "error"), ("pass", "⚠️", "warning")):
        found = karat.gate(
            TRUE, NEW, **UNDECIDED["max drop"], rules=karat.Rules(inconclusive=choice)
        )
        assert mark in markdown_of_gate(found)
        (line,) = workflow_commands(found)
        assert line.startswith(f"::{kind} title=karat gate%3A INCONCLUSIVE::")


def test_no_baseline_is_written_where_the_gate_is_inconclusive(tmp_path: Path) -> None:
    path = tmp_path / "base.json"
    undecided = karat.gate(TRUE, NEW, **UNDECIDED["max drop"])
    with pytest.raises(KaratError, match="K178") as caught:
        undecided.save_baseline(path)
    assert "The gate is inconclusive." in str(caught.value)
    assert not path.exists()
    passed = karat.gate(
        TRUE, NEW, **UNDECIDED["max drop"], rules=karat.Rules(inconclusive="pass")
    ).save_baseline(path)
    assert path.exists()
    assert (passed.updated_baseline, passed.notes[-1]) == (str(path), f"Wrote {path}.")


def test_a_baseline_alone_has_no_verdict(tmp_path: Path) -> None:
    path = tmp_path / "base.json"
    found = karat.gate(TRUE, OLD).save_baseline(path)
    assert (found.verdict, found.passed, bool(found), found.exit_code) == (None, True, True, 0)
    assert str(found) == f"karat gate  baseline written: {path}"
    assert (found.updated_baseline, found.to_dict()["verdict"]) == (str(path), None)
    assert "PASS" not in str(found) + repr(found) + found.headline


def test_a_choice_leaves_what_is_decided() -> None:
    cases = [
        Case(Rule("min", get("accuracy"), bound), Measured(0.8, 0.75, 0.85, 100))
        for bound in (0.7, 0.8, 0.9)
    ]
    for choice, blocking in (("pass", False), ("fail", True)):
        found = judged(cases, level=0.95, evidence="low", adjust="holm", inconclusive=choice)  # type: ignore[arg-type]
        assert [rule.verdict for rule in found] == ["PASS", "INCONCLUSIVE", "FAIL"]
        assert [rule.is_blocking for rule in found] == [False, blocking, False]
