"""Many threads on the same arrays, processes that are forked and spawned, and sub-interpreters."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import karat

RNG = np.random.default_rng(3)
N, K = 40_000, 6
TRUE = RNG.integers(0, K, N)
PRED = np.where(RNG.random(N) < 0.7, TRUE, RNG.integers(0, K, N))
PROB = RNG.dirichlet(np.ones(K), N)
WEIGHTS = RNG.random(N)


def everything(_: int = 0) -> dict[str, Any]:
    """Of labels, weights, scores, intervals, slices and a stream, as what can be compared."""
    labels = karat.evaluate(TRUE, PRED, weights=WEIGHTS, by={"half": TRUE % 2})
    scores = karat.evaluate(
        TRUE, y_prob=PROB, metrics=["log_loss", "roc_auc_ovr_macro", "mean_average_precision"]
    )
    stream = karat.Stream()
    for rows in np.array_split(np.arange(N), 7):
        stream.update(TRUE[rows], PRED[rows])
    return {
        "labels": labels.to_dict()["metrics"],
        "slices": [one["accuracy"].value for one in labels.slices["half"].values()],
        "scores": scores.to_dict()["metrics"],
        "stream": stream.report().macro_f1.value,
        "area": karat.roc_auc(TRUE == 0, y_score=PROB[:, 0], n_threads=2),
        "names": karat.accuracy(TRUE.astype(str), PRED.astype(str)),
    }


@pytest.fixture(scope="module")
def alone() -> dict[str, Any]:
    return everything()


def test_sixteen_threads_share_their_inputs(alone: dict[str, Any]) -> None:
    with ThreadPoolExecutor(16) as pool:
        for found in pool.map(everything, range(16)):
            assert found == alone


def test_another_answer_would_be_seen(alone: dict[str, Any]) -> None:
    assert {**alone, "area": np.nextafter(alone["area"], 2.0)} != alone


def test_threads_share_one_report(alone: dict[str, Any]) -> None:
    """What a report computes when it is asked is the same, whoever asks first."""
    report = karat.evaluate(TRUE, PRED, weights=WEIGHTS)
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda _: report.to_dict()["metrics"], range(16)))
    assert all(one == alone["labels"] for one in found)


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["rows", "weighted"])
def test_threads_share_one_report_of_scores(weights: Any) -> None:
    """Each begins with another metric, and its interval, that nobody has asked for before."""
    names = ["roc_auc", "average_precision", "ks_statistic", "brier", "max_f_beta", "log_loss"]

    def made() -> karat.Report:
        return karat.evaluate(TRUE == 0, y_prob=PROB[:, 0], weights=weights)

    def asked(report: karat.Report, first: int) -> dict[str, Any]:
        order = [*names[first:], *names[:first]]
        found = {name: (report[name].value, report[name].low, report[name].high) for name in order}
        return {name: found[name] for name in names} | {"json": report.to_json()}

    alone = asked(made(), 0)
    for _ in range(3):
        shared = made()
        with ThreadPoolExecutor(16) as pool:
            begun = [pool.submit(asked, shared, i % len(names)) for i in range(16)]
        assert all(each.result() == alone for each in begun)


@pytest.mark.parametrize("how", ["fork", "forkserver", "spawn"])
def test_other_processes_find_the_same(how: str, alone: dict[str, Any]) -> None:
    """Also those that are forked after threads were at work."""
    if how not in multiprocessing.get_all_start_methods():
        assert sys.platform == "win32"
        return
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(how)) as pool:
        for found in pool.map(everything, range(2)):
            assert found == alone


SUB = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
{first}
one = interpreters.create()
told = interpreters.run_string(one, '''
import karat
try:
    karat.accuracy([0, 1], [0, 1])
except ImportError as problem:
    assert "sub-interpreter" in str(problem) or "more than once" in str(problem), problem
else:
    raise AssertionError("it was not refused")
''')
assert told is None, told
interpreters.destroy(one)
import karat
assert karat.accuracy([0, 1, 1], [0, 1, 0]) == 2 / 3
print("alive")
"""


@pytest.mark.parametrize("first", ["", "import karat; karat.accuracy([0], [0])"])
def test_a_sub_interpreter_is_refused_and_the_main_one_lives(first: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SUB.format(first=first)],
        capture_output=True, check=False, text=True, timeout=120,
    )  # fmt: skip
    assert done.stdout == "alive\n", done.stderr[-3000:]
