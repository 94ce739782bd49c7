"""Mutated inputs from a seed, and what became of each: refused, read, or a fault of karat."""

from __future__ import annotations

import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tests.hostile.mutations import broken
from tests.hostile.targets import Target, targets

__all__ = ["Fault", "Tally", "fuzzed"]


@dataclass(frozen=True)
class Fault:
    """An input that raised what is no refusal, or gave a wrong value."""

    target: str
    seed: tuple[int, ...]
    told: str


@dataclass
class Tally:
    """What became of the inputs of one target."""

    name: str
    n: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    n_read: int = 0
    faults: list[Fault] = field(default_factory=list)


def mutated(target: Target, seed: tuple[int, ...]) -> tuple[bytes, bool]:
    """An input, and whether it lies with a checksum that fits."""
    rng = np.random.default_rng(seed)
    is_lie = bool(rng.integers(3))
    return (target.lie if is_lie else broken)(target.data, rng), is_lie


def fuzzed(folder: Path, n: int, seed: int = 0, names: str = "") -> Iterator[Tally]:
    """Attack every target with so many inputs in all.

    Args:
        folder: where files may be written.
        names: only targets whose names hold this.
    """
    chosen = [target for target in targets(folder) if names in target.name]
    ends = np.cumsum([target.share for target in chosen])
    shares = np.diff(n * ends // ends[-1], prepend=0).tolist()
    for place, target in enumerate(chosen):
        found = Tally(target.name)
        for i in range(shares[place]):
            key = (seed, *target.name.encode(), i)
            data, is_lie = mutated(target, key)
            found.n += 1
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    code = target.attack(data)
                if code is None and target.is_sealed and not is_lie and data != target.data:
                    raise AssertionError("bytes that were changed were read")
            except Exception:
                found.faults.append(Fault(target.name, key, traceback.format_exc(limit=-4)))
                continue
            found.n_read += code is None
            if code is not None:
                found.codes[code] += 1
        yield found
