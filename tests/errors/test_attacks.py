"""What an attacker gave and got no clear error for: each is told now, by its code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import karat
from karat.errors import KaratError
from karat.metrics import error_bound

TRUE, PRED = [0, 1, 1, 0, 1, 0, 1, 0], [0, 1, 0, 0, 1, 1, 1, 0]
PROB = np.array([0.1, 0.9, 0.4, 0.2, 0.8, 0.6, 0.7, 0.3])
MANY, GUESSED, COLUMN = np.tile(TRUE, 20), np.tile(PRED, 20), {"a": np.tile([0, 1], 80)}
F1 = karat.metrics.get("f1")


def code_of(call: Callable[[], Any]) -> str:
    with pytest.raises(KaratError) as found:
        call()
    return found.value.code


@pytest.mark.parametrize("digits", [301, 400, 5000])
def test_numbers_in_json_that_are_no_floats(digits: int, tmp_path: Path) -> None:
    text = karat.evaluate(TRUE, PRED, metrics=["accuracy"]).to_json()
    value = json.loads(text)["metrics"]["accuracy"]["value"]
    text = text.replace(f'"value": {value}', f'"value": {"9" * digits}')
    assert "9" * digits in text
    assert code_of(lambda: karat.Report.from_json(text)) == "K205"
    path = tmp_path / "big.json"
    path.write_text(text, encoding="utf-8")
    rules: dict[str, Any] = {"max_drop": {"accuracy": 0.1}}
    assert code_of(lambda: karat.gate(TRUE, PRED, baseline=path, **rules)) == "K205"


def test_bytes_that_are_no_text() -> None:
    assert code_of(lambda: karat.evaluate("SELECT 'a\udcff' AS label, 'a' AS pred")) == "K408"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--where", b"\xff"], b"K408"),
        (["--max-memory", b"9" * 400], b"K122"),
        (["--max-memory", b"1" + b"0" * 310 + b"TB"], b"K122"),
        (["--labels", b"[" * 100_000], b"K1"),
    ],
    ids=["where", "memory", "memory in TB", "labels"],
)
def test_options_of_the_command_line(
    options: list[str | bytes], code: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("label,pred\n" + "a,b\nb,b\n" * 5, encoding="utf-8")
    command = [sys.executable, "-m", "karat", "report", str(path), *options]
    run = subprocess.run(command, capture_output=True, check=False)
    assert run.returncode == 2
    assert code in run.stderr
    assert b"Traceback" not in run.stderr


def test_a_report_of_no_metrics_is_shown() -> None:
    stream = karat.Stream(metrics=[])
    stream.update(TRUE, PRED)
    for report in (karat.evaluate(TRUE, PRED, metrics=[]), stream.report()):
        for text in (str(report), report.to_markdown(), report.to_latex(), report.to_html()):
            assert "8" in text
        assert report._repr_html_()


@pytest.mark.parametrize("n", [98, 1_000_001, 10**11, 2**62, 2**63])
def test_permutations_without_end(n: int) -> None:
    given: dict[str, Any] = {"by": COLUMN, "interval": karat.Interval(n_replicates=n)}
    assert code_of(lambda: karat.find_weak_slices(MANY, GUESSED, **given)) == "K122"


@pytest.mark.parametrize(
    "settings",
    [
        {"level": Decimal("0.9")}, {"level": Fraction(9, 10)}, {"level": np.array(0.9)},
        {"level": np.longdouble(0.9)}, {"positive": np.array(1)}, {"positive": np.int8(1)},
    ],
    ids=str,
)  # fmt: skip
def test_what_a_stream_takes_it_writes(settings: dict[str, Any]) -> None:
    stream = karat.Stream(**settings)
    stream.update(TRUE, y_prob=PROB)
    again = karat.Stream.from_bytes(stream.to_bytes())
    assert again.report().to_json() == stream.report().to_json()


@pytest.mark.parametrize(
    "given",
    [
        (F1, float("nan"), 2), (F1, -1, 2), (F1, "10", 2), (F1, True, 2), (F1, 10**400, 2),
        (F1, 10, 0), (F1, 10, 2.5), (F1, 10, "95"), ("f1", 10, 2), (F1, None, 2),
    ],
)  # fmt: skip
def test_bounds_of_nothing(given: tuple[Any, Any, Any]) -> None:
    assert code_of(lambda: error_bound(*given)) == "K122"
    assert code_of(lambda: error_bound(F1, 10, 2, spread=0.5)) == "K122"
    assert error_bound(F1, np.int64(10), np.int64(2), spread=np.float32(2)).relative > 0


@pytest.mark.parametrize("value", [0, None, "yes", np.zeros(2)], ids=repr)
def test_derivatives(value: Any) -> None:
    for function in (karat.objectives.multiclass, karat.objectives.multiclass_one_vs_all):
        scores = np.arange(16.0).reshape(8, 2)
        assert code_of(lambda: function(scores, TRUE, diagonal=value)) == "K122"  # noqa: B023


@pytest.mark.parametrize("value", ["95", None, [1], 1j, True], ids=repr)
def test_objectives(value: Any) -> None:
    assert code_of(lambda: karat.objectives.LightGBMObjective(sigmoid=value)) == "K154"
    for kind in (karat.objectives.XGBoostObjective, karat.objectives.LightGBMObjective):
        assert code_of(lambda: kind(loss=np.zeros(3))) == "K122"  # noqa: B023


def test_a_scorer_of_no_classifier() -> None:
    assert code_of(lambda: karat.scorer("accuracy")(None, [[0]] * 8, TRUE)) == "K313"


def test_signalling_nan() -> None:
    column = [Decimal("sNaN"), 1] * 4
    assert code_of(lambda: karat.evaluate(TRUE, PRED, clusters=column)) == "K106"
    assert code_of(lambda: karat.evaluate(TRUE, PRED, by=column)) == "K106"


def test_numbers_that_python_does_not_write() -> None:
    call = karat.expected_calibration_error
    assert code_of(lambda: call(TRUE, y_prob=PROB, bins=10**5000)) == "K302"


@pytest.mark.parametrize("value", ["no", np.zeros(3), pd.NA, 1], ids=repr)
def test_exact_is_true_or_false(value: Any) -> None:
    assert code_of(lambda: karat.evaluate(TRUE, PRED, reading=karat.Reading(exact=value))) == "K122"


@pytest.mark.parametrize("value", ["no", np.zeros(3), pd.NA], ids=repr)
@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("confusion", "annotate"), ("confusion", "totals"), ("confusion", "colorbar"),
        ("roc", "chance"), ("roc", "legend"), ("threshold", "legend"), ("scores", "shares"),
        ("reliability", "histogram"), ("intervals", "legend"),
    ],
)  # fmt: skip
def test_options_of_plots(name: str, option: str, value: Any) -> None:
    report = karat.evaluate(TRUE, y_prob=PROB)
    draw = getattr(karat.plot, name)
    assert code_of(lambda: draw(report, **{option: value})) == "K122"


@pytest.mark.parametrize(
    "rows",
    [
        [[2**63, 1], [1, 2**62]],
        [[2**62, 1], [1, 2**62]],
        [[2**64, 0], [0, 1]],
        [[2**200, 0], [0, 1]],
        ((2**63, 0), (0, 1)),
    ],
    ids=["2^63 beside small", "a sum of 2^63", "2^64", "2^200", "tuples"],
)
def test_counts_beyond_64_bits(rows: Any) -> None:
    with pytest.raises(KaratError, match="more than 64 bits can hold") as found:
        karat.evaluate(confusion=rows)
    assert found.value.code == "K119"


def test_weights_may_be_as_large_as_floats_are() -> None:
    assert karat.evaluate(confusion=[[2.0**63, 1], [1, 2.0**62]]).accuracy > 0.99


@pytest.mark.parametrize("version", ["banana", "", "0", "1.", "v0.1.0", "0.1.0 ", "0.1.0\n", "१.२"])
def test_a_report_of_no_version(version: str) -> None:
    whole = json.loads(karat.evaluate(TRUE, PRED).to_json())
    whole["karat"] = version
    assert code_of(lambda: karat.Report.from_json(json.dumps(whole))) == "K205"


@pytest.mark.parametrize("version", ["0.0.9", "9.1", "0.2.0.dev3+g12ab", "1.0rc1", "2.0.1.post1"])
def test_a_report_of_another_version(version: str) -> None:
    whole = json.loads(karat.evaluate(TRUE, PRED).to_json())
    whole["karat"] = version
    assert karat.Report.from_json(json.dumps(whole)).accuracy == karat.accuracy(TRUE, PRED)


def test_a_report_of_many_classes_is_read_in_proportion() -> None:
    """Calls, not seconds: ten times the classes must not be a hundred times the work."""
    import sys

    calls = []
    for k in (300, 3000):
        text = karat.evaluate(np.arange(k), np.arange(k), metrics=["accuracy"]).to_json()
        n = 0

        def count(*_: Any) -> None:
            nonlocal n
            n += 1

        sys.setprofile(count)
        try:
            karat.Report.from_json(text)
        finally:
            sys.setprofile(None)
        calls.append(n)
    assert calls[1] < 15 * calls[0]


def test_damaged_bytes_of_a_stream_are_called_so() -> None:
    whole = karat.Stream().to_bytes()
    with pytest.raises(KaratError, match="not a valid stream") as found:
        karat.Stream.from_bytes(whole[:-1])
    assert found.value.code == "K205"
    assert "Write the stream again" in str(found.value)


def test_what_the_core_refuses_is_no_failed_gate(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("label,pred\n" + "a,b\nb,b\n" * 5, encoding="utf-8")
    command = [sys.executable, "-m", "karat", "gate", str(path), "--min", "accuracy=0.9"]
    environment = {**os.environ, "KARAT_ISA": "none"}
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert run.returncode == 2
    assert run.stderr.startswith("Error: karat cannot be loaded: instruction set 'none'")
    assert "Traceback" not in run.stderr


def test_a_defect_is_no_failed_gate(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from karat.cli import app, main

    def fail(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr(app.app, "main", fail)
    assert main(["demo"]) == 70
    told = capsys.readouterr().err
    assert "ZeroDivisionError: of all things" in told
    assert told.endswith("This is a bug in karat: please report it.\n")
