"""Make the calls of groups and compare what they give with the annotations."""

from __future__ import annotations

import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import karat
from tests.corpus.calls import CLUSTERS, GROUPS, calls_of, in_a_folder
from tests.corpus.outcome import Outcome, outcome_of
from tests.corpus.typing_check.hints import Hint, Unknown
from tests.corpus.typing_check.lies import Lie, Lies, changes, read, replaced, write
from tests.corpus.typing_check.matching import what_came
from tests.corpus.typing_check.surface import any_counts, name_of
from tests.corpus.typing_check.walk import Walk
from tests.corpus.typing_check.watch import Seen, Watch, watching


@dataclass
class Findings:
    """What the check of some groups came to."""

    n_calls: int = 0
    n_checks: int = 0
    lies: Lies = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    # Annotations that could not be evaluated, calls that no overload takes, attributes that raise.
    unknown: Counter[str] = field(default_factory=Counter)
    outside: Counter[str] = field(default_factory=Counter)
    problems: Counter[str] = field(default_factory=Counter)

    def check(
        self, call: str, name: str, hint: Hint, value: Any, self_type: type | None = None
    ) -> None:
        """Compare a value with its annotation; `call` is that of the corpus."""
        self.n_checks += 1
        self.names.add(name)
        if hint.type is Unknown:
            self.unknown[f"{name}: {hint.text}"] += 1
        elif not hint.is_any and not hint.holds(value, self_type):
            lie = Lie(name, hint.text, what_came(value, hint.type, self_type))
            self.lies.setdefault(lie, {}).setdefault(call.partition("/")[0], call)

    def check_call(self, call: str, seen: Seen) -> None:
        """Compare what a public call gave with what the source and the stub promise."""
        for promise in seen.promises:
            hint = promise.returns(seen.args, seen.kwargs)
            if hint is None:
                self.outside[promise.name] += 1
            else:
                self.check(call, promise.name, hint, seen.value, seen.owner)


def run_groups(groups: Iterable[str], *, progress: bool = False) -> Findings:
    """Make the calls of the groups under the watch."""
    findings = Findings()
    for group in groups:
        before, start = (findings.n_calls, findings.n_checks), time.process_time()
        run_group(group, findings)
        if progress:
            n_calls, n_checks = findings.n_calls - before[0], findings.n_checks - before[1]
            n_lies = sum(group in calls for calls in findings.lies.values())
            counts = f"{n_calls:5} calls {n_checks:8,} checks {n_lies:4} lies"
            print(f"{group:20} {counts} {time.process_time() - start:6.1f} s", flush=True)
    return findings


def forget_rows() -> None:
    """Forget what modules of calls keep: a test before may have made it without the watch."""
    for name, module in list(sys.modules.items()):
        if name.startswith("tests.corpus."):
            for value in list(vars(module).values()):
                clear = getattr(value, "cache_clear", None)
                if callable(clear):
                    clear()


def run_group(group: str, findings: Findings) -> None:
    """Make the calls of a group, and add to the findings."""
    at: list[str] = [""]
    forget_rows()

    def check(owner: type, name: str, hint: Hint, value: Any) -> None:
        findings.check(at[0], f"{name_of(owner)}.{name}", hint, value, owner)

    def problem(owner: type, name: str, raised: Exception) -> None:
        if not isinstance(raised, karat.KaratError | NotImplementedError):
            findings.problems[f"{name_of(owner)}.{name}: {type(raised).__name__}: {raised}"] += 1

    walk = Walk(check, problem)
    # The group is loaded first, so that functions that it has imported by name are watched too.
    calls_of(group)
    with watching() as watch, in_a_folder():
        for call in calls_of(group):
            findings.n_calls += 1
            at[0] = f"{group}/{call.id}"
            findings.outcomes[at[0]] = outcome_of(call.run)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                _look(at[0], watch, walk, findings)


def _look(call: str, watch: Watch, walk: Walk, findings: Findings) -> None:
    """Check what the watch has seen since the last call."""
    seen, built = watch.drained()
    # What is called here is not seen.
    watch.is_inside = True
    try:
        for item in seen:
            findings.check_call(call, item)
        walk.start()
        walk.through([*(item.value for item in seen), *built])
    finally:
        watch.is_inside = False
        watch.drained()


def main(groups: Sequence[str] = (), *, record: bool = False, everything: bool = False) -> int:
    """Check groups, all but those of Dask and Spark by default; compare with the recorded lies."""
    unknown = [group for group in groups if group not in GROUPS]
    if unknown:
        sys.exit(f"no such group: {', '.join(unknown)}; the groups are {', '.join(GROUPS)}")
    chosen = list(groups) or [x for x in GROUPS if everything or x not in CLUSTERS]
    findings = run_groups(chosen, progress=True)
    every, vague = any_counts()
    print(f"{findings.n_calls:,} calls, {findings.n_checks:,} checks, {len(findings.lies)} lies")
    n_checked = len(findings.names.intersection(every))
    print(f"{n_checked} of {len(every)} public callables and attributes gave something to check")
    print(f"{len(vague)} of {len(every)} promise Any or nothing")
    for title, counted in (
        ("annotations that cannot be evaluated", findings.unknown),
        ("calls that no overload takes", findings.outside),
        ("attributes that raise what is no KaratError", findings.problems),
    ):
        if counted:
            print(f"{title}: {len(counted)}")
            print("".join(f"    {n:5} {name}\n" for name, n in counted.most_common()), end="")
    was = read()
    if record:
        # Read again: another run may have recorded other groups.
        write(replaced(read(), chosen, findings.lies))
        return 0
    lines = changes(was, findings.lies, chosen)
    print("\n".join(lines) if lines else "the lies are those recorded")
    return min(1, len(lines))
