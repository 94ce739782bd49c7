"""Probabilities as models return them: dicts by class, rows of pipelines, arrays of outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import karat
from karat.errors import KaratError
from tests.same import assert_same

N = 40
RNG = np.random.default_rng(11)
NAMES = ["ant", "bee", "cow"]
TRUTH = np.array(NAMES)[np.r_[0, 1, 2, RNG.integers(0, 3, N - 3)]]
PROB = RNG.dirichlet([1, 1, 1], N)
MARKS = np.vstack([np.eye(3, dtype=int), RNG.integers(0, 2, (N - 3, 3))])
MARKS[MARKS.sum(axis=1) == 0, 1] = 1
PRESENT = RNG.random((N, 3))


def by_rank(row: Any, names: Any = NAMES) -> list[tuple[Any, float]]:
    """Classes with their scores, best first, as pipelines list them."""
    return sorted(zip(names, row.tolist(), strict=True), key=lambda pair: -pair[1])


def pipeline(prob: Any, names: Any = NAMES) -> list[Any]:
    return [[{"label": x, "score": p} for x, p in by_rank(row, names)] for row in prob]


OF_CLASSES: dict[str, Callable[[], Any]] = {
    "a dict of columns": lambda: {name: PROB[:, i] for i, name in enumerate(NAMES)},
    "rows of dicts": lambda: [dict(zip(NAMES, row, strict=True)) for row in PROB.tolist()],
    "rows of dicts in any order": lambda: [dict(by_rank(row)) for row in PROB],
    "a Series of dicts": lambda: pd.Series([dict(by_rank(row)) for row in PROB]),
    "a tuple of dicts": lambda: tuple(dict(by_rank(row)) for row in PROB),
    "a pipeline with every class": lambda: pipeline(PROB),
}
VERBS: dict[str, Callable[[Any, Any], Any]] = {
    "log_loss": lambda true, prob: karat.log_loss(true, y_prob=prob),
    "roc_auc": lambda true, prob: karat.roc_auc_ovr_macro(true, y_prob=prob),
    "evaluate": lambda true, prob: karat.evaluate(true, y_prob=prob).to_json(),
    "compare": lambda true, prob: karat.compare(
        true, y_prob={"a": prob, "b": PROB[:, [1, 2, 0]]}, metrics=["log_loss", "accuracy"]
    ).to_json(),
    "gate": lambda true, prob: str(karat.gate(true, y_prob=prob, min={"accuracy": 0.2})),
    "check": lambda true, prob: str(karat.check(true, y_prob=prob)),
    "find_weak_slices": lambda true, prob: str(
        karat.find_weak_slices(true, y_prob=prob, by={"x": np.arange(N) % 3})
    ),
    "Stream": lambda true, prob: streamed(true, prob).to_json(),
    "curves": lambda true, prob: [
        curve.tpr for curve in karat.curves.roc(true, y_prob=prob, average=None).values()
    ],
}


def streamed(true: Any, prob: Any) -> Any:
    stream = karat.Stream(labels=NAMES, metrics=["log_loss", "accuracy"])
    for start in range(0, N, 15):
        rows = slice(start, start + 15)
        piece = {x: v[rows] for x, v in prob.items()} if isinstance(prob, dict) else prob[rows]
        stream.update(true[rows], y_prob=piece)
    return stream.report()


@pytest.mark.parametrize("form", OF_CLASSES)
@pytest.mark.parametrize("verb", VERBS)
def test_rows_by_class_are_the_matrix(verb: str, form: str) -> None:
    run = VERBS[verb]
    mine, theirs = run(TRUTH, OF_CLASSES[form]()), run(TRUTH, PROB)
    if isinstance(mine, str):
        # Names of columns declare classes, and no order.
        assert mine.replace('    "is_ordered": false,\n', "") == theirs
    else:
        assert_same(mine, theirs, within=0)


def test_the_classes_may_be_declared_in_any_order() -> None:
    rows = OF_CLASSES["rows of dicts in any order"]()
    expected = karat.log_loss(TRUTH, y_prob=PROB)
    for labels in (NAMES, NAMES[::-1]):
        assert_same(karat.log_loss(TRUTH, y_prob=rows, labels=labels), expected, within=1e-15)
    more = [{**row, "elk": 0.0} for row in rows]
    assert_same(karat.log_loss(TRUTH, y_prob=more), expected, within=1e-15)


@pytest.mark.parametrize(
    "kinds", [(0, 1), (1, 2), (False, True), (-1, 1), (0.0, 1.0), ("no", "yes"), (np.int64(0), 1)]
)
def test_two_classes_of_any_kind(kinds: Any) -> None:
    codes, p = RNG.integers(0, 2, N), RNG.random(N)
    true = np.array(kinds)[codes]
    rows = [dict(by_rank(np.array([1 - x, x]), kinds)) for x in p]
    mine = karat.log_loss(true, y_prob=rows)
    assert_same(mine, karat.log_loss(codes, y_prob=p), within=1e-12)
    scores = [{kinds[0]: -x, kinds[1]: x} for x in p]
    mine = karat.roc_auc(true, y_score=scores, positive=kinds[1])
    assert_same(mine, karat.roc_auc(codes, y_score=p), within=1e-12)


def test_names_of_a_pipeline_may_end_in_the_class() -> None:
    codes = RNG.integers(0, 3, N)
    names = ["LABEL_0", "LABEL_1", "LABEL_2"]
    mine = karat.log_loss(codes, y_prob=pipeline(PROB, names))
    assert mine == karat.log_loss(codes, y_prob=PROB)


REFUSED: dict[str, tuple[Any, Any, str]] = {
    "the best class alone": (
        TRUTH,
        [{"label": by_rank(row)[0][0], "score": by_rank(row)[0][1]} for row in PROB],
        r"top_k=None.*y_pred=\[row\['label'\] for row in output\]",
    ),
    "the best two classes": (
        TRUTH, [row[:2] for row in pipeline(PROB)], r"Row 0 has no score of '\w+'.*top_k=None",
    ),
    "one class in every row": (
        TRUTH, [[{"label": "ant", "score": 0.5}]] * N, r"the score of 'ant' alone.*top_k=None",
    ),
    "a row that is none": (
        TRUTH, [{"ant": 0.2, "bee": 0.3, "cow": 0.5}] * (N - 1) + [None], "Row 39 is None",
    ),
    "a class that is not there": (
        TRUTH, [{"ant": 0.2, "bee": 0.8}] * N, "No column for 'cow'",
    ),
    "other names": (
        TRUTH, pipeline(PROB, ["x", "y", "z"]), "other classes than there are.*id2label",
    ),
    "numbers that are no classes": (
        RNG.integers(1, 4, N), [dict(enumerate(row)) for row in PROB.tolist()], "No column for 3",
    ),
    "arrays of outputs": (
        TRUTH, [PROB[:, :2]] * 3, r"list of 3 arrays of shape \(40, 2\).*y_prob=P\[0\]",
    ),
    "an output with one column": (
        MARKS, [PROB[:, :1], *[np.full((N, 2), 0.5)] * 2], "Output 0 has 1 columns",
    ),
    "an output of three classes": (
        MARKS, [PROB, *[np.full((N, 2), 0.5)] * 2], "Output 0 has 3 columns",
    ),
    "an output that does not add up": (
        MARKS, [np.full((N, 2), 0.4)] * 3, "absent and present, do not add up to 1",
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", REFUSED)
def test_what_has_another_meaning_is_refused(form: str) -> None:
    true, prob, told = REFUSED[form]
    for run in (karat.evaluate, lambda t, y_prob: karat.Stream().update(t, y_prob=y_prob)):
        with pytest.raises(KaratError, match=f"(?s){told}"):
            run(true, y_prob=prob)


@pytest.mark.parametrize("verb", ["evaluate", "accuracy"])
def test_outputs_are_no_labels(verb: str) -> None:
    best = [row[0] for row in pipeline(PROB)]
    with pytest.raises(KaratError, match=r"y_pred=\[row\['label'\] for row in output\]"):
        getattr(karat, verb)(TRUTH, best)
    rows = OF_CLASSES["rows of dicts"]()
    with pytest.raises(KaratError, match="Probabilities of the classes are y_prob="):
        getattr(karat, verb)(TRUTH, rows)
    assert karat.accuracy(TRUTH, [row["label"] for row in best]) > 0


def forms_of_sets() -> Iterator[Any]:
    yield [np.column_stack([1 - p, p]) for p in PRESENT.T]
    yield tuple(np.column_stack([1 - p, p]) for p in PRESENT.T)
    yield [dict(by_rank(row, range(3))) for row in PRESENT]
    yield pipeline(PRESENT, range(3))


@pytest.mark.parametrize("form", range(4))
def test_sets_of_labels(form: int) -> None:
    given = [*forms_of_sets()][form]
    for name in ("log_loss", "macro_average_precision", "roc_auc_ovr_macro", "lwlrap"):
        function = getattr(karat, name)
        assert_same(function(MARKS, y_prob=given), function(MARKS, y_prob=PRESENT), within=1e-15)
    report = karat.evaluate(MARKS, y_prob=given)
    assert report.to_json() == karat.evaluate(MARKS, y_prob=PRESENT).to_json()
    stream, whole = karat.Stream(), karat.Stream()
    stream.update(MARKS, y_prob=given)
    whole.update(MARKS, y_prob=PRESENT)
    assert stream.report().to_json() == whole.report().to_json()


def test_rows_that_list_some_labels_stay_as_they_are() -> None:
    rows = [dict(by_rank(row, range(3))[:2]) for row in PRESENT]
    with pytest.raises(KaratError, match="K224"):
        karat.log_loss(MARKS, y_prob=rows)
    assert 0 < karat.ndcg(MARKS, y_prob=[dict(by_rank(row, range(3))) for row in PRESENT]) < 1


@pytest.mark.parametrize("is_whole_first", [True, False])
def test_a_stream_takes_batches_that_list_every_label_and_some(is_whole_first: bool) -> None:
    every = [dict(by_rank(row, range(3))) for row in PRESENT]
    some = [dict(by_rank(row, range(3))[:2]) for row in PRESENT]
    stream = karat.Stream(labels=range(3))
    for rows in (every, some) if is_whole_first else (some, every):
        stream.update(MARKS, y_prob=rows)
    whole = karat.evaluate(np.vstack([MARKS, MARKS]), y_prob=every + some, labels=range(3))
    assert stream.report()["ndcg"].value == pytest.approx(whole["ndcg"].value, abs=1e-12)
