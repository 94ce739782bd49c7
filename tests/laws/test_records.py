"""Every law for every record: a new metric enters by existing.

The golden cases have a file of their own, `test_golden_cases`.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence

import pytest

from karat.metrics import Record, all_records
from karat.testing import LAWS, SCORE_LAWS

OF_LABELS = [record for record in all_records() if record.is_traced]
OF_SCORES = [record for record in all_records() if not record.is_traced]
GOLDEN = "golden_cases_hold"


def others(laws: Sequence[Callable[[Record], None]]) -> list[Callable[[Record], None]]:
    """All but the law of the golden cases, which each has."""
    found = [law for law in laws if law.__name__ != GOLDEN]
    assert len(found) == len(laws) - 1
    return found


@pytest.mark.parametrize("record", OF_LABELS, ids=lambda record: record.name)
@pytest.mark.parametrize("law", others(LAWS), ids=lambda law: law.__name__)
def test_law(law: Callable[[Record], None], record: Record) -> None:
    law(record)


@pytest.mark.parametrize("record", OF_SCORES, ids=lambda record: record.name)
@pytest.mark.parametrize("law", others(SCORE_LAWS), ids=lambda law: law.__name__)
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
