"""Threads: the pool, the GIL, forks, interrupts and the number of threads."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from karat import _native
from tests.kernels.columns import arrays_of
from tests.same import assert_same

N = 600_000


def run_python(code: str, **environment: str) -> str:
    """What a fresh interpreter prints; it must end well within its time."""
    done = subprocess.run(
        [sys.executable, "-c", "import numpy as np\nfrom karat import _native\n" + code],
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_threads_of_python_count_at_the_same_time() -> None:
    rng = np.random.default_rng(0)
    true, pred, weights = rng.integers(0, 30, N), rng.integers(0, 30, N), rng.random(N)
    expected = _native.count_integers(true, pred, weights, True, 1)
    assert expected is not None
    made: list[Any] = []

    def count() -> None:
        made.extend(_native.count_integers(true, pred, weights, True, 3) for _ in range(5))

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 20
    for tally in made:
        for got, want in zip(arrays_of(tally), arrays_of(expected), strict=True):
            assert_same(got, want)


def test_threads_of_python_read_scores_at_the_same_time() -> None:
    rng = np.random.default_rng(0)
    scores, codes = rng.normal(size=(60_000, 10)), rng.integers(0, 10, 60_000).astype(np.int32)
    want = _native.read_scores(scores, codes, 10, None, False, 0.0, 15, 1)
    made: list[Any] = []

    def read() -> None:
        made.extend(_native.read_scores(scores, codes, 10, None, False, 0.0, 15, 3) for _ in "abc")

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 12
    for sums in made:
        assert_same(sums.w_loss, want.w_loss)
        assert_same(sums.w2_loss2, want.w2_loss2)


def test_one_encoder_serves_several_threads() -> None:
    texts = np.array([f"label {i % 999}" for i in range(50_000)])
    array = texts.view(np.uint32).reshape(len(texts), -1)
    encoder = _native.TextEncoder()
    made: list[Any] = []
    threads = [
        threading.Thread(target=lambda: made.append(encoder.encode_ucs4(array))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(encoder) == 999
    for codes in made:
        assert_same(np.array(encoder.labels())[codes], texts)


@pytest.fixture
def no_switching() -> Iterator[None]:
    """Python threads change places only when one gives up the GIL by itself."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(100.0)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("no_switching")
def test_other_python_threads_run_meanwhile() -> None:
    labels = np.zeros(200_000_000, np.uint8)
    started, done = threading.Event(), threading.Event()
    ticks = 0

    def count() -> None:
        started.set()
        _native.count_integers(labels, labels, None, True, 1)
        done.set()

    thread = threading.Thread(target=count)
    thread.start()
    started.wait()
    while not done.is_set():
        ticks += 1
        time.sleep(0.0001)  # the thread needs the GIL to end
    thread.join()
    assert ticks > 2


def test_a_forked_child_counts_with_threads_of_its_own() -> None:
    code = """
import os, threading
labels = np.arange(900_000) % 7
want = _native.count_integers(labels, labels, None, True, 2).cells()
children = []
for _ in range(3):
    child = os.fork()
    if child == 0:
        got = _native.count_integers(labels, labels, None, True, 2).cells()
        os._exit(0 if (got == want).all() else 1)
    children.append(child)
codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
print(codes)
"""
    assert run_python(code) == "[0, 0, 0]"


def test_a_forked_child_reads_scores_with_threads_of_its_own() -> None:
    code = """
import os
scores = np.random.default_rng(0).normal(size=(60_000, 10))
codes = (np.arange(60_000) % 7).astype(np.int32)
read = lambda n: _native.read_scores(scores, codes, 10, None, False, 0.0, 15, n).w_loss
want = read(2)
child = os.fork()
if child == 0:
    os._exit(0 if (read(2) == want).all() and (read(1) == want).all() else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert run_python(code) == "0"


THREADS_STARTED = """
import os
labels = np.arange(1_500_000) % 7
before = len(os.listdir("/proc/self/task"))
_native.count_integers(labels, labels, {weights}, True, {n_threads})
print(len(os.listdir("/proc/self/task")) - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads are counted in /proc")
@pytest.mark.parametrize("weights", ["None", "np.ones(1_500_000)"])
@pytest.mark.parametrize(
    ("n_threads", "wished", "started"), [(3, "9", 2), (0, "4", 3), (1, "9", 0)]
)
def test_as_many_threads_as_asked_for(
    n_threads: int, wished: str, started: int, weights: str
) -> None:
    code = THREADS_STARTED.format(n_threads=n_threads, weights=weights)
    assert run_python(code, KARAT_NUM_THREADS=wished) == str(started)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads are counted in /proc")
def test_a_small_call_starts_no_thread() -> None:
    code = THREADS_STARTED.format(n_threads=4, weights="None").replace("1_500_000", "100_000")
    assert run_python(code) == "0"


def test_the_environment_chooses_the_instruction_set() -> None:
    for isa in _native.isas():
        assert run_python("print(_native.isa())", KARAT_ISA=isa) == isa
    with pytest.raises(AssertionError, match="not usable here"):
        run_python("print(_native.isa())", KARAT_ISA="mmx")


INTERRUPTED = """
import signal, time
labels = np.zeros(1 << 29, np.uint8)
def count():
    start = time.perf_counter()
    _native.count_integers(labels, labels, None, True, {n_threads})
    return time.perf_counter() - start
def stop(*_):
    raise KeyboardInterrupt
whole = count()
signal.signal(signal.SIGALRM, stop)
signal.setitimer(signal.ITIMER_REAL, whole / 20)
start = time.perf_counter()
try:
    count()
except KeyboardInterrupt:
    print(time.perf_counter() - start < whole / 2)
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_interrupt_ends_a_long_count(n_threads: int) -> None:
    start = time.perf_counter()
    assert run_python(INTERRUPTED.format(n_threads=n_threads)) == "True"
    assert time.perf_counter() - start < 60


AT_WORK = """
import threading, time, karat
rng = np.random.default_rng(0)
y, s = rng.integers(0, 2, 700_000), rng.random(700_000)
def work():
    while True:
        karat.roc_auc(y, y_score=s, n_threads=2)
        karat.log_loss(y, y_prob=s, n_threads=2)
threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
"""


@pytest.mark.parametrize("_", range(3))
def test_an_interpreter_ends_while_a_thread_that_nobody_waits_for_is_at_work(_: int) -> None:
    run_python(AT_WORK)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_does_not_wait_for_work_of_threads_that_it_has_not() -> None:
    code = """
import os, sys, warnings
warnings.simplefilter("ignore")
for _ in range(20):
    child = os.fork()
    if child == 0:
        sys.exit(3)  # runs what is to run at exit
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
    time.sleep(0.003)
"""
    run_python(AT_WORK + code)
