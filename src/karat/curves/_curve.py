"""What every curve is: read-only arrays of one class against the rest, and curves by class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from karat.errors import error, short, shown
from karat.tally import Classes, Label

__all__ = ["ByClass", "Curve", "Floats"]

Floats: TypeAlias = npt.NDArray[np.float64]
C_co = TypeVar("C_co", bound="Curve", covariant=True)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Curve:
    """One class against the rest, as read-only arrays that are ready to be drawn.

    Attributes:
        label: the class; None where the cells of all classes are pooled.
        n_pos, n_neg: rows truly of the class and not, or their weight.
        undefined: why some of the numbers are NaN, or None.
    """

    axes: ClassVar[tuple[str, str]]
    """Names of the arrays of the horizontal and of the vertical axis."""
    unit: ClassVar[str] = "points"
    """What it has as many of as it is long."""

    label: Label | None
    n_pos: float
    n_neg: float
    undefined: str | None

    def __post_init__(self) -> None:
        for name, value in self._arrays():
            view = value.view()
            view.setflags(write=False)
            object.__setattr__(self, name, view)

    def __len__(self) -> int:
        return len(getattr(self, self.axes[0]))

    def columns(self) -> dict[str, Floats]:
        """The arrays that are as long as the curve, by name: the columns of a table of its points.

        Example:
            >>> import karat
            >>> list(karat.curves.roc([0, 1], y_score=[0.2, 0.7]).columns())
            ['thresholds', 'fpr', 'tpr']
        """
        return {name: value for name, value in self._arrays() if len(value) == len(self)}

    def _arrays(self) -> Iterator[tuple[str, Any]]:
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, np.ndarray):
                yield item.name, value

    def __repr__(self) -> str:
        whose = "" if self.label is None else f" of {short(self.label)}"
        facts = "".join(f", {fact}" for fact in self._facts())
        return f"<karat.curves.{type(self).__name__}{whose}: {len(self)} {self.unit}{facts}>"

    def _facts(self) -> Iterator[str]:
        """What stands behind the number of points in the printed form."""
        if self.undefined:
            yield f"undefined: {self.undefined}"


class ByClass(Mapping[Label, C_co]):
    """Curves by the label of their class, in the order of the classes.

    Example:
        >>> import karat
        >>> curves = karat.curves.roc(["a", "b"], y_score=[0.2, 0.7], average=None)
        >>> list(curves), curves["b"].area, curves.positive is curves["b"]
        (['a', 'b'], 1.0, True)
    """

    def __init__(self, curves: Mapping[Label, C_co], classes: Classes) -> None:
        self._curves = dict(curves)
        self._classes = classes

    def __getitem__(self, label: Label) -> C_co:
        """The curve of a class.

        Errors:
            K309 it is not one of them.
        """
        try:
            return self._curves[label]
        except (KeyError, TypeError):
            raise error("K309", what=f"class {short(label)}", labels=shown(self._curves)) from None

    def __iter__(self) -> Iterator[Label]:
        return iter(self._curves)

    def __len__(self) -> int:
        return len(self._curves)

    @property
    def positive(self) -> C_co:
        """The curve of the positive class of two.

        Errors:
            K309 there are not two classes, or that one was not asked for.
        """
        place = self._classes.positive
        if place is None:
            what = f"a positive class among {self._classes.k}"
            raise error("K309", what=what, labels=shown(self._curves))
        return self[self._classes.labels[place]]

    def __repr__(self) -> str:
        names = {type(curve).__name__ for curve in self._curves.values()}
        return f"<karat.curves.{'/'.join(names)} of {len(self)} classes: {shown(self._curves)}>"
