"""Settings of a stream, checked once and stored with its bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

import numpy as np

from karat.api.arguments import MAX_MEMORY, confidence_of
from karat.api.options import check_policy, plain_text
from karat.api.request.request import Request
from karat.api.spec import Spec
from karat.data.arguments import check_threads
from karat.data.labels.align import GivenClasses, classes_of
from karat.data.labels.column import declared_labels, declared_positive
from karat.data.labels.matrices import listed_names
from karat.data.prevalence import Prevalence
from karat.data.scores.batches import BatchReader
from karat.data.scores.classes import checked_threshold
from karat.data.scores.storage import ScoreParts
from karat.errors import error, short, shown
from karat.errors.options import option
from karat.inference.confidence import Confidence, checked_design
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.metrics.plan import requested
from karat.tally import Classes, Label
from karat.tally.cached import cached_property

_TWO: Final = Classes((0, 1), positive=1)
_ASKED: Final = ("level", "side", "method", "design", "weights_are", "seed", "n_replicates")
_MERGED: Final = ("labels", "positive", "threshold", "max_memory", "is_frequency")
"""Settings that must be equal for streams to be merged."""


@dataclass(frozen=True)
class Settings:
    """Arguments of `Stream`; metrics as canonical texts, those with intervals by their names."""

    labels: tuple[Label, ...] | None
    class_names: Any
    positive: Label | None
    threshold: float | None
    metrics: tuple[str, ...] | None
    confidence: Mapping[str, Any]
    undefined: Policy
    n_threads: int | None
    max_memory: int
    prevalence: Prevalence | None = None

    @classmethod
    def of(cls, request: Request) -> Settings:
        """Return the settings of a request (K122, K301)."""
        check_threads(_plain(request.n_threads))
        names = _plain(request.class_names)
        if isinstance(names, Mapping):
            names = {_plain(label): _plain(name) for label, name in names.items()}
        elif names is not None:
            names = tuple(map(_plain, listed_names(names)))
        labels = None if request.labels is None else declared_labels(request.labels)
        labels, positive, threshold = declared_classes(
            _plain(labels), _plain(request.positive), _plain(request.threshold)
        )
        confidence = {
            name: _plain(getattr(request, "sampling" if name == "design" else name))
            for name in _ASKED
        }
        found = cls(
            labels,
            names,
            positive,
            threshold,
            texts_of(_plain(request.metrics)),
            confidence,
            check_policy(_plain(request.undefined)),
            _plain(request.n_threads),
            MAX_MEMORY if request.max_memory is None else request.max_memory,
            request.prevalence,
        )
        asked = found.asked
        if asked is not None:
            # Stored as written: a level may be a Decimal.
            confidence |= {name: getattr(asked, name) for name in ("level", "seed", "n_replicates")}
        return replace(found, confidence=confidence)

    @cached_property
    def wanted(self) -> tuple[Metric, ...] | None:
        """The requested metrics, or None for all."""
        return None if self.metrics is None else tuple(requested(list(self.metrics)))

    @cached_property
    def asked(self) -> Confidence | None:
        """Settings of the intervals; None: there are none."""
        return confidence_of(**self.confidence)

    @cached_property
    def given(self) -> GivenClasses | None:
        """The classes, if plain integers map to them directly."""
        return None if self.labels is None else GivenClasses.of(self.labels, self.positive)

    @cached_property
    def is_frequency(self) -> bool:
        """True if a weight is a number of rows."""
        return bool(plain_text(self.confidence["weights_are"]) == "frequency")

    @property
    def of_one_class(self) -> dict[str, Any]:
        """Options that are only for rows with one class, of those that were given."""
        options = {"threshold": self.threshold, "class_names": self.class_names}
        usual = {"design": ("sampling", "cohort"), "weights_are": ("weights_are", "importance")}
        for name, (part, default) in usual.items():
            text = plain_text(self.confidence[name])
            options[part] = None if text == default else text
        return {name: value for name, value in options.items() if value is not None}

    @property
    def spec(self) -> Spec:
        """Contents of a report."""
        return Spec(
            self.wanted,
            self.undefined,
            self.asked,
            self.n_threads,
            self.threshold,
            design=checked_design(self.confidence["design"]),
            prevalence=self.prevalence,
        )

    @cached_property
    def empty(self) -> ScoreParts:
        """Accumulator of no rows with scores."""
        asked: dict[str, Any] = {"threshold": self.threshold, "positive": self.positive}
        return self.spec.empty(self.max_memory, is_frequency=self.is_frequency, **asked)

    @cached_property
    def reader(self) -> BatchReader:
        """Reader of batches of rows with scores."""
        return BatchReader(self.labels, self.positive, self.threshold)

    def with_weights(self, kind: str) -> Settings:
        """The same with another kind of weights: "importance" or "frequency"."""
        return replace(self, confidence={**self.confidence, "weights_are": kind})

    def check_same(self, other: Settings) -> None:
        """Refuse a stream whose rows were read differently (K202)."""
        for name in _MERGED:
            sides = [getattr(one, name) for one in (self, other)]
            if sides[0] == sides[1]:
                continue
            axis, texts = name, [shown(x) if isinstance(x, tuple) else short(x) for x in sides]
            if name == "is_frequency":
                axis, texts = "weights", [("importance", "frequency")[x] for x in sides]
            raise error("K202", axis=option(axis), left=texts[0], right=texts[1])

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as JSON types."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        if isinstance(self.class_names, Mapping):
            found["class_names"] = {"of": [list(pair) for pair in self.class_names.items()]}
        if self.prevalence is None:
            del found["prevalence"]
        elif isinstance(self.prevalence, Mapping):
            found["prevalence"] = {"of": [list(pair) for pair in self.prevalence.items()]}
        return found | {"confidence": dict(self.confidence)}

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> Settings:
        """Read the output of `to_dict`; ValueError, LookupError or TypeError for anything else."""
        names = found["class_names"]
        if isinstance(names, dict):
            names = {pair[0]: pair[1] for pair in names["of"]}
        labels, prevalence = found["labels"], found.get("prevalence")
        if isinstance(prevalence, dict):
            prevalence = {pair[0]: pair[1] for pair in prevalence["of"]}
        given = {**found, **found["confidence"], "class_names": names, "prevalence": prevalence}
        given["sampling"] = given.pop("design")
        del given["confidence"]
        given["labels"] = None if labels is None else tuple(labels)
        return cls.of(Request.of("Stream", **given))


def declared_classes(
    labels: Sequence[Label] | None, positive: Any, threshold: Any
) -> tuple[tuple[Label, ...] | None, Any, float | None]:
    """The classes, the positive one and the threshold, as far as they are known in advance."""
    declared = None if labels is None else declared_labels(labels)
    if declared is not None and positive is not None and len(declared) == 2:
        positive = declared_positive(positive, declared)
    if declared is not None and positive is not None:
        classes_of(declared, positive)
    return declared, positive, checked_threshold(threshold, _TWO)


def _plain(value: Any) -> Any:
    """Return a NumPy scalar or 0-dimensional array as a Python value, for JSON."""
    is_scalar = isinstance(value, np.generic) or (isinstance(value, np.ndarray) and not value.ndim)
    return value.item() if is_scalar else value


def texts_of(metrics: Any) -> tuple[str, ...] | None:
    """Return metrics as canonical texts; None for all."""
    return None if metrics is None else tuple(str(metric) for metric in requested(metrics))
