"""What another karat wrote into a report and this one does not have is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import karat
from karat.api.report import Report
from karat.errors import KaratError
from tests.grouping import grouped
from tests.output.reports import REPORTS

TRUE, PROB = [0, 1, 1, 0, 1, 0] * 4, [0.25, 0.75, 0.5, 0.5, 0.875, 0.125] * 4
GIVEN = {
    "labels": {"y_pred": [0, 1, 0, 1, 1, 0] * 4},
    "probabilities": {"y_prob": PROB},
    "three": {"y_prob": [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]] * 12, "labels": [0, 1, 2]},
    "slices": {"y_pred": [0, 1, 0, 1, 1, 0] * 4, "by": {"side": list("ab") * 12}},
    "slices of scores": {"y_prob": PROB, "by": {"side": list("ab") * 12}},
    "clusters": {"y_pred": [0, 1, 0, 1, 1, 0] * 4, "clusters": list("abcdefgh") * 3},
}
CLUSTERED = GIVEN["clusters"] | {"by": {"side": list("aabb") * 6}}


def later(given: dict[str, Any] | str) -> dict[str, Any]:
    """The text that a later karat, which has the same metrics, wrote of 24 rows."""
    chosen = GIVEN[given] if isinstance(given, str) else given
    text: dict[str, Any] = json.loads(karat.evaluate(TRUE, **grouped(chosen)).to_json())
    return text | {"karat": "9.0.0"}


def read(text: dict[str, Any]) -> Report:
    """The report of a text, which says the same when it is written and read again."""
    found = Report.from_json(json.dumps(text))
    again = Report.from_json(found.to_json())
    assert again.warnings == found.warnings
    assert again.to_json() == found.to_json()
    return found


def parts(*names: str) -> str:
    several = "a part" if len(names) == 1 else f"{len(names)} parts"
    return (
        f"The JSON that this report was read from has {several} that karat {karat.__version__} "
        f"does not have in such a report: {', '.join(map(repr, names))}. Left out here."
    )


def metrics(*names: str) -> str:
    several = "a metric" if len(names) == 1 else f"{len(names)} metrics"
    return (
        f"The JSON that this report was read from lists {several} that karat {karat.__version__} "
        f"does not list for such a report: {', '.join(map(repr, names))}. Left out here."
    )


def same(found: Report, expected: Report) -> bool:
    """Whether two reports say the same but for their warnings."""
    said, wanted = found.to_dict(), expected.to_dict()
    return all(said[key] == wanted[key] for key in wanted if key != "warnings")


@pytest.mark.parametrize("name", [*REPORTS, *GIVEN])
def test_of_a_text_that_says_nothing_more_nothing_is_told(name: str) -> None:
    report = REPORTS[name]() if name in REPORTS else karat.evaluate(TRUE, **grouped(GIVEN[name]))
    text = json.loads(report.to_json()) | {"karat": "9.0.0"}
    found = read(text)
    assert found.warnings == report.warnings
    assert same(found, Report.from_json(report.to_json()))


@pytest.mark.parametrize(
    ("given", "change", "told"),
    [
        (
            "labels",
            lambda t: t["metrics"].update(sharpness=t["metrics"]["kappa"]),
            [metrics("sharpness")],
        ),
        ("labels", lambda t: t.update(fairness={"gap": 0.5}), [parts("fairness")]),
        (
            "labels",
            lambda t: [r.update(p=0.5) for r in t["metrics"].values()],
            [parts("metrics[].p")],
        ),
        (
            "labels",
            lambda t: t["settings"]["interval"].update(prior="flat"),
            [parts("settings.interval.prior")],
        ),
        ("three", lambda t: t["per_class"][1].update(gini=0.5), [parts("per_class[].gini")]),
        (
            "three",
            lambda t: t["per_class"][2]["intervals"].update(gini=[0.25, 0.5]),
            [parts("per_class[].intervals.gini")],
        ),
        (
            "probabilities",
            lambda t: t["scores"]["curves"]["classes"][0].update(lorenz=[0.5]),
            [parts("scores.curves.classes[].lorenz")],
        ),
        (
            "probabilities",
            lambda t: t["thresholds"].update(youden={"threshold": 0.5}),
            [parts("thresholds.youden")],
        ),
        (
            "slices",
            lambda t: [
                one["metrics"].update(sharpness=one["metrics"]["accuracy"])
                for one in t["slices"][0]["slices"]
            ],
            [parts("slices[].slices[].metrics.sharpness")],
        ),
        (
            "slices of scores",
            lambda t: t["slices"][0]["tests"].update(sharpness={"gap": {}}),
            [parts("slices[].tests.sharpness")],
        ),
    ],
)
def test_what_a_later_karat_adds_is_told(
    given: str, change: Callable[[Any], Any], told: list[str]
) -> None:
    text = later(given)
    change(text)
    found = read(text)
    assert list(found.warnings) == told
    assert "Left out here." in found.to_markdown()
    assert same(found, karat.evaluate(TRUE, **grouped(GIVEN[given])))


@pytest.mark.parametrize("given", ["probabilities", "three"])
def test_metrics_of_scores_of_a_later_karat_are_told_and_the_others_read(given: str) -> None:
    text = later(given)
    measured = text["scores"]["measured"]
    place = next(i for i, item in enumerate(measured) if item["metric"] == "roc_auc")
    one = measured[place] | {"lift": "plain"}
    each = next(item for item in measured if item["lift"] == "per_class")
    measured.insert(place, one | {"metric": "sharpness"})
    measured.append(one | {"metric": "roc_auc", "lift": "samples"})
    measured.append(each | {"metric": "roc_auc(tact=2)"})
    text["metrics"]["sharpness"] = text["metrics"]["kappa"]
    found = read(text)
    assert list(found.warnings) == [
        parts("scores.measured.samples_roc_auc", "scores.measured.per_class_roc_auc(tact=2)"),
        metrics("sharpness"),
    ]
    assert same(found, karat.evaluate(TRUE, **grouped(GIVEN[given])))
    # A place in an error is that of the text, of which some was left out.
    measured[place + 1]["value"] = "much"
    with pytest.raises(KaratError, match=rf"scores\.measured\[{place + 1}\]\.value"):
        Report.from_json(json.dumps(text))
    text["karat"] = karat.__version__
    with pytest.raises(KaratError, match="K301"):
        Report.from_json(json.dumps(text))


def test_what_a_later_karat_measured_no_more_is_told() -> None:
    text = later("three")
    scores = text["scores"]
    scores["measured"] = [
        item
        for item in scores["measured"]
        if item["lift"] != "per_class" or item["metric"] != "roc_auc"
    ]
    # Of the third class there is no row, and the reason was said.
    assert list(read(text).warnings) == [
        parts("per_class[].roc_auc", "per_class[].undefined.roc_auc")
    ]
    text = later("probabilities")
    for item in text["scores"]["measured"]:
        item["metric"] += "_2" if "threshold" in item["metric"] else ""
    found = read(text)
    assert "'thresholds'" in found.warnings[0]
    assert "<svg" in found.to_html()  # without the marks of thresholds


def test_another_name_of_a_metric_is_that_metric() -> None:
    text = later("labels")
    text["metrics"]["mcc"] = text["metrics"].pop("matthews_correlation")
    assert read(text).warnings == ()


@pytest.mark.parametrize("given", [CLUSTERED, GIVEN["slices of scores"]])
@pytest.mark.parametrize("place", ["tests", "metrics"])
def test_slices_without_what_only_rows_give_are_left_out_or_refused(
    given: dict[str, Any], place: str
) -> None:
    text = later(given)
    (table,) = text["slices"]
    first = next(iter(table["tests"]))
    if place == "metrics":
        first = next(name for name in ("brier", first) if name in table["slices"][0]["metrics"])
        for one in table["slices"]:
            one["metrics"]["sharpness"] = one["metrics"].pop(first)
    else:
        table["tests"].clear()
    is_needed = place == "metrics" or given is CLUSTERED
    found = read(text)
    assert list(found.warnings) == ([parts("slices")] if is_needed else [])
    text["karat"] = karat.__version__
    if is_needed:
        with pytest.raises(KaratError, match="K205") as caught:
            Report.from_json(json.dumps(text))
        at = "slices[0].metrics" if place == "metrics" else "tests"
        assert f"slices[0].{at}.{first} is missing" in str(caught.value)


def test_slices_of_a_metric_that_the_report_does_not_list() -> None:
    text = later("slices of scores")
    for item in text["scores"]["measured"]:
        item["metric"] += "(tact=2)" if item["metric"] == "brier" else ""
    found = read(text)
    assert "'slices[].slices[].metrics.brier'" in found.warnings[0]
    assert found.warnings[1] == metrics("brier")
    assert len(found.slices["side"]) == 2
    text["karat"] = karat.__version__
    with pytest.raises(KaratError, match="K302"):
        Report.from_json(json.dumps(text))


def test_a_sentence_is_said_once() -> None:
    text = later("labels")
    text["fairness"] = 1
    once = json.loads(read(text).to_json()) | {"karat": "9.0.0", "fairness": 1}
    assert read(once).warnings == (parts("fairness"),)


def test_many_unknown_names_take_no_time_on_what_is_near_to_them() -> None:
    text = later("probabilities")
    one = text["scores"]["measured"][0]
    text["scores"]["measured"] += [one | {"metric": f"roc_auk_{i}"} for i in range(100_000)]
    (said,) = Report.from_json(json.dumps(text)).warnings
    assert said.startswith("The JSON that this report was read from has 100000 parts that karat")
    assert said.endswith("'scores.measured.roc_auk_39' … (100000 in all). Left out here.")
