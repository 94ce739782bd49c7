"""A user may copy what a message advises: the call that raised it then works."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np
import pytest

import karat
from karat.api.results import ClassReport
from karat.errors import error
from karat.errors.doubts import doubt
from tests.corpus.calls import in_a_folder
from tests.messages import checks, names
from tests.messages.calls import CALLS
from tests.messages.examples import examples_in, shape
from tests.messages.heard import Heard, applied, changed, is_meant, listening, made
from tests.messages.not_applied import NOT_APPLIED, NOT_HEARD
from tests.messages.told import SOURCES, Tried, recorded_advice, recorded_texts, tried
from tests.messages.written import GAP, Text, advice_in, in_sources
from tests.optional import optional

pytestmark = pytest.mark.filterwarnings("ignore")
any_karat: Final[Any] = karat
TRUTH, PRED = np.arange(60) % 2, np.arange(60) % 5 % 2
OTHERS: Final = ("compat/", "output/", "metrics/", "testing/", "inference/", "api/stubs")
OTHERS += ("api/functions", "results/headlines")
"""Where texts are no advice: words of other libraries, documents, formulas."""
VALUE: Final = re.compile(
    rf"(?<![\w.'\"{{-])([a-z]\w*)=(?!=)({GAP}|'|\"|\[|\{{'|\d|True\b|False\b|None\b)"
)
NO_ADVICE: Final = re.compile(
    r" was given|^[A-Z]?[\w ]*=□ ?(?:is|names)|^karat\.\w+\(□\) names|^ +`□`|^<"
)
"""What was found, and documentation."""


def needs() -> None:
    for module in ("pandas", "polars", "pyarrow", "duckdb", "torch", "matplotlib", "click", "dask"):
        optional(module)


@pytest.mark.parametrize("source", SOURCES)
def test_what_a_message_advises_works(source: str) -> None:
    needs()
    with in_a_folder(), listening():
        wrong = [one for one in tried(source) if one.wrong]
    assert wrong == [], "mend the message, or say in not_applied.py why it is no whole change"


def has_example(text: str) -> bool:
    """True if a text of the sources holds a whole change, filled or not."""
    if " " not in text or NO_ADVICE.search(text):
        return False
    if examples_in(text.replace(GAP, "'x'")):
        return True
    return any(found[1] in names.parameters() for found in VALUE.finditer(text))


def advice_of_sources() -> Iterator[Text]:
    for text in in_sources():
        if text.where.startswith(OTHERS) or not checks.is_sentence(text.text):
            continue
        for part in advice_in(text):
            if has_example(part):
                yield Text(" ".join(part.split()), text.where)


def is_heard(template: str, heard: Iterable[str]) -> bool:
    """True if a text with gaps is part of what was heard."""
    parts = template.split(GAP)
    pattern, longest = re.compile(".*?".join(map(re.escape, parts))), max(parts, key=len)
    return any(longest in text and pattern.search(text) is not None for text in heard)


def test_every_example_of_the_sources_is_heard() -> None:
    """A new message with an example needs a call: in the corpus, or in calls.py."""
    needs()
    with in_a_folder(), listening():
        ours = [one.advice for call in CALLS.values() for one in made(call).heard]
    heard = [*recorded_texts(), *(" ".join(text.split()) for text in ours)]
    found = {text.text: text.where for text in advice_of_sources()}
    assert len(found) > 60
    unheard = {text: where for text, where in found.items() if not is_heard(text, heard)}
    assert sorted(unheard.items()) == sorted(zip(NOT_HEARD, map(found.get, NOT_HEARD), strict=True))


def test_the_exceptions_are_heard() -> None:
    """An entry whose message is gone is to be removed."""
    texts = recorded_advice()
    every = {shape(one.text) for text in texts for one in examples_in(text)}
    every |= {shape(one.text) for text in texts for one in examples_in(text, is_command=True)}
    every |= {"--wait x", "--folds x"}
    assert {example for _, example in NOT_APPLIED} <= every
    assert all(reason for reason in [*NOT_APPLIED.values(), *NOT_HEARD.values()])


# A wrong message is noticed.


def sabotaged(monkeypatch: pytest.MonkeyPatch, gate: Callable[..., Any]) -> list[Tried]:
    """What is tried for a call of `karat.gate` with another body."""
    monkeypatch.setattr(karat, "gate", gate)
    call = partial(karat.gate, TRUTH, PRED, positive=1)
    with listening():
        return list(
            tried("errors", iter([("x", lambda: any_karat.gate(*call.args, **call.keywords))]))
        )


@pytest.mark.parametrize(
    ("do", "wrong"),
    [
        ("Give threshold=0.", "K250 again"),
        ("Leave positive= out.", "K250 again"),
        ("Give karat.Stream(positive=1).", "no call that was made takes it"),
        ("Give eps=1e-15.", "no call that was made takes it"),
        ("Write karat.compare(y_true, models).", "it names models"),
        ("Write karat.f1(y_true, y_pred).", ""),
        ("Write karat.f1(y_true['x'], y_pred).", "IndexError"),
    ],
)
def test_wrong_advice_is_seen(monkeypatch: pytest.MonkeyPatch, do: str, wrong: str) -> None:
    def gate(y_true: Any, y_pred: Any, *, positive: Any = None, threshold: Any = None) -> None:
        raise error("K250", found="Folds", do=do)

    (found,) = sabotaged(monkeypatch, gate)
    assert found.key[0] == "K250"
    assert found.wrong.startswith(wrong)
    assert bool(found.wrong) == bool(wrong)


@pytest.mark.parametrize("settles", [True, False])
def test_a_doubt_that_its_option_does_not_settle_is_seen(
    monkeypatch: pytest.MonkeyPatch, settles: bool
) -> None:
    def gate(y_true: Any, y_pred: Any, *, positive: Any = None, undefined: Any = None) -> list[Any]:
        facts = {"metric": "f1", "rule": "x", "better": "y", "option": "undefined='nan'"}
        return [] if settles and undefined else [doubt("D118", **facts).to_dict()]

    (found,) = sabotaged(monkeypatch, gate)
    assert (found.key, found.wrong) == (("D118", "undefined='x'"), "" if settles else "D118 again")


def test_a_new_message_without_a_call_is_seen() -> None:
    heard = ["Name it: positive='a' or positive='b'.", "Leave it out."]
    assert is_heard(f"Name it: positive={GAP} or {GAP}.", heard)
    assert not is_heard(f"Name them: positive={GAP}.", heard)
    assert has_example(f"Name them: positive={GAP}.")
    assert has_example("Write karat.f1(y_true, y_pred) for that.")
    assert not has_example("Name it: positive=.")


def test_the_public_calls_are_as_before() -> None:
    before = karat.evaluate, karat.Stream.update, karat.f1, ClassReport.text
    with listening():
        assert karat.evaluate is not before[0]
    assert (karat.evaluate, karat.Stream.update, karat.f1, ClassReport.text) == before


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Name it: clusters='user' (clusters='' for none).", ["clusters='user'", "clusters=''"]),
        ("Give max_memory=167129088 or more.", ["max_memory=167129088"]),
        ("Give threshold=0.", ["threshold=0"]),
        ("Ask for log_loss(eps=1e-15) instead.", ["log_loss(eps=1e-15)"]),
        ("Give labels=[1, 2]; else labels=[…].", ["labels=[1, 2]"]),
        ("Leave level=None out, or anytime=.", ["Leave level=None out"]),
        ("Name it: true='NAME'.", []),
        (
            "Give reading=karat.Reading(nulls='drop'), or a larger karat.Reading(max_memory=).",
            ["reading=karat.Reading(nulls='drop')"],
        ),
        ("Name it: karat.Folds('fold').", ["karat.Folds('fold')"]),
        ("Give karat.Folds() to it, or design=karat.Looks().", ["design=karat.Looks()"]),
        ("Leave karat.Labels(separator=) out.", ["Leave karat.Labels(separator=) out"]),
        ("Give design=karat.Judge(judge, is_random=True).", []),
        (
            "As karat.evaluate(..., reading=karat.Reading(keep_rows=20)).",
            ["karat.evaluate(..., reading=karat.Reading(keep_rows=20))"],
        ),
        ("As karat.compare(y_true, {'old': ..., 'new': ...}).", []),
        ("As karat.evaluate(..., by='sex').", ["karat.evaluate(..., by='sex')"]),
    ],
)
def test_examples_are_read(text: str, found: list[str]) -> None:
    assert [one.text for one in examples_in(text)] == found


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        ({}, "Give reading=karat.Reading(nulls='drop').", {"reading": karat.Reading(nulls="drop")}),
        (
            {"reading": karat.Reading(keep_rows=20)},
            "Give reading=karat.Reading(nulls='drop').",
            {"reading": karat.Reading(nulls="drop", keep_rows=20)},
        ),
        (
            {"labels": ["a", "b"]},
            "Give labels=karat.Labels(separator='|').",
            {"labels": karat.Labels(["a", "b"], separator="|")},
        ),
        (
            {"design": karat.Folds("fold")},
            "Give design=karat.Looks(100).",
            {"design": [karat.Folds("fold"), karat.Looks(100)]},
        ),
        (
            {"design": [karat.Folds("fold"), karat.Looks(100)]},
            "Leave karat.Looks() out.",
            {"design": karat.Folds("fold")},
        ),
        (
            {"interval": karat.Interval(side="low", seed=3)},
            "Leave karat.Interval(side=) out.",
            {"interval": karat.Interval(seed=3)},
        ),
        ({"reading": karat.Reading(nulls="drop")}, "Leave karat.Reading(nulls=) out.", {}),
    ],
)
def test_a_part_of_a_group_is_merged(
    before: dict[str, Any], text: str, after: dict[str, Any]
) -> None:
    given: list[dict[str, Any]] = []

    def called(y_true: Any, **options: Any) -> None:
        given.append(options)

    (example,) = examples_in(text)
    first, options = changed("evaluate", called, (TRUTH,), before, example.change or ())
    called(*first, **options)
    assert [{x: y for x, y in one.items() if x != "y_true"} for one in given] == [after]


def test_parts_that_a_group_refuses_are_wrong() -> None:
    (example,) = examples_in("Give reading=karat.Reading(nulls='dorp').")
    with listening():
        was = made(lambda: karat.evaluate(TRUTH, PRED))
        wrong = applied(lambda: karat.evaluate(TRUTH, PRED), was, Heard("K1", "", False), [example])
    assert wrong.startswith("ValueError: Reading refuses")


def test_options_of_commands_are_read() -> None:
    text = "Give --positive fraud or --allow-mismatch; leave --level None out. See --score 'NAME'."
    assert [one.text for one in examples_in(text, is_command=True)] == [
        "leave --level None out",
        "--positive fraud",
        "--allow-mismatch",
    ]


def test_an_alternative_that_was_not_given_is_none() -> None:
    with listening():
        was = made(lambda: karat.evaluate(TRUTH, PRED, positive=1))
    (given,), (other,) = examples_in("Leave positive= out."), examples_in("Leave weights= out.")
    assert is_meant(was, given)
    assert not is_meant(was, other)
    assert applied(lambda: None, was, Heard("K1", "", False), [given]) == ""
