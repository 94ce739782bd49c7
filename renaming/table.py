"""The table of what is renamed, read from TOML."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any


class TableError(ValueError):
    """A table that cannot be applied."""


@dataclass(frozen=True)
class Rename:
    """Keywords of some verbs that get other names, all at the same time.

    `inline`: patterns of the documents whose inline code has the new names too.
    """

    verbs: tuple[str, ...]
    keywords: Mapping[str, str]
    inline: tuple[str, ...] = ()


@dataclass(frozen=True)
class Group:
    """Keywords of some verbs that move into one constructor: member → its name there."""

    verbs: tuple[str, ...]
    keyword: str
    constructor: str
    members: Mapping[str, str]


@dataclass(frozen=True)
class Rewrite:
    """Keywords with certain values that become others.

    A pattern `$x` stands for any expression, any other pattern for the literal it spells.
    `none`: whether a literal None in place of `$x` is kept, or drops the keyword.
    """

    verbs: tuple[str, ...]
    match: Mapping[str, str]
    give: Mapping[str, str]
    none: str = "drop"

    @property
    def wrapped(self) -> list[str]:
        """Keywords whose value stands inside a longer expression."""
        return [
            name
            for name, text in self.match.items()
            if text.startswith("$")
            and any(re.search(rf"{re.escape(text)}\b", t) and t != text for t in self.give.values())
        ]


@dataclass(frozen=True)
class Positional:
    """A keyword of some verbs that becomes the positional argument of some place."""

    verbs: tuple[str, ...]
    keyword: str
    place: int


@dataclass(frozen=True)
class Options:
    """Options of some commands, all where none is named, that get other spellings."""

    commands: tuple[str, ...]
    options: Mapping[str, str]
    inline: tuple[str, ...] = ()


COMMANDS = (
    "report",
    "compare",
    "gate",
    "monitor",
    "columns",
    "label",
    "metrics",
    "explain",
    "demo",
)


@dataclass(frozen=True)
class Table:
    """All rules. Names of verbs are those of the package, without its name."""

    package: str = "karat"
    programs: tuple[str, ...] = COMMANDS
    results: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    attributes: Mapping[str, str] = field(default_factory=dict)
    strings: Mapping[str, str] = field(default_factory=dict)
    renames: tuple[Rename, ...] = ()
    groups: tuple[Group, ...] = ()
    rewrites: tuple[Rewrite, ...] = ()
    positionals: tuple[Positional, ...] = ()
    options: tuple[Options, ...] = ()

    def new_name(self, verb: str, keyword: str) -> str | None:
        """What a keyword of a verb is called, where a rule renames it."""
        for rule in self.renames:
            if covers(rule.verbs, verb) and keyword in rule.keywords:
                return rule.keywords[keyword]
        return None

    def moves(self, verb: str) -> frozenset[str]:
        """The keywords of a verb that some rule takes away."""
        return frozenset(
            keyword for verbs, keywords in self.moved if covers(verbs, verb) for keyword in keywords
        )

    @cached_property
    def _called(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        keywords = "|".join(map(re.escape, sorted(self.keywords))) or "(?!)"
        call = re.compile(rf"\b{re.escape(self.package)}\.\w+\(")
        return call, re.compile(rf"(?<![\w.\"'-])(?:{keywords})=(?!=)")

    def is_called_in(self, text: str) -> bool:
        """Whether a text looks like code that calls the package with keywords of the table."""
        return all(pattern.search(text) for pattern in self._called)

    def keywords_of(self, name: str) -> frozenset[str]:
        """The keywords that rules take away from verbs with the same last name."""
        return frozenset(
            keyword
            for verbs, keywords in self.moved
            if name.rpartition(".")[2] in [verb.rpartition(".")[2] for verb in verbs]
            for keyword in keywords
        )

    def sources(self, verb: str) -> dict[str, set[str]]:
        """The new keywords of a verb, each with those that may become it."""
        pairs = [(r.verbs, new, {old}) for r in self.renames for old, new in r.keywords.items()]
        pairs += [(rule.verbs, rule.keyword, {*rule.members}) for rule in self.groups]
        pairs += [(rule.verbs, new, {*rule.match}) for rule in self.rewrites for new in rule.give]
        sources: dict[str, set[str]] = {}
        for verbs, new, old in pairs:
            if covers(verbs, verb):
                stays = set() if self.new_name(verb, new) else {new}
                sources.setdefault(new, stays).update(old)
        return sources

    def has_verb(self, verb: str) -> bool:
        return any(covers(verbs, verb) for verbs in self.patterns)

    @property
    def patterns(self) -> list[tuple[str, ...]]:
        """The verbs of each rule of keywords."""
        return [verbs for verbs, _ in self.moved]

    def has_beside(self, verb: str) -> bool:
        """Whether a rule is about a verb of the same place."""
        place = verb.rpartition(".")[0]
        return any(name.rpartition(".")[0] == place for verbs in self.patterns for name in verbs)

    def new_option(self, command: str | None, option: str) -> str | None:
        """The new spelling of an option; of an unknown command only by rules of all commands."""
        for rule in self.options:
            if option in rule.options and (not rule.commands or command in rule.commands):
                return rule.options[option]
        return None

    @property
    def commands(self) -> frozenset[str]:
        """The commands of the program."""
        return frozenset(self.programs) | {c for rule in self.options for c in rule.commands}

    @property
    def spellings(self) -> frozenset[str]:
        """Every option that a rule renames."""
        return frozenset(option for rule in self.options for option in rule.options)

    @property
    def moved(self) -> list[tuple[tuple[str, ...], frozenset[str]]]:
        """The verbs of each rule, with the keywords that it takes away."""
        return [
            *((rule.verbs, frozenset(rule.keywords)) for rule in self.renames),
            *((rule.verbs, frozenset(rule.members)) for rule in self.groups),
            *((rule.verbs, frozenset(rule.match)) for rule in self.rewrites),
            *((rule.verbs, frozenset([rule.keyword])) for rule in self.positionals),
        ]

    @cached_property
    def keywords(self) -> frozenset[str]:
        """Every keyword that some rule takes away."""
        return frozenset().union(*(keywords for _, keywords in self.moved))


def covers(patterns: tuple[str, ...], name: str) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def covers_path(patterns: tuple[str, ...], path: str) -> bool:
    """Whether a path fits one of the patterns, and none that begins with `!`."""
    excluded = tuple(p[1:] for p in patterns if p.startswith("!"))
    return covers(patterns, path) and not covers(excluded, path)


FIELDS = {
    "package", "commands", "results", "names", "attributes", "strings", "rename", "group",
    "rewrite", "positional", "option",
}  # fmt: skip


def read(path: Path) -> Table:
    """Read a table.

    Raises:
        TableError: the file is no table, with the rule at fault.
    """
    try:
        return parsed(tomllib.loads(path.read_text(encoding="utf-8")))
    except tomllib.TOMLDecodeError as problem:
        raise TableError(f"{path}: {problem}") from None


def parsed(data: Mapping[str, Any]) -> Table:
    """The table of parsed TOML."""
    if unknown := set(data) - FIELDS:
        raise TableError(
            f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(sorted(FIELDS))}"
        )
    for rule in data.get("rewrite", ()):
        for text in (*rule["match"].values(), *rule["give"].values()):
            _check_expression(text)
        if rule.get("none", "drop") not in ("drop", "keep"):
            raise TableError(f"none = {rule['none']!r}: drop or keep")
    table = Table(
        package=data.get("package", "karat"),
        programs=tuple(data.get("commands", COMMANDS)),
        results=data.get("results", {}),
        names=data.get("names", {}),
        attributes=data.get("attributes", {}),
        strings=data.get("strings", {}),
        renames=tuple(_rules(Rename, data.get("rename", ()))),
        groups=tuple(
            _rules(Group, [{**rule, "members": _members(rule)} for rule in data.get("group", ())])
        ),
        rewrites=tuple(_rules(Rewrite, data.get("rewrite", ()))),
        positionals=tuple(_rules(Positional, data.get("positional", ()))),
        options=tuple(_rules(Options, data.get("option", ()))),
    )
    _check_renames(table)
    return table


def _rules(kind: Any, rules: Any) -> list[Any]:
    rules_of_kind = []
    for rule in rules:
        listed = {k: tuple(v) if isinstance(v, list) else v for k, v in rule.items()}
        if isinstance(listed.get("inline"), bool):
            listed["inline"] = ("*",) if listed["inline"] else ()
        if kind is Options:
            listed.setdefault("commands", ())
        try:
            rules_of_kind.append(kind(**listed))
        except TypeError as problem:
            raise TableError(f"{kind.__name__.lower()} {rule}: {problem}") from None
    return rules_of_kind


def _members(rule: Mapping[str, Any]) -> Mapping[str, str]:
    members = rule.get("members", {})
    return members if isinstance(members, dict) else {name: name for name in members}


def _check_expression(text: str) -> None:
    try:
        ast.parse(text.replace("$", ""), mode="eval")
    except SyntaxError:
        raise TableError(f"{text!r} is no Python expression") from None


def _check_renames(table: Table) -> None:
    """A keyword has one new name for each verb, and two keywords do not become the same."""
    for rule in table.renames:
        for verb in rule.verbs:
            targets = list(rule.keywords.values())
            if len(set(targets)) < len(targets):
                raise TableError(f"{verb}: two keywords get the same name")
            for old, new in rule.keywords.items():
                if table.new_name(verb, old) != new:
                    raise TableError(f"{verb}: two rules rename {old}=")
