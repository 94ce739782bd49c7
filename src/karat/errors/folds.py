"""Messages about folds and repeats."""

from __future__ import annotations

from typing import Final

MESSAGES: Final = """
K250  Folds cannot be used here.
      {found}.
      {do}
K251  Rows of several repeats need ids.
      Column {repeat!r} has {n} repeats, and nothing states which rows are the same.
      {do}
K252  Folds share rows.
      {found}.
      Each row belongs to one fold of a repeat: name repeats {how}, or remove the copies.
K253  Repeats have different rows.
      {found}.
      Give all rows of each repeat: a repeat tests every row once.
K254  The number of training rows is not known.
      {found}.
      Give it for each row: {how}.
K255  The held-out folds are not those of nested cross-validation.
      {found}.
      {do}
K256  Models have different folds.
      {found}.
      Compare predictions of the same folds, made with the same seed of the splitter.
K257  These results of cross-validation cannot be read.
      {found}.
      {do}
K258  Every fold has the same truth in the same order.
      There are {k} folds of {n} rows each, and no ids of rows.
      They look like {k} runs on one test set, not like folds. If so, leave folds out, and give the
          number of the row in its run as clusters. If the rows are different ones, shuffle them.
"""
"""See `karat.errors.catalogue`."""
