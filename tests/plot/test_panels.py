"""Small multiples: a panel for each class, with equal axes, a title, and the others behind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from tests.plot.reports import of_classes
from tests.plot.seen import same_points, xy

IN_PANELS = ["roc", "precision_recall", "det", "gain", "lift", "reliability", "scores", "threshold"]
SHORT = {"roc": ("AUC", "roc_auc"), "precision_recall": ("AP", "average_precision")}


def draw(name: str, report: Any, **options: Any) -> Any:
    return getattr(karat.plot, name)(report, **options)


def faults(frame: Any, report: karat.Report, name: str) -> list[str]:
    """What panels lack: one for each class in its order, equal axes, areas, the others behind."""
    panels, sides = frame.child_axes, ("get_xlim", "get_ylim")
    found = [f"{x} differs" for x in sides if len({getattr(ax, x)() for ax in panels}) != 1]
    titles = [ax.get_title(loc="left") for ax in panels]
    if titles != [str(label) for label in report.labels]:
        found.append(f"titles {titles}")
    for ax, row in zip(panels, report.per_class, strict=False):
        if name in SHORT:
            short, metric = SHORT[name]
            low, high = row["intervals"][metric]
            told = f"{short} {row[metric]:.4f} [{low:.4f}, {high:.4f}]"
            if [text.get_text() for text in ax.texts] != [told]:
                found.append(f"not {told}")
        if name not in ("scores", "threshold"):
            behind = [line for line in ax.lines if line.get_label() == "other classes"]
            points = sum(len(other.lines[0].get_xdata()) + 1 for other in panels if other is not ax)
            if [len(line.get_xdata()) for line in behind] != [points]:
                found.append("the others are not behind")
    return found


@pytest.mark.parametrize("name", IN_PANELS)
def test_each_of_some_classes_has_a_panel_without_an_argument(name: str) -> None:
    report = of_classes(4)
    frame = draw(name, report)
    assert faults(frame, report, name) == []
    assert f"of 4 classes · {report.n_rows} rows" in frame.get_title()
    assert [ax.get_legend() for ax in frame.child_axes] == [None] * 4
    entries = [text.get_text() for text in frame.get_legend().get_texts()]
    assert entries
    assert len(entries) == len(set(entries)) <= 5
    # A panel too many, other limits, another area, and nothing behind are seen.
    moved = frame.child_axes[2]
    moved.set_xlim(-1, 2)
    moved.set_title("9", loc="left")
    damaged = faults(frame, report, name)
    assert {"get_xlim differs", "titles ['0', '1', '9', '3']"} <= set(damaged)
    moved.lines[-1].remove() if moved.lines else None
    moved.texts[0].set_text("AUC 0.5")
    assert len(faults(frame, report, name)) > len(damaged) or name in ("scores", "threshold")


def test_the_line_of_a_panel_is_the_curve_of_its_class() -> None:
    report = of_classes(4)
    for ax, label in zip(karat.plot.roc(report).child_axes, report.labels, strict=True):
        found = report.curves.roc[label]
        assert same_points(ax.lines[0], found.fpr, found.tpr)
        assert not same_points(ax.lines[0], found.tpr, found.fpr)
        assert len(ax.collections) == 1  # its band


@pytest.mark.parametrize(
    ("k", "options", "n"),
    [
        (3, {}, 0),
        (12, {"band": False}, 12),
        (20, {}, 0),
        (20, {"classes": range(5), "band": False}, 5),
        (10, {"panels": False}, 0),
        (2, {"panels": True}, 1),
        (10, {"classes": [7, 3], "panels": True}, 2),
    ],
)
def test_panels_are_for_4_to_12_classes_or_as_they_are_asked_for(
    k: int, options: dict[str, Any], n: int
) -> None:
    frame = karat.plot.roc(of_classes(k, 300), **options)
    assert len(frame.child_axes) == n
    assert bool(frame.lines) == (n == 0)
    if options.get("classes") == [7, 3]:
        assert [ax.get_title(loc="left") for ax in frame.child_axes] == ["7", "3"]


def test_axes_that_are_given_stay_one_unless_panels_are_asked_for(ax: Any) -> None:
    karat.plot.roc(of_classes(4), ax=ax)
    assert (len(ax.child_axes), len(ax.figure.axes)) == (0, 1)
    other = ax.figure.add_subplot()
    assert karat.plot.roc(of_classes(4), panels=True, ax=other) is other
    assert len(other.child_axes) == 4
    with pytest.raises(karat.InputError, match="K122"):
        karat.plot.roc(of_classes(4), panels="yes", ax=ax)


def test_panels_of_several_models_hold_a_line_of_each() -> None:
    pair = {"old": of_classes(4), "new": of_classes(4, weighted=True)}
    frame = karat.plot.roc(pair)
    for i, ax in enumerate(frame.child_axes):
        for line, report in zip(ax.lines[:2], pair.values(), strict=True):
            found = report.curves.roc[i]
            assert np.array_equal(xy(line), np.column_stack([found.fpr, found.tpr]))
        areas = [f"{report.per_class[i]['roc_auc']:.4f}" for report in pair.values()]
        assert ax.texts[0].get_text() == f"AUC {', '.join(areas)}"
    entries = [text.get_text() for text in frame.get_legend().get_texts()]
    assert entries == ["old", "new", "as predicted", "chance"]
    assert frame.get_title() == "ROC curves of 4 classes · old, new · 400 rows"


def test_a_class_that_never_occurs_says_so_and_names_stay_text() -> None:
    from matplotlib.mathtext import MathTextParser

    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(4), 60)
    frame = karat.plot.gain(rng.integers(0, 3, 60), y_prob=p, labels=range(4))
    under = [ax.texts[0].get_text() for ax in frame.child_axes]
    assert under == ["", "", "", "no row is truly of the class"]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(MathTextParser, "parse", None)
        frame = karat.plot.roc(of_classes(6, 300, hostile=True), band=False)
        frame.figure.draw_without_rendering()
    titles = [ax.get_title(loc="left") for ax in frame.child_axes]
    assert titles[1:4] == ["'_hidden'", "<script>aler…1)</script>", "line\\nbreak"]
    entries = {text.get_text() for text in frame.get_legend().get_texts()}
    assert entries == {"as predicted", "chance", "other classes"}


def test_headings_name_what_is_drawn_and_can_be_left_out(ax: Any) -> None:
    report = karat.evaluate(["a", "b"] * 9, y_prob=np.arange(18) / 18, positive="b")
    wanted = {
        "roc": "ROC curve of b",
        "precision_recall": "Precision-recall curve of b",
        "det": "Detection error tradeoff of b",
        "gain": "Cumulative gain of b",
        "lift": "Lift of b",
        "reliability": "Reliability of b",
        "scores": "Predicted probability of b",
        "threshold": "Metrics of b by threshold",
        "confusion": "Confusion matrix of 2 classes",
        "intervals": "Metrics with their intervals",
    }
    for name, heading in wanted.items():
        ax.clear()
        draw(name, report, heading=False, ax=ax)
        assert ax.get_title() == ""
        draw(name, report, ax=ax)
        assert ax.get_title().replace("\n", " · ") == f"{heading} · 18 rows"
    ax.clear()
    karat.plot.roc({"$a$": report, "b": report}, classes=["a", "b"], ax=ax)
    assert ax.get_title().split(" · ")[:2] == ["ROC curves of 2 classes", "\\$a\\$, b"]
