"""The classes of karat's errors and warnings, and the entries of their catalogue."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import Any, Final

from karat.errors.options import argument_as_typed, as_typed, part_with_value
from karat.errors.text import filled, short

SAID: Final = "K419  There is not enough memory."
"""Message where memory does not even suffice to load the catalogue."""

_WORDS = re.compile(
    # DuckDB, and the Arrow stream that carries its errors.
    r"bad allocation|bad_alloc|allocation failure|failed to allocate|Out of Memory Error"
    # A library that cannot be loaded: Linux, macOS, Windows.
    r"|failed to map segment|cannot allocate memory|paging file is too small",
    re.IGNORECASE,
)


def lacks_memory(problem: BaseException) -> bool:
    """True if an error means that the system, or a limit of it, gave no more memory."""
    return isinstance(problem, MemoryError) or _WORDS.search(str(problem)) is not None


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

    def but(self, **facts: Any) -> KaratError:
        """The same error with other facts."""
        return type(self)(self.code, **{**self.context, **facts})

    def __reduce__(self) -> tuple[Any, ...]:
        # A fact may be anything that a caller gave, also what cannot travel: its text does.
        context = {name: _portable(value) for name, value in self.context.items()}
        return _rebuild, (type(self), self.code, context, str(self))


class InputError(KaratError):
    """The data or an option cannot be used as given."""


class OneDALError(InputError):
    """Error of oneDAL's quality metrics, with its number in oneDAL."""

    @property
    def error_id(self) -> int:
        """The number of the error in oneDAL, for example -52."""
        return int(self.context["error_id"])


class TorchMetricsError(InputError, RuntimeError):
    """Error of the drop-in for torchmetrics; torchmetrics raises either base."""


class EstimatorError(InputError, AttributeError):
    """An estimator lacks the method that a metric reads; scikit-learn raises the second base."""


class NotCoveredError(KaratError, ImportError):
    """Error for a name of a library that its drop-in does not have."""


class UnknownNameError(KaratError, KeyError):
    """A metric, column or option of that name does not exist."""


class MissingFileError(InputError, FileNotFoundError):
    """A file that is to be read does not exist."""


class UnknownArgumentError(KaratError, TypeError):
    """Error for an argument that a function does not have."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One error: templates for what is wrong, what was found where, and what to do."""

    code: str
    what: str
    found: str
    do: str
    kind: type[KaratError] = InputError

    def render(self, context: dict[str, Any]) -> str:
        """The message.

        Args:
            context: the facts; ``numbering`` may say which rows are counted, and ``advice`` what
                to do where the rows do not come from arguments.
        """
        name, what = context.get("argument"), self.what
        if isinstance(name, str):
            # An option beside its value is written as it is typed.
            what = what.replace("{argument}={", f"{name}={{")
            context = {**context, "argument": argument_as_typed(name)}
        typed = [as_typed(_named(part, name)) for part in (what, self.found, self.do)]
        part = part_with_value(name) if isinstance(name, str) and what != self.what else None
        if part is not None:
            # A part of a group is an argument of its class, and of other functions.
            typed[0] = self.what.replace("{argument}={value!r}", part)
        lines = [filled(text, context) for text in typed]
        if "numbering" in context:
            lines[1] = f"{lines[1]} {context['numbering']}"
        if "advice" in context:
            lines[2] = context["advice"]
        return (
            f"{self.code}  "
            + textwrap.indent("\n".join(line for line in lines if line), "      ").lstrip()
        )


CATALOGUE: Final[dict[str, Entry]] = {}
"""Every entry by its code; the package fills it from its parts."""


def _named(text: str, argument: object) -> str:
    """A template with its argument, where that is an option that it calls by its name."""
    if not isinstance(argument, str) or not argument.isidentifier():
        return text
    return text.replace("{argument}= ", f"{argument}= ").replace("{argument}=.", f"{argument}=.")


def _rebuild(
    kind: type[KaratError], code: str, context: dict[str, Any], message: str
) -> KaratError:
    problem = kind(code, **context)
    problem.args = (message,)
    return problem


def packed_error(problem: KaratError) -> dict[str, Any]:
    """An error as JSON types, for another process."""
    _, (_, code, context, message) = problem.__reduce__()
    return {"code": code, "context": context, "message": message}


def unpacked_error(kind: type[KaratError], found: dict[str, Any]) -> KaratError:
    """Return the error that `packed_error` was given, with its message."""
    return _rebuild(kind, found["code"], found["context"], found["message"])


def _portable(value: Any) -> Any:
    if value is None or type(value) in (str, int, float, bool):
        return value
    if type(value).__module__ == "numpy" and getattr(value, "shape", None) == ():
        return value.item()
    if type(value) in (list, tuple):
        return type(value)(map(_portable, value))
    return short(value)


for _kind in (
    UndefinedWarning,
    KaratError,
    InputError,
    MissingFileError,
    NotCoveredError,
    OneDALError,
    UnknownArgumentError,
    UnknownNameError,
):
    _kind.__module__ = "karat.errors"
