"""Conformance of sources: the same rows give the same report from any source, in any batches.

A source written elsewhere is one class:

    class TestMyTable(karat.testing.SourceLaws):
        name = "my table"

        def source(self, sample, n_batches):
            return MyTable(sample.columns, n_batches), sample.names

pytest collects its laws; `check_source` runs them without pytest.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

from karat.api.evaluation import evaluate
from karat.api.report import Report
from karat.api.request.spelled import in_groups
from karat.errors import KaratError
from karat.testing.samples import FEATURES, N_ROWS, SUBJECTS, Sample, check_subjects, samples

_MOST_SHOWN: Final = 12
_OWN: Final = frozenset({"source", "mapping", "warnings", "doubts"})
"""Parts of a report that describe its source or name its columns."""


class SourceLaws:
    """Laws that every source of rows obeys: its report equals that of one call on plain arrays.

    Write one subclass for each source, with a name that starts with ``Test``, and define `name`
    and `source`. Each law evaluates the samples of one subject in every batching. Counts, classes
    and error codes must be equal; sums, and results computed from them, must agree within
    `within`; exact values must lie within the `Result.bound` of bounded ones.

    Attributes:
        name: the name of the source in messages.
        batchings: numbers of batches (files, partitions) that the rows are cut into.
        options: keywords of `karat.evaluate` added to every sample, such as
            ``{"reading": karat.Reading(max_memory="1 GB")}``.
        refuses: feature → code of the error that must refuse it.
        lacks: features that the source cannot represent; samples with them are left out. Features
            are those of `karat.testing.FEATURES`.
        subjects: subjects whose samples are evaluated; the other laws hold for no sample.
        n_rows: rows of each sample; None: 48. Bounded storages need more.
        has_columns: whether a report maps roles to columns.
        within: largest relative difference of sums.
        left_out: metrics that a bounded storage does not compute.

    Example:
        >>> import karat.testing
        >>> class TestDict(karat.testing.SourceLaws):
        ...     name = "dict of columns"
        ...     batchings = (1,)
        ...     subjects = ("labels", "weights")
        ...
        ...     def source(self, sample, n_batches):
        ...         return dict(sample.columns), sample.names
        >>> karat.testing.check_source(TestDict)
        15
    """

    name: ClassVar[str] = ""
    batchings: ClassVar[Sequence[int]] = (1, 2, 7)
    options: ClassVar[Mapping[str, Any]] = {}
    refuses: ClassVar[Mapping[str, str]] = {}
    lacks: ClassVar[Collection[str]] = ()
    subjects: ClassVar[Collection[str]] = SUBJECTS
    n_rows: ClassVar[int | None] = None
    has_columns: ClassVar[bool] = True
    within: ClassVar[float] = 1e-12
    left_out: ClassVar[Collection[str]] = ()

    folder: Path
    """An empty folder that exists while one report is computed and compared."""

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        """Return the rows of a sample in this source.

        Args:
            sample: `Sample.columns` holds the rows; `Sample.parts` cuts them into batches.
            n_batches: one of `batchings`.

        Returns:
            The first argument of `karat.evaluate`, and keywords: `Sample.names` for a table.
            The options of the sample are added to them.
        """
        raise NotImplementedError(f"{type(self).__name__} defines no source()")

    def report(self, sample: Sample, n_batches: int) -> Report:
        """Evaluate a sample; override it for a source that is no argument of `karat.evaluate`."""
        first, keywords = self.source(sample, n_batches)
        return evaluate(first, **in_groups({**keywords, **sample.options, **self.options}))

    def cases(self, subject: str) -> list[Sample]:
        """Return the samples of a subject that the source can represent."""
        unknown = {*self.lacks, *self.refuses} - {*FEATURES}
        if unknown:
            raise ValueError(f"{sorted(unknown)} are no features; features are {list(FEATURES)}")
        check_subjects(self.subjects)
        if subject not in self.subjects:
            return []
        found = samples(N_ROWS if self.n_rows is None else self.n_rows, subjects=[subject])
        return [sample for sample in found if not sample.features & set(self.lacks)]

    def test_labels(self) -> None:
        """Labels of every type are counted in their cells."""
        self.check("labels")

    def test_classes(self) -> None:
        """Classes keep their order, names and the positive one, also those that never occur."""
        self.check("classes")

    def test_weights(self) -> None:
        """Each row counts with its weight."""
        self.check("weights")

    def test_clusters(self) -> None:
        """Intervals account for clusters."""
        self.check("clusters")

    def test_slices(self) -> None:
        """Each slice has its rows, metrics and differences."""
        self.check("slices")

    def test_scores(self) -> None:
        """Columns of probabilities and scores belong to their classes."""
        self.check("scores")

    def test_nulls(self) -> None:
        """`nulls="drop"` leaves rows with missing values out and counts them."""
        self.check("nulls")

    def test_sets(self) -> None:
        """Sets of labels are those of lists of labels, in every batching."""
        self.check("sets")

    def test_roles(self) -> None:
        """Columns are found by their names."""
        self.check("roles")

    def test_options(self) -> None:
        """Options of intervals, averages and metrics change the results."""
        self.check("options")

    def test_errors(self) -> None:
        """Unusable rows raise the error that arrays raise."""
        self.check("errors")

    def check(self, subject: str) -> int:
        """Compare the reports of one subject with those of plain arrays.

        Returns:
            The number of reports that were compared.

        Raises:
            AssertionError: the differences, with the path of each number in `Report.to_dict`.
        """
        failed, cases = [], self.cases(subject)
        for sample in cases:
            for n_batches in self.batchings:
                problems = list(self._problems(sample, n_batches))
                if problems:
                    more = len(problems) - _MOST_SHOWN
                    shown = [*problems[:_MOST_SHOWN], *([f"and {more} more"] if more > 0 else [])]
                    title = (
                        f"{self.name or type(self).__name__}, {sample.name}, {n_batches} batches"
                        f" (features: {', '.join(sorted(sample.features))}):"
                    )
                    failed.append("\n    ".join([title, *shown]))
        if failed:
            total = len(cases) * len(self.batchings)
            raise AssertionError(
                "\n  ".join([f"{len(failed)} of {total} reports differ:", *failed])
            )
        return len(cases) * len(self.batchings)

    def _problems(self, sample: Sample, n_batches: int) -> Iterator[str]:
        refusals = [code for feature, code in self.refuses.items() if feature in sample.features]
        wanted = refusals[0] if refusals else sample.reference
        with tempfile.TemporaryDirectory() as folder:
            self.folder = Path(folder)
            try:
                found = self.report(sample, n_batches)
                described = found.to_dict()
            except KaratError as problem:
                if not isinstance(wanted, str):
                    yield f"{problem.code}, not a report: {problem}"
                elif problem.code != wanted:
                    yield f"{problem.code}, not {wanted}: {problem}"
                return
        if isinstance(wanted, str):
            yield f"a report, not the error {wanted}"
            return
        yield from self._of_source(found, sample)
        compared = _Comparison(self.within, frozenset(self.left_out))
        yield from compared.reports(described, sample.described)

    def _of_source(self, found: Report, sample: Sample) -> Iterator[str]:
        n_dropped = found.source.get("n_dropped", 0)
        if n_dropped != sample.n_dropped:
            yield f"source.n_dropped: {n_dropped}, not {sample.n_dropped}"
        mapping = {role: name for role, name in found.mapping.items() if name}
        wanted = sample.mapping if self.has_columns else {}
        if mapping != wanted:
            yield f"mapping: {mapping}, not {wanted}"


def check_source(laws: type[SourceLaws]) -> int:
    """Check every law of a source without pytest.

    Args:
        laws: a subclass of `SourceLaws`.

    Returns:
        The number of reports that were compared.

    Raises:
        AssertionError: the differences, by law and sample.
    """
    source = laws()
    n_compared, problems = 0, []
    for subject in SUBJECTS:
        try:
            getattr(source, f"test_{subject}")()
            n_compared += len(source.cases(subject)) * len(source.batchings)
        except AssertionError as problem:
            problems.append(f"test_{subject}: {problem}")
    if problems:
        raise AssertionError("\n".join([f"{len(problems)} laws do not hold.", *problems]))
    return n_compared


def differences(
    found: Report, wanted: Report, *, within: float = 1e-12, left_out: Collection[str] = ()
) -> Iterator[str]:
    """Describe each difference of two reports: its path in `Report.to_dict`, and both values.

    Args:
        found: a report, exact or bounded.
        wanted: the exact report of the same rows.
        within: largest difference of two floats, relative to the larger and to 1.
        left_out: metrics that `found` may lack.

    Example:
        >>> import karat
        >>> from karat.testing import differences
        >>> reports = [karat.evaluate([0, 1, 1], [0, 1, last], level=None) for last in (0, 1)]
        >>> next(differences(*reports))
        'confusion[1][0]: 1, not 0'
    """
    compared = _Comparison(within, frozenset(left_out))
    yield from compared.reports(found.to_dict(), wanted.to_dict())


class _Comparison:
    """Compares two reports as JSON types."""

    def __init__(self, within: float, left_out: frozenset[str]) -> None:
        self.within, self.left_out = within, left_out

    def reports(self, found: dict[str, Any], wanted: dict[str, Any]) -> Iterator[str]:
        for name in dict.fromkeys(["n_rows", "classes", "confusion", *wanted]):
            if name not in _OWN and name in wanted:
                yield from self.walk(found.get(name), wanted[name], name)

    def walk(self, found: Any, wanted: Any, path: str) -> Iterator[str]:
        if isinstance(found, dict) and isinstance(wanted, dict):
            yield from self._dicts(found, wanted, path)
        elif isinstance(found, list) and isinstance(wanted, list):
            wanted = [item for item in wanted if not self._may_lack(item)]
            if len(found) != len(wanted):
                yield f"{path}: {len(found)} entries, not {len(wanted)}"
                return
            for place, pair in enumerate(zip(found, wanted, strict=True)):
                yield from self.walk(*pair, f"{path}[{place}]")
        elif type(found) is not type(wanted) or not self._same(found, wanted):
            yield f"{path}: {found!r}, not {wanted!r}"

    def _dicts(self, found: dict[str, Any], wanted: dict[str, Any], path: str) -> Iterator[str]:
        is_bounded = wanted.get("exact") is True and found.get("exact") is False
        if is_bounded or ("bound" in found and "bound" not in wanted):
            yield from self._bounded(found, wanted, path)
            return
        bounds = found.get("bounds", {})
        # Names of columns declare classes, and no order.
        free = self.left_out | ({"is_ordered", "order"} if path == "classes" else set())
        lacking = wanted.keys() - found.keys() - free
        more = found.keys() - wanted.keys() - ({"bounds"} if bounds else set()) - free
        if lacking or more:
            yield f"{path}: lacks {sorted(lacking)}, has also {sorted(more)}"
        for name in wanted.keys() & found.keys():
            if name in bounds:
                yield from self._between(bounds[name], wanted[name], f"{path}.{name}")
            else:
                yield from self.walk(found[name], wanted[name], f"{path}.{name}")

    def _bounded(self, found: dict[str, Any], wanted: dict[str, Any], path: str) -> Iterator[str]:
        """A bounded value contains the exact one, or a remark states why there is no bound."""
        if found["bound"] is not None:
            yield from self._between(found["bound"], wanted["value"], path)
            yield from self._between(found["bound"], found["value"], path)
        elif not found.get("remark"):
            yield f"{path}: neither exact nor bounded, and without a remark"

    def _between(self, bound: Any, value: Any, path: str) -> Iterator[str]:
        if bound is None or value is None:
            return
        low, high = bound
        slack = self.within * max(1.0, abs(value))
        if not (-math.inf if low is None else low) - slack <= value:
            yield f"{path}: {value!r} is below its bound {bound}"
        if not value <= (math.inf if high is None else high) + slack:
            yield f"{path}: {value!r} is above its bound {bound}"

    def _may_lack(self, item: Any) -> bool:
        name = item.get("metric") if isinstance(item, dict) else item
        return isinstance(name, str) and name in self.left_out

    def _same(self, found: Any, wanted: Any) -> bool:
        if isinstance(wanted, float):
            far = self.within * max(1.0, abs(found), abs(wanted))
            return bool(found == wanted or abs(found - wanted) <= far)
        return bool(found == wanted)
