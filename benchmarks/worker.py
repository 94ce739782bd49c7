"""The cases of one peer, in a process of their own: no other library's threads or patches.

python -m benchmarks.worker PEER [TEXT]     # one line of JSON a case on stdout
"""

from __future__ import annotations

import json
import os
import sys

ONE_THREAD = (
    "KARAT_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
    "POLARS_MAX_THREADS", "RAYON_NUM_THREADS",
)  # fmt: skip


def main(peer: str, text: str = "") -> int:
    # Before any peer is imported: the ratios are those of one thread.
    os.environ |= dict.fromkeys(ONE_THREAD, "1")
    from benchmarks.case import run
    from benchmarks.cases import cases_of

    for case in cases_of(peer):
        if text in case.name:
            print(json.dumps(run(case).to_json()), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
