"""Deliberate defects of karat, which the recorded calls have to notice."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final
from unittest import mock

import numpy as np

import karat

VERBS: Final = ("evaluate", "compare", "gate", "check", "find_weak_slices", "rows_to_label")
METHODS: Final = (("Stream", "update"), ("Monitor", "add"))
TORCHMETRICS: Final = ("MultilabelAccuracy", "MultilabelF1Score", "MultilabelAUROC")
PREDICTIONS: Final = {1, "y_pred", "pred"}
"""Places and names of what a model gave."""
DECLARED: Final = {"labels", "class_names", "metrics", "by", "min", "max", "max_drop", "margin"}
"""Arguments that hold no rows."""


@contextmanager
def limits_flipped() -> Iterator[None]:
    """Every interval has its limits exchanged."""

    def flipped(fields: dict[str, Any]) -> None:
        low, high = fields.get("low"), fields.get("high")
        if low is not None and high is not None:
            fields["low"], fields["high"] = high, low

    with _intervals(flipped):
        yield


@contextmanager
def remarks_lost() -> Iterator[None]:
    """No interval has its remark, and no doubt its sentence."""
    from karat.errors.doubts import Doubt

    with (
        _intervals(lambda fields: fields.update(remark=None)),
        mock.patch.object(Doubt, "to_dict", lambda doubt: {"code": doubt.code}),
        mock.patch.object(karat.KaratError, "__str__", lambda problem: str(problem.code)),
    ):
        yield


@contextmanager
def labels_swapped() -> Iterator[None]:
    """The first two classes have each other's names, and predictions each other's classes."""
    from karat.tally.classes import Classes

    display = Classes.display.fget

    def swapped(classes: Classes) -> tuple[str, ...]:
        names = display(classes)
        return (names[1], names[0], *names[2:]) if len(names) > 1 else names

    with (
        mock.patch.object(Classes, "display", property(swapped)),
        _verbs(lambda name, value: _exchanged(value) if name in PREDICTIONS else value),
    ):
        yield


@contextmanager
def row_dropped() -> Iterator[None]:
    """Every verb loses the last row of what it reads."""
    with _verbs(lambda name, value: value if name in DECLARED else _shorter(value)):
        yield


SABOTAGES: Final[dict[str, Callable[[], Any]]] = {
    "limits flipped": limits_flipped,
    "a row dropped": row_dropped,
    "two labels swapped": labels_swapped,
    "remarks lost": remarks_lost,
}


@contextmanager
def _all(patches: list[Any]) -> Iterator[None]:
    for patch in patches:
        patch.start()
    try:
        yield
    finally:
        for patch in reversed(patches):
            patch.stop()


@contextmanager
def _intervals(change: Callable[[dict[str, Any]], object]) -> Iterator[None]:
    """Change the fields of every interval as it is made."""
    from karat.inference.confidence import Interval

    names = tuple(Interval.__dataclass_fields__)
    make = Interval.__init__

    def changed(interval: Any, *values: Any, **fields: Any) -> None:
        fields |= dict(zip(names, values, strict=False))
        change(fields)
        make(interval, **fields)

    with mock.patch.object(Interval, "__init__", changed):
        yield


@contextmanager
def _verbs(change: Callable[[int | str, Any], Any]) -> Iterator[None]:
    """Change the arguments of every verb, by their names or places."""
    from karat.compat import sklearn, torchmetrics

    patches = []
    for module, names in ((karat, VERBS), (sklearn, sklearn.__all__)):
        for name in names:
            verb = getattr(module, name)
            if callable(verb) and not isinstance(verb, type):
                patches.append(mock.patch.object(module, name, _changing(verb, change, 0)))
    kinds = [(karat, name, method) for name, method in METHODS]
    kinds += [(torchmetrics, name, "update") for name in TORCHMETRICS]
    for module, name, method in kinds:
        kind = getattr(module, name)
        verb = getattr(kind, method)
        patches.append(mock.patch.object(kind, method, _changing(verb, change, 1)))
    with _all(patches):
        yield


def _changing(
    verb: Callable[..., Any], change: Callable[[int | str, Any], Any], first: int
) -> Callable[..., Any]:
    @functools.wraps(verb)
    def changed(*values: Any, **options: Any) -> Any:
        rows = [change(place, value) for place, value in enumerate(values[first:])]
        options = {name: change(name, value) for name, value in options.items()}
        return verb(*values[:first], *rows, **options)

    return changed


def _exchanged(value: Any) -> Any:
    """Predictions of two classes in each other's place, of sets of two labels."""
    if isinstance(value, Mapping):
        return {name: _exchanged(item) for name, item in value.items()}
    if isinstance(value, np.ndarray) and value.ndim == 2 and value.shape[1] > 1:
        return value[:, [1, 0, *range(2, value.shape[1])]]
    if isinstance(value, np.ndarray | list) and len(value) and np.ndim(value) == 1:
        classes = sorted({x for x in value if x is not None}, key=repr)[:2]
        if len(classes) == 2:
            pair = {classes[0]: classes[1], classes[1]: classes[0]}
            items = [pair.get(x, x) for x in value]
            return np.array(items) if isinstance(value, np.ndarray) else items
    return value


def _shorter(value: Any) -> Any:
    """Rows without the last of them; anything else as it is."""
    if isinstance(value, Mapping):
        return {name: _shorter(item) for name, item in value.items()}
    if isinstance(value, list | tuple) and len(value) > 2:
        return value[:-1]
    if isinstance(value, np.ndarray) and value.ndim and len(value) > 2:
        return value[:-1]
    host = type(value).__module__.partition(".")[0]
    if host in {"pandas", "polars"} and len(value) > 2:
        return value[: len(value) - 1]
    if host == "pyarrow" and hasattr(value, "slice") and len(value) > 2:
        return value.slice(0, len(value) - 1)
    return value
