"""The committed inputs: a text file for each target, an input a line, in base64."""

from __future__ import annotations

import base64
from pathlib import Path

FOLDER = Path(__file__).with_name("corpus")
MOST_BYTES = 2500
"""Of the inputs of a target: the smallest are kept."""


def path_of(target: str) -> Path:
    """Where the inputs of a target are."""
    return FOLDER / f"{target}.txt"


def read(target: str) -> list[bytes]:
    """The inputs of a target; none where it has no file."""
    path = path_of(target)
    lines = path.read_text(encoding="ascii").splitlines() if path.exists() else []
    return [base64.b64decode(line, validate=True) for line in lines]


def write(target: str, inputs: list[bytes]) -> int:
    """Keep the smallest of the inputs; returns how many."""
    kept, size = [], 0
    for data in sorted(set(inputs), key=lambda data: (len(data), data)):
        size += len(data)
        if not data or size > MOST_BYTES:
            continue
        kept.append(base64.b64encode(data).decode("ascii") + "\n")
    FOLDER.mkdir(exist_ok=True)
    path_of(target).write_text("".join(kept), encoding="ascii")
    return len(kept)
