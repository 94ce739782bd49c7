"""The curves of a report: made in the same pass, small, exact in what they say, kept in JSON."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import karat
from karat.api.report import Report
from karat.curves import _kept
from karat.data.scores import rows as engine
from karat.errors import KaratError
from karat.output.json import report_schema
from tests.curves.problems import problems
from tests.optional import optional
from tests.same import assert_same

jsonschema = optional("jsonschema")
VALIDATOR = jsonschema.Draft202012Validator(report_schema())
NAMES = ("roc", "precision_recall", "det", "gain", "lift", "reliability", "cost", "net_benefit")
RANKING = tuple(name for name in NAMES if name not in ("reliability", "net_benefit"))


def large(n: int = 3000, k: int = 2, *, weighted: bool = False) -> dict[str, Any]:
    rng = np.random.default_rng(k)
    y = rng.integers(0, k, n)
    z = rng.normal(size=(n, k)) + 1.3 * (np.arange(k) == y[:, None])
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    return {"y_true": y, "y_prob": p, "weights": rng.random(n) if weighted else None}


def test_they_are_those_of_the_functions() -> None:
    for k in (2, 3, 5):
        for problem in problems(k, 12, most=200):
            report = karat.evaluate(problem.y_true, **problem.given)
            # What ranks rows alone has no curves of probabilities.
            names = NAMES if report.scores != "scores" else RANKING
            assert list(report.curves) == list(names)
            for name in names:
                wanted = getattr(karat.curves, name)(problem.y_true, average=None, **problem.given)
                found = getattr(report.curves, name)
                assert list(found) == list(wanted) == list(range(k))
                for label, curve in found.items():
                    assert repr(curve) == repr(wanted[label])
                    for column, values in curve.columns().items():
                        assert_same(values, wanted[label].columns()[column], within=1e-12)
            if k == 2:
                assert report.curves.roc.positive is report.curves.roc[1]


def test_long_curves_are_simplified_and_say_so() -> None:
    data = large()
    report = karat.evaluate(**data)
    y, p = data["y_true"], data["y_prob"]
    for name in ("roc", "precision_recall", "det", "gain", "lift", "cost"):
        whole = getattr(karat.curves, name)(y, y_prob=p)
        kept = getattr(report.curves, name).positive
        assert len(kept) <= 256
        assert kept.n_full == len(whole)
        assert getattr(kept, "area", None) == getattr(whole, "area", None)
        if name == "cost":
            at = np.linspace(0, 1, 501)
            more = np.interp(at, kept.probability_cost, kept.cost)
            more -= np.interp(at, whole.probability_cost, whole.cost)
            assert -1e-12 < more.min() <= more.max() <= kept.error
        else:
            assert 0 < kept.error < 0.02
            assert set(kept.thresholds) <= set(whole.thresholds)
            x, height = (getattr(whole, axis) for axis in whole.axes)
            between = np.interp(x, *(getattr(kept, axis) for axis in kept.axes))
            if name == "gain":  # a slope of at most 1/prevalence
                assert np.abs(between - height).max() <= kept.error * 4
    roc, pr = report.curves.roc[1], report.curves.precision_recall[1]
    assert roc.area == report["roc_auc"].value
    assert pr.average_precision == report["average_precision"].value
    assert pr.area == report["pr_auc_trapezoid"].value


def test_the_pass_sorts_no_column_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = []
    rank = engine.rank

    def counted(*given: Any, **options: Any) -> Any:
        counts.append(1)
        return rank(*given, **options)

    monkeypatch.setattr(engine, "rank", counted)
    data = large(400, 4)
    karat.evaluate(**data)
    with_curves = len(counts)
    counts.clear()
    monkeypatch.setattr("karat.api.spec.MOST_CLASSES", 0)
    assert karat.evaluate(**data).kept_curves is None
    assert with_curves == len(counts) > 0


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: karat.evaluate([0, 1], [0, 1]), "made from labels"),
        (
            lambda: karat.evaluate([0, 1], y_prob=[0.1, 0.9], metrics=["roc_auc"]),
            "Some metrics were asked for",
        ),
        (
            lambda: karat.evaluate(range(101), y_score=np.eye(101)),
            "They are not kept for 101 classes",
        ),
    ],
)
def test_a_report_without_curves_says_why(make: Any, told: str) -> None:
    report = make()
    for again in (report, Report.from_json(report.to_json())):
        with pytest.raises(KaratError) as caught:
            _ = again.curves
        assert caught.value.code == "K308"
        assert told in str(caught.value)
        assert not hasattr(again, "no_such_metric")


def test_a_hundred_classes_are_kept_and_small() -> None:
    report = karat.evaluate(**large(5000, 100))
    assert len(report.curves.roc) == 100
    sizes = [
        kept.points.thresholds.nbytes + kept.points.tps.nbytes + kept.points.fps.nbytes
        for kept in report.curves.kept
    ]
    assert max(sizes) <= 24 * _kept.MOST_POINTS
    for kept in report.curves.kept:
        # Not a view of the whole curve.
        assert kept.points.thresholds.base is None or kept.points.thresholds.base.size < 5000


def test_class_names_change_no_label() -> None:
    report = karat.evaluate(
        [0, 1, 1], y_prob=[0.1, 0.4, 0.9], labels=karat.Labels(names=["no", "yes"])
    )
    assert list(report.curves.roc) == [0, 1]
    assert Report.from_json(report.to_json()).curves.roc.positive.label == 1


def test_absent_classes_are_undefined_without_a_warning_a_class() -> None:
    report = karat.evaluate(["a", "b"], y_prob=[[0.5, 0.3, 0.2]] * 2, labels=["a", "b", "c"])
    for again in (report, Report.from_json(report.to_json())):
        curve = again.curves.roc["c"]
        assert curve.undefined == "no row is truly of the class"
        assert np.isnan(curve.tpr).all()
        assert np.isnan(curve.area)
        assert np.isnan(again.curves.cost["c"].cost).all()
    VALIDATOR.validate(report.to_dict())


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["y_prob", "y_logit", "y_score"])
def test_they_are_read_back_as_they_were(k: int, weighted: bool, kind: str) -> None:
    data = large(900, k, weighted=weighted)
    values = data.pop("y_prob")
    data[kind] = values if kind != "y_logit" else np.log(values)
    report = karat.evaluate(**data)
    text = report.to_json()
    VALIDATOR.validate(json.loads(text))
    again = Report.from_json(text)
    assert again.to_json() == text
    assert list(again.curves) == list(NAMES if kind != "y_score" else RANKING)
    for name in again.curves:
        for label, curve in getattr(report.curves, name).items():
            other = getattr(again.curves, name)[label]
            assert repr(other) == repr(curve)
            for column, values in curve.columns().items():
                assert_same(other.columns()[column], values)
            assert getattr(other, "error", None) == getattr(curve, "error", None)
            assert_same(getattr(other, "area", 0.0), getattr(curve, "area", 0.0))


def small() -> dict[str, Any]:
    data = large(12, 2)
    document: dict[str, Any] = json.loads(karat.evaluate(**data).to_json())
    return document


def parts(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every part, of lists the first and the last."""
    if isinstance(value, dict):
        keys: list[Any] = list(value)
    else:
        keys = [0, len(value) - 1] if isinstance(value, list) and value else []
    for key in keys:
        yield (*path, key)
        yield from parts(value[key], (*path, key))


def changed(document: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    copied = copy.deepcopy(document)
    holder = copied["scores"]["curves"]
    for key in path[:-1]:
        holder = holder[key]
    if value is parts:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return copied


# What nothing else in the text contradicts: another value is another report.
FREE = {"areas", "errors", "n_cost", "n_points", "closed", "edges", "thresholds", "decisions"}
FREE |= {"mean_confidence", "share", "spread", "weight"}


def read(text: str) -> Report | None:
    """The report, or None where it is refused as no whole one."""
    with contextlib.suppress(KaratError):
        return Report.from_json(text)
    with pytest.raises(KaratError, match="K205"):
        Report.from_json(text)
    return None


def test_a_changed_part_is_refused_or_is_what_the_text_says() -> None:
    document = small()
    n_refused = 0
    for path in parts(document["scores"]["curves"]):
        for value in (None, -1, 0.37, 2.5, "x", [], {}, True, parts):
            wrong = changed(document, path, value)
            if wrong == document:
                continue
            report = read(json.dumps(wrong))
            if report is None:
                n_refused += 1
                continue
            assert FREE & set(path), (path, value)
            assert report.to_dict()["scores"] == wrong["scores"], (path, value)
            VALIDATOR.validate(report.to_dict())
            assert [repr(getattr(report.curves, name)) for name in NAMES]
    assert n_refused > 200


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (("classes",), [], "scores.curves.classes describes 0 of 2 classes"),
        (("classes", 0, "thresholds"), [0.1, 0.2], "not a list of numbers that descend"),
        (("classes", 0, "tp", -1), 99, "classes[0].tp is not within 0 to"),
        (("classes", 1, "fp", -1), 0, "classes[1].fp does not rise to"),
        (("classes", 0, "n_points"), 3, "n_points is 3, not at least"),
        (("classes", 0, "areas", "roc"), 1.5, "areas.roc is 1.5, not a number from 0 to 1"),
        (("classes", 0, "errors", "lift"), None, "errors.lift is null, not a number of at least 0"),
        (("classes", 0, "reliability", "edges", 0), 0.99, "edges is a list, not two or more"),
        (("classes", 0, "reliability", "weight", 0), 50, "does not add up to the rows"),
        (("classes", 0, "reliability", "share"), [0.5], "share is a list, not 15 numbers"),
        (("classes", 0, "reliability", "closed"), "both", 'closed is "both", not right or left'),
        (("classes", 0, "decisions", "tp"), [1], "decisions.tp is a list, not 99 numbers"),
        (("decisions", 0), 1.0, "not a list of numbers from 0 to below 1"),
        (("classes", 1, "reliability"), parts, "classes that all have reliability and decisions"),
        (("classes", 0, "decisions"), parts, "classes that all have reliability and decisions"),
    ],
)
def test_the_refusal_says_where(path: tuple[Any, ...], value: Any, told: str) -> None:
    with pytest.raises(KaratError) as caught:
        Report.from_json(json.dumps(changed(small(), path, value)))
    assert caught.value.code == "K205"
    assert told in str(caught.value)
