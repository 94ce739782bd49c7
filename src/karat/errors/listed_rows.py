"""Messages about the rows that a report lists."""

from __future__ import annotations

from typing import Final

MESSAGES: Final = """
K232  keep_rows={value!r} is not a number of rows.
      It is the number of rows to keep for each cell, bin and slice.
      Give a whole number from 0 (none) to {most}; leave it out for 20 where ids= is given.
K233  This report has no rows.
      {found}.
      {do}
K234  There are no rows of {argument}={value!r}.
      Known: {known}.
      {do}
K235  More rows are wanted than were kept.
      limit={limit}, and {kept} rows were kept for each cell, bin and slice.
      Evaluate again with keep_rows={limit}; karat report FILE --errors out.csv writes every error.
K236  Rows cannot be kept or written here.
      {found}.
      {do}
"""
"""See `karat.errors.catalogue`."""
