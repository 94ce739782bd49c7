"""Gates for every run, and monitors: verdicts that stay, errors held over looks and rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.api.monitors.monitor import locked_state
from karat.api.monitors.state import ARRAYS, digest_in_order
from karat.designs.looks import boundary
from karat.errors import KaratError
from karat.inference.limits import exact_limits, wilson_limits
from karat.tally.serialization import framed, unframed
from tests.gate.rows import two_models


def batch(n: int, seed: int, right: float = 0.9) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y, np.where(rng.random(n) < right, y, 1 - y)


def refused(code: str, call: Any) -> KaratError:
    with pytest.raises(KaratError) as caught:
        call()
    assert caught.value.code == code
    return caught.value


def test_a_gate_for_every_run_has_the_limits_and_p_values_of_every_look() -> None:
    y, old, new = two_models(2000, lost=60)
    rules: dict[str, Any] = {"min": {"accuracy": 0.8}, "max_drop": {"accuracy": 0.01}}
    every, once = (
        karat.gate(
            y,
            new,
            baseline=old,
            rules=karat.Rules(evidence="low"),
            design=karat.Looks(planned),
            **rules,
        )
        for planned in (10_000, None)
    )
    bound, drop = every.rules
    low, high = wilson_limits(bound.value, 2000, boundary(2000, 10_000, 0.05))
    assert (bound.low, bound.high) == pytest.approx((float(low), float(high)), rel=1e-9)
    assert drop.p is not None
    assert once.rules[1].p is not None
    assert drop.p > once.rules[1].p
    assert every.anytime == 10_000
    assert every.to_dict()["design"] == {"Looks": {"planned": 10_000}}
    assert "design" not in once.to_dict()
    assert any("every look" in note for note in every.notes)


def test_a_gate_for_every_run_compares_the_same_rows_alone() -> None:
    y, old, new = two_models(500, lost=100)
    report = karat.evaluate(y, old)
    found = karat.gate(y, new, baseline=report, design=karat.Looks())
    assert {rule.verdict for rule in found.rules} == {"INCONCLUSIVE"}
    assert karat.gate(y, new, baseline=report).verdict == "FAIL"
    wrong = karat.evaluate(y, new)
    refused("K176", lambda: karat.gate(wrong, min={"accuracy": 0.5}, design=karat.Looks()))
    same = karat.evaluate(y, new, design=karat.Looks())
    assert karat.gate(
        same, min={"accuracy": 0.5}, rules=karat.Rules(evidence="low"), design=karat.Looks()
    ).passed


def test_limits_of_a_monitor_are_those_of_all_rules_together() -> None:
    y, pred = batch(1000, 1)
    found = karat.Monitor(min={"accuracy": 0.9, "f1": 0.9}, max={"brier": 0.3}).add(
        y, pred, y_prob=np.where(pred == 1, 0.9, 0.1)
    )
    accuracy = found.rules[0]
    low, high = wilson_limits(accuracy.value, 1000, boundary(1000, 10_000, 0.05 / 3))
    assert (accuracy.low, accuracy.high) == pytest.approx((float(low), float(high)), rel=1e-9)
    assert any("each at 98.33 %" in note for note in found.notes)


def test_a_rule_that_failed_stays_failed_and_one_that_passed_may_fail_later() -> None:
    monitor = karat.Monitor(min={"accuracy": 0.7}, design=karat.Looks(1000))
    results = [monitor.add(*batch(200, i, 0.95)) for i in range(3)]
    assert [one.verdict for one in results][-1] == "PASS"
    first = results[-1].decided(0)
    results += [monitor.add(*batch(400, 10 + i, 0.2)) for i in range(4)]
    last = results[-1]
    assert last.verdict == "FAIL"
    assert "after it passed at look" in last.rules[0].reason
    found = last.decided(0)
    assert found is not None
    assert first is not None
    assert found > first
    # Back within the bound: a failure stays.
    again = monitor.add(*batch(20_000, 20, 0.99))
    assert again.rules[0].low > 0.7
    assert (again.verdict, again.decided(0), again.exit_code) == ("FAIL", found, 1)
    once = karat.Monitor(min={"accuracy": 0.7}, design=karat.Looks(1000))
    assert once.add(*batch(2000, 3, 0.95)).decided(0) == (1, 2000)


def test_few_rows_decide_nothing_and_an_undefined_metric_is_no_failure() -> None:
    monitor = karat.Monitor(min={"roc_auc": 0.9}, labels=[0, 1])
    found = monitor.add([0, 0, 0], y_prob=[0.1, 0.2, 0.9])
    assert (found.verdict, found.passed, found.exit_code) == ("INCONCLUSIVE", True, 0)
    strict = karat.Monitor(min={"accuracy": 0.9}, rules=karat.Rules(inconclusive="fail"))
    assert strict.add([0, 1], [0, 1]).exit_code == 3


def test_rules_that_compare_read_the_baseline_of_every_batch() -> None:
    monitor = karat.Monitor(max_drop={"accuracy": 0.02}, no_worse_than={"macro_f1": 0.3})
    for i in range(4):
        y, old, new = two_models(600, lost=70, seed=i)
        found = monitor.add(y, new, baseline=old)
    whole = [two_models(600, lost=70, seed=i) for i in range(4)]
    y, old, new = (np.concatenate([one[i] for one in whole]) for i in range(3))
    once = karat.Monitor(max_drop={"accuracy": 0.02}, no_worse_than={"macro_f1": 0.3})
    same = once.add(y, new, baseline=old)
    assert [one.difference_low for one in found.rules] == [one.difference_low for one in same.rules]
    assert [one.verdict for one in found.rules] == ["FAIL", "PASS"]
    refused("K176", lambda: monitor.add(y, new))
    refused("K176", lambda: karat.Monitor(min={"accuracy": 0.5}).add(y, new, baseline=old))


def test_batches_in_any_cut_give_the_limits_of_all_rows() -> None:
    rng = np.random.default_rng(4)
    y = rng.choice(["ham", "spam", "eggs"], 900)
    pred = np.where(rng.random(900) < 0.8, y, "ham")
    clusters, weights = np.arange(900) // 7, rng.random(900) + 0.5
    monitor = karat.Monitor(min={"macro_f1": 0.5})
    for cut in np.split(np.arange(900), [20, 100, 101, 600]):
        found = monitor.add(y[cut], pred[cut], clusters=clusters[cut], weights=weights[cut])
    whole = karat.Monitor(min={"macro_f1": 0.5}).add(y, pred, clusters=clusters, weights=weights)
    assert found.rules[0].low == pytest.approx(whole.rules[0].low, rel=1e-9)
    assert found.n == 900
    report = karat.evaluate(y, pred, clusters=clusters, weights=weights, design=karat.Looks())
    assert found.rules[0].low == pytest.approx(report["macro_f1"].low, rel=1e-9)


def test_a_refused_batch_changes_nothing() -> None:
    monitor = karat.Monitor(min={"accuracy": 0.8})
    y, pred = batch(50, 5)
    monitor.add(y, pred)
    before = monitor.to_bytes()
    refused("K241", lambda: monitor.add(y, pred))
    refused("K240", lambda: monitor.add(y, pred, weights=np.ones(50)))
    refused("K240", lambda: monitor.add(y, pred, clusters=np.arange(50)))
    refused("K240", lambda: monitor.add(y, y_prob=pred * 0.5 + 0.2))
    refused("K108", lambda: monitor.add(["a"] * 5, ["a"] * 5))
    refused("K238", lambda: monitor.add([{"a"}], [{"a"}]))
    assert monitor.to_bytes() == before
    assert monitor.add(y, pred, again=True).n == 100


def test_bytes_keep_everything_and_refuse_what_was_altered(tmp_path: Path) -> None:
    monitor = karat.Monitor(
        min={"roc_auc": 0.8}, max_drop={"log_loss": 0.2}, design=karat.Looks(500)
    )
    rng = np.random.default_rng(6)
    for _ in range(3):
        y = rng.integers(0, 2, 80)
        p = np.clip(0.3 + 0.4 * y + 0.1 * rng.standard_normal(80), 0.01, 0.99)
        result = monitor.add(y, y_prob=p, baseline=np.clip(p + 0.01, 0.0, 1.0))
    monitor.save(tmp_path / "state")
    again = karat.Monitor.load(tmp_path / "state")
    assert again.looks == monitor.looks
    assert again.result.to_dict()["rules"] == result.to_dict()["rules"]
    assert again.to_bytes() == monitor.to_bytes()
    json.loads(result.to_json())
    assert "karat monitor" in result._repr_html_()
    data = monitor.to_bytes()
    for broken in (b"", data[:-3], data[:40] + b"x" + data[41:], karat.Stream().to_bytes()):
        refused("K205", lambda broken=broken: karat.Monitor.from_bytes(broken))
    lying = framed({"species": "monitor", "settings": {}, "looks": []}, {})
    refused("K205", lambda: karat.Monitor.from_bytes(lying))


def test_a_monitor_without_a_rule_or_rows_is_refused() -> None:
    refused("K176", karat.Monitor)
    refused("K122", lambda: karat.Monitor(min={"accuracy": 0.5}, design=karat.Looks(3)))
    refused("K237", lambda: karat.Monitor(min={"accuracy": 0.5}, level=None))
    refused("K101", lambda: karat.Monitor(min={"accuracy": 0.5}).result)


def test_bounds_at_the_true_values_are_decided_on_few_paths_and_by_one_look_on_many() -> None:
    """Two rules at the values of the population, 20 looks."""
    decided = once = 0
    for path in range(8):
        rng = np.random.default_rng([7, path])
        monitor = karat.Monitor(
            min={"accuracy": 0.9}, max={"error_rate": 0.1}, design=karat.Looks(2000)
        )
        y = rng.integers(0, 2, 2000)
        pred = np.where(rng.random(2000) < 0.9, y, 1 - y)
        is_once = False
        for n in range(100, 2001, 100):
            result = monitor.add(y[n - 100 : n], pred[n - 100 : n], again=True)
            one = karat.evaluate(y[:n], pred[:n], metrics=["accuracy"])["accuracy"]
            is_once |= not one.low <= 0.9 <= one.high
        decided += any(rule.verdict != "INCONCLUSIVE" for rule in result.rules)
        once += is_once
    assert decided <= 1
    assert once >= 2


def test_a_window_is_judged_by_its_rows_alone_at_a_level_that_all_windows_share() -> None:
    monitor = karat.Monitor(min={"accuracy": 0.8, "f1": 0.5}, windows=True)
    for j, (seed, n) in enumerate([(1, 300), (2, 500), (3, 400)], 1):
        found = monitor.add(*batch(n, seed))
        alpha = 0.05 * 6.0 / (np.pi * j) ** 2 / 2
        once = karat.evaluate(*batch(n, seed), level=1.0 - alpha)
        accuracy, f1 = found.rules
        low, high = exact_limits(once["accuracy"].value, n, alpha / 2.0)
        assert (accuracy.low, accuracy.high) == pytest.approx((float(low), float(high)), rel=1e-9)
        # Toward the end of the range, where errors are few, score limits are too near.
        assert accuracy.high > once["accuracy"].high
        assert f1.high > once["f1"].high
        assert (found.rules[0].n, found.look) == (n, j)
    assert (found.n, monitor.n_rows, found.windows, found.anytime) == (1200, 1200, True, None)
    assert "windows" in found.to_dict()
    assert "anytime" not in found.to_dict()
    # Only the rows of the last window are kept.
    assert len(monitor.to_bytes()) < 400 * 8 + 4000


def test_windows_show_a_drop_that_all_rows_hide_and_a_recovery() -> None:
    rules: dict[str, Any] = {"min": {"accuracy": 0.85}}
    windows, whole = karat.Monitor(windows=True, **rules), karat.Monitor(**rules)
    right = [0.95] * 12 + [0.7] + [0.95] * 2
    verdicts = []
    for i, each in enumerate(right):
        y, pred = batch(500, i, each)
        assert whole.add(y, pred).verdict != "FAIL"
        verdicts.append((found := windows.add(y, pred)).verdict)
    assert verdicts == ["PASS"] * 12 + ["FAIL"] + ["PASS"] * 2
    assert "it failed in window 13" in found.rules[0].reason
    assert (found.exit_code, found.decided(0)) == (0, (15, 7500))
    again = windows.add(*batch(500, 50, 0.7))
    assert (again.exit_code, again.verdict) == (1, "FAIL")
    assert "it failed in window 13, too" in again.rules[0].reason


def test_windows_compare_two_models_and_survive_bytes() -> None:
    monitor = karat.Monitor(max_drop={"accuracy": 0.02, "log_loss": 0.3}, windows=True)
    rng = np.random.default_rng(8)
    for _ in range(3):
        y = rng.integers(0, 2, 400)
        p = np.clip(0.3 + 0.4 * y + 0.1 * rng.standard_normal(400), 0.01, 0.99)
        worse = np.where(rng.random(400) < 0.2, 1.0 - p, p)
        found = monitor.add(y, y_prob=worse, baseline=p)
    assert found.rules[0].verdict == "FAIL"
    again = karat.Monitor.from_bytes(monitor.to_bytes())
    assert again.to_bytes() == monitor.to_bytes()
    assert str(again.result) == str(found)
    p_once = karat.gate(y, y_prob=worse, baseline=p, max_drop={"accuracy": 0.02}, level=0.975)
    own, once = found.rules[0].p, p_once.rules[0].p
    assert own is not None
    assert once is not None
    assert own == pytest.approx(min(once * np.pi**2 * 9 / 6, 1.0), rel=1e-6)


def test_a_window_has_the_classes_that_occur_in_it_as_a_slice_has() -> None:
    monitor = karat.Monitor(min={"macro_f1": 0.5}, windows=True)
    y = np.arange(300) % 3
    monitor.add(y, y)
    y = np.arange(300) % 2
    assert monitor.add(y, y).rules[0].value == 1.0
    declared = karat.Monitor(min={"macro_f1": 0.5}, windows=True, labels=[0, 1, 2])
    assert declared.add(y, y).rules[0].value == pytest.approx(2.0 / 3.0)
    # Two classes stay two where a window lacks one of them.
    two = karat.Monitor(min={"recall": 0.5}, windows=True, positive=1)
    two.add(y, y)
    found = two.add(np.zeros(100, int), np.zeros(100, int))
    assert (found.verdict, found.rules[0].reason[:9]) == ("INCONCLUSIVE", "undefined")
    refused("K240", lambda: monitor.add(y, y, weights=np.ones(300)))


def test_limits_from_replicates_are_left_out_of_windows() -> None:
    rng = np.random.default_rng(9)
    y = rng.integers(0, 2, 300)
    p = np.clip(0.3 + 0.4 * y + 0.1 * rng.standard_normal(300), 0.0, 1.0)
    rules: dict[str, Any] = {"max": {"expected_calibration_error": 0.9, "brier": 0.9}}
    found = karat.Monitor(windows=True, **rules).add(y, y_prob=p)
    assert [rule.verdict for rule in found.rules] == ["INCONCLUSIVE", "PASS"]
    assert "replicates" in found.rules[0].reason


def test_windows_have_no_planned_number() -> None:
    for anytime in (True, 500):
        refused("K122", lambda given=anytime: karat.Monitor(
            min={"accuracy": 0.5}, windows=True, design=karat.Looks(given)
        ))  # fmt: skip
    refused("K122", lambda: karat.Monitor(min={"accuracy": 0.5}, windows="week"))
    assert karat.Monitor(min={"accuracy": 0.5}, windows=True, design=karat.Looks(None)).n_rows == 0


def test_an_undefined_metric_blocks_where_undecided_rules_do() -> None:
    y = [0, 0, 0]
    rule: dict[str, Any] = {"min": {"roc_auc": 0.9}, "labels": [0, 1]}
    strict = karat.Monitor(rules=karat.Rules(inconclusive="fail"), **rule).add(
        y, y_prob=[0.1, 0.2, 0.9]
    )
    assert (strict.verdict, strict.exit_code) == ("INCONCLUSIVE", 3)
    drop = karat.Monitor(max_drop={"roc_auc": 0.1}, labels=[0, 1])
    found = drop.add(y, y_prob=[0.1, 0.2, 0.9], baseline=[0.2, 0.3, 0.4])
    assert (found.verdict, found.exit_code) == ("INCONCLUSIVE", 3)


def test_windows_at_the_true_values_are_decided_on_few_paths_and_by_the_plain_level_on_many() -> (
    None
):
    """Bounds at the values of the population, 40 windows of 150 rows, 20 paths."""
    decided = once = 0
    for path in range(20):
        rng = np.random.default_rng([10, path])
        monitor = karat.Monitor(min={"accuracy": 0.9}, windows=True)
        is_decided = is_once = False
        for _ in range(40):
            y = rng.integers(0, 2, 150)
            pred = np.where(rng.random(150) < 0.9, y, 1 - y)
            is_decided |= monitor.add(y, pred, again=True).verdict != "INCONCLUSIVE"
            low, high = wilson_limits(float((y == pred).mean()), 150, 1.96)
            is_once |= not low <= 0.9 <= high
        decided += is_decided
        once += is_once
    assert decided <= 2
    assert once >= 14


def test_predictions_that_are_the_same_so_far_exclude_no_drop_of_rows_to_come() -> None:
    """A pass stays: 60 equal rows must not pass a drop of 0.01 for good."""
    y = np.arange(60) % 2
    rule: dict[str, Any] = {"max_drop": {"accuracy": 0.01}}
    assert karat.gate(y, y, baseline=y, **rule).verdict == "PASS"
    assert karat.gate(y, y, baseline=y, design=karat.Looks(), **rule).verdict == "INCONCLUSIVE"
    for windows in (False, True):
        found = karat.Monitor(windows=windows, **rule).add(y, y, baseline=y)
        assert found.verdict == "INCONCLUSIVE"
        assert found.rules[0].difference_low < -0.01
    # Enough of them do.
    y = np.arange(6000) % 2
    assert karat.Monitor(**rule).add(y, y, baseline=y).verdict == "PASS"


def test_rare_errors_decide_a_window_on_few_paths() -> None:
    """Accuracy 0.995 in windows of 400 rows: with score limits, a tenth of the paths is wrong."""
    p = np.array([0.45, 0.003, 0.002, 0.545])
    accuracy, balanced = 0.995, (0.45 / 0.453 + 0.545 / 0.547) / 2.0
    wrong = 0
    for path in range(12):
        rng = np.random.default_rng([11, path])
        rules = {"accuracy": accuracy, "balanced_accuracy": balanced}
        monitor = karat.Monitor(min=rules, windows=True, labels=[0, 1])
        for _ in range(40):
            cells = rng.choice(4, 400, p=p)
            result = monitor.add(cells // 2, cells % 2, again=True)
            if any(rule.verdict != "INCONCLUSIVE" for rule in result.rules):
                wrong += 1
                break
    assert wrong <= 1


def test_a_loss_in_a_window_has_the_degrees_of_freedom_of_its_rarest_class() -> None:
    """Three positives of 300: their losses are not all that may come."""
    rng = np.random.default_rng(12)
    y = (np.arange(300) < 3).astype(int)
    p = np.clip(0.02 + 0.3 * y + 0.01 * rng.random(300), 0.0, 1.0)
    rule: dict[str, Any] = {"max": {"log_loss": 0.09}}
    assert karat.Monitor(windows=True, **rule).add(y, y_prob=p).verdict == "INCONCLUSIVE"
    assert karat.gate(y, y_prob=p, rules=karat.Rules(evidence="low"), **rule).verdict == "PASS"


def test_a_loss_of_several_classes_has_the_degrees_of_freedom_of_the_rarest() -> None:
    rng = np.random.default_rng(13)
    y = rng.integers(0, 3, 20_000)
    scores = np.exp(rng.standard_normal((20_000, 3)) + 2.0 * np.eye(3)[y])
    prob = scores / scores.sum(axis=1, keepdims=True)
    (rule,) = karat.Monitor(max={"log_loss": 1.0}, windows=True).add(y, y_prob=prob).rules
    once = karat.evaluate(y, y_prob=prob, metrics=["log_loss"], level=0.97)["log_loss"]
    assert rule.high is not None
    assert rule.low is not None
    assert rule.high - rule.low == pytest.approx(once.high - once.low, rel=0.02)


def test_limits_beyond_all_numbers_leave_a_drop_undecided() -> None:
    rng = np.random.default_rng(14)
    y = (np.arange(400) < 1).astype(int)
    monitor = karat.Monitor(max_drop={"log_loss": 0.02}, windows=True)
    for _ in range(12):
        p = 0.02 + 0.01 * rng.random(400) + 0.3 * y * rng.random()
        found = monitor.add(y, y_prob=p, baseline=p + 0.004 * rng.random(400))
        assert found.verdict in ("INCONCLUSIVE", "PASS")


def test_a_gate_for_every_run_judges_bounds_by_the_limits() -> None:
    y, pred = batch(100, 15, 0.87)
    every = karat.gate(y, pred, min={"accuracy": 0.95}, design=karat.Looks())
    once = karat.gate(y, pred, min={"accuracy": 0.95})
    assert (every.rules[0].verdict, once.rules[0].verdict) == ("INCONCLUSIVE", "FAIL")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("level", 2.0),
        ("level", "x"),
        ("level", float("nan")),
        ("anytime", 0),
        ("anytime", "10"),
        ("windows", True),
        ("windows", "yes"),
        ("inconclusive", "maybe"),
        ("rules", []),
        ("rules", [["min", "accuracy", float("nan")]]),
        ("rules", [["most", "accuracy", 0.5]]),
        ("labels", [1, 1]),
    ],
)
def test_settings_that_no_monitor_has_are_refused(name: str, value: Any) -> None:
    monitor = karat.Monitor(min={"accuracy": 0.5})
    right = monitor._settings.to_dict()
    assert type(monitor._settings).from_dict(right) == monitor._settings
    header = {"species": "monitor", "settings": {**right, name: value}, "reading": {}}
    whole = {**header, "looks": [], "rows": {"new": None, "old": None}}
    refused("K205", lambda: karat.Monitor.from_bytes(framed(whole, {})))


def test_batches_with_other_ids_are_other_batches() -> None:
    monitor = karat.Monitor(max_drop={"accuracy": 0.5})
    y = np.arange(20) % 2
    monitor.add(y, y, baseline=y, ids=np.arange(20))
    assert monitor.add(y, y, baseline=y, ids=np.arange(20, 40)).n == 40
    refused("K241", lambda: monitor.add(y, y, baseline=y, ids=np.arange(20)))


def two_columns(monitor: karat.Monitor, rows: Any, **given: Any) -> Any:
    y, prob, baseline, weights, clusters = (np.asarray(x)[rows] for x in COLUMNS)
    return monitor.add(
        y, y_prob=prob, baseline=baseline, weights=weights, clusters=clusters, **given
    )


_N = 60
COLUMNS = (
    np.arange(_N) % 2,
    np.linspace(0.1, 0.9, _N),
    np.linspace(0.9, 0.2, _N),
    1.0 + np.arange(_N) % 3,
    np.array([f"user {i // 4}" for i in range(_N)]),
)


def test_a_batch_in_another_order_is_the_same_batch() -> None:
    monitor = karat.Monitor(max_drop={"roc_auc": 0.9})
    two_columns(monitor, slice(None))
    rng = np.random.default_rng(0)
    for rows in (slice(None), slice(None, None, -1), rng.permutation(_N)):
        refused("K241", lambda rows=rows: two_columns(monitor, rows))
    # Other rows, or as many of each but joined otherwise, are another batch.
    y, prob, baseline, weights, clusters = COLUMNS
    more = {"baseline": np.roll(baseline, 2), "weights": weights, "clusters": clusters}
    assert monitor.add(y, y_prob=prob, **more).n == 2 * _N
    assert two_columns(monitor, slice(0, _N // 2)).n == 2 * _N + _N // 2


def test_a_row_more_often_is_another_batch() -> None:
    monitor = karat.Monitor(min={"accuracy": 0.1})
    monitor.add(["a", "b"], ["a", "a"])
    assert monitor.add(["a", "b", "b"], ["a", "a", "a"]).n == 5
    refused("K241", lambda: monitor.add(["b", "a", "b"], ["a", "a", "a"]))


def test_ids_that_were_added_are_refused_also_after_bytes_and_in_windows() -> None:
    for windows in (False, True):
        monitor = karat.Monitor(min={"accuracy": 0.1}, windows=windows)
        monitor.add([0, 1, 1], [0, 1, 0], ids=["x", "y", "z"])
        again = karat.Monitor.from_bytes(monitor.to_bytes())
        before = again.to_bytes()
        problem = refused("K430", lambda m=again: m.add([0, 1, 0], [1, 1, 1], ids=["w", "z", "y"]))
        assert "2 of 3 ids were added before, as 'z', 'y'" in str(problem) or "'y', 'z'" in str(
            problem
        )
        assert again.to_bytes() == before
        assert again.add([0, 1], [1, 1], ids=["v", "w"]).n == 5
        assert again.add([0, 1], [1, 0], ids=["v", "w"], again=True).n == 7


def test_a_digest_of_version_0_2_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.api.monitors.monitor.digest_of", digest_in_order)
    monitor = karat.Monitor(min={"accuracy": 0.1})
    monitor.add(*batch(30, 1))
    monkeypatch.undo()
    refused("K241", lambda: monitor.add(*batch(30, 1)))


def test_an_update_of_another_process_is_not_overwritten(tmp_path: Path) -> None:
    path, link = tmp_path / "state.karat", tmp_path / "link.karat"
    link.symlink_to(path)
    monitor = karat.Monitor(min={"accuracy": 0.1})
    monitor.add(*batch(30, 1))
    monitor.save(path)
    other = karat.Monitor.load(link)
    other.add(*batch(30, 2))
    other.save(link)
    other.save(link)
    monitor.add(*batch(30, 3))
    refused("K432", lambda: monitor.save(path))
    assert karat.Monitor.load(path).n_rows == 60
    with locked_state(link):
        refused("K239", lambda: other.save(path, wait=0.1))
    monitor.save(tmp_path / "elsewhere.karat")


def test_a_state_that_does_not_exist_is_an_error_of_both_kinds(tmp_path: Path) -> None:
    assert isinstance(
        refused("K431", lambda: karat.Monitor.load(tmp_path / "nowhere")), FileNotFoundError
    )


def opened(monitor: karat.Monitor) -> tuple[Any, dict[str, Any]]:
    """Facts and arrays of a state."""
    names = (*(f"new_{name}" for name in ARRAYS), "ids")
    header, arrays = unframed(monitor.to_bytes(), names, lambda *parts: parts, names)
    del header["arrays"]
    return header, arrays


def scored_monitor() -> karat.Monitor:
    monitor = karat.Monitor(min={"roc_auc": 0.1})
    n = 12
    y, prob = np.arange(n) % 2, np.linspace(0.1, 0.9, n)
    monitor.add(y, y_prob=prob, weights=np.ones(n), clusters=np.arange(n) // 2, ids=np.arange(n))
    return monitor


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("new_true", lambda x: x.astype(float)),
        ("new_pred", lambda x: x.astype(np.int64)),
        ("new_true", lambda x: x + 1),
        ("new_scores", lambda x: x[:, None, None]),
        ("new_scores", lambda x: x[:-1]),
        ("new_scores", lambda x: x + 1),
        ("new_scores", lambda x: x * np.nan),
        ("new_weights", lambda x: x * 1e200),
        ("new_weights", lambda x: -x),
        ("new_weights", lambda x: 0 * x),
        ("new_weights", lambda x: x.astype(np.int64)),
        ("new_clusters", lambda x: x - 1),
        ("new_clusters", lambda x: x.astype(float)),
        ("ids", lambda x: x.astype(float)),
    ],
)
def test_rows_that_no_monitor_has_are_refused(name: str, change: Any) -> None:
    header, arrays = opened(scored_monitor())
    altered = {**arrays, name: change(arrays[name])}
    problem = refused("K205", lambda: karat.Monitor.from_bytes(framed(header, altered)))
    assert "monitor" in str(problem)


@pytest.mark.parametrize(
    "change",
    [
        lambda h: h["looks"][0].update(values=[1e30]),
        lambda h: h["looks"][0].update(values=["0.5"]),
        lambda h: h["looks"][0].update(lows=[0.9], highs=[0.1]),
        lambda h: h["looks"][0].update(n=12.0),
        lambda h: h["looks"][0].update(digest=5),
        lambda h: h["rows"]["new"].update(labels=[0.5, 1.5]),
        lambda h: h["rows"]["new"].update(positive=7),
        lambda h: h["rows"]["new"].update(clusters=[1, 2, 3, 4, 5, 6]),
        lambda h: h["rows"]["new"].update(tolerance=7.0),
        lambda h: h["rows"]["new"].update(argument=None),
        lambda h: h["settings"].update(positive=0.5),
        lambda h: h["settings"].update(threshold="low"),
        lambda h: h.update(reading={"true": 5}),
    ],
)
def test_facts_that_no_monitor_has_are_refused(change: Any) -> None:
    header, arrays = opened(scored_monitor())
    assert karat.Monitor.from_bytes(framed(header, arrays)).n_rows == 12
    change(header)
    refused("K205", lambda: karat.Monitor.from_bytes(framed(header, arrays)))
