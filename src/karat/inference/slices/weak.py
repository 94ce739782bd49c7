"""Weak slices among many: the largest of all statistics, beside that of shuffled losses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.errors.text import harmless
from karat.inference.limits import Floats

Codes: TypeAlias = npt.NDArray[np.int64]
_BLOCK: Final = 1 << 23
"""Codes that are held at once."""


@dataclass(frozen=True, slots=True)
class WeakSlice:
    """A slice whose rows lose more than the others, with all slices looked at.

    Attributes:
        columns: the column, or both of a cross.
        key: what it is called in them.
        n_rows: its rows.
        loss: mean loss of its rows: of labels the share of wrong ones.
        rest: mean loss of all other rows.
        z: how many standard errors its mean lies above that of all rows, if rows were shuffled.
        p: how often the largest z of shuffled losses, of all slices, is at least this one.
    """

    columns: tuple[str, ...]
    key: tuple[str, ...]
    n_rows: int
    loss: float
    rest: float
    z: float
    p: float

    @property
    def name(self) -> str:
        """``"country = NO, sex = f"``."""
        return ", ".join(f"{a} = {b}" for a, b in zip(self.columns, self.key, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """As JSON types."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class WeakSlices:
    """What was found, and among how many.

    Attributes:
        slices: those shown to be weak, the surest first.
        n_tested: slices that were looked at: values and bins of every column, and their crosses.
        n_inside: crosses that are shown too and lie inside a single slice of the list.
        level: 1 − the chance that data without any weak slice show one.
        p: of the largest of all.
        n_permutations, seed: of the shuffles.
        left_out: column → why it was not looked at.
    """

    slices: tuple[WeakSlice, ...]
    n_tested: int
    n_inside: int
    level: float
    p: float
    n_permutations: int
    seed: int
    left_out: dict[str, str]

    def __len__(self) -> int:
        return len(self.slices)

    def __iter__(self) -> Any:
        return iter(self.slices)

    def __str__(self) -> str:
        lines = [
            f"{harmless(one.name)}: {one.loss:.4g} beside {one.rest:.4g} "
            f"({one.n_rows} rows, p = {one.p:.2g})"
            for one in self.slices
        ] or [f"No weak slice among {self.n_tested} (p = {self.p:.2g})."]
        lines += [
            f"Not looked at: {harmless(f'{name}: {why}')}" for name, why in self.left_out.items()
        ]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Slices of one column, or of one cross, that hold enough rows.

    `codes` is the slice of each row; rows of slices with too few have the last code.
    """

    columns: tuple[str, ...]
    keys: tuple[tuple[str, ...], ...]
    codes: npt.NDArray[np.int16]
    n_rows: Codes


@dataclass(frozen=True, slots=True, eq=False)
class RowLosses:
    """What each row loses, and how much it counts.

    Attributes:
        loss: float64[n], divided by a power of two that brings the largest to between 1 and 2.
        weights: float64[n], above 0; None where all count alike.
        shuffled: float64[n], what is added up in a slice and shuffled across rows: the losses, or
            weight × (loss − mean loss), so that a row keeps its weight.
        kept: bool[m] of the rows that were given; None when all count.
        n_given: rows that were given, m.
        scale: the power of two.
    """

    loss: Floats
    weights: Floats | None
    shuffled: Floats
    kept: npt.NDArray[np.bool_] | None
    n_given: int
    scale: int = 0

    @classmethod
    def of(cls, loss: Floats, weights: Floats | None) -> RowLosses:
        """Rows without those of weight 0."""
        n_given, kept = len(loss), None
        if weights is not None and not weights.all():
            kept = weights > 0.0
            loss, weights = loss[kept], weights[kept]
        # Their squares neither overflow nor vanish; 0 and 1, of labels, stay as they are.
        scale = int(np.frexp(loss.max(initial=0.0))[1]) - 1 if loss.any() else 0
        loss = np.ldexp(loss, -scale)
        if weights is None or not np.ptp(weights):
            return cls(loss, None, loss, kept, n_given, scale)
        weights = weights / weights.max()
        centred = weights * (loss - np.average(loss, weights=weights))
        return cls(loss, weights, centred, kept, n_given, scale)

    def sums(self, found: Candidates) -> Floats:
        """float64[s]: what is shuffled, added up in each slice."""
        m = len(found.n_rows)
        return np.bincount(found.codes, self.shuffled, m)[:m].astype(np.float64)

    def means(self, found: Candidates) -> tuple[Floats, Floats]:
        """float64[s] each: the mean loss of a slice, and of all other rows."""
        m, weights = len(found.n_rows), self.weights
        lost = np.bincount(
            found.codes, self.loss if weights is None else weights * self.loss, m + 1
        )
        count = np.bincount(found.codes, weights, m + 1)
        inside, rest = lost[:m] / count[:m], (lost.sum() - lost[:m]) / (count.sum() - count[:m])
        return np.ldexp(inside, self.scale), np.ldexp(rest, self.scale)


def standardized(sums: npt.NDArray[Any], n_rows: Codes, loss: Floats) -> Floats:
    """float64[s]: (mean of the slice − mean of all) ÷ its standard error where rows are shuffled.

    Of n rows with variance v (÷ n) the mean of m drawn without replacement has the variance
    v ÷ m · (n − m) ÷ (n − 1).
    """
    n, mean, variance = len(loss), float(loss.mean()), float(loss.var())
    spread = variance / n_rows * (n - n_rows) / max(n - 1, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (sums / n_rows - mean) / np.sqrt(spread)
    return np.where(spread > 0.0, z, 0.0)


def largest_of_shuffled(
    found: Sequence[Candidates], loss: Floats, n_permutations: int, seed: int
) -> Floats:
    """float64[b]: the largest statistic of all slices, each time the losses were shuffled.

    Cost: n_permutations × rows that lose anything × columns and crosses.
    """
    most = np.full(n_permutations, -np.inf)
    rows = np.flatnonzero(loss)
    values = loss[rows]
    is_same = bool((values == 1.0).all())
    step = max(1, _BLOCK // max(len(loss), 1))
    for start in range(0, len(found), step):
        part = found[start : start + step]
        first = np.cumsum([0, *(len(one.n_rows) + 1 for one in part)])
        codes = np.stack([one.codes for one in part], axis=1).astype(np.int64) + first[:-1]
        n_rows = np.concatenate([[*one.n_rows.tolist(), 0] for one in part])
        held = n_rows > 0
        # The same shuffles for every block of slices, so that the largest is of one shuffle.
        rng = np.random.default_rng(seed)
        for i in range(n_permutations):
            drawn = rng.choice(len(loss), len(rows), replace=False, shuffle=not is_same)
            weights = None if is_same else np.repeat(values, codes.shape[1])
            sums = np.bincount(codes[drawn].ravel(), weights, int(first[-1]))
            z = standardized(sums[held], n_rows[held], loss)
            most[i] = max(most[i], float(z.max(initial=-np.inf)))
    return np.sort(most)
