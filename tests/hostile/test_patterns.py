"""Texts of strangers are matched in time proportional to them, by every pattern there is."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
import time
from itertools import product

import pytest

import karat
from karat.tally.look_alikes import is_number

STARTS = ("", "1.0", "1", "-0", "f(", "a_", "[")
REPEATED = ("0", "1", "a", " ", ".", "_", "-", "e", "[", "]", "\\", "1.", "a.", "_1", "a b")
ENDS = ("!", "\n!", ")")
SHORT, LONG = 40, 6000
"""Ways that double with a character end the first, ways that square with them the second."""
MOST_SECONDS = 0.25


def patterns() -> dict[str, re.Pattern[str]]:
    """Every compiled pattern of a module of karat."""
    found = {}
    for module in pkgutil.walk_packages(karat.__path__, "karat."):
        if module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
                found[f"{module.name}.{name}"] = value
    return found


def slowest(pattern: re.Pattern[str], size: int) -> tuple[float, str]:
    """Seconds of the text that takes longest, and how it begins."""
    worst = (0.0, "")
    for start, repeated, end in product(STARTS, REPEATED, ENDS):
        text = f"{start}{repeated * (size // len(repeated))}{end}"
        began = time.process_time()
        pattern.fullmatch(text)
        worst = max(worst, (time.process_time() - began, text[:60]))
        if worst[0] > MOST_SECONDS:
            break
    return worst


@pytest.mark.parametrize("name", sorted(patterns()))
@pytest.mark.parametrize("size", [SHORT, LONG])
def test_every_pattern_takes_time_in_proportion(name: str, size: int) -> None:
    seconds, text = slowest(patterns()[name], size)
    assert seconds <= MOST_SECONDS, text


def test_a_pattern_that_tries_every_way_would_be_seen() -> None:
    doubles = re.compile(r"(?:a|a)*x")
    squares = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)")
    assert slowest(doubles, 24)[0] > MOST_SECONDS
    assert slowest(squares, 2 * LONG)[0] > MOST_SECONDS


def test_a_version_and_a_label_of_strangers() -> None:
    report = json.loads(karat.evaluate([0, 1, 1], [0, 1, 0]).to_json())
    began = time.process_time()
    for version in ("1.0" + "a" * 60 + "!", "1.0" + "rc" * 1000, "0.1" + ".1" * 4000):
        with pytest.raises(karat.KaratError, match="not a version of karat"):
            karat.Report.from_json(json.dumps({**report, "karat": version}))
    assert not is_number("1" * 100_000 + "x")
    assert time.process_time() - began < 2.0
    for version in ("0.1", "1.2.3", "0.1.0rc1", "1.2.3.post1.dev4+linux.x64"):
        karat.Report.from_json(json.dumps({**report, "karat": version}))
