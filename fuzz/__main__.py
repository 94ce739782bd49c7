"""Fuzz every target for a bounded number of executions: `make fuzz`, `python -m fuzz --help`.

First the deliberate mistakes, which have to be found; then the targets, as many at a time as there
are cores. Inputs that reach something new are kept, minimised, in place of the committed ones. What
becomes of a target is kept as it ends, in fuzz/results: `--rest` goes on after an interruption.
"""

from __future__ import annotations

import argparse
import os
import sys

from fuzz import record
from fuzz.build import ENVIRONMENT, MODULE, ROOT, build, open_module, runtime
from fuzz.outcome import table
from fuzz.targets import load


def parsed() -> argparse.Namespace:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", help="names of bindings; all of them by default")
    parser.add_argument("--runs", type=int, default=120_000, help="executions of each target")
    parser.add_argument(
        "--seconds", type=int, default=0, help="at most, for each target; 0: no limit"
    )
    parser.add_argument(
        "--rest", action="store_true", help="only targets without so many executions on record"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="targets at a time")
    arguments = parser.parse_args()
    unknown = set(arguments.targets) - set(load())
    if unknown:
        parser.error(f"no target is called {', '.join(sorted(unknown))}")
    return arguments


def main() -> int:
    """Exit status 1 when anything was found."""
    arguments = parsed()
    if MODULE not in os.environ:
        path = build()
        environment = {**os.environ, **ENVIRONMENT, "LD_PRELOAD": runtime(), MODULE: path}
        os.chdir(ROOT)
        os.execve(sys.executable, [sys.executable, "-m", "fuzz", *sys.argv[1:]], environment)
    from fuzz.session import open_session

    options = [f"-atheris_runs={arguments.runs}"]
    if arguments.seconds:
        options.append(f"-max_total_time={arguments.seconds}")
    session = open_session(open_module(os.environ[MODULE]), options, arguments.jobs)
    session.prove()
    names = arguments.targets or list(session.targets)
    if arguments.rest:
        names = record.rest(names, arguments.runs)
    outcomes = []
    for outcome in session.fuzz(names):
        record.add(outcome)
        record.write(session.targets)
        outcomes.append(outcome)
    if outcomes:
        print(table(outcomes, len(session.edges), session.n_edges))
    return int(any(outcome.finding for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
