"""The report of some of the labels of rows with sets."""

from __future__ import annotations

from collections.abc import Sequence

from karat.api.options import one_of
from karat.data.sources.arrays.sets import places_of
from karat.errors import error
from karat.results.sets import SetReport
from karat.tally import Label


def of_some_labels(report: SetReport, labels: Sequence[Label] | str) -> SetReport:
    """The report of some of the labels alone; see `Report.of_labels`."""
    if isinstance(labels, str):
        labels = _labels_of(report, labels)
    if report.encoded is None:
        do = "Evaluate the rows again: JSON does not hold them."
        raise error("K211", name="a report of some labels", do=do)
    return report.of_rows(report.encoded.only(places_of(labels, report.classes, "labels")))


def _labels_of(report: SetReport, word: str) -> Sequence[Label]:
    """The labels that a word stands for."""
    do = "'present' takes the labels that are true in some row, 'either' the predicted too."
    chosen = one_of("labels", word, ("all", "present", "either"), do)
    tp, fp, fn, _ = report.tally.counts
    known = {"all": tp >= 0, "present": tp + fn > 0, "either": tp + fn + fp > 0}[chosen]
    return [label for label, is_in in zip(report.labels, known.tolist(), strict=True) if is_in]
