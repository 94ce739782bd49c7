"""Parts of a report that are plain dicts and lists, and that a notebook shows with a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from karat.results.result import Result

if TYPE_CHECKING:
    from karat.results.report import Report


def _no_attribute(found: Mapping[str, Any], name: str, called: str) -> AttributeError:
    if name not in found:
        return AttributeError(f"report.{called} has no attribute {name!r}.")
    return AttributeError(f"It is an item: report.{called}[{name!r}].")


class Thresholds(dict[str, Any]):
    """The best thresholds of two classes, which a notebook shows with their picture."""

    def __init__(self, found: Mapping[str, Any], report: Report) -> None:
        super().__init__(found)
        self._report = report

    def __getattr__(self, name: str) -> Any:
        raise _no_attribute(self, name, "thresholds")

    def __reduce__(self) -> tuple[Any, ...]:
        """Numbers travel, not the report."""
        return dict, (dict(self),)

    def _repr_html_(self) -> str:
        from karat.output.forms import form, thresholds_as_html

        return form(lambda found: thresholds_as_html(found, self._report), self)


class ThresholdsOfClasses(list[dict[str, Any]]):
    """The best thresholds of each class, which a notebook shows as a table."""

    def __init__(self, found: Sequence[dict[str, Any]], report: Report) -> None:
        super().__init__(found)
        self._report = report

    def __getattr__(self, name: str) -> Any:
        raise _no_attribute(self[0] if self else {}, name, "thresholds[0]")

    def __reduce__(self) -> tuple[Any, ...]:
        """Numbers travel, not the report."""
        return list, (list(self),)

    def _repr_html_(self) -> str:
        from karat.output.forms import form, thresholds_as_html

        return form(lambda found: thresholds_as_html(found, self._report), self)


class Calibration(dict[str, Result]):
    """The metrics of calibration, which a notebook shows with the reliability diagram."""

    def __init__(self, found: Mapping[str, Result], report: Report) -> None:
        super().__init__(found)
        self._report = report

    def __getattr__(self, name: str) -> Any:
        raise _no_attribute(self, name, "calibration")

    def __reduce__(self) -> tuple[Any, ...]:
        """Results travel, not the report."""
        return dict, (dict(self),)

    def _repr_html_(self) -> str:
        from karat.output.forms import calibration_as_html, form

        return form(lambda found: calibration_as_html(found, self._report), self)
