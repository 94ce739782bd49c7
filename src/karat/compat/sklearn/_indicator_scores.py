"""Scores and probabilities of indicator matrices: means over labels, rows or cells, and losses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.compat.sklearn._targets import as_array, check_lengths, summable
from karat.tally.sets import read_matrix

Array = npt.NDArray[Any]
Measure = Callable[[Array, Array, Any], float]
"""A metric of one column or row of marks, its scores, and the weights of its rows."""


OfRows = Callable[[Array, Array], Array]
"""A metric of every row of marks of 0 and 1 with its scores."""


def mean_of_labels(
    measure: Measure,
    y_true: Any,
    y_score: Any,
    average: Any,
    weights: Any,
    of_rows: OfRows | None = None,
) -> Any:
    """A metric of each label, or its mean as the average says.

    Fewer columns of scores than labels leave out labels, more are an IndexError, as there.
    """
    check_lengths(y_true, y_score, weights)
    true, score = (as_array(values, is_matrix=True) for values in (y_true, y_score))
    if average == "micro":
        of_cells = None if weights is None else np.repeat(weights, true.shape[1])
        return float(np.average(measure(true.ravel(), score.ravel(), of_cells)))
    share = None
    if average == "weighted":
        if weights is None:
            share = np.sum(true, axis=0)
        else:
            weights = summable(weights)
            true = np.asarray(true, dtype=weights.dtype)
            share = np.sum(np.multiply(true, np.reshape(weights, (-1, 1))), axis=0)
        if np.isclose(np.sum(share), 0):
            return 0
    elif average == "samples":
        is_plain = true.shape == score.shape and read_matrix(true).others is None
        if of_rows is not None and is_plain:
            found = of_rows(true, score)
            if weights is not None:
                found[weights == 0] = 0
            return float(np.average(found, weights=weights))
        true, score, share, weights = true.T, score.T, weights, None
    found = np.zeros(score.shape[1])
    for place in range(len(found)):
        found[place] = measure(true[:, place], score[:, place], weights)
    if average is None:
        return found
    if share is not None:
        found[share == 0] = 0
    return float(np.average(found, weights=share))


@dataclass(frozen=True, slots=True, eq=False)
class MarkedProbabilities:
    """Rows with sets of labels, and a probability for each label.

    Attributes:
        values: float[n, k].
        marks: int[n, k], 1 where a row has the label.
        weights: as given, or None.
    """

    values: Array
    marks: Array
    weights: Any

    @property
    def k(self) -> int:
        """Labels."""
        return int(self.values.shape[1])

    def log_loss(self, *, normalize: bool) -> float:
        """Mean, or sum, of −log p of the labels that a row has: others cost nothing, as there."""
        eps = np.finfo(self.values.dtype).eps
        rows, columns = np.nonzero(self.marks)
        own = np.clip(self.values[rows, columns], eps, 1 - eps)
        costs = -np.log(own.astype(np.float64)) * self.marks[rows, columns]
        loss = np.bincount(rows, costs, len(self.values))
        if normalize:
            return float(np.average(loss, weights=self.weights))
        return float(np.sum(loss) if self.weights is None else np.dot(loss, summable(self.weights)))

    def brier_loss(self) -> Any:
        """Mean over the rows of the squared error, added up over the labels."""
        errors = self.marks.astype(self.values.dtype) - self.values
        return np.average(np.sum(errors**2, axis=1), weights=self.weights)

    def null(self) -> MarkedProbabilities:
        """The same rows, each with the share of the rows that have a label as its probability."""
        shares = np.average(self.marks, axis=0, weights=self.weights)
        values = np.broadcast_to(shares, self.values.shape)
        return MarkedProbabilities(values, self.marks, self.weights)
