"""Models in one table, or each in a table or files of its own, as `compare` reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, Final

from karat.api.arguments import scores_of_table
from karat.api.options import plain_text
from karat.api.request.data import Data
from karat.api.request.request import Request
from karat.api.request.roles import BESIDE, COLUMNS, OUTPUTS, of_described
from karat.api.sources import formats_of
from karat.data.roles import matching
from karat.data.sources.distributed.frames import refuse_distributed
from karat.data.sources.files.counted import errors_of_files
from karat.data.sources.files.paths import names_files
from karat.data.sources.files.rows import open_files
from karat.data.sources.tables.formatted import formatted
from karat.data.sources.tables.frames import Frame, is_frame, open_frame
from karat.errors import error, short


@dataclass(frozen=True, eq=False)
class ModelSource:
    """Rows of one model.

    Attributes:
        source: a table, or files.
        request: the columns of its roles, and how they are read.
        is_shared: whether all models are in the same table.
    """

    source: Any
    request: Request
    is_shared: bool = False

    @classmethod
    def of(cls, source: Any, request: Request) -> ModelSource:
        """The source of a model, with the columns that `karat.read` named where it did."""
        if isinstance(source, Data):
            request = request.but(**of_described(request.verb, source))
            source = request.y_true
        request = request.but(y_true=None, has_data=True, **scores_of_table(request))
        return cls(source, request)


def sources_of_models(request: Request, cleanup: ExitStack) -> dict[str, ModelSource] | None:
    """The rows of each model, in one table or each in a source of its own; None of values.

    Errors:
        K128 no column of a model is named; K162 they are not named by model; K404 there is no such
        column; K416 one table is partitioned.
    """
    data = request.y_true
    if not request.has_data:
        return None
    outputs = {role: getattr(request, role) for role in OUTPUTS}
    has_outputs = any(value is not None for value in outputs.values())
    if isinstance(data, Mapping) and not has_outputs:
        if data and all(_is_source(source) for source in data.values()):
            each = {str(plain_text(name)): source for name, source in data.items()}
            return {name: ModelSource.of(source, request) for name, source in each.items()}
        return None
    named = {role: _columns_of_models(role, value) for role, value in outputs.items()}
    texts = {role: getattr(request, COLUMNS[role]) for role in OUTPUTS}
    for role, text in texts.items():
        if text is not None or (outputs[role] is not None and not named[role]):
            value = outputs[role] if text is None else text
            raise error(
                "K162",
                argument=role,
                found=f"It is {short(value)}, beside a table",
                do=f"Name the column of each model: {role}={{'old': …, 'new': …}}.",
            )
    if not has_outputs:
        raise error("K128", found="karat.compare was given data without columns of models", do=_DO)
    refuse_distributed(data, "y_true")
    if names_files(data):
        cleanup.enter_context(errors_of_files(None, data))
        frame = _kept(open_files(data, cleanup, formats=formats_of(request)))
    else:
        frame = _kept(formatted(open_frame(data), formats_of(request)))
    # Their columns have been read as what they are.
    request = request.but(text=(), decimal=".")
    return _of_one_table(request, frame, named)


_DO: Final = (
    "Give a dict of them: karat.compare({'old': old, 'new': new}), a source of each model; or name "
    "the columns of models in one table: karat.compare(table, y_pred={'old': 'p1', 'new': 'p2'})."
)


def _of_one_table(
    request: Request, frame: Frame, named: Mapping[str, Mapping[str, list[str]]]
) -> dict[str, ModelSource]:
    """The rows of each model, read as a table without the outputs of the others."""
    models = dict.fromkeys(model for each in named.values() for model in each)
    columns = {
        model: {role: each[model] for role, each in named.items() if model in each}
        for model in models
    }
    outputs = {
        model: {x for names in each.values() for name in names for x in matching(name, frame.names)}
        for model, each in columns.items()
    }
    # A pattern may match columns that have other roles.
    others = (request.true, *(getattr(request, role) for role in BESIDE))
    every = set().union(*outputs.values()).difference(x for x in others if isinstance(x, str))
    sources = {}
    for model, each in columns.items():
        names = tuple(x for x in frame.names if x not in every or x in outputs[model])
        types = {name: kind for name, kind in frame.types.items() if name in names}
        own = {role: x[0] if len(x) == 1 else x for role, x in each.items()}
        threshold = request.threshold
        of_model = request.but(
            **{COLUMNS[role]: own.get(role, "") for role in OUTPUTS},
            # The models are on the same rows, in one order.
            id="" if request.id is None else request.id,
            threshold=threshold.get(model) if isinstance(threshold, Mapping) else threshold,
            **dict.fromkeys(OUTPUTS),
        )
        table = replace(frame, names=names, types=types)
        sources[model] = replace(ModelSource.of(table, of_model), is_shared=True)
    return sources


def _kept(frame: Frame) -> Frame:
    """The table, each of whose columns is read once."""
    columns: dict[str, Any] = {}

    def read(wanted: Sequence[str]) -> dict[str, Any]:
        lacking = [name for name in wanted if name not in columns]
        if lacking and frame.first_rows is None:
            # Its rows can be read only once.
            lacking = list(dict.fromkeys(frame.names))
        if lacking:
            columns.update(frame.read(lacking))
        return {name: columns[name] for name in wanted}

    return replace(frame, read=read)


def _is_source(value: Any) -> bool:
    """True for a table of several columns, for files, or for data that `karat.read` described."""
    if isinstance(value, list | tuple):
        return bool(value) and all(isinstance(item, PathLike) for item in value)
    if isinstance(value, Data) or names_files(value):
        return True
    return is_frame(value) and len(open_frame(value).names) > 1


def _columns_of_models(role: str, value: Any) -> dict[str, list[str]]:
    """Model → the columns that an argument names; empty where it names none."""
    if isinstance(value, list | tuple):
        models: dict[Any, Any] = {item: item for item in value if isinstance(item, str)}
        return _columns_of_models(role, models) if len(models) == len(value) else {}
    if not isinstance(value, Mapping):
        return {}
    named = {}
    for model, columns in value.items():
        names = [columns] if isinstance(columns, str) else columns
        is_list = isinstance(names, list | tuple) and len(names) > 0
        is_value = role == "y_pred" and not isinstance(columns, str)
        if is_value or not is_list or not all(isinstance(name, str) for name in names):
            return {}
        named[str(plain_text(model))] = [str(plain_text(name)) for name in names]
    return named
