"""`karat compare`: differences of several models, with intervals and tests."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from karat.cli.judge import compare_judged
from karat.cli.options import (
    Described,
    Words,
    listed,
    output_options,
    record_options,
    request_of,
    shown_mapping,
    source_of,
)
from karat.cli.outputs import (
    FILE,
    FORMATS,
    check_outputs,
    format_of,
    is_on_screen,
    show,
    write_file,
)
from karat.cli.streams import said, tell_warnings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.api.request.request import Request
    from karat.api.results import Comparison
    from karat.data.pairing import Paired
    from karat.data.rows import Rows
    from karat.data.table_sets import TableSets


@click.command(
    "compare",
    cls=Described,
    examples=(
        "karat compare old.parquet new.parquet",
        "karat compare old.csv new.csv --ids image --metrics macro_f1 --margin 0.01",
        "karat compare a.csv b.csv c.csv --adjust maxt --flips flips.csv",
        "karat compare old_tags.csv new_tags.csv --separator '|'",
        "karat compare a.csv b.csv --true human --judge llm",
    ),
    repeated=dict.fromkeys(
        ("--true", "--pred"),
        "It is of every file. For a file with another name, give a query that renames the column: "
        "\"SELECT * RENAME (guess AS pred) FROM 'b.csv'\".",
    ),
    no_args_is_help=True,
)
@click.argument("files", nargs=-1, required=True, metavar="A B…")
@record_options("compare")
@click.option(
    "--against-first", is_flag=True, help="Compare every other model with the first alone."
)
@click.option(
    "--flips",
    type=FILE,
    metavar="FILE.csv",
    help="Write the rows on which only one of two models is right.",
)
@click.option("--format", "format_", type=Words(list(FORMATS)))
@output_options
def command(
    files: tuple[str, ...],
    against_first: bool,
    flips: Path | None,
    format_: str | None,
    output: Path | None,
    title: str | None,
    **typed: Any,
) -> None:
    """Compare models: differences, intervals and tests.

    A and B are predictions for the same rows, one file for each model. A difference is the
    value of a later model minus that of an earlier one. The exit code is 0 for every result.
    """
    from karat.api.arguments import refuse_without_judge
    from karat.api.comparing import compare_files
    from karat.cli.streams import ReadingBar
    from karat.errors.doubts import without_doubts
    from karat.metrics import get

    request = request_of("compare", "compare", typed)
    if typed["metrics"] not in (None, "all"):
        request = request.but(metrics=[get(name) for name in listed(typed["metrics"]) or ()])
    if len(files) < 2:
        names = listed(typed["pred"]) or ()
        if len(names) < 2:
            raise click.UsageError(
                "A comparison needs two models: karat compare A B. For models that are columns of "
                f"one file, name them for the command: karat compare {shlex.quote(files[0])} "
                "--pred NAME,NAME."
            )
        raise click.UsageError(_of_one_file(files[0], names, request))
    chosen = format_of(format_, output, title)
    check_outputs({"--flips": flips, "-o": output}, files, request.where)
    models = {name: source_of([path]) for name, path in zip(_names(files), files, strict=True)}
    refuse_without_judge(request)
    if request.judge is not None:
        baseline = next(iter(models)) if against_first else None
        judged = compare_judged(models, request, flips, baseline)
        show(judged, chosen, output, "headline", title)
        return
    known: set[str] = set()

    def read(name: str, rows: Rows | TableSets) -> None:
        from karat.data.table_sets import TableSets
        from karat.results.roles import by_name

        of_sets = isinstance(rows, TableSets)
        shown = shown_mapping(by_name(rows.mapping), request.threshold, of_sets=of_sets)
        said(f"{name}: {shown}")
        # Doubts are those of the comparison, which names the model.
        warnings = without_doubts(rows.warnings)
        tell_warnings(one for one in warnings if one not in known)
        known.update(warnings)

    found, matched = compare_files(
        models, request, is_against_first=against_first, bar=ReadingBar, read=read
    )
    tell_warnings(matched.notes)
    if not is_on_screen(chosen, output):
        tell_warnings(found.doubts)
    by = "their ids" if matched.by == "id" else "their order in the files"
    said(f"Rows were matched by {by}.")
    if flips is not None:
        _write_flips(found, matched, flips, request.separator or "|")
        said(f"Wrote {flips}.")
    show(found, chosen, output, "headline", title)


def _of_one_file(path: str, names: Sequence[str], request: Request) -> str:
    """Command that compares models whose predictions are columns of one file."""
    from karat.data.sources.files.paths import is_query

    true = None if request.true is None else str(request.true)
    separator = request.separator
    rows = f"({path})" if is_query(path) else "'{}'".format(path.replace("'", "''"))
    if separator is not None and re.search(r"\.[ct]sv(\.\w+)?'$", rows):
        # Of text with several labels a blank field is the empty set, in SQL a null.
        rows = f"read_csv({rows}, nullstr='NA')"
    options = {"--true": true, "--separator": separator}
    options |= {"--judge": request.judge, "--gold-weights": request.gold_weights}
    if all(name.count("*") == 1 for name in names):
        queries = _of_patterns(names, rows)
        options["--pred"] = "pred_*" if true else None
        in_python = ""
    else:
        spelled = [name if name.isidentifier() else f'"{name}"' for name in names]
        start = f"SELECT * EXCLUDE ({', '.join(spelled)})"
        queries = [f"{start}, {name} AS pred FROM {rows}" for name in spelled]
        split = "" if separator is None else f", labels=karat.Labels(separator={separator!r})"
        labels = f"table[{true or 'TRUTH'!r}], "
        if request.judge is not None:
            weights = request.gold_weights
            more = "" if weights is None else f", weights=table[{weights!r}]"
            split += f", design=karat.Judge(table[{request.judge!r}]{more})"
        in_python = f"\nIn Python: karat.compare({labels}table[{[*names]}]{split})"
    queries = [shlex.quote(x) if re.search(r'["$`\\!]', x) else f'"{x}"' for x in queries]
    words = [f"{option} {shlex.quote(value)}" for option, value in options.items() if value]
    call = " ".join(["karat compare", *queries, *words])
    return f"Each model is a file, or a query: {call}{in_python}"


def _of_patterns(patterns: Sequence[str], rows: str) -> list[str]:
    """The query of each model that has one column for each label, named by its pattern."""
    parts = ["(.*)".join(map(re.escape, x.replace("'", "''").split("*"))) for x in patterns]
    start = f"SELECT * NOT SIMILAR TO '{'|'.join(parts)}'"
    return [rf"{start}, COLUMNS('^{part}$') AS 'pred_\1' FROM {rows}" for part in parts]


def _names(files: Sequence[str]) -> list[str]:
    """Names of the models: those of their files, or the parts in which their paths differ."""
    from karat.data.sources.files.paths import is_query
    from karat.errors.text import harmless

    if all(map(is_query, files)):
        return _of_queries(files)
    shown = [harmless(Path(name).stem) for name in files]
    if len(set(shown)) < len(shown) or not all(shown):
        shown = [harmless(name) for name in _apart(files)]
    # The same file twice is two models.
    return [f"{name} ({i + 1})" if shown.count(name) > 1 else name for i, name in enumerate(shown)]


def _of_queries(queries: Sequence[str]) -> list[str]:
    """Names of models that are queries: the words in which they differ, or their numbers."""
    from karat.errors.text import harmless

    words = [re.findall(r"[\w.]+", query) for query in queries]
    for _ in range(2):
        # Without the common beginning; then, reversed, without the common end.
        while all(words) and len({each[0] for each in words}) == 1:
            words = [each[1:] for each in words]
        words = [each[::-1] for each in words]
    names = [harmless(" ".join(each)) for each in words]
    is_short = all(len(name) <= 40 and re.search(r"[^\W\d]", name) for name in names)
    if is_short and len(set(names)) == len(names):
        return names
    return [f"query {i + 1}" for i in range(len(queries))]


def _apart(files: Sequence[str]) -> list[str]:
    """The parts in which paths differ: without their common beginning and end."""
    from karat.data.sources.files.paths import is_query

    whole = list(files)
    if any(map(is_query, whole)):
        return whole
    paths = [(path.parent / path.stem).parts for path in map(Path, whole)]
    if len(set(paths)) < len(paths):
        return whole
    for common, rest in ((0, slice(1, None)), (-1, slice(None, -1))):
        while all(len(path) > 1 for path in paths) and len({path[common] for path in paths}) == 1:
            paths = [path[rest] for path in paths]
    return [str(Path(*path)) for path in paths]


def _write_flips(found: Comparison, matched: Paired[Any], path: Path, separator: str) -> None:
    import csv
    import io

    def cell(label: Any) -> Any:
        """A label, or the labels of a set as text that `--separator` splits."""
        if not isinstance(label, frozenset):
            return label
        marks = str.maketrans({"\\": r"\\", separator[0]: f"\\{separator[0]}"})
        return separator.join(str(each).translate(marks) for each in sorted(label))

    ids = matched.models[0].ids if matched.by == "id" else None
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    first = "row" if ids is None else "id"
    writer.writerow([first, "true", "a", "said_a", "b", "said_b", "right"])
    for (a, b), each in found.flips.items():
        for i, row in enumerate(each.rows.tolist()):
            name = row if ids is None else ids.text(row)
            right = a if each.gained[i] else b
            true, said_a, said_b = map(cell, (each.true[i], each.said_a[i], each.said_b[i]))
            writer.writerow([name, true, a, said_a, b, said_b, right])
    write_file(path, text.getvalue())
