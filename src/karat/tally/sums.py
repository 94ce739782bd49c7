"""`Sums`: sums of the losses of rows, and counts of the ranks of their true classes.

The mean of a loss and the variance of that mean need three sums over the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NoReturn

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
"""Losses in the order of the native pass, which `_native.read_scores` defines."""

_STORED: Final = {
    "negative_log_probability": "surprise",
    "squared_error": "quadratic",
    "binary_negative_log_probability": "binary_surprise",
    "ranks": "places",
}
"""Name → name in bytes, which is stable; others are stored unchanged."""
_CURRENT: Final = {stored: name for name, stored in _STORED.items()}

ONE_VS_ALL: Final = LOSSES[3]
"""The loss of each class against the rest."""
READ_BITS: Final = {name: 1 << i for i, name in enumerate((*LOSSES, "ranks", "predicted"))}
"""Bit of each result that `_native.read_scores` computes on request."""
_BY_NAME: Final = {name: i for i, name in enumerate(LOSSES)}
_CLIPPED: Final = f"{LOSSES[0]} clipped at "
_SPECIES: Final = "sums"
_ARRAYS: Final = ("weight", "weight2", "w_loss", "w2_loss", "w2_loss2", "ranks", "truth")
_CLOSE: Final = 1e-9
"""Relative tolerance of sums of the same weights in another order."""


def clipped_at(eps: float) -> str:
    """Return the name of the negative log probability with probabilities clipped to [eps, 1 − eps].

    It is computed from the rows, not in a native pass.

    Example:
        >>> clipped_at(1e-7)
        'negative_log_probability clipped at 1e-07'
    """
    return f"{_CLIPPED}{eps!r}"


def unclipped(name: str) -> tuple[str, float | None]:
    """Return the loss of a name, and where it is clipped; None: nowhere."""
    if not name.startswith(_CLIPPED):
        return name, None
    return LOSSES[0], float(name.removeprefix(_CLIPPED))


class ReadSums:
    """Sums of one native read, for immediate use: no array is made of them.

    Args:
        read: the native result, with the requested losses.
    """

    __slots__ = ("_read",)

    def __init__(self, read: ScoreSums) -> None:
        self._read = read

    @property
    def truth(self) -> Numbers:
        """int64[k] counts, or float64[k] Σw, of each true class."""
        return self._read.truth

    @property
    def ranks(self) -> Numbers | None:
        """The same by the rank of the true class; None unless requested."""
        return self._read.ranks

    def mean(self, name: str) -> float:
        """Return the weighted mean of a loss over the rows; NaN if all weights are 0."""
        return self._read.mean(_BY_NAME[name])


@dataclass(frozen=True, eq=False)
class Sums:
    """Tally of losses: immutable; made by a source or `of`, combined by `merge`.

    Rows of weight 0 are ignored, even if their loss is infinite.

    Attributes:
        names: the m losses, in the order of the sums.
        n_rows: number of rows, including those of weight 0.
        weight, weight2: Σw and Σw²; both the number of rows without weights.
        w_loss, w2_loss, w2_loss2: float64[m], Σw·ℓ, Σw²·ℓ and Σw²·ℓ² of each loss.
        truth: int64[k] counts, or float64[k] Σw, of each true class.
        ranks: the same by the rank of the true class, the number of classes with a larger score;
            None unless requested.
        n_infinite: number of rows of positive weight whose negative log probability is infinite;
            None if they were not counted. See `infinite_rows`.
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
        """Sum losses that are known for each row, in plain NumPy.

        Args:
            losses: float[n] of each name.
            codes: int[n], the true class of each row.
            k: number of classes.
            weights: float[n], finite and at least 0.
            ranks: int[n], the rank of the true class, from 0.

        Cost: a few passes; `_native.read_scores` is the fast implementation from scores.

        Example:
            >>> Sums.of({"negative_log_probability": [0.5, 1.0, 0.0]}, [0, 1, 1], 2).mean(
            ...     "negative_log_probability"
            ... )
            0.5
        """
        for name in losses:
            _check_name(name)
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
        """Return the sums of no rows: the identity of `merge`."""
        none: list[float] = []
        weights = none if is_weighted else None
        losses = dict.fromkeys(names, none)
        return cls.of(losses, none, k, weights, none if has_ranks else None)

    @classmethod
    def from_native(cls, sums: ScoreSums, names: Iterable[str]) -> Sums:
        """Make the sums from a native pass.

        Args:
            sums: the native result, with at least the named sums.
            names: names from `LOSSES`, in any order, and ``"ranks"``.
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
    def places(self) -> NoReturn:
        """Former name of `ranks`, which the error states."""
        raise AttributeError("places is called ranks")

    @property
    def k(self) -> int:
        """Number of classes."""
        return len(self.truth)

    @property
    def is_weighted(self) -> bool:
        """True if rows have weights."""
        return bool(self.truth.dtype.kind == "f")

    @property
    def infinite_rows(self) -> int | None:
        """Number of rows whose true class has probability 0, so that their log-loss is infinite.

        Rows of weight 0 are left out. None if the sum is infinite and they were not counted, as in
        sums written by older versions.
        """
        if LOSSES[0] not in self.names or np.isfinite(self.w_loss[self.names.index(LOSSES[0])]):
            return 0
        return self.n_infinite

    def plus(self, name: str, w_loss: float, w2_loss: float, w2_loss2: float) -> Sums:
        """Return the same rows with the sums of one more loss."""
        return replace(
            self,
            names=(*self.names, name),
            w_loss=np.append(self.w_loss, w_loss),
            w2_loss=np.append(self.w2_loss, w2_loss),
            w2_loss2=np.append(self.w2_loss2, w2_loss2),
        )

    def instead(self, name: str, w_loss: float, w2_loss: float, w2_loss2: float) -> Sums:
        """Return the same rows with other sums of a loss."""
        is_other = np.array([own == name for own in self.names])
        return replace(
            self,
            w_loss=np.where(is_other, w_loss, self.w_loss),
            w2_loss=np.where(is_other, w2_loss, self.w2_loss),
            w2_loss2=np.where(is_other, w2_loss2, self.w2_loss2),
        )

    def mean(self, name: str) -> float:
        """Return the weighted mean of a loss over the rows; NaN if all weights are 0.

        Errors:
            ValueError the loss is not among `names`.
        """
        _check_name(name)
        if name not in self.names:
            raise ValueError(f"{name!r} is not among the losses of this tally, {self.names}")
        if not self.weight > 0:
            return np.nan
        return float(self.w_loss[self.names.index(name)]) / self.weight

    def merge(self, other: Sums) -> Sums:
        """Return the sums of the two data sets read one after the other.

        Exact for rows; for weights and losses, exact to one rounding for each number.

        Errors:
            K201 the number of classes differs; K202 the losses differ; K203 only one is weighted.

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
        """Return the sums as bytes that `from_bytes` of this and every later version reads.

        Cost: 24 bytes for each loss, 8 for each class, 16 with ranks.
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
            K205 the bytes are truncated, altered or not sums; K206 a newer version wrote them.
        """
        names = tuple(_STORED.get(name, name) for name in _ARRAYS)
        return read_tally(data, _SPECIES, names, _assembled, _inconsistency)


def _check_name(name: str) -> None:
    """Refuse the former name of a loss."""
    if name in _CURRENT:
        raise ValueError(f"{name} is called {_CURRENT[name]}")


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
    """Return an attribute of unexpected shape or type, or None."""
    names: Any = header["names"]
    if not isinstance(names, list) or any(not isinstance(name, str) for name in names):
        return "The losses have no names"
    if len(set(names)) != len(names):
        return "Some loss occurs twice"
    if type(header["n_rows"]) is not int or header["n_rows"] < 0:
        return "The number of rows is not a whole number"
    n_infinite = header.get("n_infinite", 0)
    if type(n_infinite) is not int or not 0 <= n_infinite <= header["n_rows"]:
        return "The number of rows whose loss is infinite is not valid"
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
    """Return a reason why no rows could have these sums, or None."""
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
