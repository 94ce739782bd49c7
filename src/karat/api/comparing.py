"""`compare`: several models on one test set, or each on its own, metric by metric."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import replace
from typing import Any

from karat.api.arguments import confidence_required, is_frequency, refuse_without_judge
from karat.api.doubts import of_margins, of_scores, with_order_of_rows
from karat.api.fold_models import rows_with_folds, with_folds
from karat.api.model_arguments import ModelArguments, model_arguments
from karat.api.model_sources import ModelSource, sources_of_models
from karat.api.models import Compared, Models, models_given, models_of_rows
from karat.api.options import plain_text, positive_number
from karat.api.request.request import Request
from karat.api.request.verbs import verb
from karat.api.results import Comparison
from karat.api.set_models import (
    are_models_of_sets,
    compared_rows,
    models_of_sets,
    models_of_strata,
    set_models,
)
from karat.api.sources import columns_to_read, with_ids_of_repeats
from karat.data.checks import doubts_of_order
from karat.data.listing import checked_ids
from karat.data.pairing import Paired, pair_rows, pair_sets
from karat.data.roles import with_place
from karat.data.rows import Rows
from karat.data.sources.files.paths import names_files
from karat.data.sources.tables.rows import read_rows
from karat.data.sources.tables.values import doubts_of_values
from karat.data.table_sets import TableSets, beside_sets
from karat.errors import KaratError, error, short, shown
from karat.errors.doubts import Doubt, OrderOfRowsDoubt, UnusedColumnDoubt, doubt, only_doubts
from karat.errors.options import is_command_line
from karat.errors.together import Design, Kind, refusal, refuse
from karat.inference.comparison.best import BestModels, Contest
from karat.inference.comparison.judging import Adjustment, ComparisonSpec, judged, tested_at_once
from karat.metrics import Metric, get
from karat.metrics._lift import Policy
from karat.metrics.plan import requested
from karat.results.comparison import notes_of


@verb
def compare(request: Request) -> Comparison:
    """Compare models: which is better, by how much, and how certain.

    Models on the same rows are compared row by row, which shows differences that two separate
    intervals hide. A difference is a − b: of the models in the order given each later one against
    each earlier one, or each other one against `baseline`.

    Returns:
        A `Comparison`: ``print``, ``comparison["macro_f1"]``, ``.best("macro_f1")``,
        ``.differences``, ``.to_json()``.

    Errors:
        K161 to K166 models, baseline or margin cannot be used; K1xx the labels, scores or options
        cannot be; K3xx a metric name is wrong.

    Cost: one pass for each model, then the work is that of the distinct rows of predictions.

    Example:
        >>> import karat
        >>> truth = ["cat", "cat", "dog", "dog", "dog", "cat"] * 20
        >>> old = ["cat", "dog", "dog", "cat", "dog", "cat"] * 20
        >>> new = ["cat", "dog", "dog", "dog", "dog", "cat"] * 20
        >>> found = karat.compare(truth, {"old": old, "new": new})
        >>> print(found["accuracy"])
        accuracy: new − old = +0.1667 [+0.1106, +0.2435], p = 9.54e-07: better
    """
    refuse_without_judge(request)
    if request.judge is not None:
        return judged_comparison(request)
    with ExitStack() as cleanup:
        sources = sources_of_models(request, cleanup)
        if sources is not None:
            return compare_files(sources, request)[0]
    policy: Policy = request.undefined
    spec = comparison_spec(request)
    arguments = model_arguments(request)
    names, baseline, folds = arguments.names, request.baseline, request.folds
    if len(names) < 2:
        raise error("K161", found=f"There is one, {names[0]!r}" if names else "There is none")
    if baseline is not None and plain_text(baseline) not in names:
        raise error("K164", baseline=baseline, models=shown(names))
    if arguments.reports:
        refuse("compare", "reports", request.chosen)
    request, noted = _with_ids(request, arguments)
    models: Compared
    of_scored: list[Doubt] = noted
    if request.separator is not None or are_models_of_sets(arguments):
        refuse("compare", "sets", request.but(anytime=None).chosen)  # looks: once rows are read
        models = set_models(arguments, request)
    else:
        models = scored_models = models_given(arguments, request)
        scored = scored_models.scored
        # That of the order of rows is given below, with the names of the models.
        warnings = {
            name: [x for x in one.rows.warnings if not isinstance(x, OrderOfRowsDoubt)]
            for name, one in scored.items()
        }
        of_scored += _of_each(warnings)
        of_scored += [x for name, one in scored.items() for x in of_scores(one.rows, of=name)]
    doubts = [*_of_order(arguments, request), *of_scored]
    models = models.named(request.class_names)
    asked = request.metrics, request.margin
    whole = compare_models(models, spec, *asked, baseline, policy, doubts)
    if folds is not None:
        rows = rows_with_folds(arguments, request)
        whole = with_folds(whole, rows, policy, has_clusters=models.has_clusters)
    return _with_strata(whole, models, request.label_strata, spec, request.margin, policy)


def _with_ids(request: Request, arguments: ModelArguments) -> tuple[Request, list[Doubt]]:
    """The request, its clusters the ids of rows that several repeats test; and their doubts."""
    ids = request.id
    if ids is None:
        return request, []
    if arguments.trues:
        raise refusal("compare", "models on different rows", "id")
    if isinstance(ids, str):
        do = "Give one id for each row, or the table or its files first."
        raise error("K143", argument="ids", found=f"ids={ids!r} names a column", do=do)
    ids = checked_ids(ids, len(arguments.true))
    clusters, are_taken = with_ids_of_repeats(request.folds, request.clusters, ids)
    doubts = [] if are_taken else doubts_of_values(ids)
    return request.but(clusters=clusters), [
        *doubts,
        *doubts_of_order(arguments.true, "y_true", ids=ids),
    ]


def judged_comparison(request: Request) -> Comparison:
    """The comparison of a request with a judge's labels."""
    from karat.api.judged_models import judged_models_of_arrays, judged_options

    options = judged_options(request)
    models = judged_models_of_arrays(request, options).named(request.class_names)
    baseline = request.baseline
    if baseline is not None and plain_text(baseline) not in models.names:
        raise error("K164", baseline=baseline, models=shown(models.names))
    spec = comparison_spec(request)
    return compare_models(
        models, spec, request.metrics, request.margin, baseline, policy=options.policy
    )


def _with_strata(
    whole: Comparison,
    found: Compared,
    label_strata: Any,
    spec: ComparisonSpec,
    margin: Any,
    policy: Policy,
) -> Comparison:
    """The comparison, and that of each stratum of labels where there are any."""
    if label_strata is None:
        return whole
    strata = {}
    for name, part in models_of_strata(found, label_strata).items():
        strata[name] = compare_models(part, spec, whole.metrics, margin, whole.baseline, policy)
    return replace(whole, strata=strata)


def compare_models(
    found: Compared,
    spec: ComparisonSpec,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    margin: Any = None,
    baseline: str | None = None,
    policy: Policy = "zero",
    doubts: Iterable[Doubt] = (),
) -> Comparison:
    """The comparison of models whose rows were read; `metrics` to `baseline` as of `compare`.

    Args:
        doubts: those about the rows.
    """
    if isinstance(metrics, str) and metrics == "all":
        metrics = found.every()
    wanted = found.defaults() if metrics is None else list(dict.fromkeys(requested(metrics)))
    if not wanted:
        raise error("K310", found="metrics= names no metric")
    found.check(wanted)
    margins = _margins(margin, [str(metric) for metric in wanted], found.classes.k)
    found.check_labels()
    places = range(len(found.names))
    pairs = [(a, b) for b in places for a in places if a > b]
    if baseline is not None:
        first = found.names.index(baseline)
        pairs = [(a, first) for a in places if a != first]
    spec = replace(spec, margin=margins, pairs=tuple(pairs))
    if spec.look is not None:
        spec = spec.at(_units_of_looks(found))
    measured = found.measured(wanted, spec, policy)
    values = {str(part.metric): each for part, each in measured}
    differences = [one for part, _ in measured for one in judged(part, found.names, spec)]
    is_at_looks = spec.look is not None
    if is_at_looks:
        for name, each in values.items():
            values[name] = {m: replace(x, level=spec.shown_level) for m, x in each.items()}
    of_one_look = [] if is_at_looks else measured
    tests = {str(part.metric): tested_at_once(part) for part, _ in of_one_look}
    contests = {str(part.metric): Contest.of(part, each) for part, each in measured}
    return Comparison(
        found.names,
        tuple(map(str, wanted)),
        differences,
        values,
        {name: test for name, test in tests.items() if test is not None},
        found.classes,
        found.n,
        spec.shown_level,
        spec.adjust,
        baseline,
        found.is_paired,
        (
            *found.doubts(),
            *doubts,
            *of_margins(margins, found.classes.k),
            *found.doubts_of(wanted, values, {name: name for name in found.names}),
            *notes_of(differences, spec, found.is_paired, len(found.names), found.has_clusters),
        ),
        BestModels(contests, spec.level, spec.seed),
        found.flip_source,
        found.is_of_sets,
        found.label_source(spec, policy),
        anytime=None if spec.look is None else spec.look.anytime,
    )


def _units_of_looks(found: Compared) -> float:
    """Number of rows, or of clusters, of models that are compared at every look (K238)."""
    if isinstance(found, Models) and found.is_paired:
        return found.n_units
    beside: Kind | Design = "sets" if found.is_of_sets else "models on different rows"
    raise refusal("compare", beside, "anytime")


def _of_order(arguments: ModelArguments, request: Request) -> Iterator[Doubt]:
    """The doubts that rows of arguments are in another order than those of the truth."""
    of_all = {"weights": request.weights, "clusters": request.clusters}
    each = [("y_pred", name, values) for name, values in arguments.predicted.items()]
    each += [(argument, name, values) for name, (argument, values) in arguments.scores.items()]
    if not arguments.trues:
        named = {f"{argument}[{name!r}]": values for argument, name, values in each}
        yield from doubts_of_order(arguments.true, "y_true", **named, **of_all, folds=request.folds)
        return
    for argument, name, values in each:
        of_model = {f"{what}[{name!r}]": x[name] for what, x in of_all.items() if x is not None}
        own = {f"{argument}[{name!r}]": values, **of_model}
        yield from doubts_of_order(arguments.trues[name], f"y_true[{name!r}]", **own)


def _of_files(models: Sequence[Rows | TableSets]) -> list[Doubt]:
    """The doubts about the files of each model."""
    return _of_each({rows.name: rows.warnings for rows in models})


def _of_one_source(origins: Mapping[tuple[str, str], Sequence[str]]) -> Iterator[Doubt]:
    """Iterate over the doubt that models are the same columns of the same files.

    Args:
        origins: files, and columns by role, both as text → models.
    """
    columns = "for models that are columns of one table, give a list of their names as y_pred="
    if is_command_line():
        columns = "for models that are columns of one file, karat compare FILE --pred OLD,NEW "
        columns += "writes the command"
    for (source, _), names in origins.items():
        if len(names) > 1:
            yield doubt("D162", models=shown(names), source=source, columns=columns)


def _of_each(warnings: Mapping[str, Iterable[str]]) -> list[Doubt]:
    """The doubts among the warnings of each model; one that all models share stands once."""
    found = {name: only_doubts(each) for name, each in warnings.items()}
    of_all = [
        one
        for one in next(iter(found.values()), [])
        if all(_is_among(one, others) for others in found.values())
    ]
    return of_all + [
        one.within(name) for name, own in found.items() for one in own if not _is_among(one, of_all)
    ]


def _is_among(one: Doubt, doubts: Sequence[Doubt]) -> bool:
    """True if a doubt is among others; one about an unused column, whichever are used."""
    if not isinstance(one, UnusedColumnDoubt):
        return one in doubts
    return any(type(other) is type(one) and other.noticed == one.noticed for other in doubts)


def compare_files(
    sources: Mapping[str, Any],
    request: Request,
    *,
    is_against_first: bool = False,
    bar: Callable[[], AbstractContextManager[Any]] = nullcontext,
    read: Callable[[str, Rows | TableSets], None] = lambda name, rows: None,
) -> tuple[Comparison, Paired[Any]]:
    """The comparison of models whose predictions are files, and their rows as they were matched.

    Args:
        sources: files by the name of their model.
        request: the columns of each role, how rows are read, and what is compared.
        is_against_first: whether the others are compared with the first model alone.
        bar: opens the progress bar of one read.
        read: receives the name and the rows of each model, once they are read.
    """
    spec, policy = comparison_spec(request), request.undefined
    metrics, margin = request.metrics, request.margin
    rows: list[Rows] = []
    sets: list[TableSets] = []
    origins: dict[tuple[str, str], list[str]] = {}
    for name, source in sources.items():
        model = source if isinstance(source, ModelSource) else ModelSource.of(source, request)
        columns = columns_to_read(model.request)
        try:
            with bar() as progress:
                found_rows = read_rows(model.source, name, replace(columns, progress=progress))
        except KaratError as problem:
            if model.is_shared:
                raise
            raise with_place(problem, name) from None
        if isinstance(found_rows, TableSets):
            sets.append(found_rows)
        else:
            named: dict[str, Any] = dict(columns.scores.items())
            found_rows = with_order_of_rows(found_rows, named, columns.labels)
            rows.append(found_rows)
        read(name, found_rows)
        if rows and sets:
            raise beside_sets(rows[0].name, sets[0].name)
        if names_files(model.source):
            origin = repr(model.source), repr(sorted(found_rows.mapping.items()))
            origins.setdefault(origin, []).append(name)
    names = list(sources)
    if len(names) < 2:
        raise error("K161", found=f"There is one, {names[0]!r}" if names else "There is none")
    if request.baseline is not None and plain_text(request.baseline) not in names:
        raise error("K164", baseline=request.baseline, models=shown(names))
    baseline = names[0] if is_against_first else request.baseline
    if sets:
        refuse("compare", "sets", request.but(anytime=None).chosen)  # looks: once rows are read
        pairs = pair_sets(sets, allow_mismatch=request.allow_mismatch)
        found: Compared = models_of_sets(
            names, compared_rows(pairs.models), is_paired=request.paired
        ).named(request.class_names)
        of_sets = [*_of_files(pairs.models), *_of_one_source(origins)]
        whole = compare_models(found, spec, metrics, margin, baseline, policy, of_sets)
        label_strata = request.label_strata
        if label_strata is not None and request.labels_are_text:
            label_of = {str(label): label for label in found.classes.labels}
            label_strata = {
                name: [label_of.get(str(text), text) for text in texts]
                for name, texts in label_strata.items()
            }
        return _with_strata(whole, found, label_strata, spec, margin, policy), pairs
    matched = pair_rows(rows, allow_mismatch=request.allow_mismatch)
    rows = list(matched.models)
    doubts = [*_of_files(rows), *_of_one_source(origins)]
    doubts += (x for one in rows for x in of_scores(one, of=one.name))
    if metrics is None or metrics == "all":
        needs_scores = all(one.scores is not None for one in rows)
    else:
        needs_scores = any(metric.needs_scores for metric in requested(metrics))
    if not needs_scores:
        # Models are compared by their labels where only some have scores.
        rows = [one if one.pred is None else replace(one, scores=None) for one in rows]
    found = models_of_rows(
        names, rows, request.n_threads, is_paired=request.paired, is_frequency=is_frequency(request)
    ).named(request.class_names)
    whole = compare_models(found, spec, metrics, margin, baseline, policy, doubts)
    if any(one.folds is not None for one in rows):
        whole = with_folds(whole, rows, policy, has_clusters=found.has_clusters)
    return _with_strata(whole, found, request.label_strata, spec, margin, policy), matched


def comparison_spec(request: Request) -> ComparisonSpec:
    """The choices of a comparison (K122); its margins and pairs are added later."""
    do = "A difference counts where its p-value is below 1 − level."
    confidence = confidence_required(request.level, do, seed=request.seed, anytime=request.anytime)
    chosen: Adjustment = request.adjust
    if confidence.anytime is not None:
        refuse("compare", "looks", {"adjust": chosen})
    look = None if confidence.anytime is None else confidence
    n = request.n_permutations
    return ComparisonSpec(confidence.level, chosen, {}, (), confidence.seed, n, look)


def _margins(margin: Any, names: Sequence[str], k: int) -> dict[str, float]:
    """The margin of each of the metrics that has one: a number above 0 (K165)."""
    if margin is None:
        return {}
    if not isinstance(margin, Mapping):
        return {name: _margin("margin", margin, get(name).with_classes(k)) for name in names}
    margins: dict[str, float] = {}
    for key, number in margin.items():
        name = str(get(key))
        if name not in names:
            raise error("K165", found=f"{name} is not compared; {shown(names)} are")
        margins[name] = _margin(f"margin[{name!r}]", number, get(key).with_classes(k))
    return margins


def _margin(argument: str, number: Any, metric: Metric) -> float:
    found = positive_number(number)
    if found is None:
        raise error("K165", found=f"{argument} is {short(number)}")
    low, high = metric.range
    if found >= high - low:
        raise error(
            "K165",
            found=f"{argument} is {short(number)}, which no difference can reach: {metric} lies "
            f"between {low:g} and {high:g}",
        )
    return found
