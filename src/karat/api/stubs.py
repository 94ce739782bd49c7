"""Type stubs of karat, its curves and its plots, as the build writes them: ``native/stubs.py``.

Their functions are loaded at first use, which editors and type checkers do not see.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterator
from typing import Any, Final

from karat.api.plot_functions import BODIES, FUNCTIONS
from karat.api.request.groups import Group
from karat.api.request.request import options_of
from karat.api.request.stub import IMPORTS, class_stub, function_stub, group_stub
from karat.metrics._stub import docstring_text, functions_text

_HEAD: Final = f'''"""Public names of karat. Written by the build; do not edit."""

{IMPORTS}
from numpy import float64
from numpy.typing import NDArray

from karat.api.weak_slices import WeakSlices
from karat.metrics import Metric
from karat.tally import Label
'''
_TYPES_OF_ALL: Final = """
__version__: str

_Undefined: TypeAlias = Literal["zero", "exclude", "nan"]
_Floats: TypeAlias = NDArray[float64]
_Design: TypeAlias = _Folds | _Looks | _CaseControl | _Judge

"""

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
    imports, verbs = _names()
    whole = "\n".join([*verbs, functions_text()])
    return {
        "__init__.pyi": f"{_HEAD}{imports}{_TYPES_OF_ALL}{whole}".rstrip("\n") + "\n",
        "curves/__init__.pyi": f"{_CURVES_HEAD}{curves}".rstrip("\n") + "\n",
        "plot/__init__.pyi": f"{_PLOT_HEAD}{plots}".rstrip("\n") + "\n",
    }


def _names() -> tuple[str, list[str]]:
    """Return imports of the public names, and stubs of the verbs among them."""
    face: Any = sys.modules["karat"]
    imports = [f"from karat import {name} as {name}\n" for name in face._MODULES]
    verbs = []
    for name, home in sorted(face._HOMES.items()):
        value = getattr(importlib.import_module(home), name)
        shown = name
        if inspect.isclass(value) and any(options_of(f"{name}.{item}") for item in vars(value)):
            shown = f"_{name}"
            verbs.append(class_stub(value, shown))
        elif inspect.isclass(value) and issubclass(value, Group):
            shown = f"_{name}"
            verbs.append(group_stub(value, shown))
        elif not inspect.isclass(value) and options_of(name) and name != "rows_needed":
            verbs.append(function_stub(value))
            continue
        imports.append(f"from {home} import {name} as {shown}\n")
    return "".join(imports), verbs


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
