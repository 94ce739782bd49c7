"""Options of gold labels and a judge's, and the reports that they make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from karat.cli.options import is_typed
from karat.cli.streams import said, tell_warnings

if TYPE_CHECKING:
    from karat.api.judging import JudgedReport
    from karat.api.request.request import Request
    from karat.api.results import Comparison


def report_judged(request: Request) -> JudgedReport:
    """Return the report of files with gold labels and a judge's."""
    from karat.api.judging import judge_columns, judged_report, judged_spec, refuse_gold_alone
    from karat.api.sources import columns_to_read
    from karat.data.judged import judged_table

    refuse_gold_alone(request)
    typed = request.but(
        by=request.by or None, max_memory=request.max_memory if is_typed("max_memory") else None
    )
    spec = judged_spec(typed)
    rows = judged_table(request.y_true, judge_columns(request), columns_to_read(request))
    return judged_report(rows, spec, is_random=request.gold_is_random)


def compare_judged(
    sources: Mapping[str, Any], request: Request, refused: Mapping[str, Any], baseline: str | None
) -> Comparison:
    """Return the comparison of files of the same rows, with gold labels and a judge's.

    Args:
        sources: files by the name of their system.
        refused: options of the command that it does not have; None where one is not given.
        baseline: the system that others are compared with.
    """
    from karat.api.comparing import compare_models, comparison_spec
    from karat.api.judged_models import judged_models_of_files
    from karat.api.measuring import Spec
    from karat.api.options import check_policy
    from karat.errors import error

    refused = {**refused, "--separator": request.separator, "--anytime": request.anytime}
    refused["--folds"] = request.folds
    refused = {**refused, "--nulls": None if request.nulls == "error" else request.nulls}
    for name, value in refused.items():
        if value is not None:
            found = "Systems with a judge are compared on the same rows, one class a row, once"
            raise error("K243", argument=name, found=found, do="Leave it out.")
    policy = check_policy(request.undefined)
    spec = Spec(None, policy, None, request.n_threads, request.threshold)
    models = judged_models_of_files(sources, request, spec)
    for name, rows in models.rows.items():
        said(f"{name}: {shown_roles_of(rows.rows.mapping)} ({rows.rows.n} rows)")
    choices = comparison_spec(request)
    return compare_models(models, choices, request.metrics, request.margin, baseline, policy=policy)


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
