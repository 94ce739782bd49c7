"""Options of intervals and of tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from karat.api.request.checks import (
    Level,
    Switch,
    Whole,
    Words,
    count_of_intervals,
    proportions,
    word_of_intervals,
)
from karat.api.request.record import Change, Flag, option

if TYPE_CHECKING:
    from karat.tally import Label


@dataclass(frozen=True)
class IntervalOptions:
    """How intervals are made."""

    level: float | None = option(
        "confidence level of the intervals; None for no intervals.",
        default=0.95,
        check=Level(),
        verbs="evaluate compare gate find_weak_slices Stream Monitor rows_needed",
        flags=(
            Flag(
                "--level",
                "report",
                "Confidence level of the intervals; 'none' for no intervals.",
                "X",
                "level",
                default="0.95",
            ),
            Flag(
                "--level",
                "compare gate",
                "Confidence level of the intervals.",
                kind="number",
                default=0.95,
            ),
            Flag(
                "--level",
                "monitor",
                "1 − the accepted rate of wrong verdicts, over all looks and rules.",
                kind="number",
                default=0.95,
            ),
        ),
        at={
            "compare": Change(
                "of the intervals; a difference counts where its p-value is below 1 − level.",
                "float",
            ),
            "gate": Change(
                "of the intervals; a drop counts where its one-sided p-value is below half of "
                "1 − level.",
                "float",
            ),
            "find_weak_slices": Change(
                "1 − the chance of a false finding among all.",
                "float",
                check=Level("1 − level is the chance of a false finding."),
            ),
            "Monitor": Change(
                "1 − the accepted rate of wrong verdicts, over all looks and rules.", "float"
            ),
        },
    )
    interval: Any = option(
        "how intervals and tests are made: `karat.Interval`.",
        shown_type="Interval | None",
        verbs="evaluate compare gate find_weak_slices Stream Monitor rows_needed",
    )
    design: Any = option(
        "how rows were sampled: `karat.Folds` of cross-validation, `karat.Looks` at rows that keep "
        "coming, a `karat.CaseControl` sample, a `karat.Judge` beside people; or several in a "
        "list. Default: rows were sampled one by one.",
        shown_type="_Design | Sequence[_Design] | None",
        verbs="read evaluate check compare gate Stream Stream.report Monitor",
        at={
            "Stream.report": Change(
                "`karat.Looks`: intervals hold at every report of a stream that goes on. Give the "
                "same planned number each time. See docs/monitoring.md."
            ),
            "gate": Change(
                "as in `karat.evaluate`. With `karat.Folds` every rule is about the mean over "
                "folds, with the interval of Nadeau and Bengio, and a drop about the mean "
                "difference over the folds of both; not with `by`. With `karat.Looks` limits and "
                "p-values hold at every run."
            ),
            "compare": Change(
                "as in `karat.evaluate`. With `karat.Folds`, the same for all models, "
                "`Comparison.folds` has the corrected resampled t-test. With repeats the ids of "
                "rows are `clusters`."
            ),
            "Stream": Change(
                "how rows were sampled: a `karat.CaseControl` sample. Default: rows were sampled "
                "one "
                "by one."
            ),
            "Monitor": Change(
                "`karat.Looks`, the default, with the planned number of rows; not with `windows`."
            ),
        },
    )
    method: str | None = option(
        'method of all intervals: ``"wald"``, ``"logit"``, ``"bootstrap"``, ``"bca"`` or '
        '``"bayesian"``; default: the recommended one for each metric, see docs/intervals.md.',
        check=word_of_intervals,
        verbs="evaluate Stream",
        flags=(
            Flag(
                "--method",
                "report",
                "Method of all intervals. Default: the best known for each metric.",
                kind="words",
                choices=("wald", "logit", "bootstrap", "bca", "bayesian"),
            ),
        ),
    )
    side: str = option(
        '``"both"`` limits, or only the ``"low"`` or the ``"high"`` limit.',
        default="both",
        check=word_of_intervals,
        verbs="evaluate Stream rows_needed",
        flags=(
            Flag(
                "--side",
                "report",
                "Two-sided or one-sided intervals.",
                kind="words",
                choices=("both", "low", "high"),
                default="both",
            ),
        ),
    )
    sampling: str = option(
        "the number of rows of each true class was fixed, as in case-control studies.",
        default="cohort",
        verbs="read evaluate Stream",
        flags=(
            Flag(
                "--design",
                "report",
                "Sampling: random rows, or a fixed number of each true class.",
                kind="words",
                choices=("cohort", "case-control"),
                default="cohort",
            ),
        ),
    )
    prevalence: float | Mapping[Label, float] | None = option(
        "known proportion of the positive class of two in the population, or a dict from class to "
        "proportion. Metrics are those of that population; its proportions are taken as exact. "
        "Default: metrics are those of the sampled proportions.",
        check=proportions,
        verbs="read evaluate Stream",
        flags=(
            Flag(
                "--prevalence",
                "report",
                "With --design case-control, the known proportion of the positive class in the "
                "population, or CLASS=P for each class. Repeatable.",
                "P",
                "proportions",
                is_repeated=True,
            ),
        ),
    )
    weights_are: Literal["importance", "frequency"] = option(
        "the weights of rows; a row of weight 3 stands for three rows.",
        default="importance",
        check=Words(
            ("importance", "frequency"), "'frequency': a row of weight 3 stands for three rows."
        ),
        verbs="read evaluate compare Stream.update",
        flags=(
            Flag(
                "--weights-are",
                "report compare",
                "Importance of each row, or frequency: a row of weight 3 stands for three rows.",
                kind="words",
                choices=("importance", "frequency"),
                default="importance",
                needs="weights",
            ),
        ),
    )
    seed: int = option(
        "seed of methods that resample.",
        default=0,
        check=count_of_intervals,
        verbs="evaluate compare find_weak_slices Stream",
        flags=(
            Flag("--seed", "report", "Seed of resampling methods.", "N", "whole", default=0),
            Flag("--seed", "compare", None, "N", "whole", default=0),
        ),
        at={
            "compare": Change(
                "of permutations, of `maxt`, and of the correction of `Comparison.best`."
            ),
            "find_weak_slices": Change("of the permutations."),
        },
    )
    n_replicates: int = option(
        "number of replicates of methods that resample.",
        default=1000,
        check=count_of_intervals,
        verbs="evaluate Stream",
    )
    anytime: int | bool | None = option(
        "planned number of rows, or of clusters: intervals hold at every look at rows that keep "
        "coming, and are narrowest there; True is 10 000. See docs/monitoring.md.",
        verbs="read evaluate compare gate Monitor Stream.report",
        flags=(
            Flag(
                "--anytime",
                "report compare gate",
                "Intervals and p-values for every look at rows that keep coming; N is the planned "
                "number of rows, fixed before the first look.",
                "N",
                "whole",
            ),
            Flag(
                "--anytime",
                "monitor",
                "Planned number of rows: limits are narrowest there. Default: 10000.",
                "N",
                "whole",
            ),
        ),
        at={
            "compare": Change(
                "planned number of rows, or of clusters: intervals and p-values hold at every look "
                "at rows that keep coming; True is 10 000. For models on the same rows, with one "
                "class each. See docs/monitoring.md."
            ),
            "gate": Change(
                "planned number of rows, or of clusters, of a gate that is run again and again on "
                "rows that keep coming: limits and p-values hold at every run, and bounds are "
                "judged by the limits; True is 10 000. See docs/monitoring.md."
            ),
            "Monitor": Change(
                "planned number of rows, or of clusters: limits are narrowest there; default and "
                "True: 10 000."
            ),
        },
    )


@dataclass(frozen=True)
class ContrastOptions:
    """How models, or slices, are compared."""

    margin: float | Mapping[str, float] | None = option(
        "differences smaller than this do not matter: one number for every metric, or a dict from "
        'metric to number. With it a verdict may be ``"equivalent"``.',
        verbs="compare",
        flags=(
            Flag(
                "--margin",
                "compare",
                "Equivalence margin: smaller differences do not matter.",
                "X",
                "number",
            ),
        ),
    )
    adjust: Literal["holm", "maxt", "none"] = option(
        'correction of p-values for many pairs of models: ``"holm"``; ``"maxt"``, with '
        'simultaneous intervals, from the joint distribution; or ``"none"``.',
        default="holm",
        check=Words(
            ("holm", "maxt", "none"),
            "'holm' is valid for any pairs; 'maxt' uses their correlation.",
        ),
        verbs="compare gate",
        flags=(
            Flag(
                "--adjust",
                "compare",
                "Correction of p-values for many pairs of models.",
                kind="words",
                choices=("holm", "maxt", "none"),
                default="holm",
            ),
            Flag(
                "--adjust",
                "gate",
                "Correction of p-values for many rules.",
                kind="words",
                choices=("holm", "none"),
                default="holm",
            ),
        ),
        at={
            "gate": Change(
                '``"holm"``: p-values are corrected for all rules that compare with the baseline; '
                '``"none"``.',
                type='Literal["holm", "none"]',
                check=Words(
                    ("holm", "none"), "'holm' corrects the p-values for the number of rules."
                ),
            )
        },
    )
    paired: bool = option(
        "False treats the models as independent although their rows are the same.",
        default=True,
        check=Switch("Models on the same rows are compared row by row."),
        verbs="compare",
    )
    n_permutations: int = option(
        "replicates of the permutation test, which small classes need.",
        default=4999,
        check=Whole(99, "4999 replicates determine a p-value of 0.05 to within 0.003.", 1_000_000),
        verbs="compare find_weak_slices",
        at={
            "find_weak_slices": Change(
                "number of permutations.",
                default=999,
                check=Whole(99, "999 permutations give p-values down to 0.001.", 1_000_000),
            )
        },
    )
    depth: int = option(
        "the most columns of a slice: 1, 2 or 3.",
        default=2,
        check=Whole(1, "2 also searches crosses of two columns, 3 of three.", 3),
        verbs="find_weak_slices",
    )
    crosses: bool = option(
        "False searches single columns only, as with depth 1.",
        default=True,
        check=Switch("False searches single columns only."),
        verbs="find_weak_slices",
    )
    min_n: int = option(
        "slices with fewer rows are inconclusive.",
        default=30,
        check=Whole(
            1, "Slices with fewer rows are not judged.", choices="a whole number of at least 1"
        ),
        verbs="gate find_weak_slices",
        flags=(
            Flag(
                "--min-n",
                "gate",
                "Smallest slice to judge; smaller ones are inconclusive.",
                kind="whole",
                default=30,
                least=1,
            ),
        ),
        at={
            "find_weak_slices": Change(
                "slices of fewer rows are not tested.",
                default=50,
                check=Whole(1, "50 rows distinguish an error rate of 10 % from one of 25 %."),
            )
        },
    )
