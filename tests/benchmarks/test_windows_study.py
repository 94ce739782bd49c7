"""The study of windows runs, and counts paths with a decided rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import windows
from benchmarks.windows import Design, designs, false_alarms


def _of_share(bound: float) -> Design:
    def batches(rng: np.random.Generator, n: int) -> dict[str, Any]:
        y = rng.integers(0, 2, n)
        return {"y_true": y, "y_pred": np.where(rng.random(n) < 0.8, y, 1 - y)}

    return Design("coins", {"min": {"accuracy": bound}}, 200, batches)


def test_a_bound_at_the_true_value_is_decided_on_few_paths_and_another_on_all() -> None:
    right = false_alarms(_of_share(0.8), 10, 1, n_windows=12)
    assert (right.windows, right.paths, right.metrics) == (0.0, 10, "accuracy")
    wrong = false_alarms(_of_share(0.6), 5, 2, n_windows=5)
    assert (wrong.windows, wrong.one_look, wrong.median_window) == (1.0, 1.0, 1.0)


def test_every_design_has_rules_at_its_true_values(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    for design in designs():
        batch = design.batches(rng, 40_000)
        other = Design(design.name, design.rules, 40_000, lambda rng, n, batch=batch: batch)
        assert false_alarms(other, 1, 4, n_windows=1).windows == 0.0
    page, out = tmp_path / "page.md", tmp_path / "windows.json"
    page.write_text(f"Before\n{windows._START}old\n{windows._END}\nAfter\n", encoding="utf-8")
    out.write_text(
        '{"designs": [{"design": "coins", "metrics": "accuracy", "n": 9, "paths": 8, '
        '"windows": 0.125, "one_look": 0.5}]}'
    )
    windows.main(["--tables-only", "--out", str(out), "--page", str(page)])
    text = page.read_text(encoding="utf-8")
    assert "| coins | accuracy | 9 | 8 | 12.5 % | 50 % |" in text
    assert "old" not in text
