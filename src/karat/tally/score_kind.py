"""What the numbers of a model are: probabilities, logits, or any other scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from karat.errors import KaratError, error
from karat.errors.options import option
from karat.tally.serialization import damaged

Floats: TypeAlias = npt.NDArray[np.float64]

Argument: TypeAlias = Literal["y_prob", "y_logit", "y_score"]
ScoreKind: TypeAlias = Literal["probabilities", "logits", "scores"]
ScoreRole: TypeAlias = Literal["prob", "logit", "score"]

ARGUMENTS: Final[Mapping[ScoreKind, Argument]] = {
    "probabilities": "y_prob",
    "logits": "y_logit",
    "scores": "y_score",
}
"""Kind → the argument that takes it; in the order in which messages name them."""
KINDS: Final[Mapping[Argument, ScoreKind]] = {name: kind for kind, name in ARGUMENTS.items()}
ROLES: Final[Mapping[Argument, ScoreRole]] = {
    "y_prob": "prob",
    "y_logit": "logit",
    "y_score": "score",
}
"""Argument → the role of its columns in a table."""
ARGUMENT_OF_ROLE: Final[Mapping[ScoreRole, Argument]] = {
    role: argument for argument, role in ROLES.items()
}
UNITS: Final[Mapping[str | None, str]] = {
    "probabilities": "probability",
    "logits": "probability",
    "scores": "score",
}
"""Kind → the unit of ``threshold=``."""


def two_kinds(found: str, arguments: Sequence[Argument]) -> KaratError:
    """Return the error of outputs of two kinds that were given together: K129."""
    return error("K129", found=found, options=" and ".join(map(option, arguments)))


def argument_of_scores(values: Mapping[str, Any]) -> Argument | None:
    """Return the argument that was given; None without any (K129: there are several)."""
    names = [name for name in KINDS if values.get(name) is not None]
    if len(names) > 1:
        raise two_kinds(f"Both {names[0]} and {names[1]} were given", names)
    return next(iter(names), None)


def undecided(name: str, what: str = "the positive class") -> KaratError:
    """Return the error of scores that do not say which class is predicted: K320."""
    arguments = ("y_score", "y_pred", "y_prob", "y_logit", "threshold")
    options: dict[str, Any] = {argument: option(argument) for argument in arguments}
    return error("K320", name=name, what=what, **options)


FORMER: Final = "Read the rows again, with y_logit= for logits or y_score= for other scores."
"""What to do about scores that an earlier version wrote."""
NO_PREDICTIONS: Final = "Nothing is predicted"


def kind_of_header(header: Mapping[str, Any]) -> ScoreKind:
    """Return the kind of scores that were written.

    Errors:
        K205 it is none, or an earlier version wrote logits and other scores as one kind.
    """
    kind = header.get("kind")
    if kind in ARGUMENTS:
        return cast("ScoreKind", kind)
    if kind is None and header.get("is_prob") is True:
        return "probabilities"
    if kind is None and header.get("is_prob") is False:
        raise damaged("Version 0.2 wrote it, where logits and other scores were one kind", FORMER)
    raise damaged("The kind of the scores is missing")


def sigmoid(logits: npt.NDArray[Any]) -> Floats:
    """Return the probability of one of two classes with this logit, if that of the other is 0."""
    # The operations of the native softmax, in its order, for bitwise equal results.
    wide = np.asarray(logits, np.float64)
    most = np.maximum(wide, 0.0)
    with np.errstate(over="ignore"):
        odds = np.exp(wide - most)
        found: Floats = odds / (np.exp(0.0 - most) + odds)
    return found


def as_thresholds(levels: npt.NDArray[Any], kind: str | None) -> Floats:
    """Return score levels on the scale of ``threshold=``; one above every score stays infinite."""
    found = np.array(levels, np.float64)
    if kind == "logits":
        is_level = np.isfinite(found)
        found[is_level] = sigmoid(found[is_level])
    return found
