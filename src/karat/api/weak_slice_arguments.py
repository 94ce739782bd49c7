"""Arguments of `find_weak_slices`: what each row loses, and the columns that are looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from karat.api.table_arguments import column_name, of_table
from karat.data.roles import find_roles
from karat.data.slices.codes import named_columns, refuse_same_names
from karat.data.sources.arrays.rows import label_rows
from karat.data.sources.distributed.frames import COLLECT, spread_host
from karat.data.sources.tables.frames import Frame, is_frame, open_frame
from karat.data.weights import Weights, as_weights, refuse_sums, refuse_weights
from karat.errors import error, short
from karat.inference.slices.weak import RowLosses

__all__ = ["Searched", "searched"]

_OF_MODEL = ("prob", "score", "confidence")
_SAID = "It is what the model said"


@dataclass(frozen=True, slots=True, eq=False)
class Searched:
    """Where labels or losses, weights and columns come from.

    Attributes:
        y_true, y_pred, loss, weights: values, or None.
        by: the columns to look at, as they were given.
        left_out: columns of the table that are not looked at → why.
    """

    y_true: Any
    y_pred: Any
    loss: Any
    weights: Any
    by: Any
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def beside(self) -> str:
        """What messages call that which says how many rows there are."""
        return "y_true" if self.loss is None else "loss"

    def columns(self) -> dict[str, Any]:
        """The columns to look at, by name.

        Errors:
            K181 there are none, or they are no table.
        """
        if is_frame(self.by) and spread_host(self.by) is None and len(self.by):
            if isinstance(self.by, Mapping):
                refuse_same_names(self.by)
                return {str(name): values for name, values in self.by.items()}
            frame = open_frame(self.by)
            return frame.columns(list(frame.names), ["the slices"] * len(frame.names))
        raise error(
            "K181",
            found="by= was not given"
            if self.by is None
            else f"by= is {short(self.by)} ({type(self.by).__name__}), not columns",
            do="Give a table in memory, or a dict from name to the values of each row: "
            "by={'country': countries}.",
        )

    def losses(self) -> RowLosses:
        """What each row loses, and how much it counts.

        Errors:
            K101 to K116 labels, losses and weights; K185 a loss below 0.
        """
        if self.loss is None:
            rows = label_rows(self.y_true, self.y_pred, weights=self.weights)
            return RowLosses.of((rows.true != rows.pred).astype(np.float64), rows.weights)
        try:
            n = len(self.loss)
        except TypeError:
            found = f"It is {short(self.loss)}, not one number a row"
            raise error("K116", argument="loss", found=found) from None
        lost = as_weights(self.loss, n, "loss")
        is_bad = ~np.isfinite(lost) | (lost < 0)
        if not n or is_bad.any():
            first = int(is_bad.argmax()) if n else 0
            found = f"Row {first} loses {float(lost[first])!r}" if n else "loss= holds no row"
            raise error("K185", found=found)
        weights: Weights | None = None
        if self.weights is not None:
            weights = as_weights(self.weights, n, beside="loss")
            refuse_weights(weights)
            refuse_sums(weights)
        return RowLosses.of(lost, weights)


def searched(
    y_true: Any, y_pred: Any, by: Any, loss: Any, roles: Mapping[str, Any], weights: Any
) -> Searched:
    """From the arguments as they were given.

    Args:
        roles: ``true`` and ``pred``, names of columns or None.

    Errors:
        K128, K143, K184, K423 arguments that do not go together; K404 to K406 no such
        column, several or none.
    """
    if y_pred is None and is_frame(y_true):
        host = spread_host(y_true)
        if host is not None:
            raise error("K423", host=host, collect=COLLECT[host])
        return _of_table(open_frame(y_true), by, loss, roles, weights)
    named = [name for name, value in roles.items() if value is not None]
    named += [name for name, x in (("loss", loss), ("weights", weights)) if isinstance(x, str)]
    if named:
        raise error(
            "K143",
            argument=named[0],
            found=f"{named[0]}= names a column, and there is no table",
            do="Give the table first: karat.find_weak_slices(frame, true=..., pred=...).",
        )
    if loss is None and (y_true is None or y_pred is None):
        raise error(
            "K128",
            found="There are neither labels nor losses",
            do="Give y_true and y_pred, or loss=; or a table.",
        )
    if loss is not None and (y_true is not None or y_pred is not None):
        raise error("K184")
    return Searched(y_true, y_pred, loss, weights, by)


def _of_table(frame: Frame, by: Any, loss: Any, roles: Mapping[str, Any], weights: Any) -> Searched:
    """What the columns of a table hold; those without a role are looked at."""
    given: dict[Any, str | None] = {
        role: column_name(role, name) for role, name in roles.items() if name is not None
    }
    weights = of_table("weights", weights, None)
    if isinstance(weights, str):
        given["weights"] = weights
    looked = find_roles(
        frame.names, frame.types, given, needs=("true", "pred") if loss is None else ()
    )
    found: dict[str, str] = {}
    if loss is None:
        found = {"true": looked.require("true"), "pred": looked.require("pred")}
    elif any(roles.values()):
        raise error("K184")
    elif isinstance(loss, str):
        found = {"loss": loss}
    counted = looked.column("weights") if weights is None or isinstance(weights, str) else None
    if counted is not None:
        found["weights"] = counted
    left_out = {}
    if by is None:
        families = {name for family in looked.families for name in family.columns}
        others = [name for name in frame.names if name not in found.values()]
        said = [x for x in others if x in families or looked.role_of(x) in _OF_MODEL]
        left_out = dict.fromkeys(said, _SAID)
        wanted = [name for name in others if name not in left_out]
    else:
        wanted = list(dict.fromkeys(name for key in named_columns(by) for name in key))
    values = frame.columns([*found.values(), *wanted], [*found, *["the slices"] * len(wanted)])
    held = {role: values[name] for role, name in found.items()}
    return Searched(
        held.get("true"),
        held.get("pred"),
        held.get("loss", loss),
        held.get("weights", None if isinstance(weights, str) else weights),
        {name: values[name] for name in wanted},
        left_out,
    )
