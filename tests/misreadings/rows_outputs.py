"""Section 4: what is printed is what is meant."""

from __future__ import annotations

import re

import numpy as np

import karat
from tests.misreadings.table import command, error, row


def _confused(names: list[str], n: int = 300) -> karat.Report:
    """A report of classes with these names, some of them confused."""
    rng = np.random.default_rng(7)
    y_true = rng.integers(0, len(names), n)
    y_pred = np.where(rng.random(n) < 0.7, y_true, rng.integers(0, len(names), n))
    labels = np.array(names, object)
    return karat.evaluate(labels[y_true], labels[y_pred], level=None)


def _colliding(names: list[str]) -> str:
    """Shortened names that stand for several classes, or classes with several, of a report."""
    text = _confused(names).text(80)
    classes = text.partition("\nClasses")[2].partition("\n\n")[0].partition("──")[0]
    pairs = text.partition("\nMost confused")[2].partition("\n\n")[0]
    legend = dict(re.findall(r"^  (\S+) = (\S+)$", text.partition("\nNames\n")[2], re.MULTILINE))
    shown = re.findall(r"^ +(\S*[…~]\S*) ", classes, re.MULTILINE)
    shown += re.findall(r"(\S*[…~]\S*)", pairs.split("listed:")[0])
    unknown = sorted(set(shown) - set(legend))
    several = len(set(shown)) - len(set(legend.values()))
    return f"{len(unknown)} not in the legend, {several} texts too many"


@row(
    4,
    "class names with one beginning and one end: texts of a report without a class, "
    "and classes with several texts",
    "0 not in the legend, 0 texts too many",
)
def classes_that_are_shortened() -> object:
    return _colliding([f"plant_of_genus_{i:02}_and_a_tail_of_words" for i in range(14)])


@row(4, "a heat map of class names that are shortened: all names are on it in full", "True")
def heat_map_has_a_legend() -> object:
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    names = [f"intent_of_customer_{word}_request_v2" for word in ("refund", "change", "renewal")]
    ax = karat.plot.confusion(_confused(names), ax=Figure((8, 8)).subplots())
    shown = "".join("".join(text.get_text().split()) for text in ax.findobj(Text))
    return all(name in shown for name in names)


@row(
    4,
    "--max-drop recall without a number: the example that the error teaches",
    r"K176 .* max_drop=\{'recall': 0\.02\}\.",
)
def example_of_a_drop() -> object:
    return error(lambda: karat.gate([0, 1, 1, 0], [0, 1, 0, 0], max_drop=["recall"]))


@row(4, "a gate that allows a drop of 0.8: its doubts", r"\['D145'\]")
def a_gate_that_cannot_fail() -> object:
    y = [0, 1, 1, 0, 1] * 20
    found = karat.gate(y, y, baseline=y, max_drop={"macro_f1": 0.8})
    return [one.code for one in found.doubts]


@row(4, "the first example of karat monitor --help: its exit code", "exit (0|1|3).*")
def example_of_a_monitor() -> object:
    from pathlib import Path
    from shlex import split
    from tempfile import TemporaryDirectory

    from karat.cli.monitor import command as monitor

    with TemporaryDirectory() as folder:
        path = Path(folder, "monday.csv")
        path.write_text("label,pred\n" + "spam,spam\nham,ham\nspam,ham\n" * 30)
        words = split(monitor.examples[0])[1:]
        places = {"spam.karat": Path(folder, "spam.karat"), "monday.csv": path}
        return command(*(places.get(word, word) for word in words))


def _two_models(n: int = 500) -> karat.Comparison:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, n)
    models = {
        name: np.where(rng.random(n) < p, y, (y + 1) % 3)
        for name, p in (("old", 0.7), ("new", 0.8))
    }
    return karat.compare(y, models)


@row(
    4,
    "karat.compare at 80 columns: headings of the table of differences, and its verdicts",
    r"metric old new diff 95 % interval p \| verdict better: accuracy.*",
)
def compare_at_80_columns() -> object:
    lines = _two_models().text(80).splitlines()
    head = next(line for line in lines if "diff" in line)
    verdict = [line for line in lines if line.strip().startswith("verdict ")]
    return f"{' '.join(head.split())} | {' '.join(verdict)}"


@row(
    4,
    "the best of three models, corrected below the worst measured: its remark in the table",
    ".*the corrected value is worse than every measured one.*",
)
def corrected_below_all() -> object:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 200)
    models = {name: np.where(rng.random(200) < 0.8, y, 1 - y) for name in "abc"}
    text = karat.compare(y, models, metrics=["accuracy"]).text(100)
    return " ".join(text.partition("corrected for selection")[2].partition("Notes")[0].split())


@row(
    3,
    "method='bootstrap' where every row is right, limits [1, 1]: the caution",
    r"\[1\.0, 1\.0\] .* limits have no width\. The default method .*",
)
def caution_beside_a_point() -> object:
    y = [0, 1] * 30
    report = karat.evaluate(
        y, y, metrics=["accuracy"], interval=karat.Interval(method="bootstrap", n_replicates=100)
    )
    return f"[{report.accuracy.low}, {report.accuracy.high}] {report.cautions[0]}"


@row(
    7, "the hint of D112 about classes whose order is not declared", r".*: labels=\[…\], in order.*"
)
def hint_of_classes_in_order() -> object:
    y = ["low", "mid", "high", "NA"] * 10
    return next(one for one in karat.evaluate(y, y, level=None).doubts if one.code == "D112").option


@row(
    7, "karat.plot.intervals of the slices by a column", r"\['f', 'm'\] accuracy \(95 % interval\)"
)
def slices_are_drawn() -> object:
    from matplotlib.figure import Figure

    y = [0, 1, 1, 0, 1] * 20
    said = [0, 1, 0, 0, 1] * 20
    report = karat.evaluate(y, said, by={"sex": ["f", "m"] * 50})
    ax = karat.plot.intervals(report.slices["sex"], ax=Figure().subplots())
    return f"{[label.get_text() for label in ax.get_yticklabels()]} {ax.get_xlabel()}"


@row(
    7,
    "karat.plot.confusion of a report of sets of labels",
    r"K702 .*sets of labels.* karat\.plot\.confusion\(y_true\[:, 0\], y_pred\[:, 0\]\)\.",
)
def confusion_of_sets() -> object:
    y = np.arange(60).reshape(20, 3) % 2
    return error(lambda: karat.plot.confusion(karat.evaluate(y, y, level=None)))


@row(7, "class_names= in a frame, CSV and the keys of a tracker", r"healthy ill; True; True")
def class_names_everywhere() -> object:
    y, said = [0, 1, 1, 0, 1] * 20, [0, 1, 0, 0, 1] * 20
    report = karat.evaluate(y, said, labels=karat.Labels(names=["healthy", "ill"]), level=None)
    frame = report.to_frame("pandas")
    labels = sorted({text for text in frame["label"] if isinstance(text, str)})
    keys = report.to_wandb(per_class=True)
    in_csv = any(",healthy," in line for line in report.to_csv().splitlines())
    return f"{' '.join(labels)}; {in_csv}; {any('healthy' in key for key in keys)}"


@row(
    3,
    "compare where one model never predicts the class: forms with a number for its precision",
    r"\[\]",
)
def undefined_value_of_a_model() -> object:
    from html import unescape

    y = np.array([0, 1] * 40)
    models = {"old": np.zeros(80, int), "new": y}
    found = karat.compare(y, models, metrics=["precision"])
    page = re.sub(r"<[^>]+>", " ", found.to_html().partition("</head>")[2].partition("<script")[0])
    values = found.values["precision"]["old"].to_dict(), found["precision"].to_dict()
    forms = {
        "text": found.text(100),
        "Markdown": found.to_markdown(),
        "LaTeX": found.to_latex(),
        "notebook": re.sub(r"<[^>]+>", " ", found._repr_html_()),
        "page": unescape(page),
        "CSV": found.to_csv().replace(",1.0,0.0,", ",0.0000,"),
        "JSON": "0.0000" if values[0]["value"] is not None or values[1]["value_b"] == 0 else "",
    }
    return [name for name, text in forms.items() if re.search(r"\b0\.0000\b", text)]


_NO_INTERVAL = r"no interval: .*(undefined in \d+ of|do not define|there is one|undefined: nothing)"


def _forms_with(found: karat.Report | karat.MultilabelReport | karat.Comparison) -> str:
    """Number of the forms that say why a value has no interval."""
    texts = found.text(200), found.to_markdown(), found.to_html(), found._repr_html_()
    lines = (" ".join(text.split()) for text in texts)
    return str(sum(re.search(_NO_INTERVAL, line) is not None for line in lines))


@row(
    3,
    "an interval is missing (undefined; too few replicates; one row; a slice; a model): forms "
    "with the reason, of text, Markdown, page and notebook",
    "4 4 4 4 4",
)
def reason_without_an_interval() -> object:
    y, few = [0, 1] * 40, [0, 1, 0]
    nothing = karat.evaluate(y, [0] * 80, metrics=["precision", "accuracy"])
    drawn = karat.evaluate(
        few, [0, 1, 1], metrics=["kappa"], interval=karat.Interval(method="bootstrap")
    )
    sets = karat.evaluate([{"x"}], [{"x"}])
    y_pred, group = [0, 1, 1, 1] * 20, ["a"] * 76 + ["b"] * 4
    slices = karat.evaluate(
        y, y_pred, by=group, metrics=["kappa"], interval=karat.Interval(method="bootstrap")
    )
    models = karat.compare(y, {"old": [0] * 80, "new": y}, metrics=["precision"])
    found = nothing, drawn, sets, slices, models
    return " ".join(map(_forms_with, found))


def _sliced() -> karat.Report:
    """A report of slices of which one has no true row of the class."""
    y, said = [0, 1, 1, 0] * 30 + [0] * 6, [0, 1, 0, 0] * 30 + [0] * 6
    return karat.evaluate(y, said, by={"site": ["a"] * 60 + ["b"] * 60 + ["c"] * 6})


@row(
    4,
    "gap of a metric that a slice does not define: the gap, its remark and the table",
    r"gap of recall: .*; without 'c' \(no row .*\) \| without 'c' \(.* \| .*gap without c is .*",
)
def gap_without_a_slice() -> object:
    gap = _sliced().slices["site"].gap("recall")
    y, said = [0, 1, 1, 0] * 30 + [0] * 6, [0, 1, 0, 0] * 30 + [0] * 6
    by = {"site": ["a"] * 60 + ["b"] * 60 + ["c"] * 6}
    text = karat.evaluate(y, said, by=by, metrics=["recall"]).text(200)
    return f"{gap} | {gap.remark} | {text}"


@row(
    4,
    "gap of a metric that no two slices define: the reason",
    r"gap of kappa: fewer than two slices have a value; without 'b' \(agreement by chance .*\)",
)
def gap_of_nothing() -> object:
    return karat.evaluate([0, 1, 0, 1], [0, 1, 1, 1], by=list("aaab")).slices["by"].gap("kappa")


@row(
    4,
    "Difference, Estimate, Gap, differences of slices, results, per_class: longest repr below 300, "
    "those without a form in notebooks",
    r"True, \[\]",
)
def forms_of_records() -> object:
    report, y = _sliced(), np.array([0, 1] * 40)
    table, two = report.slices["site"], karat.compare(y, {"a": y, "b": 1 - y})
    found = [two["f1"], two.values["f1"]["a"], table.gap("f1"), table.difference("f1")]
    found += [table.difference("f1")["a"], report.metrics, report.per_class]
    plain = [type(one).__name__ for one in found if not hasattr(one, "_repr_html_")]
    return f"{max(len(repr(one)) for one in found) < 300}, {plain}"


@row(4, "to_frame of slices by a column, of all slices, and of classes", r"24 24 14")
def frames_of_parts() -> object:
    report = _sliced()
    parts = report.slices["site"], report.slices, report.per_class
    return " ".join(str(len(part.to_frame("pyarrow"))) for part in parts)
