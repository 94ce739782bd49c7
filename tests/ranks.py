"""Strategies for rows with scores: ties, zeros of both signs, denormals, gaps, absent classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

KINDS = ("uniform", "ends", "rounded", "signed", "gaps", "tiny", "equal", "close", "integers")
DTYPES = ("f4", "f8")


def column(rng: np.random.Generator, n: int, kind: str, dtype: str) -> Any:
    """n finite scores of one kind."""
    info = np.finfo(dtype)
    tiny, most = float(info.smallest_subnormal), float(info.max)
    x = rng.random(n)
    made = {
        "uniform": lambda: x,
        "ends": lambda: np.where(x < 0.2, 0.0, np.where(x > 0.8, 1.0, x)),
        "rounded": lambda: np.round(x, 1),
        "signed": lambda: rng.normal(size=n) * 10.0 ** rng.integers(-5, 6, n),
        "gaps": lambda: rng.choice([0.0, -0.0, tiny, -tiny, most, -most, 1.0, -1.0], n),
        "tiny": lambda: rng.integers(-4, 5, n) * tiny,
        "equal": lambda: np.full(n, x[0] if n else 0.0),
        "close": lambda: 1.0 + rng.integers(0, 9, n) * float(info.eps),
        "integers": lambda: rng.integers(-3, 4, n).astype(float),
    }[kind]()
    return np.asarray(made, dtype)


def spread(values: Any, stride: int) -> Any:
    """The same values with another distance between them."""
    room = np.zeros(len(values) * abs(stride), values.dtype)
    view = room[::stride][: len(values)]
    view[...] = values
    return view


def codes_of(rng: np.random.Generator, n: int, k: int) -> Any:
    """int32[n] classes below k, of which few occur when k is large."""
    used = rng.permutation(k)[: rng.integers(1, min(k, 5) + 1)]
    return used[rng.integers(0, len(used), n)].astype(np.int32)


def weights_of(rng: np.random.Generator, n: int) -> Any:
    """Weights, some of them 0."""
    return rng.random(n) * rng.integers(0, 3, n)


@st.composite
def ranked_rows(draw: st.DrawFn, max_n: int = 40) -> tuple[Any, Any, int, int, Any]:
    """A column, classes, the own class, k, and weights or None."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(0, max_n))
    k = draw(st.sampled_from((1, 2, 2, 3, 5, 17, 300, 100_000)))
    scores = column(rng, n, draw(st.sampled_from(KINDS)), draw(st.sampled_from(DTYPES)))
    codes = codes_of(rng, n, k)
    own = int(codes[0]) if n and draw(st.booleans()) else int(rng.integers(0, k))
    weights = weights_of(rng, n) if draw(st.booleans()) else None
    return spread(scores, draw(st.sampled_from((1, 1, 2, -1, -3)))), codes, own, k, weights


@st.composite
def scored_rows(draw: st.DrawFn, max_n: int = 25) -> tuple[Any, Any, int, Any]:
    """A matrix, classes, k, and weights or None."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, k = draw(st.integers(0, max_n)), draw(st.sampled_from((1, 2, 3, 4, 7)))
    dtype = draw(st.sampled_from(DTYPES))
    columns = [column(rng, n, draw(st.sampled_from(KINDS)), dtype) for _ in range(k)]
    values = np.array(columns, dtype).reshape(k, n).T
    order = draw(st.sampled_from("CF"))
    values = np.array(values, order=order)
    if draw(st.booleans()):
        room = np.zeros((2 * n, 3 * k), dtype, order=order)
        room[::2, ::3] = values
        values = room[::2, ::3]
    weights = weights_of(rng, n) if draw(st.booleans()) else None
    return values, codes_of(rng, n, k), k, weights
