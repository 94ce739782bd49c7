"""Weak slices of odd input: losses of any size, columns that are none, names that are markup."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import karat

N = 200
RNG = np.random.default_rng(0)
SITE = RNG.choice(["u", "v", "w"], N)
LOSS = RNG.random(N) * np.where(SITE == "u", 3.0, 1.0)


def found(by: Any = None, loss: Any = LOSS, **given: Any) -> Any:
    by = {"site": SITE} if by is None else by
    return karat.find_weak_slices(
        loss=loss, by=by, interval=karat.Interval(n_replicates=99), **given
    )


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
    assert str(other).splitlines()[-1] == "Not searched: far: 'far' holds inf, which is in no bin."
    none = found({"made": (x for x in SITE)})
    assert (none.n_tested, list(none.left_out)) == (0, ["made"])
    assert "Not searched: made: by['made'] holds values of a kind" in str(none)


def test_foreign_names_start_no_line() -> None:
    text = str(found({"s\n\x1b[31m": SITE, "\x00\n": [object()] * N}))
    head, own, count, left_out = text.splitlines()
    assert head.split() == ["slice", "rows", "loss", "rest", "difference", "p"]
    assert own.startswith("s\\n\\x1b[31m = u")
    assert "slices were tested" in count
    assert left_out.startswith("Not searched: \\x00\\n")
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


WORDS = np.where(np.arange(N) % 3 == 0, "fraud", "ok")
TABLE = {
    "id": np.arange(N) // 2,
    "label": WORDS,
    "pred": np.where(SITE == "u", "ok", WORDS),
    "user_id": np.arange(N) // 4,
    "site": SITE,
}


def codes(found: Any) -> list[str]:
    return sorted(one.code for one in found.doubts)


def test_weak_slices_have_the_doubts_of_a_report(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    pd.DataFrame(TABLE).to_csv(path, index=False)
    for source in (TABLE, pd.DataFrame(TABLE), path):
        found = karat.find_weak_slices(source, interval=karat.Interval(n_replicates=99))
        assert codes(found) == codes(karat.evaluate(source)) == ["D101", "D105", "D107"]
        # A column of groups is searched all the same.
        assert "user_id" not in found.left_out
        settled = karat.find_weak_slices(
            source, interval=karat.Interval(n_replicates=99), clusters="", positive="ok"
        )
        assert codes(settled) == ["D105"]
        assert settled.slices == found.slices
        of_user = karat.find_weak_slices(
            source, interval=karat.Interval(n_replicates=99), by=["site", "user_id"]
        )
        assert "D107" not in codes(of_user)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"y_true": WORDS, "y_pred": WORDS}, "D101"),
        ({"y_true": SITE == "u", "y_score": LOSS / 3.0, "threshold": 0.5}, "D102"),
        ({"y_true": np.where(SITE == "u", "NA", "ok"), "y_pred": SITE}, "D112"),
        ({"data": {"label": (SITE == "u") * 1, "proba_bad": LOSS / 3.0}}, "D109"),
    ],
)
def test_each_doubt_about_rows_is_one_of_their_weak_slices(given: Any, code: str) -> None:
    columns = {} if "data" in given else {"by": {"site": SITE}}
    if code == "D112":
        given = {**given, "y_pred": np.where(SITE == "v", "NA", "ok")}
    data = [given["data"]] if "data" in given else []
    given = {role: values for role, values in given.items() if role != "data"}
    few = karat.Interval(n_replicates=99)
    assert code in codes(karat.find_weak_slices(*data, **given, **columns, interval=few))
    assert code in codes(karat.evaluate(*data, **given))


def test_losses_of_a_table_may_be_of_groups(tmp_path: Path) -> None:
    table = {"loss": LOSS, "user_id": np.arange(N) // 4, "session": np.arange(N), "site": SITE}
    path = tmp_path / "losses.csv"
    pd.DataFrame(table).to_csv(path, index=False)
    for source in (table, path):
        (found,) = karat.find_weak_slices(
            source, loss="loss", interval=karat.Interval(n_replicates=99)
        ).doubts
        assert "clusters='user_id'" in found.option
        for settled in ("", "user_id"):
            options: Any = {
                "loss": "loss",
                "clusters": settled,
                "interval": karat.Interval(n_replicates=99),
            }
            assert karat.find_weak_slices(source, **options).doubts == ()


def test_doubts_stand_on_top_of_every_form_of_weak_slices() -> None:
    found = karat.find_weak_slices(TABLE, interval=karat.Interval(n_replicates=99), clusters="")
    noticed = [one.noticed for one in found.doubts]
    assert noticed
    for text, first in ((str(found), "slice"), (found._repr_html_(), "<table")):
        assert all(text.index(one) < text.index(first) for one in noticed)
    assert found.to_dict()["doubts"] == [one.to_dict() for one in found.doubts]
    assert found.to_dict()["notes"] == list(found.notes)
    plain = karat.find_weak_slices(
        loss=LOSS, by={"s": SITE}, interval=karat.Interval(n_replicates=99)
    )
    assert plain.doubts == ()
    assert "Doubt" not in str(plain) + plain._repr_html_()
