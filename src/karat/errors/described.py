"""Messages about values beside a table, and about data that was described by `karat.read`."""

from __future__ import annotations

from typing import Final

MESSAGES: Final = """
K454  {argument} has another index than the table.
      The index of the table begins with {table}, that of {argument} with {values}.
      Rows are matched by position and never aligned: give {argument}.to_numpy() if the order is the
          same, or {argument}.loc[table.index] to match by the index.
K455  {argument} cannot be used here.
      {found}.
      {do}
K456  This source can be read only once.
      {found}.
      Pass it to the function that uses it, or save it to a file for karat.read.
"""
"""See `karat.errors.catalogue`."""
