"""`karat monitor`: rules on predictions that keep coming, checked at every batch."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from karat.cli.gate import annotate_job, print_result
from karat.cli.options import (
    Described,
    Words,
    columns_of,
    labels_of,
    listed,
    record_options,
    request_of,
    shown_mapping,
    source_of,
)
from karat.cli.outputs import is_on_screen
from karat.cli.streams import said, tell_warnings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.api.monitors.monitor import Monitor

_SETTINGS: Final = ("anytime", "windows", "level", "labels", "positive", "threshold", "undefined")
_READING: Final = (
    *("true", "pred", "prob", "logit", "score", "weights", "clusters", "id", "nulls"),
    *("text", "decimal"),
    *("baseline_pred", "baseline_prob"),
)
"""Not `where`: it may choose the rows of a batch."""
_STORED: Final = {"weights": "weight", "clusters": "cluster", "id": "id_"}
"""Names that a state has for options."""


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
@record_options("monitor", first="RuleOptions")
@click.option(
    "--baseline-pred", metavar="COLUMN", help="Column of the predictions of another model."
)
@click.option(
    "--baseline-prob", metavar="COLUMNS", help="Columns of the probabilities of another model."
)
@click.option(
    "--wait",
    type=click.FloatRange(min=0),
    default=0.0,
    metavar="SECONDS",
    help="Wait for another process that is writing STATE. Default: do not wait.",
)
@click.option("--format", "format_", type=Words(["text", "json", "markdown"]), default="text")
@click.pass_context
def command(
    context: click.Context,
    /,
    state: Path,
    predictions: tuple[str, ...],
    format_: str,
    wait: float,
    **values: Any,
) -> int:
    """Add predictions to a state file and check its rules.

    Rules are about all rows so far, or with --windows about each batch alone. Limits hold at every
    look and for all rules together. The first call makes STATE and fixes the rules, the level and
    the columns; later calls need only new predictions. Without PREDICTIONS the verdicts so far are
    shown.

    Exit code 0: PASS. 1: FAIL: a rule failed at some look, with --windows in the last window. 2:
    wrong usage or input; STATE is unchanged. 3: INCONCLUSIVE with --inconclusive fail, which is
    the default for --max-drop and --no-worse-than; otherwise 0. 70: a bug in karat. 130:
    interrupted.
    """
    from karat.api.monitors.monitor import locked_state

    typed = {
        name: value
        for name, value in values.items()
        if context.get_parameter_source(name) == ParameterSource.COMMANDLINE
    }
    try:
        with locked_state(state, wait) if predictions else nullcontext():
            return _looked(state, predictions, format_, values, typed)
    except OSError as problem:
        raise click.FileError(str(state), problem.strerror or "unknown error") from None


def _looked(
    state: Path,
    predictions: Sequence[str],
    format_: str,
    values: dict[str, Any],
    typed: dict[str, Any],
) -> int:
    from karat.api.monitors.monitor import Monitor
    from karat.api.monitors.settings import KINDS
    from karat.api.request.spelled import in_groups
    from karat.results.gate.verdicts import rules_of

    bounds = {kind: listed(values[kind]) for kind in KINDS}
    rules = rules_of(**bounds)
    fixed = _fixed(typed)
    if state.exists():
        monitor = Monitor.load(state)
        names = {stored: name for name, stored in _STORED.items()}
        monitor.check_same(str(state), rules, fixed, names)
    elif not predictions:
        raise click.UsageError(
            f"There is no state {state} yet: give predictions and a rule, as\n"
            f"  karat monitor {state} day1.csv --min accuracy=0.9"
        )
    else:
        own: dict[str, Any] = {
            name: fixed[name] for name in (*_SETTINGS, "inconclusive") if name in fixed
        }
        monitor = Monitor(**in_groups({**bounds, **own}))
        monitor.reading.update({name: x for name, x in fixed.items() if name not in own})
    if predictions:
        _add(monitor, predictions, values)
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
    """Settings and options of reading that were typed, as JSON types, by their stored names."""
    names = (*_SETTINGS, *_READING, "inconclusive")
    fixed = {_STORED.get(name, name): typed[name] for name in names if name in typed}
    if "labels" in fixed:
        fixed["labels"] = labels_of(fixed["labels"])
    return fixed


def _add(monitor: Monitor, predictions: Sequence[str], values: dict[str, Any]) -> None:
    """Add the rows of files, read as at the first call."""
    from karat.cli.streams import ReadingBar

    names = {stored: name for name, stored in _STORED.items()}
    first = {names.get(stored, stored): value for stored, value in monitor.reading.items()}
    values = {**values, **first}
    source, baseline = source_of(predictions), values["baseline"]
    other = {"pred": values["baseline_pred"], "prob": columns_of(values["baseline_prob"])}
    is_column = any(name is not None for name in other.values())
    # What is not named is none, and not found by its name: it would be that of the first model.
    other = {role: "" if name is None else name for role, name in other.items()}
    if is_column and baseline is not None:
        raise click.UsageError("--baseline is another file: leave out --baseline-pred and -prob.")
    with ReadingBar() as bar:
        request = request_of("monitor", "Monitor.add", values, y_true=source, progress=bar)
        if is_column:
            request = request.but(baseline=source)
        monitor.add_rows(request, request.but(**other) if is_column else None)
