"""Properties that are computed once hold no lock: threads do not wait, and forks do not hang."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from karat.tally import held_rows
from karat.tally import histogram_views as table_column
from karat.tally.cached import cached_property
from tests.architecture.imports import PACKAGE, imports_of

FORK = """
import os, threading, warnings
from karat.metrics._views import cached_property
inside, go_on = threading.Event(), threading.Event()
class Rows:
    def __init__(self, waits):
        self.waits = waits
    @cached_property
    def order(self):
        if self.waits:
            inside.set()
            go_on.wait()
        return 5
thread = threading.Thread(target=lambda: Rows(True).order)
thread.start()
inside.wait()
warnings.simplefilter("ignore", DeprecationWarning)  # forks of threads are what this is of
child = os.fork()
if child == 0:
    os._exit(Rows(False).order)
go_on.set()
thread.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


class Meeting:
    """Two of them wait for one another."""

    met = threading.Barrier(2, timeout=20)

    def __init__(self) -> None:
        self.n_computed = 0

    @cached_property
    def place(self) -> int:
        """Where they met."""
        self.n_computed += 1
        return self.met.wait()


def test_two_objects_compute_at_the_same_time() -> None:
    found: list[Meeting] = [Meeting(), Meeting()]
    threads = [threading.Thread(target=lambda one=one: one.place) for one in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {one.place for one in found} == {0, 1}
    assert [one.n_computed for one in found] == [1, 1]
    assert Meeting.place.__doc__ == "Where they met."


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_fork_while_a_thread_computes_goes_on() -> None:
    made = subprocess.run(
        [sys.executable, "-c", FORK], capture_output=True, text=True, timeout=30, check=True
    )
    assert made.stdout.strip() == "5"


def test_it_is_the_one_of_the_tallies() -> None:
    for module in (held_rows, table_column):
        assert vars(module)["cached_property"] is cached_property
    taken = [one for one in imports_of(PACKAGE) if one.imported.startswith("karat.tally.cached")]
    assert len(taken) > 15
