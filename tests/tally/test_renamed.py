"""Names of karat.tally that were others: they work, and say what they are called now."""

from __future__ import annotations

import pytest

from karat import tally

RENAMED = {
    "Ladder": "CumulativeCounts",
    "RungSource": "LevelSource",
    "Rungs": "ScoreLevels",
    "ScoreTable": "ScoreHistogram",
    "ScoredTables": "ScoreHistograms",
    "TableColumn": "HistogramColumn",
    "TabledRows": "HistogramRows",
}


@pytest.mark.parametrize("old", RENAMED)
def test_an_old_name_works_and_warns(old: str) -> None:
    new = RENAMED[old]
    with pytest.warns(DeprecationWarning, match=f"{old} is called karat.tally.{new}; .* 0.3"):
        assert getattr(tally, old) is getattr(tally, new)
    assert old not in tally.__all__


def test_another_name_is_absent() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Ladders'"):
        tally.Ladders  # noqa: B018
