"""Calls made again with what their message advises, and the codes that are heard then."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, wraps
from typing import Any, Final

import numpy as np
import pandas as pd

import karat
from karat.api.request.groups import GROUPS, Frequency, Group, Labels
from karat.api.results import ClassReport
from karat.errors.doubts import Doubt
from karat.errors.kinds import KaratError
from karat.metrics._registry import all_names
from karat.results.parts import MissingMethod
from tests.corpus.outcome import Prose, plain
from tests.messages import names
from tests.messages.examples import LEFT_OUT, Example, Parts, WithoutPart

__all__ = ["Heard", "Made", "applied", "changed", "is_meant", "listening", "made"]

CODE: Final = re.compile(r"\b[DK]\d{3}\b")
CLASSES: Final = (
    "Comparison",
    "GateResult",
    "JudgedReport",
    "Monitor",
    "MultilabelReport",
    "Report",
)
CLASSES += ("NestedFolds", "Stream", "objectives.LightGBMObjective")
KINDS: Final = {kind.__name__: kind for kind in GROUPS}
CLASSES += tuple(KINDS)
MODULES: Final = ("curves", "objectives", "plot")
Change = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Heard:
    """A code with the text that says what to do."""

    code: str
    advice: str
    is_command: bool


@dataclass
class Event:
    """A call of a public name that was made outside of any other."""

    path: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    is_raised: bool = False
    result: Any = None
    said: list[Heard] = field(default_factory=list)


@dataclass
class Made:
    """What one call came to: the public calls in it, what was raised, what was heard."""

    events: list[Event] = field(default_factory=list)
    heard: list[Heard] = field(default_factory=list)
    problem: BaseException | None = None
    codes: frozenset[str] = frozenset()


class _Ear:
    """Follows calls of public names, and changes one of them."""

    def __init__(self) -> None:
        self.depth = 0
        self.events: list[Event] = []
        self.said: list[Heard] = []
        self.changes: dict[int, Change] = {}

    def call(self, path: str, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        if self.depth:
            return function(*args, **kwargs)
        if len(self.events) in self.changes:
            change = self.changes[len(self.events)]
            self.depth += 1  # a group of the change is no call
            try:
                args, kwargs = changed(path, function, args, kwargs, change)
            finally:
                self.depth -= 1
        event = Event(path, function, args, dict(kwargs))
        self.events.append(event)
        self.depth += 1
        first = len(self.said)
        try:
            event.result = function(*args, **kwargs)
        except BaseException:
            event.is_raised = True
            raise
        finally:
            self.depth -= 1
            event.said = self.said[first:]
        return event.result


_EAR = _Ear()


def changed(path: str, function: Any, args: Any, kwargs: Any, change: Change) -> Any:
    """The arguments of a call with a change: parts of groups beside those that it has."""
    if path == "--":
        (line, *_), rest = args, args[1:]
        return (_typed(list(line), change), *rest), kwargs
    signature = inspect.signature(function)
    out = [name for name, value in change if _is_left_out(value)]
    bound = _bound(function, args, {x: y for x, y in kwargs.items() if x not in out})
    given: dict[str, Any] = {}
    first: list[Any] = []
    for name, item in signature.parameters.items():
        if name not in bound:
            continue
        if item.kind is inspect.Parameter.VAR_KEYWORD:
            given |= bound[name]
        elif item.kind is inspect.Parameter.VAR_POSITIONAL:
            first += bound[name]
        elif item.kind is inspect.Parameter.POSITIONAL_ONLY or name == "self":
            first.append(bound[name])
        else:
            given[name] = bound[name]
    for name, value in change:
        before = given.pop(name, None)
        if isinstance(value, Parts):
            given[name] = _merged(before, value.group())
        elif isinstance(value, list) and any(isinstance(one, Parts) for one in value):
            given[name] = [one.group() for one in value]
        elif isinstance(value, WithoutPart):
            rest = _without(before, value)
            if rest is not None:
                given[name] = rest
        elif not _is_left_out(value):
            given[name] = value
    return tuple(first), given


def _merged(before: Any, group: Group) -> Any:
    """An argument with the parts of a group: the others that it had are kept."""
    kind = type(group)
    if before is None or kind is Frequency:
        return group
    if group.argument == "design":
        designs = before if isinstance(before, list | tuple) else [before]
        kept = [one for one in designs if isinstance(one, Group) and type(one) is not kind]
        merged = [_joined(one, group) for one in designs if type(one) is kind] or [group]
        return [*kept, *merged] if kept else merged[0]
    if isinstance(before, Group):
        return _joined(before, group) if type(before) is kind else group
    return _joined(kind(before), group) if kind is Labels else group


def _joined(before: Group, group: Group) -> Group:
    return type(group)(**{**before.given, **group.given})


def _without(before: Any, left: WithoutPart) -> Any:
    """An argument without a part of a group, or without a design; None: without all of it."""
    if left.kind.argument == "design":
        designs = before if isinstance(before, list | tuple) else [before]
        kept = [_without_part(one, left) if type(one) is left.kind else one for one in designs]
        kept = [one for one in kept if one is not None]
        return kept[0] if len(kept) == 1 else kept or None
    return _without_part(before, left)


def _without_part(group: Group, left: WithoutPart) -> Group | None:
    rest = {name: value for name, value in group.given.items() if left.part not in ("", name)}
    return left.kind(**rest) if rest else None


def _bound(function: Any, args: Any, kwargs: Any) -> Mapping[str, Any]:
    """Arguments by name; without those that have no place."""
    signature = inspect.signature(function)
    for n in range(len(args), -1, -1):
        try:
            return signature.bind_partial(*args[:n], **kwargs).arguments
        except TypeError:
            continue
    return dict(kwargs)


def _typed(line: list[str], change: Change) -> list[str]:
    for option, value in change:
        if value is True:
            line = [*line, option]
            continue
        at = line.index(option) if option in line else len(line)
        typed = [] if _is_left_out(value) else [option, str(value)]
        line = [*line[:at], *typed, *line[at + 2 :]]
    return line


def _wrapped(path: str, function: Any) -> Any:
    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        return _EAR.call(path, function, args, kwargs)

    return called


def _function(holder: Any, name: str) -> Any:
    """What stands there: of a class itself, not what it shows of an attribute."""
    found = inspect.getattr_static(holder, name, None) if inspect.isclass(holder) else None
    if isinstance(found, MissingMethod) and name in holder.methods:
        return found.body
    return found if inspect.isclass(holder) else getattr(holder, name)


def _places() -> Iterator[tuple[Any, str, str]]:
    """Where public names are looked up: the holder, the name there, the path."""
    from karat.cli import app

    yield app, "run", "--"
    for name in dict.fromkeys([*dir(karat), *all_names()]):
        if inspect.isfunction(getattr(karat, name, None)):
            yield karat, name, name
    for module in MODULES:
        home = names.named(module)
        for name in dir(home):
            if not name.startswith("_") and inspect.isfunction(getattr(home, name, None)):
                yield home, name, f"{module}.{name}"
    for kind in CLASSES:
        # Calls reach the methods of the kind, whose name is that of the base.
        holder = ClassReport if kind == "Report" else names.named(kind)
        for name in dir(holder):
            is_public = name == "__init__" or not name.startswith("_")
            if is_public and inspect.isfunction(_function(holder, name)):
                yield holder, name, kind if name == "__init__" else f"{kind}.{name}"


@contextmanager
def listening() -> Iterator[None]:
    """Follow the calls of public names that are made within."""
    before = [(holder, name, _function(holder, name), path) for holder, name, path in _places()]
    is_own = [name in vars(holder) for holder, name, *_ in before]
    new, init = Doubt.__new__, KaratError.__init__

    def doubted(
        kind: Any, code: str, noticed: str, evidence: str, advice: str, *facts: Any
    ) -> Doubt:
        _EAR.said.append(Heard(code, advice, False))
        return new(kind, code, noticed, evidence, advice, *facts)

    def raised(self: Any, code: str, **context: Any) -> None:
        init(self, code, **context)
        _EAR.said.append(Heard(code, _advice(self), False))

    for holder, name, function, path in before:
        setattr(holder, name, _wrapped(path, function))
    Doubt.__new__, KaratError.__init__ = doubted, raised  # type: ignore[method-assign,assignment]
    try:
        yield
    finally:
        Doubt.__new__, KaratError.__init__ = new, init  # type: ignore[method-assign]
        for (holder, name, function, _), own in zip(before, is_own, strict=True):
            if own:
                setattr(holder, name, function)
            else:
                delattr(holder, name)


def _advice(problem: BaseException) -> str:
    """What an error says to do: its third line."""
    return "\n".join(str(problem).splitlines()[2:])


def made(call: Callable[[], Any], changes: Mapping[int, Change] | None = None) -> Made:
    """Make a call, with changes of some of its public calls by their number."""
    _EAR.depth, _EAR.events, _EAR.said = 0, [], []
    _EAR.changes = dict(changes or {})
    found = Made()
    result: Any = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = call()
            shown = _text(result)
        except Exception as problem:
            found.problem = problem
            shown = f"{getattr(problem, 'code', '')} {problem}"
    found.events = [*_EAR.events]
    is_command = any(event.path == "--" for event in found.events)
    found.codes = frozenset(CODE.findall(shown))
    if isinstance(found.problem, AttributeError) and not isinstance(found.problem, KaratError):
        _EAR.said.append(Heard("AttributeError", str(found.problem), False))
        found.codes |= {"AttributeError"}
    found.heard = list(
        dict.fromkeys(
            Heard(one.code, one.advice, is_command) for one in _EAR.said if one.code in found.codes
        )
    )
    return found


def _text(result: Any) -> str:
    """All that a result holds as one text."""

    def open_(node: Any) -> Any:
        if isinstance(node, Prose):
            return node.text
        if isinstance(node, Mapping):
            return {str(key): open_(item) for key, item in node.items()}
        return [open_(item) for item in node] if isinstance(node, list) else node

    _EAR.depth += 1
    try:
        return json.dumps(open_(plain(result)), ensure_ascii=False, default=str)
    except Exception:  # what the corpus has no form for
        return str(result)
    finally:
        _EAR.depth -= 1


def is_meant(was: Made, example: Example) -> bool:
    """False where what is to be left out was not given: another of several alternatives."""
    left = [pair for pair in example.change or () if _is_out(pair[1])]
    if example.call == "--":
        lines = [event.args[0] for event in was.events if event.path == "--"]
        return all(any(name in line for line in lines) for name, _ in left)
    return all(any(_has(event, *pair) for event in was.events) for pair in left)


def applied(call: Callable[[], Any], was: Made, heard: Heard, examples: list[Example]) -> str:
    """What is wrong after the change that examples show together; "" where nothing is.

    Several calls may take a change, such as that of a baseline and that of its gate: one suffices.
    """
    first = examples[-1]
    if first.change is None:
        now = _whole(was, first)
        return now if isinstance(now, str) else _wrong(now, was, heard)
    change = tuple(pair for example in examples for pair in example.change or ())
    wrong = ""
    for at in _targets(was, heard, first.call, change):
        unknown = _unknown(was.events[at]) if heard.code == "K126" else ()
        wrong = _wrong(made(call, {at: (*unknown, *change)}), was, heard, at)
        if not wrong:
            return ""
    if wrong:
        return wrong
    function = names.named(first.call) if first.call not in ("", "--") else None
    if function is None or inspect.isclass(function) or not was.events:
        return f"no call that was made takes it: {[event.path for event in was.events]}"
    # Another function than that which was called, for the same rows.
    last = was.events[-1]
    kept = {name: value for name, value in last.kwargs.items() if not names.takes(function, [name])}
    args = [one for one in last.args if not isinstance(one, karat.Report)] or [*_rows()]
    return _wrong(made(lambda: function(*args, **{**kept, **dict(change)})), was, heard)


def _wrong(now: Made, was: Made, heard: Heard, at: int | None = None) -> str:
    """What is wrong after a change of the call of a number; another one may say the same."""
    if now.problem is not None and not isinstance(now.problem, KaratError):
        if type(now.problem) is type(was.problem):
            return ""
        return f"{type(now.problem).__name__}: {str(now.problem)[:200]}"
    own = set(now.heard)
    if at is not None and len(now.events) > at and _is_said(heard, was.events[at].said):
        own = {replace(one, is_command=heard.is_command) for one in now.events[at].said} & own
    return f"{heard.code} again" if _is_said(heard, own) else ""


def _is_said(heard: Heard, said: Iterable[Heard]) -> bool:
    advice = _unnumbered(heard.advice)
    return any(one.code == heard.code and _unnumbered(one.advice) == advice for one in said)


def _unnumbered(text: str) -> str:
    return re.sub(r"\d[\d.,]*", "0", " ".join(text.split()))


def _unknown(event: Event) -> Change:
    """Arguments that a function does not have, left out: the example of K126 stands for them."""
    return tuple((name, LEFT_OUT) for name in _lacks(event, [*event.kwargs]))


def _lacks(event: Event, words: list[str]) -> list[str]:
    """Those of some keywords that a call does not have; a group has its parts."""
    return names.takes(KINDS.get(event.path, event.function), words)


def _targets(was: Made, heard: Heard, path: str, change: Change) -> list[int]:
    """The numbers of the calls that take a change: those that said it first, the last first."""
    places = [
        at
        for at, event in enumerate(was.events)
        if (not path or event.path == path)
        and (event.path == "--") == (path == "--")
        and (path == "--" or all(_takes(event, *pair) for pair in change))
    ]
    return sorted(places, key=lambda at: (not _is_said(heard, was.events[at].said), -at))


def _takes(event: Event, name: str, value: Any) -> bool:
    if _lacks(event, [name]):
        return False
    return not _is_out(value) or _has(event, name, value)


def _is_out(value: Any) -> bool:
    return _is_left_out(value) or isinstance(value, WithoutPart)


def _has(event: Event, name: str, out: Any) -> bool:
    """True if a call was given what is to be left out."""
    given = _given(event).get(name)
    if not isinstance(out, WithoutPart):
        return name in _given(event)
    groups = given if isinstance(given, list | tuple) else [given]
    return any(
        isinstance(one, out.kind) and (not out.part or out.part in one.given) for one in groups
    )


def _is_left_out(value: Any) -> bool:
    return isinstance(value, str) and value == LEFT_OUT


def _given(event: Event) -> dict[str, Any]:
    bound = _bound(event.function, event.args, event.kwargs)
    return {**bound, **bound.get("kwargs", {})}


def _whole(was: Made, example: Example) -> Made | str:
    space = _space(was)
    code = compile(example.text, "<message>", "eval")
    tree = ast.parse(example.text, mode="eval")
    if "[:, 0]" in example.text:
        space |= dict(zip(("y_true", "y_pred"), _columns(), strict=True))
    if "axes" in example.text:
        space["axes"] = importlib.import_module("matplotlib.pyplot").subplots(1, 2)[1]
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    if missing := sorted(read - space.keys()):
        return f"it names {', '.join(missing)}"
    return made(lambda: eval(code, space))  # noqa: S307


@cache
def _rows() -> tuple[Any, Any]:
    return np.arange(40) % 2, np.arange(40) % 7 % 2


@cache
def _columns() -> tuple[Any, Any]:
    return tuple(np.column_stack([one, 1 - one]) for one in _rows())  # type: ignore[return-value]


def _space(was: Made) -> dict[str, Any]:
    """What the names in a whole call stand for: what the calls were given, else any rows."""
    y_true, y_pred = _rows()
    report = karat.evaluate(y_true, y_pred)
    space: dict[str, Any] = {"karat": karat, "np": np, "y_true": y_true, "y_pred": y_pred}
    space |= {"report": report, "text": report.to_json()}
    space |= dict.fromkeys(("old", "new", "labels"), y_pred)
    table = pd.DataFrame({"label": y_true, "pred": y_pred, "prob": y_pred / 2})
    space |= dict.fromkeys(("table", "frame", "t"), table)
    for event in was.events:
        given = {name: value for name, value in _given(event).items() if name != "self"}
        tables = [value for value in given.values() if hasattr(value, "columns")]
        for value in given.values():
            if isinstance(value, list) and value and hasattr(value[0], "columns"):
                tables = list(value)
            if isinstance(value, Mapping):
                named_items = {
                    str(x): item for x, item in value.items() if not isinstance(item, str)
                }
                space |= named_items
                tables += [one for one in named_items.values() if hasattr(one, "columns")]
        space |= {
            name: value
            for name, value in given.items()
            if value is not None and (name != "report" or isinstance(value, karat.Report | dict))
        }
        if given:
            space |= dict.fromkeys(("table", "frame", "t"), next(iter(given.values())))
        space |= dict(zip(("old", "new"), tables, strict=False))
        space |= {"model_1": space.get("my old")}
        if isinstance(event.result, karat.Report):
            space["report"] = event.result
    if isinstance(space["report"], Mapping):
        space["report"] = next(iter(space["report"].values()))
    return space
