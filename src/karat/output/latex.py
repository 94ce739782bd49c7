"""A document as LaTeX: booktabs tables, to be read into a paper."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from karat.errors.text import harmless
from karat.output.document import Document, Notes, Table
from karat.output.paper import on_paper, titled

N_MATRIX: Final = 20
"""Classes of the largest matrix that fits a page."""

_SPECIAL: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{\char34}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    # After the end of a row, and after \midrule, both would be read as an argument.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "-": "{-}",
    ",": "{,}",
    # What karat itself writes and pdfLaTeX does not know.
    "→": r"$\to$",
    "−": "$-$",
    "–": "--",
    "×": r"$\times$",
    "∞": r"$\infty$",
    "·": r"$\cdot$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "±": r"$\pm$",
    "²": r"$^2$",
    "Σ": r"$\Sigma$",
    "…": r"\dots{}",
}
_DOUBLED: Final = "-,"
"""Alone they are themselves; two of them would become one longer dash, or one quote."""
_GROUP: Final = re.compile(r"(?<=\d) (?=\d{3}(?!\d))")
_NOT_LATIN: Final = re.compile(r"[^\x00-\u024f]")


def latex_of(document: Document) -> str:
    """Tables, each a float with its title as caption, without a line end after the last line.

    A figure of a report that stands on its own: no preamble; it needs the package booktabs.
    """
    body: list[str] = []
    for section in on_paper(document, N_MATRIX):
        body += ["", *_section(section)]
    head = [r"% In the preamble: \usepackage{booktabs}"]
    if _NOT_LATIN.search("\n".join(body)):
        head.append(
            "% Some names are not in Latin letters: use LuaLaTeX or XeLaTeX and their font."
        )
    title = _spaced(" · ".join((document.title, *document.facts)))
    return "\n".join([*head, rf"\noindent {title}", *body])


def escaped(text: str) -> str:
    r"""Foreign text that is set as it is: no command, no comment, no cell, one line.

    Example:
        >>> from karat.output.latex import escaped
        >>> print(escaped(r"50 % of \alpha_1 & more"))
        50 \% of \textbackslash{}alpha\_1 \& more
    """
    shown = harmless(text)
    pairs = zip(shown, f"{shown[1:]} ", strict=False)
    return "".join(
        char if char in _DOUBLED and char != following else _SPECIAL.get(char, char)
        for char, following in pairs
    )


def _section(section: Table | Notes) -> Iterator[str]:
    title, rest = titled(section.title)
    if isinstance(section, Notes):
        yield rf"\paragraph{{{escaped(title)}}}"
        if rest:
            yield escaped(rest) + r"\par"
        yield r"\begin{itemize}"
        yield from (rf"  \item {escaped(line)}" for line in section.lines)
        yield r"\end{itemize}"
        return
    caption = f"{title}: {rest}" if rest else title
    yield r"\begin{table}[htbp]"
    yield r"  \centering"
    yield rf"  \caption{{{escaped(caption)}}}"
    yield from _table(section)
    yield r"\end{table}"


def _table(table: Table) -> Iterator[str]:
    columns = table.columns
    if table.is_matrix:
        is_small = len(table.rows) > 10
        yield r"  \scriptsize\setlength{\tabcolsep}{3pt}" if is_small else r"  \footnotesize"
    alignment = "".join(column.align[0] for column in columns)
    yield rf"  \begin{{tabular}}{{{alignment}}}"
    yield r"    \toprule"
    yield _row([escaped(column.heading) for column in columns])
    yield r"    \midrule"
    for i, row in enumerate(table.rows):
        if i == table.rule_before:
            yield r"    \midrule"
        yield _row(
            [
                escaped(cell.text) if column.is_name else _spaced(cell.text)
                for cell, column in zip(row, columns, strict=True)
            ]
        )
    yield r"    \bottomrule"
    yield r"  \end{tabular}"
    for note in table.notes:
        yield rf"  \par\smallskip{{\footnotesize {_spaced(note)}\par}}"


def _spaced(text: str) -> str:
    """Escape a text with thin spaces between groups of digits and before a percent sign."""
    return _GROUP.sub(r"\\,", escaped(text)).replace(r" \%", r"\,\%")


def _row(cells: Sequence[str]) -> str:
    return f"    {' & '.join(cells)} \\\\"
