"""Forms of results in notebooks: known elements, a picture, bounded sizes, and never an error."""

from __future__ import annotations

import json
import math
import pickle
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import karat
from karat.api.report import Report
from karat.api.results import ClassReport
from karat.output import drawing, forms
from karat.results.gate.result import GateResult, RuleResult
from karat.tally import Cells, Classes
from tests.output.test_notebook import PAGES, Page, contrast, html_of

HOSTILE = "<script>alert(1)</script>"
N = 600


@cache
def rows() -> dict[str, Any]:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, N)
    country = rng.choice(["DK", "SE", HOSTILE], N)
    wrong = rng.random(N) < np.where(country == HOSTILE, 0.45, 0.08)
    p = np.clip(0.5 + 0.3 * (2 * y - 1) + rng.normal(scale=0.25, size=N), 0.01, 0.99)
    return {"y": y, "pred": np.where(wrong, 1 - y, y), "p": p, "country": country}


@cache
def of_scores() -> Report:
    one = rows()
    names = np.array(["ham", HOSTILE])
    found: Report = karat.evaluate(
        names[one["y"]], y_prob=one["p"], positive=HOSTILE, by={"country": one["country"]}
    )
    return found


@cache
def of_classes(k: int) -> Report:
    rng = np.random.default_rng(k)
    y = np.append(np.arange(k), rng.integers(0, k, 20 * k))
    p = rng.random((len(y), k))
    p[np.arange(len(y)), y] += 0.5
    names = [f"{HOSTILE} {i}" for i in range(k)]
    p /= p.sum(axis=1, keepdims=True)
    found: Report = karat.evaluate(y, y_prob=p, labels=karat.Labels(names=names))
    return found


@cache
def gated() -> GateResult:
    one = rows()
    baseline = karat.evaluate(one["y"], one["y"])
    found: GateResult = karat.gate(
        one["y"],
        one["pred"],
        min={"accuracy": 0.5, "f1": 0.99},
        max={"error_rate": 0.9},
        max_drop={"macro_f1": 0.01},
        baseline=baseline,
    )
    return found


def weak() -> Any:
    one = rows()
    return karat.find_weak_slices(
        one["y"],
        one["pred"],
        by={"country": one["country"]},
        interval=karat.Interval(n_replicates=99),
    )


def compared(n_models: int) -> Any:
    one = rows()
    models = {HOSTILE: one["pred"], "all": one["y"] * 0, "y": 1 - one["y"], "z": one["y"]}
    return karat.compare(one["y"], dict(list(models.items())[:n_models]))


def of_sets_compared() -> Any:
    sets = [{"x"}, {"y"}, {"x", "y"}] * 20
    return karat.compare(sets, {HOSTILE: sets, "b": [{"x"}] * 60}, metrics=["micro_f1"])


def streamed(**given: Any) -> Any:
    one = rows()
    stream = karat.Stream()
    stream.update(one["y"], **given)
    return stream


CURVES = ("roc", "precision_recall", "det", "gain", "lift", "reliability", "cost", "net_benefit")
PICTURED: dict[str, Callable[[], Any]] = {
    "report of labels": lambda: karat.evaluate(rows()["y"], rows()["pred"]),
    "report of scores": of_scores,
    "report of 4 classes": lambda: of_classes(4),
    "report of 100 classes": lambda: of_classes(100),
    "comparison": lambda: compared(2),
    "comparison of four": lambda: compared(4),
    "gate": gated,
    "slices": lambda: of_scores().slices,
    "slices by a column": lambda: of_scores().slices["country"],
    "slice": lambda: of_scores().slices["country"]["SE"],
    "differences of slices": lambda: of_scores().slices["country"].difference("roc_auc"),
    "difference of a slice": lambda: of_scores().slices["country"].difference("roc_auc")["SE"],
    "difference of models": lambda: compared(2)["accuracy"],
    "difference in a label": lambda: of_sets_compared().per_label("recall")[0],
    "weak slices": weak,
    "stream of labels": lambda: streamed(y_pred=rows()["pred"]),
    "stream of scores": lambda: streamed(y_prob=rows()["p"]),
    "calibration": lambda: of_scores().calibration,
    "calibration of 4 classes": lambda: of_classes(4).calibration,
    "thresholds": lambda: of_scores().thresholds,
    "thresholds of 4 classes": lambda: of_classes(4).thresholds,
    "thresholds of 100 classes": lambda: of_classes(100).thresholds,
    "curves": lambda: of_scores().curves,
    "curves of 100 classes": lambda: of_classes(100).curves,
    **{
        f"{name} curve": lambda name=name: getattr(of_scores().curves, name).positive
        for name in [
            "roc",
            "precision_recall",
            "det",
            "gain",
            "lift",
            "reliability",
            "cost",
            "net_benefit",
        ]
    },
    "curves by class": lambda: of_classes(4).curves.roc,
    "a metric": lambda: of_scores()["roc_auc"],
    "a metric without a largest value": lambda: of_scores()["log_loss"],
    "a curve of its own": lambda: karat.curves.roc(rows()["y"], y_prob=rows()["p"]),
}


@pytest.mark.parametrize("name", PICTURED)
def test_a_form_has_a_picture_and_stays_small(name: str) -> None:
    html = html_of(PICTURED[name]())
    page = Page(html)
    assert html.count("<svg ") >= 1
    assert "<pre" not in html
    assert page.drawn.strip()
    assert len(html) <= 100_000
    assert "<script" not in html


def test_a_metric_without_a_picture_says_that_it_has_no_interval() -> None:
    one = rows()
    plain = html_of(karat.evaluate(one["y"], one["pred"], level=None)["accuracy"])
    assert "<svg" not in plain
    assert "no interval" in Page(plain).text
    assert "no interval" not in Page(html_of(of_scores()["roc_auc"])).text


def test_a_text_that_is_not_escaped_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.output.drawing.escape", lambda text: text)
    with pytest.raises(AssertionError):
        Page(html_of(gated().__class__(**_with_rule(gated(), HOSTILE))))


def _with_rule(result: GateResult, name: str) -> dict[str, Any]:
    rule = RuleResult(name, "min", "accuracy", 0.5, "PASS", "", value=0.9, low=0.8, high=0.95)
    return {"rules": (rule,), "n": 9, "level": result.level, "adjust": "holm"}


def test_every_public_result_has_a_form() -> None:
    report, y = of_scores(), np.arange(60) % 2
    slices = karat.evaluate(y, y, by={"group": y}).slices
    table, two = slices["group"], karat.compare(y, {"a": y, "b": 1 - y})
    made = [
        *(report.per_class, report.metrics, two["accuracy"], two.values["accuracy"]["a"]),
        *(table.gap("f1"), table.heterogeneity("f1"), table.worst("f1"), table.difference("f1")),
        *(karat.evaluate([{"a"}], [{"a"}]).per_class, table.difference("f1")["0"]),
        *(report, report["roc_auc"], report.confusion, report.curves, report.curves.roc.positive),
        *(slices, slices["group"], slices["group"][0], report.slices, karat.Stream()),
        karat.curves.roc(y, y_score=y / 2.0, positive=1),
        karat.curves.roc(y, y_score=np.eye(2)[y]),
        karat.gate(y, y, min={"accuracy": 0.5}),
        two,
        karat.find_weak_slices(y, y, by={"group": y}),
    ]
    for one in made:
        assert callable(getattr(one, "_repr_html_", None)), type(one)


def test_forms_show_the_numbers_of_their_objects() -> None:
    report = of_scores()
    roc = Page(html_of(report.curves.roc.positive)).drawn
    assert f"{report['roc_auc'].value:.4f}" in roc
    calibration = Page(html_of(report.calibration))
    shown = {row[0]: row[1] for row in calibration.rows}
    assert shown["expected_calibration_error"] == (
        f"{report['expected_calibration_error'].value:.4f}"
    )
    found = weak()
    assert found.slices
    cells = Page(html_of(found)).rows[1]
    assert cells[0] == found.slices[0].name
    assert cells[1] == str(found.slices[0].n_rows)
    assert float(cells[2]) == pytest.approx(found.slices[0].loss, abs=5e-5)
    rules = Page(html_of(gated())).rows[1:]
    assert sorted(row[1] for row in rules) == sorted(rule.name for rule in gated().rules)
    assert gated().headline in Page(html_of(gated())).text
    stream = Page(html_of(streamed(y_prob=rows()["p"])))
    assert "600 rows with scores, exact" in stream.text


def test_rows_of_classes_are_shown_as_a_table_and_stay_a_list() -> None:
    report = karat.evaluate(["a", "b", "b"], ["a", "b", "a"], level=None)
    found = report.per_class
    assert repr(found) == "<karat.ClassRows: 2 classes>"
    assert str(found).splitlines()[2].split() == [
        "a",
        "1",
        "2",
        "0.5000",
        "1.0000",
        "0.5000",
        "0.6667",
    ]
    assert ["a", "1", "2", "0.5000"] in [row[:4] for row in Page(html_of(found)).rows]
    assert found is report.per_class
    assert found == json.loads(json.dumps(found)) == pickle.loads(pickle.dumps(found))
    assert type(pickle.loads(pickle.dumps(found))) is list
    again = pickle.loads(pickle.dumps(report)).per_class
    assert repr(again) == repr(found)
    rows = found.to_frame("pyarrow").to_pylist()
    assert {"metric": "precision", "label": "a", "value": 0.5}.items() <= rows[2].items()


def test_rows_of_labels_are_called_labels() -> None:
    found = karat.evaluate([{"x"}, {"y"}], [{"x"}, {"x"}]).per_class
    assert repr(found) == "<karat.ClassRows: 2 labels>"
    assert str(found).startswith("Labels")
    assert {row["label"] for row in found.to_frame("pyarrow").to_pylist()} == {"x", "y"}


@pytest.mark.parametrize("of_sets", [False, True])
def test_slices_and_their_differences_have_frames(of_sets: bool) -> None:
    y, by = [0, 1, 1, 0] * 10, {"g": list("aabb") * 10, "h": list("xyyx") * 10}
    sets = [{"u"} if one else {"v"} for one in y]
    report = karat.evaluate(sets, sets, by=by) if of_sets else karat.evaluate(y, y, by=by)
    every = [row for row in report.to_frame("pyarrow").to_pylist() if row["slice"]]
    assert report.slices.to_frame("pyarrow").to_pylist() == every
    of_g = report.slices["g"].to_frame("pyarrow").to_pylist()
    assert of_g == [row for row in every if row["slice"].startswith("g = ")]
    metric = "micro_f1" if of_sets else "accuracy"
    found = report.slices["g"].difference(metric)
    one, other = found.to_frame("pyarrow").to_pylist()
    assert (one["name"], other["name"], one["n_rows"]) == ("a", "b", 20)
    assert one["high_simultaneous"] == found["a"].high_simultaneous


def test_what_prints_as_a_sentence_has_a_short_repr() -> None:
    table, two = of_scores().slices["country"], compared(2)
    shown = [
        *(
            two["accuracy"],
            two.values["accuracy"]["all"],
            of_sets_compared().per_label("recall")[0],
        ),
        *(table.gap("roc_auc"), table.heterogeneity("roc_auc"), table.worst("roc_auc")),
        table.difference("roc_auc")["SE"],
        compared(3).best("accuracy"),
    ]
    for one in shown:
        assert repr(one) == f"<karat.{type(one).__name__}: {one}>"
        assert len(repr(one)) < 300
    assert repr(table.difference("roc_auc")) == "<karat slice differences in roc_auc: 3>"
    assert repr(of_scores().metrics) == f"<karat results: {len(of_scores().metrics)} metrics>"


def points(html: str) -> list[float]:
    """The horizontal places of the points of a forest, from the first row on."""
    found = re.findall(r'<circle cx="([\d.-]+)" cy="[\d.]+" r="4" fill="[^"]*" stroke="', html)
    return [float(x) for x in found]


def svg(picture: drawing.Picture | None) -> str:
    assert picture is not None
    return picture.draw(str)


def test_points_of_a_forest_stand_in_proportion_to_their_values() -> None:
    values = [0.1, 0.4, 0.25, 0.9]
    marks = [drawing.Mark(str(x), x, x - 0.05, x + 0.02) for x in values]
    places = points(svg(drawing.forest(marks, label="value", title="title")))
    slope = (places[3] - places[0]) / 0.8
    assert slope > 0
    assert places == pytest.approx([places[0] + slope * (x - 0.1) for x in values], abs=0.11)


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_what_a_gate_refuses_stands_left_of_its_limit(better: str) -> None:
    metric = "accuracy" if better == "higher" else "error_rate"
    worse = -0.04 if better == "higher" else 0.04
    kind: Any = "min" if better == "higher" else "max"
    bound = RuleResult("bound", kind, metric, 0.5, "PASS", "", value=0.5 - worse)
    drop = {"difference_low": worse - 0.01, "difference_high": worse + 0.01}
    fails = RuleResult("drop", "max-drop", metric, 0.02, "FAIL", "", difference=worse, **drop)
    holds = RuleResult("less", "max-drop", metric, 0.06, "PASS", "", difference=worse, **drop)
    found = [forms._distance(rule) for rule in (bound, fails, holds)]
    assert [one.value for one in found] == pytest.approx([0.04, -0.02, 0.02])
    assert [(one.low, one.high) for one in found[1:]] == [
        pytest.approx((-0.03, -0.01)),
        pytest.approx((0.01, 0.03)),
    ]
    assert [one.look for one in found] == ["good", "bad", "good"]


def test_a_curve_goes_through_its_corners() -> None:
    x, y = np.array([0.0, 0.0, 0.5, 1.0]), np.array([0.0, 0.6, 0.9, 1.0])
    html = svg(drawing.plane([drawing.Line("", x, y)], x="x", y="y", title="t"))
    (path,) = re.findall(r'<path d="(M[^"]*L[^"]*)" fill="none" stroke="#', html)
    drawn = np.array([pair.split() for pair in path[1:].split("L")], float)
    assert drawn[:, 0] == pytest.approx(48 + 280 * x, abs=0.06)
    assert drawn[:, 1] == pytest.approx(240 - 230 * y, abs=0.06)


def test_a_long_curve_is_drawn_by_few_points_that_stray_nowhere() -> None:
    x = np.linspace(0, 280, 200_000)
    y = 100 + 50 * np.sin(x / 20)
    kept = drawing._drawn(x, y)
    assert len(kept) < 260
    assert np.abs(np.interp(x, x[kept], y[kept]) - y).max() < 1.0


def _undefined_curve() -> Any:
    with pytest.warns(karat.UndefinedWarning):
        return karat.curves.roc([0, 0], y_prob=[0.2, 0.7], labels=[0, 1])


ODD: dict[str, Callable[[], Any]] = {
    "one class": lambda: karat.evaluate(["a", "a"], ["a", "a"]),
    "nothing defined": lambda: karat.evaluate(
        [0, 0], [0, 0], metrics=["precision"], undefined="nan"
    ),
    "class totals": lambda: ClassReport(
        Cells.marginals([5, 4, 3], [1, 1, 1], [2, 0, 1], classes=Classes.of("abc"))
    ),
    "no interval": lambda: karat.evaluate([0, 1, 1], [0, 1, 0], level=None),
    "no metric": lambda: karat.evaluate([0, 1, 1], [0, 1, 0], metrics=[]),
    "one side of a curve": lambda: karat.evaluate(
        [1, 1], y_prob=[0.2, 0.7], labels=[0, 1], metrics=["log_loss"]
    ),
    "equal scores": lambda: karat.evaluate([0, 1], y_prob=[0.5, 0.5]),
    "empty stream": karat.Stream,
    "no weak slice": lambda: karat.find_weak_slices(
        [0, 1] * 60,
        [0, 1] * 60,
        by={"x": list("ab") * 60},
        interval=karat.Interval(n_replicates=99),
    ),
    "no slices": lambda: karat.evaluate([0, 1], [0, 1]).slices,
    "no rule": lambda: GateResult((), 3, 0.95, "holm"),
    "curve without a class": _undefined_curve,
}


@pytest.mark.filterwarnings("ignore::karat.UndefinedWarning")
@pytest.mark.parametrize("name", ODD)
def test_an_odd_result_has_a_form_without_an_error(name: str) -> None:
    html = ODD[name]()._repr_html_()
    assert html.startswith("<div")
    assert "<pre" not in html
    Page(html)


def test_what_cannot_be_shown_is_its_text() -> None:
    class Broken:
        def __str__(self) -> str:
            return f"line\n{HOSTILE}"

    def fails(_: object) -> str:
        raise ZeroDivisionError

    html = forms.form(fails, Broken())
    assert html.startswith("<pre")
    assert "line<br>&lt;script&gt;" in html


def test_a_picture_that_cannot_be_drawn_leaves_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(forms, "forest", fails)
    html = html_of(karat.evaluate([0, 1, 1], [0, 1, 0]))
    assert "<svg" not in html
    assert "<table" in html


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("color", drawing.COLORS)
def test_a_color_is_seen_on_light_and_dark_pages(color: str, page: str) -> None:
    _, ground = PAGES[page]
    rgb = tuple(int(color[i : i + 2], 16) for i in (1, 3, 5))
    assert contrast(rgb, ground) >= 3.0


def test_ticks_are_round_and_inside() -> None:
    for low, high in [(0.0, 1.0), (-0.3, 0.0007), (1e-9, 3e-9), (0.61, 0.62), (0, 5e7)]:
        ticks = drawing._ticks(low, high)
        assert 2 <= len(ticks) <= 12
        assert low - 1e-12 <= ticks[0] < ticks[-1] <= high * (1 + 1e-9) + 1e-12
        steps = np.diff(ticks)
        assert steps == pytest.approx(steps[0])
        assert round(steps[0] / 10 ** math.floor(math.log10(steps[0]) + 1e-9), 6) in (1, 2, 5)


@pytest.mark.parametrize("kind", ["thresholds", "calibration"])
def test_what_a_report_gives_as_numbers_travels_as_numbers(kind: str) -> None:
    import copy
    import pickle

    found = getattr(of_scores(), kind)
    assert dict(found) == found
    for other in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        assert type(other) is dict
        assert other.keys() == found.keys()
    assert type(copy.deepcopy(of_classes(4).thresholds)) is list


def test_notes_that_come_first_stand_above_the_picture() -> None:
    from karat.output import notebook
    from karat.output.document import Document, Notes, Table, TableColumn

    table = Table.by_column("Table", (TableColumn("a"), ["1"]))
    sections = (Notes("First", ("doubt",)), table, Notes("Last", ("note",)))
    html = notebook.html_of(
        Document("title", ("fact",), sections), drawing.Picture((), lambda _: "<svg></svg>")
    )
    order = [html.index(text) for text in ("title", "doubt", "<svg>", "<table", "note<")]
    assert order == sorted(order)
