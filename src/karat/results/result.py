"""`Result` and `Confusion`: one number, or one matrix, and how it was made."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from numbers import Real
from os import PathLike
from typing import TYPE_CHECKING, Any, Final, TypeGuard, TypeVar

import numpy as np
import numpy.typing as npt

from karat.errors import KaratError, UnknownNameError
from karat.errors.habits import of_a_result
from karat.inference.json_record import JsonRecord, json_value
from karat.tally import Cells
from karat.tally.score_kind import undecided


class JsonDocument:
    """A result that can be written as one JSON document."""

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON types."""
        raise NotImplementedError

    def to_json(self, path: str | PathLike[str] | None = None) -> str:
        """The result as JSON text with sorted keys; written to `path` too, when given."""
        from karat.tally.writing import write_text

        text = json.dumps(
            self.to_dict(), ensure_ascii=False, sort_keys=True, indent=2, allow_nan=False
        )
        if path is not None:
            write_text(path, text + "\n")
        return text


@dataclass(frozen=True, slots=True)
class Signature(JsonRecord):
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
        population: class, as displayed → its proportion in the population that rows are weighted
            to; empty without one.

    Example:
        >>> from karat.results.result import Signature
        >>> print(Signature("macro_f1", 4, None, "zero", False, "0.2.0"))
        macro_f1|classes:4|undefined:zero|karat:0.2.0
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
    population: tuple[tuple[str, float], ...] = ()

    def __str__(self) -> str:
        parts = [self.metric, f"classes:{self.k}"]
        if self.positive is not None:
            parts.append(f"positive:{self.positive}")
        parts.append(f"undefined:{self.undefined}")
        if self.weighted:
            parts.append("weighted:yes")
        if self.design not in (None, "cohort"):
            parts.append(f"design:{self.design}")
        if self.population:
            shares = ",".join(f"{name}={share:g}" for name, share in self.population)
            parts.append(f"population:{shares}")
        if self.clustered:
            parts.append("clustered:yes")
        if self.seed is not None:
            parts.append(f"seed:{self.seed}")
        return "|".join([*parts, f"karat:{self.karat}"])


@dataclass(frozen=True, slots=True, repr=False)
class Confusion:
    """The confusion matrix of a report, as data.

    Attributes:
        cells: the tally behind it.
    """

    cells: Cells
    """The tally behind it."""

    @property
    def labels(self) -> tuple[str | int | bool, ...]:
        """The classes, in the order of rows and columns."""
        return self.cells.classes.labels

    @property
    def names(self) -> tuple[str, ...]:
        """Display names of the classes."""
        return self.cells.classes.display

    @property
    def matrix(self) -> npt.NDArray[Any]:
        """int64[k, k], or float64[k, k] when weighted: rows true, columns predicted.

        A read-only view: the report's numbers and its matrix stay one.

        Errors:
            K204 only class totals were kept; K207 too many classes for a dense matrix; K320 nothing
            decides which class is predicted.
        """
        self._check()
        view = self.cells.matrix().view()
        view.setflags(write=False)
        return view

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """``np.asarray(report.confusion)`` is the matrix."""
        return np.array(self.matrix, dtype=dtype) if copy else np.asarray(self.matrix, dtype)

    def __repr__(self) -> str:
        return f"<karat.Confusion: {self.cells.k} classes>"

    def tolist(self) -> list[list[float]]:
        """The matrix as nested lists."""
        nested: list[list[float]] = self.matrix.tolist()
        return nested

    def occupied(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[Any]]:
        """Non-empty cells: true index int64[m], predicted index int64[m], number[m]."""
        self._check()
        return self.cells.occupied()

    def _check(self) -> None:
        if not self.cells.has_predictions:
            raise undecided("The confusion matrix")


class NotGiven:
    """The type of `NOT_GIVEN`: an argument that was left out, where None means something."""

    def __repr__(self) -> str:
        return "<not given>"


NOT_GIVEN: Final = NotGiven()
_IN_JSON: Final = (
    *("value", "low", "high", "level", "method", "standard_error", "remark"),
    *("n", "undefined", "exact"),
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Result:
    """One value of one metric, as data; `karat.Result` lists the attributes, and shows it."""

    name: str
    """Canonical text of the metric, ``"macro_f1"``."""
    value: float
    """The number; NaN or infinite only together with `undefined`."""
    n: int
    """Number of rows."""
    undefined: str | None
    """Reason why it is undefined, with the place, or None."""
    definition: str
    """The formula in words and symbols."""
    range: tuple[float, float]
    """Smallest and largest possible value of the metric."""
    better: str | None
    """``"higher"``, ``"lower"``, or None where neither is better."""
    signature: Signature
    """The choices that can change the number."""
    low: float | None = None
    """Limits of the interval at `level`, or None."""
    high: float | None = None
    """Limits of the interval at `level`, or None."""
    level: float | None = None
    """Confidence level of the interval, or None."""
    method: str | None = None
    """Method of the interval: ``"wilson"``, ``"mover"``, ``"logit-t"``, …, or None."""
    exact: bool = True
    """True if the value is exact, not an approximation with a `bound`."""
    bound: tuple[float, float] | None = None
    """Limits (low, high) of the exact value if `value` is not exact, else None."""
    standard_error: float | None = None
    """Standard error of the value, by the influence of each row or by replicates, or None."""
    remark: str | None = None
    """Reason why there is no interval, or a caveat about it, or None."""

    if not TYPE_CHECKING:  # checkers of types know every attribute there is

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            told = of_a_result(name) or f"A result has no {name}: see dir(result)."
            raise AttributeError(told, name=name, obj=self)

    def __float__(self) -> float:
        return self.value

    def __round__(self, digits: int | None = None) -> float:
        return round(self.value, digits)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Result):
            names = [field.name for field in fields(self)]
            return names == [field.name for field in fields(other)] and all(
                getattr(self, name) == getattr(other, name) for name in names
            )
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
            **{name: json_value(getattr(self, name)) for name in _IN_JSON},
            "bound": None if self.bound is None else list(map(json_value, self.bound)),
        }


ResultT_co = TypeVar("ResultT_co", bound=Result, covariant=True)


@dataclass(frozen=True, eq=False, repr=False)
class Results(Mapping[str, ResultT_co]):
    """Results by name, each made when it is first read: an interval may take its time.

    Attributes:
        listed: what each name stands for.
        make: the result of that.
        read: the result of a name that is not listed, or the error that says why there is none.
    """

    listed: Mapping[str, Any]
    make: Callable[[Any], ResultT_co]
    read: Callable[[str], object] | None = None
    _made: dict[str, ResultT_co] = field(default_factory=dict)

    def __getitem__(self, name: str) -> ResultT_co:
        """The result of a listed name.

        Errors:
            UnknownNameError, a KeyError, with the code that says why it is not listed.
        """
        if name not in self._made:
            if name not in self.listed:
                raise self._missing(name)
            self._made[name] = self.make(self.listed[name])
        return self._made[name]

    def _missing(self, name: str) -> KeyError:
        if self.read is None or not isinstance(name, str):
            return KeyError(name)
        try:
            self.read(name)
        except KaratError as problem:
            return UnknownNameError(problem.code, **problem.context)
        return KeyError(f"{name} is not listed under this name: report[{name!r}] has it")

    def __contains__(self, name: object) -> bool:
        return name in self.listed

    def __iter__(self) -> Iterator[str]:
        return iter(self.listed)

    def __len__(self) -> int:
        return len(self.listed)

    def __repr__(self) -> str:
        return f"<karat results: {len(self)} metrics>"

    def __str__(self) -> str:
        return "\n".join(map(str, self.values()))


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, Real)
