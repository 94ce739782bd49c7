"""Messages about limits and tests that hold at every look, and about monitors."""

from __future__ import annotations

from typing import Final

MESSAGES: Final = """
K237  Intervals for every look are not available with these settings.
      anytime= was given with {found}.
      Leave {found} out, or anytime=: methods that use replicates, permutations or folds are valid
          for one look only.
K238  Intervals for every look are not available here.
      {found}.
      {do}
K239  {path} is in use.
      It is being written by {holder}.
      Try again when it has ended, or wait for it: {wait}. The lock ends with the process.
K240  The settings of a monitor are fixed at its first call.
      {argument} is {now} here, and {then} in {path}.
      {do}, or start another monitor: another path.
K452  Limits that hold at every look need the number of rows.
      The number of rows, or of clusters, at this look is not given.
      Give it: confidence.at(n) are the settings of a look at n rows.
K241  The batch is in the monitor already.
      Rows with the same content were added at look {look} of {path}.
      Add new rows only; {again} adds them once more. Different rows with equal content need ids.
K430  Rows of the batch are in the monitor already.
      {count} of {n} ids were added before, as {ids}.
      Add new rows only; {again} adds the batch all the same. If the ids do not identify rows, start
          another monitor with {none}.
K431  There is no monitor.
      {path} does not exist.
      Check the path; relative paths start at the current folder.
K432  {path} has changed since this monitor was read from it.
      Another process added rows.
      Load it again and add the batch to that; nothing was written.
"""
"""See `karat.errors.catalogue`."""
