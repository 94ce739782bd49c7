"""Formulas as MathML, which browsers draw themselves: no script, no font, no network."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import latex2mathml

__all__ = ["setup", "written"]


def written(latex: str, *, is_block: bool) -> str:
    """MathML of a formula.

    Raises:
        docutils.utils.math.MathError: it holds what docutils does not know.
    """
    # Sizes of delimiters, which MathML finds by itself, and digits that stand for groups.
    plain = re.sub(r"\\[bB]ig+(?![a-zA-Z])", "", latex)
    plain = re.sub(r"(\\[dt]?frac)(\d)(\d)", r"\1{\2}{\3}", plain)
    return str(latex2mathml.tex2mathml(plain, as_block=is_block))


def _inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(written(node.astext(), is_block=False))
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="formula">{written(node.astext(), is_block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, Any]:
    """Register the renderer `mathml`."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
