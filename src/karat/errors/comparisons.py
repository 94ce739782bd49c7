"""K16x, K170: comparisons of models, and how many rows they need."""

from __future__ import annotations

from karat.errors.kinds import Entry, UnknownNameError

__all__ = ["ENTRIES"]

ENTRIES = (
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
