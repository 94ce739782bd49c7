"""Weak slices among many columns: what is found, and how often noise looks like one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from karat.slices.weak import standardized
from simulations.weak_slices import noise, planted
from tests.optional import optional

pd = optional("pandas")


def table(n: int = 3000, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "site": rng.choice(list("abcdefgh"), n),
            "age": rng.normal(50, 10, n),
            "sex": rng.choice(["f", "m"], n),
            "id": [f"r{i}" for i in range(n)],
            "label": rng.integers(0, 2, n),
        }
    )
    is_weak = (frame["site"] == "c") & (frame["sex"] == "m")
    wrong = rng.random(n) < np.where(is_weak, 0.5, 0.1)
    frame["pred"] = np.where(wrong, 1 - frame["label"], frame["label"])
    return frame


def test_a_weak_cross_is_found_with_its_numbers() -> None:
    frame = table()
    found = karat.find_weak_slices(frame, "label", "pred", n_permutations=199)
    crosses = karat.find_weak_slices(
        frame, "label", "pred", names=["site", "sex"], n_permutations=199
    )
    assert found
    assert "id" in found.left_out
    own = frame["site"] == "c"
    wrong = frame["label"] != frame["pred"]
    best = next(one for one in found if one.columns == ("site",))
    assert best.key == ("c",)
    assert best.n_rows == own.sum()
    assert best.loss == pytest.approx(wrong[own].mean())
    assert best.rest == pytest.approx(wrong[~own].mean())
    assert found.n_inside >= 1
    assert crosses.n_tested == 8 + 2 + 16
    assert "site = c" in str(found)


def test_the_statistic_is_that_of_shuffled_rows() -> None:
    rng = np.random.default_rng(0)
    loss = rng.exponential(size=400)
    sums = np.array([loss[rng.permutation(400)[:60]].sum() for _ in range(20_000)])
    z = standardized(sums, np.full(20_000, 60), loss)
    assert abs(z.mean()) < 0.03
    assert z.std() == pytest.approx(1.0, abs=0.02)


def test_losses_of_any_size_are_shuffled_and_the_same_seed_finds_the_same() -> None:
    rng = np.random.default_rng(1)
    site = rng.choice(list("abcd"), 2000)
    loss = rng.exponential(size=2000) * np.where(site == "b", 1.6, 1.0)
    one, again = (
        karat.find_weak_slices({"site": site}, loss=loss, n_permutations=199, seed=3)
        for _ in range(2)
    )
    assert [x.name for x in one] == ["site = b"]
    assert one.slices == again.slices


def test_blocks_of_columns_are_one_family(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = noise(3, n=1000, n_columns=6, n_permutations=99)
    monkeypatch.setattr("karat.slices.weak._BLOCK", 3000)
    assert noise(3, n=1000, n_columns=6, n_permutations=99) == whole


def test_without_a_mistake_nothing_is_weak() -> None:
    found = karat.find_weak_slices({"a": [0, 1] * 100}, [0, 1] * 100, [0, 1] * 100)
    assert not found
    assert "No weak slice" in str(found)


@pytest.mark.parametrize(
    "given",
    [
        {"columns": 3, "loss": [1.0, 0.0]}, {"columns": {"a": [1, 2]}},
        {"columns": {"a": [1, 2]}, "loss": [1.0, -1.0]},
        {"columns": {"a": [1, 2]}, "loss": [1.0, 0.0], "n_permutations": 5},
        {"columns": {"a": [1, 2]}, "loss": [1.0, 0.0], "names": ["b"]},
        {"columns": {"a": [1, 2, 3]}, "loss": [1.0, 0.0]},
    ],
)  # fmt: skip
def test_what_cannot_be_looked_at_is_an_error(given: dict[str, Any]) -> None:
    with pytest.raises(KaratError):
        karat.find_weak_slices(**given)


def test_noise_shows_a_weak_slice_in_at_most_one_of_twenty() -> None:
    # 60 data sets: at 5 % more than 8 of them come with a chance of 0.3 %.
    assert sum(bool(noise(seed, n=2000, n_permutations=99)) for seed in range(60)) <= 8


def test_a_planted_slice_is_found() -> None:
    assert sum(planted(seed, n_permutations=99)[0] for seed in range(8)) >= 7
