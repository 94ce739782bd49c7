"""Options are checked by their records: at every verb, before rows are read, with one text."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import karat
from karat.api.request.request import all_options, options_of
from karat.errors import KaratError
from karat.inference.confidence import Confidence
from tests.grouping import grouped

TRUE, PRED = [0, 1, 0, 1], [0, 1, 1, 1]
VERBS: dict[str, Callable[..., Any]] = {
    "evaluate": lambda **o: karat.evaluate(TRUE, PRED, **grouped(o)),
    "compare": lambda **o: karat.compare(TRUE, {"a": PRED, "b": TRUE}, **grouped(o, ("adjust",))),
    "gate": lambda **o: karat.gate(TRUE, PRED, min={"accuracy": 0.1}, **grouped(o)),
    "find_weak_slices": lambda **o: karat.find_weak_slices(
        TRUE, PRED, by={"x": TRUE}, **grouped(o, ("min_n",))
    ),
    "Stream": karat.Stream,
    "Monitor": lambda **o: karat.Monitor(min={"accuracy": 0.1}, **grouped(o)),
    "check": lambda **o: karat.check(TRUE, PRED, **grouped(o)),
}
WRONG: dict[str, tuple[str, tuple[Any, ...]]] = {
    "level": ("K122", (95, "a", 0.05, True, 1.0, 0.0, float("nan"), [0.95], np.array([0.95]))),
    "side": ("K122", ("lower", 1, ["low"])),
    "method": ("K122", ("bootstap", 0, ["wald"])),
    "seed": ("K122", (-1, 0.5, "x", True, 2**64)),
    "n_replicates": ("K122", (3, 10**9, "x", True)),
    "keep_rows": ("K232", (-1, 0.5, "x", True, 10**9)),
    "separator": ("K227", ("", 3, "\\", "a\x00b")),
    "depth": ("K122", (0, 4, 1.5, "x", True)),
}
CALLS = [
    (verb, name)
    for name in WRONG
    for verb in VERBS
    # A gate keeps every row, or none.
    if name in {o.name for o in options_of(verb)} and (verb, name) != ("gate", "keep_rows")
]


def refusal(call: Callable[[], Any]) -> str:
    with pytest.raises(KaratError) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize(("verb", "name"), CALLS)
def test_a_wrong_value_is_refused_by_every_verb(verb: str, name: str) -> None:
    code, values = WRONG[name]
    for value in values:
        text = refusal(lambda: VERBS[verb](**grouped({name: value})))  # noqa: B023
        assert text.startswith(code), (value, text)


def test_every_verb_takes_one_of_them() -> None:
    assert {verb for verb, _ in CALLS} == VERBS.keys()
    assert all(all_options()[name].check is not None for name in WRONG)


@pytest.mark.parametrize(
    ("verb", "code", "why"),
    [
        ("find_weak_slices", "K122", "1 − level is the chance of a false finding."),
        ("compare", "K122", "A difference counts where its p-value is below 1 − level."),
        ("gate", "K122", "A gate needs intervals to tell a drop from chance."),
        # With looks it is the cell of the table: there are no limits of every look without them.
        ("Monitor", "K237", "karat.Looks() was given with level=None."),
    ],
)
def test_a_verb_that_needs_intervals_says_why(verb: str, code: str, why: str) -> None:
    text = refusal(lambda: VERBS[verb](level=None))
    assert text.startswith(code)
    assert why in text
    assert "or None for no intervals" not in text


def test_a_verb_without_such_a_need_takes_none() -> None:
    assert karat.evaluate(TRUE, PRED, level=None)["accuracy"].low is None
    assert karat.Stream(level=None) is not None


def test_options_are_checked_before_rows_are_read() -> None:
    for name, (code, values) in WRONG.items():
        verb = next(verb for verb, option in CALLS if option == name)
        if verb in ("evaluate", "find_weak_slices"):
            called = getattr(karat, verb)
            wrong = {name: values[0]}
            text = refusal(lambda c=called, w=wrong: c("absent.csv", **grouped(w)))
            assert text.startswith(code)
    assert refusal(lambda: karat.evaluate("absent.csv")).startswith("K4")


def test_verbs_read_plain_values() -> None:
    report = karat.evaluate(
        TRUE, PRED, level=Decimal("0.9"), interval=karat.Interval(seed=np.int64(3))
    )
    assert report.confidence == Confidence.of(0.9, seed=3)
    assert type(report.confidence.level) is float
    assert type(report.confidence.seed) is int


def test_how_near_to_one_a_level_may_be_depends_on_the_side() -> None:
    # Not a fact of one option: it stays in the settings of intervals.
    level = 1.0 - 1.5e-12
    assert refusal(lambda: karat.evaluate(TRUE, PRED, level=level)).startswith("K122")
    assert (
        karat.evaluate(TRUE, PRED, level=level, interval=karat.Interval(side="low"))["accuracy"].low
        is not None
    )
