"""The pins decide by ratios of pairs, and pass nothing over in silence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from benchmarks.pins import __main__ as command
from benchmarks.pins import table
from benchmarks.pins.answers import difference
from benchmarks.pins.ratios import FASTER, SLOWER, UNCLEAR, WITHIN, Ratio, ranks
from benchmarks.pins.sides import BASE, HEAD, Bench, CannotCompareError, Case, Pair
from benchmarks.pins.table import Outcome
from benchmarks.pins.trees import Tree

LIMIT = 1.1
NOWHERE = Tree("none", Path("nowhere"), Path("nowhere"))
CASE = Case("calls", "some call")


def pairs(times: float, noise: float, n: int = 15, seed: int = 0) -> list[tuple[float, float]]:
    """Costs of a base, and of a head that costs some times as much, both with noise."""
    rng = np.random.default_rng(seed)
    base, head = np.exp(rng.normal(0.0, noise, (2, n))) * 1e6
    return [(float(left), float(times * right)) for left, right in zip(base, head, strict=True)]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    ("times", "verdict"), [(1.2, SLOWER), (1.0, WITHIN), (1.02, WITHIN), (0.8, FASTER)]
)
def test_a_slowdown_of_20_percent_is_seen_and_noise_of_3_percent_is_not(
    times: float, verdict: str, seed: int
) -> None:
    assert Ratio.from_pairs(pairs(times, 0.03, seed=seed)).verdict(LIMIT, True) == verdict


def test_a_ratio_at_the_limit_is_unclear_and_so_is_much_noise() -> None:
    assert Ratio(1.09, 1.05, 1.13, 1.09, 45).verdict(LIMIT, True) == UNCLEAR
    assert Ratio(1.12, 0.98, 1.3, 1.1, 45).verdict(LIMIT, True) == UNCLEAR
    assert Ratio(1.12, 1.01, 1.3, 1.1, 45).verdict(LIMIT, True) == SLOWER
    assert Ratio(1.12, 1.01, 1.3, 1.1, 45).verdict(1.2, True) == UNCLEAR
    assert Ratio.from_pairs(pairs(1.0, 0.8)).verdict(LIMIT, True) == UNCLEAR


def test_before_the_last_look_the_whole_interval_decides() -> None:
    assert Ratio(1.12, 1.01, 1.3, 1.1, 15).verdict(LIMIT, False) == UNCLEAR
    assert Ratio(1.2, 1.11, 1.3, 1.2, 15).verdict(LIMIT, False) == SLOWER
    assert Ratio(1.05, 1.01, 1.09, 1.0, 15).verdict(LIMIT, False) == WITHIN
    assert Ratio(0.85, 0.8, 1.02, 0.9, 15).verdict(LIMIT, False) == WITHIN
    assert Ratio(0.85, 0.8, 0.98, 0.9, 15).verdict(LIMIT, False) == FASTER


def test_a_few_wild_pairs_change_no_verdict() -> None:
    wild = pairs(1.0, 0.01)
    wild[:2] = [(1e6, 9e6)] * 2
    assert Ratio.from_pairs(wild).verdict(LIMIT, False) == WITHIN


def test_the_ratio_is_the_head_over_the_base() -> None:
    ratio = Ratio.from_pairs([(2.0, 1.0), (4.0, 8.0), (1.0, 4.0), (1.0, 3.0), (5.0, 5.0)])
    assert ratio == Ratio(middle=2.0, low=0.5, high=4.0, least=1.0, n_pairs=5)


@pytest.mark.parametrize(
    ("n", "expected"), [(5, (0, 4)), (10, (0, 8)), (15, (1, 12)), (45, (11, 30))]
)
def test_the_ranks_are_those_of_the_sign_test(n: int, expected: tuple[int, int]) -> None:
    assert ranks(n) == expected


def test_the_interval_covers_the_median_of_skewed_ratios() -> None:
    rng = np.random.default_rng(1)
    low, high = ranks(15)
    samples = np.sort(rng.exponential(size=(4000, 15)), axis=1)
    below, above = samples[:, low] > np.log(2.0), samples[:, high] < np.log(2.0)
    # By the binomial distribution 0.05 % and 0.37 %.
    assert below.mean() <= 0.002
    assert 0.001 <= above.mean() <= 0.008


@pytest.mark.parametrize(
    ("base", "head", "words"),
    [
        ({"f1": [0.5, 1]}, {"f1": [0.5 + 1e-9, 1]}, "answer['f1'][0]: 0.5 in BASE, 0.500000001"),
        ({"f1": 0.5}, {"kappa": 0.5}, "answer: names ['f1'] in BASE, ['kappa'] in HEAD"),
        ([1, 2], [1], "answer: 2 values in BASE, 1 in HEAD"),
        (1, 1.0, "answer: 1 in BASE, 1.0 in HEAD"),
        (0.0, None, "answer: 0.0 in BASE, None in HEAD"),
        ("PASS", "FAIL", "answer: 'PASS' in BASE"),
        (float("nan"), 0.0, "answer: nan in BASE"),
    ],
)
def test_answers_that_differ_are_shown(base: object, head: object, words: str) -> None:
    assert difference(base, head).startswith(words)


def test_answers_that_differ_by_rounding_are_the_same() -> None:
    answer = {"a": [1.0, None, True, "x", float("nan")], "b": {"c": 3}}
    other = {"a": [1.0 + 2e-16, None, True, "x", float("nan")], "b": {"c": 3}}
    assert difference(answer, other) == ""


def test_an_unclear_case_has_one_more_look(monkeypatch: pytest.MonkeyPatch) -> None:
    def stream(costs: list[tuple[float, float]]) -> Iterator[Pair]:
        for base, head in costs:
            yield Pair({"cpu": base, "wall": base}, {"cpu": head, "wall": 2.0 * head})

    def outcome(costs: list[tuple[float, float]]) -> Outcome:
        monkeypatch.setattr(Bench, "pairs", lambda bench, case: stream(costs))
        return command.measured(Bench(NOWHERE, NOWHERE, Path()), CASE, (15, 45), LIMIT)

    calm, wild = pairs(1.0, 0.01, n=60), pairs(1.0, 0.8, n=15)
    clear, late, never = outcome(calm), outcome(wild + calm), outcome(wild * 4)
    assert clear.ratio is not None
    assert late.ratio is not None
    assert never.ratio is not None
    assert (clear.verdict, clear.ratio.n_pairs) == (WITHIN, 15)
    assert clear.wall == pytest.approx(2.0, rel=0.02)
    assert late.verdict == WITHIN
    assert late.ratio.n_pairs == 45
    assert (never.verdict, never.ratio.n_pairs) == (UNCLEAR, 45)


@pytest.mark.parametrize(
    ("side", "verdict", "code"),
    [(BASE, table.NOT_IN_BASE, 3), (HEAD, table.FAILS, 1), ("", table.DIFFERS, 1)],
)
def test_a_case_that_cannot_be_compared_is_reported(
    side: str, verdict: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(bench: Bench, case: Case) -> Iterator[Pair]:
        raise CannotCompareError(side, "what\nis | wrong")
        yield

    monkeypatch.setattr(Bench, "pairs", refused)
    outcome = command.measured(Bench(NOWHERE, NOWHERE, Path()), CASE, (15, 45), LIMIT)
    assert outcome.verdict == verdict
    assert outcome.row().endswith(f"**{verdict}**: what is \\| wrong |")
    assert table.exit_code([Outcome("fine", WITHIN), outcome]) == code
    assert f"1 {verdict}" in table.summary([outcome])


def test_failures_come_before_what_is_unclear() -> None:
    within, unclear, slower = (Outcome("", verdict) for verdict in (WITHIN, UNCLEAR, SLOWER))
    assert table.exit_code([within, Outcome("", FASTER)]) == 0
    assert table.exit_code([within, unclear]) == 3
    assert table.exit_code([unclear, slower]) == 1


def test_the_row_shows_costs_ratio_and_verdict() -> None:
    ratio = Ratio(1.25, 1.2, 1.31, 1.24, 15)
    time = Outcome("f1", SLOWER, base=2e6, head=2.5e6, ratio=ratio, wall=1.3)
    cells = "| f1 | 2 ms | 2.5 ms | 1.250 | 1.200 to 1.310 | 1.240 | 1.300 | 15 | **slower** |"
    assert time.row() == cells
    assert len(cells.split("|")) == len(table.HEADER[0].split("|"))
    peak = Outcome("f1", WITHIN, unit="bytes", base=2e8, head=2.1e8, ratio=ratio, wall=1.3)
    assert "| 200.0 MB | 210.0 MB |" in peak.row()
    assert "+25.0% (f1)" in table.summary([time])


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["HEAD", "--pairs", "9"], "--pairs is at least 10"),
        (["HEAD", "--limit", "0.1"], "--limit is a ratio above 1"),
        (["HEAD", "--cases", "nosuch"], "no case has 'nosuch' in its name"),
    ],
)
def test_what_cannot_be_run_is_refused(
    words: list[str],
    reason: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(command, "commit_tree", lambda commit: NOWHERE)
    monkeypatch.setattr(command, "working_tree", lambda: NOWHERE)
    monkeypatch.setattr(Bench, "cases", lambda bench: [CASE])
    with pytest.raises(SystemExit) as ended:
        command.main(words)
    assert ended.value.code == 2
    assert reason in capsys.readouterr().err


def test_the_table_is_printed_and_written_where_that_is_wanted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured(bench: Bench, case: Case, looks: tuple[int, ...], limit: float) -> Outcome:
        return Outcome(case.name, SLOWER, f"{looks} pairs, {limit}")

    monkeypatch.setattr(command, "commit_tree", lambda commit: NOWHERE)
    monkeypatch.setattr(Bench, "cases", lambda bench: [CASE, Case("starts", "import")])
    monkeypatch.setattr(command, "measured", measured)
    assert command.main(["v1", "v2", "--cases", "some", "--out", str(tmp_path / "pins")]) == 1
    printed = capsys.readouterr().out
    assert "**slower**: (15, 45) pairs, 1.1" in printed
    assert "import" not in printed
    assert (tmp_path / "pins.md").read_text(encoding="utf-8") == printed
    (case,) = json.loads((tmp_path / "pins.json").read_text(encoding="utf-8"))["cases"]
    assert case["verdict"] == SLOWER
    command.main(["v1", "v2", "--quick"])
    assert "(10,) pairs" in capsys.readouterr().out
