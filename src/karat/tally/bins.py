"""`Bins`: binned confidences between 0 and 1, with the frequency of hits in each bin."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias, cast, get_args

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.errors import error, shown
from karat.tally.cumulative_counts import LevelSource, ScoreLevels, of_both
from karat.tally.serialization import damaged, framed, unframed
from karat.tally.shared import Floats, check_weighting, wrong_numbers

Closed: TypeAlias = Literal["right", "left"]
"""Edge that belongs to a bin: ``"right"``, (lo, hi], or ``"left"``, [lo, hi)."""

_BORDER: Final = 1e-12
"""Relative tolerance at which a weight counts as having reached a quantile: otherwise, sums of
equal weights would fall on either side of it by their last bit."""


def uniform_edges(b: int) -> Floats:
    """float64[b + 1]: the numbers nearest to 0/b, 1/b, … b/b.

    This puts 0.3 on the edge 3/10. Adding steps of 1/b, as numpy.linspace does, puts that edge at
    0.30000000000000004.
    """
    return np.arange(b + 1) / b


def quantile_edges(cumulative: LevelSource, b: int, closed: Closed = "right") -> Floats:
    """float64[b + 1]: 0, confidences that divide the weight into b equal parts, and 1.

    A distinct confidence is never split between bins. With ``closed="right"`` edge i is the
    smallest confidence at or below which at least i/b of the weight lies, with ``"left"`` the
    largest at or above which at least (b − i)/b lies: the remainder goes to the bins at the lower
    or the upper end. Many equal confidences leave bins empty.

    Cost: two walks over the score levels.

    Example:
        >>> from karat.tally import CumulativeCounts
        >>> quantile_edges(CumulativeCounts.of([0.1, 0.2, 0.6, 0.7], [0, 1, 1, 1]), 2).tolist()
        [0.0, 0.2, 1.0]
        >>> quantile_edges(
        ...     CumulativeCounts.of([0.1, 0.2, 0.6, 0.7], [0, 1, 1, 1]), 2, "left"
        ... ).tolist()
        [0.0, 0.6, 1.0]
    """
    total = sum(levels.counts.sum() for levels in cumulative.blocks())
    if not total:
        return uniform_edges(b)
    # Counts are compared as integers: b times the weight against i times the total.
    targets = np.arange(1, b) * total
    edges = np.zeros(b - 1)
    is_left = closed == "left"
    if cumulative.is_weighted:
        targets = targets * (1.0 + _BORDER if is_left else 1.0 - _BORDER)
    # Best first, the weight below a level decreases from all to zero: each edge is the last one
    # with enough weight at or below it, or the first with little enough below.
    left = np.full(b - 1, is_left)
    above = 0 * total
    for scores, counts, _ in cumulative.blocks():
        weight = of_both(counts)
        reached = np.cumsum(np.concatenate([[above], weight]))
        below = (total - (reached[1:] if is_left else reached[:-1]))[::-1] * b
        if is_left:
            n_beyond = len(scores) - np.searchsorted(below, targets, side="right")
            found = left & (n_beyond < len(scores))
            edges[found] = scores[n_beyond[found]]
            left &= ~found
        else:
            n_enough = len(scores) - np.searchsorted(below, targets, side="left")
            found = n_enough > 0
            edges[found] = scores[n_enough[found] - 1]
        above = reached[-1]
    return np.concatenate([[0.0], edges, [1.0]])


_SPECIES: Final = "bins"
_SUMS: Final = ("weight", "confidence", "hits", "variance", "scatter", "squares")


@dataclass(frozen=True, eq=False)
class Bins:
    """Tally of confidences p and outcomes y = 0 or 1 between edges: immutable.

    For replicates, the sums are float64[n_replicates, b].

    Attributes:
        edges: float64[b + 1], ascending from 0 to 1 at most; equal edges enclose an empty bin.
        closed: edge that belongs to a bin. The outer edges always belong to the outer bins.
        weight: float64[b], Σw, or the number of rows without weights.
        confidence: float64[b], Σw·p.
        hits: float64[b], Σw·y.
        variance: float64[b], Σw²·p(1 − p), the variance of `hits` if every p is right.
        scatter: float64[b], Σw²·(y − p)².
        squares: float64[b], Σw².
        n_rows: number of rows, including those of weight 0.
        is_weighted: whether rows have weights.
    """

    edges: Floats
    closed: Closed
    weight: Floats
    confidence: Floats
    hits: Floats
    variance: Floats
    scatter: Floats
    squares: Floats
    n_rows: int
    is_weighted: bool = False

    @classmethod
    def of(cls, cumulative: LevelSource, edges: npt.ArrayLike, closed: Closed = "right") -> Bins:
        """Bin cumulative counts whose scores are confidences; the own class means a hit.

        Args:
            cumulative counts: distinct confidences.
            edges: float64[b + 1], ascending; see `uniform_edges` and `quantile_edges`.
            closed: edge that belongs to a bin.

        Errors:
            K214 the edges are not ascending, or a confidence is outside.

        Cost: O(score levels + b), and O(b) for every 16 384 of them.

        Example:
            >>> from karat.tally import CumulativeCounts
            >>> cumulative = CumulativeCounts.of([0.2, 0.5, 0.9], [False, True, True])
            >>> Bins.of(cumulative, [0, 0.5, 1]).weight.tolist()
            [2.0, 1.0]
            >>> Bins.of(cumulative, [0, 0.5, 1], closed="left").weight.tolist()
            [1.0, 2.0]
        """
        none = cls.empty(edges, closed, is_weighted=cumulative.is_weighted)
        sums = np.zeros((len(_SUMS), none.b))
        for levels in cumulative.blocks():
            sums += _sums_of(levels, none.edges, closed)
        return none.holding(sums, cumulative.n_rows)

    def holding(self, sums: Floats, n_rows: int) -> Bins:
        """Return the same bins with other sums: float64[6, ..., b], in attribute order."""
        of_bins: dict[str, Any] = dict(zip(_SUMS, sums, strict=True))
        return replace(self, **of_bins, n_rows=n_rows)

    def place_of(self, confidences: Floats) -> npt.NDArray[np.intp]:
        """int[n]: the bin of each confidence, which must be within the edges (K214)."""
        _check_within(confidences.min(initial=1.0), confidences.max(initial=0.0), self.edges)
        side: Literal["left", "right"] = "left" if self.closed == "right" else "right"
        return np.searchsorted(self.edges[1:-1], confidences, side)

    @classmethod
    def empty(
        cls, edges: npt.ArrayLike, closed: Closed = "right", *, is_weighted: bool = False
    ) -> Bins:
        """Return the bins of no rows: the identity of `merge`."""
        borders = np.array(edges, np.float64)
        if _wrong_edges(borders):
            raise error(
                "K214",
                found="The edges of the bins are not two or more numbers from 0 to 1 that ascend",
                do="Give the lower edge of every bin and the upper edge of the last, in order.",
            )
        sums = {name: np.zeros(len(borders) - 1) for name in _SUMS}
        return cls(borders, closed, **sums, n_rows=0, is_weighted=is_weighted)

    @property
    def b(self) -> int:
        """Number of bins."""
        return len(self.edges) - 1

    @property
    def is_occupied(self) -> npt.NDArray[np.bool_]:
        """bool[b]: whether the bin contains a row."""
        return self.weight > 0

    @property
    def mean_confidence(self) -> Floats:
        """float64[b], Σw·p ÷ Σw; NaN for an empty bin."""
        return _ratio(self.confidence, self.weight)

    @property
    def hit_share(self) -> Floats:
        """float64[b], Σw·y ÷ Σw; NaN for an empty bin."""
        return _ratio(self.hits, self.weight)

    @property
    def gap(self) -> Floats:
        """float64[b], proportion of hits minus mean confidence; NaN for an empty bin."""
        return _ratio(self.hits - self.confidence, self.weight)

    def merge(self, other: Bins) -> Bins:
        """Return the bins of the two data sets read one after the other.

        Errors:
            K202 the edges differ, or `closed` does; K203 only one is weighted.

        Cost: O(b).
        """
        if self.closed != other.closed or not np.array_equal(self.edges, other.edges):
            left, right = (
                f"{shown([float(edge) for edge in bins.edges])} closed {bins.closed}"
                for bins in (self, other)
            )
            raise error("K202", axis="edges", left=left, right=right)
        check_weighting(self.is_weighted, other.is_weighted)
        sums: dict[str, Any] = {name: getattr(self, name) + getattr(other, name) for name in _SUMS}
        return replace(self, **sums, n_rows=self.n_rows + other.n_rows)

    def to_bytes(self) -> bytes:
        """Return the bins as bytes that `from_bytes` of this and every later version reads.

        Cost: 56 bytes for each bin.
        """
        header = {
            "species": _SPECIES,
            "closed": self.closed,
            "n_rows": int(self.n_rows),
            "is_weighted": self.is_weighted,
        }
        return framed(header, {name: getattr(self, name) for name in ("edges", *_SUMS)})

    @classmethod
    def from_bytes(cls, data: bytes) -> Bins:
        """Read bins written by `to_bytes`.

        Errors:
            K205 the bytes are truncated, altered or not bins; K206 a newer version wrote them.
        """
        return unframed(data, ("edges", *_SUMS), _assembled)


def _sums_of(levels: ScoreLevels, borders: Floats, closed: Closed) -> Floats:
    """float64[6, b]: contribution of these score levels to each bin, in the order of `_SUMS`."""
    scores, counts, squares = levels
    _check_within(scores[-1], scores[0], borders)
    given = np.ascontiguousarray(counts), None if squares is None else np.ascontiguousarray(squares)
    return _native.bin_levels(scores, *given, borders[1:-1], closed == "right")


def _check_within(least: float, most: float, borders: Floats) -> None:
    if least < borders[0] or most > borders[-1]:
        outside = least if least < borders[0] else most
        raise error(
            "K214",
            found=f"The score {float(outside)!r} lies outside the edges "
            f"{float(borders[0])!r} to {float(borders[-1])!r}",
            do="Put probabilities into bins, not other scores.",
        )


def _ratio(part: Floats, whole: Floats) -> Floats:
    out = np.full(whole.shape, np.nan)
    np.divide(part, whole, out=out, where=whole > 0)
    return out


def _wrong_edges(edges: npt.NDArray[Any]) -> bool:
    # Written so that NaN is refused.
    is_fit = edges.ndim == 1 and len(edges) > 1 and edges.dtype.kind == "f"
    return not (is_fit and edges[0] >= 0 and edges[-1] <= 1 and (np.diff(edges) >= 0).all())


def _assembled(header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Bins:
    if header["species"] != _SPECIES:
        raise damaged(f"It holds {header['species']}, not {_SPECIES}")
    bins = Bins(
        arrays["edges"],
        cast("Closed", header["closed"]),
        **{name: arrays[name] for name in _SUMS},
        n_rows=int(header["n_rows"]),
        is_weighted=bool(header["is_weighted"]),
    )
    if problem := _inconsistency(bins):
        raise damaged(problem)
    return bins


def _inconsistency(bins: Bins) -> str | None:
    """Return a contradiction in the data, or None."""
    edges = bins.edges
    if bins.closed not in get_args(Closed):
        return f"Bins closed {bins.closed!r}, neither left nor right"
    if _wrong_edges(edges):
        return "The edges are not numbers from 0 to 1 that ascend"
    sums = [getattr(bins, name) for name in _SUMS]
    if any(part.shape != (len(edges) - 1,) or part.dtype.kind != "f" for part in sums):
        return "The sums do not fit the edges"
    if wrong_numbers(*sums):
        return "A number is negative or not finite"
    if (bins.hits > bins.weight).any():
        return "A bin has more hits than weight"
    if bins.n_rows < 0 or (not bins.is_weighted and bins.weight.sum() != bins.n_rows):
        return "The number of rows is not that of the bins"
    return None
