"""What a message advises works as it is printed."""

from __future__ import annotations

import json
import re
import shlex
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
    assert advice(lambda: bare["roc_auc"]).startswith("Give y_prob= or y_score=")


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
    assert library.evaluate(usual, prob="proba_churn").doubts == ()


@pytest.mark.parametrize(("stem", "option"), [("proba", "prob"), ("score", "score")])
def test_columns_that_name_no_classes_are_listed(karat: Karat, stem: str, option: str) -> None:
    rows = pd.DataFrame({"label": TRUE, f"{stem}_a": P, f"{stem}_b": 1 - P})
    names = [f"{stem}_a", f"{stem}_b"]
    assert f"{option}={names}" in advice(lambda: library.evaluate(rows))
    found = library.evaluate(rows, **{option: names}, positive="fraud")
    assert found["roc_auc"].value == library.roc_auc(TRUE, y_score=P, positive="fraud")
    rows.to_csv("p.csv", index=False)
    asked = karat("report", "p.csv").err
    assert f"--{option} {names[0]},{names[1]}" in asked
    assert "y_prob" not in asked
    assert karat("report", "p.csv", f"--{option}", ",".join(names)).code == 0


def test_a_gate_speaks_of_the_log_loss_where_a_rule_does(tmp_path: Path) -> None:
    truth, p = (TRUE == "fraud").astype(int), np.where(np.arange(N) < 6, 0.0, P)
    report = library.evaluate(truth, y_prob=p)
    assert "D106" in [one.code for one in report.doubts]
    path = tmp_path / "base.json"
    written = library.gate(truth, y_prob=p, update_baseline=path, min={"accuracy": 0.1})
    for found in (written, library.gate(report, min={"accuracy": 0.1})):
        assert found.verdict == "PASS"
        assert "D106" not in [one.code for one in found.doubts]
    with_loss = library.gate(truth, y_prob=p, max={"log_loss": 9.0})
    assert [one.code for one in with_loss.doubts] == ["D106"]


# Options that are words or numbers.


def test_a_slip_of_a_word_is_named(karat: Karat) -> None:
    assert advice(lambda: library.evaluate(ROWS, nulls="Drop")).startswith(
        "Did you mean nulls='drop'?"
    )
    assert "side='low'" in advice(lambda: library.evaluate(ROWS, side="LOW"))
    assert "design='case-control'" in advice(lambda: library.evaluate(ROWS, design="case_control"))
    assert "Did you mean" not in advice(lambda: library.evaluate(ROWS, nulls="zzz"))
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
    assert library.evaluate(rows, nulls="drop").n_rows == 2


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
        ({"lr": ROWS, "nb": ROWS},),
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


@pytest.mark.parametrize(
    "given",
    [({"lr": "lr.csv", "nb": Path("nb.csv")},), ("lr.csv", "nb.csv"), (["lr.csv", "nb.csv"],)],
)
def test_files_of_models_are_compared_by_the_command(karat: Karat, given: Any) -> None:
    told = advice(lambda: library.compare(*given))
    assert told.endswith("the command reads files: karat compare lr.csv nb.csv")
    for name in ("lr.csv", "nb.csv"):
        ROWS.to_csv(name, index=False)
    assert karat(*told.rpartition("karat ")[2].split()).code == 0


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
    assert "karat.Stream(positive=...)" in advice(lambda: update(TRUE, y_prob=P, positive="fraud"))
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


# Weak slices.


def test_columns_that_repeat_the_predictions_are_not_searched() -> None:
    fraud = (TRUE == "fraud").astype(int)
    rows = pd.DataFrame({"y": fraud, "p_lr": P, "country": ROWS["country"]})
    rows["lr"] = np.where(P >= 0.5, "yes", "no")
    rows["truth_too"] = np.where(fraud == 1, "T", "F")
    of_table = library.find_weak_slices(rows, true="y", prob="p_lr", metric="recall", min_n=5)
    pred = (P >= 0.5).astype(int)
    of_frame = library.find_weak_slices(fraud, pred, by=rows[["country", "lr"]], min_n=5)
    for found in (of_table, of_frame):
        assert found.left_out["lr"] == "It says the same as the predictions."
        assert all("lr" not in one.columns for one in found.slices)
    assert of_table.left_out["truth_too"] == "It says the same as the true labels."
    assert "country" not in of_table.left_out
    # Who names a column wants it.
    named = library.find_weak_slices(rows, true="y", prob="p_lr", by="lr", min_n=5)
    assert "lr" not in named.left_out


# Arguments of metrics.


def test_arguments_of_metrics_in_their_own_words() -> None:
    truth, pred = (TRUE == "fraud").astype(int), (P > 0.5).astype(int)
    f1, f_beta, kappa, ece, least = (
        getattr(library, name) for name in ("f1", "f_beta", "kappa", "ece", "cost_threshold")
    )
    assert "as beta=2, positive=" in advice(lambda: f_beta(truth, pred, 2))
    for given, meant in ((0, "zero"), (0.0, "zero"), (np.nan, "nan"), ("warn", "zero")):
        with pytest.raises(library.InputError, match=f"in karat it is undefined='{meant}'"):
            f1(truth, pred, zero_division=given)
        assert f1(truth, pred, undefined=meant) > 0
    with pytest.raises(library.InputError, match="an undefined value is 0 or NaN"):
        f1(truth, pred, zero_division=1)
    with pytest.raises(library.InputError, match=r"in karat it is bins=\."):
        ece(truth, y_prob=P, n_bins=5)
    for name in ("linear", "quadratic"):
        told = advice(lambda name=name: kappa(truth, pred, weights=name))  # type: ignore[misc]
        assert told == f"By the distance of the classes: karat.kappa_{name}."
        assert getattr(library, f"kappa_{name}")(truth, pred) > 0
    with pytest.raises(library.InputError, match=r"costs=(\[\[0, 1\], \[10, 0\]\])") as caught:
        least(fp=1, fn=10)
    assert caught.value.code == "K302"
    assert 0 < least(truth, y_prob=P, costs=[[0, 1], [10, 0]]) < 1


def test_the_sign_of_a_loss_is_turned_by_its_scorer() -> None:
    told = advice(lambda: library.scorer("neg_log_loss"))
    assert told.endswith("karat.scorer('log_loss').")
    assert "by itself" not in advice(lambda: library.scorer("neg_nothing"))


def test_a_pilot_is_a_report() -> None:
    needed: Any = library.rows_needed
    for given in ({}, {"pilot": (TRUE, PRED)}):
        told = advice(lambda given=given: needed("accuracy", half_width=0.05, **given))  # type: ignore[misc]
        assert "pilot=karat.evaluate(y_true, y_pred)" in told
    assert needed("accuracy", half_width=0.05, pilot=library.evaluate(TRUE, PRED)) > 1


def test_columns_of_slices_are_named_by() -> None:
    weak: Any = library.find_weak_slices
    for given in (ROWS[["country"]], {"country": ROWS["country"]}, pl.from_pandas(ROWS)):
        told = advice(lambda given=given: weak(TRUE, PRED, given))  # type: ignore[misc]
        assert told == "Name it: karat.find_weak_slices(y_true, y_pred, by=…)."
    assert "y_prob=" in advice(lambda: weak(TRUE, PRED, P))


def test_names_of_columns_beside_values() -> None:
    models = {"lr": PRED, "nb": PRED}
    for name in ("clusters", "weights"):
        with pytest.raises(library.InputError, match=rf"K143(.|\n)*{name}=table\['user'\]"):
            library.compare(TRUE, models, positive="fraud", **{name: "user"})
        apart, given = {"lr": TRUE, "nb": TRUE}, {name: {"lr": "user", "nb": "user"}}
        with pytest.raises(library.InputError, match="K143"):
            library.compare(apart, models, **given)


# Models in one table.


def test_models_are_columns_of_one_table() -> None:
    table = pd.DataFrame({"diagnosis": TRUE, "lr_guess": PRED, "nb_guess": PRED, "p": P})
    of_names: Any = library.compare
    names = {"lr": "lr_guess", "nb": "nb_guess"}
    given: list[tuple[Any, dict[str, Any]]] = [
        (table, {"y_pred": names}),
        (pl.from_pandas(table), {"y_pred": names}),
        ("bc.csv", {"y_pred": names}),
        (table, {"y_pred": list(names.values())}),
        (table, {"y_prob": {"lr": "p", "nb": "p"}}),
        (table.rename(columns={"diagnosis": "label"}), {"y_pred": names}),
    ]
    for source, arguments in given:
        told = advice(lambda source=source, arguments=arguments: of_names(source, **arguments))  # type: ignore[misc]
        call = re.search(r"karat\.compare\((.*)\)", told)
        assert call is not None
        truth = "label" if "label" in source else "TRUTH"
        assert call[1].startswith(f"table[{truth!r}], ")
        columns = {**table, "TRUTH": table["diagnosis"], "label": table["diagnosis"]}
        text = call[0].replace("})", "}, positive='fraud')")
        found = eval(text, {"karat": library, "table": columns})  # noqa: S307
        assert set(found.models) in ({"lr", "nb"}, {"lr_guess", "nb_guess"})


@pytest.mark.parametrize("names", [("lr", "nb"), ("pred", "my guess")])
def test_models_of_one_file_are_queries(karat: Karat, names: tuple[str, str]) -> None:
    pd.DataFrame({"truth": TRUE, names[0]: PRED, names[1]: PRED}).to_csv("it's.csv", index=False)
    told = karat("compare", "it's.csv", "--pred", ",".join(names), "--true", "truth").err
    call = re.search(r"query: karat compare (.*)", told)
    in_python = re.search(r"karat\.compare\(.*\)", told)
    assert call is not None
    assert in_python is not None
    ran = karat("compare", *shlex.split(call[1]), "--format", "json")
    assert ran.code == 0
    assert json.loads(ran.out)["models"] == list(names)
    found = eval(in_python[0], {"karat": library, "table": pd.read_csv("it's.csv")})  # noqa: S307
    assert found.models == names


def test_queries_have_short_names(karat: Karat) -> None:
    del karat
    from karat.cli.compare import _names

    long = f"SELECT {', '.join(map(str, range(30)))} FROM 'x.csv'"
    assert _names([long, "SELECT label, guess AS pred FROM 'x.csv'"]) == ["query 1", "query 2"]
    assert _names(["FROM 'a.csv'", "FROM 'b.csv'"]) == ["a.csv", "b.csv"]
    assert _names([long, long]) == ["query 1", "query 2"]


def test_the_file_that_lacks_a_column_is_named(karat: Karat) -> None:
    ROWS.to_csv("lr.csv", index=False)
    ROWS.rename(columns={"pred": "nb_guess"}).to_csv("nb.csv", index=False)
    told = karat("compare", "lr.csv", "nb.csv", "--pred", "pred").err
    assert "no column 'pred' for the predicted labels in nb." in told
    told = karat("compare", "lr.csv", "nb.csv").err
    assert "K406" in told
    assert "in nb." in told
    told = karat("gate", "lr.csv", "--baseline", "nb.csv", "--pred", "pred").err
    assert "for the predicted labels in nb.csv" in told


# Results.


def test_slices_print_their_tables() -> None:
    report = library.evaluate(ROWS, by=["country"])
    text = report.text()
    for found in (report.slices, report.slices["country"]):
        assert str(found).startswith("Slices by country\n")
        assert str(found) in text
        assert repr(found).startswith("<karat slices by country")
    both = str(library.evaluate(ROWS.assign(age=np.arange(N) % 3), by=["country", "age"]).slices)
    assert both.index("Slices by country") < both.index("Slices by age")
    assert "by=" in str(library.evaluate(ROWS).slices)


def test_items_are_no_attributes() -> None:
    report: Any = library.evaluate(TRUE, y_prob=P, positive="fraud")
    three = np.full((30, 3), 1 / 3)
    many: Any = library.evaluate(["a", "b", "c"] * 10, y_prob=three)
    for call in (
        lambda: report.thresholds.f1,
        lambda: report.calibration.calibration_in_the_large,
        lambda: many.thresholds.f1,
    ):
        told = advice(call)
        item = re.search(r"report(\..*)\.$", told)
        assert item is not None
        of = many if "[0]" in told else report
        assert eval(f"of{item[1]}", {"of": of}) is not None  # noqa: S307
    assert "has no attribute 'nothing'" in advice(lambda: report.thresholds.nothing)


# Columns of probabilities.


@pytest.mark.parametrize("stem", ["p", "P", "prob", "proba", "probability"])
@pytest.mark.parametrize("first", [0, 1])
def test_columns_that_count_the_classes_are_probabilities(
    karat: Karat, stem: str, first: int
) -> None:
    truth = np.arange(N) % 3 + first
    rows = pd.DataFrame({"target": truth})
    for i in range(3):
        rows[f"{stem}{i + first}"] = np.where(truth == i + first, 0.6, 0.2)
    report = library.evaluate(rows)
    assert report.mapping["prob"] == [f"{stem}{i + first}" for i in range(3)]
    assert (report["accuracy"].value, report.doubts) == (1.0, ())
    rows.sample(frac=1, axis=1, random_state=1).to_csv("p.csv", index=False)
    assert f"probabilities {stem}* (3)" in karat("columns", "p.csv").out
    assert library.evaluate("p.csv")["accuracy"].value == 1.0


@pytest.mark.parametrize(
    "names", [("p1",), ("p0", "p2"), ("q0", "q1"), ("x0", "x1"), ("p", "p0", "p1"), ("f0", "f1")]
)
def test_other_columns_with_numbers_are_no_probabilities(names: tuple[str, ...]) -> None:
    rows = ROWS.assign(**dict.fromkeys(names, 1 - P))
    mapping = library.evaluate(rows, positive="fraud").mapping
    assert mapping.get("prob") == (["p"] if "p" in names else None)


def test_a_column_too_few_is_added_or_its_rows_left_out(karat: Karat) -> None:
    truth, p = np.arange(30) % 3, np.full((30, 3), 1 / 3)
    told = advice(lambda: library.evaluate(truth, y_prob=p[:, :2] * 1.5))
    assert told == "A column is missing: add it, or leave out the rows of the class that has none."
    assert library.evaluate(truth, y_prob=p)["log_loss"].value > 0
    assert library.evaluate(truth[truth < 2], y_prob=p[truth < 2, :2] * 1.5)["log_loss"].value > 0
    told = advice(lambda: library.evaluate(truth[truth < 2], y_prob=p[truth < 2]))
    assert told.startswith("Give labels=")
    assert library.evaluate(truth[truth < 2], y_prob=p[truth < 2], labels=[0, 1, 2])
    rows = pd.DataFrame({"y": truth, "p0": 0.5, "p1": 0.5})
    rows.to_csv("p.csv", index=False)
    assert "Add it, or leave out the rows of 2." in karat("report", "p.csv").err
    assert karat("report", "p.csv", "--where", "y <> 2").code == 0
