"""Reports in JSON in the words of 0.2 are read as those in the words of today."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import DamagedError
from karat.errors.doubts import Doubt
from karat.output.json import words
from tests.output.rows_of_0_2 import CHOSEN, PLACES, REPORTS, ROLES, SETS, TABLE, TWO
from tests.output.test_stored_of_0_2 import text_of

JUDGED = TABLE.assign(
    gold=np.where(PLACES % 3 == 0, TWO, np.nan), judge=np.where(PLACES % 8 == 0, 1 - TWO, TWO)
)
FEW: dict[str, Any] = {"metrics": ["accuracy"]}
NEW: dict[str, Callable[[], Any]] = {
    **REPORTS,
    "columns of probabilities": lambda: karat.evaluate(
        TABLE, y_true="label", y_pred="pred", y_prob="prob", metrics=["roc_auc"]
    ),
    "columns of scores": lambda: karat.evaluate(
        TABLE, y_true="label", y_score="prob", metrics=["roc_auc"]
    ),
    "columns of logits": lambda: karat.evaluate(
        TABLE, y_true="label", y_logit="prob", metrics=["log_loss"]
    ),
    "case-control": lambda: karat.evaluate(TABLE, **ROLES, design=karat.CaseControl(), **FEW),
    "looks": lambda: karat.evaluate(TABLE, **ROLES, design=karat.Looks(500), **FEW),
    "looks of clusters": lambda: karat.evaluate(
        TABLE, **ROLES, clusters="id", design=karat.Looks(500), **FEW
    ),
    "without intervals": lambda: karat.evaluate(TABLE, **ROLES, level=None, **FEW),
    "sets that stand for several": lambda: karat.evaluate(
        SETS, CHOSEN, weights=karat.Frequency(np.full(len(SETS), 2)), metrics=["micro_f1"]
    ),
    "sets without intervals": lambda: karat.evaluate(
        SETS, CHOSEN, level=None, metrics=["micro_f1"]
    ),
    "columns of a judge": lambda: karat.evaluate(
        JUDGED, y_true="gold", y_pred="pred", design=karat.Judge("judge", is_random=True), **FEW
    ),
}


def before(document: dict[str, Any]) -> dict[str, Any]:
    """The document in the words of 0.2: the table of the codec, written by hand and backwards."""
    document["schema"] = re.sub("2$", "1", document["schema"])
    roles = {f"y_{name}": name for name in ("true", "pred", "prob", "logit", "score")}
    if "mapping" in document:
        mapping = {roles.get(name, name): column for name, column in document["mapping"].items()}
        if "judge" in mapping:
            mapping["gold"] = mapping["true"]
        document["mapping"] = mapping
    if (settings := document.get("settings")) is not None:
        asked, design = settings.pop("interval"), settings.pop("design")
        if document["schema"] == "karat.multilabel/1":
            kind = "frequency" if "Frequency" in design else "importance"
            settings["intervals"] = asked and {**asked, "weights_are": kind}
        else:
            is_clustered = settings.pop("clustered")
            drawn = "case-control" if "CaseControl" in design else "cohort"
            looks = {"anytime": design["Looks"]["planned"]} if "Looks" in design else {}
            how = {"design": drawn, "clustered": is_clustered, **looks}
            settings["confidence"] = asked and {**asked, **how}
    for part in ("judge", "gold"):
        if isinstance(document.get(part), dict):
            before(document[part])
    return document


def facts_of(report: Any) -> Any:
    return {
        "text": report.to_json(),
        "mapping": dict(report.mapping),
        "confidence": getattr(report, "confidence", None),
        "clustered": report.is_clustered,
        "shown": str(report),
    }


@pytest.mark.parametrize("name", NEW)
def test_a_report_in_the_words_of_0_2_is_the_report_of_today(name: str) -> None:
    text = NEW[name]().to_json()
    old = json.dumps(before(json.loads(text)))
    assert old != text
    assert facts_of(karat.Report.from_json(old)) == facts_of(karat.Report.from_json(text))


def without_version(value: Any) -> Any:
    """A document without its sentences, in which 0.2 named its own options."""
    if isinstance(value, dict):
        left_out = ("doubts", "warnings", "covers")
        return {x: without_version(y) for x, y in value.items() if x not in left_out}
    return [without_version(x) for x in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", REPORTS)
def test_a_stored_report_is_written_in_the_words_of_today(name: str) -> None:
    stored, today = (json.loads(x) for x in (text_of(name), REPORTS[name]().to_json()))
    again = json.loads(karat.Report.from_json(text_of(name)).to_json())
    assert stored["schema"].endswith("/1")
    assert again["schema"].endswith("/2")
    for part in ("mapping", "settings", "judge", "gold"):
        if part in today:
            found, wanted = (without_version(x[part]) for x in (again, today))
            if part in ("mapping", "settings"):
                assert found == wanted
            else:
                assert wanted is None or found["settings"] == wanted["settings"]


def _lacks(schema: str, place: str) -> dict[str, Any]:
    table = {old: new for old, new in words.WORDS[schema].items() if old != place}
    return {**words.WORDS, schema: table}


CASES = [
    ("karat.report", "mapping.true", "weights"),
    ("karat.report", "mapping.pred", "weights"),
    ("karat.report", "mapping.prob", "columns of probabilities"),
    ("karat.report", "mapping.logit", "columns of logits"),
    ("karat.report", "mapping.score", "columns of scores"),
    ("karat.report", "settings.confidence.design=cohort", "labels"),
    ("karat.report", "settings.confidence.design=case-control", "case-control"),
    ("karat.report", "settings.confidence.anytime", "looks"),
    ("karat.report", "settings.confidence.clustered", "clusters"),
    ("karat.report", "settings.confidence", "labels"),
    ("karat.multilabel", "settings.intervals.weights_are=importance", "sets"),
    ("karat.multilabel", "settings.intervals.weights_are=frequency", "sets that stand for several"),
    ("karat.multilabel", "settings.intervals", "sets"),
    ("karat.judged", "mapping.true", "columns of a judge"),
    ("karat.judged", "mapping.gold", "columns of a judge"),
    ("karat.judged", "mapping.pred", "columns of a judge"),
]


@pytest.mark.parametrize(("schema", "place", "name"), CASES)
def test_a_word_that_is_missing_in_the_table_is_noticed(
    schema: str, place: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sabotaged twin: without any one word the report differs, or is refused."""
    text = NEW[name]().to_json()
    wanted = facts_of(karat.Report.from_json(text))
    old = json.dumps(before(json.loads(text)))
    monkeypatch.setattr(words, "WORDS", _lacks(schema, place))
    try:
        found = facts_of(karat.Report.from_json(old))
    except DamagedError:
        return
    assert found != wanted


def test_every_word_of_reports_and_sets_has_a_case() -> None:
    tried = {(schema, place) for schema, place, _ in CASES}
    of_report = {("karat.report", place) for place in words.WORDS["karat.report"]}
    assert of_report - tried == {("karat.report", "mapping.gold")}
    of_sets = {x for x in words.WORDS["karat.multilabel"] if x.startswith("settings")}
    assert {("karat.multilabel", x) for x in of_sets} <= tried


REFUSED: dict[str, tuple[str, Callable[[dict[str, Any]], Any], str]] = {
    "a word that 0.2 did not have": (
        "labels",
        lambda d: d["settings"]["confidence"].update(design="lottery"),
        'settings.confidence.design is "lottery", not one of cohort, case-control',
    ),
    "a word that is missing": (
        "labels",
        lambda d: d["settings"]["confidence"].pop("clustered"),
        "settings.confidence.clustered is missing",
    ),
    "a design that is missing": (
        "labels",
        lambda d: d["settings"]["confidence"].pop("design"),
        "settings.confidence.design is missing",
    ),
    "another type": (
        "labels",
        lambda d: d["settings"]["confidence"].update(seed="x"),
        'settings.confidence.seed is "x"',
    ),
    "planned rows": (
        "looks",
        lambda d: d["settings"]["confidence"].update(anytime="x"),
        'settings.confidence.anytime is "x"',
    ),
    "a level of a judge": (
        "judge",
        lambda d: d["judge"]["settings"]["confidence"].update(level="x"),
        "judge.settings.confidence is an object",
    ),
    "a role in the words of both": (
        "weights",
        lambda d: d["mapping"].update(y_true="other"),
        "mapping.true and mapping.y_true differ",
    ),
    "settings that are no object": (
        "labels",
        lambda d: d.update(settings=3),
        "settings is 3, not an object",
    ),
    "a mapping that is no object": (
        "labels",
        lambda d: d.update(mapping=[]),
        "mapping is a list, not an object",
    ),
    "weights of sets": (
        "sets",
        lambda d: d["settings"]["intervals"].update(weights_are="x"),
        'settings.intervals.weights_are is "x", not one of importance, frequency',
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_refusal_names_the_place_in_the_text(what: str) -> None:
    name, change, told = REFUSED[what]
    document = before(json.loads(NEW[name]().to_json()))
    change(document)
    with pytest.raises(DamagedError) as caught:
        karat.Report.from_json(json.dumps(document))
    assert told in str(caught.value)


@pytest.mark.parametrize("name", ["labels", "sets", "weights"])
def test_words_of_0_2_under_the_number_of_today_are_refused(name: str) -> None:
    document = json.loads(NEW[name]().to_json())
    number = document["schema"]
    old = {**before(document), "schema": number}
    with pytest.raises(DamagedError, match="settings"):
        karat.Report.from_json(json.dumps(old))


def test_a_doubt_of_0_2_stays_as_it_was_written() -> None:
    report = karat.Report.from_json(text_of("weights"))
    stored = json.loads(text_of("weights"))["doubts"]
    assert all(isinstance(one, Doubt) for one in report.doubts)
    assert [one.to_dict() for one in report.doubts] == stored


OLD = {"true", "pred", "prob", "logit", "score", "id", "weight", "cluster", "gold"}
OPTIONS = {"anytime", "weights_are", "sampling", "class_names", "confidence", "n_permutations"}
MODELS: dict[str, Any] = {"old": "pred", "new": "other"}


def monitored() -> Any:
    monitor = karat.Monitor(min={"accuracy": 0.3}, design=karat.Looks(500))
    return monitor.add(TABLE, **ROLES, ids="")


OTHERS: dict[str, Callable[[], Any]] = {
    "a check": lambda: karat.check(TABLE, **ROLES),
    "a comparison": lambda: karat.compare(
        TABLE.assign(other=1 - TABLE["pred"]),
        y_true="label",
        y_pred=MODELS,
        design=karat.Looks(500),
        metrics=["accuracy"],
    ),
    "a gate": lambda: karat.gate(TABLE, **ROLES, min={"accuracy": 0.3}, design=karat.Looks(500)),
    "a monitor": monitored,
}


@pytest.mark.parametrize("name", [*NEW, *OTHERS])
def test_no_document_has_an_old_word(name: str) -> None:
    document = {**NEW, **OTHERS}[name]().to_dict()
    settings = document.get("settings", {})
    assert not document.get("mapping", {}).keys() & OLD
    assert (
        not (document.keys() | settings.keys() | (settings.get("interval") or {}).keys()) & OPTIONS
    )
    if name in OTHERS and name != "a check":
        assert document["design"] == {"Looks": {"planned": 500}}


def test_results_and_heads_have_the_words_of_the_verbs() -> None:
    report = karat.evaluate(TABLE, **ROLES, y_prob="prob", weights="w", level=None)
    assert dict(report.mapping) == {
        "y_true": "label",
        "y_pred": "pred",
        "weights": "w",
        "folds": None,
        "y_prob": ["prob"],
    }
    assert "y_prob=prob, y_true=label, y_pred=pred, weights=w" in " ".join(str(report).split())
    assert dict(OTHERS["a gate"]().mapping)["y_true"] == "label"
    assert dict(monitored().mapping)["y_pred"] == "pred"
    judged = NEW["columns of a judge"]()
    assert judged.mapping["y_true"] == "gold"
    assert "y_true=gold, judge=judge, y_pred=pred" in " ".join(str(judged).split())
