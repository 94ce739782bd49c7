"""Lines and branches of the Python code.

Each folder of tests runs in a process of its own under coverage, as many at a time as there are
cores; processes that tests start are measured too. What is left out measures time or builds things.
What was reached is kept in build/reached, so that an interrupted run goes on.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "reached"
LEFT_OUT = ("benchmarks", "browser", "mutation", "release", "reached")
SETTINGS = """
[run]
source_pkgs = karat
branch = true
parallel = true
patch = subprocess
disable_warnings = no-data-collected, module-not-measured
data_file = {folder}/data
[report]
include = {root}/src/karat/*
exclude_also =
    if TYPE_CHECKING:
    \\.\\.\\.$
"""


def report() -> tuple[str, bool]:
    """A table of files with holes, and whether every test passed.

    What a folder reached is kept: where it passed, and neither it nor karat has changed since, it
    is not run again.
    """
    BUILD.mkdir(parents=True, exist_ok=True)
    folders = [
        path for path in sorted((ROOT / "tests").iterdir())
        if path.name not in LEFT_OUT and any(path.glob("test_*.py"))
    ]  # fmt: skip
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        failed = [name for name in pool.map(tested, folders) if name]
    settings = settings_in(BUILD)
    data = [str(path) for folder in folders for path in (BUILD / folder.name).glob("data*")]
    coverage(settings, "combine", "--keep", "--quiet", *data)
    found = BUILD / "report.json"
    coverage(settings, "json", "--quiet", "-o", str(found))
    text = table(json.loads(found.read_text(encoding="utf-8")))
    if failed:
        text += f"\nTests failed in {', '.join(failed)}.\n"
    return text, not failed


def settings_in(folder: Path) -> Path:
    """The settings of what is measured into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = folder / "settings.cfg"
    settings.write_text(SETTINGS.format(folder=folder, root=ROOT), encoding="utf-8")
    return settings


def state_of(folder: Path) -> str:
    """Digits that change with any file of karat, and of a folder of tests."""
    found = hashlib.sha256()
    for path in sorted([*(ROOT / "src").rglob("*.py"), *folder.rglob("*.py")]):
        found.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return found.hexdigest()


def tested(folder: Path) -> str | None:
    """Run the tests of a folder; its name where some failed."""
    kept = BUILD / folder.name
    settings, stamp, state = settings_in(kept), kept / "passed", state_of(folder)
    if stamp.exists() and stamp.read_text(encoding="utf-8") == state:
        return None
    stamp.unlink(missing_ok=True)
    for old in kept.glob("data*"):
        old.unlink()
    log = kept / "log.txt"
    with log.open("w", encoding="utf-8") as output:
        command = [sys.executable, "-m", "coverage", "run", f"--rcfile={settings}", "-m", "pytest"]
        status = subprocess.run(
            [*command, "-q", str(folder)], cwd=ROOT, stdout=output, stderr=output, check=False
        ).returncode
    last = log.read_text(encoding="utf-8", errors="replace").rstrip().splitlines()[-1:]
    print(f"{folder.name}: {''.join(last)}", flush=True)
    if status:
        return folder.name
    stamp.write_text(state, encoding="utf-8")
    return None


def coverage(settings: Path, *words: str) -> None:
    """Run a command of coverage.py that must succeed."""
    command = [sys.executable, "-m", "coverage", words[0], f"--rcfile={settings}", *words[1:]]
    subprocess.run(command, cwd=ROOT, check=True)


def table(found: dict[str, Any]) -> str:
    """The totals, then the files with holes: lines, and branches as line → line (−: the end)."""
    total = found["totals"]
    shown = (
        f"lines: {total['covered_lines']:,} of {total['num_statements']:,}, "
        f"{100 * total['covered_lines'] / total['num_statements']:.1f} %; "
        f"branches: {total['covered_branches']:,} of {total['num_branches']:,}, "
        f"{100 * total['covered_branches'] / total['num_branches']:.1f} %."
    )
    rows = []
    for name, one in sorted(found["files"].items()):
        lines = ranges(one["missing_lines"])
        branches = ", ".join(
            f"{start}→{max(end, 0) or '−'}" for start, end in one["missing_branches"]
            if start not in one["missing_lines"] and end not in one["missing_lines"]
        )  # fmt: skip
        if lines or branches:
            rows.append(f"| {name} | {lines} | {branches} |")
    head = ["| file with holes | lines not reached | branches not taken |", "|---|---|---|"]
    return "\n".join([shown, "", *head, *rows]) + "\n"


def ranges(numbers: list[int]) -> str:
    """Rising numbers, those that follow each other as first–last."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(str(part[0]) if len(part) == 1 else f"{part[0]}–{part[-1]}" for part in parts)
