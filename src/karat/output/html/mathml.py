"""Formulas of metrics as MathML, which browsers set themselves: no script, no font, no network.

It reads the part of LaTeX that `Metric.latex` is written in, and writes as few tags as that takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import Final

_TOKENS: Final = re.compile(r"\\[a-zA-Z]+|\\.|[0-9]+|\S", re.DOTALL)
_SIGNS: Final = {
    r"\cdot": "⋅",
    r"\in": "∈",
    r"\notin": "∉",
    r"\ne": "≠",
    r"\ge": "≥",
    r"\le": "≤",
    r"\cap": "∩",
    r"\mid": "∣",
    r"\approx": "≈",
    r"\sim": "∼",
    r"\{": "{",
    r"\}": "}",
    "-": "−",
}
_LETTERS: Final = {r"\beta": "β", r"\ell": "ℓ", r"\pi": "π", r"\Phi": "Φ"}
_FUNCTIONS: Final = {name: name[1:] for name in (r"\max", r"\min", r"\ln", r"\log", r"\arg")}
_LARGE: Final = {r"\sum": "∑", r"\prod": "∏"}
_ACCENTS: Final = {r"\bar": "¯", r"\hat": "^"}
_THIN: Final = '<mspace width=".17em"/>'
_SPACES: Final = {r"\,": ".17em", r"\ ": ".3em", r"\quad": "1em"}
_SIZES: Final = (r"\big", r"\Big")
"""Sizes of brackets, which follow from what is between them."""
_FENCES: Final = "()[]|"
_UNDER: Final = {*_LARGE, r"\max", r"\min"}
"""What has its subscript underneath."""


def formula(latex: str) -> str:
    r"""Return the MathML of a formula, as a block.

    Raises:
        ValueError: the formula has a command that is not known, or a group that does not end.

    Example:
        >>> formula(r"\frac{1}{2}")
        '<math display="block"><mfrac><mn>1</mn><mn>2</mn></mfrac></math>'
    """
    reader = _Reader(latex)
    parts = list(reader.parts(""))
    return f'<math display="block">{"".join(parts)}</math>'


class _Reader:
    """Tokens of a formula, read from left to right."""

    def __init__(self, latex: str) -> None:
        self._tokens = [one for one in _TOKENS.findall(latex) if one not in _SIZES]
        self._place = 0

    def _next(self) -> str:
        if self._place == len(self._tokens):
            raise ValueError("the formula ends where more is needed")
        token: str = self._tokens[self._place]
        self._place += 1
        return token

    def parts(self, end: str) -> Iterator[str]:
        """Iterate over what stands side by side, up to a token; "" is the end of the formula."""
        while self._place < len(self._tokens) or end:
            token = self._next()
            if token == end:
                return
            base = self._with_scripts(self._one(token), is_under=token in _UNDER)
            yield f"{base}{_THIN}" if self._is_applied(token) else base

    def _is_applied(self, token: str) -> bool:
        """Return whether a function stands before an argument without brackets."""
        follows = self._tokens[self._place : self._place + 1]
        is_name = token in _FUNCTIONS or token == r"\operatorname"
        return is_name and follows not in ([], ["("], [r"\left"], ["}"], [","])

    def _with_scripts(self, base: str, *, is_under: bool) -> str:
        found: dict[str, str] = {}
        while self._place < len(self._tokens) and self._tokens[self._place] in ("_", "^"):
            sign = self._next()
            found[sign] = self._one(self._next())
        below, above = found.get("_", ""), found.get("^", "")
        if not found:
            return base
        kind = "under" if is_under else "sub"
        if not above:
            return f"<m{kind}>{base}{below}</m{kind}>"
        if not below:
            return f"<msup>{base}{above}</msup>"
        tag = "munderover" if is_under else "msubsup"
        return f"<{tag}>{base}{below}{above}</{tag}>"

    def _one(self, token: str) -> str:
        """Return one element: a sign, or a command with what it needs."""
        if token == "{":
            parts = list(self.parts("}"))
            return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"
        if token == r"\left":
            opens = self._next()
            inner = "".join(self.parts(r"\right"))
            closes = self._next()
            if "<mfrac>" in inner:
                return f"<mrow><mo>{opens}</mo>{inner}<mo>{closes}</mo></mrow>"
            return f"<mrow>{_fence(opens)}{inner}{_fence(closes)}</mrow>"
        if token == r"\overline":
            return f'<mrow class="over">{self._argument()}</mrow>'
        if token in (r"\frac", r"\tfrac"):
            above, below = self._argument(), self._argument()
            return f"<mfrac>{above}{below}</mfrac>"
        if token in (r"\mathrm", r"\operatorname"):
            return _name(self._text())
        if token == r"\sqrt":
            return f"<msqrt>{self._argument()}</msqrt>"
        if token in _ACCENTS:
            return f'<mover accent="true">{self._argument()}<mo>{_ACCENTS[token]}</mo></mover>'
        if token in _SPACES:
            return f'<mspace width="{_SPACES[token]}"/>'
        if token in _LETTERS or (token.isalpha() and len(token) == 1):
            return f"<mi>{_LETTERS.get(token, token)}</mi>"
        if token in _FUNCTIONS:
            return _name(_FUNCTIONS[token])
        if token.isdigit():
            return f"<mn>{token}</mn>"
        if token in _LARGE:
            return f"<mo>{_LARGE[token]}</mo>"
        if token in _FENCES or token in (r"\{", r"\}"):
            return _fence(_SIGNS.get(token, token))
        if (token.startswith("\\") and token not in _SIGNS) or token in "}^_":
            raise ValueError(f"{token!r} is not known here")
        return f"<mo>{escape(_SIGNS.get(token, token))}</mo>"

    def _argument(self) -> str:
        """Return the next group, or the next sign; of digits the first is one."""
        token = self._next()
        if token.isdigit() and len(token) > 1:
            self._place -= 1
            self._tokens[self._place] = token[1:]
            token = token[0]
        return self._one(token)

    def _text(self) -> str:
        if self._next() != "{":
            raise ValueError("a name stands in braces")
        parts = []
        while (token := self._next()) != "}":
            parts.append(token)
        return "".join(parts)


def _name(text: str) -> str:
    """A name of several letters, which is upright, as one of a single letter is not."""
    upright = ' mathvariant="normal"' if len(text) == 1 else ""
    return f"<mi{upright}>{escape(text)}</mi>"


def _fence(sign: str) -> str:
    """A bracket as high as a line: as an operator it would stretch, or say that it does not."""
    return f"<mi>{sign}</mi>"
