"""`check`: what can be measured with an input, what is missing, and every doubt about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from karat.api.evaluation import report_of_request
from karat.api.request.request import Request
from karat.api.request.verbs import verb
from karat.errors import KaratError
from karat.errors.doubts import LikeProbabilitiesDoubt, NoPositiveDoubt, without_doubts
from karat.output.describe_sets import split_of
from karat.results import check as checked
from karat.results.sets import SetReport
from karat.tally import Classes

if TYPE_CHECKING:
    from karat.output.document import Document

_MOST_QUESTIONS: Final = 3
_OF_ANSWERS: Final = (NoPositiveDoubt, LikeProbabilitiesDoubt)
"""Doubts that an error asks about already."""


class Check(checked.Check):
    """Results that an input allows, what others need, and every doubt about the input.

    It is true where a report can be made and nothing is in doubt.

    Attributes:
        n_rows: rows that would be measured; 0 where they could not be read.
        classes: their classes, or None.
        mapping: column by role, of a table or of files.
        scores: ``"probabilities"``, ``"logits"``, ``"scores"`` or None.
        problems: what a report raises, one after the other: errors with the options that settle
            them. ``.problem`` is the first, or None.
        doubts: what is unusual, each with the option that settles it.
        warnings: other sentences the reader should see.
        has_clusters, has_slices: whether they were given.
        has_sets: whether rows have sets of labels.
        has_predictions: whether a class is predicted for each row.
        threshold: at or above which the positive class, or a label, is predicted, or None.
    """

    def text(self, width: int = 80) -> str:
        """Return the check as plain text of at most `width` columns."""
        from karat.output.layout import text_of

        return text_of(self._document(), width)

    def __str__(self) -> str:
        return self.text()

    def _document(self) -> Document:
        from karat.output.checked import describe_check

        return describe_check(self)

    def _repr_html_(self) -> str:
        from karat.output.notebook import html_of

        return html_of(self._document())


@verb
def check(request: Request) -> Check:
    """Return what can be measured with an input, what is missing, and what is in doubt.

    Rows are read and labels are counted as `karat.evaluate` does; no metric is computed. What
    `karat.evaluate` refuses is the `problem` of the check, not an error.

    Returns:
        A `Check`: true where a report can be made and nothing is in doubt. ``.problem``,
        ``.doubts``, ``.abilities``, ``.mapping``, ``print``.

    Errors:
        K126 an argument that does not exist; K122, K227 an option that no rows could be read with.

    Cost: one pass over the rows.

    Example:
        >>> import karat
        >>> found = karat.check(["fraud", "ok", "ok"], y_prob=[0.9, 0.2, 0.1])
        >>> bool(found), found.problem.code
        (False, 'K190')
        >>> print(karat.check([1, 0, 0], y_score=[0.9, 0.2, 0.1]).doubts[0].evidence)
        All 3 scores lie in [0, 1].
    """
    return check_of(request)


def check_of(request: Request) -> Check:
    """The check of a request."""
    clusters = request.clusters
    # An empty name declares that rows are independent.
    has_clusters = clusters is not None and not (isinstance(clusters, str) and not clusters)
    has_slices = request.by is not None
    request = request.but(is_dry=True, level=None)
    problems: list[KaratError] = []
    report = None
    for _ in range(_MOST_QUESTIONS):
        try:
            report = report_of_request(request)
            break
        except KaratError as found:
            problems.append(found)
            # One question must not hide the doubts: with any answer to it the rest is read.
            answer = found.context.get("settled_by")
            if not isinstance(answer, dict):
                break
            request = request.but(**answer)
    if report is None:
        return Check(problems=tuple(problems), has_clusters=has_clusters, has_slices=has_slices)
    doubts = report.doubts
    others = (*without_doubts(report.warnings), *split_of(report.source))
    if problems:
        # What an answer was tried with is no finding.
        doubts = tuple(one for one in doubts if not isinstance(one, _OF_ANSWERS))
        classes = Classes(report.classes.labels)
        return Check(report.n_rows, classes, {}, None, tuple(problems), doubts, others)
    return Check(
        report.n_rows,
        report.classes,
        report.mapping,
        report.scores,
        (),
        doubts,
        others,
        has_clusters,
        has_slices,
        isinstance(report, SetReport),
        report.has_predictions,
        report.threshold,
    )
