"""The oneDAL adapter gives what oneDAL 2024.7 gave: matrices, values, NaN, error ids."""

from __future__ import annotations

import copy
import importlib.util
import json
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from karat.compat.onedal import BinaryConfusionMatrix, MulticlassConfusionMatrix, Result
from karat.errors import OneDALError
from tests.optional import optional

STORED = json.loads((Path(__file__).parent / "data" / "onedal.json").read_text("utf-8"))
CASES = STORED["cases"]
DTYPES = {"int": np.int32, "float": np.float32, "double": np.float64}
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
WITHIN_EPS = 4


def algorithm_of(case: dict[str, Any]) -> BinaryConfusionMatrix | MulticlassConfusionMatrix:
    options = {"beta": case["beta"], "fptype": case["fptype"]}
    if case["kind"] == "binary":
        return BinaryConfusionMatrix(**options)
    if case["n_classes"] is not None:
        options["n_classes"] = case["n_classes"]
    return MulticlassConfusionMatrix(**options)


def table(case: dict[str, Any], name: str) -> np.ndarray:
    return np.array([float(label) for label in case[name]]).astype(DTYPES[case["dtype"]])


def check_result(result: Result, expected: dict[str, Any], dtype: Any) -> None:
    assert result.confusion_matrix.dtype == dtype
    assert result.confusion_matrix.tolist() == expected["confusion_matrix"]
    assert list(result.metrics) == list(expected["exact"])
    for name, exact in expected["exact"].items():
        value = result.metrics[name]
        assert value.dtype == dtype
        if exact is None:
            assert np.isnan(value), name
        else:
            wanted = Fraction(exact)
            error = abs(Fraction(float(value)) - wanted)
            assert error <= WITHIN_EPS * Fraction(float(np.finfo(dtype).eps)) * wanted, name


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_stored_problem(case: dict[str, Any]) -> None:
    algorithm = algorithm_of(case)
    arguments = table(case, "predicted"), table(case, "actual")
    expected = case["expected"]
    if expected["status"] == "error":
        with pytest.raises(OneDALError) as caught:
            algorithm.compute(*arguments)
        assert [caught.value.error_id] == expected["error_ids"]
        assert expected["error_text"].splitlines()[0] in str(caught.value)
        return
    dtype = {"float": np.float32, "double": np.float64}[case["fptype"]]
    check_result(algorithm.compute(*arguments), expected, dtype)


def test_every_kind_of_problem_is_stored() -> None:
    assert len(CASES) == 45
    kinds = [(case["kind"], case["expected"]["status"]) for case in CASES]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {
        ("binary", "ok"): 19, ("binary", "error"): 3, ("multi", "ok"): 15, ("multi", "error"): 8,
    }  # fmt: skip


def is_lopsided(matrix: list[list[int]]) -> bool:
    return np.array(matrix).T.tolist() != matrix


def test_exchanged_arguments_are_noticed() -> None:
    """The comparison can fail: truth first is the commonest slip."""
    for kind in ("binary", "multi"):
        case = next(
            case
            for case in CASES
            if case["kind"] == kind
            and case["expected"]["status"] == "ok"
            and is_lopsided(case["expected"]["confusion_matrix"])
        )
        result = algorithm_of(case).compute(table(case, "actual"), table(case, "predicted"))
        dtype = {"float": np.float32, "double": np.float64}[case["fptype"]]
        with pytest.raises(AssertionError):
            check_result(result, case["expected"], dtype)


def test_values_by_name_and_as_tables() -> None:
    two = BinaryConfusionMatrix().compute([1, 0, 1, 1], [1, 0, 0, 1])
    assert two.binary_metrics is not None
    assert two.binary_metrics.shape == (1, 6)
    assert two.binary_metrics.dtype == np.float32
    assert two.precision == two["precision"] == two.metrics["precision"] == np.float32(2 / 3)
    assert two["binaryMetrics"].tolist() == two.binary_metrics.tolist()
    assert two["confusionMatrix"] is two.confusion_matrix
    three = MulticlassConfusionMatrix(3, fptype="double").compute([0, 1, 2], [0, 1, 1])
    assert three.multi_class_metrics is not None
    assert three.multi_class_metrics.shape == (1, 8)
    assert three.multi_class_metrics.dtype == np.float64
    assert two.multi_class_metrics is three.binary_metrics is None
    with pytest.raises(KeyError, match=r"no value 'macroF'; there are averageAccuracy, "):
        three["macroF"]
    with pytest.raises(AttributeError, match="no value 'auc'; there are accuracy, "):
        _ = two.auc


def test_only_the_matrix() -> None:
    for algorithm in (
        BinaryConfusionMatrix(use_default_metrics=False),
        MulticlassConfusionMatrix(use_default_metrics=False),
    ):
        result = algorithm.compute([1, 0], [1, 1])
        assert result.counts.sum() == 2
        assert result.metrics == {}
        assert result.binary_metrics is result.multi_class_metrics is None


def test_a_result_travels() -> None:
    result = BinaryConfusionMatrix().compute([1, 0, 1, 1], [1, 0, 0, 1])
    for again in (copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert again.metrics == result.metrics
        assert again.AUC == result.AUC


def test_counts_beyond_float32_are_not_rounded() -> None:
    n = (1 << 24) + 1
    truth = np.ones(n + 1, np.uint8)
    predicted = truth.copy()
    predicted[0] = 0
    two = BinaryConfusionMatrix().compute(predicted, truth)
    assert two.confusion_matrix.tolist() == [[n, 1], [0, 0]]
    assert two.metrics["recall"].dtype == np.float32
    several = MulticlassConfusionMatrix(2).compute(predicted, truth)
    assert several.confusion_matrix.tolist() == [[0, 0], [1, n]]


@pytest.mark.parametrize("k", [256, 257, 3000])
def test_many_classes(k: int) -> None:
    rng = np.random.default_rng(k)
    truth = np.concatenate([np.arange(k), rng.integers(0, k, k)])
    predicted = np.where(rng.random(2 * k) < 0.6, truth, rng.permutation(truth))
    result = MulticlassConfusionMatrix(k, fptype="double").compute(predicted, truth)
    counts = np.zeros((k, k), np.int64)
    np.add.at(counts, (truth, predicted), 1)
    assert (result.counts == counts).all()
    share = float((truth == predicted).mean())
    recalls = np.diagonal(counts) / counts.sum(axis=1)
    wanted = {
        "averageAccuracy": 1 - 2 * (1 - share) / k, "errorRate": 2 * (1 - share) / k,
        "microPrecision": share, "microRecall": share, "microFscore": share,
        "macroRecall": recalls.mean(),
    }  # fmt: skip
    for name, value in wanted.items():
        assert result.metrics[name] == pytest.approx(value, rel=1e-13), name


def test_labels_are_rounded_to_the_type_first() -> None:
    almost = [1.99999999999, 0.9]
    assert MulticlassConfusionMatrix(3).compute(almost, almost).counts[2, 2] == 1
    exact = MulticlassConfusionMatrix(3, fptype="double").compute(almost, almost)
    assert np.diagonal(exact.counts).tolist() == [1, 1, 0]
    beyond = [2.99999999999]
    assert MulticlassConfusionMatrix(3, fptype="double").compute(beyond, beyond).counts[2, 2] == 1
    with pytest.raises(OneDALError, match="-3016"):
        MulticlassConfusionMatrix(3).compute(beyond, beyond)


def test_a_beta_whose_square_is_no_number_of_the_type() -> None:
    labels = [1, 1, 0, 0], [1, 0, 1, 1]
    for beta, fptype in ((np.inf, "double"), (1e30, "float"), (10**400, "float")):
        for truth in ([1, 0, 1, 1], [1, 1, 0, 0], [0, 0, 0, 0]):
            result = BinaryConfusionMatrix(beta=beta, fptype=fptype).compute(labels[0], truth)
            assert np.isnan(result.fscore)
        several = MulticlassConfusionMatrix(2, beta=beta, fptype=fptype).compute(*labels)
        assert np.isnan([several.microFscore, several.macroFscore]).all()
    tiny = BinaryConfusionMatrix(beta=1e-30).compute(*labels)
    assert tiny.fscore == tiny.precision == 0.5


def test_labels_of_any_dense_kind() -> None:
    pd, pl = optional("pandas"), optional("polars")
    wanted = BinaryConfusionMatrix().compute([1, 0, 1], [0, 0, 1]).counts.tolist()
    missing = MulticlassConfusionMatrix(2)
    for make in (
        np.array, pd.Series, pl.Series, tuple,
        lambda x: np.array(x)[:, None],
        lambda x: np.array(x, bool),
        lambda x: np.array(x, ">i2"),
        lambda x: np.array(x, np.longdouble),
        lambda x: np.array(x, object),
        lambda x: pd.Series(x, dtype="Int64"),
        lambda x: pd.DataFrame({"label": x}),
    ):  # fmt: skip
        assert (
            BinaryConfusionMatrix().compute(make([1, 0, 1]), make([0, 0, 1])).counts.tolist()
            == wanted
        )
    for holes in ([1, None], pd.Series([1, None], dtype="Int64"), np.ma.array([1, 0], mask=[0, 1])):
        assert BinaryConfusionMatrix().compute(holes, holes).counts.tolist() == [[1, 0], [0, 1]]
        with pytest.raises(OneDALError, match="-3016"):
            missing.compute(holes, holes)


GOOD = [0, 1, 1]
BAD_TABLES: list[tuple[Any, int]] = [
    (None, -50),
    (np.zeros((3, 2)), -51),
    (np.zeros((3, 0)), -51),
    (np.zeros((3, 1, 1)), -51),
    ([], -52),
    (np.zeros((0, 1)), -52),
    ([0, 1], -52),
    ("011", -53),
    (["0", "1", "1"], -53),
    ([0, 1j, 1], -53),
    ([[0], [1, 1]], -53),
    ({"a": [0, 1, 1]}, -53),
    (1, -53),
    (np.array(["2020-01-01"] * 3, "M8[D]"), -53),
    (np.array([0, "x", 1], object), -53),
]


@pytest.mark.parametrize(("bad", "error_id"), BAD_TABLES, ids=lambda value: repr(value)[:30])
def test_a_table_that_is_refused(bad: Any, error_id: int) -> None:
    for algorithm in (BinaryConfusionMatrix(), MulticlassConfusionMatrix()):
        for arguments in ((bad, GOOD), (GOOD, bad)):
            with pytest.raises(OneDALError) as caught:
                algorithm.compute(*arguments)
            assert caught.value.error_id == error_id
            assert caught.value.code == "K611"


def test_a_sparse_table_is_refused() -> None:
    from scipy.sparse import csr_matrix

    with pytest.raises(OneDALError, match="sparse"):
        BinaryConfusionMatrix().compute(csr_matrix([[1], [0]]), [1, 0])


def test_the_order_of_the_checks() -> None:
    """Beta, classes, predictions, truth, labels: the first that is wrong is told."""
    steps: list[tuple[dict[str, Any], Any, Any, str]] = [
        ({"beta": -1.0, "n_classes": 1}, None, None, "beta=-1.0"),
        ({"n_classes": 1}, None, None, "n_classes=1"),
        ({}, None, np.zeros((2, 2)), "predictedLabels was not given"),
        ({}, [0, 9], np.zeros((2, 2)), "groundTruthLabels has shape"),
        ({}, [0, 9], [0], "groundTruthLabels has 1 rows"),
        ({}, [0, 9], [0, 1], "predictedLabels holds labels outside"),
    ]
    for options, predicted, truth, found in steps:
        with pytest.raises(OneDALError, match=found):
            MulticlassConfusionMatrix(**options).compute(predicted, truth)


@pytest.mark.parametrize("beta", [0, -1, float("nan"), "1", None, True, [1.0]])
def test_a_beta_that_is_refused(beta: Any) -> None:
    with pytest.raises(OneDALError, match="beta="):
        BinaryConfusionMatrix(beta=beta).compute(GOOD, GOOD)


@pytest.mark.parametrize("k", [0, -3, 2.0, "3", None, True, 10**6, 10**30])
def test_a_number_of_classes_that_is_refused(k: Any) -> None:
    with pytest.raises(OneDALError, match="n_classes="):
        MulticlassConfusionMatrix(k).compute(GOOD, GOOD)


@pytest.mark.parametrize(
    "options", [{"fptype": "float32"}, {"fptype": np.float32}, {"method": "fast"}]
)
def test_an_option_that_does_not_exist(options: Any) -> None:
    with pytest.raises(ValueError, match="K122"):
        MulticlassConfusionMatrix(**options)


@pytest.mark.parametrize("name", ["onedal_binary_batch", "onedal_multiclass_batch"])
def test_an_example_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.main()
    printed = capsys.readouterr().out
    result = script.measure()
    assert "Confusion matrix:" in printed
    assert all(name in printed for name in result.metrics)
    assert result.counts.sum() in (569, 178)
    assert all(0.9 < value < 1 or name == "errorRate" for name, value in result.metrics.items())
