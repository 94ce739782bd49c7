"""`karat compare`: which of several models is better, by how much, and how sure that is."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from karat.cli.formats import NAMES, OUTPUT_HELP, Format, format_of, write_result
from karat.cli.options import Described, listed, said, shown_mapping, source_of
from karat.cli.outputs import check_outputs
from karat.cli.row_options import columns_given, options_given, rows_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.api.results import Comparison
    from karat.data.pairing import Paired
    from karat.data.rows import Rows

__all__ = ["command"]


@click.command(
    "compare",
    cls=Described,
    examples=(
        "karat compare old.parquet new.parquet",
        "karat compare old.csv new.csv --id image --metrics macro_f1 --margin 0.01",
        "karat compare a.csv b.csv c.csv --adjust maxt --flips flips.csv",
    ),
    no_args_is_help=True,
)
@click.argument("files", nargs=-1, required=True, metavar="A B…")
@click.option("--metrics", metavar="A,B", help="Only these metrics.")
@click.option(
    "--margin", type=float, metavar="X", help="Smaller differences do not matter: equivalent."
)
@click.option(
    "--adjust",
    type=click.Choice(["holm", "maxt", "none"]),
    default="holm",
    show_default=True,
    help="How p-values allow for many pairs of models.",
)
@click.option(
    "--against-first", is_flag=True, help="Compare every other model with the first alone."
)
@click.option("--seed", type=int, default=0, show_default=True, metavar="N")
@click.option(
    "--flips",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.csv",
    help="Write the rows on which one of two models alone is right.",
)
@rows_options
@click.option("--format", "format_", type=click.Choice(NAMES))
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help=OUTPUT_HELP,
)
def command(
    files: tuple[str, ...],
    metrics: str | None,
    margin: float | None,
    adjust: str,
    against_first: bool,
    seed: int,
    flips: Path | None,
    format_: str | None,
    output: Path | None,
    **given: Any,
) -> None:
    """Which model is better, by how much, and how sure that is.

    A and B are predictions for the same rows, one file for each model. A difference is that of a
    later model to an earlier one. Exit code 0 whatever is found.
    """
    from karat.cli.progress import ReadingBar
    from karat.data.pairing import pair_rows
    from karat.data.sources.tables.models import read_rows
    from karat.metrics import get

    wanted = None if metrics is None else [get(name) for name in listed(metrics) or ()]
    if len(files) < 2:
        raise click.UsageError("A comparison needs two models: karat compare A B.")
    chosen = format_of(format_, output)
    check_outputs({"--flips": flips, "-o": output}, files, given["where"])
    columns, options = columns_given(given), options_given(given)
    names = _names(files)
    models: list[Rows] = []
    told: set[str] = set()
    for path, name in zip(files, names, strict=True):
        with ReadingBar() as bar:
            models.append(read_rows(source_of([path]), name, columns, **options, progress=bar))
        said(f"{name}: {shown_mapping(models[-1].mapping or {}, given['threshold'])}")
        for warning in models[-1].warnings:
            if warning not in told:
                said(f"Warning: {warning}")
        told.update(models[-1].warnings)
    matched = pair_rows(models, allow_mismatch=given["allow_mismatch"])
    found = _compared(
        matched,
        names,
        metrics=wanted,
        baseline=names[0] if against_first else None,
        level=given["level"],
        margin=margin,
        adjust=adjust,
        seed=seed,
        undefined=given["undefined"],
        n_threads=given["threads"],
    )
    for note in matched.notes:
        said(f"Warning: {note}")
    by = "their ids" if matched.by == "id" else "their order in the files"
    said(f"Rows were matched by {by}.")
    if flips is not None:
        _write_flips(found, matched, flips)
        said(f"Wrote {flips}.")
    _show(found, chosen, output)


def _names(files: Sequence[str]) -> list[str]:
    """What the models are called: the names of their files, longer where those are alike."""
    from karat.errors.foreign_text import harmless

    shown = [harmless(Path(name).stem) for name in files]
    if len(set(shown)) < len(shown) or not all(shown):
        shown = [harmless(name) for name in files]
    # The same file twice is two models.
    return [f"{name} ({i + 1})" if shown.count(name) > 1 else name for i, name in enumerate(shown)]


def _compared(matched: Paired, names: Sequence[str], **options: Any) -> Comparison:
    from dataclasses import replace

    from karat.api.comparing import compare

    rows = matched.models
    first = rows[0]
    scores: dict[str, dict[str, Any]] = {}
    wanted = options["metrics"]
    needs_scores = wanted is None or any(metric.needs_scores for metric in wanted)
    # Of models of which only some have scores the labels are compared.
    if needs_scores and (wanted is not None or all(each.scores is not None for each in rows)):
        for name, each in zip(names, rows, strict=True):
            if each.scores is not None:
                argument = "y_prob" if each.is_prob else "y_score"
                scores.setdefault(argument, {})[name] = each.values
    arguments: dict[str, Any] = {**scores, **options}
    found = compare(
        first.true,
        {name: each.pred for name, each in zip(names, rows, strict=True)},
        weights=first.weights,
        clusters=None if first.clusters is None else first.clusters.codes,
        labels=list(range(first.classes.k)),
        positive=first.classes.positive,
        **arguments,
    )
    return replace(found, classes=first.classes)


def _write_flips(found: Comparison, matched: Paired, path: Path) -> None:
    import csv
    import io

    from karat.data.writing import write_text

    labels = matched.models[0].classes.labels
    ids = matched.models[0].ids if matched.by == "id" else None
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["id" if ids is not None else "row", "true", "a", "said_a", "b", "said_b",
                     "right"])  # fmt: skip
    for (a, b), each in found.flips.items():
        for i, row in enumerate(each.rows.tolist()):
            name = row if ids is None else ids.text(row)
            said_ = [labels[int(column[i])] for column in (each.true, each.said_a, each.said_b)]
            writer.writerow([name, said_[0], a, said_[1], b, said_[2], a if each.gained[i] else b])
    try:
        write_text(path, text.getvalue())
    except OSError as problem:
        raise click.FileError(str(path), problem.strerror or "unknown error") from None


def _show(found: Comparison, format_: Format, output: Path | None) -> None:
    from karat.output.compared import describe_comparison
    from karat.output.terminal import print_document

    if output is not None:
        write_result(output, format_.of_comparison(found))
    elif format_.name == "text":
        print_document(describe_comparison(found), sys.stdout)
    else:
        click.echo(format_.of_comparison(found))
