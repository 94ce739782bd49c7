"""Everything that karat reads and did not necessarily write: how it is read, and lied about."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

import karat
from karat.api.gate.baseline import _canonical, _checksum, checked_baseline, read_baseline
from karat.api.judging import JudgedReport
from karat.api.results import ClassReport as Report
from karat.api.sets import MultilabelReport
from karat.data.sources.distributed.partials import Partial
from karat.data.sources.distributed.partitions import Reading
from karat.data.sources.files.large import Checkpoint
from karat.errors import CATALOGUE, KaratError
from karat.tally import (
    Bins,
    CumulativeCounts,
    JointCells,
    ScoreHistogram,
    Sums,
    from_bytes,
    inconsistency,
)
from karat.tally import to_bytes as cells_to_bytes
from karat.tally.held_rows import HeldRows
from karat.tally.row_sample import RowSample
from karat.tally.score_histograms import ScoreHistograms
from karat.tally.set_checks import inconsistency_of_sets
from tests.hostile.make_stored import STORED, empty
from tests.hostile.mutations import broken, framed_lie, json_lie, opened

__all__ = ["Target", "targets"]

Generator = np.random.Generator
TESTS: Final = Path(__file__).parents[1]


@dataclass(frozen=True)
class Target:
    """Something that is read from bytes.

    Attributes:
        name: the stored file that it begins from.
        data: its bytes.
        read: reads bytes; raises a karat error, or gives what `use` looks at.
        use: fails where what was read contradicts itself.
        lie: bytes that say something else and whose checksum fits, where there is one.
        codes: of the errors that `read` may raise.
        is_sealed: whether a checksum stands in it, so that a changed byte is always refused.
    """

    name: str
    data: bytes
    read: Callable[[bytes], Any]
    use: Callable[[Any], None]
    lie: Callable[[bytes, Generator], bytes]
    codes: frozenset[str]
    is_sealed: bool = True

    @property
    def share(self) -> int:
        """Its share of the inputs: what takes longer gets fewer."""
        return 1 if self.name.endswith((".json", ".karat-stream", ".karat-monitor")) else 6

    def attack(self, data: bytes) -> str | None:
        """The code of the refusal, or None where the bytes were taken and hold together.

        Errors:
            Whatever else is raised, and a refusal of another code: faults of karat.
        """
        try:
            found = self.read(data)
        except KaratError as problem:
            if problem.code not in self.codes:
                raise
            return problem.code
        try:
            self.use(found)
        except KaratError as problem:
            # A tally of no rows has no report, nor has one of weights that no formula can multiply.
            if problem.code not in ("K101", "K125"):
                raise
        return None


BYTES: Final = frozenset({"K205", "K206"})
METRICS: Final = frozenset(
    # K211: metrics of scores that a text asks for and does not hold.
    {"K211", "K301", "K302", "K303", "K304", "K305", "K306", "K307", "K308", "K310", "K311"}
)


def check_report(report: Report) -> None:
    """Every number lies in its range, between its limits, and what is none has a reason."""
    assert inconsistency(report.cells) is None
    _check_numbers(report.metrics)
    assert json.loads(report.to_json())["n_rows"] == report.n_rows


def _of_sets(report: MultilabelReport) -> None:
    assert inconsistency_of_sets(report.tally) is None
    _check_numbers(report.metrics)
    for table in report.slices.values() if report.kept_slices is not None else ():
        for part in table.values():
            assert inconsistency_of_sets(part.tally) is None
            _check_numbers({str(metric): part[metric] for metric in part.kept_intervals})
    again = MultilabelReport.from_json(report.to_json())
    assert again.to_json() == report.to_json()


def _of_judge(report: JudgedReport) -> None:
    check_report(report.judge)
    for name, result in report.metrics.items():
        _check_range(name, (result.value, result.low, result.high))
    assert JudgedReport.from_json(report.to_json()).n_rows == report.n_rows


def _of_monitor(monitor: karat.Monitor) -> None:
    assert karat.Monitor.from_bytes(monitor.to_bytes()).to_bytes() == monitor.to_bytes()
    result = monitor.result
    assert result.n == monitor.n_rows
    for rule in result.rules:
        _check_range(rule.metric, (rule.value, rule.low, rule.high))


def _check_range(name: str, numbers: Sequence[float | None]) -> None:
    low, high = karat.metrics.get(name).range
    for number in numbers:
        assert number is None or math.isnan(number) or low - 1e-9 <= number <= high + 1e-9, name


def _check_numbers(metrics: Mapping[str, Any]) -> None:
    for name, result in metrics.items():
        low, high = result.range
        if math.isnan(result.value):
            assert result.undefined or not result.exact, name
            continue
        slack = 1e-9 * max(1.0, abs(result.value))
        assert low - slack <= result.value <= high + slack, (name, result.value)
        if result.low is not None and result.high is not None:
            assert result.low - slack <= result.value <= result.high + slack, (name, result)


def _of_stream(stream: karat.Stream) -> None:
    assert karat.Stream.from_bytes(stream.to_bytes()).to_bytes() == stream.to_bytes()
    assert stream.n_rows >= 0
    try:
        report = stream.report()
    except KaratError as problem:
        # Names for fewer classes than came: what is told where the report is made.
        if problem.code != "K117":
            raise
        return
    check_report(report)
    assert karat.Report.from_json(report.to_json()).n_rows == report.n_rows


def _of_tally(found: Any) -> None:
    assert type(found).from_bytes(found.to_bytes()).to_bytes() == found.to_bytes()


def _of_cells(found: Any) -> None:
    assert inconsistency(found) is None
    assert from_bytes(cells_to_bytes(found)).counts.tolist() == found.counts.tolist()
    if found.k <= 50 and not found.batch_shape:
        check_report(Report(found))


def _of_joint(joint: JointCells) -> None:
    _of_tally(joint)
    for model in range(len(joint.names)):
        assert inconsistency(joint.cells(model)) is None


def _of_partial(found: Partial) -> None:
    assert found.first >= 0
    assert found.n_rows >= found.n_dropped >= 0
    again = Partial.from_bytes(found.to_bytes(), empty())
    assert again.partitions == found.partitions
    if found.problem is not None:
        assert str(found.problem)


def _of_reading(found: Reading) -> None:
    assert Reading.from_bytes(found.to_bytes()) == found


def _checkpoint_at(path: Path, read: str, data: bytes) -> Any:
    path.write_bytes(data)
    return Checkpoint(path, read).load(empty())


def _of_progress(progress: Any) -> None:
    n_units, found = progress
    assert type(n_units) is int
    assert n_units >= 0
    assert type(found.n_dropped) is int
    assert found.n_dropped >= 0


def _baseline_at(path: Path, data: bytes) -> Any:
    path.write_bytes(data)
    return checked_baseline(read_baseline(path))


def _of_baseline(found: Any) -> None:
    assert inconsistency(found.cells) is None
    assert int(found.cells.n_rows) == found.n
    rows = found.rows
    if rows is not None:
        assert len(rows.true) == len(rows.pred) == found.n


def _as_baseline(path: Path, data: bytes) -> Any:
    path.write_bytes(data)
    rows = {"label": [0, 1, 1, 0], "pred": [0, 1, 0, 0]}
    return karat.gate(rows, baseline=path, max_drop={"accuracy": 0.1})


def _never(found: Any) -> None:
    raise AssertionError(f"what holds no baseline was taken as one: {found}")


def _signed_lie(data: bytes, rng: Generator) -> bytes:
    content = json_lie(json.loads(data), rng)
    if not isinstance(content, dict):
        return json.dumps(content).encode()
    content.pop("sha256", None)
    try:
        return _canonical({**content, "sha256": _checksum(content)}).encode()
    except ValueError:  # NaN is no JSON
        return broken(data, rng)


def _text_lie(data: bytes, rng: Generator) -> bytes:
    return json.dumps(json_lie(json.loads(data), rng)).encode()


def _tallies() -> Iterator[tuple[str, Callable[[bytes], Any], Callable[[Any], None]]]:
    yield "bins", Bins.from_bytes, _of_tally
    yield "ladder", CumulativeCounts.from_bytes, _of_tally
    yield "score-table", ScoreHistogram.from_bytes, _of_tally
    yield "scored-tables", ScoreHistograms.from_bytes, _of_tally
    yield "held-rows", HeldRows.from_bytes, _of_tally
    yield "row-sample", RowSample.from_bytes, _of_tally


def targets(folder: Path) -> list[Target]:
    """Every kind of bytes, from each stored file of it.

    Args:
        folder: where files may be written that are read by their path.
    """
    kinds = {f"tally/stored/*.karat-{kind}": (read, use) for kind, read, use in _tallies()}
    kinds["tally/stored/*.karat"] = from_bytes, _of_cells
    kinds["hostile/stored/*.karat-joint"] = JointCells.from_bytes, _of_joint
    kinds["hostile/stored/*.karat-partial"] = (
        partial(Partial.from_bytes, empty=empty()),
        _of_partial,
    )
    found = [
        Target(path.name, path.read_bytes(), read, use, framed_lie, BYTES)
        for pattern, (read, use) in kinds.items()
        for path in sorted(TESTS.glob(pattern))
        # Version 0.2 wrote logits and other scores as one kind, which is refused.
        if not path.name.endswith("score.karat-scored-tables")
    ]
    sums = ScoreHistograms.from_bytes(
        (TESTS / "tally/stored/v1-prob.karat-scored-tables").read_bytes()
    ).sums.to_bytes()
    found.append(Target("sums", sums, Sums.from_bytes, _of_tally, framed_lie, BYTES))
    for path in sorted(TESTS.glob("streams/stored/*.karat-stream")):
        of_stream = BYTES | {"K301"}
        found.append(
            Target(path.name, path.read_bytes(), karat.Stream.from_bytes, _of_stream, framed_lie,
                   frozenset(of_stream))
        )  # fmt: skip
    for path in sorted(STORED.glob("*.karat-monitor")):
        read, codes = karat.Monitor.from_bytes, BYTES | METRICS
        found.append(Target(path.name, path.read_bytes(), read, _of_monitor, framed_lie, codes))
    for path in sorted(STORED.glob("*.karat-checkpoint")):
        data = path.read_bytes()
        read_of = partial(_checkpoint_at, folder / path.name, opened(data)[0]["read"])
        codes = frozenset({"K414"})
        found.append(Target(path.name, data, read_of, _of_progress, framed_lie, codes))
    for path in sorted(STORED.glob("*.baseline.json")):
        read_of = partial(_baseline_at, folder / path.name)
        found.append(
            Target(path.name, path.read_bytes(), read_of, _of_baseline, _signed_lie, BYTES, False)
        )
    reports: dict[str, tuple[Callable[[bytes], Any], Callable[[Any], None]]] = {
        "report": (Report.from_json, check_report),
        "multilabel": (MultilabelReport.from_json, _of_sets),
        "judged": (JudgedReport.from_json, _of_judge),
    }
    found += [
        Target(path.name, path.read_bytes(), read, use, _text_lie, BYTES | METRICS, False)
        for kind, (read, use) in reports.items()
        for path in sorted(STORED.glob(f"*.{kind}.json"))
    ]
    # No verb reads these: where a baseline is expected, they are refused as what they are.
    found += [
        Target(path.name, path.read_bytes(), partial(_as_baseline, folder / path.name),
               _never, _text_lie, frozenset(CATALOGUE), False)
        for path in sorted(STORED.glob("v*.*.json"))
        if path.name.split(".")[1] in ("comparison", "gate")
    ]  # fmt: skip
    task = STORED / "v1.task.json"
    found.append(
        Target(
            task.name, task.read_bytes(), Reading.from_bytes, _of_reading, _text_lie, BYTES, False
        )
    )
    return found
