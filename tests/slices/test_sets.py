"""Slices of rows with sets of labels: each a report of its rows, compared with all others."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import karat
from karat.errors import KaratError

N = 300
NAMES = ("subset_accuracy", "hamming_loss", "samples_f1", "micro_f1", "macro_f1", "weighted_f1")


def rows(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Truth, predictions and the source of each row: those of "b" are harder."""
    rng = np.random.default_rng([26, seed])
    source = np.array(["a", "b", "c"])[rng.integers(0, 3, N)]
    true = rng.random((N, 4)) < [0.5, 0.4, 0.3, 0.2]
    odds = np.where(source == "b", 0.3, 0.1)[:, None]
    return true, np.where(rng.random((N, 4)) < odds, ~true, true), source


def assert_same(one: Any, other: Any) -> None:
    assert list(one.metrics) == list(other.metrics)
    for name, result in other.metrics.items():
        for fact in ("value", "low", "high", "standard_error", "undefined", "n"):
            left, right = getattr(one[name], fact), getattr(result, fact)
            assert left == right or (left != left and right != right), (name, fact)
    assert one.per_class == other.per_class


def table_of(report: Any) -> Any:
    return report.slices["by"]


@pytest.mark.parametrize("what", ["plain", "weights", "clusters", "scores", "exclude"])
def test_a_slice_is_the_report_of_its_rows(what: str) -> None:
    true, pred, source = rows()
    rng = np.random.default_rng(1)
    sides: dict[str, Any] = {"y_pred": pred}
    beside: dict[str, np.ndarray] = {}
    settings: dict[str, Any] = {} if what == "plain" else {"metrics": NAMES}
    if what == "exclude":
        settings["undefined"] = "exclude"
    if what == "weights":
        beside["weights"] = rng.integers(0, 4, N).astype(float)
    if what == "clusters":
        beside["clusters"] = np.arange(N) // 3
    if what == "scores":
        sides = {"y_prob": np.clip(pred * 0.6 + 0.4 * rng.random((N, 4)), 0, 1)}
        settings["metrics"] = ("micro_f1", "roc_auc_ovr_macro", "label_ranking_loss", "fmax")
    report: Any = karat.evaluate(true, **sides, **beside, **settings, by={"source": source})
    table = report.slices["source"]
    assert (list(report.slices), list(table)) == (["source"], ["a", "b", "c"])
    for held, found in ((source == "b", table["b"]), (source != "b", table.rest["b"])):
        parts = {name: values[held] for name, values in {**sides, **beside}.items()}
        assert_same(found, karat.evaluate(true[held], **parts, **settings))
    assert found.slices == {}
    # The control: other rows are another report.
    with pytest.raises(AssertionError):
        assert_same(table["a"], table["b"])


def test_differences_by_hand() -> None:
    true, pred, source = rows()
    report: Any = karat.evaluate(true, pred, by=source)
    table, b = table_of(report), source == "b"
    sides = [{"in": each[b], "out": each[~b]} for each in (true, pred)]
    apart: Any = karat.compare(*sides, metrics=NAMES)
    for name in NAMES:
        found = table.difference(name)
        inside, rest, one = table["b"][name], table.rest["b"][name], found["b"]
        assert one.difference == one.value - one.rest == inside.value - rest.value
        # The distances of both limits, as those of independent values (MOVER).
        low = one.difference - math.hypot(inside.value - inside.low, rest.high - rest.value)
        high = one.difference + math.hypot(inside.high - inside.value, rest.value - rest.low)
        assert (one.low, one.high) == pytest.approx((low, high), abs=0.003)
        # The control: the rest taken for known.
        assert one.high - one.low > 1.1 * (inside.high - inside.low)
        # They are those of two models on rows of their own.
        same = apart[name]
        sign = 1.0 if same.a == "in" else -1.0
        limits = sorted((sign * same.low, sign * same.high))
        assert [one.low, one.high] == pytest.approx(limits, rel=1e-9)
        assert one.p == pytest.approx(same.p, rel=1e-9)
        for each in found.values():
            assert each.p_adjusted == pytest.approx(1.0 - (1.0 - each.p) ** 3, abs=1e-12)
            assert each.low_simultaneous < each.low < each.high < each.high_simultaneous
        assert one.is_shown
    equal: Any = karat.evaluate(true, pred, by=np.arange(N) % 3)
    assert not any(one.is_shown for one in table_of(equal).difference("micro_f1").values())


def test_differences_of_scores_have_both_standard_errors() -> None:
    true, pred, source = rows()
    table = table_of(karat.evaluate(true, y_prob=0.2 + 0.6 * pred, by=source))
    one = table.difference("roc_auc_ovr_macro")["b"]
    parts = [side["b"]["roc_auc_ovr_macro"] for side in (table, table.rest)]
    error = math.hypot(*(part.standard_error for part in parts))
    df = min(table["b"].n_rows, table.rest["b"].n_rows) - 1.0
    reach = float(stats.t.ppf(0.975, df)) * error
    ends = one.difference - reach, one.difference + reach
    assert (one.low, one.high) == pytest.approx(ends, rel=1e-9)
    assert one.p == pytest.approx(2.0 * stats.t.sf(abs(one.difference) / error, df), rel=1e-9)
    # The control: the error of the slice alone.
    assert error > 1.05 * parts[0].standard_error


def test_what_is_not_compared_says_why() -> None:
    true, pred, source = rows()
    rare, guessed = true.copy(), pred.copy()
    rare[:, 3] = guessed[:, 3] = False
    rare[np.flatnonzero(source == "a")[:9], 3] = True
    report: Any = karat.evaluate(rare, guessed, by=source)
    found = table_of(report).difference("macro_f1")
    assert "fewer than 5 rows of it are truly of '3'" in found["b"].undefined
    assert found["a"].undefined.startswith("of the other rows: fewer than 5")
    assert math.isnan(found["b"].difference)
    assert found["b"].p is None
    assert table_of(report).difference("micro_f1")["b"].undefined is None
    # A label that does not occur is undefined in the slice, and counts as everywhere.
    assert len(table_of(report)["b"].per_class) == 4
    assert "in 1 of 4 classes" in table_of(report)["b"]["macro_recall"].undefined
    only: Any = karat.evaluate(true, pred, by=np.zeros(N, int))
    assert table_of(only).difference("micro_f1")["0"].undefined == "there is no other slice"
    weights = np.where(source == "c", 0.0, 1.0)
    light: Any = karat.evaluate(true, pred, by=source, weights=weights)
    assert table_of(light).difference("micro_f1")["c"].undefined == "its rows have weight 0"
    assert table_of(light).difference("micro_f1")["b"].is_shown
    assert "its rows have weight 0" in " ".join(str(light).split())
    few: Any = karat.evaluate(true, pred, by=np.arange(N) == 0)
    assert "one row" in table_of(few).difference("micro_f1")["true"].undefined


def test_clusters_within_slices_and_across_them() -> None:
    true, pred, source = rows()
    twice = [np.repeat(each, 2, axis=0) for each in (true, pred, source)]
    nested: Any = karat.evaluate(*twice[:2], by=twice[2], clusters=np.repeat(np.arange(N), 2))
    plain: Any = karat.evaluate(true, pred, by=source)
    copies: Any = karat.evaluate(*twice[:2], by=twice[2])
    for name in ("hamming_loss", "micro_f1"):
        reports = (nested, plain, copies)
        one, same, narrow = (table_of(each).difference(name)["b"] for each in reports)
        assert (one.low, one.high) == pytest.approx((same.low, same.high), abs=0.004)
        # The control: copies as rows of their own.
        assert narrow.high - narrow.low < 0.75 * (one.high - one.low)
    across: Any = karat.evaluate(true, pred, by=source, clusters=np.arange(N) // 3)
    one, alone = (table_of(each).difference("micro_f1")["b"] for each in (across, plain))
    assert one.method == "influence t, combined interval"
    assert (one.low, one.high) == pytest.approx((alone.low, alone.high), abs=0.02)
    single: Any = karat.evaluate(
        true, pred, by=source, clusters=np.where(source == "b", 0, np.arange(N))
    )
    assert table_of(single)["b"]["micro_f1"].low is None
    assert "one cluster" in table_of(single).difference("micro_f1")["b"].undefined


def test_clusters_that_cross_slices_by_hand() -> None:
    """The mean of what each cluster moves in both values; rows in pairs of which one is "b"."""
    rng = np.random.default_rng(4)
    hard = np.repeat(rng.random(N // 2) < 0.5, 2)
    source = np.tile(["a", "b"], N // 2)
    true = rng.random((N, 4)) < 0.4
    odds = np.where(hard, 0.4, 0.05)[:, None]
    pred = np.where(rng.random((N, 4)) < odds, ~true, true)
    codes = np.arange(N) // 2
    report: Any = karat.evaluate(true, y_prob=0.1 + 0.8 * pred, by=source, clusters=codes)
    table, inside = table_of(report), source == "b"
    wrong = (true != pred).mean(axis=1)
    phi = np.zeros(N)
    for side, sign in ((inside, 1.0), (~inside, -1.0)):
        phi[side] = sign * (wrong[side] - wrong[side].mean()) / side.sum()
    g = N // 2
    error = math.sqrt((np.bincount(codes, phi) ** 2).sum() * g / (g - 1.0))
    apart = math.sqrt((phi**2).sum() * N / (N - 1.0))
    one = table.difference("hamming_loss")["b"]
    reach = (one.high - one.low) / 2.0
    assert reach == pytest.approx(float(stats.t.ppf(0.975, g - 1.0)) * error, rel=0.05)
    # The control: pairs that are hard together differ less than rows that are not.
    assert error < 0.8 * apart
    score = table.difference("multilabel_brier")["b"]
    # Of 0.1 and 0.9 the squared error is that of a wrong cell, stretched.
    assert score.difference == pytest.approx(0.8 * one.difference, rel=1e-9)
    assert score.high - score.low == pytest.approx(
        2.0 * 0.8 * float(stats.t.ppf(0.975, g - 1.0)) * error, rel=0.02
    )
    test = table.heterogeneity("multilabel_brier")
    assert (test.method, test.df) == ("F", 1)
    assert test.p == pytest.approx(score.p, rel=0.05)
    # What the scores of all cells together move is not known by row.
    pooled = table.difference("roc_auc_ovr_micro")["b"]
    assert (pooled.low, pooled.p, pooled.is_shown) == (None, None, False)
    assert "a cluster has rows inside and outside of it" in pooled.remark


def test_tests_of_all_slices() -> None:
    true, pred, source = rows()
    table = table_of(karat.evaluate(true, pred, by=source))
    for name in NAMES:
        test, gap, worst = table.heterogeneity(name), table.gap(name), table.worst(name)
        assert (test.is_shown, worst.name, test.n_slices) == (True, "b", 3)
        values = table.values_of(name)
        assert gap.observed == pytest.approx(values.max() - values.min())
        assert gap.expected < gap.most < gap.observed
        assert gap.p < 0.01
    # Of a share of rows Cochran's Q is Pearson's χ² of right and wrong rows by slice.
    right = (true == pred).all(axis=1)
    counts = [[(right[source == x] == flag).sum() for x in "abc"] for flag in (True, False)]
    found = table.heterogeneity("subset_accuracy")
    assert found.statistic == pytest.approx(stats.chi2_contingency(counts)[0], rel=1e-3)
    assert (found.method, found.df) == ("chi-square", 2)
    assert table.n_rows.tolist() == table.weight.tolist() == [(source == x).sum() for x in "abc"]
    # The control: slices by chance are equal.
    equal = table_of(karat.evaluate(true, pred, by=np.arange(N) % 3))
    assert not any(equal.heterogeneity(name).is_shown for name in NAMES)
    assert not equal.worst("micro_f1")
    few = table_of(karat.evaluate(true, pred, by=np.arange(N) < 4))
    assert "true" in few.heterogeneity("macro_f1").left_out
    assert few.heterogeneity("macro_f1").p is None
    assert few.worst("macro_f1").reason == "fewer than two slices have a value"


@pytest.mark.parametrize("what", ["plain", "weights", "clusters", "scores", "unknown"])
def test_slices_are_read_back_from_json(what: str) -> None:
    true, pred, source = rows()
    beside: dict[str, Any] = {"y_pred": pred, "by": {"source": source, "odd": np.arange(N) % 2}}
    truth: Any = true
    if what == "weights":
        beside["weights"] = np.random.default_rng(1).integers(0, 4, N).astype(float)
    if what == "clusters":
        beside["clusters"] = np.arange(N) // 3
    if what == "scores":
        del beside["y_pred"]
        beside["y_prob"] = 0.1 + 0.8 * pred
        beside["metrics"] = ["micro_f1", "macro_f1", "roc_auc_ovr_macro", "ndcg"]
    if what == "unknown":
        truth = true.astype(float)
        truth[::7] = math.nan
        truth[3, 1] = math.nan
    report: Any = karat.evaluate(truth, **beside)
    text = report.to_json()
    back: Any = karat.MultilabelReport.from_json(text)
    assert back.to_json() == text
    assert str(back.slices) == str(report.slices)
    names = ["micro_f1", "macro_f1", "subset_accuracy", "weighted_f1", "samples_f1"]
    for name in beside.get("metrics", names):
        table, same = report.slices["source"], back.slices["source"]
        for key in table:
            one, other = table[key][name], same[key][name]
            assert (one.value, one.low, one.high) == (other.value, other.low, other.high)
        assert same.difference(name) == table.difference(name)
        assert same.heterogeneity(name) == table.heterogeneity(name)
        assert same.gap(name) == table.gap(name)
        assert same.worst(name) == table.worst(name)
    rest = same.rest["b"]
    assert rest.n_rows == table.rest["b"].n_rows
    assert rest["micro_f1"].value == pytest.approx(table.rest["b"]["micro_f1"].value, rel=1e-12)
    # What JSON does not hold of clusters is an error, not a number.
    if what == "clusters":
        with pytest.raises(KaratError, match="K211"):
            same.difference("macro_recall")
        assert rest["micro_f1"].low is None
        assert same["b"].per_class[0]["intervals"] == {}
    # The control: slices that do not add up to the whole are refused, as are other values.
    for path, wrong in ((("tally", "n_rows"), None), (("metrics", "micro_f1", "value"), 0.123)):
        broken = json.loads(text)
        place: Any = broken["slices"][0]["slices"][1]
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = [n + 1 for n in place["n_rows"]] if wrong is None else wrong
        with pytest.raises(KaratError, match="K205"):
            karat.MultilabelReport.from_json(json.dumps(broken))


def test_every_form_shows_slices() -> None:
    true, pred, source = rows()
    many = np.array([f"s{i % 30:02}" for i in range(N)])
    odd = np.arange(N) % 2 == 1
    report: Any = karat.evaluate(
        true, pred, by={"source": source, ("source", "odd"): (source, odd), "many": many}
    )
    text = str(report)
    for part in (
        "Slices by source\n",
        "Slices by source × odd",
        "b, true",
        "←",
        "6 slices not listed",
    ):
        assert part in text
    assert report.slices["source", "odd"]["b", True].n_rows == ((source == "b") & odd).sum()
    assert max(map(len, text.splitlines())) <= 80
    page = report.to_html()
    assert "Slices by source" in page
    assert "←" in page
    plain: Any = karat.evaluate(true, pred)
    assert "Slices" not in str(plain)
    assert "←" not in plain.to_html()
    told = json.loads(report.to_json())
    assert [one["columns"] for one in told["slices"]] == [["source"], ["source", "odd"], ["many"]]
    assert {**told, "slices": []} == json.loads(plain.to_json())
    assert karat.MultilabelReport.from_json(plain.to_json()).slices == {}
    # A text of before has no slices: it is not known which there are.
    del told["slices"]
    back: Any = karat.MultilabelReport.from_json(json.dumps(told))
    assert "Slices" not in str(back)
    with pytest.raises(KaratError, match="K211"):
        _ = back.slices
    for shown in (str(report.slices["source"]), report.to_markdown(), report.to_latex()):
        assert "Worst: b." in shown
    assert "Slices differ" in report.slices._repr_html_()
    assert "<svg" in report.slices["source"]._repr_html_()
    lines = report.to_csv().splitlines()
    row = next(x for x in lines if x.startswith('micro_f1,micro,,"source = b, odd = true"'))
    cross = report.slices["source", "odd"]["b", True]
    assert row.split(",")[5:7] == [str(cross["micro_f1"].value), str(cross["micro_f1"].low)]
    assert len([x for x in lines if "many = " in x]) == 30 * 8
    asked: Any = karat.evaluate(true, pred, by=source, metrics=["hamming_loss", "micro_f1"])
    assert "in hamming_loss, the first of metrics=" in " ".join(str(asked).split())


@pytest.mark.parametrize(
    ("by", "code"), [(np.arange(N - 1), "K102"), ("source", "K181"), ({}, "K181")]
)
def test_bad_slices_are_refused(by: Any, code: str) -> None:
    true, pred, _ = rows()
    with pytest.raises(KaratError) as caught:
        karat.evaluate(true, pred, by=by)
    assert caught.value.code == code


def test_unknown_names_are_refused() -> None:
    true, pred, source = rows()
    report: Any = karat.evaluate(true, pred, by=source)
    for wrong in (lambda: report.slices["country"], lambda: table_of(report)["z"]):
        with pytest.raises(KaratError, match="K183"):
            wrong()
    with pytest.raises(KaratError, match="K219"):
        table_of(report).difference("accuracy")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("is_clustered", [False, True])
@pytest.mark.parametrize("level", [0.95, None])
def test_a_slice_whose_rows_weigh_nothing_has_no_scores(
    is_clustered: bool, level: float | None
) -> None:
    true, _, source = rows()
    report: Any = karat.evaluate(
        true,
        y_prob=np.random.default_rng(4).random((N, 4)),
        weights=np.where(source == "b", 0.0, 1.0),
        by={"by": source},
        **({"clusters": np.arange(N) // 2} if is_clustered else {}),
        **({} if level else {"level": None}),
    )
    written = report.to_dict()["slices"][0]["slices"][1]
    assert written["key"] == ["b"]
    for name in ("roc_auc_ovr_macro", "mean_average_precision", "multilabel_brier"):
        assert written["metrics"][name]["value"] is None
        assert written["metrics"][name]["low"] is None
    for name in ("micro_average_precision", "roc_auc_ovr_macro"):
        assert np.isnan(table_of(report)["b"][name].value)
        assert table_of(report).difference(name)["b"].undefined == "its rows have weight 0"
