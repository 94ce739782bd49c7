"""What a message advises works as it is printed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import karat as library
from tests.cli.running import Karat
from tests.optional import optional

N = 80
_RNG = np.random.default_rng(5)
TRUE = np.where(np.arange(N) % 3 == 0, "fraud", "ok")
P = np.clip((TRUE == "fraud") * 0.4 + _RNG.random(N) * 0.6, 0.01, 0.99)
PRED = np.where(P > 0.5, "fraud", "ok")
ROWS = pd.DataFrame({"label": TRUE, "pred": PRED, "country": np.where(P > 0.3, "DK", "NO")})
THREE = pd.DataFrame({"label": ["a", "b", "c"] * 10, "pred": ["a", "b", "b"] * 10})


@pytest.fixture
def karat(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Karat:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    ROWS.to_csv("rows.csv", index=False)
    THREE.to_csv("three.csv", index=False)
    return Karat(capsys)


def advice(call: Callable[[], object]) -> str:
    """The last line of the error."""
    with pytest.raises((library.KaratError, AttributeError)) as caught:
        call()
    return str(caught.value).splitlines()[-1].strip()


# Scores and classes.


@pytest.mark.parametrize("metrics", [(), ("--metrics", "roc_auc")])
@pytest.mark.parametrize("has_pred", [True, False])
def test_scores_of_the_other_class_need_that_class(
    karat: Karat, has_pred: bool, metrics: tuple[str, ...]
) -> None:
    table = {"label": TRUE, "proba_fraud": P} | ({"pred": PRED} if has_pred else {})
    pd.DataFrame(table).to_csv("p.csv", index=False)
    asked = karat("report", "p.csv", "--positive", "ok", *metrics)
    if metrics or not has_pred:
        assert asked.code == 2
    assert "Give --positive fraud, the class that the column is of" in asked.err
    assert karat("report", "p.csv", "--positive", "fraud", *metrics).code == 0
    gate = karat("gate", "p.csv", "--positive", "ok", "--min", "roc_auc=0.1")
    assert gate.code == 2
    assert "Give --positive fraud" in gate.err


def test_a_report_without_its_scores_says_why_they_were_not_read() -> None:
    report = library.evaluate({"label": TRUE, "pred": PRED, "proba_fraud": P}, positive="ok")
    for call in (lambda: report["roc_auc"], lambda: report.thresholds, lambda: report.calibration):
        assert "Give positive='fraud'" in advice(call)
    bare = library.evaluate(TRUE, PRED, positive="ok")
    assert advice(lambda: bare["roc_auc"]).startswith("Give y_prob=, y_logit= or y_score=")


def test_the_positive_class_settles_a_column_that_is_spelled_otherwise() -> None:
    labels = np.where(TRUE == "fraud", "Yes", "No")
    rows = {"label": labels, "proba_yes": P}
    assert "positive='Yes'" in advice(lambda: library.evaluate(rows))
    assert library.evaluate(rows, positive="Yes").doubts == ()
    assert library.check(rows).doubts == ()
    assert library.evaluate({"label": labels, "proba_churn": P}, positive="Yes").doubts == ()
    # Of the other class it is no doubt: the number would be wrong.
    with pytest.raises(library.InputError, match="K137") as caught:
        library.evaluate({"label": labels, "proba_no": P}, positive="Yes")
    assert "positive='No'" in str(caught.value)
    usual = {"label": (TRUE == "fraud").astype(int), "proba_churn": P}
    (doubt,) = library.evaluate(usual).doubts
    assert (doubt.code, "prob='proba_churn'" in doubt.option) == ("D109", True)
    assert library.evaluate(usual, y_prob="proba_churn").doubts == ()


@pytest.mark.parametrize(("stem", "option"), [("proba", "y_prob"), ("score", "y_score")])
def test_columns_that_name_no_classes_are_listed(karat: Karat, stem: str, option: str) -> None:
    rows = pd.DataFrame({"label": TRUE, f"{stem}_a": P, f"{stem}_b": 1 - P})
    names = [f"{stem}_a", f"{stem}_b"]
    assert f"{option}={names}" in advice(lambda: library.evaluate(rows))
    found = library.evaluate(rows, **{option: names}, positive="fraud")
    assert found["roc_auc"].value == library.roc_auc(TRUE, y_score=P, positive="fraud")
    rows.to_csv("p.csv", index=False)
    asked = karat("report", "p.csv").err
    flag = option.replace("y_", "--")
    assert f"{flag} {names[0]},{names[1]}" in asked
    assert "y_prob" not in asked
    assert karat("report", "p.csv", flag, ",".join(names)).code == 0


def test_a_gate_speaks_of_the_log_loss_where_a_rule_does(tmp_path: Path) -> None:
    truth, p = (TRUE == "fraud").astype(int), np.where(np.arange(N) < 6, 0.0, P)
    report = library.evaluate(truth, y_prob=p)
    assert "D106" in [one.code for one in report.doubts]
    path = tmp_path / "base.json"
    written = library.gate(truth, y_prob=p, min={"accuracy": 0.1}).save_baseline(path)
    for found in (written, library.gate(report, min={"accuracy": 0.1})):
        assert found.verdict == "PASS"
        assert "D106" not in [one.code for one in found.doubts]
    with_loss = library.gate(truth, y_prob=p, max={"log_loss": 9.0})
    assert [one.code for one in with_loss.doubts] == ["D106"]


# Options that are words or numbers.


def test_a_slip_of_a_word_is_named(karat: Karat) -> None:
    assert advice(lambda: library.evaluate(ROWS, reading=library.Reading(nulls="Drop"))).startswith(
        "Did you mean nulls='drop'?"
    )
    assert "side='low'" in advice(
        lambda: library.evaluate(ROWS, interval=library.Interval(side="LOW"))
    )
    assert "Did you mean design=karat.CaseControl()?" in advice(
        lambda: library.evaluate(ROWS, design="case_control")
    )
    assert "Did you mean design=karat.Judge(…)?" in advice(
        lambda: library.evaluate(ROWS, design="judge")
    )
    assert "Did you mean" not in advice(lambda: library.evaluate(ROWS, design="zzz"))
    assert "Did you mean" not in advice(
        lambda: library.evaluate(ROWS, reading=library.Reading(nulls="zzz"))
    )
    for option, given, meant in (
        ("--nulls", "Drop", "drop"),
        ("--format", "JSON", "json"),
        ("--method", "Wald", "wald"),
    ):
        ran = karat("report", "rows.csv", option, given)
        assert ran.code == 2
        assert f"Did you mean {meant!r}?" in ran.err
    assert "Did you mean" not in karat("report", "rows.csv", "--nulls", "zzz").err


def test_a_level_in_percent_and_none_as_text(karat: Karat) -> None:
    assert "level=0.95" in advice(lambda: library.evaluate(ROWS, level=95))
    assert "level=0.995" in advice(lambda: library.evaluate(ROWS, level=99.5))
    assert "level=None" in advice(lambda: library.evaluate(ROWS, level="none"))
    assert "--level 0.95" in karat("report", "rows.csv", "--level", "95").err
    assert "--level 0.9:" in karat("compare", "rows.csv", "rows.csv", "--level", "90").err
    assert karat("report", "rows.csv", "--level", "None").code == 0


def test_one_class_of_many_on_the_command_line(karat: Karat) -> None:
    told = karat("report", "three.csv", "--metrics", "f1").err
    assert "K307" in told
    assert "report.per_class" not in told
    assert "Name the average, as macro_f1." in told
    assert karat("report", "three.csv", "--metrics", "macro_f1").code == 0
    assert "report.per_class" in advice(lambda: library.evaluate(THREE)["f1"])


def test_a_matrix_that_does_not_fit_says_how_it_does(
    karat: Karat, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = pd.DataFrame({"label": [f"class{i}" for i in range(30)] * 3})
    many["pred"] = np.roll(many["label"], 1)
    many.to_csv("many.csv", index=False)
    text = library.evaluate(many).text()
    assert max(map(len, text.splitlines())) <= 80
    needed = re.search(r"needs a width of (\d+): text\(width=\1\)", text)
    assert needed is not None
    assert "needs a width" not in library.evaluate(many).text(width=int(needed[1]))
    assert f"COLUMNS={needed[1]}" in karat("report", "many.csv").out
    monkeypatch.setenv("COLUMNS", needed[1])
    assert "needs a width" not in karat("report", "many.csv").out


def test_missing_labels_are_left_out_of_tables_alone() -> None:
    arrays = advice(lambda: library.evaluate([1, 0, None], [1, 0, 1]))
    assert arrays == "Fill or remove those rows in every argument."
    rows = {"label": [1, 0, None], "pred": [1, 0, 1]}
    assert "nulls='drop'" in advice(lambda: library.evaluate(rows))
    assert library.evaluate(rows, reading=library.Reading(nulls="drop")).n_rows == 2


def test_pictures_say_how_a_title_or_a_size_is_set() -> None:
    optional("matplotlib")
    report = library.evaluate(ROWS)
    title = advice(lambda: library.plot.confusion(report, title="T"))
    assert "ax.set_title(...)" in title
    size = advice(lambda: library.plot.confusion(report, figsize=(3, 3)))
    assert "plt.subplots(figsize=...)" in size
    assert "savefig" in advice(lambda: library.plot.confusion(report, path="a.png"))


# Several models.


@pytest.mark.parametrize(
    "given",
    [
        (ROWS, ROWS),
        (ROWS, {"lr": ROWS, "nb": ROWS}),
        (TRUE, {"lr": ROWS, "nb": ROWS}),
        ([ROWS, ROWS],),
        (pl.from_pandas(ROWS), pl.from_pandas(ROWS)),
    ],
)
def test_tables_of_models_are_not_their_columns(given: Any) -> None:
    told = advice(lambda: library.compare(*given))
    call = re.search(r"karat\.compare\(.*\)", told)
    assert call is not None
    tables = dict.fromkeys(("lr", "nb", "old", "new"), ROWS)
    found = eval(call[0], {"karat": library, **tables})  # noqa: S307
    assert found.metrics


@pytest.mark.parametrize("given", [("lr.csv", "nb.csv"), (["lr.csv", "nb.csv"],)])
def test_files_of_models_have_names(karat: Karat, given: Any) -> None:
    del karat
    assert "Give a dict of them: karat.compare({" in advice(lambda: library.compare(*given))
    for name in ("lr.csv", "nb.csv"):
        ROWS.to_csv(name, index=False)
    files = {"lr": "lr.csv", "nb": Path("nb.csv")}
    assert library.compare(files, positive="fraud").models == ("lr", "nb")


def test_a_dict_of_predictions_alone_lacks_the_truth() -> None:
    told = advice(lambda: library.compare({"lr": PRED, "nb": PRED}))
    assert "karat.compare(y_true, {'old': ..., 'new': ...})" in told
    assert library.compare(TRUE, pd.DataFrame({"lr": PRED, "nb": PRED})).models == ("lr", "nb")


@pytest.mark.parametrize("has_ids", [True, False])
def test_rows_that_one_model_lacks_are_named_and_left_out(karat: Karat, has_ids: bool) -> None:
    rows = ROWS.assign(id=np.arange(N)) if has_ids else ROWS
    first, second = rows.astype(object), rows.astype(object)
    first.loc[7, "pred"], second.loc[4, "label"] = None, None
    first.to_csv("a.csv", index=False)
    second.to_csv("b.csv", index=False)
    files = ("a.csv", "b.csv", "--positive", "fraud", "--nulls", "drop")
    asked = karat("compare", *files)
    assert asked.code == 2
    assert "K172" in asked.err
    assert "1 of 79 rows are in a alone (first: " in asked.err
    assert asked.err.rstrip().endswith("--allow-mismatch.")
    done = karat("compare", *files, "--allow-mismatch", "--format", "json")
    assert done.code == 0
    found = json.loads(done.out)
    both = ROWS.drop([4, 7])
    assert {one["difference"] for one in found["differences"]} == {0.0}
    (one,) = [x for x in found["differences"] if x["metric"] == "accuracy"]
    assert one["value_a"] == library.accuracy(both["label"], both["pred"])


# Streams.


def batches(**names: str) -> list[tuple[Any, Any]]:
    """Rows in two batches, the first of one class alone."""
    places = [TRUE == "ok", TRUE == "fraud"]
    return [
        (TRUE[at], pd.Series(P[at], name=name))
        for at, name in zip(places, names.values(), strict=True)
    ]


def test_a_stream_takes_the_class_from_the_name_of_a_series() -> None:
    series = pd.Series(P, name="proba_fraud")
    wanted = library.evaluate(TRUE, y_prob=series)["roc_auc"].value
    for column in (series, pl.Series("proba_fraud", P)):
        stream = library.Stream()
        stream.update(TRUE, y_prob=column)
        assert stream.report()["roc_auc"].value == wanted
        again = library.Stream.from_bytes(stream.to_bytes())
        again.merge(library.Stream())
        assert library.Stream().merge(again).report()["roc_auc"].value == wanted
    stream = library.Stream()
    for truth, column in batches(a="proba_fraud", b="proba_fraud"):
        stream.update(truth, y_prob=column)
    assert stream.report()["roc_auc"].value == wanted


def test_a_stream_refuses_columns_of_different_classes() -> None:
    for options in ({}, {"labels": ["fraud", "ok"]}):
        stream = library.Stream(**options)
        first, second = batches(a="proba_fraud", b="proba_ok")
        stream.update(first[0], y_prob=first[1])
        with pytest.raises(library.InputError, match="K137"):
            stream.update(second[0], y_prob=second[1])
    one = library.Stream()
    with pytest.raises(library.InputError, match="K137"):
        one.update((TRUE == "fraud").astype(int), y_prob=pd.Series(P, name="proba_0"))
    # What a name said is forgotten with the rows.
    stream.reset()
    stream.update(TRUE, y_prob=pd.Series(1 - P, name="proba_ok"))
    assert stream.report().classes.positive == 1


def test_the_positive_class_is_an_option_of_the_stream() -> None:
    stream = library.Stream()
    told = advice(lambda: stream.update(TRUE, y_prob=P))
    assert "karat.Stream(positive='fraud') or karat.Stream(positive='ok')" in told
    update: Any = stream.update
    given = advice(lambda: update(TRUE, y_prob=P, positive="fraud"))
    assert "karat.Stream(positive='fraud')" in given
    # Two streams of one class each.
    for truth, column in batches(a="x", b="x"):
        part = library.Stream()
        part.update(truth, y_prob=column.to_numpy())
        stream.merge(part)
    assert "karat.Stream(positive='fraud')" in advice(stream.report)


# Names, rules and files.


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("macro-f1", "Write macro_f1."),
        ("Balanced Accuracy", "Write balanced_accuracy."),
        ("f1, accuracy", "Write a list of names: ['f1', 'accuracy']."),
        ("no-such", "Write a name, or a name with parameters: macro_f_beta(beta=2)."),
    ],
)
def test_metric_names_with_other_signs(text: str, told: str) -> None:
    assert advice(lambda: library.metrics.get(text)) == told


def test_a_letter_for_a_digit() -> None:
    with pytest.raises(library.UnknownNameError, match=r"K301(.|\n)*Nearest: f1, "):
        library.metrics.get("fi")


def test_rules_of_a_gate_are_lists_as_metrics_are(karat: Karat) -> None:
    rules = ("--min", "f_beta(beta=2,average=macro)=0.1,accuracy=0.1", "--min", "kappa=0")
    ran = karat("gate", "rows.csv", *rules)
    assert ran.code == 0
    assert "3 of 3 rules passed" in ran.out
    assert "Write macro_f1." in karat("gate", "rows.csv", "--min", "macro-f1=0.1").err


def test_conditions_name_their_quotes(karat: Karat) -> None:
    split = karat("report", "rows.csv", "--where", "country", "=", "DK")
    assert split.code == 2
    whole = karat("report", "rows.csv", "--where", "country = DK")
    assert "K408" in whole.err
    for told in (split.err, whole.err):
        assert "--where \"country = 'DK'\"" in " ".join(told.split())
        assert "FROM" not in told.partition("country = 'DK'")[2]
    assert karat("report", "rows.csv", "--where", "country = 'DK'").code == 0


def test_json_of_columns_says_how_to_write_rows(karat: Karat) -> None:
    ROWS.to_json("columns.json")
    ROWS.to_json("records.json", orient="records")
    told = karat("report", "columns.json").err
    assert "df.to_json(path, orient='records')" in told
    assert karat("report", "records.json").code == 0


def test_a_text_file_of_another_name_is_read_by_a_query(karat: Karat) -> None:
    ROWS.to_csv("it's.txt", sep="\t", index=False)
    told = karat("report", "it's.txt").err
    query = re.search(r'"(SELECT .*)"', told)
    assert query is not None
    assert karat("report", query[1]).code == 0


def test_curves_of_classes_have_no_area_of_their_own() -> None:
    curves = library.evaluate(TRUE, y_prob=P, positive="fraud").curves.roc
    any_curves: Any = curves
    told = advice(lambda: any_curves.area)
    assert "['fraud'].area" in told
    assert ".positive.area" in told
    assert curves["fraud"].area == curves.positive.area
    assert "no attribute 'aera'" in advice(lambda: any_curves.aera)


def test_an_average_without_its_name() -> None:
    f1: Any = library.f1
    roc_auc: Any = library.roc_auc
    for call in (lambda: f1(TRUE, PRED, "macro"), lambda: roc_auc(TRUE, P, "macro")):
        assert advice(call) == "Name it: average='macro'."
    assert "positive=" in advice(lambda: f1(TRUE, PRED, "fraud"))
    assert f1(TRUE, PRED, average="macro") > 0


@pytest.mark.parametrize("name", ["read_report", "load_report", "from_json", "load"])
def test_reports_are_read_by_their_class(name: str) -> None:
    with pytest.raises(AttributeError, match=r"^It is karat\.Report\.from_json\."):
        getattr(library, name)
