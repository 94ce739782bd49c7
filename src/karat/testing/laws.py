"""Damaged copies of a formula: each differs by one field, one operation or one constant.

A record's golden cases must tell every mutant from the formula, except those that are equal by an
identity of the counts, which the record lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.metrics import Case, Metric, Record, parse
from karat.metrics._formula import Node, const, field, needs_dense
from karat.metrics._interpret import evaluate, gradient, undefined_mask
from karat.metrics._lift import Policy, trace
from karat.tally import Cells, Classes, Fields, to_marginals, to_sparse

_FIELDS: Final = (("tp", "fp", "fn", "tn"), ("n", "k"))
_OPERATIONS: Final = {
    "add": ("sub", "mul"),
    "sub": ("add",),
    "mul": ("div", "add"),
    "div": ("mul",),
    "pow": ("mul",),
    "exp": ("sqrt",),
    "rows": ("cols",),
    "cols": ("rows",),
    "total": ("maximum",),
    "maximum": ("total",),
    "product": ("total",),
    "sqrt": ("log",),
    "log": ("sqrt",),
    "later": ("cumulative",),
}


def formula_of(record: Record, params: Mapping[str, Any]) -> Node:
    """The record's own formula, of the positive class or of all classes."""
    return trace(record, "plain", "nan", params).raw


def mutants(root: Node) -> Iterator[tuple[str, Node]]:
    """Every one-step change of a formula, at one place at a time, with its description."""
    yield from _changes(root)
    for place, arg in enumerate(root.args):
        for name, changed in mutants(arg):
            args = (*root.args[:place], changed, *root.args[place + 1 :])
            yield name, Node(root.op, args, root.value, root.rank)


def _changes(node: Node) -> Iterator[tuple[str, Node]]:
    if node.op == "field":
        alike = next((names for names in _FIELDS if node.value in names), ())
        for other in alike:
            if other != node.value:
                yield f"field {node.value} → {other}", field(other)
    elif node.op == "const":
        yield f"const {node.value:g} → {node.value + 1:g}", const(node.value + 1)
    for other in _OPERATIONS.get(node.op, ()):
        if other == "maximum" and node.args[0].rank != 1:
            continue
        yield f"{node.op} → {other}", Node(other, node.args, node.value, node.rank)
    if node.op == "where":
        test, then, otherwise = node.args
        yield "where swapped", Node("where", (test, otherwise, then), rank=node.rank)
    if node.op in {"sub", "div", "greater", "pow"}:
        yield f"{node.op} swapped", Node(node.op, node.args[::-1], node.value, node.rank)


Flags: TypeAlias = tuple[tuple[str, Any], ...]


def survivors(record: Record) -> list[tuple[str, Node, Flags]]:
    """Mutants that give the golden value in every case: the cases cannot tell them apart.

    Returns:
        (description, damaged formula, flags that chose the formula).
    """
    alive: list[tuple[str, Node, Flags]] = []
    for flags in {_flags(record, golden.params): None for golden in record.cases}:
        of_flags = [golden for golden in record.cases if _flags(record, golden.params) == flags]
        for name, mutant in mutants(formula_of(record, dict(flags))):
            if all(_gives(mutant, record, golden) for golden in of_flags):
                alive.append((name, mutant, flags))
    return alive


def _gives(root: Node, record: Record, golden: Case) -> bool:
    cells = np.asarray(golden.cells)
    fields = Fields.of_matrix(cells, 1 if len(cells) == 2 else None)
    found = np.asarray(evaluate(root, fields, _numbers(record, golden.params))).reshape(-1)[0]
    return bool(abs(found - golden.value) <= 1e-9 * max(1.0, abs(golden.value)))


def _numbers(record: Record, given: Mapping[str, Any]) -> dict[str, Any]:
    return {item.name: given.get(item.name, item.default) for item in record.parameters}


def _flags(record: Record, params: Mapping[str, Any]) -> Flags:
    return tuple(
        (item.name, params.get(item.name, item.default))
        for item in record.parameters
        if item.kind == "flag"
    )


def unlisted(record: Record) -> list[str]:
    """Surviving mutants that no identity of the record explains, or that are not equal by it."""
    return [
        name
        for name, mutant, flags in survivors(record)
        if name not in record.identities or not equivalent(record, mutant, flags)
    ]


def equivalent(record: Record, mutant: Node, flags: Flags, n_tables: int = 200) -> bool:
    """True if a mutant equals the formula on random tables, as for an identity."""
    rng = np.random.default_rng(0)
    golden = record.cases[0]
    k = len(golden.cells)
    tables = rng.integers(1, 60, size=(n_tables, k, k)) * (rng.random((n_tables, k, k)) > 0.2)
    tables[:, 0, 0] += 1
    fields = Fields.of_matrix(tables, 1 if k == 2 else None)
    params = _numbers(record, golden.params)
    wanted = evaluate(formula_of(record, dict(flags)), fields, params)
    return bool(np.allclose(evaluate(mutant, fields, params), wanted, rtol=1e-9, equal_nan=True))


POLICIES: Final[tuple[Policy, ...]] = ("zero", "exclude", "nan")
_N_TABLES = 60


def random_tables(
    k: int, n_tables: int = _N_TABLES, seed: int = 0, *, gaps: float = 0.35
) -> npt.NDArray[np.int64]:
    """int64[n_tables, k, k] confusion matrices: many empty cells, some absent classes."""
    rng = np.random.default_rng([seed, k])
    tables = rng.integers(1, 40, size=(n_tables, k, k)) * (rng.random((n_tables, k, k)) > gaps)
    # Every third table has a class that is never true, every fourth one never predicted.
    tables[::3, rng.integers(k), :] = 0
    tables[::4, :, rng.integers(k)] = 0
    tables[tables.sum(axis=(1, 2)) == 0, 0, 0] = 1
    return tables


def metrics_of(record: Record, k: int) -> Iterator[Metric]:
    """Every lift of the record for k classes, with the parameters of its golden cases."""
    lifts: tuple[Any, ...] = ("plain",)
    if record.is_per_class:
        lifts = (*(("plain",) if k == 2 else ()), "per_class", *record.averages)
    rng = np.random.default_rng(k)
    for lift in lifts:
        for params in {str(golden.params): golden.params for golden in record.cases}.values():
            given = dict(params)
            for item in record.parameters:
                if item.kind == "matrix" and record.is_traced:
                    given[item.name] = (1 - np.eye(k)) * rng.integers(1, 9, size=(k, k))
            yield Metric.of(record, lift, given)


def _cells(tables: npt.NDArray[np.int64]) -> Cells:
    return Cells.dense(tables, classes=Classes.of(range(tables.shape[-1])))


def _each(record: Record, *ks: int) -> Iterator[tuple[Metric, Cells]]:
    """Every lift with random tables of so many classes."""
    for k in ks:
        cells = _cells(random_tables(k))
        for metric in metrics_of(record, k):
            yield metric, cells


def near(found: Any, wanted: Any, what: str, within: float = 1e-11) -> None:
    np.testing.assert_allclose(
        found, wanted, rtol=within, atol=within, equal_nan=True, err_msg=what
    )


def golden_cases_hold(record: Record) -> None:
    """The formula gives every golden value, natively and interpreted."""
    for golden in record.cases:
        metric = Metric.of(record, "plain", golden.params)
        cells = Cells.dense(golden.cells, classes=Classes.of(range(len(golden.cells))))
        near(metric.values(cells, "nan").value, golden.value, f"{metric}: {golden.source}", 1e-12)


def native_equals_interpreted(record: Record) -> None:
    """The native program and the NumPy interpreter agree, for every lift, policy and storage."""
    for metric, cells in _each(record, 2, 3, 5):
        for policy in POLICIES:
            found = metric.values(cells, policy).value
            value = metric.traced(policy).value
            wanted = evaluate(value, cells.fields, dict(metric.params))
            wanted = np.broadcast_to(wanted, found.shape)
            near(found, wanted, f"{metric} under {policy}")


def storages_agree(record: Record) -> None:
    """Dense, sparse and marginal storage of one table give the same value."""
    for k in (2, 4):
        for table in random_tables(k, 12):
            dense = _cells(table)
            for metric in metrics_of(record, k):
                wanted = metric.values(dense).value
                near(metric.values(to_sparse(dense)).value, wanted, f"{metric}, sparse")
                if not metric.needs_cells:
                    found = metric.values(to_marginals(dense)).value
                    near(found, wanted, f"{metric}, marginals", 1e-12)


def batch_equals_one_by_one(record: Record) -> None:
    """A stack of tables gives what each table gives alone."""
    for k in (2, 3):
        tables = random_tables(k, 12)
        for metric in metrics_of(record, k):
            stacked = metric.values(_cells(tables.reshape(3, 4, k, k))).value
            alone = [metric.values(_cells(table)).value for table in tables]
            near(stacked.reshape(12, *stacked.shape[2:]), np.array(alone), str(metric), 1e-12)


def undefined_where_the_trace_says(record: Record) -> None:
    """A value is not finite exactly where a divisor or a logarithm's argument is zero."""
    for metric, cells in _each(record, 2, 3, 5):
        raw, params = metric.traced("nan").raw, dict(metric.params)
        value = evaluate(raw, cells.fields, params)
        said = undefined_mask(raw, cells.fields, params)
        np.testing.assert_array_equal(~np.isfinite(value), said, err_msg=str(metric))
        if said.any() and not metric.undefined_when:
            raise AssertionError(f"{metric} can be undefined and does not say when")


def counts_and_constants_are_declared(record: Record) -> None:
    """Twice the rows give twice a count, and the same of all else; only constants never change."""
    for k in (2, 3):
        tables = random_tables(k, 20, seed=11, gaps=-1.0) + 1
        for metric in metrics_of(record, k):
            # A value may be a difference in which digits cancel.
            one, two = (metric.values(_cells(times * tables)).value for times in (1, 2))
            near(two, 2.0 * one if record.is_count else one, f"{metric} of twice the rows", 1e-9)
            is_still = k > 2 and metric.lift != "per_class" and np.ptp(one) <= 1e-12
            if is_still != (k > 2 and metric.is_constant):
                raise AssertionError(f"{metric}: constant_averages={record.constant_averages}")


def gradient_is_the_slope(record: Record) -> None:
    """The traced gradient agrees with central differences on tables without empty cells."""
    for k in (2, 3, 4):
        table = random_tables(k, 1, seed=7, gaps=-1.0)[0].astype(np.float64)
        table += np.random.default_rng(k).random((k, k)) + 1.0
        fields = Fields.of_matrix(table, 1 if k == 2 else None)
        for metric in metrics_of(record, k):
            root = metric.traced("zero").value
            if root.rank:
                continue
            params = dict(metric.params)
            steps = np.concatenate([np.eye(k * k), -np.eye(k * k)]).reshape(-1, k, k) * 1e-4
            moved = Fields.of_matrix(table + steps, fields.positive)
            values = np.broadcast_to(evaluate(root, moved, params), (2 * k * k,))
            slope = (values[: k * k] - values[k * k :]) / 2e-4
            found = gradient(root, fields, params).at_cells()
            scale = max(1.0, float(np.abs(slope).max()))
            near(found / scale, slope / scale, f"gradient of {metric}", within=3e-7)


def value_lies_in_range(record: Record) -> None:
    """Every defined value lies in the declared range."""
    low, high = record.range
    for metric, cells in _each(record, 2, 3, 5):
        values = metric.values(cells, "nan").value
        values = values[~np.isnan(values)]
        outside = values[(values < low) | (values > high)]
        if outside.size:
            raise AssertionError(f"{metric} gave {outside[0]}, range {low} to {high}")


def perfect_prediction_is_best(record: Record) -> None:
    """A perfect prediction reaches the declared optimum, which is an end of the range."""
    if record.perfect is None:
        return
    best = record.range[1] if record.better == "higher" else record.range[0]
    if record.better is None or record.perfect != best:
        raise AssertionError(
            f"{record.name}: perfect={record.perfect}, best of the range is {best}"
        )
    for k in (2, 3):
        cells = _cells(np.diag(np.arange(3, 3 + k)))
        for metric in metrics_of(record, k):
            if not any(item.kind == "matrix" for item in record.parameters):
                found = metric.values(cells, "nan").value
                wanted = np.full_like(found, record.perfect)
                near(found, wanted, f"{metric} of a perfect prediction", 1e-12)


def relabelling_changes_nothing(record: Record) -> None:
    """Another order of the classes gives the same value, unless the order is the point."""
    for k in (3, 4):
        order = np.random.default_rng(k).permutation(k)
        tables = random_tables(k, 20)
        moved = tables[:, order][:, :, order]
        for metric in metrics_of(record, k):
            if metric.reads_order:
                continue
            found = metric.values(_cells(moved)).value
            wanted = metric.values(_cells(tables)).value
            near(found, wanted[:, order] if wanted.ndim == 2 else wanted, str(metric))


def text_names_the_metric(record: Record) -> None:
    """``parse(str(metric)) == metric``, and every alias finds its record."""
    for k in (2, 3):
        for metric in metrics_of(record, k):
            if metric.lift != "per_class" and parse(str(metric)) != metric:
                raise AssertionError(f"{metric} reads back as {parse(str(metric))}")
    for alias in record.aliases:
        params = ", ".join(
            f"{item.name}={[[0.0, 1.0], [1.0, 0.0]]}"
            for item in record.parameters
            if item.is_required
        )
        if parse(f"{alias}({params})").record is not record:
            raise AssertionError(f"{alias} is not {record.name}")


def every_mutant_dies(record: Record) -> None:
    """The golden cases tell every damaged copy of the formula from the formula."""
    alive = unlisted(record)
    if alive:
        raise AssertionError(
            f"{record.name}: its golden cases also pass for: {'; '.join(alive)}. Add a case with "
            "distinct non-zero cells, or list the identity that makes them equal."
        )


def record_is_complete(record: Record) -> None:
    """Summary, direction, range, source of each case, and the words for undefined."""
    low, high = record.range
    metric = next(metrics_of(record, 2))
    problems = {
        "the summary does not end with a full stop": record.summary[-1] not in ".:",
        "the range is empty": not low < high,
        "a case has no source": any(not golden.source for golden in record.cases),
        "`since` is missing": not record.since,
        "it can be undefined and has no words for it": metric.undefined_when
        and not record.undefined,
        "a parameter has no description": any(not item.text for item in record.parameters),
    }
    found = [problem for problem, is_so in problems.items() if is_so]
    if found:
        raise AssertionError(f"{record.name}: {'; '.join(found)}")
    # A formula that needs every cell cannot serve many classes: only a matrix parameter may.
    if needs_dense(metric.traced("zero").value) and not record.parameters:
        raise AssertionError(f"{record.name} sums over empty cells")


def sizes_of_classes_are_known(record: Record) -> None:
    """Scaled rows of a true class change a metric where it depends on the mix, and only there."""
    for k in (2, 3, 4):
        classes = Classes(tuple(range(k)), positive=1 if k == 2 else None)
        tables = np.random.default_rng(k).integers(3, 90, (40, k, k)).astype(np.float64)
        for metric in metrics_of(record, k):
            if metric.lift == "plain" and record.is_per_class and k > 2:
                continue
            found = metric.values(Cells.dense(tables, classes=classes)).value
            is_changed = False
            for label in range(k):
                factors = np.where(np.arange(k) == label, 3.0, 1.0)[:, None]
                other = metric.values(Cells.dense(tables * factors, classes=classes)).value
                is_changed |= not np.allclose(other, found, rtol=1e-9, atol=1e-12, equal_nan=True)
            wanted = metric.depends_on_mix(k)
            assert is_changed == wanted, f"{metric} of {k} classes: depends on their mix: {wanted}"


LAWS: Final[tuple[Callable[[Record], None], ...]] = (
    record_is_complete,
    golden_cases_hold,
    native_equals_interpreted,
    storages_agree,
    batch_equals_one_by_one,
    undefined_where_the_trace_says,
    counts_and_constants_are_declared,
    gradient_is_the_slope,
    value_lies_in_range,
    perfect_prediction_is_best,
    relabelling_changes_nothing,
    text_names_the_metric,
    sizes_of_classes_are_known,
    every_mutant_dies,
)
