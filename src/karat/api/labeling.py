"""`rows_to_label`: rows that people label next, beside a judge's labels of all."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from karat.api.options import whole_number
from karat.data.clusters import encode_names
from karat.data.labels.column import resolved
from karat.data.labels.containers import encode
from karat.data.weights import as_weights
from karat.errors import error
from karat.errors.habits import names_its_arguments
from karat.inference.judge.sampling import drawn, strata_of

if TYPE_CHECKING:
    from os import PathLike

_SEED: Final = 2**64 - 1


@dataclass(frozen=True, slots=True, eq=False)
class RowsToLabel:
    """Rows to label, and the weights that keep estimates from them unbiased.

    Attributes:
        rows: int64[m], numbers of the drawn rows, ascending.
        weights: float64[m], inverse of the probability of each to be drawn.
        n_rows: number of rows that they were drawn from.
        ids: name of each drawn row, or None.
        judge: the judge's label of each drawn row.
    """

    rows: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64]
    n_rows: int
    ids: tuple[Any, ...] | None
    judge: tuple[Any, ...]

    @property
    def gold_weights(self) -> npt.NDArray[np.float64]:
        """float64[n]: the weight of each row of all, NaN where it was not drawn."""
        found = np.full(self.n_rows, np.nan)
        found[self.rows] = self.weights
        return found

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<karat.RowsToLabel: {len(self)} of {self.n_rows} rows>"

    def to_csv(self, path: str | PathLike[str] | None = None) -> str:
        """Return the rows as CSV; write it to `path` too, if given.

        Columns: ``id`` (or ``row``, its number from 0), ``judge``, ``gold``, which is empty for the
        label, and ``gold_weight``, which ``karat.Judge(weights=…)`` reads.
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["row" if self.ids is None else "id", "judge", "gold", "gold_weight"])
        names = self.rows.tolist() if self.ids is None else self.ids
        for name, label, weight in zip(names, self.judge, self.weights.tolist(), strict=True):
            writer.writerow([name, label, "", repr(weight)])
        found = text.getvalue()
        if path is not None:
            from karat.tally.writing import write_text

            write_text(path, found)
        return found


@names_its_arguments
def rows_to_label(
    judge: Any, n: int, *, confidence: Any = None, ids: Any = None, seed: int = 0
) -> RowsToLabel:
    """Draw rows for people to label, more of those where the judge is unsure.

    Rows are stratified by the judge's confidence, in fifths; the number of each stratum follows
    Neyman's allocation for a judge that is right with its stated probability, and a quarter of the
    rows is spread by size, so that every row can be drawn. Without a confidence the strata are the
    judge's classes, and rare ones are drawn more often.

    Args:
        judge: the judge's label of every row, [n].
        n: number of rows to draw.
        confidence: float[n], probability that the judge's label is right, from 0 to 1.
        ids: one id for each row, for the CSV.
        seed: seed of the draw.

    Returns:
        A `RowsToLabel`: ``rows``, ``weights``, ``gold_weights`` for `karat.evaluate`, ``to_csv``.

    Errors:
        K248 there are too few rows, or confidences outside [0, 1]; K101 to K107 the labels.

    Example:
        >>> import karat
        >>> judge = ["good"] * 90 + ["bad"] * 10
        >>> found = karat.rows_to_label(judge, 20)
        >>> len(found), round(float(found.weights.sum()))
        (20, 100)
    """
    column = encode(judge, "judge")
    n_rows = len(column)
    do = "It is the number of rows that people label."
    n = whole_number("n", n, do, 1, 10**9)
    seed = whole_number("seed", seed, "The same seed draws the same rows.", 0, _SEED)
    sure = None
    if confidence is not None:
        sure = as_weights(confidence, n_rows, "confidence", beside="judge")
        bad = ~((sure >= 0.0) & (sure <= 1.0))
        if bad.any():
            row = int(bad.argmax())
            found = f"confidence is {float(sure[row])!r} at row {row}, and {int(bad.sum())} rows"
            do = "Give the probability that the judge's label is right, from 0 to 1, of every row."
            raise error("K248", found=f"{found} are not in [0, 1]", do=do)
    found_labels = resolved(column)
    codes = found_labels.codes.astype(np.int64) - found_labels.base
    n_strata = int(strata_of(codes, sure).max()) + 1
    if not n_strata <= n <= n_rows:
        found = f"n={n} rows of {n_rows}, in {n_strata} strata"
        do = f"Give n= from {n_strata}, one row of each stratum, to {n_rows}."
        raise error("K248", found=found, do=do)
    chosen = drawn(codes, n, sure, seed)
    names = None
    if ids is not None:
        texts = encode_names(ids, "ids", "error", "ids")
        if len(texts) != n_rows:
            facts = {"left": "judge", "n_left": n_rows, "right": "ids", "n_right": len(texts)}
            raise error("K102", **facts)
        names = tuple(texts.label_at(row) for row in chosen.rows.tolist())
    labels = tuple(column.label_at(row) for row in chosen.rows.tolist())
    return RowsToLabel(chosen.rows, chosen.weights, n_rows, names, labels)
