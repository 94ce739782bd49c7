"""Matrices of scores and probabilities of every kind, and how their sums are compared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from karat import _native
from tests.kernels import score_reference as reference
from tests.same import assert_same

EVERYTHING = 127
RANKS, PREDICTED, BINS = 16, 32, 64

# Around the lengths of a vector and of a block.
LENGTHS = (1, 2, 7, 8, 9, 16, 31, 65, 513, 1030)


@dataclass(frozen=True)
class Rows:
    """What read_scores is given."""

    values: Any
    codes: Any
    k: int
    weights: Any
    is_prob: bool
    n_bins: int = 15

    def read(self, wanted: int = EVERYTHING, n_threads: int = 1) -> _native.ScoreSums:
        return _native.read_scores(
            self.values, self.codes, self.k, self.weights, self.is_prob, 1e-3, wanted, n_threads,
            self.n_bins,
        )  # fmt: skip

    def with_weights(self, weights: Any) -> Rows:
        return replace(self, weights=weights)


def probabilities(rng: np.random.Generator, shape: str, n: int, k: int) -> Any:
    """float64[n, k] with rows that sum to 1."""
    if shape == "ties":
        return rng.multinomial(8, np.full(k, 1 / k), n) / 8
    if shape == "certain":
        return np.eye(k)[rng.integers(0, k, n)]
    if shape == "nearly certain":
        made = np.full((n, k), 1e-14) * rng.random((n, k))
        made[np.arange(n), rng.integers(0, k, n)] = 0
        made[made == 0] = 1 - made.sum(axis=1)
        return made
    return rng.dirichlet(np.full(k, 0.7), n)


def raw_scores(rng: np.random.Generator, shape: str, n: int, k: int) -> Any:
    """float64[n, k] of any size."""
    if shape == "ties":
        return rng.integers(-2, 3, (n, k)).astype(float)
    if shape == "gaps":
        return rng.choice([-1000.0, 0.0, 1000.0], (n, k)) + rng.normal(size=(n, k))
    if shape == "confident":
        return np.where(rng.random((n, k)) < 1.5 / k, 40.0, 0.0) + rng.random((n, k))
    return 3 * rng.normal(size=(n, k))


PROB_SHAPES = ("any", "ties", "certain", "nearly certain")
SCORE_SHAPES = ("any", "ties", "gaps", "confident")


def laid_out(values: Any, layout: str) -> Any:
    """The same values, otherwise placed in memory."""
    k = values.shape[1]
    if layout == "F":
        return np.asfortranarray(values)
    if layout == "rows apart":
        return np.pad(values, ((0, 0), (1, 2)))[:, 1 : k + 1]
    if layout == "columns apart":
        return np.repeat(values, 2, axis=1)[:, ::2]
    if layout == "backwards":
        return np.ascontiguousarray(values[::-1, ::-1])[::-1, ::-1]
    if layout == "F backwards":
        return np.asfortranarray(values[::-1])[::-1]
    return np.ascontiguousarray(values)


LAYOUTS = ("C", "F", "rows apart", "columns apart", "backwards", "F backwards")


@st.composite
def rows(draw: st.DrawFn) -> Rows:
    """A matrix of any kind, with weights or without."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    k = draw(st.one_of(st.integers(1, 20), st.integers(1, 130)))
    n = draw(st.sampled_from(LENGTHS if k < 40 else LENGTHS[:-2]))
    is_prob = draw(st.booleans())
    make, shapes = (probabilities, PROB_SHAPES) if is_prob else (raw_scores, SCORE_SHAPES)
    values = make(rng, draw(st.sampled_from(shapes)), n, k)
    values = laid_out(
        values.astype(draw(st.sampled_from(("f4", "f8")))), draw(st.sampled_from(LAYOUTS))
    )
    codes = rng.integers(0, k, n)
    if draw(st.booleans()):
        best = values.argmax(axis=1)
        codes = np.where(rng.random(n) < 0.8, best, codes)
    weights = None
    if draw(st.booleans()):
        weights = np.repeat(rng.random(n) * rng.integers(0, 3, n), 2)[::2]
    n_bins = draw(st.sampled_from((1, 2, 10, 15, 97)))
    return Rows(values, codes.astype(np.int32), k, weights, is_prob, n_bins)


def check_close(actual: float, expected: float, about: str) -> None:
    """Equal to 13 digits of the number itself, however small it is."""
    if expected < 1e-280 or not np.isfinite(expected):
        assert_same(actual if actual > 1e-280 else 0.0, expected if expected > 1e-280 else 0.0)
    else:
        assert_same(actual / expected, 1.0, within=1e-13, about=about)


def check_sums(found: _native.ScoreSums, rows: Rows) -> None:
    """Everything that was wanted is what the references say."""
    x, codes, n = reference.wide(rows.values), rows.codes, len(rows.codes)
    weights = np.ones(n) if rows.weights is None else rows.weights
    assert_same((found.n_rows, found.k), (n, rows.k))
    check_close(found.weight, reference.sums(np.ones(n), weights)[0], "weight")
    check_close(found.weight2, reference.sums(np.ones(n), weights)[1], "weight2")
    for i, name in enumerate(reference.LOSSES):
        loss = reference.loss_of(name, x, codes, rows.is_prob)
        parts = (found.w_loss[i], found.w2_loss[i], found.w2_loss2[i])
        for got, want in zip(parts, reference.sums(loss, weights), strict=True):
            check_close(got, want, name)
    places = [reference.place(row, code) for row, code in zip(rows.values, codes, strict=True)]
    assert found.ranks is not None
    check_table(found.ranks, places, weights, rows)
    check_table(found.truth, codes, weights, rows)
    assert_same(found.predicted, rows.values.argmax(axis=1).astype(np.int32))
    check_bins(found, rows, weights)


def check_table(table: Any, at: Any, weights: Any, rows: Rows) -> None:
    assert table.dtype == (np.int64 if rows.weights is None else np.float64)
    assert_same(table, reference.added(rows.k, at, weights), within=1e-13)


def check_bins(found: _native.ScoreSums, rows: Rows, weights: Any) -> None:
    x = reference.wide(rows.values)
    confidence = (x if rows.is_prob else reference.softmax(x)).max(axis=1).astype(float)
    at = [reference.bin_of(c, rows.n_bins) for c in confidence]
    is_right = rows.values.argmax(axis=1) == rows.codes
    for got, amounts in (
        (found.bin_weight, weights),
        (found.bin_confidence, weights * confidence),
        (found.bin_correct, weights * is_right),
        (found.bin_weight2, weights**2),
    ):
        assert_same(got, reference.added(rows.n_bins, at, amounts), within=1e-12)


FIELDS = (
    "n_rows", "k", "weighted", "weight", "weight2", "w_loss", "w2_loss", "w2_loss2", "ranks",
    "truth", "predicted", "bin_weight", "bin_confidence", "bin_correct", "bin_weight2",
)  # fmt: skip


def check_same_bits(found: _native.ScoreSums, expected: _native.ScoreSums) -> None:
    for name in FIELDS:
        assert_same(getattr(found, name), getattr(expected, name), about=name)
