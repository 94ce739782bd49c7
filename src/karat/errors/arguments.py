"""K1xx: arguments of a call that do not go together."""

from __future__ import annotations

from karat.errors.kinds import Entry

__all__ = ["ENTRIES"]

ENTRIES = (
    Entry(
        "K127", "The true labels are missing.", "y_true was not given.", "Give y_true and {others}."
    ),
    Entry("K128", "The predictions are missing.", "{found}.", "{do}"),
    Entry(
        "K129",
        "Probabilities and other scores are given together.",
        "{found}.",
        "Give one of {prob}= and {score}=: the latter for scores that are no probabilities.",
    ),
    Entry(
        "K138",
        "Probabilities and scores have to be given by name.",
        "{found}.",
        "Name what they are: y_prob= for probabilities, y_score= for any other scores.",
    ),
    Entry(
        "K139",
        "{scores}= is given to a metric of predicted labels.",
        "{metric} was given {scores}: it reads predicted labels.",
        "Give y_pred; karat.evaluate(y_true, {scores}=...) predicts from scores.",
    ),
    Entry(
        "K140",
        "threshold= and predicted labels are given together.",
        "threshold={threshold} was given with {predictions}.",
        "Give one of them: each determines the predictions.",
    ),
    Entry("K141", "{argument} and confusion= are given together.", "{found}.", "{do}"),
    Entry(
        "K142",
        "{argument} and a table are given together.",
        "{argument} was given with a table.",
        "Name the columns of the table: prob= or score=.",
    ),
    Entry("K143", "{argument}= names a column, and there is no table.", "{found}.", "{do}"),
    Entry(
        "K144",
        "nulls='drop' and arrays are given together.",
        "nulls='drop' was given with arrays.",
        "Remove the rows from every array first, or give a table with named columns.",
    ),
    Entry(
        "K149",
        "confusion= and labels= have the classes in different orders.",
        "The matrix is labelled {stored}, and labels= lists {labels}.",
        "Bring rows and columns of the matrix into that order, or leave labels= out.",
    ),
    Entry(
        "K150",
        "weights_are='frequency' does not fit the values of weights=.",
        "weights_are='frequency' was given with weights that {found}.",
        "Leave it out: such weights say how much a row counts.",
    ),
    Entry(
        "K156",
        "{argument}= is given twice.",
        "{function} was given {argument}=, and also without a name.",
        "{do}",
    ),
    Entry(
        "K157",
        "One column is named for two purposes.",
        "Column {column!r} is named {purposes}.",
        "Give each its own column.",
    ),
    Entry(
        "K158",
        "{argument}= does not name columns of the table.",
        "{argument}= is {value} ({kind}), not {wanted}.",
        "{do}",
    ),
    Entry(
        "K159",
        "classes= and average= are given together.",
        "{function} was given classes= and average={average!r}.",
        "Leave one out: classes= gives one curve for each of them.",
    ),
    Entry("K160", "{argument} and {report} are given together.", "{found}.", "{do}"),
    Entry(
        "K180",
        "Labels alone and rows with scores are put into one stream.",
        "A stream of {before} was given {given}.",
        "Use one stream for labels and one for rows with scores, or give y_prob= every time.",
    ),
)
