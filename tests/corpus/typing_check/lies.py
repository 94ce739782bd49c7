"""The recorded lies: `lies.toml`, one line for each, with the groups that show it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FILE: Final = Path(__file__).with_name("lies.toml")
_HEAD: Final = """\
# Public names whose annotation promises one type and whose value has another, as they are today.
# Written by `python -m tests.corpus.typing_check --record`.
"""


@dataclass(frozen=True, order=True)
class Lie:
    """A public name, its annotation, and the type that came instead."""

    name: str
    annotation: str
    came: str

    def __str__(self) -> str:
        return f"{self.name}: {self.annotation}, but {self.came} came"


# Lie → group → an example of a call.
Lies = dict[Lie, dict[str, str]]


def read(path: Path = FILE) -> Lies:
    """The recorded lies."""
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        Lie(entry["name"], entry["annotation"], entry["came"]): {
            call.partition("/")[0]: call for call in entry["calls"]
        }
        for entry in document["lies"]
    }


def write(lies: Lies, path: Path = FILE) -> None:
    """Record lies, sorted."""
    lines = []
    for lie in sorted(lies):
        values = {**vars(lie), "calls": sorted(lies[lie].values())}
        fields = (f"{key} = {json.dumps(value)}" for key, value in values.items())
        lines.append(f"  {{ {', '.join(fields)} }},\n")
    path.write_text(f"{_HEAD}lies = [\n{''.join(lines)}]\n", encoding="utf-8")


def replaced(lies: Lies, groups: Iterable[str], now: Mapping[Lie, Mapping[str, str]]) -> Lies:
    """The recorded lies with those of some groups put in the place of what was there of them."""
    again = set(groups)
    kept: Lies = {}
    for lie in {**lies, **now}:
        calls = {group: call for group, call in lies.get(lie, {}).items() if group not in again}
        calls |= now.get(lie, {})
        if calls:
            kept[lie] = calls
    return kept


def changes(was: Lies, now: Lies, groups: Iterable[str]) -> list[str]:
    """What differs in some groups between the recorded lies and those of now, one line each."""
    lines = []
    for group in groups:
        before = {lie for lie, calls in was.items() if group in calls}
        after = {lie for lie, calls in now.items() if group in calls}
        lines += [f"new: {lie} ({now[lie][group]})" for lie in sorted(after - before)]
        lines += [
            f"gone, remove it from the list: {lie} ({was[lie][group]})"
            for lie in sorted(before - after)
        ]
    return lines
