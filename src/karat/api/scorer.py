"""Metrics as scorers for scikit-learn's ``scoring=``, which may be absent until it calls them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np

from karat.api.functions import function_of
from karat.api.options import unknown_choice
from karat.data.labels.align import classes_of
from karat.data.labels.column import declared_labels
from karat.errors import KaratError, UnknownNameError, error, short, shown
from karat.errors.habits import names_its_arguments, unknown_argument
from karat.metrics import Metric, get
from karat.tally import Label
from karat.tally.classes import usual_positive

_RESPONSES: Final[Mapping[str, str]] = {"predict_proba": "y_prob", "decision_function": "y_score"}
"""Methods of an estimator that score every class → the argument that they are."""

_ROUTING: Final = "sklearn.utils.metadata_routing"
"""Module of scikit-learn with the public classes of metadata routing, since 1.3."""
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

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
        """Score the estimator's predictions for X against y.

        Errors:
            K313 the estimator has no probabilities, scores or predictions; K314 it has no score of
            some class.
        """
        return self._scored(_call, estimator, X, y, sample_weight)

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
        return self._value(y_true, sample_weight, {"y_pred": y_pred, "positive": pos_label})

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
            given = self._scores(call, estimator, X)
        elif not hasattr(estimator, "predict"):
            found = f"{short(estimator)} has no method predict"
            raise error("K313", metric=self.metric, found=found, do="Give a fitted classifier.")
        else:
            given = {"y_pred": call(estimator, "predict", X)}
        return self._sign * self._value(y, sample_weight, given)

    def _value(self, y: Any, sample_weight: Any, given: Mapping[str, Any]) -> float:
        options: dict[str, Any] = dict(self.metric.params)
        options |= {"labels": self.labels, "positive": self.positive, "weights": sample_weight}
        try:
            return float(function_of(self.metric.name)(y, **(options | dict(given))))
        except KaratError as problem:
            if problem.code == "K121":
                record = self.metric.record
                names = ", ".join(map(record.lifted, record.averages))
                problem.add_note(f"      The average is part of the name of a scorer: {names}.")
            if problem.code == "K190":
                average = next(map(self.metric.record.lifted, self.metric.record.averages), None)
                or_else = f", or karat.scorer({average!r})" if average else ""
                call = f"karat.scorer({self.metric.name!r}, positive=…){or_else}"
                problem.add_note(f"      For a scorer: {call}.")
            raise

    def _scores(self, call: _Call, estimator: Any, X: Any) -> dict[str, Any]:  # noqa: N803
        """The scores of every class, and the classes in the order of their columns."""
        record, methods = self.metric.record, list(_RESPONSES)
        if record.is_of_scores_only:
            methods.reverse()
        if record.reads_probabilities:
            methods = ["predict_proba"]
        method = next((name for name in methods if hasattr(estimator, name)), None)
        if method is None:
            has_margins = record.reads_probabilities and hasattr(estimator, "decision_function")
            missing = "no predict_proba" if record.reads_probabilities else "neither predict_proba"
            raise error(
                "K313",
                metric=self.metric,
                found=f"{type(estimator).__name__} has {missing}"
                + (
                    f", and {self.metric} reads probabilities"
                    if record.reads_probabilities
                    else f" nor decision_function, and {self.metric} reads probabilities or scores"
                ),
                do="CalibratedClassifierCV makes probabilities of its decision_function."
                if has_margins
                else "Choose an estimator that has one, or a metric of labels.",
            )
        learned = getattr(estimator, "classes_", None)
        is_known = isinstance(learned, np.ndarray) and learned.ndim == 1
        classes = tuple(declared_labels(learned)) if is_known else ()
        argument, values = _RESPONSES[method], call(estimator, method, X)
        if not is_known:
            return {argument: values, "labels": self.labels}
        is_of_pairs = getattr(estimator, "decision_function_shape", "ovr") == "ovo"
        if method == "decision_function" and len(classes) > 2 and is_of_pairs:
            raise error(
                "K313",
                metric=self.metric,
                found=f"decision_function of {type(estimator).__name__} scores pairs of classes",
                do="Set decision_function_shape='ovr', which scores every class.",
            )
        labels = classes if self.labels is None else self.labels
        _check_known(classes, labels, argument)
        array = np.asarray(values)
        if array.ndim == 1 and len(classes) == 2:
            # One column is the score of the second class learned; karat reads the positive one.
            usual, positive = usual_positive(labels), self.positive
            if positive is None and usual is not None:
                positive = labels[usual]
            if positive is None and not self._is_of_one_class:
                # What averages over the classes does not depend on which one is positive.
                return {argument: array, "labels": labels, "positive": classes[1]}
            is_of_other = positive is not None and positive != classes[1]
            return {argument: -array if is_of_other else array, "labels": labels}
        return {argument: _in_order(array, classes, labels), "labels": labels}

    @property
    def _is_of_one_class(self) -> bool:
        return self.metric.record.is_per_class and self.metric.lift == "plain"

    def __repr__(self) -> str:
        return f"karat.scorer({str(self.metric)!r})"


def _routing() -> Any:
    return importlib.import_module(_ROUTING)


def _is_routing() -> bool:
    """Whether scikit-learn routes metadata; False where it is not loaded."""
    sklearn = sys.modules.get("sklearn")
    config = {} if sklearn is None else sklearn.get_config()
    return bool(config.get("enable_metadata_routing"))


@dataclass(frozen=True, slots=True)
class Scorers:
    """Several scorers as one: (estimator, X, y) → dict of name → float, greater is better.

    Each method of the estimator is called once, however many metrics read it.

    Attributes:
        by_name: the scorers by the name of their score.
    """

    by_name: Mapping[str, Scorer]

    def __call__(self, estimator: Any, X: Any, y: Any, **params: Any) -> dict[str, float]:  # noqa: N803
        """Score the estimator's predictions for X against y by every metric.

        Args:
            estimator: a fitted classifier.
            X: rows of features.
            y: true labels.
            params: ``sample_weight``; with metadata routing, what the scorers request.
        """
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

        return {
            name: scorer._scored(call, estimator, X, y, weights[name])
            for name, scorer in self.by_name.items()
        }

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


def _check_known(classes: Sequence[Label], labels: Sequence[Label], argument: str) -> None:
    """Refuse labels that leave out a class that was learned, or have one without a score."""
    unknown = [label for label in classes if label not in labels]
    unscored = [label for label in labels if label not in classes]
    if unknown or (unscored and argument == "y_score"):
        least = "with every class that the estimator learned"
        raise error(
            "K314",
            learned=shown(classes),
            labels=shown(labels),
            do=f"Give labels= {least}." if unknown else "Only predict_proba may lack a class.",
        )


def _in_order(array: Any, classes: Sequence[Label], labels: Sequence[Label]) -> Any:
    """Columns in the order of the labels; a class that was never learned has probability 0."""
    if array.ndim != 2 or array.shape[1] != len(classes) or tuple(classes) == tuple(labels):
        return array
    whole = np.zeros((len(array), len(labels)), array.dtype)
    for place, label in enumerate(labels):
        if label in classes:
            whole[:, place] = array[:, list(classes).index(label)]
    return whole


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
        do = f"A scorer of a loss turns its sign by itself: karat.scorer({meant!r})."
        raise error("K301", **{**problem.context, "advice": do}) from None
    if metric.better is None:
        raise error("K312", metric=metric)
    classes = None if labels is None else declared_labels(labels)
    if classes is not None:
        classes_of(classes, positive, is_declared=True)
    return Scorer(metric, classes, positive)


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
            name: item
            if isinstance(item, Scorer)
            else scorer(item, labels=labels, positive=positive)
            for name, item in named.items()
        }
    )
