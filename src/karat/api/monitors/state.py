"""The rows that a monitor judges: all so far or a window; and as arrays of its state."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.data.clusters import RowNames
from karat.data.labels.align import classes_of
from karat.data.rows import Rows
from karat.data.scores.containers import Scores
from karat.data.weights import refuse_sums, refuse_weights
from karat.errors import error
from karat.errors.options import option
from karat.tally import Classes
from karat.tally.held_rows import RowChunk, impossible
from karat.tally.score_kind import KINDS
from karat.tally.serialization import classes_of_facts, facts_of_classes, wrong_classes
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
        _appended(*(one.pred for one in sides)),
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
    both = before.classes
    if before.scores is not None and batch.classes.labels != both.labels:
        facts = {"now": list(batch.classes.labels), "then": list(both.labels)}
        raise error("K240", argument=option("labels"), **facts, path=MONITOR, do=_SAME_KIND)
    if before.scores is None:
        both = common_labels(both, batch.classes)
    labels = both.labels
    if positive is None and len(labels) == 2:
        known = [one.labels[one.positive] for one in _with_positive(before, batch)]
        positive = known[0] if known else None
    classes = classes_of(labels, positive, is_declared=before.classes.is_declared)
    return replace(classes, is_ordered=both.is_ordered, order=both.order)


def _with_positive(*sides: Rows) -> list[Any]:
    return [one.classes for one in sides if one.classes.positive is not None]


_KINDS: Final = ("the kind of predictions", "weights", "clusters")


def _kinds(rows: Rows) -> tuple[str, str, str]:
    scores = rows.scores
    what = "labels alone"
    if scores is not None:
        columns = "one column" if scores.values.ndim == 1 else f"{scores.k} columns"
        what = f"{scores.kind} in {columns}"
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
    """Digest of the rows of a batch in any order, with their ids, from any file or array.

    Args:
        sides: rows of one model, and those of another, row by row.
    """
    rows_of_sides = [rows for rows in sides if rows is not None]
    mixed = np.zeros(rows_of_sides[0].n, np.uint64)
    found = hashlib.sha256()
    for rows in rows_of_sides:
        numbers = _numbers_of(rows)
        found.update(repr([*numbers]).encode())
        for column in numbers.values():
            for part in column.reshape(len(mixed), -1).T:
                mixed = _mixed(mixed ^ part.astype(np.uint64, copy=False))
    found.update(np.sort(mixed).tobytes())
    return found.hexdigest()


def _numbers_of(rows: Rows) -> dict[str, npt.NDArray[np.uint64]]:
    """Content of the rows as numbers of 64 bits, by name: uint64[n] or uint64[n, k]."""
    labels = _numbers_of_texts(map(repr, rows.classes.labels))
    found = {"true": labels[rows.true]}
    if rows.pred is not None:
        found["pred"] = labels[rows.pred]
    for name, values in (("scores", rows.values), ("weights", rows.weights)):
        if values is not None:
            # 0.0 and −0.0 are one number.
            found[name] = (np.asarray(values, np.float64, "C") + 0.0).view(np.uint64)
    for name, names in (("clusters", rows.clusters), ("ids", rows.ids)):
        if names is not None:
            found[name] = _numbers_of_texts(names.texts)[names.codes]
    return found


def _numbers_of_texts(texts: Iterable[str]) -> npt.NDArray[np.uint64]:
    return np.array([_number_of_text(text) for text in texts], np.uint64)


def _number_of_text(text: str) -> int:
    data = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


def _mixed(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Mix the bits of each number, so that columns do not cancel: the step of splitmix64."""
    numbers = numbers + np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


def numbered_ids(rows: Rows) -> dict[int, str]:
    """The ids of the rows, by the number that a monitor keeps of each; none without ids."""
    if rows.ids is None:
        return {}
    texts = [rows.ids.texts[code] for code in np.unique(rows.ids.codes).tolist()]
    return {_number_of_text(text): text for text in texts}


def digest_in_order(*sides: Rows | None) -> str:
    """Digest of a batch that depends on the order of its rows, as version 0.2.0 wrote it."""
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
        **facts_of_classes(classes),
        "argument": None if scores is None else scores.argument,
        "tolerance": None if scores is None else scores.tolerance,
        "clusters": None if rows.clusters is None else list(rows.clusters.texts),
    }


def rows_of(facts: Mapping[str, Any], arrays: Mapping[str, Array]) -> Rows:
    """Rows from their facts and arrays, checked like a batch.

    Errors:
        ValueError, or another that states how they contradict each other.
    """
    classes = classes_of_facts(facts)
    wrong = wrong_classes(classes)
    _require(wrong is None, wrong or "")
    true, pred = arrays["true"], arrays.get("pred")
    _require(len(true) > 0, "there are no rows")
    _require(_are_codes(true, true.shape, classes.k), "a row has no class")
    # Scores of one column without a threshold predict nothing.
    _require(pred is not None or facts["argument"] == "y_score", "a row has no predicted class")
    _require(
        pred is None or _are_codes(pred, true.shape, classes.k), "a row has no predicted class"
    )
    weights = arrays.get("weights")
    if weights is not None:
        is_fit = weights.shape == true.shape and weights.dtype == np.float64
        _require(is_fit, "a weight is not valid")
        refuse_weights(weights)
        refuse_sums(weights.sum(keepdims=True))
    scores = clusters = None
    _require((facts["argument"] is None) == ("scores" not in arrays), "scores are missing")
    if facts["argument"] is not None:
        values, tolerance, argument = arrays["scores"], facts["tolerance"], facts["argument"]
        _require(argument in KINDS, "scores of an unknown kind")
        is_fit = values.dtype.kind == "f" and values.shape in ((len(true),), (len(true), classes.k))
        _require(is_fit and (values.ndim == 2 or classes.k == 2), "scores of an unknown class")
        _require(type(tolerance) is float and 0 <= tolerance < 1, "a tolerance that is not valid")
        chunk = RowChunk(true, values, pred, weights)
        wrong = impossible(chunk, tolerance if argument == "y_prob" else None)
        _require(wrong is None, wrong or "")
        scores = Scores(argument, values, tolerance=tolerance)
    _require((facts["clusters"] is None) == ("clusters" not in arrays), "clusters are missing")
    if facts["clusters"] is not None:
        texts = tuple(facts["clusters"])
        are_names = all(type(text) is str for text in texts) and len({*texts}) == len(texts)
        codes = arrays["clusters"]
        _require(are_names and _are_codes(codes, true.shape, len(texts)), "a row has no cluster")
        clusters = RowNames("clusters", codes, texts)
    return Rows(classes, true, pred, scores, weights, clusters=clusters)


def are_paired(left: Rows, right: Rows) -> bool:
    """Return whether two models are of the same rows: one truth and one weight of each."""
    are_same = left.classes.labels == right.classes.labels
    if left.weights is not None and right.weights is not None:
        are_same &= np.array_equal(left.weights, right.weights)
    same_truth = np.array_equal(left.true, right.true)
    return are_same and same_truth and (left.weights is None) == (right.weights is None)


def _are_codes(codes: Array, shape: tuple[int, ...], k: int) -> bool:
    """Return whether codes are whole numbers from 0 below `k`, one for each row."""
    is_fit = codes.shape == shape and codes.ndim == 1 and codes.dtype == np.int32
    return is_fit and 0 <= int(codes.min()) <= int(codes.max()) < k


def _require(holds: object, problem: str) -> None:
    if not holds:
        raise ValueError(problem)
