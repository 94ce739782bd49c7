"""Arguments that CatBoost crashes on, misreads or answers with garbage are errors that help."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from karat.compat.catboost import capabilities, eval_metric, metric_names, parse
from karat.errors import KaratError
from tests.ids import named
from tests.optional import optional

LABEL = [0, 1, 2, 1]
APPROX = [[0.5, 0.25, 0.0], [0.0, 1.0, 0.5], [0.0, 0.5, 2.0], [1.0, 0.0, 0.0]]
EVERY = [name if name != "F" else "F:beta=2" for name in capabilities()]


def refusal(code: str, *, label: Any = LABEL, approx: Any = APPROX, weight: Any = None) -> str:
    """The one message that every metric has for these arguments."""
    found = set()
    for metric in EVERY:
        with pytest.raises(KaratError) as caught:
            eval_metric(label, approx, metric, weight=weight)
        assert isinstance(caught.value, ValueError)
        assert caught.value.code == code, (metric, str(caught.value))
        found.add(str(caught.value))
    assert len(found) == 1
    return found.pop()


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ([0, 1, 3, 1], "First at row 2: 3"),
        ([0, -1, 2, 1], "First at row 1: -1"),
        ([0, 1.7, 2, 1], "First at row 1: 1.7"),
        ([0, float("nan"), 2, 1], "First at row 1: nan"),
        ([0, float("inf"), 2, 1], "First at row 1: inf"),
        ([0, None, 2, 1], "Row 1 holds None"),
        (["0", "a", "2", "1"], "Row 1 holds 'a'"),
        (["0", "1_0", "2", "1"], "Row 1 holds '1_0'"),
        ([0, 1j, 2, 1], "complex"),
        ([0, 10**400, 2, 1], "Row 1 holds"),
        ([0, 1e300, 2, 1], "First at row 1: 1e+300"),
        ("0121", "It is a str"),
        ({0, 1, 2}, "It is a set"),
        (None, "It is a NoneType"),
        (np.array(["2020-01-01"] * 4, "M8[D]"), "dtype"),
        ([[0], [1, 2], 2, 1], "does not become an array"),
        (np.ma.array([0, 1, 2, 1], mask=[0, 0, 1, 0]), "First at row 2: nan"),
    ],
    ids=named,
)
def test_a_label_that_is_no_class(label: Any, shown: str) -> None:
    assert shown in refusal("K153", label=label)


@pytest.mark.parametrize(
    ("approx", "shown"),
    [
        ([tuple(row) for row in APPROX], "tuples"),
        (tuple(APPROX), "tuples"),
        (np.zeros((4, 3, 1)), "(4, 3, 1)"),
        (np.array(APPROX, complex), "complex"),
        (np.array(APPROX) > 0, "bool"),
        (np.array(APPROX).astype(str), "dtype"),
        ([[0.5, "1", 0.0]] * 4, "dtype"),
        ([[1, 2], [3], [4, 5], [6, 7]], "does not become an array"),
        (np.array([[0.5, Decimal(1), 0.0]] * 4), "Decimal"),
        (None, "NoneType"),
        ("0.5", "It is a str"),
        ({"a": [1, 2]}, "It is a dict"),
        (1.0, "shape ()"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_scores_that_are_no_matrix(approx: Any, shown: str) -> None:
    assert shown in refusal("K151", approx=approx)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_score_that_is_not_finite(value: float) -> None:
    approx = np.array(APPROX)
    approx[2, 1] = value
    assert "First at row 2, column 1" in refusal("K152", approx=approx)
    masked = np.ma.array(APPROX, mask=np.eye(4, 3))
    assert "First at row 0, column 0: nan" in refusal("K152", approx=masked)


def test_rows_that_are_none_or_do_not_match() -> None:
    assert "label is empty" in refusal("K101", label=[])
    for empty in ([], np.zeros((0, 3)), [[]]):
        assert "approx is empty" in refusal("K101", approx=empty)
    assert "label has 3 rows, approx has 4" in refusal("K102", label=LABEL[:3])
    assert "label has 4 rows, weight has 2" in refusal("K102", weight=[1, 2])
    assert "(4, 2)" in refusal("K103", label=np.zeros((4, 2)))


@pytest.mark.parametrize(
    ("weight", "code", "shown"),
    [
        ([1, -1, 1, 1], "K113", "First at row 1"),
        ([1, 1, float("nan"), 1], "K114", "First at row 2"),
        ([1, 1, float("inf"), 1], "K114", "First at row 2"),
        ([1, 1, 1e39, 1], "K125", "Row 2 weighs 1e+39"),
        (["1", "1", "1", "1"], "K116", "str"),
        (np.ones((4, 2)), "K116", "(4, 2)"),
        (1.0, "K116", "shape ()"),
    ],
    ids=named,
)
def test_weights_that_are_none(weight: Any, code: str, shown: str) -> None:
    assert shown in refusal(code, weight=weight)


@pytest.mark.parametrize(
    ("metric", "shown"),
    [
        ("accuracy", "Write Accuracy: names are case sensitive"),
        ("Acuracy", "Did you mean Accuracy?"),
        ("Logloss", "karat computes MultiClass,"),
        ("AUC:type=Ranking", "Several columns of scores take type=Mu or type=OneVsAll."),
        ("AUC:misclass_cost_matrix=0, 1, 1, 0", "Write '0/1/1/0'."),
        ("AUC:misclass_cost_matrix=0/1/1/0", "The scores have 3 columns, the matrix is 2 × 2."),
        ("AUC:misclass_cost_matrix=0/nan/1/0", "cannot parse 'nan' as a float"),
        ("AUC:misclass_cost_matrix=0/1e999/1/0", "cannot parse '1e999' as a float"),
        ("AUC:type=Mu;class=1", "one value for all classes"),
        ("Precision:class=3", "There is no value of class 3"),
        ("Precision:class=-1", "class=-1 is not a class"),
        ("Precision:Use_Weights=1", "Did you mean use_weights?"),
        ("Accuracy:class=1", "shouldn't have class parameter"),
        ("F", "Write F:beta=2"),
        ("F:beta=0", "Its range is (0; +∞)."),
        ("F:beta=-1", "Its range is (0; +∞)."),
        ("F:beta=1e-50", "Its range is (0; +∞)."),
        ("F:beta=1e39", "cannot parse float(1e39)"),
        ("Accuracy:proba_border=2", "in [0, 1] interval"),
        ("TotalF1:average=macro", "Write Macro: names are case-sensitive."),
        ("Accuracy:", "key=value"),
        (None, "not a text"),
        (b"Accuracy", "not a text"),
        (["Accuracy"], "not a text"),
        ("Accuracy\x00", "Did you mean Accuracy?"),
        ("A" * 10_000, "loss is not supported"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_a_description_that_cannot_be_computed(metric: Any, shown: str) -> None:
    with pytest.raises(KaratError) as caught:
        eval_metric(LABEL, APPROX, metric)
    assert caught.value.code == "K601"
    assert shown in str(caught.value)


@pytest.mark.parametrize(
    ("metric", "shown"),
    [
        ("MultiClass", "Give a column of scores for each class."),
        ("AUC:type=Mu", "isn't a singleclass AUC type"),
        ("AUC:type=OneVsAll", "isn't a singleclass AUC type"),
        ("AUC:type=Ranking", "karat has no AUC of ranked relevances"),
        ("AUC:misclass_cost_matrix=0/1/1/0", "shouldn't have misclass_cost_matrix parameter"),
        ("PRAUC:type=OneVsAll", "isn't a singleclass PRAUC type"),
        ("Precision:class=0", "class 1 only"),
    ],
)
def test_a_description_that_does_not_go_with_one_column(metric: str, shown: str) -> None:
    for approx in ([0.5, -1.0, 2.0], [[0.5], [-1.0], [2.0]]):
        with pytest.raises(KaratError) as caught:
            eval_metric([0, 1, 1], approx, metric)
        assert shown in str(caught.value)


def test_one_column_of_scores_and_its_labels() -> None:
    assert eval_metric([0, 1, 1], [0.5, -1.0, 2.0], "Precision:class=1") == [0.5]
    assert eval_metric([-1, 1, 1], [-0.5, 1.0, 2.0], "Accuracy") == [1.0]
    assert eval_metric([0.0, 1.0], [0.0, 1.0], "AUC") == [1.0]
    soft = eval_metric([0.25, 0.75], [0.0, 1.0], "AUC")
    assert soft == [(0.75 * 0.75 + 0.5 * 2 * 0.25 * 0.75) / 1.0]
    with pytest.raises(KaratError, match=r"segment \[0, 1\]"):
        eval_metric([-1, 1], [0.0, 1.0], "AUC")
    with pytest.raises(KaratError, match="K153"):
        eval_metric([0, float("nan")], [0.0, 1.0], "AUC")


def test_an_area_of_an_absent_class() -> None:
    with pytest.raises(KaratError, match="Class 2 has no row with weight"):
        eval_metric([0, 1, 1, 0], APPROX, "PRAUC")
    with pytest.raises(KaratError, match="Class 2 has no row with weight"):
        eval_metric(LABEL, APPROX, "PRAUC:use_weights=true", weight=[1, 1, 0, 1])


def test_other_arguments() -> None:
    with pytest.raises(KaratError, match="group_id was given"):
        eval_metric(LABEL, APPROX, "Accuracy", group_id=[0, 0, 1, 1])
    for count in (0, -2, 5000, 1.0, True, "2", None):
        with pytest.raises(KaratError, match="thread_count"):
            eval_metric(LABEL, APPROX, "Accuracy", thread_count=count)
    for k in (1, 0, -1, 2.0, True, None):
        with pytest.raises(KaratError, match="K154"):
            metric_names("Accuracy", k)


def test_scores_far_beyond_the_usual() -> None:
    far = [[1e308, -1e308, 0.0], [-1e308, 1e308, 0.0], [0.0, 0.0, 1e308], [0.0, 1e308, -1e308]]
    assert eval_metric(LABEL, far, "Accuracy") == [1.0]
    assert eval_metric(LABEL, far, "AUC") == [1.0]
    assert eval_metric(LABEL, far, "AUC:type=OneVsAll") == [1.0, 1.0, 1.0]
    assert eval_metric(LABEL, far, "MultiClass") == [0.0]
    with pytest.raises(KaratError, match="larger than a float64"):
        eval_metric(LABEL, far, "AUC:misclass_cost_matrix=0/9/9/9/0/9/9/9/0")


def test_containers_of_every_kind() -> None:
    pd, pl = optional("pandas"), optional("polars")
    wanted = eval_metric(LABEL, APPROX, "MultiClass", weight=[1, 2, 3, 4])
    for label, approx, weight in (
        (np.array(LABEL), np.array(APPROX), np.array([1, 2, 3, 4])),
        (pd.Series(LABEL), pd.DataFrame(APPROX), pd.Series([1, 2, 3, 4])),
        (pd.DataFrame(LABEL), pd.DataFrame(APPROX, dtype="Float64"), [1.0, 2, 3, 4]),
        (pl.Series(LABEL), pl.DataFrame(np.array(APPROX)), pl.Series([1, 2, 3, 4])),
        ([str(item) for item in LABEL], np.asfortranarray(APPROX), (1, 2, 3, 4)),
        (np.array(LABEL, ">f8"), np.array(APPROX, ">f4"), np.array([1, 2, 3, 4], ">i2")),
        (np.array(LABEL, object), np.array(APPROX, object), [1, 2, 3, 4]),
        (np.array(LABEL)[:, None], np.array(APPROX, np.float16), [[1], [2], [3], [4]]),
    ):
        assert eval_metric(label, approx, "MultiClass", weight=weight) == wanted
    assert eval_metric([True, False], [[0, 1], [1, 0]], "Accuracy") == [1.0]


def test_the_values_do_not_depend_on_threads() -> None:
    rng = np.random.default_rng(0)
    y, z, w = rng.integers(0, 3, 5000), rng.normal(size=(5000, 3)), rng.random(5000)
    for metric in EVERY:
        one = eval_metric(y, z, metric, weight=w, thread_count=1)
        assert one == eval_metric(y, z, metric, weight=w, thread_count=2)


def test_a_description_that_was_read_is_read_again() -> None:
    for text in EVERY:
        found = parse(text)
        assert str(found) == text
        assert parse(found) is found
        assert eval_metric(LABEL, APPROX, found) == eval_metric(LABEL, APPROX, text)
