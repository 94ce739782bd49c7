"""What a run found, as a page: the mutants killed of each package, and each that was not."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mutation.operators import Key, Mutant
from mutation.run import ALIVE, Verdict

GOAL = 0.9


def explanations(path: Path) -> dict[Key, str]:
    """The reasons of a file of explained mutants."""
    stored = tomllib.loads(path.read_text(encoding="utf-8"))["mutant"] if path.exists() else []
    names = ("file", "function", "code", "column", "before", "after")
    return {tuple(each[name] for name in names): each["why"] for each in stored}  # type: ignore[misc]


@dataclass(frozen=True)
class Score:
    """How the mutants of one group fared."""

    mutants: int
    killed: int
    timeouts: int
    explained: int
    survived: int

    @classmethod
    def of(cls, verdicts: Mapping[Mutant, Verdict], why: Mapping[Key, str]) -> Score:
        """Count the verdicts."""
        states = Counter(verdict.state for verdict in verdicts.values())
        alive = survivors(verdicts)
        explained = sum(mutant.key in why for mutant in alive)
        return cls(
            len(verdicts),
            states["killed"] + states["timeout"],
            states["timeout"],
            explained,
            len(alive) - explained,
        )

    @property
    def share(self) -> float:
        """Killed ones of those that a test can kill."""
        able = self.mutants - self.explained
        return self.killed / able if able else 1.0

    def row(self, name: str) -> str:
        """A line of the table."""
        raw = self.killed / self.mutants if self.mutants else 1.0
        numbers = f"{self.mutants} | {self.killed} | {self.timeouts} | {self.explained}"
        return f"| {name} | {numbers} | {self.survived} | {raw:.1%} | {self.share:.1%} |"


def survivors(verdicts: Mapping[Mutant, Verdict]) -> list[Mutant]:
    """The mutants that no test noticed, by file and line."""
    alive = [m for m, verdict in verdicts.items() if verdict.state in ALIVE]
    return sorted(alive, key=lambda mutant: (mutant.file, mutant.line, mutant.number))


def page(verdicts: Mapping[Mutant, Verdict], why: Mapping[Key, str], facts: Sequence[str]) -> str:
    """The page of a run."""
    packages = {mutant.file.split("/")[2]: None for mutant in verdicts}
    head = (
        "mutants | killed | of these by a limit of time | survived, explained | survived | killed |"
        " killed of those that can be |"
    )
    lines = ["# Mutation testing", "", *facts, "", f"| package | {head}", "|---" * 8 + "|"]
    for package in packages:
        of_it = {m: v for m, v in verdicts.items() if m.file.split("/")[2] == package}
        lines.append(Score.of(of_it, why).row(package))
    lines.append(Score.of(verdicts, why).row("all"))
    lines += ["", f"| operator | {head}", "|---" * 8 + "|"]
    for operator in sorted({mutant.operator for mutant in verdicts}):
        of_it = {m: v for m, v in verdicts.items() if m.operator == operator}
        lines.append(Score.of(of_it, why).row(operator))
    lines += _listed("Survived", [m for m in survivors(verdicts) if m.key not in why], {}, verdicts)
    told = [m for m in survivors(verdicts) if m.key in why]
    lines += _listed("Survived and explained", told, why, verdicts)
    late = [m for m, verdict in verdicts.items() if verdict.state == "timeout"]
    lines += _listed("Ended by a limit of time", late, {}, verdicts)
    return "\n".join(lines) + "\n"


def _listed(
    title: str,
    mutants: Sequence[Mutant],
    why: Mapping[Key, str],
    verdicts: Mapping[Mutant, Verdict],
) -> list[str]:
    """A section that names each mutant."""
    lines = ["", f"## {title}", ""] + ([] if mutants else ["None."])
    for mutant in mutants:
        place = f"`{mutant.file.removeprefix('src/karat/')}:{mutant.line}`"
        change = f"{mutant.operator}: `{_short(mutant.before)}` → `{_short(mutant.after)}`"
        reason = why.get(mutant.key) or f"{verdicts[mutant].n_tests} tests"
        lines.append(f"- {place} {change} in `{mutant.code}`: {reason}")
    return lines


def _short(text: str, length: int = 80) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
