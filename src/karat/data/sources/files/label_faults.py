"""Where labels of files are that cannot be: the data is read again, for the message alone."""

from __future__ import annotations

from typing import NoReturn

import numpy as np
import numpy.typing as npt

from karat.data.sources.files.row_blocks import RowBlocks
from karat.data.sources.files.text_labels import NotLabelsError, Reading
from karat.errors import error
from karat.tally import Label

__all__ = ["located", "refuse_mixed", "refuse_texts"]


def refuse_texts(
    problem: NotLabelsError, every: list[str], rows: RowBlocks, reading: Reading
) -> NoReturn:
    """The error of texts that cannot be labels, with the first row that holds one."""
    at_fault = set(problem.texts)
    bad = np.array([code for code, text in enumerate(every) if text in at_fault])
    place, row, code, count, n = located(rows, bad)
    name, text = rows.names[place], every[code][reading == "marked" :]
    if problem.code == "K106":
        found = f"Row {row} holds {text[:60]}; {count} of {n} rows"
        raise error("K106", argument=f"column {name!r}", found=found) from None
    if problem.code == "K410":
        found = f"Column {name!r} holds the text {text[:60]!r} (row {row}) in a CSV, numbers "
        raise error("K410", found=found + "in another file.") from None
    raise error("K407", column=name, row=row, value=float(text)) from None


def located(rows: RowBlocks, bad: npt.NDArray[np.int64]) -> tuple[int, int, int, int, int]:
    """Column, first row, its code, count and number of rows of codes that may not occur.

    The truth is searched first; the prediction only when the truth holds none of them.

    Cost: a second read of the data, or a third.
    """
    first = [-1, 0]

    def search(place: int) -> tuple[int, int, int]:
        first[0] = -1

        def test(block: object) -> npt.NDArray[np.bool_]:
            column = getattr(block, ("true", "pred")[place])
            flags: npt.NDArray[np.bool_] = np.isin(column, bad)
            if first[0] < 0 and flags.any():
                first[:] = [1, int(column[int(flags.argmax())])]
            return flags

        return rows.first_and_count(test)

    place = 0
    row, count, n = search(0)
    if not count:
        place = 1
        row, count, n = search(1)
    return place, row, first[1], count, n


def refuse_mixed(
    place: int,
    texts: npt.NDArray[np.int64],
    numbers: npt.NDArray[np.int64],
    labels: dict[int, Label],
    rows: RowBlocks,
) -> NoReturn:
    """K107 with the first row of each kind.

    Cost: two reads of the data, each up to that row.
    """
    found = []
    for wanted in (texts, numbers):
        for block in rows:
            column = (block.true, block.pred)[place]
            flags = np.isin(column, wanted)
            if flags.any():
                at = int(flags.argmax())
                found.append((block.first_row + at, labels[int(column[at])]))
                break
    (row, value), (other_row, other) = sorted(found, key=lambda pair: -pair[0])
    raise error(
        "K107",
        argument=f"column {rows.names[place]!r}",
        row=row,
        value=value,
        other_row=other_row,
        other=other,
    )
