"""Write docs/options.md from the records of the options.

python docs/options.py
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from karat.api.request.groups import GROUPS, arguments_of
from karat.api.request.record import Option
from karat.api.request.request import all_options
from karat.errors.options import parameter
from karat.errors.together import TABLE, Refusal

PAGE = Path(__file__).parent / "options.md"
HEAD = """\
# Options

Every option of the verbs and commands, and [what does not go together](#what-does-not-go-together).
`make tables` creates this page from the records in `src/karat/api/request`, as it does signatures,
docstrings and `--help`.

Each option has the first sentence of its text; {py:obj}`the reference <karat.evaluate>` of a verb
has the rest. A verb in italics has a text of its own there. A default that is not shown is `None`.
`karat COMMAND --help` lists the flags of a command.
"""
COLUMNS = "| option | what | verbs | default | flag |\n|---|---|---|---|---|"
TOGETHER = """\
## What does not go together

Options that a verb refuses for rows of some kind or design. The error has the code. Unless
"for good" has an entry, a later version may take the option.

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


def line_of(item: Option) -> str:
    """Return the line of one option: its first sentence, its verbs, its default, its flags."""
    own = {verb for verb, change in item.changes if change.text is not None}
    verbs = ", ".join(f"*{verb}*" if verb in own else verb for verb in item.verbs)
    defaults = [] if item.default is None or not item.verbs else [f"`{item.default!r}`"]
    for verb, _ in item.changes:
        default = item.at(verb).default
        defaults += [] if default is item.default else [f"`{default!r}` of {verb}"]
    flags: dict[str, list[str]] = {}
    columns = [x for x in all_options().values() if parameter(x.name) == item.name]
    for flag in (flag for each in columns for flag in each.flags):
        flags.setdefault(flag.name, []).extend(flag.commands.split())
    # Without a verb, or with two flags, the commands say whose they are.
    is_plain = len(flags) == 1 and bool(item.verbs)
    named = (f"`{x}`" + ("" if is_plain else f" of {', '.join(of)}") for x, of in flags.items())
    cells = (f"`{name_of(item)}`", first_sentence(item.text), verbs)
    return f"| {' | '.join((*cells, ', '.join(defaults), ', '.join(named)))} |"


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, as a cell of a table."""
    first = re.split(r"(?<=[^.])\.(?: |$)", text, maxsplit=1)[0]
    return first.replace("``", "`").replace("|", "\\|")


def option_of(cell: Refusal) -> str:
    """Return an option that is refused, with its values where only some are."""
    values = ", ".join(f"`{value!r}`" for value in cell.values)
    name = name_of(all_options()[cell.option]) if cell.option in all_options() else ""
    name = name if name != cell.option else parameter(name)
    return (f"`{name}`" + (f" ({values})" if values else "")) if name else "any"


def rows_of(table: Iterable[Refusal]) -> list[str]:
    """Return the rows of refusals; options, and then verbs, share a row where all else is equal."""
    options: dict[tuple[str, ...], list[str]] = {}
    for cell in table:
        reason = cell.reason.replace("{option}", "value")
        key = cell.verb, cell.beside, reason, cell.signed, cell.code
        options.setdefault(key, []).append(option_of(cell))
    verbs: dict[tuple[str, ...], list[str]] = {}
    for (verb, beside, *rest), names in options.items():
        shown = "every verb" if verb == "any" else verb
        verbs.setdefault((beside, ", ".join(names), *rest), []).append(shown)
    return [f"| {', '.join(of)} | {' | '.join(key)} |" for key, of in verbs.items()]


def page() -> str:
    """Return the page."""
    groups: dict[str, list[Option]] = {}
    for item in all_options().values():
        if parameter(item.name) != item.name:
            continue  # the column of a role
        groups.setdefault(item.group, []).append(item)
    parts = [HEAD]
    for group, items in groups.items():
        parts += [f"## {TITLES[group]}\n", COLUMNS, *map(line_of, items), ""]
    return "\n".join([*parts, TOGETHER, *rows_of(TABLE)]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
