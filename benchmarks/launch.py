"""Run a command and print the peak of its memory: a process of its own, because it must stay small.

    python -m benchmarks.launch COMMAND…     # one line of JSON on stdout, after the command's own

A child's recorded peak starts at the size of the process that forked it,
so a parent that holds arrays would report its own size for every child.
"""

from __future__ import annotations

import json
import os
import sys
import time

BYTES_PER_UNIT = 1 if sys.platform == "darwin" else 1024
"""getrusage counts the resident set in kilobytes on Linux and in bytes on macOS."""


def main(command: list[str]) -> int:
    start = time.perf_counter()
    pid = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(pid, 0)
    facts = {
        "exit_status": os.waitstatus_to_exitcode(status),
        "peak_bytes": usage.ru_maxrss * BYTES_PER_UNIT,
        "wall_seconds": time.perf_counter() - start,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
    }
    print("\n" + json.dumps(facts), flush=True)
    return int(facts["exit_status"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
