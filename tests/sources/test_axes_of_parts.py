"""Clusters and slices are axes of the tally: the same under max_memory and from partitions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.data.sources.files import units as unit_cuts
from karat.errors import KaratError
from tests.optional import optional

pd = optional("pandas")
dd = optional("dask.dataframe")

LEAST = 1 << 20
N = 60_000


def columns(seed: int = 0, n: int = N) -> dict[str, Any]:
    """Rows with labels, scores, weights, clusters and columns of every kind for slices."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 2, n)
    score = np.clip(0.3 * label + 0.7 * rng.random(n), 0, 1).round(3)
    country = np.array(["NO", "SE", None, "DK"], dtype=object)[rng.integers(0, 4, n)]
    return {
        "label": label,
        "pred": (score > 0.5).astype(int),
        "prob": score,
        "sample_weight": rng.integers(0, 5, n) / 4,
        "user": rng.integers(0, 200, n),
        "country": country,
        "age": rng.integers(18, 90, n),
        "amount": np.where(rng.random(n) < 0.05, np.nan, rng.normal(size=n).round(2)),
        "is_new": rng.random(n) < 0.5,
    }


BY = ["country", "age", "amount", "is_new", ("country", "is_new")]


def labels_only(found: dict[str, Any]) -> dict[str, Any]:
    return {name: values for name, values in found.items() if name != "prob"}


def assert_same(found: karat.Report, wanted: karat.Report, within: float = 1e-12) -> None:
    """The same classes, counts, slices, values and intervals."""
    assert np.allclose(found.confusion.matrix, wanted.confusion.matrix, rtol=within, atol=0)
    assert found.is_clustered == wanted.is_clustered
    for name in wanted:
        one, other = found[name], wanted[name]
        for fact in ("value", "low", "high", "standard_error"):
            a, b = getattr(one, fact), getattr(other, fact)
            assert (a is None) == (b is None), (name, fact)
            if b is not None:
                assert a == pytest.approx(b, rel=within, abs=within, nan_ok=True), (name, fact)
    assert list(found.slices) == list(wanted.slices)
    for column in wanted.slices:
        left, right = found.slices[column], wanted.slices[column]
        assert list(left) == list(right)
        assert left.n_rows.tolist() == right.n_rows.tolist()
        for key in right:
            for name in ("accuracy", "f1"):
                one, other = left[key][name], right[key][name]
                assert one.value == pytest.approx(other.value, rel=within)
                assert one.low == pytest.approx(other.low, rel=1e-9, nan_ok=True), (column, key)
        tests = [side.heterogeneity("accuracy").p for side in (left, right)]
        assert tests[0] == pytest.approx(tests[1], rel=1e-6)


def written(folder: Path, found: dict[str, Any]) -> list[str]:
    """Two Parquet files with row groups of odd sizes."""
    frame = pd.DataFrame(found)
    paths = [folder / "a.parquet", folder / "b.parquet"]
    frame.iloc[:25_001].to_parquet(paths[0], row_group_size=7_000)
    frame.iloc[25_001:].to_parquet(paths[1], row_group_size=9_999)
    return [str(path) for path in paths]


@pytest.mark.parametrize("weights", ["", "sample_weight"])
@pytest.mark.parametrize("clusters", [None, "user"])
def test_labels_of_files_under_max_memory(
    clusters: str | None, weights: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unit_cuts, "N_UNIT", 20_000)
    found = labels_only(columns())
    # By cluster a column of many values would not fit into so little memory.
    by = BY if clusters is None else ["country", "is_new", ("country", "is_new")]
    settings: dict[str, Any] = {"by": by, "weights": weights, "clusters": clusters or ""}
    wanted = karat.evaluate(pd.DataFrame(found), **settings)
    paths = written(tmp_path, found)
    for memory in (None, LEAST):
        checkpoint = tmp_path / f"{memory}.karat" if memory else None
        report = karat.evaluate(
            paths, reading=karat.Reading(max_memory=memory, checkpoint=checkpoint), **settings
        )
        assert_same(report, wanted)
        assert report.mapping == karat.evaluate(paths, **settings).mapping


def test_a_read_with_slices_goes_on_from_its_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unit_cuts, "N_UNIT", 20_000)
    paths = written(tmp_path, labels_only(columns()))
    settings: dict[str, Any] = {"by": BY, "clusters": "user", "weights": ""}
    checkpoint = tmp_path / "read.karat"
    first = karat.evaluate(paths, reading=karat.Reading(checkpoint=checkpoint), **settings)
    again = karat.evaluate(paths, reading=karat.Reading(checkpoint=checkpoint), **settings)
    assert again.to_json() == first.to_json()


@pytest.mark.parametrize("has_scores", [False, True])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({}, {"by": "country"}),
        ({"by": "country"}, {}),
        ({"by": "country"}, {"by": "is_new"}),
        ({"by": ["country", "is_new"]}, {"by": [("country", "is_new")]}),
        ({"clusters": "user"}, {}),
        ({"clusters": "user"}, {"clusters": "country"}),
    ],
    ids=str,
)
def test_a_checkpoint_of_other_axes_is_refused(
    first: dict[str, Any], second: dict[str, Any], has_scores: bool, tmp_path: Path
) -> None:
    found = columns(4, 3_000)
    frame = pd.DataFrame(found if has_scores else labels_only(found)).dropna()
    path, checkpoint = tmp_path / "a.parquet", tmp_path / "read.karat"
    frame.to_parquet(path)
    karat.evaluate(path, reading=karat.Reading(checkpoint=checkpoint), weights="", **first)
    with pytest.raises(KaratError, match="K414"):
        karat.evaluate(path, reading=karat.Reading(checkpoint=checkpoint), weights="", **second)
    same = karat.evaluate(path, reading=karat.Reading(checkpoint=checkpoint), weights="", **first)
    assert same.confusion.matrix.sum() == len(frame)


def test_scores_that_do_not_fit_are_refused_with_one_error(tmp_path: Path) -> None:
    found = columns(2, 150_000)
    path = tmp_path / "a.parquet"
    pd.DataFrame(found).to_parquet(path)
    parts = dd.from_pandas(pd.DataFrame(found), npartitions=4, sort=False)
    for source in (path, parts):
        for axes in ({"by": "country"}, {"clusters": "user"}):
            with pytest.raises(KaratError, match="K148") as refused:
                karat.evaluate(source, weights="", reading=karat.Reading(max_memory=LEAST), **axes)
            assert "max_memory" in str(refused.value)


def test_labels_that_do_not_fit_are_refused_with_the_same_error(tmp_path: Path) -> None:
    found = labels_only(columns(3, 150_000)) | {"user": np.arange(150_000)}
    path = tmp_path / "a.parquet"
    pd.DataFrame(found).to_parquet(path)
    with pytest.raises(KaratError, match="K148"):
        karat.evaluate(path, weights="", clusters="user", reading=karat.Reading(max_memory=LEAST))
