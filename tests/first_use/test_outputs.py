"""First calls with outputs of models: answers of language models, margins, batches, records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import karat
from karat.errors import KaratError
from tests.optional import optional

torch = optional("torch")
GOLD = ["positive", "negative", "neutral"] * 10
TWO = ["spam", "ham"] * 10
P = np.random.default_rng(3).random(20)


def codes(report: Any) -> list[str]:
    return [one.code for one in report.doubts]


def test_other_answers_are_reported_beside_other_spellings() -> None:
    answers = ["Positive", "negative", "I cannot answer", "positive", "negative", "neutral"] * 5
    report = karat.evaluate(GOLD, answers)
    assert codes(report) == ["D111", "D127"]
    (found,) = [one for one in report.doubts if one.code == "D127"]
    assert "The label 'I cannot answer' is predicted and never true" in found.noticed
    assert found.evidence.startswith("It is predicted 5 times.")
    assert f"macro F1 is {report['macro_f1'].value:.3g}, and " in found.evidence
    # Without the other answer, all that is never true is a spelling.
    spelled = [answer.replace("I cannot answer", "neutral") for answer in answers]
    assert codes(karat.evaluate(GOLD, spelled)) == ["D111"]


@pytest.mark.parametrize(
    ("choice", "is_same"),
    [("(A)", True), ("A)", True), ("( a )", True), ("(A).", True), ("(A", False), ("f(A)", False)],
)
def test_choices_of_a_list_are_spelled_with_brackets(choice: str, is_same: bool) -> None:
    gold = list("ABCD") * 5
    assert ("D111" in codes(karat.evaluate(gold, [choice, *gold[1:]]))) is is_same


NAMED: dict[str, Any] = {
    "a dict": lambda name: {name: P.tolist()},
    "a frame": lambda name: pd.DataFrame({name: P}),
    "a Series": lambda name: pd.Series(P, name=name),
    "Polars": lambda name: pl.Series(name, P),
    "a frame of Polars": lambda name: pl.DataFrame({name: P}),
}


@pytest.mark.parametrize("form", NAMED)
@pytest.mark.parametrize("name", ["spam", "ham"])
def test_a_single_column_named_as_a_class_is_of_that_class(form: str, name: str) -> None:
    prob = NAMED[form](name)
    expected = karat.roc_auc(TWO, y_prob=P, positive=name)
    assert karat.roc_auc(TWO, y_prob=prob) == expected
    assert karat.evaluate(TWO, y_prob=prob)["roc_auc"].value == expected
    stream = karat.Stream()
    stream.update(TWO, y_prob=prob)
    assert stream.report()["roc_auc"].value == expected
    other = "ham" if name == "spam" else "spam"
    with pytest.raises(KaratError, match=f"K137.*(?s:.*)names the class '{name}'"):
        karat.roc_auc(TWO, y_prob=prob, positive=other)
    with pytest.raises(KaratError, match="K190"):
        karat.roc_auc(TWO, y_prob=NAMED[form]("p"))


def test_a_column_of_a_table_named_as_a_class_is_of_that_class(tmp_path: Any) -> None:
    table = pd.DataFrame({"label": TWO, "ham": P})
    table.to_csv(tmp_path / "rows.csv", index=False)
    expected = karat.roc_auc(TWO, y_prob=P, positive="ham")
    for source in (table, tmp_path / "rows.csv"):
        report = karat.evaluate(source, y_true="label", y_prob="ham")
        assert report["roc_auc"].value == pytest.approx(expected, abs=1e-15)


def test_numbers_that_name_a_column_are_no_classes_of_text() -> None:
    numbers = np.array(["0", "1"])[np.arange(20) % 2]
    mine = karat.roc_auc(numbers, y_prob=pd.Series(P, name="0"), positive="1")
    assert mine == karat.roc_auc(numbers, y_prob=P, positive="1")
    mine = karat.roc_auc(np.arange(20) % 2, y_prob=pd.DataFrame(P))
    assert mine == karat.roc_auc(np.arange(20) % 2, y_prob=P)


def test_margins_of_the_first_class_are_negated() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    true, margins = np.array(["no", "yes"])[y], y + rng.normal(size=200) - 0.5
    guess = np.array(["no", "yes"])[(margins > 0).astype(int)]
    given: dict[str, Any] = {"labels": ["no", "yes"], "positive": "no"}
    for pred, wanted in ((None, ["D103"]), (guess, ["D115", "D103"])):
        report = karat.evaluate(true, pred, y_score=margins, **given)
        assert codes(report) == wanted
        for one in report.doubts:
            assert "are those of 'yes', the second class: negate them, -scores" in str(one)
        right = karat.evaluate(true, pred, y_score=-margins, **given)
        assert not {"D103", "D115"} & {*codes(right)}
    (reverse,) = karat.evaluate(true, y_prob=1 / (1 + np.exp(-margins)), **given).doubts
    assert "negate" not in str(reverse)
    (reverse,) = karat.evaluate(true, y_score=-margins, labels=["no", "yes"], positive="yes").doubts
    assert "negate" not in str(reverse)


@pytest.mark.parametrize("kind", ["text", "integers"])
def test_a_third_answer_with_a_positive_class_is_named(kind: str) -> None:
    names = np.array(["yes", "no", "maybe"] if kind == "text" else [1, 0, 2])
    true, pred = names[np.arange(20) % 2], names[np.r_[np.arange(18) % 2, 2, 2]]
    with pytest.raises(KaratError, match=r"K112.*(?s:.*)never true, and predicted in 2 of 20 rows"):
        karat.evaluate(true, pred, positive=names[0])
    with pytest.raises(KaratError, match=r"K112.*(?s:.*)Leave positive= out"):
        karat.evaluate(names, names, positive=names[0])


def test_probabilities_of_16_bits_that_were_made_longer_are_explained() -> None:
    rows = torch.softmax(torch.tensor(np.random.default_rng(1).normal(size=(200, 10))), 1)
    true, given = np.arange(200) % 10, {"labels": range(10)}
    short = rows.bfloat16()
    for prob in (short.float(), short.double()):
        with pytest.raises(KaratError, match=r"K133.*(?s:.*)16-bit numbers.*divide each row"):
            karat.log_loss(true, y_prob=prob, **given)
        karat.log_loss(true, y_prob=prob / prob.sum(1, keepdim=True), **given)
    karat.log_loss(true, y_prob=short, **given)
    with pytest.raises(KaratError, match="K133") as caught:
        karat.log_loss(true, y_prob=rows * 1.005, **given)
    assert "16 bits" not in str(caught.value)


def test_records_given_alone_are_a_table() -> None:
    records = [{"label": x, "pred": x} for x in TWO]
    with pytest.raises(KaratError, match=r"K128.*(?s:.*)pandas.DataFrame\(records"):
        karat.evaluate(records)
    assert karat.evaluate(pd.DataFrame(records))["accuracy"].value == 1.0


def batches(n_classes: int, size: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    true = [rng.permutation(n_classes)[:size].tolist() for _ in range(40)]
    return true, [[x if rng.random() < 0.7 else (x + 1) % n_classes for x in row] for row in true]


def test_batches_read_as_sets_are_a_doubt() -> None:
    for true, pred in (
        ([[3, 1], [2, 5]], [[1, 3], [5, 2]]),
        ([[3, 1], [2, 5], [7]], [[1, 3], [5, 2], [7]]),
        ([["B", "I", "O"], ["O", "B", "X"]], [["O", "I", "B"], ["B", "O", "X"]]),
    ):
        assert "D157" in codes(karat.evaluate(true, pred))
        arrays = [[np.array(row) for row in rows] for rows in (true, pred)]
        assert "D157" in codes(karat.evaluate(*arrays))
    true, pred = batches(1000, 8)
    pred = [list(dict.fromkeys(row)) for row in pred]
    kept = [i for i, row in enumerate(pred) if len(row) == 8]
    assert "D157" in codes(karat.evaluate([true[i] for i in kept], [pred[i] for i in kept]))


def test_sets_of_one_size_are_no_batches() -> None:
    rng = np.random.default_rng(2)
    names = np.array(["sea", "sky", "sand", "tree", "rock"])

    def chosen(*, is_in_order: bool) -> list[Any]:
        rows = [rng.permutation(5)[:2] for _ in range(60)]
        return [names[np.sort(row) if is_in_order else row].tolist() for row in rows]

    in_order = chosen(is_in_order=True)
    for true in (in_order, [sorted(row) for row in in_order]):
        for pred in (chosen(is_in_order=True), chosen(is_in_order=False), true):
            assert "D157" not in codes(karat.evaluate(true, pred))
    turned = chosen(is_in_order=False)
    assert "D157" not in codes(
        karat.evaluate([{*row} for row in turned], [{*row} for row in turned])
    )
    assert "D157" not in codes(karat.evaluate(turned, [row[:1] for row in turned]))


def test_a_label_twice_in_a_row_may_be_a_batch() -> None:
    with pytest.raises(KaratError, match=r"K196.*(?s:.*)np.concatenate\(y_true\)"):
        karat.evaluate([[1, 1, 2], [2, 3, 3]], [[1, 2, 3], [2, 3, 1]])
