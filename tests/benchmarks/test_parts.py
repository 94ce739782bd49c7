"""The parts of the benchmark beside its cases: limits, threads, new processes, memory, curves."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.optional import optional

optional("sklearn")
optional("matplotlib")
optional("polars")
optional("psutil")

import karat  # noqa: E402
from benchmarks import cold, docs_page, limits, peaks, render, scaling, threads  # noqa: E402
from benchmarks.__main__ import rows_beside  # noqa: E402
from benchmarks.case import KARAT, PEER, Goal, Row  # noqa: E402
from benchmarks.page import Page  # noqa: E402
from benchmarks.timing import Time  # noqa: E402


def test_the_limit_of_reading_touches_every_word() -> None:
    words = np.arange(10, dtype=np.int64)
    assert limits.read_once(words, words[::-1].copy())() == [9, 9]
    assert limits.read_once(np.asfortranarray(words.reshape(5, 2)))() == [9]


def test_the_limit_of_sorting_sorts() -> None:
    keys = np.array([3.0, 1.0, 2.0])
    assert np.asarray(limits.sort_once(keys)()).tolist() == [1.0, 2.0, 3.0]
    assert keys.tolist() == [3.0, 1.0, 2.0]


def test_threads_without_free_cores_get_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    y = np.arange(100) % 3
    monkeypatch.setattr(threads, "CASES", {"few": lambda: lambda n: karat.accuracy(y, y)})
    monkeypatch.setattr(threads, "counts", lambda: (1, 2))
    monkeypatch.setattr(threads, "free_cores", lambda most: 1.2)
    found = threads.measure(n_rounds=2, n_tries=2)
    assert found[0].seconds == []
    assert "the cores were busy" in render.markdown_threads(found)[-1]
    assert scaling.figure_of_threads(found) is None
    monkeypatch.setattr(threads, "free_cores", lambda most: 1.97)
    found = threads.measure(n_rounds=2, n_tries=2)
    assert found[0].ratios[0] == 1
    assert found[0].ratios[1] > 0
    assert "times as fast" in str(scaling.figure_of_threads(found))


def test_threads_that_change_the_answer_get_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "CASES", {"wrong": lambda: lambda n: 1.0 + n * 2.0**-52})
    (found,) = threads.measure(n_rounds=1, n_tries=1)
    assert found.disagreement is not None
    assert found.seconds == []
    assert Page({}, threads=[found]).n_differing == 1


def test_two_threads_are_measured_on_every_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for cores, expected in ((1, (1, 2)), (2, (1, 2)), (6, (1, 2, 4)), (8, (1, 2, 4, 8))):
        monkeypatch.setattr(threads.os, "cpu_count", lambda cores=cores: cores)
        assert threads.counts() == expected


@pytest.mark.parametrize("name", threads.CASES)
def test_every_case_of_threads_names_what_it_computes(name: str) -> None:
    assert name.count("n=1e") == 1


def test_new_processes_are_timed() -> None:
    optional("duckdb")
    starts = cold.measure(n_rounds=1, n_rows=1000)
    told = {start.name: start for start in starts}
    assert told["import numpy"].wall_seconds > told["bare Python"].wall_seconds / 2
    assert told["karat --help"].beyond == "bare Python"
    assert {"import numpy, karat", "karat --help", "karat report, 1e3 labels, CSV"} < set(told)
    lines = render.markdown_starts(starts)
    assert len(lines) == 5 + len(starts)


def test_memory_beyond_the_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    told = peaks._told("log-loss, float64, n=1e4, K=10", KARAT)
    assert told["input_bytes"] == 10_000 * 11 * 8
    assert 0 <= told["peak_bytes"] < 50_000_000
    answers = {KARAT: 1.0, PEER: 1.1}

    def wrong(name: str, side: str) -> dict[str, object]:
        return {"answer": answers[side], "input_bytes": 1, "peak_bytes": 1, "wall_seconds": 1.0}

    monkeypatch.setattr(peaks, "_told", wrong)
    (peak,) = peaks.measure(("any",))
    assert peak.disagreement is not None
    assert peak.peak_bytes == {}
    assert "MB" not in render.markdown_array_peaks([peak])[-1]


def test_curves_are_measured_written_and_drawn() -> None:
    from benchmarks.cases import labels

    found = scaling.curve("confusion", "rows", (100, 1000), lambda n: labels.confusion(n, 5), 100)
    assert found.nanoseconds[PEER][1] is None
    assert all(time and time > 0 for time in found.nanoseconds[KARAT])
    table = scaling.markdown([found])
    assert len([line for line in table if line.startswith("| confusion |")]) == 2
    (drawing,) = scaling.figures([found]).values()
    assert "<svg" in drawing
    assert "confusion" in drawing


def test_a_curve_of_other_answers_has_no_times() -> None:
    wrong = scaling.curve("wrong", "rows", (10,), lambda n: {KARAT: lambda: 1, PEER: lambda: 2})
    assert wrong.nanoseconds == {}
    assert "no figure" in "".join(scaling.markdown([wrong]))
    assert scaling.figures([wrong]) == {}


def test_a_process_of_a_peer_tells_its_rows(tmp_path: Path) -> None:
    rows = list(rows_beside(PEER, "small: accuracy, n=100"))
    assert [row.name for row in rows] == ["small: accuracy, n=1000", "small: accuracy, n=100"]
    page = Page({"date": "2026-01-01", "numpy": "2"}, rows)
    written = render.write(tmp_path, page)
    assert written.name == "2026-01-01.md"
    told = json.loads((tmp_path / "2026-01-01.json").read_text())
    assert [case["name"] for case in told["cases"]] == [row.name for row in rows]
    assert "## Comparison with scikit-learn" in written.read_text()
    assert Page.from_json(told).to_json() == told


def test_a_part_that_is_measured_again_replaces_its_own() -> None:
    def row(name: str, karat_ns: float) -> Row:
        return Row(name, Goal(), {KARAT: Time(karat_ns, 1, 1), PEER: Time(100, 1, 1)})

    facts = {"numpy": "2", "one core reads": "30 GB/s"}
    before = Page(
        facts, [row("a", 1), row("b", 2)], threads=[threads.Shared("t", [1, 2], [1.0, 0.5], 2.0)]
    )
    again = Page({**facts, "one core reads": "29 GB/s"}, [row("b", 4), row("c", 5)])
    again.keep(before)
    assert [(each.name, each.microseconds) for each in again.rows] == [
        ("a", 0.001), ("b", 0.004), ("c", 0.005),
    ]  # fmt: skip
    assert again.threads == before.threads
    with pytest.raises(ValueError, match="another numpy"):
        Page({"numpy": "3"}).keep(before)


def test_results_are_written_into_a_page(tmp_path: Path) -> None:
    page = tmp_path / "speed.md"
    page.write_text(f"# Speed\n\nWords.\n\n{docs_page.MARK}\nold\n")
    rows = [Row("confusion", Goal(), {KARAT: Time(10, 1, 1), PEER: Time(1000, 1, 1)})]
    curve = scaling.Curve("counts", "rows", (1, 10), {KARAT: [1.0, 2.0], PEER: [5.0, None]})
    for _ in range(2):
        docs_page.refresh(page, Page({"date": "2026-01-01"}, rows, curves=[curve]))
    text = page.read_text()
    assert text.startswith("# Speed\n\nWords.")
    assert "old" not in text
    assert text.count("| 1 | 100x | 100x | confusion |") == 1
    assert "](speed/rows.svg)" in text
    assert "<svg" in (tmp_path / "speed" / "rows.svg").read_text()
    page.write_text("no mark")
    with pytest.raises(ValueError, match="no line"):
        docs_page.refresh(page, Page({"date": "2026-01-01"}))


def test_the_page_of_docs_hides_no_floor_and_no_difference(tmp_path: Path) -> None:
    page = tmp_path / "speed.md"
    page.write_text(docs_page.MARK)
    times = {KARAT: Time(10, 1, 1), PEER: Time(1000, 1, 1)}
    rows = [
        Row("slow", Goal(200, 300), times),
        Row("fast", Goal(50, 300), times),
        Row("wrong", Goal(50), {}, "karat and scikit-learn differ by up to 1"),
    ]
    result = Page({"date": "2026-01-01"}, rows)
    docs_page.refresh(page, result)
    text = page.read_text()
    assert "1 of 3 floors met" in text
    assert "1 answers differ" in text
    assert "Below their floor: slow (scikit-learn); wrong (scikit-learn)." in text
    assert "| 3 | 100x | 100x | fast | 1 of 3 |" in text
    text = docs_page.every_case(result, tmp_path / "speed")
    assert "| 100x | 200x | 300x |  | **below floor** |" in text
    assert "| 100x | 50x | 300x |  | floor met |" in text
    assert "**no figure: karat and scikit-learn differ by up to 1**" in text


def test_a_start_that_noise_takes_below_nothing_is_told_so() -> None:
    start = cold.Start("import numpy, karat", 0.1, 0.1, "import numpy", 0.03, -0.0074)
    assert "−7.4 ms (import numpy)" in render.markdown_starts([start])[-1]


def test_a_process_that_fails_is_told() -> None:
    with pytest.raises(RuntimeError, match="ended with status"):
        list(rows_beside("nobody", ""))


@pytest.mark.parametrize("name", threads.LIMITS)
def test_limits_of_threads_have_no_verdict(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "LIMITS", {name: threads.LIMITS[name]})
    monkeypatch.setattr(threads, "free_cores", lambda most: 2.0)
    monkeypatch.setattr(threads, "LEAST_S", 0.0)
    (found,) = threads.measure_limits(n_rounds=1, n_tries=1)
    assert found.is_limit
    assert found.ratios[1] > 0
    assert "below" not in render.markdown_threads([found])[-1]


def test_threads_of_the_limit_sort_every_key() -> None:
    calls = []
    call = threads._spread(calls.append, 2)
    assert (call(1), call(2)) == (0, 0)
    assert sorted(calls) == [0, 0, 1, 1]
