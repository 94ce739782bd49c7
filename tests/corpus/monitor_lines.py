"""`karat monitor`: states, settings that stay, verdicts and exit codes, annotations of jobs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.corpus.calls import Call
from tests.corpus.design_lines import only_for_now, run_line, run_lines, state_facts
from tests.corpus.design_rows import animal_batches, batches
from tests.corpus.files import written
from tests.corpus.outcome import Prose, cleaned

# Each call runs its lines one after the other on a new state.
RUNS: dict[str, tuple[str, ...]] = {
    "three days": (
        "monitor s.karat day0.csv --min accuracy=0.7 --pred pred --prob ''",
        "monitor s.karat day1.csv",
        "monitor s.karat day2.csv",
        "monitor s.karat",
    ),
    "as JSON": (
        "monitor s.karat day0.csv --min accuracy=0.7,f1=0.5 --pred pred --prob '' --format json",
        "monitor s.karat day1.csv --format json",
    ),
    "as Markdown": (
        "monitor s.karat day0.csv --min accuracy=0.7 --pred pred --prob '' --format markdown",
        "monitor s.karat --format markdown",
    ),
    "a failure": (
        "monitor s.karat bad.csv --min accuracy=0.9",
        "monitor s.karat day0.csv --format json",
        "monitor s.karat",
    ),
    "undecided": (
        "monitor s.karat day0.csv --min accuracy=0.84 --inconclusive fail --pred pred --prob ''",
        "monitor s.karat",
    ),
    "undecided passes": (
        (
            "monitor s.karat day0.csv --max-drop accuracy=0.05 --baseline-pred older --pred pred "
            "--inconclusive pass"
        ),
    ),
    "several rules": (
        (
            "monitor s.karat day0.csv --min accuracy=0.5 --min f1=0.5 --max error_rate=0.6 "
            "--pred pred --prob ''"
        ),
        "monitor s.karat day1.csv --min f1=0.5",
    ),
    "probabilities": (
        "monitor s.karat day0.csv --prob p_yes --pred '' --min roc_auc=0.6 --max brier=0.5",
        "monitor s.karat day1.csv --format json",
    ),
    "threshold": (
        "monitor s.karat day0.csv --prob p_yes --pred '' --threshold 0.3 --min recall=0.5",
        "monitor s.karat day1.csv",
    ),
    "windows": (
        "monitor s.karat day0.csv --windows --min accuracy=0.7 --pred pred --prob ''",
        "monitor s.karat bad.csv --format json",
        "monitor s.karat day1.csv",
        "monitor s.karat --format json",
    ),
    "weights and clusters": (
        (
            "monitor s.karat day0.csv --pred pred --prob '' --weights mass --clusters team "
            "--anytime 60 --min accuracy=0.5"
        ),
        "monitor s.karat day1.csv",
    ),
    "level and positive": (
        "monitor s.karat day0.csv --pred pred --prob '' --level 0.8 --positive 0 --min recall=0.5",
        "monitor s.karat day1.csv",
    ),
    "labels": (
        (
            "monitor s.karat animals0.csv --labels cat,dog,eel,fox --pred pred --prob '' "
            "--undefined exclude --min macro_f1=0.5"
        ),
        "monitor s.karat animals1.csv",
    ),
    "probabilities of animals": (
        "monitor s.karat animals0.csv --prob 'proba_*' --pred '' --max log_loss=2",
        "monitor s.karat animals1.csv",
    ),
    "a condition": (
        (
            "monitor s.karat day0.csv --where \"country = 'NO'\" --pred pred --prob '' "
            "--min accuracy=0.5"
        ),
        "monitor s.karat day0.csv --where \"country = 'SE'\"",
    ),
    "several files": (
        "monitor s.karat day0.csv day1.csv --pred pred --prob '' --min accuracy=0.5",
        "monitor s.karat 'day[23].csv'",
    ),
    "a query": (
        (
            "monitor s.karat \"SELECT label, pred FROM 'day0.parquet' WHERE mass > 1\" "
            "--min accuracy=0.5"
        ),
    ),
    "a baseline in a file": (
        "monitor s.karat new0.csv --baseline old0.csv --max-drop accuracy=0.01",
        "monitor s.karat new1.csv --baseline old1.csv --format json",
        "monitor s.karat new2.csv",
    ),
    "a baseline in a column": (
        "monitor s.karat day0.csv --baseline-pred older --pred pred --max-drop accuracy=0.01",
        "monitor s.karat day1.csv",
    ),
    "probabilities of a baseline": (
        (
            "monitor s.karat day0.csv --prob p_yes --pred '' --baseline-prob p_older "
            "--no-worse-than roc_auc=0.5"
        ),
        "monitor s.karat day1.csv",
    ),
    "the same batch": (
        "monitor s.karat day0.csv --pred pred --prob '' --min accuracy=0.7",
        "monitor s.karat day0.csv",
        "monitor s.karat day0.csv --again",
    ),
    "settings that contradict": (
        "monitor s.karat day0.csv --pred pred --prob '' --min accuracy=0.7",
        "monitor s.karat day1.csv --level 0.9",
        "monitor s.karat day1.csv --anytime 500",
        "monitor s.karat day1.csv --min accuracy=0.8",
        "monitor s.karat day1.csv --max error_rate=0.8",
        "monitor s.karat day1.csv --positive 0",
        "monitor s.karat day1.csv --pred older",
        "monitor s.karat day1.csv --weights mass",
        "monitor s.karat day1.csv --windows",
        "monitor s.karat day1.csv --inconclusive fail",
        "monitor s.karat day1.csv --threshold 0.3",
        "monitor s.karat --min accuracy=0.7 --level 0.95",
    ),
    "no state": (
        "monitor s.karat",
        "monitor s.karat day0.csv",
        "monitor s.karat nowhere.csv --min accuracy=0.7",
        "monitor s.karat day0.csv --min acuracy=0.7",
        "monitor s.karat day0.csv --min accuracy",
        "monitor s.karat day0.csv --windows --anytime 500 --min accuracy=0.7",
        "monitor s.karat day0.csv --anytime 5 --min accuracy=0.7",
        "monitor s.karat day0.csv --level none --min accuracy=0.7",
        "monitor s.karat day0.csv --format html --min accuracy=0.7",
        "monitor s.karat day0.csv --max-drop accuracy=0.1 --pred pred --prob ''",
        "monitor s.karat day0.csv --min accuracy=0.1 --baseline old0.csv --pred pred --prob ''",
        (
            "monitor s.karat day0.csv --baseline old0.csv --baseline-pred older "
            "--max-drop accuracy=0.1"
        ),
        "monitor s.karat day0.csv --separator '|' --min accuracy=0.7",
        "monitor s.karat day0.csv --by country --min accuracy=0.7",
        "monitor s.karat day0.csv --folds fold --min accuracy=0.7",
        "monitor nowhere/s.karat day0.csv --min accuracy=0.7 --pred pred --prob ''",
        "monitor",
        "monitor --help",
    ),
    "other columns": (
        "monitor s.karat day0.csv --pred pred --prob '' --min accuracy=0.7",
        "monitor s.karat animals0.csv",
        "monitor s.karat old0.csv",
        "monitor s.karat nulls.csv",
    ),
    "missing labels": (
        "monitor s.karat nulls.csv --min accuracy=0.5",
        "monitor s.karat nulls.csv --min accuracy=0.5 --nulls drop",
    ),
}
FIRST = "monitor s.karat day0.csv --min accuracy=0.7 --pred pred --prob ''"


def calls() -> Iterator[Call]:
    for name, lines in RUNS.items():
        yield _call(name, lambda lines=lines: _run(*lines))
    yield _call("a state after two days", _state)
    yield _call("a damaged state", lambda: _damaged(lambda data: data[:-20]))
    yield _call("an edited state", lambda: _damaged(_edited))
    yield _call("a state that is none", lambda: _damaged(lambda data: b"label,pred\n0,1\n"))
    yield _call("a state in use", _in_use)
    yield _call("a passing job", lambda: _in_a_job("--min accuracy=0.5"))
    yield _call("a failing job", lambda: _in_a_job("--min accuracy=0.99 --max error_rate=0.9"))
    yield _call("an undecided job", lambda: _in_a_job("--min accuracy=0.84 --inconclusive fail"))
    yield _call("a job with windows", lambda: _in_a_job("--min accuracy=0.99 --windows"))


def _call(name: str, run: Any) -> Call:
    return Call(f"monitor: {name}", "karat monitor", "command", run)


def _run(*lines: str) -> Any:
    _files()
    return run_lines(*lines)


def _state() -> dict[str, Any]:
    _files()
    with only_for_now():
        run_line(FIRST)
        run_line("monitor s.karat day1.csv")
        return state_facts(Path("s.karat").read_bytes())


def _edited(data: bytes) -> bytes:
    return data.replace(b'"accuracy",0.7', b'"accuracy",0.1')


def _damaged(change: Any) -> dict[str, Any]:
    _files()
    state = Path("s.karat")
    with only_for_now():
        run_line(FIRST)
        state.write_bytes(change(state.read_bytes()))
        before = state.read_bytes()
        outcomes = [run_line(line) for line in ("monitor s.karat day1.csv", "monitor s.karat")]
        return {"outcomes": outcomes, "unchanged": state.read_bytes() == before}


def _in_use() -> list[Any]:
    _files()
    lock = Path("s.karat.lock")
    with only_for_now():
        run_line(FIRST)
        lock.write_text("1 elsewhere")
        outcomes = [run_line("monitor s.karat day1.csv"), run_line("monitor s.karat")]
        lock.unlink()
        return [*outcomes, run_line("monitor s.karat day1.csv")]


def _in_a_job(rules: str) -> dict[str, Any]:
    _files()
    summary = Path("summary.md")
    job = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}
    with only_for_now():
        line = f"monitor s.karat day0.csv --pred pred --prob '' {rules}"
        outcome = run_line(line, job)
        return {**outcome, "summary": Prose(cleaned(summary.read_text()))}


def _files() -> None:
    if Path("day0.csv").exists():
        return
    tables: dict[str, Any] = {}
    for i, batch in enumerate(batches()):
        tables[f"day{i}"] = batch
        shared = {name: batch[name] for name in ("id", "label")}
        tables[f"new{i}"] = {**shared, "pred": batch["pred"]}
        tables[f"old{i}"] = {**shared, "pred": batch["older"]}
    for i, batch in enumerate(animal_batches()):
        tables[f"animals{i}"] = batch
    bad = batches(1, 200, 0.4, 77)[0]
    tables["bad"] = {"label": bad["label"], "pred": bad["pred"]}
    labels = bad["label"].tolist()
    tables["nulls"] = {"label": [None, *labels[1:]], "pred": bad["pred"]}
    for name, columns in tables.items():
        Path(written("csv", columns, f"of-lines-{name}")).rename(f"{name}.csv")
    Path(written("parquet", batches()[0], "of-lines-day0")).rename("day0.parquet")
