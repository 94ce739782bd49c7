"""`karat label`: which rows people label next, beside a judge's labels."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from karat.cli.options import Described, source_of, sources
from karat.cli.outputs import FILE, check_outputs, write_file
from karat.cli.streams import said

if TYPE_CHECKING:
    from collections.abc import Sequence


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
@click.option("--ids", "id_", metavar="COLUMN", help="Column of row ids. Default: found by name.")
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

    The CSV has the columns id (or row), judge, gold (empty) and gold_weight, which --gold-weights
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
        roles = {"judge": judge, "confidence": confidence, "id": name}
        wanted = {role: each for role, each in roles.items() if each}
        read = frame.columns([*wanted.values()], [*wanted])
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
    then = _next(predictions, frame.names, output, name, judge)
    said(f"Wrote {output}. Fill in its column gold, then:")
    said(then)


def _next(
    files: Sequence[str], columns: Sequence[str], labels: Path, id_: str | None, judge: str
) -> str:
    """Command that reads the labels beside the rows that they were drawn from."""
    from karat.data.sources.files.paths import is_query

    def quoted(text: str) -> str:
        return "'{}'".format(text.replace("'", "''"))

    (first, *others) = files
    source = f"({first})" if is_query(first) else quoted(first)
    if others:
        reader = "read_csv" if ".csv" in first else "read_parquet"
        source = f"{reader}([{', '.join(map(quoted, files))}])"
    left_out = [x for x in columns if x in ("gold", "gold_weight")]
    on = f"a.{id_} = b.id" if id_ and id_.isidentifier() else f'a."{id_}" = b.id'
    if id_ is None:
        # Without ids rows are known by their numbers in the file.
        source, on = f"(SELECT *, row_number() OVER () - 1 AS row_ FROM {source})", "row_ = b.row"
        left_out.append("row_")
    taken = f" EXCLUDE ({', '.join(left_out)})" if left_out else ""
    join = f"{source} a LEFT JOIN {quoted(str(labels))} b ON {on}"
    query = f"SELECT a.*{taken}, b.gold, b.gold_weight FROM {join}"
    words = ["karat", "report", query, "--judge", judge]
    words += ["--true", "gold", "--gold-weights", "gold_weight"]
    return " ".join(map(_in_shell, words))


def _in_shell(word: str) -> str:
    """A word as a shell reads it, in double quotes where single ones are part of it."""
    import re
    import shlex

    if "'" not in word or re.search(r'["$`\\!]', word):
        return shlex.quote(word)
    return f'"{word}"'


def _range(weights: object) -> str:
    import numpy as np

    found = np.asarray(weights)
    return f"{found.min():.3g} to {found.max():.3g}"
