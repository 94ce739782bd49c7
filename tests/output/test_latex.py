"""LaTeX: a small reader of what karat writes finds every cell again, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from karat.errors.text import harmless, safe, shortened
from karat.output.latex import escaped
from karat.output.paper import NAME_MAX
from tests.output.hostile_names import NAMES, hostile_comparison, hostile_report
from tests.output.reports import REPORTS

TOKEN = re.compile(r"\\(?:[A-Za-z]+|.)|[{}$&%#_^~]|[^\\{}$&%#_^~]", re.DOTALL)
TEXT = {
    r"\textbackslash": "\\", r"\{": "{", r"\}": "}", r"\$": "$", r"\&": "&", r"\#": "#",
    r"\%": "%", r"\_": "_", r"\textasciicircum": "^", r"\textasciitilde": "~",
    r"\textless": "<", r"\textgreater": ">", r"\textbar": "|", r"\textquotesingle": "'",
    r"\textasciigrave": "`", r"\dots": "…", r"\,": " ",
    r"\to": "→", r"\times": "×", r"\infty": "∞", r"\cdot": "·", r"\geq": "≥", r"\leq": "≤",
    r"\pm": "±", r"\Sigma": "Σ",
}  # fmt: skip
"""Commands that set one character."""
LAYOUT = {
    r"\begin", r"\end", r"\centering", r"\caption", r"\toprule", r"\midrule", r"\bottomrule",
    r"\paragraph", r"\item", r"\par", r"\smallskip", r"\footnotesize", r"\scriptsize",
    r"\setlength", r"\tabcolsep", r"\noindent", r"\\",
}  # fmt: skip
"""Every other command that may stand in a report."""


class BrokenError(AssertionError):
    """What TeX would stop at, or take for something else."""


def checked(text: str) -> None:
    """Braces and environments are balanced, and every command is one that karat writes."""
    body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    open_ones: list[str] = []
    depth, is_math = 0, False
    tokens = TOKEN.findall(body)
    for i, token in enumerate(tokens):
        if token in ("#", "_", "~", "%") or (token == "^" and not is_math):
            raise BrokenError(f"a bare {token}")
        if token == "&" and (not open_ones or open_ones[-1] != "tabular"):
            raise BrokenError("a cell outside a table")
        if token == "$":
            is_math = not is_math
        depth += (token == "{") - (token == "}")
        if depth < 0:
            raise BrokenError("a brace too many")
        if token.startswith("\\") and token not in TEXT and token not in (*LAYOUT, r"\char"):
            raise BrokenError(f"a command {token}")
        if token == r"\char" and tokens[i + 1 : i + 4] != ["3", "4", "}"]:
            raise BrokenError("a character by number")
        if token in (r"\\", r"\midrule", r"\item", r"\toprule"):
            following = next((t for t in tokens[i + 1 :] if t.strip()), "")
            if following in ("[", "*"):
                raise BrokenError(f"{token} takes {following} for its argument")
        if token in (r"\begin", r"\end"):
            name = "".join(tokens[i + 2 : i + 2 + tokens[i + 2 :].index("}")])
            if token == r"\begin":
                open_ones.append(name)
            elif not open_ones or open_ones.pop() != name:
                raise BrokenError(f"the end of {name}")
    if depth or is_math or open_ones:
        raise BrokenError(f"left open: {depth} {is_math} {open_ones}")


def plain(text: str) -> str:
    """The characters that a piece of LaTeX sets."""
    text = (
        text.replace(r"{\char34}", '"').replace("$^2$", "²").replace("$-$", "−").replace("--", "–")
    )
    shown = []
    is_command = False
    for token in TOKEN.findall(text):
        if token in TEXT:
            shown.append(TEXT[token])
        elif token not in ("{", "}", "$") and not (is_command and token == " "):
            shown.append(token)
        is_command = token.startswith("\\") and token[1:].isalpha()
    return "".join(shown)


def tables(text: str) -> Iterator[list[list[str]]]:
    """The cells of each tabular; every row has as many as there are columns."""
    pattern = r"\\begin\{tabular\}\{([lr]+)\}(.*?)\\end\{tabular\}"
    for columns, inside in re.findall(pattern, text, re.DOTALL):
        lines = re.sub(r"\\(?:top|mid|bottom)rule", "", inside)
        rows = [line for line in re.split(r"\\\\\n", lines) if line.strip()]
        found = [[plain(c.strip()) for c in re.split(r"(?<!\\)&", row)] for row in rows]
        assert {len(row) for row in found} == {len(columns)}
        yield found


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_is_tables_of_booktabs(name: str) -> None:
    report = REPORTS[name]()
    text = report.to_latex()
    checked(text)
    assert text.startswith("% In the preamble: \\usepackage{booktabs}\n")
    assert "(in Python" not in text
    head, *rows = next(iter(tables(text)))
    assert head[:2] == ["metric", "value"]
    assert [row[0] for row in rows if row[0] not in report] == []
    assert rows


@pytest.mark.parametrize("n_classes", [2, 5, 20, len(NAMES)])
def test_hostile_names_are_set_as_they_are(n_classes: int) -> None:
    text = hostile_report(NAMES[:n_classes]).to_latex()
    checked(text)
    listed = next(rows for rows in tables(text) if rows[0][0] == "class")[1:]
    names = [row[0] for row in listed if row[0] not in ("macro", "weighted")]
    assert set(names) <= {shortened(safe(name), NAME_MAX) for name in NAMES[:n_classes]}
    assert len(names) == (n_classes if n_classes <= 24 else 10)


@pytest.mark.parametrize("name", NAMES)
def test_escapes_are_read_back(name: str) -> None:
    text = escaped(name)
    assert plain(text) == harmless(name)
    checked(rf"\begin{{tabular}}{{l}} \midrule {text} \\ {text} \end{{tabular}}")


def test_what_is_not_escaped_is_found() -> None:
    broken = []
    for name in NAMES:
        try:
            checked(rf"\begin{{tabular}}{{l}} \midrule {harmless(name)} \\ \end{{tabular}}")
        except BrokenError as problem:
            broken.append(str(problem))
    assert "a command \\input" in broken
    assert "\\midrule takes [ for its argument" in broken
    assert "a bare #" in broken
    assert len(broken) >= 8
    with pytest.raises(BrokenError, match="brace"):
        checked("}")
    with pytest.raises(BrokenError, match="left open"):
        checked(r"\begin{table}")


def test_dashes_quotes_and_commas_do_not_join() -> None:
    for text in ("---", "''", "``", ",,", "<<"):
        joined = re.sub(r"\{.*?\}", "{}", escaped(text))
        assert text not in joined
    assert escaped("a-b, c") == "a-b, c"


def test_letters_beyond_latin_are_told() -> None:
    assert "LuaLaTeX" not in REPORTS["ten_prob"]().to_latex()
    assert "LuaLaTeX" in REPORTS["hostile"]().to_latex()


def test_numbers_are_spaced_and_the_matrix_is_readable() -> None:
    assert r"617\,283\,900" in REPORTS["huge"]().to_latex()
    assert r"2\,000 rows" in REPORTS["ten_prob"]().to_latex()
    assert r"\caption{Confusion: rows true, columns predicted}" in REPORTS["ten"]().to_latex()
    assert r"the 30 $\times$ 30 matrix is not drawn here" in REPORTS["thirty"]().to_latex()


def test_a_comparison_with_hostile_models() -> None:
    text = hostile_comparison().to_latex()
    checked(text)
    values = next(rows for rows in tables(text) if not {"diff", "rows"} & {*rows[0]})
    assert values[0][1:] == [harmless(NAMES[i]) for i in (0, 3, 11)]
