"""Metrics of scores as plain functions: values by hand, every container, every wrong argument."""

from __future__ import annotations

import inspect
import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from karat.metrics import all_records
from tests.optional import optional
from tests.same import assert_same

pd = optional("pandas")
pl = optional("polars")
pa = optional("pyarrow")

TWO, PROB = [0, 1, 1, 0], [0.25, 0.75, 0.5, 0.5]
BOTH = [[1 - p, p] for p in PROB]
THREE = ["ant", "bee", "cat", "ant"]
MATRIX = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.125, 0.125, 0.75], [0.25, 0.5, 0.25]])
SCORED = [record for record in all_records() if not record.is_traced]


def failing(call: Any) -> KaratError:
    with pytest.raises(KaratError) as caught:
        call()
    return caught.value


def by_pairs(truth: np.ndarray, scores: np.ndarray) -> Fraction:
    """ROC AUC by counting every pair of rows."""
    up, down = scores[truth == 1], scores[truth == 0]
    above = sum(int((s > down).sum()) for s in up)
    equal = sum(int((s == down).sum()) for s in up)
    return Fraction(2 * above + equal, 2 * len(up) * len(down))


def test_the_area_of_tied_scores_is_an_exact_fraction() -> None:
    rng = np.random.default_rng(5)
    for n in (7, 50, 301):
        truth = np.append([0, 1], rng.integers(0, 2, n))
        scores = np.append([1, 2], rng.integers(0, 6, n)).astype(float)
        exact = by_pairs(truth, scores)
        assert karat.roc_auc(truth, y_score=scores) == float(exact)
        assert karat.gini(truth, y_score=scores) == pytest.approx(float(2 * exact - 1), abs=1e-15)
        # The control: the scores of two rows of different classes exchanged.
        swapped = scores.copy()
        swapped[[0, 1]] = swapped[[1, 0]]
        assert karat.roc_auc(truth, y_score=swapped) != float(exact)


def test_losses_are_those_of_the_formula() -> None:
    codes = np.array([0, 1, 2, 0])
    own = MATRIX[np.arange(4), codes]
    hits = np.eye(3)[codes]
    assert_same(karat.log_loss(THREE, y_prob=MATRIX), -np.log(own).mean(), within=1e-15)
    assert_same(
        karat.brier(THREE, y_prob=MATRIX), ((MATRIX - hits) ** 2).sum(1).mean(), within=1e-15
    )
    assert karat.top_k_accuracy(THREE, y_prob=MATRIX, k=1) == 0.75
    assert karat.top_k_accuracy(THREE, y_prob=MATRIX) == 1.0
    assert karat.brier(TWO, y_prob=PROB) == np.mean([1 / 16, 1 / 16, 1 / 4, 1 / 4])


@pytest.mark.parametrize(
    "make",
    [
        list, tuple, iter, np.array, np.asfortranarray, np.ma.array, pd.DataFrame, pl.Series,
        pa.array, lambda p: np.array(p, np.float32), lambda p: np.array(p, np.float16),
        lambda p: np.array(p, ">f8"), lambda p: np.array(p, object),
        lambda p: np.array(p).T.copy().T, lambda p: np.array([p, p])[1],
        lambda p: pl.DataFrame(p, orient="row"), lambda p: pa.Table.from_pandas(pd.DataFrame(p)),
        lambda p: pd.DataFrame(p).astype("Float64"), lambda p: [np.array(row) for row in p],
        lambda p: [[Decimal(x) for x in row] for row in p],
        lambda p: [[Fraction(x) for x in row] for row in p],
        lambda p: {"a": [x for x, _ in p], "b": [x for _, x in p]},
    ],
)  # fmt: skip
def test_every_container_gives_the_same_value(make: Any) -> None:
    for name in ("log_loss", "roc_auc", "average_precision", "brier"):
        expected = getattr(karat, name)(TWO, y_prob=BOTH)
        assert getattr(karat, name)(TWO, y_prob=make(BOTH)) == expected, name


@pytest.mark.parametrize(
    "make",
    [
        tuple, np.array, lambda p: np.array(p)[:, None], pd.Series, pl.Series, pa.array, iter,
        lambda p: np.array(p, np.float16), lambda p: np.broadcast_to(p, (2, 4))[0],
        lambda p: pd.Series(p, dtype="float64[pyarrow]"), lambda p: memoryview(np.array(p)),
    ],
)  # fmt: skip
def test_one_column_is_that_of_the_positive_class(make: Any) -> None:
    for name in ("log_loss", "roc_auc", "average_precision", "brier"):
        expected = getattr(karat, name)(TWO, y_prob=BOTH)
        assert getattr(karat, name)(TWO, y_prob=make(PROB)) == expected, name


def test_the_positive_class_of_two_words_is_the_one_named() -> None:
    truth = ["no", "yes", "yes", "no"]
    first = karat.average_precision(truth, y_prob=PROB, positive="yes")
    assert first == karat.average_precision(TWO, y_prob=PROB)
    assert karat.average_precision(truth, y_prob=BOTH, positive="yes") == first
    for given in (PROB, BOTH):
        assert (
            failing(lambda given=given: karat.average_precision(truth, y_prob=given)).code == "K190"
        )
    turned = [1 - p for p in PROB]
    for given in (BOTH, turned):
        found = karat.average_precision(truth, y_prob=given, positive="no")
        assert found == karat.average_precision([1, 0, 0, 1], y_prob=turned)
    flipped = [row[::-1] for row in BOTH]
    assert (
        karat.average_precision(truth, y_prob=flipped, labels=["yes", "no"], positive="yes")
        == first
    )
    assert karat.log_loss(truth, y_prob=flipped, labels=["yes", "no"]) == karat.log_loss(
        TWO, y_prob=PROB
    )


@pytest.mark.parametrize("pair", [(1, 2), (0, 2), (5, 7)])
def test_the_positive_class_of_two_other_numbers_is_the_one_named(pair: tuple[int, int]) -> None:
    truth = np.array(pair)[TWO]
    for given in (np.array(PROB), np.array(BOTH)):
        problem = failing(lambda given=given: karat.average_precision(truth, y_prob=given))
        assert problem.code == "K190"
        found = karat.average_precision(truth, y_prob=given, positive=pair[1])
        assert found == karat.average_precision(TWO, y_prob=PROB)
    assert failing(lambda: karat.log_loss(truth, y_prob=np.array(PROB))).code == "K190"
    assert karat.log_loss(truth, y_prob=np.array(BOTH)) == karat.log_loss(TWO, y_prob=PROB)


def named(*order: str) -> Any:
    """The matrix as a table whose columns are named after the classes, in some order."""
    return pd.DataFrame(MATRIX, columns=["ant", "bee", "cat"])[list(order)]


def test_columns_named_after_classes_are_those_of_the_classes() -> None:
    expected = karat.log_loss(THREE, y_prob=MATRIX)
    turned = named("cat", "ant", "bee")
    before = turned.copy()
    for table in (named("ant", "bee", "cat"), turned, turned.add_prefix("proba_"), dict(turned),
                  pl.from_pandas(turned), pa.Table.from_pandas(turned)):  # fmt: skip
        assert karat.log_loss(THREE, y_prob=table) == expected
    assert turned.equals(before)
    assert karat.log_loss(THREE, y_prob=turned, labels=["cat", "ant", "bee"]) == expected
    assert karat.evaluate(THREE, y_prob=turned).labels == ("ant", "bee", "cat")
    # Two of the three classes occur: the columns know the third.
    assert karat.log_loss(THREE[:2], y_prob=turned[:2]) == pytest.approx(np.log(2))
    two = pd.DataFrame({"spam": PROB, "ham": [1 - p for p in PROB]})
    truth = np.array(["ham", "spam"])[TWO]
    assert karat.average_precision(truth, y_prob=two, positive="spam") == karat.average_precision(
        TWO, y_prob=PROB
    )
    # The control: without names the same columns are those of other classes.
    assert karat.log_loss(THREE, y_prob=turned.to_numpy()) != expected


def test_columns_named_by_their_classes_are_put_in_the_order_of_labels() -> None:
    expected = karat.log_loss(THREE, y_prob=named("ant", "bee", "cat"))
    turned = named("cat", "ant", "bee")
    for labels in (["ant", "bee", "cat"], ["bee", "cat", "ant"]):
        assert karat.log_loss(THREE, y_prob=turned, labels=labels) == pytest.approx(expected)


def test_columns_with_the_names_of_other_classes_are_an_error() -> None:
    table = named("ant", "bee", "cat").rename(columns={"cat": "cow"})
    problem = failing(lambda: karat.log_loss(THREE, y_prob=table))
    assert problem.code == "K137"
    assert "No column for 'cat'; no class for 'cow'" in str(problem)


@pytest.mark.parametrize("make", [pd.DataFrame, lambda p: pl.DataFrame(p.copy())])
def test_columns_without_names_are_taken_in_their_order(make: Any) -> None:
    codes = [0, 1, 2, 0]
    expected = karat.log_loss(codes, y_prob=MATRIX)
    assert karat.log_loss(codes, y_prob=make(MATRIX)) == expected
    assert karat.log_loss(codes, y_prob=make(MATRIX[:, ::-1]), labels=[2, 1, 0]) == expected
    other = named("ant", "bee", "cat").rename(columns={"ant": "x", "bee": "y", "cat": "z"})
    assert karat.log_loss(codes, y_prob=other) == expected


def test_averages_are_chosen_as_for_labels() -> None:
    each = karat.roc_auc(THREE, y_prob=MATRIX, average=None)
    assert (each.shape, each.dtype) == ((3,), np.float64)
    macro = karat.roc_auc(THREE, y_prob=MATRIX, average="macro")
    assert macro == karat.roc_auc_ovr_macro(THREE, y_prob=MATRIX) == pytest.approx(each.mean())
    weighted = karat.roc_auc(THREE, y_prob=MATRIX, average="weighted")
    assert weighted == karat.roc_auc_ovr_weighted(THREE, y_prob=MATRIX)
    assert weighted == pytest.approx((2 * each[0] + each[1] + each[2]) / 4)
    micro = karat.roc_auc(THREE, y_prob=MATRIX, average="micro")
    cells = np.eye(3, dtype=int)[[0, 1, 2, 0]].ravel()
    assert micro == karat.roc_auc(cells, y_score=MATRIX.ravel())
    problem = failing(lambda: karat.roc_auc(THREE, y_prob=MATRIX))
    assert problem.code == "K121"
    assert "None, 'macro', 'micro', 'weighted'" in str(problem)
    assert failing(lambda: karat.roc_auc(THREE, y_prob=MATRIX, average="ovr")).code == "K122"
    problem = failing(lambda: karat.roc_auc_ovr_macro(THREE, y_prob=MATRIX, average="macro"))
    assert "roc_auc_ovr_macro is one number for all classes" in str(problem)


def test_aliases_are_the_same_functions() -> None:
    assert karat.auc is karat.roc_auc
    assert karat.ece(TWO, y_prob=PROB) == karat.expected_calibration_error(TWO, y_prob=PROB)
    assert karat.hand_till is karat.roc_auc_ovo_macro


@pytest.mark.parametrize("record", SCORED, ids=lambda record: record.name)
def test_every_function_names_its_arguments(record: Any) -> None:
    function = getattr(karat, record.name)
    parameters = inspect.signature(function).parameters
    assert {"y_true", "y_prob", "y_score", "labels", "positive", "weights"} < set(parameters)
    assert "y_pred" not in parameters
    assert ("average" in parameters) == record.is_per_class
    assert record.summary in function.__doc__
    problem = failing(lambda: function(TWO, PROB))
    assert problem.code == "K138"
    assert f"{record.name} was given y_pred: it reads probabilities or scores." in str(problem)
    assert "y_prob= for probabilities, y_logit= for logits, y_score= for any other" in str(problem)


@pytest.mark.parametrize(
    ("call", "code", "told"),
    [
        (lambda: karat.roc_auc(TWO), "K128", "None of y_prob, y_logit and y_score was given."),
        (lambda: karat.roc_auc(TWO, y_prob=PROB, y_score=PROB), "K129", "Both y_prob and y_score"),
        (lambda: karat.roc_auc(y_prob=PROB), "K127", "y_true was not given."),
        (lambda: karat.roc_auc(TWO, PROB, y_prob=PROB), "K138", "was given y_pred"),
        (lambda: karat.roc_auc(TWO, y_prob=PROB, sample_weight=TWO), "K302", "'sample_weight'"),
        (lambda: karat.roc_auc(TWO, y_prob=PROB, threshold=0.5), "K302", "'threshold'"),
        (lambda: karat.roc_auc(TWO, y_prob=PROB, confusion=[[1, 2]]), "K302", "'confusion'"),
        (lambda: karat.roc_auc(TWO, y_prob=PROB, undefined="skip"), "K122", "undefined='skip'"),
        (lambda: karat.roc_auc(TWO, y_prob=PROB, n_threads=0), "K122", "n_threads"),
        (lambda: karat.f1(TWO, y_prob=PROB), "K139", "f1 was given y_prob: it reads predicted"),
        (lambda: karat.accuracy(TWO, y_score=PROB), "K139", "karat.evaluate(y_true, y_score=...)"),
        (lambda: karat.roc_auc(TWO, y_prob=["a"] * 4), "K130", "y_prob"),
        (lambda: karat.roc_auc(TWO, y_prob=[True] * 4), "K130", "bool"),
        (lambda: karat.roc_auc(TWO, y_prob="0.5"), "K130", "It is a str"),
        (lambda: karat.roc_auc(TWO, y_prob=np.zeros((4, 2, 2))), "K130", "(4, 2, 2)"),
        (lambda: karat.roc_auc(TWO, y_prob=np.zeros((4, 0))), "K130", "(4, 0)"),
        (lambda: karat.roc_auc(TWO, y_prob=[[0.5, 0.5]] * 3 + [[1.0]]), "K130", "Row 3"),
        (lambda: karat.roc_auc(TWO, y_prob=[1j] * 4), "K130", "complex"),
        (lambda: karat.roc_auc(TWO, y_prob=[0.5, None, 0.5, 0.5]), "K131", "First at row 1"),
        (lambda: karat.roc_auc([], y_prob=[]), "K101", "0 rows"),
        (lambda: karat.log_loss(THREE, y_prob=MATRIX[:, :2]), "K134", "for 2 classes"),
        (lambda: karat.log_loss(TWO, y_prob=MATRIX), "K134", "the labels have 2"),
        (lambda: karat.top_k_accuracy(THREE, y_prob=MATRIX, k=4), "K302", "k=4 is larger than"),
        (lambda: karat.top_k_accuracy(THREE, y_prob=MATRIX, k=0), "K302", "at least 1"),
        (lambda: karat.top_k_accuracy(THREE, y_prob=MATRIX, k=1.5), "K302", "whole number"),
        (lambda: karat.top_k_accuracy(THREE, y_prob=MATRIX, k=True), "K302", "whole number"),
        (lambda: karat.roc_auc(TWO, y_prob=PROB, max_fpr=0), "K302", "not above 0"),
        (lambda: karat.roc_auc(TWO, y_prob=PROB, max_fpr=1.5), "K302", "above 1"),
        (lambda: karat.roc_auc(TWO, y_prob=PROB, max_fpr="all"), "K302", "not numeric"),
        (lambda: karat.ece(TWO, y_prob=PROB, bins=0), "K302", "bins=0"),
        (lambda: karat.ece(TWO, y_prob=PROB, scheme="equal"), "K302", "'equal'"),
        (lambda: karat.lift_at(TWO, y_prob=PROB, share=0), "K302", "not above 0"),
        (lambda: karat.min_cost(TWO, y_prob=PROB, costs=np.eye(3)), "K302", "shape (3, 3)"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_told(call: Any, code: str, told: str) -> None:
    problem = failing(call)
    assert problem.code == code
    assert told in str(problem)


OFF = 1.0 - np.eye(3)


@pytest.mark.parametrize(
    ("cost", "told"),
    [
        (1.0 - np.eye(2), "cost has shape (2, 2), there are 3 classes"),
        (1.0 - np.eye(4), "cost has shape (4, 4), there are 3 classes"),
        (np.ones((3, 3)), "cost[0][0] is 1: a right decision costs 0"),
        (OFF + np.diag([0, 0, 0.5]), "cost[2][2] is 0.5"),
        (np.ones((3, 2)), "not a square matrix"),
        (np.ones(3), "not a square matrix"),
        (np.where(OFF > 0, np.nan, 0.0), "not a square matrix of finite numbers"),
        (np.where(OFF > 0, np.inf, 0.0), "not a square matrix of finite numbers"),
        ("one", "not numeric"),
        ([[0, "1", 1], [1, 0, 1], [1, 1, 0]], "not numeric"),
        (OFF * 1e-30, "holds 1e-30"),
    ],
)
def test_a_cost_matrix_that_does_not_fit_is_refused(cost: Any, told: str) -> None:
    problem = failing(lambda: karat.roc_auc_mu(THREE, y_prob=MATRIX, cost=cost))
    assert problem.code == "K302"
    assert told in str(problem)


def test_a_cost_matrix_that_fits_is_read() -> None:
    plain = karat.roc_auc_mu(THREE, y_prob=MATRIX)
    for cost in (OFF, OFF.tolist(), OFF.astype(int), 3.0 * OFF, pd.DataFrame(OFF)):
        assert karat.roc_auc_mu(THREE, y_prob=MATRIX, cost=cost) == plain
    uneven = [[0, 9, 1], [1, 0, 9], [1, 1, 0]]
    assert karat.roc_auc_mu(THREE, y_prob=MATRIX, cost=uneven) != plain


def told_once(call: Any) -> tuple[Any, str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = call()
    assert [type(item.message) for item in caught] == [karat.UndefinedWarning]
    return found, str(caught[0].message)


@pytest.mark.parametrize("truth", [[0, 0, 0], [1, 1, 1]])
def test_one_class_leaves_a_ranking_undefined(truth: list[int]) -> None:
    value, told = told_once(lambda: karat.roc_auc(truth, y_prob=[0.25, 0.5, 0.75]))
    assert np.isnan(value)
    assert told == "roc_auc is undefined: no row is truly of the class, or every row is."
    for name in ("roc_auc_ovr_macro", "roc_auc_ovo_macro", "roc_auc_mu", "ks_statistic"):
        assert np.isnan(
            told_once(lambda n=name: getattr(karat, n)(truth, y_prob=[0.25, 0.5, 0.75]))[0]
        )
    assert karat.log_loss(truth, y_prob=[0.25, 0.5, 0.75]) > 0


def test_no_positives_leave_precision_undefined() -> None:
    value, told = told_once(lambda: karat.average_precision([0, 0], y_prob=[0.25, 0.5]))
    assert np.isnan(value)
    assert told == "average_precision is undefined: no row is truly of the class."
    assert karat.average_precision([1, 1], y_prob=[0.25, 0.5]) == 1.0


def test_classes_that_cannot_be_measured_are_named_and_left_out() -> None:
    options: dict[str, Any] = {"labels": ["ant", "bee", "cat", "dog"]}
    four = np.column_stack([MATRIX, np.zeros(4)])
    for policy in ("zero", "exclude"):
        value, told = told_once(
            lambda p=policy: karat.roc_auc_ovr_macro(THREE, y_prob=four, undefined=p, **options)
        )
        assert value == karat.roc_auc_ovr_macro(THREE, y_prob=MATRIX)
        assert "(1 of 4 classes, left out: 'dog')" in told
    value, told = told_once(
        lambda: karat.roc_auc_ovr_macro(THREE, y_prob=four, undefined="nan", **options)
    )
    assert np.isnan(value)
    assert "(1 of 4 classes: 'dog')" in told
    each, told = told_once(lambda: karat.roc_auc(THREE, y_prob=four, average=None, **options))
    assert np.isnan(each).tolist() == [False, False, False, True]
    assert "(1 of 4 classes: 'dog')" in told
    value, told = told_once(lambda: karat.roc_auc_ovo_macro(THREE, y_prob=four, **options))
    assert value == karat.roc_auc_ovo_macro(THREE, y_prob=MATRIX)
    assert "left out: 'dog'" in told


def test_an_impossible_truth_makes_the_loss_infinite() -> None:
    value, told = told_once(lambda: karat.log_loss([0, 1], y_prob=[1.0, 0.5]))
    assert value == np.inf
    assert "the true class of a row has probability 0" in told
    value, _ = told_once(lambda: karat.d2_log_loss([0, 1], y_prob=[1.0, 0.5]))
    assert np.isnan(value) or value == -np.inf
    assert karat.brier([0, 1], y_prob=[1.0, 0.5]) == 0.625


def test_weights_count_rows() -> None:
    twice = {"y_prob": PROB + PROB[:2]}
    weights = [2, 2, 1, 1]
    for name in ("log_loss", "roc_auc", "average_precision", "brier", "ks_statistic"):
        expected = getattr(karat, name)(TWO + TWO[:2], **twice)
        assert_same(getattr(karat, name)(TWO, y_prob=PROB, weights=weights), expected, within=1e-14)
        assert getattr(karat, name)(TWO, y_prob=PROB, weights=[2, 2, 0, 1]) != expected


def test_the_two_kinds_of_cost_matrices_say_that_one_is_the_other_turned() -> None:
    for function in (karat.min_cost, karat.cost_threshold, karat.expected_cost):
        assert "the transpose of cost= of roc_auc_mu" in str(function.__doc__)
    assert "the transpose of costs= of expected_cost, min_cost and cost_threshold" in str(
        karat.roc_auc_mu.__doc__
    )
    # Rows true, columns predicted: a dear miss moves the threshold down, a dear alarm up.
    truth, scores = [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4]
    dear_misses = [[0, 1], [5, 0]]
    assert karat.cost_threshold(truth, y_score=scores, costs=dear_misses) == 0.2
    assert karat.cost_threshold(truth, y_score=scores, costs=np.transpose(dear_misses)) == 0.4
    # Rows decided, columns true: the paper's matrix turned round gives another number.
    cost = np.array([[0, 9, 1], [1, 0, 9], [1, 1, 0]])
    turned = karat.roc_auc_mu(THREE, y_prob=MATRIX, cost=cost.T)
    assert turned != karat.roc_auc_mu(THREE, y_prob=MATRIX, cost=cost)
