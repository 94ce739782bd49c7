"""Print the table of misreadings: ``python -m tests.misreadings [COMMIT] [--section N]``.

With a commit, its karat is built and answers the same inputs: the column "before".
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from tests.misreadings.table import ROWS

_MOST_BYTES = 8 << 30
"""Memory of an old commit, some of whose answers take more than there is."""


def load() -> None:
    """Import the modules of rows."""
    for path in sorted(Path(__file__).parent.glob("rows_*.py")):
        import_module(f"tests.misreadings.{path.stem}")


def answers_of(commit: str) -> dict[str, str]:
    """Row → the answer of a commit's karat."""
    from benchmarks.pins.sides import environment
    from benchmarks.pins.trees import commit_tree

    command = [sys.executable, "-S", "-m", "tests.misreadings", "--json"]
    run = subprocess.run(
        command,
        env=environment(commit_tree(commit)),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES)),
    )
    if run.returncode:
        raise SystemExit(f"{commit} gives no answers, exit code {run.returncode}: {run.stderr}")
    answers: dict[str, str] = json.loads(run.stdout.splitlines()[-1])
    return answers


def main(words: list[str] | None = None) -> int:
    """Print the table; 1 where an answer is wrong now, or was right before."""
    parser = argparse.ArgumentParser(prog="python -m tests.misreadings", description=__doc__)
    parser.add_argument("commit", nargs="?")
    parser.add_argument("--section", type=int)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(words)
    load()
    rows = {name: row for name, row in ROWS.items() if options.section in (None, row.section)}
    now = {name: row.now() for name, row in rows.items()}
    if options.json:
        print(json.dumps(now))
        return 0
    before = answers_of(options.commit) if options.commit else {}
    print("| section | input | before | now | |\n|---|---|---|---|---|")
    counts = {"right": 0, "WRONG": 0, "right before": 0}
    for name, row in sorted(rows.items(), key=lambda item: item[1].section):
        verdict = "right" if row.is_right(now[name]) else "WRONG"
        counts[verdict] += 1
        if name in before and row.is_right(before[name]):
            counts["right before"] += 1
            verdict += ", and before"
        cells = [str(row.section), row.text, before.get(name, ""), now[name]]
        print("| " + " | ".join(_cell(cell) for cell in cells) + f" | {verdict} |")
    print("; ".join(f"{n} {name}" for name, n in counts.items()))
    return 1 if counts["WRONG"] or counts["right before"] else 0


def _cell(text: str, width: int = 160) -> str:
    text = text.replace("|", "\\|")
    return text if len(text) <= width else text[: width - 1] + "…"


if __name__ == "__main__":
    sys.exit(main())
