"""Slices of rows: the same numbers as those of the rows of each slice alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from tests.optional import optional
from tests.same import assert_same

pd, pl, pa = optional("pandas"), optional("polars"), optional("pyarrow")
sk = optional("sklearn.metrics")

ORACLES = {
    "accuracy": sk.accuracy_score,
    "macro_f1": lambda t, p: sk.f1_score(t, p, average="macro", zero_division=0),
    "weighted_precision": lambda t, p: sk.precision_score(
        t, p, average="weighted", zero_division=0
    ),
    "matthews_correlation": sk.matthews_corrcoef,
    "kappa": sk.cohen_kappa_score,
}


def rows(n: int = 800, k: int = 4, seed: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    true = rng.integers(0, k, n)
    country = rng.choice(["NO", "SE", "DK", None], n, p=[0.5, 0.3, 0.15, 0.05])
    right = rng.random(n) < np.where(country == "SE", 0.6, 0.85)
    pred = np.where(right, true, rng.integers(0, k, n))
    return pd.DataFrame(
        {
            "label": [f"c{i}" for i in true],
            "pred": [f"c{i}" for i in pred],
            "country": country,
            "sex": rng.choice(["f", "m"], n),
            "age": np.where(rng.random(n) < 0.03, np.nan, rng.normal(50, 15, n).round(1)),
            "year": rng.integers(2019, 2024, n),
            "w": rng.uniform(0.5, 2.0, n),
            "user": rng.integers(0, 120, n),
        }
    )


def grouped(frame: pd.DataFrame, by: list[str], metric: str) -> dict[Any, float]:
    filled = frame.fillna({"country": "(missing)"})
    return {key: ORACLES[metric](part["label"], part["pred"]) for key, part in filled.groupby(by)}


@pytest.mark.parametrize("metric", ORACLES)
@pytest.mark.parametrize("by", [["country"], ["country", "sex"], ["year"]])
def test_every_slice_is_the_group_by_of_scikit_learn(metric: str, by: list[str]) -> None:
    frame = rows()
    key = by[0] if len(by) == 1 else tuple(by)
    table = karat.evaluate(frame, by=key, weights="").slices[key]
    expected = grouped(frame, by, metric)
    assert len(table) == len(expected)
    for name, value in expected.items():
        plain = name[0] if len(name) == 1 else name
        assert_same(table[plain][metric].value, value, within=1e-12, about=str(name))
    assert_same(table.values_of(metric), [one[metric].value for one in table.values()])


def test_the_oracle_notices_one_row_in_another_slice() -> None:
    frame = rows()
    table = karat.evaluate(frame, by="country", weights="").slices["country"]
    wrong = (frame["country"] == "NO") & (frame["label"] != frame["pred"])
    assert table["NO"]["accuracy"].value == grouped(frame, ["country"], "accuracy")["NO",]
    frame.loc[frame.index[wrong][0], "country"] = "SE"
    assert table["NO"]["accuracy"].value != grouped(frame, ["country"], "accuracy")["NO",]


def test_a_slice_is_the_report_of_its_rows_with_the_same_interval() -> None:
    frame = rows()
    table = karat.evaluate(frame, by="country", weights="w").slices["country"]
    part = frame[frame["country"] == "SE"]
    alone = karat.evaluate(part["label"], part["pred"], weights=part["w"].to_numpy())
    rest = frame[frame["country"] != "SE"]
    others = karat.evaluate(rest["label"], rest["pred"], weights=rest["w"].to_numpy())
    for metric in ("accuracy", "macro_f1", "kappa"):
        for found, expected in (
            (table["SE"][metric], alone[metric]), (table.rest["SE"][metric], others[metric]),
        ):  # fmt: skip
            for side in ("value", "low", "high", "standard_error"):
                assert_same(getattr(found, side), getattr(expected, side), within=1e-9)
    assert_same(table.weight[list(table).index("SE")], part["w"].sum(), within=1e-12)
    assert_same(table.n_rows.sum(), len(frame))
    assert_same(table.sliced.counted.cells.matrix().sum(axis=0), karat.evaluate(
        frame, weights="w").cells.matrix(), within=1e-12)  # fmt: skip


@pytest.mark.parametrize("with_scores", [False, True])
def test_clusters_of_a_slice_count_together(with_scores: bool) -> None:
    frame, rng = rows(), np.random.default_rng(0)
    p = rng.dirichlet(np.ones(4), len(frame))
    given: dict[str, Any] = {"y_prob": p} if with_scores else {"y_pred": frame["pred"]}
    table = karat.evaluate(
        frame["label"], **given, by=frame["country"], clusters=frame["user"]
    ).slices["country"]
    own = (frame["country"] == "SE").to_numpy()
    alone = karat.evaluate(
        frame["label"][own],
        **{name: values[own] for name, values in given.items()},
        clusters=frame["user"][own],
    )
    names = ("roc_auc_ovr_macro", "log_loss", "macro_f1") if with_scores else ("macro_f1", "kappa")
    for name in names:
        for side in ("value", "low", "high", "standard_error"):
            assert_same(getattr(table["SE"][name], side), getattr(alone[name], side), within=1e-9)
        one = table.difference(name)["SE"]
        assert one.low is not None
        assert one.low < one.difference < (one.high or 0.0)
        assert table.heterogeneity(name).p is not None


def test_clusters_that_two_slices_share_are_not_independent() -> None:
    # Every user has rows in both slices and is right in both or in none.
    rng = np.random.default_rng(1)
    users = np.repeat(np.arange(60), 10)
    is_right = np.repeat(rng.random(60) < 0.7, 10)
    true = rng.integers(0, 2, 600)
    half = np.tile(["a", "b"], 300)
    pred = np.where(is_right, true, 1 - true)
    shared = karat.evaluate(true, pred, by=half, clusters=users).slices["by"]
    apart = karat.evaluate(
        true, pred, by=half, clusters=users * 2 + (half == "b")
    ).slices["by"]  # fmt: skip

    def width(table: Any) -> float:
        one = table.difference("accuracy")["a"]
        return float(one.high - one.low)

    assert width(shared) < 0.2 * width(apart)


def test_frames_files_and_arrays_agree(tmp_path: Path) -> None:
    frame = rows()
    by = ["country", "age", "year", ("country", "sex")]
    frame.to_parquet(tmp_path / "rows.parquet")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame.to_json(tmp_path / "rows.jsonl", orient="records", lines=True)
    arrays = {name: frame[name] for name in ("country", "age", "year")}
    arrays["country", "sex"] = (frame["country"], frame["sex"])
    expected = karat.evaluate(frame["label"], frame["pred"], by=arrays).slices
    sources = [
        frame, pl.from_pandas(frame), pa.Table.from_pandas(frame), tmp_path / "rows.parquet",
        tmp_path / "rows.csv", tmp_path / "rows.jsonl",
    ]  # fmt: skip
    for source in sources:
        found = karat.evaluate(source, weights="", by=by).slices
        assert list(found) == ["country", "age", "year", ("country", "sex")]
        for column, table in found.items():
            assert table.names == expected[column].names, source
            assert_same(
                table.sliced.counted.cells.matrix(), expected[column].sliced.counted.cells.matrix()
            )


def test_files_with_scores_are_sliced(tmp_path: Path) -> None:
    frame, rng = rows(), np.random.default_rng(5)
    p = rng.dirichlet(np.ones(4), len(frame))
    for i in range(4):
        frame[f"proba_c{i}"] = p[:, i]
    frame.drop(columns="pred").to_parquet(tmp_path / "scored.parquet")
    found = karat.evaluate(tmp_path / "scored.parquet", weights="", by="country")
    own = (frame["country"] == "NO").to_numpy()
    alone = karat.evaluate(frame["label"][own], y_prob=p[own])
    for name in ("roc_auc_ovr_macro", "log_loss", "accuracy"):
        result = found.slices["country"]["NO"][name]
        assert_same(result.value, alone[name].value, within=1e-12)
        assert_same(result.low, alone[name].low, within=1e-9)


def test_scores_are_those_of_the_call_whatever_becomes_of_the_arrays() -> None:
    rng = np.random.default_rng(2)
    true, p = rng.integers(0, 3, 300), rng.dirichlet(np.ones(3), 300)
    half = rng.integers(0, 2, 300)
    expected = karat.evaluate(true[half == 1], y_prob=p[half == 1].copy())["log_loss"].value
    report = karat.evaluate(true, y_prob=p, by=half)
    p[:] = 1 / 3
    assert_same(report.slices["by"]["1"]["log_loss"].value, expected, within=1e-12)


def test_numbers_of_many_values_are_bins_of_equal_size() -> None:
    n = 1000
    numbers = np.random.default_rng(0).permutation(n) / 7
    numbers[:50] = np.nan
    table = karat.evaluate(np.zeros(n, int), np.zeros(n, int), by=numbers).slices["by"]
    assert table.names[-1] == "(missing)"
    assert table.n_rows.tolist() == [190, 190, 190, 190, 190, 50]
    assert table.names[0].startswith("[")
    assert table.names[1].startswith("(")


def test_a_number_that_many_rows_share_is_not_divided() -> None:
    numbers = np.r_[np.zeros(900), np.linspace(0.5, 9, 100)]
    table = karat.evaluate(np.zeros(1000, int), np.zeros(1000, int), by=numbers).slices["by"]
    assert table.names == ("0", "(0, 9]")
    assert table.n_rows.tolist() == [900, 100]


def test_small_slices_stay_and_say_why_nothing_is_known() -> None:
    true = np.array([0, 1] * 50 + [0, 0])
    pred = np.array([0, 1] * 45 + [1, 0] * 5 + [0, 0])
    name = np.array(["big"] * 60 + ["other"] * 40 + ["one", "one"])
    table = karat.evaluate(true, pred, by=name).slices["by"]
    result = table["one"]["recall"]
    assert result.n == 2
    assert result.undefined
    one = table.difference("recall")["one"]
    assert one.undefined == result.undefined
    assert one.low is one.p is None
    assert set(table.heterogeneity("recall").left_out) == {"one"}
    assert table["one"]["accuracy"].value == 1.0


def test_a_slice_whose_rows_weigh_nothing_is_shown() -> None:
    table = karat.evaluate(
        [0, 1, 0, 1], y_prob=[0.2, 0.7, 0.4, 0.6], by=["a", "a", "b", "b"], weights=[1, 1, 0, 0]
    ).slices["by"]
    assert table["b"].n_rows == 2
    for name in ("accuracy", "roc_auc"):
        assert table["b"][name].undefined == "its rows have weight 0"


def test_many_classes_are_counted_as_the_cells_that_occur() -> None:
    rng = np.random.default_rng(0)
    true = rng.integers(0, 3000, 20_000)
    pred = np.where(rng.random(20_000) < 0.8, true, rng.integers(0, 3000, 20_000))
    half = rng.integers(0, 2, 20_000)
    table = karat.evaluate(true, pred, by=half).slices["by"]
    assert table.sliced.counted.cells.storage == "sparse"
    own = half == 0
    alone = karat.evaluate(true[own], pred[own])
    for side in ("value", "low", "high"):
        found, expected = (getattr(x["macro_f1"], side) for x in (table["0"], alone))
        assert_same(found, expected, within=1e-9)


def test_class_names_and_frequency_weights_reach_the_slices() -> None:
    true, pred = [0, 1, 1, 0, 1, 1], [0, 1, 0, 0, 1, 1]
    report = karat.evaluate(
        true,
        pred,
        by=list("aaabbb"),
        labels=karat.Labels(names=["no", "yes"]),
        weights=karat.Frequency([3, 1, 2, 1, 1, 1]),
    )
    one = report.slices["by"]["a"]
    alone = karat.evaluate([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 0, 0])
    assert one.classes.display == ("no", "yes")
    assert_same(one["accuracy"].low, alone["accuracy"].low, within=1e-12)


@pytest.mark.parametrize(
    ("by", "code"),
    [
        ("country", "K181"), ({}, "K181"), ([1.0, np.inf, 2.0], "K181"), (["a", "b"], "K102"),
        ({("a", "b"): [1, 2, 3]}, "K181"),
    ],
)  # fmt: skip
def test_what_is_no_slice_is_an_error(by: Any, code: str) -> None:
    with pytest.raises(KaratError) as caught:
        karat.evaluate([0, 1, 1], [0, 1, 0], by=by)
    assert caught.value.code == code


def test_too_many_slices_say_what_to_do() -> None:
    with pytest.raises(KaratError, match="coarser column") as caught:
        karat.evaluate([0, 1] * 600, [0, 1] * 600, by=[f"id{i}" for i in range(1200)])
    assert caught.value.code == "K182"


def test_columns_that_do_not_exist_are_told() -> None:
    with pytest.raises(KaratError, match="country"):
        karat.evaluate(rows(), by="contry")
    report = karat.evaluate(rows(), by="country")
    for ask in (lambda: report.slices["sex"], lambda: report.slices["country"]["XX"]):
        with pytest.raises(KaratError) as caught:
            ask()
        assert caught.value.code == "K183"
        assert isinstance(caught.value, KeyError)
    assert not karat.evaluate([0, 1], [0, 1]).slices


def test_averages_of_rankings_are_not_compared_over_other_classes() -> None:
    rng = np.random.default_rng(0)
    true, by = rng.integers(0, 3, 900), np.array(["a", "b", "c"] * 300)
    true[(by == "a") & (true == 2)] = 0
    prob = rng.dirichlet([1.0, 1.0, 1.0], 900) + np.eye(3)[true]
    table = karat.evaluate(true, y_prob=prob / 2.0, by=by).slices["by"]
    for metric in (
        "roc_auc_ovr_macro",
        "mean_average_precision",
        "roc_auc_ovo_macro",
        "roc_auc_mu",
    ):
        differences = table.difference(metric)
        assert "truly of '2'" in str(differences["a"].undefined)
        assert differences["b"].undefined is None
        assert list(table.heterogeneity(metric).left_out) == ["a"]
    for metric in ("log_loss", "brier", "expected_calibration_error"):
        assert table.difference(metric)["a"].undefined is None


def test_slices_of_numbers_are_found_by_the_numbers() -> None:
    true = [0, 1] * 4
    wide, narrow = ([0.1, 2.0, -0.0, 0.1] * 2 for _ in range(2))
    by = {1: np.array(wide), "narrow": np.array(narrow, np.float32)}
    slices = karat.evaluate(true, true, by=by).slices
    assert 1 in slices
    assert "1" in slices
    assert 2 not in slices
    for table in slices.values():
        assert table.names == ("0", "0.1", "2")
        assert table[0.0].n_rows == table[np.float64(2)].n_rows == 2
        assert table[0.1].n_rows == 4
        assert 0.2 not in table


def test_errors_in_bins_of_a_slice_of_one_row_are_not_compared() -> None:
    report = karat.evaluate([1, 0, 1], y_prob=[0.1, 0.1, 0.7], by={"a": [1, 2, 1]})
    name = "expected_calibration_error"
    alone = report.slices["a"][2][name]
    assert alone.standard_error is None
    assert alone.remark == "there is one row"
    for difference in report.slices["a"].difference(name).values():
        assert difference.undefined == "there is one row"


def test_a_slice_of_all_classes_but_few_of_their_cells_has_clusters_of_its_own() -> None:
    k = 300
    true = np.tile(np.arange(k), 4)
    part = np.repeat(["wrong", "wrong", "right", "right"], k)
    # Every class occurs in either slice; those cells beside the diagonal in one alone.
    pred = np.where((part == "wrong") & (true % 3 == 0), (true + 1) % k, true)
    pred[-k:] = (true[-k:] + (np.arange(k) % 5 == 0)) % k
    clusters = np.arange(4 * k) % 9 + 9 * (part == "right")
    metrics = ["macro_f1", "kappa", "accuracy"]
    report = karat.evaluate(true, pred, clusters=clusters, by={"part": part}, metrics=metrics)
    for name in ("wrong", "right"):
        own = part == name
        alone = karat.evaluate(true[own], pred[own], clusters=clusters[own], metrics=metrics)
        for metric in metrics:
            sliced, single = report.slices["part"][name][metric], alone[metric]
            assert sliced.standard_error == pytest.approx(single.standard_error, rel=1e-9)
            assert (sliced.low, sliced.high) == pytest.approx((single.low, single.high), rel=1e-9)


@pytest.mark.parametrize("clusters", [None, np.arange(24) // 2, np.arange(24) % 7])
def test_slices_of_one_class_have_the_metrics_of_the_positive_class(clusters: Any) -> None:
    same, by = np.ones(24, int), {"part": np.arange(24) % 3}
    metrics = ["precision", "specificity", "prevalence"]
    more = {} if clusters is None else {"clusters": clusters}
    report = karat.evaluate(same, same, by=by, metrics=metrics, **more)
    table = report.slices["part"]
    for name, value in zip(metrics, (1.0, 0.0, 1.0), strict=True):
        assert [table[key][name].value for key in table] == [value] * 3
    assert table.difference("precision")["0"].difference == 0.0
    assert "every row is truly of the class" in str(table.difference("specificity")["0"].undefined)
    assert "not compared" not in str(table.gap("precision"))
