"""Choices out of the bytes of one input: sizes, numbers, flags, and what goes wrong.

Bytes that are missing read as 0, and 0 is always the plain choice: the empty input is a small,
honest call, and each byte that a fuzzer adds can spoil one more thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

T = TypeVar("T")

SIZES = (*range(1, 41), *range(1, 41), *range(1, 41), *range(8, 72), 0, 0, 0, 0)
SIZES += (100, 127, 128, 129, 150, 200, 255, 256, 257, 300, 400, 512, 700, 1000, 1023, 1024, 1025)
SIZES += (0,) * (250 - len(SIZES)) + (2000, 4096, 5000, 9999, 10000)
LARGE = (12000, 16384, 20000, 32768, 40000, 65537, 70000)

HOSTILE_INTEGERS = (
    -1, 0, 1, 2, 3, 16, 62, 63, 64, 65, 255, 256, 4097, 8193, 65536, 2**24, 2**26 + 1, 2**28 + 1,
    2**30, 2**31 - 1, 2**31, 2**32, 2**32 + 1, 2**53, 2**59, 2**60, 2**61, 2**62, 2**63 - 1, 2**63,
    2**64 - 1, 2**64, 2**100, -2, -64, -(2**31), -(2**31) - 1, -(2**32), -(2**62), -(2**63),
    -(2**63) - 1, -(2**64),
)  # fmt: skip
HOSTILE_REALS = (
    0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-300, 5e-324, -5e-324, 1e300, 1.7976931348623157e308,
    float("inf"), float("-inf"), float("nan"), 1e-16, 1 + 2**-52, 2.0**63, 1e18,
)  # fmt: skip
OTHER_THINGS: tuple[Any, ...] = (
    None, True, "text", b"bytes", 1.5, float("nan"), [], [0.5, 0.5], (1, 2), {}, {1: 2}, object,
    len, ..., 3 + 4j, range(3), slice(1), "\ud800", memoryview(b"abcdefgh"), bytearray(8), set(),
)  # fmt: skip


class Source:
    """The bytes of one input, read from the front."""

    __slots__ = ("at", "data", "n_arguments", "spoiled")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.n_arguments = 0
        # Which argument is hostile: none of half of the inputs, one of most others, else any.
        first = self.byte()
        self.spoiled = -1 if first < 128 else (first - 128) % 10 if first < 240 else -2

    def byte(self) -> int:
        """The next byte."""
        at = self.at
        self.at = at + 1
        return self.data[at] if at < len(self.data) else 0

    def word(self) -> int:
        """The next two bytes."""
        at = self.at
        self.at = at + 2
        return int.from_bytes(self.data[at : at + 2], "little")

    def long(self) -> int:
        """The next eight bytes, signed."""
        at = self.at
        self.at = at + 8
        return int.from_bytes(self.data[at : at + 8], "little", signed=True)

    def raw(self, n: int) -> bytes:
        """The next n bytes, fewer at the end, then zeros."""
        at = self.at
        self.at = at + n
        return self.data[at : at + n].ljust(n, b"\0")

    def flag(self) -> bool:
        """False or True."""
        return self.byte() & 1 == 1

    def rarely(self, one_in: int) -> bool:
        """True once in so many values of a byte."""
        return self.byte() % one_in == one_in - 1

    def pick(self, options: Sequence[T]) -> T:
        """One of the options; the first is the plain one."""
        return options[self.byte() % len(options)]

    def is_spoiled(self) -> bool:
        """Whether the argument made next is to be hostile."""
        at = self.n_arguments
        self.n_arguments = at + 1
        return at == self.spoiled or (self.spoiled == -2 and self.byte() % 4 == 3)

    def size(self) -> int:
        """A number of rows, mostly small: blocks and threads begin where they are many."""
        code = self.byte()
        return SIZES[code] if code < 255 else LARGE[self.byte() % len(LARGE)]

    def count(self, most: int) -> int:
        """A number from 1 to `most`."""
        return 1 + self.byte() % most

    def integer(self, low: int, high: int) -> Any:
        """An integer of that range; spoiled: one at an edge, any other one, or no integer."""
        if not self.is_spoiled():
            return low + self.word() % (high - low + 1)
        kind = self.byte() % 4
        if kind == 0:
            return self.long()
        if kind == 1:
            return self.pick(OTHER_THINGS)
        return self.pick(HOSTILE_INTEGERS)

    def real(self, low: float = 0.0, high: float = 1.0) -> Any:
        """A float of that range; spoiled: any float or no number."""
        if not self.is_spoiled():
            return low + (high - low) * self.word() / 65535
        return self.pick(OTHER_THINGS) if self.rarely(4) else self.pick(HOSTILE_REALS)

    def switch(self) -> Any:
        """False or True; spoiled: what is neither."""
        return self.pick(OTHER_THINGS) if self.is_spoiled() else self.flag()

    def threads(self) -> Any:
        """A number of threads; spoiled: nonsense.

        Never many: they would stay, and each later call of the process would wake them all.
        """
        if not self.is_spoiled():
            return (1, 1, 2, 0, 3, 1, 1, 2)[self.byte() % 8]
        return self.pick((-1, -(2**31), 5, 4, 2**31, None, 1.0, "2", 2**64, True))
