"""Groups of options as values: an argument of a verb that holds several options of its request."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import FrozenInstanceError, replace
from functools import lru_cache
from itertools import chain
from typing import Any, ClassVar, Final, Self, TypeAlias

import numpy as np

from karat.api.request.docs import with_arguments
from karat.api.request.record import Option
from karat.api.request.request import all_options, options_of
from karat.data.slices.folds import AUTO
from karat.errors import KaratError, error, short
from karat.errors.former import FORMER_DESIGNS, LEFT_OUT, Asked
from karat.errors.habits import unknown_arguments
from karat.errors.parts import ARGUMENTS, FLAT, PARTS, REQUIRED, UNNAMED
from karat.errors.text import counted


def _unnamed(
    name: str, args: Sequence[Any], places: Sequence[str], parts: Sequence[str]
) -> Exception:
    """K138: more arguments of a group without a name than it takes; the call with their names."""
    if len(args) > len(parts):
        return TypeError(f"{name} takes at most {len(parts)} arguments, and got {len(args)}")
    each = zip(parts, args, strict=False)
    call = ", ".join(
        short(value) if part in places else f"{part}={short(value)}" for part, value in each
    )
    found = f"{name} was given {counted(len(args), 'value')} without a name"
    do = f"Name them, as {name}({call})."
    return error("K138", what=f"Arguments of {name}", found=found, do=do)


class _Shown(type):
    """Type of groups: `help` and completion list what a caller reads of them, and no more."""

    def __dir__(cls) -> list[str]:
        return ["__init__", "__repr__", "given"]


class Group(metaclass=_Shown):
    """Several options as one argument: frozen, compared and hashed by value; its repr is the call.

    Class attributes:
        argument, parts, n_places, n_required: as `karat.errors.parts` declares them.
        implied: options of a request that it stands for by itself, with their values.
        types: annotations of its arguments that are not those of the options.
        needed: what the argument is that must be given.
        texts: what those of its arguments mean that are no options of a request by themselves.
        later: arguments that it will have → what to do until then.
    """

    argument: ClassVar[str]
    parts: ClassVar[Mapping[str, tuple[str, ...]]]
    n_places: ClassVar[int] = 0
    n_required: ClassVar[int] = 0
    needed: ClassVar[str] = ""
    implied: ClassVar[Mapping[str, Any]] = {}
    texts: ClassVar[Mapping[str, str]] = {}
    types: ClassVar[Mapping[str, str]] = {}
    later: ClassVar[Mapping[str, str]] = {}

    __slots__ = ("_values",)
    _values: dict[str, Any]

    def __init_subclass__(cls) -> None:
        name = cls.__name__
        cls.argument, cls.parts = ARGUMENTS[name], PARTS[name]
        cls.n_places, cls.n_required = int(name in UNNAMED), int(name in REQUIRED)

    def __init__(self, *args: Any, **values: Any) -> None:
        places = tuple(self.parts)[: self.n_places]
        name = f"karat.{type(self).__name__}"
        if len(args) > len(places):
            raise _unnamed(name, args, places, tuple(self.parts))
        for place, value in zip(places, args, strict=False):
            if place in values:
                found = f"{name} was given {place}=, and also without a name"
                raise error("K156", argument=f"{place}=", found=found, do="Give it once.")
            values[place] = value
        for each in values:
            if each in self.later:
                raise error("K262", argument=f"{name}({each}=)", do=self.later[each])
        if unknown := [each for each in values if each not in self.parts]:
            raise unknown_arguments(unknown, Asked(type(self).__name__, tuple(self.parts), values))
        lacking = [each for each in tuple(self.parts)[: self.n_required] if each not in values]
        if lacking:
            do = f"Give {self.needed}: {name}({lacking[0]})."
            raise TypeError(f"{name} is missing its argument {lacking[0]!r}. {do}")
        in_order = {each: values[each] for each in self.parts if each in values}
        object.__setattr__(self, "_values", self._checked(in_order))

    def _checked(self, values: dict[str, Any]) -> dict[str, Any]:
        """The values, each as the record of its option reads it (K122)."""
        for name, value in values.items():
            record = _record(type(self), name)
            if record is None or record.check is None or value is None:
                continue
            if all(change.check is None for _, change in record.changes):
                values[name] = record.check(name, value)
        return values

    def __getattr__(self, name: str) -> Any:
        if name not in type(self).parts:
            raise AttributeError(f"karat.{type(self).__name__} has no {name}")
        return self._values.get(name, _default(type(self), name))

    def __setattr__(self, name: str, value: Any) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(_is_same(getattr(self, name), getattr(other, name)) for name in self.parts)

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, name) for name in self.parts)))

    def __repr__(self) -> str:
        places = tuple(self.parts)[: self.n_places]
        texts = [
            repr(value) if name in places else f"{name}={value!r}"
            for name, value in self._values.items()
        ]
        return f"karat.{type(self).__name__}({', '.join(texts)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self._values)

    def __dir__(self) -> list[str]:
        return sorted({*dir(type(self)), *self.parts})

    def options_at(self, verb: str) -> Iterator[tuple[str, str, Any]]:
        """Yield what was given: argument of the group, option of the request, value.

        Errors:
            K261 a verb does not take an argument that has another value than its default.
        """
        takes = _names(verb)
        for name, value in chain(self._values.items(), self.implied.items()):
            options = self.parts.get(name, (name,))
            if not options:
                continue
            chosen = next((each for each in options if each in takes), None)
            if chosen is not None:
                yield name, chosen, value
            elif name in self.implied or not _is_same(value, _default(type(self), name)):
                raise _not_taken(self, name, verb)

    @classmethod
    def of_options(cls, values: Mapping[str, Any]) -> Self:
        """The group whose arguments have these values, as a request holds them."""
        return cls(**values)

    @property
    def given(self) -> dict[str, Any]:
        """The arguments that were given, by name."""
        return dict(self._values)

    @classmethod
    def places(cls) -> tuple[str, ...]:
        """The arguments that may be given without a name."""
        return tuple(cls.parts)[: cls.n_places]


def _restored(kind: type[Group], values: dict[str, Any]) -> Group:
    return kind(**values)


def _record(group: type[Group], name: str) -> Option | None:
    """The record of an argument that is one option in every verb."""
    options = group.parts.get(name, (name,))
    return all_options()[options[0]] if len(options) == 1 else None


def _default(group: type[Group], name: str) -> Any:
    """The default of an argument; None where it hangs on the verb."""
    record = _record(group, name)
    return None if record is None else record.default


def _is_same(left: Any, right: Any) -> bool:
    """True if two values are equal; arrays by their items."""
    if left is right:
        return True
    if type(left) is not type(right) and not (np.isscalar(left) and np.isscalar(right)):
        return False
    try:
        return bool(np.shape(left) == np.shape(right) and np.all(left == right))
    except (TypeError, ValueError):
        return False


def _not_taken(group: Group, name: str, verb: str) -> KaratError:
    """K261: a verb does not take an argument of a group."""
    kind = type(group).__name__
    parts = group.parts.items()
    known = [each for each, options in parts if not _names(verb).isdisjoint(options)]
    what = f"karat.{kind}({name}=)" if known and name in group.parts else f"karat.{kind}"
    do = f"It takes {', '.join(known)} of it." if known else "Leave it out."
    return error("K261", function=verb, argument=what, do=do)


def arguments_of_group(group: type[Group]) -> Iterator[Option]:
    """Yield the arguments of a group as options, from the records of the options of a request."""
    for place, (name, options) in enumerate(group.parts.items()):
        record = all_options()[options[0]] if options else _NO_RECORD
        is_shared = len(options) > 1
        yield replace(
            record,
            name=name,
            type=group.types.get(name, f"{record.type} | None" if is_shared else record.type),
            default=NEEDED if place < group.n_required else _default(group, name),
            text=group.texts.get(name, record.text),
            is_positional=place < group.n_places,
        )


NEEDED: Final = inspect.Parameter.empty
"""The default of an argument that must be given."""
_NO_RECORD: Final = Option("", "Any", None, "", (), "")


_ORDERED: Final = "True, beside the order of the classes"


class Labels(Group):
    """What labels mean: their order, names, the positive one, and how texts hold several.

    ``labels=[...]`` is short for ``labels=karat.Labels([...])``.

    Errors:
        K122 a value that is no choice; K262 an option that a later version has.

    Example:
        >>> import karat
        >>> labels = karat.Labels(["low", "high"], names=["Low risk", "High risk"])
        >>> report = karat.evaluate(["low", "high"], ["low", "low"], labels=labels)
        >>> report.classes.display
        ('Low risk', 'High risk')
    """

    texts: ClassVar = {
        "order": "the classes from first to last, also those that never occur; default: the sorted "
        "union of true and predicted labels.",
        "ordered": "True: `order` goes from lowest to highest, for metrics that need that.",
    }
    types: ClassVar = {
        "order": "Iterable[Label] | None",
        "ordered": "Literal[True] | None",
        "threshold": "float | Sequence[float] | Mapping[str, Any] | None",
    }
    later: ClassVar = {
        "ignore": "Leave such rows out before: they are not measured.",
        "abstain": "Such a prediction is one more class, and counts as wrong.",
        "background": "Name the metrics of the classes you want, and average them.",
        "unknown": "Add the labels to the order, or leave the rows out before.",
        "hierarchy": "Evaluate each level of the tree by its own labels.",
    }

    def _checked(self, values: dict[str, Any]) -> dict[str, Any]:
        """The values; an order is listed, since that of texts as such says nothing (K122)."""
        ordered = values.get("ordered")
        if ordered is not None and (ordered is not True or values.get("order") is None):
            do = "List the classes from lowest to highest: karat.Labels([…], ordered=True)."
            raise error("K122", argument="ordered", value=ordered, choices=_ORDERED, do=do)
        return super()._checked(values)


class Interval(Group):
    """How intervals and tests are made.

    ``level=0.9`` is short for ``interval=karat.Interval(level=0.9)``.

    Errors:
        K122 a value that is no choice.

    Example:
        >>> import karat
        >>> how = karat.Interval(method="bootstrap", n_replicates=200, seed=7)
        >>> karat.evaluate([0, 1, 1, 0], [0, 1, 0, 0], interval=how)["accuracy"].method
        'bootstrap'
    """

    texts: ClassVar = {
        "n_replicates": "number of replicates of methods that resample, and of permutations; None: "
        "1000 replicates, 4999 permutations of a comparison, 999 of slices."
    }


class Frequency(Group):
    """Weights that count rows: a row of weight 3 stands for three rows.

    Weights without it are importances.

    Example:
        >>> import karat
        >>> report = karat.evaluate([0, 1], [0, 0], weights=karat.Frequency([30, 10]))
        >>> report["accuracy"].low == karat.evaluate([0] * 30 + [1] * 10, [0] * 40)["accuracy"].low
        True
    """

    implied: ClassVar = {"weights_are": "frequency"}
    needed: ClassVar = "the number of rows that each row stands for, or the name of its column"


class Reading(Group):
    """How rows are read: nulls, memory, threads, progress.

    Example:
        >>> import karat
        >>> table = {"label": ["a", "b", None], "pred": ["a", "a", "b"]}
        >>> karat.evaluate(table, reading=karat.Reading(nulls="drop")).n_rows
        2
    """


class Rules(Group):
    """What a verdict rests on.

    Example:
        >>> import karat
        >>> truth, predicted = ["cat", "dog"] * 50, ["cat", "dog"] * 45 + ["dog", "dog"] * 5
        >>> rules = karat.Rules(evidence="low")
        >>> bound = {"accuracy": 0.9}
        >>> result = karat.gate(truth, predicted, positive="dog", min=bound, rules=rules)
        >>> result.rules[0].verdict
        'INCONCLUSIVE'
    """


class Folds(Group):
    """A design: rows were tested in folds of cross-validation, each by a model of its own.

    ``karat.Folds()`` finds the columns of a table by their names.

    Example:
        >>> import karat
        >>> truth, predicted = [0, 1] * 6, [0, 1, 1, 1] * 3
        >>> folds = karat.Folds([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2])
        >>> karat.evaluate(truth, predicted, design=folds).folds["accuracy"].fold_mean
        0.75
    """

    texts: ClassVar = {
        "repeat": "its repeat; rows of several repeats need `ids`.",
        "holdout": "of nested cross-validation, the other fold that its model was trained without; "
        "missing for rows of the outer folds.",
        "train_size": "number of training rows of its model.",
    }

    def options_at(self, verb: str) -> Iterator[tuple[str, str, Any]]:
        """Yield the folds: their column, their values, or a dict of both by role."""
        roles = {name: value for name, value in self._values.items() if value is not None}
        if "folds" not in _names(verb):
            raise _not_taken(self, "fold", verb)
        yield "fold", "folds", roles.get("fold", AUTO) if roles.keys() <= {"fold"} else roles

    @classmethod
    def of_options(cls, values: Mapping[str, Any]) -> Self:
        """The folds of a column, of values, or of a dict of both by role."""
        folds = values["fold"]
        if isinstance(folds, dict):
            return cls(**folds)
        return cls() if isinstance(folds, str) and folds == AUTO else cls(folds)


class Looks(Group):
    """A design: rows keep coming, and one looks again and again; limits hold at every look.

    Example:
        >>> import karat
        >>> looks = karat.Looks(planned=1_000)
        >>> report = karat.evaluate([0, 1] * 50, [0, 1] * 45 + [1, 0] * 5, design=looks)
        >>> report["accuracy"].low < 0.8 < report["accuracy"].high
        True
    """

    def options_at(self, verb: str) -> Iterator[tuple[str, str, Any]]:
        """Yield the planned number of rows; True for the usual one."""
        if "anytime" not in _names(verb):
            raise _not_taken(self, "planned", verb)
        yield "planned", "anytime", self._values.get("planned", True)

    @classmethod
    def of_options(cls, values: Mapping[str, Any]) -> Self:
        """The looks at so many rows; True stands for the usual number."""
        return cls() if values["planned"] is True else cls(values["planned"])


class CaseControl(Group):
    """A design: the number of rows of each true class was fixed, as in case-control studies.

    With `prevalence`, rows are weighted so that the true classes have the proportions of a
    population: precision, accuracy and every other metric are those of that population.

    Errors:
        K122 the proportions are none, or do not add up to 1.

    Example:
        >>> import karat
        >>> report = karat.evaluate([0, 1] * 50, [0, 1] * 50, design=karat.CaseControl())
        >>> report["recall"].signature.design
        'case-control'
        >>> design = karat.CaseControl(prevalence=0.02)
        >>> round(karat.evaluate(confusion=[[180, 20], [30, 170]], design=design)["precision"], 4)
        0.1478
    """

    implied: ClassVar = {"sampling": "case-control"}


class Judge(Group):
    """A design: a judge labeled every row, and people some; the truth is the labels of people.

    The truth is missing (None, NaN, blank) where no one labeled the row.

    Example:
        >>> import karat
        >>> gold, judge = [1, 0, 1, 0] * 10 + [None] * 60, [1, 0, 1, 1] * 25
        >>> design = karat.Judge(judge, is_random=True)
        >>> karat.evaluate(gold, [1, 0] * 50, design=design).n_gold
        40
    """

    needed: ClassVar = "the label that the judge gave each row, or the name of its column"


def finished(group: type[Group]) -> None:
    """Give a group its signature and docstring."""
    arguments = tuple(arguments_of_group(group))
    group.__doc__ = with_arguments(group.__doc__, arguments)
    kind = inspect.Parameter
    group.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            kind(
                each.name,
                kind.POSITIONAL_OR_KEYWORD if each.is_positional else kind.KEYWORD_ONLY,
                default=each.default,
                annotation=each.type,
            )
            for each in arguments
        ]
    )


Design: TypeAlias = Folds | Looks | CaseControl | Judge
GROUPS: Final = (
    *(Labels, Interval, Frequency, Reading, Rules),
    *(Folds, Looks, CaseControl, Judge),
)


@lru_cache(maxsize=32)
def _names(verb: str) -> frozenset[str]:
    """The options of a verb."""
    return frozenset(item.name for item in options_of(verb))


@lru_cache(maxsize=32)
def arguments_of(verb: str) -> tuple[Option, ...]:
    """The options that a verb takes by themselves: all but the parts of groups that it takes."""
    names = _names(verb)
    taken = [group for group in GROUPS if group.argument in names]
    parts = {name for group in taken for each in group.parts.values() for name in each}
    parts |= {name for group in taken for name in group.implied}
    return tuple(
        replace(x, type=x.type.replace(" | None", " | Labels | None")) if x.name == "labels" else x
        for x in options_of(verb)
        if x.name in FLAT or x.name not in parts
    )


def with_groups(verb: str, values: dict[str, Any]) -> dict[str, Any]:
    """The options of a request, from arguments of which some are groups of them.

    Errors:
        K122 no group where one is needed; K260 two that contradict each other; K261 a part that the
        verb does not take.
    """
    for name in ("labels", "weights"):
        if isinstance(values.get(name), Group):
            _spread(verb, values, name, values.pop(name))
    for name in ("interval", "reading", "rules"):
        group = values.pop(name, None)
        if group is not None:
            _spread(verb, values, name, group)
    design = values.pop("design", None)
    if design is None:
        return values
    designs = design if isinstance(design, list | tuple) else [design]
    for place, each in enumerate(designs):
        if any(type(each) is type(other) for other in designs[:place]):
            kind = type(each).__name__
            raise error("K260", argument=f"karat.{kind}", found="It is twice in design=", do=_ONCE)
        _spread(verb, values, "design", each)
    return values


_ONCE: Final = "Give it once."


def _spread(verb: str, values: dict[str, Any], name: str, group: Any) -> None:
    """Put the parts of a group in their places among the options of a request."""
    if not isinstance(group, Group) or group.argument != name:
        kinds = " or ".join(f"karat.{each.__name__}(…)" for each in GROUPS if each.argument == name)
        do = f"{_meant(name, group)}See help(karat.{verb})."
        raise error("K122", argument=name, value=group, choices=kinds, do=do)
    for part, chosen, value in group.options_at(verb):
        if chosen in values and not _is_same(values[chosen], value):
            kind = type(group).__name__
            found = f"{chosen}={short(values[chosen])}, and karat.{kind}({part}={short(value)})"
            raise error("K260", argument=f"{chosen}=", found=found, do=_ONCE)
        values[chosen] = value


def _meant(name: str, value: Any) -> str:
    """The group of an argument whose name a text is: of ``"case-control"`` CaseControl."""
    if name == "design" and isinstance(value, str) and FORMER_DESIGNS.get(value, value) is None:
        return f"{LEFT_OUT} "
    letters = "".join(filter(str.isalnum, value)).lower() if isinstance(value, str) else ""
    kinds = (each for each in GROUPS if each.argument == name)
    meant = next((each for each in kinds if each.__name__.lower() == letters), None)
    if meant is None:
        return ""
    return f"Did you mean {name}=karat.{meant.__name__}({'…' if meant.n_required else ''})? "


for _group in GROUPS:
    finished(_group)
