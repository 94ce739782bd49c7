"""The calls whose messages hold examples: of the corpus, of errors, of misreadings, and ours."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from tests.corpus import store
from tests.corpus.calls import CLUSTERS, GROUPS, calls_of
from tests.messages.examples import Example, examples_in, shape
from tests.messages.heard import CODE, Heard, applied, is_meant, made
from tests.messages.not_applied import NOT_APPLIED

__all__ = ["SOURCES", "Tried", "recorded_advice", "recorded_texts", "tried"]

OTHERS: Final = ("errors", "misreadings")
SOURCES: Final = (*(name for name in GROUPS if name not in CLUSTERS), *OTHERS)
_GOLDEN: Final = Path(__file__).parents[1] / "errors" / "messages.txt"
Key = tuple[str, str]
Calls = Iterator[tuple[str, Callable[[], Any]]]


@dataclass(frozen=True)
class Tried:
    """An example that was applied to the call whose message holds it.

    Attributes:
        key: the code of the message, and the shape of the example.
        wrong: what was wrong then; "" where nothing was.
    """

    key: Key
    call: str
    example: str
    wrong: str


@cache
def _wanted() -> dict[str, dict[str, frozenset[Key]]]:
    """Group → id of a call → examples in what was recorded of it that no call before it has."""
    found: dict[str, dict[str, frozenset[Key]]] = {}
    seen: set[Key] = set()
    for group in SOURCES[: -len(OTHERS)]:
        found[group] = {}
        for name, outcome in store.read(group).items():
            codes = set(CODE.findall(json.dumps(outcome.skeleton) + " ".join(outcome.prose)))
            shapes = {key for text in outcome.prose for key in _shapes(text)} if codes else set()
            new = frozenset((code, one) for code in codes for one in shapes) - seen
            if new:
                found[group][name] = new
                seen |= new
    return found


@cache
def _shapes(text: str) -> frozenset[str]:
    found = [*examples_in(text), *examples_in(text, is_command=True)]
    return frozenset(shape(one.text) for one in found)


def calls_told(source: str) -> Calls:
    """The calls of a source that may be heard with an example no call before them has."""
    if source == "errors":
        from tests.errors.test_catalogue import TRIGGERS
        from tests.messages.calls import CALLS

        # What a trigger raises without a public name, a call of ours does with one.
        yield from [*CALLS.items(), *TRIGGERS.items()]
    elif source == "misreadings":
        from tests.misreadings.__main__ import load
        from tests.misreadings.table import ROWS

        load()
        yield from ((name, row.answer) for name, row in ROWS.items())
    else:
        wanted = _wanted()[source]
        yield from ((call.id, call.run) for call in calls_of(source) if call.id in wanted)


def tried(source: str, calls: Calls | None = None) -> Iterator[Tried]:
    """Every example that the calls of a source are answered with, applied once."""
    seen = _seen_before(source)
    for name, call in calls_told(source) if calls is None else calls:
        was = made(call)
        for heard in was.heard:
            examples = examples_in(heard.advice, is_command=heard.is_command)
            for i, example in enumerate(examples):
                key = heard.code, shape(example.text)
                if key in seen or not is_meant(was, example):
                    continue
                seen.add(key)
                if key not in NOT_APPLIED:
                    wrong = _applied(call, was, heard, examples[: i + 1])
                    yield Tried(key, name, example.text, wrong)


def _seen_before(source: str) -> set[Key]:
    """Examples that calls of other groups have first."""
    if source not in _wanted():
        return set()
    own = frozenset[Key]().union(*_wanted()[source].values())
    every = frozenset[Key]().union(
        *(keys for group in _wanted().values() for keys in group.values())
    )
    return set(every - own)


def _applied(call: Any, was: Any, heard: Heard, examples: list[Example]) -> str:
    """What is wrong with the last of some examples, alone and with those before it."""
    last = examples[-1]
    wrong = applied(call, was, heard, [last])
    before = [one for one in examples[:-1] if one.change is not None and one.call == last.call]
    if wrong and before and last.change is not None:
        return applied(call, was, heard, [*before, last]) and wrong
    return wrong


@cache
def recorded_texts() -> tuple[str, ...]:
    """All prose of the corpus, and one message of each error; each in one line."""
    outcomes = [outcome for group in GROUPS for outcome in store.read(group).values()]
    texts = {text for outcome in outcomes for text in outcome.prose}
    texts |= set(_GOLDEN.read_text("utf-8").split("\n\n"))
    return tuple(sorted({" ".join(text.split()) for text in texts}))


@cache
def recorded_advice() -> frozenset[str]:
    """What the recorded errors and doubts say to do."""
    found: set[str] = set()
    for group in GROUPS:
        for outcome in store.read(group).values():
            tree = outcome.tree()
            if isinstance(tree, dict) and "code" in tree.get("raised", {}):
                found |= _last(tree["raised"]["message"])
            found |= set(_options(tree))
    for text in _GOLDEN.read_text("utf-8").split("\n\n"):
        found |= _last(text)
    return frozenset(found)


def _last(message: Any) -> set[str]:
    text = getattr(message, "text", message)
    return {" ".join(line.split()) for line in text.splitlines()[2:]}


def _options(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if {"code", "noticed", "option"} <= node.keys():
            yield str(getattr(node["option"], "text", node["option"]))
        node = list(node.values())
    if isinstance(node, list):
        for item in node:
            yield from _options(item)
