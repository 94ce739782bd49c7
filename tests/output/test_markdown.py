"""Markdown: what a reader of it sees is what the report says, whatever names hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from karat.errors import KaratError
from karat.errors.text import harmless, safe, shortened, value
from karat.output.markdown import code, escaped, markdown_of
from karat.output.paper import NAME_MAX
from tests.optional import optional
from tests.output.hostile_names import NAMES, hostile_comparison, hostile_report
from tests.output.reports import REPORTS

markdown_it = optional("markdown_it")

BLOCKS = {
    "heading", "paragraph", "table", "thead", "tbody", "tr", "th", "td", "bullet_list",
    "list_item", "inline",
}  # fmt: skip
SPANS = {"text", "code_inline", "strong", "text_special"}


def parsed(text: str) -> list[Any]:
    """The tokens of a parser that knows tables, strikethrough, HTML and bare links."""
    reader = markdown_it.MarkdownIt("commonmark", {"html": True})
    tokens: list[Any] = reader.enable(["table", "strikethrough"]).parse(text)
    return tokens


def active(text: str) -> set[str]:
    """The kinds of tokens that a report has no use for: HTML, links, images, emphasis, rules."""
    found = set()
    for token in parsed(text):
        found.add(token.type.removesuffix("_open").removesuffix("_close"))
        found |= {t.type.removesuffix("_open").removesuffix("_close") for t in token.children or ()}
    return found - BLOCKS - SPANS


def seen(token: Any) -> str:
    """The text that a reader sees of an inline token."""
    return "".join(child.content for child in token.children or ())


def tables(text: str) -> Iterator[list[list[str]]]:
    """The cells of each table."""
    rows: list[list[str]] | None = None
    for token in parsed(text):
        if token.type == "table_open":
            rows = []
        elif rows is None:
            continue
        elif token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(seen(token))
        elif token.type == "table_close":
            yield rows
            rows = None


def shown(name: str) -> str:
    return shortened(safe(name), NAME_MAX)


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_is_headings_tables_and_lists(name: str) -> None:
    report = REPORTS[name]()
    text = report.to_markdown()
    assert active(text) == set()
    assert "(in Python" not in text
    assert "--" not in re.sub(r"[:|] ?-+:?", "", text)
    for rows in tables(text):
        assert len({len(row) for row in rows}) == 1
    (metrics,) = [rows for rows in tables(text) if rows[0][0] == "metric"][:1]
    for metric, text, *_ in metrics[1:]:
        assert text.rstrip("*~") == value(report[metric].value)


@pytest.mark.parametrize("n_classes", [2, 5, 20, len(NAMES)])
def test_hostile_names_are_shown_as_they_are(n_classes: int) -> None:
    report = hostile_report(NAMES[:n_classes])
    text = report.to_markdown()
    assert active(text) == set()
    listed = next(rows for rows in tables(text) if rows[0][0] == "class")[1:]
    names = [row[0] for row in listed if row[0] not in ("macro", "weighted")]
    assert set(names) <= {shown(name) for name in NAMES[:n_classes]}
    assert len(names) == (n_classes if n_classes <= 24 else 10)
    for rows in tables(text):
        assert len({len(row) for row in rows}) == 1
    told = [seen(token) for token in parsed(text) if token.type == "inline"]
    for name in NAMES[:n_classes]:
        assert " ".join(f"Seen: {harmless(name)}".split()) in [" ".join(t.split()) for t in told]


@pytest.mark.parametrize("name", NAMES)
def test_escapes_and_code_are_read_back(name: str) -> None:
    (token,) = [token for token in parsed(escaped(name)) if token.type == "inline"] or [None]
    assert (seen(token) if token else "") == harmless(name).strip()
    table = f"| {code(safe(name))} | x |\n|---|---|\n| {escaped(name)} | {code(safe(name))} |"
    ((head, row),) = tables(table)
    assert head == [safe(name), "x"]
    assert row == [harmless(name).strip(), safe(name)]
    assert active(escaped(name)) | active(table) == set()


def test_a_name_that_is_not_escaped_is_found() -> None:
    found = set()
    for name in [*NAMES, "[x](y)", "a <b>c</b>"]:
        found |= active(name.replace("\ud800", ""))
    assert {"html_block", "html_inline", "link", "image", "em", "s"} <= found
    ((head, row),) = tables("| a|b | x |\n|---|---|---|\n| a|b | x |")
    assert head == row == ["a", "b", "x"]


def test_mentions_and_numbers_of_issues_are_code() -> None:
    # The host reads them from the finished text, where no backslash is left.
    for name in ("@everyone", "see #123", "a@b.co", "x/y#7"):
        tokens = parsed(escaped(name))[1].children or []
        plain = "\n".join(token.content for token in tokens if token.type.startswith("text"))
        assert not re.search(r"@\w|#\d", plain)
    assert active("www.example.com") == set()  # this parser knows no bare links: by the source
    assert r"www\.example" in escaped("www.example.com")
    assert r"http\://" in escaped("http://example.com")


def test_what_needs_no_escape_has_none() -> None:
    assert escaped("macro_f1 of f_beta(beta=2): -0.5, 95 %") == (
        "macro_f1 of f_beta(beta=2): -0.5, 95 %"
    )
    assert code("Homo sapiens") == "Homo sapiens"
    assert code("c++") == "`c++`"


def test_a_comparison_with_hostile_models() -> None:
    text = hostile_comparison().to_markdown()
    assert active(text) == set()
    values = next(rows for rows in tables(text) if not {"diff", "rows"} & {*rows[0]})
    assert values[0][1:] == [harmless(NAMES[i]) for i in (0, 3, 11)]


def test_a_large_matrix_is_told() -> None:
    assert "the 30 × 30 matrix is not drawn here" in REPORTS["thirty"]().to_markdown()
    assert "the 100 × 100 matrix is not drawn" in REPORTS["hundred"]().to_markdown()


def test_every_metric_can_be_listed() -> None:
    report = REPORTS["ten"]()
    assert "macro_jaccard" not in report.to_markdown()
    assert "jaccard" in report.to_markdown(metrics="all")


def test_the_text_is_written_with_a_line_end(tmp_path: Any) -> None:
    report = REPORTS["two"]()
    path = tmp_path / "report.md"
    text = report.to_markdown(path)
    assert path.read_text(encoding="utf-8") == text + "\n"
    assert not text.endswith("\n")


def test_an_empty_document_has_a_title() -> None:
    from karat.output.document import Document

    assert markdown_of(Document("karat", ())).startswith("## karat")


@pytest.mark.parametrize("metrics", ["accuracy", ["accuracy"]])
@pytest.mark.parametrize("export", ["to_markdown", "to_latex", "to_mlflow", "to_wandb"])
def test_a_choice_of_metrics_that_is_none_is_refused(export: str, metrics: Any) -> None:
    with pytest.raises(KaratError, match=r"K122(.|\n)*'headline', 'all'(.|\n)*metrics=\["):
        getattr(REPORTS["two"](), export)(metrics=metrics)
