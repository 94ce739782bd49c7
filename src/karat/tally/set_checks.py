"""What contradicts itself in a tally of sets that was read."""

from __future__ import annotations

from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from karat.tally.classes import Classes
from karat.tally.serialization import wrong_classes, wrong_squares
from karat.tally.shared import Floats, wrong_numbers

ARRAYS_OF_SETS: Final = (
    "counts",
    "weights",
    "squares",
    "profiles",
    "n_rows",
    "row_weights",
    "row_squares",
)
"""The numbers of a tally of sets, as they are written."""


class SumsOfSets(Protocol):
    """The numbers of a tally of sets; see `karat.tally.set_tally.SetTally`."""

    @property
    def classes(self) -> Classes: ...
    @property
    def counts(self) -> npt.NDArray[np.int64]: ...
    @property
    def profiles(self) -> npt.NDArray[np.int64]: ...
    @property
    def n_rows(self) -> npt.NDArray[np.int64]: ...
    @property
    def n_unknown(self) -> int: ...
    @property
    def weights(self) -> Floats | None: ...
    @property
    def squares(self) -> Floats | None: ...
    @property
    def row_weights(self) -> Floats | None: ...
    @property
    def row_squares(self) -> Floats | None: ...
    @property
    def has_predictions(self) -> bool: ...


def inconsistency_of_sets(tally: SumsOfSets) -> str | None:
    """Contradiction in a tally that was read, or None."""
    if problem := wrong_classes(tally.classes):
        return problem
    n_unknown: Any = tally.n_unknown
    if type(n_unknown) is not int or n_unknown < 0:
        return "The number of unknown rows is not a number of rows"
    shape, p = (4, tally.classes.k), len(tally.n_rows)
    arrays = [getattr(tally, name) for name in ARRAYS_OF_SETS]
    if any(a is not None and a.shape != shape for a in arrays[:3]):
        return "The sums of the labels do not fit them"
    if tally.profiles.shape != (p, 4):
        return "The profiles do not fit the rows"
    if any(a is not None and a.shape != (p,) for a in arrays[4:]):
        return "The weights of the profiles do not fit them"
    weighted = [tally.weights, tally.squares, tally.row_weights, tally.row_squares]
    if len({a is None for a in weighted}) > 1:
        return "Some sums are weighted and others are not"
    if any(a.dtype.kind != "i" for a in (tally.counts, tally.profiles, tally.n_rows)):
        return "A number of rows is not a whole number"
    if wrong_numbers(*arrays):
        return "A number is negative or not finite"
    true, predicted, hits, unknown = tally.profiles.T
    if (hits > np.minimum(true, predicted)).any():
        return "A row has more hits than labels"
    if not tally.has_predictions and ((hits != true) | (predicted != true)).any():
        return "Labels are predicted, and the rule that decides which is missing"
    if (true + predicted - hits + unknown > tally.classes.k).any():
        return "A row has more labels than there are"
    return _of_sums(tally)


def _of_sums(tally: SumsOfSets) -> str | None:
    true, predicted, hits, unknown = tally.profiles.T
    if len(true) and (np.diff(tally.profiles, axis=0)[:, 0] < 0).any():
        return "The profiles are not in order"
    if tally.weights is None:
        rows = np.stack([hits, predicted - hits, true - hits, unknown]) @ tally.n_rows
        if (rows != tally.counts.sum(axis=1)).any():
            return "The labels of the rows are not those of the tables"
        return None
    assert tally.squares is not None
    assert tally.row_weights is not None
    assert tally.row_squares is not None
    if ((tally.weights > 0) & (tally.counts == 0)).any():
        return "Some label has weight and no rows"
    return wrong_squares(tally.weights, tally.squares, tally.counts) or wrong_squares(
        tally.row_weights, tally.row_squares, tally.n_rows
    )
