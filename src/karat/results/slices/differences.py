"""The difference of a slice from the others, with intervals that hold for all slices at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from karat.inference.json_record import JsonRecord
from karat.inference.p_values import p_text


@dataclass(frozen=True, slots=True, repr=False)
class SliceDifference(JsonRecord):
    """A slice less the other slices together, in one metric.

    Attributes:
        metric: canonical name.
        name: of the slice.
        n_rows: of the slice.
        value: what the metric gave on the slice.
        rest: what it gave on all other rows.
        difference: value − rest; NaN where either is undefined.
        low, high: limits of the difference at `level`; None where none are known.
        low_simultaneous, high_simultaneous: limits that hold for all slices at once: so many
            standard errors away as the farthest slice where rows are permuted (Westfall and Young
            1993), else as Šidák (1967) says.
        level: of both.
        p: two-sided p-value of no difference; None where none is known.
        p_adjusted: the same for all slices at once: how often, where rows are permuted across
            the slices, some slice lies as far from the mean, in standard errors; at least p.
        method: what made p and the limits.
        undefined: why there is nothing to compare, or None.
        remark: what to know of it, or None.
    """

    metric: str
    name: str
    n_rows: int
    value: float
    rest: float
    difference: float
    low: float | None = None
    high: float | None = None
    low_simultaneous: float | None = None
    high_simultaneous: float | None = None
    level: float = 0.95
    p: float | None = None
    p_adjusted: float | None = None
    method: str | None = None
    undefined: str | None = None
    remark: str | None = None

    def __float__(self) -> float:
        return self.difference

    def __str__(self) -> str:
        what = f"{self.metric}: {self.name} − other rows"
        if self.undefined is not None:
            return f"{what}: not compared, {self.undefined}"
        low, high = self.low_simultaneous, self.high_simultaneous
        limits = "" if low is None or high is None else f" [{low:+.4g}, {high:+.4g}]"
        p = "" if self.p_adjusted is None else f", p {p_text(self.p_adjusted)}"
        at_once = " (all slices at once)" if limits or p else ""
        return f"{what} = {self.difference:+.4g}{limits}{p}{at_once}"

    @property
    def is_shown(self) -> bool:
        """True if the difference is significant, corrected for all slices.

        Both say so: `p_adjusted`, and the simultaneous limits, which do not hold 0.
        """
        if self.p_adjusted is None or self.p_adjusted >= 1.0 - self.level:
            return False
        low, high = self.low_simultaneous, self.high_simultaneous
        return low is None or high is None or not low <= 0.0 <= high


class SliceDifferences(dict[Any, SliceDifference]):
    """Slice → its difference from all other rows, in one metric."""

    def __repr__(self) -> str:
        metric = next((one.metric for one in self.values()), "no metric")
        return f"<karat slice differences in {metric}: {len(self)}>"

    def __str__(self) -> str:
        return "\n".join(map(str, self.values()))
