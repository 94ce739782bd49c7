"""Where two outcomes differ: all but limits and p-values exactly, those within a tolerance."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from tests.corpus.outcome import LONG_NUMBER, Outcome, Prose

MISSING: Final = "<nothing>"
LIMIT: Final = re.compile(
    r"(\w+_)?(lows?|highs?)(_\w+)?|limits|(\w+_)?(standard_error|half_width)|p|p_\w+|z|df"
    r"|statistic|detectable|spread"
)
"""Keys under which limits, p-values and what they are made of stand."""
RESAMPLED: Final = re.compile(r"bootstrap|bca|bayesian|(swap )?permutation", re.IGNORECASE)
"""Methods whose numbers are the same for one seed."""
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
_FACT: Final = re.compile(r"\b[A-Z]{2,}\b|\b[DK]\d{3}\b|\d+(?:\.\d+)?(?:e[-+]?\d+)?")
_DIGEST: Final = re.compile(r"sha256 \w{32} of \d+ lines|\w{32}")


@dataclass(frozen=True)
class Tolerance:
    """How far floats may move, as a part of themselves; 0 is every bit."""

    values: float = 0.0
    limits: float = 1e-12
    printed: float = 0.0
    """Of numbers in prose, which are rounded; where it is not 0, digests of texts are skipped."""

    @property
    def is_exact(self) -> bool:
        return not (self.values or self.limits)


EXACT: Final = Tolerance(0.0, 0.0)
SAME_PROCESSOR: Final = Tolerance()
"""Between two commits on one machine."""
OTHER_PROCESSOR: Final = Tolerance(values=1e-14, printed=1e-2)
"""Vector instructions of another processor change last bits."""


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
    checksum that a JSON document holds of its own numbers is compared where all floats are exact.
    """
    comparison = Comparison()
    if _is_equal(was, now):
        return comparison
    differ = comparison.differences.append

    def texts(a: str, b: str, path: str, *, is_prose: bool) -> None:
        if a == b or (is_prose and not text):
            return
        if is_prose and tolerance.printed:
            if not _is_same_print(a, b, tolerance.printed):
                differ(Difference(path, a, b, is_prose))
            return
        moves = _moves(a, b, tolerance.limits)
        if moves is None:
            differ(Difference(path, a, b, is_prose))
            return
        for pair in moves:
            comparison.move(*pair)

    def walk(a: Any, b: Any, path: str, key: str, is_resampled: bool) -> None:
        if isinstance(a, dict) and isinstance(b, dict):
            is_resampled = is_resampled or bool(RESAMPLED.search(str(a.get("method", ""))))
            names = [*a, *(name for name in b if name not in a)]
            if names == list(a) and sorted(a) == sorted(b) and list(a) != list(b):
                differ(Difference(f"{path}.<order>", list(a), list(b)))
            for name in names:
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
            texts(a.text, b.text, path, is_prose=True)
        elif isinstance(a, float) and isinstance(b, float):
            is_limit = LIMIT.fullmatch(key) is not None and not is_resampled
            within = tolerance.limits if is_limit else tolerance.values
            if not is_same(a, b, within):
                differ(Difference(path, a, b))
            elif a != b and not math.isnan(a):
                comparison.move(a, b)
        elif isinstance(a, str) and isinstance(b, str):
            texts(a, b, path, is_prose=False)
        elif type(a) is not type(b) or a != b:
            differ(Difference(path, a, b))

    walk(was.tree(), now.tree(), "", "", False)
    return comparison


def is_wording(difference: Difference) -> bool:
    """Tell whether only words changed: prose, or the text of a code, with the same numbers.

    Words in capitals are codes and verdicts, and a digest hides what changed.
    """
    if not (difference.is_prose or difference.path == "raised.text"):
        return False
    was, now = str(difference.was), str(difference.now)
    facts = [_FACT.findall(text) for text in (was, now)]
    return facts[0] == facts[1] and not _DIGEST.fullmatch(was) and not _DIGEST.fullmatch(now)


def _is_equal(was: Outcome, now: Outcome) -> bool:
    """Compare to the last bit; True is not 1, and the order of keys counts."""
    parts = ([o.prose, np.array(o.floats, np.float64).tobytes()] for o in (was, now))
    left, right = parts
    return left == right and json.dumps(was.skeleton) == json.dumps(now.skeleton)


def _is_checksum(name: str, *trees: dict[str, Any]) -> bool:
    return name == "sha256" and all({"sha256", "schema"} <= tree.keys() for tree in trees)


def is_same(a: float, b: float, within: float) -> bool:
    """Compare two floats: bit for bit where `within` is 0."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if a == b:
        return bool(within) or math.copysign(1, a) == math.copysign(1, b)
    return abs(a - b) <= within * max(abs(a), abs(b)) and math.isfinite(a) and math.isfinite(b)


def _moves(a: str, b: str, within: float) -> list[tuple[float, float]] | None:
    """Return the long numbers that differ within a tolerance; None where anything else does."""
    if LONG_NUMBER.sub("", a) != LONG_NUMBER.sub("", b):
        return None
    numbers = [[float(x) for x in LONG_NUMBER.findall(text)] for text in (a, b)]
    pairs = [pair for pair in zip(*numbers, strict=True) if pair[0] != pair[1]]
    return pairs if all(is_same(*pair, within) for pair in pairs) else None


def _is_same_print(a: str, b: str, within: float) -> bool:
    """Compare two texts whose rounded numbers may differ by their last digit."""
    if _DIGEST.fullmatch(a) and _DIGEST.fullmatch(b):
        return True
    numbers = [[float(x) for x in _NUMBER.findall(text)] for text in (a, b)]
    same_words = _NUMBER.sub("", a) == _NUMBER.sub("", b)
    return same_words and all(is_same(*pair, within) for pair in zip(*numbers, strict=True))
