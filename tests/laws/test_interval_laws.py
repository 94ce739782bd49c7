"""Every law of intervals for every record of labels, and damage that each of them notices."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from karat.metrics import Record, all_records
from karat.testing import INTERVAL_LAWS

OF_LABELS = [record for record in all_records() if record.is_traced]


@pytest.mark.parametrize("record", OF_LABELS, ids=lambda record: record.name)
@pytest.mark.parametrize("law", INTERVAL_LAWS, ids=lambda law: law.__name__)
def test_law_of_intervals(law: Callable[[Record], None], record: Record) -> None:
    law(record)
