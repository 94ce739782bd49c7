"""Examples in a message that are a whole change of a call: a keyword or an option and its value."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from karat.api.request.groups import GROUPS, Group
from karat.errors import KaratError
from tests.messages import names
from tests.messages.checks import balanced

__all__ = ["LEFT_OUT", "Example", "Parts", "WithoutPart", "examples_in", "shape"]

LEFT_OUT: Final = "left out"
"""The value of what is to be left out."""
_KINDS: Final = {kind.__name__: kind for kind in GROUPS}
_CALL: Final = re.compile(r"(?<![\w.'/<-])karat((?:\.[A-Za-z_]\w*)+)\(")
_KEYWORD: Final = re.compile(r"(?<![\w.'\"{-])([a-z]\w*)=(?!=)")
_GROUP: Final = rf"karat\.({'|'.join(_KINDS)})\(([a-z]\w*)?=?[^()]*\)"
_LEAVE_PART: Final = re.compile(
    rf"[Ll]eave (?:[a-z]\w*=)?{_GROUP} out\b|[Ll]eave out (?:[a-z]\w*=)?{_GROUP}(?=[,. ])"
)
_ARGUMENT: Final = re.compile(r"(?<![\w.'\"{-])([a-z]\w*)=$")
_LEAVE: Final = re.compile(
    r"[Ll]eave ([a-z]\w*)=(?:'[^']*'|[\w.]+)? out\b|[Ll]eave out ([a-z]\w*)=(?=[,. ])"
)
_METRIC: Final = re.compile(r"(?<![\w.'\"])[a-z]\w*\([a-z]\w*=[^()=]*\)")
_OPTION: Final = re.compile(r"(?<![\w<(-])(--[a-z][\w-]*)( (?:'[^']*'|\"[^\"]*\"|[^\s'\"]+))?")
_LEAVE_OPTION: Final = re.compile(
    r"[Ll]eave (--[a-z][\w-]*)(?: [^\s,.]+)? out|[Ll]eave out (--[a-z][\w-]*)"
)
_NUMBER: Final = re.compile(r"-?\d[\d.]*(?:e-?\d+)?")
_OPEN: Final = re.compile(r"\.\.\.|…|□|\bNAME\b|\bFILE\b")


@dataclass(frozen=True)
class Parts:
    """A group as a text spells it, perhaps with values that it refuses."""

    kind: type[Group]
    places: tuple[Any, ...]
    named: tuple[tuple[str, Any], ...]

    def group(self) -> Group:
        """The group; ValueError if its values are refused."""
        try:
            return self.kind(*self.places, **dict(self.named))
        except (KaratError, TypeError) as problem:
            raise ValueError(f"{self.kind.__name__} refuses {self}: {problem}") from problem


@dataclass(frozen=True)
class WithoutPart:
    """A group whose part is to be left out; of a group without parts, or of one, all of it."""

    kind: type[Group]
    part: str


@dataclass(frozen=True)
class Example:
    """A change of a call.

    Attributes:
        text: as it is printed.
        call: the path below karat of the call that it is for; "" for the one that was made,
            "--" for a command line.
        change: the keywords or options, with their values; None for a whole call.
    """

    text: str
    call: str
    change: tuple[tuple[str, Any], ...] | None


def examples_in(text: str, *, is_command: bool = False) -> list[Example]:
    """The complete examples of a message."""
    line = " ".join(text.split())
    found = list(_options(line) if is_command else _of_python(line))
    return list({one.text: one for one in found}.values())


def _of_python(line: str) -> Iterator[Example]:
    for found in _LEAVE_PART.finditer(line):
        kind = _KINDS[found[1] or found[3]]
        left = WithoutPart(kind, found[2] or found[4] or "")
        yield Example(found[0], "", ((kind.argument, left),))
    line = rest = _LEAVE_PART.sub(" ", line)
    end = 0
    for call in _CALL.finditer(line):
        inside = balanced(line, call.end() - 1)
        path, start = call[1].lstrip("."), call.start()
        if inside is None or (path in _KINDS and start < end):
            continue
        whole, end = call[0][:-1] + inside, max(end, start + len(call[0]) - 1 + len(inside))
        if path in _KINDS:
            argument = _ARGUMENT.search(line[:start])
            named = argument[0] if argument and argument[1] == _KINDS[path].argument else ""
            rest = rest.replace(named + whole, " ")
            example = _group(named, whole, path)
        else:
            rest = rest.replace(whole, " ")
            example = _call(whole, path)
        if example is not None:
            yield example
    for found in _METRIC.finditer(rest):
        if not _OPEN.search(found[0]) and names.is_metric(found[0]):
            yield Example(found[0], "", (("metrics", [found[0]]),))
    rest = _METRIC.sub(" ", rest)
    for found in _LEAVE.finditer(rest):
        yield Example(found[0], "", ((found[1] or found[2], LEFT_OUT),))
    for found in _KEYWORD.finditer(_LEAVE.sub(" ", rest)):
        value = _value(found.string[found.end() :])
        if value is not None and found[1] in names.parameters():
            yield Example(f"{found[1]}={value}", "", ((found[1], ast.literal_eval(value)),))


def _group(named: str, whole: str, path: str) -> Example | None:
    """A group with its values; without an argument and a value it names one alone."""
    try:
        parts = _literal(ast.parse(whole, mode="eval").body)
    except (SyntaxError, ValueError):
        return None
    is_open = _OPEN.search(whole) or not (named or parts.places or parts.named)
    return None if is_open else Example(named + whole, "", ((_KINDS[path].argument, parts),))


def _literal(node: ast.expr) -> Any:
    """What a literal stands for; groups as parts."""
    if isinstance(node, ast.List) and any(isinstance(one, ast.Call) for one in node.elts):
        return [_literal(one) for one in node.elts]
    kind = ast.unparse(node.func).removeprefix("karat.") if isinstance(node, ast.Call) else ""
    if kind not in _KINDS:
        return ast.literal_eval(node)
    assert isinstance(node, ast.Call)
    places = tuple(ast.literal_eval(one) for one in node.args)
    named = tuple((str(one.arg), ast.literal_eval(one.value)) for one in node.keywords)
    return Parts(_KINDS[kind], places, named)


def _call(whole: str, path: str) -> Example | None:
    try:
        tree = ast.parse(whole, mode="eval").body
    except SyntaxError:
        return None
    assert isinstance(tree, ast.Call)
    is_rest = [isinstance(one, ast.Constant) and one.value is ... for one in tree.args]
    if all(is_rest):
        try:
            change = tuple((str(x.arg), _literal(x.value)) for x in tree.keywords)
        except ValueError:
            change = ()
        is_open = _OPEN.search(str(change)) or "Ellipsis" in str(change)
        return Example(whole, path, change) if change and not is_open else None
    return None if _OPEN.search(whole) else Example(whole, path, None)


def _value(text: str) -> str | None:
    """The Python literal with which a text begins; None: it begins with none that is complete."""
    number = _NUMBER.match(text)
    if number is not None:
        value = number[0].rstrip(".")
    elif text[:1] in ("[", "{", "("):
        value = balanced(text, 0) or ""
    elif text[:1] in ("'", '"'):
        end = text.find(text[0], 1)
        value = text[: end + 1] if end > 0 else ""
    else:
        word = re.match(r"True\b|False\b|None\b", text)
        value = word[0] if word else ""
    if not value or _OPEN.search(value):
        return None
    try:
        ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return None
    return value


def _options(line: str) -> Iterator[Example]:
    for found in _LEAVE_OPTION.finditer(line):
        yield Example(found[0], "--", ((found[1] or found[2], LEFT_OUT),))
    for found in _OPTION.finditer(_LEAVE_OPTION.sub(" ", line)):
        option, rest = found[1], (found[2] or "").strip()
        if option not in names.all_options() or option in ("--help", "--version"):
            continue
        if names.is_flag(option):
            yield Example(option, "--", ((option, True),))
            continue
        value = rest.rstrip(".,;:)")
        if not value or _OPEN.search(value) or value.startswith("-"):
            continue
        try:
            (word,) = shlex.split(value) or [""]
        except ValueError:
            continue
        yield Example(f"{option} {value}", "--", ((option, word),))


def shape(text: str) -> str:
    """A message without what differs between callers: names in quotes, numbers, lists."""
    line = " ".join(text.split())
    line = re.sub(r"(?<![\w])'(?:[^']*)'|\"[^\"]*\"", "'x'", line)
    line = re.sub(r"\d[\d.,]*", "0", line)
    line = re.sub(r"'x'(?:(?:, |: | … |: 0, )'x')+", "'x'", line)
    line = re.sub(r"(?<![\w])0(?:, 0)+", "0", line)
    return re.sub(r"(--[a-z-]+) [^\s-]\S*", r"\1 x", line)
