"""The mutants of a source file: every small change that an operator can make to its syntax tree."""

from __future__ import annotations

import ast
import copy
import types
from collections.abc import Iterator
from dataclasses import dataclass, replace

ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.BitXor: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
COMPARISON: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
SWAPPED = {
    name: other
    for pair in (
        ("min", "max"),
        ("minimum", "maximum"),
        ("argmin", "argmax"),
        ("any", "all"),
        ("floor", "ceil"),
        ("zeros", "ones"),
        ("zeros_like", "ones_like"),
        ("sum", "max"),
    )
    for name, other in (pair, pair[::-1])
} | {"max": "min"}
UNWRAPPED = {"abs", "absolute", "sorted", "sort", "sqrt", "log", "log1p", "exp", "expm1", "unique"}

EXCLUDED_CALLS = {"case", "cast", "dataclass", "field", "TypeVar"}
"""Golden cases are tests; what a dataclass is made of is no behaviour."""

Key = tuple[str, str, str, int, str, str]
"""File, function, line of source, column in it, before and after."""


@dataclass(frozen=True)
class Mutant:
    """One change: where, by which operator, and the text before and after."""

    file: str
    number: int
    """Which of the file's mutants it is."""
    operator: str
    line: int
    span: tuple[int, int]
    """Lines of the changed expression."""
    statement: tuple[int, int]
    """Lines of the statement it stands in; of a compound one, of its head."""
    function: str
    """Dotted name of what it stands in, '' at the top of the module."""
    is_once: bool
    """Whether it runs once, where a module is imported or a formula is traced."""
    public: tuple[str, ...]
    """The public functions of the file."""
    code: str
    """The line of source that it begins on."""
    column: int
    """Where it begins in that line."""
    before: str
    after: str

    @property
    def key(self) -> Key:
        """What it is, wherever its line moves to."""
        return self.file, self.function, self.code, self.column, self.before, self.after

    def __str__(self) -> str:
        """One line about it."""
        return f"{self.file}:{self.line} {self.operator}: {self.before}  →  {self.after}"


@dataclass
class Edit:
    """Sets a field of a node of the tree."""

    operator: str
    node: ast.expr | ast.stmt
    owner: ast.AST
    name: str
    index: int | None
    new: ast.AST | None
    statement: ast.stmt
    function: str
    is_once: bool

    def make(self) -> None:
        """Change the tree."""
        if self.index is None:
            setattr(self.owner, self.name, self.new)
        else:
            getattr(self.owner, self.name)[self.index] = self.new


def mutants(file: str, source: str) -> list[Mutant]:
    """Every mutant of a source file, in the order of its tree."""
    lines = source.splitlines()
    found: list[Mutant] = []
    tree = ast.parse(source)
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    public = tuple(name for name in functions if not name.startswith("_"))
    for number, edit in enumerate(edits(tree)):
        node = edit.node
        line = lines[node.lineno - 1]
        code = line.strip()
        # Columns of a tree count bytes.
        column = len(line.encode()[: node.col_offset].decode()) - line.index(code)
        span = (node.lineno, node.end_lineno or node.lineno)
        after = "(nothing)" if edit.new is None else _text(edit.new)
        found.append(
            Mutant(
                file=file,
                number=number,
                operator=edit.operator,
                line=node.lineno,
                span=span,
                statement=head(edit.statement),
                function=edit.function,
                is_once=edit.is_once,
                public=public,
                code=code,
                column=column,
                before=_text(node),
                after=after,
            )
        )
    return found


def mutated(source: str, number: int, file: str) -> types.CodeType:
    """The code of a source file with one of its mutants in it."""
    tree = ast.parse(source)
    edit = next(edit for index, edit in enumerate(edits(tree)) if index == number)
    if edit.new is not None:
        for node in ast.walk(edit.new):
            ast.copy_location(node, edit.node) if not hasattr(node, "lineno") else None
    edit.make()
    return compile(ast.fix_missing_locations(tree), file, "exec")


def head(statement: ast.stmt) -> tuple[int, int]:
    """First and last line of a statement; of a compound one, those before its body."""
    first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", ()))])
    body = getattr(statement, "body", None)
    if body:
        return first, max(statement.lineno, body[0].lineno - 1)
    return first, statement.end_lineno or statement.lineno


def edits(tree: ast.Module) -> Iterator[Edit]:
    """Every change of a tree; making one leaves the others meaningless."""
    for index, statement in enumerate(tree.body):
        yield from Walk("", set(), True).statement(statement, tree, "body", index)


@dataclass
class Walk:
    """Goes through the statements of one function, class or module."""

    function: str
    assigned: set[str]
    """Names that have a value already: leaving out their next assignment is no mere NameError."""
    is_once: bool

    def statement(
        self, node: ast.stmt, owner: ast.AST, name: str, index: int | None
    ) -> Iterator[Edit]:
        """The changes of a statement and of what stands in it."""
        if _is_left_out(node):
            return
        if _is_removable(node, self.assigned):
            nothing = ast.copy_location(ast.Pass(), node)
            yield Edit(
                "removed", node, owner, name, index, nothing, node, self.function, self.is_once
            )
        name_of_it = f"{self.function}.{getattr(node, 'name', '')}".strip(".")
        inner = outer = self
        if isinstance(node, ast.ClassDef):
            inner = outer = replace(self, function=name_of_it, assigned=set())
        elif isinstance(node, ast.FunctionDef):
            names = {part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg)}
            is_once = any(_called(decorator) == "metric" for decorator in node.decorator_list)
            outer = replace(self, function=name_of_it)
            inner = Walk(name_of_it, names, self.is_once and is_once)
        if isinstance(node, ast.Assign):
            self.assigned |= {
                n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)
            }
        for field, child, place in _children(node):
            if isinstance(child, ast.stmt):
                yield from inner.statement(child, node, field, place)
            elif isinstance(child, ast.ExceptHandler):
                for at, below in enumerate(child.body):
                    yield from inner.statement(below, child, "body", at)
            else:
                yield from outer.expression(child, node, field, place, node)

    def expression(
        self, node: ast.AST, owner: ast.AST, name: str, index: int | None, of: ast.stmt
    ) -> Iterator[Edit]:
        """The changes of an expression and of its parts."""
        if isinstance(node, ast.JoinedStr) or _called(node) in EXCLUDED_CALLS:
            return
        if isinstance(node, ast.expr):
            for operator, new in _changed(node, owner, name):
                placed = ast.copy_location(new, node)
                yield Edit(
                    operator, node, owner, name, index, placed, of, self.function, self.is_once
                )
        if isinstance(node, ast.Slice):
            for bound in ("lower", "upper"):
                at = getattr(node, bound)
                if at is not None:
                    yield Edit(
                        "slice", at, node, bound, None, None, of, self.function, self.is_once
                    )
        for field, child, place in _children(node):
            yield from self.expression(child, node, field, place, of)


def _changed(node: ast.AST, owner: ast.AST, name: str) -> Iterator[tuple[str, ast.AST]]:
    """What may stand where an expression stands, with the operator that puts it there."""
    if name == "test" and isinstance(owner, ast.If | ast.IfExp | ast.While):
        yield "condition", ast.Constant(False)
        if not isinstance(owner, ast.While):
            yield "condition", ast.Constant(True)
    if name == "ifs":
        yield "condition", ast.Constant(True)
    if name == "value" and isinstance(owner, ast.Return) and not _is_none(node):
        yield "return", ast.Constant(None)
    match node:
        case ast.BinOp(left, op, right) if type(op) in ARITHMETIC and not _is_text(left, right):
            yield "arithmetic", ast.BinOp(left, ARITHMETIC[type(op)](), right)
        case ast.Compare(left, ops, comparators):
            for at, op in enumerate(ops):
                for other in COMPARISON[type(op)]:
                    changed = [*ops[:at], other(), *ops[at + 1 :]]
                    yield "comparison", ast.Compare(left, changed, comparators)
        case ast.BoolOp(op, values):
            yield "boolean", ast.BoolOp(ast.And() if isinstance(op, ast.Or) else ast.Or(), values)
        case ast.UnaryOp(ast.Not() | ast.USub() | ast.Invert(), operand):
            yield "dropped sign", copy.deepcopy(operand)
        case ast.Constant(bool() as value):
            yield "constant", ast.Constant(not value)
        case ast.Constant(int() | float() as value):
            yield "constant", ast.Constant(value + 1)
            yield "constant", ast.Constant(value - 1)
        case ast.Call(ast.Name(called) | ast.Attribute(_, called), [argument, *_]) if (
            called in UNWRAPPED and not isinstance(argument, ast.Starred)
        ):
            yield "unwrapped", copy.deepcopy(argument)
        case ast.Name(called, ast.Load()) if called in SWAPPED and name == "func":
            yield "swapped", ast.Name(SWAPPED[called], ast.Load())
        case ast.Attribute(value, called, ast.Load()) if called in SWAPPED and (
            name == "func" or (isinstance(value, ast.Name) and value.id == "np")
        ):
            yield "swapped", ast.Attribute(value, SWAPPED[called], ast.Load())


def _children(node: ast.AST) -> Iterator[tuple[str, ast.AST, int | None]]:
    """Parts of a node with their places, without annotations and the parts of errors."""
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "type_comment", "ctx"} or isinstance(node, ast.Raise):
            continue
        if isinstance(value, ast.AST):
            yield name, value, None
        elif isinstance(value, list):
            for index, part in enumerate(value):
                if isinstance(part, ast.AST):
                    yield name, part, index


def _is_left_out(node: ast.stmt) -> bool:
    """Whether nothing of a statement is behaviour: types, and what only their checker reads."""
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Assert():
            return True
        case ast.If(ast.Name("TYPE_CHECKING")):
            return True
        case ast.AnnAssign(annotation=ast.Name("TypeAlias")):
            return True
        case ast.Assign([ast.Name("__all__" | "__slots__")]):
            return True
        case ast.FunctionDef(decorator_list=decorators):
            return any("overload" in ast.unparse(decorator) for decorator in decorators)
        case ast.ClassDef(bases=bases):
            return any("Protocol" in ast.unparse(base) for base in bases)
        case ast.Expr(ast.Constant()):
            return True
    return False


def _is_removable(node: ast.stmt, assigned: set[str]) -> bool:
    """Whether a statement can be left out and the rest still be read."""
    match node:
        case ast.Expr(ast.Call()) | ast.AugAssign() | ast.Continue() | ast.Break():
            return True
        case ast.Assign([ast.Attribute() | ast.Subscript()]):
            return True
        case ast.Assign([ast.Name(name)]):
            return name in assigned
    return False


def _called(node: ast.AST) -> str:
    """The last name of what a call calls."""
    match node:
        case ast.Call(ast.Name(name) | ast.Attribute(_, name)):
            return name
    return ""


def _is_text(*nodes: ast.AST) -> bool:
    return any(
        isinstance(node, ast.JoinedStr)
        or (isinstance(node, ast.Constant) and isinstance(node.value, str))
        for node in nodes
    )


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _text(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())
