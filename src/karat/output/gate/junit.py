"""A gate as JUnit XML: one test case for each rule."""

from __future__ import annotations

from karat.output.gate.xml_text import escaped
from karat.results.gate.outcome import GateResult
from karat.results.gate.verdicts import RuleResult

__all__ = ["junit_of_gate"]


def junit_of_gate(result: GateResult) -> str:
    """The XML that GitLab, Jenkins and others read.

    What only could not be told counts as skipped; notes are the output of the suite.
    """
    n_failed = sum(rule.fails for rule in result.rules)
    n_skipped = sum(_is_skipped(rule) for rule in result.rules)
    counts = f'tests="{len(result.rules)}" failures="{n_failed}" errors="0" skipped="{n_skipped}"'
    notes = "\n".join([result.headline, *result.notes])
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<testsuites name="karat gate" {counts} time="0">',
            f'  <testsuite name="karat gate" {counts} time="0">',
            *(_case(rule) for rule in result.rules),
            f"    <system-out>{escaped(notes)}</system-out>",
            "  </testsuite>",
            "</testsuites>",
            "",
        ]
    )


def _is_skipped(rule: RuleResult) -> bool:
    return rule.verdict == "INCONCLUSIVE" and not rule.fails


def _case(rule: RuleResult) -> str:
    place = f"karat.gate.{rule.kind}" if rule.slice is None else f"karat.gate.{rule.kind}.slices"
    start = f'    <testcase classname="{escaped(place)}" name="{escaped(rule.name)}" time="0">'
    message = escaped(f"{rule.verdict}: {rule.told}")
    inside = f"<system-out>{message}</system-out>"
    if rule.fails:
        inside = (
            f'<failure type="{rule.verdict}" message="{message}">{escaped(rule.line)}</failure>'
        )
    elif _is_skipped(rule):
        inside = f'<skipped message="{message}"/>'
    return f"{start}{inside}</testcase>"
