"""Reports of sets with scores: text, HTML, JSON and back, curves, wrong sets and pairs."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta

import karat
from karat.errors import KaratError
from karat.results.set_patterns import LabelPair, WrongSet
from tests.inference.test_set_score_intervals import rows


@pytest.fixture(scope="module")
def report() -> Any:
    true, scores = rows(1, n=200, k=4)
    return karat.evaluate(true, y_prob=1 / (1 + np.exp(-scores)), labels=list("abcd"))


def test_the_text_has_what_scores_tell(report: Any) -> None:
    text = str(report)
    for part in ("mean_average_precision", "label_ranking_average_precision", "roc_auc"):
        assert part in text
    assert "Most common wrong sets" in text
    assert "Predicted together more often than true together" in text
    assert "Thresholds and calibration of labels" not in text
    whole = report._document("all")
    (table,) = [one for one in whole.sections if one.title.startswith("Thresholds")]
    assert [row[0].text for row in table.rows] == list("abcd")
    best, used = (float(table.rows[0][i].text) for i in (2, 1))
    assert best >= used


def test_the_page_has_curves_and_tables_of_labels(report: Any) -> None:
    page = report.to_html()
    for part in ('id="roc"', 'id="reliability"', 'id="missed"', 'id="together"', ">Labels</h2>"):
        assert part in page
    assert "Classes</h2>" not in page
    without = karat.evaluate([{"a"}, {"b"}], [{"a"}, {"a"}]).to_html()
    assert 'id="roc"' not in without
    assert 'id="together"' in without


def test_json_is_read_back(report: Any) -> None:
    text = report.to_json()
    back = karat.MultilabelReport.from_json(text)
    assert back.to_json() == text
    assert str(back) == str(report)
    assert back.patterns == report.patterns
    assert back.scores == "probabilities"
    with pytest.raises(KaratError, match="K308"):
        _ = back.curves
    listed = karat.evaluate([{0}, {1, 2}], y_score=[{0: 0.9, 1: 0.8}, {1: 0.7}])
    back = karat.MultilabelReport.from_json(listed.to_json())
    assert back.to_json() == listed.to_json()
    assert back["coverage_error"].bound == listed["coverage_error"].bound


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("scores",), "numbers"),
        (("patterns", "level"), "high"),
        (("patterns", "wrong_sets", 0, "rows"), None),
        (("patterns", "wrong_sets", 0, "true"), [None]),
        (("metrics", "ndcg", "value"), "high"),
        (("metrics", "ndcg", "bound"), [0.5]),
        (("per_class", 0, "roc_auc"), "high"),
        (("per_class", 0, "intervals", "roc_auc"), [0.5]),
    ],
)
def test_json_that_is_none_is_refused(report: Any, path: tuple[Any, ...], value: Any) -> None:
    whole = json.loads(report.to_json())
    part = whole
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    with pytest.raises(KaratError, match="K205"):
        karat.MultilabelReport.from_json(json.dumps(whole))


def test_curves_are_those_of_each_label(report: Any) -> None:
    for row in report.per_class:
        assert report.curves.roc[row["label"]].area == pytest.approx(row["roc_auc"])
    many = karat.evaluate(np.eye(101), y_score=np.eye(101), metrics=["hamming_loss"])
    for other in (many, karat.evaluate([{"a"}, {"b"}], [{"a"}, {"a"}])):
        with pytest.raises(KaratError, match="K308"):
            _ = other.curves


def test_wrong_sets_are_counted() -> None:
    true = [{"a"}, {"a"}, set(), {"a", "b"}, {"b"}, {"a"}, None]
    pred = [{"b"}, {"b"}, {"c"}, {"a", "b"}, {"a", "b"}, {"c"}, {"c"}]
    found = karat.evaluate(true, pred).patterns
    assert found.wrong_sets[0] == WrongSet(("a",), ("b",), 2.0)
    assert set(found.wrong_sets[1:]) == {
        WrongSet((), ("c",), 1.0),
        WrongSet(("b",), ("a", "b"), 1.0),
        WrongSet(("a",), ("c",), 1.0),
    }
    weighted = karat.evaluate(true, pred, weights=[1, 0, 5, 1, 1, 0, 1]).patterns
    assert weighted.wrong_sets[0] == WrongSet((), ("c",), 5.0)
    assert WrongSet(("a",), ("c",), 0.0) not in weighted.wrong_sets
    assert karat.evaluate(true, [*true[:6], {"a"}]).patterns.wrong_sets == ()


def test_pairs_that_are_predicted_too_often() -> None:
    # 12 rows with the pair in the prediction alone, 2 in the truth alone, 3 in both.
    true = [{"a"}] * 12 + [{"a", "b"}] * 2 + [{"a", "b"}] * 3 + [{"c"}]
    pred = [{"a", "b"}] * 12 + [{"a"}] * 2 + [{"a", "b"}] * 3 + [{"c"}]
    (pair,) = karat.evaluate(true, pred).patterns.pairs
    low, high = beta.ppf([0.025, 0.975], 12.5, 2.5)
    assert pair == LabelPair(("a", "b"), 15, 5, 6.0, pair.low, pair.high)
    assert pair.low == pytest.approx(low / (1 - low))
    assert pair.high == pytest.approx(high / (1 - high))
    # The control: as often too seldom.
    assert karat.evaluate(pred, true).patterns.pairs == ()
    never = karat.evaluate([{"a"}] * 9, [{"a", "b"}] * 9).patterns.pairs[0]
    assert (never.odds_ratio, never.high) == (np.inf, np.inf)


def test_pairs_count_the_rows_that_a_row_stands_for() -> None:
    true, pred = [{"a"}, {"a", "b"}, {"c"}, {"a"}], [{"a", "b"}, {"a"}, {"c"}, {"a", "c"}]
    times = np.array([12, 2, 1, 0])
    often = karat.evaluate(true, pred, weights=karat.Frequency(times)).patterns
    written = [[rows[i] for i in np.repeat(np.arange(4), times)] for rows in (true, pred)]
    assert often.pairs == karat.evaluate(*written).patterns.pairs
    assert [pair.labels for pair in often.pairs] == [("a", "b")]
    # A row of weight 0 is none; of other weights each row counts once.
    more = [[*side, *[own[3]] * 6] for side, own in zip(written, (true, pred), strict=True)]
    weighted = karat.evaluate(*more, weights=np.repeat([2.0, 0.0], [15, 6])).patterns
    assert weighted.pairs == often.pairs
    assert len(karat.evaluate(*more).patterns.pairs) == 2
