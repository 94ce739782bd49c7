"""What became of a target: figures out of libFuzzer's log, and the table of them."""

from __future__ import annotations

import base64
import re
import signal
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SAID = re.compile(
    r"ERROR: \w+: .*|.*runtime error: .*|^(?:fuzz\.case\.)?Finding: .*|^\w+Error: .*", re.MULTILINE
)
"""What a sanitizer, libFuzzer or Python says of a finding."""


@dataclass
class Outcome:
    """One row of the table."""

    name: str
    n_executions: int
    n_calls: int
    """Executions in which the binding was called; others ended while its arguments were made."""
    n_edges: int
    seconds: int
    finding: str = ""
    n_inputs: int = 0

    def line(self) -> str:
        """The row."""
        found = self.finding.splitlines()[0] if self.finding else "0"
        return (
            f"| {self.name} | {self.n_executions:,} | {self.n_calls:,} | {self.n_edges:,} "
            f"| {self.n_inputs} | {found} |"
        )


def outcome_of(
    name: str, status: int, log: str, counts: NDArray[np.int64], folder: Path
) -> Outcome:
    """Figures of one process; a finding, and the input that led to it, unless it ended well."""
    edges = re.findall(r"cov: (\d+)", log)
    seconds = re.findall(r"^Done \d+ (?:runs )?in (\d+) second", log, re.MULTILINE)
    finding = ""
    # Its clock may ring once more while a process that is done ends.
    if status not in {0, -signal.SIGALRM} or not seconds:
        said = SAID.findall(log)
        inputs = [
            path for path in folder.iterdir() if re.match(r"(crash|timeout|oom|leak)-", path.name)
        ]
        data = [f"input {base64.b64encode(path.read_bytes()).decode()}" for path in inputs]
        finding = "\n".join([*(said[:1] or [f"status {status}"]), *data, log[-4000:]])
    n_executions, n_calls = counts.tolist()
    return Outcome(
        name, n_executions, n_calls, int(edges[-1]) if edges else 0,
        int(seconds[-1]) if seconds else 0, finding,
    )  # fmt: skip


def table(outcomes: list[Outcome], n_taken: int, n_edges: int) -> str:
    """The table with its sums, then what was found. Edges of the native code: taken, and all."""
    n_found = sum(bool(outcome.finding) for outcome in outcomes)
    lines = [
        "# Fuzzing of the native core",
        "",
        f"{len(outcomes)} targets, {sum(o.n_executions for o in outcomes):,} executions,",
        f"the fewest of a target {min(o.n_executions for o in outcomes):,};",
        f"{n_found} findings of the address and undefined-behaviour sanitizers or of a target.",
        f"The inputs kept take {n_taken:,} of {n_edges:,} edges of the module,",
        "all instruction sets and the binding library included.",
        "",
        "| binding | executions | calls of it | edges | inputs kept | findings |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        *(outcome.line() for outcome in sorted(outcomes, key=lambda outcome: outcome.name)),
    ]
    for outcome in outcomes:
        if outcome.finding:
            lines += ["", f"## {outcome.name}", "", "```", outcome.finding, "```"]
    return "\n".join(lines) + "\n"
