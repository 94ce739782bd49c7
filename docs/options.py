"""Write docs/options.md from the records of the options.

python docs/options.py
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from karat.api.request.groups import GROUPS, arguments_of
from karat.api.request.record import Option
from karat.api.request.request import all_options
from karat.errors.options import parameter
from karat.errors.together import TABLE, Refusal

PAGE = Path(__file__).parent / "options.md"
HEAD = """\
# Options

Every option of the verbs and commands. `make tables` creates this page from the records in
`src/karat/api/request`, as it does signatures, docstrings and `--help`.

A text of one verb stands after its name, where it differs.
"""
TOGETHER = """\
## What does not go together

Each option that a verb refuses for rows of some kind or design, and why. The error has the code.
Where nothing stands under "for good", a later version may take the option.

| verb | rows | option | why | for good | code |
|---|---|---|---|---|---|"""
TITLES = {
    "RowOptions": "Rows and outputs of models",
    "RowRoleOptions": "Roles of rows",
    "ClassOptions": "Classes",
    "MetricOptions": "Metrics",
    "IntervalOptions": "Intervals",
    "ContrastOptions": "Comparisons and slices",
    "RuleOptions": "Gates and monitors",
    "ReadingOptions": "Reading",
    "JudgeOptions": "Gold labels and a judge",
}


def name_of(item: Option) -> str:
    """Return the option as a call has it: by itself, or as a part of a group."""
    flat = [verb for verb in item.verbs if item.name in {x.name for x in arguments_of(verb)}]
    if flat or not item.verbs:
        return item.name
    parts = ((group, part) for group in GROUPS for part, x in group.parts.items() if item.name in x)
    for group, part in parts:
        return f"karat.{group.__name__}({part}=)"
    implied = next(group for group in GROUPS if item.name in group.implied)
    return f"karat.{implied.__name__}"


def lines_of(item: Option) -> Iterator[str]:
    """Yield the lines of one option."""
    facts = [f"default `{item.default!r}`"] if item.verbs else []
    if item.verbs:
        facts.append(", ".join(f"`{verb}`" for verb in item.verbs))
    flags: dict[str, list[str]] = {}
    columns = [x for x in all_options().values() if parameter(x.name) == item.name]
    for flag in (flag for each in columns for flag in each.flags):
        flags.setdefault(flag.name, []).extend(flag.commands.split())
    facts += [f"`{name}` of {', '.join(commands)}" for name, commands in flags.items()]
    yield f"`{name_of(item)}`: {item.text}"
    for verb, change in item.changes:
        default = item.at(verb).default
        parts = [] if change.text is None else [change.text]
        parts += [] if default is item.default else [f"Default `{default!r}`."]
        if parts:
            yield f"`{verb}`: {' '.join(parts)}"
    yield f"*{' · '.join(facts)}*"


def row_of(cell: Refusal) -> str:
    """Return the row of one option that does not go together with rows of some kind."""
    values = ", ".join(f"`{value!r}`" for value in cell.values)
    name = name_of(all_options()[cell.option]) if cell.option in all_options() else ""
    name = name if name != cell.option else parameter(name)
    option = f"`{name}`" + (f" ({values})" if values else "") if name else "any"
    verb = "every verb" if cell.verb == "any" else f"`{cell.verb}`"
    return f"| {verb} | {cell.beside} | {option} | {cell.reason} | {cell.signed} | {cell.code} |"


def page() -> str:
    """Return the page."""
    groups: dict[str, list[Option]] = {}
    for item in all_options().values():
        if parameter(item.name) != item.name:
            continue  # the column of a role
        groups.setdefault(item.group, []).append(item)
    parts = [HEAD]
    for group, items in groups.items():
        parts.append(f"## {TITLES[group]}\n")
        parts += ["  \n".join(lines_of(item)) + "\n" for item in items]
    return "\n".join([*parts, TOGETHER, *map(row_of, TABLE)]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
