"""Every wrong row of an evaluation as CSV: output of the rows, batch by batch."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from os import PathLike
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.data.accumulator import Source, Tallies
from karat.data.listing import ids_at, shown_scores
from karat.data.rows import Rows
from karat.data.scores.rows import InMemoryScores
from karat.data.sources.files.ids import FileIds
from karat.data.sources.files.rows import FileStream
from karat.data.sources.files.sql import NO_VALUE
from karat.errors import error
from karat.results.row_list import score_titles
from karat.results.set_row_list import WrongSets, as_text
from karat.tally.set_tally import SetRows
from karat.tally.writing import write_parts

Places = npt.NDArray[np.int64]
Part = tuple[Places, list[tuple[str, list[Any]]]]
"""Numbers of rows, and what each column holds."""

_ROWS: Final = 1 << 16


def write_errors(
    path: str | PathLike[str],
    source: Any,
    threshold: float | None = None,
    n_threads: int | None = None,
) -> int:
    """Write the wrong rows of a source as CSV, in its order; return their number.

    Args:
        path: the file, which is written completely or not at all.
        source: rows, or a source of batches that can be read again. Without ids, the numbers of
            the rows are written.
        threshold: score at or above which the positive class of two is predicted.

    Errors:
        K236 the rows are not in memory and cannot be read again; OSError the file cannot be
        written.

    Cost: one more pass over rows that are not in memory, and one over their ids; memory for one
    batch.
    """
    if isinstance(source, Rows):
        found: Iterable[Part] = _wrong(source, threshold, n_threads, 0)
    elif isinstance(source, FileStream):
        found = _wrong_of_batches(source, threshold, n_threads)
    elif isinstance(source, Tallies) and source.sets is not None and not source.sets.is_sample:
        found = _wrong_sets(source.sets.rows, n_dropped=source.n_dropped)
    else:
        do = "Give a larger --max-memory, or read files of one label a row."
        raise error("K236", found="The rows do not fit into max_memory", do=do)
    ids = getattr(source, "id_values", None)
    n = 0

    def texts() -> Iterator[bytes]:
        nonlocal n
        with ExitStack() as cleanup:
            is_first = True
            for names, (places, columns) in _named(found, ids, cleanup):
                text = io.StringIO()
                writer = csv.writer(text, lineterminator="\n")
                titles, values = zip(*_with_names(names, columns, ids), strict=True)
                if is_first:
                    writer.writerow(titles)
                is_first = False
                writer.writerows(zip(*values, strict=True))
                n += len(places)
                yield text.getvalue().encode("utf-8", "surrogatepass")

    write_parts(path, texts())
    return n


def _named(parts: Iterable[Part], ids: Any, cleanup: ExitStack) -> Iterator[tuple[list[Any], Part]]:
    if not isinstance(ids, FileIds):
        for part in parts:
            yield part[0].tolist() if ids is None else ids_at(ids, part[0]), part
        return
    # The ids are scanned beside the rows: the numbers of both ascend.
    waiting: list[Part] = []

    def wanted() -> Iterator[Places]:
        for part in parts:
            waiting.append(part)
            yield part[0]

    scan = cleanup.enter_context(closing(ids.scan(wanted())))
    for names in scan:
        yield list(names), waiting.pop(0)


def _with_names(
    names: list[Any], columns: list[tuple[str, list[Any]]], ids: Any
) -> list[tuple[str, list[Any]]]:
    is_named = columns[0][0] in ("row", "id")
    return columns if is_named else [("row" if ids is None else "id", names), *columns]


def _wrong_sets(rows: SetRows, n_dropped: int) -> Iterator[Part]:
    """Yield the wrong rows with sets of labels, with the text of each set."""
    wrong = WrongSets(rows)
    every = np.flatnonzero(wrong.n_wrong > 0)
    for start in range(0, max(len(every), 1), _ROWS):
        at = every[start : start + _ROWS]
        columns = wrong.columns(at)
        if "row" in columns and n_dropped:
            do = "Name a column of ids, ids=, or leave out rows before."
            raise error("K236", found=f"{n_dropped} rows were dropped, and rows have no ids", do=do)
        texts = {
            name: [as_text(x) if isinstance(x, list) else x for x in values]
            for name, values in columns.items()
        }
        yield at, [*texts.items()]


def _wrong_of_batches(
    source: Source, threshold: float | None, n_threads: int | None
) -> Iterator[Part]:
    first_row, is_empty = 0, True
    for batch in source.batches():
        if isinstance(batch, Rows):
            for part in _wrong(batch, threshold, n_threads, first_row):
                is_empty = False
                yield part
            first_row += batch.n + batch.n_dropped
        elif isinstance(batch, Tallies):
            first_row += batch.n_dropped
    assert not is_empty


def _wrong(
    rows: Rows, threshold: float | None, n_threads: int | None, first_row: int
) -> Iterator[Part]:
    """Yield the wrong rows, in parts; one part at least."""
    scores = None
    if rows.scores is not None:
        scores = InMemoryScores.of(rows, threshold, n_threads, is_part=True)
    pred = rows.pred if scores is None else scores.predicted()
    assert pred is not None
    every = np.flatnonzero(rows.true != pred)
    labels = np.array(rows.classes.labels, dtype=object)
    for start in range(0, max(len(every), 1), _ROWS):
        at = every[start : start + _ROWS]
        columns: list[tuple[str, list[Any]]] = [
            ("true", labels[rows.true[at]].tolist()),
            ("pred", labels[pred[at]].tolist()),
        ]
        if scores is not None:
            values = shown_scores(scores, pred, at).T.tolist()
            kind = scores.kind
            columns += zip(score_titles(len(values), kind), values, strict=True)
        if rows.weights is not None:
            columns.append(("weight", rows.weights[at].tolist()))
        columns += _slices(rows, at)
        source = at if rows.kept is None else np.flatnonzero(rows.kept)[at]
        yield source + first_row, columns


def _slices(rows: Rows, at: Places) -> Iterator[tuple[str, list[Any]]]:
    for one in rows.by:
        if len(one.columns) == 1:
            names = [key[0] for key in one.keys]
            yield one.columns[0], [names[code] for code in one.codes[at].tolist()]
    for name, values in rows.columns.items():
        texts = [None if text == NO_VALUE else text for text in values.texts]
        yield name, [texts[code] for code in values.codes[at].tolist()]
