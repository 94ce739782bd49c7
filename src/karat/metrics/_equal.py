"""Numbers of other libraries that a metric equals, as calls that a test executes."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

TWO_CLASSES, ALL_TRUE, ALL_OCCUR = "two classes", "every class is true", "every class occurs"
TWO_ALL_TRUE, ALL_SEEN = f"{TWO_CLASSES}, {ALL_TRUE}", "every class is true and predicted"
SEVERAL_ALL_TRUE = f"three or more classes, {ALL_TRUE}"
"""Conditions on the data under which a claim holds."""


@dataclass(frozen=True, slots=True)
class Equal:
    """Calls of another library that give the value of a metric.

    A call is an expression: functions with keywords, items, numbers and + − × ÷. A bare name in
    it stands for the parameter of that name of karat's function: ``fbeta_score(beta=beta)``.

    Attributes:
        library: the name of the library, as its users write it.
        calls: expressions, each of which gives the number.
        here: keywords of karat's function, where its defaults give another number.
        where: conditions on the data under which it holds, separated by commas.
        averages: the averages that the library has, unless it has all.
        given: "y_logit" or "y_score" where the library reads logits or scores and karat is given
            them as such.
        note: further remarks.
    """

    library: str
    calls: tuple[str, ...]
    here: Mapping[str, Any] = field(default_factory=dict)
    where: str = ""
    averages: tuple[str | None, ...] = ()
    given: Literal["", "y_logit", "y_score"] = ""
    note: str = ""

    @property
    def text(self) -> str:
        """The calls and their conditions, as readable text."""
        there = " or ".join(self.calls)
        with_here = ", ".join(f"{name}={value!r}" for name, value in self.here.items())
        parts = (f"with {with_here}" * bool(self.here), self.conditions)
        return there + "".join(f"; {part}" for part in parts if part)

    @property
    def conditions(self) -> str:
        """Conditions under which it holds, and further remarks."""
        averages = ", ".join(map(str, self.averages))
        parts = (
            self.where,
            f"average={averages}" * bool(averages),
            "of scores" * bool(self.given),
            self.note,
        )
        return "; ".join(part for part in parts if part)

    def names(self) -> frozenset[str]:
        """Names of the library that the calls use: of functions, and of items of tables."""
        return frozenset(name for call in self.calls for name in names_in(call))


def equal(
    library: str,
    *calls: str,
    where: str = "",
    averages: tuple[str | None, ...] = (),
    given: Literal["", "y_logit", "y_score"] = "",
    note: str = "",
    **here: Any,
) -> Equal:
    """Calls of a library that give this number; `here` are keywords of karat's function."""
    return Equal(library, calls, here, where, averages, given, note)


def of_scikit_learn(name: str, item: int) -> tuple[Equal, ...]:
    """scikit-learn's function of precision, recall or F, and the one that returns all three."""
    keywords = "beta=beta, " if name == "fbeta_score" else ""
    each = f"{keywords}average=average"
    both = f"precision_recall_fscore_support({each})[{item}]"
    return (
        equal("scikit-learn", f"{name}({keywords.rstrip(', ')})", where=TWO_CLASSES),
        equal("scikit-learn", f"{name}({each})", both),
        equal("scikit-learn", f"{name}({each}, zero_division=nan)", undefined="exclude"),
    )


def of_torchmetrics(name: str, given: str = "") -> tuple[Equal, ...]:
    """Torchmetrics' two classes of a per-class metric: for two classes, and for several."""
    several = f"Multiclass{name}({given}{', ' * bool(given)}average=average)"
    return (
        equal("torchmetrics", f"Binary{name}({given})", where=TWO_CLASSES),
        equal("torchmetrics", several, where=ALL_OCCUR),
    )


def of_onedal(name: str) -> tuple[Equal, ...]:
    """Precision or recall of oneDAL: of two classes, micro and macro average; NaN for 0/0."""
    two, several = f"BinaryConfusionMatrix()['{name}']", "MulticlassConfusionMatrix()"
    name = name.capitalize()
    return (
        equal("oneDAL", two, undefined="nan"),
        equal("oneDAL", f"{several}['micro{name}']", average="micro"),
        equal("oneDAL", f"{several}['macro{name}']", average="macro", undefined="nan"),
    )


def of_pycm(item: str, *averages: str, where: str = "") -> tuple[Equal, ...]:
    """PyCM's value of each class, and the averages that it has; its 'None' is NaN here."""
    shared: dict[str, Any] = {"where": where, "undefined": "nan"}
    found = [equal("PyCM", f"class_stat[{item!r}]", average=None, **shared)]
    for average in averages:
        call = f"overall_stat[{f'{item} {average.capitalize()}'!r}]"
        found.append(equal("PyCM", call, average=average, **shared))
    return tuple(found)


def names_in(call: str) -> frozenset[str]:
    """Names of the library: functions that are called, and texts that are items."""
    found = set()
    for node in ast.walk(ast.parse(call, mode="eval")):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found.add(node.func.id)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            found |= {node.slice.value} if isinstance(node.slice.value, str) else set()
    return frozenset(found)
