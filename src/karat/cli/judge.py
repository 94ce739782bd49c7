"""Options of gold labels and a judge's, and the reports that they make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from karat.cli.options import is_typed
from karat.cli.streams import said, tell_warnings

if TYPE_CHECKING:
    from pathlib import Path

    from karat.api.judging import JudgedReport
    from karat.api.request.request import Request
    from karat.api.results import Comparison


_NO_FLIPS: Final = "Systems with a judge are compared by estimates, not row by row"


def report_judged(request: Request) -> JudgedReport:
    """Return the report of files with gold labels and a judge's."""
    from karat.api.judging import judge_columns, judged_report, judged_spec
    from karat.api.sources import columns_to_read
    from karat.data.judged import judged_table

    typed = request.but(
        by=request.by or None, max_memory=request.max_memory if is_typed("max_memory") else None
    )
    spec = judged_spec(typed)
    rows = judged_table(request.y_true, judge_columns(request), columns_to_read(request))
    return judged_report(rows, spec, is_random=request.gold_is_random)


def compare_judged(
    sources: Mapping[str, Any], request: Request, flips: Path | None, baseline: str | None
) -> Comparison:
    """Return the comparison of files of the same rows, with gold labels and a judge's.

    Args:
        sources: files by the name of their system.
        flips: file of the rows on which only one is right, which it does not write.
        baseline: the system that others are compared with.
    """
    from karat.api.comparing import compare_models, comparison_spec
    from karat.api.judged_models import judged_models_of_files
    from karat.api.spec import Spec
    from karat.errors import error
    from karat.errors.together import refuse

    if flips is not None:
        raise error("K243", argument="--flips", found=_NO_FLIPS, do="Leave it out.")
    refuse("compare", "judge", request.but(threshold=None).chosen)
    policy = request.undefined
    spec = Spec(None, policy, None, request.n_threads, request.threshold)
    models = judged_models_of_files(sources, request, spec)
    for name, rows in models.rows.items():
        said(f"{name}: {shown_roles_of(rows.rows.mapping)} ({rows.rows.n} rows)")
    choices = comparison_spec(request)
    return compare_models(models, choices, request.metrics, request.margin, baseline, policy=policy)


def shown_roles_of(mapping: Mapping[str, Any]) -> str:
    """Return the columns by role in one line."""
    from karat.output.describe_judged import shown_roles
    from karat.results.roles import by_name

    return shown_roles(by_name(mapping))


def tell_judged(report: JudgedReport, *, says_warnings: bool = True) -> None:
    """Write the columns by role and the warnings of a report to standard error."""
    from karat.errors.text import counted
    from karat.output.describe_judged import shown_roles

    said(f"{shown_roles(report.mapping)} ({counted(report.n_rows, 'row')})")
    tell_warnings(report.warnings if says_warnings else ())
