"""Messages of the catalogue that stand in files of their own, by subject."""

from __future__ import annotations

from typing import Final

from karat.errors import anytime, folders, folds, judge, listed_rows

OTHERS: Final = tuple(
    one.MESSAGES.rstrip() for one in (listed_rows, anytime, judge, folds, folders)
)
"""See `karat.errors.catalogue`."""
