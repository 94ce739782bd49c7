"""The native core: encodes labels and counts them; runs compiled formulas. Knows no metric.

Arrays are NumPy arrays, aligned and in this machine's byte order (else TypeError); one-dimensional
ones may have any stride unless a text says contiguous.
Rows are counted from 0. What it computes of tables stands in `_native_tables.pyi`.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from karat._native_tables import *

_Integers: TypeAlias = NDArray[np.integer[Any]] | NDArray[np.bool_]
_Int32: TypeAlias = NDArray[np.int32]
_Int64: TypeAlias = NDArray[np.int64]
_UInt64: TypeAlias = NDArray[np.uint64]
_Float64: TypeAlias = NDArray[np.float64]
_UInt8: TypeAlias = NDArray[np.uint8]
_Scores: TypeAlias = NDArray[np.float32] | NDArray[np.float64]

class Rejected(ValueError):  # noqa: N818
    """A row cannot be counted: `args` is (kind, argument, row), and column of a matrix.

    kind: "range", "outside", "negative_weight", "bad_weight", "bad_score" or "unhashable"; of a
    matrix also "nan", "infinite", "below_zero", "above_one" or "row_sum".
    argument: 0 truth or the only array, 1 predictions or scores, 2 weights.
    row: the first bad row of that argument.
    column: the first bad column of that row; -1 when the whole row is meant.
    """

    args: tuple[str, int, int] | tuple[str, int, int, int]

def isa() -> str:
    """Instruction set in use: "avx512", "avx2" or "baseline"; KARAT_ISA chooses at import."""

def isas() -> list[str]:
    """Those that this machine has, best first."""

def use_isa(name: str) -> None:
    """Use that instruction set from the next call on; ValueError if it is not usable here."""

@final
class Tally:
    """Class counts. Arrays share the memory of the tally and keep it alive; copy to change them."""

    @property
    def k(self) -> int: ...
    @property
    def n_rows(self) -> int:
        """Rows read, of any weight."""

    @property
    def weighted(self) -> bool: ...
    @property
    def has_cells(self) -> bool: ...
    @property
    def labels(self) -> _Int64 | None:
        """int64[k] values found in the data, ascending; None when the classes were given."""

    def cells(self) -> NDArray[Any]:
        """int64[k, k] rows, or float64[k, k] Σw, true × predicted; ValueError without cells."""

    def squares(self) -> _Float64:
        """float64[k, k] Σw²; ValueError without weights or cells."""

    def marginals(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """True positives, false positives, false negatives: int64[k], or float64[k] Σw."""

    def marginal_rows(self) -> tuple[_Int64, _Int64, _Int64]:
        """The same as rows; weighted: rows of weight > 0, so that a zero is exact."""

    def marginal_squares(self) -> tuple[_Float64, _Float64, _Float64]:
        """The same as Σw²; ValueError without weights."""

def count_integers(
    y_true: _Integers, y_pred: _Integers, weights: _Float64 | None, cells: bool, n_threads: int
) -> Tally | None:
    """Count integers whose classes are the values that occur; None when their range is too wide.

    Too wide: with cells, more than 4096 values or the square root of max(65536, 8n);
    without, more than max(65536, n) values or 2**26.
    Weighted sums are the same bits for every number of threads and instruction set.

    Errors: ValueError for unequal lengths or no rows; Rejected for a bad weight.
    Cost: one pass; n_threads <= 0 means KARAT_NUM_THREADS, else every usable core.
    """

def count_agreement(y_true: _Integers, y_pred: _Integers, n_threads: int) -> Tally | None:
    """Numbers of rows by whether two labels are equal, as a tally of two unnamed classes.

    Its rows and its totals of tp, fp and fn are those of the tally of the labels; nothing else is.
    None when columns of different types hold a value beyond int64.

    Errors: ValueError for unequal lengths or no rows.
    Cost: one pass, whatever the number of classes; n_threads as for `count_integers`.
    """

def count_codes(
    true_codes: _Integers,
    true_base: int,
    true_lut: _Int32 | None,
    pred_codes: _Integers,
    pred_base: int,
    pred_lut: _Int32 | None,
    k: int,
    weights: _Float64 | None,
    cells: bool,
    n_threads: int,
) -> Tally:
    """Count codes of k given classes: class = lut[code - base], or code - base without lut.

    Errors: Rejected "range" when code - base is not in [0, len(lut)) or [0, k), "outside" when the
    lut says -1, or for a bad weight; ValueError for unequal lengths, for k beyond 8192 with cells
    or 2**26 without, for a lut entry that is neither -1 nor a class.
    """

@final
class ScoreSums:
    """Sums over the rows of a matrix of scores. Arrays share its memory; copy to change them."""

    @property
    def k(self) -> int: ...
    @property
    def n_rows(self) -> int:
        """Rows read, of any weight."""

    @property
    def weighted(self) -> bool: ...
    @property
    def weight(self) -> float:
        """Σw, the number of rows when unweighted."""

    @property
    def weight2(self) -> float:
        """Σw², the number of rows when unweighted."""

    def mean(self, loss: int) -> float:
        """Σwℓ ÷ Σw of the loss with bit 1 << loss; NaN when nothing weighs anything."""

    @property
    def w_loss(self) -> _Float64:
        """float64[4] Σwℓ of each loss, in the order of their bits; NaN where not wanted."""

    @property
    def w2_loss(self) -> _Float64:
        """float64[4] Σw²ℓ."""

    @property
    def w2_loss2(self) -> _Float64:
        """float64[4] Σw²ℓ²."""

    @property
    def ranks(self) -> NDArray[Any] | None:
        """int64[k] rows, or float64[k] Σw, by the rank of the true class: columns before it.

        Those with a larger value, and equal ones further left.
        """

    @property
    def truth(self) -> NDArray[Any]:
        """int64[k] rows, or float64[k] Σw, of each true class."""

    @property
    def predicted(self) -> _Int32 | None:
        """int32[n] the first column that holds the largest value."""

    @property
    def bin_weight(self) -> _Float64 | None:
        """float64[n_bins] Σw by the largest probability; bin i is (i / n_bins, (i + 1) / n_bins].

        The edges are these quotients, rounded to float64. Scores become probabilities by softmax.
        """

    @property
    def bin_confidence(self) -> _Float64 | None:
        """float64[n_bins] Σw · largest probability."""

    @property
    def bin_correct(self) -> _Float64 | None:
        """float64[n_bins] Σw of the rows whose first largest column is the true class."""

    @property
    def bin_weight2(self) -> _Float64 | None:
        """float64[n_bins] Σw²."""

    def rows(self, loss: int) -> _Float64 | None:
        """float64[n]: a loss of each row, by the index of its bit; 4: ranks. None if not wanted.

        Errors: IndexError for another index.
        """

def read_scores(
    values: NDArray[np.float32] | _Float64,
    codes: _Int32,
    k: int,
    weights: _Float64 | None,
    is_prob: bool,
    tolerance: float,
    wanted: int,
    n_threads: int,
    n_bins: int = 15,
    clip: float = 0.0,
) -> ScoreSums:
    """Sum what the rows of a matrix lose, in one pass that also checks every value.

    values: [n, k] of any strides, or [n] for two classes: a probability p stands for (1 - p, p),
    computed in its own type, any other score s for (0, s).
    codes: contiguous int32[n], the true class of each row.
    wanted: bits, for the true class y of a row with values x and probabilities p (x itself, or the
    softmax of scores):

    - 1 negative log probability: -log p[y], infinite where p[y] is 0; of probabilities, p[y]
      counts as the nearest number of [clip, 1 - clip];
    - 2 squared error: Σ over j of (p[j] - [j is y])²;
    - 4 margin: max(0, 1 - (x[y] - the largest other x));
    - 8 binary negative log probability: the mean of it over k two-class problems, with
      p[j] = x[j] or 1 / (1 + exp(-x[j]));
    - 16 ranks, 32 predicted, 64 bins, 128 the losses and ranks of each row too.

    The sums hold their digits to 1e-13 of themselves, and have the same bits for every number of
    threads, instruction set and layout. Rows of weight 0 count for nothing, and are checked.

    Errors: Rejected with the first bad row of the codes ("range"), else of the values ("nan",
    "infinite"; of probabilities "below_zero", "above_one", and "row_sum" when they do not sum to 1
    within tolerance), else of the weights; ValueError for unequal lengths or no rows.
    Cost: one pass; n_threads <= 0 means KARAT_NUM_THREADS, else every usable core.
    """

def pack_pairs(true_codes: _Int32, pred_codes: _Int32, k: int) -> _UInt64:
    """uint64[n] keys true * k + pred of contiguous codes; Rejected "range" outside [0, k)."""

def pack_pairs_rows(true_codes: _Int32, pred_codes: _Int32, k: int) -> tuple[_UInt64, int]:
    """Keys (true * k + pred) << index_bits | row, and index_bits; ValueError beyond 64 bits."""

def sorted_keys(keys: _UInt64, n_threads: int) -> _UInt64:
    """The same keys in their order."""

def sorted_numbers(values: _Float64, n_threads: int) -> _Float64:
    """The same numbers, ascending, −0.0 before 0.0.

    Errors: ValueError for NaN; TypeError unless they are contiguous float64.
    Cost: three walks and a sort of words.
    """

def group_keys(keys: _Int64, n_keys: int) -> tuple[_Int64, _Int64]:
    """Where each distinct key is first met, in that order, and which of them each key is.

    ValueError for a key outside of [0, n_keys).
    """

def run_lengths(sorted: _UInt64) -> tuple[_UInt64, _Int64]:
    """Distinct keys and how often each occurs; ValueError when the keys are not sorted."""

def weighted_runs(
    sorted: _UInt64, index_bits: int, weights: _Float64
) -> tuple[_UInt64, _Float64, _Float64, _Int64]:
    """Keys, Σw, Σw² and rows of weight > 0 of sorted pack_pairs_rows keys, added in row order."""

@final
class PackedScores:
    """A word for each row, to be sorted in place; then `settle`, then whatever is asked for.

    The words are made when they are first asked for. Until then, and longer where words name rows,
    the arrays are kept and read again: then they must not change.
    Errors: ValueError where words are read that nobody has asked for.
    """

    @property
    def n_items(self) -> int:
        """Number of words."""

    @property
    def words(self) -> NDArray[np.uint32] | _UInt64:
        """uint32[n] or uint64[n]: score above, class below."""

    def sort(self) -> None:
        """Make the words if need be, sort and settle them, in several threads where that pays."""

    def cut(self) -> CutScores | None:
        """Words of half the size, from which areas are found faster; None where they do not pay.

        That is before words were asked for, where these would have 64 bits and name no rows, and
        where the scores of few rows begin with the same bits.
        """

    def settle(self) -> None:
        """Give sorted words their final order, where scores found too few bits in them."""

    def classes(self) -> NDArray[Any]:
        """int64[k] rows, or float64[k] Σw, of each class."""

    def areas(self) -> NDArray[Any]:
        """Number[k]: over pairs (row of own, row of c), Σ w·w'·(2·[s > s'] + [s = s']); own: 0.

        int64 without weights; OverflowError when 2·rows·rows reaches 2**63.
        """

    def step_area(self) -> float:
        """Σ over score levels of own weight × share of own weight at or above."""

    def trapezoid_area(self) -> float:
        """Area under that share by the part of the own weight at or above; NaN without any."""

    def spread(self) -> tuple[float, _Float64, float]:
        """Terms of the variance of the area, from two passes.

        Σ w·w'·(2·[s > s'] + [s = s']) over pairs (own, rest), int without weights; float64[2, 3] of
        the rest and the own class: Σw, Σw², Σw²(V − A)², where V is the part of the weight of the
        other side over which a row stands right, ties half, and A its mean; Σw|V − A| of own rows.
        Errors: OverflowError as areas.
        """

    def add_influences(
        self, own_gains: _Float64, rest_gains: _Float64, lifts: _Float64, out: _Float64
    ) -> None:
        """Add to out[n, m] of each row, for each set, how it stands to others and moves areas.

        A row of own gets Σ over classes c of own_gains[m, c] · weight of c below it; one of class c
        rest_gains[m, c] · weight of own above it; ties count half. And each gets lifts[m, 2] · W ·
        (what a small weight on it adds to step_area / W, trapezoid_area / W); W: the own weight.
        Errors: ValueError for other shapes, or words that name no rows; TypeError for an `out` that
        is not contiguous or cannot be written to.
        """

    def lift_squares(self) -> _Float64:
        """float64[2, 2]: Σ w² · (what a lift of 1 adds)² of the rest and the own rows.

        By how a small weight moves step_area / W (0) and trapezoid_area / W (1).
        """

    def points(
        self, wants_counts: bool
    ) -> tuple[_Float64, _Float64, _Float64, NDArray[np.int64] | None]:
        """Thresholds, true and false positives of rows without weights, and number[u, 2] or None.

        float64[u + 1] each: the first is a threshold above every score. The numbers are the rows of
        the rest and own on each score level. Errors: ValueError for rows with weights.
        """

    def steps(
        self, last: int, own: int, limit: int
    ) -> tuple[_Float64, _Float64, _Float64, int, int]:
        """Thresholds, true and false positives float64[u] of rows without weights, best first.

        Of the first `last` words, above which stand `own` rows of own, at most `limit` levels; then
        the two numbers of the next call. Errors: ValueError for rows with weights.
        """

    def levels(self, last: int, limit: int) -> tuple[_Float64, NDArray[Any], _Float64 | None, int]:
        """Distinct scores, descending; number[u, 2] of the rest and own; Σw² likewise.

        Of the first `last` words, at most `limit` levels; then how many words are still to read.
        """

def pack_scores(
    values: NDArray[np.floating[Any]],
    codes: _Int32,
    own: int,
    k: int,
    weights: _Float64 | None,
    n_threads: int,
    wants_rows: bool = False,
) -> PackedScores:
    """Words of float32 or float64 scores of any stride, and contiguous codes and weights.

    With weights, or where `wants_rows`, words name rows.
    Errors: Rejected "range" (codes, 0), "nan" or "infinite" (values, 1), "bad_weight" or
    "negative_weight" (2), of the first argument that has such a row; ValueError for k or own.
    """

def pack_cells(
    values: NDArray[np.floating[Any]],
    codes: _Int32,
    weights: _Float64 | None,
    n_threads: int,
    wants_rows: bool = False,
) -> PackedScores:
    """The same of every item of values[n, k], of two classes: 1 where the column is the code.

    Errors: as pack_scores; the row of a bad value is that of the flat matrix in C order.
    """

@final
class CutScores:
    """Words that hold the first bits of the scores, to be sorted in place; then `areas`."""

    @property
    def words(self) -> NDArray[np.uint32]:
        """uint32[n]: score above, class below."""

    def sort(self) -> None:
        """Make the words if need be and sort them, in several threads where that pays."""

    def areas(self) -> NDArray[np.int64] | None:
        """As `PackedScores.areas`, exactly; None when the words of too many rows look alike.

        Reads the arrays again. Errors: RuntimeError when they have changed; OverflowError.
        """

def long_array(n: int) -> _Float64:
    """float64[n] of any numbers; the system has its memory back as soon as it is dropped.

    Errors: ValueError if n is negative or too large; MemoryError.
    """

def trim_heap() -> None:
    """Give free memory between living arrays of the heap back to the system, where it knows how."""

def thread_limit(n_threads: int) -> int:
    """Threads that a call may use: n_threads, or with 0 KARAT_NUM_THREADS, or usable cores."""

def areas_together(columns: Sequence[PackedScores], n_threads: int) -> list[NDArray[Any]]:
    """`PackedScores.areas` of each; sorts what it needs.

    Every column is read by one thread: of fewer columns than threads some stand idle.

    Errors: ValueError for one given twice; OverflowError as there.
    """

@final
class PairScores:
    """The rows of a matrix of scores by class, for differences of two columns.

    Errors: as pack_cells.
    """

    def __init__(
        self, values: NDArray[np.floating[Any]], codes: _Int32, weights: _Float64 | None
    ) -> None: ...
    def rows(self) -> _Int64:
        """int64[n]: the rows, class by class."""

    def starts(self) -> _Int64:
        """int64[k + 1]: where each class begins."""

    def weights(self) -> _Float64 | None:
        """The weights, class by class."""

    def differences(self, i: int, j: int) -> _Float64:
        """values[:, i] - values[:, j] in float64 of the rows of class i, then those of class j.

        What is beyond the range of float64 counts as its largest number.
        """

def copy_columns(
    values: NDArray[np.floating[Any]], first: int, count: int, n_threads: int
) -> NDArray[Any]:
    """A copy [count, n] of columns of values[n, k], in their type; IndexError for others."""

def weigh_scores(values: NDArray[np.floating[Any]], cost: _Float64) -> _Float64:
    """The product values @ cost.T in float64, each sum in the order of the columns.

    Errors: Rejected "infinite" for the first item beyond the range of float64.
    """

def upper_hull(x: _Float64, y: _Float64) -> _Int64:
    """Places of the corners of the upper convex hull of a path that never falls in x or in y.

    Both ends are corners, points on an edge are none; the sign of every turn is exact.
    """

def furthest_points(paths: _Float64, limit: int, first: _Int32) -> _Int64:
    """Places, ascending, of at most `limit` points that draw n points best, ends included.

    Args: paths float64[2 · planes, n], contiguous rows x, y, x, y, …; first: places to be taken
    in any case. Then the point furthest from the line between those taken before, in the plane
    where it is furthest, again and again (Ramer, Douglas, Peucker), never one on the lines.

    Errors: ValueError for fewer than two points, or a limit below 2; IndexError for other places.
    Cost: O(n · log n) as a rule.
    """

def encode_integers(array: _Integers, n_threads: int = 1) -> tuple[_Int32, _Int64]:
    """int32[n] codes and the distinct values, ascending; Rejected "range" beyond int64."""

def encode_objects(
    sequence: Sequence[Any] | NDArray[np.object_],
    table: dict[Any, int],
    on_new: Callable[[Hashable, int], int],
    types: dict[type, int] | None = None,
) -> _Int32:
    """int32[n] codes table[item]; a missing item is given to on_new(item, row), which returns one.

    Equal objects that follow one another may be looked up once only. `types` learns how many items
    have each type.
    Errors: Rejected "unhashable"; whatever on_new raises; ValueError when the sequence changes its
    length meanwhile.
    """

def objective_rows(
    scores: _Scores,
    labels: _Integers | _Scores,
    weights: _Float64 | None,
    is_one_vs_all: bool,
    is_diagonal: bool,
    n_threads: int,
) -> tuple[_Float64, _Float64, _Float64]:
    """Loss [n], gradient [n, k] and Hessian [n, k, k], or its diagonal [n, k], of scores [n, k].

    Labels are classes [n], or with is_one_vs_all targets [n, k] in [0, 1].
    Errors: Rejected "bad_score", "range", "bad_weight" or "negative_weight", for the first bad row
    of scores, else of labels, else of the contiguous weights; ValueError for unequal lengths.
    """

def objective_row(
    scores: _Scores, truth: int | _Scores, weight: float, is_one_vs_all: bool
) -> tuple[float, list[float], list[list[float]]]:
    """The same of one row of scores [k] and its class, or targets [k], as lists; any weight."""

def objective_steps(
    scores: _Scores,
    labels: _Integers | _Scores,
    weights: _Float64 | None,
    is_one_vs_all: bool,
    is_single: bool,
    is_by_column: bool,
    slope: float,
    scale: float,
    floor: float,
    n_threads: int,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Gradient and second derivatives float32[n, k] in the arithmetic of a boosting host.

    is_single: in float32, which needs float32 scores and leaves the slope out; is_by_column: the
    results are stored column after column. Second derivatives are max(scale p (1 - p) w, floor).
    Errors: as objective_rows; TypeError for float64 scores with is_single.
    """

@final
class TextEncoder:
    """Codes for texts in order of first appearance, one label space for every storage."""

    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def labels(self) -> list[str]:
        """Text of each code; UnicodeDecodeError when one is not UTF-8."""

    def encode_ucs4(self, array: NDArray[np.uint32]) -> _Int32:
        """int32[n] from uint32[n, w]; trailing zeros are no part of a text."""

    def encode_bytes(self, array: _UInt8) -> _Int32:
        """int32[n] from uint8[n, w]; trailing zeros are no part of a text."""

    def encode_utf8(
        self,
        offsets: _Int32 | _Int64,
        data: _UInt8,
        valid: _UInt8 | None = None,
        bit_offset: int = 0,
    ) -> _Int32:
        """int32[n] from offsets[n + 1] into data; -1 where the valid bit is 0."""

    def encode_views(
        self, views: _UInt8, buffers: list[_UInt8], valid: _UInt8 | None = None, bit_offset: int = 0
    ) -> _Int32:
        """int32[n] from Arrow string views uint8[n, 16] and their buffers; -1 where null."""

def read_sets(
    matrix: NDArray[Any], n_threads: int
) -> tuple[tuple[_Int64, _Int32], tuple[_Int64, _Int32] | None, tuple[int, int, int] | None]:
    """Starts [n + 1] and items: the columns of each row of a matrix [n, k] whose cells are 1.

    Booleans, integers or floats of any width and strides. Then the same of cells that are NaN, None
    where none is; then row and column of the first cell that is neither 0, 1 nor NaN, and how many
    there are, or None. The same for any number of threads, of which 0 is the default.
    Errors: ValueError for 2^31 columns; TypeError for other dtypes.
    """
