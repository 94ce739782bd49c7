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


def test_former_names_of_losses_work_and_warn() -> None:
    with pytest.warns(
        DeprecationWarning, match=r"surprise is called negative_log_probability; .* 0\.3"
    ):
        sums = tally.Sums.of({"surprise": [1.0, 2.0]}, [0, 1], 2, ranks=[0, 1])
    assert sums.names == ("negative_log_probability",)
    with pytest.warns(DeprecationWarning, match="surprise"):
        assert sums.mean("surprise") == 1.5
    with pytest.warns(DeprecationWarning, match="places is called ranks"):
        assert sums.places is sums.ranks


def test_bytes_keep_the_former_names() -> None:
    sums = tally.Sums.of({"squared_error": [1.0], "margin": [0.0]}, [0], 2, ranks=[0])
    data = sums.to_bytes()
    assert b'"quadratic"' in data
    assert b'"places"' in data
    assert b"squared_error" not in data
    assert tally.Sums.from_bytes(data).names == sums.names
