"""`python -OO` leaves docstrings and assertions out: texts are missing, numbers are right."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

PROGRAM = """
import json, sys
import numpy as np
import karat
from karat.cli import main
i = np.arange(60)
y, prob, groups = i % 2, (i * 37 % 61) / 61, i // 5 % 3
sets = [{"a"} if one else {"a", "b"} for one in y]
monitor = karat.Monitor(min={"accuracy": 0.1})
stream = karat.Stream()
stream.update(y, (prob > 0.5).astype(int))
print(json.dumps({
    "functions": [karat.f1(y, i // 3 % 2), karat.roc_auc(y, y_score=prob)],
    "report": karat.evaluate(y, y_prob=prob, by={"group": groups}).to_dict()["metrics"],
    "sets": karat.evaluate(sets, sets[::-1]).to_dict()["metrics"],
    "comparison": karat.compare(y, {"a": i // 3 % 2, "b": y}).to_dict()["differences"],
    "gate": karat.gate(y, i // 3 % 2, min={"accuracy": 0.2}).to_dict()["rules"],
    "monitor": monitor.add(y, i // 3 % 2).to_dict()["rules"],
    "stream": stream.report().to_dict()["metrics"],
    "slices": str(karat.find_weak_slices({"label": y, "pred": i // 3 % 2, "group": groups})),
    "codes": [main(["report", "--help"]), main(["metrics"]), main(["metrics", "f1"])],
    "optimized": sys.flags.optimize,
}), file=sys.stderr)
"""


def answers(*options: str) -> dict[str, Any]:
    run = subprocess.run(
        [sys.executable, *options, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(run.stderr.splitlines()[-1])
    return found


def test_numbers_are_the_same_without_docstrings() -> None:
    plain, optimized = answers(), answers("-OO")
    assert (plain.pop("optimized"), optimized.pop("optimized")) == (0, 2)
    assert optimized == plain
