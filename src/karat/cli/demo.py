"""`karat demo`: two small files of real predictions, and the report of one."""

from __future__ import annotations

from pathlib import Path

import click

FILES = ("digits_logreg.parquet", "digits_rf.parquet")
"""Handwritten digits, as logistic regression and a random forest read them."""


def bundled(name: str) -> Path:
    """Path of a demo file in the installed package."""
    return Path(__file__).with_name("demo_data") / name


@click.command("demo")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=".",
    show_default=True,
    help="Folder to write the files to.",
)
def command(folder: Path) -> None:
    """Write two small prediction files and report one of them.

    Writes digits_logreg.parquet and digits_rf.parquet: 1 797 handwritten digits, as two
    models of scikit-learn classified them in cross-validation.
    """
    from karat.api.evaluation import evaluate
    from karat.cli.outputs import show
    from karat.cli.report import tell
    from karat.cli.streams import said

    for name in FILES:
        _copied(bundled(name), folder / name)
    path = folder / FILES[0]
    said(f"Wrote {FILES[0]} and {FILES[1]}.")
    said(f"$ karat report {path}")
    report = evaluate(path)
    tell(report)
    show(report, "text", None, "headline")
    said("Next: karat columns digits_rf.parquet, karat metrics macro_f1, karat report --help")


def _copied(source: Path, target: Path) -> None:
    """Copy a demo file; another file of that name is never overwritten."""
    content = source.read_bytes()
    try:
        if target.exists() and target.read_bytes() != content:
            raise click.UsageError(f"{target} is another file; choose another place with --folder.")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    except OSError as problem:
        raise click.FileError(str(target), problem.strerror or "unknown error") from None
