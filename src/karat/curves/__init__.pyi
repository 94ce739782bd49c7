from collections.abc import Iterable
from typing import Any, Literal, Protocol, TypeVar, overload

from karat.curves._curve import ByClass as ByClass
from karat.curves._curve import Curve as Curve
from karat.curves._curve import Reliability as Reliability
from karat.curves._kept import Curves as Curves
from karat.curves._traced import Cost as Cost
from karat.curves._traced import Det as Det
from karat.curves._traced import Gain as Gain
from karat.curves._traced import Lift as Lift
from karat.curves._traced import NetBenefit as NetBenefit
from karat.curves._traced import PrecisionRecall as PrecisionRecall
from karat.curves._traced import Roc as Roc
from karat.curves._traced import Traced as Traced
from karat.tally import Label

_C_co = TypeVar("_C_co", bound=Curve, covariant=True)

class _Traced(Protocol[_C_co]):
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: Literal["micro"] = ...,
        classes: None = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        drop_intermediate: bool = False,
        limit: int | None = None,
        n_threads: int | None = None,
    ) -> _C_co: ...
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: None,
        classes: Iterable[Label] | None = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        drop_intermediate: bool = False,
        limit: int | None = None,
        n_threads: int | None = None,
    ) -> ByClass[_C_co]: ...
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        classes: Iterable[Label],
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        drop_intermediate: bool = False,
        limit: int | None = None,
        n_threads: int | None = None,
    ) -> ByClass[_C_co]: ...

class _Binned(Protocol):
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        classes: None = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        bins: int = 15,
        scheme: Literal["uniform", "quantile"] = "uniform",
        closed: Literal["right", "left"] = "right",
        n_threads: int | None = None,
    ) -> Reliability: ...
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: None,
        classes: Iterable[Label] | None = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        bins: int = 15,
        scheme: Literal["uniform", "quantile"] = "uniform",
        closed: Literal["right", "left"] = "right",
        n_threads: int | None = None,
    ) -> ByClass[Reliability]: ...
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        classes: Iterable[Label],
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        bins: int = 15,
        scheme: Literal["uniform", "quantile"] = "uniform",
        closed: Literal["right", "left"] = "right",
        n_threads: int | None = None,
    ) -> ByClass[Reliability]: ...

class _Costed(Protocol):
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: Literal["micro"] = ...,
        classes: None = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        limit: int | None = None,
        n_threads: int | None = None,
    ) -> Cost: ...
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: None,
        classes: Iterable[Label] | None = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        limit: int | None = None,
        n_threads: int | None = None,
    ) -> ByClass[Cost]: ...
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        classes: Iterable[Label],
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        limit: int | None = None,
        n_threads: int | None = None,
    ) -> ByClass[Cost]: ...

class _Benefited(Protocol):
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        classes: None = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        thresholds: Any = None,
        n_threads: int | None = None,
    ) -> NetBenefit: ...
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: None,
        classes: Iterable[Label] | None = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        thresholds: Any = None,
        n_threads: int | None = None,
    ) -> ByClass[NetBenefit]: ...
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        classes: Iterable[Label],
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        thresholds: Any = None,
        n_threads: int | None = None,
    ) -> ByClass[NetBenefit]: ...

roc: _Traced[Roc]
precision_recall: _Traced[PrecisionRecall]
det: _Traced[Det]
gain: _Traced[Gain]
lift: _Traced[Lift]
reliability: _Binned
cost: _Costed
net_benefit: _Benefited
