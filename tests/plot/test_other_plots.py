"""The confusion matrix, metrics against a threshold, and histograms of scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from tests.plot.reports import lacking, of_classes, one_row
from tests.plot.seen import legend_of, line_of, proportions, same_points, shares_of

Y_TRUE = ["cat", "cat", "cat", "dog", "dog", "eel"]
Y_PRED = ["cat", "dog", "dog", "dog", "dog", "cat"]


def image_of(ax: Any) -> Any:
    return ax.images[0].get_array()


def texts_of(ax: Any) -> dict[tuple[float, float], str]:
    """What is written, by column and row."""
    return {text.get_position(): text.get_text() for text in ax.texts}


def names_of(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_yticklabels()]


@pytest.mark.parametrize("k", [2, 10, 100])
def test_the_map_is_the_matrix(k: int, ax: Any) -> None:
    report = of_classes(k)
    assert karat.plot.confusion(report, ax=ax) is ax
    assert shares_of(ax) == pytest.approx(proportions(report))
    karat.plot.confusion(report, shade="count", ax=ax.figure.add_subplot())
    counts = ax.figure.axes[-1].images[0].get_array()
    assert counts.tolist() == report.confusion.tolist()
    assert counts.tolist() != report.confusion.matrix.T.tolist()
    assert (ax.get_xlabel(), ax.get_ylabel().split(" (")[0]) == ("predicted class", "true class")
    written = [text for text in ax.texts if text.get_text()]
    # Every cell, the proportion in each that holds rows, the totals of rows and columns, and all.
    n_held = np.count_nonzero(report.confusion.matrix) if k <= 10 else 0
    assert len(written) == (k * k + n_held + 2 * k + 1 if k <= 20 else 0)
    assert len(names_of(ax)) <= 41


@pytest.mark.parametrize("normalize", ["true", "pred", "all"])
def test_shares_are_of_rows_columns_or_all(normalize: str, ax: Any) -> None:
    karat.plot.confusion(Y_TRUE, Y_PRED, normalize=normalize, ax=ax)
    from sklearn.metrics import confusion_matrix

    wanted = confusion_matrix(Y_TRUE, Y_PRED, normalize=normalize)
    np.testing.assert_allclose(np.ma.filled(image_of(ax), 0.0), wanted)
    assert ax.images[0].get_clim() == (0.0, 1.0 if normalize != "all" else wanted.max())
    # Nothing was predicted eel: such a column has no shares.
    assert np.ma.getmaskarray(image_of(ax)).any() == (normalize == "pred")


def test_cells_and_totals_are_written(ax: Any) -> None:
    karat.plot.confusion(Y_TRUE, Y_PRED, ax=ax)
    found = texts_of(ax)
    assert (found[0, 0], found[1, 0], found[2, 0]) == ("1", "2", "·")
    beneath = {(x, round(y)): text for (x, y), text in found.items() if y % 1}
    assert (beneath[0, 0], beneath[1, 0], beneath[1, 1]) == ("33 %", "67 %", "100 %")
    assert (2, 0) not in beneath
    assert [found[3, i] for i in range(4)] == ["3", "2", "1", "6"]
    assert [found[j, 3] for j in range(4)] == ["2", "4", "0", "6"]
    assert names_of(ax) == ["cat", "dog", "eel", "all"]


def test_shares_never_read_as_none_or_all_when_they_are_not(ax: Any) -> None:
    report = karat.evaluate(confusion=[[9999, 1], [0, 10]])
    karat.plot.confusion(report, normalize="true", totals=False, ax=ax)
    found = texts_of(ax)
    assert (found[0, 0], found[1, 0], found[0, 1], found[1, 1]) == (">99", "<1", "·", "100")


def test_classes_are_sorted_by_their_wrong_rows(ax: Any) -> None:
    karat.plot.confusion(Y_TRUE, Y_PRED, sort="error", ax=ax)
    assert names_of(ax) == ["cat", "eel", "dog", "all"]
    assert shares_of(ax) == pytest.approx([1 / 3, 0, 2 / 3, 1, 0, 0, 0, 0, 1])
    assert "most wrong rows first" in ax.get_ylabel()


def test_the_options_of_the_map(ax: Any) -> None:
    from matplotlib.figure import Figure

    karat.plot.confusion(
        Y_TRUE, Y_PRED, annotate=False, totals=False, colorbar=False, cmap="cividis", ax=ax
    )
    assert not ax.texts
    assert not ax.child_axes
    assert ax.images[0].get_cmap().name == "cividis"
    large = Figure().subplots()
    karat.plot.confusion(of_classes(100), annotate=True, ax=large)
    assert len(large.texts) > 10_000
    for wrong in (
        {"normalize": ["true"]},
        {"normalize": "rows"},
        {"sort": np.array([1, 2])},
        {"shade": "rows"},
    ):
        with pytest.raises(karat.InputError, match="K122"):
            karat.plot.confusion(Y_TRUE, Y_PRED, ax=ax, **wrong)
    with pytest.raises(karat.InputError, match="K702"):
        karat.plot.confusion({"a": of_classes(2), "b": of_classes(10)}, ax=ax)


def test_the_text_of_a_cell_stands_out_from_it(ax: Any) -> None:
    karat.plot.confusion(of_classes(10), ax=ax)

    def luminance(colour: Any) -> float:
        parts = np.asarray(colour[:3])
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    from matplotlib.colors import to_rgba

    for text in ax.texts[:190]:
        x, y = np.floor(np.add(text.get_position(), 0.5))
        if max(x, y) > 9:
            continue
        cell = luminance(ax.images[0].to_rgba(image_of(ax))[int(y), int(x)])
        ink = luminance(to_rgba(text.get_color()))
        assert (max(cell, ink) + 0.05) / (min(cell, ink) + 0.05) >= 4.5


def test_a_weighted_matrix_says_so(ax: Any) -> None:
    report = of_classes(2, weighted=True)
    karat.plot.confusion(report, ax=ax)
    assert shares_of(ax) == pytest.approx(proportions(report))
    assert ax.child_axes[0].get_ylabel() == "proportion of the true class"
    karat.plot.confusion(report, shade="count", ax=ax)
    assert ax.images[-1].get_array().tolist() == report.confusion.tolist()
    assert ax.child_axes[-1].get_ylabel() == "weight"


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("metric", ["precision", "recall", "f1", "specificity", "mcc"])
def test_a_metric_at_a_threshold_is_that_of_the_labels_it_makes(
    metric: str, weighted: bool, ax: Any
) -> None:
    rng = np.random.default_rng(2)
    y_true = rng.integers(0, 2, 80)
    p = np.round(np.clip(0.5 + (y_true - 0.5) * 0.4 + rng.normal(size=80) * 0.25, 0, 1), 2)
    weights = rng.uniform(0.5, 2, 80) if weighted else None
    karat.plot.threshold(y_true, y_prob=p, weights=weights, metrics=metric, ax=ax)
    line = ax.lines[0]
    for at, value in zip(*line.get_data(), strict=True):
        y_pred = (p >= at).astype(int)
        wanted = karat.evaluate(y_true, y_pred, weights=weights, labels=[0, 1])[metric]
        if wanted.undefined:
            assert np.isnan(value)
        else:
            assert value == pytest.approx(wanted.value, rel=1e-9, abs=1e-12)


def test_of_one_class_three_metrics_and_the_best_threshold_are_drawn(ax: Any) -> None:
    report = of_classes(2)
    karat.plot.threshold(report, ax=ax)
    best = report.thresholds["f1"]
    assert legend_of(ax)[:3] == ["1 · precision", "1 · recall", "1 · f1"]
    assert same_points(line_of(ax, "best f1"), [best["threshold"]], [best["value"]])
    assert line_of(ax, "threshold 0.5").get_xdata() == [0.5, 0.5]


def test_the_threshold_of_the_report_is_marked_where_it_parts_the_rows(ax: Any) -> None:
    y_true, p = [0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9]
    karat.plot.threshold(y_true, y_prob=p, threshold=0.3, ax=ax)
    assert line_of(ax, "threshold 0.3").get_xdata() == [0.3, 0.3]
    ax.clear()
    # These predictions come from no threshold of 0.5.
    karat.plot.threshold(y_true, [1, 1, 1, 1], y_prob=p, ax=ax)
    assert not any(text.startswith("threshold") for text in legend_of(ax))
    ax.clear()
    karat.plot.threshold(y_true, y_score=[-2.0, 0.4, 0.1, 3.0], ax=ax)
    assert not any(text.startswith("threshold") for text in legend_of(ax))
    assert ax.get_xlabel() == "threshold (score)"


def test_of_many_classes_one_metric_is_drawn_of_each(ax: Any) -> None:
    karat.plot.threshold(of_classes(10), ax=ax)
    assert legend_of(ax)[:10] == [str(label) for label in range(10)]
    assert ax.get_ylabel() == "f1"
    ax.clear()
    karat.plot.threshold(of_classes(100), ax=ax)
    assert "95 other classes" in legend_of(ax)
    ax.clear()
    karat.plot.threshold(of_classes(10), metrics=["precision", "recall"], classes=[2], ax=ax)
    assert legend_of(ax)[:2] == ["2 · precision", "2 · recall"]


def test_what_a_threshold_alone_does_not_decide_is_refused(ax: Any) -> None:
    for metric in ("roc_auc", "macro_f1", []):
        with pytest.raises(karat.InputError, match="K702"):
            karat.plot.threshold(of_classes(2), metrics=metric, ax=ax)
    with pytest.raises(karat.UnknownNameError, match="K301"):
        karat.plot.threshold(of_classes(2), metrics="recal", ax=ax)


@pytest.mark.parametrize("weighted", [False, True])
def test_scores_are_counted_by_what_was_true(weighted: bool, ax: Any) -> None:
    rng = np.random.default_rng(3)
    y_true = rng.integers(0, 2, 300)
    p = np.clip(0.5 + (y_true - 0.5) * 0.4 + rng.normal(size=300) * 0.25, 0.001, 0.999)
    weights = rng.uniform(0.5, 2, 300) if weighted else np.ones(300)
    report = karat.evaluate(y_true, y_prob=p, weights=weights if weighted else None)
    karat.plot.scores(report, ax=ax)
    outlines = {str(patch.get_label()): patch for patch in ax.patches}
    for label, side in (("truly 1", 1), ("other rows", 0)):
        values, edges, _ = outlines[label].get_data()
        mine = y_true == side
        wanted, _ = np.histogram(p[mine], bins=edges, weights=weights[mine])
        assert values == pytest.approx(wanted, abs=1e-9)
    assert ax.get_ylabel() == ("weight" if weighted else "rows")


def rare(n: int = 4000) -> karat.Report:
    rng = np.random.default_rng(9)
    y_true = (rng.random(n) < 0.02).astype(int)
    p = 1 / (1 + np.exp(4.5 - rng.normal(size=n) - 2.0 * y_true))
    return karat.evaluate(y_true, y_prob=p)


def test_scores_of_a_rare_class_are_on_a_logarithmic_scale(ax: Any) -> None:
    report = rare()
    karat.plot.scores(report, ax=ax)
    assert ax.get_yscale() == "log"
    heights = {str(patch.get_label()): patch.get_data().values for patch in ax.patches}
    assert heights["truly 1"].sum() == report["prevalence"].value * 4000
    assert [text.get_text() for text in ax.get_yticklabels()][1:3] == ["1", "10"]
    ax.clear()
    karat.plot.scores(of_classes(2), ax=ax)
    assert ax.get_yscale() == "linear"


def test_reliability_of_a_rare_class_has_bins_of_equal_weight(ax: Any) -> None:
    report = rare()
    curve = report.curves.reliability_by_quantile[1]
    assert curve.weight == pytest.approx(np.full(10, 400.0))
    karat.plot.reliability(report, band=True, ax=ax)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    drawn = line_of(ax, "1")
    assert drawn.get_xdata() == pytest.approx(curve.mean_confidence)
    floor = ax.get_ylim()[0]
    assert drawn.get_ydata() == pytest.approx(np.maximum(curve.share, floor))
    ax.clear()
    karat.plot.reliability(report, bins="uniform", ax=ax)
    assert ax.get_xscale() == "linear"
    assert of_classes(2).curves.reliability_by_quantile == {}
    with pytest.raises(karat.KaratError, match="K702"):
        karat.plot.reliability(of_classes(2), bins="quantile", ax=ax)
    read = karat.Report.from_json(report.to_json()).curves.reliability_by_quantile[1]
    assert read.share.tolist() == curve.share.tolist()


def test_scores_of_many_classes_are_shares_of_each(ax: Any) -> None:
    report = of_classes(10)
    karat.plot.scores(report, ax=ax)
    assert [patch.get_data().values.sum() for patch in ax.patches] == pytest.approx([1.0] * 10)
    assert legend_of(ax) == [str(label) for label in range(10)]
    ax.clear()
    karat.plot.scores(of_classes(2), shares=True, ax=ax)
    assert ax.get_ylabel() == "proportion of the rows of the class"
    ax.clear()
    karat.plot.scores(of_classes(100), ax=ax)
    assert len(ax.patches) == 5
    assert int(np.isnan(line_of(ax, "95 other classes").get_xdata()).sum()) == 95


def test_scores_that_are_no_probabilities_say_what_they_count_as(ax: Any) -> None:
    karat.plot.scores([0, 0, 1, 1], y_logit=[-2.0, 0.4, 0.1, 3.0], ax=ax)
    assert ax.get_xlabel() == "probability (softmax of the logits)"


@pytest.mark.parametrize("name", ["confusion", "threshold", "scores"])
def test_one_row_and_missing_classes_are_drawn(name: str, ax: Any) -> None:
    for report in (one_row(), lacking()):
        ax.clear()
        getattr(karat.plot, name)(report, ax=ax)
        ax.figure.draw_without_rendering()
