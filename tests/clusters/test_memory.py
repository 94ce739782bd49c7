"""Memory of a task: what docs/clusters.md says of it, in multiples of `max_memory`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.tracked import ROOT

PROGRAM = """
import sys
from dataclasses import replace
from pathlib import Path
import numpy as np, pandas as pd
from karat.data.sources.distributed.partials import Partial
from karat.data.sources.distributed.partitions import Reading, merge_bytes, tally_partition

def kb(name):
    return int(Path("/proc/self/status").read_text().split(name + ":")[1].split()[0])

def block(n, seed):
    rng = np.random.default_rng(seed)
    values = rng.random((k, n))
    values /= values.sum(axis=0)
    table = pd.DataFrame(values.T, columns=names, copy=False)
    table["label"] = rng.integers(0, k, n)
    return table

k, max_memory = int(sys.argv[1]), int(sys.argv[2])
names = [f"p{i}" for i in range(k)]
columns = ("p1",) if k == 2 else tuple(names)
reading = Reading(
    {"true": "label"}, "rows", columns, labels=tuple(range(k)), max_memory=max_memory
)
rows = 4 * max_memory // (8 * len(columns) + 8)
tally_partition([block(1000, 0)], 0, reading)
before = kb("VmRSS")
whole = tally_partition((block(10_000, seed) for seed in range(rows // 10_000)), 0, reading)
assert whole.problem is None and whole.tallies.scores.histograms is not None
counting = kb("VmHWM") - before
parts = [replace(whole, partitions=((i, i),)).to_bytes() for i in range(8)]
del whole
Path("/proc/self/clear_refs").write_text("5")
before = kb("VmRSS")
assert len(merge_bytes(parts, reading)) == 1
merging = kb("VmHWM") - before
print(counting * 1024 / max_memory, merging * 1024 / max_memory, len(parts[0]) / max_memory)
"""
MAX_MEMORY = 48 << 20


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs /proc")
@pytest.mark.parametrize("k", [2, 20])
def test_a_task_takes_no_more_memory_than_the_page_says(k: int) -> None:
    page = (ROOT / "docs" / "clusters.md").read_text(encoding="utf-8")
    (said,) = re.findall(
        r"up to ([\d.]+) × `max_memory`\s+while it counts, up to ([\d.]+) × while it merges, "
        r"beside what it merges: partials\s+of up to ([\d.]+) ×",
        page,
    )
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(k), str(MAX_MEMORY)],
        capture_output=True,
        check=True,
        text=True,
    )
    found = [float(word) for word in run.stdout.split()]
    assert all(x <= float(most) for x, most in zip(found, said, strict=True)), (found, said)
