"""K1xx: labels, weights, scores and options of a call, and arguments that do not go together."""

from __future__ import annotations

from karat.errors.kinds import Entry, UnknownArgumentError

__all__ = ["ARGUMENTS", "LABELS", "SCORES"]

LABELS = (
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


SCORES = (
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
    Entry("K154", "{argument}={value!r} is out of range.", "It is {meaning}.", "Give {wanted}."),
    Entry(
        "K155",
        "{host} gave one score for each row, not one for each class.",
        "The scores have shape {shape}.",
        "Set num_class to the number of classes, also when there are two.",
    ),
)


ARGUMENTS = (
    Entry(
        "K127", "The true labels are missing.", "y_true was not given.", "Give y_true and {others}."
    ),
    Entry("K128", "The predictions are missing.", "{found}.", "{do}"),
    Entry(
        "K129",
        "Probabilities and other scores are given together.",
        "{found}.",
        "Give one of {prob}= and {score}=: the latter for scores that are no probabilities.",
    ),
    Entry(
        "K138",
        "Probabilities and scores have to be given by name.",
        "{found}.",
        "Name what they are: y_prob= for probabilities, y_score= for any other scores.",
    ),
    Entry(
        "K139",
        "{scores}= is given to a metric of predicted labels.",
        "{metric} was given {scores}: it reads predicted labels.",
        "Give y_pred; karat.evaluate(y_true, {scores}=...) predicts from scores.",
    ),
    Entry(
        "K140",
        "threshold= and predicted labels are given together.",
        "threshold={threshold} was given with {predictions}.",
        "Give one of them: each determines the predictions.",
    ),
    Entry("K141", "{argument} and confusion= are given together.", "{found}.", "{do}"),
    Entry(
        "K142",
        "{argument} and a table are given together.",
        "{argument} was given with a table.",
        "Name the columns of the table: prob= or score=.",
    ),
    Entry("K143", "{argument}= names a column, and there is no table.", "{found}.", "{do}"),
    Entry(
        "K144",
        "nulls='drop' and arrays are given together.",
        "nulls='drop' was given with arrays.",
        "Remove the rows from every array first, or give a table with named columns.",
    ),
    Entry(
        "K149",
        "confusion= and labels= have the classes in different orders.",
        "The matrix is labelled {stored}, and labels= lists {labels}.",
        "Bring rows and columns of the matrix into that order, or leave labels= out.",
    ),
    Entry(
        "K150",
        "weights_are='frequency' does not fit the values of weights=.",
        "weights_are='frequency' was given with weights that {found}.",
        "Leave it out: such weights say how much a row counts.",
    ),
    Entry(
        "K156",
        "{argument}= is given twice.",
        "{function} was given {argument}=, and also without a name.",
        "{do}",
    ),
    Entry(
        "K157",
        "One column is named for two purposes.",
        "Column {column!r} is named {purposes}.",
        "Give each its own column.",
    ),
    Entry(
        "K158",
        "{argument}= does not name columns of the table.",
        "{argument}= is {value} ({kind}), not {wanted}.",
        "{do}",
    ),
    Entry(
        "K159",
        "classes= and average= are given together.",
        "{function} was given classes= and average={average!r}.",
        "Leave one out: classes= gives one curve for each of them.",
    ),
    Entry("K160", "{argument} and {report} are given together.", "{found}.", "{do}"),
    Entry(
        "K180",
        "Labels alone and rows with scores are put into one stream.",
        "A stream of {before} was given {given}.",
        "Use one stream for labels and one for rows with scores, or give y_prob= every time.",
    ),
)
