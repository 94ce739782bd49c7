"""Results as rows, one value each: CSV, frames, and flat dicts for trackers of experiments."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias, get_args

from karat.errors import error
from karat.metrics import get
from karat.output.describe import describe
from karat.output.json import report_to_json
from karat.output.markdown import markdown_of
from karat.results.headlines import headline_names
from karat.results.values import PER_CLASS, PER_CLASS_OF_SCORES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from karat.inference.slices.weak import WeakSlices
    from karat.results.comparison import Comparison
    from karat.results.judged import JudgedReport
    from karat.results.report import ClassReport
    from karat.results.result import Result
    from karat.results.sets import SetReport
    from karat.results.slices import ByColumn, SliceDifferences, SliceTable

Row: TypeAlias = "dict[str, str | float | int | bool | None]"

REPORT_COLUMNS: Final[Mapping[str, type]] = {
    "metric": str,
    "average": str,
    "label": str,
    "slice": str,
    "value": float,
    "low": float,
    "high": float,
    "level": float,
    "method": str,
    "n": int,
    "undefined": str,
    "exact": bool,
}
"""Columns of the rows of a report, and what they hold where they are not None."""
_EMPTY: Final[Row] = dict.fromkeys(REPORT_COLUMNS)

COMPARISON_COLUMNS: Final[Mapping[str, type]] = {
    "metric": str,
    "a": str,
    "b": str,
    "value_a": float,
    "value_b": float,
    "difference": float,
    "low": float,
    "high": float,
    "level": float,
    "p": float,
    "p_adjusted": float,
    "method": str,
    "verdict": str,
    "standard_error": float,
    "detectable": float,
    # A number of rows, as float: a column of whole numbers has no way to say that there is none.
    "rows_needed": float,
    "n": int,
    "remark": str,
}
"""The same of a comparison: one row for each metric and pair of models."""


SLICE_DIFFERENCE_COLUMNS: Final[Mapping[str, type]] = {
    "metric": str,
    "name": str,
    "n_rows": int,
    "value": float,
    "rest": float,
    "difference": float,
    "low": float,
    "high": float,
    "low_simultaneous": float,
    "high_simultaneous": float,
    "level": float,
    "p": float,
    "p_adjusted": float,
    "method": str,
    "undefined": str,
    "remark": str,
}
"""The same of differences of slices from all other rows."""

JUDGED_COLUMNS: Final[Mapping[str, type]] = {
    "metric": str,
    "label": str,
    "value": float,
    "low": float,
    "high": float,
    "level": float,
    "method": str,
    "judge_weight": float,
    "n_effective": float,
    "gold_value": float,
    "gold_low": float,
    "gold_high": float,
    "judge_value": float,
    "corrected": float,
    "corrected_low": float,
    "corrected_high": float,
    "remark": str,
}
"""The same of a report with a judge: a row for each metric, then for the share of each class."""


WEAK_SLICE_COLUMNS: Final[Mapping[str, type]] = {
    "slice": str,
    "n_rows": int,
    "n_all": int,
    "value": float,
    "rest": float,
    "value_all": float,
    "difference": float,
    "z": float,
    "p": float,
    "measure": str,
}
"""Columns of the rows of weak slices."""


def rows_of_weak_slices(found: WeakSlices) -> list[Row]:
    """A row for each slice, in their order; an undefined value is None."""
    return [
        {
            "slice": one.name,
            "n_rows": one.n_rows,
            "n_all": one.n_all,
            "value": _number(one.value),
            "rest": _number(one.rest),
            "value_all": _number(one.value_all),
            "difference": _number(one.difference),
            "z": one.z,
            "p": one.p,
            "measure": found.measure,
        }
        for one in found
    ]


def rows_of_report(report: ClassReport) -> list[Row]:
    """Every listed metric, then every class, then every slice: one row a value.

    Cost: that of every metric and interval of the report.
    """
    return [*rows_of_metrics(report), *rows_of_classes(report), *rows_of_slices(report)]


def rows_of_metrics(report: ClassReport, names: Iterable[str] | None = None) -> list[Row]:
    """One row for each listed metric, or for each of those named."""
    chosen = report.metrics if names is None else names
    return [_row(report, report[name]) for name in chosen]


def rows_of_sets(report: SetReport) -> list[Row]:
    """Every listed metric, then every label, then every slice: one row a value."""
    metrics = [_row(report, result) for result in report.metrics.values()]
    of_labels = rows_of_classes(report)
    if report.encoded is None and report.kept_slices is None:
        return metrics + of_labels
    return metrics + of_labels + _rows_of(report.slices.values())


def _row(report: ClassReport | SetReport, result: Result) -> Row:
    metric = get(result.name)
    is_of_positive = metric.record.is_per_class and metric.lift == "plain"
    average = "positive" if is_of_positive else None if metric.lift == "plain" else metric.lift
    return _EMPTY | {
        "metric": result.name,
        "average": average,
        "value": _number(result.value),
        "low": _number(result.low),
        "high": _number(result.high),
        "level": result.level,
        "method": result.method,
        "n": report.n_rows,
        "undefined": _text(result.undefined),
        "exact": result.exact,
    }


def rows_of_classes(report: ClassReport | SetReport) -> list[Row]:
    """One row for each class and column of `Report.per_class`.

    Their limits come from one method for a column of the table, which does not name it.
    """
    level = None if report.confidence is None else report.confidence.level
    return [
        _class_row(row, name, level, report.n_rows)
        for row in report.per_class
        for name in (*PER_CLASS, *PER_CLASS_OF_SCORES)
        if name in row
    ]


def _class_row(row: dict[str, Any], name: str, level: float | None, n: int) -> Row:
    low, high = row["intervals"].get(name, (None, None))
    return _EMPTY | {
        "metric": name,
        "label": writable(str(row["name"])),
        "value": _number(row[name]),
        "low": _number(low),
        "high": _number(high),
        "level": None if low is None else level,
        "n": n,
        "undefined": row["undefined"].get(name),
        "exact": name not in row.get("bounds", ()),
    }


def rows_of_slices(report: ClassReport) -> list[Row]:
    """One row for each slice and metric that opens the report: ``slice`` is ``"country = NO"``."""
    return _rows_of(report.slices.values())


def _rows_of(tables: Iterable[SliceTable[Any]]) -> list[Row]:
    return [
        _row(table.whole, part[name]) | {"slice": writable(", ".join(values)), "n": part.n_rows}
        for table in tables
        for key, part in zip(table.slice_keys, table.values(), strict=True)
        for values in ([f"{x} = {y}" for x, y in zip(table.columns, key, strict=True)],)
        for name in table.sliced.headline
    ]


def frame_of_slices(found: ByColumn[Any] | SliceTable[Any], backend: Backend | None) -> Any:
    """A frame of slices by one column or by each: a row for each slice and opening metric."""
    from karat.results.slices import ByColumn

    tables = found.values() if isinstance(found, ByColumn) else [found]
    return frame_of(_rows_of(tables), REPORT_COLUMNS, backend)


def frame_of_slice_differences(found: SliceDifferences, backend: Backend | None) -> Any:
    """A frame of the differences of slices from all other rows: a row for each slice."""
    return frame_of(
        _rows_by(found.values(), SLICE_DIFFERENCE_COLUMNS), SLICE_DIFFERENCE_COLUMNS, backend
    )


def _rows_by(records: Iterable[object], columns: Mapping[str, type]) -> list[Row]:
    """A row for each record, with the attributes that columns name."""
    return [
        {
            name: _number(found) if kind is float else _text(found) if kind is str else found
            for name, kind in columns.items()
            for found in (getattr(one, name),)
        }
        for one in records
    ]


def rows_of_comparison(comparison: Comparison) -> list[Row]:
    """One row for each metric and pair of models, in the order of `Comparison.differences`."""
    return _rows_by(comparison.differences, COMPARISON_COLUMNS)


def rows_of_judged(report: JudgedReport) -> list[Row]:
    """One row for each metric, then one for the proportion of each class (``class_proportion``)."""
    metrics = report.metrics.values()
    found = [_judged_row(one, metric=one.name, level=report.level) for one in metrics]
    for share in report.shares:
        facts = {"metric": "class_proportion", "label": str(share.label), "level": report.level}
        found.append(_judged_row(share, **facts))
    return found


def _judged_row(one: object, **facts: Any) -> Row:
    found: Row = {}
    for name, kind in JUDGED_COLUMNS.items():
        given = facts.get(name, getattr(one, name, None))
        found[name] = _number(given) if kind is float else _text(given)
    return found


def _number(value: float | None) -> float | None:
    """The number, infinite or not; None for none."""
    return None if value is None or math.isnan(value) else float(value)


def _text(text: str | None) -> str | None:
    return None if text is None else writable(text)


def writable(text: str) -> str:
    """The text, where it has half of a character as its escape: no file can hold that."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def csv_of(rows: Iterable[Row], columns: Mapping[str, type]) -> str:
    """The rows under their columns, without a line end after the last.

    RFC 4180 with line feeds. Floats have the digits that give them back, what is None is an empty
    field, an empty text is quoted.
    """
    return csv_of_lists(columns, ([row[name] for name in columns] for row in rows))


def csv_of_lists(head: Iterable[str], rows: Iterable[Sequence[object]]) -> str:
    """Lists of values under a head, written likewise."""
    return "\n".join(",".join(map(_field, row)) for row in (list(head), *rows))


def _field(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    needs_quotes = not text or text != text.strip() or any(char in text for char in ',"\r\n')
    return '"' + text.replace('"', '""') + '"' if needs_quotes else text


Backend: TypeAlias = Literal["pandas", "polars", "pyarrow"]
BACKENDS: Final[tuple[str, ...]] = get_args(Backend)


def frame_of(rows: Sequence[Row], columns: Mapping[str, type], backend: Backend | None) -> Any:
    """A native frame of the rows.

    Args:
        rows: one dict each, with every column.
        columns: the columns and what they hold.
        backend: whose frame; None: the first of pandas, Polars and PyArrow that is installed.

    Errors:
        K122 no such backend; K501 it is not installed, or none is.
    """
    import narwhals as nw

    types = {str: nw.String(), float: nw.Float64(), int: nw.Int64(), bool: nw.Boolean()}
    content = {name: [row[name] for row in rows] for name in columns}
    schema = {name: types[kind] for name, kind in columns.items()}
    return nw.from_dict(content, schema, backend=_chosen(backend)).to_native()


def _chosen(backend: str | None) -> Any:
    if backend is not None and backend not in BACKENDS:
        raise error(
            "K122",
            argument="backend",
            value=backend,
            choices=", ".join(BACKENDS),
            do="Leave it out for the first of them that is installed.",
        )
    names = BACKENDS if backend is None else (backend,)
    for name in names:
        if _is_installed(name):
            return name
    raise error(
        "K501",
        feature="A frame",
        package=" or ".join(names),
        extra="cli",
        advice=f"pip install {names[0]}; report.to_csv() and report.to_json() need no package.",
    )


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ValueError:  # a module that was put in place without a specification
        return False


Which: TypeAlias = Literal["headline", "all"]

_LONGEST: Final = 100
"""Bytes of a class name in a key: a key is at most 250 characters, and may become a file name."""


class MlflowLog(NamedTuple):
    """Metrics and artifacts that a run of MLflow logs.

    Attributes:
        metrics: key → number, for ``mlflow.log_metrics``.
        artifacts: file → text, for ``mlflow.log_text``.
    """

    metrics: dict[str, float]
    artifacts: dict[str, str]


def mlflow_of(report: ClassReport, *, metrics: Which, per_class: bool, prefix: str) -> MlflowLog:
    """See `karat.Report.to_mlflow`."""
    # Of the letters of any script: \w, as in MLflow.
    tracker = (r"[^\w.\- ]+", "/")
    numbers = _numbers(report, *tracker, metrics, per_class=per_class, prefix=prefix)
    texts = {
        "karat/report.json": report_to_json(report),
        "karat/report.md": markdown_of(describe(report)),
        "karat/metrics.csv": csv_of(rows_of_metrics(report), REPORT_COLUMNS),
        "karat/per_class.csv": csv_of(rows_of_classes(report), REPORT_COLUMNS),
    }
    if report.cells.has_matrix:
        texts["karat/confusion.csv"] = confusion_csv(report)
    return MlflowLog(numbers, {name: text + "\n" for name, text in texts.items()})


def wandb_of(
    report: ClassReport, *, metrics: Which, per_class: bool, prefix: str
) -> dict[str, float]:
    """See `karat.Report.to_wandb`."""
    tracker = (r"[^A-Za-z0-9_]+", "__")
    return _numbers(report, *tracker, metrics, per_class=per_class, prefix=prefix)


def confusion_csv(report: ClassReport) -> str:
    """The cells that hold rows: ``true,predicted,count``."""
    labels = [writable(name) for name in report.classes.display]
    rows, cols, totals = report.confusion.occupied()
    listed = zip(rows.tolist(), cols.tolist(), totals.tolist(), strict=True)
    return csv_of_lists(
        ("true", "predicted", "count"), ((labels[i], labels[j], total) for i, j, total in listed)
    )


def _numbers(
    report: ClassReport, refused: str, joint: str, metrics: Which, *, per_class: bool, prefix: str
) -> dict[str, float]:
    """Key → number for a tracker.

    Args:
        refused: a pattern of what may not stand in a key.
        joint: what stands between a metric and a class.
    """
    found: dict[str, float] = {}
    for row in rows_of_metrics(report, headline_names(report, metrics)):
        for key, number in _finite(row):
            found[f"{prefix}{key}"] = number
    if per_class:
        rows = rows_of_classes(report)
        labels = dict.fromkeys(str(row["label"]) for row in rows)
        keys = dict(zip(labels, _class_keys(labels, refused), strict=True))
        for row in rows:
            for key, number in _finite(row):
                # The class stands last: one may be called as another with the ending.
                path = (f"{prefix}per_class", key, keys[str(row["label"])])
                found[joint.join(path)] = number
    return found


def _finite(row: Row) -> Iterator[tuple[str, float]]:
    """The value and its limits by key; what is not a finite number is left out: trackers lose it.

    ``macro_f_beta(beta=2)`` is ``macro_f_beta_beta_2``.
    """
    metric = re.sub(r"[^A-Za-z0-9]+", "_", str(row["metric"])).strip("_")
    for ending, name in (("", "value"), ("_low", "low"), ("_high", "high")):
        number = row[name]
        if isinstance(number, float) and math.isfinite(number):
            yield f"{metric}{ending}", number


def _class_keys(labels: Iterable[str], refused: str) -> list[str]:
    """Distinct key for each class: the number of a class whose name gives none."""
    keys: dict[str, None] = {}
    for number, label in enumerate(labels, start=1):
        key = re.sub(refused, "_", label).encode()[:_LONGEST].decode("utf-8", "ignore")
        # No path: neither a folder above nor a name that another one resolves to.
        key = key.strip("_. ") or f"class_{number}"
        if key in keys:
            key = f"{key}_{number}"
        while key in keys:
            key += "_"
        keys[key] = None
    return list(keys)
