"""Messages of the catalogue that stand in files of their own, by subject."""

from __future__ import annotations

from typing import Final

from karat.errors import ambiguous, anytime, folds, judge, listed_rows

OTHERS: Final = tuple(
    one.MESSAGES.rstrip() for one in (listed_rows, anytime, judge, folds, ambiguous)
)
"""See `karat.errors.catalogue`."""
