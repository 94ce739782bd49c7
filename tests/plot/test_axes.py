"""Plots follow the habits of matplotlib: given axes, new figures, styles, names as text."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from karat.output.plots._axes import SERIES, names_on_plots, style
from tests.plot.reports import HOSTILE, compared, lacking, of_classes, one_row
from tests.plot.seen import proportions, shares_of, xy

OF_REPORTS = [
    "confusion", "det", "gain", "intervals", "lift", "precision_recall", "reliability", "roc",
    "scores", "threshold",
]  # fmt: skip
OF_SCORES = [name for name in OF_REPORTS if name not in ("confusion", "intervals")]


def draw(name: str, report: Any, **options: Any) -> Any:
    return getattr(karat.plot, name)(report, **options)


def test_every_plot_is_tested_here() -> None:
    public = set(karat.plot.__all__) - {"PALETTE", "svg", "compare"}
    assert public == set(OF_REPORTS)
    assert set(karat.plot.__all__) <= set(dir(karat.plot))


@pytest.mark.parametrize("name", OF_REPORTS)
def test_given_axes_are_drawn_on_and_pyplot_is_left_alone(name: str, ax: Any) -> None:
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    mine = plt.figure()
    settings = dict(mpl.rcParams)
    assert draw(name, of_classes(2), ax=ax) is ax
    assert (plt.get_fignums(), plt.gcf()) == ([mine.number], mine)
    assert not mine.axes
    assert dict(mpl.rcParams) == settings


@pytest.mark.parametrize("name", OF_REPORTS)
def test_without_axes_a_figure_of_pyplot_is_made(name: str) -> None:
    import matplotlib.pyplot as plt

    found = draw(name, of_classes(2))
    assert [plt.figure(number) for number in plt.get_fignums()] == [found.figure]


@pytest.mark.parametrize("name", OF_REPORTS)
def test_a_figure_that_could_not_be_drawn_is_closed(name: str) -> None:
    import matplotlib.pyplot as plt

    # What no artist takes is refused as karat's arguments are.
    with pytest.raises(karat.errors.KaratError, match="no_such_property") as caught:
        draw(name, of_classes(2), no_such_property=1)
    assert caught.value.code == "K126"
    assert plt.get_fignums() == []


@pytest.mark.parametrize("name", OF_REPORTS)
def test_axes_of_another_kind_are_refused(name: str) -> None:
    import matplotlib.pyplot as plt

    for wrong in (np.array([1, 2]), plt.figure(), "ax", plt):
        with pytest.raises(karat.InputError, match="K701"):
            draw(name, of_classes(2), ax=wrong)


@pytest.mark.parametrize("name", OF_SCORES)
def test_a_report_without_curves_says_why(name: str, ax: Any) -> None:
    for report in (
        karat.evaluate([0, 1, 1], [0, 1, 0]),
        karat.evaluate([0, 1, 1], y_prob=[0.2, 0.7, 0.9], metrics=["roc_auc"]),
    ):
        with pytest.raises(karat.UnknownNameError, match="K308"):
            draw(name, report, ax=ax)


def test_matplotlib_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import karat.output.plots._axes as module

    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(karat.InputError, match=r'matplotlib\.\n +pip install "karat\[cli\]"'):
        karat.plot.roc(of_classes(2))
    with pytest.raises(karat.InputError, match="K501"):
        karat.plot.svg.as_svg(lambda ax: None, 4, 3)


DRAWING = """
from matplotlib.figure import Figure
karat.plot.roc([0, 1], y_prob=[0.1, 0.9], ax=Figure().subplots())
karat.plot.svg.as_svg(lambda ax: karat.plot.roc([0, 1], y_prob=[0.1, 0.9], ax=ax), 4, 3)
"""


@pytest.mark.parametrize(
    ("statement", "is_loaded"),
    [
        ("import karat.plot.svg; dir(karat.plot); karat.evaluate([0, 1], [0, 1]).text()", False),
        (DRAWING, True),
    ],
    ids=["a report", "a picture"],
)
def test_matplotlib_is_loaded_by_a_picture_alone(statement: str, is_loaded: bool) -> None:
    loaded = "print('matplotlib' in sys.modules, 'matplotlib.pyplot' in sys.modules)"
    program = f"import sys, karat\n{statement}\n{loaded}"
    run = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert run.stdout.split() == [str(is_loaded), "False"]


@pytest.mark.parametrize("name", OF_SCORES)
def test_rows_are_drawn_as_their_report_is(name: str, ax: Any) -> None:
    rng = np.random.default_rng(1)
    y_true, p, w = rng.integers(0, 2, 90), rng.uniform(size=90), rng.uniform(1, 2, 90)
    report = karat.evaluate(y_true, y_prob=p, weights=w, labels=karat.Labels(names=["no", "yes"]))
    first = [xy(line) for line in draw(name, report, ax=ax).lines]
    labels = ax.get_legend_handles_labels()[1]
    ax.clear()
    draw(name, y_true, y_prob=p, weights=w, labels=karat.Labels(names=["no", "yes"]), ax=ax)
    assert ax.get_legend_handles_labels()[1] == labels
    for one, other in zip(first, [xy(line) for line in ax.lines], strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_report_goes_by_its_name_too(ax: Any) -> None:
    karat.plot.roc(report=of_classes(2), ax=ax)
    karat.plot.roc(y_true=[0, 1], y_prob=[0.1, 0.9], ax=ax)
    karat.plot.confusion([0, 1], y_pred=[0, 1], ax=ax)
    karat.plot.compare(comparison=compared(), ax=ax)
    karat.plot.confusion(confusion=[[3, 1], [2, 4]], ax=ax)


def test_arguments_that_do_not_go_together_are_refused(ax: Any) -> None:
    with pytest.raises(karat.InputError, match=r"(?s)K160.*weights="):
        karat.plot.roc(of_classes(2), weights=[1, 2], ax=ax)
    with pytest.raises(karat.InputError, match=r"(?s)K160.*y_pred"):
        karat.plot.roc({"a": of_classes(2)}, [0, 1], ax=ax)
    with pytest.raises(karat.InputError, match="K160"):
        karat.plot.compare(compared(), baseline="forest", ax=ax)
    with pytest.raises(karat.KaratError, match="In karat it is weights="):
        karat.plot.roc([0, 1], y_prob=[0.1, 0.9], sample_weight=[1, 2], ax=ax)
    with pytest.raises(karat.InputError, match="K127"):
        karat.plot.roc(ax=ax)


def test_arguments_of_artists_reach_them(ax: Any) -> None:
    karat.plot.roc(of_classes(2), color="black", linewidth=3, label="mine", ax=ax)
    line = ax.lines[0]
    assert (line.get_color(), line.get_linewidth(), line.get_label()) == ("black", 3, "mine")


@pytest.mark.parametrize("look", ["default", "dark_background", "ggplot", "grayscale"])
@pytest.mark.parametrize("name", OF_REPORTS)
def test_style_sheets_subplots_and_layouts_are_followed(name: str, look: str) -> None:
    import matplotlib.pyplot as plt

    with plt.style.context(look):
        figure, axes = plt.subplots(1, 2, layout="constrained" if look == "default" else None)
        for ax, k in zip(axes, (2, 10), strict=True):
            draw(name, of_classes(k), ax=ax)
            assert ax.xaxis.label.get_color() == plt.rcParams["axes.labelcolor"]
        figure.draw_without_rendering()


@pytest.mark.parametrize("name", OF_REPORTS)
def test_no_artist_stands_outside_of_its_part_of_the_page(name: str) -> None:
    from matplotlib.figure import Figure

    for report in (of_classes(2), of_classes(10), lacking(), one_row()):
        figure = Figure(figsize=(14, 10))
        ax = figure.subplots(2, 2)[0, 1]
        draw(name, report, ax=ax)
        figure.draw_without_rendering()
        box = ax.get_tightbbox()
        assert box.x0 > 0.4 * figure.bbox.width
        assert box.y0 > 0.4 * figure.bbox.height


def test_series_differ_in_more_than_their_colour() -> None:
    looks = [(one.color, str(one.linestyle), one.marker) for one in map(style, range(24))]
    assert len({look[:2] for look in looks[:12]}) == 12
    assert len(set(looks)) == 24
    # Neighbours differ in all three.
    for one, other in pairwise(looks):
        assert all(a != b for a, b in zip(one, other, strict=True))
    assert len(set(SERIES)) == len(SERIES) == 6


@pytest.mark.parametrize("name", OF_REPORTS)
def test_hostile_names_are_drawn_and_never_read_as_markup(name: str, ax: Any) -> None:
    from matplotlib.mathtext import MathTextParser

    report = of_classes(6, 300, hostile=True)
    options = {"metrics": "recall"} if name == "intervals" else {}
    parsed: list[str] = []

    def parse(self: Any, text: str, *rest: Any, **named: Any) -> None:
        parsed.append(text)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(MathTextParser, "parse", parse)
        draw(name, report, ax=ax, **options)
        ax.figure.draw_without_rendering()
    assert parsed == []
    legend = ax.get_legend()
    texts = [text.get_text() for text in (legend.get_texts() if legend else [])]
    shown = " ".join(texts + [text.get_text() for text in ax.get_yticklabels()])
    for part in ("'_hidden'", "line\\nbreak", "aaa…aaa", "\\$x\\$ & y_z", "<script>"):
        assert part in shown


def test_a_formula_would_have_been_seen(ax: Any) -> None:
    from matplotlib.mathtext import MathTextParser

    parsed: list[str] = []
    real = MathTextParser.parse

    def parse(self: Any, text: str, *rest: Any, **named: Any) -> Any:
        parsed.append(text)
        return real(self, text, *rest, **named)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(MathTextParser, "parse", parse)
        ax.set_title("$x$ & y_z")
        ax.figure.draw_without_rendering()
    assert set(parsed) == {"$x$ & y_z"}


def test_names_stay_apart_when_they_are_shortened() -> None:
    full = ["x" * 300 + "a" + "y" * 40, "x" * 300 + "b" + "y" * 40, " ", *HOSTILE]
    names = names_on_plots(full)
    assert len(set(names.values())) == len(set(full))
    assert all(len(name.replace("\\$", "$")) <= 26 for name in names.values())
    assert names[" "] == "' '"


def test_names_of_models_are_text_too(ax: Any) -> None:
    pair = {"$a$": of_classes(2), "_b": of_classes(2, weighted=True)}
    karat.plot.roc(pair, ax=ax)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert [text.split()[0] for text in texts[:2]] == ["\\$a\\$", "'_b'"]
    ax.clear()
    karat.plot.compare(compared(("$a$", "_b")), ax=ax)
    ax.figure.draw_without_rendering()
    assert "\\$" in ax.get_xlabel()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("confusion_matrix", "it is karat.plot.confusion"),
        ("roc_curve", "it is karat.plot.roc"),
        ("calibration", "it is karat.plot.reliability"),
        ("slices", "there are compare, confusion, det"),
    ],
)
def test_a_name_of_another_library_is_answered(name: str, told: str) -> None:
    with pytest.raises(AttributeError, match=told):
        getattr(karat.plot, name)


def test_an_argument_that_no_artist_takes_is_named(ax: Any) -> None:
    report = of_classes(2)
    with pytest.raises(KaratError, match=r"K126.*'clases'(.|\n)*Nearest: classes="):
        karat.plot.roc(report, clases=[1], ax=ax)
    karat.plot.roc(report, linewidth=3, ax=ax)
    with pytest.raises(AttributeError, match="nothing of ours"):
        karat.plot.roc(report, label=Unprintable(), ax=ax)


class Unprintable:
    """What an artist takes and then fails on: its own fault, told as it is."""

    def __str__(self) -> str:
        raise AttributeError("nothing of ours")


def test_a_confusion_matrix_is_drawn_and_a_list_of_reports_is_not(ax: Any) -> None:
    report = of_classes(10)
    karat.plot.confusion(report.confusion, ax=ax)
    assert shares_of(ax) == pytest.approx(proportions(report))
    assert [text.get_text() for text in ax.get_yticklabels()][:2] == ["0", "1"]
    with pytest.raises(KaratError, match=r"K702(.|\n)*list of reports(.|\n)*dict"):
        karat.plot.roc([report, report], ax=ax)
