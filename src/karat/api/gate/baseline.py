"""A baseline as JSON: the values of a model, and where asked its rows, for later comparisons.

With rows it keeps for each row a hash of its id, its true and its predicted class and its scores,
so that the next model is compared row by row; without rows, values alone. A baseline is used only
where its numbers agree with its counts.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, Final, get_args

import numpy as np
import numpy.typing as npt

from karat._version import __version__
from karat.data.clusters import RowNames
from karat.data.rows import Rows
from karat.data.scores.containers import Scores, tolerance_of
from karat.errors import KaratError, error, short
from karat.errors.options import option
from karat.inference.json_record import json_value
from karat.metrics import Metric, get
from karat.metrics._lift import Policy
from karat.results.gate.verdicts import Measured
from karat.results.report import ClassReport
from karat.tally import Cells, Classes, from_bytes, to_bytes
from karat.tally.held_rows import RowChunk, impossible
from karat.tally.score_kind import ARGUMENTS, Argument
from karat.tally.serialization import each_once

SCHEMA: Final = "karat.baseline/1"
_START: Final = '{"schema":"karat.baseline/'
_MOST_BYTES: Final = 1 << 31
_MOST_ROWS: Final = 1 << 31
_MOST_OF_ARRAY: Final = 1 << 32
_ZLIB_RATIO: Final = 1100
"""zlib makes nothing smaller than by this factor."""
_OF_METRIC: Final = ("value", "low", "high", "n", "undefined")
_ARRAYS: Final = {"true": "<i4", "pred": "<i4", "ids": "<u8", "scores": "<f4", "weights": "<f8"}
_CLOSE: Final = 1e-9
"""Versions may add up in another order."""

Array = npt.NDArray[Any]


class DamagedError(ValueError):
    """A part of a baseline is not what was written; the message states why."""


def _require(holds: object, problem: str) -> None:
    if not holds:
        raise DamagedError(problem)


_UNREADABLE: Final = (AttributeError, KeyError, OverflowError, TypeError, ValueError)
"""Raised by a part of another kind than expected; `DamagedError` is a ValueError."""


@dataclass(frozen=True, slots=True, eq=False)
class Baseline:
    """The values of a model, and in the slices of a column; rows where they are kept.

    The settings are the choices that can change a number. Rows that were read have hashes for ids.
    """

    classes: Classes
    cells: Cells
    n: int
    metrics: Mapping[str, Measured]
    settings: Mapping[str, Any] = field(default_factory=dict)
    by: str | None = None
    slices: Mapping[str, Mapping[str, Measured]] = field(default_factory=dict)
    rows: Rows | None = None


def baseline_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of ``karat.baseline/1``, a baseline as a file."""
    return _schema("baseline")


def gate_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of ``karat.gate/2``, the result of a gate."""
    return _schema("gate")


def _schema(name: str) -> dict[str, Any]:
    path = Path(__file__).with_name(f"{name}.schema.json")
    return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def hashed(texts: tuple[str, ...]) -> Array:
    """uint64[m]: a hash of each text.

    Two of a million different texts have the same hash with a probability below 3e-8.
    """
    raw = b"".join(
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for text in texts
    )
    return np.frombuffer(raw, "<u8").astype(np.uint64)


def with_hashes(rows: Rows) -> Rows:
    """The same rows, matched by the hashes of their ids, as a baseline keeps them."""
    if rows.ids is None:
        return rows
    return replace(rows, ids=replace(rows.ids, hashes=_texts_of(hashed(rows.ids.texts))))


def _texts_of(hashes: Array) -> tuple[str, ...]:
    return tuple(f"hash {number:016x}" for number in hashes.tolist())


def packed(values: Array, dtype: str) -> str:
    """An array as text: little-endian, compressed, base64.

    Args:
        dtype: ``"<i4"``, ``"<u8"``, ``"<f4"`` or ``"<f8"``.
    """
    raw = np.ascontiguousarray(values, dtype=np.dtype(dtype)).tobytes()
    return base64.b64encode(zlib.compress(raw, 6)).decode("ascii")


def unpacked(text: object, dtype: str, shape: tuple[int, ...]) -> Array:
    """The array of that shape, in no more memory than its text can fill.

    Errors:
        DamagedError: the text has another size than the shape, or was not written by `packed`.
    """
    if not isinstance(text, str):
        raise DamagedError(f"it is a {type(text).__name__}")
    kind = np.dtype(dtype)
    n_bytes = math.prod(shape) * kind.itemsize
    is_fit = n_bytes <= min(_MOST_OF_ARRAY, _ZLIB_RATIO * len(text) + 64)
    _require(is_fit, f"{n_bytes} bytes are stated to be in {len(text)} characters")
    try:
        raw = base64.b64decode(text.encode("ascii"), validate=True)
        reader = zlib.decompressobj()
        found = reader.decompress(raw, n_bytes + 1)
    except (binascii.Error, UnicodeEncodeError, zlib.error) as problem:
        raise DamagedError(str(problem)) from None
    is_fit = len(found) == n_bytes and reader.eof and not reader.unused_data
    _require(is_fit, f"it holds {len(found)} bytes or more where {n_bytes} belong")
    return np.frombuffer(found, kind).astype(kind.newbyteorder("="), copy=False).reshape(shape)


def text_of_baseline(made: Baseline) -> str:
    """The baseline as JSON text; its checksum covers everything else in it."""
    content: dict[str, Any] = {
        "schema": SCHEMA,
        "karat": __version__,
        "settings": dict(made.settings),
        "classes": {"labels": list(made.classes.labels), "positive": made.classes.positive},
        "n": made.n,
        "tally": base64.b64encode(to_bytes(made.cells)).decode("ascii"),
        "metrics": _written(made.metrics),
        "by": made.by,
        "slices": {name: _written(each) for name, each in made.slices.items()},
        "rows": None if made.rows is None else _written_rows(made.rows),
    }
    text = _canonical({**content, "sha256": _checksum(content)})
    # The kind of file is visible at its start.
    return text.replace(f'"schema":"{SCHEMA}",', "", 1).replace("{", f'{{"schema":"{SCHEMA}",', 1)


def _canonical(content: Mapping[str, Any]) -> str:
    return json.dumps(
        content, ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False
    )


def _checksum(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(_canonical(content).encode("ascii")).hexdigest()


def _written(metrics: Mapping[str, Measured]) -> dict[str, dict[str, Any]]:
    return {
        name: {part: json_value(getattr(found, part)) for part in _OF_METRIC}
        for name, found in metrics.items()
    }


def _written_rows(rows: Rows) -> dict[str, Any]:
    scores = rows.values
    arrays = {
        "true": rows.true,
        "pred": rows.pred,
        "ids": None if rows.ids is None else hashed(rows.ids.texts)[rows.ids.codes],
        "scores": scores,
        "weights": rows.weights,
    }
    return {
        "n": rows.n,
        "n_columns": None if scores is None or scores.ndim == 1 else scores.shape[1],
        "scores_are": rows.kind,
        **{
            name: None if values is None else packed(values, _ARRAYS[name])
            for name, values in arrays.items()
        },
    }


def is_baseline(path: str | PathLike[str]) -> bool:
    """True if a file begins as a baseline does."""
    try:
        with open(path, "rb") as stream:
            start = stream.read(200)
    except (OSError, ValueError):
        return False
    plain = b"".join(start.split()).decode("utf-8", "replace")
    return plain.removeprefix("\ufeff").startswith(_START)


def read_baseline(path: str | PathLike[str]) -> Baseline:
    """Read a baseline that `text_of_baseline` wrote.

    Nothing in it is run, and it takes no more memory than a few times its size.

    Errors:
        K205 it is cut off, altered, or contradicts itself; K206 a newer version wrote it.
    """
    where = Path(path)
    n_bytes = where.stat().st_size
    if n_bytes > _MOST_BYTES:
        raise _damaged(f"It has {n_bytes} bytes; more than {_MOST_BYTES} are not read")
    try:
        text = where.read_bytes().decode("utf-8-sig")
        content = json.loads(text, parse_constant=_no_number, object_pairs_hook=each_once)
    except (UnicodeDecodeError, ValueError, RecursionError) as problem:
        raise _damaged(f"It is not JSON: {short(str(problem), 100)}") from None
    if not isinstance(content, dict) or not isinstance(content.get("schema"), str):
        raise _damaged("It is not an object with a schema")
    schema = content["schema"]
    if schema != SCHEMA:
        name, _, version = schema.partition("/")
        if name == SCHEMA.partition("/")[0] and version.isdecimal() and int(version[:9]) > 1:
            raise error("K206", thing="baseline of a gate", version=version, newest=1)
        raise _damaged(f"Its schema is {short(schema)}, not {SCHEMA!r}")
    written = content.pop("sha256", None)
    try:
        is_whole = written == _checksum(content)
    except (ValueError, RecursionError):
        is_whole = False
    if not is_whole:
        raise _damaged("Its content does not give its sha256: it was altered after it was written")
    try:
        return _read(content)
    except KaratError as problem:
        raise _damaged(f"Its tally is damaged: {problem.code}") from None
    except _UNREADABLE as problem:
        raise _damaged(f"{type(problem).__name__}: {short(str(problem), 100)}") from None


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is not a number")


def _read(content: dict[str, Any]) -> Baseline:
    cells = from_bytes(base64.b64decode(content["tally"], validate=True))
    classes, given = cells.classes, content["classes"]
    n, by, rows = _whole(content["n"]), content["by"], content["rows"]
    is_same = (classes.labels, classes.positive) == (tuple(given["labels"]), given["positive"])
    _require(is_same, "its tally has other classes")
    _require(int(cells.n_rows) == n, "its tally has another number of rows")
    _require(isinstance(by, str | None), "its slices have no name")
    _require(isinstance(content["settings"], dict), "its settings are not an object")
    return Baseline(
        classes,
        cells,
        n,
        _metrics(content["metrics"]),
        content["settings"],
        by,
        {name: _metrics(each) for name, each in content["slices"].items()},
        None if rows is None else _rows(rows, classes, n),
    )


def _metrics(metrics: dict[str, Any]) -> dict[str, Measured]:
    found = {}
    for name, each in metrics.items():
        value, low, high = (_number(each[part]) for part in ("value", "low", "high"))
        undefined = each["undefined"]
        _require(isinstance(undefined, str | None), "a reason is not text")
        value = math.nan if value is None else value
        found[name] = Measured(value, low, high, _whole(each["n"]), undefined)
    return found


def _number(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise DamagedError(f"{short(value)} is not a number")
    return float(value)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST_ROWS:
        raise DamagedError(f"{short(value)} is not a number of rows")
    return value


def _rows(rows: dict[str, Any], classes: Classes, n: int) -> Rows:
    _require(_whole(rows["n"]) == n, "it holds another number of rows than it states")
    n_columns = rows["n_columns"]
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(_ARRAYS, (n,))
    if rows["scores"] is not None and n_columns is not None:
        shapes["scores"] = (n, _whole(n_columns))
    arrays = {
        name: unpacked(rows[name], dtype, shapes[name])
        for name, dtype in _ARRAYS.items()
        if rows[name] is not None or name == "true"
    }
    scores, weights = arrays.get("scores"), arrays.get("weights")
    for codes in (arrays[name] for name in ("true", "pred") if name in arrays):
        _require(not n or 0 <= codes.min() <= codes.max() < classes.k, "a row has no class")
    ids = found = None
    if scores is not None:
        k = 2 if scores.ndim == 1 else scores.shape[1]
        _require(classes.k == k, "its scores are of other classes")
        _require(np.isfinite(scores).all(), "a score is not finite")
        # A baseline does not record how many digits its probabilities had.
        found = Scores(_argument_of(rows, k), scores, tolerance=tolerance_of(is_half=True))
    if weights is not None:
        is_fit = np.isfinite(weights).all() and (weights >= 0).all()
        _require(is_fit, "a weight is not valid")
    if (hashes := arrays.get("ids")) is not None:
        ids = RowNames("ids", np.arange(n, dtype=np.int32), _texts_of(hashes))
    return Rows(classes, arrays["true"], arrays.get("pred"), found, weights, ids=ids)


def _argument_of(rows: Mapping[str, Any], k: int) -> Argument:
    """Return the argument of the scores of a baseline."""
    if "scores_are" in rows:
        _require(rows["scores_are"] in ARGUMENTS, "the kind of its scores is missing")
        return ARGUMENTS[rows["scores_are"]]
    if rows["is_prob"] is True:
        return "y_prob"
    # Version 0.2 took scores for logits; it ranked more than two columns as given.
    return "y_logit" if k == _TWO else "y_score"


_TWO: Final = 2


def checked_baseline(baseline: Baseline) -> Baseline:
    """The same baseline, whose numbers may be compared.

    Metrics of labels are computed again from its tally, and its rows are counted again, where it
    has some. Metrics of scores without rows, and of slices, cannot be computed again: their numbers
    have to be possible.

    Errors:
        K205 a metric of labels has another value by the tally, or the tally differs from the rows;
        a value is outside the range of its metric or of its limits, or of more rows than there are;
        the probabilities of a row are none.
    """
    if baseline.rows is not None:
        _check_rows(baseline.rows, baseline.cells)
    policy = baseline.settings.get("undefined", "zero")
    if policy not in get_args(Policy):
        raise _damaged(f"Its settings say undefined={policy!r}")
    threshold = baseline.settings.get("threshold")
    if not (threshold is None or type(threshold) in (int, float)):
        raise _damaged(f"Its settings say threshold={short(threshold)}")
    has_order = baseline.cells.classes.has_order
    listed = (baseline.metrics, *baseline.slices.values())
    for metric, measured in (pair for metrics in listed for pair in _known(metrics)):
        _check_possible(metric, measured, baseline.n)
    of_labels = [
        (metric, each)
        for metric, each in _known(baseline.metrics)
        # Values that rest on an undeclared order of classes are not compared.
        if not metric.needs_scores and (has_order or not metric.reads_order)
    ]
    report = ClassReport(baseline.cells, policy, tuple(metric for metric, _ in of_labels))
    for metric, measured in of_labels:
        try:
            value = report[metric].value
        except KaratError:
            # Weights beyond what formulas multiply: it had no value then either.
            value = math.nan
        if not _agree(measured.value, value):
            raise _damaged(f"{metric} is {measured.value}, and {value} by its tally")
    for metric, measured in (pair for metrics in listed for pair in _known(metrics)):
        _check_limits(metric, measured)
    return baseline


def _check_rows(rows: Rows, cells: Cells) -> None:
    """Refuse rows that are not those of the tally."""
    if (rows.weights is not None) != cells.is_weighted:
        raise _damaged("Its rows are weighted, or its tally is, and not both")
    if cells.storage == "marginals":
        raise _damaged("It holds rows, and of their tally the totals only")
    if cells.has_predictions != (rows.pred is not None):
        raise _damaged("Its rows have predictions, or its tally has, and not both")
    k, pred_codes = cells.k, rows.true if rows.pred is None else rows.pred
    at, where = np.unique(rows.true.astype(np.int64) * k + pred_codes, return_inverse=True)
    held = np.bincount(where.ravel(), rows.weights, len(at))
    true, pred, counts = cells.occupied()
    filled = held > 0.0
    slack = _CLOSE * float(held.sum()) if cells.is_weighted else 0.0
    is_same = np.array_equal(at[filled], true * k + pred)
    if not is_same or not np.allclose(held[filled], counts, rtol=_CLOSE, atol=slack):
        raise _damaged("Its rows are not those of its tally")
    if rows.scores is not None:
        tolerance = rows.scores.tolerance if rows.is_prob else None
        problem = impossible(RowChunk(rows.true, rows.scores.values), tolerance)
        if problem is not None:
            raise _damaged(problem)


def _known(metrics: Mapping[str, Measured]) -> Iterator[tuple[Metric, Measured]]:
    """Metrics that this version can compute; others are never compared."""
    for name, measured in metrics.items():
        try:
            yield get(name), measured
        except KaratError:
            continue


def _check_possible(metric: Metric, measured: Measured, n: int) -> None:
    least, most = metric.range
    value, low, high = measured.value, measured.low, measured.high
    for number in (value, low, high):
        if number is None or not math.isfinite(number):
            continue
        if not least - _CLOSE <= number <= most + _CLOSE:
            raise _damaged(f"{metric} is {number}, outside of {least:g} to {most:g}")
    if low is not None and high is not None and low > high:
        raise _damaged(f"{metric} has limits from {low} to {high}")
    if measured.n > n:
        raise _damaged(f"{metric} is of {measured.n} rows, and there are {n}")


def _check_limits(metric: Metric, measured: Measured) -> None:
    """Refuse limits that do not enclose the value."""
    value, low, high = measured.value, measured.low, measured.high
    if value is None or not math.isfinite(value):
        return
    slack = _CLOSE * max(1.0, abs(value))
    if (low is not None and low > value + slack) or (high is not None and high < value - slack):
        raise _damaged(f"{metric} is {value}, and its limits are {low} to {high}")


def _agree(stored: float | None, computed: float) -> bool:
    if stored is None or not (math.isfinite(stored) and math.isfinite(computed)):
        return (stored is None or not math.isfinite(stored)) and not math.isfinite(computed)
    return abs(stored - computed) <= _CLOSE * max(1.0, abs(computed))


def _damaged(found: str) -> KaratError:
    """K205: the fault, and how to write another."""
    do = f"Write it again with {option('update_baseline')}."
    return error("K205", thing="baseline of a gate", found=found, do=do)
