"""`Result`: one number with its name, its definition and what is known of its certainty."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from numbers import Real
from typing import Any, Final, TypeGuard

from karat.results.signature import Signature

__all__ = ["NOT_GIVEN", "NotGiven", "Result", "Results"]


class NotGiven:
    """The type of `NOT_GIVEN`: an argument that was left out, where None means something."""

    def __repr__(self) -> str:
        return "<not given>"


NOT_GIVEN: Final = NotGiven()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Result:
    """One value of one metric.

    ``float(result)`` is the value; NaN when the data do not define it and no convention does.
    Beside a number it compares as its value; two results are equal when all of them is.

    Attributes:
        name: canonical text of the metric, ``"macro_f1"``.
        value: the number; NaN or infinite only together with `undefined`.
        n: rows read.
        undefined: why and where the data do not define it, or None.
        low, high: limits of the interval at `level`, or None.
        level: confidence level of the interval, or None.
        method: what made the interval: ``"wilson"``, ``"mover"``, ``"logit-t"``, …, or None.
        standard_error: of the value, by the influence of each row or by replicates, or None.
        remark: why there is no interval, or what to know of it, or None.
        exact: whether the value is exact, not an approximation with a `bound`.
        bound: (low, high) between which the exact value lies when it is not exact, else None.
        definition: the formula in words and symbols.
        range: smallest and largest value the metric can take.
        better: ``"higher"``, ``"lower"``, or None where neither is better.
        signature: the choices that can change the number.
    """

    name: str
    value: float
    n: int
    undefined: str | None
    definition: str
    range: tuple[float, float]
    better: str | None
    signature: Signature
    low: float | None = None
    high: float | None = None
    level: float | None = None
    method: str | None = None
    exact: bool = True
    bound: tuple[float, float] | None = None
    standard_error: float | None = None
    remark: str | None = None

    def __float__(self) -> float:
        return self.value

    def __round__(self, digits: int | None = None) -> float:
        return round(self.value, digits)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Result):
            return all(getattr(self, f.name) == getattr(other, f.name) for f in fields(self))
        return self.value == other if _is_number(other) else NotImplemented

    def __hash__(self) -> int:
        # That of the number, which it equals.
        return hash(self.value)

    # Two results are not ordered: which is better depends on the metric.
    def __lt__(self, other: object) -> bool:
        return self.value < other if _is_number(other) else NotImplemented

    def __le__(self, other: object) -> bool:
        return self.value <= other if _is_number(other) else NotImplemented

    def __gt__(self, other: object) -> bool:
        return self.value > other if _is_number(other) else NotImplemented

    def __ge__(self, other: object) -> bool:
        return self.value >= other if _is_number(other) else NotImplemented

    def __repr__(self) -> str:
        return f"<karat.Result: {self}>"

    def __format__(self, spec: str) -> str:
        return format(self.value, spec) if spec else str(self)

    def __str__(self) -> str:
        text = f"{self.name} {self.value:.6g}"
        if self.low is not None and self.high is not None:
            text += f" [{self.low:.6g}, {self.high:.6g}]"
        if self.bound is not None:
            text += f" (exact value: {self.bound[0]:.6g} to {self.bound[1]:.6g})"
        elif not self.exact:
            text += " (not exact)"
        return f"{text} (undefined: {self.undefined})" if self.undefined else text

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: null, never NaN or infinity, for a value that is not a finite number."""
        return {
            "value": _json_number(self.value),
            "low": _json_number(self.low),
            "high": _json_number(self.high),
            "level": self.level,
            "method": self.method,
            "standard_error": _json_number(self.standard_error),
            "remark": self.remark,
            "n": self.n,
            "undefined": self.undefined,
            "exact": self.exact,
            "bound": None if self.bound is None else [_json_number(x) for x in self.bound],
        }


@dataclass(frozen=True, eq=False, repr=False)
class Results(Mapping[str, Result]):
    """Results by name, each made when it is first read: an interval may take its time.

    Attributes:
        listed: what each name stands for.
        make: the result of that.
    """

    listed: Mapping[str, Any]
    make: Callable[[Any], Result]
    _made: dict[str, Result] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Result:
        if name not in self._made:
            self._made[name] = self.make(self.listed[name])
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self.listed

    def __iter__(self) -> Iterator[str]:
        return iter(self.listed)

    def __len__(self) -> int:
        return len(self.listed)

    def __repr__(self) -> str:
        return repr(dict(self))


def _json_number(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, Real)
