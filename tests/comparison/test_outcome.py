"""What a comparison offers to its reader: items, flips, JSON, text, notes; and its refusals."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors.text import cells, interval, value
from karat.output.finding import finding_of_comparison
from tests.comparison.data import drawn
from tests.grouping import grouped

TRUE, (A, B) = drawn(0, 300)
MODELS = {"old": A, "new": B}


def test_items_are_found_by_metric_and_by_models_in_either_order() -> None:
    found = karat.compare(TRUE, MODELS)
    one = found["mcc"]
    assert (one.metric, one.a, one.b) == ("matthews_correlation", "new", "old")
    assert found["mcc", "new", "old"] == one
    turned = found["mcc", "old", "new"]
    assert turned.difference == -one.difference
    assert one.high is not None
    assert turned.low == -one.high
    assert turned.turned().to_dict() == one.to_dict()
    assert turned.verdict == {"better": "worse", "inconclusive": "inconclusive"}[one.verdict]
    discordant = found["accuracy", "old", "new"].discordant
    assert discordant is not None
    assert discordant.odds == pytest.approx(discordant.b / discordant.c)
    back = found["accuracy", "new", "old"].discordant
    assert back is not None
    assert discordant.error_ratio == pytest.approx(1.0 / back.error_ratio)
    assert list(found) == found.differences
    assert len(found) == 4


def test_flips_are_the_rows_on_which_one_alone_is_right() -> None:
    names = np.array(["ant", "bee", "cat", "dog", "elk"])
    found = karat.compare(names[TRUE], {"old": names[A], "new": names[B]})
    flips = found.flips["new", "old"]
    assert flips.rows.tolist() == np.flatnonzero((A == TRUE) != (B == TRUE)).tolist()
    assert flips.true.tolist() == names[TRUE][flips.rows].tolist()
    assert flips.said_a.tolist() == names[B][flips.rows].tolist()
    assert flips.said_b.tolist() == names[A][flips.rows].tolist()
    assert flips.gained.tolist() == (B == TRUE)[flips.rows].tolist()
    discordant = found["accuracy"].discordant
    assert discordant is not None
    assert (flips.gained.sum(), len(flips)) == (discordant.b, discordant.b + discordant.c)
    assert karat.compare({"x": TRUE, "y": TRUE}, {"x": A, "y": B}).flips == {}


def test_json_holds_everything_and_no_number_that_json_lacks(tmp_path: Path) -> None:
    found = karat.compare([0, 1, 0, 1], {"x": [0, 1, 0, 1], "y": [0, 1, 0, 0]})
    path = tmp_path / "comparison.json"
    text = found.to_json(path)
    assert path.read_text(encoding="utf-8") == text + "\n"
    read = json.loads(text)
    assert read["schema"] == "karat.comparison/3"
    assert read == found.to_dict()
    (accuracy,) = [one for one in read["differences"] if one["metric"] == "accuracy"]
    assert accuracy["discordant"]["odds"] == 0.0
    assert found["accuracy", "x", "y"].discordant.odds == math.inf  # type: ignore[union-attr]


def test_the_text_fits_and_says_what_is_not_in_it() -> None:
    found = karat.compare(TRUE, MODELS)
    for width in (80, 100, 120):
        lines = found.text(width).splitlines()
        assert max(map(len, lines)) <= width
    text = found.text(120)
    for word in ("new against old", "detectable", "verdict", "interval", "test rows"):
        assert word in text
    assert str(found) == found.text()
    assert "Holm" not in text
    several = karat.compare(TRUE, {**MODELS, "same": B})
    three = several.text(100)
    assert "Holm" in three
    assert "p: all models are equal; best: corrected for selection" in three
    assert "about these test rows, not about another training or split" in three
    assert three.endswith("rows that one model alone has right: to_html(path)")
    whole = several.to_markdown()
    for text in (
        "Test that all models are equal",
        "optimistic|looks better than it is",
        "influence",
    ):
        assert re.search(text, whole)
        assert not re.search(text, three)


@pytest.mark.parametrize("against", [None, "old"])
def test_three_models_take_forty_lines_verdicts_first(against: str | None) -> None:
    truth = [f"class {y}" for y in TRUE]
    models = {
        f"model_number_{name}": [f"class {y}" for y in said]
        for name, said in {**MODELS, "again": A}.items()
    }
    baseline = None if against is None else f"model_number_{against}"
    found = karat.compare(truth, models, baseline=baseline)
    lines = found.text(80).splitlines()
    assert len(lines) <= 40
    assert max(map(cells, lines)) <= 80
    titles = [line.split()[0] for before, line in pairwise(lines) if not before]
    assert titles == ["Verdicts", "Values"]
    (finding, *_) = finding_of_comparison(found)
    assert finding.text in " ".join(" ".join(lines).split())
    # What does not fit is named, and a wider text has it.
    left_out = next(line for line in lines if "not shown at this width" in line)
    assert "interval" in left_out
    table = found.text(200).partition("\nVerdicts")[2].splitlines()[1:]
    assert table[0].count("interval") == table[0].count(" vs. ") == len(found.differences) / 4
    for line in table[1 : 1 + len(found.metrics)]:
        metric, *rest = re.split(r" {2,}", line.strip())
        for one in (one for one in found.differences if one.metric == metric):
            place = rest.index(one.verdict)
            assert rest[place + 1].lstrip("+") == value(one.difference)
            assert rest[place + 2] == interval(one.low, one.high)
            del rest[: place + 3]


def test_no_verdict_is_left_out_beside_a_long_name() -> None:
    truth = TRUE % 2
    models = {name: np.where(np.arange(300) % (i + 3), truth, 0) for i, name in enumerate(LONG[:3])}
    found = karat.compare(truth, models, metrics=["accuracy", "normalized_mutual_information"])
    text = found.text(80)
    assert max(map(cells, text.splitlines())) <= 80
    assert text.count(" vs. ") == 3
    assert "Verdicts, continued" in text
    for line in (line for line in text.splitlines() if "not shown" in line):
        assert " vs. " not in line


def test_more_than_three_pairs_stand_in_several_tables_and_none_is_lost() -> None:
    models = {name: np.where(np.arange(300) % (i + 3), TRUE, 0) for i, name in enumerate("abcde")}
    found = karat.compare(TRUE, models)
    text = found.text(80)
    assert max(map(cells, text.splitlines())) <= 80
    heads = [line for line in text.splitlines() if " vs. " in line]
    assert [len(re.findall(r"\w vs\. \w", head)) for head in heads] == [3, 3, 3, 1]
    named = re.findall(r"(\w) vs\. (\w)", " ".join(heads))
    assert named == list(dict.fromkeys((one.a, one.b) for one in found.differences))


@pytest.mark.parametrize("metrics", [None, ["mcc", "kappa", "accuracy", "macro_f1"]])
def test_rows_stand_in_the_order_of_the_metrics(metrics: Any) -> None:
    found = karat.compare(TRUE, {**MODELS, "again": A}, metrics=metrics)
    order = list(found.metrics)
    # Another order than that of the p-values.
    by_p = sorted(order, key=lambda name: found[name, "new", "old"].p or 0.0)
    assert by_p != order
    for title in ("Verdicts", "Values"):
        rows = found.text(120).partition(f"\n{title}")[2].splitlines()[2 : 2 + len(order)]
        assert [row.split()[0] for row in rows] == order
    (only,) = told_of(karat.compare(TRUE, MODELS, metrics=metrics), 120).values()
    assert [row[0] for row in only[1:]] == order


def told_of(found: Any, width: int) -> dict[tuple[str, str], list[list[str]]]:
    """The table of each pair of models, as cells; the first row are the headings."""
    lines = found.text(width).splitlines()
    tables = {}
    for i, line in enumerate(lines):
        if " against " in line:
            first, _, rest = line.partition(" against ")
            rows = lines[i + 1 : i + 2 + len(found.metrics)]
            cells = [re.split(r" {2,}", row.strip()) for row in rows]
            tables[first, rest.partition("  ")[0]] = cells
    return tables


def shortened(text: str, names: Sequence[str]) -> dict[str, str]:
    """Each short name of a text → the only one of the names that it can be."""
    found = {}
    for token in re.findall(r"\S*…\S*", text):
        pattern = ".+".join(map(re.escape, token.split("…")))
        (found[token],) = (name for name in names if re.fullmatch(pattern, name))
    return found


LONG = ("logistic_regression", "gradient_boosting_machine", "naive", "forest of trees", "svm")


def test_both_values_and_the_difference_stay_at_eighty_columns() -> None:
    n = 2
    rng = np.random.default_rng(3)
    models = {name: np.where(rng.random(300) < 0.7, TRUE, 0) for name in LONG[:n]}
    found = karat.compare(TRUE, models)
    text = found.text(80)
    assert max(map(cells, text.splitlines())) <= 80
    # The facts have the names in full, so that no legend is needed.
    assert f"\n{', '.join(LONG[:n])} · " in text
    assert "Names" not in text
    full = {**{name: name for name in LONG}, **shortened(text, LONG[:n])}
    tables = told_of(found, 80)
    assert len(tables) == n * (n - 1) // 2
    for (a, b), (head, *rows) in tables.items():
        first, second = sorted((a, b), key=LONG.index)
        assert [head[0], full[head[1]], full[head[2]], head[3]] == ["metric", first, second, "diff"]
        # Beside them are the interval and p; a line below has the verdicts.
        assert head[4:] == ["95 % interval", "p"]
        told = " ".join(text.split(f"{a} against {b}")[1].partition(" alone is right")[0].split())
        for row in rows:
            one = found[row[0], a, b]
            assert one.low is not None
            of_model = {a: one.value_a, b: one.value_b}
            assert row[1:3] == [value(of_model[first]), value(of_model[second])]
            assert float(row[3]) == pytest.approx(one.difference, abs=1e-4)
            assert re.search(rf"{one.verdict}: [^;:]*\b{one.metric}\b", told)
    values = text.split("\nValues\n")[1].splitlines()
    heads = re.split(r" {2,}", values[0].strip())[1:]
    named = [full[head] for head in heads if not head.endswith("interval")]
    assert named == list(LONG[:n])


def test_flips_are_counted_by_true_label_and_predictions() -> None:
    found = karat.compare(TRUE, {"old": A, "new": B})
    (flips,) = found.flips.values()
    expected = Counter(zip(flips.true, flips.said_a, flips.said_b, flips.gained, strict=True))
    assert {
        (one.true, one.said_a, one.said_b, one.gained): one.n for one in flips.groups
    } == expected
    assert sorted(expected.values(), reverse=True) == [one.n for one in flips.groups]
    for one in flips.groups:
        assert (one.said_a if one.gained else one.said_b) == one.true
    lines = found.text(120).split("Predictions of rows that one model alone has right\n")[1]
    head, *rows = [re.split(r" {2,}", line.strip()) for line in lines.splitlines()]
    assert head == ["true", "old", "new", "rows"]
    for row, one in zip(rows, flips.groups[:6], strict=False):
        assert row == [str(x) for x in (one.true, one.said_b, one.said_a, one.n)]
    # Models of rows of their own have none.
    apart = karat.compare({"old": karat.evaluate(TRUE, A), "new": karat.evaluate(TRUE, B)})
    assert apart.flips == {}
    assert "alone has right" not in apart.text()


def test_narrower_the_interval_goes_before_the_values() -> None:
    found = karat.compare(TRUE, {"old": A, "new": B})
    gone: dict[int, set[str]] = {}
    for width in (120, 90, 80, 60, 50, 40):
        (head, *_), *_ = told_of(found, width).values()
        gone[width] = {"new", "old", "diff", "95 % interval", "p", "verdict", "detectable"} - {
            *head
        }
    assert gone[120] == set()
    assert gone[80] == {"verdict", "detectable"}
    assert {"old", "new", "diff"}.isdisjoint(gone[60])
    assert "diff" not in gone[40]
    # The verdict is in the table or in a line below it.
    for width, columns in gone.items():
        assert ("\n  verdict  " in found.text(width)) is ("verdict" in columns)
    values = found.text(60).split("\nValues\n")[1].splitlines()
    assert values[0].split() == ["metric", "old", "new"]


def test_verdicts_are_counted_above_the_rows() -> None:
    found = karat.compare(TRUE, MODELS, margin=0.5)
    counts = {word: [one.verdict for one in found].count(word) for word in ("better", "equivalent")}
    told = ", ".join(f"{n} {word}" for word, n in counts.items() if n)
    assert f"new against old  {told}\n" in found.text(80)


def test_class_names_positive_and_undefined_reach_the_metrics() -> None:
    true, x, y = [0, 0, 1, 1, 1], [0, 1, 1, 1, 0], [0, 0, 1, 0, 0]
    one = karat.compare(
        true, {"x": x, "y": y}, positive=0, labels=karat.Labels(names=["no", "yes"])
    )
    assert one["f1"].value_a == pytest.approx(karat.f1(true, y, positive=0))
    assert "positive class no" in str(one)
    options: dict[str, Any] = {"labels": [0, 1, 2], "metrics": "macro_recall"}
    exclude = karat.compare(
        true, {"x": x, "y": y}, undefined="exclude", **grouped(options, ("adjust",))
    )
    zero = karat.compare(true, {"x": x, "y": y}, **grouped(options, ("adjust",)))
    assert exclude["macro_recall"].difference == pytest.approx(
        1.5 * zero["macro_recall"].difference
    )


def test_many_classes_keep_occupied_cells_alone() -> None:
    rng = np.random.default_rng(0)
    true = rng.integers(0, 3000, 4000)
    models = {name: np.where(rng.random(4000) < q, true, rng.integers(0, 3000, 4000))
              for name, q in (("x", 0.6), ("y", 0.9))}  # fmt: skip
    found = karat.compare(
        true, models, metrics=["accuracy", "kappa"], interval=karat.Interval(n_replicates=99)
    )
    assert found["kappa"].verdict == "better"
    assert found["kappa"].difference == pytest.approx(
        karat.kappa(true, models["y"]) - karat.kappa(true, models["x"])
    )


@pytest.mark.parametrize(
    ("code", "arguments", "options"),
    [
        ("K161", (TRUE, {"old": A}), {}),
        ("K161", (TRUE, {}), {}),
        ("K162", (TRUE, [A, B]), {}),
        ("K162", (TRUE, np.eye(300)), {}),
        ("K162", (TRUE, {1: A, 2: B}), {}),
        ("K162", (TRUE,), {"y_prob": np.eye(300)}),
        ("K163", ({"old": TRUE}, MODELS), {}),
        ("K163", ({"old": TRUE, "new": TRUE}, MODELS), {"weights": {"old": np.ones(300)}}),
        ("K164", (TRUE, MODELS), {"baseline": "older"}),
        ("K165", (TRUE, MODELS), {"margin": 0.0}),
        ("K165", (TRUE, MODELS), {"margin": "small"}),
        ("K165", (TRUE, MODELS), {"margin": {"kappa": 0.1}}),
        ("K166", (TRUE, MODELS), {"metrics": ["accuracy", "log_loss"]}),
        ("K102", (TRUE[:-1], MODELS), {}),
        ("K102", (TRUE, MODELS), {"clusters": np.zeros(3, int)}),
        ("K102", (TRUE, MODELS), {"weights": np.ones(3)}),
        ("K113", (TRUE, MODELS), {"weights": np.full(300, -1.0)}),
        ("K103", (TRUE, {"old": np.full((300, 5), 0.2), "new": B}), {}),
        ("K128", (TRUE,), {}),
        ("K127", (None, MODELS), {}),
        ("K145", (TRUE, MODELS), {"clusters": np.zeros(300, int)}),
        ("K162", ({"old": TRUE, "new": TRUE}, MODELS), {"weights": np.ones(300)}),
        ("K128", ({"old": TRUE, "new": TRUE},), {}),
        ("K160", ({"x": karat.evaluate(TRUE, A), "y": karat.evaluate(TRUE, B)},), {"positive": 1}),
        ("K129", (TRUE,), {"y_prob": {"x": A, "y": B}, "y_score": {"x": A}}),
        ("K122", (TRUE, MODELS), {"level": None}),
        ("K122", (TRUE, MODELS), {"level": 95}),
        ("K122", (TRUE, MODELS), {"adjust": "bonferroni"}),
        ("K122", (TRUE, MODELS), {"paired": "yes"}),
        ("K122", (TRUE, MODELS), {"seed": -1}),
        ("K122", (TRUE, MODELS), {"n_permutations": 5}),
        ("K126", (TRUE, MODELS), {"sample_weight": np.ones(300)}),
        ("K301", (TRUE, MODELS), {"metrics": "macro_f2"}),
        ("K307", (TRUE, MODELS), {"metrics": "f1"}),
    ],
)
def test_what_cannot_be_compared_is_an_error_with_a_code(
    code: str, arguments: tuple[Any, ...], options: dict[str, Any]
) -> None:
    with pytest.raises(karat.KaratError) as caught:
        karat.compare(*arguments, **grouped(options, ("adjust",)))
    assert caught.value.code == code


def test_reports_of_scores_hold_no_rows_to_compare_scores_of() -> None:
    reports = {name: karat.evaluate(TRUE, y_prob=np.full((300, 5), 0.2)) for name in MODELS}
    with pytest.raises(karat.KaratError, match="reports hold no rows") as caught:
        karat.compare(reports, metrics="log_loss")
    assert caught.value.code == "K166"


def test_a_table_has_a_column_for_each_model() -> None:
    pandas = pytest.importorskip("pandas")
    found = karat.compare(pandas.Series(TRUE), pandas.DataFrame(MODELS))
    assert found.to_dict() == karat.compare(TRUE, MODELS).to_dict()


def test_a_float_matrix_as_predictions_is_told_to_be_probabilities() -> None:
    with pytest.raises(karat.KaratError, match="y_prob="):
        karat.compare(TRUE, {"old": np.full((300, 5), 0.2), "new": B})
    with pytest.raises(karat.KaratError, match="y_prob="):
        karat.compare(TRUE, np.full((300, 5), 0.2))  # type: ignore[arg-type]
    with pytest.raises(karat.KaratError, match=r"y_pred\['old'\]"):
        karat.compare(TRUE, {"old": A[:-1], "new": B})


@pytest.mark.parametrize("seed", range(12))
def test_two_one_sided_tests_of_a_mean_are_those_of_student(seed: int) -> None:
    from scipy.stats import t

    rng = np.random.default_rng(seed)
    n, margin = 300, 0.15
    truth = rng.integers(0, 2, n)
    p = {name: 1 / (1 + np.exp(-truth - rng.normal(size=n))) for name in "ab"}
    one = karat.compare(truth, y_prob=p, metrics="log_loss", margin=margin)["log_loss"]
    losses = {name: -np.log(np.where(truth == 1, x, 1 - x)) for name, x in p.items()}
    d = losses["b"] - losses["a"]
    error = d.std(ddof=1) / np.sqrt(n)
    wanted = t.sf((margin - abs(d.mean())) / error, n - 1)
    assert abs(d.mean()) < margin
    assert one.p_equivalent == pytest.approx(wanted, rel=1e-6)
    assert (one.verdict == "equivalent") == (wanted <= 0.05)


def test_few_rows_without_a_mistake_do_not_show_that_a_model_is_better() -> None:
    small = karat.evaluate(confusion=[[15, 0], [0, 15]])
    large = karat.evaluate(confusion=[[4950, 50], [50, 4950]])
    for one in karat.compare({"small": small, "large": large}):
        assert one.verdict == "inconclusive", one
        assert one.p is not None
        assert one.p > 0.3
        assert "disagree" not in (one.remark or "")


def test_a_difference_of_zero_is_not_said_to_be_of_the_same_predictions() -> None:
    one = karat.compare([0, 1] * 20, {"a": [0] * 40, "b": [1] * 40})["balanced_accuracy"]
    assert one.difference == 0.0
    assert one.remark == "the difference is 0 and has no variance in these rows"


@pytest.mark.parametrize(
    ("options", "code"),
    [({"metrics": []}, "K310"), ({"level": 1e-300}, "K122"), ({"level": 1.0 - 1e-16}, "K122")],
)
def test_what_says_nothing_is_refused(options: dict[str, Any], code: str) -> None:
    with pytest.raises(karat.errors.KaratError, match=code):
        karat.compare(TRUE, MODELS, **grouped(options, ("adjust",)))


def test_one_row_and_a_margin() -> None:
    found = karat.compare([0], {"a": [0], "b": [1]}, margin=0.1)
    verdicts = {one.metric: one.verdict for one in found}
    assert verdicts["accuracy"] == verdicts["balanced_accuracy"] == "inconclusive"
    # One class alone defines neither of them for both models.
    assert verdicts["f1"] == verdicts["matthews_correlation"] == "not tested"


def test_enormous_losses_have_no_interval_and_no_warning() -> None:
    rng = np.random.default_rng(0)
    scores = {"a": rng.random(40) * 1e300, "b": rng.random(40)}
    one = karat.compare([0, 1] * 20, y_logit=scores, metrics="log_loss")["log_loss"]
    assert one.low is None
    assert one.remark


def test_a_difference_without_a_p_value_says_none() -> None:
    true, said = drawn(0, 60, (0.3, 0.2))
    found = karat.compare(true, {"b": said[1], "a": said[0]}, metrics="accuracy").differences[0]
    assert ", p = " in str(found)
    assert ", p = " not in str(replace(found, p=None))
    assert str(found.verdict) in str(replace(found, p=None, low=None, high=None))


def test_notes_and_captions_are_in_the_terms_of_the_field() -> None:
    true, said = drawn(0, 60, (0.3, 0.2, 0.1))
    models = dict(zip("abc", said, strict=True))
    found = karat.compare(true, models, paired=False)
    assert found.notes[0] == (
        "Intervals and p-values are about the sample of test rows. They do not include the "
        "variation of another training, another split or folds of one data set."
    )
    assert any(note.endswith("which needs more rows.") for note in found.notes)
    best = "looks better than it is on the rows that chose it. Measure it again on fresh rows."
    assert any(note.endswith(best) for note in found.notes)
    page = re.sub(r"<[^>]+>", "", found.to_html())
    assert "Values of each model, with 95 % intervals; the bars of a row share one scale" in page
    assert (
        "Differences b − a; the verdict is about b; pp: percentage points. Bars show 95 % "
        "intervals of proportions and correlations around 0, on one scale" in page
    )


def test_all_metrics_have_one_name_in_every_verb() -> None:
    y, a, b = [0, 1, 1, 0, 1], [0, 1, 0, 0, 1], [0, 0, 1, 0, 1]
    compared = karat.compare(y, {"a": a, "b": b}, metrics="all")
    assert set(karat.compare(y, {"a": a, "b": b}).metrics) < set(compared.metrics)
    assert "kappa" in compared.metrics
    assert karat.evaluate(y, a, metrics="all").metrics == karat.evaluate(y, a).metrics
