"""`Sums`: sums of the losses of rows, and counts of the ranks of their true classes.

The mean of a loss and the variance of that mean need three sums over the rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from karat.errors import error
from karat.tally.serialization import damaged, framed, read_tally
from karat.tally.shared import Floats, Numbers, check_weighting

if TYPE_CHECKING:
    from karat._native import ScoreSums

LOSSES: Final = (
    "negative_log_probability",
    "squared_error",
    "margin",
    "binary_negative_log_probability",
)
"""Losses in the order of the native pass; `_native.read_scores` defines them."""

_STORED: Final = {
    "negative_log_probability": "surprise",
    "squared_error": "quadratic",
    "binary_negative_log_probability": "binary_surprise",
    "ranks": "places",
}
"""Name → name in bytes, which does not change; others are stored as they are."""
_CURRENT: Final = {stored: name for name, stored in _STORED.items()}

READ_BITS: Final = {name: 1 << i for i, name in enumerate((*LOSSES, "ranks", "predicted"))}
"""Bit of each result that `_native.read_scores` computes on request."""
_BY_NAME: Final = {name: i for i, name in enumerate(LOSSES)}
_CLIPPED: Final = f"{LOSSES[0]} clipped at "
_SPECIES: Final = "sums"
_ARRAYS: Final = ("weight", "weight2", "w_loss", "w2_loss", "w2_loss2", "ranks", "truth")
_CLOSE: Final = 1e-9
"""Sums of the same weights in another order agree to this part."""


def clipped_at(eps: float) -> str:
    """Name of the negative log probability of probabilities that are clipped to [eps, 1 − eps].

    It is computed from the rows; no native pass adds it up.

    Example:
        >>> clipped_at(1e-7)
        'negative_log_probability clipped at 1e-07'
    """
    return f"{_CLIPPED}{eps!r}"


def unclipped(name: str) -> tuple[str, float | None]:
    """The loss that a name means, and where it is clipped; None: nowhere."""
    if not name.startswith(_CLIPPED):
        return name, None
    return LOSSES[0], float(name.removeprefix(_CLIPPED))


class ReadSums:
    """What one native read added up, to be looked at and not kept: no array is made of it.

    Args:
        read: the native result, with the losses that are asked for.
    """

    __slots__ = ("_read",)

    def __init__(self, read: ScoreSums) -> None:
        self._read = read

    @property
    def truth(self) -> Numbers:
        """int64[k] rows, or float64[k] Σw, of each true class."""
        return self._read.truth

    @property
    def ranks(self) -> Numbers | None:
        """The same by the rank of the true class; None unless requested."""
        return self._read.ranks

    def mean(self, name: str) -> float:
        """Mean of a loss over the rows, by weight; NaN when nothing weighs anything."""
        return self._read.mean(_BY_NAME[name])


@dataclass(frozen=True, eq=False)
class Sums:
    """Tally of losses: immutable; made by a source or `of`, added by `merge`.

    Rows of weight 0 count for nothing, also when their loss is infinite.

    Attributes:
        names: the m losses, in the order of the sums.
        n_rows: rows read, whatever they weigh.
        weight, weight2: Σw and Σw²; both the number of rows, when unweighted.
        w_loss, w2_loss, w2_loss2: float64[m], Σw·ℓ, Σw²·ℓ and Σw²·ℓ² of each loss.
        truth: int64[k] rows, or float64[k] Σw, of each true class.
        ranks: the same by the rank of the true class, the number of classes with a larger score;
            None unless requested.
        n_infinite: rows that weigh something and whose negative log probability is infinite; None
            where they were not counted. See `infinite_rows`.
    """

    names: tuple[str, ...]
    n_rows: int
    weight: float
    weight2: float
    w_loss: Floats
    w2_loss: Floats
    w2_loss2: Floats
    truth: Numbers
    ranks: Numbers | None = None
    n_infinite: int | None = None

    @classmethod
    def of(
        cls,
        losses: Mapping[str, npt.ArrayLike],
        codes: npt.ArrayLike,
        k: int,
        weights: npt.ArrayLike | None = None,
        ranks: npt.ArrayLike | None = None,
    ) -> Sums:
        """The sums of losses that are known row by row, in plain NumPy.

        Args:
            losses: float[n] of each name.
            codes: int[n], the true class of each row.
            k: number of classes.
            weights: float[n], finite and at least 0.
            ranks: int[n], the rank of the true class, from 0.

        Cost: a few passes; `_native.read_scores` is the fast way from scores to the same.

        Example:
            >>> Sums.of({"negative_log_probability": [0.5, 1.0, 0.0]}, [0, 1, 1], 2).mean(
            ...     "negative_log_probability"
            ... )
            0.5
        """
        losses = {_current(name): loss for name, loss in losses.items()}
        true = np.asarray(codes, np.intp)
        given = None if weights is None else np.asarray(weights, np.float64)
        w = np.ones(len(true)) if given is None else given

        def table(at: npt.ArrayLike) -> Numbers:
            counted = np.bincount(np.asarray(at, np.intp), given, k)
            return counted.astype(np.int64 if given is None else np.float64)

        of_rows = np.array([np.asarray(loss, np.float64)[w > 0] for loss in losses.values()])
        endless = losses.get(LOSSES[0])
        n_infinite = None if endless is None else int((np.isinf(endless) & (w > 0)).sum())
        parts = of_rows.reshape(len(losses), -1) * w[w > 0]
        return cls(
            tuple(losses),
            len(true),
            float(w.sum()),
            float((w * w).sum()),
            parts.sum(axis=1),
            (parts * w[w > 0]).sum(axis=1),
            (parts * parts).sum(axis=1),
            table(true),
            None if ranks is None else table(ranks),
            n_infinite,
        )

    @classmethod
    def empty(
        cls, names: Iterable[str], k: int, *, is_weighted: bool = False, has_ranks: bool = False
    ) -> Sums:
        """The sums of no rows: the identity of `merge`."""
        none: list[float] = []
        weights = none if is_weighted else None
        losses = dict.fromkeys(names, none)
        return cls.of(losses, none, k, weights, none if has_ranks else None)

    @classmethod
    def from_native(cls, sums: ScoreSums, names: Iterable[str]) -> Sums:
        """Take over what the native pass added up.

        Args:
            sums: the native result, with at least what is named.
            names: of `LOSSES`, in any order, and ``"ranks"``.
        """
        asked = set(names)
        kept = [i for i, name in enumerate(LOSSES) if name in asked]
        if unknown := asked - {*LOSSES, "ranks"}:
            raise ValueError(f"{sorted(unknown)} are not among {[*LOSSES, 'ranks']}")
        if ("ranks" in asked and sums.ranks is None) or np.isnan(sums.w_loss[kept]).any():
            raise ValueError(f"the native pass was not asked for all of {sorted(asked)}")
        return cls(
            tuple(LOSSES[i] for i in kept),
            sums.n_rows,
            sums.weight,
            sums.weight2,
            sums.w_loss[kept],
            sums.w2_loss[kept],
            sums.w2_loss2[kept],
            sums.truth,
            sums.ranks if "ranks" in asked else None,
        )

    @property
    def places(self) -> Numbers | None:
        """Former name of `ranks`; removed in 0.3."""
        _current("places")
        return self.ranks

    @property
    def k(self) -> int:
        """Number of classes."""
        return len(self.truth)

    @property
    def is_weighted(self) -> bool:
        """Whether rows carry weights."""
        return bool(self.truth.dtype.kind == "f")

    @property
    def infinite_rows(self) -> int | None:
        """Rows whose negative log probability is infinite: their true class has probability 0.

        Rows of weight 0 are left out. None where the sum is infinite and nobody counted them, as in
        sums that were written before they were counted.
        """
        if LOSSES[0] not in self.names or np.isfinite(self.w_loss[self.names.index(LOSSES[0])]):
            return 0
        return self.n_infinite

    def plus(self, name: str, w_loss: float, w2_loss: float, w2_loss2: float) -> Sums:
        """The same rows with the sums of one more loss."""
        return replace(
            self,
            names=(*self.names, name),
            w_loss=np.append(self.w_loss, w_loss),
            w2_loss=np.append(self.w2_loss, w2_loss),
            w2_loss2=np.append(self.w2_loss2, w2_loss2),
        )

    def mean(self, name: str) -> float:
        """Mean of a loss over the rows, by weight; NaN when nothing weighs anything.

        Errors:
            ValueError the loss is not among `names`.
        """
        name = _current(name)
        if name not in self.names:
            raise ValueError(f"{name!r} is not among the losses of this tally, {self.names}")
        if not self.weight > 0:
            return np.nan
        return float(self.w_loss[self.names.index(name)]) / self.weight

    def merge(self, other: Sums) -> Sums:
        """Sums of the two data sets read one after the other.

        Exact for rows; for weights and losses, exact to one rounding a number.

        Errors:
            K201 the number of classes differs; K202 the losses do; K203 only one is weighted.

        Cost: O(k).

        Example:
            >>> one = Sums.of({"margin": [0.25]}, [0], 2)
            >>> one.merge(Sums.of({"margin": [0.75]}, [1], 2)).mean("margin")
            0.5
        """
        if self.k != other.k:
            raise error("K201", left=f"{self.k} classes", right=f"{other.k} classes")
        held = [(*each.names, *(["ranks"] * (each.ranks is not None))) for each in (self, other)]
        if held[0] != held[1]:
            raise error("K202", axis="losses", left=held[0], right=held[1])
        check_weighting(self.is_weighted, other.is_weighted)
        added = {
            name: getattr(self, name) + getattr(other, name)
            for name in ("n_rows", *_ARRAYS)
            if getattr(self, name) is not None
        }
        infinite = self.infinite_rows, other.infinite_rows
        known = None if None in infinite else sum(filter(None, infinite))
        return replace(self, **added, n_infinite=known)

    def to_bytes(self) -> bytes:
        """The sums as bytes that `from_bytes` of this and every later version reads.

        Cost: 24 bytes a loss, 8 a class, 16 with ranks.
        """
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        names = [_STORED.get(name, name) for name in self.names]
        header = {"species": _SPECIES, "names": names, "n_rows": int(self.n_rows)}
        if self.infinite_rows:
            header["n_infinite"] = self.infinite_rows
        return framed(
            header, {_STORED.get(x, x): np.asarray(a) for x, a in arrays.items() if a is not None}
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> Sums:
        """Read sums written by `to_bytes`.

        Errors:
            K205 the bytes are truncated, altered or no sums; K206 a newer version wrote them.
        """
        names = tuple(_STORED.get(name, name) for name in _ARRAYS)
        return read_tally(data, _SPECIES, names, _assembled, _inconsistency)


def _current(name: str) -> str:
    """Return the current name of a loss; a former name warns."""
    if name not in _CURRENT:
        return name
    message = f"{name} is called {_CURRENT[name]}; the old name goes in karat 0.3."
    warnings.warn(message, DeprecationWarning, stacklevel=3)
    return _CURRENT[name]


def _assembled(header: dict[str, Any], arrays: dict[str, Numbers]) -> Sums:
    arrays = {_CURRENT.get(name, name): array for name, array in arrays.items()}
    if problem := _misfit(header, arrays):
        raise damaged(problem)
    return Sums(
        tuple(_CURRENT.get(name, name) for name in header["names"]),
        header["n_rows"],
        float(arrays.pop("weight")),
        float(arrays.pop("weight2")),
        **arrays,
        n_infinite=header.get("n_infinite"),
    )


def _misfit(header: dict[str, Any], arrays: dict[str, Numbers]) -> str | None:
    """What has another shape or type than it should, or None."""
    names: Any = header["names"]
    if not isinstance(names, list) or any(not isinstance(name, str) for name in names):
        return "The losses have no names"
    if len(set(names)) != len(names):
        return "Some loss occurs twice"
    if type(header["n_rows"]) is not int or header["n_rows"] < 0:
        return "The number of rows is not a whole number"
    n_infinite = header.get("n_infinite", 0)
    if type(n_infinite) is not int or not 0 <= n_infinite <= header["n_rows"]:
        return "The number of rows whose loss is infinite is none"
    truth, m = arrays["truth"], len(names)
    if truth.ndim != 1 or truth.size == 0:
        return "There are no classes"
    shapes = {"weight": (), "weight2": (), "w_loss": (m,), "w2_loss": (m,), "w2_loss2": (m,)}
    for name, shape in shapes.items():
        if arrays[name].shape != shape or arrays[name].dtype.kind != "f":
            return f"{name!r} does not fit the losses"
    ranks = arrays.get("ranks", truth)
    if ranks.shape != truth.shape or ranks.dtype != truth.dtype:
        return "The ranks do not fit the classes"
    return None


def _inconsistency(sums: Sums) -> str | None:
    """What no rows could add up to, or None."""
    numbers = [sums.w_loss, sums.w2_loss, sums.w2_loss2, sums.truth, np.array(sums.weight2)]
    if any(not (array >= 0).all() for array in numbers):
        return "A number is negative or none"
    if not 0 <= sums.weight < np.inf:
        return "The weight is not a finite number"
    for table in (sums.truth, sums.truth if sums.ranks is None else sums.ranks):
        total = table.sum(dtype=np.float64)
        if not abs(total - sums.weight) <= _CLOSE * sums.weight or (table < 0).any():
            return "The classes or the ranks do not add up to the weight"
    if not sums.is_weighted and not sums.weight == sums.weight2 == sums.n_rows:
        return "The weight of rows without weights is not their number"
    return None
