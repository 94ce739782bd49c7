"""Messages about inputs that can be read in two ways."""

from __future__ import annotations

from typing import Final

MESSAGES: Final = """
K316  {name} needs the order of the classes.
      The classes are texts in alphabetical order, and nothing declares another: {labels}.
      List them from lowest to highest with {option}; or store the labels as an ordered categorical.
K317  The columns of {argument} can be in two orders.
      They have no names, and the classes are texts of numbers: as texts {texts}; as numbers
          {numbers}.
      Give labels= in the order of the columns: labels=model.classes_ of a scikit-learn model, or
          labels=sorted(set(y_true), key=int).
K318  {argument} holds -100, which is never predicted.
      Torch and Hugging Face mark positions with -100 that are left out. The other classes: {rest}.
      Leave these rows out of every argument: keep = y_true != -100. If -100 is a class, list every
          class with {option}.
K424  The last row and column of confusion= are the sums of the others.
      It has {k} rows and {k} columns; pandas.crosstab(margins=True) adds such totals.
      Leave them out: confusion[:-1, :-1], of a frame confusion.iloc[:-1, :-1]. If the last class is
          a class, list every class with {option}.
"""
"""See `karat.errors.catalogue`."""
