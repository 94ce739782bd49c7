"""The units of an instruction set share nothing with the rest of the library but their table.

The linker keeps one copy of a weak symbol, whichever unit it came from.
A std:: template of the AVX-512 unit could so become the copy that every processor runs.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.kernels.build_kernels import build, run, tool

WEAK = set("wWvVu")
"""What `nm` prints for weak and unique symbols."""


def symbols(path: Path) -> dict[str, str]:
    """Kind of each symbol of an object file, as `nm` prints it."""
    lines = run(tool("nm"), str(path)).splitlines()
    return {line.split()[-1]: line.split()[-2] for line in lines}


@pytest.fixture(scope="module")
def objects() -> dict[str, Path]:
    """The object file of each instruction set, with the flags of the real build."""
    folder = build("units", target="karat_isa_units")
    found = {path.name.split("_")[1].split(".")[0]: path for path in folder.rglob("lanes_*.o")}
    assert "baseline" in found
    return found


def test_every_unit_is_looked_at(objects: dict[str, Path]) -> None:
    sources = Path(__file__).resolve().parents[2] / "native" / "kernels"
    named = {path.stem.split("_")[1] for path in sources.glob("lanes_*.cpp")}
    assert set(objects) in (named, {"baseline"})


def test_no_unit_emits_a_weak_symbol(objects: dict[str, Path]) -> None:
    weak = {
        isa: [name for name, kind in symbols(path).items() if kind in WEAK]
        for isa, path in objects.items()
    }
    assert weak == {isa: [] for isa in objects}


def test_a_unit_exports_its_table_alone(objects: dict[str, Path]) -> None:
    for isa, path in objects.items():
        found = symbols(path)
        assert [name for name, kind in found.items() if kind in set("TDRB")] == [
            f"_ZN5karat{len(f'lanes_{isa}')}lanes_{isa}E"
        ]
        # Only what the compiler itself may call.
        needed = {name for name, kind in found.items() if kind == "U"}
        assert needed <= {"memcpy", "memset", "__stack_chk_fail", "_GLOBAL_OFFSET_TABLE_"}


def test_a_weak_symbol_is_found(tmp_path: Path) -> None:
    source = tmp_path / "leaky.cpp"
    source.write_text(
        "#include <vector>\nvoid grow(std::vector<int>& v) { v.push_back(1); }\n", encoding="utf-8"
    )
    compiled = tmp_path / "leaky.o"
    subprocess.run([tool("c++"), "-O2", "-c", str(source), "-o", str(compiled)], check=True)
    assert set(symbols(compiled).values()) & WEAK
