"""Native computations on tables: formulas, replicates, variances and limits.

No module of its own: `karat._native` has these names, and its stub takes them from here.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from karat._native import Tally

_Int32: TypeAlias = NDArray[np.int32]
_Int64: TypeAlias = NDArray[np.int64]
_Float64: TypeAlias = NDArray[np.float64]
_Numbers = TypeVar("_Numbers", _Int64, _Float64)

@final
class Program:
    """Compiled formulas: straight-line code over class counts."""

    def __init__(
        self,
        code: _Int32,
        constants: Sequence[float],
        slot_rank: Sequence[int],
        param_rank: Sequence[int],
        outputs: Sequence[int],
    ) -> None: ...
    def run(self, tally: Tally, params: Sequence[Any] | None = None, positive: int = -1) -> Any:
        """Values of the outputs for one tally."""

    def evaluate(
        self,
        tp: _Float64,
        fp: _Float64,
        fn: _Float64,
        tn: _Float64,
        cells: _Float64 | None = None,
        rows: _Int32 | None = None,
        cols: _Int32 | None = None,
        positive: int = -1,
        params: Sequence[Any] | None = None,
    ) -> list[_Float64]:
        """Values of the outputs for a batch of tables."""

    def differentiate(
        self,
        tp: _Float64,
        fp: _Float64,
        fn: _Float64,
        tn: _Float64,
        cells: _Float64 | None = None,
        rows: _Int32 | None = None,
        cols: _Int32 | None = None,
        positive: int = -1,
        params: Sequence[Any] | None = None,
        stops: bool = False,
    ) -> tuple[
        list[_Float64], list[_Float64], _Float64, _Float64, _Float64, _Float64, _Float64 | None
    ]:
        """Outputs, and how fast the first of them, one number, moves.

        With respect to each output; then to the cells, in the parts constant [batch], true, pred,
        same [batch, k] and cells [batch, m] or None. `stops`: what passes through the other outputs
        is left out of those parts.
        """

def philox(counter: Sequence[int], key: int) -> list[int]:
    """Four words of Philox4x32-10 for a counter of four words and a key of 64 bits."""

def resample_counts(
    counts: _Int64, seed: int, stream: int, first: int, count: int, n_threads: int
) -> _Int64:
    """int64[count, m]: the rows of a table drawn again with replacement."""

def draw_totals(
    sums: _Float64,
    squares: _Float64 | None,
    is_gamma: bool,
    is_normed: bool,
    seed: int,
    stream: int,
    first: int,
    count: int,
    n_threads: int,
) -> _Float64:
    """float64[count, m]: sums of weights with mean `sums` and variance `squares`.

    A Poisson number, or a gamma amount, of rows of weight squares / sums; without squares every row
    weighs 1. `is_normed`: each replicate has the total of the sums.
    """

def resample_clusters(
    ids: _Int32,
    cells: _Int32,
    weights: _Float64 | None,
    n_clusters: int,
    m: int,
    is_gamma: bool,
    seed: int,
    stream: int,
    first: int,
    count: int,
    n_threads: int,
) -> Any:
    """[count, m]: cells of whole clusters, drawn with replacement or, with `is_gamma`, weighed.

    Entry e is weights[e], or one row, in cell cells[e] from cluster ids[e]. int64 without weights.
    """

def row_weights(
    n: int, is_gamma: bool, seed: int, stream: int, first: int, count: int, n_threads: int
) -> Any:
    """[count, n]: Poisson(1) counts int32, or exponential weights float64, from replicate first."""

def replicate_areas(
    sums: _Float64,
    squares: _Float64 | None,
    within: _Float64,
    is_gamma: bool,
    seed: int,
    stream: int,
    first: int,
    count: int,
    n_threads: int,
) -> tuple[_Float64, _Float64]:
    """Twice the area float64[count], and the weight of the rest and of own [count, 2].

    sums [u, 2]: of the rest and of the own class, best level first; within [u]: of the pairs inside
    of a score level, the chance that own stands above.
    """

def replicate_levels(
    scores: _Float64,
    sums: _Float64,
    squares: _Float64 | None,
    is_gamma: bool,
    seed: int,
    stream: int,
    first: int,
    count: int,
    n_threads: int,
) -> tuple[_Float64, Any, _Float64 | None, _Int64]:
    """Cumulative counts drawn: scores [count, u], counts [count, u, 2], squares, lengths [count].

    Counts are int64 without squares and `is_gamma`; what is beyond the length of a row is unset.
    """

def replicate_bins(
    scores: _Float64,
    bins: _Int32,
    n_bins: int,
    sums: _Float64,
    squares: _Float64 | None,
    is_gamma: bool,
    seed: int,
    stream: int,
    first: int,
    count: int,
    n_threads: int,
) -> _Float64:
    """Score levels drawn and put into bins: float64[count, 6, n_bins], each in the order of `Bins`.

    The bin of score level i is bins[i].
    """

def exchange_totals(
    bits: NDArray[np.uint8],
    heads: _Int64,
    out: _Int32,
    into: _Int32,
    totals: _Float64,
    rows: _Float64,
) -> _Float64:
    """float64[3, 2r, k]: tp, fp and fn of the first model in r replicates, then of the second.

    Totals are the hits, then the false alarms of k classes. A row of cell i is of total out[i] of
    the first model and into[i] of the second, and the other way round where it is exchanged.

    Args:
        bits, heads: how many rows of each cell are. The first cells have one row, and a bit of
            uint8[r, ⌈cells ÷ 8⌉] each, the highest of a byte first; the others int64[r, others].
        totals: [2, 2k], of both models; rows [k], true rows of each class.
    Errors: ValueError for other shapes, or codes of no total; TypeError for other dtypes.
    """

def add_by_class(values: _Numbers, codes: _Int64, k: int) -> _Numbers:
    """int64[r, k] or float64[r, k]: sums of values [r, m] by the class codes [m] of each.

    Floats are added in the order of the values.
    Errors: ValueError for other shapes, or a code that is no class; TypeError for other dtypes.
    """

def covariance(
    phi: _Float64, weights: _Float64 | None, squares: _Float64 | None, total: float
) -> _Float64:
    """float64[d, d]: Σ squares · (φ_a − mean_a) · (φ_b − mean_b) ÷ total².

    The mean is Σ weights · φ ÷ total.

    Args:
        phi: [d, n], what each row moves each of d numbers by.
        weights, squares: [n], None: 1.
    Errors: ValueError for other shapes; TypeError for other dtypes.
    """

def logistic_moments(
    x: _Float64, misses: _Float64, hits: _Float64, height: float, slope: float, centre: float
) -> tuple[float, float, float, float, float, float]:
    """Transform of score levels at x [n] by the line t = height + slope · (x − centre).

    Returns: the logarithm of the likelihood of logit P(hit) = t; its derivatives by height and by
    slope; minus the second one by the height, that is Σ spread, spread: weight · σ(t) · σ(−t); the
    mean of x by it, less the centre; Σ spread · (x less that mean)².
    Errors: ValueError for other shapes; TypeError for other dtypes.
    """

def logistic_squares(
    x: _Float64,
    rest: _Float64,
    own: _Float64,
    a: float,
    b: float,
    gain: float,
    turn: float,
    centre: float,
) -> float:
    """Σ rest · (σ(t) · s)² + own · (σ(−t) · s)², t = a + b · x, s = gain + turn · (x − centre).

    What weighs nothing counts for nothing. Errors: as of `logistic_moments`.
    """

def square_by_class(
    values: _Float64, codes: _Int32, squares: _Float64 | None, offsets: _Float64
) -> _Float64:
    """float64[m, k]: Σ squares · (values[:, s] + offsets[s, c])² over the rows of class c.

    Args:
        values: [n, at least m], contiguous; codes [n]; offsets [m, k].
        squares: [n], Σw² of each row, None: 1. Rows of 0 count for nothing.
    Errors: ValueError for other shapes, or a code that is no class; TypeError for other dtypes.
    """

def table_variances(
    weights: _Float64,
    slopes: _Float64,
    squares: _Float64 | None = None,
    rows: _Int32 | None = None,
    cols: _Int32 | None = None,
    listed: _Float64 | None = None,
    is_by_true: bool = False,
) -> _Float64:
    """float64[d]: variances; slopes [d, 3, k] by true row, predicted column and where both meet."""

def beta_quantiles(a: _Float64, b: _Float64, p: float) -> _Float64:
    """float64[n]: x with I_x(a, b) = p, the regularized incomplete beta function.

    NaN where a or b is not finite and above 0, or p not from 0 to 1. Relative error some 1e-14
    where p is at most a half.

    Errors: ValueError for arrays of different lengths.
    """

def follow_curve(
    sides: _Float64,
    limits: _Float64,
    counted: _Float64,
    a: float,
    b: float,
    c: float,
    missing: float,
    total: float,
) -> tuple[_Float64, _Float64]:
    """A metric (a·p + b) ÷ (1 + c·p) of the share p of each class, which rises with p.

    sides [2, k]: hits and misses; limits [2, k]: of p, moved to the side of p where they are
    beyond it; counted [2, 4]: 1 where tn, fp, fn or tp is a hit, is a miss; total: rows of the
    table. Its value, limits and variance [4, k], and its derivative [k, 4] with respect to the
    shares of the four cells. Without rows it is `missing`, has the whole range and does not vary.

    Errors: ValueError for other shapes.
    """

def combine_classes(
    value: _Float64, low: _Float64, high: _Float64, variance: _Float64, slopes: _Float64
) -> tuple[_Float64, float, float, int]:
    """Contribution of classes to a number whose derivatives are `slopes` [k].

    float64[3, k]: slope × distance to the limit ÷ standard error, for the lower and the upper limit
    of that number, and the slope; the squared distances below and above of the classes that do not
    vary, which count 0; how many have a variance of 0. A class without a value has no distance.

    Errors: ValueError for arrays of different lengths.
    """

def take_levels(left: _Float64, right: _Float64, dropped: int, cuts: _Float64) -> NDArray[np.uint8]:
    """Origin of each score level of two tables, best first: 1 left, 2 right, 3 both.

    Args:
        left, right: contiguous float64, the lowest score of a level, descending, else ValueError.
        dropped: last binary digits in which scores of one bucket may differ.
        cuts: contiguous float64, ascending: no bucket goes across one.
    """

def bin_levels(
    scores: _Float64, counts: Any, squares: _Float64 | None, ends: _Float64, is_right: bool
) -> _Float64:
    """Score levels put into bins: float64[6, b], each in the order of `Bins`.

    Args:
        scores: [u], descending.
        counts: int64 or float64[u, 2], rest and own; `squares` Σw², None where each row weighs 1.
        ends: [b - 1], ascending: where a bin ends and the next begins; the lower one holds it where
            `is_right`.
    Errors: ValueError for other lengths or orders; TypeError for other dtypes.
    """

def pool_levels(counts: Any, lengths: _Int64) -> tuple[_Int64, Any]:
    """Isotonic regression of blocks of score levels, best first: lengths [m], sums [m, 2].

    Neighbors are pooled until the share of own falls: int64 or float64 counts [u, 2] of rest and
    own, each of so many score levels as `lengths` says.
    Errors: as bin_levels; ValueError for negative counts or lengths, or sums beyond int64.
    """

def join_levels(taken: NDArray[np.uint8], left: Any, right: Any, join: int) -> Any:
    """Values of the levels: those of one side; of both 0 their sum, 1 the lower, 2 the higher.

    Args:
        taken: of `take_levels`; ValueError unless it names as many score levels as the sides have.
        left, right: contiguous int64 or float64 [u] or [u, k].
    """

def count_sets(
    true_starts: _Int64,
    true_items: _Int32,
    pred_starts: _Int64,
    pred_items: _Int32,
    unknown_starts: _Int64 | None,
    unknown_items: _Int32 | None,
    k: int,
    weights: _Float64 | None,
    n_threads: int,
) -> tuple[_Int64, _Int64, _Float64 | None, _Float64 | None]:
    """Rows by label [4, k], labels of each row [n] that are true and predicted; Σw, Σw² [4, k].

    By label: true and predicted, predicted alone, true alone, unknown; weighted, rows of weight
    above 0. Items below k, ascending and none twice from starts[i] to starts[i + 1]; unknown ones
    are in neither set. The same for any number of threads; weights are added in the order of rows.
    Errors: ValueError for other starts, items or lengths; TypeError for other dtypes.
    """

def match_sets(
    left_starts: _Int64, left_items: _Int32, right_starts: _Int64, right_items: _Int32, k: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """True for each item of the left that is in the same row of the right, and the reverse.

    Errors: as of `count_sets`.
    """

def place_labels(
    scores: NDArray[Any],
    true_starts: _Int64,
    true_items: _Int32,
    unknown_starts: _Int64 | None,
    unknown_items: _Int32 | None,
    n_threads: int,
) -> tuple[_Int32, _Int32]:
    """Places of the true labels of each row among its scores: [5, m] of them, [n] of the rows.

    Of each true label: labels that score more, that score the same (itself among them), those of
    either that are true, and those that score the same and come before it; of each row, how many
    labels have a score. Unknown labels stand nowhere. Scores float32 or float64 [n, k] in
    contiguous rows. The same for any number of threads.
    Errors: as of `count_sets`; ValueError for NaN, and for a label both true and unknown.
    """

def place_listed(
    starts: _Int64,
    items: _Int32,
    scores: _Float64,
    true_starts: _Int64,
    true_items: _Int32,
    unknown_starts: _Int64 | None,
    unknown_items: _Int32 | None,
    k: int,
    n_threads: int,
) -> tuple[_Int32, _Int32]:
    """The same where rows list some of k labels, with a score [m] for each item.

    A true label that is not listed has all that are above it, and none beside it, not itself.
    """

def group_profiles(
    profiles: _Int64, rows: _Int64, weights: _Float64 | None, squares: _Float64 | None
) -> tuple[_Int64, _Int64, _Float64 | None, _Float64 | None]:
    """Equal rows of profiles [m, 4] as one, ascending, with the sums of the others [m].

    Weights and squares are added to one rounding.
    Errors: ValueError for other shapes; TypeError for other dtypes.
    """

@final
class SliceGrid:
    """Columns of parts, and the slices that they make: runs of parts, and crosses of these.

    A cross has a slice for each choice of one span of each of its columns, those of the last column
    fastest; slices are numbered cross after cross.
    """

    def __init__(
        self,
        codes: _Int32,
        n_parts: Sequence[int],
        spans: _Int64,
        span_starts: Sequence[int],
        crosses: Sequence[Sequence[int]],
    ) -> None:
        """Keep the arrays.

        Args:
            codes: [c, n], the part of each row in each column; n_parts where it is in none.
            spans: [s, 2], first part and end of each slice, those of a column after the other.
            span_starts: where the spans of each column begin, and the end.
            crosses: the columns of each.
        Errors: ValueError for codes, spans or columns that there are not; TypeError for arrays that
            are not contiguous or of other dtypes.
        """
    def sums(self, values: NDArray[Any], n_threads: int) -> _Float64:
        """float64[b, slices]: sums of values [b, n], float64 or bytes that are 0 or 1.

        Cost: values × crosses, then slices, for each row of values.
        """
    def largest(
        self,
        values: NDArray[Any],
        part: _Float64,
        inverse: _Float64,
        n_rows: _Float64 | None,
        variance: float,
        n_threads: int,
    ) -> _Float64:
        """float64[b]: the largest (sum − part × sum of all) × inverse of all slices, at least 0.

        Args:
            values: [b, n]; float64, or bytes that are 0 or 1 where n_rows is None.
            part, inverse: [slices], rows ÷ all rows, and 1 ÷ the standard error; 0 leaves one out.
            n_rows: [slices], or None. With it, a slice has the variance of its values and of the
                others (Welch 1947) where that is above `variance`, which is that of all.
        """

def shuffle_rows(
    values: NDArray[Any], seed: int, stream: int, first: int, count: int, n_threads: int
) -> NDArray[Any]:
    """[count, n]: values, float64 or uint8 [n], in random orders that are equally probable.

    Replicate first + i is the same however the work is divided. Rao (1961), Sandelius (1962).
    """
