"""K16x, K17x: comparisons of models, gates, and how many rows they need. K18x: slices."""

from __future__ import annotations

from karat.errors.kinds import Entry, UnknownNameError

__all__ = ["COMPARISONS", "GATES", "SLICES"]

COMPARISONS = (
    Entry(
        "K161",
        "A comparison needs at least two models.",
        "{found}.",
        "Give each model a name: karat.compare(y_true, {{'old': labels, 'new': labels}}).",
    ),
    Entry("K162", "{argument} does not name its models.", "{found}.", "{do}"),
    Entry(
        "K163",
        "The models have different names in different arguments.",
        "Of {left}: {left_names}; of {right}: {right_names}.",
        "Use the same name for a model everywhere.",
    ),
    Entry(
        "K164",
        "baseline= is not one of the models.",
        "baseline={baseline!r}; the models are {models}.",
        "Name one of the models, or leave it out to compare every pair.",
    ),
    Entry(
        "K165",
        "margin= cannot be used.",
        "{found}.",
        "Give one number above 0, or a dict from metric to number: differences smaller than it "
        "do not matter.",
    ),
    Entry("K166", "{metric} cannot be compared.", "{found}.", "{do}"),
    Entry("K167", "No number of rows can be said for {metric}.", "{found}.", "{do}"),
    Entry(
        "K168",
        "There is no comparison of {what}.",
        "There are those of {known}.",
        "Name one of them, or ask for it with metrics= and baseline=.",
        UnknownNameError,
    ),
    Entry(
        "K169",
        "Exactly one of half_width= and difference= is needed.",
        "{found}.",
        "Give the one that the rows have to reach.",
    ),
    Entry(
        "K170",
        "pilot= is missing.",
        "pilot= is None.",
        "Give a report, a confusion matrix or a comparison of rows like those to come.",
    ),
)
"""Doubled braces are those of a dict."""


GATES = (
    Entry(
        "K171",
        "Two rows of one model have the same id.",
        "In {where}, {count} of {n} rows repeat an id of {column}; first at row {row}: {value!r}.",
        "Name a column that tells rows apart (--id, id=), or compare only the others: "
        "--allow-mismatch (allow_mismatch=True).",
    ),
    Entry(
        "K172",
        "Two models were not measured on the same rows.",
        "{found}.",
        "Predict the same rows with both, or compare those that both have: --allow-mismatch "
        "(allow_mismatch=True).",
    ),
    Entry(
        "K173",
        "Two models disagree about what was true.",
        "Between {left} and {right}: {count} of {n} rows, matched by {by}; "
        "first {which}: {left_value!r} and {right_value!r}.",
        "Check that both were measured on the same data in the same version; where rows are in "
        "another order, name their ids (--id, id=).",
    ),
    Entry(
        "K174",
        "Two models have different classes.",
        "In {left}: {left_classes}. In {right}: {right_classes}.",
        "Predict with the same classes, spelled alike; labels= (--labels) lists them in order.",
    ),
    Entry(
        "K175",
        "Two models have different numbers of rows, and no ids that both have.",
        "In {left}: {n_left}. In {right}: {n_right}.",
        "Rows without ids are matched by position: give the same rows, or name a column of ids "
        "that both have (--id, id=).",
    ),
    Entry("K176", "The rules of the gate cannot be used.", "{found}.", "{do}"),
    Entry(
        "K177",
        "Two models disagree about what rows weigh.",
        "Between {left} and {right}: {count} of {n} rows, matched by {by}; "
        "first {which}: {left_value:g} and {right_value:g}.",
        "A row weighs the same whoever predicts it: name one column that both have "
        "(--weight, weights=), or '' for none.",
    ),
    Entry(
        "K178",
        "clusters= needs the same classes for every model.",
        "The rows of some models lack classes that others have.",
        "Give every class with labels=.",
    ),
    Entry(
        "K179",
        "baseline= does not fit the rows that are measured.",
        "{rows} and baseline= is a {kind}.",
        "Give a file that a gate wrote, files or a table of predictions, or a report.",
    ),
)


SLICES = (
    Entry("K181", "by= cannot be used.", "{found}.", "{do}"),
    Entry(
        "K182",
        "{column} makes too many slices.",
        "It has {n} different values; a report holds at most {most} slices of a column.",
        "Name a coarser column, group its rare values, or give numbers: more than {distinct} "
        "different ones are put into {bins} bins.",
    ),
    Entry(
        "K183",
        "There is no slice {what}.",
        "There are {known}.",
        "Name one of them; a cross of two columns is named by a tuple, as ('NO', 'f').",
        UnknownNameError,
    ),
    Entry(
        "K184",
        "loss= and labels are given together.",
        "loss= was given with labels.",
        "Give one of them.",
    ),
    Entry(
        "K185",
        "loss= holds values that are no losses.",
        "{found}.",
        "Give every row a finite loss of at least 0.",
    ),
)
