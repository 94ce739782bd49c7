"""A gate as Markdown, as GitHub shows it."""

from __future__ import annotations

import re
from typing import Final

from karat.results.gate.outcome import GateResult
from karat.results.gate.verdicts import RuleResult, with_limits

__all__ = ["escaped", "markdown_of_gate"]

_MARKS: Final = {"PASS": "✅", "FAIL": "❌", "INCONCLUSIVE": "⚠️"}
# A full stop and a colon make links of addresses.
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|~>@:$])")


def escaped(text: str) -> str:
    """Foreign text that is shown as it is: no markup, no HTML, no mention, no link, no new line."""
    from karat.errors.foreign_text import harmless

    plain = harmless(text).replace("&", "&amp;").replace("<", "&lt;")
    return _SPECIAL.sub(r"\\\1", plain)


def markdown_of_gate(result: GateResult, *, most_characters: int | None = None) -> str:
    """A heading, a table of rules, failures first, and the notes.

    Args:
        most_characters: rules beyond it are left out, and how many is told.
    """
    head = [
        f"### karat gate: {result.headline}",
        "",
        "| | rule | value | baseline | difference | one-sided p | n | |",
        "|---|---|---|---|---|---|---|---|",
    ]
    tail = ["", *(f"- {escaped(note)}" for note in result.notes)]
    order = sorted(result.rules, key=lambda rule: (not rule.fails, rule.verdict == "PASS"))
    lines = [_row(rule) for rule in order]
    if most_characters is not None:
        room = most_characters - sum(len(line) + 1 for line in (*head, *tail)) - 100
        kept: list[str] = []
        for line in lines:
            room -= len(line) + 1
            if room < 0:
                break
            kept.append(line)
        if len(kept) < len(lines):
            tail = ["", f"{len(lines) - len(kept)} more rules are not shown.", *tail]
        lines = kept
    return "\n".join([*head, *lines, *tail]).rstrip() + "\n"


def _row(rule: RuleResult) -> str:
    p = "" if rule.shown_p is None else f"{rule.shown_p:.2g}"
    cells = [
        _MARKS[rule.verdict] if not rule.is_blocking else _MARKS["FAIL"],
        f"`{rule.rule}`" + ("" if rule.slice is None else f" where {escaped(rule.slice)}"),
        with_limits(rule.value, rule.low, rule.high),
        with_limits(rule.before, None, None),
        with_limits(rule.difference, rule.difference_low, rule.difference_high, sign="+"),
        p,
        "" if rule.n is None else str(rule.n),
        f"{rule.verdict}: {escaped(rule.reason)}" if rule.reason else rule.verdict,
    ]
    return f"| {' | '.join(cells)} |"
