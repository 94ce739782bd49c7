"""Messages about inputs that can be read in two ways."""

from __future__ import annotations

from typing import Final

MESSAGES: Final = """
K191  {left} and {right} have no label in common.
      {left} has {left_labels}; {right} has {right_labels}.
      Write the labels of both in the same way. If they have none in common by chance, list every
          class with labels=.
K192  Column {column} may hold probabilities or other scores.
      It was found by its name, and all {n} values lie in [0, 1].
      State what it holds: {prob} or {score}; {none} leaves it out.
K427  Each row may be a count of rows.
      No two of the {n} rows have the same {pairs}, and column {column} holds whole numbers,
          {total} in all.
      If it counts rows, give them with their number: {counts}; {none} leaves it out.
K316  {name} needs the order of the classes.
      The classes are texts in alphabetical order, and no other order is declared: {labels}.
      List them from lowest to highest with {option}; or store the labels as an ordered categorical.
K317  The columns of {argument} can be in two orders.
      They have no names, and the classes are texts of numbers: as texts {texts}; as numbers
          {numbers}.
      Give labels= in the order of the columns: labels=model.classes_ of a scikit-learn model, or
          labels=sorted(set(y_true), key=int).
K318  {argument} holds -100 beside classes that count from 0.
      PyTorch and Hugging Face mark positions to ignore with -100. The other classes: {rest}.
      Leave these rows out of every argument: keep = y_true != -100. If -100 is a class, list every
          class with {option}.
K319  {name} needs probabilities, not other scores.
      The numbers were given as {y_score}, which only ranks rows.
      Give logits, such as the output of the last layer of a network, as {y_logit}; give
          probabilities as {y_prob}.
K320  {name} needs predicted classes, and scores alone do not determine them.
      {y_score} only ranks rows: the lowest score at which {what} is predicted was not given.
      Give that score as {threshold} (0 for margins such as those of decision_function), or the
          predicted classes as {y_pred}. Give probabilities as {y_prob}, logits as {y_logit}.
K424  {what} of confusion= {are} {sums}.
      {found}.
      {do}
"""
"""See `karat.errors.catalogue`."""
