"""Options of classes, metrics and undefined values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from karat.api.request.checks import Words, separator
from karat.api.request.record import Change, Flag, option

if TYPE_CHECKING:
    from karat.metrics import Metric
    from karat.tally import Label

_COMMANDS = "report columns compare gate monitor"
_VERBS = "read evaluate check compare gate find_weak_slices Stream Monitor"


@dataclass(frozen=True)
class ClassOptions:
    """Classes and how one of them is predicted."""

    labels: Sequence[Label] | None = option(
        "the classes in order, including those that never occur; `karat.Labels` has more options. "
        "Default: the sorted union of true and predicted labels.",
        verbs=_VERBS,
        shown_type="Iterable[Label] | None",
        flags=(
            Flag(
                "--labels",
                "report",
                "The classes, in order; a JSON list where they hold commas.",
                "A,B,C",
                "list",
            ),
            Flag(
                "--labels",
                "columns compare gate monitor",
                "The classes, in order.",
                "A,B,C",
                "list",
            ),
        ),
        at={
            "Stream": Change(
                "the classes in order; default: the sorted labels that occur. With scores and "
                "without `labels`, all labels must occur before `max_memory` is reached."
            ),
            "Monitor": Change("the classes in order. Default: those of the first batches."),
        },
    )
    class_names: Sequence[str] | Mapping[Label, str] | None = option(
        "display names, one for each class in order, or a dict from label to name; they must be "
        "distinct.",
        verbs="read evaluate compare Stream",
    )
    positive: Label | None = option(
        "the positive class of two; default: the larger of 0/1, False/True, −1/1.",
        verbs=_VERBS,
        flags=(
            Flag(
                "--positive",
                _COMMANDS,
                "The positive class of two; default: the larger of 0/1, false/true, -1/1.",
                "LABEL",
            ),
        ),
    )
    threshold: Any = option(
        "predict the positive class of two if its probability (or score) is at least this; "
        "default: predict the class of the largest. Of one column of y_score there is no default: "
        "0 for margins.",
        verbs=_VERBS,
        flags=(
            Flag(
                "--threshold",
                _COMMANDS,
                "Predict the positive class of two, or each label of a set, at or above this "
                "probability or score.",
                "X",
                "number",
            ),
        ),
        at={
            "evaluate": Change(
                "predict the positive class of two if its probability (or score) is at least this; "
                "default: predict the class of the largest. Of one column of y_score there is no "
                "default: 0 for margins. Of sets, from which score on a label is predicted: one "
                "number, one for each label in their order, or a dict from label to number.",
                "float | Sequence[float] | Mapping[Any, float] | None",
            ),
            "gate": Change(type="float | None"),
            "Stream": Change(type="float | None"),
            "Monitor": Change(type="float | None"),
            "compare": Change(
                "as of `evaluate`, or a dict from model to it; of sets, from which score on a "
                "label is predicted: one number, or one for each label (a list or a dict).",
                "float | Sequence[float] | Mapping[str, Any] | None",
            ),
        },
    )
    separator: str | None = option(
        'separator of several labels in a text: ``"|"`` for ``"sea|sky"``. Spaces around labels '
        "are stripped, a blank text is the empty set, and a backslash escapes the separator. "
        "Default: a text is one label.",
        check=separator,
        verbs="read evaluate check compare gate",
        flags=(
            Flag(
                "--separator",
                "report columns compare gate",
                "Separator of the labels in a text with several, e.g. '|'.",
                "TEXT",
            ),
        ),
    )
    label_strata: Mapping[Any, Sequence[Label]] | None = option(
        'of sets, a dict from stratum to labels, as ``{"head": [...], "tail": [...]}``: '
        "`Comparison.strata` holds the same comparison of these labels alone.",
        verbs="compare",
        flags=(
            Flag(
                "--label-strata",
                "compare",
                "Also compare averages over these labels of sets only, e.g. tail=lynx,owl. "
                "Repeatable.",
                "NAME=A,B",
                "strata",
                is_repeated=True,
            ),
        ),
    )


@dataclass(frozen=True)
class MetricOptions:
    """Metrics, and what they are where a class has no value."""

    metrics: str | Metric | Iterable[str | Metric] | None = option(
        'names of the metrics to compute, or one name; default and ``"all"``: all.',
        verbs="evaluate compare Stream Stream.report",
        flags=(
            Flag(
                "--metrics",
                "report",
                "Compute only these metrics; 'all' lists every metric in the text.",
                "A,B",
                "names",
                is_repeated=True,
            ),
            Flag(
                "--metrics",
                "compare",
                "Compute only these metrics; 'all' for every metric.",
                "A,B",
                "names",
                is_repeated=True,
            ),
        ),
        at={
            "Stream.report": Change(
                "names of the metrics to compute, or one name; default: those of the stream.",
                is_positional=True,
            ),
            "compare": Change(
                'names to compare, one name, or ``"all"``. Default: accuracy, F1 (macro of more '
                "than two classes), balanced accuracy and Matthews correlation; with scores of "
                "every model the area under the ROC curve, with probabilities log-loss and Brier "
                "score. Of sets: subset accuracy, Hamming loss, and F1 by rows, micro and macro; "
                "with scores of every model label ranking average precision, mean average "
                "precision where every label has a score, and with probabilities cross entropy."
            ),
        },
    )
    metric: str | Metric | None = option(
        "the metric by which slices are worse, in the direction of its record, by the influence of "
        "each row on it. Default: the proportion of wrong rows.",
        verbs="find_weak_slices",
    )
    loss: Any = option(
        "float[n] instead of labels: what each row loses, at least 0; or the name of its column.",
        verbs="find_weak_slices",
    )
    undefined: Literal["zero", "exclude", "nan"] = option(
        'value of an undefined class in an average: ``"zero"`` (0 where scikit-learn uses 0), '
        '``"exclude"``, or ``"nan"``.',
        default="zero",
        check=Words(
            ("zero", "exclude", "nan"),
            "'zero' follows scikit-learn, 'exclude' leaves undefined classes out.",
        ),
        verbs="evaluate compare gate Stream Monitor",
        flags=(
            Flag(
                "--undefined",
                "report compare gate monitor",
                "How averages treat a class without a value.",
                kind="words",
                choices=("zero", "exclude", "nan"),
                default="zero",
            ),
        ),
    )
