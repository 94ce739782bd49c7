"""The functions of `karat.plot`: rows become reports, reports become pictures."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Final

import numpy as np

from karat.api.comparing import compare
from karat.api.evaluation import evaluate
from karat.api.options import unknown_choice
from karat.api.results import ClassReport, Comparison, Confusion
from karat.errors import error, short, shown
from karat.errors.habits import karat_word, unknown_argument
from karat.errors.text import count
from karat.output.plots import _confusion, _forest, _reliability, _threshold, _traced
from karat.output.plots._axes import add_key, axes_of, check_matplotlib
from karat.output.plots._series import names_in
from karat.results.sets import SetReport
from karat.results.slices import ByColumn, SliceTable

_OPTIONS: Final = {
    "classes": "label or labels of the classes to draw. Default: all classes; of two, the positive"
    " one. Of more than 12, the worst are named and the others are drawn faintly.",
    "panels": "whether each class has a panel of its own, with equal axes. Default: from 4 to 12"
    " classes, unless `ax` is given. The panels are the `child_axes` of the Axes.",
    "bins": '"uniform": 15 bins of equal width; "quantile": 10 bins of equal weight, which a report'
    " of two classes has where the class is rarer than 5 %. Default: those, if there are any.",
    "band": "whether to shade the simultaneous band of each curve, at the level of the intervals of"
    " its report (95 % without intervals). Default: for a single curve whose report has intervals."
    " See `karat.curves.Roc.band`.",
    "mean": "whether to draw the mean of the curves of all classes of a report. Default: if some"
    " classes are not named.",
    "chance": "whether to draw the curve of a random order.",
    "decision": "whether to mark the point of the predictions.",
    "heading": "whether the title of the Axes states what is drawn, the class, the models and the"
    " number of rows.",
    "normalize": 'labels of the cells. None: counts; "true": proportions of each true class;'
    ' "pred": of each predicted class; "all": of all rows.',
    "shade": 'colors of the cells: "true", "pred" or "all", as in `normalize`, or "count". Default:'
    ' as `normalize`, otherwise "true".',
    "sort": '"class": the order of the report; "error": the class with most wrong rows first.',
    "annotate": "whether cells are labeled. Default: up to 20 classes.",
    "totals": "whether rows and columns have totals. Default: if cells are labeled.",
    "colorbar": "whether to draw a color bar.",
    "metrics": "names of metrics, or one name.",
    "spread": "whether to draw two standard deviations of calibrated probabilities.",
    "histogram": "whether to shade the number of rows in each bin.",
    "shares": "whether heights are proportions of the rows of the class. Default: for several"
    " classes.",
    "log": "whether the axis of the rows is logarithmic. Default: if one bar would hide others.",
    "legend": "whether to draw a legend.",
}


def _plotted(body: Callable[..., None]) -> Callable[..., Any]:
    """The public function of a body that draws reports, or a comparison, on given axes."""
    source, _, *options = inspect.signature(body).parameters.values()
    own = [item for item in options if item.kind is inspect.Parameter.KEYWORD_ONLY]
    artist = next(item.name for item in options if item.kind is inspect.Parameter.VAR_KEYWORD)
    is_comparison = source.name == "comparison"
    name, first = body.__name__, source.name.removesuffix("s")
    own_names = [item.name for item in own]
    reader = compare if is_comparison else evaluate
    arguments = [key for key in inspect.signature(reader).parameters if key not in own_names]

    @wraps(body)
    def function(*given: Any, ax: Any = None, **rest: Any) -> Any:
        check_matplotlib()
        bound = inspect.signature(function).bind(*given, ax=ax, **rest).arguments
        drawn, y_pred = bound.get(first), bound.get("y_pred")
        rest = {key: it for key, it in rest.items() if key not in (first, "y_pred")}
        of_rows = {key: rest.pop(key) for key in list(rest) if key in arguments}
        drawn = of_rows.pop("y_true") if drawn is None and "y_true" in of_rows else drawn
        for key in rest.keys() - own_names:
            if karat_word(key) is not None:
                raise unknown_argument(f"karat.plot.{name}", key, [*own_names, *arguments])
        for item in own:
            _check_flag(item, rest.get(item.name, item.default))
        if "panels" in own_names and ax is not None:
            # What is given is one Axes: it stays one, unless panels are asked for.
            rest["panels"] = bool(rest.get("panels"))
        with axes_of(ax) as axes:
            read = _comparison_of if is_comparison else _reports_of
            reports = read(name, drawn, y_pred, of_rows)
            try:
                body(reports, axes, **rest)
                named = reports.models if isinstance(reports, Comparison) else names_in(reports)
                add_key(axes, named)
            except (AttributeError, TypeError) as problem:
                for key in rest.keys() - own_names:
                    if repr(key) in str(problem):  # no artist takes it either
                        takes = [*own_names, "ax", *arguments]
                        raise unknown_argument(f"karat.plot.{name}", key, takes) from None
                raise
        return axes

    kinds = inspect.Parameter
    function.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            kinds(first, kinds.POSITIONAL_OR_KEYWORD, default=None),
            kinds("y_pred", kinds.POSITIONAL_OR_KEYWORD, default=None),
            kinds("ax", kinds.KEYWORD_ONLY, default=None),
            *(item.replace(annotation=kinds.empty) for item in own),
            kinds(artist, kinds.VAR_KEYWORD),
        ]
    )
    function.__doc__ = _docstring(body, own, artist, is_comparison=is_comparison)
    function.__annotations__ = {}
    del function.__wrapped__
    return function


def _check_flag(option: inspect.Parameter, value: Any) -> None:
    """Refuse what is no truth value, of an option that is one (K122)."""
    kinds = {kind.strip() for kind in str(option.annotation).split("|")}
    if not kinds <= {"bool", "None"} or (value is None and "None" in kinds):
        return
    if not isinstance(value, bool | np.bool_):
        choices = "True, False, None" if "None" in kinds else "True, False"
        raise unknown_choice(option.name, value, choices, _OPTIONS[option.name])


_OF_ONE_LABEL: Final = {
    name: f"karat.plot.{name}(y_true[:, 0], y_pred[:, 0])" for name in ("confusion", "intervals")
}
"""How a picture of one label of a matrix of indicators is drawn, without scores."""


def _reports_of(name: str, given: Any, y_pred: Any, of_rows: dict[str, Any]) -> dict[str, Any]:
    """Reports by name, or the slices by a column (K160, K702)."""
    if isinstance(given, ClassReport):
        _refuse_more(name, "a report", y_pred, of_rows)
        return {"": given}
    if isinstance(given, Mapping) and any(isinstance(one, ClassReport) for one in given.values()):
        for key, one in given.items():
            if not isinstance(one, ClassReport):
                found = f"{short(key)} is {short(one)} ({type(one).__name__}), not a report"
                do = "Give a report, or a dict of name → report."
                raise error("K702", name=name, found=found, do=do)
        _refuse_more(name, "reports", y_pred, of_rows)
        if len(set(map(str, given))) < len(given):
            found = f"Two reports have one name as text: {shown(given)}"
            raise error("K702", name=name, found=found, do="Give each a text of its own.")
        return {str(key): one for key, one in given.items()}
    if isinstance(given, Confusion):
        _refuse_more(name, "a confusion matrix", y_pred, of_rows)
        return {"": ClassReport(given.cells)}
    if isinstance(given, SliceTable) and name == "intervals":
        _refuse_more(name, "slices", y_pred, of_rows)
        return {"": given}
    if isinstance(given, SliceTable | ByColumn):
        columns = given.columns if isinstance(given, SliceTable) else next(iter(given), "country")
        column = columns if isinstance(columns, str) or len(columns) > 1 else columns[0]
        do = f"Draw one metric of them: karat.plot.intervals(report.slices[{column!r}])."
        raise error("K702", name=name, found="It was given slices", do=do)
    if isinstance(given, SetReport):
        found = f"It was given the report of {count(given.n_rows)} rows with sets of labels"
        do = (
            "report.to_html() draws every label. Of one label, give its column: "
            f"{_OF_ONE_LABEL.get(name, f'karat.plot.{name}(y_true[:, 0], y_prob=y_prob[:, 0])')}."
        )
        raise error("K702", name=name, found=found, do=do)
    if isinstance(given, list | tuple) and any(isinstance(one, ClassReport) for one in given):
        found = f"It was given a {type(given).__name__} of reports"
        do = "Give a dict of name → report: {'old': report, 'new': other}."
        raise error("K702", name=name, found=found, do=do)
    if isinstance(given, Comparison):
        do = "Give the report of each model: {'a': karat.evaluate(...), 'b': karat.evaluate(...)}."
        raise error("K702", name=name, found="It was given a comparison", do=do)
    return {"": evaluate(given, y_pred, **of_rows)}


def _comparison_of(name: str, given: Any, y_pred: Any, of_rows: dict[str, Any]) -> Comparison:
    if isinstance(given, Comparison):
        _refuse_more(name, "a comparison", y_pred, of_rows)
        return given
    if isinstance(given, ClassReport):
        found, do = "It was given one report", "Give karat.compare(y_true, {'a': ..., 'b': ...})."
        raise error("K702", name=name, found=found, do=do)
    return compare(given, y_pred, **of_rows)


def _refuse_more(name: str, what: str, y_pred: Any, of_rows: dict[str, Any]) -> None:
    more = (["y_pred"] if y_pred is not None else []) + [f"{key}=" for key in of_rows]
    if more:
        found = f"karat.plot.{name} was given {what}, and {', '.join(more)}"
        do = "A report is drawn as it is: give these arguments to karat.evaluate."
        raise error("K160", argument=more[0], report=what, found=found, do=do)


def _docstring(
    body: Callable[..., None], own: list[inspect.Parameter], artist: str, *, is_comparison: bool
) -> str:
    text, _, example = inspect.cleandoc(body.__doc__ or "").partition("\n\nExample:")
    if is_comparison:
        first = "comparison: a `karat.Comparison`; or what `karat.compare` takes: y_true, then"
        first += " the models."
    else:
        first = "report: a `karat.Report`, or its confusion matrix; a dict of name → report; or"
        first += " y_true, with the other arguments of `karat.evaluate`."
    lines = [text, "", "Args:", f"    {first}"]
    taken = "models" if is_comparison else "predicted labels"
    lines += [f"    y_pred: {taken}, if no {first.partition(':')[0]} is given."]
    lines += ["    ax: the matplotlib Axes to draw on. Default: a new figure of pyplot."]
    lines += [f"    {item.name}: {_OPTIONS[item.name]}" for item in own if item.name in _OPTIONS]
    lines += [f"    {artist}: further arguments of the artists, for example ``linewidth=2``."]
    frame = "; around panels, their frame" if any(item.name == "panels" for item in own) else ""
    lines += ["", "Returns:", f"    The `matplotlib.axes.Axes`{frame}.", ""]
    lines += [
        "Errors:",
        "    K308: the report has no curves; K309: unknown class; K501: matplotlib",
    ]
    lines += [
        "    is not installed; K701: `ax` is not an Axes; K702: not a report. Rows are checked"
    ]
    lines += ["    as in `karat.evaluate`.", "", f"Example:{example}"]
    return "\n".join(lines)


BODIES: Final = (
    _confusion.confusion,
    _forest.compare,
    _forest.intervals,
    _reliability.reliability,
    _reliability.scores,
    _threshold.threshold,
    _traced.det,
    _traced.gain,
    _traced.lift,
    _traced.precision_recall,
    _traced.roc,
)
FUNCTIONS: Final = {body.__name__: _plotted(body) for body in BODIES}
