"""Messages about groups of options."""

from __future__ import annotations

from typing import Final

MESSAGES: Final = """
K260  {argument} is given twice.
      {found}.
      {do}
K261  {function} does not take {argument}.
      It has no such option.
      {do}
K262  {argument} is not available yet.
      It is planned for a later version.
      {do}
K263  {argument} does not fit the classes of the rows.
      {found}.
      {do}
K264  {argument} cannot be applied to these rows.
      {found}.
      {do}
"""
"""See `karat.errors.catalogue`."""
