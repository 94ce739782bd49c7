"""A spread takes the memory of the sorted column; influences a few bytes a row and metric more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

PROGRAM = """
import sys
from pathlib import Path

import numpy as np

def kb(name):
    return int(Path("/proc/self/status").read_text().split(name)[1].split()[0])

from karat.data.scores.rows import tally_scores
from karat.data.scores.containers import as_scores
from karat.metrics import parse
from karat.metrics._influence.gather import influences
from karat.inference.influence_variance import InfluenceVariances
from karat.metrics._measure import measure

def spreads(rows, metrics):
    found = InfluenceVariances(rows, metrics)
    measure(rows, metrics, beside=found)
    return found.found()

call = {"spread": spreads, "influence": influences}[sys.argv[2]]
metrics = [parse(name) for name in sys.argv[3].split(",")]
y, scores = (np.load(Path(sys.argv[1]) / f"{name}.npy") for name in ("y", "scores"))

def rows(n):
    return tally_scores(y[:n], as_scores(scores[:n], "y_prob"), n_threads=1)

# What is imported when it is first needed is no memory of the rows.
call(rows(5000), metrics)
tallied = rows(len(y))
before = kb("VmRSS:")
found = call(tallied, metrics)
print((kb("VmHWM:") - before) * 1024 / len(y))
"""
N = 2_000_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("rows")
    rng = np.random.default_rng(0)
    scores = rng.random((N, 2), dtype=np.float32)
    scores /= scores.sum(axis=1, keepdims=True)
    np.save(made / "y.npy", rng.integers(0, 2, N).astype(np.int32))
    np.save(made / "scores.npy", scores)
    return made


def bytes_a_row(folder: Path, call: str, names: str) -> float:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder), call, names],
        capture_output=True,
        check=True,
        text=True,
    )
    return float(run.stdout)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
@pytest.mark.parametrize(
    ("call", "names", "most"),
    [
        # 4 of the words, 4 more while they are sorted, 8 of a copy of the two columns.
        ("spread", "roc_auc,average_precision", 18),
        ("spread", "log_loss,brier,d2_brier,hinge_loss", 4),
        ("influence", "log_loss,d2_brier", 20),
        # 8 of the words, 8 of what is added up, 8 of the influence, for two areas.
        ("influence", "roc_auc,average_precision", 44),
    ],
)
def test_bytes_a_row(folder: Path, call: str, names: str, most: float) -> None:
    assert bytes_a_row(folder, call, names) < most


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_what_holds_more_is_noticed(folder: Path) -> None:
    names = ",".join(f"{average}_{name}" for average in ("macro", "weighted")
                     for name in ("roc_auc", "average_precision"))  # fmt: skip
    assert bytes_a_row(folder, "influence", names) > 44
