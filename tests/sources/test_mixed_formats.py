"""Files of several formats in one source: one answer or one error, whatever their order."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement, permutations, product
from pathlib import Path
from typing import Any

import pytest

from karat.errors import KaratError
from tests.sources.counting import tally_files
from tests.sources.writing import Columns, write_csv, write_json, write_parquet

TEXT: Columns = {"label": ["a", "b", "b"], "pred": ["a", "a", "b"]}
DIGITS: Columns = {"label": ["0", "1", "1"], "pred": ["0", "0", "1"]}
WHOLE: Columns = {"label": [0, 1, 1], "pred": [0, 0, 1]}
REAL: Columns = {"label": [0.0, 1.0, 1.0], "pred": [0.0, 0.0, 1.0]}
TRUTH: Columns = {"label": [False, True, True], "pred": [False, False, True]}

Writer = Callable[[Path, Columns], Path]

WRITERS: dict[str, Writer] = {
    "csv": lambda path, columns: write_csv(path.with_suffix(".csv"), columns),
    "tsv": lambda path, columns: write_csv(path.with_suffix(".tsv"), columns, "\t"),
    "jsonl": lambda path, columns: write_json(path.with_suffix(".jsonl"), columns),
    "parquet": lambda path, columns: write_parquet(path.with_suffix(".parquet"), columns),
}
KINDS = {"text": TEXT, "digits": DIGITS, "whole": WHOLE, "real": REAL, "boolean": TRUTH}
SAYS_TEXT = {"text", "digits"}


def expected(kinds: list[tuple[str, str]]) -> str:
    """What the rule says of files by format and kind: a kind of labels, or an error.

    Parquet and JSON say what they hold, and must agree; a field of CSV follows them.
    """
    said = {
        "string" if kind in SAYS_TEXT else "number" for form, kind in kinds if form in WRITTEN_KINDS
    }
    if len(said) == 2:
        return "K410"
    fields = [kind for form, kind in kinds if form not in WRITTEN_KINDS]
    if said == {"number"}:
        return "K410" if "text" in fields else "number"
    if said == {"string"} or "text" in fields:
        return "string"
    # CSV alone: true and false beside 0 and 1 are the same, beside 0.0 they are text.
    return "string" if {"boolean", "real"} <= set(fields) else "number"


WRITTEN_KINDS = {"jsonl", "parquet"}
FILES = list(product(("csv", "jsonl", "parquet"), KINDS))
ORDERS = list(permutations(["tsv", "jsonl", "parquet", "csv"]))


def found(paths: list[Path], **options: Any) -> Any:
    try:
        cells = tally_files(paths, **options).cells
    except KaratError as problem:
        return problem.code
    return [
        (type(label).__name__, label) for label in cells.classes.labels
    ], cells.matrix().tolist()


@pytest.mark.parametrize(
    ("first", "second"), list(combinations_with_replacement(FILES, 2)), ids=" ".join
)
def test_two_files_in_both_orders(
    first: tuple[str, str], second: tuple[str, str], tmp_path: Path
) -> None:
    paths = [
        WRITERS[form](tmp_path / name, KINDS[kind])
        for name, (form, kind) in zip("ab", (first, second), strict=True)
    ]
    answers = [found(list(order)) for order in permutations(paths)]
    assert answers[0] == answers[1]
    rule = expected([first, second])
    if rule == "K410" and first[0] == second[0] == "jsonl":
        assert answers[0] in ("K107", "K410")
    elif rule == "K410":
        assert answers[0] == "K410"
    else:
        labels, matrix = answers[0]
        assert ({name for name, _ in labels} == {"str"}) == (rule == "string")
        if first[1] == second[1]:
            assert matrix == [[2, 0], [2, 2]]


@pytest.mark.parametrize("order", ORDERS, ids=" ".join)
@pytest.mark.parametrize(("columns", "labels"), [(TEXT, ("a", "b")), (WHOLE, (0, 1))])
def test_every_format_in_every_order(
    order: tuple[str, ...], columns: Columns, labels: Any, tmp_path: Path
) -> None:
    paths = [WRITERS[name](tmp_path / name, columns) for name in order]
    cells = tally_files(paths).cells
    assert cells.classes.labels == labels
    assert cells.matrix().tolist() == [[4, 0], [4, 4]]
    declared = tally_files(paths, labels=list(reversed(labels))).cells
    assert declared.classes.labels == tuple(reversed(labels))


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_text_of_a_csv_beside_numbers_names_both(form: str, tmp_path: Path) -> None:
    a = write_csv(tmp_path / "a.csv", {"label": [1, "x"], "pred": [1, 1]})
    b = WRITERS[form](tmp_path / "b", {"label": [1], "pred": [1]})
    for paths, row in (([a, b], 1), ([b, a], 2)):
        with pytest.raises(KaratError) as caught:
            tally_files(paths)
        assert caught.value.code == "K410"
        assert f"the text 'x' (row {row}) in a CSV, numbers in another file" in str(caught.value)


def test_long_numbers_of_several_formats_stay_apart(tmp_path: Path) -> None:
    long = 9007199254740993
    paths = [
        WRITERS["csv"](tmp_path / "a", {"label": [long], "pred": [long - 1]}),
        WRITERS["jsonl"](tmp_path / "b", {"label": [long], "pred": [long]}),
        WRITERS["parquet"](tmp_path / "c", {"label": [long - 1], "pred": [long]}),
    ]
    for order in permutations(paths):
        cells = tally_files(list(order)).cells
        assert cells.classes.labels == (long - 1, long)
        assert cells.matrix().tolist() == [[0, 1], [1, 1]]


@pytest.mark.parametrize("kind", ["DECIMAL(17,1)", "DECIMAL(38,2)", "DECIMAL(19,0)", "HUGEINT"])
def test_wide_numbers_are_exact(kind: str) -> None:
    long = 9007199254740993
    values = f"FROM (VALUES ({long}), ({long - 1})) AS t(x)"
    query = f"SELECT {long}::{kind} AS label, x::{kind} AS pred {values}"
    cells = tally_files(query).cells
    assert cells.classes.labels == (long - 1, long)
    assert cells.matrix().tolist() == [[0, 0], [1, 1]]


def test_wide_numbers_that_are_not_whole() -> None:
    with pytest.raises(KaratError, match="K407"):
        tally_files("SELECT 9007199254740993.5::DECIMAL(17,1) AS label, 1 AS pred")


@pytest.mark.parametrize("value", ["2026-01-01", "12:30:00", "2026-01-01 12:30:00", "1-1-1"])
def test_strings_of_json_that_look_like_times_are_strings(value: str, tmp_path: Path) -> None:
    path = write_json(tmp_path / "a.jsonl", {"label": [value], "pred": [value]})
    assert tally_files(path).cells.classes.labels == (value,)
    assert tally_files(path, where=f"label = '{value}'").cells.classes.labels == (value,)


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_partition_of_text_files_is_a_label(form: str, tmp_path: Path) -> None:
    for name in ("1", "2"):
        (tmp_path / f"label={name}").mkdir()
        WRITERS[form](tmp_path / f"label={name}" / "p", {"pred": [1, 2]})
    cells = tally_files(tmp_path).cells
    assert cells.classes.labels == (1, 2)
    assert tally_files(tmp_path, where="label > 1").cells.matrix().tolist() == [[0, 0], [1, 1]]
