"""Transfers: labels that are added in rows where others are missed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from karat.tally.set_tally import SetRows


def transfers_of(given: SetRows) -> npt.NDArray[np.float64]:
    """float64[k + 1, k + 1]: weight of true labels by the labels predicted instead of them.

    Cost: O(labels of all rows), and the missed times the added labels of each row.
    """
    rows, k = given.known, given.classes.k
    w = np.ones(rows.n) if rows.weights is None else rows.weights
    found = np.zeros((k + 1, k + 1))
    is_hit, is_right = given.matched
    hits = rows.true.items[is_hit]
    np.add.at(found, (hits, hits), w[rows.true.rows[is_hit]])
    missed, added = rows.true.some(~is_hit), rows.pred.some(~is_right)
    n_missed, n_added = missed.sizes, added.sizes
    of_row = missed.rows
    is_lost = n_added[of_row] == 0
    np.add.at(found, (missed.items[is_lost], k), w[of_row[is_lost]])
    is_new = n_missed[added.rows] == 0
    np.add.at(found, (k, added.items[is_new]), w[added.rows[is_new]])
    # Each missed label with each added one of its row.
    kept = ~is_lost
    lost, of_lost = missed.items[kept], of_row[kept]
    times = n_added[of_lost]
    first = np.repeat(added.starts[:-1][of_lost], times)
    within = np.arange(int(times.sum())) - np.repeat(np.cumsum(times) - times, times)
    shared = np.repeat(w[of_lost] / np.maximum(times, 1), times)
    np.add.at(found, (np.repeat(lost, times), added.items[first + within]), shared)
    return found
