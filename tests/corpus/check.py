"""Make the calls of a group again and compare the outcomes with the recorded ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tests.corpus import store
from tests.corpus.calls import Call, calls_of, in_a_folder
from tests.corpus.exceptions import EXCEPTIONS, Allowed
from tests.corpus.outcome import MISSING, Difference, Outcome, differences, outcome_of


@dataclass
class Finding:
    """A call whose outcome differs, with the differences that no exception covers."""

    name: str
    differences: list[Difference] = field(default_factory=list)

    def text(self, most: int = 5) -> str:
        """The call and its first differences."""
        lines = [self.name]
        lines += [
            f"    {d.path}: {_short(d.was)} → {_short(d.now)}" for d in self.differences[:most]
        ]
        if len(self.differences) > most:
            lines.append(f"    and {len(self.differences) - most} more")
        return "\n".join(lines)


def _short(value: object, most: int = 160) -> str:
    text = repr(value)
    return text if len(text) <= most else text[: most - 1] + "…"


def outcomes_of(group: str, wanted: str = "") -> dict[str, Outcome]:
    """The outcomes of a group now, of the calls whose id holds some text."""
    with in_a_folder():
        return {call.id: outcome_of(call.run) for call in _held(calls_of(group), wanted)}


def _held(calls: Iterable[Call], wanted: str) -> Iterator[Call]:
    return (call for call in calls if wanted in call.id)


def findings(
    group: str,
    was: Mapping[str, Outcome],
    now: Mapping[str, Outcome],
    *,
    within: float = 0.0,
    text: bool = True,
    exceptions: Iterable[Allowed] = EXCEPTIONS,
    used: set[Allowed] | None = None,
) -> list[Finding]:
    """The calls whose outcomes differ, are missing or are new."""
    found = []
    for name in [*was, *(name for name in now if name not in was)]:
        full = f"{group}/{name}"
        if name not in now:
            differing = [Difference("", "an outcome", MISSING)]
        elif name not in was:
            differing = [Difference("", MISSING, "an outcome")]
        else:
            differing = differences(was[name], now[name], within=within, text=text)
        left = []
        for difference in differing:
            covering = next((one for one in exceptions if one.covers(full, difference)), None)
            if covering is None:
                left.append(difference)
            elif used is not None:
                used.add(covering)
        if left:
            found.append(Finding(full, left))
    return found


def checked(
    group: str,
    *,
    wanted: str = "",
    within: float = 0.0,
    text: bool = True,
    used: set[Allowed] | None = None,
) -> list[Finding]:
    """Make the calls of a group and compare them with what was recorded."""
    was = {name: outcome for name, outcome in store.read(group).items() if wanted in name}
    return findings(group, was, outcomes_of(group, wanted), within=within, text=text, used=used)
