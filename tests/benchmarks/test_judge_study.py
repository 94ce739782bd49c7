"""The study of judges: parts that run in other processes give the same figures."""

from __future__ import annotations

import pickle

from benchmarks.judge import measured, parts


def test_a_part_that_was_sent_to_another_process_measures_the_same() -> None:
    part = parts(8, 1)[0]
    here, there = measured(part)[0], measured(pickle.loads(pickle.dumps(part)))[0]
    assert here == there
    assert {"share of a class", "Rogan–Gladen"} <= {one.metric for one in here}
