"""Options of gold labels and a judge's, and the reports that they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from karat.cli.options import level_of
from karat.cli.streams import said, tell_warnings

if TYPE_CHECKING:
    from karat.api.judging import JudgedReport

Command = TypeVar("Command", bound=Callable[..., Any])


def judge_options(command: Command) -> Command:
    """Add the options of gold labels and a judge's."""
    for option in reversed(
        [
            click.option(
                "--judge",
                metavar="COLUMN",
                help="Column of a judge's label for every row (an LLM, a weak rater); gold labels "
                "then may be missing.",
            ),
            click.option(
                "--gold",
                metavar="COLUMN",
                help="Column of gold labels, empty where nobody labeled. Default: the truth.",
            ),
            click.option(
                "--gold-weight",
                "gold_weights",
                metavar="COLUMN",
                help="Column of the inverse probability of each row to get a gold label.",
            ),
            click.option(
                "--gold-is-random",
                is_flag=True,
                help="State that rows with gold labels are a random part of all rows.",
            ),
        ]
    ):
        command = option(command)
    return command


def report_judged(
    source: Any, columns: Mapping[str, Any], classes: Mapping[str, Any], given: Mapping[str, Any]
) -> JudgedReport:
    """Return the report of files with gold labels and a judge's."""
    from karat.api.judging import judged_report, judged_spec, refuse_gold_alone
    from karat.data.judged import judged_table

    refuse_gold_alone(given)
    options = {
        **{name: given[name] for name in ("side", "method", "design", "seed", "undefined")},
        **{name: given[name] for name in ("nulls", "threshold", "metrics", "checkpoint", "exact")},
        "level": level_of(given["level"]),
        "separator": columns["separator"],
        "anytime": given.get("anytime"),
        "by": given["by"] or None,
        "keep_rows": given["keep_rows"] or given["errors"],
        "n_threads": given["threads"],
        "weights_are": "importance",
        "n_replicates": 1000,
    }
    spec = judged_spec(options)
    roles = {role: columns[role] for role in ("true", "pred", "prob", "score", "clusters")}
    roles |= {role: given[role] for role in ("gold", "judge", "gold_weights")}
    rows = judged_table(
        source,
        {**roles, "weights": given["weight"]},
        **classes,
        where=given["where"],
        labels_are_text=True,
        threshold=given["threshold"],
        n_threads=given["threads"],
    )
    return judged_report(rows, spec, is_random=given["gold_is_random"])


def tell_judged(report: JudgedReport, *, says_warnings: bool = True) -> None:
    """Write the columns by role and the warnings of a report to standard error."""
    from karat.errors.text import counted
    from karat.output.describe_judged import shown_roles

    said(f"{shown_roles(report)} ({counted(report.n_rows, 'row')})")
    tell_warnings(report.warnings if says_warnings else ())
