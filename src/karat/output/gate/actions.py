"""A gate in GitHub Actions: annotations, and the summary of the job."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from karat.errors.foreign_text import harmless
from karat.output.gate.markdown import markdown_of_gate
from karat.results.gate.outcome import GateResult

__all__ = ["summary", "workflow_commands"]

MOST_BYTES: Final = 1 << 20
"""GitHub refuses a summary of a step that is larger."""
_MOST_CHARACTERS: Final = 250_000
"""Of UTF-8, which takes four bytes a character at most."""


def workflow_commands(result: GateResult) -> Iterator[str]:
    """One workflow command for each rule that fails or is inconclusive."""
    for rule in result.rules:
        if rule.verdict == "PASS":
            continue
        kind = "error" if rule.fails and not result.warns_only else "warning"
        title = _property(f"karat gate: {rule.verdict}")
        yield f"::{kind} title={title}::{_data(f'{rule.name}: {rule.told}')}"


def summary(result: GateResult, n_bytes_there: int = 0) -> str:
    """Markdown for the summary of the job, which holds so many bytes already; or nothing."""
    room = min(_MOST_CHARACTERS, (MOST_BYTES - n_bytes_there - 1024) // 4)
    if room < 1000:
        return ""
    return markdown_of_gate(result, most_characters=room) + "\n"


def _data(text: str) -> str:
    # A line of a log that starts with :: is a command, also one that a name would make.
    return harmless(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
