"""K13x: probabilities and scores. K15x: objectives."""

from __future__ import annotations

from karat.errors.kinds import Entry

__all__ = ["ENTRIES"]

ENTRIES = (
    Entry(
        "K130",
        "{argument} does not hold one real number, or one row of them, for each row.",
        "{found}.",
        "Give numbers of shape (n, k), one column for each class, or (n,) for the positive class "
        "of two; labels are y_pred=.",
    ),
    Entry(
        "K131",
        "{argument} has scores that are missing, NaN or infinite.",
        "First at row {row}{place}: {value!r}; {count} of {n} rows.",
        "Every row needs a finite number for every class; remove such rows from all arguments.",
    ),
    Entry(
        "K132",
        "{argument} has values that are no probabilities.",
        "First at row {row}{place}: {value!r}; {count} of {n} rows.",
        "Probabilities lie from 0 to 1; give logits and other scores as y_score= (of a table: "
        "score=, --score).",
    ),
    Entry(
        "K133",
        "Rows of {argument} do not add up to 1.",
        "First at row {row}: {value!r}; {count} of {n} rows. The tolerance is {tolerance}.",
        "Probabilities are never renormalised: give a column for every class, or give other "
        "scores as y_score= (of a table: score=, --score).",
    ),
    Entry(
        "K134",
        "{argument} has scores for {n_columns} classes; the labels have {k}.",
        "Classes: {labels}.",
        "{do}",
    ),
    Entry(
        "K135",
        "The columns of {argument} stand in another order than the classes.",
        "Columns: {columns}. Classes: {labels}.",
        "Put the columns in the order of labels=, or leave it out; of a table, name them by a "
        "pattern: 'proba_*'.",
    ),
    Entry(
        "K136",
        "threshold={threshold!r} cannot be used.",
        "{found}.",
        "Give one finite number, for two classes.",
    ),
    Entry(
        "K137",
        "The columns of {argument} do not name the classes.",
        "{found}.",
        "Let each name end in its class, or list the columns in the order of labels=.",
    ),
    Entry(
        "K151",
        "{argument} is not one score for each row and class.",
        "{found}.",
        "Give real numbers of shape (n, k), one column for each of k >= 2 classes.",
    ),
    Entry(
        "K152",
        "{argument} has scores that are NaN or infinite.",
        "First at row {row}, column {column}: {value!r}; {count} of {n} values.",
        "Give finite scores; a loss of others has no derivative.",
    ),
    Entry(
        "K153",
        "{argument} holds labels that are not classes 0 … {last}.",
        "{found}.",
        "Give class indices: whole numbers from 0 to {last}, one class for each column of scores.",
    ),
    Entry("K154", "{argument}={value!r} is out of range.", "It is {meaning}.", "Give {wanted}."),
    Entry(
        "K155",
        "{host} gave one score for each row, not one for each class.",
        "The scores have shape {shape}.",
        "Set num_class to the number of classes, also when there are two.",
    ),
)
