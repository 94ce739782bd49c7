"""Parts of a report that are plain dicts and lists, and that a notebook shows with a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from karat.errors import error, shown
from karat.results.result import Result

if TYPE_CHECKING:
    from karat.output.tidy import Backend
    from karat.results.report import ClassReport
    from karat.results.sets import SetReport


def _no_attribute(found: Mapping[str, Any], name: str, called: str) -> AttributeError:
    if name not in found:
        return AttributeError(f"report.{called} has no attribute {name!r}.")
    return AttributeError(f"It is an item: report.{called}[{name!r}].")


class Thresholds(dict[str, Any]):
    """The best thresholds of two classes, which a notebook shows with their picture."""

    def __init__(self, found: Mapping[str, Any], report: ClassReport) -> None:
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

    def __init__(self, found: Sequence[dict[str, Any]], report: ClassReport) -> None:
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

    def __init__(self, found: Mapping[str, Result], report: ClassReport) -> None:
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


class ClassRows(list[dict[str, Any]]):
    """Counts and rates of each class: a list of dicts that prints as a table.

    ``report.per_class["churned"]["recall"]`` is the recall of one class, and
    ``report.per_class[0]`` the row of the first.

    Attributes:
        report: the report of the classes.
        words: name of one of them, and of several.
    """

    def __init__(
        self,
        found: Sequence[dict[str, Any]],
        report: ClassReport | SetReport,
        words: tuple[str, str] = ("class", "classes"),
    ) -> None:
        super().__init__(found)
        self.report = report
        self.words = words

    @classmethod
    def kept(
        cls,
        found: list[dict[str, Any]],
        report: ClassReport | SetReport,
        words: tuple[str, str] = ("class", "classes"),
    ) -> Self:
        """The rows that a report keeps, with their forms from the first read on."""
        if not isinstance(found, cls):
            found = report.__dict__["per_class"] = cls(found, report, words)
        return found

    def __getitem__(self, key: Any) -> Any:
        """Return the row at a place, or that of a class by its label or display name as text.

        A number is a place, also where labels are numbers: the row of the label 7 is that of the
        text ``"7"``.

        Errors:
            K183 no class has that label.
        """
        if not isinstance(key, str):
            return super().__getitem__(key)
        for name in ("label", "name"):
            found = next((row for row in self if str(row[name]) == key), None)
            if found is not None:
                return found
        do = "Name one of them, or give the place of its row."
        what, known = f"{self.words[0]} {key!r}", shown([row["label"] for row in self], 12)
        raise error("K183", what=what, known=known, do=do)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the values as one long data frame, as `karat.Report.to_frame` has them.

        Args:
            backend: ``"pandas"``, ``"polars"`` or ``"pyarrow"``; None: the first of them that is
                installed.

        Example:
            >>> import karat
            >>> report = karat.evaluate(["a", "b", "b"], ["a", "b", "a"], level=None)
            >>> report.per_class.to_frame("polars")["label"].unique().sort().to_list()
            ['a', 'b']
        """
        from karat.output.tidy import REPORT_COLUMNS, frame_of, rows_of_classes

        return frame_of(rows_of_classes(self.report), REPORT_COLUMNS, backend)

    def __repr__(self) -> str:
        return f"<karat.ClassRows: {len(self)} {self.words[len(self) != 1]}>"

    def __str__(self) -> str:
        from karat.output.layout import classes_as_text

        return classes_as_text(self.report, self.words) if self else repr(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Numbers travel, not the report."""
        return list, (list(self),)

    def _repr_html_(self) -> str:
        from karat.output.forms import form
        from karat.output.record_forms import classes_as_html

        return form(lambda found: classes_as_html(found.report, found.words), self)
