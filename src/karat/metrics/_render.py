"""A traced formula as text and as LaTeX, with no more brackets than needed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from karat.metrics._formula import Node, walk

_OPEN, _SUM, _QUOTIENT, _PRODUCT, _POWER, _ATOM = range(6)


@dataclass(frozen=True, slots=True)
class _Style:
    """Notation of each element in one output format."""

    is_latex: bool
    per_class: str  # suffix of a value of class k

    def field(self, node: Node) -> str:
        if node.value == "cells":
            return "C_{ij}" if self.is_latex else "C[i,j]"
        if node.value == "index":
            return "k"
        name = str(node.value) if node.value == "n" else str(node.value).upper()
        if self.is_latex and len(name) > 1:
            name = rf"\mathrm{{{name}}}"
        return name + self.per_class if node.rank else name

    def call(self, name: str, inner: str) -> str:
        if not self.is_latex:
            return f"{name}({inner})"
        if name == "sqrt":
            return rf"\sqrt{{{inner}}}"
        known = {"log": r"\log", "exp": r"\exp", "max": r"\max_k"}
        command = known.get(name, rf"\mathrm{{{name}}}")
        return rf"{command}\left({inner}\right)"

    def big(self, sign: str, indices: str) -> str:
        if self.is_latex:
            return {"Σ": r"\sum", "Π": r"\prod"}[sign] + f"_{{{indices}}} "
        return f"{sign}_{indices} "


@lru_cache(maxsize=1024)
def as_text(node: Node) -> str:
    """One line of plain text: ``2·TP / (2·TP + FP + FN)``."""
    return _rendered(node, _Style(False, "_k"))[0]


def as_latex(node: Node) -> str:
    r"""LaTeX of the formula: ``\frac{2 \mathrm{TP}}{…}``."""
    return _rendered(node, _Style(True, "_k"))[0]


def undefined_condition(node: Node) -> str:
    """Condition of a division by zero or of log 0 in the formula: ``TP + FN = 0``; or empty."""
    found: list[str] = []
    guarded = {
        id(below) for item in walk(node) if item.op == "where" for below in walk(*item.args[1:])
    }
    for item in walk(node):
        if item.op not in {"div", "log"} or id(item) in guarded:
            continue
        for factor in _factors(item.args[1] if item.op == "div" else item.args[0]):
            condition = f"{as_text(factor)} = 0"
            if not _is_never_zero(factor) and condition not in found:
                found.append(condition)
    return " or ".join(found)


def _factors(node: Node) -> list[Node]:
    """Return the nodes that are zero when the node is: factors, a dividend, a radicand."""
    if node.op == "div":
        return _factors(node.args[0])
    if node.op in {"mul", "sqrt"}:
        return [factor for arg in node.args for factor in _factors(arg)]
    return [node]


def _is_never_zero(node: Node) -> bool:
    """Return whether it consists only of numbers of rows, numbers of classes and constants."""
    if node.op == "total" and node.args[0].op == "greater":
        return True
    return all(
        item.op in {"const", "param", "mul"} or (item.op == "field" and item.value in {"n", "k"})
        for item in walk(node)
    )


def _rendered(node: Node, style: _Style) -> tuple[str, int]:
    """Text, and the binding strength of its outermost operation."""
    if node.op == "field":
        return style.field(node), _ATOM
    if node.op == "param":
        name = f"\\{node.value}" if style.is_latex and node.value == "beta" else str(node.value)
        if node.rank == 2:
            name += "_{ij}" if style.is_latex else "[i,j]"
        return name, _ATOM
    if node.op == "const":
        is_whole = node.value == int(node.value)
        return str(int(node.value)) if is_whole else repr(node.value), _ATOM
    if node.op == "at":
        # For one class, no index is needed.
        return _rendered(node.args[0], replace(style, per_class=""))
    args = [_rendered(arg, style) for arg in node.args]
    if node.op in _BINARY:
        return _BINARY[node.op](args, style)
    if node.op in {"sqrt", "log", "exp", "cumulative", "later", "defined"}:
        return style.call(node.op, args[0][0]), _ATOM
    if node.op == "maximum":
        return style.call("max", args[0][0]), _ATOM
    if node.op in {"total", "product", "over_predicted", "over_true"}:
        is_matrix = node.args[0].rank == 2
        indices = {"over_predicted": "j", "over_true": "i"}.get(
            node.op, "i,j" if is_matrix else "k"
        )
        sign = "Π" if node.op == "product" else "Σ"
        return style.big(sign, indices) + _bracketed(args[0], _QUOTIENT, style), _OPEN
    if node.op in {"rows", "cols"}:
        letter = "i" if node.op == "rows" else "j"
        text, strength = args[0]
        return letter if text == "k" else text.replace("_k", f"_{letter}"), strength
    if node.op == "where" and _is_absolute(node):
        inner = args[1][0]
        return rf"\left|{inner}\right|" if style.is_latex else f"|{inner}|", _ATOM
    if node.op == "where":
        return style.call("where", ", ".join(text for text, _ in args)), _ATOM
    if node.op == "greater":
        return f"{args[0][0]} > {args[1][0]}", _OPEN
    # fill determines how classes are combined, not the formula.
    return args[0]


def _is_absolute(node: Node) -> bool:
    """Return whether the node is where(x > 0, x, −x)."""
    test, then, otherwise = node.args
    return (
        test.op == "greater"
        and test.args[0] is then
        and otherwise.op == "sub"
        and otherwise.args[1] is then
    )


def _bracketed(part: tuple[str, int], needed: int, style: _Style) -> str:
    text, strength = part
    if strength >= needed:
        return text
    return rf"\left({text}\right)" if style.is_latex else f"({text})"


def _add(args: list[tuple[str, int]], style: _Style) -> tuple[str, int]:
    return " + ".join(_bracketed(arg, _SUM, style) for arg in args), _SUM


def _sub(args: list[tuple[str, int]], style: _Style) -> tuple[str, int]:
    minus = "-" if style.is_latex else "−"
    right = _bracketed(args[1], _QUOTIENT, style)
    if args[0][0] == "0":
        return f"{minus}{right}", _SUM
    return f"{_bracketed(args[0], _SUM, style)} {minus} {right}", _SUM


def _mul(args: list[tuple[str, int]], style: _Style) -> tuple[str, int]:
    dot = r" \cdot " if style.is_latex else "·"
    return dot.join(_bracketed(arg, _PRODUCT, style) for arg in args), _PRODUCT


def _div(args: list[tuple[str, int]], style: _Style) -> tuple[str, int]:
    if style.is_latex:
        return rf"\frac{{{args[0][0]}}}{{{args[1][0]}}}", _ATOM
    top, bottom = _bracketed(args[0], _PRODUCT, style), _bracketed(args[1], _POWER, style)
    return f"{top} / {bottom}", _QUOTIENT


def _pow(args: list[tuple[str, int]], style: _Style) -> tuple[str, int]:
    base = _bracketed(args[0], _ATOM, style)
    if style.is_latex:
        return f"{{{base}}}^{{{args[1][0]}}}", _POWER
    powers = {"2": "²", "3": "³"}
    if args[1][0] in powers:
        return base + powers[args[1][0]], _POWER
    return f"{base}^{_bracketed(args[1], _ATOM, style)}", _POWER


_BINARY = {"add": _add, "sub": _sub, "mul": _mul, "div": _div, "pow": _pow}
