"""A baseline whose checksum fits but whose numbers do not: they are made again, or refused."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.api.gate.baseline import packed, unpacked
from karat.errors import KaratError
from karat.tally import from_bytes, to_bytes, to_marginals
from tests.gate.rows import table, two_models
from tests.gate.test_baselines import put, signed

TRUE, OLD, NEW = two_models(600, lost=20, won=4)
PROB = np.where(OLD[:, None] == np.arange(3), 0.7, 0.15)
COUNTRY = np.array(["NO", "SE", "DK"])[np.arange(600) % 3]
ROWS = table(TRUE, OLD, country=COUNTRY, **{f"proba_{i}": PROB[:, i] for i in range(3)})
# Unpaired, so few rows exclude no drop.
DROP: dict[str, Any] = {
    "max_drop": {"accuracy": 0.0, "log_loss": 0.1},
    "rules": karat.Rules(inconclusive="pass"),
}


def resealed(text: str) -> str:
    """A text whose checksum was made to fit, which says first what it is."""
    start = '{"schema":"karat.baseline/1",'
    return start + text.replace('"schema":"karat.baseline/1",', "", 1).removeprefix("{")


def written(path: Path, **options: Any) -> Path:
    target = path / "base.json"
    bounds: dict[str, Any] = {"min": {"accuracy": 0.5}, "max": {"log_loss": 9.0}}
    assert karat.gate(ROWS, by="country", **bounds, **options).save_baseline(target).passed
    return target


def test_the_values_beside_it_are_those_of_the_tally(tmp_path: Path) -> None:
    """The lie of a reviewer: a worse model passed where the baseline said it had been worse."""
    path = written(tmp_path)
    text = path.read_text("utf-8")
    rules: dict[str, Any] = {"max_drop": {"accuracy": 0.0}}
    worse = table(TRUE, np.where(np.arange(600) % 4 == 0, 0, OLD), country=COUNTRY)
    assert not karat.gate(worse, baseline=path, **rules).passed
    content = json.loads(text)
    content["metrics"]["accuracy"] |= {"value": 0.5, "low": 0.48, "high": 0.52}
    path.write_text(resealed(signed(content)), "utf-8")
    with pytest.raises(KaratError, match=r"accuracy is 0\.5, and 0\.\d+ by its tally") as caught:
        karat.gate(worse, baseline=path, **rules)
    assert caught.value.code == "K205"


def beside(name: str, moved: str, towards: str) -> Callable[[str], str]:
    """One limit on the side of the other one."""

    def lie(text: str) -> str:
        content = json.loads(text)
        found = content["metrics"][name]
        found[moved] = (found["value"] + found[towards]) / 2.0
        return signed(content)

    return lie


LIES: dict[str, tuple[Callable[[str], str], str]] = {
    "a value of labels": (put("metrics", "macro_f1", "value", value=0.5), "by its tally"),
    "a value that is none": (put("metrics", "macro_f1", "value", value=None), "by its tally"),
    "a value out of range": (put("metrics", "accuracy", "value", value=17.0), "outside of 0 to 1"),
    "a limit out of range": (put("metrics", "accuracy", "low", value=-0.5), "outside of 0 to 1"),
    "limits above the value": (beside("accuracy", "low", "high"), "and its limits are"),
    "limits below the value": (beside("log_loss", "high", "low"), "and its limits are"),
    "limits the wrong way": (put("metrics", "log_loss", "low", value=1e6), "has limits from"),
    "a loss below zero": (put("metrics", "log_loss", "value", value=-0.1), "outside of 0 to inf"),
    "more rows than there are": (put("metrics", "log_loss", "n", value=601), "is of 601 rows"),
    "a slice out of range": (
        put("slices", "NO", "accuracy", "value", value=1.5), "outside of 0 to 1"
    ),
    "a choice that is none": (put("settings", "undefined", value="guess"), "undefined='guess'"),
    "another choice": (put("settings", "undefined", value=3), "undefined=3"),
}  # fmt: skip


@pytest.mark.parametrize("name", LIES)
def test_a_baseline_that_lies_is_refused(name: str, tmp_path: Path) -> None:
    path = written(tmp_path)
    lie, message = LIES[name]
    path.write_text(resealed(lie(path.read_text("utf-8"))), "utf-8")
    with pytest.raises(KaratError, match=message) as caught:
        karat.gate(ROWS, baseline=path, **DROP)
    assert caught.value.code == "K205"


def test_metrics_that_this_version_does_not_know_are_left(tmp_path: Path) -> None:
    path = written(tmp_path)
    content = json.loads(path.read_text("utf-8"))
    content["metrics"]["metric_of_tomorrow"] = content["metrics"]["accuracy"] | {"value": 99.0}
    path.write_text(resealed(signed(content)), "utf-8")
    assert karat.gate(ROWS, baseline=path, **DROP).passed


def random_rows(rng: np.random.Generator, k: int, kind: str) -> dict[str, Any]:
    n = int(rng.integers(2, 60))
    true = rng.integers(0, k, n)
    pred = np.where(rng.random(n) < 0.6, true, rng.integers(0, k, n))
    if kind == "one prediction":
        pred = np.zeros(n, int)
    columns: dict[str, Any] = {"label": true, "pred": pred}
    if kind == "weights":
        columns["weight"] = rng.choice([0.0, 0.25, 3.0, 1e-100, 1e100], n)
        columns["weight"][0] = 1.0
    if kind == "text":
        columns = {name: np.array(["b", "a", "ü", "d"])[each] for name, each in columns.items()}
    return columns


@pytest.mark.parametrize("undefined", ["zero", "exclude", "nan"])
@pytest.mark.parametrize("kind", ["plain", "weights", "text", "one prediction"])
def test_an_honest_baseline_is_believed(kind: str, undefined: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    for k in (1, 2, 3, 4):
        for _ in range(4):
            columns = random_rows(rng, k, kind)
            path = tmp_path / "base.json"
            options: dict[str, Any] = {"undefined": undefined}
            for rows in (False, True):
                made = karat.gate(
                    columns, min={"accuracy": 0.0}, reading=karat.Reading(keep_rows=rows), **options
                ).save_baseline(path)
                assert made.passed
                # Few rows tell nothing apart: what is asked here is that they are read.
                karat.gate(columns, baseline=path, max_drop={"accuracy": 0.5}, **options)


def test_a_baseline_of_a_report_is_believed(tmp_path: Path) -> None:
    path = tmp_path / "base.json"
    for metrics in (None, ["accuracy", "macro_f1"]):
        report = karat.evaluate(TRUE, OLD, metrics=metrics)
        assert karat.gate(report, min={"accuracy": 0.1}).save_baseline(path).passed
        assert karat.gate(report, baseline=path, max_drop={"accuracy": 0.2}).passed


def other(name: str, change: Callable[[Any], Any]) -> Callable[[dict[str, Any]], None]:
    """Changes one column of the rows."""
    dtype = {"scores": "<f4", "weights": "<f8"}.get(name, "<i4")

    def changed(rows: dict[str, Any]) -> None:
        shape = (600, 3) if name == "scores" else (600,)
        held = np.ones(600) if rows[name] is None else unpacked(rows[name], dtype, shape)
        rows[name] = packed(np.ascontiguousarray(change(held.copy())), dtype)

    return changed


LIES_OF_ROWS: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "every prediction wrong": (other("pred", lambda x: (x + 1) % 3), "not those of its tally"),
    "one prediction": (other("pred", lambda x: np.r_[(x[:1] + 1) % 3, x[1:]]), "not those of its"),
    "another truth": (other("true", lambda x: (x + 1) % 3), "not those of its tally"),
    "weights of its own": (other("weights", lambda x: x * 3.0), "weighted, or its tally is"),
    "no probabilities": (other("scores", lambda x: x - 7.0), "is not between 0 and 1"),
    "too many of them": (other("scores", lambda x: 0.0 * x + 0.9), "do not sum to 1"),
}


@pytest.mark.parametrize("name", LIES_OF_ROWS)
def test_rows_that_are_not_those_of_the_tally_are_refused(name: str, tmp_path: Path) -> None:
    """The gate compares with the rows, where there are some: a worse model would pass."""
    path = written(tmp_path, reading=karat.Reading(keep_rows=True))
    assert karat.gate(ROWS, baseline=path, **DROP).passed
    content = json.loads(path.read_text("utf-8"))
    lie, message = LIES_OF_ROWS[name]
    lie(content["rows"])
    path.write_text(resealed(signed(content)), "utf-8")
    with pytest.raises(KaratError, match=message) as caught:
        karat.gate(ROWS, baseline=path, **DROP)
    assert caught.value.code == "K205"


def test_rows_beside_totals_alone_are_refused(tmp_path: Path) -> None:
    """karat writes rows with all cells of their tally; of totals the rows cannot be checked."""
    path = written(tmp_path, reading=karat.Reading(keep_rows=True))
    content = json.loads(path.read_text("utf-8"))
    totals = to_marginals(from_bytes(base64.b64decode(content["tally"])))
    content["tally"] = base64.b64encode(to_bytes(totals)).decode("ascii")
    path.write_text(resealed(signed(content)), "utf-8")
    with pytest.raises(KaratError, match="of their tally the totals only") as caught:
        karat.gate(ROWS, baseline=path, **DROP)
    assert caught.value.code == "K205"


def test_limits_of_a_report_hold_its_value_whatever_wrote_it(tmp_path: Path) -> None:
    report = karat.evaluate(TRUE == 0, y_prob=PROB[:, 0], metrics=["accuracy", "roc_auc"])
    content = json.loads(report.to_json())
    content["karat"] = "0.0.9"
    assert karat.Report.from_json(json.dumps(content)).n_rows == 600
    text = json.dumps(content).replace(str(report.roc_auc.value), "0.9999999")
    with pytest.raises(KaratError, match="not an interval that holds the value"):
        karat.Report.from_json(text)
