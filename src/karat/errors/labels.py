"""K1xx: labels, weights and options of a call."""

from __future__ import annotations

from karat.errors.kinds import Entry, UnknownArgumentError

__all__ = ["ENTRIES"]

ENTRIES = (
    Entry(
        "K145",
        "All rows are in one cluster.",
        "{rows} the same value of clusters.",
        "Intervals compare clusters with each other, so there have to be two; "
        "leave clusters out where rows are independent.",
    ),
    Entry(
        "K146",
        "Rows with scores cannot be counted before every column has its class.",
        "After {n} rows {k} of {columns} classes came: {seen}.",
        "Give all classes in the order of the columns as labels=, or a larger max_memory=.",
    ),
    Entry(
        "K147",
        "Rows with scores of {k} classes do not fit, and neither do tables of them.",
        "max_memory is {given} bytes; tables of {k} classes take at least {needed}.",
        "Give max_memory={needed} or more, or labels alone.",
    ),
    Entry(
        "K148",
        "Rows that have clusters or slices do not fit.",
        "{n} rows take {needed} bytes and max_memory is {given}: {what}.",
        "Give a larger max_memory=, or leave out clusters= or by=.",
    ),
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
        "Scores and probabilities are not labels: give them as y_prob= or y_score= (of a table: "
        "prob= or score=), or choose a class for each row first.",
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
        "{argument} has labels that are not among {among}.",
        "First at row {row}: {value!r}; {count} of {n} rows. {classes}.",
        "{do}",
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
        "K121",
        "{name} of {k} classes needs an average.",
        "Classes: {labels}; average= was not given.",
        "Choose average= from {choices}; None gives one value for each class.",
    ),
    Entry("K122", "{argument}={value!r} is not a choice.", "Choices: {choices}.", "{do}"),
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
    Entry(
        "K126",
        "{function}() got an unexpected keyword argument {name!r}.",
        "It takes {arguments}.",
        "{do}",
        UnknownArgumentError,
    ),
)
