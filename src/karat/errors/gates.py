"""K17x: rows of two models matched with each other, and the rules of a gate."""

from __future__ import annotations

from karat.errors.kinds import Entry

__all__ = ["ENTRIES"]

ENTRIES = (
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
