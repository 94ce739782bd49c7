"""The parts of a tally made on a device are those of the host, bit for bit where they are whole."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.data.sources.torch import faults
from karat.data.sources.torch import held_scores as row_choice
from karat.data.sources.torch.held_scores import ChosenRows
from karat.data.sources.torch.score_histograms import ScoreLevels, added, counted, summed
from karat.tally.row_sample import RowSample
from karat.tally.score_histogram import EXACT, ScoreHistogram
from tests.devices.rows import DEVICE, torch

ODD = [0.0, -0.0, 1.0, 0.5, 0.1, 1 / 15, 5e-324, -5e-324, 1e300, -1e300, 65504.0, -65504.0, 0.05]


def numbers(n: int, dtype: str, seed: int) -> Any:
    random = np.random.default_rng(seed)
    made = np.concatenate([random.normal(size=n), random.random(n), np.repeat(ODD, 3)])
    made = torch.from_numpy(random.permutation(made)).to(getattr(torch, dtype))
    return there(made[made.isfinite()])


def there(tensor: Any) -> Any:
    """On the device that is tested."""
    return tensor.to(DEVICE)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("limit", [10**6, 200, 50])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_tables(dtype: str, limit: int, is_weighted: bool) -> None:
    k, held, expected = 3, None, None
    for seed in range(3):
        column = numbers(300, dtype, seed)
        random = np.random.default_rng(seed + 10)
        codes = random.integers(0, k, len(column))
        w = np.where(random.random(len(column)) < 0.1, 0.0, random.random(len(column)))
        own = there(torch.from_numpy(w)) if is_weighted else None
        bits = EXACT if held is None else held.bits
        made = ScoreLevels.of(column, there(torch.from_numpy(codes)), k, own, bits, limit)
        held = made if held is None else held.merge(made, limit)
        values = column.to(torch.float64).cpu().numpy()
        table = ScoreHistogram.of(values, codes, k, w if is_weighted else None).within(limit)
        expected = table if expected is None else expected.merge(table).within(limit)
        found = held.table()
        assert (found.bits, found.n_rows) == (expected.bits, expected.n_rows)
        for name in ("low", "high", "counts", "squares", "moments"):
            left, right = getattr(found, name), getattr(expected, name)
            assert (left is None) == (right is None), name
            if left is not None:
                assert left.dtype == right.dtype
                is_whole = left.dtype.kind == "i" or name in ("low", "high")
                rtol = 0.0 if is_whole else 1e-12
                np.testing.assert_allclose(left, right, rtol=rtol, atol=1e-320, err_msg=name)
        # What leaves a device is read as what the host made.
        ScoreHistogram.from_bytes(found.to_bytes())


def chosen(values: Any, codes: Any, w: Any, k: int, limit: int) -> RowSample:
    parts = None
    for rows in np.array_split(np.arange(len(codes)), 3):
        own = None if w is None else w[rows]
        made = ChosenRows.of(values[rows], codes[rows], own, k, limit)
        parts = made if parts is None else parts.merge(made, k, limit)
    assert parts is not None
    return parts.sample(k, limit)


def equal(left: RowSample, right: RowSample) -> bool:
    names = ("values", "codes", "weights", "repeats", "hashes")
    pairs = [(getattr(left, name), getattr(right, name)) for name in names]
    return all(np.array_equal(*pair) for pair in pairs if pair[0] is not None)


@pytest.mark.parametrize("dtype", ["bfloat16", "float32", "float64"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_same_rows_are_chosen(
    dtype: str, is_weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    random, n, k, limit = np.random.default_rng(0), 3000, 4, 40
    made = torch.from_numpy(random.normal(size=(n, 3)).round(1)).to(getattr(torch, dtype))
    values, codes = there(made), there(torch.from_numpy(random.integers(0, k, n)))
    w = there(torch.from_numpy(random.integers(0, 3, n) * 0.5)) if is_weighted else None
    for matrix in (values, values[:, 1]):
        of_host = matrix.to(torch.float64).cpu().numpy()
        own = None if w is None else w.cpu().numpy()
        expected = RowSample.of(of_host, codes.cpu().numpy(), k, limit, own)
        assert equal(chosen(matrix, codes, w, k, limit), expected)
        with monkeypatch.context() as patch:
            mixed = row_choice._mixed
            patch.setattr(row_choice, "_mixed", lambda words, mixed=mixed: mixed(words) + 1)
            assert not equal(chosen(matrix, codes, w, k, limit), expected)


@given(st.integers(1, 400), st.sampled_from([1, 2, 16, 17, 300]), st.integers(0, 2**32 - 1))
def test_sums_by_place(n: int, m: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    places = random.integers(0, m, n)
    values = random.random(n) * 10.0 ** random.integers(-9, 9, n)
    at, held = there(torch.from_numpy(places)), there(torch.from_numpy(values))
    assert counted(at, m).tolist() == np.bincount(places, minlength=m).tolist()
    for found, of in zip(summed(at, m, held, held * held), (values, values**2), strict=True):
        np.testing.assert_allclose(found.cpu().numpy(), np.bincount(places, of, m), rtol=1e-13)
    lengths = there(torch.from_numpy(np.bincount(places, minlength=m)))
    order = np.argsort(places, kind="stable")
    pairs = torch.stack([held[order], held[order] * 2], dim=1)
    expected = [np.bincount(places, values * factor, m) for factor in (1, 2)]
    np.testing.assert_allclose(
        added(pairs, lengths).cpu().numpy(), np.transpose(expected), rtol=1e-13
    )


def test_long_segments_are_cut() -> None:
    random, n = np.random.default_rng(0), 3 * 4096 * 3 + 17
    held = random.random(n) * 10.0 ** random.integers(-9, 9, n)
    for lengths in ([n], [0, n, 0], [1, 0, n - 1], [4096, 8192, n - 12288], [0, 0, n - 5, 5, 0]):
        edges = np.concatenate([[0], np.cumsum(lengths)])
        expected = [math.fsum(held[a:b]) for a, b in itertools.pairwise(edges)]
        for columns in (held, np.stack([held, -2 * held], axis=1)):
            found = added(there(torch.from_numpy(columns)), there(torch.tensor(lengths)))
            first = found.cpu().numpy().reshape(len(lengths), -1)
            np.testing.assert_allclose(first[:, 0], expected, rtol=1e-13)
            if columns.ndim == 2:
                np.testing.assert_allclose(first[:, 1], -2 * np.array(expected), rtol=1e-13)


def test_the_same_bits_every_time() -> None:
    random = np.random.default_rng(0)
    at = there(torch.from_numpy(random.integers(0, 40, 20_000)))
    w = there(torch.from_numpy(random.random(20_000)))
    first = summed(at, 40, w)[0]
    assert all(torch.equal(summed(at, 40, w)[0], first) for _ in range(3))


@pytest.mark.parametrize("n", [1, 7, 8, 9, 4095, 4096, 4099])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 1.0])
def test_the_first_and_the_number_of_bad_rows(
    n: int, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(n)
    columns = [random.random(n) < share for _ in range(3)]
    bad = [there(torch.from_numpy(column)) for column in columns]
    bad.append(there(torch.ones(1, dtype=torch.bool)).expand(n))
    expected = [*columns, np.ones(n, np.bool_)]
    for least in (1, 10_000):  # in words of eight, and at once
        monkeypatch.setattr(faults, "_LONG", least)
        rows, counts = faults._found(bad, n)
        assert rows.tolist() == [int(column.argmax()) for column in expected]
        assert counts.tolist() == [int(column.sum()) for column in expected]
