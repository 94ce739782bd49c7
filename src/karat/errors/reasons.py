"""Classes of the errors that code catches by their reason, each beside its code."""

from __future__ import annotations

from typing import Final

from karat.errors.kinds import InputError, KaratError, UnknownNameError


class EmptyError(InputError):
    """There are no rows."""


class MissingValuesError(InputError):
    """Labels or other values of rows are missing."""


class NotWholeError(InputError):
    """Numbers that are not whole are no labels."""


class NotLabelsError(InputError):
    """Values of another kind are no labels."""


class MixedLabelsError(InputError):
    """Text and numbers are in one column of labels."""


class UnlikeLabelsError(InputError):
    """The labels of two columns are of different kinds."""


class UnknownLabelError(InputError):
    """Labels are not among the classes."""


class ManyClassesError(InputError):
    """A positive class needs exactly two classes."""


class NegativeWeightError(InputError):
    """A weight is negative."""


class InfiniteWeightError(InputError):
    """A weight is infinite or missing."""


class NotWeightsError(InputError):
    """Weights are no real numbers, or of another shape."""


class NotAMatrixError(InputError):
    """A value is no confusion matrix."""


class NoAverageError(InputError):
    """A metric of many classes needs an average."""


class NotNumbersError(InputError):
    """Scores are no real numbers, or of another shape."""


class MissingScoresError(InputError):
    """Scores are missing or infinite."""


class ScoreColumnsError(InputError):
    """Columns of scores do not fit the classes or the files."""


class SlicesError(InputError):
    """A column cannot be read as slices."""


class ManySlicesError(InputError):
    """A column has too many values for slices."""


class NoPositiveError(InputError):
    """Nothing says which class is positive."""


class NoCommonLabelError(InputError):
    """Two columns of labels have no label in common."""


class DamagedError(InputError):
    """Stored bytes are not whole."""


class NewerError(InputError):
    """A newer karat wrote the bytes."""


class UnknownMetricError(UnknownNameError):
    """A metric of that name does not exist."""


class ParametersError(InputError):
    """A metric cannot be computed with its parameters."""


class NoRowsError(InputError):
    """There is no row to measure."""


class UnknownColumnError(UnknownNameError):
    """A column of that name does not exist."""


class ManyColumnsError(InputError):
    """Several columns could have a role."""


class NoColumnError(InputError):
    """No column could have a role."""


REASONS: Final[dict[str, type[KaratError]]] = {
    "K101": EmptyError,
    "K104": MissingValuesError,
    "K105": NotWholeError,
    "K106": NotLabelsError,
    "K107": MixedLabelsError,
    "K108": UnlikeLabelsError,
    "K109": UnknownLabelError,
    "K112": ManyClassesError,
    "K113": NegativeWeightError,
    "K114": InfiniteWeightError,
    "K116": NotWeightsError,
    "K119": NotAMatrixError,
    "K121": NoAverageError,
    "K130": NotNumbersError,
    "K131": MissingScoresError,
    **dict.fromkeys(("K134", "K135", "K137", "K410"), ScoreColumnsError),
    "K181": SlicesError,
    "K182": ManySlicesError,
    "K190": NoPositiveError,
    "K191": NoCommonLabelError,
    "K205": DamagedError,
    "K206": NewerError,
    "K301": UnknownMetricError,
    "K302": ParametersError,
    "K402": NoRowsError,
    "K404": UnknownColumnError,
    "K405": ManyColumnsError,
    "K406": NoColumnError,
}
"""The class of each code that is caught by its reason."""

for _kind in REASONS.values():
    _kind.__module__ = "karat.errors"
