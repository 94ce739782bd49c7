"""Where two outcomes differ: all but limits and p-values exactly, those within a tolerance."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from tests.corpus.outcome import Outcome, Prose

MISSING: Final = "<nothing>"
LIMIT: Final = re.compile(
    r"(\w+_)?(low|high)(_\w+)?|(\w+_)?(standard_error|half_width)|p|p_\w+|z|df|statistic|detectable"
    r"|spread"
)
"""Keys under which limits, p-values and what they are made of stand."""
RESAMPLED: Final = re.compile(r"bootstrap|bca|bayesian|(swap )?permutation", re.IGNORECASE)
"""Methods whose numbers are the same for one seed."""
_INDEX: Final = re.compile(r"\[\d+\]")
_LONG_NUMBER: Final = re.compile(r"-?\d+\.\d{11,}(?:e[-+]?\d+)?")
"""A float that a table of text holds to its last digit."""


@dataclass(frozen=True)
class Tolerance:
    """How far floats may move, as a part of themselves; 0 is every bit."""

    values: float = 0.0
    limits: float = 1e-12

    @property
    def is_exact(self) -> bool:
        return not (self.values or self.limits)


EXACT: Final = Tolerance(0.0, 0.0)
SAME_PROCESSOR: Final = Tolerance()
"""Between two commits on one machine."""
OTHER_PROCESSOR: Final = Tolerance(values=1e-14)
"""Vector instructions of another processor change last bits; at most 6e-15 was measured."""


@dataclass(frozen=True)
class Difference:
    """One place in which two outcomes differ; what is not there is MISSING."""

    path: str
    was: Any
    now: Any
    is_prose: bool = False


@dataclass
class Comparison:
    """What differs between two outcomes, and how many floats moved within the tolerance."""

    differences: list[Difference] = field(default_factory=list)
    n_moved: int = 0
    largest: float = 0.0

    def move(self, was: float, now: float) -> None:
        """Count a float that moved within its tolerance."""
        self.n_moved += 1
        self.largest = max(self.largest, abs(was - now) / max(abs(was), abs(now)))


def compare(
    was: Outcome, now: Outcome, tolerance: Tolerance = EXACT, *, text: bool = True
) -> Comparison:
    """Compare two outcomes.

    Any NaN equals any other. Numbers of a resampling method have the tolerance of values. The
    checksum that a JSON file holds of its own numbers is compared where all floats are exact.
    """
    comparison = Comparison()
    if was == now and _bits(was) == _bits(now):
        return comparison
    differ = comparison.differences.append

    def walk(a: Any, b: Any, path: str, key: str, is_resampled: bool) -> None:
        if isinstance(a, dict) and isinstance(b, dict):
            is_resampled = is_resampled or bool(RESAMPLED.search(str(a.get("method", ""))))
            for name in [*a, *(name for name in b if name not in a)]:
                if _is_checksum(name, a, b) and not tolerance.is_exact:
                    continue
                inner = key if name in ("values", "value") and "array" in a else name
                place = f"{path}.{name}" if path else name
                walk(a.get(name, MISSING), b.get(name, MISSING), place, inner, is_resampled)
        elif isinstance(a, list) and isinstance(b, list):
            for i in range(max(len(a), len(b))):
                pair = [items[i] if i < len(items) else MISSING for items in (a, b)]
                walk(*pair, f"{path}[{i}]", key, is_resampled)
        elif isinstance(a, Prose) and isinstance(b, Prose):
            if text and a != b:
                differ(Difference(path, a.text, b.text, is_prose=True))
        elif isinstance(a, float) and isinstance(b, float):
            is_limit = LIMIT.fullmatch(key) is not None and not is_resampled
            within = tolerance.limits if is_limit else tolerance.values
            if not is_same(a, b, within):
                differ(Difference(path, a, b))
            elif a != b and not math.isnan(a):
                comparison.move(a, b)
        elif isinstance(a, str) and isinstance(b, str):
            if not _is_same_text(a, b, tolerance.limits):
                differ(Difference(path, a, b))
        elif type(a) is not type(b) or a != b:
            differ(Difference(path, a, b))

    walk(was.tree(), now.tree(), "", "", False)
    return comparison


def _is_checksum(name: str, *trees: dict[str, Any]) -> bool:
    return name == "sha256" and all(name in tree and "bytes" not in tree for tree in trees)


def is_same(a: float, b: float, within: float) -> bool:
    """Compare two floats: bit for bit where `within` is 0."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if a == b:
        return bool(within) or math.copysign(1, a) == math.copysign(1, b)
    return abs(a - b) <= within * max(abs(a), abs(b)) and math.isfinite(a) and math.isfinite(b)


def _is_same_text(a: str, b: str, within: float) -> bool:
    """Compare two texts but for the last digits of long numbers."""
    if a == b or not within:
        return a == b
    if _LONG_NUMBER.sub("", a) != _LONG_NUMBER.sub("", b):
        return False
    pairs = zip(_LONG_NUMBER.findall(a), _LONG_NUMBER.findall(b), strict=True)
    return all(is_same(float(left), float(right), within) for left, right in pairs)


def _bits(outcome: Outcome) -> bytes:
    return np.array(outcome.floats, np.float64).tobytes()
