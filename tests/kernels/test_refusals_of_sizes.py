"""Arrays that say they are larger than memory: of one item, with strides of nothing."""

from __future__ import annotations

import subprocess
import sys

# k · (k + 2) is 2⁶⁴ · j and little more: memory for little more would be there.
VAST = """
import numpy as np
from karat import _native
for k in (2**28 + 1, 2**40, 733006353747):
    try:
        _native.objective_row(np.broadcast_to(0.5, (k,)), 0, 1.0, False)
    except ValueError as problem:
        assert "fits no memory" in str(problem)
print("done")
"""


def test_a_row_of_more_classes_than_any_memory_holds_is_refused() -> None:
    made = subprocess.run(
        [sys.executable, "-c", VAST], capture_output=True, text=True, timeout=60, check=False
    )
    assert (made.returncode, made.stdout.strip()) == (0, "done")
