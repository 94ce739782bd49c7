"""K3xx: metrics."""

from __future__ import annotations

from karat.errors.kinds import Entry, UnknownNameError

__all__ = ["ENTRIES"]

ENTRIES = (
    Entry(
        "K301",
        "There is no metric named {name!r}.",
        "Nearest: {nearest}.",
        "`karat.metrics.search(...)` and `karat metrics` list every name.",
        UnknownNameError,
    ),
    Entry(
        "K302",
        "{metric} cannot be computed with these parameters.",
        "{found}.",
        "Parameters: {parameters}.",
    ),
    Entry(
        "K303",
        "{text!r} is not the name of a metric.",
        "{found}.",
        "Write a name, or a name with parameters: macro_f_beta(beta=2).",
    ),
    Entry(
        "K304",
        "The metric {name!r} cannot be registered.",
        "{found}.",
        "See CONTRIBUTING.md, 'Add a metric in one file'.",
    ),
    Entry(
        "K305",
        "The formula of a metric cannot be traced.",
        "{found}.",
        "Use + - * / **, sqrt, log, where and sums over class axes; never branch on data.",
    ),
    Entry(
        "K306",
        "{name} has no averages.",
        "{average!r} was asked for; {name} is one number for all classes.",
        "Ask for {name!r} itself.",
        UnknownNameError,
    ),
    Entry(
        "K307",
        "{name} alone is ambiguous for {k} classes.",
        "{found}.",
        "Name the average, or read report.per_class.",
        UnknownNameError,
    ),
    Entry("K308", "This report holds no curves.", "{found}.", "{do}", UnknownNameError),
    Entry(
        "K309",
        "There is no curve of {what}.",
        "There are curves of {labels}.",
        "Take one by its label, as y_true writes it.",
        UnknownNameError,
    ),
    Entry(
        "K310",
        "metrics= is not a list of names.",
        "{found}.",
        "Give a list of names, or leave metrics= out.",
    ),
    Entry(
        "K311",
        "{metric} has no influence function.",
        "The reason: {reason}.",
        "Use the bootstrap for it.",
    ),
    Entry(
        "K312",
        "{metric} cannot rank models, so it is no scorer.",
        "{metric} has no better direction.",
        "Choose a metric whose `better` is 'higher' or 'lower'.",
    ),
    Entry("K313", "The estimator cannot be scored by {metric}.", "{found}.", "{do}"),
    Entry(
        "K314",
        "The estimator and labels= have different classes.",
        "The estimator learned {learned}, and labels= are {labels}.",
        "{do}",
    ),
)
