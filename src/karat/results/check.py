"""`Check`: what can be measured with an input, what is missing, and every doubt about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from karat.errors import KaratError
from karat.errors.doubts import Doubt
from karat.errors.options import option
from karat.tally import Classes
from karat.tally.score_kind import ROLES


@dataclass(frozen=True, slots=True)
class Ability:
    """One kind of result, and whether an input gives it.

    Attributes:
        what: the kind of metrics.
        is_there: whether they can be measured.
        needs: what is missing, with the option that gives it; empty where nothing is.
    """

    what: str
    is_there: bool
    needs: str = ""


@dataclass(frozen=True, eq=False)
class Check:
    """Result of `karat.check` as data; `karat.Check` lists the attributes, and shows them."""

    n_rows: int = 0
    classes: Classes | None = None
    mapping: Mapping[str, Any] = field(default_factory=dict)
    scores: str | None = None
    problems: tuple[KaratError, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    warnings: tuple[str, ...] = ()
    has_clusters: bool = False
    has_slices: bool = False
    has_sets: bool = False
    has_predictions: bool = True
    threshold: float | None = None

    def __bool__(self) -> bool:
        return not self.problems and not self.doubts

    @property
    def problem(self) -> KaratError | None:
        """The error that a report raises; None where one can be made."""
        return self.problems[0] if self.problems else None

    @property
    def abilities(self) -> tuple[Ability, ...]:
        """Results that are available, and what the others need; empty where there is a problem."""
        if self.classes is None or self.problem is not None:
            return ()
        if self.has_sets:
            needs = "" if self.has_predictions else f"{option('threshold')} or {option('y_pred')}"
            return tuple(
                Ability(what, self.has_predictions, needs)
                for what in (
                    "subset accuracy, Hamming loss",
                    "averages over labels and over rows, each label",
                )
            )
        of_table = bool(self.mapping)
        prob, logit, score = ROLES.values() if of_table else ROLES
        pred = "pred" if of_table else "y_pred"
        has_chances, has_scores = (
            self.scores in ("probabilities", "logits"),
            self.scores is not None,
        )
        is_binary = self.classes.positive is not None
        chances = f"{option(prob)} or {option(logit)}"
        any_scores = f"{option(prob)}, {option(logit)} or {option(score)}"
        positive = "" if self.classes.k == 2 else "exactly two classes"
        return (
            Ability(
                "accuracy, F1, kappa",
                self.has_predictions,
                "" if self.has_predictions else f"{option('threshold')} or {option(pred)}",
            ),
            Ability(
                "metrics of one positive class",
                is_binary,
                "" if is_binary else positive or option("positive"),
            ),
            Ability(
                "ROC AUC, average precision, curves", has_scores, "" if has_scores else any_scores
            ),
            Ability(
                "log loss, Brier score, calibration", has_chances, "" if has_chances else chances
            ),
            Ability(
                "intervals of rows in clusters",
                self.has_clusters,
                "" if self.has_clusters else option("clusters"),
            ),
            Ability("slices", self.has_slices, "" if self.has_slices else option("by")),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the content as JSON types."""
        classes = self.classes
        positive = None if classes is None or classes.positive is None else classes.positive
        return {
            "n_rows": self.n_rows,
            "labels": None if classes is None else list(classes.labels),
            "positive": None if positive is None or classes is None else classes.labels[positive],
            "mapping": dict(self.mapping),
            "scores": self.scores,
            "problems": list(map(str, self.problems)),
            "doubts": [one.to_dict() for one in self.doubts],
            "warnings": list(map(str, self.warnings)),
            "abilities": [
                {"what": one.what, "is_there": one.is_there, "needs": one.needs}
                for one in self.abilities
            ],
        }
