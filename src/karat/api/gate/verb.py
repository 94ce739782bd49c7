"""`gate`: whether predictions are good enough, and no worse than before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from karat.api.arguments import confidence_required
from karat.api.forms import attach_forms
from karat.api.gate.class_sides import ClassSettings, class_evaluation
from karat.api.gate.evaluation import Evaluation
from karat.api.gate.rows import (
    SideOfSets,
    are_sets_of,
    baseline_of,
    baseline_of_sets,
    current_rows,
    current_sets,
    named_slices,
    rule_of_rows,
    with_one_column,
)
from karat.api.gate.set_sides import DEFAULTS, set_evaluation
from karat.api.gate.spec import GateSpec
from karat.api.options import unknown_choice
from karat.api.request.request import Request
from karat.api.request.verbs import verb
from karat.api.results import ClassReport
from karat.data.rows import Rows
from karat.data.slices.codes import name_of
from karat.data.table_sets import TableSets
from karat.errors import error
from karat.errors.options import is_command_line, option
from karat.errors.together import refuse
from karat.metrics.headlines import OF_RANKED_SETS, OF_RANKS
from karat.results.gate.result import GateResult
from karat.results.gate.verdicts import Rule, default_rules, example_rule, judged, refused, rules_of
from karat.results.roles import by_name
from karat.tally.writing import write_text

attach_forms(GateResult)


@verb
def gate(request: Request) -> GateResult:
    """Check whether predictions are good enough, and no worse than those of an earlier model.

    The verdict is ``"FAIL"`` where a rule fails, ``"INCONCLUSIVE"`` where the rows do not decide
    one, else ``"PASS"``; the result is true where it is ``"PASS"``. Without a rule and a baseline
    there is no verdict: `GateResult.save_baseline` writes the first baseline.

    Returns:
        A `GateResult`: true where it passed; ``.verdict``, ``.rules``, ``.exit_code``, ``print``.

    Errors:
        K171 to K175 rows that cannot be matched; K176 rules that cannot be; K189 a baseline without
        these slices; K205, K206 a damaged baseline; K3xx no such metric; K413 the baseline
        cannot be written; else as `karat.evaluate`.

    Example:
        >>> import karat
        >>> truth = ["cat", "dog", "dog", "cat"] * 25
        >>> predicted = ["cat", "dog", "cat", "cat"] * 25
        >>> print(karat.gate(truth, predicted, positive="dog", min={"accuracy": 0.7}))
        karat gate  PASS: 1 of 1 rule passed
          PASS          accuracy ≥ 0.7: 0.75 [0.657, 0.8245], n = 100
    """
    return gated(request)


def gated(request: Request) -> GateResult:
    """The gate of a request."""
    request = with_one_column(request)
    rules = rules_of(
        min=request.min,
        max=request.max,
        max_drop=request.max_drop,
        no_worse_than=request.no_worse_than,
    )
    spec, baseline = _spec(request), request.baseline
    needing = next((rule for rule in rules if rule.needs_baseline), None)
    if needing is not None and baseline is None:
        bounds = f"{option('min')}, {option('max')}"
        do = f"Give {option('baseline')}, or bounds of the value: {bounds}."
        raise refused(f"The rule {needing.text!r} needs a baseline", do)
    target = None if request.update_baseline is None else _target(request.update_baseline)
    if is_command_line() and not rules and baseline is None and target is None:
        raise refused("There is no rule and no baseline", _give_a_rule())
    name = _name(baseline, "the baseline")
    current = _current(request)
    if baseline is not None and needing is None:
        rules = [*rules, *_default_rules(current)]
    evaluation = _evaluation(request, rules, spec, current, name)
    cases, looks = evaluation.cases(), _of_looks(spec)
    result = GateResult(
        judged(
            cases,
            level=spec.level,
            evidence=spec.evidence,
            adjust=spec.adjust,
            inconclusive=spec.inconclusive,
        ),
        evaluation.current.n,
        spec.level,
        spec.adjust,
        None if baseline is None else name,
        evaluation.is_paired,
        (*evaluation.doubts_and_notes(), *looks),
        spec.inconclusive,
        spec.warn_only,
        None if evaluation.mapping is None else by_name(evaluation.mapping),
        not isinstance(current, Rows | ClassReport),
        anytime=spec.anytime,
        writer=partial(_written, evaluation, looks),
    )
    if target is None:
        return result
    if result.why_not is not None:
        note = f"{target} was not written: {result.why_not}."
        return replace(result, notes=(*result.notes, note))
    return result.save_baseline(target)


def _give_a_rule() -> str:
    *kinds, last = (option(kind) for kind in ("min", "max", "max_drop", "no_worse_than"))
    rule = option("min", example_rule("min"))
    return (
        f"Give a rule, such as {rule} ({', '.join(kinds)} or {last}), or "
        f"{option('baseline')} alone. {option('update_baseline')} writes the first baseline."
    )


def _written(
    evaluation: Evaluation, looks: Sequence[str], path: str | PathLike[str]
) -> tuple[str, tuple[str, ...]]:
    """Write the next baseline; its path, and the notes of the gate after that (K122, K413)."""
    target = _target(path)
    _write(target, evaluation.baseline_text() + "\n")
    return target, (*evaluation.doubts_and_notes(), *looks)


def _of_looks(spec: GateSpec) -> list[str]:
    """Sentence on the looks that limits and p-values hold at; none for one look."""
    looks = spec.confidence.looks
    return [f"{looks[0].upper()}{looks[1:]}; p-values too."] if looks else []


def _current(request: Request) -> Rows | ClassReport | SideOfSets:
    """The rows that are to pass, or their report."""
    if request.by is not None:
        refuse("gate", "slices", request.chosen)
    if isinstance(request.y_true, ClassReport):
        refuse("gate", "a report", request.chosen)
        return request.y_true
    if are_sets_of(request):
        return current_sets(request)
    return current_rows(request, _name(request.y_true, "the predictions"))


def _default_rules(current: Rows | ClassReport | SideOfSets) -> list[Rule]:
    """The rules of a baseline where none compares with it: of rankings where these are all."""
    if isinstance(current, Rows | ClassReport):
        return default_rules() if current.has_predictions else default_rules([OF_RANKS])
    sets = current.rows if isinstance(current, TableSets) else current
    return default_rules(DEFAULTS if sets.has_predictions else [OF_RANKED_SETS])


def _evaluation(
    request: Request,
    rules: Sequence[Rule],
    spec: GateSpec,
    current: Rows | ClassReport | SideOfSets,
    name: str,
) -> Evaluation:
    """The rules on rows or a report, and the earlier model."""
    baseline = request.baseline
    if not isinstance(current, Rows | ClassReport):
        refuse("gate", "sets", request.chosen)
        sets = None if baseline is None else baseline_of_sets(request, baseline, name, current)
        return set_evaluation(rules, current, sets, spec, name)
    slice_name, by = named_slices(request.by)
    before = None if baseline is None else baseline_of(request, baseline, name)
    settings = ClassSettings(
        spec,
        name,
        name_of(by, slice_name),
        {} if isinstance(current, ClassReport) else rule_of_rows(request, current),
        names_weights=not request.has_data or request.weights is not None,
        has_folds=request.folds is not None,
    )
    return class_evaluation(rules, current, before, settings)


def _name(source: Any, otherwise: str) -> str:
    return fspath(source) if isinstance(source, str | PathLike) else otherwise


def _spec(request: Request) -> GateSpec:
    """The choices of a gate, beside its rules (K122, K176)."""
    do = "A gate needs intervals to tell a drop from chance."
    confidence = confidence_required(request.level, do, anytime=request.anytime)
    return GateSpec(
        # A value passes and fails by chance at some run; limits of every run do not.
        request.evidence if confidence.anytime is None else "low",
        confidence.level,
        request.adjust,
        request.min_n,
        request.undefined,
        request.allow_mismatch,
        request.inconclusive,
        request.warn_only,
        bool(request.keep_rows),
        confidence.anytime,
    )


def _target(path: Any) -> str:
    """The file of the next baseline, checked before the rows are read (K122, K413)."""
    if not isinstance(path, str | PathLike):
        do = "The baseline is written there."
        raise unknown_choice("path", path, "the path of a file", do)
    target = fspath(path)
    if not Path(target).absolute().parent.is_dir():
        raise error("K413", path=target, found="there is no such folder")
    return target


def _write(path: str, text: str) -> None:
    try:
        write_text(path, text)
    except (OSError, ValueError) as problem:  # a name may hold what no file system takes
        found = getattr(problem, "strerror", None) or str(problem)
        raise error("K413", path=path, found=found[:1].lower() + found[1:]) from None
