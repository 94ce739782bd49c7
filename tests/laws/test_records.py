"""Every law for every record: a new metric enters by existing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from karat.metrics import Record, all_records
from karat.testing import LAWS


@pytest.mark.parametrize("record", all_records(), ids=lambda record: record.name)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Callable[[Record], None], record: Record) -> None:
    law(record)
