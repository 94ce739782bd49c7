"""The committed inputs against the installed module: `python -m fuzz.replay [TARGET …]`.

Every array ends at a page that may not be read, so that what reads beyond it ends the process, also
where no sanitizer is at hand. `--control` reads one byte beyond itself, and has to end that way.
Memory is bounded (`memory.py`): what asks for too much is refused.
"""

from __future__ import annotations

import base64
import ctypes
import faulthandler
import sys
import warnings

import numpy as np

from fuzz import corpus, memory
from fuzz.case import Case, Finding, run
from fuzz.fences import fenced
from fuzz.targets import load


def replay(names: list[str]) -> list[str]:
    """Try every input of the targets; a line for each finding."""
    from karat import _native

    targets, findings, n_inputs, n_reached = load(), [], 0, 0
    before = _native.isa()
    with memory.bounded(memory.ROOM):
        for name in names or sorted(targets):
            for data in corpus.read(name):
                n_inputs += 1
                try:
                    n_reached += run(targets[name], data, _native, fenced).n_reached > 0
                except Finding as finding:
                    findings.append(f"{name} {base64.b64encode(data).decode()}: {finding}")
    _native.use_isa(before)
    print(f"{n_inputs} inputs, {n_reached} calls, {len(findings)} findings")
    print(f"peak memory: {memory.peak() >> 20} MiB")
    return findings


def control() -> None:
    """One byte more than an array has."""
    from karat import _native

    case = Case(b"", _native, fenced)
    array = case.arrays.argument(np.arange(5, dtype=np.uint8))
    ctypes.string_at(array.ctypes.data, array.nbytes + 1)
    print("the byte beyond an array was read")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    # A crash shows the call that ended the process.
    faulthandler.enable()
    if "--control" in sys.argv:
        control()
        sys.exit(0)
    found = replay(sys.argv[1:])
    print("\n".join(found))
    sys.exit(len(found) > 0)
