"""Records of metrics: facts in the decorator, meaning in the docstring, formula in the body."""

from __future__ import annotations

import ast
import inspect
import math
import operator
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.errors import error, short
from karat.metrics._bounds import Bounds
from karat.metrics._equal import Equal
from karat.metrics._formula import Node
from karat.metrics._influence.forms import Influence
from karat.metrics._label_numbers import LabelNumbers
from karat.metrics._lift import Average, LabelsOfRow, OneVsRest, Table
from karat.metrics._proportions import Proportion
from karat.metrics._rounding import Rounding
from karat.metrics._set_views import LabelAreas, PooledLosses, RankedCells, RankedLabels, RowFormula
from karat.metrics._views import ClassProbabilities, Confidences, Losses

_ENTRY_MIN, _ENTRY_MAX = 1e-20, 1e20
"""Range of the numbers in a matrix, within which products with two sums of weights stay finite."""


COMMON: Final = ("labels", "positive", "weights", "undefined", "n_threads")
"""Arguments common to the functions of all metrics."""


def unfit(record: Record, found: str) -> Exception:
    """K302: the invalid value of a parameter, and the valid parameters."""
    parameters = [f"{item.name}: {item.text.rstrip('.')}" for item in record.parameters]
    if record.averages:
        parameters.append(f"average: {', '.join(record.averages)}")
    of_function = f"karat.{record.name} also takes {', '.join(COMMON[:-1])} and {COMMON[-1]}"
    told = ". ".join(filter(None, ["; ".join(parameters), of_function]))
    return error("K302", metric=record.name, found=found, parameters=told)


def checked(record: Record, item: Parameter, value: Any) -> Any:
    """Return the value as a plain number, flag or text; a matrix as tuples of its rows.

    Errors:
        K302 it is not a valid value of the parameter.
    """
    if value is None and item.default is None and not item.is_required:
        return None
    if item.kind == "choice":
        if not isinstance(value, str) or value not in item.choices:
            choices = ", ".join(map(repr, item.choices))
            raise unfit(record, f"{item.name}={short(value)} is none of {choices}")
        return value
    if item.kind == "count":
        is_whole = isinstance(value, int | np.integer) or (
            isinstance(value, float) and value.is_integer()
        )
        if not is_whole or isinstance(value, bool | np.bool_) or value < 1:
            raise unfit(record, f"{item.name}={short(value)} is not a whole number of at least 1")
        return int(value)
    if item.kind == "flag":
        if not isinstance(value, bool | np.bool_):
            raise unfit(record, f"{item.name}={short(value)} is not True or False")
        return bool(value)
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise unfit(record, f"{item.name} has masked values")
    try:
        array = _real(value)
    except MemoryError:
        raise
    except Exception:  # a class of another library may raise anything
        raise unfit(record, f"{item.name}={short(value)} is not numeric") from None
    if item.kind == "number":
        is_number = not array.ndim and not isinstance(value, bool | np.bool_)
        if not is_number or not math.isfinite(float(array)):
            raise unfit(record, f"{item.name}={short(value)} is not a finite number")
        if item.above is not None and float(array) <= item.above:
            raise unfit(record, f"{item.name}={short(value)} is not above {item.above:g}")
        if item.below is not None and float(array) >= item.below:
            raise unfit(record, f"{item.name}={short(value)} is not below {item.below:g}")
        if item.most is not None and float(array) > item.most:
            raise unfit(record, f"{item.name}={short(value)} is above {item.most:g}")
        return float(array)
    if item.kind == "labels":
        return _label_numbers(record, item, array)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not np.isfinite(array).all():
        raise unfit(record, f"{item.name} is not a square matrix of finite numbers")
    sizes = np.abs(array[array != 0])
    if sizes.size and not _ENTRY_MIN <= sizes.min() <= sizes.max() <= _ENTRY_MAX:
        bad = sizes.min() if sizes.min() < _ENTRY_MIN else sizes.max()
        limits = f"{_ENTRY_MIN:g} to {_ENTRY_MAX:g}, or 0"
        raise unfit(record, f"{item.name} holds {bad:.3g}; its numbers have sizes of {limits}")
    return tuple(tuple(row) for row in array.tolist())


def _label_numbers(record: Record, item: Parameter, array: npt.NDArray[np.float64]) -> LabelNumbers:
    """Return a number for each label."""
    if array.ndim != 1 or not array.size:
        raise unfit(record, f"{item.name} is not one number for each label")
    bad = ~np.isfinite(array)
    if item.above is not None:
        bad |= array <= item.above
    if item.most is not None:
        bad |= array > item.most
    if bad.any():
        label = int(np.argmax(bad))
        found = f"{item.name}[{label}] is {array[label]:g}"
        if item.above is not None and item.most is not None:
            found += f", not above {item.above:g} and at most {item.most:g}"
        raise unfit(record, found)
    return LabelNumbers(array)


def _real(value: Any) -> npt.NDArray[np.float64]:
    """Return the numbers of a parameter; an exception means that they are not numbers."""
    # NumPy would recurse into nested lists without end, and read the text '2' as a number.
    if _depth(value) > 2:
        raise TypeError
    given = np.asarray(value)
    is_text = given.dtype.kind == "O" and any(isinstance(x, str | bytes) for x in given.flat)
    if given.dtype.kind not in "biufO" or is_text:
        raise TypeError
    with np.errstate(over="ignore"):
        return given.astype(np.float64)


def _depth(value: Any, limit: int = 3) -> int:
    """Return the nesting depth of lists, as far as it matters."""
    if not limit or not isinstance(value, list | tuple):
        return 0
    return 1 + max((_depth(item, limit - 1) for item in value), default=0)


Better: TypeAlias = Literal["higher", "lower"] | None
Formula: TypeAlias = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Case:
    """A golden value: a confusion matrix, the parameters, the result as written in the source.

    Attributes:
        cells: number[k, k], rows true, columns predicted; with two classes the second is positive.
        gives: the value as text, a fraction or an expression of numbers, sqrt and log.
        source: where the value comes from.
        params: parameters of the metric.
    """

    cells: tuple[tuple[float, ...], ...]
    gives: str
    source: str
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def value(self) -> float:
        """The numeric value of `gives`."""
        return number_of(self.gives)


def case(
    *,
    tp: float | None = None,
    fp: float | None = None,
    fn: float | None = None,
    tn: float | None = None,
    cells: Sequence[Sequence[float]] | None = None,
    gives: str,
    source: str,
    **params: Any,
) -> Case:
    """Golden case, from the four counts of two classes or from a whole matrix."""
    if cells is None:
        if tp is None or fp is None or fn is None or tn is None:
            raise ValueError("a case needs cells=, or all of tp, fp, fn, tn")
        cells = ((tn, fp), (fn, tp))
    return Case(tuple(tuple(row) for row in cells), gives, source, params)


_OPERATORS: dict[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
}


def number_of(text: str) -> float:
    """Evaluate a golden value's text: numbers, + - * / **, sqrt, log, max."""
    return _number(ast.parse(text, mode="eval").body)


def _number(node: ast.AST) -> float:
    """Evaluate arithmetic, and nothing else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)](_number(node.left), _number(node.right))
    if isinstance(node, ast.UnaryOp):
        return _OPERATORS[type(node.op)](_number(node.operand))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        functions = {"sqrt": math.sqrt, "log": math.log, "max": max}
        return float(functions[node.func.id](*(_number(arg) for arg in node.args)))  # type: ignore[operator]
    raise ValueError(f"a golden value is arithmetic, not {ast.unparse(node)}")


@dataclass(frozen=True, slots=True)
class Oracle:
    """The function of another library that gives the same number.

    Attributes:
        library: its import name.
        function: its name there.
        params: keyword arguments that make it the same metric.
        item: index of the value, if it returns several.
        transform: transformation of its value, for example ``lambda x: 1 - x``.
    """

    library: str
    function: str
    params: Mapping[str, Any] = field(default_factory=dict)
    item: int | None = None
    transform: Callable[[float], float] | None = None


def sklearn(
    function: str,
    *,
    item: int | None = None,
    transform: Callable[[float], float] | None = None,
    **params: Any,
) -> Oracle:
    """Reference function of scikit-learn; `transform` maps its value to karat's."""
    return Oracle("sklearn.metrics", function, params, item, transform)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a metric.

    Attributes:
        name: keyword of the formula and of the public function.
        text: one sentence: the effect of the parameter.
        default: its value if omitted; `required` when there is none.
        kind: a number, a whole number of at least 1, one of `choices`, a float[k, k] matrix, a
            number for each label, or a flag that chooses the formula.
        above, below: numbers must lie between these.
        most: largest allowed number.
        choices: allowed texts of a choice.
    """

    name: str
    text: str
    default: Any = None
    kind: Literal["number", "count", "choice", "matrix", "flag", "labels"] = "number"
    above: float | None = None
    below: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    is_required: bool = False


@dataclass(frozen=True, eq=False)
class Record:
    """All facts about one metric.

    Attributes:
        name: canonical name, the name of the decorated function.
        formula: the body. It takes `OneVsRest` (a metric of one class) or `Table` (of all classes),
            which trace it, or a view of scores, on which it is computed.
        reads: the type of its input.
        is_per_class: whether it is a metric of one class against the rest, so that averages exist.
        averages: available averages; empty for a metric of all classes.
        range: smallest and largest value.
        range_of_two: the same with two classes, if another one.
        better: which direction is better, None where neither is.
        undefined: condition under which the data do not define it, in words.
        is_zero_when_undefined: whether 0/0 counts as 0 by default, as in scikit-learn.
        perfect: value of a perfect prediction on data with every class; None if it varies.
        in_report: whether a report lists it by default.
        headline: the averages (or "plain") that a short report shows.
        equals: the calls of other libraries that give the same number.
        identities: equivalent mutants, with the identity that makes them equal.
        formula_text, formula_latex: the formula of a metric that is computed, not traced.
        lift_names: names of averages that are not the average followed by the name.
        needs: the sums of losses that it reads.
        clipped_by: the parameter at which that loss is clipped, unless it is None.
        numbered: its name in results, with a parameter in braces; empty: `name`.
        least_classes: with fewer classes it is trivial, and a report leaves it out.
        depends_on_rows: whether it depends on the number of rows, not only on proportions.
        is_within_classes: for metrics of scores, whether the value for two classes stays the same
            if a class has more rows of the same kind; see `Metric.depends_on_mix`.
        weights_are_rows: whether a row of weight 2 counts as two rows; False if a variance is
            involved.
        is_of_scores_only: whether a report of probabilities leaves it out.
        influence: the form of the influence of each row, of a metric that is computed.
        no_influence: why it has no influence function, in words.
        is_threshold: whether it is a threshold: of logits a probability, as ``threshold=``.
        is_extreme: whether it is a maximum or minimum over the rows, or a sum of absolute values.
            On few rows it is biased away from its estimand, and replicates are biased further.
        is_of_sets: for metrics of all classes, whether it also applies to sets of labels.
        on_sets: the metric that its name means for sets, if another one.
        bounds: its bounds when scores are bucketed; None: unknown.
        is_estimate: whether it is an estimate; a p-value is not, and has no interval.
        of_bins: its value from `Bins` alone, also for replicates, given its parameters; None: it
            needs more of its column.
        rounding: rounding error of its value; None: it follows from the trace, or is not stated.
        proportion: of a metric of one class that is a function of one proportion of the rows: that
            proportion, or a function of the parameters that returns it or None.
        sum_of: two proportions whose sum, plus a constant, is a metric of one class.
        ratio_of: two proportions of different rows, of functions of which it is the product.
        is_of_right_rows: for metrics of all classes, whether it is a function of the accuracy; a
            micro average is.
        is_count: whether it is a number of rows: twice the rows give twice the value.
        constant_averages: the averages that follow from the number of classes alone.
        of_undefined: for sets, the value of a row that does not define it; None: the row is left
            out.
        of_row: for scores, its value on the labels of one row, whose mean over the rows is a
            further average; None: it has no such average.
    """

    name: str
    formula: Formula
    reads: type
    is_per_class: bool
    summary: str
    description: str
    family: str
    aliases: tuple[str, ...] = ()
    averages: tuple[Average, ...] = ()
    range: tuple[float, float] = (0.0, 1.0)
    range_of_two: tuple[float, float] | None = None
    better: Better = None
    undefined: str = ""
    is_zero_when_undefined: bool = False
    perfect: float | None = None
    parameters: tuple[Parameter, ...] = ()
    cases: tuple[Any, ...] = ()
    oracle: Oracle | None = None
    equals: tuple[Equal, ...] = ()
    references: tuple[str, ...] = ()
    since: str = ""
    in_report: bool = True
    headline: tuple[str, ...] = ()
    identities: Mapping[str, str] = field(default_factory=dict)
    formula_text: str = ""
    formula_latex: str = ""
    lift_names: Mapping[str, str] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    clipped_by: str = ""
    numbered: str = ""
    least_classes: int = 2
    is_of_scores_only: bool = False
    depends_on_rows: bool = False
    is_within_classes: bool = False
    weights_are_rows: bool = True
    influence: Influence | None = None
    no_influence: str = ""
    is_threshold: bool = False
    is_extreme: bool = False
    is_of_sets: bool = False
    on_sets: str = ""
    bounds: Bounds | None = None
    is_estimate: bool = True
    rounding: Rounding | None = None
    of_bins: Formula | None = None
    proportion: Proportion | Callable[..., Proportion | None] | None = None
    sum_of: tuple[Proportion, Proportion] | None = None
    ratio_of: tuple[Proportion, Proportion] | None = None
    is_of_right_rows: bool = False
    is_count: bool = False
    constant_averages: tuple[Average, ...] = ()
    of_undefined: float | None = None
    of_row: RowFormula | None = None

    @property
    def is_traced(self) -> bool:
        """True if the body is algebra on the counts, from which everything else is derived."""
        return self.reads in (OneVsRest, Table, LabelsOfRow)

    @property
    def is_of_rows(self) -> bool:
        """True if the metric is a mean over rows with sets of labels."""
        return self.reads is LabelsOfRow

    @property
    def is_only_of_sets(self) -> bool:
        """True if the metric does not exist for rows with one class each."""
        return self.is_of_rows or self.is_of_label_scores

    @property
    def is_of_label_scores(self) -> bool:
        """True if the metric reads the scores of all labels of rows with sets."""
        return self.reads in (RankedLabels, PooledLosses, LabelAreas, RankedCells)

    @property
    def reads_probabilities(self) -> bool:
        """True if it reads probabilities, and those of logits; a ranking reads any scores."""
        is_loss = self.reads is Losses and not {"margin", "ranks"}.issuperset(self.needs)
        return is_loss or self.reads in (Confidences, ClassProbabilities, PooledLosses)

    @property
    def has_samples(self) -> bool:
        """True if the mean over rows with sets is one of its averages: for rates, not counts."""
        is_rate = self.is_traced and self.is_per_class and "macro" in self.averages
        return is_rate or self.of_row is not None

    @property
    def averages_on_sets(self) -> tuple[Average, ...]:
        """All averages, including those for sets: over rows, and of scores of all labels."""
        is_scored = self.is_per_class and not self.is_traced
        more: list[Average] = ["micro"] if is_scored and "micro" not in self.averages else []
        return (*self.averages, *more, *(("samples",) if self.has_samples else ()))

    @property
    def is_on_sets(self) -> bool:
        """True if the metric, or the one that its name means there, exists for sets of labels."""
        is_of_labels = self.is_per_class or (self.is_traced and self.is_of_sets)
        return self.is_only_of_sets or bool(self.on_sets) or is_of_labels

    def lifted(self, average: str) -> str:
        """Canonical name of an average: ``macro_f1``, ``roc_auc_ovr_macro``."""
        return self.lift_names.get(average, f"{average}_{self.name}")

    def __repr__(self) -> str:
        return f"<metric {self.name}>"

    def __copy__(self) -> Record:
        return self

    def __deepcopy__(self, memo: Any) -> Record:
        return self

    def __call__(self, c: Any, **params: Any) -> Node:
        """Trace the body: a formula may use another record as a part."""
        traced: Node = self.formula(c, **params)
        return traced

    def parameter(self, name: str) -> Parameter | None:
        """Return the parameter of that name, or None."""
        return next((item for item in self.parameters if item.name == name), None)


_registered: list[Record] = []
TEXTS: Final = {"formula": "formula_text", "latex": "formula_latex"}
"""Facts of a metric without a trace → attributes of its record."""


@dataclass(kw_only=True, eq=False, repr=False)
class Facts:
    """What the decorators of metrics take: `metric`, `score_metric` and those of scores of sets."""

    views: ClassVar[Mapping[type, bool]]
    """Allowed types of the first parameter of a body; whether each is one class and the rest."""
    no_view: ClassVar[str]
    """The error message for other types."""
    attributes: ClassVar[Mapping[str, str]] = {}
    """Facts that have another name in a record."""

    aliases: Sequence[str] = ()
    range: tuple[float, float] = (0.0, 1.0)
    better: Better = None
    undefined: str = ""
    perfect: float | None = None
    parameters: Sequence[Parameter] = ()
    cases: Sequence[Any] = ()
    equals: Sequence[Equal] = ()
    references: Sequence[str] = ()
    since: str
    in_report: bool = True
    headline: Sequence[str] = ()

    def __call__(self, body: Callable[..., Any]) -> Record:
        """Register a body."""
        # `fields` takes as long as all of the rest, for hundreds of metrics.
        facts = {self.attributes.get(name, name): value for name, value in vars(self).items()}
        return recorded(body, self.views, self.no_view, facts)


@dataclass(kw_only=True, eq=False, repr=False)
class metric(Facts):  # noqa: N801  # read as the decorator that it is
    """Register the decorated formula as a metric.

    The type of its first parameter determines its input: `OneVsRest` for a metric of one class
    against the rest (every average follows), `Table` for a metric of all classes at once,
    `LabelsOfRow` for a metric of one row with a set of labels. Every other parameter is
    keyword-only and described in `parameters`. If the formula subtracts or takes logarithms,
    `rounding` states its rounding error, see `_rounding`; otherwise it follows from the trace.

    Errors:
        K304 the record contradicts itself or lacks a docstring or a golden case.
    """

    views = {OneVsRest: True, Table: False, LabelsOfRow: False}  # noqa: RUF012
    no_view = "The type of its first parameter is neither OneVsRest nor Table nor LabelsOfRow"
    attributes = {"undefined_is_zero": "is_zero_when_undefined"}  # noqa: RUF012

    averages: Sequence[Average] = ("macro", "micro", "weighted")
    undefined_is_zero: bool = False
    cases: Sequence[Case] = ()
    oracle: Oracle | None = None
    identities: Mapping[str, str] | None = None
    is_of_sets: bool = False
    on_sets: str = ""
    rounding: Rounding | None = None
    proportion: Proportion | Callable[..., Proportion | None] | None = None
    sum_of: tuple[Proportion, Proportion] | None = None
    ratio_of: tuple[Proportion, Proportion] | None = None
    is_of_right_rows: bool = False
    is_count: bool = False
    constant_averages: Sequence[Average] = ()


higher_is_better = partial(metric, better="higher", perfect=1.0, since="0.1")
lower_is_better = partial(metric, better="lower", perfect=0.0, since="0.1")
"""Decorators of the package for records whose best value is 1, and 0."""

_SEVERAL: Final = (
    *("aliases", "parameters", "cases", "equals", "references", "headline", "needs"),
    "constant_averages",
)


def recorded(
    body: Callable[..., Any], views: Mapping[type, bool], no_view: str, facts: Mapping[str, Any]
) -> Record:
    """Register a body with its facts; its name, docstring and input type come from the function.

    Args:
        views: allowed types of its first parameter, and whether each is one class against the rest.
        no_view: the error message for other types.
        facts: attributes of the record, in sequences of any type.
    """
    doc = inspect.cleandoc(body.__doc__ or "")
    summary, _, description = doc.partition("\n\n")
    signature = inspect.signature(body, eval_str=True)
    first, *others = signature.parameters.values()
    problem = None
    if first.annotation not in views:
        problem = no_view
    elif not summary and sys.flags.optimize < 2:  # python -OO leaves docstrings out
        problem = "It has no docstring"
    elif not facts["cases"]:
        problem = "It has no golden case"
    elif sorted(item.name for item in others) != sorted(i.name for i in facts["parameters"]):
        problem = "The parameters of its body and those described in parameters= differ"
    if problem:
        raise error("K304", name=body.__name__, found=problem)
    is_per_class = views[first.annotation]
    low, high = facts["range"]
    own = {
        "averages": tuple(facts.get("averages", ())) if is_per_class else (),
        "range": (float(low), float(high)),
        **{name: tuple(facts.get(name, ())) for name in _SEVERAL},
        **{name: dict(facts.get(name) or {}) for name in ("identities", "lift_names")},
    }
    record = Record(
        name=body.__name__,
        formula=body,
        reads=first.annotation,
        is_per_class=is_per_class,
        summary=" ".join(summary.split()),
        description=description.strip(),
        family=body.__module__.rpartition(".")[2],
        **{**facts, **own},
    )
    _registered.append(record)
    return record
