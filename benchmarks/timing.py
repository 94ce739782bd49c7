"""Time candidates alternately in one process, so that a noisy moment hits all of them."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

SAMPLE_NS = 2_000_000
"""A sample repeats a short call until it lasts about this long: clocks tick in microseconds."""

TURN_NS = 30_000_000
"""In each round a candidate takes samples for about this long, at least one."""


@dataclass(frozen=True)
class Time:
    """Median time of one call.

    Attributes:
        cpu_ns: processor time of the whole process: what the work costs.
        wall_ns: time on the clock: what the caller waits.
        n_samples: samples behind both medians.
    """

    cpu_ns: float
    wall_ns: float
    n_samples: int


def alternate(candidates: Mapping[str, Callable[[], object]], rounds: int = 7) -> dict[str, Time]:
    """Time each candidate in turn, for several rounds, first one rotating.

    Every candidate has run before (its answer was checked), so caches and lazy imports are warm.
    """
    calls = {name: _calls_per_sample(call) for name, call in candidates.items()}
    samples: dict[str, list[tuple[float, float]]] = {name: [] for name in candidates}
    names = list(candidates)
    gc_was_on = gc.isenabled()
    gc.disable()
    try:
        for turn in range(rounds):
            first = turn % len(names)
            for name in names[first:] + names[:first]:
                samples[name] += _turn(candidates[name], calls[name])
            gc.collect()
    finally:
        if gc_was_on:
            gc.enable()
    return {name: _median(found) for name, found in samples.items()}


def _calls_per_sample(call: Callable[[], object]) -> int:
    start = time.perf_counter_ns()
    call()
    return max(1, SAMPLE_NS // max(1, time.perf_counter_ns() - start))


def _turn(call: Callable[[], object], n_calls: int) -> list[tuple[float, float]]:
    found = []
    end = time.perf_counter_ns() + TURN_NS
    while True:
        wall, cpu = time.perf_counter_ns(), time.process_time_ns()
        for _ in range(n_calls):
            call()
        cpu, wall = time.process_time_ns() - cpu, time.perf_counter_ns() - wall
        found.append((cpu / n_calls, wall / n_calls))
        if time.perf_counter_ns() >= end:
            return found


def _median(samples: list[tuple[float, float]]) -> Time:
    cpu, wall = zip(*samples, strict=True)
    return Time(statistics.median(cpu), statistics.median(wall), len(samples))


def duration(nanoseconds: float) -> str:
    """A time in the unit that suits it: 5.2 µs, 6.31 ms, 1.10 s."""
    for unit, size in (("s", 1e9), ("ms", 1e6)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds / 1e3:.3g} µs"
