"""What a release is looked at for: each check finds what it is for."""

from __future__ import annotations

import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from release.contents import MOST_BYTES, NEEDED, faults_of_sdist, faults_of_wheel
from release.installed import TESTS, without_compiler
from release.licences import faults_of

ROOT = Path(__file__).resolve().parents[2]
ABOUT = "karat-0.1.0.dist-info/METADATA"
WHOLE = dict.fromkeys(NEEDED, b"") | {
    "karat/_native.abi3.so": b"",
    "karat-0.1.0.dist-info/licenses/LICENSE": b"",
    ABOUT: b"Metadata-Version: 2.4\nName: karat\nLicense-Expression: Apache-2.0\n",
}


def wheel(folder: Path, held: dict[str, bytes]) -> Path:
    path = folder / "karat-0.1.0-cp312-abi3-linux_x86_64.whl"
    with zipfile.ZipFile(path, "w") as file:
        for name, content in held.items():
            file.writestr(name, content)
    return path


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({}, None),
        ({"karat/py.typed": None}, "karat/py.typed is missing."),
        ({"karat/_native.abi3.so": None}, "It has 0 native modules; one is expected."),
        ({"karat/other.pyd": b""}, "It has 2 native modules; one is expected."),
        ({"tests/test_x.py": b""}, "tests would be installed beside karat."),
        ({"karat/kernel.cpp": b""}, "karat/kernel.cpp does not belong into a wheel."),
        ({"karat/big.py": os.urandom(MOST_BYTES)}, "the most is 2000000."),
        ({"karat-0.1.0.dist-info/licenses/LICENSE": None}, "The licence is missing."),
        ({ABOUT: b"Name: karat\nLicense-Expression: GPL-3.0\n"}, "License-Expression is GPL-3.0."),
    ],
)
def test_a_wheel_that_is_not_well_is_found(
    tmp_path: Path, change: dict[str, bytes | None], fault: str | None
) -> None:
    held = {name: content for name, content in (WHOLE | change).items() if content is not None}
    faults = faults_of_wheel(wheel(tmp_path, held))
    assert [fault is not None and fault in one for one in faults] == [True] * (fault is not None)


def test_a_source_distribution_holds_source_alone(tmp_path: Path) -> None:
    path = tmp_path / "karat-0.1.0.tar.gz"
    with tarfile.open(path, "w:gz") as file:
        for name in ("LICENSE", "README.md", "pyproject.toml", "native/CMakeLists.txt", "x.pyc"):
            file.addfile(tarfile.TarInfo(f"karat-0.1.0/{name}"), io.BytesIO())
    assert faults_of_sdist(path) == [
        "CMakeLists.txt is missing.", "x.pyc was built, and is not source.",
    ]  # fmt: skip


def test_a_licence_that_nobody_looked_at_is_found() -> None:
    known = {"numpy": "BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0", "rich": "MIT License"}
    assert faults_of(known) == []
    assert faults_of({**known, "a": "GPL-3.0", "b": "MIT AND LGPL-2.1", "c": "UNKNOWN"}) == [
        "a: GPL-3.0", "b: MIT AND LGPL-2.1", "c: UNKNOWN",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "licence",
    [
        "GPL-3.0 and MIT", "GNU General Public License v3 (dual MIT)", "LIMITED", "EUPL-1.2 / BSD",
        "LGPL-2.1-only WITH Apache-exception", "Other/Proprietary License", "MIT and Odd", "",
    ],
)  # fmt: skip
def test_no_licence_hides_behind_a_known_one(licence: str) -> None:
    assert faults_of({"a": licence}) == [f"a: {licence}"]


@pytest.mark.parametrize(
    "licence",
    [
        "Apache-2.0 WITH LLVM-exception", "BSD License; MIT License", "MIT-CMU", "PSF-2.0",
        "Apache License, Version 2.0", "Mozilla Public License 2.0 (MPL 2.0)",
    ],
)  # fmt: skip
def test_known_licences_are_known(licence: str) -> None:
    assert faults_of({"a": licence}) == []


def test_where_a_wheel_is_installed_there_is_no_compiler(tmp_path: Path) -> None:
    (tmp_path / "python").touch()
    assert without_compiler(tmp_path / "python")["PATH"] == str(tmp_path)
    (tmp_path / "gcc").touch(mode=0o755)
    with pytest.raises(RuntimeError, match="gcc is in"):
        without_compiler(tmp_path / "python")


def test_the_tests_of_a_release_exist() -> None:
    assert [name for name in TESTS if not (ROOT / name).exists()] == []
