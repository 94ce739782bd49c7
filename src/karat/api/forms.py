"""Forms of results in notebooks: attached to what knows no renderer, made when a cell shows it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any, Final

from karat.curves._curve import ByClass, Curve
from karat.curves._kept import Curves
from karat.inference.slices.weak import WeakSlices
from karat.results.gate.result import GateResult
from karat.results.slices import Slice, Slices, SliceTable

FORMS: Final[Mapping[type, str]] = {
    GateResult: "gate_as_html",
    WeakSlices: "weak_slices_as_html",
    Slices: "slices_as_html",
    SliceTable: "slice_table_as_html",
    Slice: "slice_as_html",
    Curve: "curve_as_html",
    ByClass: "curves_by_class_as_html",
    Curves: "curves_as_html",
}
"""What has a form → the function of `karat.output.forms` that makes it."""


_METHOD: Final = "_repr_html_"


def attach_forms() -> None:
    """Give each of them the method that notebooks ask for, and slices their text."""
    for kind, name in FORMS.items():
        setattr(kind, _METHOD, _method(name))
    for table in (Slices, SliceTable):
        setattr(table, "__str__", _text_of_slices)  # noqa: B010


def _text_of_slices(self: Any) -> str:
    found: str = importlib.import_module("karat.output.layout").slices_as_text(self)
    return found


def _method(name: str) -> Callable[[Any], str]:
    def _repr_html_(self: Any) -> str:
        forms = importlib.import_module("karat.output.forms")
        found: str = forms.form(getattr(forms, name), self)
        return found

    return _repr_html_
