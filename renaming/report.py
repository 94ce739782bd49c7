"""What changed, by rule and by file, and what needs a person."""

from __future__ import annotations

import ast
import difflib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from renaming.calls import Place


@dataclass(frozen=True, order=True)
class Remark:
    """A line that needs a person."""

    path: str
    line: int
    text: str


@dataclass
class Report:
    """Old and new texts of files, counts by rule, and remarks."""

    root: Path
    texts: dict[Path, tuple[str, str]] = field(default_factory=dict)
    rules: Counter[str] = field(default_factory=Counter)
    files: Counter[Path] = field(default_factory=Counter)
    remarks: set[Remark] = field(default_factory=set)
    n_calls: int = 0
    n_spreads: int = 0

    def count(self, path: Path, rules: list[str]) -> None:
        self.rules.update(rules)
        self.files[path] += len(rules)

    def remark(self, place: Place, line: int, verbs: Iterable[str]) -> None:
        """A place once, with all verbs that it is about."""
        shown = ast.unparse(place.node).partition("\n")[0]
        text = f"{place.text.replace('VERBS', ', '.join(sorted(verbs)))}: {shown[:80]}"
        self.remarks.add(Remark(self.short(place.module.path), line, text))

    def short(self, path: Path) -> str:
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)

    @property
    def changed(self) -> dict[Path, str]:
        """New texts of the files that change."""
        return {path: new for path, (old, new) in self.texts.items() if old != new}

    def diff(self) -> str:
        """A unified diff of all files."""
        parts: list[str] = []
        for path in sorted(self.changed):
            old, new = (text.splitlines(keepends=True) for text in self.texts[path])
            name = self.short(path)
            parts += difflib.unified_diff(old, new, f"a/{name}", f"b/{name}")
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in parts)

    def lines(self) -> Iterator[str]:
        """The summary."""
        yield f"{sum(self.rules.values())} changes in {len(self.changed)} files"
        yield f"{self.n_calls} calls of verbs of the table, with {self.n_spreads} spreads"
        for rule, n in self.rules.most_common():
            yield f"{n:6}  {rule}"
        for path, n in sorted(self.files.items()):
            if n:
                yield f"{n:6}  {self.short(path)}"
        yield f"{len(self.remarks)} places need a person"
        for remark in sorted(self.remarks):
            yield f"{remark.path}:{remark.line}: {remark.text}"
