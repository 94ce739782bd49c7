"""Truth, predictions and scores that do not go together are doubts; sound ones are none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import karat
from tests.cli.running import Karat

N = 400
_RNG = np.random.default_rng(11)
TWO = _RNG.integers(0, 2, N)
PROB = np.clip(0.5 + 0.25 * (2 * TWO - 1) * _RNG.random(N) + _RNG.normal(0, 0.1, N), 0.01, 0.99)
GUESS = (PROB > 0.5).astype(int)
MANY = _RNG.integers(0, 4, N)
_RAW = _RNG.random((N, 4)) + 1.5 * (MANY[:, None] == np.arange(4))
PROBS = _RAW / _RAW.sum(1, keepdims=True)
GUESSES = PROBS.argmax(1)
WORDS = np.where(TWO == 1, "fraud", "ok")
OURS = ("D103", "D114", "D115", "D116")


def doubts(found: Any) -> list[Any]:
    return [one for one in found.doubts if one.code in OURS]


def codes(found: Any) -> list[str]:
    return [one.code for one in doubts(found)]


@pytest.mark.parametrize("given", [{}, {"metrics": "accuracy"}, {"level": None}, {"by": WORDS}])
def test_flipped_labels_are_a_doubt(given: dict[str, Any]) -> None:
    flipped = karat.evaluate(1 - TWO, GUESS, **given)
    (found,) = doubts(flipped)
    assert found.code == "D116"
    kappa = karat.evaluate(1 - TWO, GUESS)["kappa"]
    assert f"kappa is {kappa.value:.4f}" in found.evidence
    assert f"[{kappa.low:.4f}, {kappa.high:.4f}]" in found.evidence
    assert "both sides label the same classes, 0, 1," in found.option
    assert codes(karat.evaluate(TWO, GUESS, **given)) == []


def test_rows_of_chance_raise_no_doubt() -> None:
    assert codes(karat.evaluate(TWO, np.roll(GUESS, 1))) == []
    assert codes(karat.evaluate(TWO, np.zeros_like(TWO))) == []
    # Few rows do not show it.
    assert codes(karat.evaluate([0, 1], [1, 0])) == []
    # Rows of one cluster count once.
    few = {"y_true": np.repeat([0, 1, 0], 9), "y_pred": np.repeat([1, 0, 0], 9)}
    assert codes(karat.evaluate(**few, clusters=np.repeat([0, 1, 2], 9))) == []
    assert codes(karat.evaluate(**few)) == ["D116"]


def test_predictions_of_scores_name_the_order_of_the_scores() -> None:
    (found,) = doubts(karat.evaluate(TWO, y_prob=1 - PROB, metrics="accuracy"))
    assert (found.code, "positive=0 names the other one" in found.option) == ("D116", True)
    both = np.stack([PROB, 1 - PROB], axis=1)
    (found,) = doubts(karat.evaluate(TWO, y_prob=both, metrics="accuracy"))
    assert (found.code, "order of the columns" in found.option) == ("D116", True)
    # The area says it already.
    assert codes(karat.evaluate(TWO, y_prob=1 - PROB)) == ["D103"]


def test_a_comparison_and_a_gate_name_the_side() -> None:
    for given in (
        {"y_pred": {"a": GUESS, "b": 1 - GUESS}},
        {"y_prob": {"a": PROB, "b": 1 - PROB}, "metrics": "accuracy"},
    ):
        (found,) = doubts(karat.compare(TWO, **given))
        assert found.noticed == "The predictions of b agree with the truth less than chance would."
    assert codes(karat.compare(TWO, y_prob={"a": PROB, "b": 1 - PROB})) == ["D103"]
    assert codes(karat.compare(TWO, {"a": GUESS, "b": GUESS})) == []
    assert codes(karat.gate(TWO, 1 - GUESS, min={"accuracy": 0.0})) == ["D116"]
    rules = {"max_drop": {"accuracy": 0.3}}
    (found,) = doubts(karat.gate(TWO, GUESS, baseline=1 - GUESS, **rules))
    assert found.noticed.startswith("The predictions of the baseline agree")
    assert codes(karat.gate(TWO, GUESS, baseline=GUESS, **rules)) == []
    rules = {"min": {"accuracy": 0.0, "roc_auc": 0.0}}
    assert codes(karat.gate(TWO, y_prob=1 - PROB, **rules)) == ["D103"]


def test_swapped_columns_name_their_classes() -> None:
    assert codes(karat.evaluate(MANY, y_prob=PROBS)) == []
    (found,) = doubts(karat.evaluate(MANY, y_prob=PROBS[:, [0, 2, 1, 3]]))
    assert found.noticed == "The scores rank classes 1, 2 in reverse."
    assert found.evidence.count("lies below 0.5") == 2
    assert "they are read as those of 0, 1, 2, 3; labels= lists another order." in found.option
    listed = karat.evaluate(MANY, y_prob=PROBS[:, [0, 2, 1, 3]], labels=[0, 2, 1, 3])
    assert codes(listed) == []
    one = PROBS.copy()
    one[:, 3] = one[:, 3].max() - one[:, 3]
    (found,) = doubts(karat.evaluate(MANY, y_score=one))
    assert found.noticed == "The scores rank class 3 in reverse."
    # Where all are reversed, the area of all says it.
    (found,) = doubts(karat.evaluate(MANY, y_prob=(1 - PROBS) / 3))
    assert found.noticed == "The scores rank the classes in reverse."


def test_intervals_of_many_classes_are_as_wide_as_they_have_to_be() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 40, 2000)
    report = karat.evaluate(truth, y_score=rng.random((2000, 40)), metrics=None)
    highs = report.class_intervals["roc_auc"][1]
    assert (highs < 0.5).any()
    assert codes(report) == []


@pytest.mark.parametrize("positive", [None, 1])
def test_of_two_columns_the_order_is_what_settles_it(positive: int | None) -> None:
    both = np.stack([PROB, 1 - PROB], axis=1)
    (found,) = doubts(karat.evaluate(TWO, y_prob=both, positive=positive))
    assert found.code == "D103"
    assert "they are read as those of 0, 1; labels= lists another order." in found.option
    assert "positive=" not in found.option
    assert codes(karat.evaluate(TWO, y_prob=both, positive=positive, labels=[1, 0])) == []
    compared = karat.compare(TWO, y_prob={"a": both, "b": both}, positive=positive)
    assert all("order of the columns" in one.option for one in doubts(compared))
    (found,) = doubts(karat.evaluate(TWO, y_prob=1 - PROB, positive=positive))
    assert "positive=0 names the other one" in found.option


@pytest.mark.parametrize(
    ("true", "pred", "evidence"),
    [
        (TWO, GUESS + 1, "2 is predicted {0} times and never true; 0 is true {1} times and"),
        (TWO, 2 * GUESS - 1, "-1 is predicted {0} times and never true; 0 is true {1} times and"),
        (TWO + 1, GUESS, "0 is predicted {0} times and never true; 2 is true {1} times and"),
        (MANY, GUESSES + 1, "4 is predicted {0} times and never true; 0 is true {1} times and"),
        (
            np.char.add("c", (MANY + 1).astype(str)),
            np.char.add("c", GUESSES.astype(str)),
            "'c0' is predicted {0} times and never true; 'c4' is true {1} times and",
        ),
    ],
)
def test_two_codings_of_the_classes_are_a_doubt(true: Any, pred: Any, evidence: str) -> None:
    for found in (karat.evaluate(true, pred), karat.check(true, pred)):
        (one,) = doubts(found)
        assert one.code == "D114"
        never = next(label for label in np.unique(pred) if label not in true)
        missing = next(label for label in np.unique(true) if label not in pred)
        told = evidence.format((pred == never).sum(), (true == missing).sum())
        assert one.evidence == f"{told} never predicted."
    listed = karat.evaluate(true, pred, labels=sorted({*true.tolist(), *pred.tolist()}))
    assert "D114" not in codes(listed)
    assert listed["accuracy"].value == karat.evaluate(true, pred)["accuracy"].value


def test_labels_that_one_side_lacks_are_not_two_codings() -> None:
    # A class that is never predicted, or never true, is everyday.
    assert codes(karat.evaluate(MANY, np.minimum(GUESSES, 2))) == []
    assert codes(karat.evaluate(np.minimum(MANY, 2), GUESSES)) == []
    rare = GUESSES.copy()
    rare[rare == 3] = 0
    rare[:9] = 7
    assert codes(karat.evaluate(MANY, rare)) == []
    rare[:25] = 7
    assert codes(karat.evaluate(MANY, rare)) == ["D114"]
    assert codes(karat.evaluate(MANY, rare, weights=np.where(rare == 7, 0.01, 1.0))) == []
    # Another way to write a class has a doubt of its own.
    case = np.where(GUESS == 1, "Fraud", "ok")
    assert codes(karat.evaluate(WORDS, case)) == []
    assert "D111" in [one.code for one in karat.evaluate(WORDS, case).doubts]


@pytest.mark.parametrize("name", ["report", "columns"])
def test_files_show_two_codings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = tmp_path / "rows.csv"
    pd.DataFrame({"label": TWO, "pred": GUESS + 1}).to_csv(path, index=False)
    done = Karat(capsys)(name, path)
    assert "may code the classes differently" in done.out
    assert "--labels 0,1,2" in done.out
    pd.DataFrame({"label": TWO, "pred": GUESS}).to_csv(path, index=False)
    assert "may code" not in Karat(capsys)(name, path).out


def streamed(true: Any, **given: Any) -> karat.Report:
    stream = karat.Stream()
    for part in (slice(150), slice(150, None)):
        stream.update(true[part], **{name: x[part] for name, x in given.items()})
    return stream.report()


BOTH = np.stack([1 - PROB, PROB], axis=1)


@pytest.mark.parametrize("call", [karat.evaluate, streamed])
@pytest.mark.parametrize(
    ("true", "scores", "pred", "n_other"),
    [
        (TWO, {"y_prob": PROB}, GUESS, 0),
        # Whatever the threshold was.
        (TWO, {"y_prob": PROB}, (PROB > 0.37).astype(int), 0),
        (TWO, {"y_prob": BOTH}, (PROB > 0.37).astype(int), 0),
        (TWO, {"y_score": np.round(PROB, 1)}, (np.round(PROB, 1) >= 0.4).astype(int), 0),
        (MANY, {"y_prob": PROBS}, GUESSES, 0),
        # As much as 5 % may be by another rule.
        (TWO, {"y_prob": PROB}, np.where(np.arange(N) < 20, 1 - GUESS, GUESS), 0),
        (TWO, {"y_prob": PROB}, np.roll(GUESS, 7), None),
        (TWO, {"y_score": BOTH}, np.roll(GUESS, 7), None),
        (TWO, {"y_prob": PROB}, 1 - GUESS, None),
        (MANY, {"y_prob": PROBS}, np.roll(GUESSES, 7), int((np.roll(GUESSES, 7) != GUESSES).sum())),
    ],
)
def test_predictions_that_the_scores_beside_them_do_not_predict(
    call: Any, true: Any, scores: dict[str, Any], pred: Any, n_other: int | None
) -> None:
    found = [one for one in doubts(call(true, y_pred=pred, **scores)) if one.code == "D115"]
    assert bool(found) is (n_other != 0)
    if not found:
        return
    values = next(iter(scores.values()))
    single = values if values.ndim == 1 else values[:, 1] - values[:, 0]
    if n_other is None:
        n_other = min(((single >= at) != pred).sum() for at in (*single, np.inf))
    assert f"{n_other} of 400 rows " in found[0].evidence
    assert "without y_pred=, predictions come from the scores" in found[0].option


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("n_scores", ["one", "each"])
def test_beyond_memory_their_number_is_bounded_from_below(k: int, n_scores: str) -> None:
    if k == 3 and n_scores == "one":
        return
    rng = np.random.default_rng(4)
    n = 70_000
    true = rng.integers(0, k, n)
    prob = rng.dirichlet(np.ones(k), n) * 0.5 + 0.5 * np.eye(k)[true] * rng.random((n, 1))
    prob /= prob.sum(axis=1, keepdims=True)
    own = prob.argmax(axis=1)
    rolled = np.roll(own, 7)
    given = prob[:, 1] if n_scores == "one" else prob
    for pred in (own, rolled):
        stream = karat.Stream(
            labels=range(k), reading=karat.Reading(max_memory=1 << 20), level=None
        )
        for rows in np.array_split(np.arange(n), 9):
            stream.update(true[rows], pred[rows], y_prob=given[rows])
        found = [one for one in doubts(stream.report()) if one.code == "D115"]
        assert bool(found) is (pred is rolled)
    evidence = found[0].evidence
    least = evidence.partition(" of 70 000 rows ")[0].lower().partition("at least ")[2]
    n_least = int(least.replace(" ", ""))
    assert 0.05 * n < n_least <= np.count_nonzero(rolled != own)


def test_columns_of_two_models_are_a_doubt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.csv"
    rows = {"label": TWO, "pred": np.roll(GUESS, 7), "own": GUESS, "prob": PROB}
    pd.DataFrame(rows).to_csv(path, index=False)
    run = Karat(capsys)
    columns = ("report", path, "--prob", "prob")
    assert "D115" in run(*columns, "--pred", "pred").err
    assert "D115" not in run(*columns, "--pred", "own").err
    # A threshold decides, and no column of predictions is read.
    assert "D115" not in run(*columns, "--threshold", "0.3").err
    assert codes(karat.evaluate(rows, y_prob="prob", threshold=0.3)) == []
    assert "D115" in run("gate", path, *columns[2:], "--pred", "pred", "--min", "f1=0").err
