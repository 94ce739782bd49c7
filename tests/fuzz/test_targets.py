"""Every public name of the native core, and every member of its classes, has a target."""

from __future__ import annotations

import ast

from fuzz.targets import load
from karat import _native
from tests.kernels.test_surface import STUB, compiled, statements


def bindings() -> set[str]:
    """Names of the module and members of its classes, constructors included."""
    names = set(compiled(_native))
    for node in statements(STUB):
        if isinstance(node, ast.ClassDef):
            made = (part for part in node.body if isinstance(part, ast.FunctionDef))
            names |= {f"{node.name}.__init__" for part in made if part.name == "__init__"}
    return names


def missing(targets: set[str], names: set[str]) -> set[str]:
    """Bindings without a target."""
    return names - targets


def test_every_binding_has_a_target_and_every_target_a_binding() -> None:
    targets = set(load())
    assert missing(targets, bindings()) == set()
    assert missing(bindings(), targets) == set()


def test_a_binding_without_a_target_is_noticed() -> None:
    names = {*bindings(), "count_anything", "Tally.anything"}
    assert missing(set(load()), names) == {"count_anything", "Tally.anything"}


def test_the_members_of_classes_are_bindings() -> None:
    assert {
        "PackedScores.levels",
        "TextEncoder.__init__",
        "Tally.cells",
        "count_codes",
    } <= bindings()
