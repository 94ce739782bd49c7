"""One input to one target: what may come of it, and what is a finding."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeVar

import numpy as np

from fuzz.arrays import Array, Arrays, exactly
from fuzz.source import Source

T = TypeVar("T")

REFUSALS = (ValueError, TypeError, IndexError, OverflowError, MemoryError)
"""What a binding may answer instead of a result; `Rejected` and Unicode errors are ValueErrors."""


class Finding(AssertionError):  # noqa: N818
    """What no input may lead to."""


class Case:
    """One input being tried."""

    __slots__ = ("arrays", "n_reached", "native", "source")

    def __init__(
        self, data: bytes, native: ModuleType, copy: Callable[[Array], Array] = exactly
    ) -> None:
        self.source = Source(data)
        self.arrays = Arrays(self.source, copy)
        self.native = native
        self.n_reached = 0

    def call(self, binding: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """What the binding returns: the call that the target is about."""
        self.n_reached += 1
        return binding(*arguments, **named)

    def attempt(self, work: Callable[[], T]) -> T | None:
        """What the work returns, or None where it is refused: the handle has to outlive that."""
        try:
            return work()
        except REFUSALS:
            return None

    def expect(self, holds: bool, what: str) -> None:
        """A finding unless it holds."""
        if not holds:
            raise Finding(what)

    def expect_length(self, array: Array, *shape: int) -> None:
        """A finding unless the array has that shape."""
        if array.shape != shape:
            raise Finding(f"an array {array.shape} where {shape} was promised")

    def expect_same(self, found: Array, wanted: Array, what: str) -> None:
        """A finding unless the arrays hold the same; NaN is NaN."""
        if not np.array_equal(found, wanted, equal_nan=np.asarray(found).dtype.kind == "f"):
            raise Finding(f"{what}: {found} instead of {wanted}")


def run(
    body: Callable[[Case], None],
    data: bytes,
    native: ModuleType,
    copy: Callable[[Array], Array] = exactly,
) -> Case:
    """Try one input; Finding for any outcome but a right result and a refusal.

    The first byte chooses the instruction set, the others are the source's.
    """
    isas = ISAS.setdefault(native, native.isas())
    native.use_isa(isas[data[0] % len(isas)] if data else isas[0])
    case = Case(data[1:], native, copy)
    try:
        body(case)
    except REFUSALS:
        pass
    except Finding:
        raise
    except Exception as error:
        raise Finding(f"{type(error).__name__}: {error}") from error
    if not case.arrays.is_unchanged():
        raise Finding("the call changed an array that was only to be read")
    return case


ISAS: dict[ModuleType, list[str]] = {}
