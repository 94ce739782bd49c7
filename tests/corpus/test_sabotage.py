"""Deliberate defects are noticed by every group that records reports."""

from __future__ import annotations

import pytest

from tests.corpus import store
from tests.corpus.calls import calls_of, in_a_folder
from tests.corpus.check import tolerance_here
from tests.corpus.differences import compare
from tests.corpus.outcome import outcome_of
from tests.corpus.sabotage import SABOTAGES

pytestmark = pytest.mark.filterwarnings("ignore")


def noticing(group: str, sabotage: str, text: bool = False) -> tuple[str, int] | None:
    """The first call that notices a sabotage, and how many calls were made until then."""
    recorded, tolerance = store.read(group), tolerance_here(group)
    for n, call in enumerate(calls_of(group), 1):
        with in_a_folder(), SABOTAGES[sabotage]():
            outcome = outcome_of(call.run)
        if compare(recorded[call.id], outcome, tolerance, text=text).differences:
            return call.id, n
    return None
