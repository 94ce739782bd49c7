"""Arrays out of the bytes of one input: every type, shape and layout that an argument may have.

Each array has memory of its own, which ends where its last item ends: a sanitizer, or a page that
may not be read (`fences.py`), sees the first byte beyond. What a call may not change is remembered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzz.source import OTHER_THINGS, Source

Array = NDArray[Any]

MOST = 1 << 17
_random = np.random.default_rng(20240229)
_WORDS = _random.integers(0, 2**64, MOST + 256, dtype=np.uint64)
_UNIT = _random.random(MOST + 256)
_EDGES = np.array([
    np.nan, np.inf, -np.inf, -0.0, 0.0, 5e-324, -5e-324, 1e-310, 1.7e308, -1.7e308, 1.0, -1.0,
    1e-45, 3.4e38, -3.4e38, 3.5e38, 1e-38, 0.5, 2.0**53, 2.0**63, -(2.0**63),
])  # fmt: skip
_REALS: dict[str, Array] = {
    "unit": _UNIT,
    "normal": _random.normal(0, 3, MOST + 256),
    "few": _random.integers(0, 4, MOST + 256) / 4.0,
    "same": np.full(MOST + 256, 0.25),
    "rising": np.arange(MOST + 256) / 64.0,
    "falling": -np.arange(MOST + 256) / 64.0,
    "tiny": _UNIT * 1e-310,
    "huge": (_UNIT - 0.5) * 3e308,
    "wide": np.exp(_random.normal(0, 100, MOST + 256)),
    "edges": _EDGES[_random.integers(0, len(_EDGES), MOST + 256)],
    "bits": _random.integers(0, 2**64, MOST + 256, dtype=np.uint64).view(np.float64),
    "nearly": np.where(_random.random(MOST + 256) < 0.01, np.nan, _UNIT),
}
_KINDS = tuple(_REALS)
HONEST = _KINDS[:6]

INTEGERS = ("i8", "i4", "u1", "i1", "u8", "u4", "i2", "u2", "?")
STRANGE = (
    "f2", "f4", "f8", "?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4", ">f8", ">u8", "O",
    "c16", "S3", "U2", "M8[s]", "m8[s]", "i4,f8", "V5", "f16",
)  # fmt: skip
HUGE = (2**52, 2**58, 2**59, 2**60 - 1, 2**62, 2**63 - 1)
"""Bytes beyond any memory, so that no honest loop begins."""


def exactly(array: Array) -> Array:
    """A copy that ends where its memory ends."""
    return np.array(array, order="C")


class Arrays:
    """Makes the arrays of one input, and knows afterwards whether a call changed them."""

    __slots__ = ("copy", "kept", "source")

    def __init__(self, source: Source, copy: Callable[[Array], Array] = exactly) -> None:
        self.source = source
        self.copy = copy
        self.kept: list[tuple[Array, bytes]] = []

    # Values.

    def reals(self, n: int, kinds: tuple[str, ...] = HONEST) -> Array:
        """float64[n] of one kind; an input in four has all of them to choose from."""
        code = self.source.byte()
        kind = _KINDS[code % len(_KINDS)] if code >= 192 else kinds[code % len(kinds)]
        start = self.source.byte()
        return _REALS[kind][start : start + n]

    def whole(self, n: int, below: int, dtype: str) -> Array:
        """Integers below a limit; once in 16 one of them, or all, beyond it."""
        source = self.source
        start, code = source.byte(), source.byte()
        values = (_WORDS[start : start + n] % np.uint64(max(below, 1))).astype(dtype)
        if code >= 240 and n:
            if code >= 252:
                return np.frombuffer(_WORDS[start : start + n].tobytes(), dtype, n)
            edge = source.pick((below, -1, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63), 2**64 - 1))
            values[source.byte() % n] = np.array([edge & (2**64 - 1)], np.uint64).astype(dtype)[0]
        return values

    # Arguments.

    def codes(self, n: int, k: int, dtype: str = "i4") -> Any:
        """int32[n] classes below k."""
        return self.argument(self.whole(n, k, dtype), is_plain=True)

    def labels(self, n: int, k: int) -> Any:
        """Integers [n] of any type and layout."""
        return self.argument(self.whole(n, k, self.source.pick(INTEGERS)))

    def floats(self, n: int, kinds: tuple[str, ...] = HONEST, is_plain: bool = True) -> Any:
        """float64[n]."""
        return self.argument(self.reals(n, kinds), is_plain=is_plain)

    def weights(self, n: int, is_plain: bool = False) -> Any:
        """float64[n] or None."""
        if not self.source.byte() & 1:
            self.source.is_spoiled()
            return None
        return self.floats(n, ("unit", "few", "same"), is_plain)

    def table(self, n: int, k: int, kinds: tuple[str, ...] = HONEST) -> Any:
        """Contiguous float64[n, k]."""
        return self.argument(self.reals(n * k, kinds).reshape(n, k), is_plain=True)

    def words(self, n: int, bits: int = 64) -> Any:
        """uint64[n], sorted three times in four."""
        start = self.source.byte()
        values = _WORDS[start : start + n] >> np.uint64(64 - bits)
        return self.argument(values if self.source.rarely(4) else np.sort(values), is_plain=True)

    def scores(self, n: int, k: int = 0, is_prob: bool = False) -> Any:
        """float32 or float64, [n] or [n, k], of any layout; probabilities sum to 1."""
        values = self.reals(n * (k or 1), ("unit", "few", "same") if is_prob else HONEST)
        if k:
            values = values.reshape(n, k)
            if is_prob:
                with np.errstate(all="ignore"):
                    values = values / values.sum(axis=1, keepdims=True)
        dtype = self.source.pick(("f8", "f4"))
        with np.errstate(all="ignore"):
            return self.argument(values.astype(dtype))

    def raw(self, n: int, dtype: str = "u1") -> Any:
        """Items whose bytes are those of the input."""
        size = np.dtype(dtype).itemsize
        return self.argument(np.frombuffer(self.source.raw(n * size), dtype), is_plain=True)

    def argument(self, values: Array, is_plain: bool = False) -> Any:
        """The values as an argument in some layout; spoiled: something else."""
        source = self.source
        if source.is_spoiled():
            return self.spoil(values)
        layout = source.byte()
        if layout < 96 or (is_plain and layout < 224):
            return self.keep(self.copy(values))
        return self.lay_out(values, layout % 8)

    def keep(self, array: Array) -> Array:
        """The array, to be found unchanged."""
        if array.size <= MOST:
            base = array
            while isinstance(base.base, np.ndarray):
                base = base.base
            if base.dtype != object:
                self.kept.append((base, base.tobytes()))
        return array

    def lay_out(self, values: Array, layout: int) -> Array:
        """The same values elsewhere in memory: strided, backwards, repeated, fixed."""
        if layout == 0 or values.ndim == 0:
            array = self.copy(values)
            array.flags.writeable = False
            return self.keep(array)
        step = (1, -1, 2, 3, -2)[layout % 5]
        if layout <= 4:
            wide = self.copy(np.repeat(values, abs(step), axis=0))
            return self.keep(wide)[::step][: len(values)]
        if values.ndim == 2 and layout == 5:
            return self.keep(self.copy(values.T)).T
        if values.ndim == 2 and layout == 6:
            return self.keep(self.copy(np.repeat(values, 2, axis=1)))[:, ::2]
        if layout == 6 and values.size:
            return np.broadcast_to(self.keep(self.copy(values[:1])), values.shape)
        # Not aligned.
        memory = self.copy(np.frombuffer(b"\0" + values.tobytes(), np.uint8))
        return self.keep(memory)[1:].view(values.dtype).reshape(values.shape)

    def spoil(self, values: Array) -> Any:
        """Something else than asked for: another length, type or shape, or no array."""
        source = self.source
        kind = source.byte() % 8
        if kind == 0:
            return source.pick(OTHER_THINGS)
        if kind == 1:
            return self.cast(values, source.pick(STRANGE))
        if kind == 2 and values.ndim:
            n = (0, 1, len(values) - 1, len(values) + 1, 2 * len(values))[source.byte() % 5]
            return self.keep(self.copy(np.resize(values, (max(n, 0), *values.shape[1:]))))
        if kind == 3:
            shape = source.pick(
                ((), (1,), (0,), (0, 0), (0, 3), (3, 0), (1, 1), (2, 1, 1), (-1, 1), (1, -1))
            )
            if -1 in shape:
                return self.keep(self.copy(values.reshape(shape) if values.size else values))
            return self.keep(self.copy(np.resize(values, shape)))
        if kind == 4 and source.spoiled >= 0:
            # Longer than any memory: each item is the first. One alone, since a loop over two such
            # columns is what was asked for.
            n = source.pick(HUGE) // values.itemsize
            first = self.keep(self.copy(np.resize(values, (1,) * max(values.ndim, 1))))
            return np.broadcast_to(first, (n, *([1] * (values.ndim - 1))))
        if kind == 5:
            return list(values[:8].tolist()) if values.ndim else [values.item()]
        if kind == 6:
            return memoryview(self.keep(self.copy(values)))
        with np.errstate(all="ignore"):
            return self.lay_out(values.astype(source.pick(("f4", "f8", "i8", "i4", "u1"))), 7)

    def cast(self, values: Array, dtype: str) -> Array:
        """Values of another type, where there is a cast, else bytes or objects of it."""
        try:
            with np.errstate(all="ignore"):
                return self.keep(self.copy(values.astype(dtype)))
        except (TypeError, ValueError):
            return self.keep(self.copy(np.zeros(values.shape, dtype)))

    def is_unchanged(self) -> bool:
        """Whether every array that was made has the bytes that it had."""
        return all(base.tobytes() == before for base, before in self.kept)
