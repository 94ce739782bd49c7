"""Public names of karat. Written by `make stub`; do not edit."""

from typing import Any, Literal, Protocol, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from karat import errors as errors
from karat import metrics as metrics
from karat import objectives as objectives
from karat import tally as tally
from karat import testing as testing
from karat.errors import InputError as InputError
from karat.errors import KaratError as KaratError
from karat.errors import UndefinedWarning as UndefinedWarning
from karat.errors import UnknownNameError as UnknownNameError
from karat.evaluation import evaluate as evaluate
from karat.functions import confusion_matrix as confusion_matrix
from karat.plan import Plan as Plan
from karat.report import Report as Report
from karat.result import Result as Result
from karat.scoring import scorer as scorer
from karat.signature import Signature as Signature

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
