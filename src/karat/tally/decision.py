"""`Decision`: what says which class of a row is predicted, or which of its labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias, get_args

from karat.tally.score_kind import ARGUMENTS, UNITS, ScoreKind
from karat.tally.serialization import damaged

Rule: TypeAlias = Literal["given", "threshold", "thresholds", "largest", "none"]


def decides(
    kind: ScoreKind, threshold: object, *, is_single: bool = False, of_sets: bool = False
) -> bool:
    """Whether scores say what is predicted.

    Other scores than probabilities and logits need a threshold for that, unless they rank the
    classes of a row.

    Args:
        is_single: whether there is one score a row, of the positive class of two.
        of_sets: whether they are of sets of labels.
    """
    return kind != "scores" or threshold is not None or not (is_single or of_sets)


@dataclass(frozen=True, slots=True)
class Decision:
    """What says which class of a row is predicted, or which of its labels.

    Attributes:
        rule: ``"given"``: predictions were; ``"threshold"``: one number; ``"thresholds"``: one for
            each label; ``"largest"``: the most probable class, or labels above 0.5; ``"none"``:
            nothing.
        kind: of the scores that decide; None where predictions were given.
        threshold: the one number.
        k: number of classes; None of sets of labels.
    """

    rule: Rule = "given"
    kind: ScoreKind | None = None
    threshold: float | None = None
    k: int | None = None

    @classmethod
    def of_classes(
        cls, kind: ScoreKind, *, is_given: bool, is_single: bool, threshold: float | None, k: int
    ) -> Self:
        """What decides the class of rows with scores.

        Args:
            is_given: whether predictions were.
            is_single: whether there is one score a row, of the positive class of two.
        """
        if is_given:
            return cls(k=k)
        if threshold is not None:
            return cls("threshold", kind, threshold, k)
        rule: Rule = "largest" if decides(kind, None, is_single=is_single) else "none"
        return cls(rule, kind, None, k)

    @classmethod
    def of_facts(cls, header: Mapping[str, Any]) -> Self:
        """What decided the labels of sets that were written (K205)."""
        match header.get("decision", ["given", None, None]):
            case [str(rule), str() | None as kind, int() | float() | None as threshold] if (
                rule in get_args(Rule) and (kind is None or kind in ARGUMENTS)
            ):
                return cls(rule, kind, threshold)  # type: ignore[arg-type]
        raise damaged("The rule that decides which labels are predicted is missing")

    @property
    def facts(self) -> dict[str, Any]:
        """What a header says of it; nothing where predictions were given."""
        if self.rule == "given":
            return {}
        return {"decision": [self.rule, self.kind, self.threshold]}

    @property
    def has_predictions(self) -> bool:
        """True if a class, or labels, are predicted for each row."""
        return self.rule != "none"

    @property
    def text(self) -> str:
        """The rule in words."""
        unit, is_of_sets = UNITS[self.kind] if self.kind else "", self.k is None
        match self.rule:
            case "given":
                return "as given"
            case "none":
                what = "y_score of labels" if is_of_sets else "one column of y_score"
                return f"none: {what} without a threshold"
            case "threshold" | "thresholds":
                at = "its threshold" if self.threshold is None else f"{self.threshold:g}"
                what = "the labels whose" if is_of_sets else "the positive class where its"
                return f"{what} {unit} is at least {at}"
        if is_of_sets:
            return f"the labels whose {unit} is above 0.5"
        if self.kind == "scores":
            return "class of the largest score (ties: first class)"
        return f"most probable class ({'above 0.5; ' if self.k in (1, 2) else ''}ties: first class)"


def of_both(left: Decision, right: Decision) -> Decision:
    """What decides the rows of two parts: nothing, where nothing decides one."""
    return left if right.has_predictions else right


AS_GIVEN = Decision()
