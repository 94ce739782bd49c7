"""Forest plots: metrics, classes and differences with their intervals."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import karat
from tests.plot.reports import compared, lacking, of_classes, one_row
from tests.plot.seen import legend_of, line_of, rows_of


def drawn(ax: Any) -> dict[int, tuple[float, float, float]]:
    """Row → value, low, high, of the points that have an interval."""
    found = {}
    for container in ax.containers:
        line, _, (bars,) = container.lines
        for (x, y), bar in zip(np.column_stack(line.get_data()), bars.get_segments(), strict=True):
            found[round(float(y))] = (float(x), float(bar[0][0]), float(bar[1][0]))
    return found


@pytest.mark.parametrize("k", [2, 10])
def test_every_row_is_its_metric_with_its_interval(k: int, ax: Any) -> None:
    report = of_classes(k)
    karat.plot.intervals(report, ax=ax)
    rows = drawn(ax)
    assert len(rows) == len(rows_of(ax)) > 5
    for place, name in enumerate(rows_of(ax)):
        result = report[name]
        assert rows[place] == pytest.approx((result.value, result.low, result.high), abs=1e-12)
    assert ax.get_xlabel() == "value (95 % interval)"


def test_metrics_can_be_named_by_any_of_their_names(ax: Any) -> None:
    karat.plot.intervals(of_classes(10), metrics=["mcc", "macro_f1"], ax=ax)
    assert rows_of(ax) == ["matthews_correlation", "macro_f1"]
    with pytest.raises(karat.UnknownNameError, match="K301"):
        karat.plot.intervals(of_classes(10), metrics="mccc", ax=ax)
    with pytest.raises(karat.UnknownNameError, match="K307"):
        karat.plot.intervals(of_classes(10), metrics=["f1", "recall"], ax=ax)


@pytest.mark.parametrize("metric", ["recall", "f1", "roc_auc"])
def test_one_metric_is_drawn_of_each_class(metric: str, ax: Any) -> None:
    report = of_classes(10)
    karat.plot.intervals(report, metrics=metric, ax=ax)
    rows = drawn(ax)
    assert rows_of(ax) == [str(label) for label in range(10)]
    for place, row in enumerate(report.per_class):
        wanted = (row[metric], *row["intervals"][metric])
        assert rows[place] == pytest.approx(wanted, abs=1e-12)
    (entry,) = legend_of(ax)
    assert entry.startswith(("macro_", "roc_auc_ovr_macro"))


def test_classes_of_two_are_drawn_when_they_are_asked_for(ax: Any) -> None:
    report = of_classes(2)
    karat.plot.intervals(report, metrics="recall", ax=ax)
    assert rows_of(ax) == ["recall"]
    ax.clear()
    karat.plot.intervals(report, metrics="recall", classes=[1, 0], ax=ax)
    assert rows_of(ax) == ["1", "0"]
    for wrong in ("accuracy", ["f1", "recall"], None):
        with pytest.raises(karat.InputError, match="K702"):
            karat.plot.intervals(report, metrics=wrong, classes=[1], ax=ax)


def test_of_a_hundred_classes_the_lowest_have_rows_and_the_others_one(ax: Any) -> None:
    report = of_classes(100)
    karat.plot.intervals(report, metrics="recall", ax=ax)
    assert len(rows_of(ax)) == 41
    assert rows_of(ax)[-1] == "60 others"
    others = next(line for line in ax.lines if line.get_marker() == "|")
    values = sorted(row["recall"] for row in report.per_class)
    assert sorted(others.get_xdata()) == pytest.approx(values[40:])


def test_several_reports_share_the_rows(ax: Any) -> None:
    pair = {"old": of_classes(2), "new": of_classes(2, weighted=True)}
    karat.plot.intervals(pair, metrics=["accuracy", "f1"], ax=ax)
    assert rows_of(ax) == ["accuracy", "f1"]
    assert legend_of(ax) == ["old", "new"]
    old, new = (container.lines[0] for container in ax.containers)
    assert old.get_xdata().tolist() == [pair["old"][name].value for name in ("accuracy", "f1")]
    assert (old.get_ydata() < new.get_ydata()).all()
    ax.clear()
    karat.plot.intervals(
        {"old": of_classes(10), "new": of_classes(10, weighted=True)}, metrics="recall", ax=ax
    )
    assert {text.split()[0] for text in legend_of(ax)} == {"old", "new"}


def test_what_is_undefined_says_why(ax: Any) -> None:
    karat.plot.intervals(lacking(), metrics="recall", ax=ax)
    assert any("c" in rows_of(ax) and "undefined: " in text.get_text() for text in ax.texts)
    assert 2 not in drawn(ax)
    ax.clear()
    karat.plot.intervals(one_row(), metrics=["roc_auc"], ax=ax)
    reason = one_row()["roc_auc"].undefined
    assert [text.get_text() for text in ax.texts] == [reason]


def test_without_intervals_points_are_hollow(ax: Any) -> None:
    report = karat.evaluate(confusion=[[40, 10], [5, 45]], level=None)
    karat.plot.intervals(report, metrics=["f1", "mcc"], ax=ax)
    assert drawn(ax) == {}
    (hollow,) = [line for line in ax.lines if line.get_fillstyle() == "none"]
    assert hollow.get_xdata().tolist() == [report["f1"].value, report["mcc"].value]
    assert ax.get_xlabel() == "value"


def test_every_difference_is_drawn_with_its_interval_and_verdict(ax: Any) -> None:
    comparison = compared(("forest", "logreg", "bayes"))
    assert karat.plot.compare(comparison, ax=ax) is ax
    rows = drawn(ax)
    assert len(rows) == len(comparison) == 6
    for place, one in enumerate(comparison):
        wanted = (one.difference, one.low, one.high)
        assert rows[place] == pytest.approx(wanted, abs=1e-12)
        assert rows_of(ax)[place] == f"{one.metric}  {one.a} − {one.b}"
    verdicts = {one.verdict for one in comparison}
    assert verdicts <= set(legend_of(ax))
    assert line_of(ax, "margin 0.02").get_xdata() == [-0.02, -0.02]


def test_a_comparison_of_two_models_names_them_once(ax: Any) -> None:
    karat.plot.compare(compared(), metrics="macro_f1", ax=ax)
    assert rows_of(ax) == ["macro_f1"]
    assert ax.get_xlabel().endswith("(95 % interval)")
    assert {"forest", "logreg"} <= set(ax.get_xlabel().split())
    with pytest.raises(karat.UnknownNameError, match="K168"):
        karat.plot.compare(compared(), metrics="kappa", ax=ax)


def test_rows_are_compared_where_they_are_given(ax: Any) -> None:
    y_true = [0, 1, 1, 0] * 20
    models = {"a": [0, 1, 1, 1] * 20, "b": [0, 1, 0, 1] * 20}
    karat.plot.compare(y_true, models, metrics="accuracy", ax=ax)
    wanted = karat.compare(y_true, models, metrics=["accuracy"])["accuracy"]
    assert drawn(ax)[0][0] == wanted.difference
    for wrong in (of_classes(2), {"a": of_classes(2)}):
        with pytest.raises(karat.KaratError):
            karat.plot.compare(wrong, ax=ax)
    with pytest.raises(karat.InputError, match="K702"):
        karat.plot.intervals(compared(), ax=ax)


def test_a_difference_that_is_not_known_says_why(ax: Any) -> None:
    comparison = compared()
    first, *others = comparison.differences
    unknown = replace(first, difference=math.nan, low=None, high=None, remark="no row is positive")
    karat.plot.compare(replace(comparison, differences=[unknown, *others]), ax=ax)
    assert [text.get_text() for text in ax.texts] == ["not known: no row is positive"]
    assert sorted(drawn(ax)) == [1]
