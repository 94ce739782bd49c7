"""Messages about limits and tests that hold at every look, and about monitors."""

from __future__ import annotations

from typing import Final

MESSAGES: Final = """
K237  There are no such intervals that hold at every look.
      anytime= was given with {found}.
      What takes replicates, permutations or folds holds for one look: leave {found} out, or
          anytime=.
K238  This has no form that holds at every look.
      {found}.
      {do}
K239  {path} is in use.
      Another process writes it: it made {lock}.
      Run the command again when that process has ended. If none runs, remove {lock}.
K240  The settings of a monitor are fixed at its first call.
      {argument} is {now} here, and {then} in {path}.
      {do}, or start another monitor: another path.
K452  Limits that hold at every look need the number of rows.
      The number of rows, or of clusters, at this look is not given.
      Give it: confidence.at(n) are the settings of a look at n rows.
K241  The batch is in the monitor already.
      Rows with the same content were added at look {look} of {path}.
      Add new rows alone; {again} adds them once more. With ids, other rows are known as others.
"""
"""See `karat.errors.catalogue`."""
