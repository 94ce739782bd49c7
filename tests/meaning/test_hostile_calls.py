"""Calls made to mislead: the right answer or one clear error, from functions and reports alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from karat.metrics import all_metrics, all_records
from karat.metrics.plan import Plan
from tests.data.hosts import pd, pl
from tests.data.test_hostile_values import Mute, code_of, itself, nested
from tests.grouping import grouped
from tests.ids import named
from tests.same import assert_same

TRUE, PRED = [0, 1, 1], [0, 1, 0]


def of_function(name: str, y: Any, **options: Any) -> Any:
    """Value or code of the function."""
    try:
        return getattr(karat, name)(y, y, **options)
    except KaratError as problem:
        return problem.code


def of_report(name: str, y: Any, **options: Any) -> Any:
    try:
        return karat.evaluate(y, y, **options)[name].value
    except KaratError as problem:
        return problem.code


@pytest.mark.filterwarnings("ignore::karat.UndefinedWarning")
@pytest.mark.parametrize(
    "name", [record.name for record in all_records() if record.is_per_class and record.is_traced]
)
@pytest.mark.parametrize(
    ("y", "options"),
    [
        ([1, 1], {}),
        ([0, 0], {}),
        ([True], {}),
        ([False, False], {}),
        (["cat"], {}),
        ([2, 2], {}),
        (["cat"], {"positive": "cat"}),
        ([0], {"positive": 0}),
        (["cat"], {"positive": "dog"}),
        ([1, 1], {"weights": [0.5, 2.0]}),
        ([1, 1], {"labels": [1]}),
    ],
    ids=named,
)
def test_one_class_means_the_same_to_functions_and_reports(
    name: str, y: Any, options: dict[str, Any]
) -> None:
    if any(item.is_required for item in karat.metrics.get(name).record.parameters):
        return
    function, report = of_function(name, y, **options), of_report(name, y, **options)
    if isinstance(function, str) or isinstance(report, str):
        assert function == report == "K123"
    else:
        assert_same(report, function, within=0)


def test_one_class_of_ones() -> None:
    report = karat.evaluate(
        [1, 1], [1, 1], labels=karat.Labels(names=["spam"]), metrics=["f1", "accuracy"]
    )
    assert report["f1"].value == karat.f1([1, 1], [1, 1]) == 1.0
    assert report["f1"].signature.positive == "spam"
    assert "f1" in report
    assert report.classes.k == 1
    zeros = karat.evaluate([0, 0], [0, 0])["f1"]
    assert (zeros.value, bool(zeros.undefined)) == (0.0, True)
    assert code_of(lambda: karat.evaluate(["cat"], ["cat"], metrics="f1")) == "K123"


FACTORS = [1e-139, 1e-100, 1e100, 1e137]


@pytest.mark.filterwarnings("ignore::karat.UndefinedWarning")
@pytest.mark.parametrize("k", [2, 3, 200])
@pytest.mark.parametrize("factor", FACTORS)
def test_no_rate_depends_on_the_scale_of_the_weights(factor: float, k: int) -> None:
    rng = np.random.default_rng(k)
    y_true, weights = rng.integers(0, k, 400), rng.random(400) + 0.1
    y_pred = np.where(rng.random(400) < 0.6, y_true, rng.integers(0, k, 400))
    base = karat.evaluate(y_true, y_pred, weights=weights)
    scaled = karat.evaluate(y_true, y_pred, weights=weights * factor)
    for metric in all_metrics():
        if metric.record.family == "counts" or (metric.lift == "plain" and k > 2):
            continue
        if metric.needs_scores:
            continue
        one, other = base[str(metric)], scaled[str(metric)]
        assert one.undefined == other.undefined, metric
        assert other.value == pytest.approx(one.value, rel=1e-9, nan_ok=True), metric


@pytest.mark.parametrize("factor", [1e141, 1e160, 1e308, 1e-141, 1e-160, 1e-310])
def test_weights_beyond_the_limits_are_one_error(factor: float) -> None:
    weights = np.full(3, factor)
    for call in (karat.kappa, karat.accuracy, karat.evaluate, karat.confusion_matrix):
        assert code_of(lambda call=call: call(TRUE, PRED, weights=weights)) == "K125"
    frame = {"y_true": TRUE, "y_pred": PRED, "w": weights}
    assert code_of(lambda: karat.evaluate(frame, weights="w")) == "K125"


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["no", "yes"], ("no", "yes")),
        (np.array(["no", "yes"]), ("no", "yes")),
        (iter(["no", "yes"]), ("no", "yes")),
        (pd.Series(["no", "yes"], index=[7, 8]), ("no", "yes")),
        (pl.Series(["no", "yes"]), ("no", "yes")),
        ([b"no", "y\u00e9s".encode()], ("no", "y\u00e9s")),
        ([10, 20], ("10", "20")),
        ({1: "yes"}, ("0", "yes")),
        ({np.int64(1): "yes", True: "yes"}, ("0", "yes")),
    ],
    ids=named,
)
def test_class_names(names: Any, expected: tuple[str, ...]) -> None:
    assert karat.evaluate(TRUE, PRED, labels=karat.Labels(names=names)).classes.names == expected


@pytest.mark.parametrize(
    "names",
    [
        ["a", "a"],
        {0: "1"},
        {0: "b", 1: "b"},
        [None, "b"],
        ["a", float("nan")],
        ["a", 0.5],
        [b"\xff", b"a"],
        [["a"], "b"],
        ["a", Mute()],
        {0: None},
        {"0": "a"},
        {2: "a"},
        {"a", "b"},
        "ab",
        b"ab",
        np.array([["a", "b"]]),
        np.array("a"),
        5,
        Mute(),
        ["a"],
        ["a", "b", "c"],
        itself(),
    ],
    ids=named,
)
def test_names_that_do_not_name_every_class_once(names: Any) -> None:
    assert code_of(lambda: karat.evaluate(TRUE, PRED, labels=karat.Labels(names=names))) == "K117"


def test_a_set_of_names_of_one_class_is_no_list() -> None:
    assert code_of(lambda: karat.evaluate([1], [1], labels=karat.Labels(names={"a"}))) == "K117"


def test_columns_may_be_named_by_numbers() -> None:
    frame = pd.DataFrame({0: TRUE, 1: PRED, 2: [1.0, 2.0, 1.0]})
    assert karat.evaluate(frame, y_true=0, y_pred=np.int64(1)).accuracy.value == 2 / 3
    assert karat.evaluate(frame, y_true=0, y_pred=1, weights=2).accuracy.value == 3 / 4
    assert code_of(lambda: karat.evaluate(frame, y_true=0, y_pred=7)) == "K404"
    both = pd.DataFrame({("a", "t"): TRUE, ("a", "p"): PRED})
    assert karat.evaluate(both, y_true=("a", "t"), y_pred=("a", "p")).accuracy.value == 2 / 3


@pytest.mark.parametrize("name", [b"y_true", 0.5, True, ["y_true"], Mute()], ids=named)
def test_what_is_no_name_of_a_column(name: Any) -> None:
    frame = {"y_true": TRUE, "y_pred": PRED}
    assert code_of(lambda: karat.evaluate(frame, y_true=name)) == "K158"


@pytest.mark.parametrize("weights", [[1.0], np.ones(2), 3, Mute(), ()], ids=named)
def test_rows_of_files_are_weighted_by_a_column(weights: Any, tmp_path: Any) -> None:
    path = tmp_path / "predictions.csv"
    path.write_text("y_true,y_pred\n0,1\n1,1\n", encoding="utf-8")
    assert code_of(lambda: karat.evaluate(path, weights=weights)) == "K421"


@pytest.mark.parametrize(
    "wrong", [np.array(["error", "drop"]), Mute(), ["error"], b"error", 1], ids=named
)
def test_options_are_compared_as_texts(wrong: Any) -> None:
    for option in ("nulls", "undefined"):
        assert code_of(lambda o=option: karat.evaluate(TRUE, PRED, **grouped({o: wrong}))) == "K122"
    assert code_of(lambda: karat.f1(TRUE, PRED, average=wrong)) == "K122"
    if not isinstance(wrong, int):
        assert code_of(lambda: karat.f1(TRUE, PRED, n_threads=wrong)) == "K122"


def test_one_metric_may_be_asked_for_by_its_name() -> None:
    assert Plan.of("f1").metrics == Plan.of(["f1"]).metrics == ("f1",)
    assert Plan.of(karat.metrics.get("f1")).metrics == ("f1",)
    assert list(karat.evaluate(TRUE, PRED, metrics="f1")) == ["f1"]
    for wrong, code in (({"f1"}, "K310"), (b"f1", "K303"), (5, "K303"), ([Mute()], "K303")):
        assert code_of(lambda wrong=wrong: Plan.of(wrong)) == code
        assert code_of(lambda wrong=wrong: karat.evaluate(TRUE, PRED, metrics=wrong)) == code


@pytest.mark.parametrize(
    "wrong", [Mute(), [Mute()], itself(), nested(60), "2", [["2", "1"]]], ids=named
)
def test_parameters_of_any_kind(wrong: Any) -> None:
    for call in (
        lambda: karat.f_beta(TRUE, PRED, beta=wrong),
        lambda: karat.expected_cost(TRUE, PRED, costs=wrong),
        lambda: karat.balanced_accuracy(TRUE, PRED, adjusted=wrong),
    ):
        assert code_of(call) == "K302"


def test_labels_of_any_text_travel_and_print() -> None:
    labels = ["\ud800", "", "\x00", "a\nb", "{0}", "\u202e", "x" * 10_000]
    report = karat.evaluate(labels, labels[::-1])
    again = karat.tally.from_bytes(karat.tally.to_bytes(report.cells))
    assert again.classes == report.classes
    assert karat.Report.from_json(report.to_json()).labels == report.labels
    assert str(report).encode("utf-8")


class Stubborn(str):
    """Text that compares with nothing."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise LookupError("no comparison")

    def __hash__(self) -> int:
        return 5


def test_text_of_a_class_of_its_own_is_text() -> None:
    frame = {"y_true": TRUE, "y_pred": PRED, "w": [1, 2, 1]}
    report = karat.evaluate(
        frame, y_true=Stubborn("y_true"), y_pred=Stubborn("y_pred"), weights=Stubborn("w"),
        reading=karat.Reading(nulls=Stubborn("drop")), undefined=Stubborn("nan"),
    )  # fmt: skip
    assert (report.accuracy.value, report.undefined) == (3 / 4, "nan")
    assert karat.f1(TRUE, PRED, average=Stubborn("macro")) == karat.macro_f1(TRUE, PRED)
    assert code_of(lambda: karat.evaluate(Stubborn("no such.csv"))) == "K401"
    assert code_of(lambda: karat.evaluate([Stubborn("no such.csv")])) == "K401"


@pytest.mark.parametrize("data", [TRUE, np.array(TRUE)], ids=["list", "array"])
@pytest.mark.parametrize("wrong", [np.array(TRUE), pd.NA, pd.Series(TRUE), Mute(), None], ids=named)
def test_the_short_path_refuses_what_the_long_one_does(wrong: Any, data: Any) -> None:
    assert code_of(lambda: karat.f1(data, data, undefined=wrong)) == "K122"
    if wrong is not None:
        assert code_of(lambda: karat.f1(data, data, n_threads=wrong)) == "K122"
        assert code_of(lambda: karat.f1(data, data, average=wrong)) == "K122"
    assert code_of(lambda: karat.f1(data, data, n_threads=np.timedelta64(1, "s"))) == "K122"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"labels": 5}, "K110"),
        ({"labels": "ab"}, "K110"),
        ({"labels": {"a", "b"}}, "K110"),
        ({"labels": Mute()}, "K110"),
        ({"labels": ["a", "a"]}, "K110"),
        ({"labels": ["a", "b"], "positive": "c"}, "K111"),
        ({"labels": ["a", "b"], "positive": Mute()}, "K111"),
        ({"labels": ["a", "b", "c"], "positive": "c"}, "K112"),
    ],
    ids=named,
)
def test_a_scorer_is_refused_before_any_model_is_fitted(options: Any, code: str) -> None:
    assert code_of(lambda: karat.scorer("accuracy", **options)) == code


@pytest.mark.parametrize("text", [None, 5, b"f1", ["f1"], Mute(), np.array("f1")], ids=named)
def test_what_is_no_text_names_no_metric(text: Any) -> None:
    for call in (karat.metrics.search, karat.metrics.get, karat.metrics.parse, karat.scorer):
        assert code_of(lambda call=call: call(text)) == "K303"
    assert code_of(lambda: karat.evaluate(TRUE, PRED)[text]) == "K303"


@pytest.mark.parametrize("beta", [0, 1e-81, 1e81, 5e-324, 1e308])
def test_a_beta_whose_square_overflows_or_vanishes_is_refused(beta: float) -> None:
    assert code_of(lambda: karat.f_beta(TRUE, PRED, beta=beta)) == "K302"


@pytest.mark.parametrize("size", [1e-21, 1e21, 5e-324, 1e308])
@pytest.mark.parametrize("name", ["expected_cost", "kappa_weighted"])
def test_costs_that_overflow_or_vanish_are_refused(name: str, size: float) -> None:
    parameter = karat.metrics.get(f"{name}({'costs' if name == 'expected_cost' else 'disagreement'}"
                                  "=[[0, 1], [1, 0]])").params[0][0]  # fmt: skip
    wrong = {parameter: [[0, size], [1, 0]]}
    assert code_of(lambda: getattr(karat, name)(TRUE, PRED, **wrong)) == "K302"
    right = {parameter: [[0, -1e20], [1e-20, 0]]}
    for factor in (1e-139, 1e139):
        value = getattr(karat, name)(TRUE, PRED, weights=[factor] * 3, **right)
        unweighted = getattr(karat, name)(TRUE, PRED, **right)
        assert value == pytest.approx(unweighted, rel=1e-12)


@pytest.mark.parametrize("beta", [2e-80, 1.0, 0.9e80])
@pytest.mark.parametrize("factor", [1e-139, 1e139])
def test_f_beta_at_the_limits(beta: float, factor: float) -> None:
    scaled = karat.f_beta(TRUE, PRED, beta=beta, weights=[factor] * 3)
    assert scaled == pytest.approx(karat.f_beta(TRUE, PRED, beta=beta), rel=1e-12)
