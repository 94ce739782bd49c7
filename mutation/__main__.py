"""Sample mutants, run each against the tests that run its line, and write what became of them."""

from __future__ import annotations

import argparse
import datetime as dt
import platform
import sys
from pathlib import Path

from mutation import choice, coverage_map, recorded_calls
from mutation.child import warm_up
from mutation.choice import Choice
from mutation.operators import Mutant
from mutation.report import GOAL, Score, explanations, page
from mutation.run import Runner, Verdict
from mutation.sample import PACKAGES, sample, sources
from mutation.suites import test_files

ROOT = Path(__file__).resolve().parents[1]
HERE = Path(__file__).parent
BUILD = ROOT / "build" / "mutants"


def main(arguments: list[str]) -> int:
    """Run what is chosen; the exit status is 1 when too many mutants survive."""
    parser = argparse.ArgumentParser(prog="python -m mutation", description=__doc__)
    parser.add_argument("-n", type=int, default=510, help="mutants in all; default: 510")
    parser.add_argument("--seed", type=int, default=1, help="seed of the sample; default: 1")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time; default: 2")
    parser.add_argument("--package", action="append", help="a folder of karat; default: all")
    parser.add_argument("--corpus", action="store_true", help="run the recorded calls alone")
    parser.add_argument("--again", action="store_true", help="run survivors of the last run again")
    parser.add_argument("--out", type=Path, help="page to write; default: mutation/results/DATE.md")
    options = parser.parse_args(arguments)
    rooms = recorded_calls.PACKAGES if options.corpus else PACKAGES
    packages = tuple(options.package or rooms)
    if unknown := sorted(set(packages) - set(rooms)):
        parser.error(f"no mutants are made of {', '.join(unknown)}, but of {', '.join(rooms)}")

    warm_up()
    folders = [ROOT / "src" / "karat" / package for package in rooms]
    files, seconds, most = test_files(ROOT), None, choice.ALL
    if options.corpus:
        files = recorded_calls.files(ROOT, BUILD / "calls")
        seconds, most = recorded_calls.SECONDS, recorded_calls.CAP_SECONDS
    seen = coverage_map.measure(
        ROOT, files, folders, BUILD / "coverage", options.jobs, seconds_of_a_file=seconds
    )
    mutants = sample(ROOT, options.n, options.seed, packages)
    runner = Runner(ROOT, Choice(seen, most), BUILD / "run", options.jobs)
    state = coverage_map.digest(
        [*files, *(path for package in rooms for path in sources(ROOT, package))]
        if options.corpus
        else (path for package in rooms for path in sources(ROOT, package))
    )
    log = BUILD / f"log-{state}.jsonl"
    why = explanations(HERE / "explained.toml")
    verdicts = runner.run(mutants, log, again=options.again, explained=why)

    unsure = runner.failing({verdict.by.partition(" (")[0] for verdict in verdicts.values()} - {""})
    doubted = [m for m, v in verdicts.items() if v.by.partition(" (")[0] in unsure]
    if doubted:
        print(f"Run again without {len(unsure)} tests that fail as things are: {sorted(unsure)}")
        verdicts |= runner.run(doubted, BUILD / f"doubted-{state}.jsonl", without=unsure)

    ordered = {mutant: verdicts[mutant] for mutant in mutants}
    text = page(ordered, why, facts(options, ordered, len(seen)))
    suffix = "-corpus" * options.corpus
    out = options.out or HERE / "results" / f"{dt.date.today().isoformat()}{suffix}.md"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text, encoding="utf-8")
    print(text)
    # No share of mutants is asked of the corpus: it records what is seen from outside.
    return int(not options.corpus and Score.of(ordered, why).share < GOAL)


def facts(options: argparse.Namespace, verdicts: dict[Mutant, Verdict], n_files: int) -> list[str]:
    """How the run was made."""
    n_tests = sorted(verdict.n_tests for verdict in verdicts.values()) or [0]
    today = dt.date.today().isoformat()
    command = f"make mutants N={options.n} SEED={options.seed}"
    if options.package:
        only = " ".join(f"--package {package}" for package in options.package)
        command = f"python -m mutation -n {options.n} --seed {options.seed} {only}"
    python = platform.python_version()
    if options.corpus:
        command = f"python -m mutation --corpus -n {options.n} --seed {options.seed}"
        how = (
            f"Each mutant ran against the recorded calls that run its line ({n_files} groups),"
            f" the cheapest first, up to {recorded_calls.CAP_SECONDS:.0f} seconds of them; each"
            " call was made alone in an empty folder, and every float, code and text of its"
            f" outcome compared. The most calls that one mutant ran against: {n_tests[-1]}."
        )
        return [f"{today}, Python {python}, seed {options.seed}: `{command}`.", "", how]
    how = (
        f"Each mutant ran against at most {choice.FIRST_TESTS} near and fast tests that run its"
        f" line, what survived against more of them up to {choice.CAP_SECONDS:.0f} seconds, what"
        " survived this cap against every test of its package's own folder, and what survived"
        f" these against every measured test that runs its line ({n_files} files"
        f" of tests; of a file, those that start within {coverage_map.SECONDS} seconds of"
        " measuring); what is explained ran up to the cap. The most tests that one mutant"
        f" ran against: {n_tests[-1]}."
    )
    return [f"{today}, Python {python}, seed {options.seed}: `{command}`.", "", how]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
