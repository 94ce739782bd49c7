"""Tables of repeated cross-validation: a doubt where it is not stated, none where it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from tests.cli.running import Karat, Ran


def table(n_repeats: int = 3, n: int = 60, name: str = "row") -> dict[str, Any]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    of_repeats = [rng.permutation(n) % 5 for _ in range(n_repeats)]
    n_rows = n * n_repeats
    return {
        name: np.tile(np.arange(n), n_repeats),
        "repeat": np.repeat(np.arange(n_repeats), n),
        "fold": np.concatenate(of_repeats),
        "y": np.tile(y, n_repeats),
        "lr": np.where(rng.random(n_rows) < 0.8, np.tile(y, n_repeats), 0),
    }


def written(folder: Path, rows: dict[str, Any]) -> Path:
    path = folder / "rows.csv"
    lines = [",".join(rows), *(",".join(map(str, row)) for row in zip(*rows.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n")
    return path


def codes(result: Any) -> list[str]:
    return [one.code for one in result.doubts]


ROLES = {"y_true": "y", "y_pred": "lr"}


def test_repeats_that_are_not_used_are_a_doubt_in_memory_and_in_files(tmp_path: Path) -> None:
    for data in (table(), written(tmp_path, table())):
        (found,) = karat.evaluate(data, **ROLES).doubts
        assert found.code == "D160"
        assert "'fold', 'repeat'" in found.evidence
        assert "design=karat.Folds()" in found.option
        assert "ids='NAME'" in found.option
        assert codes(karat.check(data, **ROLES)) == ["D160"]


def test_the_doubt_names_the_ids_that_it_knows() -> None:
    doubts = {one.code: one for one in karat.evaluate(table(name="id"), **ROLES).doubts}
    assert "ids='id'" in doubts["D160"].option


@pytest.mark.parametrize(
    "settled",
    [
        {"clusters": ""},
        {"clusters": "row"},
        {"clusters": "row", "design": karat.Folds()},
        {"ids": "row", "design": karat.Folds()},
        {"ids": "row", "design": karat.Folds("fold", repeat="repeat")},
    ],
)
def test_what_settles_the_doubt_and_no_false_alarm_about_ids(
    settled: dict[str, Any], tmp_path: Path
) -> None:
    for data in (table(), written(tmp_path, table())):
        assert codes(karat.evaluate(data, **ROLES, **settled)) == []


def test_one_repeat_or_no_fold_is_no_doubt() -> None:
    assert codes(karat.evaluate(table(1), **ROLES)) == []
    rows = table()
    del rows["fold"]
    assert codes(karat.evaluate(rows, **ROLES)) == []


def test_an_id_that_a_repeat_tests_twice_is_refused_and_without_folds_a_doubt() -> None:
    rows = table()
    rows["row"] = rows["row"].copy()
    rows["row"][1] = rows["row"][0]
    with pytest.raises(karat.errors.InputError) as caught:
        karat.evaluate(rows, **ROLES, ids="row", design=karat.Folds())
    assert caught.value.code == "K252"
    # The control: without the design repeated ids stay a doubt.
    assert "D105" in codes(karat.evaluate(rows, **ROLES, ids="row"))


def test_intervals_that_know_the_repeats_are_wider() -> None:
    rows = table(10)
    rows["lr"] = np.tile(rows["lr"][:60], 10)
    alone = karat.evaluate(rows, **ROLES)["accuracy"]
    known = karat.evaluate(rows, **ROLES, ids="row", design=karat.Folds())["accuracy"]
    assert known.high - known.low > 2.0 * (alone.high - alone.low)


def test_the_head_lists_the_columns_of_repeats() -> None:
    report = karat.evaluate(table(), **ROLES, ids="row", design=karat.Folds())
    assert report.mapping["repeat"] == "repeat"
    assert "folds=fold, repeat=repeat" in str(report)
    again = karat.Report.from_json(report.to_json())
    assert again.mapping == report.mapping
    assert "repeat=" not in str(karat.evaluate(table(), **ROLES, clusters="row"))


def test_the_command_line_says_it_in_its_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    karat_of = Karat(capsys)
    path = str(written(tmp_path, table()))
    roles = ["--true", "y", "--pred", "lr"]
    plain = _joined(karat_of("report", path, *roles))
    assert "D160" in plain
    assert "--folds auto" in plain
    folds = ["--folds", "auto", "--ids", "row"]
    settled = _joined(karat_of("report", path, *roles, *folds))
    assert "D105" not in settled
    assert "folds=fold, repeat=repeat" in settled


def _joined(ran: Ran) -> str:
    return " ".join((ran.out + ran.err).split())
