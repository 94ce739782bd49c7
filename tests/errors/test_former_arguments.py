"""Arguments of karat 0.2: every one of a call is answered at once, and what is taught works."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from karat.errors.former import LEFT_OUT, NO_CHOICE, written

TRUE = np.arange(60) % 2
PRED = np.where(np.arange(60) % 5 == 0, 1 - TRUE, TRUE)
GOLD = [None if i % 3 else int(y) for i, y in enumerate(TRUE)]
TABLE = {
    "label": list(map(int, TRUE)),
    "pred": list(map(int, PRED)),
    "w": [1 + i % 3 for i in range(60)],
    "part": [i % 3 for i in range(60)],
    "people": GOLD,
    "llm": list(map(int, PRED)),
}
CALLS: dict[str, Any] = {
    "evaluate": lambda **given: karat.evaluate(TRUE, PRED, **given),
    "table": lambda **given: karat.evaluate(TABLE, y_pred="pred", **given),
    "gate": lambda **given: karat.gate(TRUE, PRED, positive=1, **given),
    "compare": lambda **given: karat.compare(TRUE, {"a": PRED, "b": TRUE}, **given),
    "Stream": karat.Stream,
    "Monitor": lambda **given: karat.Monitor(min={"accuracy": 0.5}, **given),
}


def told(call: Any) -> list[str]:
    """What to do, a line for each argument."""
    with pytest.raises(KaratError) as caught:
        call()
    assert caught.value.code == "K126"
    return [line.strip() for line in str(caught.value).splitlines()[2:]]


def taught(text: str) -> dict[str, Any]:
    """The arguments of a taught spelling."""
    return dict(eval(f"dict({text})", {"karat": karat}))  # noqa: S307


def of_one(line: str) -> dict[str, Any]:
    """The arguments that the answer to one argument teaches."""
    found = re.search(r"\w+=.*", line.rstrip("."))
    assert found is not None, line
    return taught(found[0])


@pytest.mark.parametrize(
    ("verb", "given"),
    [
        ("evaluate", {"gold_is_random": False}),
        ("evaluate", {"weights_are": "importance"}),
        ("evaluate", {"class_names": None}),
        ("evaluate", {"judge": None}),
        ("evaluate", {"anytime": False}),
        ("evaluate", {"seed": 0}),
        ("evaluate", {"nulls": "error"}),
        ("evaluate", {"n_jobs": None}),
        ("gate", {"strict_inconclusive": False}),
        ("gate", {"with_rows": False}),
        ("gate", {"warn_only": False}),
        ("gate", {"update_baseline": None}),
        ("compare", {"n_permutations": 4999}),
        ("Stream", {"weights_are": "importance"}),
    ],
)
def test_a_default_of_old_is_left_out(verb: str, given: dict[str, Any]) -> None:
    assert told(lambda: CALLS[verb](**given)) == [LEFT_OUT]


@pytest.mark.parametrize("value", ["cohort", "case-control"])
def test_designs_that_were_texts(value: str) -> None:
    call: Any = karat.evaluate
    with pytest.raises(KaratError, match="K122") as caught:
        call(TRUE, PRED, design=value)
    assert (LEFT_OUT in str(caught.value)) == (value == "cohort")
    assert ("design=karat.CaseControl()" in str(caught.value)) == (value != "cohort")
    lines = told(lambda: call(TRUE, PRED, design=value, prevalence=0.1, seed=None))
    design = taught(lines[-1].removeprefix("Together: ").rstrip("."))
    assert design == {"design": karat.CaseControl(prevalence=0.1)}


@pytest.mark.parametrize(
    ("verb", "given", "wanted"),
    [
        ("gate", {"strict_inconclusive": True}, {"rules": karat.Rules(inconclusive="fail")}),
        ("gate", {"with_rows": True}, {"reading": karat.Reading(keep_rows=True)}),
        ("compare", {"n_permutations": 99}, {"interval": karat.Interval(n_replicates=99)}),
        ("evaluate", {"anytime": True}, {"design": karat.Looks()}),
        ("evaluate", {"anytime": 500}, {"design": karat.Looks(500)}),
        ("table", {"folds": "part"}, {"design": karat.Folds("part")}),
        ("table", {"folds": "auto"}, {"design": karat.Folds()}),
        (
            "table",
            {"folds": {"repeat": "r", "fold": "part"}},
            {"design": karat.Folds("part", repeat="r")},
        ),
        ("evaluate", {"target_names": ["a", "b"]}, {"labels": karat.Labels(names=["a", "b"])}),
        (
            "evaluate",
            {"class_names": ["no", "yes"], "labels": [0, 1]},
            {"labels": karat.Labels([0, 1], names=["no", "yes"])},
        ),
        (
            "evaluate",
            {"seed": 3, "interval": karat.Interval(method="bootstrap")},
            {"interval": karat.Interval(method="bootstrap", seed=3)},
        ),
        (
            "table",
            {"folds": "part", "design": karat.Looks(90)},
            {"design": [karat.Folds("part"), karat.Looks(90)]},
        ),
        (
            "evaluate",
            {"gold_weights": [2, 3], "design": karat.Judge([1, 0], is_random=True)},
            {"design": karat.Judge([1, 0], weights=[2, 3], is_random=True)},
        ),
    ],
)
def test_the_value_is_carried(verb: str, given: dict[str, Any], wanted: dict[str, Any]) -> None:
    (line,) = told(lambda: CALLS[verb](**given))
    assert of_one(line) == wanted


def test_an_answer_that_drops_the_value_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.errors.former.written", lambda _: "1")
    (line,) = told(lambda: CALLS["compare"](n_permutations=99))
    assert of_one(line) != {"interval": karat.Interval(n_replicates=99)}


def test_every_argument_of_a_call_is_answered_in_one_message() -> None:
    given: dict[str, Any] = {
        "n_threads": 2,
        "seed": 1,
        "method": "wald",
        "nulls": "drop",
        "class_names": ["ok", "bad"],
        "labels": [0, 1],
        "keep_rows": 2,
    }
    lines = told(lambda: CALLS["evaluate"](**given))
    names = [name for name in given if name != "labels"]
    assert [line.partition("=: ")[0] for line in lines[:-1]] == names
    merged = taught(lines[-1].removeprefix("Together: ").rstrip("."))
    assert merged == {
        "labels": karat.Labels([0, 1], names=["ok", "bad"]),
        "interval": karat.Interval(method="wald", seed=1),
        "reading": karat.Reading(nulls="drop", keep_rows=2, n_threads=2),
    }
    # Reading(nulls=…) belongs to columns of a table.
    report = karat.evaluate(TABLE, y_pred="pred", **merged)
    assert report.classes.display == ("ok", "bad")


def test_gold_labels_with_their_judge() -> None:
    given = {"gold": "people", "judge": "llm", "gold_is_random": True, "pred": "pred"}
    call: Any = karat.evaluate
    lines = told(lambda: call(TABLE, **given))
    merged = taught(lines[-1].removeprefix("Together: ").rstrip("."))
    assert merged["design"] == karat.Judge("llm", is_random=True)
    assert all("karat.Judge('llm'" in line for line in lines[:3])
    assert call(TABLE, **merged).n_gold == 20
    (line,) = told(lambda: call(TABLE, y_pred="pred", design=karat.Judge("llm"), gold="people"))
    assert "y_true='people', design=karat.Judge('llm')" in line


def test_weights_that_count_rows() -> None:
    given: dict[str, Any] = {"weight": "w", "weights_are": "frequency"}
    lines = told(lambda: CALLS["table"](**given))
    merged = taught(lines[-1].removeprefix("Together: ").rstrip("."))
    assert merged == {"weights": karat.Frequency("w")}
    assert CALLS["table"](**merged).is_weighted
    (line,) = told(lambda: CALLS["table"](weights="w", weights_are="frequency"))
    assert "weights=karat.Frequency('w')" in line


def test_weights_of_a_stream_belong_to_its_rows() -> None:
    for given in ({"weights_are": "frequency"}, {"weights": karat.Frequency(np.ones(60))}):
        (line,) = told(lambda given=given: CALLS["Stream"](**given))
        assert "stream.update(weights=karat.Frequency(…))" in line
    stream = karat.Stream()
    stream.update(TRUE, PRED, weights=karat.Frequency(np.ones(60)))
    assert stream.report().n_rows == 60
    update: Any = karat.Stream().update
    (line,) = told(lambda: update(TRUE, PRED, class_names=["no", "yes"]))
    assert "karat.Stream(labels=karat.Labels(names=['no', 'yes']))." in line
    named = karat.Stream(labels=karat.Labels(names=["no", "yes"]))
    named.update(TRUE, PRED)
    assert named.report().classes.display == ("no", "yes")


def test_the_next_baseline(tmp_path: Path) -> None:
    path = str(tmp_path / "b")
    call: Any = CALLS["gate"]
    (first,) = told(lambda: call(update_baseline="b.json"))
    assert first.endswith("karat.gate(…).save_baseline('b.json').")
    assert Path(str(call().save_baseline(path).updated_baseline)).exists()
    (later,) = told(lambda: call(update_baseline="b.json", min={"accuracy": 0.99}))
    assert "if result.passed: result.save_baseline('b.json')" in later
    failing = call(min={"accuracy": 0.99})
    assert not failing.passed
    with pytest.raises(KaratError, match="K178"):
        failing.save_baseline(path)
    (rows,) = told(lambda: call().save_baseline(path, with_rows=True))
    assert "reading=karat.Reading(keep_rows=True)).save_baseline(path)" in rows
    call(reading=karat.Reading(keep_rows=True)).save_baseline(path)
    assert call(baseline=path, max_drop={"accuracy": 0.1}).passed


def test_values_of_any_kind_are_answered() -> None:
    array = np.arange(60) % 3
    for name in ("folds", "anytime", "class_names", "judge", "gold", "weights_are", "seed"):
        assert told(lambda name=name: CALLS["evaluate"](**{name: array}))
    monitor: Any = CALLS["Monitor"]().add
    assert told(lambda: monitor(TRUE, PRED, folds=array)) == [NO_CHOICE]
    weak: Any = karat.find_weak_slices
    for design in (karat.CaseControl(), [karat.Looks()], "cohort", array):
        assert told(lambda design=design: weak(TRUE, PRED, design=design))


def test_what_a_verb_does_not_take_is_not_taught() -> None:
    (line,) = told(lambda: CALLS["Monitor"](separator="|"))
    assert line == "A monitor reads one class in each row: leave it out."
    call: Any = karat.confusion_matrix
    (line,) = told(lambda: call(TRUE, PRED, class_names=["a", "b"]))
    assert "karat." not in line
    (line,) = told(lambda: CALLS["Stream"](nulls="drop"))
    assert "karat." not in line
    given: dict[str, Any] = {"nulls": "drop", "reading": karat.Reading(nulls="error")}
    (line,) = told(lambda: CALLS["evaluate"](**given))
    assert line == "karat.Reading(nulls='error') is given too: give it once."


@pytest.mark.parametrize(
    ("group", "given", "now"),
    [
        (karat.Interval, {"n_permutations": 99}, {"n_replicates": 99}),
        (karat.Labels, {"class_names": ["a"]}, {"names": ["a"]}),
        (karat.Labels, {"labels": ["a"]}, {"order": ["a"]}),
        (karat.Judge, {"gold_weights": "w"}, {"weights": "w"}),
    ],
)
def test_groups_name_their_own_arguments(group: Any, given: Any, now: Any) -> None:
    (line,) = told(lambda: group(**given))
    assert taught(line.removeprefix("Here it is ").rstrip(".")) == now
    assert group(**({"judge": "j"} if group is karat.Judge else {}), **now)


def test_groups_say_what_they_need() -> None:
    for group, text in ((karat.Frequency, "the number of rows"), (karat.Judge, "the label that")):
        call: Any = group
        with pytest.raises(TypeError, match=f"is missing its argument .* Give {text}"):
            call()


def test_values_that_are_no_literals_are_not_shown() -> None:
    class Odd:
        def __repr__(self) -> str:
            raise ZeroDivisionError

    assert [written(one) for one in (Odd(), object(), np.ones(3), "a" * 50, "a\nb")] == [
        *["…"] * 4,
        repr("a\nb"),
    ]
    assert written(Path("a") / "b") == repr(str(Path("a") / "b"))
