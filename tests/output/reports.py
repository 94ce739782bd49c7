"""Reports to render: real and made, of 2, 10 and 100 classes, of awkward names and numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

import karat
from karat.api.report import Report
from karat.api.results import ClassReport
from karat.tally import Cells, Classes

LONG = ["Saccharomyces cerevisiae strain S288C chromosome I"]
LONG += ["Saccharomyces cerevisiae strain S288C chromosome II"]
HOSTILE = [
    "\x1b[31mred\x1b[0m",
    "[bold]line\nbreak[/bold]",
    "日本語の名前",
    "\u202eright to left",
    " ",
]


def of_matrix(
    matrix: object, labels: list[str] | None = None, positive: int | None = None, **facts: object
) -> Report:
    classes = Classes.of(labels or range(len(matrix)))  # type: ignore[arg-type]
    if positive is not None:
        classes = replace(classes, positive=positive)
    cells = Cells.dense(matrix, classes=classes)
    return ClassReport(cells, **facts)  # type: ignore[arg-type]


def two() -> Report:
    matrix = [[351, 6], [11, 201]]
    return of_matrix(
        matrix,
        ["benign", "malignant"],
        positive=1,
        mapping={"y_true": "label", "y_pred": "pred", "weights": None},
        source={"files": ["breast_cancer.parquet"], "format": ["parquet"], "n_bytes": 7345},
    )


def ten() -> Report:
    """What a good model does with ten digits: few, uneven mistakes."""
    matrix = np.diag([178, 177, 174, 172, 176, 176, 177, 178, 162, 172])
    wrong = "161 183 191 212 271 322 354 371 383 391 412 471 481 491 511 541 561 593 612 651 681"
    for cell in f"{wrong} 791 817 821 832 841 851 911 931 952 971 983".split():
        matrix[int(cell[0]), int(cell[1])] = int(cell[2])
    return of_matrix(matrix, source={"files": ["a.csv", "b.csv", "c.csv"]})


def hundred() -> Report:
    """One class is never predicted, one is taken for another now and then."""
    matrix = np.zeros((100, 100), np.int64)
    for i in range(100):
        matrix[i, i] = 400 + 3 * i
        for step in (1, 2, 5):
            matrix[i, (i * step + 7) % 100] += (i * 7919 + step) % 23
    matrix[17, 18] += matrix[:, 17].sum()
    matrix[:, 17] = 0
    return of_matrix(matrix, warnings=("Classes 'a' and 'A' differ only in blanks or case.",))


def thirty() -> Report:
    matrix: NDArray[np.int64] = np.diag(np.arange(30) * 1000 + 10)
    matrix[3, 4:20] = 7
    return of_matrix(matrix)


def long() -> Report:
    return of_matrix([[50, 1, 0], [0, 47, 3], [0, 2, 48]], [*LONG, "Homo sapiens"])


def hostile() -> Report:
    return of_matrix(np.eye(5, dtype=int) * 9 + 1, HOSTILE)


def weighted() -> Report:
    return karat.evaluate(
        ["a", "b", "b", "c"], ["a", "a", "b", "b"], weights=[0.5, 1.25, 3.0, 0.001]
    )


def undefined() -> Report:
    return karat.evaluate([0, 0, 1], [0, 0, 0], metrics=["f1", "precision", "mcc"])


def one_class() -> Report:
    return karat.evaluate(["a", "a"], ["a", "a"])


def huge() -> Report:
    return of_matrix(np.array([[50, 1, 0], [0, 47, 3], [0, 2, 48]]) * 12_345_678)


def sparse() -> Report:
    k = 1100
    rows = np.arange(k)
    cells = Cells.sparse(
        np.append(rows, 5), np.append(rows, 7), np.append(rows + 1, 9), classes=Classes.of(range(k))
    )
    order = np.lexsort((np.append(rows, 7), np.append(rows, 5)))
    assert cells.rows is not None
    assert cells.cols is not None
    return ClassReport(
        Cells.sparse(
            cells.rows[order], cells.cols[order], cells.counts[order], classes=cells.classes
        )
    )


def totals() -> Report:
    return ClassReport(Cells.marginals([5, 4, 3], [1, 1, 1], [2, 0, 1], classes=Classes.of("abc")))


def confident(k: int, n: int, *, sharp: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Truth and probabilities of a model that knows how sure it is; every class is true."""
    rng = np.random.default_rng(k)
    truth = np.append(np.arange(k), rng.integers(0, k, n - k))
    seen = rng.normal(size=(n, k))
    seen[np.arange(n), truth] += sharp
    exp = np.exp(sharp * seen)
    # Rounded, so that no last bit of exp decides between two that tie.
    return truth, np.round(exp / exp.sum(axis=1, keepdims=True), 6)


def two_prob() -> Report:
    truth, prob = confident(2, 400, sharp=2.0)
    return karat.evaluate(
        truth, y_prob=prob[:, 1], labels=karat.Labels(names=["benign", "malignant"])
    )


def ten_prob() -> Report:
    truth, prob = confident(10, 2000, sharp=3.0)
    return karat.evaluate(truth, y_prob=prob)


def hundred_prob() -> Report:
    truth, prob = confident(100, 5000, sharp=3.5)
    return karat.evaluate(truth, y_prob=prob)


def absent_prob() -> Report:
    """Two of five classes are never true, and one row gives its class no chance."""
    truth, prob = confident(5, 300, sharp=2.0)
    is_kept = truth < 3
    truth, prob = truth[is_kept], prob[is_kept]
    prob[3] = np.eye(5)[(truth[3] + 1) % 3]
    return karat.evaluate(truth, y_prob=prob, labels=range(5), weights=np.full(len(truth), 0.5))


def logits() -> Report:
    """Scores of two classes, one of them predicted from a threshold on."""
    truth, prob = confident(2, 300, sharp=1.0)
    logit = np.round(np.log(prob[:, 1] / prob[:, 0]), 2)
    labels = np.array(["ham", "spam"])[truth]
    return karat.evaluate(labels, y_score=logit, threshold=1.5, positive="spam")


def never_cheap() -> Report:
    """No row is truly positive: nothing ranks, and no threshold is cheap."""
    return karat.evaluate([0, 0, 0], y_prob=[0.1, 0.2, 0.3], labels=[0, 1])


@lru_cache(maxsize=1)
def bucketed() -> Report:
    """More rows than a stream keeps: ranks are known in buckets."""
    stream = karat.Stream(reading=karat.Reading(max_memory=1 << 20), level=0.9)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 25_000)
        stream.update(y, y_prob=rng.random(25_000) ** 3 * 0.5 + 0.4 * y)
    return stream.report()


@lru_cache(maxsize=1)
def three_bucketed() -> Report:
    """Scores of three classes, in buckets."""
    truth, prob = confident(3, 60_000, sharp=1.5)
    stream = karat.Stream(reading=karat.Reading(max_memory=1 << 20), level=None)
    stream.update(truth, y_score=np.log(prob))
    return stream.report()


REPORTS: dict[str, Callable[[], Report]] = {
    make.__name__: make
    for make in (
        two, ten, hundred, thirty, long, hostile, weighted, undefined, one_class, huge, sparse,
        totals, two_prob, ten_prob, hundred_prob, absent_prob, logits, never_cheap,
        bucketed, three_bucketed,
    )
}  # fmt: skip
