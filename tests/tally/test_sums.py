"""The laws of sums of losses, and their bytes."""

from __future__ import annotations

import json
import pickle
import struct
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat import _native
from karat.errors import KaratError
from karat.tally import Cells, Classes, Sums, from_bytes, to_bytes
from tests.same import assert_same

K = 3
NAMES = ("negative_log_probability", "margin")
FIELDS = (
    "names", "n_rows", "weight", "weight2", "w_loss", "w2_loss", "w2_loss2", "truth", "ranks",
)  # fmt: skip


def assert_equal(left: Sums, right: Sums, within: float = 0.0) -> None:
    assert left.is_weighted == right.is_weighted
    assert left.names == right.names
    assert (left.ranks is None) == (right.ranks is None)
    for name in FIELDS[1:]:
        if getattr(left, name) is not None:
            assert_same(getattr(left, name), getattr(right, name), within=within, about=name)


@st.composite
def rows(draw: st.DrawFn) -> dict[str, Any]:
    """Some rows with losses and weights in eighths, so that sums are exact; n may be 0."""
    eighths = st.integers(0, 64).map(lambda i: i / 8)
    infinite = st.sampled_from((np.inf, 0.0, 1.0))
    row = st.tuples(
        st.one_of(eighths, infinite), eighths, eighths, st.integers(0, K - 1), st.integers(0, K - 1)
    )
    table = np.array(draw(st.lists(row, max_size=20))).reshape(-1, 5)
    return {
        "losses": {"negative_log_probability": table[:, 0], "margin": table[:, 1]},
        "weights": table[:, 2],
        "codes": table[:, 3].astype(int),
        "ranks": table[:, 4].astype(int),
    }


def sums_of(given_rows: dict[str, Any], is_weighted: bool, has_ranks: bool = True) -> Sums:
    left_out = [*([] if is_weighted else ["weights"]), *([] if has_ranks else ["ranks"])]
    return Sums.of(k=K, **{name: x for name, x in given_rows.items() if name not in left_out})


both_kinds = pytest.mark.parametrize("is_weighted", [False, True], ids=["counts", "weights"])


@both_kinds
@given(a=rows(), b=rows(), c=rows())
def test_merge_is_associative_and_commutative(is_weighted: bool, a: Any, b: Any, c: Any) -> None:
    x, y, z = (sums_of(each, is_weighted) for each in (a, b, c))
    assert_equal(x.merge(y).merge(z), x.merge(y.merge(z)))
    assert_equal(x.merge(y), y.merge(x))


@both_kinds
@pytest.mark.parametrize("has_ranks", [False, True], ids=["bare", "ranks"])
@given(a=rows())
def test_empty_is_the_identity(is_weighted: bool, has_ranks: bool, a: Any) -> None:
    sums = sums_of(a, is_weighted, has_ranks)
    empty = Sums.empty(NAMES, K, is_weighted=is_weighted, has_ranks=has_ranks)
    assert_equal(sums.merge(empty), sums)
    assert_equal(empty.merge(sums), sums)
    assert np.isnan(empty.mean("margin"))


@both_kinds
@given(a=rows(), b=rows())
def test_merge_equals_concatenation(is_weighted: bool, a: Any, b: Any) -> None:
    both = {
        name: np.concatenate([a[name], b[name]]) for name in ("weights", "codes", "ranks")
    } | {
        "losses": {
            name: np.concatenate([a["losses"][name], b["losses"][name]]) for name in NAMES
        }
    }  # fmt: skip
    merged = sums_of(a, is_weighted).merge(sums_of(b, is_weighted))
    assert_equal(merged, sums_of(both, is_weighted))


@both_kinds
@given(a=rows())
def test_bytes_bring_the_sums_back(is_weighted: bool, a: Any) -> None:
    for has_ranks in (False, True):
        sums = sums_of(a, is_weighted, has_ranks)
        assert_equal(Sums.from_bytes(sums.to_bytes()), sums)
        assert Sums.from_bytes(sums.to_bytes()).to_bytes() == sums.to_bytes()
        assert_equal(pickle.loads(pickle.dumps(sums)), sums)


def test_a_row_of_weight_zero_counts_for_nothing() -> None:
    losses = {"negative_log_probability": [np.inf, 2.0], "margin": [1.0, 0.5]}
    sums = Sums.of(losses, [0, 1], K, [0.0, 3.0], [0, 2])
    assert sums.mean("negative_log_probability") == 2.0
    assert sums.truth.tolist() == [0.0, 3.0, 0.0]
    assert (sums.n_rows, sums.weight, sums.weight2) == (2, 3.0, 9.0)
    assert sums.w2_loss2.tolist() == [36.0, 2.25]


@both_kinds
def test_the_native_pass_gives_the_same(is_weighted: bool) -> None:
    rng = np.random.default_rng(0)
    p, codes = rng.dirichlet(np.ones(K), 500), rng.integers(0, K, 500).astype(np.int32)
    weights = rng.random(500) if is_weighted else None
    native = _native.read_scores(p, codes, K, weights, True, 1e-3, 127, 1)
    own = p[np.arange(500), codes]
    ranks = (p > own[:, None]).sum(axis=1)
    others = np.where(np.eye(K, dtype=bool)[codes], -1, p).max(axis=1)
    losses = {"negative_log_probability": -np.log(own), "margin": np.maximum(0, 1 - (own - others))}
    wanted = Sums.of(losses, codes, K, weights, ranks)
    assert_equal(
        Sums.from_native(native, ["ranks", "margin", "negative_log_probability"]),
        wanted,
        within=1e-12,
    )
    # Taken in halves.
    halves = [
        Sums.from_native(
            _native.read_scores(
                p[part], codes[part], K, None if weights is None else weights[part], True, 1e-3,
                127, 1,
            ),
            ["margin", "negative_log_probability", "ranks"],
        )
        for part in (slice(0, 123), slice(123, None))
    ]  # fmt: skip
    assert_equal(halves[0].merge(halves[1]), wanted, within=1e-12)


def test_only_what_was_read_is_taken_over() -> None:
    p, codes = np.full((4, 2), 0.5), np.zeros(4, np.int32)
    native = _native.read_scores(p, codes, 2, None, True, 1e-3, 1, 1)
    sums = Sums.from_native(native, ["negative_log_probability"])
    assert sums.ranks is None
    assert_same(sums.mean("negative_log_probability"), np.log(2), within=1e-15)
    for names in (["negative_log_probability", "margin"], ["ranks"], ["log"]):
        with pytest.raises(ValueError, match=r"asked for|not among"):
            Sums.from_native(native, names)
    with pytest.raises(ValueError, match="not among the losses"):
        sums.mean("margin")


def test_sums_of_different_things_do_not_merge() -> None:
    plain = Sums.of({"margin": [1.0]}, [0], 2)
    for other, code in (
        (Sums.of({"margin": [1.0]}, [0], 3), "K201"),
        (Sums.of({"negative_log_probability": [1.0]}, [0], 2), "K202"),
        (Sums.of({"margin": [1.0]}, [0], 2, ranks=[0]), "K202"),
        (Sums.of({"margin": [1.0]}, [0], 2, [1.0]), "K203"),
    ):
        for left, right in ((plain, other), (other, plain)):
            with pytest.raises(KaratError, match=code):
                left.merge(right)


SUMS = Sums.of(
    {"negative_log_probability": [0.5, np.inf, 1.0], "margin": [0.0, 2.0, 1.0]},
    [0, 1, 1],
    K,
    ranks=[0, 2, 0],
)


def rewritten(sums: Sums, change: Any = None, **arrays: Any) -> bytes:
    """The bytes with another header or other arrays, and a right checksum."""
    data = sums.to_bytes()
    magic, version, size = struct.unpack_from("<8sHI", data)
    header, body = json.loads(data[14 : 14 + size]), data[14 + size : -4]
    parts, at = {}, 0
    for item in header["arrays"]:
        n_bytes = 8 * int(np.prod(item["shape"]))
        parts[item["name"]] = body[at : at + n_bytes]
        at += n_bytes
    for name, array in arrays.items():
        parts[name] = np.asarray(array, float if name != "truth" else None).tobytes()
    if change is not None:
        change(header)
    text = json.dumps(header).encode()
    whole = struct.pack("<8sHI", magic, version, len(text)) + text + b"".join(parts.values())
    return whole + struct.pack("<I", zlib.crc32(whole))


def test_an_unchanged_header_is_read() -> None:
    assert_equal(Sums.from_bytes(rewritten(SUMS)), SUMS)


@pytest.mark.parametrize("cut", range(0, len(SUMS.to_bytes()), 7))
def test_truncated_bytes_are_refused(cut: int) -> None:
    with pytest.raises(KaratError, match="K205"):
        Sums.from_bytes(SUMS.to_bytes()[:cut])


def array_changed(array: str, **facts: Any) -> Any:
    def change(header: dict[str, Any]) -> None:
        next(item for item in header["arrays"] if item["name"] == array).update(facts)

    return change


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header.update(species="cells"),
        lambda header: header.pop("species"),
        lambda header: header.update(names=["negative_log_probability"]),
        lambda header: header.update(
            names=["negative_log_probability", "negative_log_probability"]
        ),
        lambda header: header.update(names=["negative_log_probability", 3]),
        lambda header: header.update(names="su"),
        lambda header: header.update(n_rows=4),
        lambda header: header.update(n_rows=-3),
        lambda header: header.update(n_rows=3.0),
        lambda header: header.update(n_rows=True),
        lambda header: header.update(arrays=[]),
        array_changed("truth", dtype="<f8"),
        array_changed("truth", shape=[3, 1]),
        array_changed("places", name="truth"),
        array_changed("w_loss", dtype="<i8"),
        array_changed("w_loss", shape=[1, 2]),
        array_changed("weight", shape=[1]),
        array_changed("places", shape=[3, 1]),
    ],
)
def test_a_header_that_contradicts_itself_is_refused(change: Any) -> None:
    with pytest.raises(KaratError, match="K205"):
        Sums.from_bytes(rewritten(SUMS, change))


@pytest.mark.parametrize(
    "arrays",
    [
        {"w_loss": [-1.0, 2.0]},
        {"w2_loss2": [np.nan, 2.0]},
        {"weight": 2.0},
        {"weight": np.nan},
        {"weight2": 4.0},
        {"truth": np.array([1, 1, 0])},
        {"truth": np.array([-1, 2, 2])},
    ],
)
def test_numbers_that_no_rows_give_are_refused(arrays: Any) -> None:
    with pytest.raises(KaratError, match="K205"):
        Sums.from_bytes(rewritten(SUMS, **arrays))


def test_one_species_is_not_read_as_another() -> None:
    cells = to_bytes(Cells.dense([[1, 0], [0, 2]], classes=Classes.of([0, 1])))
    with pytest.raises(KaratError, match="K205"):
        Sums.from_bytes(cells)
    with pytest.raises(KaratError, match="K205"):
        from_bytes(SUMS.to_bytes())


def test_no_rows_have_no_ranks_unless_asked() -> None:
    assert Sums.empty(["negative_log_probability"], 3).ranks is None
    assert Sums.empty(["negative_log_probability"], 3, has_ranks=True).ranks is not None
