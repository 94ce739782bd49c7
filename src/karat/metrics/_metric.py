"""`Metric`: a record with its average and parameters, and the positive class it refers to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.errors import KaratError, error
from karat.errors.doubts import no_scores
from karat.errors.habits import karat_word
from karat.metrics._error_bound import error_bound
from karat.metrics._formula import Node, needs_cells, needs_classes, needs_dense, walk
from karat.metrics._influence.forms import PairsInfluence
from karat.metrics._interpret import Gradient
from karat.metrics._lift import Lift, Policy, Traced, trace
from karat.metrics._program import Slopes, batch_of, compile_program, param_names, slopes_of
from karat.metrics._proportions import Proportion
from karat.metrics._record import COMMON, Parameter, Record, checked, unfit
from karat.metrics._render import as_latex, as_text, undefined_condition
from karat.metrics._rounding import ROUNDING_UNIT, ROWS_BY_RARE_ROWS, at_ends
from karat.tally import Cells, Classes
from karat.tally.cached import cached_property
from karat.tally.score_kind import KINDS, undecided
from karat.tally.sums import clipped_at

if TYPE_CHECKING:
    from karat._native import Program
    from karat.tally import Fields


_MOST_BITS = 14_000
_LIFT_TEXT = {
    "macro": "Mean over the classes: ",
    "micro": "From the counts added over the classes: ",
    "weighted": "Mean over the classes, each weighted by its support: ",
    "samples": "Of the labels of each row, and the mean over the rows: ",
    "plain": "",
    "per_class": "For each class: ",
}
_SCORED_LIFT_TEXT = _LIFT_TEXT | {
    "macro": "Mean over the classes that can be measured: ",
    "micro": "Over every row and class pooled: ",
    "weighted": "Mean over the classes that can be measured, each weighted by its support: ",
}


Flags: TypeAlias = npt.NDArray[np.bool_] | np.bool_
"""bool[...]; of one value a scalar."""


@dataclass(frozen=True, slots=True)
class Values:
    """Values of a metric on a tally.

    Attributes:
        value: float64[...], or float64[..., k] for the lift per class.
        undefined: bool[...] or bool[..., k]: where the data do not define the metric itself;
            for averages, per class.
    """

    value: npt.NDArray[np.float64]
    undefined: Flags


@dataclass(frozen=True)
class Metric:
    """A metric with its parameters and average: hashable, and ``parse(str(metric)) == metric``.

    Attributes:
        record: the facts and the formula.
        lift: ``"plain"`` (the positive class, or a metric of all classes), ``"macro"``,
            ``"micro"``, ``"weighted"`` or ``"per_class"``.
        params: the parameters as (name, value), in the order of the record.
        k: number of classes that its range is of, or None; metrics that differ in it are equal.
    """

    record: Record
    lift: Lift
    params: tuple[tuple[str, Any], ...] = ()
    k: int | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, record: Record, lift: Lift, given: Mapping[str, Any]) -> Metric:
        """Return the metric with these parameters; the others take their defaults.

        Errors:
            K302 a parameter is unknown, missing or unfit.
        """
        known = [item.name for item in record.parameters]
        for name in given:
            if name not in known:
                word = karat_word(name, {*known, *COMMON, *KINDS}, given)
                also = f": {word}" if word else ""
                raise unfit(record, f"There is no parameter {name!r}{also}")
        values = []
        for item in record.parameters:
            if item.name in given:
                values.append((item.name, checked(record, item, given[item.name])))
            elif item.is_required:
                raise unfit(record, f"The parameter {item.name!r} was not given")
            else:
                values.append((item.name, item.default))
        return cls(record, lift, tuple(values))

    @staticmethod
    def defaults(record: Record) -> tuple[tuple[str, Any], ...]:
        """Return every parameter at its default; required ones are None."""
        return tuple((item.name, item.default) for item in record.parameters)

    @property
    def name(self) -> str:
        """Canonical name with the average in front: ``"macro_f1"``."""
        is_averaged = self.lift in {"macro", "micro", "weighted", "samples"}
        return self.record.lifted(self.lift) if is_averaged else self.record.name

    def __repr__(self) -> str:
        return f"<karat.metrics.Metric: {self}>"

    def __str__(self) -> str:
        if self.record.numbered:
            return self.record.numbered.format_map(dict(self.params))
        # The parameter that a traced formula contains is part of its name, even at its default.
        return self._with(
            (name, value)
            for name, value in self.params
            if value != self._parameter(name).default
            or (self.record.is_traced and self._parameter(name).kind == "number")
        )

    def _with(self, params: Iterable[tuple[str, Any]]) -> str:
        given = ", ".join(f"{name}={_text(value)}" for name, value in params)
        return f"{self.name}({given})" if given else self.name

    @property
    def full(self) -> str:
        """The name with every parameter that has a value, including defaults."""
        return self._with((name, value) for name, value in self.params if value is not None)

    @property
    def reads_order(self) -> bool:
        """True if another order of the classes may give another value."""
        return _reads_order(self.record) or any(np.ndim(value) == 2 for _, value in self.params)

    @property
    def reads_predictions(self) -> bool:
        """True if a metric of labels reads the predicted classes, not the true ones alone."""
        return self.record.is_traced and _reads_predictions(self.record)

    def depends_on_mix(self, k: int) -> bool:
        """Return whether the value for k classes changes with their proportions alone."""
        record = self.record
        if record.is_traced:
            return k > 1 and _depends_on_mix(self, k)
        if not record.is_within_classes or self.lift == "micro":
            return True
        form = record.influence
        is_by_support = isinstance(form, PairsInfluence) and form.is_by_support
        if k > 2:
            # One of several classes is compared with a mix of the others.
            return record.is_per_class or is_by_support
        # Both classes have the same value, unless a parameter such as max_fpr has two sides.
        return self.lift == "weighted" and any(value is not None for _, value in self.params)

    def _parameter(self, name: str) -> Parameter:
        found = self.record.parameter(name)
        assert found is not None
        return found

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names of the metric, average included."""
        if self.lift in {"plain", "per_class"}:
            return self.record.aliases
        names = (self.record.name, *self.record.aliases)
        return tuple(f"{self.lift}_{name}" for name in names if f"{self.lift}_{name}" != self.name)

    @property
    def range(self) -> tuple[float, float]:
        """Smallest and largest possible value, with the number of classes where it is known."""
        of_two = self.record.range_of_two
        return of_two if of_two is not None and self.k == 2 else self.record.range

    def with_classes(self, k: int) -> Metric:
        """Return the same metric, whose range is that with `k` classes."""
        return self if self.record.range_of_two is None else replace(self, k=k)

    @property
    def better(self) -> str | None:
        """``"higher"``, ``"lower"``, or None where neither is better."""
        return self.record.better

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the range; for a mean of costs, those of its costs."""
        names = [item.name for item in self.record.parameters if item.kind == "matrix"]
        if names and all(map(math.isinf, self.range)):
            costs = dict(self.params)[names[0]]
            if costs is None:
                return 0.0, 1.0
            numbers = np.asarray(costs, np.float64)
            return float(numbers.min()), float(numbers.max())
        return self.range

    @property
    def has_costs(self) -> bool:
        """True if it has a matrix of costs, which lists all classes."""
        return any(item.kind == "matrix" for item in self.record.parameters)

    @property
    def proportion(self) -> Proportion | None:
        """The proportion of rows of which it is a function, of one class; or None."""
        fact = self.record.proportion
        return fact(**dict(self.params)) if callable(fact) else fact

    @property
    def is_of_right_rows(self) -> bool:
        """True if it is a function of the accuracy: a micro average is, of one class a row."""
        if self.record.is_per_class:
            return self.lift == "micro" and not (self.record.is_count or self.is_constant)
        return self.record.is_of_right_rows

    @property
    def is_constant(self) -> bool:
        """True if the value follows from the number of classes alone."""
        return self.lift in self.record.constant_averages

    @property
    def summary(self) -> str:
        """One-sentence summary of the metric."""
        return self.record.summary

    @property
    def formula(self) -> str:
        """The formula as text, rendered from the trace where there is one."""
        if not self.record.is_traced:
            return self.record.formula_text
        return as_text(self._shown)

    @property
    def latex(self) -> str:
        """The formula as LaTeX, rendered from the trace where there is one."""
        if not self.record.is_traced:
            return self.record.formula_latex
        return as_latex(self._shown)

    @property
    def _shown(self) -> Node:
        return self.traced("zero").raw if self.lift != "plain" else self._simple

    @property
    def _simple(self) -> Node:
        return trace(self.record, "plain", "nan", dict(self.params)).raw

    @property
    def definition(self) -> str:
        """Definition in one sentence: the average, then the formula."""
        is_traced = self.record.is_traced
        formula = as_text(self._simple) if is_traced else self.record.formula_text
        if self.lift == "plain" and self.record.is_per_class:
            return f"Of the positive class: {formula}"
        if self.record.is_of_rows:
            return f"{_LIFT_TEXT['samples']}{formula}"
        return f"{(_LIFT_TEXT if is_traced else _SCORED_LIFT_TEXT)[self.lift]}{formula}"

    @property
    def undefined_when(self) -> str:
        """Condition under which the data do not define the metric; empty if they always do."""
        if not self.record.is_traced:
            return self.record.undefined
        condition = undefined_condition(self._simple)
        if not condition:
            return ""
        words = self.record.undefined
        return f"{words} ({condition})" if words else condition

    def traced(self, policy: Policy) -> Traced:
        """Return the graph under a policy for undefined values."""
        return trace(self.record, self.lift, policy, dict(self.params))

    @property
    def losses(self) -> tuple[str, ...]:
        """Names of the losses that the metric reads, with the clipping parameter applied."""
        eps = dict(self.params).get(self.record.clipped_by)
        return self.record.needs if eps is None else (clipped_at(eps),)

    @property
    def is_clipped(self) -> bool:
        """True if a parameter clips the loss that the metric reads, which requires the rows."""
        return self.losses != self.record.needs

    @property
    def needs_scores(self) -> bool:
        """True if the metric reads probabilities or scores, not labels."""
        return not self.record.is_traced

    @property
    def is_of_rows(self) -> bool:
        """True if the metric is a mean over rows with sets of labels."""
        return self.record.is_of_rows or self.lift == "samples"

    @cached_property
    def needs_cells(self) -> bool:
        """True if the metric reads the confusion matrix, not only the class totals."""
        return self.record.is_traced and needs_cells(self.traced("zero").value)

    @cached_property
    def needs_classes(self) -> bool:
        """True if a traced metric reads more than the numbers of rows and of correct rows."""
        traced = self.traced("zero")
        return needs_classes(traced.value, traced.n_undefined)

    def program(self, policy: Policy) -> Program:
        """Native program with outputs (value, number of undefined classes)."""
        return programs(self.traced(policy))[0]

    def arguments(self, policy: Policy) -> list[Any] | None:
        """The parameters in the order of the program, or None without any."""
        traced = self.traced(policy)
        wanted = param_names(traced.value, traced.n_undefined)
        if not wanted:
            return None
        given = dict(self.params)
        return [
            np.asarray(given[name], np.float64) if rank == 2 else float(given[name])
            for name, rank in wanted
        ]

    def values(self, cells: Cells, policy: Policy = "zero") -> Values:
        """Compute the metric on a tally, natively, over every leading axis.

        Errors:
            K204 it reads cells and the tally has only totals; K207 it needs all k·k cells for too
            many classes; K210 it reads scores; K302 a matrix parameter is not k × k.
        """
        traced, fields = self._readable(cells, policy)
        batch = cells.batch_shape
        value, raw = programs(traced)[1].evaluate(
            *batch_of(fields, batch, needs_cells=self.needs_cells), params=self.arguments(policy)
        )
        return Values(
            within_range(self, value.reshape((*batch, *value.shape[1:])), cells),
            ~np.isfinite(raw.reshape((*batch, *raw.shape[1:]))),
        )

    def gradient(self, cells: Cells, policy: Policy = "zero") -> Gradient:
        """Derivative of the value with respect to every cell, natively, over every leading axis.

        Errors:
            As `values`; ValueError for the lift per class, which is not a single number.

        Example:
            >>> from karat.metrics import parse
            >>> from karat.tally import Cells, Classes
            >>> cells = Cells.dense([[8, 2], [1, 9]], classes=Classes.of(range(2)))
            >>> parse("accuracy").gradient(cells).at_cells().round(4).tolist()
            [0.0075, -0.0425, -0.0425, 0.0075]
        """
        return self.slopes(cells, policy).gradient

    def slopes(
        self,
        cells: Cells,
        policy: Policy = "zero",
        parts: Sequence[Node] = (),
        *,
        stops_at_parts: bool = False,
    ) -> Slopes:
        """Value, gradient, and derivative with respect to inner nodes of the trace.

        Args:
            parts: nodes of rank 1 below ``traced(policy).value``: such as the values of each class.
            stops_at_parts: leave the paths through the parts out of the gradient.

        Errors:
            As `gradient`.
        """
        traced, fields = self._readable(cells, policy)
        return slopes_of(
            traced.value,
            tuple(parts),
            fields,
            cells.batch_shape,
            self.arguments(policy),
            needs_cells=self.needs_cells,
            stops_at_parts=stops_at_parts,
        )

    def no_scores(self, warnings: Iterable[str] = ()) -> KaratError:
        """Return the error of rows without the scores that the metric reads (K210)."""
        return no_scores(str(self), warnings, of_probabilities=self.record.reads_probabilities)

    def refuse_of_sets(self) -> None:
        """Raise K221 for a metric of sets where each row has one class."""
        is_average = self.lift in ("macro", "micro", "weighted", "samples")
        is_of_sets = is_average and self.lift not in self.record.averages
        if is_of_sets or self.record.is_only_of_sets:
            raise error("K221", found=f"{self} is a metric of sets, and each row has one class")

    def _readable(self, cells: Cells, policy: Policy) -> tuple[Traced, Fields]:
        """Return the graph, and its inputs from a tally that supports it."""
        self.refuse_of_sets()
        if not self.record.is_traced:
            raise self.no_scores()
        traced = self.traced(policy)
        if self.needs_cells and cells.storage == "marginals":
            raise error("K204", name=str(self))
        if not cells.has_predictions and self.reads_predictions:
            raise undecided(str(self))
        fields = cells.fields
        if cells.storage == "sparse" and needs_dense(traced.value):
            fields = type(fields).of_matrix(cells.matrix(), cells.classes.positive)
        for name, value in self.params:
            if self._parameter(name).kind == "matrix" and np.shape(value) != (cells.k, cells.k):
                found = f"{name} has shape {np.shape(value)}, there are {cells.k} classes"
                raise unfit(self.record, found)
        return traced, fields


def within_range(
    metric: Metric, values: npt.NDArray[np.float64], cells: Cells
) -> npt.NDArray[np.float64]:
    """Values of a metric; those that rounding moved past an end of its range lie at this end.

    What exceeds the stated rounding error stays.
    """
    low, high = metric.range
    if not values.ndim and low <= values <= high:
        return values
    with np.errstate(invalid="ignore"):
        is_beyond = (values < low) | (values > high)
    if not is_beyond.any():
        return values
    n = int(np.max(cells.n_rows, initial=1))
    total, counts = float(np.max(cells.fields.n, initial=0.0)), cells.fields.cells
    spread = None
    if cells.is_weighted:
        least = total if counts is None else float(counts[counts > 0].min(initial=total))
        spread = max(total / max(least, 1e-300), float(n))
    bound = error_bound(metric, n, cells.k, spread=spread)
    ends = np.where(is_beyond, np.clip(values, low, high), 0.0)
    # Scales that are stated in words are at least 1, or the largest cost, which ends the range.
    scale = max(1.0, float(np.abs(ends).max()))
    if bound.scale == ROWS_BY_RARE_ROWS:
        scale = max(scale, float(n) if spread is None else spread)
    most = bound.relative * np.abs(ends) + bound.absolute * scale
    return at_ends(values, (low, high), most)


def means_within_range(metric: Metric, values: Values, n: int) -> Values:
    """The same for means over n rows, or over labels: one rounding for each."""
    most = ROUNDING_UNIT * (n + 8.0) * np.maximum(np.abs(np.clip(values.value, *metric.range)), 1.0)
    return replace(values, value=at_ends(values.value, metric.range, most))


def values_together(
    metrics: Sequence[Metric], cells: Cells, policy: Policy
) -> npt.NDArray[np.float64]:
    """float64[metrics, ...]: values of single-number metrics; common parts are computed once.

    Errors:
        As `Metric.values`.
    """
    found = np.empty((len(metrics), *cells.batch_shape))
    for i, value in _each_together(metrics, cells, policy, is_checked=False):
        found[i] = within_range(metrics[i], value[0], cells)
    return found


def all_values(metrics: Sequence[Metric], cells: Cells, policy: Policy) -> list[Values]:
    """`Metric.values` of single-number metrics; common parts are computed once."""
    found: dict[int, Values] = {}
    for i, (value, raw) in _each_together(metrics, cells, policy, is_checked=True):
        found[i] = Values(within_range(metrics[i], value, cells), ~np.isfinite(raw))
    return [found[i] for i in range(len(metrics))]


def _each_together(
    metrics: Sequence[Metric], cells: Cells, policy: Policy, *, is_checked: bool
) -> Iterator[tuple[int, list[npt.NDArray[np.float64]]]]:
    """Yield the index of each metric, its value, and the checked value if requested."""
    together: dict[tuple[bool, bool], list[int]] = {}
    for i, metric in enumerate(metrics):
        traced, fields = metric._readable(cells, policy)
        if metric.arguments(policy) is not None:
            # Two metrics may have parameters of the same name.
            alone = _outputs_of((traced,), is_checked)
            yield i, _evaluated(alone, fields, cells, metric, metric.arguments(policy))
            continue
        is_dense = cells.storage == "sparse" and needs_dense(traced.value)
        together.setdefault((is_dense, metric.needs_cells), []).append(i)
    n = 1 + is_checked
    for places in together.values():
        graphs = tuple(metrics[i].traced(policy) for i in places)
        one = metrics[places[0]]
        _, fields = one._readable(cells, policy)
        values = _evaluated(_outputs_of(graphs, is_checked), fields, cells, one, None)
        for j, i in enumerate(places):
            yield i, values[n * j : n * j + n]


def _evaluated(
    program: Program, fields: Fields, cells: Cells, metric: Metric, params: list[Any] | None
) -> list[npt.NDArray[np.float64]]:
    given = batch_of(fields, cells.batch_shape, needs_cells=metric.needs_cells)
    outputs = program.evaluate(*given, params=params)
    # Some of the classes of an average may be undefined.
    return [output.reshape((*cells.batch_shape, *output.shape[1:])) for output in outputs]


@cache
def _outputs_of(graphs: tuple[Traced, ...], is_checked: bool) -> Program:
    each = [[one.value, one.checked] if is_checked else [one.value] for one in graphs]
    return compile_program([node for nodes in each for node in nodes])


@cache
def programs(traced: Traced) -> tuple[Program, Program]:
    """(value, count of undefined) for a single fast number, otherwise (value, checked)."""
    return (
        compile_program([traced.value, traced.n_undefined]),
        compile_program([traced.value, traced.checked]),
    )


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_text(item) for item in value)}]"
    if isinstance(value, float) and value.is_integer():
        return repr(int(value))
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return f"a whole number of {value.bit_length()} bits"  # Python cannot write it
    return repr(value)


@cache
def _reads_order(record: Record) -> bool:
    """True if the formula reads the positions of the classes."""
    if not record.is_traced or record.is_per_class or record.is_of_rows:
        return False
    params = {item.name: item.default for item in record.parameters}
    if any(value is None for value in params.values()):
        return False
    nodes = walk(Metric.of(record, "plain", params).traced("nan").raw)
    return any(node.op in ("cumulative", "later") or node.value == "index" for node in nodes)


@cache
def _reads_predictions(record: Record) -> bool:
    """True unless a formula has the same value for other predictions of the same rows."""
    params = {item.name: item.default for item in record.parameters}
    if record.is_of_rows or any(value is None for value in params.values()):
        return True
    tables = np.array([[[30, 5, 1], [2, 20, 4], [3, 6, 10]], [[4, 20, 12], [9, 2, 15], [8, 7, 4]]])
    cells = Cells.dense(tables, classes=Classes((0, 1, 2)))
    lift: Lift = "per_class" if record.is_per_class else "plain"
    one, other = Metric.of(record, lift, params).values(cells).value
    return not np.array_equal(one, other, equal_nan=True)


@cache
def _depends_on_mix(metric: Metric, k: int) -> bool:
    """True if a traced metric of a table changes where its true classes have other sizes."""
    if not any(np.ndim(value) == 2 for _, value in metric.params):
        k = min(k, 3)
    i = np.arange(k)
    table = 5.0 + (7 * i[:, None] + 3 * i * i) % 11 + 40 * np.eye(k)
    tables = np.stack([table, (2.0 + i[:, None] % 7) * table])
    classes = Classes(tuple(range(k)), positive=1 if k == 2 else None)
    one, other = metric.values(Cells.dense(tables, classes=classes)).value
    return bool((abs(other - one) > 1e-9 * np.maximum(abs(one), abs(other))).any())
