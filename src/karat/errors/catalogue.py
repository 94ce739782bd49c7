"""Every message of karat as it is shown, with the facts that fill it in braces.

K10x to K12x: labels, weights and options. K13x: scores. K14x to K16x: arguments. K16x, K17x:
comparisons, gates and sample sizes. K18x: slices. K19x: what only the caller can say.
K2xx: tallies, streams, judges. K3xx: metrics. K4xx: files and tables. K5xx: packages.
K60x: CatBoost. K61x: oneDAL. K62x: torchmetrics. K70x: plots.
"""

from __future__ import annotations

import re
from typing import Final

from karat.errors.kinds import (
    Entry,
    EstimatorError,
    InputError,
    MissingFileError,
    NotCoveredError,
    OneDALError,
    TorchMetricsError,
    UnknownArgumentError,
    UnknownNameError,
)
from karat.errors.messages import OTHERS as _OTHERS
from karat.errors.reasons import REASONS

_UNKNOWN_NAMES = ("K168", "K183", "K211", "K234", "K306", "K307", "K308", "K309")
_KINDS = {
    **REASONS,
    "K194": UnknownNameError,
    **dict.fromkeys(_UNKNOWN_NAMES, UnknownNameError),
    "K126": UnknownArgumentError,
    "K313": EstimatorError,
    "K431": MissingFileError,
    "K611": OneDALError,
    "K621": TorchMetricsError,
    "K622": NotCoveredError,
}
"""The class of what is no plain `InputError`."""

_MESSAGES = """
K101  {argument} is empty.
      It has 0 rows.
      A metric needs at least one row; check the filter or the file that made it.
K102  {left} and {right} describe different numbers of rows.
      {left} has {n_left} rows, {right} has {n_right}.
      Rows are matched by position; align the two before the call.
K103  {argument} is not one label per row.
      It has shape {shape}.
      Give one label for each row, of shape (n,) or (n, 1). Give probabilities as y_prob=, logits as
          y_logit=. Sets of labels on both sides (indicator matrices or lists of labels) are for
          karat.evaluate and for functions such as karat.macro_f1 and karat.subset_accuracy.
K104  {argument} has missing {things}.
      First at row {row}; {count} of {n} rows are null or NaN.
      {do}
K105  {argument} holds numbers that are not whole, so they cannot be labels.
      First at row {row}: {value!r}; {count} of {n} rows.
      Outputs of a model are not labels: give probabilities as y_prob=, logits as y_logit=, other
          scores as y_score=; or choose a class for each row first.
K106  {argument} holds values of a kind that cannot be labels.
      {found}.
      Labels are strings, whole numbers, booleans, dates or times; convert them first.
K107  {argument} mixes strings and numbers.
      Row {row} holds {value!r}, row {other_row} holds {other!r}.
      A string never equals a number (1 = 1.0 = True, but not '1'); convert all of them to one kind.
K108  {left} and {right} hold labels of different kinds.
      {left} holds {left_kind} ({left_value!r}), {right} holds {right_kind} ({right_value!r}).
      A string never equals a number (1 = 1.0 = True, but not '1'); convert one of them.
K109  {argument} has labels that are not among {among}.
      First at row {row}: {value!r}; {count} of {n} rows. {classes}.
      {do}
K110  labels= cannot be used as the list of classes.
      {found}.
      Give each class once, all strings or all whole numbers, in the order you want.
K111  positive= is not one of the classes.
      positive={positive!r}; the classes are {labels}.
      Name one of the two classes.
K112  positive= needs exactly two classes.
      There are {k} classes: {labels}.
      {do}
K113  {argument} has negative values.
      First at row {row}: {value!r}; {count} of {n} rows.
      Weights are at least 0; a weight of 0 leaves the row out.
K114  {argument} has values that are missing, NaN or infinite.
      First at row {row}: {value!r}; {count} of {n} rows.
      Give every row a finite weight of at least 0.
K115  Every value of {argument} is zero.
      All {n} rows have weight 0, so no row counts.
      At least one row needs a weight above 0.
K116  {argument} is not one number per row.
      {found}.
      Give weights as real numbers of shape (n,).
K117  class_names= does not name every class once.
      {found}.
      Give one name for each class in the order of labels=, or a dict from label to name.
K118  {left} and {right} are ordered categories in different orders.
      {left} has {left_order}, {right} has {right_order}.
      Give both the same order, or list it with labels=.
K119  confusion= is not a confusion matrix.
      {found}.
      Give a square matrix of counts (rows true, columns predicted), finite and at least 0.
K121  {name} of {k} classes needs an average.
      Classes: {labels}; {given}.
      {do}
K122  {argument}={value!r} is not a valid choice.
      Choices: {choices}.
      {do}
K123  {name} needs to know which class is positive.
      Only one class occurs: {label!r}.
      Name the positive class with positive=, or choose average=.
K124  {argument} has labels that are not among the ordered categories of {other}.
      First at row {row}: {value!r}; {count} of {n} rows. Categories: {categories}.
      Add the label to the categories, or give every class in order with labels=.
K125  {argument} is too large or too small to compute with.
      {found}.
      Multiply all values by one constant: rates do not change, and sums stay in range.
K126  {function}() got an unexpected keyword argument {name!r}{more}.
      It takes {arguments}.
      {do}
K127  The true labels are missing.
      y_true was not given.
      Give y_true and {others}.
K128  The predictions are missing.
      {found}.
      {do}
K129  Outputs of two kinds are given together.
      {found}.
      Give one of {options}: y_prob= is for probabilities, y_logit= for logits, y_score= for any
          other scores.
K130  {argument} is not one number, or one row of numbers, for each row.
      {found}.
      Give numbers of shape (n, k), one column for each class, or (n,) for the positive class of
          two. Give labels as y_pred=.
K131  {argument} has scores that are missing, NaN or infinite.
      First at row {row}{place}: {value!r}; {count} of {n} rows.
      Remove such rows from all arguments; give log-probabilities of -inf as y_prob=np.exp(…).
K132  {argument} has values that are not probabilities.
      First at row {row}{place}: {value!r}; {count} of {n} rows.
      Probabilities lie from 0 to 1; give logits as y_logit=, other scores as y_score=.
K133  Rows of {argument} do not add up to 1.
      First at row {row}: its sum is {value!r}; {count} of {n} rows. The tolerance is {tolerance}.
      Probabilities are never renormalized: give a column for every class, or give logits as
          y_logit=, other scores as y_score=.
K134  {argument} has scores for {n_columns} classes; the labels have {k}.
      Classes: {labels}.
      {do}
K135  The columns of {argument} are in a different order than the classes.
      Columns: {columns}. Classes: {labels}.
      Put the columns in the order of labels=, or leave labels= out; for a table, name them by a
          pattern: 'proba_*'.
K136  threshold={threshold!r} cannot be used.
      {found}.
      Give one finite number, from 0 to 1 for probabilities. For sets of labels, give one number, a
          list of one number per label in their order, or a dict from each label to its number.
K137  {what}.
      {found}.
      {do}
K138  {what} must be given by name.
      {found}.
      {do}
K139  {scores}= is given to a metric of predicted labels.
      {metric} was given {scores}: it reads predicted labels.
      Give y_pred; karat.evaluate(y_true, {scores}=...) predicts from scores.
K140  threshold= and predicted labels are given together.
      threshold={threshold} was given with {predictions}.
      Give one of them: each determines the predictions.
K141  {argument} and confusion= are given together.
      {found}.
      {do}
K142  {argument} and a table are given together.
      {argument} was given with a table.
      {do}
K143  {argument}= names a column, and there is no table.
      {found}.
      {do}
K144  nulls='drop' and arrays are given together.
      nulls='drop' was given with arrays.
      Remove the rows from every array first, or give a table with named columns.
K145  All rows are in one cluster.
      {rows} the same value of clusters.
      Intervals compare clusters with each other, so they need at least two; leave clusters out if
          rows are independent.
K146  The memory for rows with scores is full, and the class of some columns is not known.
      The first {n} rows have {k} of {columns} classes: {seen}.
      Give all classes as labels=, in the order of the columns, or a larger max_memory=.
K147  Scores of {k} classes do not fit into memory.
      max_memory is {given} bytes; the smallest tables of scores of {k} classes take {needed}.
      Give max_memory={needed} or more, give labels without scores, or ask only for metrics of
          labels and losses, such as accuracy and log_loss.
K148  Rows that have clusters or slices do not fit into memory.
      {n} rows take {needed} bytes and max_memory is {given}: {what}.
      Give a larger max_memory=, or leave out clusters=, by= or folds=.
K149  confusion= and labels= have the classes in different orders.
      The matrix is labeled {stored}, and labels= lists {labels}.
      Reorder the rows and columns of the matrix, or leave labels= out.
K150  weights_are='frequency' does not fit the values of weights=.
      weights_are='frequency' was given with weights that {found}.
      Leave it out: weights that are not numbers of rows are importance weights.
K151  {argument} is not one score for each row and class.
      {found}.
      Give real numbers of shape (n, k), one column for each of k >= 2 classes.
K152  {argument} has scores that are NaN or infinite.
      First at row {row}, column {column}: {value!r}; {count} of {n} values.
      Give finite scores; the loss of other scores has no derivative.
K153  {argument} holds labels that are not classes 0 … {last}.
      {found}.
      Give class indices: whole numbers from 0 to {last}, one class for each column of scores.
K154  {argument}={value!r} is out of range.
      It is {meaning}.
      Give {wanted}.
K155  {host} gave one score for each row, not one for each class.
      The scores have shape {shape}.
      {do}
K156  {argument} is given twice.
      {found}.
      {do}
K157  One column is named for two purposes.
      Column {column!r} is named {purposes}.
      Give each its own column.
K158  {argument}= does not name columns of the table.
      {argument}= is {value} ({kind}), not {wanted}.
      {do}
K159  classes= and average= are given together.
      {function} was given classes= and average={average!r}.
      Leave one out: classes= gives one curve for each of them.
K160  {argument} and {report} are given together.
      {found}.
      {do}
K161  A comparison needs at least two models.
      {found}.
      Give each model a name: karat.compare(y_true, {{'old': labels, 'new': labels}}).
K162  {argument} does not name its models.
      {found}.
      {do}
K163  The models have different names in different arguments.
      In {left}: {left_names}; in {right}: {right_names}.
      Use the same name for a model everywhere.
K164  baseline= is not one of the models.
      baseline={baseline!r}; the models are {models}.
      Name one of the models, or leave it out to compare every pair.
K165  margin= cannot be used.
      {found}.
      Give one number above 0, or a dict from metric to number: differences smaller than it do not
          matter.
K166  {metric} cannot be compared.
      {found}.
      {do}
K167  No sample size can be computed for {metric}.
      {found}.
      {do}
K168  There is no comparison of {what}.
      Available: {known}.
      Name one of them, or ask for it with metrics= and baseline=.
K169  Exactly one of half_width= and difference= is needed.
      {found}.
      Give the half-width that an interval must have, or the difference that a test must detect.
K170  There is no pilot.
      {found}.
      Give a report, a confusion matrix or a comparison of rows like the planned ones:
          pilot=karat.evaluate(y_true, y_pred).
K171  Two rows of one model have the same id.
      In {where}, {count} of {n} rows repeat an id of {column}; first at row {row}: {value!r}.
      Name a column of unique ids with ids=, or compare only the other rows:
          allow_mismatch=True.
K172  Two models were not measured on the same rows.
      {found}.
      Predict the same rows with both, or compare those that both have: allow_mismatch=True.
K173  Two models have different true labels for the same rows.
      {count} of {n} rows differ between {left} and {right}, matched by {by}; first {which}:
          {left_value!r} and {right_value!r}.
      Check that both were measured on the same version of the data; if rows are in another order,
          name their ids with ids=.
K174  Two models have different classes.
      In {left}: {left_classes}. In {right}: {right_classes}.
      Predict with the same classes, in the same spelling; labels= lists them in order.
K175  Two models have different numbers of rows, and no ids to match them by.
      In {left}: {n_left}. In {right}: {n_right}.
      Rows without ids are matched by position: give the same rows, or name a column of ids that
          both have with ids=.
K176  The rules of the gate cannot be used.
      {found}.
      {do}
K177  Two models have different weights for the same rows.
      {count} of {n} rows differ between {left} and {right}, matched by {by}; first {which}:
          {left_value:g} and {right_value:g}.
      A row has the same weight for every model: name one column that both have with weights=, or ''
          for none.
K178  The baseline is not written.
      {found}.
      Write it from a gate that passes, or from one without rules: karat.gate(…).
K179  baseline= does not fit the rows that are measured.
      {rows} and baseline= is a {kind}.
      Give a file that a gate wrote, files or a table of predictions, or a report.
K180  One stream was given rows of two kinds.
      A stream of {before} was given {given}.
      Use one stream for each kind. For rows with scores, give y_prob= in every batch.
K181  by= cannot be used.
      {found}.
      {do}
K182  {column} makes too many slices.
      It has {n} different values; a report holds at most {most} slices of a column.
      Name a coarser column, group its rare values, or give numbers: more than {distinct} different
          ones are put into {bins} bins.
K183  There is no {what}.
      There are {known}.
      {do}
K184  loss= and labels are given together.
      loss= was given with labels.
      Give one of them.
K185  loss= holds values that are not losses.
      {found}.
      Give every row a finite loss of at least 0.
K189  The baseline holds no slices by {by}.
      {found}.
      {do}
K190  {what} needs to know which class is positive.
      The two classes are {labels}, and positive= was not given.
      Give {options}{or_else}.
K193  Several files {what}.
      {found}.
      To compare the files of several models, use {compare}. {do}.
K194  {name} needs to know which class is positive.
      The two classes are {labels}, and positive= was not given.
      Give {options}{or_else}.
K195  {argument} may be an indicator matrix or lists of labels.
      It is a list of lists of {n_columns} numbers each, and all of them are 0 or 1.
      Give an indicator as np.asarray({argument}); for lists of labels list the labels with
          labels=.
K196  {argument} has a label twice in one row.
      First at row {row}: {value!r}; {count} of {n} rows.
      A set holds each label once; remove the other one.
K197  {argument} is not an indicator matrix of 0 and 1.
      First at row {row}, column {column}: {value!r}; {count} cells.
      Give 1 where a row has the label and 0 where not; NaN where the truth is unknown.
          Probabilities are y_prob=, logits y_logit=. If columns have several classes, report
          each: karat.evaluate(y_true[:, 0], y_pred[:, 0]).
K198  labels= does not fit the columns of {argument}.
      {argument} has {n_columns} columns, labels= lists {n_labels}.
      Give one label for each column, in their order.
K199  {left} and {right} are not sets of the same labels.
      {found}.
      Give both in the same form, with the same columns in the same order.
K201  The parts to merge have different classes.
      Left: {left}. Right: {right}.
      Give the same labels= in the same order, and scores of the same columns.
K202  The parts to merge were read with different settings.
      {axis}: left {left}, right {right}.
      Use the same settings and kinds of scores, slices, folds and models.
K203  Weighted and unweighted rows cannot be merged.
      Left is {left}, right is {right}.
      Give weights= (all 1 where none are known) when counting the unweighted part.
K204  This tally kept only the class totals, not the confusion matrix.
      {name} needs the cells true × predicted.
      Count again with the matrix: ask for this metric when the data is read.
K205  This is not a valid {thing}.
      {found}.
      {do}
K206  This {thing} was written by a newer karat.
      Format version {version}; this karat reads up to {newest}.
      Upgrade karat.
K207  A dense confusion matrix of these classes does not fit into memory.
      {k} classes need {bytes} bytes.
      Read the occupied cells with .occupied() instead.
K208  Subtraction would leave a negative count.
      First at true={true!r}, predicted={pred!r}.
      Subtract only what was merged in before.
K210  {name} cannot be computed from labels.
      It reads probabilities or scores, and there are none.
      {do}
K211  This report did not compute {name}.
      A metric of scores is computed only while the data is read.
      {do}
K212  The squares of the weights are not known.
      The table holds only sums of weights, which do not show how much the weights vary.
      Give the rows with their weights instead of a confusion matrix of sums.
K213  Together these tallies count more rows than 64 bits can hold.
      Left: {left} rows. Right: {right} rows.
      Merge fewer of them, or tallies of weights: sums of weights have no such limit.
K214  Scores do not fit the edges of the bins.
      {found}.
      {do}
K215  {call}() takes {wanted}.
      {found}.
      {do}
K216  all_reduce() cannot add up the streams of all processes.
      {found}.
      {do}
K217  Only unweighted counts of labels can be subtracted.
      {found}; float sums cannot be undone exactly.
      Keep the parts and merge those that remain.
K219  {name} is not a metric of sets of labels.
      Each row of this data has a set of labels, not one class.
      Ask for an average, such as macro_f1 or samples_f1, or for a metric of rows, such as
          subset_accuracy or hamming_loss.
K220  {name} is a metric of one label, and rows have sets of labels.
      Sets of labels have no positive label.
      Give an average: {averages}; average=None gives each label.
K221  Sets of labels and single labels cannot be mixed.
      {found}.
      For sets, give indicator matrices, or lists or sets of labels, on both sides. Otherwise give
          one label per row on both sides.
K222  {argument} does not apply to sets of labels.
      It was given, and each row has a set of labels.
      Leave it out; weights=, clusters=, labels=, level=, method= and undefined= apply to sets.
K223  There is no label.
      All {n} sets of {left} and {right} are empty.
      List the labels: labels=["cat", "dog"].
K224  {name} needs a score of every label.
      Rows list the scores of some labels, and a label that is not listed has none.
      Give a matrix (n, k) of scores, or ask for metrics of the best labels of a row, such as ndcg
          and samples_precision_at_k.
K225  {name} is known only within limits.
      Rows list the scores of some labels, and some true labels have none: the value lies between
          {low:.6g} and {high:.6g}.
      Give more scores, or a smaller k; karat.evaluate gives both limits.
K226  {argument} is not one target for each row and label.
      {found}.
      Give numbers of shape (n, {k}), one column for each column of the scores: 1 where a row has
          the label and 0 where not, or probabilities.
K227  Text cannot be split into labels.
      {found}.
      {do}
K228  The columns of {true} and {pred} are not those of the same labels.
      {found}.
      {do}
K229  Two texts mean the same label.
      {found}.
      Write each label in only one way.
K230  {argument} has targets that are not numbers from 0 to 1.
      First at row {row}, column {column}: {value!r}; {count} of {n} values.
      Give 1 where a row has the label and 0 where not, or probabilities; leave out rows with
          unknown values.
K231  loss= and targets= of LightGBMObjective do not go together.
      It was given {found}.
      Give targets=, a matrix (n, k), if loss="multilabel"; leave it out for any other loss.
K301  There is no metric named {name!r}.
      Nearest: {nearest}.
      `karat.metrics.search(...)` and `karat metrics` list every name.
K302  {metric} cannot be computed with these parameters.
      {found}.
      Parameters: {parameters}.
K303  {text!r} is not the name of a metric.
      {found}.
      {do}
K304  The metric {name!r} cannot be registered.
      {found}.
      See CONTRIBUTING.md, 'Add a metric in one file'.
K305  The formula of a metric cannot be traced.
      {found}.
      Use + - * / **, sqrt, log, where and sums over class axes; never branch on data.
K306  {name} has no averages.
      {average!r} was asked for; {name} is one number for all classes.
      Ask for {name!r} itself.
K307  {name} alone is ambiguous for {k} classes.
      {found}.
      {do}
K308  This report holds no curves.
      {found}.
      {do}
K309  There is no curve of {what}.
      There are curves of {labels}.
      Take one by its label, as y_true writes it.
K310  metrics= is not a list of names.
      {found}.
      Give a list of names, or leave metrics= out.
K311  {metric} has no influence function.
      The reason: {reason}.
      Use the bootstrap instead.
K312  {metric} cannot rank models, so it is not a scorer.
      Neither direction of {metric} is better.
      Choose a metric whose `better` is 'higher' or 'lower'.
K313  The estimator cannot be scored by {metric}.
      {found}.
      {do}
K314  The classes of the estimator cannot be matched.
      {found}.
      {do}
K315  There is no simultaneous band for this curve.
      {found}.
      {do}
K401  There is no such file or folder.
      {path}
      Check the path; relative paths start at the current folder.
K402  There is no row to measure.
      {path} has {found}.
      Check the step that wrote it, and the condition if one was given.
K403  The file cannot be read as {format}.
      {path}: {found}
      Check that the file is complete and that its file extension matches its format.
K404  There is no column {column!r} for {role}.
      Columns: {columns}.
      Nearest: {nearest}.{more}
K405  Several columns could be {role}.
      Candidates: {candidates}.
      {do}.
K406  No column could be found for {role}.
      Columns: {columns}.
      Name it: {option}.
K407  Column {column!r} holds numbers that are not labels.
      First at row {row}: {value!r}.
      If these are outputs of a model, name the column with y_prob=, y_logit= or y_score=; name the
          column of predicted labels with y_pred=.
K408  The SQL query failed.
      {found}
      Check the query; file names in it are quoted: FROM 'preds.parquet'.
K409  No file matches.
      {pattern}
      Check the pattern; quote it so that the shell does not expand it.
K410  The files do not hold the same columns.
      {found}
      Report them one at a time, or select common columns with a SQL query.
K411  The format of this file is not known.
      {path}
      karat reads .parquet, .csv, .tsv, .jsonl, .ndjson and .json (also .gz and .zst of text).{more}
K412  This is not a table that karat can read.
      {found}.
      Give a pandas or Polars frame, an Arrow table, a DuckDB relation, a dict of columns, or the
          path of a file.
K413  The file cannot be written.
      {path}: {found}.
      Check that its folder exists, and that the file may be written there.
K414  This file is not a checkpoint of this run.
      {path}: {found}.
      {do}
K451  {argument} is neither an array of values nor the name of a column.
      It is {value} ({kind}).
      Give one value for each row, or name a column of a table; to have none, {option}.
K415  {option} is for Parquet files.
      {found}.
      Leave it out, or write the rows to Parquet files first.
K416  Rows in partitions have no order to match by.
      {argument} is a {kind}.
      Give one frame and name its columns: karat.evaluate(frame, y_true='label', y_pred='pred'), or
          y_prob='prob' for probabilities; or collect all columns at once: {collected}.
K417  A file changed while it was read.
      {path} {found}.
      Retry once no process is writing to these files.
K418  A temporary file cannot be written.
      {path}: {found}.
      Free space there, or set TMPDIR to a folder with free space.
K419  There is not enough memory.
      {found}.
      Free some memory, or give Parquet files and a smaller max_memory=: they are read in parts.
K420  The name of this file is not UTF-8.
      {path!r}
      Rename it: DuckDB, which reads the files, accepts no other names.
K421  {argument}= holds values, and the rows are in {where}.
      {argument}= is a {kind}.
      Name a column that holds them, or read the data into a table in memory: rows of {where} have
          no order to match by.
K422  These files cannot be read together.
      {found}.
      {do}
K423  The table must be in memory.
      The rows are in partitions of {host}.
      Collect the columns that are searched first: table.{collect}.
K501  {feature} needs a package that is not installed.
      Missing: {package}.
      pip install "karat[{extra}]"
K502  karat is not installed on the workers.
      The tasks of {host} cannot import it: {found}.
      Install the same version of karat in the Python environment of every worker.
K503  The partitions of the frame did not arrive exactly once.
      {found}.
      Evaluate it again; store a frame first if it changes while it is read.
K601  {metric!r} does not describe a metric that can be computed here.
      {found}.
      {do}
K602  Metrics of classes do not use {argument}=.
      {argument} was given.
      Leave it out.
K611  oneDAL error {error_id}: {text}.
      {found}.
      {do}
K621  {subject} cannot be measured as given.
      {found}.
      {do}
K622  {module} has no {name}.
      {found}.
      {do}
K701  ax= is not one matplotlib Axes.
      {found}.
      Give one of plt.subplots(), such as axes[0, 1], or leave it out for a new figure.
K702  karat.plot.{name} cannot draw this.
      {found}.
      {do}
"""
"""What is wrong, what was found where, what to do; more lines are indented; {{ is one brace."""


def _entry(message: str) -> Entry:
    what, found, do = message.split("\n      ")
    code, _, what = what.partition("  ")
    return Entry(code, what, found, do, _KINDS.get(code, InputError))


_ALL: Final = (_MESSAGES.strip() + "".join(_OTHERS)).replace("\n          ", " ")
_EACH = re.split(r"\n(?=K)", _ALL)
ENTRIES: Final = {entry.code: entry for entry in map(_entry, _EACH)}
