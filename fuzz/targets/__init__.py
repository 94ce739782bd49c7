"""One target for each public name and each member of each class of the native core."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from fuzz.case import Case

Body = Callable[[Case], None]

FAMILIES = (
    "counts",
    "scores",
    "words",
    "pairs",
    "labels",
    "text",
    "steps",
    "draws",
    "programs",
    "tables",
    "label_sets",
    "slices",
)
TARGETS: dict[str, Body] = {}
"""What is called for a binding: a function, a class, or a member as `Class.member`."""


def target(name: str) -> Callable[[Body], Body]:
    """Register the target of a binding."""

    def register(body: Body) -> Body:
        if name in TARGETS:
            raise ValueError(f"{name} has a target")
        TARGETS[name] = body
        return body

    return register


def members(
    kind: str, make: Callable[[Case], object], works: dict[str, Callable[[Case, object], object]]
) -> None:
    """Register a target for each member of a class, called after up to three others.

    `make` gives the handle; a member is called in any order, and again after an error.
    """
    order = tuple(works.values())

    def of(work: Callable[[Case, object], object]) -> Body:
        def body(case: Case) -> None:
            handle = make(case)
            for _ in range(case.source.byte() % 4):
                before = order[case.source.byte() % len(order)]
                case.attempt(lambda before=before: before(case, handle))
            case.call(work, case, handle)

        return body

    for member, work in works.items():
        target(f"{kind}.{member}")(of(work))


def load() -> dict[str, Body]:
    """All targets."""
    for family in FAMILIES:
        import_module(f"fuzz.targets.{family}")
    return TARGETS
