"""K18x: slices of the rows of a report."""

from __future__ import annotations

from karat.errors.kinds import Entry, UnknownNameError

__all__ = ["ENTRIES"]

ENTRIES = (
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
