"""Deliberate defects are noticed by every group of kinds, designs and stored forms."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import dropwhile
from typing import Final

import pytest

from tests.corpus import store
from tests.corpus.calls import calls_of, in_a_folder
from tests.corpus.check import tolerance_here
from tests.corpus.differences import compare
from tests.corpus.outcome import outcome_of
from tests.corpus.sabotage import SABOTAGES
from tests.corpus.typing_check.run import forget_rows

pytestmark = pytest.mark.filterwarnings("ignore")

GROUPS: Final = (
    *("sets", "set_scores", "set_models", "set_streams", "set_dropins", "judges", "folds"),
    *("looks", "monitors", "row_lists", "strata", "checks", "refusals", "stored"),
    *("odd_sources", "objects", "unnoticed"),
)
LATE: Final = {
    ("sets", "remarks lost"): "escaped separators",
    ("set_dropins", "remarks lost"): "function multilabel_coverage_error, labels",
    ("judges", "remarks lost"): "two gold labels",
    ("folds", "remarks lost"): "folds of one value",
    ("row_lists", "limits flipped"): "back from JSON",
    ("checks", "limits flipped"): "doubts: gate of another threshold D117",
    ("odd_sources", "limits flipped"): "labels: spaces in front",
    ("objects", "limits flipped"): "a judged result, used",
}
"""The call from which on to look, where none of many before it notices."""
WITHOUT_LIMITS: Final = {("set_dropins", "limits flipped")}
"""The functions of other libraries have no limits."""


def noticing(group: str, sabotage: str) -> str | None:
    """The first call that notices a sabotage."""
    recorded, tolerance = store.read(group), tolerance_here(group)
    late = LATE.get((group, sabotage))
    for call in dropwhile(lambda call: late not in (None, call.id), calls_of(group)):
        with in_a_folder(), SABOTAGES[sabotage]():
            outcome = outcome_of(call.run)
        if compare(recorded[call.id], outcome, tolerance).differences:
            return call.id
    return None


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Rows and results that a sabotaged call kept are made again by the tests after it."""
    yield
    forget_rows()


@pytest.mark.parametrize("sabotage", SABOTAGES)
@pytest.mark.parametrize("group", GROUPS)
def test_a_sabotage_is_noticed(group: str, sabotage: str) -> None:
    is_noticed = noticing(group, sabotage) is not None
    assert is_noticed != ((group, sabotage) in WITHOUT_LIMITS)


def test_without_a_sabotage_nothing_is_noticed() -> None:
    SABOTAGES["nothing"] = in_a_folder
    try:
        assert noticing("set_dropins", "nothing") is None
    finally:
        del SABOTAGES["nothing"]
