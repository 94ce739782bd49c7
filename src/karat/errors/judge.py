"""Messages about gold labels and the labels of a judge."""

from __future__ import annotations

from typing import Final

MESSAGES: Final = """
K242  {given} needs {lacking}.
      {found}.
      {do}
K243  {argument} cannot be used with a judge.
      {found}.
      {do}
K244  There are too {amount} gold labels.
      {n} of {total} rows have one.
      {do}
K245  The rows with gold labels differ from the others.
      {found}.
      An estimate from them would be biased. If they were drawn with known probabilities, give the
          inverse of each: {weights}; karat.rows_to_label draws such rows. If they are a random part
          of all rows and differ by chance, state it: {statement}.
K246  {argument} cannot be used as weights of gold rows.
      First at row {row}: {value!r}; {count} of {n} rows with a gold label.
      Give every row with a gold label the inverse of the probability that it was chosen, above 0.
K247  {name} cannot be estimated with a judge.
      {found}.
      {do}
K248  These rows cannot be drawn.
      {found}.
      {do}
K259  One gold row has almost all the weight.
      Row {row} has {share} of the weight of {n} gold rows: they are worth {effective} rows of equal
          weight.
      Check this weight. If it is right, label more rows that stand for as many others.
K450  A report with a judge holds no rows.
      It holds estimates, which karat.compare and karat.gate cannot compare with another model.
      Give the rows: karat.compare(gold, {{'old': …, 'new': …}}, design=karat.Judge(judge)) compares
          models with a judge; report.gold and report.judge are reports of the gold rows.
K453  The labels of {argument} are lists that were written as text.
      Each of the {n} different texts is a list, as {first!r}.
      If a row has several labels, give lists, or texts as a|b with separator='|': a column of text
          becomes one by .map(lambda text: '|'.join(ast.literal_eval(text))). Dask keeps lists with
          dask.config.set({{'dataframe.convert-string': False}}). If each text is one class, list
          them: labels=[…].
K249  No number of gold labels reaches this half-width.
      {found}.
      {do}
"""
"""See `karat.errors.catalogue`."""
