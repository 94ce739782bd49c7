"""One case in a process that has one commit's karat: it makes a call, then repeats it on command.

python -P -S -m benchmarks.pins.worker JOB     # JOB: JSON; answers are lines of JSON on stdout

JOB names the case, the files that may hold it, of which the first with it counts, and a folder for
rows. Without a case the answer is the names of all.
Without site (-S) no editable install stands before PYTHONPATH, and both commits start alike.
"""

from __future__ import annotations

import gc
import importlib.util
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.launch import BYTES_PER_UNIT


def main(text: str) -> int:
    """Make the first call, tell what it gave and took, then take numbers of calls from stdin."""
    # What a call prints must not get between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    job = json.loads(text)
    try:
        if "name" not in job:
            _send(answers, {"names": [name for file in job["files"] for name in _cases(file)]})
            return 0
        call, first = _first_call(job)
    except Exception as fault:
        _send(answers, {"error": f"{type(fault).__name__}: {fault}"})
        return 1
    _send(answers, first)
    for line in sys.stdin:
        _send(answers, _cost(call, int(line)))
    return 0


def _first_call(job: dict[str, Any]) -> tuple[Callable[[], object], dict[str, Any]]:
    """The call, and its answer with what the first time took: imports and caches included."""
    name = job["name"]
    for file in job["files"]:
        if name in (cases := _cases(file)):
            call = cases[name](Path(job["folder"]))
            break
    else:
        raise LookupError(f"no case {name!r} in {job['files']}")
    gc.collect()
    before = _peak()
    cpu, wall = time.process_time_ns(), time.perf_counter_ns()
    answer = call()
    cpu, wall = time.process_time_ns() - cpu, time.perf_counter_ns() - wall
    peak = max(_peak() - before, resource.getpagesize())
    files = [
        module.__file__
        for module in map(sys.modules.get, ("karat", "karat._native"))
        if module is not None
    ]
    costs = {"cpu": cpu, "wall": wall, "peak": peak}
    return call, {"answer": answer, "modules": files, **costs}


def _cases(file: str) -> dict[str, Callable[[Path], Callable[[], object]]]:
    """Name → what makes the call, in a folder for rows; none where a commit lacks the file."""
    if not Path(file).exists():
        return {}
    name = f"pinned_{Path(file).stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    cases: dict[str, Callable[[Path], Callable[[], object]]] = module.CASES
    return cases


def _cost(call: Callable[[], object], n_calls: int) -> dict[str, int]:
    """Nanoseconds of some calls, of the processor (threads included) and on the clock."""
    # Collections stay on: a call that makes cycles pays for them.
    gc.collect()
    cpu, wall = time.process_time_ns(), time.perf_counter_ns()
    for _ in range(n_calls):
        call()
    return {"cpu": time.process_time_ns() - cpu, "wall": time.perf_counter_ns() - wall}


def _peak() -> int:
    """The most bytes that this process has had in memory."""
    if sys.platform != "linux":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * BYTES_PER_UNIT
    # Not ru_maxrss: on Linux it includes the memory of the process that started this one.
    lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    (kibibytes,) = (line.split()[1] for line in lines if line.startswith("VmHWM:"))
    return int(kibibytes) * 1024


def _send(answers: Any, message: dict[str, Any]) -> None:
    answers.write(json.dumps(message) + "\n")
    answers.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
