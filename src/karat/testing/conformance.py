"""Laws of sources: the same rows give the same report, wherever they live and however they are cut.

A source written elsewhere is one class:

    class TestMyRows(karat.testing.SourceLaws):
        name = "my rows"

        def source(self, sample, n_batches):
            return my_rows(sample.columns, n_batches), sample.names

pytest finds its laws; `check_source` runs them without pytest.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

from karat.errors import KaratError
from karat.evaluation import evaluate
from karat.report import Report
from karat.testing.samples import SUBJECTS, Sample, sample_of, samples

__all__ = ["SourceLaws", "check_source", "differences"]

_MOST_SHOWN: Final = 12
_OWN: Final = frozenset({"source", "mapping", "warnings"})
"""What a report says of its source, which is looked at apart."""


class SourceLaws:
    """Laws that a source of rows obeys: a report is that of one call on plain arrays.

    Subclass it once for each source, as a class whose name starts with ``Test``, and give `name`
    and `source`. Each law takes samples of one subject: labels, classes, weights, clusters, slices,
    scores, nulls, roles, options, errors. Counts, classes and codes of errors are equal; sums, and
    what is computed from them, within `within`; values of buckets lie within their `Result.bound`.

    Attributes:
        name: what messages call the source.
        batchings: numbers of batches (files, partitions) that the rows are cut into.
        options: keywords of `karat.evaluate` for every sample, such as ``max_memory``.
        refuses: feature → code of the error that refuses it: exactly that error has to come.
        lacks: features that such rows cannot have; their samples are left out.
        subjects: the laws that are run.
        n_rows: rows of each sample; None: few. Storages for many rows need more.
        has_columns: whether a report names the column of each role.
        within: largest relative difference of sums.
        left_out: metrics that a bounded storage does not compute.

    Example:
        >>> import karat.testing
        >>> class TestDicts(karat.testing.SourceLaws):
        ...     name = "dict of columns"
        ...     batchings = (1,)
        ...     subjects = ("labels", "weights")
        ...
        ...     def source(self, sample, n_batches):
        ...         return dict(sample.columns), sample.names
        >>> karat.testing.check_source(TestDicts)
        13
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
    """An empty folder, while a report is made and compared."""

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        """The rows of a sample in this source.

        Args:
            sample: `Sample.columns` are the rows; `Sample.parts` cuts them.
            n_batches: one of `batchings`.

        Returns:
            The first argument of `karat.evaluate`, and its other keywords: `Sample.names` of a
            table. Options of the sample are added.
        """
        raise NotImplementedError(f"{type(self).__name__} has no source()")

    def report(self, sample: Sample, n_batches: int) -> Report:
        """The report of a sample; what is not a call of `karat.evaluate` overrides it."""
        first, keywords = self.source(sample, n_batches)
        return evaluate(first, **{**keywords, **sample.options, **self.options})

    def takes(self, sample: Sample) -> bool:
        """Whether the rows of a sample can be in such a source."""
        return not sample.features & set(self.lacks)

    def cases(self, subject: str) -> list[Sample]:
        """The samples of one law, those left out that the source cannot have."""
        if subject not in self.subjects:
            return []
        return [each for each in samples(subjects=[subject]) if self.takes(each)]

    def pytest_generate_tests(self, metafunc: Any) -> None:
        """Give pytest a test for each law and sample."""
        if "sample" in metafunc.fixturenames:
            cases = self.cases(metafunc.function.__name__.removeprefix("test_"))
            ids = [each.name.partition(": ")[2] for each in cases]
            metafunc.parametrize("sample", cases, ids=ids)

    def test_labels(self, sample: Sample) -> None:
        """Labels of every type: each row counts once, in its cell."""
        self.check(sample)

    def test_classes(self, sample: Sample) -> None:
        """Classes, their order, names and the positive one, also where some never occur."""
        self.check(sample)

    def test_weights(self, sample: Sample) -> None:
        """Each row counts by its weight."""
        self.check(sample)

    def test_clusters(self, sample: Sample) -> None:
        """Intervals take the rows of a cluster together."""
        self.check(sample)

    def test_slices(self, sample: Sample) -> None:
        """Each slice has its rows, metrics and differences."""
        self.check(sample)

    def test_scores(self, sample: Sample) -> None:
        """Probabilities and scores in the order of the classes; thresholds; predictions beside."""
        self.check(sample)

    def test_nulls(self, sample: Sample) -> None:
        """Rows without a value are left out and counted where that was asked for."""
        self.check(sample)

    def test_roles(self, sample: Sample) -> None:
        """Columns are found by their names."""
        self.check(sample)

    def test_options(self, sample: Sample) -> None:
        """Options of intervals, averages and metrics reach the numbers."""
        self.check(sample)

    def test_errors(self, sample: Sample) -> None:
        """Rows that cannot be read raise the error that arrays raise."""
        self.check(sample)

    def check(self, sample: Sample) -> int:
        """Compare the reports of all batchings with the reference.

        Returns:
            How many reports were compared.

        Raises:
            AssertionError: what differs, with the path of each number in `Report.to_dict`.
        """
        code = self.refusal(sample)
        if self.n_rows is not None and code is None:
            sample = sample_of(sample.name, self.n_rows)
        wanted = sample.reference if code is None else code
        for n_batches in self.batchings:
            problems = list(self._problems(sample, n_batches, wanted))
            if problems:
                more = len(problems) - _MOST_SHOWN
                told = [*problems[:_MOST_SHOWN], *([f"and {more} more"] if more > 0 else [])]
                where = f"{self.name or type(self).__name__}, {sample.name}, {n_batches} batches"
                raise AssertionError("\n  ".join([f"{where}:", *told]))
        return len(self.batchings)

    def refusal(self, sample: Sample) -> str | None:
        """The code of the error that refuses the first of the features that is refused."""
        codes = [code for feature, code in self.refuses.items() if feature in sample.features]
        return codes[0] if codes else None

    def _problems(self, sample: Sample, n_batches: int, wanted: Report | str) -> Iterator[str]:
        with tempfile.TemporaryDirectory() as folder:
            self.folder = Path(folder)
            try:
                found: Report | str = self.report(sample, n_batches)
            except KaratError as problem:
                if not isinstance(wanted, str):
                    yield f"{problem.code}, not a report: {problem}"
                elif problem.code != wanted:
                    yield f"{problem.code}, not {wanted}: {problem}"
                return
            if isinstance(wanted, str):
                yield f"a report, not the error {wanted}"
                return
            assert isinstance(found, Report)
            yield from self._of_source(found, sample)
            yield from differences(found, wanted, within=self.within, left_out=self.left_out)

    def _of_source(self, found: Report, sample: Sample) -> Iterator[str]:
        n_dropped = found.source.get("n_dropped", 0)
        if n_dropped != sample.n_dropped:
            yield f"source.n_dropped: {n_dropped}, not {sample.n_dropped}"
        mapping = {role: name for role, name in found.mapping.items() if name}
        wanted = sample.mapping if self.has_columns else {}
        if mapping != wanted:
            yield f"mapping: {mapping}, not {wanted}"


def check_source(laws: type[SourceLaws]) -> int:
    """Run every law of a source, without pytest.

    Args:
        laws: a subclass of `SourceLaws`.

    Returns:
        How many reports were compared.

    Raises:
        AssertionError: the samples of which reports differ, each with its law.
    """
    source = laws()
    n_compared, problems = 0, []
    for subject in SUBJECTS:
        law = f"test_{subject}"
        for sample in source.cases(subject):
            try:
                getattr(source, law)(sample)
                n_compared += len(source.batchings)
            except AssertionError as problem:
                problems.append(f"{law}: {problem}")
    if problems:
        raise AssertionError("\n".join([f"{len(problems)} samples fail.", *problems]))
    return n_compared


def differences(
    found: Report, wanted: Report, *, within: float = 1e-12, left_out: Collection[str] = ()
) -> Iterator[str]:
    """What differs between two reports: the path of each number in `Report.to_dict`, and both.

    Args:
        found: a report, perhaps of buckets: its numbers may be between their bounds.
        wanted: the report of all rows.
        within: largest difference of two floats, relative to the larger and to 1.
        left_out: metrics that `found` may lack.

    Example:
        >>> import karat
        >>> from karat.testing import differences
        >>> reports = [karat.evaluate([0, 1, 1], [0, 1, last], level=None) for last in (0, 1)]
        >>> next(differences(*reports))
        'confusion[1][0]: 1, not 0'
    """
    one, other = found.to_dict(), wanted.to_dict()
    compared = _Comparison(within, frozenset(left_out))
    order = ["n_rows", "classes", "confusion", *(name for name in other)]
    for name in dict.fromkeys(order):
        if name not in _OWN:
            yield from compared.walk(one.get(name), other[name], name)


class _Comparison:
    """Compares two reports as JSON types."""

    def __init__(self, within: float, left_out: frozenset[str]) -> None:
        self.within, self.left_out = within, left_out

    def walk(self, found: Any, wanted: Any, path: str) -> Iterator[str]:
        if isinstance(found, dict) and isinstance(wanted, dict):
            yield from self._dicts(found, wanted, path)
        elif isinstance(found, list) and isinstance(wanted, list):
            if len(found) != len(wanted):
                yield f"{path}: {len(found)} entries, not {len(wanted)}"
                return
            for place, pair in enumerate(zip(found, wanted, strict=True)):
                yield from self.walk(*pair, f"{path}[{place}]")
        elif type(found) is not type(wanted) or not self._same(found, wanted):
            yield f"{path}: {found!r}, not {wanted!r}"

    def _dicts(
        self, found: dict[str, Any], wanted: dict[str, Any], path: str
    ) -> Iterator[str]:
        if wanted.get("exact") is True and found.get("exact") is False:
            yield from self._bounded(found, wanted, path)
            return
        bounds = found.get("bounds", {})
        lacking = wanted.keys() - found.keys() - self.left_out
        more = found.keys() - wanted.keys() - ({"bounds"} if bounds else set())
        if lacking or more:
            yield f"{path}: lacks {sorted(lacking)}, has also {sorted(more)}"
        for name in wanted.keys() & found.keys():
            if name in bounds:
                yield from self._between(bounds[name], wanted[name], f"{path}.{name}")
            else:
                yield from self.walk(found[name], wanted[name], f"{path}.{name}")

    def _bounded(
        self, found: dict[str, Any], wanted: dict[str, Any], path: str
    ) -> Iterator[str]:
        """A value of buckets: the exact one lies within its bound, or it says why not."""
        if found["bound"] is not None:
            yield from self._between(found["bound"], wanted["value"], path)
            yield from self._between(found["bound"], found["value"], path)
        elif not found["remark"]:
            yield f"{path}: neither exact nor with a bound, and no remark says why"

    def _between(self, bound: Any, value: Any, path: str) -> Iterator[str]:
        if bound is None or value is None:
            return
        low, high = bound
        slack = self.within * max(1.0, abs(value))
        if not (-math.inf if low is None else low) - slack <= value:
            yield f"{path}: {value!r} is below its bound {bound}"
        if not value <= (math.inf if high is None else high) + slack:
            yield f"{path}: {value!r} is above its bound {bound}"

    def _same(self, found: Any, wanted: Any) -> bool:
        if isinstance(wanted, float):
            far = self.within * max(1.0, abs(found), abs(wanted))
            return bool(found == wanted or abs(found - wanted) <= far)
        return bool(found == wanted)
