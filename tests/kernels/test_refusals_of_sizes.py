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


ALL_ONE = """
import numpy as np
from karat import _native
for byte in (1, 2):
    labels = np.broadcast_to(np.array([byte], np.uint8).view(bool), (2**58,))
    for call in (
        lambda: _native.objective_rows(np.ones((3, 2)), labels, None, False, False, 1),
        lambda: _native.count_integers(labels, labels[:5], None, True, 1),
        lambda: _native.count_codes(labels, 0, None, labels[:5], 0, None, 2, None, True, 1),
    ):
        try:
            call()
        except ValueError as problem:
            assert "has" in str(problem), problem
        else:
            raise AssertionError("read")
    try:
        _native.encode_integers(labels)
    except (ValueError, MemoryError):
        pass
print("done")
"""


def test_a_row_of_more_classes_than_any_memory_holds_is_refused() -> None:
    made = subprocess.run(
        [sys.executable, "-c", VAST], capture_output=True, text=True, timeout=60, check=False
    )
    assert (made.returncode, made.stdout.strip()) == (0, "done")


NOTHING = """
import numpy as np
from karat import _native
none, counts, sums = np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0)
many = (1, 0, 0, 2**31, 1)
for found in (
    _native.resample_counts(counts, *many),
    _native.draw_totals(sums, None, False, False, *many),
    _native.draw_totals(sums, None, True, True, *many),
    _native.row_weights(0, False, *many),
    _native.row_weights(0, True, *many),
    _native.resample_clusters(none, none, None, 10**6, 0, False, *many),
    _native.resample_clusters(none, none, sums, 10**6, 0, True, *many),
):
    assert found.shape == (2**31, 0)
print("done")
"""


def test_replicates_of_nothing_are_made_at_once() -> None:
    found = subprocess.run(
        [sys.executable, "-c", NOTHING], capture_output=True, text=True, timeout=60, check=False
    )
    assert (found.returncode, found.stdout.strip()) == (0, "done"), found.stderr


def test_rows_that_are_all_one_are_looked_at_once() -> None:
    """Booleans of other bytes are refused after a look at each: of 2⁵⁸ rows with a stride of 0."""
    found = subprocess.run(
        [sys.executable, "-c", ALL_ONE], capture_output=True, text=True, timeout=60, check=False
    )
    assert (found.returncode, found.stdout.strip()) == (0, "done"), found.stderr
