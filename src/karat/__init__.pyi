"""Public names of karat. Written by `make stub`; do not edit."""

from typing import Any, Literal, Protocol, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from karat import curves as curves
from karat import errors as errors
from karat import metrics as metrics
from karat import objectives as objectives
from karat import plot as plot
from karat import tally as tally
from karat import testing as testing
from karat.api.comparing import compare as compare
from karat.api.evaluation import evaluate as evaluate
from karat.api.functions import confusion_matrix as confusion_matrix
from karat.api.gate.verb import gate as gate
from karat.api.results import Comparison as Comparison
from karat.api.results import Report as Report
from karat.api.results import Result as Result
from karat.api.sample_sizes import rows_needed as rows_needed
from karat.api.score_functions import roc_auc_pairs as roc_auc_pairs
from karat.api.scorer import scorer as scorer
from karat.api.streams.stream import Stream as Stream
from karat.api.weak_slices import find_weak_slices as find_weak_slices
from karat.errors import InputError as InputError
from karat.errors import KaratError as KaratError
from karat.errors import UndefinedWarning as UndefinedWarning
from karat.errors import UnknownNameError as UnknownNameError
from karat.metrics.plan import Plan as Plan
from karat.results.gate.result import GateResult as GateResult
from karat.results.result import Signature as Signature

__version__: str

_Undefined: TypeAlias = Literal["zero", "exclude", "nan"]
_Floats: TypeAlias = npt.NDArray[np.float64]

class _PerClassMacroMicroWeighted(Protocol):
    @overload
    def __call__(
        self,
        y_true: Any = None,
        y_pred: Any = None,
        *,
        average: None,
        confusion: Any = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> _Floats: ...
    @overload
    def __call__(
        self,
        y_true: Any = None,
        y_pred: Any = None,
        *,
        average: Literal["macro", "micro", "weighted"] = ...,
        confusion: Any = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _Plain(Protocol):
    def __call__(
        self,
        y_true: Any = None,
        y_pred: Any = None,
        *,
        confusion: Any = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _PerClassMacroWeighted(Protocol):
    @overload
    def __call__(
        self,
        y_true: Any = None,
        y_pred: Any = None,
        *,
        average: None,
        confusion: Any = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> _Floats: ...
    @overload
    def __call__(
        self,
        y_true: Any = None,
        y_pred: Any = None,
        *,
        average: Literal["macro", "weighted"] = ...,
        confusion: Any = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _BetaPerClassMacroMicroWeighted(Protocol):
    @overload
    def __call__(
        self,
        y_true: Any = None,
        y_pred: Any = None,
        *,
        average: None,
        beta: float = ...,
        confusion: Any = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> _Floats: ...
    @overload
    def __call__(
        self,
        y_true: Any = None,
        y_pred: Any = None,
        *,
        average: Literal["macro", "micro", "weighted"] = ...,
        beta: float = ...,
        confusion: Any = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _Beta(Protocol):
    def __call__(
        self,
        y_true: Any = None,
        y_pred: Any = None,
        *,
        beta: float = ...,
        confusion: Any = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _Adjusted(Protocol):
    def __call__(
        self,
        y_true: Any = None,
        y_pred: Any = None,
        *,
        adjusted: bool = ...,
        confusion: Any = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _Disagreement(Protocol):
    def __call__(
        self,
        y_true: Any = None,
        y_pred: Any = None,
        *,
        disagreement: Any,
        confusion: Any = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _OfScoresBinsSchemeClosedNorm(Protocol):
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        bins: int = ...,
        scheme: Literal["uniform", "quantile"] = ...,
        closed: Literal["right", "left"] = ...,
        norm: Literal["l1", "l2"] = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _OfScoresBinsSchemeClosed(Protocol):
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        bins: int = ...,
        scheme: Literal["uniform", "quantile"] = ...,
        closed: Literal["right", "left"] = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _OfScoresBinsClosedNorm(Protocol):
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        bins: int = ...,
        closed: Literal["right", "left"] = ...,
        norm: Literal["l1", "l2"] = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _OfScoresBinsSchemeClosedNormPerClassMacro(Protocol):
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: None,
        bins: int = ...,
        scheme: Literal["uniform", "quantile"] = ...,
        closed: Literal["right", "left"] = ...,
        norm: Literal["l1", "l2"] = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> _Floats: ...
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: Literal["macro"] = ...,
        bins: int = ...,
        scheme: Literal["uniform", "quantile"] = ...,
        closed: Literal["right", "left"] = ...,
        norm: Literal["l1", "l2"] = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _Costs(Protocol):
    def __call__(
        self,
        y_true: Any = None,
        y_pred: Any = None,
        *,
        costs: Any,
        confusion: Any = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _PerClassMicro(Protocol):
    @overload
    def __call__(
        self,
        y_true: Any = None,
        y_pred: Any = None,
        *,
        average: None,
        confusion: Any = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> _Floats: ...
    @overload
    def __call__(
        self,
        y_true: Any = None,
        y_pred: Any = None,
        *,
        average: Literal["micro"] = ...,
        confusion: Any = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _OfScoresPerClassMacro(Protocol):
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> _Floats: ...
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: Literal["macro"] = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _OfScores(Protocol):
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _OfScoresEps(Protocol):
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        eps: float | None = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _OfScoresK(Protocol):
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        k: int = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _OfScoresMaxFprPerClassMacroMicroWeighted(Protocol):
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: None,
        max_fpr: float | None = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> _Floats: ...
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: Literal["macro", "micro", "weighted"] = ...,
        max_fpr: float | None = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _OfScoresMaxFpr(Protocol):
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        max_fpr: float | None = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _OfScoresCost(Protocol):
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        cost: Any = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _OfScoresPerClassMacroMicroWeighted(Protocol):
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> _Floats: ...
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: Literal["macro", "micro", "weighted"] = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _OfScoresPerClassMacroWeighted(Protocol):
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> _Floats: ...
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: Literal["macro", "weighted"] = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _OfScoresPerClass(Protocol):
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> _Floats: ...
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _OfScoresSharePerClassMacroWeighted(Protocol):
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: None,
        share: float = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> _Floats: ...
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: Literal["macro", "weighted"] = ...,
        share: float = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _OfScoresShare(Protocol):
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        share: float = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _OfScoresKPerClassMacroWeighted(Protocol):
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: None,
        k: int = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> _Floats: ...
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: Literal["macro", "weighted"] = ...,
        k: int = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _OfScoresMinPrecisionPerClassMacroWeighted(Protocol):
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: None,
        min_precision: float = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> _Floats: ...
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: Literal["macro", "weighted"] = ...,
        min_precision: float = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _OfScoresMinPrecision(Protocol):
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        min_precision: float = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _OfScoresBetaPerClassMacroWeighted(Protocol):
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: None,
        beta: float = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> _Floats: ...
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: Literal["macro", "weighted"] = ...,
        beta: float = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _OfScoresBeta(Protocol):
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        beta: float = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _OfScoresBetaPerClass(Protocol):
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: None,
        beta: float = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> _Floats: ...
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        beta: float = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _OfScoresCostsPerClassMacroWeighted(Protocol):
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: None,
        costs: Any = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> _Floats: ...
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: Literal["macro", "weighted"] = ...,
        costs: Any = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _OfScoresCosts(Protocol):
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        costs: Any = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

class _OfScoresCostsPerClass(Protocol):
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        average: None,
        costs: Any = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> _Floats: ...
    @overload
    def __call__(
        self,
        y_true: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        costs: Any = ...,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: _Undefined = ...,
        n_threads: int | None = None,
    ) -> float: ...

precision: _PerClassMacroMicroWeighted
macro_precision: _Plain
micro_precision: _Plain
weighted_precision: _Plain
positive_predictive_value: _PerClassMacroMicroWeighted
ppv: _PerClassMacroMicroWeighted
precision_score: _PerClassMacroMicroWeighted
recall: _PerClassMacroMicroWeighted
macro_recall: _Plain
micro_recall: _Plain
weighted_recall: _Plain
sensitivity: _PerClassMacroMicroWeighted
true_positive_rate: _PerClassMacroMicroWeighted
tpr: _PerClassMacroMicroWeighted
hit_rate: _PerClassMacroMicroWeighted
recall_score: _PerClassMacroMicroWeighted
specificity: _PerClassMacroMicroWeighted
macro_specificity: _Plain
micro_specificity: _Plain
weighted_specificity: _Plain
true_negative_rate: _PerClassMacroMicroWeighted
tnr: _PerClassMacroMicroWeighted
selectivity: _PerClassMacroMicroWeighted
negative_predictive_value: _PerClassMacroMicroWeighted
macro_negative_predictive_value: _Plain
micro_negative_predictive_value: _Plain
weighted_negative_predictive_value: _Plain
npv: _PerClassMacroMicroWeighted
false_positive_rate: _PerClassMacroMicroWeighted
macro_false_positive_rate: _Plain
micro_false_positive_rate: _Plain
weighted_false_positive_rate: _Plain
fpr: _PerClassMacroMicroWeighted
fall_out: _PerClassMacroMicroWeighted
false_negative_rate: _PerClassMacroMicroWeighted
macro_false_negative_rate: _Plain
micro_false_negative_rate: _Plain
weighted_false_negative_rate: _Plain
fnr: _PerClassMacroMicroWeighted
miss_rate: _PerClassMacroMicroWeighted
false_discovery_rate: _PerClassMacroMicroWeighted
macro_false_discovery_rate: _Plain
micro_false_discovery_rate: _Plain
weighted_false_discovery_rate: _Plain
fdr: _PerClassMacroMicroWeighted
false_omission_rate: _PerClassMacroMicroWeighted
macro_false_omission_rate: _Plain
micro_false_omission_rate: _Plain
weighted_false_omission_rate: _Plain
false_omission: _PerClassMacroMicroWeighted
for_rate: _PerClassMacroMicroWeighted
prevalence: _PerClassMacroMicroWeighted
macro_prevalence: _Plain
micro_prevalence: _Plain
weighted_prevalence: _Plain
base_rate: _PerClassMacroMicroWeighted
precision_lift: _PerClassMacroWeighted
macro_precision_lift: _Plain
weighted_precision_lift: _Plain
informedness: _PerClassMacroMicroWeighted
macro_informedness: _Plain
micro_informedness: _Plain
weighted_informedness: _Plain
youden_j: _PerClassMacroMicroWeighted
youden_index: _PerClassMacroMicroWeighted
bookmaker_informedness: _PerClassMacroMicroWeighted
markedness: _PerClassMacroMicroWeighted
macro_markedness: _Plain
micro_markedness: _Plain
weighted_markedness: _Plain
delta_p: _PerClassMacroMicroWeighted
positive_likelihood_ratio: _PerClassMacroMicroWeighted
macro_positive_likelihood_ratio: _Plain
micro_positive_likelihood_ratio: _Plain
weighted_positive_likelihood_ratio: _Plain
lr_positive: _PerClassMacroMicroWeighted
lr_plus: _PerClassMacroMicroWeighted
negative_likelihood_ratio: _PerClassMacroMicroWeighted
macro_negative_likelihood_ratio: _Plain
micro_negative_likelihood_ratio: _Plain
weighted_negative_likelihood_ratio: _Plain
lr_negative: _PerClassMacroMicroWeighted
lr_minus: _PerClassMacroMicroWeighted
diagnostic_odds_ratio: _PerClassMacroMicroWeighted
macro_diagnostic_odds_ratio: _Plain
micro_diagnostic_odds_ratio: _Plain
weighted_diagnostic_odds_ratio: _Plain
dor: _PerClassMacroMicroWeighted
fowlkes_mallows: _PerClassMacroMicroWeighted
macro_fowlkes_mallows: _Plain
micro_fowlkes_mallows: _Plain
weighted_fowlkes_mallows: _Plain
g_measure: _PerClassMacroMicroWeighted
fmi: _PerClassMacroMicroWeighted
f1: _PerClassMacroMicroWeighted
macro_f1: _Plain
micro_f1: _Plain
weighted_f1: _Plain
f_score: _PerClassMacroMicroWeighted
f1_score: _PerClassMacroMicroWeighted
dice: _PerClassMacroMicroWeighted
sorensen_dice: _PerClassMacroMicroWeighted
f_beta: _BetaPerClassMacroMicroWeighted
macro_f_beta: _Beta
micro_f_beta: _Beta
weighted_f_beta: _Beta
fbeta: _BetaPerClassMacroMicroWeighted
fbeta_score: _BetaPerClassMacroMicroWeighted
jaccard: _PerClassMacroMicroWeighted
macro_jaccard: _Plain
micro_jaccard: _Plain
weighted_jaccard: _Plain
iou: _PerClassMacroMicroWeighted
intersection_over_union: _PerClassMacroMicroWeighted
critical_success_index: _PerClassMacroMicroWeighted
jaccard_score: _PerClassMacroMicroWeighted
f1_of_macro_averages: _Plain
macro_fscore_sokolova: _Plain
f_beta_of_macro_averages: _Beta
accuracy: _Plain
accuracy_score: _Plain
fraction_correct: _Plain
error_rate: _Plain
misclassification_rate: _Plain
zero_one_loss: _Plain
hamming_loss: _Plain
average_accuracy: _Plain
average_error_rate: _Plain
balanced_accuracy: _Adjusted
balanced_accuracy_score: _Adjusted
mean_recall: _Adjusted
g_mean: _Plain
geometric_mean: _Plain
geometric_mean_score: _Plain
no_information_rate: _Plain
nir: _Plain
majority_share: _Plain
null_accuracy: _Plain
matthews_correlation: _Plain
mcc: _Plain
matthews_corrcoef: _Plain
phi_coefficient: _Plain
r_k: _Plain
kappa: _Plain
cohen_kappa: _Plain
cohen_kappa_score: _Plain
kappa_linear: _Plain
linear_kappa: _Plain
kappa_quadratic: _Plain
quadratic_weighted_kappa: _Plain
qwk: _Plain
kappa_weighted: _Disagreement
weighted_kappa_matrix: _Disagreement
gwet_ac1: _Plain
ac1: _Plain
gwet_gamma: _Plain
mutual_information: _Plain
mi: _Plain
mutual_info_score: _Plain
normalized_mutual_information: _Plain
nmi: _Plain
normalized_mutual_info_score: _Plain
expected_calibration_error: _OfScoresBinsSchemeClosedNorm
ece: _OfScoresBinsSchemeClosedNorm
top_label_calibration_error: _OfScoresBinsSchemeClosedNorm
maximum_calibration_error: _OfScoresBinsSchemeClosed
mce: _OfScoresBinsSchemeClosed
adaptive_calibration_error: _OfScoresBinsClosedNorm
adaptive_ece: _OfScoresBinsClosedNorm
equal_mass_calibration_error: _OfScoresBinsClosedNorm
class_calibration_error: _OfScoresBinsSchemeClosedNormPerClassMacro
classwise_calibration_error: _OfScoresBinsSchemeClosedNorm
macro_class_calibration_error: _OfScoresBinsSchemeClosedNorm
binary_calibration_error: _OfScoresBinsSchemeClosedNormPerClassMacro
debiased_calibration_error: _OfScoresBinsSchemeClosed
debiased_squared_calibration_error: _OfScoresBinsSchemeClosed
expected_calibration_error_if_calibrated: _OfScoresBinsSchemeClosed
ece_if_calibrated: _OfScoresBinsSchemeClosed
expected_cost: _Costs
mean_cost: _Costs
average_cost: _Costs
true_positives: _PerClassMicro
micro_true_positives: _Plain
tp: _PerClassMicro
false_positives: _PerClassMicro
micro_false_positives: _Plain
fp: _PerClassMicro
false_alarms: _PerClassMicro
false_negatives: _PerClassMicro
micro_false_negatives: _Plain
fn: _PerClassMicro
misses: _PerClassMicro
true_negatives: _PerClassMicro
micro_true_negatives: _Plain
tn: _PerClassMicro
correct_rejections: _PerClassMicro
support: _PerClassMicro
micro_support: _Plain
true_count: _PerClassMicro
predicted_count: _PerClassMicro
micro_predicted_count: _Plain
correct_count: _Plain
brier_miscalibration: _OfScoresPerClassMacro
macro_brier_miscalibration: _OfScores
brier_mcb: _OfScoresPerClassMacro
brier_reliability: _OfScoresPerClassMacro
brier_discrimination: _OfScoresPerClassMacro
macro_brier_discrimination: _OfScores
brier_dsc: _OfScoresPerClassMacro
brier_resolution: _OfScoresPerClassMacro
brier_uncertainty: _OfScoresPerClassMacro
macro_brier_uncertainty: _OfScores
brier_unc: _OfScoresPerClassMacro
log_loss_miscalibration: _OfScoresPerClassMacro
macro_log_loss_miscalibration: _OfScores
log_loss_mcb: _OfScoresPerClassMacro
log_loss_discrimination: _OfScoresPerClassMacro
macro_log_loss_discrimination: _OfScores
log_loss_dsc: _OfScoresPerClassMacro
log_loss_uncertainty: _OfScoresPerClassMacro
macro_log_loss_uncertainty: _OfScores
log_loss_unc: _OfScoresPerClassMacro
log_loss: _OfScoresEps
cross_entropy: _OfScoresEps
logistic_loss: _OfScoresEps
negative_log_likelihood: _OfScoresEps
log_loss_score: _OfScoresEps
one_vs_all_log_loss: _OfScores
brier: _OfScores
brier_score: _OfScores
brier_score_loss: _OfScores
quadratic_score: _OfScores
hinge_loss: _OfScores
hinge: _OfScores
top_k_accuracy: _OfScoresK
top_k_accuracy_score: _OfScoresK
d2_log_loss: _OfScores
d2_log_loss_score: _OfScores
mcfadden_r2: _OfScores
d2_brier: _OfScores
d2_brier_score: _OfScores
brier_skill_score: _OfScores
roc_auc: _OfScoresMaxFprPerClassMacroMicroWeighted
roc_auc_ovr_macro: _OfScoresMaxFpr
macro_roc_auc: _OfScoresMaxFpr
roc_auc_ovr_micro: _OfScoresMaxFpr
micro_roc_auc: _OfScoresMaxFpr
roc_auc_ovr_weighted: _OfScoresMaxFpr
weighted_roc_auc: _OfScoresMaxFpr
auc: _OfScoresMaxFprPerClassMacroMicroWeighted
auroc: _OfScoresMaxFprPerClassMacroMicroWeighted
roc_auc_score: _OfScoresMaxFprPerClassMacroMicroWeighted
c_statistic: _OfScoresMaxFprPerClassMacroMicroWeighted
roc_auc_ovr: _OfScoresMaxFprPerClassMacroMicroWeighted
roc_auc_ovo_macro: _OfScores
hand_till: _OfScores
auc_ovo: _OfScores
roc_auc_ovo: _OfScores
roc_auc_ovo_weighted: _OfScores
auc_ovo_weighted: _OfScores
roc_auc_mu: _OfScoresCost
auc_mu: _OfScoresCost
aucmu: _OfScoresCost
average_precision: _OfScoresPerClassMacroMicroWeighted
mean_average_precision: _OfScores
macro_average_precision: _OfScores
micro_average_precision: _OfScores
weighted_average_precision: _OfScores
ap: _OfScoresPerClassMacroMicroWeighted
auprc: _OfScoresPerClassMacroMicroWeighted
average_precision_score: _OfScoresPerClassMacroMicroWeighted
pr_auc_trapezoid: _OfScoresPerClassMacroMicroWeighted
macro_pr_auc_trapezoid: _OfScores
micro_pr_auc_trapezoid: _OfScores
weighted_pr_auc_trapezoid: _OfScores
pr_auc: _OfScoresPerClassMacroMicroWeighted
prauc: _OfScoresPerClassMacroMicroWeighted
gini: _OfScoresPerClassMacroWeighted
macro_gini: _OfScores
weighted_gini: _OfScores
accuracy_ratio: _OfScoresPerClassMacroWeighted
somers_d: _OfScoresPerClassMacroWeighted
spiegelhalter_z: _OfScores
spiegelhalter_p: _OfScores
calibration_slope: _OfScoresPerClass
cox_slope: _OfScoresPerClass
calibration_intercept: _OfScoresPerClass
cox_intercept: _OfScoresPerClass
calibration_in_the_large: _OfScoresPerClass
calibration_intercept_of_slope_one: _OfScoresPerClass
ks_statistic: _OfScoresPerClassMacroWeighted
macro_ks_statistic: _OfScores
weighted_ks_statistic: _OfScores
ks: _OfScoresPerClassMacroWeighted
kolmogorov_smirnov: _OfScoresPerClassMacroWeighted
equal_error_rate: _OfScoresPerClassMacroWeighted
macro_equal_error_rate: _OfScores
weighted_equal_error_rate: _OfScores
eer: _OfScoresPerClassMacroWeighted
lift_at: _OfScoresSharePerClassMacroWeighted
macro_lift_at: _OfScoresShare
weighted_lift_at: _OfScoresShare
lift: _OfScoresSharePerClassMacroWeighted
gain_at: _OfScoresSharePerClassMacroWeighted
macro_gain_at: _OfScoresShare
weighted_gain_at: _OfScoresShare
cumulative_gain: _OfScoresSharePerClassMacroWeighted
gain: _OfScoresSharePerClassMacroWeighted
precision_at_k: _OfScoresKPerClassMacroWeighted
macro_precision_at_k: _OfScoresK
weighted_precision_at_k: _OfScoresK
recall_at_k: _OfScoresKPerClassMacroWeighted
macro_recall_at_k: _OfScoresK
weighted_recall_at_k: _OfScoresK
recall_at_precision: _OfScoresMinPrecisionPerClassMacroWeighted
macro_recall_at_precision: _OfScoresMinPrecision
weighted_recall_at_precision: _OfScoresMinPrecision
max_f_beta: _OfScoresBetaPerClassMacroWeighted
macro_max_f_beta: _OfScoresBeta
weighted_max_f_beta: _OfScoresBeta
best_f_beta: _OfScoresBetaPerClassMacroWeighted
f_beta_threshold: _OfScoresBetaPerClass
informedness_threshold: _OfScoresPerClass
max_informedness: _OfScoresPerClassMacroWeighted
macro_max_informedness: _OfScores
weighted_max_informedness: _OfScores
min_cost: _OfScoresCostsPerClassMacroWeighted
macro_min_cost: _OfScoresCosts
weighted_min_cost: _OfScoresCosts
cost_threshold: _OfScoresCostsPerClass
