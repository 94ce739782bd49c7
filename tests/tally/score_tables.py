"""Rows for tables of scores, and what is the same of two tallies."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from karat.tally import ScoreHistogram
from karat.tally.score_histogram import LEVELS
from tests.ranks import KINDS, column
from tests.same import assert_same

BITS = (*LEVELS[:3], 7, 3, 1, 0)


@st.composite
def table_rows(
    draw: st.DrawFn, *, is_weighted: bool, k: int = 3, max_n: int = 40
) -> tuple[Any, Any, int, Any]:
    """Scores, classes, k, and weights in eighths, whose sums are exact, or None."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(0, max_n))
    scores = column(rng, n, draw(st.sampled_from(KINDS)), draw(st.sampled_from(("f4", "f8"))))
    weights = rng.integers(0, 16, n) * rng.integers(0, 2, n) / 8 if is_weighted else None
    return scores.astype(float), rng.integers(0, k, n), k, weights


def joined(*parts: tuple[Any, Any, int, Any]) -> tuple[Any, Any, int, Any]:
    """The rows of all parts, one after the other."""
    scores, codes, ks, weights = zip(*parts, strict=True)
    both = None if weights[0] is None else np.concatenate(weights)
    return np.concatenate(scores), np.concatenate(codes), ks[0], both


def assert_equal(left: ScoreHistogram, right: ScoreHistogram) -> None:
    """Two tables that hold the same; only sums of scores may round differently."""
    assert (left.bits, left.n_rows, left.is_summed) == (right.bits, right.n_rows, right.is_summed)
    for name in ("low", "high", "counts", "squares", "moments"):
        a, b = getattr(left, name), getattr(right, name)
        assert (a is None) == (b is None), name
        if a is None:
            continue
        assert a.dtype == b.dtype, name
        if name != "moments":
            assert_same(a, b, about=name)
            continue
        with np.errstate(over="ignore"):
            size = left.counts.sum(axis=1) * np.maximum(np.abs(left.low), np.abs(left.high))
        assert (np.abs(a - b) <= 1e-12 * size + 1e-321).all(), (a, b)


def rewritten(data: bytes, change: Callable[[Any], object]) -> bytes:
    """Bytes of a tally with another header and a right checksum."""
    magic, version, size = struct.unpack_from("<8sHI", data)
    header = json.loads(data[14 : 14 + size])
    change(header)
    text = json.dumps(header).encode()
    whole = struct.pack("<8sHI", magic, version, len(text)) + text + data[14 + size : -4]
    return whole + struct.pack("<I", zlib.crc32(whole))


def at(name: str, /, **facts: Any) -> Callable[[Any], None]:
    """A change of what the header says of one array."""

    def change(header: Any) -> None:
        next(item for item in header["arrays"] if item["name"] == name).update(facts)

    return change
