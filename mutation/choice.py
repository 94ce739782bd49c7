"""Which tests a mutant is run against, and in which order."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from mutation.coverage_map import Seen
from mutation.operators import Mutant

FIRST_TESTS, FIRST_FILES = 25, 3
"""The first attempt: few tests of few files, which is enough for most mutants."""
CAP_SECONDS, CAP_FILES = 6.0, 6
"""The second attempt; what survives it is run against every test that runs its line."""
ANY, ALL = sys.maxsize, float("inf")
"""No limit of tests and of files, and no cap of seconds."""
HOMES = {
    "metrics": ("tests/laws/", "tests/calibration/"),
    "designs": ("tests/designs/", "tests/folds/"),
    "inference": ("tests/inference/", "tests/comparison/", "tests/slices/"),
    "tally": ("tests/tally/",),
}
"""Where the tests of a package are."""
OF_IMPORTS = {"tests/laws/test_catalogue_facts.py", "tests/numerics/test_stated_bounds.py"}
"""Tests of what imports have made: they run no line themselves."""
ALIKE = 4
"""So many of one test with other parameters in an attempt, but for the last."""
OF_A_FILE = 8


@dataclass(frozen=True)
class Attempt:
    """Tests that run together."""

    tests: tuple[str, ...]
    seconds: float
    """What they took while they were measured."""
    is_beyond_cap: bool = False
    """Whether it has no limit of seconds."""

    @property
    def files(self) -> list[str]:
        """The files of the tests, in the order of the tests."""
        return list(dict.fromkeys(test.partition("::")[0] for test in self.tests))


@dataclass(frozen=True)
class Candidate:
    """A test that may notice a mutant."""

    test: str
    file: str
    seconds: float
    setup: float
    is_near: bool
    """Whether its name or folder names what is changed."""
    cost: float
    """Seconds for a line that it runs of the changed file: a refusal runs few."""


class Choice:
    """Finds the tests of a mutant in what was measured."""

    def __init__(self, seen: Sequence[Seen], most: float = ALL) -> None:
        """Choose among these files of tests; the last attempt takes at most so many seconds."""
        self.seen = seen
        self.most = most

    def candidates(self, mutant: Mutant) -> list[Candidate]:
        """Every test that runs a line of the mutant, the nearest and cheapest first.

        Of a line that only an import or a first use runs (a default, a constant, the body of a
        formula) also every test that is named after what it stands in or runs any line of its
        file, and those that ask nothing but what imports made: the tests that use what the first
        one left behind.
        """
        found: dict[str, Candidate] = {}
        for file in self.seen:
            lines = file.lines.get(mutant.file, {})
            hit = _hit(lines, mutant)
            if hit is None:
                continue
            numbers = set(hit)
            if mutant.is_once or not hit:
                numbers |= set().union(*lines.values())
                names = names_of(mutant, is_imported=not hit)
                is_all = file.name in OF_IMPORTS
                numbers |= {
                    n for n, (test, _) in enumerate(file.tests) if is_all or _is_named(test, names)
                }
            found |= _candidates(file, numbers, mutant)
        return sorted(found.values(), key=lambda c: (not c.is_near, c.cost))

    def attempts(self, mutant: Mutant, without: Iterable[str] = ()) -> list[Attempt]:
        """Its tests in up to four attempts: a few, more up to the cap, all near ones, the rest."""
        left_out = set(without)
        left = [c for c in self.candidates(mutant) if c.test not in left_out]
        found: list[Attempt] = []
        for n_tests, n_files, seconds, is_near in (
            (FIRST_TESTS, FIRST_FILES, CAP_SECONDS / 3, False),
            (10 * FIRST_TESTS, CAP_FILES, CAP_SECONDS, False),
            (ANY, ANY, self.most, True),
            (ANY, ANY, self.most, False),
        ):
            able = [candidate for candidate in left if candidate.is_near or not is_near]
            taken = _few(able, n_tests, n_files, seconds)
            if taken:
                found.append(replace(_attempt(taken), is_beyond_cap=n_tests == ANY))
                names = {candidate.test for candidate in taken}
                left = [candidate for candidate in left if candidate.test not in names]
        return found


def _hit(lines: dict[int, list[int]], mutant: Mutant) -> list[int] | None:
    """The tests that run a mutant's lines; None where not even an import runs them."""
    for first, last in (mutant.span, mutant.statement):
        ran = [lines[line] for line in range(first, last + 1) if line in lines]
        if ran:
            return [number for numbers in ran for number in numbers]
    return None


def names_of(mutant: Mutant, *, is_imported: bool) -> tuple[str, ...]:
    """The function that it stands in; outside of any, or where an import runs it, all of the file.

    What an import runs inside of a function makes something for all of them.
    """
    function = mutant.function.partition(".")[0]
    if function and ((function in mutant.public and mutant.is_once) or not is_imported):
        return (function,)
    return mutant.public


def _is_named(test: str, names: Iterable[str]) -> bool:
    """Whether a parameter of a test is a function of a mutant, as in 'test_a_record[recall]'."""
    parameters = test.partition("[")[2]
    return any(name in parameters for name in names if name)


def _candidates(file: Seen, numbers: Iterable[int], mutant: Mutant) -> dict[str, Candidate]:
    found: dict[str, Candidate] = {}
    is_home = file.name.startswith(HOMES.get(mutant.file.split("/")[2], ()))
    stem = mutant.file.rpartition("/")[2].removesuffix(".py").strip("_")
    names = names_of(mutant, is_imported=not _hit(file.lines[mutant.file], mutant))
    n_lines = Counter(n for tests in file.lines[mutant.file].values() for n in tests)
    for number in numbers:
        test, seconds = file.tests[number]
        cost = seconds / (1 + n_lines[number])
        near = is_home or stem in file.name or _is_named(test, names)
        found[test] = Candidate(test, file.name, seconds, file.setup, near, cost)
    return found


def _few(left: Sequence[Candidate], n_tests: int, n_files: int, seconds: float) -> list[Candidate]:
    """The first of the candidates within these limits, at least one, file by file."""
    files: dict[str, list[Candidate]] = {}
    alike: Counter[str] = Counter()
    is_last = n_tests == ANY
    spent, taken = 0.0, 0
    for candidate in left:
        of_file = files.get(candidate.file)
        more = candidate.seconds + (candidate.setup if of_file is None else 0.0)
        if taken and (taken >= n_tests or spent + more > seconds):
            continue
        if of_file is None and len(files) >= n_files:
            continue
        if (
            not is_last
            and of_file is not None
            and len(of_file) >= max(OF_A_FILE, n_tests // n_files)
        ):
            continue
        name = candidate.test.partition("[")[0]
        if not is_last and alike[name] >= ALIKE:
            continue
        alike[name] += 1
        files.setdefault(candidate.file, []).append(candidate)
        spent, taken = spent + more, taken + 1
    return [candidate for of_file in files.values() for candidate in of_file]


def _attempt(taken: Sequence[Candidate]) -> Attempt:
    setups = {candidate.file: candidate.setup for candidate in taken}
    seconds = sum(setups.values()) + sum(candidate.seconds for candidate in taken)
    return Attempt(tuple(candidate.test for candidate in taken), seconds)
