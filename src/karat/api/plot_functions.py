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
from karat.api.results import Comparison, Confusion, Report
from karat.errors import error, short, shown
from karat.errors.habits import karat_word, unknown_argument
from karat.output.plots import _confusion, _forest, _reliability, _threshold, _traced
from karat.output.plots._axes import axes_of, check_matplotlib

_OPTIONS: Final = {
    "classes": "labels of the classes to draw, or one; default: all, and of two the positive one."
    " Of more than can be distinguished, the worst, with the others faint behind them.",
    "panels": "whether to draw each class in a panel of its own, with equal axes; default: of 4 to"
    " 12 classes, unless `ax` is given. The panels are `child_axes` of the Axes.",
    "band": "whether to shade the simultaneous band of each curve, at the level of the intervals of"
    " its report (95 % without any); default: if a single curve is drawn and its report has"
    " intervals. See `karat.curves.Roc.band`.",
    "mean": "whether to draw the mean of the curves of all classes of a report; default: if some"
    " classes have no name of their own.",
    "chance": "whether to draw the curve of a random order.",
    "decision": "whether to mark the point of the predictions.",
    "heading": "whether to write what is drawn, of which class and model and of how many rows, as"
    " the title of the Axes.",
    "normalize": 'what cells are labeled with. None: counts; "true": proportions of each true'
    ' class, "pred": of each predicted one; "all": of all rows.',
    "shade": 'what cells are colored by: "true", "pred" or "all" as above, or "count"; default:'
    ' as `normalize`, else "true".',
    "sort": '"class": in the order of the report; "error": the class with most wrong rows first.',
    "annotate": "whether to write every cell; default: up to 20 classes.",
    "totals": "whether to write totals of rows and columns; default: where cells are written.",
    "colorbar": "whether to draw one.",
    "metrics": "names, or one.",
    "spread": "whether to draw the spread of the proportions by chance.",
    "histogram": "whether to shade the number of rows in each bin.",
    "shares": "whether heights are proportions of the rows of the class; default: of several"
    " classes.",
    "log": "whether the scale of the rows is logarithmic.",
    "legend": "whether to draw one.",
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


def _reports_of(name: str, given: Any, y_pred: Any, of_rows: dict[str, Any]) -> dict[str, Report]:
    """Reports by name (K160, K702)."""
    if isinstance(given, Report):
        _refuse_more(name, "a report", y_pred, of_rows)
        return {"": given}
    if isinstance(given, Mapping) and any(isinstance(one, Report) for one in given.values()):
        for key, one in given.items():
            if not isinstance(one, Report):
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
        return {"": Report(given.cells)}
    if isinstance(given, list | tuple) and any(isinstance(one, Report) for one in given):
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
    if isinstance(given, Report):
        found, do = "It was given one report", "Give karat.compare(y_true, {'a': ..., 'b': ...})."
        raise error("K702", name=name, found=found, do=do)
    return compare(given, y_pred, **of_rows)


def _refuse_more(name: str, what: str, y_pred: Any, of_rows: dict[str, Any]) -> None:
    more = (["y_pred"] if y_pred is not None else []) + [f"{key}=" for key in of_rows]
    if more:
        found = f"karat.plot.{name} was given {what}, and {', '.join(more)}"
        do = "A report is drawn as it is: give such arguments where it is made."
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
    lines += ["    y_pred: as its function takes it, where there is no report."]
    lines += ["    ax: the matplotlib Axes to draw on; default: those of a new figure of pyplot."]
    lines += [f"    {item.name}: {_OPTIONS[item.name]}" for item in own if item.name in _OPTIONS]
    lines += [f"    {artist}: further arguments of the artists, as ``linewidth=2``."]
    lines += ["", "Returns:", "    The `matplotlib.axes.Axes`.", ""]
    lines += ["Errors:", "    K308 the report holds no curves; K309 no such class; K501 matplotlib"]
    lines += ["    is missing; K701 `ax` is no Axes; K702 it is no report. Of rows, those of"]
    lines += ["    `karat.evaluate`.", "", f"Example:{example}"]
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
