"""Every error and warning that karat raises, with its code, its wording and its advice.

An error is raised by its code: ``raise error("K102", left="y_true", ...)``.
The message has four beats: what is wrong, where, what was found, what to do.
Every code is triggered by a test; the catalogue and the tested set are equal.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

from karat.wording import filled, short, shown

__all__ = [
    "CATALOGUE",
    "Entry",
    "InputError",
    "KaratError",
    "OneDALError",
    "UndefinedWarning",
    "UnknownNameError",
    "error",
    "short",
    "shown",
]


class UndefinedWarning(UserWarning):
    """A value was asked for that the data does not define; one warning per call."""


class KaratError(ValueError):
    """Base of every error that karat raises about its input.

    Attributes:
        code: the entry of the catalogue, for example ``"K102"``.
        context: the facts that the message was made from.
    """

    def __init__(self, code: str, **context: Any) -> None:
        self.code = code
        self.context = context
        super().__init__(CATALOGUE[code].render(context))

    def __str__(self) -> str:
        # KeyError would print the repr of the message.
        return str(self.args[0])

    def __reduce__(self) -> tuple[Any, ...]:
        # A fact may be anything that a caller gave, also what cannot travel: its text does.
        context = {name: _portable(value) for name, value in self.context.items()}
        return _rebuild, (type(self), self.code, context, str(self))


class InputError(KaratError):
    """The data or an option cannot be used as given."""


class OneDALError(InputError):
    """What oneDAL's quality metrics refuse, with the number that oneDAL gives it."""

    @property
    def error_id(self) -> int:
        """The number of the error in oneDAL, for example -52."""
        return int(self.context["error_id"])


class UnknownNameError(KaratError, KeyError):
    """A metric, column or option of that name does not exist."""


def _rebuild(
    kind: type[KaratError], code: str, context: dict[str, Any], message: str
) -> KaratError:
    problem = kind(code, **context)
    problem.args = (message,)
    return problem


def _portable(value: Any) -> Any:
    if value is None or type(value) in (str, int, float, bool):
        return value
    if type(value).__module__ == "numpy" and getattr(value, "shape", None) == ():
        return value.item()
    if type(value) in (list, tuple):
        return type(value)(map(_portable, value))
    return short(value)


@dataclass(frozen=True, slots=True)
class Entry:
    """One error: templates for what is wrong, what was found where, and what to do."""

    code: str
    what: str
    found: str
    do: str
    kind: type[KaratError] = InputError

    def render(self, context: dict[str, Any]) -> str:
        lines = [filled(part, context) for part in (self.what, self.found, self.do)]
        return (
            f"{self.code}  "
            + textwrap.indent("\n".join(line for line in lines if line), "      ").lstrip()
        )


def error(code: str, **context: Any) -> KaratError:
    """Make the error of that code; the caller raises it."""
    return CATALOGUE[code].kind(code, **context)


_ENTRIES = (
    # K1xx: labels, weights and options of a call.
    Entry(
        "K101",
        "{argument} is empty.",
        "It has 0 rows.",
        "A metric needs at least one row; check the filter or the file that made it.",
    ),
    Entry(
        "K102",
        "{left} and {right} describe different numbers of rows.",
        "{left} has {n_left} rows, {right} has {n_right}.",
        "Rows are matched by position; align the two before the call.",
    ),
    Entry(
        "K103",
        "{argument} is not one label per row.",
        "It has shape {shape}.",
        "Give shape (n,) or (n, 1): the label itself. Probabilities are y_prob=, "
        "other scores y_score=.",
    ),
    Entry(
        "K104",
        "{argument} has missing labels.",
        "First at row {row}; {count} of {n} rows are null or NaN.",
        "Fill or remove those rows in every argument, or leave them out of a table: "
        "nulls='drop' (--nulls drop).",
    ),
    Entry(
        "K105",
        "{argument} holds numbers that are not whole, so they cannot be labels.",
        "First at row {row}: {value!r}; {count} of {n} rows.",
        "Scores and probabilities are not labels: choose a class for each row first.",
    ),
    Entry(
        "K106",
        "{argument} holds values of a kind that cannot be labels.",
        "{found}.",
        "Labels are strings, whole numbers or booleans; convert them first.",
    ),
    Entry(
        "K107",
        "{argument} mixes strings and numbers.",
        "Row {row} holds {value!r}, row {other_row} holds {other!r}.",
        "A string never equals a number (1 = 1.0 = True, but not '1'); convert one kind.",
    ),
    Entry(
        "K108",
        "{left} and {right} hold labels of different kinds.",
        "{left} holds {left_kind} ({left_value!r}), {right} holds {right_kind} ({right_value!r}).",
        "A string never equals a number (1 = 1.0 = True, but not '1'); convert one of them.",
    ),
    Entry(
        "K109",
        "{argument} has labels that are not among labels=.",
        "First at row {row}: {value!r}; {count} of {n} rows. labels={labels}.",
        "Add the label to labels=, or remove those rows.",
    ),
    Entry(
        "K110",
        "labels= cannot be used as the list of classes.",
        "{found}.",
        "Give each class once, all strings or all whole numbers, in the order you want.",
    ),
    Entry(
        "K111",
        "positive= is not one of the classes.",
        "positive={positive!r}; the classes are {labels}.",
        "Name one of the two classes.",
    ),
    Entry(
        "K112",
        "positive= needs exactly two classes.",
        "There are {k} classes: {labels}.",
        "Leave positive= out; choose average='macro', 'micro', 'weighted' or None.",
    ),
    Entry(
        "K113",
        "{argument} has negative values.",
        "First at row {row}: {value!r}; {count} of {n} rows.",
        "Weights are at least 0; a weight of 0 leaves the row out.",
    ),
    Entry(
        "K114",
        "{argument} has values that are missing, NaN or infinite.",
        "First at row {row}: {value!r}; {count} of {n} rows.",
        "Give every row a finite weight of at least 0.",
    ),
    Entry(
        "K115",
        "Every value of {argument} is zero.",
        "All {n} rows weigh 0, so no row counts.",
        "At least one row needs a weight above 0.",
    ),
    Entry(
        "K116",
        "{argument} is not one number per row.",
        "{found}.",
        "Give weights as real numbers of shape (n,).",
    ),
    Entry(
        "K117",
        "class_names= does not name every class once.",
        "{found}.",
        "Give one name for each class in the order of labels=, or a dict from label to name.",
    ),
    Entry(
        "K118",
        "{left} and {right} are ordered categories in different orders.",
        "{left} has {left_order}, {right} has {right_order}.",
        "Give both the same order, or say it with labels=.",
    ),
    Entry(
        "K119",
        "confusion= is not a confusion matrix.",
        "{found}.",
        "Give a square matrix of counts (rows true, columns predicted), finite and at least 0.",
    ),
    Entry(
        "K120",
        "These arguments do not go together.",
        "{found}.",
        "{do}",
    ),
    Entry(
        "K121",
        "{name} of {k} classes needs an average.",
        "Classes: {labels}; average= was not given.",
        "Choose average= from {choices}; None gives one value for each class.",
    ),
    Entry(
        "K122",
        "{argument}={value!r} is not a choice.",
        "Choices: {choices}.",
        "{do}",
    ),
    Entry(
        "K123",
        "{name} of one class needs to know the positive class.",
        "The only class that occurs is {label!r}.",
        "Name both classes with labels=[negative, positive], or choose average=.",
    ),
    Entry(
        "K124",
        "{argument} has labels that are not among the ordered categories of {other}.",
        "First at row {row}: {value!r}; {count} of {n} rows. Categories: {categories}.",
        "Add the label to the categories, or give every class in order with labels=.",
    ),
    Entry(
        "K125",
        "{argument} is too large or too small to compute with.",
        "{found}.",
        "Multiply every value by one constant: no rate depends on it, and sums stay in range.",
    ),
    # K13x: probabilities and scores.
    Entry(
        "K130",
        "{argument} does not hold one real number, or one row of them, for each row.",
        "{found}.",
        "Give numbers of shape (n, k), one column for each class, or (n,) for the positive class "
        "of two; labels are y_pred=.",
    ),
    Entry(
        "K131",
        "{argument} has scores that are missing, NaN or infinite.",
        "First at row {row}{place}: {value!r}; {count} of {n} rows.",
        "Every row needs a finite number for every class; remove such rows from all arguments.",
    ),
    Entry(
        "K132",
        "{argument} has values that are no probabilities.",
        "First at row {row}{place}: {value!r}; {count} of {n} rows.",
        "Probabilities lie from 0 to 1; give logits and other scores as y_score= (of a table: "
        "score=, --score).",
    ),
    Entry(
        "K133",
        "Rows of {argument} do not add up to 1.",
        "First at row {row}: {value!r}; {count} of {n} rows. The tolerance is {tolerance}.",
        "Probabilities are never renormalised: give a column for every class, or give other "
        "scores as y_score= (of a table: score=, --score).",
    ),
    Entry(
        "K134",
        "{argument} has scores for {n_columns} classes; the labels have {k}.",
        "Classes: {labels}.",
        "{do}",
    ),
    Entry(
        "K135",
        "The columns of {argument} stand in another order than the classes.",
        "Columns: {columns}. Classes: {labels}.",
        "Put the columns in the order of labels=, or leave it out; of a table, name them by a "
        "pattern: 'proba_*'.",
    ),
    Entry(
        "K136",
        "threshold={threshold!r} cannot be used.",
        "{found}.",
        "Give one finite number, for two classes.",
    ),
    Entry(
        "K137",
        "The columns of {argument} do not name the classes.",
        "{found}.",
        "Let each name end in its class, or list the columns in the order of labels=.",
    ),
    # K15x: objectives.
    Entry(
        "K151",
        "{argument} is not one score for each row and class.",
        "{found}.",
        "Give real numbers of shape (n, k), one column for each of k >= 2 classes.",
    ),
    Entry(
        "K152",
        "{argument} has scores that are NaN or infinite.",
        "First at row {row}, column {column}: {value!r}; {count} of {n} values.",
        "Give finite scores; a loss of others has no derivative.",
    ),
    Entry(
        "K153",
        "{argument} holds labels that are not classes 0 … {last}.",
        "{found}.",
        "Give class indices: whole numbers from 0 to {last}, one class for each column of scores.",
    ),
    Entry(
        "K154",
        "{argument}={value!r} is out of range.",
        "It is {meaning}.",
        "Give {wanted}.",
    ),
    Entry(
        "K155",
        "{host} gave one score for each row, not one for each class.",
        "The scores have shape {shape}.",
        "Set num_class to the number of classes, also when there are two.",
    ),
    # K2xx: tallies.
    Entry(
        "K201",
        "The two tallies have different classes.",
        "Left: {left}. Right: {right}.",
        "Count both with the same labels= in the same order.",
    ),
    Entry(
        "K202",
        "The two tallies have different axes.",
        "Axis {axis}: left {left}, right {right}.",
        "Merge tallies of the same slices, folds and models only.",
    ),
    Entry(
        "K203",
        "One tally is weighted and the other is not.",
        "Left is {left}, right is {right}.",
        "Give weights= (all 1 where none are known) when counting the unweighted part.",
    ),
    Entry(
        "K204",
        "This tally kept only the class totals, not the confusion matrix.",
        "{name} needs the cells true × predicted.",
        "Count again with the matrix: ask for this metric when the data is read.",
    ),
    Entry(
        "K205",
        "This is not a whole {thing}.",
        "{found}.",
        "{do}",
    ),
    Entry(
        "K206",
        "This {thing} was written by a newer karat.",
        "Format version {version}; this karat reads up to {newest}.",
        "Upgrade karat.",
    ),
    Entry(
        "K207",
        "A dense confusion matrix of these classes would not fit.",
        "{k} classes need {bytes} bytes.",
        "Read the occupied cells with .occupied() instead.",
    ),
    Entry(
        "K208",
        "Subtraction would leave a negative count.",
        "First at true={true!r}, predicted={pred!r}.",
        "Subtract only what was merged in before.",
    ),
    Entry(
        "K210",
        "{name} cannot be computed from labels.",
        "It reads probabilities or scores, and there are none.",
        "Give y_prob= or y_score= (of a table: prob= or score=, --prob or --score).",
    ),
    Entry(
        "K211",
        "This report did not compute {name}.",
        "A metric of scores is computed while the rows are at hand.",
        "Name it: karat.evaluate(..., metrics=[{name!r}]).",
        UnknownNameError,
    ),
    # K3xx: metrics.
    Entry(
        "K301",
        "There is no metric named {name!r}.",
        "Nearest: {nearest}.",
        "`karat.metrics.search(...)` and `karat metrics` list every name.",
        UnknownNameError,
    ),
    Entry(
        "K302",
        "{metric} cannot be computed with these parameters.",
        "{found}.",
        "Parameters: {parameters}.",
    ),
    Entry(
        "K303",
        "{text!r} is not the name of a metric.",
        "{found}.",
        "Write a name, or a name with parameters: macro_f_beta(beta=2).",
    ),
    Entry(
        "K304",
        "The metric {name!r} cannot be registered.",
        "{found}.",
        "See CONTRIBUTING.md, 'Add a metric in one file'.",
    ),
    Entry(
        "K305",
        "The formula of a metric cannot be traced.",
        "{found}.",
        "Use + - * / **, sqrt, log, where and sums over class axes; never branch on data.",
    ),
    Entry(
        "K306",
        "{name} has no averages.",
        "{average!r} was asked for; {name} is one number for all classes.",
        "Ask for {name!r} itself.",
        UnknownNameError,
    ),
    Entry(
        "K307",
        "{name} alone is ambiguous for {k} classes.",
        "This report holds {choices}.",
        "Name the average, or read report.per_class.",
        UnknownNameError,
    ),
    Entry(
        "K308",
        "This report holds no curves.",
        "{found}.",
        "{do}",
        UnknownNameError,
    ),
    Entry(
        "K309",
        "There is no curve of {what}.",
        "There are curves of {labels}.",
        "Take one by its label, as y_true writes it.",
        UnknownNameError,
    ),
    # K4xx: files and tables.
    Entry(
        "K401",
        "There is no such file or folder.",
        "{path}",
        "Check the path; relative paths start at the current folder.",
    ),
    Entry(
        "K402",
        "There is no row to measure.",
        "{path} has {found}.",
        "Check the step that wrote it, and the condition (where=, --where) where there is one.",
    ),
    Entry(
        "K403",
        "The file cannot be read as {format}.",
        "{path}: {found}",
        "Check that the file is complete and that its ending says what it is.",
    ),
    Entry(
        "K404",
        "There is no column {column!r} for {role}.",
        "Columns: {columns}.",
        "Nearest: {nearest}. `karat columns FILE` shows what is found.",
        UnknownNameError,
    ),
    Entry(
        "K405",
        "Several columns could be {role}.",
        "Candidates: {candidates}.",
        "Name one: {option}.",
    ),
    Entry(
        "K406",
        "No column could be found for {role}.",
        "Columns: {columns}.",
        "Name it: {option}.",
    ),
    Entry(
        "K407",
        "Column {column!r} holds numbers that are not labels.",
        "First at row {row}: {value!r}.",
        "If these are scores or probabilities, name the column with --score or --prob; "
        "name the column of predicted labels with --pred.",
    ),
    Entry(
        "K408",
        "The SQL query failed.",
        "{found}",
        "Check the query; file names in it are quoted: FROM 'preds.parquet'.",
    ),
    Entry(
        "K409",
        "No file matches.",
        "{pattern}",
        "Check the pattern; quote it so that the shell does not expand it.",
    ),
    Entry(
        "K410",
        "The files do not hold the same columns.",
        "{found}",
        "Report them one at a time, or select common columns with a SQL query.",
    ),
    Entry(
        "K411",
        "The kind of this file is not known.",
        "{path}",
        "karat reads .parquet, .csv, .tsv, .jsonl, .ndjson and .json (also .gz and .zst of text).",
    ),
    Entry(
        "K412",
        "This is not a table that karat can read.",
        "{found}.",
        "Give a pandas or Polars frame, an Arrow table, a DuckDB relation, a dict of columns, "
        "or the path of a file.",
    ),
    # K5xx: packages.
    Entry(
        "K501",
        "{feature} needs a package that is not installed.",
        "Missing: {package}.",
        'pip install "karat[{extra}]"',
    ),
    # K60x: the adapter of CatBoost. K61x: that of oneDAL.
    Entry(
        "K601",
        "{metric!r} does not describe a metric that can be computed here.",
        "{found}.",
        "{do}",
    ),
    Entry(
        "K611",
        "oneDAL error {error_id}: {text}.",
        "{found}.",
        "{do}",
        OneDALError,
    ),
)

CATALOGUE: dict[str, Entry] = {entry.code: entry for entry in _ENTRIES}
