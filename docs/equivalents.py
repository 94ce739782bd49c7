"""Write docs/equivalents.md from the records, with the reasons why other names have no equivalent.

python docs/equivalents.py
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from karat.metrics import Equal, Record, all_records
from karat.metrics._equal import names_in

HERE = Path(__file__).parent
PAGE = HERE / "equivalents.md"
LIBRARIES: dict[str, Any] = tomllib.loads((HERE / "without_equal.toml").read_text("utf-8"))
TASKS = ("Binary", "Multiclass", "Multilabel")

HEAD = """\
# Equivalents

The metrics of karat and the equal numbers of other libraries. `make tables` creates this page from
`src/karat/metrics` and `docs/without_equal.toml`; a test checks every equality on random data, with
the library itself.

A bare name in a call stands for karat's parameter of that name, with any value
(`average=None`: each class).
`karat metrics NAME` shows the equivalents of one metric; [migrate](migrate.md) shows how to change.
"""


def claims(library: str) -> Iterator[tuple[Record, Equal, str]]:
    """Yield every claim of a library: record, its conditions, the call."""
    for record in all_records():
        for claim in record.equals:
            if claim.library == library:
                yield from ((record, claim, call) for call in claim.calls)


def here(record: Record, claim: Equal, call: str) -> str:
    """Return karat's function with the parameters that the call shares or that are fixed."""
    shared = [name for name in ("average", *(item.name for item in record.parameters))
              if f"={name}" in call]  # fmt: skip
    fixed = [f"{name}={value!r}" for name, value in claim.here.items()]
    given = [f"{claim.given}=…"] * bool(claim.given)
    inside = ", ".join([*given, *(f"{name}={name}" for name in shared), *fixed])
    return f"{record.name}({inside})" if inside else record.name


def covered_by_rule(library: str, name: str) -> str:
    """Return the reason why a name of torchmetrics needs no separate line, or an empty text."""
    if library != "torchmetrics":
        return ""
    if name.startswith("Multilabel"):
        return "multilabel only"
    bare = bare_name(name)
    elsewhere = LIBRARIES[library]["elsewhere"]
    if bare != name and bare in elsewhere:
        return str(elsewhere[bare])
    known = {name for _, _, call in claims(library) for name in names_in(call)}
    found = [task + name for task in TASKS[:2] if task + name in known]
    return f"with its task, {' or '.join(found)}" if found else ""


def bare_name(name: str) -> str:
    """Return a class name of torchmetrics without its task."""
    for task in TASKS:
        name = name.removeprefix(task)
    return name


def reason(library: str, name: str) -> str:
    """Return why a name has no equivalent, or the alternative; empty if there is neither."""
    return str(LIBRARIES[library]["elsewhere"].get(name) or covered_by_rule(library, name))


def has_equal(library: str, name: str) -> bool:
    """Return true if a claim names it."""
    return any(name in names_in(call) for _, _, call in claims(library))


def section(library: str) -> Iterator[str]:
    """Yield the section of a library: introduction, equivalents, parameters, other names."""
    facts = LIBRARIES[library]
    yield f"## {library}\n\n{facts['about'].strip()}\n"
    yield "| library | karat | condition |\n|---|---|---|"
    rows = [
        f"| `{call}` | `{here(record, claim, call)}` | {claim.conditions} |"
        for record, claim, call in claims(library)
    ]
    yield "\n".join(sorted(rows, key=str.lower)) + "\n"
    yield "| parameter | karat |\n|---|---|"
    yield "\n".join(f"| `{name}` | {text} |" for name, text in facts["parameters"].items()) + "\n"
    if facts["elsewhere"]:
        yield "| no equivalent metric | alternative or reason |\n|---|---|"
        grouped: dict[str, list[str]] = {}
        for name, text in facts["elsewhere"].items():
            grouped.setdefault(text, []).append(f"`{name}`")
        yield (
            "\n".join(f"| {', '.join(names)} | {text} |" for text, names in grouped.items()) + "\n"
        )


def page() -> str:
    """Return the whole page as Markdown."""
    parts = [part for library in LIBRARIES for part in section(library)]
    return "\n".join([HEAD, *parts]).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE)
