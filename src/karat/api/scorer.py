"""Metrics as scorers for scikit-learn's ``scoring=``, which may be absent until it calls them."""

from __future__ import annotations

import importlib
import inspect
import math
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import partial, wraps
from typing import Any, Final, ParamSpec, TypeAlias, TypeVar

from karat.api.estimators import (
    RESPONSES,
    ClassScores,
    learned_classes,
    learned_outputs,
    read_classes,
    refuse_pairs,
    response_of,
    whole_outputs,
)
from karat.api.functions import function_of, label_value
from karat.api.options import unknown_choice
from karat.data.labels.align import classes_of
from karat.data.labels.column import declared_labels, resolved
from karat.data.labels.containers import encode
from karat.data.labels.sets import is_indicator
from karat.errors import KaratError, UnknownNameError, error, short, shown
from karat.errors.habits import names_its_arguments, unknown_argument
from karat.errors.reasons import (
    NoAverageError,
    NoCommonLabelError,
    NoPositiveError,
    UnknownLabelError,
)
from karat.metrics import Metric, get
from karat.metrics._registry import lookup
from karat.tally import Label

P = ParamSpec("P")
T = TypeVar("T")

_ROUTING: Final = "sklearn.utils.metadata_routing"
"""Module of scikit-learn with the public classes of metadata routing, since 1.3."""
_VALIDATION: Final = "sklearn.model_selection._validation"
"""Module of scikit-learn that calls the scorers of searches and cross-validations."""
_Call: TypeAlias = Callable[[Any, str, Any], Any]
"""(estimator, name of a method, X) → what the method returns."""
_Request: TypeAlias = bool | str | None
_UNCHANGED: Final = "$UNCHANGED$"
"""Value of scikit-learn for a request that stays as it is."""


def _call(estimator: Any, method: str, X: Any) -> Any:  # noqa: N803
    return getattr(estimator, method)(X)


@dataclass(slots=True, unsafe_hash=True)
class Scorer:
    """Callable of scikit-learn's scorer protocol: (estimator, X, y) → float, greater is better.

    Metrics of labels read the estimator's ``predict``, those of probabilities ``predict_proba``.
    Metrics of a ranking read ``predict_proba``, or ``decision_function`` where there are no
    probabilities. Columns are those of ``classes_``.

    Attributes:
        metric: what it measures; a loss is returned with its sign turned.
        labels: every class in order, so that a fold that lacks one is measured like the others.
        positive: the positive class of two.
    """

    metric: Metric
    labels: Sequence[Label] | None = None
    positive: Label | None = None
    _request: _Request = field(default=None, repr=False, compare=False)

    def __call__(self, estimator: Any, X: Any, y_true: Any, sample_weight: Any = None) -> float:  # noqa: N803
        """Score the estimator's predictions for X against y_true.

        Errors:
            K313 the estimator has no probabilities, scores or predictions, or scores pairs of
            classes; K314 its scores do not match its classes, or these do not match `labels`.
        """
        return self._scored(_call, estimator, X, y_true, sample_weight)

    def set_score_request(self, *, sample_weight: _Request = _UNCHANGED) -> Scorer:
        """Request weights from scikit-learn's metadata routing, as its own scorers do.

        Args:
            sample_weight: True or False, whether weights are passed on; a text, their name in
                ``params=``; None: passing weights is an error.

        Example:
            >>> import karat, sklearn
            >>> with sklearn.config_context(enable_metadata_routing=True):
            ...     scorer = karat.scorer("log_loss").set_score_request(sample_weight=True)
            >>> scorer.get_metadata_routing()
            {'score': {'sample_weight': True}}
        """
        if not _is_routing():
            raise RuntimeError(
                "This method is only available when metadata routing is enabled. You can enable it "
                "using sklearn.set_config(enable_metadata_routing=True)."
            )
        before = self._request
        self._request = before if sample_weight == _UNCHANGED else sample_weight
        try:
            self.get_metadata_routing()
        except ValueError:
            self._request = before
            raise
        return self

    def get_metadata_routing(self) -> Any:
        """Return scikit-learn's ``MetadataRequest``: which metadata this scorer takes."""
        request = _routing().MetadataRequest(owner=self)
        request.score.add_request(param="sample_weight", alias=self._request)
        return request

    # What scikit-learn reads of its own scorers, in TunedThresholdClassifierCV and in searches.

    @property
    def _sign(self) -> int:
        return -1 if self.metric.better == "lower" else 1

    @property
    def _kwargs(self) -> dict[str, Any]:
        return {} if self.positive is None else {"pos_label": self.positive}

    def _accept_sample_weight(self) -> bool:
        return True

    def _routing_repr(self) -> str:
        return repr(self)

    def _score_func(
        self, y_true: Any, y_pred: Any, *, sample_weight: Any = None, pos_label: Label | None = None
    ) -> float:
        """Value of predicted labels, as they are after a threshold."""
        if self.metric.needs_scores:
            raise error(
                "K313",
                metric=self.metric,
                found="A threshold changes the predicted labels, and "
                f"{self.metric} reads probabilities or scores",
                do="Choose a metric of labels.",
            )
        arguments = {"y_pred": y_pred, "positive": pos_label}
        # A threshold chooses one of the labels that the estimator learned.
        return self._value(y_true, sample_weight, arguments, lambda: True)

    def _scored(
        self,
        call: _Call,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Any,
        sample_weight: Any,
    ) -> float:
        """The score, whose predictions come from `call`."""
        if self.metric.needs_scores:
            arguments = self._scores(call, estimator, X, y)
            return self._sign * self._value(y, sample_weight, arguments)
        if not hasattr(estimator, "predict"):
            found = f"{short(estimator)} has no method predict"
            raise error("K313", metric=self.metric, found=found, do="Give a fitted classifier.")
        predicted = call(estimator, "predict", X)
        return self._sign * self._value(
            y, sample_weight, {"y_pred": predicted}, partial(_are_learned, estimator, y, predicted)
        )

    def _value(
        self,
        y: Any,
        sample_weight: Any,
        arguments: Mapping[str, Any],
        are_of_one_spelling: Callable[[], bool] = lambda: False,
    ) -> float:
        """The value of the metric.

        Args:
            given: the predictions or scores, and options that replace those of the scorer.
            are_of_one_spelling: whether both sides write labels in one way, where they have
                none in common.
        """
        options: dict[str, Any] = {"labels": self.labels, "positive": self.positive}
        options |= {"weights": sample_weight, **arguments}
        parameters = dict(self.metric.params)
        try:
            try:
                return float(function_of(self.metric.name)(y, **parameters, **options))
            except NoCommonLabelError:
                if not are_of_one_spelling():
                    raise
            return float(label_value(self.metric, y, **options, are_of_one_spelling=True))
        except KaratError as problem:
            raise self._in_a_scorer(problem, arguments.get("labels")) from None

    def _in_a_scorer(self, problem: KaratError, learned: Sequence[Label] | None) -> KaratError:
        """The error with the options that a scorer has.

        Args:
            learned: the classes of the scores, or None.
        """
        record, facts = self.metric.record, problem.context
        params = dict(self.metric.params)
        names = [str(Metric.of(record, average, params)) for average in record.averages]
        calls = [f'karat.scorer("{name}")' for name in names]
        if isinstance(problem, NoAverageError):
            do = facts["slip"] or f"The average is part of the name: {', '.join(calls)}."
            return problem.but(given="its name has no average", do=do)
        if isinstance(problem, NoPositiveError):
            problem = problem.but(or_else="")
            or_else = f", or {calls[0]}" if calls else ""
            call = f"karat.scorer({str(self.metric)!r}, positive=…){or_else}"
            problem.add_note(f"      For a scorer: {call}.")
        if isinstance(problem, UnknownLabelError) and self.labels is None and learned is not None:
            call = f"karat.scorer({str(self.metric)!r}, labels=[…])"
            in_words = {
                "among": "the classes that the estimator learned",
                "classes": f"It learned {shown(learned)}",
                "do": f"List every class: {call}, which gives probability 0 to those that were not "
                "learned; or split so that every training part has every class (StratifiedKFold).",
            }
            return problem.but(**in_words)
        if isinstance(problem, NoCommonLabelError) and self.labels is None:
            problem.add_note(f"      For a scorer: karat.scorer({str(self.metric)!r}, labels=[…]).")
        return problem

    def _scores(self, call: _Call, estimator: Any, X: Any, y: Any) -> dict[str, Any]:  # noqa: N803
        """The scores of every class or label, and these in the order of the columns."""
        method = response_of(estimator, self.metric)
        # Columns of an indicator are outputs of the estimator, not the classes of rows.
        is_of_sets = is_indicator(y)
        classes = None if is_of_sets else learned_classes(estimator)
        outputs, values = learned_outputs(estimator), call(estimator, method, X)
        is_list = isinstance(values, list | tuple) and len(values) == 1
        if is_list and not is_of_sets and outputs is not None and len(outputs) == 1:
            classes, values = read_classes(outputs[0], estimator), values[0]
        if classes is None:
            return {RESPONSES[method]: whole_outputs(values, outputs), "labels": self.labels}
        if method == "decision_function" and len(classes) > 2:
            refuse_pairs(estimator, self.metric)
        scores = ClassScores(estimator, method, values, classes, self.metric)
        return scores.for_labels(self.labels, self.positive, is_of_one_class=self._is_of_one_class)

    @property
    def _is_of_one_class(self) -> bool:
        return self.metric.record.is_per_class and self.metric.lift == "plain"

    @property
    def __name__(self) -> str:
        """Name on the axis of scikit-learn's displays, as those of its own scorers."""
        return f"{'neg_' if self._sign < 0 else ''}{self.metric}"

    def __repr__(self) -> str:
        return f"karat.scorer({str(self.metric)!r})"


def _are_learned(estimator: Any, y: Any, predicted: Any) -> bool:
    """Return whether both have only classes that the estimator learned, spelled as it learned."""
    try:
        learned = learned_classes(estimator)
        columns = [encode(y, "y_true"), encode(predicted, "y_pred")]
    except KaratError:
        return False
    known = set(learned or ())
    return all(known.issuperset(resolved(column).seen()) for column in columns)


def _routing() -> Any:
    return importlib.import_module(_ROUTING)


def _is_routing() -> bool:
    """Whether scikit-learn routes metadata; False where it is not loaded."""
    sklearn = sys.modules.get("sklearn")
    config = {} if sklearn is None else sklearn.get_config()
    return bool(config.get("enable_metadata_routing"))


def _error_score() -> Any:
    """Return ``error_score`` of the scikit-learn search that calls; None outside of one.

    It decides what a failed metric is. A search replaces no failed score within several, so that
    one fold without scores would be a TypeError for all of them.
    """
    caller = sys._getframe(2)
    is_of_search = caller.f_globals.get("__name__") == _VALIDATION
    return caller.f_locals.get("error_score") if is_of_search else None


@dataclass(frozen=True, slots=True)
class Scorers:
    """Several scorers as one: (estimator, X, y) → dict of name → float, greater is better.

    Each method of the estimator is called once, however many metrics read it. A metric that fails
    leaves the others: its score is NaN, or scikit-learn's ``error_score``, with a warning.

    Attributes:
        by_name: the scorers by the name of their score.
    """

    by_name: Mapping[str, Scorer]

    def __call__(self, estimator: Any, X: Any, y_true: Any, **params: Any) -> dict[str, float]:  # noqa: N803
        """Score the estimator's predictions for X against y_true by every metric.

        Args:
            estimator: a fitted classifier.
            X: rows of features.
            y_true: true labels.
            params: ``sample_weight``; with metadata routing, what the scorers request.

        Errors:
            As of `Scorer`, where every metric fails outside of scikit-learn, or any does and
            scikit-learn's ``error_score`` is "raise".
        """
        instead = _error_score()
        if params and _is_routing():
            routed = _routing().process_routing(self, "score", **params)
            weights = {name: routed[name].score.get("sample_weight") for name in self.by_name}
        else:
            weights = dict.fromkeys(self.by_name, params.pop("sample_weight", None))
            if params:
                raise unknown_argument("scorers", min(params), ("sample_weight",), params)
        responses: dict[str, Any] = {}

        def call(estimator: Any, method: str, X: Any) -> Any:  # noqa: N803
            if method not in responses:
                responses[method] = _call(estimator, method, X)
            return responses[method]

        found: dict[str, float] = {}
        problems: dict[str, Exception] = {}
        for name, scorer in self.by_name.items():
            try:
                found[name] = scorer._scored(call, estimator, X, y_true, weights[name])
            except Exception as problem:  # also what an estimator raises, as in scikit-learn
                if instead == "raise":
                    raise
                problems[name], found[name] = problem, math.nan if instead is None else instead
        if instead is None and len(problems) == len(found):
            raise next(iter(problems.values()))
        for name, failure in problems.items():
            text = f"Scoring failed. {name} is {found[name]} on these rows. Details:\n{failure}"
            warnings.warn(text, UserWarning, stacklevel=2)
        return found

    # What TunedThresholdClassifierCV reads of a scorer.

    @property
    def _score_func(self) -> Any:
        raise self._of_one_metric()

    @property
    def _sign(self) -> int:
        raise self._of_one_metric()

    @property
    def _kwargs(self) -> dict[str, Any]:
        raise self._of_one_metric()

    def _of_one_metric(self) -> KaratError:
        """K313: a threshold is tuned by one metric."""
        first = next(iter(self.by_name.values()))
        found = f"A threshold is tuned by one metric, and karat.scorers has {shown(self.by_name)}"
        do = f"Choose one, as scoring={first!r}."
        return error("K313", metric="several metrics", found=found, do=do)

    def set_score_request(self, *, sample_weight: _Request = _UNCHANGED) -> Scorers:
        """Request weights from scikit-learn's metadata routing, for every metric."""
        for scorer in self.by_name.values():
            scorer.set_score_request(sample_weight=sample_weight)
        return self

    def get_metadata_routing(self) -> Any:
        """Return scikit-learn's ``MetadataRouter`` to the scorers."""
        routing = _routing()
        mapping = routing.MethodMapping().add(caller="score", callee="score")
        return routing.MetadataRouter(owner=self).add(method_mapping=mapping, **self.by_name)

    def _accept_sample_weight(self) -> bool:
        return True

    def _routing_repr(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        return f"karat.scorers({ {name: str(item.metric) for name, item in self.by_name.items()} })"


def _shows_parameters(function: Callable[P, T]) -> Callable[P, T]:
    """The function, which shows that a parameter of a metric is part of its name (K126)."""
    takes = tuple(inspect.signature(function).parameters)

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        params = {name: value for name, value in kwargs.items() if name not in takes}
        named = args[0] if args else kwargs.get(takes[0])
        text = _with_parameters(named, params) if params else None
        if text is not None:
            facts = {"function": function.__name__, "arguments": ", ".join(takes)}
            call = f'karat.scorer("{text}")'
            if function.__name__ == "scorers":
                call = f'karat.scorers(["{text}", …])'
            do = f"A parameter is part of the name: {call}."
            raise error("K126", **facts, name=min(params), more="", do=do)
        return function(*args, **kwargs)

    return called


def _with_parameters(named: Any, params: Mapping[str, Any]) -> str | None:
    """The first of some metrics that has the parameters, with these; None if none has them."""
    is_one = isinstance(named, str | Metric)
    items = named.values() if isinstance(named, Mapping) else [named] if is_one else named
    for item in items or ():
        try:
            name = str(item).partition("(")[0]
            record, _ = lookup(name)
        except KaratError:
            continue
        if {*params} <= {parameter.name for parameter in record.parameters}:
            return f"{name}({', '.join(f'{key}={short(value)}' for key, value in params.items())})"
    return None


@_shows_parameters
@names_its_arguments
def scorer(
    name: str | Metric, *, labels: Sequence[Label] | None = None, positive: Label | None = None
) -> Scorer:
    """A scorer for ``cross_val_score(..., scoring=karat.scorer("macro_f1"))``.

    Args:
        name: a metric that has a better direction; losses are returned negated. Metrics of
            probabilities read predict_proba, those of a ranking also decision_function.
        labels: every class in order; without it, those of each fold, or that the estimator learned.
        positive: the positive class of two; default: the larger of 0/1, False/True, −1/1.

    Errors:
        K301 no such metric; K110 to K112 `labels` or a `positive` of them that cannot be used;
        K312 a metric of which neither direction is better.

    Example:
        >>> import karat
        >>> karat.scorer("macro_f1")
        karat.scorer('macro_f1')
        >>> karat.scorer("roc_auc_ovr_macro")
        karat.scorer('roc_auc_ovr_macro')
    """
    try:
        metric = get(name)
    except UnknownNameError as problem:
        meant = problem.context.get("nearest")
        if name != f"neg_{meant}":
            raise
        do = f"A scorer of a loss is negated automatically: karat.scorer({meant!r})."
        raise error("K301", **{**problem.context, "advice": do}) from None
    if metric.better is None:
        raise error("K312", metric=metric)
    classes = None if labels is None else declared_labels(labels)
    if classes is not None:
        classes_of(classes, positive, is_declared=True)
    return Scorer(metric, classes, positive)


@_shows_parameters
@names_its_arguments
def scorers(
    names: Sequence[str | Metric] | Mapping[str, str | Metric | Scorer],
    *,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
) -> Scorers:
    """Several metrics for one ``scoring=``, from one set of predictions.

    ``cross_validate`` and searches return ``test_NAME`` and ``mean_test_NAME`` of each;
    ``refit="NAME"`` chooses one of a search.

    Args:
        names: metrics; or a dict of the name of each score → a metric or a scorer.
        labels, positive: of `scorer`, for every metric that is named.

    Errors:
        K122 no metric; those of `scorer`.

    Example:
        >>> import karat
        >>> karat.scorers(["macro_f1", "log_loss"])
        karat.scorers({'macro_f1': 'macro_f1', 'log_loss': 'log_loss'})
    """
    if isinstance(names, str) or not names:
        do = 'Several are karat.scorers(["macro_f1", "log_loss"]), one is karat.scorer("macro_f1").'
        raise unknown_choice("names", names, "a list of metrics or a dict of name → metric", do)
    named = names if isinstance(names, Mapping) else {str(name): name for name in names}
    return Scorers(
        {
            # A copy, whose requests are its own.
            name: copy(item)
            if isinstance(item, Scorer)
            else scorer(item, labels=labels, positive=positive)
            for name, item in named.items()
        }
    )
