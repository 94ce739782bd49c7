"""Which mutants of the sources are run."""

from __future__ import annotations

import random
from pathlib import Path

from mutation.operators import Mutant, mutants

PACKAGES = ("metrics", "designs", "inference", "tally")
LEAST = 100
"""At least so many of each package, where the sample is large enough."""


def sources(root: Path, package: str) -> list[Path]:
    """The files of a package of karat."""
    return sorted((root / "src" / "karat" / package).rglob("*.py"))


def shares(n: int, lines: dict[str, int]) -> dict[str, int]:
    """How many of `n` mutants each package gets: as its lines, but no fewer than the least."""
    least = min(LEAST, n // len(lines))
    total = sum(lines.values())
    free = n - least * len(lines)
    found = {package: least + free * of_it // total for package, of_it in lines.items()}
    largest = max(found, key=lambda package: lines[package])
    found[largest] += n - sum(found.values())
    return found


def sample(root: Path, n: int, seed: int, packages: tuple[str, ...] = PACKAGES) -> list[Mutant]:
    """`n` mutants, drawn alike from all of a package; the same for the same sources and seed."""
    pool: dict[str, list[Mutant]] = {}
    lines: dict[str, int] = {}
    for package in packages:
        texts = {path: path.read_text(encoding="utf-8") for path in sources(root, package)}
        lines[package] = sum(len(text.splitlines()) for text in texts.values())
        pool[package] = [
            mutant
            for path, text in texts.items()
            for mutant in mutants(path.relative_to(root).as_posix(), text)
        ]
    drawn: list[Mutant] = []
    for package, share in shares(n, lines).items():
        # A package's draw depends on nothing of the others.
        lot = random.Random(f"{seed} {package}")
        drawn += lot.sample(pool[package], min(share, len(pool[package])))
    return drawn
