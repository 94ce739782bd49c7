"""Every verdict of every kind of rule, from numbers alone and from rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from karat.metrics import get
from karat.results.gate.verdicts import (
    Case,
    Change,
    Measured,
    Rule,
    default_rules,
    judged,
    rules_of,
)
from tests.gate.rows import shuffled, table, two_models
from tests.grouping import grouped


def verdict(
    rule: Rule, measured: Measured, change: Change | None = None, evidence: Any = "value"
) -> str:
    (found,) = judged([Case(rule, measured, change)], level=0.95, evidence=evidence, adjust="holm")
    return found.verdict + "!" * found.is_blocking


ACCURACY, LOSS = get("accuracy"), get("log_loss")
AT = Measured(0.80, 0.75, 0.85, 100)


@pytest.mark.parametrize(
    ("bound", "by_value", "by_low"),
    [
        (0.70, "PASS", "PASS"),
        (0.75, "PASS", "PASS"),
        (0.78, "PASS", "INCONCLUSIVE"),
        (0.80, "PASS", "INCONCLUSIVE"),
        (0.83, "FAIL", "INCONCLUSIVE"),
        (0.86, "FAIL", "FAIL"),
    ],
)
def test_a_lower_bound(bound: float, by_value: str, by_low: str) -> None:
    rule = Rule("min", ACCURACY, bound)
    assert verdict(rule, AT) == by_value
    assert verdict(rule, AT, evidence="low") == by_low


@pytest.mark.parametrize(
    ("bound", "by_value", "by_low"),
    [(0.9, "PASS", "PASS"), (0.82, "PASS", "INCONCLUSIVE"), (0.77, "FAIL", "INCONCLUSIVE"),
     (0.7, "FAIL", "FAIL")],
)  # fmt: skip
def test_an_upper_bound(bound: float, by_value: str, by_low: str) -> None:
    rule = Rule("max", LOSS, bound)
    assert verdict(rule, AT) == by_value
    assert verdict(rule, AT, evidence="low") == by_low


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("kind", ["min", "max", "max-drop", "no-worse-than", "not-worse"])
def test_what_is_undefined_fails(value: float, kind: Any) -> None:
    change = Change(0.8, 0.0, -0.01, 0.01, 1.0)
    assert verdict(Rule(kind, ACCURACY, 0.0), Measured(value, n=9), change) == "FAIL"
    undefined = Measured(0.0, 0.0, 1.0, 9, "there are no rows of it")
    assert verdict(Rule(kind, ACCURACY, 0.0), undefined, change) == "FAIL"


def test_a_bound_of_the_limit_without_an_interval_does_not_pass() -> None:
    rule = Rule("min", ACCURACY, 0.5)
    assert verdict(rule, Measured(0.8, n=9), evidence="low") == "INCONCLUSIVE!"
    assert verdict(rule, Measured(0.8, n=9)) == "PASS"


def change(low: float, difference: float, high: float, p: float | None = None) -> Change:
    return Change(0.8, difference, low, high, p, 0.01)


@pytest.mark.parametrize(
    ("found", "verdicts"),
    [
        # The whole interval is a drop of more than 0.02.
        (change(-0.06, -0.04, -0.025, 1e-4), ("FAIL", "FAIL", "FAIL")),
        # A drop, though not shown to be larger than 0.02.
        (change(-0.04, -0.025, -0.01, 1e-3), ("INCONCLUSIVE!", "INCONCLUSIVE!", "FAIL")),
        # A larger drop is excluded, though a drop is shown.
        (change(-0.018, -0.01, -0.002, 0.01), ("PASS", "PASS", "FAIL")),
        # Nothing is shown and nothing excluded.
        (change(-0.05, -0.005, 0.04, 0.8), ("INCONCLUSIVE!", "INCONCLUSIVE!", "PASS")),
        (change(-0.01, 0.0, 0.01, 1.0), ("PASS", "PASS", "PASS")),
        # Better.
        (change(0.01, 0.03, 0.05, 1e-4), ("PASS", "PASS", "PASS")),
    ],
)
def test_a_drop(found: Change, verdicts: tuple[str, ...]) -> None:
    kinds: tuple[Any, ...] = ("max-drop", "no-worse-than", "not-worse")
    bounds = (0.02, 0.02, 0.0)
    for kind, bound, wanted in zip(kinds, bounds, verdicts, strict=True):
        assert verdict(Rule(kind, ACCURACY, bound), AT, found) == wanted, kind
        # Of a loss, a rise is what a drop is of accuracy.
        assert found.low is not None
        assert found.high is not None
        turned = Change(0.8, -found.difference, -found.high, -found.low, found.p)
        assert verdict(Rule(kind, LOSS, bound), AT, turned) == wanted, kind


def test_what_could_not_be_compared_does_not_pass() -> None:
    for kind in ("max-drop", "no-worse-than", "not-worse"):
        rule = Rule(kind, ACCURACY, 0.1)  # type: ignore[arg-type]
        assert verdict(rule, AT, Change(0.8, 0.0)) == "INCONCLUSIVE!"
        assert verdict(rule, AT, Change(math.nan, math.nan, None, None)) == "INCONCLUSIVE!"
        assert verdict(rule, AT, None) == "FAIL"


def test_identical_predictions_pass_every_rule() -> None:
    same = Change(0.8, 0.0, -0.03, 0.03, 1.0, is_same=True)
    for kind in ("max-drop", "no-worse-than", "not-worse"):
        assert verdict(Rule(kind, ACCURACY, 0.0), AT, same) == "PASS"  # type: ignore[arg-type]


def test_p_values_allow_for_all_rules_unless_told_not_to() -> None:
    rules = [Rule("not-worse", get(name)) for name in ("accuracy", "macro_f1", "mcc")]
    # One-sided 0.01 each: below 0.025 alone, not below it three times.
    cases = [Case(rule, AT, change(-0.05, -0.02, -0.001, 0.02)) for rule in rules]
    holm = judged(cases, level=0.95, evidence="value", adjust="holm")
    alone = judged(cases, level=0.95, evidence="value", adjust="none")
    assert [rule.verdict for rule in holm] == ["PASS"] * 3
    assert [rule.verdict for rule in alone] == ["FAIL"] * 3
    assert [rule.p_adjusted for rule in holm] == [0.03, 0.03, 0.03]
    assert "(Holm, 3 rules)" in holm[0].line
    assert "Holm" not in alone[0].line


def test_the_limit_decides_as_the_interval_does() -> None:
    # The p-value is half of 1 − level where the limit touches the bound.
    for low in (-0.0201, -0.0199):
        touching = change(-0.08, -0.05, low, 1e-4)
        found = verdict(Rule("max-drop", ACCURACY, 0.02), AT, touching)
        assert found == ("FAIL" if low < -0.02 else "INCONCLUSIVE!")


def test_rules_are_read_from_dicts_and_texts() -> None:
    by_dict = rules_of(min={"macro_f1": 0.8}, max_drop={"mcc": 0.01})
    by_text = rules_of(min=["macro_f1=0.8"], max_drop=("mcc = .01",))
    assert by_dict == by_text
    (one,) = rules_of(min="macro_f_beta(beta=2)=0.8")
    assert (str(one.metric), one.bound) == ("macro_f_beta(beta=2)", 0.8)
    assert [rule.metric.name for rule in default_rules()] == ["accuracy", "macro_f1"]


@pytest.mark.parametrize(
    "given",
    [
        {"min": ["macro_f1"]}, {"min": ["=0.5"]}, {"min": {"macro_f1": "high"}},
        {"min": {"macro_f1": math.nan}}, {"min": {"macro_f1": True}}, {"min": 3},
        {"min": ["accuracy=0.5", "accuracy=0.6"]}, {"max_drop": {"accuracy": -0.1}},
        {"max_drop": {"prevalence": 0.1}},
    ],
)  # fmt: skip
def test_rules_that_cannot_be_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(KaratError, match="K176"):
        rules_of(**given)


def test_a_metric_that_does_not_exist_is_refused() -> None:
    with pytest.raises(KaratError, match="K301"):
        rules_of(min={"nope": 1})


TRUE, OLD, NEW = two_models(1000, lost=40, won=4)


def test_a_gate_of_arrays() -> None:
    assert karat.gate(TRUE, OLD, min={"accuracy": 0.8})
    found = karat.gate(TRUE, OLD, min={"accuracy": 0.95})
    assert not found
    assert (found.exit_code, found.passed) == (1, False)
    assert str(found).splitlines()[0] == "karat gate  FAIL: 1 of 1 rule failed"
    assert "accuracy ≥ 0.95: 0.892 [" in str(found)


def test_significantly_worse_fails_and_identical_passes() -> None:
    worse = karat.gate(TRUE, NEW, baseline=OLD)
    assert [rule.verdict for rule in worse.rules] == ["FAIL", "FAIL"]
    assert [rule.metric for rule in worse.rules] == ["accuracy", "macro_f1"]
    assert all(rule.p_adjusted is not None and rule.p_adjusted < 0.025 for rule in worse.rules)
    assert karat.gate(TRUE, OLD, baseline=NEW).passed
    assert karat.gate(TRUE, OLD, baseline=OLD).passed
    perfect = karat.gate(TRUE, TRUE, baseline=TRUE, no_worse_than={"accuracy": 0.001})
    assert perfect.passed


def test_an_undefined_metric_fails() -> None:
    found = karat.gate([0, 0, 1, 1], [0, 0, 0, 0], min={"precision": 0.0})
    assert found.rules[0].verdict == "FAIL"
    assert "undefined" in found.rules[0].reason


def test_losses_are_better_low() -> None:
    rng = np.random.default_rng(3)
    prob = np.clip(np.where(TRUE[:, None] == np.arange(3), 0.8, 0.1), 0, 1)
    noisy = rng.dirichlet(np.ones(3), len(TRUE)) * 0.3 + prob * 0.7
    worse = karat.gate(TRUE, y_prob=noisy, baseline=prob, max_drop={"log_loss": 0.01})
    assert worse.rules[0].rule == "rise of log_loss ≤ 0.01"
    assert worse.rules[0].verdict == "FAIL"
    assert karat.gate(TRUE, y_prob=prob, baseline=noisy, max_drop={"log_loss": 0.01}).passed


def test_slices_are_judged_each() -> None:
    country = np.array(["NO"] * 900 + ["SE"] * 80 + ["DK"] * 20)
    said = TRUE.copy()
    said[900:] = (said[900:] + 1) % 3
    found = karat.gate(TRUE, said, min={"accuracy": 0.85}, by=country)
    verdicts = {rule.slice: (rule.verdict, rule.n) for rule in found.rules}
    assert verdicts == {
        None: ("PASS", 1000),
        "slice=DK": ("INCONCLUSIVE", 20),
        "slice=NO": ("PASS", 900),
        "slice=SE": ("FAIL", 80),
    }
    assert "too few rows (20 of at least 30)" in str(found)
    assert karat.gate(
        TRUE, said, min={"accuracy": 0.85}, by=country, rules=karat.Rules(min_n=100)
    ).passed


def test_a_slice_without_a_class_is_judged_by_those_it_has() -> None:
    true = np.array([0, 1] * 50 + [0, 1, 2] * 50)
    by = np.array(["two"] * 100 + ["three"] * 150)
    found = karat.gate(true, true, min={"macro_f1": 1.0}, by=by)
    assert found.passed


def test_clusters_widen_the_difference() -> None:
    users = np.arange(len(TRUE)) // 50
    rows = karat.gate(TRUE, NEW, baseline=OLD)
    clustered = karat.gate(TRUE, NEW, baseline=OLD, clusters=users)
    assert clustered.rules[0].p is not None
    assert rows.rules[0].p is not None
    assert clustered.rules[0].p > rows.rules[0].p


def test_a_report_can_pass_and_be_compared_with() -> None:
    new, old = karat.evaluate(TRUE, NEW), karat.evaluate(TRUE, OLD)
    assert karat.gate(new, min={"accuracy": 0.8}).passed
    found = karat.gate(new, baseline=old)
    assert found.is_paired is False
    assert any("Unpaired" in note for note in found.notes)
    paired = karat.gate(TRUE, NEW, baseline=OLD)
    for apart, together in zip(found.rules, paired.rules, strict=True):
        assert apart.difference == pytest.approx(together.difference)
        assert apart.detectable is not None
        assert together.detectable is not None
        assert apart.detectable > 1.5 * together.detectable
    with pytest.raises(KaratError, match="K160"):
        karat.gate(new, min={"accuracy": 0.8}, by="country")


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"max_drop": {"accuracy": 0.1}}, "K176"),
        ({"min": {"accuracy": 0.1}, "evidence": "high"}, "K122"),
        ({"min": {"accuracy": 0.1}, "adjust": "maxt"}, "K122"),
        ({"min": {"accuracy": 0.1}, "level": None}, "K122"),
        ({"min": {"accuracy": 0.1}, "min_n": 0}, "K122"),
        ({"min": {"roc_auc_mu": 0.1}}, "K210"), ({"min": {"f1": 0.1}}, "K307"),
        ({"min": {"accuracy": 0.1}, "by": "country"}, "K143"),
        ({"min": {"accuracy": 0.1}, "threshold": 0.5}, "K136"),
        ({"mni": {"accuracy": 0.1}}, "K126"),
    ],
)  # fmt: skip
def test_arguments_that_cannot_be_are_refused(options: dict[str, Any], code: str) -> None:
    with pytest.raises(KaratError) as caught:
        karat.gate(TRUE, OLD, **grouped(options))
    assert caught.value.code == code


def test_a_gate_without_a_rule_has_no_verdict_and_does_not_pass() -> None:
    found = karat.gate(TRUE, OLD)
    assert found.verdict is None
    assert not found
    assert not found.passed
    assert "there is no rule and no baseline" in str(found)


def test_a_table_is_paired_by_its_ids() -> None:
    found = karat.gate(table(TRUE, NEW), baseline=shuffled(table(TRUE, OLD)))
    assert found.to_dict()["rules"] == karat.gate(TRUE, NEW, baseline=OLD).to_dict()["rules"]


def test_a_bound_is_asked_of_the_value_that_a_report_gives() -> None:
    # A class that the earlier model alone predicts is none of this one.
    old = np.where(np.arange(len(TRUE)) % 100 == 0, 7, OLD)
    value = karat.evaluate(TRUE, NEW)["macro_f1"].value
    for rules in ({"min": {"macro_f1": 0.5}}, {"min": {"macro_f1": 0.5}, "max_drop": {"mcc": 0.5}}):
        found = karat.gate(TRUE, NEW, baseline=old, **grouped(rules))
        assert found.rules[0].value == value
    assert karat.gate(TRUE, NEW, min={"macro_f1": 0.5}).rules[0].value == value


def test_a_value_does_not_depend_on_the_other_rules() -> None:
    # Columns of four classes, one of which never occurs.
    prob = np.full((len(TRUE), 4), 0.1)
    prob[np.arange(len(TRUE)), NEW] = 0.7
    value = karat.evaluate(TRUE, y_prob=prob, labels=range(4))["macro_f1"].value
    by = np.arange(len(TRUE)) % 2
    for rules in ({"macro_f1": 0.5}, {"macro_f1": 0.5, "roc_auc_ovr_macro": 0.5}):
        found = karat.gate(TRUE, y_prob=prob, labels=range(4), min=rules, by=by)
        values = [rule.value for rule in found.rules if rule.metric == "macro_f1"]
        assert values[0] == value
        if len(rules) == 1:
            alone = values
        assert values == alone


def test_bounds_are_asked_of_all_rows_and_drops_of_those_that_both_have() -> None:
    part = {name: values[:700] for name, values in table(TRUE, OLD).items()}
    found = karat.gate(
        table(TRUE, NEW), baseline=part, min={"accuracy": 0.5}, max_drop={"accuracy": 0.5},
        rules=karat.Rules(allow_mismatch=True),
    )  # fmt: skip
    assert [rule.n for rule in found.rules] == [1000, 700]


def test_one_class_that_is_no_number_has_no_positive() -> None:
    only = ["cat"] * 50
    assert karat.gate(only, only, min={"accuracy": 1.0}, baseline=only).passed
    with pytest.raises(KaratError, match="K123"):
        karat.gate(only, only, min={"f1": 0.0})


def test_another_positive_class_is_refused() -> None:
    y, p = TRUE % 2, OLD % 2
    old = karat.evaluate(y, p, positive=0)
    with pytest.raises(KaratError, match="K176"):
        karat.gate(y, p, baseline=old, max_drop={"f1": 0.1})
    assert karat.gate(y, p, baseline=old, positive=0, max_drop={"f1": 0.1}).passed


@pytest.mark.parametrize(
    "options",
    [
        {"min": {"accuracy": 95}},
        {"max": {"accuracy": 95}},
        {"min": {"accuracy": -1}},
        {"max_drop": {"accuracy": 1}},
        {"no_worse_than": {"macro_f1": 5}},
    ],
)
def test_a_bound_that_nothing_reaches_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(KaratError, match="K176"):
        rules_of(**options)


@pytest.mark.parametrize("name", ["inconclusive", "allow_mismatch", "with_rows"])
def test_a_switch_is_true_or_false(name: str) -> None:
    with pytest.raises(KaratError, match="K122"):
        karat.gate([0, 1], [0, 1], min={"accuracy": 0.5}, **grouped({name: "no"}))


def test_a_drop_that_only_counts_alone_is_said() -> None:
    rule = Rule("not-worse", ACCURACY)
    change = Change(0.9, -0.02, -0.038, -0.002, 0.03)
    quiet = Change(0.9, -0.001, -0.02, 0.018, 0.9)
    cases = [Case(rule, AT, change), Case(rule, AT, quiet), Case(rule, AT, quiet)]
    found = judged(cases, level=0.95, evidence="value", adjust="holm")
    assert found[0].verdict == "PASS"
    assert found[0].reason == (
        "worse if tested alone (p = 0.015), not after correction for 3 rules"
    )
    assert found[1].reason == "not significantly worse"


def test_of_unpaired_rows_p_and_the_interval_agree() -> None:
    after = karat.evaluate(confusion=[[14, 1], [2, 13]])
    before = karat.evaluate(confusion=[[4950, 50], [50, 4950]])
    for one in karat.gate(after, baseline=before, rules=karat.Rules(adjust="none")).rules:
        assert one.difference_high is not None
        assert one.p is not None
        assert (one.difference_high < 0.0) == (one.p < 0.025), one


def test_what_is_inconclusive_is_no_pass_where_that_is_asked_for() -> None:
    asked: dict[str, Any] = {"min": {"accuracy": 0.95}, "evidence": "low"}
    lax = karat.gate([0, 1] * 10, [0, 1] * 10, **grouped(asked))
    strict = karat.gate(
        [0, 1] * 10, [0, 1] * 10, **grouped({"rules": karat.Rules(inconclusive="fail"), **asked})
    )
    assert (lax.exit_code, strict.exit_code) == (0, 3)
    assert lax.headline == "PASS: 0 of 1 rule passed, 1 inconclusive"
    assert strict.headline == "INCONCLUSIVE: 1 of 1 rule not decided"
