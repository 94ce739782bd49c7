"""Messages about folders of files."""

from __future__ import annotations

from typing import Final

MESSAGES: Final = """
K433  {path} is a table of {kind}, not a folder of files.
      {log} states which files are current; the others were removed or replaced, and their rows
          would count.
      Give the paths of the current files: {how}.
"""
"""See `karat.errors.catalogue`."""
