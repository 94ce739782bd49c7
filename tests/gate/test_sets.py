"""Gates of rows with sets: bounds, baselines of predictions, of reports and of their JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from tests.grouping import grouped


def drawn(seed: int, n: int = 200, k: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Truth, good and bad predictions that share most of their errors."""
    rng = np.random.default_rng([271, seed])
    true, errors = rng.random((n, k)) < 0.3, rng.random((n, k))
    return true, np.where(errors < 0.08, ~true, true), np.where(errors < 0.14, ~true, true)


def outcome(result: karat.GateResult) -> list[tuple[str, str]]:
    return [(rule.rule, rule.verdict) for rule in result.rules]


def test_bounds_are_those_of_the_report() -> None:
    true, good, _ = drawn(1)
    report: Any = karat.evaluate(true, good)
    value = report["macro_f1"]
    passed = karat.gate(true, good, min={"macro_f1": value.value - 0.001})
    assert passed
    assert (passed.rules[0].value, passed.rules[0].low) == (value.value, value.low)
    assert not karat.gate(true, good, min={"macro_f1": value.value + 0.001})
    # The limit decides where it is asked for.
    bound = {"macro_f1": (value.value + value.low) / 2}
    assert karat.gate(true, good, min=bound)
    strict = karat.gate(true, good, min=bound, rules=karat.Rules(evidence="low"))
    assert strict.rules[0].verdict == "INCONCLUSIVE"
    assert karat.gate(report, min={"micro_f1": 0.5}, max={"hamming_loss": 0.2})
    prob = np.where(good, 0.9, 0.1)
    assert karat.gate(true, y_prob=prob, min={"macro_roc_auc": 0.5, "micro_f1": 0.5})


def test_a_baseline_on_the_same_rows_is_compared_row_by_row() -> None:
    true, good, bad = drawn(2)
    worse = karat.gate(true, bad, baseline=good)
    assert [rule.metric for rule in worse.rules] == ["subset_accuracy", "macro_f1"]
    assert worse.verdict == "FAIL"
    assert worse.is_paired
    compared = karat.compare(true, {"old": good, "new": bad})
    for rule in worse.rules:
        one = compared[rule.metric]
        assert (rule.difference, rule.difference_low) == (one.difference, one.low)
    assert karat.gate(true, good, baseline=bad)
    assert karat.gate(true, good, baseline=good)
    assert karat.gate(true, bad, baseline=good, max_drop={"micro_f1": 0.5})
    assert karat.gate(true, good, baseline=bad, no_worse_than={"micro_f1": 0.01})


def test_metrics_of_scores_are_compared_row_by_row() -> None:
    true, good, bad = drawn(4)
    both = np.random.default_rng(4).random(true.shape)
    prob = {x: 0.5 * p + 0.5 * both for x, p in (("old", good), ("new", bad))}
    drops = {"mean_average_precision": 0.2, "label_ranking_average_precision": 0.2}
    rules: dict[str, Any] = {"max_drop": drops, "no_worse_than": {"binary_cross_entropy": 0.5}}
    paired = karat.gate(true, y_prob=prob["new"], baseline=prob["old"], **grouped(rules))
    report: Any = karat.evaluate(true, y_prob=prob["old"])
    apart = karat.gate(true, y_prob=prob["new"], baseline=report, **grouped(rules))
    compared = karat.compare(true, y_prob=prob, metrics=[rule.metric for rule in paired.rules])
    for rule, other in zip(paired.rules, apart.rules, strict=True):
        one = compared[rule.metric]
        limits = rule.difference_low, rule.difference_high
        assert (rule.difference, *limits) == (one.difference, one.low, one.high)
        # The control: two intervals say less.
        assert limits[1] - limits[0] < 0.9 * (other.difference_high - other.difference_low)
    same = karat.gate(true, y_prob=prob["old"], baseline=prob["old"], max_drop=drops)
    assert [rule.difference for rule in same.rules] == [0.0, 0.0]


def test_a_baseline_that_is_a_report(tmp_path: Path) -> None:
    true, good, bad = drawn(3)
    path, report = tmp_path / "baseline.json", karat.evaluate(true, good)
    written = karat.gate(true, good).save_baseline(path)
    assert written.updated_baseline == str(path)
    rules: dict[str, Any] = {"max_drop": {"micro_f1": 0.02}}
    by_file, by_report = (
        karat.gate(true, bad, baseline=x, **grouped(rules)) for x in (path, report)
    )
    assert outcome(by_file) == outcome(by_report)
    assert by_file.rules[0].difference == by_report.rules[0].difference
    assert not by_file.is_paired
    assert "Unpaired" in str(by_file)
    # The control: row by row the same drop is far surer.
    paired = karat.gate(true, bad, baseline=good, **grouped(rules)).rules[0]
    assert paired.difference_high - paired.difference_low < 0.8 * (
        by_file.rules[0].difference_high - by_file.rules[0].difference_low
    )
    before = path.read_bytes()
    with pytest.raises(KaratError, match=r"(?s)K178.*is not written"):
        karat.gate(true, bad, baseline=path, min={"micro_f1": 0.99}).save_baseline(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"by": np.arange(200) % 2}, "K222"),
        ({"ids": np.arange(200)}, "K222"),
        ({"reading": karat.Reading(keep_rows=True)}, "K222"),
        ({"min": {"accuracy": 0.5}}, "K219"),
        ({"baseline": "none.json"}, "K176"),
        ({"baseline": karat.evaluate([0, 1], [0, 1])}, "K221"),
        ({"baseline": karat.evaluate([{"a"}, {"b"}], [{"a"}, {"b"}])}, "K174"),
        ({"baseline": np.zeros((200, 3), bool)}, "K199"),
        ({"level": 0.9, "baseline": karat.evaluate(drawn(4)[0], drawn(4)[1])}, "K176"),
    ],
)
def test_what_a_gate_of_sets_does_not_take(
    options: dict[str, Any], code: str, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    true, good, _ = drawn(4)
    with pytest.raises(KaratError) as caught:
        karat.gate(true, good, **grouped({"min": {"micro_f1": 0.5}, **options}))
    assert caught.value.code == code


@pytest.mark.parametrize("is_newer", [True, False])
def test_a_label_that_one_side_alone_predicts_may_be_compared(is_newer: bool) -> None:
    true = [{"a"}, {"b"}, {"a", "b"}, set()] * 8
    sides = [[{"a"}, {"c"}, {"a", "b"}, set()] * 8, [{"a"}, {"b"}, {"a"}, set()] * 8]
    now, before = sides if is_newer else sides[::-1]
    rules: dict[str, Any] = {"baseline": before, "no_worse_than": {"micro_f1": 0.9}}
    found = karat.gate(true, now, **grouped({"rules": karat.Rules(allow_mismatch=True), **rules}))
    listed = karat.gate(true, now, **grouped(rules), labels=["a", "b", "c"])
    assert found.to_dict()["rules"] == listed.to_dict()["rules"]
