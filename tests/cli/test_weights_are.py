"""`--weights-are frequency`: weights that count rows, as `karat.Frequency` in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.api.request.record import Flag
from karat.api.request.request import all_options, flags_of
from karat.cli import options
from tests.cli.running import Karat

ROWS = {"label": [0, 0, 1, 1], "pred": [0, 1, 1, 0], "n": [30, 10, 50, 5], "group": list("abab")}
GIVEN = ("--weights", "n", "--positive", "1")


@pytest.fixture
def karat_(capsys: pytest.CaptureFixture[str]) -> Karat:
    return Karat(capsys)


def write(path: Path, **columns: list[Any]) -> str:
    rows = {**ROWS, **columns}
    lines = [",".join(rows), *(",".join(map(str, x)) for x in zip(*rows.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def plain(text: str) -> Any:
    return {name: part for name, part in json.loads(text).items() if name != "karat"}


def test_a_report_has_the_intervals_of_python(karat_: Karat, tmp_path: Path) -> None:
    path = write(tmp_path / "rows.csv")
    given = {"weights": karat.Frequency("n"), "positive": 1, "by": "group"}
    right = karat.evaluate(path, **given)
    repeated = [(t, p) for t, p, n, _ in zip(*ROWS.values(), strict=True) for _ in range(n)]
    rows = karat.evaluate(*map(list, zip(*repeated, strict=True)), positive=1)
    assert (right["recall"].low, right["recall"].high) == (rows["recall"].low, rows["recall"].high)
    command = ("report", path, *GIVEN, "--by", "group", "--format", "json")
    found = karat_(*command, "--weights-are", "frequency")
    assert found.code == 0
    assert plain(found.out) == plain(right.to_json())
    # Weights of importance give other limits, and a doubt that names the option.
    other = karat_(*command)
    assert plain(other.out) != plain(right.to_json())
    shown = karat_("report", path, *GIVEN)
    assert "--weights-are frequency" in shown.out
    assert "D128" in shown.out
    shown = karat_("report", path, *GIVEN, "--weights-are", "frequency")
    assert "D128" not in shown.out


def test_a_comparison_has_the_intervals_of_python(karat_: Karat, tmp_path: Path) -> None:
    paths = [write(tmp_path / "a.csv"), write(tmp_path / "b.csv", pred=[0, 0, 1, 1])]
    given = {"weights": karat.Frequency("n"), "positive": 1, "metrics": ["accuracy", "recall"]}
    sources = dict(zip("ab", paths, strict=True))
    right = karat.compare(sources, **given)
    command = ("compare", *paths, *GIVEN, "--metrics", "accuracy,recall", "--format", "json")
    found = karat_(*command, "--weights-are", "frequency")
    assert found.code == 0
    differences = json.loads(right.to_json())["differences"]
    assert json.loads(found.out)["differences"] == differences
    assert json.loads(karat_(*command).out)["differences"] != differences


@pytest.mark.parametrize("command", ["report", "compare"])
def test_without_weights_it_is_refused(karat_: Karat, tmp_path: Path, command: str) -> None:
    paths = [write(tmp_path / f"{x}.csv") for x in ("ab" if command == "compare" else "a")]
    for weights in ((), ("--weights", "")):
        ran = karat_(command, *paths, *weights, "--weights-are", "frequency")
        assert ran.code == 2
        assert "K242  --weights-are frequency needs --weights." in ran.err
    # The default needs nothing.
    assert karat_(command, *paths, "--weights", "", "--weights-are", "importance").code == 0


def test_without_its_mark_it_is_not_refused(
    karat_: Karat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unmarked(command: str) -> Any:
        each = flags_of(command)
        return tuple((item, _without_need(flag)) for item, flag in each)

    monkeypatch.setattr(options, "flags_of", unmarked)
    path = write(tmp_path / "rows.csv")
    ran = karat_("report", path, "--weights", "", "--weights-are", "frequency")
    assert "K242" not in ran.err


def _without_need(flag: Flag) -> Flag:
    facts = {name: getattr(flag, name) for name in Flag.__slots__}
    return Flag(**{**facts, "needs": ""})


def test_weights_that_are_not_whole_are_refused(karat_: Karat, tmp_path: Path) -> None:
    path = write(tmp_path / "rows.csv", n=[0.5, 1, 2, 3])
    ran = karat_("report", path, *GIVEN, "--weights-are", "frequency")
    assert ran.code == 2
    assert "K150  --weights-are frequency does not fit the values of --weights." in ran.err


def test_rows_that_may_be_counts_name_the_option(karat_: Karat, tmp_path: Path) -> None:
    rows = {"label": [0, 0, 1, 1], "pred": [0, 1, 1, 0], "count": [30, 10, 50, 5]}
    lines = [",".join(rows), *(",".join(map(str, x)) for x in zip(*rows.values(), strict=True))]
    path = tmp_path / "counts.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    ran = karat_("report", path)
    advice = ("--weights", "count", "--weights-are", "frequency")
    assert " ".join(advice) in ran.err
    assert karat_("report", path, *advice).code == 0


def test_every_need_is_an_option_of_the_same_commands() -> None:
    for item in all_options().values():
        for flag in item.flags:
            for command in flag.commands.split() if flag.needs else ():
                assert flag.needs in {x.name for x, _ in flags_of(command)}
