"""`karat label`: which rows people label next, beside a judge's labels."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click

from karat.cli.options import Described, source_of, sources
from karat.cli.outputs import FILE, check_outputs, write_file
from karat.cli.streams import said


@click.command(
    "label",
    cls=Described,
    examples=(
        "karat label answers.csv --judge llm -n 200 -o to_label.csv",
        "karat label answers.csv --judge llm --confidence llm_p -n 200",
    ),
    no_args_is_help=True,
)
@sources
@click.option(
    "--judge", metavar="COLUMN", required=True, help="Column of the judge's label of every row."
)
@click.option("-n", "n", type=int, metavar="N", required=True, help="Number of rows to draw.")
@click.option(
    "--confidence",
    metavar="COLUMN",
    help="Column of the probability that the judge's label is right: unsure rows are drawn more "
    "often.",
)
@click.option("--id", "id_", metavar="COLUMN", help="Column of row ids. Default: found by name.")
@click.option(
    "--seed", type=int, default=0, show_default=True, metavar="N", help="Seed of the draw."
)
@click.option("-o", "--output", type=FILE, metavar="FILE.csv", help="Write the rows to FILE.csv.")
def command(
    predictions: tuple[str, ...],
    judge: str,
    n: int,
    confidence: str | None,
    id_: str | None,
    seed: int,
    output: Path | None,
) -> None:
    """Draw rows for people to label, beside a judge's labels.

    The CSV has the columns id (or row), judge, gold (empty) and gold_weight, which --gold-weight
    of karat report reads: the weights keep estimates from these rows unbiased.
    """
    from karat.api.labeling import rows_to_label
    from karat.data.roles import find_roles
    from karat.data.sources.files.rows import open_files
    from karat.errors.text import counted

    check_outputs({"-o": output}, predictions)
    if output is not None and output.exists():
        raise click.UsageError(f"{output} exists, and may hold labels: name another file.")
    with ExitStack() as cleanup:
        frame = open_files(source_of(predictions), cleanup)
        name = id_
        if name is None:
            names = [each for each in frame.names if each not in (judge, confidence)]
            name = find_roles(names, frame.types, needs=()).column("id")
        wanted = [each for each in (judge, confidence, name) if each]
        read = frame.columns(wanted, ["judge", "confidence", "id"])
        found = rows_to_label(
            read[judge],
            n,
            confidence=None if confidence is None else read[confidence],
            ids=read[name] if name else None,
            seed=seed,
        )
    said(f"{counted(len(found), 'row')} of {found.n_rows}, weights {_range(found.weights)}")
    if output is None:
        click.echo(found.to_csv(), nl=False)
        return
    write_file(output, found.to_csv())
    said(f"Wrote {output}.")


def _range(weights: object) -> str:
    import numpy as np

    found = np.asarray(weights)
    return f"{found.min():.3g} to {found.max():.3g}"
