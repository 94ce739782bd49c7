"""How time grows with rows and with classes: curves beside scikit-learn.

python -m benchmarks.scaling     # one line of JSON a curve on stdout
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from benchmarks.case import KARAT, PEER, Candidates, disagreement_of
from benchmarks.threads import LEAST, Shared
from benchmarks.timing import alternate, duration

ROWS: Final = tuple(10**power for power in range(2, 8))
CLASSES: Final = (2, 10, 100, 1000)
MANY_CLASSES: Final = (*CLASSES, 10_000, 100_000)
MOST_OF_PEER: Final = 10**6
"""Rows up to which the peer runs too: beyond, one call takes many seconds."""


STYLE: Final = {"svg.fonttype": "none", "svg.hashsalt": "karat", "font.size": 9}
"""Text stays text, and the same figures give the same file."""


@dataclass(frozen=True)
class Curve:
    """CPU time of one call over a size.

    Attributes:
        name: what is computed.
        axis: what grows: "rows" or "classes".
        sizes: its values, ascending.
        nanoseconds: side → a time for each size, None where the side did not run.
        disagreement: why there are no times.
    """

    name: str
    axis: str
    sizes: Sequence[int]
    nanoseconds: dict[str, list[float | None]]
    disagreement: str | None = None


def measure() -> list[Curve]:
    """Every curve, measured in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.scaling"]
    one_thread = {**os.environ, "KARAT_NUM_THREADS": "1"}
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=one_thread)
    return [Curve(**json.loads(line)) for line in run.stdout.splitlines() if line.startswith("{")]


def curves() -> Iterator[Curve]:
    from benchmarks.cases import labels, losses, ranking

    of_rows: dict[str, Callable[[int], Candidates]] = {
        "confusion, int64, K=10": lambda n: labels.confusion(n, 10),
        "macro F1, int64, K=10": lambda n: labels.macro_f1(n, 10),
        "log-loss, float64, K=10": lambda n: losses.log_loss(n, 10),
        "ROC AUC, float64": lambda n: ranking.roc_auc(n, np.float64),
        "average precision, float64": lambda n: ranking.average_precision(n, np.float64),
    }
    for name, make in of_rows.items():
        yield curve(name, "rows", ROWS, make, MOST_OF_PEER)
    of_classes: dict[str, tuple[Sequence[int], Callable[[int], Candidates]]] = {
        "confusion, int64, n=1e6": (CLASSES, partial(labels.confusion, 1_000_000)),
        "macro F1, int64, n=1e6": (MANY_CLASSES, partial(labels.macro_f1, 1_000_000)),
        "log-loss, float64, 1e7 numbers": (CLASSES, lambda k: losses.log_loss(10**7 // k, k)),
        "ROC AUC one-vs-rest, float64, 1e6 numbers": (
            (3, 10, 100),
            lambda k: ranking.one_vs_rest(10**6 // k, k),
        ),
    }
    for name, (sizes, make_of_k) in of_classes.items():
        yield curve(name, "classes", sizes, make_of_k)


def curve(
    name: str,
    axis: str,
    sizes: Sequence[int],
    make: Callable[[int], Candidates],
    most_of_peer: int | None = None,
) -> Curve:
    """The times of both sides for each size; none at all when any answers differ."""
    found: dict[str, list[float | None]] = {KARAT: [], PEER: []}
    for size in sizes:
        made = make(size)
        sides = {side: made[side] for side in (KARAT, PEER)}
        if most_of_peer is not None and size > most_of_peer:
            del sides[PEER]
            sides[KARAT]()
        else:
            problem = disagreement_of(sides, 1e-10)
            if problem is not None:
                return Curve(name, axis, sizes, {}, f"{axis} {size}: {problem}")
        times = alternate(sides, 3)
        for side, list_of_side in found.items():
            list_of_side.append(times[side].cpu_ns if side in times else None)
    return Curve(name, axis, sizes, found)


def markdown(found: Sequence[Curve]) -> list[str]:
    """A table for each axis: a line for each curve and side, a column for each size."""
    lines: list[str] = []
    for axis in dict.fromkeys(each.axis for each in found):
        of_axis = [each for each in found if each.axis == axis]
        sizes = sorted({size for each in of_axis for size in each.sizes})
        lines += [
            "",
            f"CPU time of one call by {axis}. Where {PEER} has no time, no answers were compared:",
            "",
            "| | | " + " | ".join(_power(size) for size in sizes) + " |",
            "|---|---|" + "---:|" * len(sizes),
        ]
        for each in of_axis:
            if each.disagreement is not None:
                lines.append(f"| {each.name} | **no figure: {each.disagreement}** |")
            for side, times in each.nanoseconds.items():
                told = {
                    size: duration(time)
                    for size, time in zip(each.sizes, times, strict=True)
                    if time is not None
                }
                cells = [told.get(size, "") for size in sizes]
                lines.append(f"| {each.name} | {side} | " + " | ".join(cells) + " |")
    return lines[1:]


def _power(size: int) -> str:
    return f"{size:.0e}".replace("e+0", "e") if size >= 10_000 else str(size)


def figures(found: Sequence[Curve]) -> dict[str, str]:
    """A drawing for each axis, as SVG whose text is text."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    drawn = {}
    with mpl.rc_context(STYLE):
        measured = [each for each in found if each.nanoseconds]
        for axis in dict.fromkeys(each.axis for each in measured):
            of_axis = [each for each in measured if each.axis == axis]
            figure = Figure(figsize=(3.4 * len(of_axis), 3.2), layout="constrained")
            panels = np.atleast_1d(figure.subplots(1, len(of_axis), sharey=True))
            for panel, each in zip(panels, of_axis, strict=True):
                _draw(panel, each)
            panels[0].set_ylabel("CPU time of one call, seconds")
            panels[0].legend(frameon=False)
            drawn[axis] = _svg(figure)
    return drawn


def figure_of_threads(found: Sequence[Shared]) -> str | None:
    """How much faster more threads are, as SVG; None where no cores were free."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    measured = [one for one in found if one.seconds]
    if not measured:
        return None
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.8, 3.2), layout="constrained")
        panel = figure.subplots()
        for i, one in enumerate(measured):
            # Ten colors: after them another marker.
            style = {"marker": "osD"[i // 10 % 3], "linestyle": "--" if one.is_limit else "-"}
            panel.plot(one.threads, one.ratios, label=one.name, **style)
        most = measured[0].threads
        panel.plot(most, most, color="0.7", label="as many times as threads")
        panel.axhline(LEAST, color="0.7", linestyle=":", label="least of two threads")
        panel.set(xlabel="threads", ylabel="times as fast as one", xticks=measured[0].threads)
        panel.grid(alpha=0.3)
        figure.legend(loc="outside right upper", frameon=False, fontsize=7)
        return _svg(figure)


def _svg(figure: Any) -> str:
    written = io.StringIO()
    figure.savefig(written, format="svg", metadata={"Date": None})
    return written.getvalue()


def _draw(panel: Any, each: Curve) -> None:
    for side, marker in ((PEER, "s"), (KARAT, "o")):
        points = [
            (size, time / 1e9)
            for size, time in zip(each.sizes, each.nanoseconds[side], strict=True)
            if time
        ]
        panel.plot(*zip(*points, strict=True), marker=marker, label=side)
    panel.set(title=each.name.replace(", ", "\n", 1), xlabel=each.axis, xscale="log", yscale="log")
    panel.grid(alpha=0.3)


if __name__ == "__main__":
    for each in curves():
        print(json.dumps(asdict(each)), flush=True)
