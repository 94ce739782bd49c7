"""The type stub of the package, written from the catalogue: ``python -m karat.metrics._stub``.

The one generated file that is committed, so that editors and type checkers know every metric.
A test fails when it is stale.
"""

from __future__ import annotations

from pathlib import Path

from karat.metrics._record import Record
from karat.metrics._registry import all_records

_HEAD = '''"""Public names of karat. Written by `make stub`; do not edit."""

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

'''
_COMMON = (
    "confusion: Any = None",
    "labels: Any = None",
    "positive: Any = None",
    "weights: Any = None",
    "undefined: _Undefined = ...",
    "n_threads: int | None = None",
)
_SCORES = ("y_prob: Any = None", "y_score: Any = None")
_KINDS = {"number": "float", "count": "int", "choice": "str", "matrix": "Any", "flag": "bool"}


def stub_text() -> str:
    """The whole stub: one protocol for each kind of call, one line for each name."""
    protocols: dict[str, str] = {}
    names = []
    for record in all_records():
        averaged = _protocol(record, protocols, is_averaged=record.is_per_class)
        plain = _protocol(record, protocols, is_averaged=False)
        names.append(f"{record.name}: {averaged}")
        lifted = [
            (record.lifted(average), f"{average}_{record.name}") for average in record.averages
        ]
        names += [f"{name}: {plain}" for pair in lifted for name in dict.fromkeys(pair)]
        names += [f"{alias}: {averaged}" for alias in record.aliases]
    return _HEAD + "\n".join([*protocols.values(), *names]) + "\n"


def _protocol(record: Record, protocols: dict[str, str], *, is_averaged: bool) -> str:
    """Name of the protocol of a record's function, which is added when it is new."""
    words = [] if record.is_traced else ["Of", "Scores"]
    words += [item.name.title().replace("_", "") for item in record.parameters]
    if is_averaged:
        words += ["PerClass", *(average.title() for average in record.averages)]
    name = "_" + ("".join(words) or "Plain")
    if name not in protocols:
        calls = [_call(record, None, "float")]
        if is_averaged:
            choices = ", ".join(f'"{average}"' for average in record.averages)
            chosen = f"average: Literal[{choices}] = ..." if choices else None
            calls = [
                "    @overload\n" + _call(record, "average: None", "_Floats"),
                "    @overload\n" + _call(record, chosen, "float"),
            ]
        protocols[name] = f"class {name}(Protocol):\n" + "".join(calls)
    return name


def _call(record: Record, average: str | None, returns: str) -> str:
    parameters = [] if average is None else [average]
    for item in record.parameters:
        kind = _KINDS[item.kind]
        if item.kind == "choice":
            kind = "Literal[" + ", ".join(f'"{choice}"' for choice in item.choices) + "]"
        if not item.is_required and item.default is None:
            kind += " | None" if kind != "Any" else ""
        parameters.append(f"{item.name}: {kind}" + ("" if item.is_required else " = ..."))
    inner = ["self", "y_true: Any = None", "y_pred: Any = None", "*", *parameters, *_COMMON]
    if not record.is_traced:
        inner = ["self", "y_true: Any = None", "*", *_SCORES, *parameters, *_COMMON[1:]]
    arguments = "".join(f"        {item},\n" for item in inner)
    return f"    def __call__(\n{arguments}    ) -> {returns}: ...\n"


if __name__ == "__main__":
    (Path(__file__).parents[1] / "__init__.pyi").write_text(stub_text(), encoding="utf-8")
