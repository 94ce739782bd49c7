"""`karat columns`, `karat metrics`, `karat explain`, `karat demo`."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from karat.cli.demo import FILES, bundled
from karat.metrics import all_records
from tests.cli.running import Karat
from tests.sources.writing import TEN, write_csv


@pytest.fixture
def karat(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Karat:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return Karat(capsys)


def test_columns_show_types_roles_and_the_mapping(karat: Karat) -> None:
    shutil.copy(bundled("digits_rf.parquet"), "p.parquet")
    ran = karat("columns", "p.parquet")
    assert (ran.code, ran.err) == (0, "")
    lines = [line.split() for line in ran.out.splitlines()]
    assert ["label", "BIGINT", "truth"] in lines
    assert ["pred", "BIGINT", "prediction"] in lines
    assert ["id", "INTEGER", "row", "id"] in lines
    assert ["proba_0", "…", "proba_9", "FLOAT", "probabilities", "proba_*", "(10)"] in lines
    assert "p.parquet · 14 columns · 1 797 rows" in ran.out
    assert "true=label, pred=pred, weights=none" in ran.out
    assert "weights=none, prob=proba_0…proba_9 (10)\n" in ran.out


def test_columns_show_what_is_ambiguous_or_absent(karat: Karat) -> None:
    write_csv(Path("p.csv"), {"label": [1], "target": [1], "guess": [1]})
    ran = karat("columns", "p.csv")
    assert ran.code == karat("report", "p.csv").code == 2
    lines = [line.split() for line in ran.out.splitlines()]
    assert ["label", "BIGINT", "truth?"] in lines
    assert ["guess", "BIGINT"] in lines
    assert "truth: label, target are candidates; name one with --true." in ran.out
    assert "prediction: no column has a usual name; name it with --pred." in ran.out


def test_columns_of_scores_are_told_by_their_names(karat: Karat) -> None:
    row = {"label": [0], "logits_0": [1.5], "logits_1": [0.5], "pred_a": [1], "pred_b": [1]}
    write_csv(Path("p.csv"), row | {"confidence": [0.5]})
    out = karat("columns", "p.csv").out
    lines = [line.split() for line in out.splitlines()]
    assert ["logits_0", "…", "logits_1", "DOUBLE", "logits", "logits_*", "(2)"] in lines
    assert ["pred_a", "…", "pred_b", "BIGINT"] in lines
    words = " ".join(out.split())
    assert "pred=largest probability, weights=none, logit=logits_0…logits_1 (2)" in words
    write_csv(Path("p.csv"), {"label": [0], "pred": [0], "pred_a": [1], "pred_b": [1]})
    assert "Columns pred_* (2) were not read" in karat("columns", "p.csv").out
    write_csv(Path("p.csv"), {"label": ["a"], "p": [0.5]})
    out = karat("columns", "p.csv").out
    assert "pred=largest probability, weights=none, prob=p\n" in out
    ran = karat("report", "p.csv", "--labels", "a,b", "--positive", "b")
    assert ran.err.startswith("prob=p, true=lab")


@pytest.mark.parametrize(
    ("columns", "options", "predicted"),
    [
        ({"label": [0, 1, 1], "score": [-1.5, 0.5, 2.0]}, (), "none"),
        ({"label": [0, 1, 1], "score": [-1.5, 0.5, 2.0]}, ("--threshold", "0"), "score ≥ 0"),
        ({"label": [0, 1, 1], "pred": [0, 1, 1], "score": [-1.5, 0.5, 2.0]}, (), "pred"),
        ({"label": [0, 1, 1], "prob": [0.1, 0.5, 0.9]}, (), "largest probability"),
        ({"label": [0, 1, 1], "prob": [0.1, 0.5, 0.9]}, ("--threshold", ".4"), "probability ≥ 0.4"),
        (
            {"label": ["a", "b", "b"], "score_a": [1, 0, 2], "score_b": [0, 1, 3]},
            (),
            "largest score",
        ),
        (
            {"label": ["a", "a;b", "b"], "score_a": [1, 1, 0], "score_b": [0, 1, 1]},
            ("--separator", ";"),
            "none",
        ),
        (
            {"label": ["a", "a;b", "b"], "score_a": [1, 1, 0], "score_b": [0, 1, 1]},
            ("--separator", ";", "--threshold", "1"),
            "score ≥ 1",
        ),
    ],
)
@pytest.mark.parametrize("is_named", [False, True])
def test_columns_say_what_reports_predict(
    karat: Karat,
    columns: dict[str, list[object]],
    options: tuple[str, ...],
    predicted: str,
    is_named: bool,
) -> None:
    write_csv(Path("p.csv"), columns)
    named = ("--true", "label") if is_named else ()
    said = f"pred={predicted}, weights=none"
    asked = karat("columns", "p.csv", *named, *options)
    report = karat("report", "p.csv", *named, *options)
    assert (asked.code, report.code) == (0, 0)
    assert said in " ".join(asked.out.split())
    assert said in " ".join(report.err.split())
    # Repeats have a line of their own in what a gate says, so only its columns are compared.
    gate = karat("gate", "p.csv", *named, *options, "--min", f"{_OF_ANY[predicted == 'none']}=0")
    assert said in " ".join(gate.err.split())


_OF_ANY = {False: "micro_f1", True: "macro_average_precision"}


def test_columns_of_scores_that_two_names_could_be(karat: Karat) -> None:
    write_csv(Path("p.csv"), {"label": [0], "score": [1.5], "proba_0": [0.5], "proba_1": [0.5]})
    ran = karat("columns", "p.csv")
    words = " ".join(ran.out.split())
    assert "score DOUBLE scores?" in words
    assert "proba_* (2)?" in words
    assert "probabilities, logits or scores: 'score', proba_* (2) are candidates" in words
    assert "prediction" not in words.partition("Mapping")[2]


def test_columns_try_the_options_that_are_given(karat: Karat) -> None:
    rows = {"label": ["ok", "no", "ok"], "guess": ["ok", "no", "no"], "prob": [0.9, 0.2, 0.4]}
    write_csv(Path("p.csv"), rows)
    asked = karat("columns", "p.csv", "--prob", "prob")
    assert "K190" in asked.out
    assert "prob DOUBLE probabilities" in " ".join(asked.out.split())
    ran = karat("columns", "p.csv", "--prob", "prob", "--pred", "guess", "--positive", "ok")
    assert "K190" not in ran.out
    assert "prob=prob, true=label, pred=guess, weights=none" in ran.out
    lines = [line.split() for line in ran.out.splitlines()]
    assert ["guess", "VARCHAR", "prediction"] in lines
    some = karat("columns", "p.csv", "--pred", "guess", "--where", "label = 'ok'", "--prob", "")
    assert "K191" not in some.out
    assert "K404" in karat("columns", "p.csv", "--true", "lable").out
    assert (asked.code, ran.code, some.code) == (2, 0, 0)


def test_columns_try_slices(karat: Karat) -> None:
    write_csv(Path("p.csv"), {"label": [0, 1, 1], "pred": [0, 1, 0], "place": ["a", "b", "a"]})
    ran = karat("columns", "p.csv", "--by", "place")
    assert ran.code == 0
    assert "slices yes" in " ".join(ran.out.split())
    asked = karat("columns", "p.csv", "--by", "plaec")
    assert asked.code == 2
    assert "K404" in asked.out
    assert "'place'" in asked.out


def test_labels_of_a_query_are_those_that_were_typed(karat: Karat) -> None:
    write_csv(Path("p.csv"), {"label": [1, 2, 1], "p": [0.9, 0.2, 0.4]})
    assert "To settle" not in karat("columns", "p.csv", "--positive", "2").out


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("report p.csv --gold g", "No such option '--gold'. It is --true."),
        (
            "compare p.csv p.csv --gold-weight w",
            "No such option '--gold-weight'. It is --gold-weights.",
        ),
        (
            "gate p.csv --strict-inconclusive",
            "No such option '--strict-inconclusive'. It is --inconclusive fail.",
        ),
        ("report p.csv --pos-label 1", "No such option '--pos-label'. It is --positive."),
        ("report p.csv --sample-weight w", "It is --weights."),
        ("report p.csv --y-true label", "It is --true."),
        ("report p.csv --average macro", "A report has every average: --metrics macro_f1"),
        ("report p.csv --metric f1", "Did you mean one of: '--method', '--metrics'?"),
        ("check p.csv", "Did you mean: karat columns"),
        ("reprot p.csv", "Did you mean: karat report"),
        ("zzz", "Commands: report, compare"),
    ],
)
def test_options_and_commands_by_other_names(karat: Karat, line: str, told: str) -> None:
    ran = karat(*line.split())
    assert ran.code == 2
    assert told in " ".join(ran.err.split())


def test_columns_of_several_files_and_queries(karat: Karat) -> None:
    write_csv(Path("a.csv"), TEN)
    write_csv(Path("b.csv"), TEN)
    assert "a.csv · and 1 more · 2 columns" in karat("columns", "a.csv", "b.csv").out
    assert "SQL query · 1 column" in karat("columns", "SELECT 1 AS label").out
    assert karat("columns", "none.csv").code == 2


def test_every_metric_is_listed(karat: Karat) -> None:
    ran = karat("metrics")
    assert ran.code == 0
    words = ran.out.split()
    assert [record.name for record in all_records() if record.name not in words] == []


def test_averages_of_scores_are_listed_by_their_names(karat: Karat) -> None:
    out = karat("metrics").out
    words = " ".join(out.split())
    for name in ("roc_auc_ovr_macro", "roc_auc_ovr_micro", "mean_average_precision"):
        assert name in words
        assert karat("metrics", name).out.startswith(f"{name}\n")
    assert "mean_average_precision average_precision, macro average." in words
    for family in ("probability", "ranking", "calibration", "thresholds"):
        assert f"\n{family}\n" in out
    assert "Read from probabilities or scores: calibration," in words
    assert "Metrics of one class also come as macro_, micro_ and weighted_ averages." in words
    one = " ".join(karat("metrics", "roc_auc").out.split())
    assert "averages roc_auc_ovr_macro, roc_auc_ovr_micro, roc_auc_ovr_weighted" in one
    assert "read from probabilities (y_prob), logits (y_logit) or scores (y_score)" in one
    assert "read from" not in karat("metrics", "f1").out


def test_one_metric_is_shown_whole(karat: Karat) -> None:
    out = " ".join(karat("metrics", "macro_f1").out.split())
    assert "macro_f1 from 0 to 1 · higher is better" in out
    assert "definition Mean over the classes: 2·TP / (2·TP + FP + FN)" in out
    assert "undefined when" in out
    assert "in scikit-learn" in out
    assert " ".join(karat("metrics", "mcc").out.split()).startswith("matthews_correlation from -1")
    assert "beta How many times recall weighs" in " ".join(karat("metrics", "f_beta").out.split())


def test_words_search_the_catalogue(karat: Karat) -> None:
    ran = karat("metrics", "youden")
    assert ran.code == 0
    assert "1 metric\n" in ran.out
    assert "informedness" in ran.out
    ran = karat("metrics", "no", "such", "thing", "anywhere")
    assert ran.code == 2
    ran = karat("metrics", "macro_f2")
    assert (ran.code, "K301" in ran.err) == (2, True)


def test_paragraphs_of_a_meaning_do_not_hang(karat: Karat) -> None:
    meaning = karat("metrics", "f1").out.partition("Meaning\n")[2].partition("\n\n")[0]
    assert len(meaning.splitlines()) > 2
    assert all(line[:2] == "  " and line[2] != " " for line in meaning.splitlines())


def test_a_metric_is_found_however_it_is_written(karat: Karat) -> None:
    for name in ("macro f1", "macro  f1", "f1_macro", "f1(average=macro)"):
        assert karat("metrics", *name.split(" ")).out == karat("metrics", "macro_f1").out


def test_a_metric_whose_parameter_has_no_default_is_shown(karat: Karat) -> None:
    ran = karat("metrics", "expected_cost")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("expected_cost\n")
    assert "Required." in " ".join(ran.out.split())
    assert "Required." not in karat("metrics", "f_beta").out
    ran = karat("metrics", "f_beta(beta=-1)")
    assert (ran.code, "K302" in ran.err) == (2, True)


def test_words_that_describe_nothing_get_the_nearest_names(karat: Karat) -> None:
    ran = karat("metrics", "hamming", "los")
    assert "hamming_loss" in ran.out
    ran = karat("metrics", "hammming", "loss")
    assert (ran.code, ran.out) == (2, "")
    assert "K301" in ran.err
    assert "Nearest: hamming_loss" in ran.err


def test_names_of_columns_are_whole_where_they_fit(karat: Karat) -> None:
    name = "the_probability_that_a_clerk_would_say"
    write_csv(Path("p.csv"), {"label": [1], "pred": [1], name: [0.5]})
    assert name in karat("columns", "p.csv").out
    assert "Names" not in karat("columns", "p.csv").out


def test_the_plan_is_explained(karat: Karat) -> None:
    out = karat("explain", "macro_f1,f_beta(beta=2)", "mutual_information").out
    assert "one pass over the rows · 3 metrics" in out
    assert "From the cells: rows by true × predicted class\n  mutual_information\n" in out
    assert "\n  f1 (macro)\n  f_beta\n" in out
    assert "\nf_beta(beta=2)\n  definition" in out
    assert "undefined when" in out
    whole = karat("explain").out
    assert "precision (plain, macro, micro, weighted)" in whole
    assert "definition" not in whole
    assert karat("explain", "macro_f2").code == 2


def test_the_plan_of_metrics_of_scores_is_explained(karat: Karat) -> None:
    out = karat("explain", "f1", "roc_auc_ovr_macro", "log_loss", "roc_auc_mu", "ece").out
    sections = out.split("\n\n")
    assert "5 metrics" in sections[0]
    assert [part.splitlines()[0].partition(":")[0] for part in sections[1:5]] == [
        "From class totals", "From losses", "From cumulative counts", "From pairs of classes",
    ]  # fmt: skip
    assert "  roc_auc (macro)\n  expected_calibration_error" in sections[3]
    assert "\nlog_loss\n  definition" in out
    whole = karat("explain").out
    assert "  log_loss\n" in whole
    assert "  roc_auc (plain, macro, weighted)\n" in whole


def test_the_demo_writes_its_files_and_reports(karat: Karat) -> None:
    ran = karat("demo")
    assert ran.code == 0
    assert sorted(os.listdir()) == sorted(FILES)
    for name in FILES:
        assert Path(name).read_bytes() == bundled(name).read_bytes()
    assert "digits_logreg.parquet · 1 797 rows · 10 classes" in ran.out
    assert "true=label, pred=pred, weights=none, folds=none (--folds auto) (1 797 rows)" in ran.err
    assert "Next: karat columns digits_rf.parquet" in ran.err
    assert karat("report", "digits_logreg.parquet").out == ran.out
    assert karat("demo").code == 0


def test_the_demo_overwrites_nothing(karat: Karat) -> None:
    Path(FILES[1]).write_text("mine")
    ran = karat("demo")
    assert ran.code == 2
    assert "choose another place with --folder" in ran.err
    assert Path(FILES[1]).read_text() == "mine"
    assert karat("demo", "--folder", "there/inside").code == 0
    assert (Path("there") / "inside" / FILES[0]).exists()


def test_a_folder_that_cannot_be_written(karat: Karat) -> None:
    Path("file").write_text("")
    ran = karat("demo", "--folder", "file/inside")
    assert ran.code == 2
    assert "Traceback" not in ran.err


def test_metrics_that_are_asked_for_twice_are_both_there(karat: Karat) -> None:
    write_csv(Path("p.csv"), {"label": [0, 1], "pred": [0, 1]})
    out = karat("report", "p.csv", "--metrics", "macro_f1", "--metrics", "accuracy,f1").out
    table = out.partition("\nMetrics\n")[2].splitlines()
    names = [line.split()[0] for line in table if line.startswith("  ")]
    assert names[1:4] == ["macro_f1", "accuracy", "f1"]


def test_rows_that_are_declared_independent_have_no_clusters(karat: Karat) -> None:
    write_csv(Path("p.csv"), {"label": [0, 1, 0], "pred": [0, 1, 1], "user": [1, 1, 2]})
    for cluster, there in (("", "no"), ("user", "yes")):
        words = " ".join(karat("columns", "p.csv", "--clusters", cluster).out.split())
        assert f"intervals of rows in clusters {there}" in words


def test_a_slip_of_case_is_named_where_two_classes_are_needed(karat: Karat) -> None:
    write_csv(Path("p.csv"), {"label": ["Yes", "no", "Yes"], "pred": ["yes", "no", "Yes"]})
    ran = karat("columns", "p.csv", "--positive", "Yes")
    assert "Classes 'Yes' and 'yes' differ only in blanks or case" in " ".join(ran.out.split())
    ran = karat("report", "p.csv")
    assert "if they are two, list them: --labels" in " ".join(ran.err.split())
    assert "D111" not in karat("report", "p.csv", "--labels", "Yes,no,yes").err
