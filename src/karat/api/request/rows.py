"""Options that say where rows and the outputs of models are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from karat.api.request.checks import Switch, kept_rows
from karat.api.request.record import Change, Flag, option

_TABLES = "read evaluate check gate find_weak_slices Monitor.add"
_COMMANDS = "report columns compare gate monitor"
_OF_DATA = "With data:"
_CLUSTERS = "rows of one cluster are dependent; '' for none."


@dataclass(frozen=True)
class RowOptions:
    """Truth and outputs of models: values, or columns of a table or of files."""

    data: Any = option(
        "a table (pandas, Polars, Arrow, DuckDB, dict of columns); or a partitioned table (Spark, "
        "Dask), which is read in place; or files (a path, a glob, a folder, several of them, or a "
        "SQL query); or `karat.Data`. Or true labels, as `y_true`.",
        verbs=f"{_TABLES} compare Stream.update",
        is_positional=True,
        at={
            "compare": Change(
                "a table with a column for each model; or a dict from model to its table, its "
                "files, its `karat.Data`, or its `Report` or `MultilabelReport`. Or true labels, "
                "as `y_true`."
            ),
            "gate": Change(
                "a table, files of predictions, `karat.Data`, a `Report` or a "
                "`MultilabelReport`. Or true labels, as `y_true`."
            ),
            "Monitor.add": Change(
                "a table, files of predictions, or `karat.Data`. Or true labels, as `y_true`."
            ),
            "Stream.update": Change(
                "a table, files, or `karat.Data`: rows of a batch. Or true labels, as `y_true`."
            ),
            "read": Change(
                "a table (pandas, Polars, Arrow, DuckDB, dict of columns), a partitioned table "
                "(Spark, Dask), or files (a path, a glob, a folder, several of them, or a SQL "
                "query)."
            ),
        },
    )
    predictions: Any = option(
        "predicted labels, as `y_pred`, after true labels.",
        verbs="evaluate check gate find_weak_slices Monitor.add compare Stream.update",
        is_positional=True,
        at={"compare": Change("as `y_pred`, after true labels.")},
    )
    y_true: Any = option(
        "true labels, [n]; or sets of labels (an indicator matrix [n, k], lists or sets), for a "
        f"`MultilabelReport`. {_OF_DATA} the name of their column; default: detected by name. Sets "
        'are columns of lists, text with `separator`, or patterns such as ``"true_*"`` for '
        "columns of one label each.",
        verbs=f"{_TABLES} compare Stream.update",
        at={
            "compare": Change(
                "true labels, [n], or sets of labels, as in `evaluate`; or a dict from model to "
                f"true labels, for models that were measured on different rows. {_OF_DATA} the "
                "name of their column."
            ),
            "Stream.update": Change(
                "true labels, [n]; or sets of labels, as `karat.evaluate` takes them. "
                f"{_OF_DATA} the name of their column."
            ),
        },
    )
    y_pred: Any = option(
        "predicted labels, [n], in the same forms. With y_prob, y_logit or y_score: the "
        "predictions, if they differ from the class of the largest probability.",
        verbs=f"{_TABLES} compare Stream.update",
        at={
            "compare": Change(
                "a dict from model to predicted labels, [n], or sets of them; or a table with a "
                f"column for each model. {_OF_DATA} a dict from model to the name of its column, "
                "or a list of names."
            ),
            "find_weak_slices": Change(
                "predicted labels, in the same forms; a row loses 1 where they differ from the "
                "true ones."
            ),
            "Stream.update": Change(
                "predicted labels, [n], or sets of them; with scores: if they differ from those of "
                "the scores."
            ),
        },
    )
    y_prob: Any = option(
        "probabilities, float[n, k] with columns in the order of the classes, or float[n] of the "
        f"positive class of two. They are never clipped or renormalized. {_OF_DATA} names in the "
        "order of the classes, one name (a list column, or P(positive)), or a pattern such as "
        '``"proba_*"``; default: detected by name.',
        verbs=f"{_TABLES} compare Stream.update",
        at={
            "compare": Change(
                "a dict from model to probabilities, float[n, k] or float[n] of the positive "
                "class; of sets those of the labels, in any form that `evaluate` takes. "
                f"{_OF_DATA} a dict from model to columns.",
                "Mapping[str, Any] | None",
            ),
            "Stream.update": Change(
                "probabilities, float[n, k] or float[n]; see `karat.evaluate`. For sets, those of "
                "the labels, in all batches or in none."
            ),
        },
    )
    y_logit: Any = option(
        "logits instead, in the same forms: what the last layer of a network gives. Losses and "
        "calibration read their softmax (one column: sigmoid), rankings their log-odds; threshold "
        "is a probability.",
        verbs=f"{_TABLES} compare Stream.update",
        at={
            "compare": Change(
                "a dict from model to logits instead, in the same forms.",
                "Mapping[str, Any] | None",
            )
        },
    )
    y_score: Any = option(
        "any other finite scores, in the same forms; rankings read them as given (two columns: "
        "their difference), and metrics of probabilities are not there.",
        verbs=f"{_TABLES} compare Stream.update",
        at={
            "compare": Change(
                "a dict from model to any other finite scores, in the same forms. A model may "
                "have labels and scores; without labels the class of the largest is predicted.",
                "Mapping[str, Any] | None",
            )
        },
    )
    confusion: Any = option(
        "number[k, k], rows true, columns predicted; instead of rows.", verbs="evaluate"
    )
    true: str | int | None = option(
        "column of true labels.",
        flags=(Flag("--true", _COMMANDS, "Column of true labels.", "COLUMN"),),
    )
    pred: str | int | None = option(
        "column of predicted labels.",
        flags=(Flag("--pred", _COMMANDS, "Column of predicted labels.", "COLUMN"),),
    )
    prob: str | Sequence[str] | None = option(
        "columns of probabilities.",
        flags=(
            Flag(
                "--prob",
                "report",
                "Columns of probabilities: A,B,C in the order of the classes, a pattern 'p_*', or "
                "one; '' for none.",
                "COLUMNS",
                "columns",
            ),
            Flag(
                "--prob",
                "columns compare gate monitor",
                "Columns of probabilities, as in karat report.",
                "COLUMNS",
                "columns",
            ),
        ),
    )
    logit: str | Sequence[str] | None = option(
        "columns of logits.",
        flags=(
            Flag(
                "--logit", _COMMANDS, "Columns of logits, in the same forms.", "COLUMNS", "columns"
            ),
        ),
    )
    score: str | Sequence[str] | None = option(
        "columns of scores.",
        flags=(
            Flag(
                "--score",
                _COMMANDS,
                "Columns of other scores, in the same forms.",
                "COLUMNS",
                "columns",
            ),
        ),
    )


@dataclass(frozen=True)
class RowRoleOptions:
    """Weights, clusters, slices, folds and ids of rows."""

    weights: Any = option(
        "float[n], or the name of a column: importance of each row, at least 0.",
        verbs=f"{_TABLES} compare Stream.update",
        flags=(
            Flag(
                "--weights",
                "report",
                "Column of row weights; '' ignores one that is found.",
                "COLUMN",
            ),
            Flag(
                "--weights",
                "columns compare gate monitor",
                "Column of row weights; '' for none.",
                "COLUMN",
            ),
        ),
        at={
            "compare": Change(
                "float[n], importance of each row; of models on different rows a dict."
            ),
            "find_weak_slices": Change(
                "float[n], at least 0, or the name of a column (of a table found by its name; "
                '"" for none): how much each row counts; rows of weight 0 are left out.'
            ),
            "Stream.update": Change("float[n], or None; in all batches or in none."),
        },
    )
    clusters: Any = option(
        "one name or number for each row, or the name of a column: rows of a cluster (a patient, a "
        "user) are not independent, and intervals account for it.",
        verbs=f"{_TABLES} compare",
        flags=(
            Flag(
                "--clusters",
                "report",
                f"Column of clusters (person, patient, session): {_CLUSTERS}",
                "COLUMN",
            ),
            Flag(
                "--clusters",
                "columns compare gate monitor",
                f"Column of clusters (person, session): {_CLUSTERS}",
                "COLUMN",
            ),
        ),
        at={
            "compare": Change(
                "a label for each row, [n]: rows with the same one are not independent."
            ),
            "find_weak_slices": Change(
                "one name or number a row, or the name of a column: rows of a cluster depend on "
                "each other. Then the losses of each cluster keep or change their sign together "
                "(Hemerik, Goeman and Finos 2020)."
            ),
        },
    )
    by: Any = option(
        "grouping of the rows for `Report.slices`: one value for each row, or a dict from name to "
        "such values; for a table or files, the name of a column, a tuple of names for their "
        "cross, or a list of both. Rows without a value form a slice; numbers with many distinct "
        "values are put into five bins. See docs/slices.md.",
        verbs="read evaluate check gate find_weak_slices",
        flags=(
            Flag(
                "--by",
                "report columns",
                "Column of slices, or A,B for the cross of two. Repeatable. Numbers are binned.",
                "COLUMN",
                "groups",
                is_repeated=True,
            ),
            Flag(
                "--by",
                "gate",
                "Also check every rule on every slice; the baseline needs rows, or the same "
                "slices.",
                "COLUMN",
            ),
        ),
        at={
            "gate": Change(
                'a column, or a value for each row, also as ``{"country": values}``: every rule '
                "holds for every slice too. A slice that the baseline has and these rows do not "
                "fails; of one that only these rows have, what compares with the baseline is "
                "inconclusive."
            ),
            "find_weak_slices": Change(
                "the columns to look at: a table, or a dict from name to values, [n] each; of a "
                "table or files that were given first their names. Default: all its others that "
                "hold neither labels, weights, clusters, ids nor output of the model "
                "(probabilities, scores, the predictions in other words)."
            ),
        },
    )
    folds: Any = option(
        "fold of cross-validation that tested each row, for `Report.folds`: one value for each "
        'row; with repeats a dict, or a table, of ``"repeat"`` and ``"fold"``, and ids; for a '
        'table or files the name of the column, or ``"auto"``. See docs/folds.md.',
        verbs="read evaluate check compare gate",
        flags=(
            Flag(
                "--folds",
                "report columns compare gate",
                "Column of folds of cross-validation, or 'auto' to find it by name. A column "
                "'repeat' beside it is read, too.",
                "COLUMN",
            ),
        ),
        at={
            "compare": Change(
                "fold of cross-validation that tested each row, as in `evaluate`, the same for all "
                "models: `Comparison.folds` has the corrected resampled t-test. Repeats need `ids` "
                "or `clusters`."
            ),
            "gate": Change(
                "a column, or the fold of each row, as in `karat.evaluate`: every rule is about "
                "the mean over folds, with the interval of Nadeau and Bengio, and a drop about the "
                "mean difference over the folds of both. Not with `by`."
            ),
        },
    )
    ids: Any = option(
        "one id for each row, [n], or the name of a column of unique ids in a table or in files; "
        'default: detected by name; ``""`` for none. Several files with the same ids are taken for '
        "several models (K193); a warning reports repeated ids.",
        verbs="read evaluate check compare gate find_weak_slices Monitor.add",
        at={
            **dict.fromkeys(
                ("gate", "Monitor.add"),
                Change(
                    "a column, or a value for each row, that rows of both models are matched by. "
                    "Default: a column ``id``, ``sample_id``, ``row_id`` … that both have, else "
                    "the order of the rows."
                ),
            ),
            "compare": Change(
                "a column that rows of several tables or files are matched by. Default: a column "
                "``id``, ``sample_id``, ``row_id`` … that all have, else the order of the rows. "
                "Of arrays one id for each row: with repeats of folds its predictions belong "
                "together."
            ),
            "find_weak_slices": Change(
                "one id for each row, or the name of a column: `WeakSlice.ids` lists those of "
                "each slice. A column of ids is not searched."
            ),
        },
        flags=(
            Flag(
                "--ids",
                "report",
                "Column of unique row ids; '' ignores one that is found.",
                "COLUMN",
            ),
            Flag(
                "--ids",
                "columns",
                "Column to match rows by. Default: id, sample_id, row_id …, else their order.",
                "COLUMN",
            ),
        ),
    )
    id: Any = option(
        "column to match rows by.",
        flags=(
            Flag(
                "--ids",
                "compare gate monitor",
                "Column to match rows by. Default: id, sample_id, row_id …, else their order.",
                "COLUMN",
            ),
        ),
    )
    keep_rows: int | None = option(
        "number of rows to keep of each cell of the confusion matrix, bin of probabilities and "
        "slice, the most wrong ones: `Report.rows` and the page list them. Default: 20 if `ids` is "
        "given, else 0. Without ids, rows have their numbers in the source, from 0.",
        check=kept_rows,
        verbs="read evaluate gate",
        flags=(
            Flag(
                "--keep-rows",
                "report",
                "List the N most wrong rows of each cell, bin and slice, in pages and JSON. "
                "Default: 20 for pages, else 0.",
                "N",
                "whole",
                least=0,
                most=10_000,
            ),
            Flag(
                "--with-rows",
                "gate",
                "Store the rows in the baseline, for a paired comparison.",
                kind="switch",
            ),
        ),
        at={
            "gate": Change(
                "True: a baseline that `GateResult.save_baseline` writes holds the rows, so that "
                "the next model is compared row by row.",
                "bool",
                False,
                Switch("True keeps every row for the baseline."),
            )
        },
    )
    errors: PathLike[str] | None = option(
        "where to write every wrong row as CSV.",
        flags=(
            Flag(
                "--errors",
                "report",
                "Write every wrong row to FILE as CSV: its id or number, classes and scores.",
                "FILE",
                "file",
            ),
        ),
    )
