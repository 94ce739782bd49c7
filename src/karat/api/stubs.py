"""Type stubs of karat, its curves and its plots, as the build writes them: ``native/stubs.py``.

Their functions are loaded at first use, which editors and type checkers do not see.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any, Final

from karat.api.check import check
from karat.api.comparing import compare
from karat.api.evaluation import evaluate
from karat.api.gate.verb import gate
from karat.api.monitors.monitor import Monitor
from karat.api.plot_functions import BODIES, FUNCTIONS
from karat.api.request.stub import IMPORTS, class_stub, function_stub
from karat.api.streams.stream import Stream
from karat.api.weak_slices import find_weak_slices
from karat.metrics._stub import docstring_text, functions_text

_HEAD: Final = f'''"""Public names of karat. Written by the build; do not edit."""

{IMPORTS}
from numpy import float64
from numpy.typing import NDArray

from karat import curves as curves
from karat import errors as errors
from karat import metrics as metrics
from karat import objectives as objectives
from karat import plot as plot
from karat import tally as tally
from karat import testing as testing
from karat.api.check import Check as Check
from karat.api.cross_validation import NestedFolds as NestedFolds
from karat.api.cross_validation import fold_of_rows as fold_of_rows
from karat.api.cross_validation import from_cross_validate as from_cross_validate
from karat.api.functions import confusion_matrix as confusion_matrix
from karat.api.judging import JudgedReport as JudgedReport
from karat.api.labeling import rows_to_label as rows_to_label
from karat.api.monitors.monitor import Monitor as _Monitor
from karat.api.report import Report as Report
from karat.api.results import Comparison as Comparison
from karat.api.results import Result as Result
from karat.api.sample_sizes import rows_needed as rows_needed
from karat.api.score_functions import roc_auc_pairs as roc_auc_pairs
from karat.api.scorer import scorer as scorer
from karat.api.scorer import scorers as scorers
from karat.api.sets import MultilabelReport as MultilabelReport
from karat.api.streams.stream import Stream as _Stream
from karat.api.weak_slices import WeakSlices
from karat.errors import InputError as InputError
from karat.errors import KaratError as KaratError
from karat.errors import UndefinedWarning as UndefinedWarning
from karat.errors import UnknownNameError as UnknownNameError
from karat.metrics import Metric
from karat.metrics.plan import Plan as Plan
from karat.results.gate.monitored import MonitorResult as MonitorResult
from karat.results.gate.result import GateResult as GateResult
from karat.results.result import Signature as Signature
from karat.tally import Label

__version__: str

_Undefined: TypeAlias = Literal["zero", "exclude", "nan"]
_Floats: TypeAlias = NDArray[float64]

'''

_CURVES_HEAD: Final = '''"""Public names of karat.curves. Written by the build; do not edit."""

from collections.abc import Iterable
from typing import Any, Literal, overload

from karat.curves._band import Band as Band
from karat.curves._curve import ByClass as ByClass
from karat.curves._curve import Curve as Curve
from karat.curves._curve import Reliability as Reliability
from karat.curves._curve import WithBand as WithBand
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

'''
_PLOT_HEAD: Final = '''"""Public names of karat.plot. Written by the build; do not edit."""

from typing import Any, Final

from matplotlib.axes import Axes

from karat.plot import svg as svg

PALETTE: Final[dict[str, str]]
"""Every color of a picture by name; `karat.plot.svg.as_svg` can write others in their place."""

'''
_CURVES: Final = (
    *("roc", "precision_recall", "det", "gain", "lift", "reliability", "cost", "net_benefit"),
)
_TYPES: Final = {
    "drop_intermediate": "bool",
    "limit": "int | None",
    "bins": "int",
    "scheme": 'Literal["uniform", "quantile"]',
    "closed": 'Literal["right", "left"]',
    "n_threads": "int | None",
}


def stub_texts() -> dict[str, str]:
    """Return the path in the package → the text of the stub there."""
    module = importlib.import_module("karat.api.curves")
    curves = "".join(_curve(name, getattr(module, name)) for name in _CURVES)
    plots = "".join(map(_plot, BODIES))
    verbs = map(function_stub, (check, compare, evaluate, find_weak_slices, gate))
    kinds = class_stub(Monitor, "_Monitor"), class_stub(Stream, "_Stream")
    whole = "\n".join([*kinds, *verbs, functions_text()])
    return {
        "__init__.pyi": _HEAD + whole.rstrip("\n") + "\n",
        "curves/__init__.pyi": f"{_CURVES_HEAD}{curves}".rstrip("\n") + "\n",
        "plot/__init__.pyi": f"{_PLOT_HEAD}{plots}".rstrip("\n") + "\n",
    }


def _curve(name: str, function: Callable[..., Any]) -> str:
    """Return the stub of a curve function, with overloads for one class and for several."""
    doc = _told(function)
    kind = name.title().replace("_", "")
    micro = {"average": 'Literal["micro"] = ...'} if '"micro"' in (function.__doc__ or "") else {}
    calls: tuple[tuple[dict[str, str], str, str], ...] = (
        ({"average": "None", "classes": "Iterable[Label] | None = None"}, f"ByClass[{kind}]", ""),
        ({"classes": "Iterable[Label]"}, f"ByClass[{kind}]", ""),
        ({**micro, "classes": "None = None"}, kind, doc),
    )
    return "".join(
        f"@overload\n{_def(name, _of_curve(function, own), returns, text)}"
        for own, returns, text in calls
    )


def _of_curve(function: Callable[..., Any], own: dict[str, str]) -> Iterator[str]:
    for name, item in inspect.signature(function).parameters.items():
        if name in own:
            yield f"{name}: {own[name]}"
        elif name not in ("average", "classes"):
            default = f'"{item.default}"' if isinstance(item.default, str) else repr(item.default)
            yield f"{name}: {_TYPES.get(name, 'Any')} = {default}"
        if name == "y_true":
            yield "*"


def _plot(body: Callable[..., Any]) -> str:
    """Return the stub of a plot function."""
    function = FUNCTIONS[body.__name__]
    own = inspect.signature(body).parameters
    found: list[str] = []
    for name, item in inspect.signature(function).parameters.items():
        if name == "ax":
            found += ["*", "ax: Axes | None = None"]
        elif item.kind is inspect.Parameter.VAR_KEYWORD:
            found.append(f"**{name}: Any")
        else:
            kind = own[name].annotation if name in own and len(found) > 2 else "Any"
            default = f'"{item.default}"' if isinstance(item.default, str) else repr(item.default)
            found.append(f"{name}: {kind} = {default}")
    return _def(body.__name__, iter(found), "Axes", _told(function))


def _def(name: str, parameters: Iterator[str], returns: str, doc: str) -> str:
    arguments = "".join(f"    {item},\n" for item in parameters)
    return f"def {name}(\n{arguments}) -> {returns}:{doc or ' ...'}\n"


def _told(function: Callable[..., Any]) -> str:
    """Return the docstring of a function up to its arguments."""
    text, _, _ = (function.__doc__ or "").partition("\nArgs:")
    return docstring_text([" ".join(part.split()) for part in text.strip().split("\n\n")])
