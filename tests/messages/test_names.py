"""What a message names exists: calls, arguments, commands, options, metrics, words of hosts."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.messages import checks, names
from tests.messages.checks import faults_of, faults_of_page
from tests.messages.hosts import HOSTS, OF_DUCKDB, lacks
from tests.messages.told import recorded_advice
from tests.messages.written import Text, commands, in_sources, texts_of
from tests.optional import optional

ROOT = Path(__file__).parents[2]
DROP_IN = re.compile(r"compat/(sklearn|catboost|onedal|torchmetrics)")
OF_OTHERS = {
    "Invalid metric description, it should be in the form": "CatBoost's own words",
    "K is the number of classes, W the sum": "letters of formulas",
    "bad allocation|": "words of libraries",
    "folds.folds has a ": "a part of a path in JSON",
}
"""Beginnings of texts whose words are no names of karat."""


def faults(text: Text) -> list[str]:
    if text.text.startswith(tuple(OF_OTHERS)):
        return []
    drop_in = DROP_IN.match(text.where)
    return [f"{text.where}: {one}" for one in faults_of(text.text, drop_in[1] if drop_in else "")]


def test_every_name_in_a_text_of_the_sources_exists() -> None:
    assert [one for text in in_sources() for one in faults(text)] == []


def test_every_name_in_a_help_text_exists() -> None:
    texts = commands()
    assert len(texts) > 100
    assert [one for text in texts for one in faults(text)] == []


def test_every_name_in_a_recorded_message_exists() -> None:
    texts = recorded_advice()
    assert len(texts) > 400
    assert [one for text in texts for one in faults_of(text, is_ours=False)] == []


def test_every_call_in_a_page_exists() -> None:
    pages = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *ROOT.glob("docs/**/*.md")]
    found = {
        f"{page.relative_to(ROOT)}: {fault}"
        for page in pages
        for line in page.read_text("utf-8").splitlines()
        for fault in faults_of_page(line)
    }
    assert len(pages) > 20
    assert found == {"docs/cookbook/mlflow.md: karat.n_rows does not exist"}, "but a key of MLflow"


@pytest.mark.parametrize("place", HOSTS)
def test_words_of_other_libraries_are_theirs(place: str) -> None:
    optional(place.partition(":")[0].partition(".")[0])
    assert lacks(place) == []


@pytest.mark.parametrize("function", OF_DUCKDB)
def test_arguments_of_sql_are_those_of_duckdb(function: str) -> None:
    duckdb = optional("duckdb")
    has = {
        name
        for (name,) in duckdb.sql(
            f"SELECT unnest(parameters) FROM duckdb_functions() WHERE function_name = '{function}'"
        ).fetchall()
    }
    assert set(OF_DUCKDB[function].split()) <= has


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Give karat.CaseControls(prevalence=0.1).", "karat.CaseControls does not exist"),
        ("Give karat.CaseControl(share=0.1).", "has no argument share"),
        ("Give karat.evaluate(..., design=1, shape=2).", "karat.evaluate has no argument shape"),
        ("Use karat.Stream.feed(rows).", "karat.Stream.feed does not exist"),
        ("Use karat.fold_of_rows(a, b, c, d, e, f, g).", "too many positional"),
        ("Give karat.compare(y_true, {'a': ...).", "is not closed"),
        ("Give it: treshold=0.3.", "no call has an argument treshold="),
        ("Give --treshold 0.3.", "there is no option --treshold"),
        ("Write it: karat gate FILE --errors out.csv", "karat gate has no option --errors"),
        ("Write it: karat rapport FILE --errors out.csv", "there is no command karat rapport"),
        ("`karat collumns FILE` shows what is found.", "there is no command karat collumns"),
        ("Ask for macro_f3, or micro_f1.", "nothing is called macro_f3"),
        ("Ask for it: metrics=['roc_auk'].", "there is no metric roc_auk"),
        ("Ask for it: --metrics f1,roc_auk", "there is no metric roc_auk"),
        ("Give a rule, as min={'acuracy': 0.8}.", "there is no metric acuracy"),
        ("Give a rule, as --min acuracy=0.8.", "there is no metric acuracy"),
        ("Read report['macro_f3'].", "there is no metric macro_f3"),
        ("Write karat.scorer('log_lose').", "there is no metric log_lose"),
        ("Use karat.kappa_□(□, weight=1).", ""),
        ("Give karat.Stream(positive=□), or karat.evaluate(..., by=□).", ""),
        ("Leave macro_f1 out, or karat report FILE --errors out.csv writes them.", ""),
    ],
)
def test_a_wrong_name_is_seen(text: str, fault: str) -> None:
    found = faults_of(text)
    assert (found == []) if not fault else any(fault in one for one in found), found


def test_texts_are_found_wherever_a_source_holds_them() -> None:
    source = '''
"""Docstring: karat.no_such()."""
TABLE = """
K901  {argument} is wrong.
      It is {value!r}.
      Give karat.nothing(positive=
          1).
D902  Odd.
      {n} rows.
      Give {option}.
"""
def f(x):
    """Docstring: karat.no_such()."""
    raise error("K1", do=f"Give {option('labls')} or {option('positive', x)}: {x!r}.")
'''
    texts = [text.text for text in texts_of(source, "x.py")]
    assert "□ is wrong" in texts[1]
    assert texts[1].endswith("Give karat.nothing(positive= 1).")
    assert texts[2].endswith("Give □.")
    assert "Give labls= or positive=□: □." in texts
    assert not any("Docstring" in text for text in texts)
    faults = [one for text in texts for one in faults_of(text)]
    assert faults == ["karat.nothing does not exist", "no call has an argument labls="]


def test_parts_of_groups_are_spelled_before_their_module_is_needed() -> None:
    program = """
import sys
from karat.errors import error
problem = error("K453", argument="y_true", n=3, first="[a, b]")
assert "labels=karat.Labels(separator='|')" in str(problem), problem
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_names_are_read_from_what_there_is() -> None:
    assert {"positive", "y_true", "max_drop"} <= names.parameters()
    assert names.options_of("gate") is not None
    assert names.options_of("no such") is None
    assert "--max-drop" in names.all_options()
    assert checks.balanced("f(a, 'b)', [c]) d", 1) == "(a, 'b)', [c])"
