"""The Python modules of a repository, loaded as they are needed."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

from renaming.scopes import Module

ROOTS = ("", "tests")


class Repository:
    """Modules by their dotted names, and the documents beside them."""

    def __init__(self, root: Path, files: Iterable[Path], documents: Iterable[Module] = ()) -> None:
        self.root = root
        self.modules: list[Module] = []
        self._by_path: dict[Path, Module | None] = {}
        self._by_name: dict[str, Module | None] = {}
        self._fixtures: dict[Module, list[Module]] = {}
        for path in files:
            self._load(path)
        self._load_imported()
        self.modules += documents

    def _load(self, path: Path) -> Module | None:
        path = path.resolve()
        if path not in self._by_path:
            self._by_path[path] = None
            try:
                source = path.read_text(encoding="utf-8")
                tree = ast.parse(source)
            except (SyntaxError, ValueError):
                return None
            inner = path.relative_to(self.root) if path.is_relative_to(self.root) else path
            name = ".".join(inner.with_suffix("").parts)
            module = Module(path, name.removesuffix(".__init__"), source, tree)
            self._by_path[path] = module
            self.modules.append(module)
        return self._by_path[path]

    def _load_imported(self) -> None:
        """Load what the modules import from this repository, and the conftest files above them."""
        i = 0
        while i < len(self.modules):
            module = self.modules[i]
            for bindings in list(module.names.values()):
                for binding in [b for several in bindings.values() for b in several]:
                    if binding.kind == "import":
                        self.module(binding.text)
                        self.module(binding.text.rpartition(".")[0])
            self.with_fixtures(module)
            i += 1

    def module(self, name: str) -> Module | None:
        """The module of a dotted name, if this repository holds it beside its package."""
        if name not in self._by_name:
            self._by_name[name] = self._of_name(name)
        return self._by_name[name]

    def _of_name(self, name: str) -> Module | None:
        if not name or name.partition(".")[0] in ("karat", "src"):
            return None
        for root in ROOTS:
            place = self.root / root / Path(*name.split("."))
            for path in (place.with_suffix(".py"), place / "__init__.py"):
                if path.resolve() in self._by_path or path.is_file():
                    return self._load(path)
        return None

    def holds(self, text: str) -> bool:
        """Whether a dotted name begins with a module of this repository."""
        parts = text.split(".")
        return any(self.module(".".join(parts[:n])) for n in range(len(parts) - 1, 0, -1))

    def with_fixtures(self, module: Module) -> list[Module]:
        """A module and the conftest files above it, nearest first."""
        if module in self._fixtures:
            return self._fixtures[module]
        modules = self._fixtures[module] = [module]
        folder = module.path.parent
        while folder.is_relative_to(self.root):
            path = folder / "conftest.py"
            if path.is_file() and (other := self._load(path)) and other is not module:
                modules.append(other)
            if folder == self.root:
                break
            folder = folder.parent
        return modules
