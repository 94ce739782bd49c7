"""How curves are called and what they are: by class, read-only, undefined with a reason."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError, UndefinedWarning
from tests.same import assert_same

FUNCTIONS = (
    "roc", "precision_recall", "det", "gain", "lift", "reliability", "cost", "net_benefit",
)  # fmt: skip
OF_RANKS = ("roc", "precision_recall", "det", "gain", "lift", "cost")
TRACED = OF_RANKS[:-1]
# Best first: 0.9 true, 0.8 true and false, 0.4 false, 0.35 true, 0.1 false.
TRUTH, SCORES = [0, 0, 1, 0, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.8, 0.9]
THREE = ["ant", "bee", "cat", "bee"]
P3 = [[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8], [0.4, 0.3, 0.3]]


def exactly(values: Any, *wanted: float) -> None:
    assert_same(values, wanted, within=1e-15)


def test_the_hand_made_case() -> None:
    third = 1 / 3
    roc = karat.curves.roc(TRUTH, y_score=SCORES)
    exactly(roc.thresholds, np.inf, 0.9, 0.8, 0.4, 0.35, 0.1)
    exactly(roc.fpr, 0, 0, third, 2 / 3, 2 / 3, 1)
    exactly(roc.tpr, 0, third, 2 / 3, 2 / 3, 1, 1)
    assert roc.area == 6.5 / 9
    pr = karat.curves.precision_recall(TRUTH, y_score=SCORES)
    exactly(pr.precision, 1, 1, 2 / 3, 2 / 4, 3 / 5, 3 / 6)
    exactly(pr.recall, *roc.tpr)
    det = karat.curves.det(TRUTH, y_score=SCORES)
    exactly(det.fpr, *roc.fpr)
    exactly(det.fnr, 1, 2 / 3, third, third, 0, 0)
    gain = karat.curves.gain(TRUTH, y_score=SCORES)
    exactly(gain.share, 0, 1 / 6, 3 / 6, 4 / 6, 5 / 6, 1)
    exactly(gain.gain, *roc.tpr)
    assert_same(gain.area, 0.25 + 0.5 * 6.5 / 9, within=1e-15)
    exactly(karat.curves.lift(TRUTH, y_score=SCORES).lift, 2, 2, 4 / 3, 1, 6 / 5, 1)


def test_the_hand_made_cost_curve() -> None:
    # Hull: (0, 0) (0, 1/3) (2/3, 1) (1, 1); (1/3, 2/3) lies on its edge.
    curve = karat.curves.cost(TRUTH, y_score=SCORES)
    exactly(curve.probability_cost, 0, 0.5, 1)
    exactly(curve.cost, 0, 1 / 3, 0)
    exactly(curve.thresholds, 0.9, 0.35)
    exactly(curve.fpr, 0, 2 / 3)
    exactly(curve.fnr, 2 / 3, 0)
    assert_same(curve.area, 1 / 6, within=1e-15)


def test_the_hand_made_net_benefit() -> None:
    curve = karat.curves.net_benefit(TRUTH, y_prob=SCORES, thresholds=[0.8, 0.5, 0.2])
    exactly(curve.benefit, 2 / 6 - 1 / 6 * 4, 2 / 6 - 1 / 6, 3 / 6 - 2 / 6 * 0.25)
    exactly(curve.treat_all, 3 / 6 - 3 / 6 * 4, 0, 3 / 6 - 3 / 6 * 0.25)
    exactly(curve.treat_none, 0, 0, 0)


def test_the_hand_made_reliability() -> None:
    curve = karat.curves.reliability(TRUTH, y_prob=SCORES, bins=5)
    exactly(curve.edges, 0, 0.2, 0.4, 0.6, 0.8, 1)
    exactly(curve.weight, 1, 2, 0, 2, 1)
    exactly(curve.mean_confidence, 0.1, 0.375, np.nan, 0.8, 0.9)
    exactly(curve.share, 0, 1 / 2, np.nan, 1 / 2, 1)
    exactly(curve.spread, 0.3, (0.24 + 0.2275) ** 0.5 / 2, np.nan, 0.32**0.5 / 2, 0.3)


def test_a_golden_value_that_is_wrong_is_noticed() -> None:
    roc = karat.curves.roc([1, 0, 1, 0, 1, 1], y_score=SCORES)
    with pytest.raises(AssertionError):
        exactly(roc.tpr, 0, 1 / 3, 2 / 3, 2 / 3, 1, 1)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_two_classes_give_the_positive_one(name: str) -> None:
    function = getattr(karat.curves, name)
    y = np.array(["no", "yes"])[TRUTH]
    given: dict[str, Any] = {"y_prob": SCORES, "positive": "yes"}
    curve = function(y, **given)
    both = function(y, **given, average=None)
    other = function(y, y_prob=1 - np.array(SCORES), positive="no")
    assert (curve.label, list(both), other.label) == ("yes", ["no", "yes"], "no")
    assert both.positive is both["yes"]
    for column, values in curve.columns().items():
        assert_same(both["yes"].columns()[column], values)
        assert_same(both["no"].columns()[column], other.columns()[column])
    assert list(function(y, **given, classes=["no"])) == ["no"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_two_words_need_a_positive_class(name: str) -> None:
    function = getattr(karat.curves, name)
    y, both = np.array(["no", "yes"])[TRUTH], np.stack([1 - np.array(SCORES), SCORES], axis=1)
    for scores in (SCORES, both):
        with pytest.raises(KaratError, match=r"K190(.*\n.*)+positive='no' or positive='yes'"):
            function(y, y_prob=scores)
    assert list(function(y, y_prob=both, average=None)) == ["no", "yes"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_more_classes_need_a_choice(name: str) -> None:
    function = getattr(karat.curves, name)
    with pytest.raises(KaratError) as caught:
        function(THREE, y_prob=P3)
    assert caught.value.code == "K121"
    assert f"karat.curves.{name} of 3 classes" in str(caught.value)
    curves = function(THREE, y_prob=P3, average=None)
    assert list(curves) == ["ant", "bee", "cat"]
    assert [curve.label for curve in curves.values()] == list(curves)
    assert list(function(THREE, y_prob=P3, classes=["cat", "ant"])) == ["cat", "ant"]
    for wrong in ("positive", "elephant", ["ant"]):
        with pytest.raises(KaratError, match="K309"):
            _ = curves.positive if wrong == "positive" else curves[wrong]
    assert "elephant" not in curves
    assert curves.get("elephant") is None


def test_of_pooled_classes_curves_of_ranks_only() -> None:
    for name in FUNCTIONS:
        function = getattr(karat.curves, name)
        if name in OF_RANKS:
            assert function(THREE, y_prob=P3, average="micro").label is None
        else:
            with pytest.raises(KaratError, match="K122"):
                function(THREE, y_prob=P3, average="micro")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arrays_are_read_only_and_named(name: str) -> None:
    curve = getattr(karat.curves, name)(TRUTH, y_prob=SCORES)
    assert set(curve.axes) <= set(curve.columns())
    for column, values in curve.columns().items():
        assert values.dtype == np.float64
        assert len(values) == len(curve)
        assert getattr(curve, column) is values
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 0
    with pytest.raises(AttributeError):
        curve.label = "other"
    assert repr(curve).startswith(f"<karat.curves.{type(curve).__name__} of 1: {len(curve)} ")


def test_the_printed_form_tells_what_was_left_out() -> None:
    y, s = [0, 1] * 500, np.random.default_rng(1).normal(size=1000)
    text = repr(karat.curves.roc(y, y_score=s, limit=9))
    assert text.startswith("<karat.curves.Roc of 1: 9 points, from 1001 within 0.")
    assert "from" not in repr(karat.curves.roc(TRUTH, y_score=SCORES))
    micro = karat.curves.roc(THREE, y_prob=P3, average="micro")
    assert repr(micro).startswith("<karat.curves.Roc: ")
    all_of = karat.curves.roc(THREE, y_prob=P3, average=None)
    assert repr(all_of) == "<karat.curves.Roc of 3 classes: 'ant', 'bee', 'cat'>"
    assert "2 of them empty" in repr(karat.curves.reliability(TRUTH, y_prob=SCORES, bins=6))


ABSENT: dict[str, tuple[str, dict[str, bool]]] = {
    # Function → what is NaN without positives and without negatives, by array.
    "roc": ("tpr", {"tpr": True, "fpr": True}),
    "precision_recall": ("recall", {"recall": True, "precision": False}),
    "det": ("fnr", {"fnr": True, "fpr": True}),
    "gain": ("gain", {"gain": True, "share": False}),
    "lift": ("lift", {"lift": True, "share": False}),
    "cost": ("cost", {"cost": True, "probability_cost": False}),
}


@pytest.mark.parametrize("name", ABSENT)
def test_without_rows_of_the_class_rates_are_nan_and_it_is_said(name: str) -> None:
    function = getattr(karat.curves, name)
    with pytest.warns(UndefinedWarning, match=f"karat.curves.{name} is undefined: no row is truly"):
        curve = function([0, 0, 0], y_prob=[0.1, 0.4, 0.8], labels=[0, 1])
    assert curve.undefined == "no row is truly of the class"
    assert "undefined: no row" in repr(curve)
    assert np.isnan(getattr(curve, ABSENT[name][0])).all()
    for area in ("area", "average_precision"):
        assert np.isnan(getattr(curve, area, np.nan))
    assert len(function([0, 0, 0], **_absent(), limit=3)) <= 3


def _absent() -> dict[str, Any]:
    warnings.simplefilter("ignore", UndefinedWarning)
    return {"y_prob": [0.1, 0.4, 0.8], "labels": [0, 1]}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_without_other_rows_only_rates_of_others_are_nan(name: str) -> None:
    function = getattr(karat.curves, name)
    call = {"y_prob": [0.1, 0.4, 0.8], "labels": [0, 1]}
    if name in ("roc", "det", "cost"):
        with pytest.warns(UndefinedWarning, match="every row is truly of the class"):
            curve = function([1, 1, 1], **call)
        assert np.isnan(getattr(curve, "cost" if name == "cost" else "fpr")).all()
        assert np.isnan(getattr(curve, "area", np.nan))
    else:
        curve = function([1, 1, 1], **call)
        assert curve.undefined is None
        if name != "reliability":
            assert all(np.isfinite(x[1:]).all() for x in curve.columns().values())


def test_absent_classes_are_told_in_one_warning() -> None:
    with pytest.warns(UndefinedWarning) as caught:
        curves = karat.curves.roc(
            ["b", "c"], y_prob=[[0.2] * 5, [0.2] * 5], labels=list("abcde"), average=None
        )
    assert len(caught) == 1
    assert "no row is truly of the class: 'a', 'd', 'e'" in str(caught[0].message)
    assert caught[0].filename == __file__
    assert [curve.undefined is None for curve in curves.values()] == [
        False,
        True,
        True,
        False,
        False,
    ]


def test_without_rows_of_the_class_others_are_defined() -> None:
    call = {"y_prob": [0.1, 0.4, 0.8], "labels": [0, 1]}
    benefit = karat.curves.net_benefit([0, 0, 0], thresholds=[0.5], **call)
    assert benefit.benefit.tolist() == [-1 / 3]
    assert karat.curves.reliability([0, 0, 0], bins=1, **call).share.tolist() == [0.0]


NAN, WIDE = float("nan"), [[0.5, 0.5, 0.0]] * 3


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(
    ("code", "arguments", "options"),
    [
        ("K127", [None], {"y_prob": [0.1]}),
        ("K128", [[0, 1]], {}),
        ("K129", [[0, 1]], {"y_prob": [0.1, 0.2], "y_score": [0.1, 0.2]}),
        ("K101", [[]], {"y_prob": []}),
        ("K102", [[0, 1, 1]], {"y_prob": [0.1, 0.2]}),
        ("K131", [[0, 1, 1]], {"y_logit": [0.1, NAN, 0.2]}),
        ("K131", [[0, 1, 1]], {"y_logit": [0.1, NAN, 0.2], "average": None}),
        ("K132", [[0, 1, 1]], {"y_prob": [0.1, 1.5, 0.2]}),
        ("K133", [[0, 1, 1]], {"y_prob": [[0.5, 0.5], [0.5, 0.6], [0.1, 0.9]]}),
        ("K134", [[0, 1, 1]], {"y_prob": WIDE}),
        ("K112", [[0, 1, 2]], {"y_prob": WIDE, "positive": 1}),
        ("K113", [[0, 1]], {"y_prob": [0.1, 0.2], "weights": [1, -1]}),
        ("K115", [[0, 1]], {"y_prob": [0.1, 0.2], "weights": [0, 0]}),
        ("K122", [[0, 1]], {"y_prob": [0.1, 0.2], "average": "macro"}),
        ("K122", [[0, 1]], {"y_prob": [0.1, 0.2], "classes": [2]}),
        ("K122", [[0, 1]], {"y_prob": [0.1, 0.2], "classes": []}),
        ("K122", [["a", "b"]], {"y_prob": [0.1, 0.2], "positive": "b", "classes": "a"}),
        ("K122", [[0, 1]], {"y_prob": [0.1, 0.2], "classes": [[0]]}),
        ("K122", [[0, 1]], {"y_prob": [0.1, 0.2], "classes": 5}),
    ],
)
def test_what_cannot_be_used_is_refused(
    name: str, code: str, arguments: list[Any], options: dict[str, Any]
) -> None:
    with pytest.raises(KaratError) as caught:
        getattr(karat.curves, name)(*arguments, **options)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        *((name, {"limit": 1}, "limit=1 is not a valid choice") for name in OF_RANKS),
        ("cost", {"limit": 2}, "a whole number from 3 or None"),
        ("roc", {"limit": 2.5}, "a whole number from 2 or None"),
        ("roc", {"limit": True}, "limit=True"),
        ("roc", {"limit": "all"}, "limit='all'"),
        ("roc", {"drop_intermediate": "yes"}, "True, False"),
        ("reliability", {"bins": 0}, "a whole number from 1"),
        ("reliability", {"bins": 10**7}, "a whole number from 1"),
        ("reliability", {"bins": None}, "a whole number from 1"),
        ("reliability", {"scheme": "equal"}, "'uniform', 'quantile'"),
        ("reliability", {"closed": np.array(["right"])}, "'right', 'left'"),
        ("net_benefit", {"thresholds": [0.5, 1.0]}, "from 0 to below 1"),
        ("net_benefit", {"thresholds": [NAN]}, "from 0 to below 1"),
        ("net_benefit", {"thresholds": []}, "one or more numbers"),
        ("net_benefit", {"thresholds": 0.5}, "one or more numbers"),
        ("net_benefit", {"thresholds": ["half"]}, "one or more numbers"),
    ],
)
def test_options_that_are_no_choice_are_refused(
    name: str, options: dict[str, Any], told: str
) -> None:
    with pytest.raises(KaratError) as caught:
        getattr(karat.curves, name)(TRUTH, y_prob=SCORES, **options)
    assert caught.value.code == "K122"
    assert told in str(caught.value)


def test_classes_and_pooled_classes_do_not_go_together() -> None:
    with pytest.raises(KaratError, match="K159"):
        karat.curves.roc(THREE, y_prob=P3, classes=["ant"], average="micro")


def test_an_unknown_option_is_a_slip_of_the_call() -> None:
    with pytest.raises(TypeError, match=r"roc\(\) got an unexpected keyword argument 'bins'"):
        karat.curves.roc(TRUTH, y_score=SCORES, bins=3)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_help_describes_every_argument(name: str) -> None:
    import inspect

    function = getattr(karat.curves, name)
    assert function.__name__ == name
    signature = inspect.signature(function)
    for argument in signature.parameters:
        assert f"    {argument}: " in function.__doc__
    for section in ("Args:", "Returns:", "Errors:", "Cost:", "Example:"):
        assert f"\n{section}" in function.__doc__
    assert (name in TRACED) == ("drop_intermediate" in signature.parameters)


def test_the_module_offers_what_it_lists() -> None:
    assert set(FUNCTIONS) <= set(dir(karat.curves))
    for name in karat.curves.__all__:
        assert (getattr(karat.curves, name).__doc__ or "").strip()
    with pytest.raises(AttributeError, match="no attribute 'auc'"):
        _ = karat.curves.auc


def test_threads_change_nothing() -> None:
    rng = np.random.default_rng(0)
    y, z = rng.integers(0, 3, 5000), rng.normal(size=(5000, 3))
    for name in FUNCTIONS:
        function = getattr(karat.curves, name)
        one, two = (function(y, y_logit=z, average=None, n_threads=n) for n in (1, 2))
        for label, curve in one.items():
            for column, values in curve.columns().items():
                assert_same(two[label].columns()[column], values)
