"""K17x: rows of two models matched with each other, and the rules of a gate."""

from __future__ import annotations

from karat.errors.entry import Entry

__all__ = ["ENTRIES"]

ENTRIES = (
    Entry(
        "K171",
        "Two rows of {where} have the same id.",
        "{count} of {n} rows repeat an id of {column}; first at row {row}: {value!r}.",
        "Name a column that tells rows apart (--id, id=), or compare only the others: "
        "--allow-mismatch (allow_mismatch=True).",
    ),
    Entry(
        "K172",
        "{left} and {right} do not hold the same rows.",
        "{found}.",
        "Predict the same rows with both, or compare those that both have: --allow-mismatch "
        "(allow_mismatch=True).",
    ),
    Entry(
        "K173",
        "{left} and {right} disagree about what was true.",
        "{count} of {n} rows, matched by {by}; first {which}: {left_value!r} and {right_value!r}.",
        "Check that both were measured on the same data in the same version; where rows are in "
        "another order, name their ids (--id, id=).",
    ),
    Entry(
        "K174",
        "{left} and {right} have different classes.",
        "{left}: {left_classes}. {right}: {right_classes}.",
        "Predict with the same classes, spelled alike; labels= (--labels) lists them in order.",
    ),
    Entry(
        "K175",
        "{left} and {right} have different numbers of rows, and no ids.",
        "{left} has {n_left} rows, {right} has {n_right}.",
        "Rows without ids are matched by position: give the same rows, or name a column of ids "
        "that both have (--id, id=).",
    ),
    Entry(
        "K176",
        "The rules of the gate cannot be used.",
        "{found}.",
        "{do}",
    ),
)
