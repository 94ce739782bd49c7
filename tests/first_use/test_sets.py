"""Everyday slips in rows with sets of labels are told, and sound rows are not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import karat
from tests.cli.running import Karat

N, K = 300, 4
RNG = np.random.default_rng(26)
TRUE = (RNG.random((N, K)) < 0.4).astype(int)
PROB = np.clip(0.4 * TRUE + 0.6 * RNG.random((N, K)), 0.0, 1.0)
PRED = (PROB > 0.5).astype(int)
ONE = np.eye(K, dtype=int)[RNG.integers(0, K, N)]
SOFTMAX = np.exp(2 * ONE + RNG.normal(size=(N, K)))
SOFTMAX /= SOFTMAX.sum(axis=1, keepdims=True)
NAMES = np.array(["sea", "sky", "sand", "sun"])


def named(matrix: Any, names: Any = NAMES) -> list[set[str]]:
    return [set(names[row == 1]) for row in matrix]


def codes(report: Any) -> list[str]:
    return [one.code for one in report.doubts]


def best(n: int) -> Any:
    """The n best labels of each row."""
    return (np.sort(PROB, axis=1)[:, -n, None] <= PROB).astype(int)


@pytest.mark.parametrize(
    ("true", "given", "expected"),
    [
        (TRUE, {"y_pred": PRED}, []),
        (TRUE, {"y_prob": PROB}, []),
        (TRUE, {"y_score": PROB * 6 - 3}, []),
        (TRUE, {"y_score": PROB}, ["D102"]),
        (TRUE, {"y_prob": PROB, "threshold": [0.3, 0.4, 0.5, 0.6]}, []),
        # Any threshold of a label, and any number of best labels, are rules of the scores.
        (TRUE, {"y_prob": PROB, "y_pred": (PROB > [0.3, 0.4, 0.5, 0.6]).astype(int)}, []),
        (TRUE, {"y_prob": PROB, "y_pred": best(2)}, []),
        (TRUE, {"y_prob": PROB, "y_pred": PRED[::-1]}, ["D115"]),
        (TRUE, {"y_prob": PROB[:, ::-1], "y_pred": PRED}, ["D115", "D103"]),
        (TRUE, {"y_prob": 1.0 - PROB}, ["D103"]),
        (TRUE, {"y_pred": 1 - PRED}, ["D116"]),
        (TRUE, {"y_pred": (RNG.random((N, K)) < 0.4).astype(int)}, []),
        (ONE, {"y_pred": np.eye(K, dtype=int)[SOFTMAX.argmax(axis=1)]}, ["D120"]),
        (ONE, {"y_prob": SOFTMAX}, ["D120"]),
        (ONE, {"y_prob": SOFTMAX**0.5}, []),
        (ONE, {"y_pred": PRED}, []),
        (ONE[:9], {"y_pred": ONE[:9]}, []),
        (named(TRUE), {"y_pred": named(PRED)}, []),
        (named(TRUE), {"y_pred": named(PRED, np.char.title(NAMES))}, ["D111"]),
        (named(TRUE), {"y_pred": named(PRED, np.array(["mer", "ciel", "sable", "sol"]))}, ["D114"]),
        # A label that is never predicted is everyday.
        (named(TRUE), {"y_pred": named(PRED * [1, 1, 1, 0])}, []),
    ],
)
def test_doubts(true: Any, given: dict[str, Any], expected: list[str]) -> None:
    report = karat.evaluate(true, **given)
    assert list(dict.fromkeys(codes(report))) == expected
    for one in report.doubts:
        assert one.code in report.text(200)
    stream = karat.Stream()
    if not {"y_prob", "y_score"} & given.keys():
        for part in (slice(0, 7), slice(7, None)):
            stream.update(true[part], given["y_pred"][part])
        assert codes(stream.report()) == codes(report)


def test_unknown_cells_and_weights_of_zero_raise_no_doubt() -> None:
    true, scores = TRUE.astype(float), PROB.copy()
    # Rows of a label that is not known, and rows that weigh nothing, say nothing of the order.
    scores[:200] = 1.0 - scores[:200]
    weights = np.r_[np.zeros(200), np.ones(100)]
    assert codes(karat.evaluate(true, y_prob=scores)) == ["D103"]
    assert codes(karat.evaluate(true, y_prob=scores, weights=weights)) == []
    true[:200] = np.nan
    assert codes(karat.evaluate(true, y_prob=scores)) == []


def test_frames_in_another_order() -> None:
    true, pred = pd.DataFrame(TRUE, columns=NAMES), pd.DataFrame(PRED, columns=NAMES)
    mixed = pred.sample(frac=1.0, random_state=0)
    report = karat.evaluate(true, mixed)
    assert codes(report) == ["D113"]
    assert codes(karat.evaluate(true, mixed.reindex(true.index))) == []
    weights = pd.Series(np.ones(N), index=mixed.index)
    assert codes(karat.evaluate(true, pred, weights=weights)) == ["D113"]


def test_check_tells_them() -> None:
    found = karat.check(ONE, y_prob=SOFTMAX)
    assert [one.code for one in found.doubts] == ["D120"]
    assert "argmax" in found.text()


def test_blank_text_may_be_an_empty_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("true,pred\nsea|sky,sea\n,sand\nsand,sea|sand\nsea|sand,sky\n")
    with pytest.raises(karat.KaratError, match=r"K104[^$]*separator='\|'"):
        karat.evaluate(path)
    assert "--separator '|'" in Karat(capsys)("report", path).err
    assert karat.evaluate(path, labels=karat.Labels(separator="|")).n_rows == 4
    path.write_text("true,pred\nsea,sea\n,sand\nsand,sand\nsky,sky\n")
    with pytest.raises(karat.KaratError, match="K104") as caught:
        karat.evaluate(path)
    assert "separator" not in str(caught.value)


def test_models_and_gates_tell_them() -> None:
    found = karat.compare(TRUE, {"old": PRED, "new": 1 - PRED})
    assert [one.code for one in found.doubts] == ["D116"]
    assert found.doubts[0].noticed.startswith("In new: ")
    one_hot = karat.compare(ONE, {"old": ONE, "new": ONE[::-1]})
    assert [one.code for one in one_hot.doubts] == ["D120"]
    result = karat.gate(TRUE, 1 - PRED, baseline=PRED, min={"micro_f1": 0.0})
    assert [one.code for one in result.doubts] == ["D116"]
    before = karat.gate(TRUE, PRED, baseline=1 - PRED, max={"micro_f1": 0.1})
    assert [one.code for one in before.doubts] == ["D118", "D116"]
    assert before.doubts[1].noticed.startswith("In the baseline: ")
    report = karat.evaluate(TRUE, 1 - PRED)
    assert codes(karat.gate(report, min={"micro_f1": 0.0})) == ["D116"]


def test_null_truth_may_be_an_empty_set() -> None:
    true = [{"sea"}, None, {"sky"}, {"sea", "sky"}]
    pred = [{"sea"}, set(), {"sky"}, {"sea"}]
    report = karat.evaluate(true, pred)
    assert codes(report) == ["D121"]
    assert "1 of 4 rows" in report.doubts[0].evidence
    assert codes(karat.evaluate([*true, set()], [*pred, set()])) == []
    # A cell that is not known is no row without labels.
    unknown = TRUE.astype(float)
    unknown[:5] = np.nan
    assert "D121" not in codes(karat.evaluate(unknown, PRED))
    frame = pd.DataFrame({"true": ["sea", None, "sky|sea"], "pred": ["sea", "", "sky"]})
    assert codes(karat.evaluate(frame, labels=karat.Labels(separator="|"))) == ["D121"]
