"""Every law for every record: a new metric enters by existing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from karat.metrics import Record, all_records
from karat.testing import LAWS, SCORE_LAWS

OF_LABELS = [record for record in all_records() if record.is_traced]
OF_SCORES = [record for record in all_records() if not record.is_traced]


@pytest.mark.parametrize("record", OF_LABELS, ids=lambda record: record.name)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Callable[[Record], None], record: Record) -> None:
    law(record)


@pytest.mark.parametrize("record", OF_SCORES, ids=lambda record: record.name)
@pytest.mark.parametrize("law", SCORE_LAWS, ids=lambda law: law.__name__)
def test_law_of_scores(law: Callable[[Record], None], record: Record) -> None:
    law(record)


def test_the_order_of_the_catalogue_does_not_depend_on_imports() -> None:
    program = "import karat.metrics as m; print(*m.all_metrics(), sep='|')"
    orders = {
        subprocess.run(
            [sys.executable, "-c", first + program], capture_output=True, check=True, text=True
        ).stdout
        for first in ("", "import karat.metrics.thresholds, karat.metrics.agreement; ")
    }
    assert len(orders) == 1
