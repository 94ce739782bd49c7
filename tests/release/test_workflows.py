"""What continuous integration runs: tools of known versions, attacks that leave what they said."""

from __future__ import annotations

import re
import shutil
import subprocess
import textwrap
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = {path.name: path.read_text("utf-8") for path in (ROOT / ".github/workflows").iterdir()}
PIPX = re.compile(r"pipx run (?:--spec '(?P<spec>[^']+)' )?(?P<tool>\S+)")
"""What is run, and of which versions."""


def extra(name: str) -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return list(project["optional-dependencies"][name])


def unpinned(text: str, allowed: list[str]) -> list[str]:
    """The runs of tools that are neither of one version nor of those that a release allows."""
    return [
        run[0]
        for run in PIPX.finditer(text)
        if not re.fullmatch(r"[\w-]+==[\d.]+", run["tool"])
        and not (run["spec"] in allowed and run["spec"].startswith(f"{run['tool']}>"))
    ]


def test_every_tool_is_of_the_versions_that_a_release_allows() -> None:
    texts = "\n".join(WORKFLOWS.values())
    assert {run["tool"].partition("=")[0] for run in PIPX.finditer(texts)} == {
        "abi3audit", "build", "cibuildwheel", "twine",
    }  # fmt: skip
    assert unpinned(texts, extra("release")) == []


@pytest.mark.parametrize(
    "text",
    [
        "pipx run twine upload dist/*",
        "pipx run --spec 'twine>=6' twine check",
        "pipx run --spec 'twine>=6,<8' build",
    ],
)
def test_a_tool_of_any_version_is_found(text: str) -> None:
    assert unpinned(f"- run: {text}", ["build>=1.2,<2", "twine>=6,<8"]) != []


def attacks() -> dict[str, str]:
    """The commands of the attacks by their names."""
    found = re.findall(r"- \{ attack: (\w+), command: ([^,}]+)", WORKFLOWS["attacks.yml"])
    return {name: command.strip() for name, command in found}


def test_every_attack_has_a_name() -> None:
    assert list(attacks()) == ["faults", "hostile", "sanitize", "fuzz"]
    assert all(command.split()[:2] == ["make", name] for name, command in attacks().items())


@pytest.mark.parametrize("code", [0, 3])
def test_an_attack_keeps_what_it_said_and_fails_where_it_failed(code: int, tmp_path: Path) -> None:
    if (bash := shutil.which("bash")) is None:
        pytest.skip("needs bash")
    (script,) = re.findall(r"- run: \|\n((?: {10}.*\n)+)", WORKFLOWS["attacks.yml"])
    said = f"sh -c 'echo found; echo told >&2; exit {code}'"
    script = script.replace("${{ matrix.command }}", said)
    script = textwrap.dedent(script.replace("${{ matrix.attack }}", "hostile"))
    done = subprocess.run(
        [bash, "-e", "-c", script], cwd=tmp_path, capture_output=True, check=False
    )
    assert (done.returncode != 0) == (code != 0)
    assert (tmp_path / "hostile.txt").read_text() == "found\ntold\n"
    assert done.stdout == b"found\ntold\n"


def test_what_an_attack_said_is_uploaded_under_its_name() -> None:
    text = WORKFLOWS["attacks.yml"]
    upload = text[text.index("- if: always()") :]
    assert "uses: actions/upload-artifact@" in upload
    assert "name: attack-${{ matrix.attack }}\n" in upload
    kept = re.findall(r"^ {12}(.*)$", upload, re.MULTILINE)
    assert kept == ["${{ matrix.attack }}.txt", "${{ matrix.kept }}"]
    assert re.findall(r"attack: (\w+), .*kept: (\S+)", text) == [("fuzz", "fuzz/results")]
