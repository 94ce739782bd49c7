"""Names of karat.tally that were others: each is an error that states the name of today."""

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
def test_an_old_name_is_an_error_that_states_the_new(old: str) -> None:
    new = RENAMED[old]
    with pytest.raises(AttributeError, match=f"karat.tally.{old} is called karat.tally.{new}$"):
        getattr(tally, old)
    assert old not in tally.__all__
    assert new in tally.__all__


def test_another_name_is_absent() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Ladders'"):
        tally.Ladders  # noqa: B018


def test_former_names_of_losses_are_errors() -> None:
    new = "surprise is called negative_log_probability"
    with pytest.raises(ValueError, match=new):
        tally.Sums.of({"surprise": [1.0, 2.0]}, [0, 1], 2, ranks=[0, 1])
    sums = tally.Sums.of({"negative_log_probability": [1.0, 2.0]}, [0, 1], 2, ranks=[0, 1])
    with pytest.raises(ValueError, match=new):
        sums.mean("surprise")
    with pytest.raises(AttributeError, match="places is called ranks"):
        sums.places  # noqa: B018


def test_bytes_keep_the_former_names() -> None:
    sums = tally.Sums.of({"squared_error": [1.0], "margin": [0.0]}, [0], 2, ranks=[0])
    data = sums.to_bytes()
    assert b'"quadratic"' in data
    assert b'"places"' in data
    assert b"squared_error" not in data
    assert tally.Sums.from_bytes(data).names == sums.names
