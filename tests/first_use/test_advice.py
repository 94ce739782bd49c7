"""What a message advises works as it is printed: columns, models, arguments of metrics."""

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
from tests.first_use.test_messages import PRED, ROWS, TRUE, N, P, advice


@pytest.fixture
def karat(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Karat:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return Karat(capsys)


# Weak slices.


def test_columns_that_repeat_the_predictions_are_not_searched() -> None:
    fraud = (TRUE == "fraud").astype(int)
    rows = pd.DataFrame({"y": fraud, "p_lr": P, "country": ROWS["country"]})
    rows["lr"] = np.where(P >= 0.5, "yes", "no")
    rows["truth_too"] = np.where(fraud == 1, "T", "F")
    of_table = library.find_weak_slices(rows, y_true="y", y_prob="p_lr", metric="recall", min_n=5)
    pred = (P >= 0.5).astype(int)
    of_frame = library.find_weak_slices(fraud, pred, by=rows[["country", "lr"]], min_n=5)
    for found in (of_table, of_frame):
        assert found.left_out["lr"] == "It has the same information as the predictions."
        assert all("lr" not in one.columns for one in found.slices)
    assert of_table.left_out["truth_too"] == "It has the same information as the true labels."
    assert "country" not in of_table.left_out
    # Who names a column wants it.
    named = library.find_weak_slices(rows, y_true="y", y_prob="p_lr", by="lr", min_n=5)
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


def test_models_are_columns_of_one_table(karat: Karat) -> None:
    del karat
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
    table.to_csv("bc.csv", index=False)
    for source, arguments in given:
        truth = "label" if "label" in source else "diagnosis"
        found = of_names(source, y_true=truth, **arguments, positive="fraud")
        assert set(found.models) in ({"lr", "nb"}, {"lr_guess", "nb_guess"})
    assert "Name it: y_true='NAME'" in advice(lambda: of_names(table, y_pred=names))


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
    assert report.mapping["y_prob"] == [f"{stem}{i + first}" for i in range(3)]
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
    assert mapping.get("y_prob") == (["p"] if "p" in names else None)


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


def test_columns_of_two_models_are_given_one_by_one(karat: Karat) -> None:
    rows = pd.DataFrame({"label": (TRUE == "fraud").astype(int), "p_lr": P, "p_rf": P / 2})
    rows.to_csv("p.csv", index=False)
    asked = karat("report", "p.csv").err
    assert asked.rstrip().endswith("give it alone: --prob p_lr.")
    both = karat("report", "p.csv", "--prob", "p_lr,p_rf").err
    assert "K133  Rows of --prob do not add up to 1." in both
    assert f"its sum is {P[0] * 1.5:.6}"[:-1] in both
    assert "give one column: --prob p_lr." in both
    assert "y_" not in both
    assert "of a table" not in both
    one = karat("report", "p.csv", "--prob", "p_lr")
    assert (one.code, "Doubts" in one.out) == (0, False)
    assert "prob='p_lr'" in advice(lambda: library.evaluate(rows))
    told = advice(lambda: library.evaluate(rows, y_prob=["p_lr", "p_rf"]))
    assert "give one column: 'p_lr'" in told
    assert "give logits as y_logit=, other scores as y_score=" in told


def test_percent_is_divided(karat: Karat) -> None:
    truth = (TRUE == "fraud").astype(int)
    assert "divide them by 100" in advice(lambda: library.evaluate(truth, y_prob=P * 100))
    for other in (P * 100 - 50, P * 1000):
        assert "by 100" not in advice(lambda other=other: library.evaluate(truth, y_prob=other))  # type: ignore[misc]
    pd.DataFrame({"label": truth, "p": P * 100}).to_csv("p.csv", index=False)
    told = karat("report", "p.csv").err
    assert "K132  --prob has values" in told
    assert "y_" not in told
    query = re.search(r"SELECT .* FROM 'FILE'", told)
    assert query is not None
    ran = karat("report", query[0].replace("FILE", "p.csv"), "--format", "json")
    found = json.loads(ran.out)["metrics"]["log_loss"]["value"]
    assert np.isclose(found, library.log_loss(truth, y_prob=P))


def test_scores_that_may_be_probabilities_are_offered_as_both(karat: Karat) -> None:
    rows = ROWS.assign(label=(TRUE == "fraud").astype(int), score_fraud=P)
    rows["pred"] = (rows["pred"] == "fraud").astype(int)
    rows.to_csv("p.csv", index=False)
    told = " ".join(karat("report", "p.csv").out.split())
    offered = "name it: --prob score_fraud where they are probabilities, else --score score_fraud; "
    assert offered in told
    ran = karat("report", "p.csv", "--prob", "score_fraud")
    assert (ran.code, "Doubts" in ran.out) == (0, False)


def test_missing_values_speak_of_options(karat: Karat) -> None:
    rows = ROWS.replace({"label": {"ok": "NA"}, "pred": {"ok": "NA"}})
    rows.to_csv("na.csv", index=False)
    told = karat("report", "na.csv").err
    assert "(where 'NA' is not a label unless --labels lists it)" in told
    assert karat("report", "na.csv", "--labels", "fraud,NA").code == 0
    rows = pd.DataFrame({"label": [0, 1], "p": [0.5, None]})
    rows.to_csv("p.csv", index=False)
    assert "K131  --prob has scores that are missing" in karat("report", "p.csv").err


# Files.


def test_results_of_karat_are_no_rows(karat: Karat) -> None:
    rows = ROWS.assign(label=(TRUE == "fraud").astype(int), pred=(PRED == "fraud").astype(int))
    rows.to_csv("rows.csv", index=False)
    assert karat("report", "rows.csv", "-o", "report.json").code == 0
    assert karat("gate", "rows.csv", "--update-baseline", "baseline.json").code == 0
    for kind, command in (
        ("comparison", ("compare", "rows.csv", "rows.csv")),
        ("gate", ("gate", "rows.csv", "--min", "accuracy=0.1")),
    ):
        Path(f"{kind}.json").write_text(karat(*command, "--format", "json").out, encoding="utf-8")
    for kind in ("report", "baseline", "comparison", "gate"):
        for command in (
            ("report", f"{kind}.json"),
            ("report", f"{kind}.json", "--true", "label"),
            ("gate", f"{kind}.json", "--min", "accuracy=0.1"),
            ("compare", f"{kind}.json", "rows.csv"),
        ):
            told = karat(*command)
            assert told.code == 2
            assert f"It is the JSON of a {kind} of karat, not rows." in told.err
            gate = re.search(r"karat (gate PREDICTIONS --baseline \w+\.json)", told.err)
            assert (gate is None) == (kind in ("comparison", "gate"))
            if gate is not None:
                words = gate[1].replace("PREDICTIONS", "rows.csv").lower().split()
                assert karat(*words).code == 0
    with pytest.raises(library.InputError, match=r"K412(.|\n)*karat\.Report\.from_json\(text\)"):
        library.evaluate("report.json")
    report = library.Report.from_json(Path("report.json").read_text(encoding="utf-8"))
    assert library.gate(report, min={"accuracy": 0.1}).passed


def test_a_file_without_a_header_line(karat: Karat) -> None:
    told = "(if the file has no header line, write one)"
    for name, rows in (("words", ROWS), ("numbers", pd.DataFrame({"a": [1, 0], "b": [0.25, 0.5]}))):
        rows.assign(p=np.linspace(0.1, 0.9, len(rows))).to_csv(f"{name}.csv", header=False)
        assert told in karat("report", f"{name}.csv").err
    other = pd.DataFrame({"a": [1, 2], "x1": [0.1, 0.2]})
    other.to_csv("other.csv", index=False)
    assert told not in karat("report", "other.csv").err


def test_a_decimal_comma_is_named(karat: Karat) -> None:
    truth = (TRUE == "fraud").astype(int)
    texts = [f"{p:.4f}".replace(".", ",") for p in P]
    rows = pd.DataFrame({"label": truth, "p": texts})
    rows.to_csv("comma.csv", sep=";", index=False)
    told = karat("report", "comma.csv", "--prob", "p").err
    assert f"{texts[0]!r} with a decimal comma" in told
    assert "--decimal ," in told
    assert karat("report", "comma.csv", "--prob", "p", "--decimal", ",").code == 0
    for call, told in (
        (lambda: library.evaluate(truth, y_prob=texts), "(str) with a decimal comma"),
        (lambda: library.evaluate(pl.from_pandas(rows), y_prob="p"), "0,5 and 50% are text"),
    ):
        with pytest.raises(library.InputError, match="K130") as caught:
            call()
        assert told in str(caught.value)


PERCENT = [f"{100 * p:.0f} %" if i % 2 else f"{100 * p:.0f}%" for i, p in enumerate(P)]
FRACTIONS = np.array([float(text.rstrip("% ")) / 100 for text in PERCENT])


def percents() -> pd.DataFrame:
    return pd.DataFrame({"label": (TRUE == "fraud").astype(int), "p": PERCENT})


def conversion(call: Callable[[], object], code: str = "K130") -> str:
    with pytest.raises(library.InputError, match=code) as caught:
        call()
    return " ".join(str(caught.value).split("Convert the percent to fractions")[1].split())


def test_the_call_that_converts_percent_is_shown_and_works(tmp_path: Path) -> None:
    df = percents()
    wanted = library.evaluate(df.assign(p=FRACTIONS), y_prob="p")["brier"].value
    call = conversion(lambda: library.evaluate(df, y_prob="p")).removeprefix(": ").rstrip(".")
    assert call == """df['p'] = df['p'].str.rstrip("%").astype(float) / 100"""
    exec(call, {"df": df})  # noqa: S102
    assert library.evaluate(df, y_prob="p")["brier"].value == wanted

    call = conversion(lambda: library.brier(df["label"], y_prob=PERCENT))
    names = {"pandas": pd, "y_prob": PERCENT}
    exec(call.removeprefix(": ").rstrip("."), names)  # noqa: S102
    assert library.brier(df["label"], y_prob=names["y_prob"]) == wanted

    frame = pl.from_pandas(percents())
    call = conversion(lambda: library.evaluate(frame, y_prob="p")).removeprefix(": ").rstrip(".")
    made = eval(call, {"df": frame, "pl": pl})  # noqa: S307
    assert library.evaluate(made, y_prob="p")["brier"].value == wanted

    paths = {kind: tmp_path / f"rows.{kind}" for kind in ("parquet", "jsonl")}
    percents().to_parquet(paths["parquet"])
    percents().to_json(paths["jsonl"], orient="records", lines=True)
    for path in paths.values():
        call = conversion(lambda path=path: library.evaluate(path, y_prob="p"))
        query = call.partition(": ")[2].rstrip(".").replace("FILE", str(path))
        assert library.evaluate(query, y_prob="p")["brier"].value == wanted


def test_weights_of_percent_show_the_call_too(tmp_path: Path) -> None:
    df = percents().assign(pred=1).rename(columns={"p": "w"})
    df.to_parquet(tmp_path / "rows.parquet")
    call = """df['w'] = df['w'].str.rstrip("%").astype(float) / 100."""
    assert conversion(lambda: library.evaluate(df, weights="w"), "K116") == f": {call}"
    told = conversion(lambda: library.evaluate(tmp_path / "rows.parquet", weights="w"), "K116")
    assert """rtrim("w", '% ')::DOUBLE / 100 AS "w")""" in told


def test_texts_that_are_not_all_percent_keep_their_advice(tmp_path: Path) -> None:
    df = percents()
    df.loc[3, "p"] = "n/a"
    df.to_parquet(tmp_path / "rows.parquet")
    for source in (df, tmp_path / "rows.parquet"):
        with pytest.raises(library.InputError, match="K130") as caught:
            library.evaluate(source, y_prob="p")
        assert "percent to fractions" not in str(caught.value)


def test_a_condition_on_percent_reads_its_fraction(karat: Karat) -> None:
    rows = percents().assign(off=[f"{i % 20 * 5}%" for i in range(len(P))])
    rows.loc[0, "off"] = None
    rows.to_csv("rows.csv", index=False)
    for condition in ("off > 50%", "off > 50", "off < 0.5", "off = '45%'", "off IN ('45%')"):
        told = karat("report", "rows.csv", "--prob", "p", "--where", condition)
        assert told.code == 2
        assert "K408" in told.err
        assert '--where "NAME.fraction > 0.45"' in told.err
    for condition, n in (
        ("off.fraction > 0.45", sum(i % 20 * 5 > 45 for i in range(len(P)))),
        ("off IS NULL", 1),
        ("p.fraction >= 0 AND label = 1", int(rows["label"].sum())),
    ):
        told = karat("report", "rows.csv", "--prob", "p", "--where", condition, "--format", "json")
        assert told.code == 0, told.err
        assert json.loads(told.out)["n_rows"] == n
    told = karat("report", "rows.csv", "--prob", "p", "--where", "label LIKE '5%' AND AND")
    assert "fraction" not in told.err


@pytest.mark.parametrize("container", ["csv", "pandas"])
def test_slices_of_percent_are_in_the_order_of_their_values(container: str, tmp_path: Path) -> None:
    rows = percents().assign(p=FRACTIONS, off=[f"{i % 4 * 5}%" for i in range(len(P))])
    rows.to_csv(tmp_path / "rows.csv", index=False)
    source = tmp_path / "rows.csv" if container == "csv" else rows
    report = library.evaluate(source, y_prob="p", by="off")
    assert list(report.slices["off"]) == ["0%", "5%", "10%", "15%"]


# What was advised and did not work.


def test_predictions_of_another_column_are_named_without_that_which_was_read() -> None:
    rows = pd.DataFrame({"y": np.arange(N) % 2, "p": 0.1 + 0.8 * (np.arange(N) % 2)})
    rows["pred"] = 1 - rows["y"]
    (doubt,) = (one for one in library.evaluate(rows, y_true="y").doubts if one.code == "D115")
    assert doubt.option.endswith(
        "if another column than 'pred' has the predictions, name it: y_pred=."
    )


def test_columns_that_a_table_of_models_lacks_are_named() -> None:
    table = pd.DataFrame({"label": TRUE, "lr": PRED})
    with pytest.raises(library.KaratError, match="no column 'nb'") as caught:
        library.compare(table, {"lr": "lr", "nb": "nb", "forest": "rf"})
    assert caught.value.code == "K404"


def test_all_curves_are_those_without_a_list_of_classes() -> None:
    roc: Any = library.curves.roc
    truth = (TRUE == "fraud").astype(int)
    assert "leave classes= out: average=None" in advice(lambda: roc(truth, y_prob=P, classes=[7]))
    assert len(roc(truth, y_prob=P, average=None)) == 2


def test_rows_of_sets_are_read_before_json() -> None:
    rows = [["a"], ["a", "b"]] * 20, [["a"], ["a"]] * 20
    report = library.evaluate(*rows)
    again: Any = library.MultilabelReport.from_json(report.to_json())
    assert "read them from that report" in advice(again.wrong_rows)
    assert len(report.wrong_rows()) > 0
