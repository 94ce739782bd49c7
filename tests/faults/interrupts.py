"""Ctrl-C while something long runs: it ends soon, as KeyboardInterrupt and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import Final

from tests.faults.children import ROOT
from tests.heeding import heeding_interrupts

__all__ = ["WORK", "interrupted"]

_CHILD: Final = """
import sys, time, warnings
import numpy as np
import karat
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
n = {n}
{setup}
def work():
    {work}
print("ready", flush=True)
try:
    while True:
        work()
except KeyboardInterrupt:
    print(time.monotonic(), flush=True)
    sys.exit(130)
"""

_MANY_REPLICATES = "karat.Interval(method='bootstrap', n_replicates=2000)"
_SCORES: Final = "s = rng.random(n); y = (rng.random(n) < s).astype(np.int8)"
_MANY: Final = "p = rng.random((n, 10)); p /= p.sum(axis=1, keepdims=True); y = np.arange(n) % 10"

WORK: Final[dict[str, tuple[int, str, str]]] = {
    "counting labels": (
        100_000_000,
        "y = np.resize(np.arange(5, dtype=np.uint8), n)",
        "karat.confusion_matrix(y, y[::-1])",
    ),
    "encoding text": (
        2_000_000,
        "y = np.resize(np.array(['ant', 'bee', 'cat']), n)",
        "karat.accuracy(y, y[::-1])",
    ),
    "sorting scores": (8_000_000, _SCORES, "karat.roc_auc(y, y_score=s)"),
    "losses of probabilities": (3_000_000, _MANY, "karat.log_loss(y, y_prob=p)"),
    "a report with intervals": (400_000, _SCORES, "karat.evaluate(y, y_prob=s)"),
    "replicates of clusters": (
        200_000,
        f"{_SCORES}; c = np.arange(n) // 10; many = {_MANY_REPLICATES}",
        "karat.evaluate(y, y_prob=s, clusters=c, interval=many)",
    ),
    "a comparison by permutations": (
        200_000,
        f"{_SCORES}; b = rng.random(n)",
        "karat.compare(y, y_prob={'a': s, 'b': b}, metrics=['roc_auc'])",
    ),
    "a gradient": (3_000_000, _MANY, "karat.objectives.multiclass(p, y)"),
    "a stream": (1_000_000, _SCORES, "t = karat.Stream(); t.update(y, y_prob=s); t.report()"),
    "a query": (
        0,
        "",
        "karat.evaluate('SELECT range % 3 AS label, range % 2 AS pred FROM range(99999999999)')",
    ),
}
"""What runs → rows, what is made first, and the call that is made again and again."""


def interrupted(name: str, after: float) -> float:
    """Seconds from Ctrl-C to KeyboardInterrupt, so many seconds after the work began."""
    n, setup, work = WORK[name]
    with heeding_interrupts():
        child = subprocess.Popen(
            [sys.executable, "-c", _CHILD.format(n=n, setup=setup, work=work)],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "KARAT_NUM_THREADS": "2"},
        )  # fmt: skip
    with child as run:
        assert run.stdout is not None
        assert run.stderr is not None
        if run.stdout.readline().strip() != b"ready":
            raise AssertionError(run.stderr.read().decode()[-2000:])
        time.sleep(after)
        start = time.monotonic()
        run.send_signal(signal.SIGINT)
        try:
            out, err = run.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            # Else the end of this block would wait for it.
            run.kill()
            raise
    assert run.returncode == 130, (name, run.returncode, err.decode()[-2000:])
    return float(out) - start
