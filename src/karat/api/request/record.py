"""Records of options: every parameter of a verb is declared once, as a field of a request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, replace
from enum import Enum
from typing import Any, Final, Literal, TypeAlias

from karat.api.request.checks import Check

_KEY: Final = "option"


class _Same(Enum):
    """A change that leaves the default as it is."""

    SAME = "same"


_SAME: Final = _Same.SAME

FlagKind: TypeAlias = Literal[
    "text",
    "number",
    "whole",
    "words",
    "switch",
    "list",
    "columns",
    "groups",
    "level",
    "size",
    "path",
    "file",
    "names",
    "bounds",
    "strata",
    "proportions",
]


@dataclass(frozen=True, slots=True)
class Change:
    """What a parameter is at one verb, where it differs from its record.

    Attributes:
        text, type, check: as of `Option`; None: those of the record.
        default: its default at this verb; without one, that of the record.
        is_positional: whether it may be given without its name; None: as of the record.
    """

    text: str | None = None
    type: str | None = None
    default: Any = _SAME
    check: Check | None = None
    is_positional: bool | None = None


@dataclass(frozen=True, slots=True)
class Flag:
    """Option of commands.

    Attributes:
        name: as it is typed, ``"--weights"``.
        commands: those that have it.
        help: what their ``--help`` says of it.
        metavar: the word that stands for a value.
        kind: form of a value.
        choices: the words of kind ``"words"``.
        default: its default, as it is typed; None without one.
        least, most: range of a whole number.
        is_repeated: whether it may be given several times.
        is_hidden: whether ``--help`` leaves it out.
        needs: name of another option, without which it says nothing and is refused.
    """

    name: str
    commands: str
    help: str | None = None
    metavar: str | None = None
    kind: FlagKind = "text"
    choices: tuple[str, ...] = ()
    default: Any = None
    least: int | None = None
    most: int | None = None
    is_repeated: bool = False
    is_hidden: bool = False
    needs: str = ""


@dataclass(frozen=True, slots=True)
class Option:
    """One parameter of verbs, and its option of the command line.

    Attributes:
        name: of the parameter.
        type: its annotation, as text.
        default: its default.
        text: what it means, for docstrings, the stub and the reference.
        verbs: functions and methods that take it: ``"evaluate"``, ``"Stream.update"``.
        group: name of the group of options that declares it.
        is_positional: whether it may be given without its name.
        flags: its options of the command line, each of some commands.
        changes: verb → what differs there.
        check: what a value may be that is not the default; None: the verb finds out.
    """

    name: str
    type: str
    default: Any
    text: str
    verbs: tuple[str, ...]
    group: str
    is_positional: bool = False
    flags: tuple[Flag, ...] = ()
    changes: tuple[tuple[str, Change], ...] = ()
    check: Check | None = None

    def flag_of(self, command: str) -> Flag | None:
        """Its option of a command; None without one."""
        return next((flag for flag in self.flags if command in flag.commands.split()), None)

    def at(self, verb: str) -> Option:
        """The option as a verb takes it."""
        change = dict(self.changes).get(verb)
        if change is None:
            return self
        is_positional = change.is_positional
        return replace(
            self,
            is_positional=self.is_positional if is_positional is None else is_positional,
            text=self.text if change.text is None else change.text,
            type=self.type if change.type is None else change.type,
            default=self.default if change.default is _SAME else change.default,
            check=self.check if change.check is None else change.check,
        )


def option(
    text: str,
    *,
    verbs: str = "",
    default: Any = None,
    is_positional: bool = False,
    flags: tuple[Flag, ...] = (),
    at: Mapping[str, Change] | None = None,
    check: Check | None = None,
    shown_type: str = "",
) -> Any:
    """Declare an option as a field of a group; `verbs` are separated by blanks.

    Args:
        shown_type: what signatures show of a class that this record cannot import; default: the
            annotation of the field.
    """
    facts = {
        "shown_type": shown_type,
        "text": text,
        "verbs": tuple(verbs.split()),
        "is_positional": is_positional,
        "flags": flags,
        "changes": tuple((at or {}).items()),
        "check": check,
    }
    return field(default=default, metadata={_KEY: facts})


def option_of(item: Field[Any], group: str) -> Option:
    """The record that a field of a group declares."""
    facts = dict(item.metadata[_KEY])
    shown = facts.pop("shown_type") or str(item.type)
    return Option(item.name, shown, item.default, group=group, **facts)
