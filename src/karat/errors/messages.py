"""Messages of the catalogue that stand in files of their own, by subject."""

from __future__ import annotations

from typing import Final

from karat.errors import ambiguous, anytime, described, folders, folds, groups, judge, listed_rows

_SUBJECTS: Final = (listed_rows, anytime, judge, folds, folders, ambiguous, described, groups)
OTHERS: Final = tuple(subject.MESSAGES.rstrip() for subject in _SUBJECTS)
"""See `karat.errors.catalogue`."""
