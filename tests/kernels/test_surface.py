"""The type stub names what the compiled module has, with the same parameters."""

from __future__ import annotations

import ast
import itertools
import re
from pathlib import Path
from typing import Any

import karat
from karat import _native

Signature = tuple[list[str], int]
"""Names of the parameters, and how many of them have a default."""

STUB = Path(karat.__file__).with_name("_native.pyi")


def statements(stub: Path) -> list[ast.stmt]:
    """What stands in a stub and, where it takes all of one beside it, in that one."""
    found: list[ast.stmt] = []
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and [alias.name for alias in node.names] == ["*"]:
            name = str(node.module).rpartition(".")[2]
            found += statements(stub.with_name(f"{name}.pyi"))
        else:
            found.append(node)
    return found


def signature(definition: ast.FunctionDef) -> Signature:
    parameters = [argument.arg for argument in definition.args.args]
    return [name for name in parameters if name != "self"], len(definition.args.defaults)


def declared(body: list[ast.stmt], prefix: str = "") -> dict[str, Signature | None]:
    """What a stub declares: methods and functions with their signature, the rest by name."""
    found: dict[str, Signature | None] = {}
    for node in body:
        if isinstance(node, ast.ClassDef):
            found[node.name] = None
            found |= declared(node.body, f"{node.name}.")
        elif isinstance(node, ast.FunctionDef) and node.name != "__init__":
            found[prefix + node.name] = None if node.decorator_list else signature(node)
    return found


def compiled(owner: Any, prefix: str = "") -> dict[str, Signature | None]:
    """The same of the compiled module."""
    found: dict[str, Signature | None] = {}
    for name, value in vars(owner).items():
        if name.startswith("_") and name != "__len__":
            continue
        found[prefix + name] = None
        if isinstance(value, type):
            found |= {} if issubclass(value, Exception) else compiled(value, f"{name}.")
        elif hasattr(value, "__nb_signature__"):
            # Defaults are written \0, \1 … in the text of the signature.
            text = value.__nb_signature__[0][0].replace("\\", "")
            text = re.sub(r"ndarray\[[^]]*\]", "object", text)
            (definition,) = ast.parse(f"{text}: ...").body
            assert isinstance(definition, ast.FunctionDef)
            found[prefix + name] = signature(definition)
    return found


def test_stub_and_module_agree() -> None:
    assert declared(statements(STUB)) == compiled(_native)


def test_every_function_is_explained() -> None:
    nodes = itertools.chain.from_iterable(ast.walk(node) for node in statements(STUB))
    bare = [
        node.name
        for node in nodes
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and not ast.get_docstring(node)
        and not node.name.startswith("__")
        and node.name not in {"k", "weighted", "has_cells"}
    ]
    assert bare == []


def test_a_stub_has_what_it_takes_whole(tmp_path: Path) -> None:
    (tmp_path / "legs.pyi").write_text("def run(): ...", encoding="utf-8")
    (tmp_path / "arms.pyi").write_text("def wave(): ...", encoding="utf-8")
    stub, taken = tmp_path / "body.pyi", "from it.legs import *\nfrom it.arms import wave"
    stub.write_text(f"{taken}\ndef stop(): ...", encoding="utf-8")
    assert declared(statements(stub)) == {"run": ([], 0), "stop": ([], 0)}


def test_a_difference_is_found() -> None:
    source = "def isa(name: str, wide: bool = True) -> str: ...\nclass Tally:\n    def k(self): ..."
    assert declared(ast.parse(source).body) == {
        "isa": (["name", "wide"], 1),
        "Tally": None,
        "Tally.k": ([], 0),
    }
