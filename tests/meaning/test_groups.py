"""Groups of options: values that hold several options of a verb, and what contradicts them."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.api.request.groups import GROUPS, Group, arguments_of, arguments_of_group, with_groups
from karat.api.request.request import all_options, options_of
from tests.grouping import grouped

TRUE, PRED = [0, 1] * 30, [0, 1, 1, 1] * 15
PROB = np.linspace(0.05, 0.95, 60)
VERBS = sorted({verb for item in all_options().values() for verb in item.verbs})
LARGEST = {"evaluate": 21, "compare": 24, "gate": 26}
"""Parameters that a verb has at most."""
SAMPLES: dict[type[Group], tuple[Group, Group]] = {
    karat.Labels: (karat.Labels([0, 1]), karat.Labels(names=["no", "yes"])),
    karat.Interval: (karat.Interval(level=0.9), karat.Interval(method="wald", seed=7)),
    karat.Frequency: (karat.Frequency("n"), karat.Frequency("copies")),
    karat.Reading: (karat.Reading(nulls="drop"), karat.Reading(n_threads=2)),
    karat.Rules: (karat.Rules(evidence="low"), karat.Rules(min_n=5, adjust="none")),
    karat.Folds: (karat.Folds(), karat.Folds("fold", repeat="repeat")),
    karat.Looks: (karat.Looks(), karat.Looks(500)),
    karat.CaseControl: (karat.CaseControl(), karat.CaseControl(prevalence=0.02)),
    karat.Judge: (karat.Judge("llm"), karat.Judge("llm", is_random=True)),
}


def code_of(call: Any) -> str:
    with pytest.raises(karat.KaratError) as caught:
        call()
    return caught.value.code


@pytest.mark.parametrize("kind", GROUPS, ids=lambda kind: kind.__name__)
def test_a_group_is_a_frozen_value_whose_repr_is_the_call(kind: type[Group]) -> None:
    for sample in SAMPLES[kind]:
        again = eval(repr(sample), {"karat": karat})  # noqa: S307  # its own repr
        assert again == sample == pickle.loads(pickle.dumps(sample)) == copy.deepcopy(sample)
        assert again != object()
        assert again != 1
        if kind is not karat.Labels:  # a list of classes has no hash
            assert hash(again) == hash(sample)
        with pytest.raises(dataclasses.FrozenInstanceError):
            sample.level = 0.5  # type: ignore[attr-defined]
        with pytest.raises(dataclasses.FrozenInstanceError):
            del sample.level
        assert set(kind.parts) <= set(dir(sample))
        for part in kind.parts:
            getattr(sample, part)
        with pytest.raises(AttributeError):
            _ = sample.no_such
    first, second = SAMPLES[kind]
    assert first != second


def test_a_default_that_is_given_is_equal_to_none_given() -> None:
    assert karat.Interval(seed=0, side="both") == karat.Interval()
    assert hash(karat.Interval(seed=0)) == hash(karat.Interval())
    assert karat.Interval(seed=0) != karat.Interval(seed=1)
    assert karat.Folds(np.arange(4)) == karat.Folds(np.arange(4))
    assert karat.Folds(np.arange(4)) != karat.Folds(np.arange(5))


@pytest.mark.parametrize("kind", GROUPS, ids=lambda kind: kind.__name__)
def test_a_group_shows_its_arguments(kind: type[Group]) -> None:
    shown = inspect.signature(kind).parameters
    assert list(shown) == list(kind.parts)
    for item in arguments_of_group(kind):
        assert item.text
        assert f"{item.name}: " in str(kind.__doc__)


def test_a_group_refuses_what_it_does_not_have() -> None:
    assert code_of(lambda: karat.Interval(methd="wald")) == "K126"
    assert code_of(lambda: karat.Labels([0, 1], order=[0, 1])) == "K156"
    for later in ("ignore", "abstain", "background", "unknown", "hierarchy"):
        assert code_of(lambda later=later: karat.Labels(**{later: [1]})) == "K262"
    assert code_of(lambda: karat.CaseControl(prevalence=10)) == "K122"
    for wrong in ({"ordered": True}, {"order": [0, 1], "ordered": False}):
        assert code_of(lambda wrong=wrong: karat.Labels(**wrong)) == "K122"
    assert karat.Labels(["low", "high"], ordered=True).ordered is True
    for call in (karat.Frequency, karat.Judge, lambda: karat.Looks(1, 2)):
        with pytest.raises(TypeError):
            call()
    assert code_of(lambda: karat.Rules(1)) == "K138"


@pytest.mark.parametrize("verb", LARGEST)
def test_a_verb_has_few_parameters(verb: str) -> None:
    names = list(inspect.signature(getattr(karat, verb)).parameters)
    assert len(names) <= LARGEST[verb]
    assert names[:2] == ["data", "predictions"]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_is_an_argument_or_a_part_of_one(verb: str) -> None:
    shown = {item.name for item in arguments_of(verb)}
    for item in options_of(verb):
        groups = [
            kind for kind in GROUPS if item.name in {*sum(kind.parts.values(), ()), *kind.implied}
        ]
        assert item.name in shown or any(kind.argument in shown for kind in groups), item.name


@pytest.mark.parametrize("kind", GROUPS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("verb", ["evaluate", "compare", "gate", "check", "find_weak_slices"])
def test_an_argument_of_before_answers_with_its_group(verb: str, kind: type[Group]) -> None:
    names = [x.name for x in arguments_of(verb)]
    if kind.argument not in names or kind in (karat.Labels, karat.Frequency):
        return
    for part, options in kind.parts.items():
        for option in options:
            if (
                option in names
                or option == "n_threads"
                or option not in {x.name for x in options_of(verb)}
            ):
                continue
            with pytest.raises(karat.KaratError, match="K126") as caught:
                getattr(karat, verb)(TRUE, PRED, **{option: 3})
            assert f"karat.{kind.__name__}(" in str(caught.value), (part, str(caught.value))


@pytest.mark.parametrize(
    ("flat", "group"),
    [
        ({"level": 0.9}, {"interval": karat.Interval(level=0.95)}),
        ({"level": None}, {"interval": karat.Interval(level=0.95)}),
        ({"positive": 0}, {"labels": karat.Labels([0, 1], positive=1)}),
        ({"threshold": 0.3}, {"labels": karat.Labels(threshold=0.4)}),
    ],
)
def test_what_is_given_twice_has_to_be_equal(flat: dict[str, Any], group: dict[str, Any]) -> None:
    for call in (karat.evaluate, karat.check):
        if "level" in flat and call is karat.check:
            continue
        assert code_of(lambda call=call: call(TRUE, y_prob=PROB, **flat, **group)) == "K260"
    (part, value), (argument, sample) = *flat.items(), *group.items()
    same = type(sample)(**{**sample.given, part: value})
    twice = karat.evaluate(TRUE, y_prob=PROB, **grouped({**flat, argument: same}))
    assert (
        twice.to_json() == karat.evaluate(TRUE, y_prob=PROB, **grouped({argument: same})).to_json()
    )


def test_two_of_one_design_and_what_is_no_group_are_refused() -> None:
    twice = [karat.Looks(), karat.Looks(100)]
    assert code_of(lambda: karat.evaluate(TRUE, PRED, design=twice)) == "K260"
    for argument in ("interval", "reading", "design"):
        for wrong in ("bootstrap", 3, karat.Rules()):
            asked: dict[str, Any] = {argument: wrong}
            assert code_of(lambda a=asked: karat.evaluate(TRUE, PRED, **a)) == "K122"
    assert code_of(lambda: karat.evaluate(TRUE, PRED, weights=karat.Looks(3))) == "K122"


@pytest.mark.parametrize(
    ("verb", "group", "argument"),
    [
        (
            "find_weak_slices",
            {"interval": karat.Interval(method="wald")},
            "karat.Interval(method=)",
        ),
        ("compare", {"interval": karat.Interval(side="low")}, "karat.Interval(side=)"),
        ("gate", {"reading": karat.Reading(exact=True)}, "karat.Reading(exact=)"),
        ("check", {"design": karat.Looks()}, "karat.Looks"),
        ("gate", {"design": karat.CaseControl()}, "karat.CaseControl"),
        ("gate", {"design": karat.Judge(PRED)}, "karat.Judge"),
    ],
)
def test_a_part_that_a_verb_does_not_take_is_refused(
    verb: str, group: dict[str, Any], argument: str
) -> None:
    with pytest.raises(karat.KaratError, match="K261") as caught:
        getattr(karat, verb)(TRUE, PRED, **group)
    assert argument in str(caught.value)


def test_a_default_of_a_part_that_a_verb_does_not_take_changes_nothing() -> None:
    values = with_groups("compare", {"interval": karat.Interval(side="both", seed=3)})
    assert values == {"seed": 3}


def test_parts_mean_what_flat_arguments_mean() -> None:
    report = karat.evaluate(TRUE, PRED, interval=karat.Interval(level=0.9))
    assert report.to_json() == karat.evaluate(TRUE, PRED, level=0.9).to_json()
    order = karat.evaluate(TRUE, PRED, labels=karat.Labels([1, 0], positive=1))
    assert order.to_json() == karat.evaluate(TRUE, PRED, labels=[1, 0], positive=1).to_json()
    cut = karat.evaluate(TRUE, y_prob=PROB, labels=karat.Labels(threshold=0.7))
    assert cut.to_json() == karat.evaluate(TRUE, y_prob=PROB, threshold=0.7).to_json()
    assert cut.to_json() != karat.evaluate(TRUE, y_prob=PROB).to_json()


def test_frequencies_of_a_stream_are_fixed_by_its_first_batch() -> None:
    copies = np.arange(60) % 3 + 1
    whole = karat.evaluate(TRUE, PRED, weights=karat.Frequency(copies))
    stream = karat.Stream()
    for rows in (slice(0, 20), slice(20, 60)):
        stream.update(TRUE[rows], PRED[rows], weights=karat.Frequency(copies[rows]))
    assert stream.report()["accuracy"] == whole["accuracy"]
    plain = karat.evaluate(TRUE, PRED, weights=copies)
    assert plain["accuracy"].low != whole["accuracy"].low
    assert code_of(lambda: stream.update(TRUE, PRED, weights=copies)) == "K202"
    merged = karat.Stream().merge(stream)
    assert merged.report()["accuracy"] == whole["accuracy"]
    again = karat.Stream.from_bytes(stream.to_bytes())
    assert again.report()["accuracy"] == whole["accuracy"]
    other = karat.Stream()
    other.update(TRUE, PRED, weights=copies)
    assert code_of(lambda: stream.merge(other)) == "K202"
    with pytest.raises(karat.KaratError):
        other.update(TRUE, PRED, weights=karat.Frequency(copies))
    assert other.report()["accuracy"] == plain["accuracy"]


def test_folds_name_columns_of_any_name() -> None:
    fold, repeat = np.arange(60) % 30 // 10, np.arange(60) // 30
    table = {"label": TRUE, "pred": PRED, "part": fold, "round": repeat, "id": np.arange(60) % 30}
    named = karat.evaluate(table, design=karat.Folds("part", repeat="round"))
    values = karat.evaluate(
        TRUE, PRED, ids=np.arange(60) % 30, design=karat.Folds(fold, repeat=repeat)
    )
    assert named.folds["accuracy"].fold_mean == values.folds["accuracy"].fold_mean
    assert named.folds["accuracy"].low == values.folds["accuracy"].low
    assert code_of(lambda: karat.evaluate(table, design=karat.Folds("part", repeat="no"))) == "K404"
    assert code_of(lambda: karat.evaluate(TRUE, PRED, design=karat.Folds(repeat=repeat))) == "K250"


def test_a_judge_makes_the_truth_the_gold_labels() -> None:
    gold: list[Any] = [x if i % 2 else None for i, x in enumerate(TRUE)]
    judge = karat.Judge(TRUE, is_random=True)
    report = karat.evaluate(gold, PRED, design=judge)
    assert report.n_gold == 30
    table = {"human": gold, "pred": PRED, "llm": TRUE}
    named = karat.evaluate(table, y_true="human", design=karat.Judge("llm", is_random=True))
    assert named["accuracy"].value == report["accuracy"].value
    assert code_of(lambda: karat.evaluate(gold, PRED)) == "K104"
    assert code_of(lambda: karat.evaluate(y_pred=PRED, design=judge)) == "K242"


def test_a_gate_without_rules_has_no_verdict_and_writes_the_first_baseline(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    first = karat.gate(TRUE, PRED, reading=karat.Reading(keep_rows=True))
    assert not first
    assert first.exit_code == 3
    assert first.verdict is None
    assert "no verdict" in str(first)
    assert first.save_baseline(path).updated_baseline == str(path)
    then = karat.gate(TRUE, PRED, baseline=path)
    assert then
    assert then.is_paired
    failed = karat.gate(TRUE, PRED, min={"accuracy": 0.99})
    assert code_of(lambda: failed.save_baseline(path)) == "K178"
    assert code_of(lambda: pickle.loads(pickle.dumps(then)).save_baseline(path)) == "K178"
    with pytest.raises(karat.KaratError, match="K413"):
        first.save_baseline(tmp_path / "no such folder" / "b.json")


def test_the_words_of_tables_of_tests_become_groups() -> None:
    flat = {"method": "wald", "seed": 1, "folds": "auto", "anytime": True, "gold": TRUE}
    assert grouped(flat) == {
        "y_true": TRUE,
        "interval": karat.Interval(method="wald", seed=1),
        "design": [karat.Folds(), karat.Looks()],
    }
