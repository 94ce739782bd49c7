"""Writes the stubs for editors and type checkers: `python native/stubs.py MODULE FOLDER`.

MODULE is the file of `karat._native` as it was just built, FOLDER the package or its copy.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1] / "src"
WRITERS = {"karat.api.stubs": "", "karat.compat.torchmetrics.stub": "compat/torchmetrics"}
"""Module that knows the texts of stubs → the folder of the package in which they stand."""


def write(native: Path, folder: Path) -> None:
    """Write every stub of the package into a folder; what is fresh stays as it is."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(SOURCES))
    importlib.import_module("karat")
    place = importlib.util.spec_from_file_location("karat._native", native)
    if place is None or place.loader is None:
        raise SystemExit(f"{native} is not an extension module")
    module = importlib.util.module_from_spec(place)
    sys.modules["karat._native"] = module
    place.loader.exec_module(module)
    for writer, home in WRITERS.items():
        for path, text in importlib.import_module(writer).stub_texts().items():
            file = folder / home / path
            if not file.exists() or file.read_text(encoding="utf-8") != text:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[2]))
