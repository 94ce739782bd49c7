"""Options of gold labels and a judge's, and the reports that they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from karat.cli.options import level_of
from karat.cli.streams import said, tell_warnings

if TYPE_CHECKING:
    from karat.api.judging import JudgedReport
    from karat.api.results import Comparison

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
                help="Column of gold labels, empty for rows without one. Default: the truth.",
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
        "folds": given["folds"],
        "keep_rows": given["keep_rows"],
        "errors": given["errors"],
        "max_memory": given["max_memory"],
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


def compare_judged(
    sources: Mapping[str, Any], given: Mapping[str, Any], refused: Mapping[str, Any], **asked: Any
) -> Comparison:
    """Return the comparison of files of the same rows, with gold labels and a judge's."""
    from karat.api.comparing import compare_models, comparison_spec
    from karat.api.judged_models import judged_models_of_files
    from karat.api.measuring import Spec
    from karat.cli.options import columns_given, labels_of
    from karat.errors import error

    refused = {**refused, "--separator": given["separator"], "--anytime": given.get("anytime")}
    refused["--folds"] = given["folds"]
    refused = {**refused, "--nulls": None if given["nulls"] == "error" else given["nulls"]}
    for name, value in refused.items():
        if value is not None:
            found = "Systems with a judge are compared on the same rows, one class a row, once"
            raise error("K243", argument=name, found=found, do="Leave it out.")
    columns = {**columns_given(given), **{x: given[x] for x in ("gold", "judge", "gold_weights")}}
    reading = {name: given[name] for name in ("positive", "threshold", "where")}
    reading |= {"labels": labels_of(given["labels"]), "labels_are_text": True}
    reading |= {"n_threads": given["threads"]}
    spec = Spec(None, given["undefined"], None, given["threads"], given["threshold"])
    options = {"is_random": given["gold_is_random"]}
    models = judged_models_of_files(sources, columns, reading, spec, **options)
    for name, rows in models.rows.items():
        said(f"{name}: {shown_roles_of(rows.rows.mapping)} ({rows.rows.n} rows)")
    choices = comparison_spec(given["level"], given["adjust"], given["seed"])
    return compare_models(models, choices, **asked, policy=given["undefined"])


def shown_roles_of(mapping: Mapping[str, Any]) -> str:
    """Return the columns by role in one line."""
    from karat.output.describe_judged import shown_roles

    return shown_roles(mapping)


def tell_judged(report: JudgedReport, *, says_warnings: bool = True) -> None:
    """Write the columns by role and the warnings of a report to standard error."""
    from karat.errors.text import counted
    from karat.output.describe_judged import shown_roles

    said(f"{shown_roles(report.mapping)} ({counted(report.n_rows, 'row')})")
    tell_warnings(report.warnings if says_warnings else ())
