"""The rows that a monitor judges: all so far or a window; and as arrays of its state."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.data.clusters import RowNames
from karat.data.labels.align import classes_of
from karat.data.rows import Rows
from karat.data.scores.containers import Argument, Scores
from karat.errors import error
from karat.errors.options import option
from karat.tally import Classes
from karat.tally.shared import common_labels

Array: TypeAlias = npt.NDArray[Any]
MONITOR: Final = "this monitor"
"""What messages call it where it has no path."""
LEAVE_OUT: Final = "Leave it out"
_SAME_KIND: Final = "Give every batch as the first one was given"


def plain_rows(rows: Rows) -> Rows:
    """The rows with all that a monitor keeps of a batch, and nothing else."""
    return Rows(
        rows.classes, rows.true, rows.pred, rows.scores, rows.weights, clusters=rows.clusters
    )


def joined(before: Rows | None, batch: Rows, positive: Any) -> Rows:
    """The rows of all batches, on the classes of all of them.

    Errors:
        K240 they have scores, weights or clusters, and earlier ones have none, or the reverse; or
        scores of other classes.
    """
    if before is None:
        return plain_rows(batch)
    classes = _classes_of_both(before, batch, positive)
    sides = before.on(classes), batch.on(classes)
    return Rows(
        classes,
        np.concatenate([one.true for one in sides]),
        np.concatenate([one.pred for one in sides if one.pred is not None]),
        _scores(*sides),
        _appended(*(one.weights for one in sides)),
        clusters=_names(*(one.clusters for one in sides)),
    )


def window_of(before: Rows | None, batch: Rows, positive: Any) -> Rows:
    """The rows of a batch alone, on their own classes, of the kinds of the batch before.

    Two classes, declared ones and those of scores stay where a batch lacks one of them. Of more
    classes only those that occur count, as in a slice of a gate.

    Errors:
        K240 as `joined`.
    """
    rows = plain_rows(batch)
    if before is None:
        return rows
    classes = _classes_of_both(before, batch, positive)
    return rows.on(classes) if classes.k <= 2 or classes.is_declared else rows


def _classes_of_both(before: Rows, batch: Rows, positive: Any) -> Classes:
    """The classes of two batches of the same kinds (K240)."""
    for argument, now, then in zip(_KINDS, _kinds(batch), _kinds(before), strict=True):
        if now != then:
            given = {"now": now, "then": then, "path": MONITOR}
            raise error("K240", argument=argument, **given, do=_SAME_KIND)
    labels = before.classes.labels
    if batch.classes.labels != labels:
        if before.scores is not None:
            facts = {"now": list(batch.classes.labels), "then": list(labels)}
            raise error("K240", argument=option("labels"), **facts, path=MONITOR, do=_SAME_KIND)
        labels = common_labels(before.classes, batch.classes).labels
    if positive is None and len(labels) == 2:
        known = [one.labels[one.positive] for one in _with_positive(before, batch)]
        positive = known[0] if known else None
    return classes_of(labels, positive, is_declared=before.classes.is_declared)


def _with_positive(*sides: Rows) -> list[Any]:
    return [one.classes for one in sides if one.classes.positive is not None]


_KINDS: Final = ("the kind of predictions", "weights", "clusters")


def _kinds(rows: Rows) -> tuple[str, str, str]:
    scores = rows.scores
    what = "labels alone"
    if scores is not None:
        columns = "one column" if scores.values.ndim == 1 else f"{scores.k} columns"
        what = f"{'probabilities' if scores.is_prob else 'scores'} in {columns}"
    return what, _given(rows.weights), _given(rows.clusters)


def _given(values: Any) -> str:
    return "none" if values is None else "given"


def _scores(left: Rows, right: Rows) -> Scores | None:
    if left.scores is None or right.scores is None:
        return None
    values = np.concatenate([left.scores.values, right.scores.values])
    tolerance = max(left.scores.tolerance, right.scores.tolerance)
    return Scores(left.scores.argument, values, tolerance=tolerance)


def _appended(left: Array | None, right: Array | None) -> Array | None:
    return None if left is None or right is None else np.concatenate([left, right])


def _names(left: RowNames | None, right: RowNames | None) -> RowNames | None:
    """Names of the rows of both: one that both have is one cluster."""
    if left is None or right is None:
        return None
    places = {text: i for i, text in enumerate(left.texts)}
    moved = [places.setdefault(text, len(places)) for text in right.texts]
    codes = np.concatenate([left.codes, np.array(moved, np.int32)[right.codes]])
    return RowNames(left.column, codes.astype(np.int32), tuple(places))


def digest_of(*sides: Rows | None) -> str:
    """Digest of the content of a batch and its ids, for any file or array that it came in."""
    found = hashlib.sha256()
    for rows in sides:
        if rows is None:
            continue
        found.update(repr(rows.classes.labels).encode("utf-8", "surrogatepass"))
        for names in (rows.clusters, rows.ids):
            found.update(
                repr(() if names is None else names.texts).encode("utf-8", "surrogatepass")
            )
        if rows.ids is not None:
            found.update(np.ascontiguousarray(rows.ids.codes).tobytes())
        for name, array in arrays_of(rows).items():
            found.update(name.encode())
            found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def arrays_of(rows: Rows) -> dict[str, Array]:
    """The arrays of rows, by name, without those that they lack."""
    found: dict[str, Array | None] = {
        "true": rows.true,
        "pred": rows.pred,
        "scores": rows.values,
        "weights": rows.weights,
        "clusters": None if rows.clusters is None else rows.clusters.codes,
    }
    return {name: array for name, array in found.items() if array is not None}


ARRAYS: Final = ("true", "pred", "scores", "weights", "clusters")


def facts_of(rows: Rows) -> dict[str, Any]:
    """What the arrays of rows do not say, as JSON types."""
    classes, scores = rows.classes, rows.scores
    return {
        "labels": list(classes.labels),
        "positive": classes.positive,
        "is_declared": classes.is_declared,
        "argument": None if scores is None else scores.argument,
        "tolerance": None if scores is None else scores.tolerance,
        "clusters": None if rows.clusters is None else list(rows.clusters.texts),
    }


def rows_of(facts: Mapping[str, Any], arrays: Mapping[str, Array]) -> Rows:
    """Rows from their facts and arrays (ValueError or another that says they contradict)."""
    labels, positive = tuple(facts["labels"]), facts["positive"]
    _require(None not in labels and len({*labels}) == len(labels), "labels that are none")
    _require(positive is None or positive in range(len(labels)), "no such positive class")
    classes = Classes(labels, positive=facts["positive"], is_declared=facts["is_declared"])
    true, pred = arrays["true"], arrays["pred"]
    scores = weights = clusters = None
    for codes in (true, pred):
        _require(codes.shape == true.shape and codes.ndim == 1, "rows differ in number")
        _require(len(codes) and 0 <= codes.min() <= codes.max() < classes.k, "a row has no class")
    if facts["argument"] is not None:
        values = arrays["scores"]
        _require(len(values) == len(true) and np.isfinite(values).all(), "scores are missing")
        _require(classes.k == (2 if values.ndim == 1 else values.shape[1]), "scores of no class")
        _require(facts["argument"] in ("y_prob", "y_score"), "scores of no kind")
        argument: Argument = facts["argument"]
        scores = Scores(argument, values, tolerance=float(facts["tolerance"]))
    if "weights" in arrays:
        weights = arrays["weights"]
        is_fit = weights.shape == true.shape and np.isfinite(weights).all() and (weights >= 0).all()
        _require(is_fit, "a weight is none")
    if facts["clusters"] is not None:
        codes, texts = arrays["clusters"], tuple(map(str, facts["clusters"]))
        is_fit = codes.shape == true.shape and 0 <= codes.min() <= codes.max() < len(texts)
        _require(is_fit, "a row has no cluster")
        clusters = RowNames("clusters", codes, texts)
    return Rows(classes, true, pred, scores, weights, clusters=clusters)


def _require(holds: object, problem: str) -> None:
    if not holds:
        raise ValueError(problem)
