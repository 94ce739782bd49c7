"""Labels of one model do not change the numbers of another: values are those of its own report."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import karat
from karat.inference.comparison import sets
from karat.inference.comparison.models import Joint
from tests.grouping import grouped

Labels = npt.NDArray[Any]
SEEDS = range(2)
OTHERS = {"text": np.array(["mid", "unknown", "zz"]), "numbers": np.array([3, 7, -1])}
"""Labels that are never true: in between, and at both ends."""


def rows(seed: int, kind: str, n: int = 90) -> tuple[Labels, dict[str, Labels]]:
    """A truth, two models without other labels, two with some of their own."""
    rng = np.random.default_rng(seed)
    known: Labels = np.array(["a", "b", "x"]) if kind == "text" else np.array([1, 2, 5])
    true = known[rng.choice(3, n, p=[0.2, 0.3, 0.5])]
    models = {}
    for name, share in (("first", 0.8), ("second", 0.7), ("junk", 0.75), ("more", 0.6)):
        said = np.where(rng.random(n) < share, true, known[rng.integers(0, 3, n)])
        models[name] = said.astype(object)
    models["junk"][rng.integers(0, n, 2)] = OTHERS[kind][0]
    at = rng.integers(0, n, 9)
    models["more"][at] = OTHERS[kind][rng.integers(1, 3, 9)]
    return true, {name: np.array(said.tolist()) for name, said in models.items()}


def check_values(found: Any, alone: Callable[[str], Any]) -> int:
    """Compare every value with that of the report of its model; return how many there are."""
    checked = 0
    for name in found.models:
        report = alone(name)
        for metric in found.metrics:
            mine, own = found.values[metric][name], report[metric]
            if str(mine.remark).startswith("undefined"):
                assert own.undefined, (metric, name)
                continue
            assert mine.value == pytest.approx(own.value, rel=1e-12, abs=1e-15), (metric, name)
            if own.low is not None and mine.low is not None:
                assert mine.low == pytest.approx(own.low, rel=1e-9, abs=1e-12), (metric, name)
                assert mine.high == pytest.approx(own.high, rel=1e-9, abs=1e-12), (metric, name)
            checked += 1
    return checked


def options_of(design: str, n: int) -> dict[str, Any]:
    if design == "weights":
        return {"weights": np.linspace(0.5, 2.0, n)}
    if design == "clusters":
        return {"clusters": np.arange(n) // 3}
    if design == "frequency":
        return {"weights": karat.Frequency(np.arange(n) % 3 + 1)}
    return {"undefined": design} if design in ("exclude", "nan") else {}


DESIGNS = ("plain", "weights", "clusters", "frequency", "exclude", "nan")


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("kind", ["text", "numbers"])
@pytest.mark.parametrize(("seed", "metrics"), [(0, None), (1, "all")])
def test_values_are_those_of_the_report_of_each_model(
    seed: int, metrics: str | None, kind: str, design: str
) -> None:
    true, models = rows(seed, kind)
    options = options_of(design, len(true))
    few = {"interval": karat.Interval(n_replicates=99)}
    found = karat.compare(true, models, metrics=metrics, **grouped({**options, **few}, ("adjust",)))
    assert (
        check_values(found, lambda name: karat.evaluate(true, models[name], **grouped(options)))
        >= 16
    )
    apart = karat.compare(true, models, paired=False, **grouped({**options, **few}, ("adjust",)))
    check_values(apart, lambda name: karat.evaluate(true, models[name], **grouped(options)))


@pytest.mark.parametrize("kind", ["text", "numbers"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_third_model_does_not_change_the_difference_of_two(seed: int, kind: str) -> None:
    true, models = rows(seed, kind)
    facts = {"metrics": "all", "adjust": "none", "interval": karat.Interval(n_replicates=199)}
    every = karat.compare(true, models, **grouped(facts, ("adjust",)))
    names = list(models)
    for i, b in enumerate(names):
        for a in names[i + 1 :]:
            two = karat.compare(true, {b: models[b], a: models[a]}, **grouped(facts, ("adjust",)))
            for metric in two.metrics:
                one, other = two[metric, a, b], every[metric, a, b]
                assert one.verdict == other.verdict, (metric, a, b)
                assert one.method == other.method, (metric, a, b)
                for field in ("difference", "low", "high", "p", "detectable", "standard_error"):
                    mine, theirs = getattr(one, field), getattr(other, field)
                    assert (mine is None) == (theirs is None), (metric, a, b, field)
                    if mine is not None:
                        near = pytest.approx(theirs, rel=1e-9, abs=1e-12, nan_ok=True)
                        assert mine == near, (metric, a, b, field)


def test_declared_classes_all_count() -> None:
    true, models = rows(0, "text")
    labels = ["a", "b", "mid", "unknown", "x", "zz"]
    found = karat.compare(
        true, models, labels=labels, metrics="all", interval=karat.Interval(n_replicates=99)
    )
    check_values(found, lambda name: karat.evaluate(true, models[name], labels=labels))
    alone = karat.compare(true, models)
    mine, theirs = (one.values["macro_f1"]["first"].value for one in (found, alone))
    assert mine == pytest.approx(theirs / 2)


@pytest.mark.parametrize("seed", SEEDS)
def test_models_of_the_same_classes_are_compared_as_with_declared_ones(seed: int) -> None:
    true, models = rows(seed, "numbers")
    two = {name: models[name] for name in ("first", "second")}
    facts = {"metrics": "all", "interval": karat.Interval(n_replicates=199)}
    found, declared = (
        karat.compare(true, two, labels=x, **grouped(facts, ("adjust",))) for x in (None, [1, 2, 5])
    )
    for one, other in zip(found.differences, declared.differences, strict=True):
        # Undefined values are not equal to themselves.
        assert str(replace(one, method="")) == str(replace(other, method=""))
        assert one.p == other.p
        assert one.low == other.low


def test_models_with_probabilities_keep_their_values() -> None:
    true, _ = rows(1, "text")
    rng = np.random.default_rng(1)
    both = {name: rng.dirichlet([1, 2, 3], len(true)) for name in ("p", "q")}
    found = karat.compare(true, y_prob=both, metrics="all")
    check_values(found, lambda name: karat.evaluate(true, y_prob=both[name]))


def test_rows_of_each_model_and_reports() -> None:
    _, models = rows(2, "text")
    truths = {"first": rows(2, "text")[0], "more": rows(3, "text", 150)[0]}
    said = {"first": models["first"], "more": rows(3, "text", 150)[1]["more"]}

    def alone(name: str) -> Any:
        return karat.evaluate(truths[name], said[name])

    check_values(karat.compare(truths, said, metrics="all"), alone)
    reports = {name: alone(name) for name in said}
    check_values(karat.compare(reports, metrics="all"), alone)
    users = {name: np.arange(len(true)) // 3 for name, true in truths.items()}
    found = karat.compare(truths, said, clusters=users, metrics="all")
    check_values(found, lambda name: karat.evaluate(truths[name], said[name], clusters=users[name]))


@pytest.mark.parametrize("seed", SEEDS)
def test_best_of_several_and_all_at_once_read_the_same_values(seed: int) -> None:
    true, models = rows(seed, "text")
    found = karat.compare(true, models, adjust="maxt", interval=karat.Interval(n_replicates=99))
    values = {name: karat.evaluate(true, said)["macro_f1"].value for name, said in models.items()}
    best = found.best("macro_f1")
    assert best.model == max(values, key=lambda name: values[name])
    assert best.value == pytest.approx(max(values.values()))


def test_folds_are_those_of_the_report() -> None:
    true, models = rows(1, "text", 150)
    folds = np.arange(len(true)) % 5
    found = karat.compare(true, models, design=karat.Folds(folds))
    for name, said in models.items():
        alone = karat.evaluate(true, said, design=karat.Folds(folds)).folds["macro_f1"]
        mine = found.folds.models[name]["macro_f1"]
        assert mine.values == pytest.approx(alone.values)


def test_a_gate_shows_one_value_of_a_metric() -> None:
    true = list("abc") * 40
    new, old = list(true), list(true)
    new[0], new[4], new[7] = "b", "a", "c"
    old[5], old[8] = "unknown", "a"
    rules = {"min": {"macro_f1": 0.9}, "no_worse_than": {"macro_f1": 0.01}}
    found = karat.gate(true, new, baseline=old, **grouped(rules))
    own = [karat.evaluate(true, said)["macro_f1"] for said in (new, old)]
    for rule in found.rules:
        assert rule.value == pytest.approx(own[0].value)
        assert (rule.low, rule.high) == pytest.approx((own[0].low, own[0].high))
    assert found.rules[1].before == pytest.approx(own[1].value)


def test_a_monitor_shows_the_value_of_the_report() -> None:
    true, models = rows(1, "text")
    monitor = karat.Monitor(no_worse_than={"macro_f1": 0.3}, min={"macro_f1": 0.1})
    found = monitor.add(true, models["first"], baseline=models["more"])
    own = karat.evaluate(true, models["first"])["macro_f1"].value
    assert [rule.value for rule in found.rules] == pytest.approx([own, own])


def sets_of(seed: int) -> tuple[list[set[str]], dict[str, list[set[str]]]]:
    rng = np.random.default_rng(seed)
    true = [{"abc"[i] for i in np.flatnonzero(rng.random(3) < 0.5)} for _ in range(120)]
    models = {}
    for name in ("first", "second", "junk"):
        models[name] = [{x for x in "abc" if (x in one) != (rng.random() < 0.2)} for one in true]
    for i in range(4):
        models["junk"][i].add("bb" if i % 2 else "zz")
    return true, models


@pytest.mark.parametrize("seed", SEEDS)
def test_labels_of_sets_are_those_of_the_report(seed: int) -> None:
    true, models = sets_of(seed)
    found = karat.compare(true, models, metrics="all", interval=karat.Interval(n_replicates=199))
    check_values(found, lambda name: karat.evaluate(true, models[name]))
    two = {name: models[name] for name in ("first", "second")}
    alone = karat.compare(
        true, two, metrics="all", adjust="none", interval=karat.Interval(n_replicates=199)
    )
    three = karat.compare(
        true, models, metrics="all", adjust="none", interval=karat.Interval(n_replicates=199)
    )
    for one in alone:
        other = three[one.metric, one.a, one.b]
        assert (one.low is None, one.p is None) == (other.low is None, other.p is None)
        mine, theirs = (
            [math.nan if x is None else x for x in (y.difference, y.low, y.high, y.p)]
            for y in (one, other)
        )
        assert mine == pytest.approx(theirs, rel=1e-9, abs=1e-12, nan_ok=True), one.metric


def test_systems_with_a_judge_have_their_own_classes() -> None:
    true, models = rows(1, "text", 200)
    gold = true.astype(object)
    gold[80:] = None
    facts = {"y_true": gold, "design": karat.Judge(true, is_random=True)}
    three = karat.compare(y_pred=models, **grouped(facts, ("adjust",)))
    two = karat.compare(
        y_pred={name: models[name] for name in ("first", "second")},
        metrics="macro_f1",
        **grouped(facts, ("adjust",)),
    )
    # The weight of the judge is one for all systems.
    assert three.values["macro_f1"]["first"].value == pytest.approx(
        two.values["macro_f1"]["first"].value, abs=0.05
    )


def test_the_doubt_names_the_model_with_the_label() -> None:
    true, models = rows(1, "text")
    two = {name: models[name] for name in ("first", "more")}
    (one,) = (x for x in karat.compare(true, two).doubts if x.code == "D127")
    assert one.noticed.startswith("In more: ")


def test_a_junk_label_of_few_rows_is_no_evidence() -> None:
    true = list("abc") * 40
    svm, llm = list(true), list(true)
    svm[0], llm[5] = "b", "unknown"
    found = karat.compare(true, {"svm": svm, "llm": llm})["macro_f1"]
    assert found.value_b == pytest.approx(karat.evaluate(true, svm)["macro_f1"].value)
    # Either model may have said the one label: permutations decide.
    assert found.p == pytest.approx(1.0)
    assert found.verdict == "inconclusive"


def test_a_common_axis_of_classes_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def every(joint: Joint) -> tuple[None, ...]:
        return (None,) * len(joint.cells.names)

    monkeypatch.setattr(Joint, "counted", property(every))
    with pytest.raises(AssertionError):
        test_values_are_those_of_the_report_of_each_model(0, None, "text", "plain")
    with pytest.raises(AssertionError):
        test_a_third_model_does_not_change_the_difference_of_two(0, "text")
    with pytest.raises(AssertionError):
        test_a_gate_shows_one_value_of_a_metric()


def test_a_common_axis_of_labels_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.api.set_models.on_own_labels", lambda rows: rows)
    assert sets.on_own_labels is not None
    with pytest.raises(AssertionError):
        test_labels_of_sets_are_those_of_the_report(0)
