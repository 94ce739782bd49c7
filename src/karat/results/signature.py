"""How a number was made: the choices that can change it, stored as data and printed on demand."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Signature"]


@dataclass(frozen=True, slots=True)
class Signature:
    """Everything that can change a number, apart from the rows themselves.

    Attributes:
        metric: canonical text of the metric, ``"macro_f_beta(beta=2)"``.
        k: number of classes.
        positive: the positive class of two, as displayed, else None.
        undefined: policy for undefined values.
        weighted: whether rows were weighted.
        karat: version that computed it.
        design: how the rows were drawn, for the interval; None without one.
        clustered: whether the interval takes rows of a cluster together.
        seed: of an interval that was drawn, else None.

    Example:
        >>> from karat.results.signature import Signature
        >>> print(Signature("macro_f1", 4, None, "zero", False, "0.1.0"))
        macro_f1|classes:4|undefined:zero|karat:0.1.0
    """

    metric: str
    k: int
    positive: str | None
    undefined: str
    weighted: bool
    karat: str
    design: str | None = None
    clustered: bool = False
    seed: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """The choices by name."""
        return asdict(self)

    def __str__(self) -> str:
        parts = [self.metric, f"classes:{self.k}"]
        if self.positive is not None:
            parts.append(f"positive:{self.positive}")
        parts.append(f"undefined:{self.undefined}")
        if self.weighted:
            parts.append("weighted:yes")
        if self.design not in (None, "cohort"):
            parts.append(f"design:{self.design}")
        if self.clustered:
            parts.append("clustered:yes")
        if self.seed is not None:
            parts.append(f"seed:{self.seed}")
        return "|".join([*parts, f"karat:{self.karat}"])
