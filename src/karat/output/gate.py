"""A gate for others: JUnit XML, Markdown as GitHub shows it, and annotations of a job."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from karat.errors.doubts import without_doubts
from karat.errors.text import harmless
from karat.results.gate.result import GateResult, RuleResult, p_text, with_limits

MOST_BYTES: Final = 1 << 20
"""GitHub refuses a larger summary of a step."""
_MOST_CHARACTERS: Final = 250_000
"""Characters of UTF-8, of at most four bytes each."""
_MARKS: Final = {"PASS": "✅", "FAIL": "❌", "INCONCLUSIVE": "⚠️"}
# A full stop and a colon make links of addresses.
_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]()#+\-.!|~>@:$])")
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_of_error(message: str, subject: str = "") -> str:
    """The XML of a gate that could not measure its rows: one test case with the error.

    Args:
        subject: what was to be measured.
    """
    counts = {"name": _named(subject), "tests": "1", "failures": "0", "errors": "1", "time": "0"}
    root = ET.Element("testsuites", counts)
    suite = ET.SubElement(root, "testsuite", counts | {"skipped": "0"})
    facts = {"classname": "karat.gate", "name": "input", "time": "0"}
    case = ET.SubElement(suite, "testcase", facts)
    failure = ET.SubElement(case, "error", {"message": _xml(message.partition("\n")[0])})
    failure.text = _xml(message)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, "unicode")}\n'


def _named(subject: str) -> str:
    return _xml(f"karat gate: {subject}" if subject else "karat gate")


def junit_of_gate(result: GateResult, subject: str = "") -> str:
    """The XML that GitLab, Jenkins and others read: one test case for each rule.

    A rule that keeps the gate from passing is a failure, of type FAIL or INCONCLUSIVE; another that
    is inconclusive counts as skipped. Notes are the output of the suite.

    Args:
        subject: what was measured, as ``"new.csv against old.csv"``.
    """
    cases = [_case(rule) for rule in result.rules]
    counts = {
        "name": _named(subject),
        "tests": str(len(cases)),
        "failures": str(sum(rule.fails for rule in result.rules)),
        "errors": "0",
        "skipped": str(sum(case.find("skipped") is not None for case in cases)),
        "time": "0",
    }
    root = ET.Element("testsuites", counts)
    suite = ET.SubElement(root, "testsuite", counts)
    suite.extend(cases)
    doubts = [f"Doubt {doubt.coded}" for doubt in result.doubts]
    notes = "\n".join([result.headline, *doubts, *without_doubts(result.notes)])
    ET.SubElement(suite, "system-out").text = _xml(notes)
    ET.indent(root)
    for case in cases:
        # One line for each case.
        case.text = case[0].tail = None
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, "unicode")}\n'


def _case(rule: RuleResult) -> ET.Element:
    place = f"karat.gate.{rule.kind}" if rule.slice is None else f"karat.gate.{rule.kind}.slices"
    case = ET.Element("testcase", {"classname": place, "name": _xml(rule.name), "time": "0"})
    message = _xml(f"{rule.verdict}: {rule.summary}")
    if rule.fails:
        failure = ET.SubElement(case, "failure", {"type": rule.verdict, "message": message})
        failure.text = _xml(rule.line)
    elif rule.verdict == "INCONCLUSIVE":
        ET.SubElement(case, "skipped", {"message": message})
    else:
        ET.SubElement(case, "system-out").text = message
    return case


def _xml(text: str) -> str:
    """Foreign text with an escape for every character that XML cannot hold."""
    return _NOT_XML.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def markdown_of_gate(
    result: GateResult, subject: str = "", *, most_characters: int | None = None
) -> str:
    """A heading, the doubts, a table of rules, failures first, and the notes.

    Args:
        subject: what was measured.
        most_characters: rules beyond it are left out and counted.
    """
    headline = result.headline if result.rules else _plain(result.headline)
    head = [f"### {result.title}: {headline}", ""]
    if subject:
        head += [f"{_plain(subject)}", ""]
    if result.doubts:
        head += [*(f"- **Doubt {doubt.code}:** {_plain(doubt)}" for doubt in result.doubts), ""]
    if result.rules:
        head += [
            "| | rule | value | baseline | difference | one-sided p | n | |",
            "|---|---|---|---|---|---|---|---|",
        ]
    tail = ["", *(f"- {_plain(note)}" for note in without_doubts(result.notes))]
    order = sorted(result.rules, key=lambda rule: (not rule.fails, rule.verdict == "PASS"))
    lines = [_row(rule) for rule in order]
    if most_characters is not None:
        room = most_characters - sum(len(line) + 1 for line in (*head, *tail)) - 100
        n_kept = bisect_right([*accumulate(len(line) + 1 for line in lines)], room)
        if n_kept < len(lines):
            tail = ["", f"{len(lines) - n_kept} more rules are not shown.", *tail]
        lines = lines[:n_kept]
    return "\n".join([*head, *lines, *tail]).rstrip() + "\n"


def _row(rule: RuleResult) -> str:
    cells = [
        _MARKS["FAIL" if rule.is_blocking else rule.verdict],
        f"`{rule.rule}`" + ("" if rule.slice is None else f" where {_plain(rule.slice)}"),
        with_limits(rule.value, rule.low, rule.high),
        with_limits(rule.before, None, None),
        with_limits(rule.difference, rule.difference_low, rule.difference_high, sign="+"),
        "" if rule.shown_p is None else p_text(rule.shown_p).removeprefix("= "),
        "" if rule.n is None else str(rule.n),
        _plain_verdict(rule),
    ]
    return f"| {' | '.join(cells)} |"


def _plain_verdict(rule: RuleResult) -> str:
    more = "; ".join(part for part in (rule.reason, rule.next_step) if part)
    return f"{rule.verdict}: {_plain(more)}" if more else rule.verdict


def _plain(text: str) -> str:
    """Foreign text as it is: no markup, no HTML, no mention, no link, no new line."""
    return _SPECIAL.sub(r"\\\1", harmless(text).replace("&", "&amp;").replace("<", "&lt;"))


def workflow_error(message: str, subject: str = "") -> str:
    """The command of GitHub Actions for an error of the input."""
    title = f"karat gate, {subject}" if subject else "karat gate"
    return f"::error title={_property(title)}::{_data(message)}"


def workflow_commands(result: GateResult, subject: str = "") -> Iterator[str]:
    """One command of GitHub Actions for each rule that fails or is inconclusive.

    Args:
        subject: what was measured.
    """
    for rule in result.rules:
        if rule.verdict != "PASS":
            kind = "error" if rule.fails and not result.warns_only else "warning"
            of = f", {subject}" if subject else ""
            title = _property(f"{result.title}: {rule.verdict}{of}")
            yield f"::{kind} title={title}::{_data(f'{rule.name}: {rule.summary}')}"


def summary(result: GateResult, n_bytes_there: int = 0, subject: str = "") -> str:
    """Markdown for the summary of a job that holds so many bytes already; empty where full."""
    room = min(_MOST_CHARACTERS, (MOST_BYTES - n_bytes_there - 1024) // 4)
    return "" if room < 1000 else markdown_of_gate(result, subject, most_characters=room) + "\n"


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _data(text: str) -> str:
    # A line of a log that starts with :: is a command, also one that a name would make.
    return harmless(text).replace("%", "%25")
