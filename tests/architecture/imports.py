"""Read the imports of a source tree: statements and `import_module`, wherever they stand."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "karat"


@dataclass(frozen=True)
class Import:
    """One imported module: who imports what, and where."""

    importer: str
    imported: str
    line: int
    is_at_top: bool

    def __str__(self) -> str:
        return f"{self.importer} line {self.line}: {self.imported}"


def imports_of(package: Path) -> list[Import]:
    """Every import of a package, those inside functions and TYPE_CHECKING blocks included."""
    modules = {module_name(path, package): path for path in sorted(package.rglob("*.py"))}
    known = set(modules) | {f"{package.name}._native"}
    found: list[Import] = []
    for name, path in modules.items():
        found += _imports_of_file(name, path, known)
    return found


def module_name(path: Path, package: Path) -> str:
    """The dotted name of a file: karat.tally.cells, karat.tally for its __init__."""
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports_of_file(name: str, path: Path, known: set[str]) -> Iterator[Import]:
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    top = {id(node) for node in tree.body}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            targets = list(_targets(node, package, known))
        elif isinstance(node, ast.Call):
            targets = list(_named(node))
        else:
            continue
        for target in targets:
            yield Import(name, target, node.lineno, id(node) in top)


def _named(node: ast.Call) -> Iterator[str]:
    """The module of `importlib.import_module("a.b")`, where it is written out."""
    function = node.func
    called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if called == "import_module" and node.args and isinstance(node.args[0], ast.Constant):
        yield str(node.args[0].value)


def _targets(node: ast.ImportFrom, package: str, known: set[str]) -> Iterator[str]:
    # karat.tally is what both `from karat import tally` and `from karat.tally import Cells` import.
    base = node.module or ""
    if node.level:
        above = package.split(".")[: len(package.split(".")) - node.level + 1]
        base = ".".join([*above, base] if base else above)
    for alias in node.names:
        whole = f"{base}.{alias.name}"
        yield whole if whole in known else base
