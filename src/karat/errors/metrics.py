"""K2xx: tallies and streams. K3xx: metrics."""

from __future__ import annotations

from karat.errors.kinds import Entry, UnknownNameError

__all__ = ["METRICS", "TALLIES"]

TALLIES = (
    Entry(
        "K201",
        "What is put together does not have the same classes.",
        "Left: {left}. Right: {right}.",
        "Give the same labels= in the same order, and scores of the same columns.",
    ),
    Entry(
        "K202",
        "What is put together was not read alike.",
        "{axis}: left {left}, right {right}.",
        "Use the same settings and kinds of scores, slices, folds and models.",
    ),
    Entry(
        "K203",
        "Weighted and unweighted rows are put together.",
        "Left is {left}, right is {right}.",
        "Give weights= (all 1 where none are known) when counting the unweighted part.",
    ),
    Entry(
        "K204",
        "This tally kept only the class totals, not the confusion matrix.",
        "{name} needs the cells true × predicted.",
        "Count again with the matrix: ask for this metric when the data is read.",
    ),
    Entry("K205", "This is not a whole {thing}.", "{found}.", "{do}"),
    Entry(
        "K206",
        "This {thing} was written by a newer karat.",
        "Format version {version}; this karat reads up to {newest}.",
        "Upgrade karat.",
    ),
    Entry(
        "K207",
        "A dense confusion matrix of these classes would not fit.",
        "{k} classes need {bytes} bytes.",
        "Read the occupied cells with .occupied() instead.",
    ),
    Entry(
        "K208",
        "Subtraction would leave a negative count.",
        "First at true={true!r}, predicted={pred!r}.",
        "Subtract only what was merged in before.",
    ),
    Entry(
        "K210",
        "{name} cannot be computed from labels.",
        "It reads probabilities or scores, and there are none.",
        "Give y_prob= or y_score= (of a table: prob= or score=, --prob or --score).",
    ),
    Entry(
        "K211",
        "This report did not compute {name}.",
        "A metric of scores is computed while the rows are at hand.",
        "{do}",
        UnknownNameError,
    ),
    Entry(
        "K212",
        "The squares of the weights are not known.",
        "The table holds sums of weights alone, which do not say how much they vary.",
        "Give the rows with their weights instead of a confusion matrix of sums.",
    ),
    Entry(
        "K213",
        "Together these tallies count more rows than 64 bits can hold.",
        "Left: {left} rows. Right: {right} rows.",
        "Merge fewer of them, or tallies of weights: sums of weights have no such end.",
    ),
    Entry("K214", "Scores and the edges of bins do not fit.", "{found}.", "{do}"),
    Entry("K215", "{call}() takes {wanted}.", "{found}.", "{do}"),
    Entry("K216", "all_reduce() cannot add up the streams of all processes.", "{found}.", "{do}"),
    Entry(
        "K217",
        "Only unweighted counts of labels can be subtracted.",
        "{found}; float sums cannot be undone exactly.",
        "Keep the parts and merge those that remain.",
    ),
)


METRICS = (
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
