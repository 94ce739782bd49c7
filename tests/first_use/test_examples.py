"""Examples in help texts and messages are executed: they run, and a gate of them can fail."""

from __future__ import annotations

import ast
import io
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
import pytest

import karat
from karat.cli.app import app
from karat.errors.options import on_the_command_line
from karat.metrics import get
from tests.cli.running import Karat
from tests.errors.triggers import TRIGGERS

N = 400
_RNG = np.random.default_rng(11)
TRUE = _RNG.integers(0, 2, N)
PRED = np.where(_RNG.random(N) < 0.85, TRUE, 1 - TRUE)
PROB = np.clip(0.5 + 0.3 * (2 * TRUE - 1) + _RNG.normal(0, 0.2, N), 0.01, 0.99).round(4)
RANDOM = _RNG.integers(0, 2, N)


def help_examples() -> list[str]:
    """The examples of every command, those that write a baseline first."""
    context = click.Context(app, **app.context_settings)
    commands = [app.get_command(context, name) for name in app.list_commands(context)]
    found = [text for one in commands for text in getattr(one, "examples", None) or ()]
    assert len(found) > 30
    return sorted(found, key=lambda text: "--update-baseline" not in text)


def files(folder: Path) -> None:
    """The files that the examples name."""
    rows = {
        "image": np.arange(N),
        "label": np.where(TRUE, "fraud", "ok"),
        "pred": np.where(PRED, "fraud", "ok"),
        "country": _RNG.choice(["NO", "SE"], N),
        "sex": _RNG.choice(["f", "m"], N),
        "fold": np.arange(N) % 4,
    }
    spam = {"label": np.where(TRUE, "spam", "ham"), "pred": np.where(PRED, "spam", "ham")}
    days = {
        "day": _RNG.choice(["2026-05-01", "2026-05-02"], N),
        "old": np.where(TRUE, "spam", "ham"),
    }
    tags = [{"sea", "sky"}, {"sky"}, {"sea", "sun"}, {"sun"}]
    joined = ["|".join(sorted(tags[i % 4])) for i in range(N)]
    human = np.where(np.arange(N) < 100, np.where(TRUE, "good", "bad"), None)
    judged = {"human": human, "llm": np.where(PRED, "good", "bad"), "llm_p": PROB}
    for name in ("predictions", "old", "new", "a"):
        pd.DataFrame(rows).to_parquet(folder / f"{name}.parquet")
    pd.DataFrame(rows).to_json(folder / "predictions.jsonl", orient="records", lines=True)
    for name in ("old", "new"):
        pd.DataFrame(rows).to_csv(folder / f"{name}.csv", index=False)
    models = [PRED, RANDOM, TRUE]
    for name, pred in zip("abc", models, strict=True):
        of_model = rows | judged | {"pred": np.where(pred, "fraud", "ok")}
        pd.DataFrame(of_model).to_csv(folder / f"{name}.csv", index=False)
    for i in range(3):
        split = pd.DataFrame(spam | {"split": _RNG.choice(["test", "train"], N)})
        split.to_csv(folder / f"fold_{i}.csv", index=False)
    pd.DataFrame({"y": TRUE, "p_0": 1 - PROB, "p_1": PROB}).to_csv(
        folder / "scored.csv", index=False
    )
    pd.DataFrame({"click": TRUE, "label": TRUE, "p_click": PROB}).to_parquet(
        folder / "clicks.parquet"
    )
    for name in ("tags", "old_tags", "new_tags"):
        frame = pd.DataFrame({"label": joined, "pred": joined[::-1]})
        frame.to_csv(folder / f"{name}.csv", index=False)
    pd.DataFrame(judged).to_csv(folder / "answers.csv", index=False)
    for place, name in enumerate(("monday", "tuesday", "all", "week1")):
        batch = pd.DataFrame(spam | days).iloc[place:]
        batch.to_csv(folder / f"{name}.csv", index=False)
    pd.DataFrame(rows | {"old": rows["label"]}).to_csv(folder / "day1.csv", index=False)


def test_every_example_of_a_help_text_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    files(tmp_path)
    monkeypatch.chdir(tmp_path)
    wrong = []
    for text in help_examples():
        words = shlex.split(text)
        if words[0] == "cat":
            stream = io.TextIOWrapper(io.BytesIO(Path(words[1]).read_bytes()), encoding="utf-8")
            monkeypatch.setattr(sys, "stdin", stream)
            words = words[words.index("|") + 1 :]
        if words[1] == "monitor":
            (tmp_path / words[2]).unlink(missing_ok=True)
            if len(words) == 3 or ("--min" not in text and "--max-drop" not in text):
                Karat(capsys)("monitor", words[2], "week1.csv", "--min", "accuracy=0.5")
        done = Karat(capsys)(*words[1:])
        if done.code not in (0, 1, 3):
            wrong.append(f"{text}: exit {done.code}\n{done.err}")
    assert not wrong, "\n".join(wrong)


_RULE = re.compile(
    r"(?:--|\b)(min|max|max[-_]drop|no[-_]worse[-_]than)[= ](\{[^}]*\}|\w+=\d+(?:\.\d+)?)"
)


def rules_in(text: str) -> Iterator[tuple[str, str, float]]:
    """Rules of a gate that a message shows: kind, metric, number."""
    for kind, given in _RULE.findall(text):
        is_dict = given.startswith("{")
        pairs = ast.literal_eval(given).items() if is_dict else [given.split("=")]
        for name, number in pairs:
            yield kind.replace("-", "_"), name, float(number)


def shown_rules() -> list[tuple[str, str, float]]:
    """The rules in the help, and in the messages of calls that users mistype."""
    texts = help_examples()
    calls: list[dict[str, Any]] = [{}]
    for kind in ("min", "max", "max_drop", "no_worse_than"):
        for name in ("recall", "accuracy", "log_loss", "brier", "mcc", "tp", "no_such_metric"):
            calls += [{kind: name}, {kind: [name]}, {kind: {name: "much"}}]
        calls += [{kind: 5}, {kind: [None]}]
    for is_typed in (False, True):
        for rules in calls:
            try:
                if is_typed:
                    with on_the_command_line():
                        karat.gate(TRUE, PRED, **rules)
                else:
                    karat.gate(TRUE, PRED, **rules)
            except karat.KaratError as problem:
                texts.append(str(problem))
    for trigger in TRIGGERS.values():
        try:
            trigger()
        except Exception as problem:
            texts.append(str(problem))
    return sorted({rule for text in texts for rule in rules_in(text)})


def test_a_rule_that_is_shown_makes_a_gate_that_can_fail() -> None:
    rules = shown_rules()
    assert {kind for kind, _, _ in rules} == {"min", "max", "max_drop", "no_worse_than"}
    assert len(rules) > 12
    for kind, name, number in rules:
        has_scores = get(name).needs_scores
        worst: dict[str, Any] = {"y_prob": 1 - PROB} if has_scores else {"y_pred": 1 - TRUE}
        if kind not in ("min", "max"):
            worst["baseline"] = PROB if has_scores else TRUE
        found = karat.gate(TRUE, **worst, **{kind: {name: number}})
        assert not found, (kind, name, number)
        assert not {"D118", "D145"} & {one.code for one in found.doubts}, (kind, name, number)


@pytest.mark.parametrize(
    ("rules", "is_wide"),
    [
        ({"max_drop": {"recall": 0.31}}, True),
        ({"max_drop": {"recall": 0.3}}, False),
        ({"no_worse_than": {"mcc": 0.61}}, True),
        ({"no_worse_than": {"mcc": 0.6}}, False),
        # A loss without an upper end has no range.
        ({"max_drop": {"log_loss": 3.0}}, False),
        ({"min": {"recall": 0.9}}, False),
    ],
)
def test_a_wide_margin_is_a_doubt(rules: dict[str, Any], *, is_wide: bool) -> None:
    rows = {"y_prob": PROB, "baseline": PROB}
    found = karat.gate(TRUE, **rows, **rules)
    assert [one.code for one in found.doubts] == (["D145"] if is_wide else [])
    if is_wide:
        ((kind, name, number),) = rules_in(found.doubts[0].option)
        again = karat.gate(TRUE, **rows, **{kind: {name: number}})
        assert not again.doubts
    monitor = karat.Monitor(**rules)
    if "min" not in rules:
        result = monitor.add(TRUE, **rows)
        assert [one.code for one in result.doubts] == (["D145"] if is_wide else [])


def test_a_rule_of_a_wide_margin_is_seen_by_the_test_of_examples() -> None:
    text = "Write METRIC=X: --max-drop macro_f1=0.8. Or max_drop={'recall': 0.02}."
    assert list(rules_in(text)) == [("max_drop", "macro_f1", 0.8), ("max_drop", "recall", 0.02)]
    found = karat.gate(TRUE, RANDOM, baseline=TRUE, max_drop={"macro_f1": 0.8})
    assert found
    assert found.doubts[0].code == "D145"
