"""New source of a module: the plans and new names, put in with LibCST."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from renaming.plans import NewItem, Plan
from renaming.scopes import MARK, Module

Value = TypeVar("Value")
Item = TypeVar("Item", cst.Arg, cst.BaseDictElement)
Span: TypeAlias = tuple[int, int, int, int]


@dataclass
class Edits:
    """What changes in one module."""

    plans: dict[ast.AST, Plan] = field(default_factory=dict)
    strings: dict[ast.AST, str] = field(default_factory=dict)
    names: dict[ast.AST, str] = field(default_factory=dict)
    lines: dict[ast.AST, Callable[[str], str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return any(self.tables)

    @property
    def tables(self) -> tuple[dict[ast.AST, Any], ...]:
        return (self.plans, self.strings, self.names, self.lines)


def applied(module: Module, edits: Edits, package: str) -> tuple[str, list[ast.AST]]:
    """The new source of a module, and the nodes whose edits have no place there.

    A string in several parts is one node of the analysis and none of the source. Only the
    outermost expressions that change are read by LibCST: it takes long for whole modules.
    """
    text = _Text(module.source)
    nodes = [*edits.plans, *edits.strings, *edits.names, *edits.lines]
    alias = alias_of(module, package)
    pieces: list[str] = []
    lost: list[ast.AST] = []
    end = 0
    for outer, inner in _outermost(text, nodes):
        first, last = text.place(outer)
        segment = module.source[first:last]
        changed, left = _expression(text, outer, inner, segment, edits, alias)
        pieces += [module.source[end:first], changed]
        lost += left
        end = last
    return "".join([*pieces, module.source[end:]]), lost


def problem_of(old: str, new: str) -> str:
    """Why a changed source, or a changed piece of a document, does not compile; else ''."""
    for before, after in zip(old.split(f"{MARK}\n"), new.split(f"{MARK}\n"), strict=True):
        if before != after:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
                    compile(after, "new", "exec", flags, dont_inherit=True)
                except (SyntaxError, ValueError) as problem:
                    return str(problem)
    return ""


def _outermost(text: _Text, nodes: list[ast.AST]) -> Iterator[tuple[ast.AST, list[ast.AST]]]:
    """Nodes that stand in no other, each with all those inside it."""
    places = sorted(((*text.place(node), node) for node in nodes), key=lambda p: (p[0], -p[1]))
    i = 0
    while i < len(places):
        _, end, outer = places[i]
        n = i
        while n < len(places) and places[n][0] < end:
            n += 1
        yield outer, [node for _, _, node in places[i:n]]
        i = n


def _expression(
    text: _Text, outer: ast.AST, inner: list[ast.AST], segment: str, edits: Edits, alias: str
) -> tuple[str, list[ast.AST]]:
    """The new text of an expression, and the nodes that are not in it."""
    if isinstance(outer, ast.alias):
        return edits.names[outer] + segment.removeprefix(outer.name), []
    whole = f"({segment})"
    try:
        is_itself = ast.dump(ast.parse(whole, mode="eval").body) == ast.dump(outer)
    except SyntaxError:
        is_itself = False
    if not is_itself:
        return segment, inner
    spans = {node: text.span_in(outer, node) for node in inner}
    plans, strings, names, lines = (
        {spans[node]: table[node] for node in inner if node in table} for table in edits.tables
    )
    editor = _Editor(plans, strings, names, lines, alias)
    tree = MetadataWrapper(cst.parse_module(whole), unsafe_skip_copy=True).visit(editor)
    return tree.code[1:-1], [node for node in inner if spans[node] not in editor.used]


class _Text:
    """Places of nodes in characters, not in bytes."""

    def __init__(self, source: str) -> None:
        self.lines = [line.encode() for line in source.split("\n")]
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line.decode()) + 1)

    def place(self, node: ast.AST) -> tuple[int, int]:
        """First and last index of a node in the source."""
        first, start, last, end = self.span(node)
        return self.starts[first - 1] + start, self.starts[last - 1] + end

    def span(self, node: ast.AST) -> Span:
        first, last = node.lineno, node.end_lineno or 0  # type: ignore[attr-defined]
        start, end = node.col_offset, node.end_col_offset or 0  # type: ignore[attr-defined]
        return (first, self._column(first, start), last, self._column(last, end))

    def span_in(self, outer: ast.AST, node: ast.AST) -> Span:
        """The place of a node in the text of another that stands in brackets."""
        top, left, _, _ = self.span(outer)
        first, start, last, end = self.span(node)
        return (
            first - top + 1,
            start - left + 1 if first == top else start,
            last - top + 1,
            end - left + 1 if last == top else end,
        )

    def _column(self, line: int, offset: int) -> int:
        return len(self.lines[line - 1][:offset].decode())


def alias_of(module: Module, package: str) -> str:
    """The name of the package in a module."""
    for name, bindings in module.names[module.tree].items():
        if any(b.kind == "import" and b.text == package for b in bindings):
            return name
    return package


class _Editor(cst.CSTTransformer):
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(
        self,
        plans: Mapping[Span, Plan],
        strings: Mapping[Span, str],
        names: Mapping[Span, str],
        lines: Mapping[Span, Callable[[str], str]],
        alias: str,
    ) -> None:
        super().__init__()
        self.plans, self.strings, self.names, self.lines = plans, strings, names, lines
        self.alias = alias
        self.used: set[Span] = set()

    def of(self, table: Mapping[Span, Value], node: cst.CSTNode) -> Value | None:
        """What a table holds for the place of a node."""
        place = self.get_metadata(PositionProvider, node)
        span = (place.start.line, place.start.column, place.end.line, place.end.column)
        if span in table:
            self.used.add(span)
        return table.get(span)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:  # noqa: N802
        plan = self.of(self.plans, original)
        return updated if plan is None else updated.with_changes(args=self.args(updated.args, plan))

    def leave_Dict(self, original: cst.Dict, updated: cst.Dict) -> cst.Dict:  # noqa: N802
        plan = self.of(self.plans, original)
        if plan is None:
            return updated
        return updated.with_changes(elements=self.elements(updated.elements, plan))

    def leave_SimpleString(  # noqa: N802
        self, original: cst.SimpleString, updated: cst.SimpleString
    ) -> cst.SimpleString:
        text, change = self.of(self.strings, original), self.of(self.lines, original)
        if change is not None:
            text = change(updated.raw_value)
        return updated if text is None else _string_like(updated, text)

    def leave_Name(self, original: cst.Name, updated: cst.Name) -> cst.Name:  # noqa: N802
        text = self.of(self.names, original)
        return updated if text is None else updated.with_changes(value=text)

    def leave_Attribute(  # noqa: N802
        self, original: cst.Attribute, updated: cst.Attribute
    ) -> cst.Attribute:
        text = self.of(self.names, original)
        return updated if text is None else updated.with_changes(attr=cst.Name(text))

    def args(self, args: Sequence[cst.Arg], plan: Plan) -> list[cst.Arg]:
        values = {arg.keyword.value: arg.value for arg in args if arg.keyword is not None}
        new: list[cst.Arg] = []
        for arg in args:
            name = arg.keyword.value if arg.keyword is not None else ""
            if name in plan.new:
                new += [
                    arg.with_changes(keyword=cst.Name(item.name), value=self.value(item, values))
                    for item in plan.new[name]
                ]
            elif name in plan.positional:
                place = sum(1 for other in new if other.keyword is None)
                bare = arg.with_changes(keyword=None, equal=cst.MaybeSentinel.DEFAULT)
                new.insert(place, bare)
            elif name in plan.renamed:
                new.append(arg.with_changes(keyword=cst.Name(plan.renamed[name])))
            elif name not in plan.removed:
                new.append(arg)
        return _joined(args, new)

    def elements(
        self, elements: Sequence[cst.BaseDictElement], plan: Plan
    ) -> list[cst.BaseDictElement]:
        values = {_key(e): e.value for e in elements if _key(e)}
        new: list[cst.BaseDictElement] = []
        for element in elements:
            name = _key(element)
            if not name or not isinstance(element, cst.DictElement):
                new.append(element)
                continue
            key = cst.ensure_type(element.key, cst.SimpleString)
            if name in plan.new:
                new += [
                    element.with_changes(
                        key=_string_like(key, item.name), value=self.value(item, values)
                    )
                    for item in plan.new[name]
                ]
            elif name in plan.renamed:
                new.append(element.with_changes(key=_string_like(key, plan.renamed[name])))
            elif name not in plan.removed:
                new.append(element)
        return _joined(elements, new)

    def value(self, item: NewItem, values: Mapping[str, cst.BaseExpression]) -> cst.BaseExpression:
        """The expression of a template, with the values of the items it names."""
        text = re.sub(r"\bkarat\.", f"{self.alias}.", item.template)
        code = cst.Module([]).code_for_node
        return cst.parse_expression(re.sub(r"\$\{(\w+)\}", lambda m: code(values[m[1]]), text))


def _joined(old: Sequence[Item], new: list[Item]) -> list[Item]:
    """The items with one comma between two, and after the last one as it was."""
    if not new or new[-1] is old[-1]:
        return new
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    items: list[Item] = []
    for item in new[:-1]:
        is_bare = isinstance(item.comma, cst.MaybeSentinel)
        items.append(item.with_changes(comma=comma) if is_bare else item)
    changes: dict[str, object] = {"comma": old[-1].comma}
    if isinstance(old[-1], cst.Arg):
        changes["whitespace_after_arg"] = old[-1].whitespace_after_arg
    items.append(new[-1].with_changes(**changes))
    return items


def _key(element: cst.BaseDictElement) -> str:
    if isinstance(element, cst.DictElement) and isinstance(element.key, cst.SimpleString):
        value = element.key.evaluated_value
        return value if isinstance(value, str) else ""
    return ""


def _string_like(node: cst.SimpleString, text: str) -> cst.SimpleString:
    return node.with_changes(value=f"{node.prefix}{node.quote}{text}{node.quote}")
