"""`karat monitor`: rules on predictions that keep coming, checked at every batch."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from karat.cli.gate import annotate_job, print_result, rule
from karat.cli.options import (
    Described,
    Words,
    columns_given,
    columns_of,
    labels_of,
    listed,
    options,
    options_given,
    shown_mapping,
    source_of,
)
from karat.cli.outputs import is_on_screen
from karat.cli.streams import said, tell_warnings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.api.monitors.monitor import Monitor

_RULES: Final = {
    "min": "min_",
    "max": "max_",
    "max_drop": "max_drop",
    "no_worse_than": "no_worse_than",
}
_SETTINGS: Final = ("anytime", "windows", "level", "labels", "positive", "threshold", "undefined")
_READING: Final = ("true", "pred", "prob", "score", "weight", "cluster", "id_")
_READING_MORE: Final = ("nulls", "baseline_pred", "baseline_prob")
"""Not `where`: it may choose the rows of a batch."""


@click.command(
    "monitor",
    cls=Described,
    examples=(
        "karat monitor spam.karat monday.csv --min recall=0.8 --positive spam",
        "karat monitor spam.karat tuesday.csv",
        "karat monitor spam.karat all.csv --where \"day = '2026-05-02'\"",
        "karat monitor spam.karat",
        "karat monitor weeks.karat week1.csv --windows --min accuracy=0.9",
        "karat monitor ab.karat day1.csv --baseline-pred old --max-drop macro_f1=0.01",
        "karat monitor ab.karat day1.csv --baseline old.csv --max-drop accuracy=0.01",
    ),
    no_args_is_help=True,
)
@click.argument("state", type=click.Path(path_type=Path), metavar="STATE")
@click.argument("predictions", nargs=-1, metavar="[PREDICTIONS…]")
@rule("--min", "min_", help="Require a value of at least X. Separate several by commas, or repeat.")
@rule("--max", "max_", help="Require a value of at most X.")
@click.option("--baseline", metavar="FILE", help="Predictions of another model, same rows.")
@click.option(
    "--baseline-pred", metavar="COLUMN", help="Column of the predictions of another model."
)
@click.option(
    "--baseline-prob", metavar="COLUMNS", help="Columns of the probabilities of another model."
)
@rule("--max-drop", help="Fail if the drop is shown to exceed X, pass if that is excluded.")
@rule("--no-worse-than", help="Like --max-drop, but pass if a drop of X or more is excluded.")
@click.option(
    "--inconclusive",
    type=Words(["pass", "fail"]),
    help="Verdict while a rule is not decided; fail has the exit code 3. Default: fail for "
    "--max-drop and --no-worse-than, pass for other rules.",
)
@click.option(
    "--wait",
    type=click.FloatRange(min=0),
    default=0.0,
    metavar="SECONDS",
    help="Wait for another process that is writing STATE. Default: do not wait.",
)
@click.option("--again", is_flag=True, help="Add a batch whose content was added before.")
@options("true", "pred", "prob", "score", "threshold", "weight", "cluster", "id", "where")
@options("labels", "positive", "undefined", "nulls")
@click.option(
    "--level",
    type=float,
    default=0.95,
    show_default=True,
    help="1 − the accepted rate of wrong verdicts, of all looks and rules together.",
)
@click.option(
    "--anytime",
    type=int,
    metavar="N",
    help="Planned number of rows: limits are narrowest there. Default: 10000.",
)
@click.option("--windows", is_flag=True, help="Judge each batch alone, not all rows so far.")
@options("threads")
@click.option("--format", "format_", type=Words(["text", "json", "markdown"]), default="text")
@click.pass_context
def command(
    context: click.Context,
    /,
    state: Path,
    predictions: tuple[str, ...],
    baseline: str | None,
    format_: str,
    again: bool,
    wait: float,
    **given: Any,
) -> int:
    """Add predictions to a state file and check its rules.

    Rules are about all rows so far, or with --windows about each batch alone. Limits hold at every
    look and for all rules together. The first call makes STATE and fixes the rules, the level and
    the columns; later calls need only new predictions. Without PREDICTIONS the verdicts so far are
    shown.

    Exit code 0: PASS. 1: FAIL: a rule failed at some look, with --windows in the last window. 2:
    wrong usage or input; STATE is unchanged. 3: INCONCLUSIVE; 0 with --inconclusive pass. 70: a
    defect of karat. 130: interrupted.
    """
    from karat.api.monitors.monitor import locked_state

    typed = {
        name: given[name]
        for name in given
        if context.get_parameter_source(name) == ParameterSource.COMMANDLINE
    }
    try:
        with locked_state(state, wait) if predictions else nullcontext():
            return _looked(state, predictions, baseline, format_, given, typed, again=again)
    except OSError as problem:
        raise click.FileError(str(state), problem.strerror or "unknown error") from None


def _looked(
    state: Path,
    predictions: Sequence[str],
    baseline: str | None,
    format_: str,
    given: dict[str, Any],
    typed: dict[str, Any],
    *,
    again: bool,
) -> int:
    from karat.api.monitors.monitor import Monitor
    from karat.results.gate.verdicts import rules_of

    rules = rules_of(**{kind: listed(given[name]) for kind, name in _RULES.items()})
    fixed = _fixed(typed)
    if state.exists():
        monitor = Monitor.load(state)
        monitor.check_same(str(state), rules, fixed)
    elif not predictions:
        raise click.UsageError(
            f"There is no state {state} yet: give predictions and a rule, as\n"
            f"  karat monitor {state} day1.csv --min accuracy=0.9"
        )
    else:
        own = {name: fixed[name] for name in (*_SETTINGS, "inconclusive") if name in fixed}
        bounds: dict[str, Any] = {kind: listed(given[name]) for kind, name in _RULES.items()}
        monitor = Monitor(**bounds, **own)
        monitor.reading.update({name: x for name, x in fixed.items() if name not in own})
    if predictions:
        _add(monitor, predictions, baseline, given, again=again)
        monitor.save_locked(state)
    result = monitor.result
    if result.mapping is not None:
        said(shown_mapping(result.mapping, monitor.settings.threshold))
    if not is_on_screen(format_, None):
        tell_warnings(result.doubts)
    annotate_job(result)
    print_result(result, format_)
    return result.exit_code


def _fixed(typed: dict[str, Any]) -> dict[str, Any]:
    """Settings and options of reading that were typed, as JSON types."""
    names = (*_SETTINGS, *_READING, *_READING_MORE, "inconclusive")
    found = {name: typed[name] for name in names if name in typed}
    if "labels" in found:
        found["labels"] = labels_of(found["labels"])
    return found


def _add(
    monitor: Monitor,
    predictions: Sequence[str],
    baseline: str | None,
    given: dict[str, Any],
    *,
    again: bool,
) -> None:
    """Add the rows of files, read as at the first call."""
    from karat.api.gate.rows import RowsSpec
    from karat.cli.streams import ReadingBar

    reading = {"folds": None, "separator": None, **given, **monitor.reading}
    source = source_of(predictions)
    columns = columns_given(reading)
    of_other = {"pred": reading["baseline_pred"], "prob": columns_of(reading["baseline_prob"])}
    is_column = any(name is not None for name in of_other.values())
    # What is not named is none, and not found by its name: it would be that of the first model.
    of_other = {role: "" if name is None else name for role, name in of_other.items()}
    if is_column and baseline is not None:
        raise click.UsageError("--baseline is another file: leave out --baseline-pred and -prob.")
    with ReadingBar() as bar:
        options = {**options_given(reading), "progress": bar}
        rows = RowsSpec(source, None, None, None, columns, options)
        other = {**columns, **of_other} if is_column else None
        monitor.add_rows(rows, source if is_column else baseline, other, again=again)
