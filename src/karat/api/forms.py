"""Forms of results: attached to what knows no renderer, made when somebody looks at it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from karat.output.tidy import Backend


@dataclass(frozen=True)
class Form:
    """Functions that show a result.

    Attributes:
        html: for notebooks, by its module of `karat.output` and its name.
        text: for `print`; None: the result has its text.
        frame: for `to_frame`; None: it has none.
    """

    html: str
    text: str | None = None
    frame: str | None = None


_SENTENCE: Final = Form("record_forms.as_sentence")
FORMS: Final[Mapping[str, Form]] = {
    "GateResult": Form("forms.gate_as_html"),
    "MonitorResult": Form("forms.gate_as_html"),
    "WeakSlices": Form("forms.weak_slices_as_html"),
    "ByColumn": Form("forms.slices_as_html", "layout.slices_as_text", "tidy.frame_of_slices"),
    "SliceTable": Form(
        "forms.slice_table_as_html", "layout.slices_as_text", "tidy.frame_of_slices"
    ),
    "Slice": Form("forms.slice_as_html"),
    "SliceDifferences": Form(
        "record_forms.slice_differences_as_html", frame="tidy.frame_of_slice_differences"
    ),
    "SliceDifference": Form("record_forms.slice_difference_as_html"),
    "Difference": Form("record_forms.difference_as_html"),
    "LabelDifference": Form("record_forms.difference_as_html"),
    "BestModel": _SENTENCE,
    "ModelValue": _SENTENCE,
    "Gap": _SENTENCE,
    "Heterogeneity": _SENTENCE,
    "Worst": _SENTENCE,
    "Results": Form("record_forms.results_as_html"),
    "Curve": Form("forms.curve_as_html"),
    "ByClass": Form("forms.curves_by_class_as_html"),
    "Curves": Form("forms.curves_as_html"),
}
"""What has forms → the functions that make them."""


def attach_forms(*kinds: type) -> None:
    """Give each of them the methods that notebooks, `print` and users ask for.

    Called where such results are made, so that modules of other results are not loaded.
    """
    for kind in kinds:
        form = FORMS[kind.__name__]
        methods: dict[str, Callable[..., Any]] = {"_repr_html_": _html_by(form.html)}
        if form.text is not None:
            methods["__str__"] = _text_by(form.text)
        if form.frame is not None:
            methods["to_frame"] = _frame_by(form.frame)
        for name, method in methods.items():
            setattr(kind, name, method)


def attach_forms_of_slices() -> None:
    """Attach forms to slices of rows of any kind, and to how they differ."""
    from karat.results import slices

    attach_forms(
        *(slices.ByColumn, slices.SliceTable, slices.Slice),
        *(slices.SliceDifferences, slices.SliceDifference),
        *(slices.Gap, slices.Heterogeneity, slices.Worst),
    )


def _function(path: str) -> Callable[..., Any]:
    module, _, name = path.partition(".")
    found: Callable[..., Any] = getattr(importlib.import_module(f"karat.output.{module}"), name)
    return found


def _html_by(path: str) -> Callable[[Any], str]:
    def _repr_html_(self: Any) -> str:
        found: str = _function("forms.form")(_function(path), self)
        return found

    return _repr_html_


def _text_by(path: str) -> Callable[[Any], str]:
    def __str__(self: Any) -> str:  # noqa: N807
        found: str = _function(path)(self)
        return found

    return __str__


def _frame_by(path: str) -> Callable[..., Any]:
    def to_frame(self: Any, backend: Backend | None = None) -> Any:
        """Return the values as one long data frame; see `karat.Report.to_frame`."""
        return _function(path)(self, backend)

    return to_frame
