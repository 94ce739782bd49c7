"""Options of gates and monitors."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal

from karat.api.request.checks import Switch, Words
from karat.api.request.record import Change, Flag, option

_NO_TEXT = Switch("A text such as 'no' would count as True.")
_INCONCLUSIVE = "Verdict of a gate with an inconclusive rule; fail has the exit code 3. Default: "


def _bound(name: str, help_: str) -> tuple[Flag, ...]:
    return (Flag(name, "gate monitor", help_, "METRIC=X", "bounds", is_repeated=True),)


@dataclass(frozen=True)
class RuleOptions:
    """Rules, the baseline of a comparison, and what a verdict rests on."""

    min: Any = option(
        "a dict from metric to the least value that passes.",
        verbs="gate Monitor",
        flags=_bound(
            "--min", "Require a value of at least X. Separate several by commas, or repeat."
        ),
    )
    max: Any = option(
        "a dict from metric to the largest value that passes.",
        verbs="gate Monitor",
        flags=_bound("--max", "Require a value of at most X."),
    )
    max_drop: Any = option(
        "a dict from metric to a drop: it fails where the drop is significantly larger.",
        verbs="gate Monitor",
        flags=_bound(
            "--max-drop",
            "Fail if the drop is significantly larger than X, pass if a larger drop is ruled out.",
        ),
        at={
            "Monitor": Change(
                "a dict from metric to a drop from a baseline model: it fails where the drop is "
                "significantly larger, and passes where a larger drop is ruled out."
            )
        },
    )
    no_worse_than: Any = option(
        "a dict from metric to a drop: it passes only where a drop of that size is ruled out.",
        verbs="gate Monitor",
        flags=_bound(
            "--no-worse-than", "Like --max-drop, but pass only if a drop of X or more is ruled out."
        ),
    )
    baseline: Any = option(
        "what to compare with: a file that `GateResult.save_baseline` wrote, predictions of the "
        "earlier model in files or a table, its `Report` or the JSON of it, or, beside arrays, its "
        "predictions of the same rows. Without `max_drop` and `no_worse_than`, accuracy (of sets: "
        "subset accuracy) and macro F1 may not be significantly worse. With `by` it holds rows, or "
        "slices by the same column.",
        verbs="compare gate Monitor.add",
        flags=(
            Flag(
                "--baseline",
                "gate",
                "Earlier predictions, the JSON of their report, or a baseline file.",
                "FILE",
            ),
            Flag("--baseline", "monitor", "Predictions of another model, same rows.", "FILE"),
        ),
        at={
            "compare": Change(
                "the model that the others are compared with. Default: every pair.", "str | None"
            ),
            "Monitor.add": Change(
                "predictions of the other model for the same rows, as in `karat.gate`: for rules "
                "that compare."
            ),
        },
    )
    rules: Any = option(
        "how verdicts are decided: `karat.Rules`.", shown_type="Rules | None", verbs="gate Monitor"
    )
    evidence: Literal["value", "low"] = option(
        '``"value"``: bounds apply to the value; ``"low"``: to the limit of its interval on their '
        "side, as always with `anytime`.",
        default="value",
        check=Words(("value", "low"), "'low' applies bounds to the limit of the interval."),
        verbs="gate",
        flags=(
            Flag(
                "--evidence",
                "gate",
                "Bounds apply to the value, or to the limit of its interval.",
                kind="words",
                choices=("value", "low"),
                default="value",
            ),
        ),
    )
    allow_mismatch: bool = option(
        "compare the rows that both have, where some are missing.",
        default=False,
        check=_NO_TEXT,
        verbs="gate",
        flags=(
            Flag(
                "--allow-mismatch",
                "compare gate",
                "Compare only the rows that all have, and report how many.",
                kind="switch",
            ),
        ),
    )
    inconclusive: Literal["pass", "fail"] | None = option(
        '``"fail"``: an inconclusive rule keeps the gate from passing, with the exit code 3; '
        '``"pass"``: it does not. Default: ``"fail"`` for `max_drop` and `no_worse_than`, '
        '``"pass"`` for other rules, and for a slice that its own rows cannot judge: fewer than '
        "`min_n`, of one cluster or without weight.",
        check=Words(
            (None, "pass", "fail"),
            "'fail' has the exit code 3; None is 'fail' for max_drop and no_worse_than alone.",
        ),
        verbs="gate Monitor",
        flags=(
            Flag(
                "--inconclusive",
                "gate",
                f"{_INCONCLUSIVE}fail for --max-drop and --no-worse-than, pass for other rules and "
                "for a slice that its own rows cannot judge.",
                kind="words",
                choices=("pass", "fail"),
            ),
            Flag(
                "--inconclusive",
                "monitor",
                "Verdict while a rule is not decided; fail has the exit code 3. Default: fail for "
                "--max-drop and --no-worse-than, pass for other rules.",
                kind="words",
                choices=("pass", "fail"),
            ),
        ),
        at={"Monitor": Change("exit code of an undecided rule, as in `karat.gate`.")},
    )
    warn_only: bool = option(
        "whether the exit code is 0 for every verdict.",
        default=False,
        flags=(Flag("--warn-only", "gate", "Exit with 0 for every verdict.", kind="switch"),),
    )
    update_baseline: str | PathLike[str] | None = option(
        "where to write these predictions as the next baseline, if the gate passes.",
        flags=(
            Flag(
                "--update-baseline",
                "gate",
                "Write the next baseline, if the gate passes; without a rule, write it alone.",
                "FILE",
                "file",
            ),
        ),
    )
    windows: bool = option(
        "whether each batch is a window of its own, whose verdict is about its rows alone. Window "
        "j of m rules has limits at 1 − 6(1 − level) ÷ π²j²m; earlier rows are not kept.",
        default=False,
        verbs="Monitor",
        flags=(
            Flag(
                "--windows",
                "monitor",
                "Judge each batch alone, not all rows so far.",
                kind="switch",
            ),
        ),
    )
    again: bool = option(
        "whether a batch whose content was added before is added once more.",
        default=False,
        verbs="Monitor.add",
        flags=(
            Flag(
                "--again", "monitor", "Add a batch whose content was added before.", kind="switch"
            ),
        ),
    )
