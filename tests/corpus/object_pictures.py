"""Plots of reports, comparisons and rows, and bands of curves."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

import karat
from tests.corpus.calls import Call
from tests.corpus.more_rows import three_classes, two_classes
from tests.corpus.object_rows import (
    compared,
    hashed,
    labels,
    many_scores,
    scores,
    set_labels,
    undefined,
    weighted,
    whole_scores,
)
from tests.corpus.rows import digits

CURVES = ("roc", "precision_recall", "det", "gain", "lift")


def calls() -> Iterator[Call]:
    yield from _kinds()
    yield from _options()
    yield from _refused()
    yield from _bands()
    yield from _vectors()


def _plot(name: str, run: Any) -> Call:
    return Call(name, "plot", "report", lambda: _drawn(run))


def _drawn(draw: Any) -> Any:
    """What stands on the axes: words, limits, numbers of shapes, some points of each line."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    try:
        axes = draw()
        panels = list(getattr(axes, "child_axes", ()))
        return {"panels": len(panels), "axes": [_facts(item) for item in (axes, *panels[:2])]}
    finally:
        plt.close("all")


def _facts(axes: Any) -> Any:
    legend = axes.get_legend()
    return {
        "title": axes.get_title(loc="left") or axes.get_title(),
        "x": axes.get_xlabel(),
        "y": axes.get_ylabel(),
        "scales": [axes.get_xscale(), axes.get_yscale()],
        "lines": [_points(line) for line in axes.get_lines()],
        "texts": [text.get_text() for text in axes.texts[:12]],
        "shapes": [len(axes.patches), len(axes.collections), len(axes.images)],
        "legend": [text.get_text() for text in legend.get_texts()] if legend else None,
        "ticks": [text.get_text() for text in axes.get_yticklabels()[:8]],
    }


def _points(line: Any) -> Any:
    values = [np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)]
    step = max(len(values[0]) // 6, 1)
    return [part[::step].tolist() for part in values]


def _axes() -> Any:
    from matplotlib.figure import Figure

    return Figure().subplots()


@cache
def _both() -> dict[str, Any]:
    rows = two_classes()
    other = karat.evaluate(
        rows["label"], y_prob=rows["old_prob"], interval=karat.Interval(n_replicates=100)
    )
    return {"new": whole_scores(), "old": other}


@cache
def _digits() -> Any:
    rows = digits(120)
    return karat.evaluate(rows["label"], y_prob=rows["prob"], level=None)


def _kinds() -> Iterator[Call]:
    rows = two_classes()
    for name in (*CURVES, "reliability", "scores", "threshold"):
        draw = getattr(karat.plot, name)
        yield _plot(f"{name} of two models", lambda draw=draw: draw(_both()))
        yield _plot(f"{name} on axes", lambda draw=draw: draw(many_scores(), ax=_axes()))
        yield _plot(
            f"{name} of rows",
            lambda draw=draw: draw(rows["label"], y_prob=rows["prob"], level=None),
        )
    yield _plot("roc of six classes", lambda: karat.plot.roc(_digits()))
    yield _plot("scores of six classes", lambda: karat.plot.scores(_digits()))
    yield _plot("confusion of two models", lambda: karat.plot.confusion(_both()))
    yield _plot("confusion of a matrix", lambda: karat.plot.confusion(labels().confusion))
    yield _plot(
        "confusion of rows", lambda: karat.plot.confusion(rows["label"], rows["pred"], level=None)
    )
    yield _plot("intervals of two models", lambda: karat.plot.intervals(_both()))
    yield _plot("intervals of an undefined metric", lambda: karat.plot.intervals(undefined()))
    yield _plot("compare of a comparison", lambda: karat.plot.compare(compared()))
    yield _plot(
        "compare of rows",
        lambda: karat.plot.compare(
            rows["label"], {"new": rows["pred"], "old": rows["old"]}, metrics=["accuracy", "f1"]
        ),
    )


def _options() -> Iterator[Call]:
    plot = karat.plot
    pictures: dict[str, Any] = {
        "confusion, shares of true": lambda: plot.confusion(labels(), normalize="true"),
        "confusion, shares of all": lambda: plot.confusion(labels(), normalize="all"),
        "confusion, shares of pred": lambda: plot.confusion(labels(), normalize="pred"),
        "confusion, shade of counts": lambda: plot.confusion(labels(), shade="count"),
        "confusion, shade of pred": lambda: plot.confusion(labels(), shade="pred"),
        "confusion, by error": lambda: plot.confusion(labels(), sort="error"),
        "confusion, bare": lambda: plot.confusion(
            labels(), annotate=False, totals=False, colorbar=False, heading=False
        ),
        "confusion, weights": lambda: plot.confusion(weighted()),
        "intervals, metrics": lambda: plot.intervals(labels(), metrics=["accuracy", "kappa"]),
        "intervals, one metric": lambda: plot.intervals(labels(), metrics="accuracy"),
        "intervals, classes": lambda: plot.intervals(
            labels(), metrics=["recall"], classes=["cat", "eel"]
        ),
        "intervals, no heading": lambda: plot.intervals(labels(), heading=False, legend=False),
        "compare, one metric": lambda: plot.compare(compared(), metrics=["accuracy"]),
        "compare, no heading": lambda: plot.compare(compared(), heading=False, legend=False),
        "roc, no panels": lambda: plot.roc(many_scores(), panels=False),
        "roc, panels": lambda: plot.roc(many_scores(), panels=True),
        "roc, panels on axes": lambda: plot.roc(many_scores(), panels=True, ax=_axes()),
        "roc, classes": lambda: plot.roc(many_scores(), classes=["dog"]),
        "roc, one class": lambda: plot.roc(whole_scores(), classes=0),
        "roc, band": lambda: plot.roc(whole_scores(), band=True),
        "roc, no band": lambda: plot.roc(whole_scores(), band=False),
        "roc, mean": lambda: plot.roc(_digits(), mean=True, panels=False),
        "roc, bare": lambda: plot.roc(
            whole_scores(), chance=False, decision=False, heading=False, legend=False
        ),
        "roc, line": lambda: plot.roc(whole_scores(), linewidth=3, color="black"),
        "precision_recall, band": lambda: plot.precision_recall(whole_scores(), band=True),
        "reliability, quantile": lambda: plot.reliability(whole_scores(), bins="quantile"),
        "reliability, uniform": lambda: plot.reliability(whole_scores(), bins="uniform"),
        "reliability, bare": lambda: plot.reliability(
            whole_scores(), spread=False, histogram=False, heading=False, legend=False
        ),
        "reliability, band": lambda: plot.reliability(whole_scores(), band=True),
        "scores, shares": lambda: plot.scores(whole_scores(), shares=True),
        "scores, log": lambda: plot.scores(whole_scores(), log=True),
        "threshold, metrics": lambda: plot.threshold(whole_scores(), metrics=["f1", "recall"]),
        "threshold, no decision": lambda: plot.threshold(whole_scores(), decision=False),
    }
    for name, draw in pictures.items():
        yield _plot(name, draw)


def _refused() -> Iterator[Call]:
    plot, rows = karat.plot, two_classes()
    refused: dict[str, Any] = {
        "curves of labels": lambda: plot.roc(labels()),
        "a report without curves": lambda: plot.roc(scores()),
        "a report and predictions": lambda: plot.roc(whole_scores(), rows["pred"]),
        "a report and an option of rows": lambda: plot.roc(whole_scores(), weights=rows["mass"]),
        "a matrix and predictions": lambda: plot.confusion(labels().confusion, rows["pred"]),
        "reports and an option of rows": lambda: plot.roc(_both(), positive=1),
        "a list of reports": lambda: plot.roc([whole_scores(), whole_scores()]),
        "a dict with a text": lambda: plot.roc({"new": whole_scores(), "old": "report"}),
        "two reports of one name": lambda: plot.roc({1: whole_scores(), "1": whole_scores()}),
        "a comparison as a report": lambda: plot.roc(compared()),
        "a report as a comparison": lambda: plot.compare(labels()),
        "a comparison and predictions": lambda: plot.compare(compared(), rows["pred"]),
        "a comparison and an option of rows": lambda: plot.compare(compared(), level=0.9),
        "a comparison and no such metric": lambda: plot.compare(compared(), metrics=["kappa"]),
        "a report of sets": lambda: plot.confusion(set_labels()),
        "an unknown class": lambda: plot.roc(many_scores(), classes=["fox"]),
        "panels of text": lambda: plot.roc(many_scores(), panels="yes"),
        "heading of a number": lambda: plot.roc(many_scores(), heading=1),
        "band of None": lambda: plot.roc(whole_scores(), band=None),
        "an unknown shade": lambda: plot.confusion(labels(), shade="blue"),
        "an unknown order": lambda: plot.confusion(labels(), sort="size"),
        "an unknown normalization": lambda: plot.confusion(labels(), normalize="rows"),
        "unknown bins": lambda: plot.reliability(whole_scores(), bins="equal"),
        "axes that are none": lambda: plot.roc(whole_scores(), ax="here"),
        "an option of another library": lambda: plot.confusion(labels(), display_labels=["a"]),
        "an option that no artist takes": lambda: plot.roc(whole_scores(), thickness=2),
        "nothing": plot.roc,
    }
    for name, draw in refused.items():
        yield _plot(f"plot, {name}", draw)
    for name in ("calibration", "pr_curve", "rok", "histogram", "_x", "nonsense"):
        yield Call(f"plot and {name}", "plot", "name", lambda name=name: getattr(karat.plot, name))
    yield Call("dir of the plots", "plot", "name", lambda: dir(karat.plot))
    yield Call("colors of the plots", "plot", "name", lambda: karat.plot.PALETTE)


def _rows_of_bands(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(71)
    label = (rng.random(n) < 0.4).astype(np.int64)
    return label, (rng.integers(0, 4_000, n) + 1_500 * label) / 8_192.0


def _bands() -> Iterator[Call]:
    curves, rows, many = karat.curves, two_classes(), three_classes()
    label, prob = _rows_of_bands(700)
    named: dict[str, Any] = {
        "roc": lambda: curves.roc(rows["label"], y_prob=rows["prob"]).band(),
        "roc at 0.8": lambda: curves.roc(rows["label"], y_prob=rows["prob"]).band(0.8),
        "precision_recall": lambda: curves.precision_recall(
            rows["label"], y_prob=rows["prob"]
        ).band(0.8),
        "reliability": lambda: curves.reliability(
            rows["label"], y_prob=rows["prob"], bins=5
        ).band(),
        "many points": lambda: curves.roc(label, y_prob=prob).band(0.5),
        "few of many points": lambda: curves.roc(label, y_prob=prob, limit=30).band(0.5),
        "few of many precisions": lambda: curves.precision_recall(
            label, y_prob=prob, limit=30
        ).band(0.5),
        "weights": lambda: curves.roc(
            rows["label"], y_prob=rows["prob"], weights=rows["mass"]
        ).band(0.5),
        "a report": lambda: whole_scores().curves.roc.positive.band(0.5),
        "a class of a report": lambda: many_scores().curves.roc["dog"].band(0.5),
        "a report of clusters": lambda: _of_clusters().curves.roc.positive.band(0.8),
        "one class": lambda: curves.roc([1, 1], y_prob=[0.25, 0.5], labels=[0, 1]).band(),
        "all of the class": lambda: curves.precision_recall(
            [1, 1], y_prob=[0.25, 0.5], labels=[0, 1]
        ).band(),
        "pooled classes": lambda: curves.roc(
            many["label"], y_prob=many["prob"], average="micro"
        ).band(),
        "level 0.2": lambda: curves.roc(rows["label"], y_prob=rows["prob"]).band(0.2),
        "level 1": lambda: curves.roc(rows["label"], y_prob=rows["prob"]).band(1),
        "level of text": lambda: curves.roc(rows["label"], y_prob=rows["prob"]).band("high"),
        "no level": lambda: curves.roc(rows["label"], y_prob=rows["prob"]).band(None),
    }
    for name, run in named.items():
        yield Call(f"band of {name}", "curves", "array", lambda run=run: _few(run()))
    yield Call(
        "a curve in a list",
        "curves",
        "array",
        lambda: [len(whole_scores().curves.roc), list(whole_scores().curves)],
    )
    yield Call(
        "curves by class", "curves", "array", lambda: [*many_scores().curves.roc, len(_digits())]
    )
    for name in ("fpr", "positive", "nonsense"):
        yield Call(
            f"curves of three classes and {name}",
            "curves",
            "array",
            lambda name=name: getattr(many_scores().curves.roc, name),
        )
    yield Call(
        "curves of three classes and no such",
        "curves",
        "array",
        lambda: many_scores().curves.roc["x"],
    )


def _of_clusters() -> Any:
    rows = two_classes()
    return karat.evaluate(
        rows["label"],
        y_prob=rows["prob"],
        clusters=rows["team"],
        interval=karat.Interval(n_replicates=100),
    )


def _few(band: Any) -> Any:
    step = max(len(band) // 20, 1)
    return {
        "places": len(band),
        "x": band.x[::step],
        "low": band.low[::step],
        "high": band.high[::step],
        "level": band.level,
        "quantile": band.quantile,
        "method": band.method,
        "text": repr(band),
    }


def _vectors() -> Iterator[Call]:
    """Pictures as SVG, and lines with fewer points."""
    svg, plot = karat.plot.svg, karat.plot
    pictures: dict[str, Any] = {
        "a curve": lambda: svg.as_svg(lambda ax: plot.roc(whole_scores(), ax=ax), 4, 3),
        "words": lambda: svg.as_svg(
            lambda ax: plot.roc(whole_scores(), ax=ax),
            4,
            3,
            title="A title & more",
            description="What it shows <here>",
        ),
        "colors": lambda: svg.as_svg(
            lambda ax: plot.confusion(labels(), ax=ax), 4, 3, colors={"ink": "var(--ink)"}
        ),
        "axes": lambda: svg.as_svg(
            lambda ax: plot.reliability(whole_scores(), ax=ax), 4, 3, has_axes=True
        ),
        "axes of rows": lambda: svg.as_svg(
            lambda ax: plot.scores(whole_scores(), ax=ax, log=True), 4, 3, has_axes=True
        ),
        "panels": lambda: svg.as_svg(lambda ax: plot.roc(many_scores(), ax=ax, panels=True), 6, 3),
        "a foreign color": lambda: svg.as_svg(
            lambda ax: plot.roc(whole_scores(), ax=ax, color="#123456"), 4, 3
        ),
        "nothing": lambda: svg.as_svg(lambda _: None, 4, 3),
    }
    for name, run in pictures.items():
        yield Call(f"SVG of {name}", "plot", "report", lambda run=run: _described(run()))
    x, y = np.arange(40) / 4.0, np.arange(40) ** 2 % 17 / 2.0
    for tolerance in (0.0, 0.5, 3.0, 100.0):
        yield Call(
            f"places of a coarser line within {tolerance}",
            "plot",
            "array",
            lambda tolerance=tolerance: svg.coarser(x, y, tolerance),
        )
    yield Call(
        "places of a broken line",
        "plot",
        "array",
        lambda: svg.coarser(x, np.where(np.arange(40) % 13 == 5, np.nan, y), 1.0),
    )
    yield _plot("a curve with fewer points", _shrunk)


def _described(text: str) -> Any:
    return {
        "is one element": [text.startswith("<svg"), text.endswith("</svg>")],
        "of": hashed(text),
    }


def _shrunk() -> Any:
    label, prob = _rows_of_bands(700)
    axes = _axes()
    karat.plot.roc(label, y_prob=prob, level=None, ax=axes)
    karat.plot.svg.shrink(axes)
    return axes
