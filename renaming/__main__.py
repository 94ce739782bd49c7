"""Rename the calls of a package in a repository, from a table.

    python -m renaming TABLE.toml [--check] [PATHS…]

Without PATHS: the folders and files of `PATHS` in work.py; of src only the examples of docstrings.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from renaming.table import TableError, read
from renaming.work import PATHS, renamed


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m renaming",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("table", type=Path)
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--check", action="store_true", help="print a diff and change nothing")
    parser.add_argument("--root", type=Path, default=Path(), help="the folder of the repository")
    options = parser.parse_intermixed_args(arguments)
    root = options.root.resolve()
    try:
        table = read(options.table)
    except (TableError, OSError) as problem:
        print(problem, file=sys.stderr)
        return 2
    paths = options.paths or [root / name for name in PATHS if (root / name).exists()]
    report = renamed(table, root, paths)
    if options.check:
        sys.stdout.write(report.diff())
    else:
        for path, text in report.changed.items():
            path.write_text(text, encoding="utf-8", newline="")
    print("\n".join(report.lines()), file=sys.stderr)
    return 1 if options.check and report.changed else 0


if __name__ == "__main__":
    sys.exit(main())
