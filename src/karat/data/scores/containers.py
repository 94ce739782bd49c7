"""Conversion of probabilities or scores from any container to `Scores`, and value errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NoReturn

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.labels.column import Flags
from karat.data.labels.containers import host_of, index_of
from karat.data.roles import ending_of, shown_column
from karat.data.scores.numbers import Array, Origin, numbers_in
from karat.data.scores.outputs import by_class, columns_by_class, refuse_matrices
from karat.data.sources.distributed.frames import refuse_distributed
from karat.data.sources.tables.frames import is_frame, open_frame
from karat.errors import CATALOGUE, error
from karat.errors.options import as_typed, is_command_line, option
from karat.tally.score_kind import KINDS, Argument, ScoreKind

TOLERANCE: Final = 1e-3
"""Tolerance of the sum of a row of probabilities from 1, for 32 or 64 bits."""
_HALF_TOLERANCE: Final = 1e-2
_BLOCK: Final = 1 << 16
_CODES: Final = {
    "nan": "K131",
    "infinite": "K131",
    "below_zero": "K132",
    "above_one": "K132",
    "row_sum": "K133",
}


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Probabilities or scores of n rows.

    Attributes:
        argument: ``"y_prob"``, ``"y_logit"``, or ``"y_score"`` for scores of any other kind.
        values: float32 or float64, native byte order and aligned, any strides: [n, k] with a
            column for each class, or [n] for the positive class of two.
        columns: the names of the columns, if they come from a table; one name for the k items of a
            column of lists.
        tolerance: tolerance of the sum of a row of probabilities from 1.
        index: the pandas index of the rows as given, or None.
        are_classes: whether the names of the columns are classes, which rows list in any order.
        name: the name of a single column that may be a class; `columns` has those that end in one.
    """

    argument: Argument
    values: Array
    columns: tuple[str, ...] | None = None
    tolerance: float = TOLERANCE
    index: Any = None
    are_classes: bool = False
    name: str | None = None

    @property
    def kind(self) -> ScoreKind:
        """Whether the values are probabilities, logits or other scores."""
        return KINDS[self.argument]

    @property
    def is_prob(self) -> bool:
        """True if the values are probabilities."""
        return self.argument == "y_prob"

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.values)

    @property
    def k(self) -> int:
        """Number of classes: 2 for a single column."""
        return self.values.shape[1] if self.values.ndim == 2 else 2

    def at(self, rows: npt.NDArray[Any]) -> Scores:
        """Return the scores of some rows, copied."""
        return replace(self, values=self.values[rows])

    def place(self, column: int) -> str:
        """Return the name of a column, to follow a row in a message."""
        if self.columns is None:
            return f", column {column}" if self.values.ndim == 2 else ""
        if len(self.columns) == 1:
            item = f", item {column}" if self.values.ndim == 2 else ""
            return f", column {self.columns[0]!r}{item}"
        return f", {'class' if self.are_classes else 'column'} {self.columns[column]!r}"


def as_scores(values: Any, argument: Argument) -> Scores:
    """Convert the scores of one argument.

    The values are checked when they are read, row by row; `refuse_scores` describes invalid ones.

    Args:
        values: float[n, k], or float[n] for the positive class of two: a list, nested lists, a
            NumPy array of any float or integer type, a torch tensor, a pandas, Polars or Arrow
            table (all of its columns), a column of numbers, or a column of lists of one length;
            a dict from class to column, or what `by_class` reads.
        argument: ``"y_prob"``, ``"y_logit"`` or ``"y_score"``.

    Returns:
        float32 if every value has 32 bits or fewer, else float64; (n, 1) as [n]. The tolerance of
        row sums is 1e-2 for 16-bit values, else 1e-3.

    Errors:
        K101 no row; K102 columns of different lengths; K130 not real numbers, or another shape;
        K131 missing values; K416 they are partitioned.

    Cost: none for arrays of float32 and float64 and for pandas tables of one such block;
    one matrix is filled from other tables; else one copy.

    Example:
        >>> as_scores([[0.25, 0.75], [0.5, 0.5]], "y_prob").values.shape
        (2, 2)
    """
    if type(values) is np.ndarray and _is_plain(values):
        return Scores(argument, values)
    host = host_of(values)
    if host == "narwhals":
        return as_scores(values.to_native(), argument)
    refuse_distributed(values, argument)
    if isinstance(values, Iterator):
        values = list(values)
    named = by_class(values, argument)
    if named is not None:
        return replace(_of_classes(named, Origin(argument), argument), index=index_of(values))
    return plain_scores(values, argument)


def plain_scores(values: Any, argument: Argument) -> Scores:
    """Convert scores whose rows do not name their classes; as `as_scores`."""
    refuse_matrices(values, argument)
    host = host_of(values)
    if isinstance(values, Mapping) or (host != "numpy" and is_frame(values)):
        return replace(_of_table(values, argument), index=index_of(values))
    found = numbers_in(values, Origin(argument))
    joined = found.joined()
    name = getattr(values, "name", None)
    # The name of a column may give its class: proba_fraud.
    names_class = joined.ndim == 1 and isinstance(name, str) and ending_of(name) is not None
    columns = (str(name),) if names_class else None
    tolerance = tolerance_of(is_half=found.is_half)
    single = name if isinstance(name, str) and joined.ndim == 1 else None
    return Scores(argument, joined, columns, tolerance, index_of(values), name=single)


def _is_plain(array: npt.NDArray[Any]) -> bool:
    """Return whether an array is used unchanged: the usual case, on the fast path."""
    is_matrix = array.ndim == 2 and array.shape[1] > 1
    dtype = array.dtype
    is_real = dtype in (np.float64, np.float32) and dtype.isnative and array.flags.aligned
    return is_real and (is_matrix or array.ndim == 1) and len(array) > 0


def tolerance_of(*, is_half: bool) -> float:
    """Return the tolerance of the sum of a row of probabilities: larger for 16-bit numbers."""
    return _HALF_TOLERANCE if is_half else TOLERANCE


def _of_classes(named: list[Any] | Mapping[str, Any], origin: Origin, argument: Argument) -> Scores:
    """Return the scores of rows that name their classes."""
    columns = columns_by_class(named, origin.shown) if isinstance(named, list) else named
    scores = gathered(columns, tuple(columns), argument, origin.kept)
    return replace(scores, are_classes=True)


def _of_table(table: Any, argument: Argument) -> Scores:
    frame = open_frame(table)
    if not frame.names:
        raise Origin(argument).refusal("It is a table without columns")
    # A table made without names numbers its columns, which names no class.
    is_counted = frame.kind == "pandas" and list(table.columns) == list(range(table.shape[1]))
    if frame.kind == "pandas" and len(set(table.dtypes)) == 1 and table.shape[1] > 1:
        dtype = table.dtypes.iloc[0]
        if isinstance(dtype, np.dtype) and dtype.kind == "f":
            found = numbers_in(table.to_numpy(), Origin(argument))
            names = None if is_counted else frame.names
            return Scores(argument, found.joined(), names, tolerance_of(is_half=found.is_half))
    scores = gathered(frame.columns(frame.names), frame.names, argument)
    return replace(scores, columns=None) if is_counted and len(frame.names) > 1 else scores


def gathered(
    columns: Mapping[str, Any], names: Sequence[str], argument: Argument, kept: Flags | None = None
) -> Scores:
    """Return one matrix of the columns of a table.

    Args:
        columns: values by name, in any container that `numbers_in` reads.
        names: the columns in the order of the matrix; a single one may hold lists, or what
            `by_class` reads.
        kept: bool[n], rows that will be used; missing values elsewhere are ignored.

    Errors:
        K101, K130, K131 as in `as_scores`, with the column; K102 columns of different lengths.

    Cost: one matrix, C order; a single column of numbers is not copied.
    """
    if len(names) == 1:
        origin = Origin(argument, names[0], kept)
        named = by_class(columns[names[0]], origin.shown)
        if named is not None:
            return _of_classes(named, origin, argument)
    found = [numbers_in(columns[name], Origin(argument, name, kept)) for name in names]
    tolerance = tolerance_of(is_half=any(numbers.is_half for numbers in found))
    if len(found) == 1:
        return Scores(argument, found[0].joined(), tuple(names), tolerance)
    for name, numbers in zip(names, found, strict=True):
        if numbers.width is not None:
            raise Origin(argument, name).refusal(f"It holds lists of {numbers.width} numbers")
        if len(numbers) != len(found[0]):
            raise error(
                "K102",
                left=shown_column(names[0]),
                n_left=len(found[0]),
                right=f"column {name!r}",
                n_right=len(numbers),
            )
    is_single = all(numbers.dtype == np.float32 for numbers in found)
    shape = (len(found[0]), len(found))
    matrix: Array = np.empty(shape, np.float32 if is_single else np.float64)
    for place, numbers in enumerate(found):
        row = 0
        for piece in numbers.pieces:
            matrix[row : row + len(piece), place] = piece
            row += len(piece)
    return Scores(argument, matrix, tuple(names), tolerance)


def refuse_scores(scores: Scores, problem: _native.Rejected) -> NoReturn:
    """Raise the error of a value that a kernel refused.

    Args:
        problem: its `args` are the kind, 1 for the scores, the first bad row and, if the kernel
            knows it, the first bad column of that row.

    Errors:
        K131 NaN or infinite, K132 not a probability, K133 a row does not sum to 1; with the row,
        the column, the value and the number of such rows. Other problems are raised again.

    Cost: one pass over the scores.
    """
    args: tuple[Any, ...] = problem.args
    kind, argument, row, *rest = args
    code = _CODES.get(kind)
    if argument != 1 or code is None:
        raise problem

    def is_bad(values: Array) -> npt.NDArray[np.bool_]:
        if code == "K131":
            return ~np.isfinite(values)
        return (values < 0) | (values > 1)

    count, value, place = 0, 0.0, ""
    low, high = np.inf, -np.inf
    for start in range(0, scores.n, _BLOCK):
        block = scores.values[start : start + _BLOCK]
        if code == "K133":
            bad = np.abs(block.sum(axis=1, dtype=np.float64) - 1) > scores.tolerance
        else:
            bad = is_bad(block)
            low, high = min(low, float(block.min())), max(high, float(block.max()))
        count += int(np.count_nonzero(bad if bad.ndim == 1 else bad.any(axis=1)))
    values = np.atleast_1d(scores.values[row])
    if code == "K133":
        value = float(values.sum(dtype=np.float64))
    else:
        column = int(rest[0]) if rest else int(is_bad(values).argmax())
        value, place = float(values[column]), scores.place(column)
    raise error(
        code,
        argument=scores.argument,
        row=int(row),
        place=place,
        value=value,
        count=max(1, count),
        n=scores.n,
        tolerance=scores.tolerance,
        **what_to_do(code, scores.columns or (), values, low, high),
    ) from None


def _rounded_to(row: Array) -> int | None:
    """Return the decimal places of probabilities that add up to 1 but for rounding, or None."""
    values = row.astype(np.float64)
    for places in (1, 2, 3, 4):
        unit = 10.0**-places
        is_rounded = np.allclose(values, values.round(places), rtol=0.0, atol=1e-7)
        if is_rounded and abs(values.sum() - 1.0) <= len(values) * unit / 2.0 + 1e-7:
            return places
    return None


def _is_of_16_bits(row: Array) -> bool:
    """Return whether probabilities are those of 16 bits, and add up to 1 within their tolerance."""
    values = row.astype(np.float32)
    with np.errstate(over="ignore", under="ignore"):
        is_half = bool((values.astype(np.float16) == row).all())
    is_brain = bool((values == row).all()) and not (values.view(np.uint32) & 0xFFFF).any()
    sums = float(values.sum(dtype=np.float64))
    return (is_half or is_brain) and abs(sums - 1.0) <= _HALF_TOLERANCE


def what_to_do(
    code: str, columns: Sequence[str], row: Array, low: float, high: float
) -> dict[str, str]:
    """Return advice on probabilities beyond that of K132 and K133; or an empty text.

    Args:
        columns: their names, if they come from a table.
        row: those of the first row with an invalid value.
        low, high: limits of their values.
    """
    more = ""
    if code == "K132" and low >= 0.0 and 1.0 < high <= 100.0:
        more = "If they are percent, divide them by 100"
        if is_command_line() and len(columns) == 1:
            (name,) = (x if x.isidentifier() else f'"{x}"' for x in columns)
            more += f": SELECT * REPLACE ({name} / 100 AS {name}) FROM 'FILE'"
    elif code == "K133" and (places := _rounded_to(row)):
        more = f"They are rounded to {places} places: write them with more, or divide each row by "
        more += "its sum, p / p.sum(axis=1, keepdims=True) in NumPy"
    elif code == "K133" and _is_of_16_bits(row):
        more = "They are 16-bit numbers in a longer type: divide each row by its sum in "
        more += "float64, p / p.sum(axis=1, keepdims=True) in NumPy, or give them in 16 bits"
    elif code == "K133" and len(columns) == 2:
        more = (
            "If they belong to two models, or if one is that of the positive class, give one "
            "column: "
        )
        more += option("y_prob", columns[0]) if is_command_line() else repr(columns[0])
    return {"advice": f"{more}. {as_typed(CATALOGUE[code].do)}"} if more else {}
