"""What is not exact of a class or of a threshold says so, and its limits hold the exact value."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from karat.results.report import THRESHOLDS

N = 60_000


def reports(k: int, *, seed: int = 0) -> tuple[karat.Report, karat.Report]:
    """Of buckets and of rows."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, N)
    scores = rng.normal(size=(N, k)) * rng.choice([1e-3, 1.0, 1e3], (N, 1))
    scores[np.arange(N), truth] += 1.0
    prob = np.exp(scores - scores.max(axis=1, keepdims=True))
    prob /= prob.sum(axis=1, keepdims=True)
    settings: Any = {"labels": list(range(k)), "level": None}
    given = {"y_prob": prob if k > 2 else prob[:, 1]}
    stream = karat.Stream(reading=karat.Reading(max_memory=1 << 20), **settings)
    for _ in range(2):
        stream.update(truth, **given)
    twice = {"y_prob": np.concatenate([given["y_prob"]] * 2)}
    rows = karat.evaluate(np.concatenate([truth] * 2), **twice, **settings)
    return stream.report(), rows


def points(report: karat.Report) -> list[dict[str, Any]]:
    found = report.thresholds
    each = [found] if isinstance(found, dict) else found
    return [one[purpose] for one in each for purpose in THRESHOLDS]


@pytest.mark.parametrize("k", [2, 3])
def test_limits_hold_the_exact_value(k: int) -> None:
    found, exact = reports(k)
    n_open = 0
    for row, true_row in zip(found.per_class, exact.per_class, strict=True):
        assert "bounds" not in true_row
        for name in ("roc_auc", "average_precision"):
            low, high = row["bounds"][name]
            assert low <= true_row[name] <= high
            assert low <= row[name] <= high
            n_open += 1
        assert row["bounds"].keys() == {"roc_auc", "average_precision"}
    for point, true_point in zip(points(found), points(exact), strict=True):
        assert "bounds" not in true_point
        for name in ("threshold", "value"):
            low, high = point["bounds"].get(name, (point[name], point[name]))
            assert low <= true_point[name] <= high
            n_open += name in point["bounds"]
    assert n_open > 4 * k


@pytest.mark.parametrize("k", [2, 3])
def test_the_report_marks_them(k: int) -> None:
    found, exact = (str(report) for report in reports(k))
    lines = found.splitlines()
    first = next(i for i, line in enumerate(lines) if line.strip().startswith("class "))
    assert all(line.endswith("~") for line in lines[first + 1 : first + 1 + k])
    if k == 2:
        assert "fewest errors" in found
        assert [line.count("~") for line in lines if "largest f1" in line] == [2]
    assert "~" not in exact


@pytest.mark.parametrize("k", [2, 3])
def test_json_brings_them_back_and_refuses_others(k: int) -> None:
    found, _ = reports(k)
    text = found.to_json()
    again = karat.Report.from_json(text)
    assert again.per_class == found.per_class
    assert again.thresholds == found.thresholds
    assert again.to_json() == text

    def changed(change: Any) -> str:
        whole = json.loads(text)
        of_classes = [item for item in whole["scores"]["measured"] if "bounds" in item]
        change(whole, next(item for item in of_classes if item["metric"] == "roc_auc"))
        return json.dumps(whole)

    changes = [
        lambda _, item: item["bounds"].pop(),
        lambda _, item: item["bounds"].__setitem__(0, [2.0, 3.0]),
        lambda _, item: item["bounds"].__setitem__(0, [0.5]),
        lambda _, item: item["bounds"].__setitem__(0, "wide"),
        lambda _, item: item.pop("bounds"),
        lambda whole, _: whole["per_class"][0]["bounds"].pop("roc_auc"),
        lambda whole, _: whole["per_class"][0].update(bounds={"roc_auc": [0.0, 1.0]}),
    ]
    karat.Report.from_json(changed(lambda whole, item: None))
    for change in changes:
        with pytest.raises(KaratError, match="K205"):
            karat.Report.from_json(changed(change))


def test_what_nothing_is_known_of_is_told_as_that() -> None:
    found, _ = reports(3)
    metric = next(one for one in found.class_bounds if one.name == "roc_auc")
    limits = found.class_bounds[metric]
    unknown = replace(found, class_bounds={**found.class_bounds, metric: (None, *limits[1:])})
    assert unknown.per_class[0]["bounds"]["roc_auc"] is None
    again = karat.Report.from_json(unknown.to_json())
    assert again.class_bounds[metric] == unknown.class_bounds[metric]
    assert again.per_class == unknown.per_class
