"""Every golden case of every record: quick, and the first to notice a changed formula."""

from __future__ import annotations

import pytest

from karat.metrics import Record, all_records
from karat.testing import LAWS, SCORE_LAWS
from tests.laws.test_records import GOLDEN

OF_LABELS, OF_SCORES = (
    next(law for law in laws if law.__name__ == GOLDEN) for laws in (LAWS, SCORE_LAWS)
)


@pytest.mark.parametrize("record", all_records(), ids=lambda record: record.name)
def test_golden_cases_hold(record: Record) -> None:
    assert record.cases
    (OF_LABELS if record.is_traced else OF_SCORES)(record)
