"""Batches of plain integers on classes given beforehand are counted as every other batch is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from karat.data.labels.align import GivenClasses

LABELS: dict[str, list[Any]] = {
    "two": [0, 1],
    "in another order": [2, 0, 1],
    "negative, with gaps": [-3, 5, 9],
    "large": [2**40, 2**40 + 2, 2**40 + 1],
    "far apart": [0, 2**50],
    "beyond int64": [0, 2**70],
    "booleans": [False, True],
    "text": ["a", "b"],
    "one": [7],
}
PROBLEMS: dict[str, Any] = {
    "as it is": lambda true, pred: (true, pred),
    "narrow": lambda true, pred: (narrowed(true), narrowed(pred)),
    "unsigned": lambda true, pred: (np.abs(true).astype("u8"), np.abs(pred).astype("u8")),
    "every second row": lambda true, pred: (true[::2], pred[::-2]),
    "another byte order": lambda true, pred: (true.astype(true.dtype.newbyteorder()), pred),
    "lists": lambda true, pred: (true.tolist(), pred.tolist()),
    "floats": lambda true, pred: (true.astype(float), pred),
    "a label outside": lambda true, pred: (np.append(true, 4), np.append(pred, pred[0])),
    "a prediction outside": lambda true, pred: (np.append(true, true[0]), np.append(pred, 4)),
    "lengths": lambda true, pred: (true[:-1], pred),
    "empty": lambda true, pred: (true[:0], pred[:0]),
    "two dimensions": lambda true, pred: (true[:, None], pred),
    "no prediction": lambda true, pred: (true, None),
}


OF_NUMBERS = ("narrow", "unsigned", "floats", "a label outside", "a prediction outside")
PAIRS = [
    (labels, problem)
    for labels, listed in LABELS.items()
    for problem in PROBLEMS
    if type(listed[0]) is int or problem not in OF_NUMBERS
]


def narrowed(values: Any) -> Any:
    is_narrow = values.dtype.kind == "i" and np.abs(values).max(initial=0) < 100
    return values.astype("i1") if is_narrow else values


def columns(labels: list[Any]) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    try:
        known = np.array(labels, None if isinstance(labels[0], str | bool) else np.int64)
    except OverflowError:
        known = np.array(labels[:1])
    return rng.choice(known, 50), rng.choice(known, 50)


def outcome(batches: list[tuple[Any, dict[str, Any]]], **settings: Any) -> Any:
    """What a stream holds after some batches, or what it said of the first that it refused."""
    stream = karat.Stream(level=None, **settings)
    try:
        for true, given in batches:
            stream.update(true, **given)
        report = stream.report()
        return report.to_json(), report.classes, report.n_rows
    except ValueError as problem:
        return type(problem), str(problem)


def agree(
    monkeypatch: pytest.MonkeyPatch, batches: list[tuple[Any, dict[str, Any]]], **settings: Any
) -> None:
    found = outcome(batches, **settings)
    with monkeypatch.context() as long:
        long.setattr(GivenClasses, "of", lambda *_: None)
        assert found == outcome(batches, **settings)


@pytest.mark.parametrize(("labels", "problem"), PAIRS)
def test_labels_are_counted_as_every_other_batch_is(
    monkeypatch: pytest.MonkeyPatch, labels: str, problem: str
) -> None:
    true, pred = columns(LABELS[labels])
    changed = PROBLEMS[problem](true, pred)
    batches = [(true, {"y_pred": pred}), (changed[0], {"y_pred": changed[1]})]
    agree(monkeypatch, batches, labels=LABELS[labels])
    if len(LABELS[labels]) == 2:
        agree(monkeypatch, batches, labels=LABELS[labels], positive=LABELS[labels][0])


@pytest.mark.parametrize(("labels", "problem"), PAIRS)
def test_scores_are_read_as_in_every_other_batch(
    monkeypatch: pytest.MonkeyPatch, labels: str, problem: str
) -> None:
    true, _ = columns(LABELS[labels])
    k = len(LABELS[labels])
    changed, _ = PROBLEMS[problem](true, true)
    rng = np.random.default_rng(2)
    for shape in ((k,), (k + 1,)) if k > 1 else ((2,),):
        prob = [
            {"y_prob": rng.dirichlet(np.ones(*shape), np.shape(one)[0])} for one in (true, changed)
        ]
        agree(monkeypatch, [(true, prob[0]), (changed, prob[1])], labels=LABELS[labels])


def test_few_whole_numbers_have_a_short_way() -> None:
    given = GivenClasses.of((3, 1), None)
    assert given is not None
    assert given.classes.labels == (3, 1)
    cells = given.count(np.array([3, 1, 1]), np.array([3, 3, 1], np.uint8), None)
    assert cells is not None
    assert cells.matrix().tolist() == [[1, 0], [1, 1]]
    assert given.codes(np.array([3, 1, 1])).tolist() == [0, 1, 1]  # type: ignore[union-attr]
    # What the long path has to look at.
    assert given.count(np.array([3, 2]), np.array([3, 3]), None) is None
    assert given.count([3, 1], [3, 3], None) is None
    assert given.codes(np.array([3, 2])) is None
    assert given.codes(np.array([3, 4])) is None
    assert GivenClasses.of(("a", "b"), None) is None
    assert GivenClasses.of((0, 1, 2), 5) is None
    assert GivenClasses.of(tuple(range(1000)), None) is None
