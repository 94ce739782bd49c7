"""Every law of intervals for every record of labels, and damage that each of them notices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from karat.inference.confidence import Interval
from karat.metrics import Record, all_records, get
from karat.testing import INTERVAL_LAWS, interval_laws

OF_LABELS = [record for record in all_records() if record.is_traced]


@pytest.mark.parametrize("record", OF_LABELS, ids=lambda record: record.name)
@pytest.mark.parametrize("law", INTERVAL_LAWS, ids=lambda law: law.__name__)
def test_law_of_intervals(law: Callable[[Record], None], record: Record) -> None:
    law(record)


def refuses(law: Callable[[Record], None], name: str, match: str = "") -> None:
    with pytest.raises(AssertionError, match=match):
        law(get(name).record)


def damaged(monkeypatch: pytest.MonkeyPatch, change: Callable[..., Interval]) -> None:
    """Every interval with limits is changed; `change` sees what was asked and the cells too."""
    right = interval_laws.interval_of

    def wrong(metric: Any, cells: Any, asked: Any) -> Any:
        value, found = right(metric, cells, asked)
        return value, found if found.low is None else change(found, asked, cells, value)

    monkeypatch.setattr(interval_laws, "interval_of", wrong)


def test_a_wrong_derivative_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = interval_laws.derivative
    monkeypatch.setattr(interval_laws, "derivative", lambda *given: 1.001 * right(*given))
    refuses(interval_laws.derivative_is_the_move_of_a_weight, "f1", "f1 under zero")


def test_limits_beside_the_value_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    damaged(monkeypatch, lambda found, asked, cells, value: replace(found, low=value + 1e-9))
    refuses(interval_laws.interval_holds_its_value, "f1", "is outside")
    refuses(interval_laws.replicates_hold_the_value, "f1", "bootstrap")


def test_limits_beyond_the_range_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    damaged(monkeypatch, lambda found, *_: replace(found, high=1.001))
    refuses(interval_laws.interval_holds_its_value, "f1", "beyond the range")


def test_silence_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interval_laws, "interval_of", lambda *_: (0.5, Interval()))
    refuses(interval_laws.interval_holds_its_value, "f1", "neither limits nor a remark")
    refuses(interval_laws.replicates_hold_the_value, "f1", "neither limits nor a remark")


def test_a_level_that_is_not_heard_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = interval_laws.interval_of

    def deaf(metric: Any, cells: Any, asked: Any) -> Any:
        return right(metric, cells, replace(asked, level=0.95))

    monkeypatch.setattr(interval_laws, "interval_of", deaf)
    refuses(interval_laws.surer_is_wider, "f1", "not wider")
    refuses(interval_laws.one_side_is_a_limit_of_two, "f1", "f1, low")


def test_rows_that_are_not_counted_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    damaged(monkeypatch, lambda found, asked, cells, value: replace(found, low=0.1, high=0.9))
    refuses(interval_laws.more_rows_are_surer, "f1", "times as wide")


def test_the_place_of_a_class_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    damaged(
        monkeypatch,
        lambda found, asked, cells, value: replace(found, high=1 - 1 / (1 + cells.counts[0].sum())),
    )
    refuses(interval_laws.relabelling_changes_no_interval, "accuracy", "accuracy, high")


def test_weights_taken_for_rows_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    damaged(
        monkeypatch,
        lambda found, asked, cells, value: replace(found, high=1 - 1 / cells.counts.sum()),
    )
    refuses(interval_laws.weights_of_one_size_are_rows, "accuracy", "accuracy, high")


def test_a_seed_that_is_not_heard_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = interval_laws.interval_of

    def deaf(metric: Any, cells: Any, asked: Any) -> Any:
        return right(metric, cells, replace(asked, seed=0))

    monkeypatch.setattr(interval_laws, "interval_of", deaf)
    refuses(interval_laws.replicates_hold_the_value, "f1", "another seed draws the same")
