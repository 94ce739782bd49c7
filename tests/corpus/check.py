"""Make the calls of a group again and compare the outcomes with the recorded ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from tests.corpus import store
from tests.corpus.calls import calls_of, in_a_folder
from tests.corpus.differences import (
    EXACT,
    MISSING,
    OTHER_PROCESSOR,
    SAME_PROCESSOR,
    Difference,
    Tolerance,
    compare,
)
from tests.corpus.outcome import Outcome, outcome_of


@dataclass
class Finding:
    """A call whose outcome differs, with the differences."""

    name: str
    differences: list[Difference] = field(default_factory=list)

    def text(self, most: int = 5) -> str:
        """Render the call and its first differences."""
        lines = [self.name]
        lines += [
            f"    {d.path}: {_short(d.was)} → {_short(d.now)}" for d in self.differences[:most]
        ]
        if len(self.differences) > most:
            lines.append(f"    and {len(self.differences) - most} more")
        return "\n".join(lines)


@dataclass
class Check:
    """What became of the calls of a group."""

    group: str
    n_calls: int = 0
    findings: list[Finding] = field(default_factory=list)
    n_moved: int = 0
    """Floats that moved within the tolerance."""
    largest: float = 0.0
    """The largest such move, as a part of the float."""

    def text(self, most: int = 5) -> str:
        """Render a line of counts, and the calls that differ."""
        moved = f", {self.n_moved} floats moved by at most {self.largest:.1e}" * bool(self.n_moved)
        head = f"{self.group:20} {self.n_calls:5} calls {len(self.findings):5} differ{moved}"
        return "\n".join([head, *(finding.text(most) for finding in self.findings)])


def _short(value: object, most: int = 160) -> str:
    text = repr(value)
    return text if len(text) <= most else text[: most - 1] + "…"


def outcomes_of(
    group: str, wanted: str = "", only: Collection[str] | None = None
) -> dict[str, Outcome]:
    """Make the calls of a group whose id holds some text, or these calls only."""
    with in_a_folder():
        return {
            call.id: outcome_of(call.run)
            for call in calls_of(group)
            if wanted in call.id and (only is None or call.id in only)
        }


def compared(
    group: str,
    was: Mapping[str, Outcome],
    now: Mapping[str, Outcome],
    tolerance: Tolerance = EXACT,
    *,
    text: bool = True,
) -> Check:
    """Compare the outcomes of a group; calls that are missing or new differ."""
    check = Check(group, len(now))
    for name in [*was, *(name for name in now if name not in was)]:
        differences = [Difference("", "an outcome", MISSING)]
        if name not in was:
            differences = [Difference("", MISSING, "an outcome")]
        elif name in now:
            comparison = compare(was[name], now[name], tolerance, text=text)
            differences = comparison.differences
            check.n_moved += comparison.n_moved
            check.largest = max(check.largest, comparison.largest)
        if differences:
            check.findings.append(Finding(f"{group}/{name}", differences))
    return check


def tolerance_here(group: str) -> Tolerance:
    """Return how far floats may move: values not at all where the group was recorded."""
    return SAME_PROCESSOR if store.machine_of(group) == store.machine() else OTHER_PROCESSOR


def checked(
    group: str,
    *,
    wanted: str = "",
    tolerance: Tolerance | None = None,
    text: bool = True,
    part: int | None = None,
    n_parts: int = 1,
) -> Check:
    """Make the calls of a group, or a part of them, and compare them with what was recorded."""
    was = {name: outcome for name, outcome in store.read(group).items() if wanted in name}
    if part is not None:
        # Recorded calls that are gone belong to the first part.
        ids = [call.id for call in calls_of(group)]
        gone = [name for name in was if name not in set(ids)] if part == 0 else []
        chosen = {*ids[part::n_parts], *gone}
        was = {name: outcome for name, outcome in was.items() if name in chosen}
        now = outcomes_of(group, wanted, chosen)
    else:
        now = outcomes_of(group, wanted)
    return compared(group, was, now, tolerance or tolerance_here(group), text=text)
