"""Options of reading rows, and of gold labels and a judge's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal

from karat.api.request.checks import Switch, Whole, Words, memory, text_columns
from karat.api.request.record import Change, Flag, option

_THREADS = (
    "number of threads; None means KARAT_NUM_THREADS, else all cores. It does not affect the "
    "result."
)


@dataclass(frozen=True)
class ReadingOptions:
    """How rows are read."""

    reading: Any = option(
        "how rows are read: `karat.Reading`.",
        shown_type="Reading | None",
        verbs="read evaluate check compare gate find_weak_slices Stream Stream.update Monitor.add",
    )
    nulls: Literal["error", "drop"] = option(
        '``"error"``, or ``"drop"`` to leave out rows of a table or of files whose truth or '
        "prediction is null; the report states their number.",
        default="error",
        check=Words(("error", "drop"), "'drop' leaves the rows out and reports how many."),
        verbs="read evaluate check gate find_weak_slices Monitor.add",
        flags=(
            Flag(
                "--nulls",
                "report columns compare gate monitor",
                "Treatment of rows without a label.",
                kind="words",
                choices=("error", "drop"),
                default="error",
            ),
        ),
    )
    where: str | None = option(
        "condition in SQL that rows meet.",
        flags=(
            Flag(
                "--where",
                "report columns compare gate monitor",
                "Read only rows that meet this condition.",
                "SQL",
            ),
        ),
    )
    text: Sequence[str | int] = option(
        "columns that hold text as written, such as codes and ids: `01234` and `250.0` of a CSV "
        "stay so, and whole numbers in `by` are not put into bins. A column of numbers holds the "
        "texts of its numbers.",
        default=(),
        check=text_columns,
        verbs="read evaluate check compare gate find_weak_slices Stream.update Monitor.add",
        flags=(
            Flag(
                "--text",
                "report columns compare gate monitor",
                "Columns of text as written, such as codes and ids: A,B. Repeatable.",
                "COLUMNS",
                "names",
                is_repeated=True,
            ),
        ),
    )
    decimal: Literal[".", ","] = option(
        'decimal mark of numbers in CSV files: ``","`` reads `0,83`.',
        default=".",
        check=Words((".", ","), "It is the decimal mark of numbers in CSV files."),
        verbs="read evaluate check compare gate find_weak_slices Stream.update Monitor.add",
        flags=(
            Flag(
                "--decimal",
                "report columns compare gate monitor",
                "Decimal mark of numbers in CSV files.",
                kind="words",
                choices=(".", ","),
                default=".",
            ),
        ),
    )
    n_threads: int | None = option(
        _THREADS,
        check=Whole(1, "None means KARAT_NUM_THREADS, else all cores.", 4096, "None, 1 to 4096"),
        verbs="read evaluate compare gate Stream Monitor.add",
        flags=(
            Flag(
                "--threads",
                "report compare gate monitor",
                "Number of threads. Default: all cores.",
                "N",
                "whole",
                least=1,
                most=4096,
            ),
        ),
    )
    max_memory: int | None = option(
        "memory limit in bytes for rows of files, of a partition of a frame or of tensors on a "
        "device. Above it, distinct scores are counted, or buckets of them; results then have "
        "``exact`` or a ``bound``. Default: 2 GiB, or 256 MiB for a partition.",
        check=memory,
        verbs="read evaluate check Stream",
        flags=(
            Flag(
                "--max-memory",
                "report",
                "Memory for rows with scores; beyond it, distinct scores are counted.",
                "SIZE",
                "size",
                default="2GB",
            ),
        ),
        at={
            "Stream": Change(
                "memory limit in bytes for rows with scores, at least 1 MiB.", "int", 1 << 28
            )
        },
    )
    checkpoint: str | PathLike[str] | None = option(
        "a file that records the progress of reading Parquet files; an interrupted read resumes "
        "from it.",
        verbs="read evaluate",
        flags=(
            Flag(
                "--checkpoint",
                "report",
                "Save the progress of reading Parquet files; the same command resumes from it.",
                "FILE",
                "path",
            ),
        ),
    )
    exact: bool = option(
        "whether to read files with bucketed scores again, so that every number is exact. It takes "
        "16 + 16k bytes of disk for each distinct score of each column. Not for partitioned "
        "tables.",
        default=False,
        check=Switch("True reads files a second time."),
        verbs="read evaluate",
        flags=(
            Flag(
                "--exact",
                "report",
                "Read the data a second time if scores were put into buckets, so that results "
                "are exact.",
                kind="switch",
            ),
        ),
    )


@dataclass(frozen=True)
class JudgeOptions:
    """Gold labels of some rows, and a judge's of every row."""

    judge: Any = option(
        "a judge's label for every row; or a column of the table.",
        verbs="read evaluate compare",
        flags=(
            Flag(
                "--judge",
                "report compare",
                "Column of a judge's label for every row (an LLM, a weak rater); gold labels then "
                "may be missing.",
                "COLUMN",
            ),
        ),
        at={
            "compare": Change(
                "a judge's label for every row, or, as the truth, a dict from system to the "
                "verdicts about it."
            )
        },
    )
    gold_weights: Any = option(
        "float[n], or a column: inverse of the probability that a row was chosen.",
        verbs="read evaluate compare",
        flags=(
            Flag(
                "--gold-weights",
                "report compare",
                "Column of the inverse probability of each row to get a gold label.",
                "COLUMN",
            ),
        ),
    )
    gold_is_random: bool = option(
        "states that the rows with gold labels are a random part of all.",
        default=False,
        check=Switch("True states that the rows were chosen at random."),
        verbs="read evaluate compare",
        flags=(
            Flag(
                "--gold-is-random",
                "report compare",
                "State that rows with gold labels are a random part of all rows.",
                kind="switch",
            ),
        ),
    )
