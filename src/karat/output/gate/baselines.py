"""A baseline as JSON: what a model gave, to be compared with what the next one gives.

With rows it holds of each row a hash of its id, its true and its predicted class and its scores, so
that the next model is compared row by row; without rows its values alone.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat._version import __version__
from karat.errors import KaratError, error, short
from karat.output.gate.packing import DamagedError, packed, unpacked
from karat.results.gate.verdicts import Measured
from karat.tally import Cells, Classes, from_bytes, to_bytes
from karat.tally.serialization import each_once

__all__ = [
    "SCHEMA",
    "Baseline",
    "BaselineRows",
    "damaged_baseline",
    "hashed",
    "is_baseline",
    "read_baseline",
    "text_of_baseline",
]

SCHEMA: Final = "karat.baseline/1"
MOST_BYTES: Final = 1 << 31
MOST_ROWS: Final = 1 << 31
_START: Final = '{"schema":"karat.baseline/'

Array = npt.NDArray[Any]

_UNREADABLE: Final = (
    DamagedError,
    AttributeError,
    KeyError,
    OverflowError,
    TypeError,
    ValueError,
    binascii.Error,
)
"""What a part of another kind than it should be raises."""


@dataclass(frozen=True, slots=True, eq=False)
class BaselineRows:
    """Rows of a baseline.

    Attributes:
        true, pred: int32[n], classes of each row.
        ids: uint64[n], hashes of the ids; None where rows are in the order of the file.
        scores: float32[n, k] or float32[n], or None.
        is_prob: whether the scores are probabilities.
        weights: float64[n], or None.
    """

    true: Array
    pred: Array
    ids: Array | None = None
    scores: Array | None = None
    is_prob: bool = False
    weights: Array | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Baseline:
    """What a model gave.

    Attributes:
        classes: the class axis.
        cells: the tally.
        n: rows.
        metrics: what each metric gave.
        settings: the choices that can change a number.
        by: the column of the slices, or None.
        slices: slice → what each metric gave in it.
        rows: the rows, where they are kept.
    """

    classes: Classes
    cells: Cells
    n: int
    metrics: Mapping[str, Measured]
    settings: Mapping[str, Any] = field(default_factory=dict)
    by: str | None = None
    slices: Mapping[str, Mapping[str, Measured]] = field(default_factory=dict)
    rows: BaselineRows | None = None


def hashed(texts: tuple[str, ...]) -> Array:
    """uint64[m]: what stands for each text.

    Two of a million different texts have the same hash with a probability below 3e-8.
    """
    raw = b"".join(
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for text in texts
    )
    return np.frombuffer(raw, "<u8").astype(np.uint64)


def text_of_baseline(made: Baseline) -> str:
    """The baseline as JSON text; its checksum is of everything else in it."""
    content: dict[str, Any] = {
        "schema": SCHEMA,
        "karat": __version__,
        "settings": dict(made.settings),
        "classes": {"labels": list(made.classes.labels), "positive": made.classes.positive},
        "n": made.n,
        "tally": base64.b64encode(to_bytes(made.cells)).decode("ascii"),
        "metrics": {name: _told(found) for name, found in made.metrics.items()},
        "by": made.by,
        "slices": {
            name: {metric: _told(found) for metric, found in each.items()}
            for name, each in made.slices.items()
        },
        "rows": None if made.rows is None else _rows(made.rows),
    }
    text = _canonical({**content, "sha256": _checksum(content)})
    # What a file is should be seen from its start.
    return text.replace(f'"schema":"{SCHEMA}",', "", 1).replace("{", f'{{"schema":"{SCHEMA}",', 1)


def _canonical(content: Mapping[str, Any]) -> str:
    return json.dumps(
        content, ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False
    )


def _checksum(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(_canonical(content).encode("ascii")).hexdigest()


def _told(found: Measured) -> dict[str, Any]:
    numbers = {"value": found.value, "low": found.low, "high": found.high}
    finite = {
        name: number if number is not None and math.isfinite(number) else None
        for name, number in numbers.items()
    }
    return {**finite, "n": found.n, "undefined": found.undefined}


def _rows(rows: BaselineRows) -> dict[str, Any]:
    scores = rows.scores
    return {
        "n": len(rows.true),
        "true": packed(rows.true, "<i4"),
        "pred": packed(rows.pred, "<i4"),
        "ids": None if rows.ids is None else packed(rows.ids, "<u8"),
        "scores": None if scores is None else packed(scores, "<f4"),
        "n_columns": None if scores is None or scores.ndim == 1 else scores.shape[1],
        "is_prob": rows.is_prob,
        "weights": None if rows.weights is None else packed(rows.weights, "<f8"),
    }


def is_baseline(path: str | PathLike[str]) -> bool:
    """Whether a file says of itself that it is a baseline."""
    try:
        with open(path, "rb") as stream:
            start = stream.read(200)
    except (OSError, ValueError):
        return False
    plain = b"".join(start.split()).decode("utf-8", "replace")
    return plain.removeprefix("\ufeff").startswith(_START)


def read_baseline(path: str | PathLike[str]) -> Baseline:
    """Read a baseline that `text_of_baseline` wrote.

    Nothing in it is run, and no more memory is taken than a few times its size.

    Errors:
        K205 it is cut off, altered, or contradicts itself; K206 a newer version wrote it.
    """
    where = Path(path)
    if where.stat().st_size > MOST_BYTES:
        raise damaged_baseline(
            f"It has {where.stat().st_size} bytes; more than {MOST_BYTES} are not read"
        )
    try:
        content = json.loads(
            where.read_bytes().decode("utf-8-sig"),
            parse_constant=_no_number,
            object_pairs_hook=each_once,
        )
    except (UnicodeDecodeError, ValueError, RecursionError) as problem:
        raise damaged_baseline(f"It is no JSON: {short(str(problem), 100)}") from None
    return _baseline_of(content)


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number")


def _baseline_of(content: Any) -> Baseline:
    if not isinstance(content, dict) or not isinstance(content.get("schema"), str):
        raise damaged_baseline("It is no object with a schema")
    schema = content["schema"]
    if schema != SCHEMA:
        name, _, version = schema.partition("/")
        if name == SCHEMA.partition("/")[0] and version.isdecimal() and int(version[:9]) > 1:
            raise error("K206", thing="baseline of a gate", version=version, newest=1)
        raise damaged_baseline(f"Its schema is {short(schema)}, not {SCHEMA!r}")
    said = content.pop("sha256", None)
    try:
        is_whole = said == _checksum(content)
    except (ValueError, RecursionError):
        is_whole = False
    if not is_whole:
        raise damaged_baseline(
            "Its content does not give its sha256: it was altered after it was written"
        )
    try:
        return _read(content)
    except KaratError as problem:
        raise damaged_baseline(f"Its tally is damaged: {problem.code}") from None
    except _UNREADABLE as problem:
        raise damaged_baseline(f"{type(problem).__name__}: {short(str(problem), 100)}") from None


def _read(content: dict[str, Any]) -> Baseline:
    labels = tuple(content["classes"]["labels"])
    positive = content["classes"]["positive"]
    cells = from_bytes(base64.b64decode(content["tally"], validate=True))
    classes = cells.classes
    if classes.labels != labels or classes.positive != positive:
        raise DamagedError("its tally has other classes")
    n = _whole(content["n"])
    if int(cells.n_rows) != n:
        raise DamagedError("its tally has another number of rows")
    rows = content["rows"]
    by = content["by"]
    if by is not None and not isinstance(by, str):
        raise DamagedError("its slices have no name")
    if not isinstance(content["settings"], dict):
        raise DamagedError("its settings are no object")
    return Baseline(
        classes,
        cells,
        n,
        _metrics(content["metrics"]),
        content["settings"],
        by,
        {str(name): _metrics(each) for name, each in content["slices"].items()},
        None if rows is None else _rows_of(rows, classes, n),
    )


def _metrics(found: dict[str, Any]) -> dict[str, Measured]:
    return {str(name): _measured(each) for name, each in found.items()}


def _measured(each: dict[str, Any]) -> Measured:
    value, low, high = (_number(each[name]) for name in ("value", "low", "high"))
    undefined = each["undefined"]
    if undefined is not None and not isinstance(undefined, str):
        raise DamagedError("a reason is no text")
    return Measured(math.nan if value is None else value, low, high, _whole(each["n"]), undefined)


def _number(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise DamagedError(f"{short(value)} is no number")
    return float(value)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_ROWS:
        raise DamagedError(f"{short(value)} is no number of rows")
    return value


def _rows_of(rows: dict[str, Any], classes: Classes, n: int) -> BaselineRows:
    if _whole(rows["n"]) != n:
        raise DamagedError("it holds another number of rows than it says")
    true, pred = (unpacked(rows[name], "<i4", (n,)) for name in ("true", "pred"))
    for codes in (true, pred):
        if n and not (codes.min() >= 0 and codes.max() < classes.k):
            raise DamagedError("a row is of no class")
    scores, n_columns = rows["scores"], rows["n_columns"]
    found = None
    if scores is not None:
        shape = (n,) if n_columns is None else (n, _whole(n_columns))
        if classes.k != (2 if len(shape) == 1 else shape[1]):
            raise DamagedError("its scores are of other classes")
        found = unpacked(scores, "<f4", shape)
        if not np.isfinite(found).all():
            raise DamagedError("a score is not finite")
    weights = None if rows["weights"] is None else unpacked(rows["weights"], "<f8", (n,))
    if weights is not None and not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise DamagedError("a weight is none")
    ids = None if rows["ids"] is None else unpacked(rows["ids"], "<u8", (n,))
    return BaselineRows(true, pred, ids, found, rows["is_prob"] is True, weights)


def damaged_baseline(found: str) -> KaratError:
    """K205: what is wrong with it, and how to get another."""
    return error(
        "K205",
        thing="baseline of a gate",
        found=found,
        do="Write it again: karat gate PREDICTIONS --update-baseline FILE.",
    )
