"""Forms of results in notebooks: attached to what knows no renderer, made when a cell shows it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any, Final

FORMS: Final[Mapping[str, str]] = {
    "GateResult": "gate_as_html",
    "MonitorResult": "gate_as_html",
    "WeakSlices": "weak_slices_as_html",
    "ByColumn": "slices_as_html",
    "SetSliceTable": "slice_table_as_html",
    "SliceTable": "slice_table_as_html",
    "Slice": "slice_as_html",
    "Curve": "curve_as_html",
    "ByClass": "curves_by_class_as_html",
    "Curves": "curves_as_html",
}
"""What has a form → the function of `karat.output.forms` that makes it."""


_METHOD: Final = "_repr_html_"


def attach_forms(*kinds: type) -> None:
    """Give each of them the method that notebooks ask for, and slices their text.

    Called where such results are made, so that modules of other results are not loaded.
    """
    for kind in kinds:
        setattr(kind, _METHOD, _method(FORMS[kind.__name__]))
        if kind.__name__ in ("ByColumn", "SliceTable", "SetSliceTable"):
            setattr(kind, "__str__", _text_of_slices)  # noqa: B010


def _text_of_slices(self: Any) -> str:
    found: str = importlib.import_module("karat.output.layout").slices_as_text(self)
    return found


def _method(name: str) -> Callable[[Any], str]:
    def _repr_html_(self: Any) -> str:
        forms = importlib.import_module("karat.output.forms")
        found: str = forms.form(getattr(forms, name), self)
        return found

    return _repr_html_
