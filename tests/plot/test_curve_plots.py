"""Curves are drawn as the report holds them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from tests.plot.reports import lacking, of_classes, one_row
from tests.plot.seen import legend_of, line_of, same_points, xy

TRACED = ["roc", "precision_recall", "det", "gain"]
ALL = [*TRACED, "lift", "reliability"]


def curve(report: karat.Report, name: str, label: Any) -> Any:
    return getattr(report.curves, name)[label]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k", [2, 10])
@pytest.mark.parametrize("name", TRACED)
def test_a_line_is_the_curve_of_its_class(name: str, k: int, weighted: bool, ax: Any) -> None:
    # Few rows: every point is kept.
    report = of_classes(k, 200, weighted)
    getattr(karat.plot, name)(report, ax=ax)
    labels = [1] if k == 2 else range(k)
    for label in labels:
        found = curve(report, name, label)
        across, up = found.axes
        line = line_of(ax, f"{label} ") if name in ("roc", "precision_recall") else None
        line = line or line_of(ax, str(label))
        assert same_points(line, getattr(found, across), getattr(found, up))


def test_points_that_differ_are_seen_to_differ(ax: Any) -> None:
    report = of_classes(2, 200)
    karat.plot.roc(report, ax=ax)
    found = report.curves.roc[1]
    assert not same_points(line_of(ax, "1 "), found.fpr, found.tpr[::-1])
    other = of_classes(2, 200, weighted=True).curves.roc[1]
    assert not same_points(line_of(ax, "1 "), other.fpr, other.tpr)


def test_a_whole_precision_recall_curve_goes_in_steps_of_the_average_precision(ax: Any) -> None:
    report = of_classes(2, 200)
    karat.plot.precision_recall(report, ax=ax)
    line = line_of(ax, "1 ")
    assert line.get_drawstyle() == "steps-pre"
    from matplotlib.cbook import pts_to_prestep

    x, y = pts_to_prestep(*line.get_data())
    assert np.trapezoid(y, x) == pytest.approx(report["average_precision"].value, rel=1e-12)


def test_a_curve_of_some_points_begins_with_the_step_to_its_best_score(ax: Any) -> None:
    report = of_classes(2, 4_000)
    found = report.curves.precision_recall[1]
    assert len(found) < found.n_full
    karat.plot.precision_recall(report, ax=ax)
    line = line_of(ax, "1 ")
    x, y = np.insert(found.recall, 1, 0.0), np.insert(found.precision, 1, found.precision[1])
    assert line.get_drawstyle() == "default"
    assert same_points(line, x, y)


@pytest.mark.parametrize("k", [2, 10])
def test_lift_goes_through_its_points_and_bends_between_them(k: int, ax: Any) -> None:
    report = of_classes(k, 200)
    karat.plot.lift(report, ax=ax)
    found, line = report.curves.lift[1], line_of(ax, "1")
    x, y = line.get_data()
    places = np.searchsorted(x, found.share)
    assert np.array_equal(x[places], found.share)
    assert y[places] == pytest.approx(found.lift, rel=1e-12)


def test_lift_of_tied_rows_is_that_of_a_share_of_them(ax: Any) -> None:
    rng = np.random.default_rng(4)
    y_true, scores = np.arange(90) % 2, np.round(rng.normal(size=90), 0)
    x, y = karat.plot.lift(y_true, y_score=scores, ax=ax).lines[0].get_data()
    assert len(np.unique(scores)) < 10 < len(x)
    for place in (60, 120, 180):
        wanted = karat.lift_at(y_true, y_score=scores, share=float(x[place]))
        assert y[place] == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("k", [2, 10])
def test_reliability_is_drawn_where_rows_are(k: int, ax: Any) -> None:
    report = of_classes(k, 2_000)
    karat.plot.reliability(report, ax=ax)
    found = report.curves.reliability[1]
    held = found.weight > 0
    assert same_points(line_of(ax, "_1"), found.mean_confidence[held], found.share[held])
    full = found.weight >= 10
    assert same_points(line_of(ax, "1"), found.mean_confidence[full], found.share[full])
    bars = np.array([bar.get_height() for bar in ax.patches])
    weights = sum(report.curves.reliability[i].weight for i in ([1] if k == 2 else range(k)))
    assert bars / bars.max() == pytest.approx(weights / weights.max())


@pytest.mark.parametrize("name", ["roc", "precision_recall"])
def test_the_legend_tells_the_area_with_its_interval(name: str, ax: Any) -> None:
    report = of_classes(10)
    getattr(karat.plot, name)(report, ax=ax)
    metric = {"roc": "roc_auc", "precision_recall": "average_precision"}[name]
    for i, row in enumerate(report.per_class):
        low, high = row["intervals"][metric]
        assert legend_of(ax)[i] == f"{i}  {row[metric]:.4f} [{low:.4f}, {high:.4f}]"


def test_what_is_not_exact_is_told_so(ax: Any) -> None:
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 2, 100_000)
    p = np.clip(0.5 + (y_true - 0.5) * 0.3 + rng.normal(size=y_true.size) * 0.2, 0.001, 0.999)
    stream = karat.Stream(labels=[0, 1], reading=karat.Reading(max_memory=1 << 20))
    stream.update(y_true, y_prob=p)
    report = stream.report()
    assert not report["roc_auc"].exact
    karat.plot.roc(report, ax=ax)
    assert legend_of(ax)[0].startswith(f"1  ≈ {report['roc_auc'].value:.4f} [")
    ax.clear()
    karat.plot.threshold(report, ax=ax)
    assert any(text.startswith("best f1: ≈ ") for text in legend_of(ax))


def test_without_intervals_the_legend_tells_the_area(ax: Any) -> None:
    y_true, p = [0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9]
    karat.plot.roc(y_true, y_prob=p, level=None, ax=ax)
    assert legend_of(ax)[0] == "1  0.7500"


@pytest.mark.parametrize("k", [2, 10])
@pytest.mark.parametrize("name", ["roc", "precision_recall", "det", "gain", "lift"])
def test_the_predictions_stand_where_their_rates_are(name: str, k: int, ax: Any) -> None:
    report = of_classes(k)
    getattr(karat.plot, name)(report, ax=ax)
    found = [xy(line)[0] for line in ax.lines if len(line.get_xdata()) == 1]
    wanted = []
    for row in report.per_class[1 if k == 2 else 0 :]:
        share = row["predicted_count"] / report.n_rows
        prevalence = row["support"] / report.n_rows
        x, y = {
            "roc": (1 - row["specificity"], row["recall"]),
            "precision_recall": (row["recall"], row["precision"]),
            "det": (1 - row["specificity"], 1 - row["recall"]),
            "gain": (share, row["recall"]),
            "lift": (share, row["precision"] / prevalence),
        }[name]
        wanted.append((x, y))
    assert np.array(found) == pytest.approx(np.array(wanted), abs=1e-12)


def test_the_point_of_a_threshold_says_which(ax: Any) -> None:
    karat.plot.roc([0, 0, 1, 1], y_prob=[0.1, 0.6, 0.4, 0.9], threshold=0.35, ax=ax)
    assert "as predicted (threshold 0.35)" in legend_of(ax)


@pytest.mark.parametrize("name", ["roc", "precision_recall", "det", "gain", "lift"])
def test_chance_decision_and_legend_can_be_left_out(name: str, ax: Any) -> None:
    report = of_classes(2)
    plot = getattr(karat.plot, name)
    plot(report, ax=ax, chance=False, decision=False, legend=False)
    assert len(ax.lines) == 1
    assert ax.get_legend() is None
    plot(report, ax=ax)
    assert any(text.startswith("chance") for text in legend_of(ax))


def test_chance_of_precision_is_the_share_of_the_class(ax: Any) -> None:
    report = karat.evaluate([0, 0, 0, 1], y_prob=[0.1, 0.6, 0.4, 0.9])
    karat.plot.precision_recall(report, ax=ax)
    assert line_of(ax, "chance (25.0 %)").get_ydata() == [0.25, 0.25]


@pytest.mark.parametrize("name", ALL)
def test_of_a_hundred_classes_none_is_dropped_in_silence(name: str, ax: Any) -> None:
    report = of_classes(100, 1_000)
    getattr(karat.plot, name)(report, ax=ax)
    others = line_of(ax, "95 other classes")
    # One part of the line for each class.
    assert int(np.isnan(others.get_xdata()).sum()) == 95
    mean = "all 100 classes together" if name == "reliability" else "mean of 100 classes"
    assert line_of(ax, mean)
    named = [line for line in ax.lines if str(line.get_label())[:1].isdigit()]
    labels = {int(str(line.get_label()).split()[0]) for line in named} - {95}
    if name != "reliability":
        areas = {label: report.curves.roc[label].area for label in report.labels}
        assert labels == set(sorted(areas, key=lambda label: areas[label])[:5])
    assert len(labels) == 5


def test_the_mean_curve_has_the_mean_area_that_it_is_labelled_with(ax: Any) -> None:
    report = of_classes(100, 1_000)
    karat.plot.roc(report, ax=ax)
    line = line_of(ax, "mean of 100 classes")
    x, y = line.get_data()
    assert np.trapezoid(y, x) == pytest.approx(report["roc_auc_ovr_macro"].value, abs=0.005)
    assert f"{report['roc_auc_ovr_macro'].value:.4f} [" in line.get_label()


def test_the_mean_of_curves_in_steps_goes_in_their_steps(ax: Any) -> None:
    report = of_classes(20, 200)
    karat.plot.precision_recall(report, ax=ax)
    x, y = line_of(ax, "mean of 20 classes").get_data()
    # Of the grid: 201 places.
    assert y.mean() == pytest.approx(report["mean_average_precision"].value, abs=0.005)
    curves = report.curves.precision_recall.values()
    half = [one.precision[np.flatnonzero(one.recall >= 0.5)[0]] for one in curves]
    assert y[x == 0.5] == pytest.approx(np.mean(half))


def test_the_pooled_reliability_is_that_of_all_rows(ax: Any) -> None:
    report = of_classes(100, 1_000)
    karat.plot.reliability(report, ax=ax)
    x, y = line_of(ax, "all 100 classes").get_data()
    curves = report.curves.reliability.values()
    weight = sum(one.weight for one in curves)
    hits = sum(np.nan_to_num(one.share * one.weight) for one in curves)
    assert y == pytest.approx((hits / np.where(weight, weight, 1))[weight > 0])
    assert len(x) == int((weight > 0).sum())


@pytest.mark.parametrize("name", ALL)
def test_classes_can_be_chosen(name: str, ax: Any) -> None:
    report = of_classes(100, 1_000)
    getattr(karat.plot, name)(report, classes=[3, 7], ax=ax)
    texts = legend_of(ax)
    assert [text.split()[0] for text in texts[:2]] == ["3", "7"]
    assert not any("other" in text for text in texts)
    with pytest.raises(karat.UnknownNameError, match="K309"):
        getattr(karat.plot, name)(report, classes=[100], ax=ax)
    with pytest.raises(karat.UnknownNameError, match="K309"):
        getattr(karat.plot, name)(report, classes=[[3]], ax=ax)
    with pytest.raises(karat.InputError, match="K122"):
        getattr(karat.plot, name)(report, classes=[], ax=ax)
    of_two = of_classes(2)
    getattr(karat.plot, name)(of_two, classes=np.int64(0), ax=ax)
    assert any(text.split()[0] == "0" for text in legend_of(ax))


@pytest.mark.parametrize("name", ALL)
def test_several_reports_are_drawn_over_each_other(name: str, ax: Any) -> None:
    pair = {"old": of_classes(2), "new": of_classes(2, weighted=True)}
    getattr(karat.plot, name)(pair, ax=ax)
    named = [text.split()[0] for text in legend_of(ax)]
    assert named[:2] == ["old", "new"]
    many = {"old": of_classes(10), "new": of_classes(10, weighted=True)}
    ax.clear()
    getattr(karat.plot, name)(many, ax=ax)
    starts = [text.split(" · ")[0] for text in legend_of(ax)]
    assert (starts.count("old"), starts.count("new")) == (2, 2)
    assert any(text.startswith("16 other classes") for text in legend_of(ax))


@pytest.mark.parametrize("name", ["roc", "precision_recall", "det", "gain", "lift"])
def test_a_class_that_never_occurs_says_so(name: str, ax: Any) -> None:
    getattr(karat.plot, name)(lacking(), ax=ax)
    assert any(text.startswith("c  no row is truly of the class") for text in legend_of(ax))


@pytest.mark.parametrize("name", ALL)
def test_one_row_is_drawn(name: str, ax: Any) -> None:
    getattr(karat.plot, name)(one_row(), ax=ax)
    ax.figure.draw_without_rendering()


def test_spread_and_histogram_can_be_left_out(ax: Any) -> None:
    report = of_classes(2)
    karat.plot.reliability(report, spread=False, histogram=False, legend=False, ax=ax)
    assert not ax.patches
    assert not ax.containers
    ax.clear()
    karat.plot.reliability(report, ax=ax)
    found = report.curves.reliability[1]
    held = found.weight > 0
    (errors,) = [one for one in ax.containers if hasattr(one, "has_yerr")]
    _, _, (bars,) = errors.lines
    reach = [(bar[1][1] - bar[0][1]) / 4 for bar in bars.get_segments()]
    assert reach == pytest.approx(found.spread[held])


def test_what_was_read_from_json_is_drawn_alike(ax: Any) -> None:
    report = of_classes(10)
    again = karat.Report.from_json(report.to_json())
    first = [xy(line) for line in karat.plot.roc(report, ax=ax).lines]
    ax.clear()
    second = [xy(line) for line in karat.plot.roc(again, ax=ax).lines]
    assert len(first) == len(second)
    for one, other in zip(first, second, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-15)


def test_deviate_axes_are_straight_for_normal_scores(ax: Any) -> None:
    from scipy.special import ndtri

    y_true = np.repeat([0, 1], 300)
    steps = ndtri((np.arange(300) + 0.5) / 300)
    scores = np.concatenate([steps, steps + 1.5])
    karat.plot.det(y_true, y_score=scores, ax=ax, decision=False, chance=False)
    points = xy(ax.lines[0])
    inner = points[((points > 0.02) & (points < 0.98)).all(axis=1)]
    on_page = ax.transData.transform(inner)
    slope, offset = np.polyfit(*on_page.T, 1)
    height = ax.bbox.height
    assert np.abs(on_page[:, 1] - slope * on_page[:, 0] - offset).max() < 0.03 * height


@pytest.mark.parametrize("name", ["roc", "precision_recall", "reliability"])
def test_a_band_is_shaded_as_the_curve_gives_it(name: str, ax: Any) -> None:
    report = of_classes(2, 200)
    assert len(ax.collections) == 0
    getattr(karat.plot, name)(report, band=True, ax=ax)
    found = curve(report, name, 1).band()
    (shaded,) = [one for one in ax.collections if "band" in str(one.get_label())]
    assert shaded.get_label() == "95 % simultaneous band"
    assert "95 % simultaneous band" in legend_of(ax)
    has_rows = ~np.isnan(found.x)
    (path,) = shaded.get_paths()
    drawn = {tuple(point) for point in path.vertices.tolist()}
    for limit in (found.low, found.high):
        assert set(zip(found.x[has_rows].tolist(), limit[has_rows].tolist(), strict=True)) <= drawn
    assert (found.low[0], found.x[0]) not in drawn or found.low[0] == found.x[0]


def test_bands_of_several_curves_have_one_entry_and_the_level_of_the_report(ax: Any) -> None:
    rng = np.random.default_rng(0)
    y, scores = rng.integers(0, 3, 90), rng.normal(size=(90, 3))
    karat.plot.roc(karat.evaluate(y, y_score=scores, level=0.9), band=True, ax=ax)
    assert [text for text in legend_of(ax) if "band" in text] == ["90 % simultaneous band"]
    assert len(ax.collections) == 3


def test_bands_of_two_levels_have_an_entry_each(ax: Any) -> None:
    reports = {
        name: karat.evaluate([0, 1] * 10, y_prob=np.arange(20) / 20, level=level)
        for name, level in (("a", 0.9), ("b", 0.8), ("c", 0.9))
    }
    karat.plot.roc(reports, band=True, ax=ax)
    bands = [text for text in legend_of(ax) if "band" in text]
    assert bands == ["90 % simultaneous band", "80 % simultaneous band"]


def test_a_band_is_drawn_of_one_curve_with_intervals_alone_and_where_it_is_asked_for(
    ax: Any,
) -> None:
    y, p = [0, 1] * 10, np.arange(20) / 20
    karat.plot.roc(y, y_prob=p, ax=ax)
    assert len(ax.collections) == 1
    ax.clear()
    for options in ({"band": False}, {"level": None}, {"classes": [0, 1]}):
        karat.plot.roc(y, y_prob=p, ax=ax, **options)
        assert len(ax.collections) == 0
    # Of clustered rows there is none, which is refused where it is asked for.
    karat.plot.roc(y, y_prob=p, clusters=np.arange(20) // 2, ax=ax)
    assert len(ax.collections) == 0
    with pytest.raises(karat.errors.KaratError, match="clusters"):
        karat.plot.roc(y, y_prob=p, clusters=np.arange(20) // 2, band=True, ax=ax)
    with pytest.raises(karat.errors.KaratError, match="band"):
        karat.plot.det(y, y_prob=p, band=True, ax=ax)
