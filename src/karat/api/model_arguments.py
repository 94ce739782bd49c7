"""Arguments of several models, each by the name of the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Final

from karat.api.arguments import refuse_judged
from karat.api.options import plain_text
from karat.api.request.request import Request
from karat.api.results import ClassReport
from karat.api.sets import MultilabelReport
from karat.data.labels.containers import csr_of, is_sparse
from karat.data.roles import find_roles
from karat.data.scores.classes import both_decide
from karat.data.sources.distributed.frames import refuse_distributed
from karat.data.sources.tables.frames import is_frame, open_frame
from karat.errors import error, short, shown
from karat.tally.score_kind import two_kinds

_OF_MODELS: Final = "karat.compare(y_true, {'old': ..., 'new': ...})"


@dataclass(frozen=True, eq=False)
class ModelArguments:
    """Arguments of each model, by its name.

    Attributes:
        true: the labels of the rows of all models; None where each has its own, `trues`.
        scores: model → (``"y_prob"``, ``"y_logit"`` or ``"y_score"``, values).
        reports: where these are all there is.
    """

    names: tuple[str, ...]
    true: Any = None
    predicted: Mapping[str, Any] = field(default_factory=dict)
    scores: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    trues: Mapping[str, Any] = field(default_factory=dict)
    reports: Mapping[str, Any] = field(default_factory=dict)


def model_arguments(request: Request) -> ModelArguments:
    """The models of the arguments (K127 to K129, K162, K163, K416)."""
    y_true, y_pred = request.y_true, request.y_pred
    if is_sparse(y_true):
        # A matrix of SciPy by its keys is a dict, too.
        y_true = csr_of(y_true, "y_true")
    _refuse_whole_tables(y_true, y_pred, is_alone=not request.has_scores)
    y_pred = columns_by_model(y_pred, "y_pred")
    arguments: dict[str, Any] = {"y_pred": y_pred, **request.outputs}
    given = {name: values for name, values in arguments.items() if values is not None}
    if not given and isinstance(y_true, Mapping):
        if y_true and all(isinstance(x, ClassReport | MultilabelReport) for x in y_true.values()):
            reports = _by_name("The reports", y_true)
            return ModelArguments(tuple(reports), reports=reports)
        found = "y_true is a dict that was given alone, and its values are not reports"
        do = (
            f"Give the true labels first: {_OF_MODELS}; or name the columns of models in a table: "
            "karat.compare(table, y_pred={'old': 'p1', 'new': 'p2'})."
        )
        raise error("K128", found=found, do=do)
    of_models = "a dict from model to predictions as y_pred=, y_prob=, y_logit= or y_score="
    if y_true is None:
        raise error("K127", others=of_models)
    if not given:
        raise error("K128", found="y_true was given alone", do=f"Give y_true and {of_models}.")
    names, predicted, scores = _of_models(given)
    if not isinstance(y_true, Mapping):
        return ModelArguments(names, y_true, predicted, scores)
    trues = _by_name("y_true", y_true)
    if set(trues) != set(names):
        given_names = {"left_names": shown(trues), "right_names": shown(names)}
        raise error("K163", left="y_true", right="the predictions", **given_names)
    return ModelArguments(names, None, predicted, scores, trues)


def columns_by_model(values: Any, argument: str) -> Any:
    """Return the columns of a table by their names, each of one model; other values as they are."""
    if isinstance(values, Mapping) or not is_frame(values):
        return values
    refuse_distributed(values, argument)
    frame = open_frame(values)
    return frame.columns(frame.names)


Scores = Mapping[str, tuple[Any, Any]]


def _of_models(given: Mapping[str, Any]) -> tuple[tuple[str, ...], Mapping[str, Any], Scores]:
    """The names of the models, their predictions, and their scores with the argument of each."""
    by_name = {argument: _by_name(argument, values) for argument, values in given.items()}
    names = tuple(dict.fromkeys(name for each in by_name.values() for name in each))
    predicted = by_name.pop("y_pred", {})
    scores: dict[str, tuple[Any, Any]] = {}
    for argument, each in by_name.items():
        both = next((name for name in scores if name in each), None)
        if both is not None:
            arguments = [scores[both][0], argument]
            raise two_kinds(f"{both!r} is in {arguments[0]} and in {argument}", arguments)
        scores |= {name: (argument, values) for name, values in each.items()}
    return names, predicted, scores


def thresholds_by_model(given: ModelArguments, threshold: Any) -> dict[str, Any]:
    """Return the threshold of each model whose scores say what is predicted.

    Errors:
        K136 no model has scores; K140 models that have labels; K163 other names.
    """
    if threshold is None:
        return {}
    decided = [name for name in given.scores if name not in given.predicted]
    if not given.scores:
        found = "There are no probabilities or scores"
        raise error("K136", threshold=threshold, found=found)
    if not isinstance(threshold, Mapping):
        if not decided:
            raise both_decide("y_pred", threshold)
        return dict.fromkeys(decided, threshold)
    for name, value in threshold.items():
        if name in given.predicted:
            raise both_decide(f"y_pred[{name!r}]", value)
    others = [name for name in threshold if name not in given.names]
    if others:
        facts = {"left_names": shown(given.names), "right_names": shown(others)}
        raise error("K163", left="the models", right="threshold", **facts)
    return dict(threshold)


@dataclass(frozen=True, eq=False)
class JudgedArguments:
    """Arguments of each system with gold labels and a judge's, by its name.

    Attributes:
        gold, judge: labels of the rows of all systems; a dict by system where they are verdicts.
        predicted, scores: as of `ModelArguments`; empty for verdicts.
    """

    names: tuple[str, ...]
    gold: Any
    judge: Any
    predicted: Mapping[str, Any]
    scores: Scores


def judged_arguments(gold: Any, request: Request) -> JudgedArguments:
    """Return the systems of the arguments (K129, K162, K163)."""
    predictions = {"y_pred": columns_by_model(request.y_pred, "y_pred"), **request.outputs}
    names, predicted, scores = _of_models({x: v for x, v in predictions.items() if v is not None})
    labels = {"y_true": gold, "judge": request.judge}
    for argument, values in labels.items():
        each = columns_by_model(values, argument) if _is_whole(values) else values
        if isinstance(each, Mapping):
            labels[argument] = _by_name(argument, each)
    verdicts = {x: values for x, values in labels.items() if isinstance(values, Mapping)}
    names = names or tuple(dict.fromkeys(name for each in verdicts.values() for name in each))
    for argument, each in verdicts.items():
        if {*each} != {*names}:
            facts = {"left_names": shown(each), "right_names": shown(names)}
            raise error("K163", left=argument, right="the systems", **facts)
    return JudgedArguments(names, labels["y_true"], labels["judge"], predicted, scores)


def refuse_whole_tables_of_judges(request: Request) -> None:
    """Refuse names of files or of columns, and a table or a file of each system (K128)."""
    named = {name: getattr(request, name) for name in ("y_true", "judge", "y_pred")}
    texts = [f"{name}={short(value)}" for name, value in named.items() if _is_path(value)]
    table = request.y_true
    are_verdicts = request.y_pred is None and not request.has_scores
    if _is_whole(table) and not _is_path(table) and not are_verdicts:
        texts.insert(0, f"a table ({type(table).__name__})")
    for name, each in named.items():
        values = each.values() if isinstance(each, Mapping) else ()
        texts += [f"{name}= of {short(value)}" for value in values if _is_path(value)]
        tables = [value for value in values if name in ("y_true", "y_pred") and _is_whole(value)]
        texts += [f"{name}= of tables ({type(value).__name__})" for value in tables]
    if texts:
        raise error(
            "K128",
            found=f"karat.compare takes columns, and it was given {texts[0]}",
            do="Give the columns of the table that you read: karat.compare(table['gold'], "
            "table[['old', 'new']], design=karat.Judge(table['judge'])); the command reads files: "
            "karat compare A B --true GOLD --judge JUDGE",
        )


def _are_indicators(y_true: Any, y_pred: Any) -> bool:
    """True if frames are matrices of the same labels, rather than tables with a truth.

    A matrix without names beside them, with as many columns, decides it.
    """
    if not isinstance(y_pred, Mapping):
        return False
    sides = (y_true, *y_pred.values())
    frames = [tuple(open_frame(one).names) for one in sides if is_frame(one)]
    shapes = [tuple(getattr(one, "shape", ())) for one in sides if not is_frame(one)]
    if not frames or any(len(shape) != 2 or shape[1] != len(frames[0]) for shape in shapes):
        return False
    roles = find_roles(frames[0], needs=()).candidates
    is_table = not shapes and (roles["true"] or roles["pred"])
    return not is_table and all(one == frames[0] for one in frames)


def _refuse_whole_tables(y_true: Any, y_pred: Any, *, is_alone: bool) -> None:
    """Refuse a table or a file of each model where its columns are wanted (K128)."""
    if _are_indicators(y_true, y_pred):
        return
    models = y_true if y_pred is None and is_alone else y_pred
    names, tables = ["old", "new"], [y_true, models]
    if isinstance(models, Mapping):
        names, tables = list(map(str, models)), list(models.values())
    elif isinstance(models, list | tuple) and models is y_true:
        tables = list(models)
    whole = [table for table in tables if _is_whole(table)]
    if isinstance(models, Mapping) and models is not y_true and _is_whole(y_true):
        whole, tables = [y_true, *whole], [y_true, *whole]
    if not tables or len(whole) < len(tables):
        return
    names = [name if name.isidentifier() else f"model_{i}" for i, name in enumerate(names)][:2]
    each = ", ".join(f"{name!r}: {name}" for name in names)
    what = "files" if _is_path(whole[0]) else f"tables ({type(whole[0]).__name__})"
    found = f"karat.compare was given {what} without the names of their models"
    raise error("K128", found=found, do=f"Give a dict of them: karat.compare({{{each}}}).")


def _is_path(value: Any) -> bool:
    return isinstance(value, str | PathLike)


def _is_whole(value: Any) -> bool:
    """True if a value is a file, or a table of several columns; a dict may be one of models."""
    if isinstance(value, Mapping) or not is_frame(value):
        return _is_path(value)
    return len(open_frame(value).names) > 1


def _by_name(argument: str, values: Any) -> dict[str, Any]:
    """The values of the models of one argument, which is a dict of them (K162)."""
    if not isinstance(values, Mapping):
        refuse_judged(values)
        floats = getattr(getattr(values, "dtype", None), "kind", "") == "f"
        do = f"Name models: karat.compare(y_true, {argument}={{'old': ..., 'new': ...}})."
        if isinstance(values, str):
            do = "karat.compare takes values; the command `karat compare A B` reads files. " + do
        also = "" if argument != "y_pred" or not floats else " Probabilities are y_prob=."
        raise error(
            "K162",
            argument=argument,
            found=f"It is a {type(values).__name__}, not a dict from model to values",
            do=f"{do}{also}",
        )
    found = {}
    for name, each in values.items():
        text = plain_text(name)
        if not text or not text.isprintable():
            do = "Names are text that can be printed."
            raise error("K162", argument=argument, found=f"A model is called {short(name)}", do=do)
        found[text] = each
    return found
