"""Writes the stubs for editors and type checkers: `python native/stubs.py FOLDER [MODULE]`.

FOLDER is the package or its copy. MODULE is the file of `karat._native` as it was just
built; without it, that of the package in these sources.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1] / "src"
WRITERS = {"karat.api.stubs": "", "karat.compat.torchmetrics.stub": "compat/torchmetrics"}
"""Module that knows the texts of stubs → the folder of the package in which they stand."""


def write(folder: Path, native: Path | None = None) -> None:
    """Write every stub of the package into a folder; what is fresh stays as it is."""
    sys.dont_write_bytecode = True
    # Not another karat that is installed: that of an editable install would be found first.
    sys.meta_path[:] = [one for one in sys.meta_path if "editable" not in type(one).__module__]
    sys.path.insert(0, str(SOURCES))
    karat = importlib.import_module("karat")
    if not Path(karat.__file__ or "").is_relative_to(SOURCES):
        raise SystemExit(f"karat was imported from {karat.__file__}, not from {SOURCES}")
    if native is not None and not loaded(native):
        return
    for writer, home in WRITERS.items():
        for path, text in importlib.import_module(writer).stub_texts().items():
            file = folder / home / path
            if not file.exists() or file.read_text(encoding="utf-8") != text:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")


def loaded(native: Path) -> bool:
    """Load the module that was built; False where it is of another machine."""
    place = importlib.util.spec_from_file_location("karat._native", native)
    if place is None or place.loader is None:
        raise SystemExit(f"{native} is not an extension module")
    try:
        module = importlib.util.module_from_spec(place)
        sys.modules["karat._native"] = module
        place.loader.exec_module(module)
    except ImportError as problem:
        print(f"The stubs of karat are left out, since its module does not load here: {problem}")
        return False
    return True


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
