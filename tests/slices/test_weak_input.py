"""Weak slices of odd input: losses of any size, columns that are none, names that are markup."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat

N = 200
RNG = np.random.default_rng(0)
SITE = RNG.choice(["u", "v", "w"], N)
LOSS = RNG.random(N) * np.where(SITE == "u", 3.0, 1.0)


def found(by: Any = None, loss: Any = LOSS, **given: Any) -> Any:
    by = {"site": SITE} if by is None else by
    return karat.find_weak_slices(loss=loss, by=by, n_permutations=99, **given)


@pytest.mark.parametrize("power", [-1000, -600, 1, 500, 1021])
@pytest.mark.parametrize("weights", [None, 1.0 + np.arange(N) % 3])
def test_losses_of_any_size_find_the_same(power: int, weights: Any) -> None:
    usual, scaled = (found(loss=x, weights=weights) for x in (LOSS, np.ldexp(LOSS, power)))
    assert [one.name for one in usual] == ["site = u"]
    (a,), (b,) = usual, scaled
    assert (a.z, a.p, a.n_rows, scaled.p) == (b.z, b.p, b.n_rows, usual.p)
    assert np.ldexp([a.value, a.rest], power).tolist() == [b.value, b.rest]


def test_columns_that_were_not_looked_at_are_told_why() -> None:
    other = found({"site": SITE, "far": np.where(np.arange(N) % 2, np.inf, 0.5)})
    assert other.left_out == {"far": "'far' holds inf, which is in no bin."}
    assert str(other).splitlines()[-1] == "Not looked at: far: 'far' holds inf, which is in no bin."
    none = found({"made": (x for x in SITE)})
    assert (none.n_tested, list(none.left_out)) == (0, ["made"])
    assert "Not looked at: made: by['made'] holds values of a kind" in str(none)


def test_foreign_names_start_no_line() -> None:
    text = str(found({"s\n\x1b[31m": SITE, "\x00\n": [object()] * N}))
    head, own, count, left_out = text.splitlines()
    assert head.split() == ["slice", "rows", "loss", "rest", "difference", "p"]
    assert own.startswith("s\\n\\x1b[31m = u")
    assert "slices were looked at" in count
    assert left_out.startswith("Not looked at: \\x00\\n")
    assert "\x1b" not in text
    assert "\x00" not in text


@pytest.mark.parametrize("crosses", ["no", None, 2, []])
def test_whether_pairs_are_looked_at_is_yes_or_no(crosses: Any) -> None:
    with pytest.raises(karat.KaratError) as caught:
        found(crosses=crosses)
    assert caught.value.code == "K122"


def test_losses_that_are_too_few_are_called_losses() -> None:
    with pytest.raises(
        karat.KaratError, match=r"loss and by\['site'\] describe different"
    ) as caught:
        found(loss=np.ones(3))
    assert caught.value.code == "K102"
    with pytest.raises(karat.KaratError, match="loss has 3 rows"):
        found({"age": np.linspace(0.0, 1.0, N)}, loss=np.ones(3))


def test_predictions_of_other_models_are_not_searched() -> None:
    table = {
        "label": [0, 1] * 20,
        "pred": [0, 1, 1, 1] * 10,
        "pred_old": [0, 1] * 20,
        "yhat_v1": [1, 0] * 20,
        "credit_score": list(range(40)),
        "city": ["a", "a", "b", "b"] * 10,
    }
    found = karat.find_weak_slices(table, min_n=5)
    assert set(found.left_out) == {"pred_old", "yhat_v1"}
    named = karat.find_weak_slices(table, by=["pred_old", "city"], min_n=5)
    assert not named.left_out


def test_a_table_without_a_column_to_search() -> None:
    found = karat.find_weak_slices({"label": [0, 1] * 20, "pred": [0, 1, 1, 1] * 10})
    assert str(found).startswith("No slice was tested: there is no column to search")
