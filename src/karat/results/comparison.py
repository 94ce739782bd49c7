"""`Comparison`: what `karat.compare` returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Self

from karat._version import __version__
from karat.errors import error, shown
from karat.errors.doubts import Doubt, only_doubts
from karat.inference.comparison.best import BestModels
from karat.inference.comparison.records import BestModel, Difference, Flips, ModelValue, Omnibus
from karat.inference.comparison.set_labels import LabelDifference
from karat.inference.confidence import of_looks
from karat.metrics import Metric, get
from karat.results.named_values import NamedValues, only_pair
from karat.results.result import JsonDocument
from karat.tally import Classes

if TYPE_CHECKING:
    from karat.inference.comparison.judging import ComparisonSpec
    from karat.results.fold_differences import FoldDifferences

_SCOPE: Final = (
    "Intervals and p-values are about the sample of test rows. They do not include the variation "
    "of another training, another split or folds of one data set."
)
_BEST: Final = (
    "The best of several models looks better than it is on the rows that chose it. Measure it "
    "again on fresh rows."
)
_DETECTABLE: Final = (
    "Detectable: the smallest true difference that a test on as many rows detects in 80 % of "
    "samples."
)

EXPLANATIONS: Final = frozenset({_SCOPE, _BEST, _DETECTABLE})
"""Notes that explain tables, which a short text replaces by their titles."""


@dataclass(frozen=True, eq=False)
class Comparison(JsonDocument):
    """Differences of models, as data; `karat.Comparison` lists the attributes, and shows them."""

    models: tuple[str, ...]
    """Names of the models, in the order given."""
    metrics: tuple[str, ...]
    """Canonical names, in the order given."""
    differences: list[Difference]
    """Every metric and pair of models."""
    values: Mapping[str, Mapping[str, ModelValue]]
    """Metric → model → its value, with its interval."""
    omnibus: Mapping[str, Omnibus]
    """Metric → the test that all models are equal, for three models or more."""
    classes: Classes
    """The classes."""
    n: Mapping[str, int]
    """Model → rows."""
    level: float
    """Confidence level of the intervals, and 1 − the error rate of the tests."""
    adjust: str
    """Adjustment of p-values for multiple pairs: ``"holm"``, ``"maxt"`` or ``"none"``."""
    baseline: str | None
    """The model that the others are compared with, or None."""
    is_paired: bool
    """True if the models are measured on the same rows."""
    notes: tuple[str, ...]
    """Sentences for the reader."""
    best_models: BestModels = field(repr=False)
    """Data that `best` reads."""
    flip_source: Callable[[str, str], Flips] | None = field(default=None, repr=False)
    is_of_sets: bool = False
    """True if rows have sets of labels."""
    label_source: Callable[[Metric, str, str], list[LabelDifference]] | None = field(
        default=None, repr=False
    )
    """Data that `per_label` reads."""
    strata: Mapping[str, Self] = field(default_factory=dict)
    """Stratum of labels → the same comparison for these labels alone."""
    anytime: int | None = None
    """Planned number of rows of intervals and p-values that hold at every look, or None."""
    kept_folds: FoldDifferences | None = field(default=None, repr=False)
    """Differences over folds, with ``design=karat.Folds``; read them as `folds`."""

    def __post_init__(self) -> None:
        values = {metric: NamedValues(each) for metric, each in self.values.items()}
        object.__setattr__(self, "values", NamedValues(values, are_metrics=True))

    @property
    def folds(self) -> FoldDifferences:
        """Differences over folds: ``found.folds["accuracy"]``, or with both models.

        The difference of all test rows, ``found["accuracy"]``, is about these models. The mean
        over folds is about models of other training sets, too.

        Errors:
            K250 without ``design=karat.Folds``.
        """
        if self.kept_folds is None:
            do = "Give design=karat.Folds(…) to karat.compare: the fold of each row."
            raise error("K250", found="The comparison has no folds", do=do)
        return self.kept_folds

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """Unusual properties of the input, each with the option that settles it."""
        return only_doubts(self.notes)

    @property
    def shown_level(self) -> str:
        """Level of the intervals as text: ``"95 %"``, ``"95 % anytime"``."""
        return f"{100 * self.level:g} %{'' if self.anytime is None else ' anytime'}"

    def __getitem__(self, key: str | Metric | tuple[str | Metric, str, str]) -> Difference:
        """The difference a − b of two models in a metric; by a metric alone, of the only pair.

        Errors:
            K301 no such metric; K168 it was not compared, or the models were not, or there are
            several pairs and none is named.
        """
        name, *pair = key if isinstance(key, tuple) else (key,)
        metric = str(get(name))
        of_metric = [one for one in self.differences if one.metric == metric]
        if not of_metric:
            raise error("K168", what=metric, known=shown(self.metrics))
        if not pair:
            return only_pair(metric, of_metric)
        for one in of_metric:
            if (one.a, one.b) == tuple(pair):
                return one
            if (one.b, one.a) == tuple(pair):
                return one.turned()
        known = shown([f"{one.a} − {one.b}" for one in of_metric])
        raise error("K168", what=" − ".join(map(str, pair)), known=known)

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.differences)

    def __len__(self) -> int:
        return len(self.differences)

    def best(self, metric: str | Metric) -> BestModel:
        """The best model by a metric, with its value corrected for having been chosen as the best.

        Two models can be asked for too; what is shown and written lists it of three or more.

        Args:
            metric: one that was compared, by its name, an alias or as a `Metric`.

        Returns:
            A record with ``model``, ``value`` as measured, ``corrected``, ``low``, ``high``,
            ``level``, ``n_models``, ``method`` and ``remark``. ``corrected`` and both limits are
            None where ``remark`` says why they are not known.

        Errors:
            K301 no such metric; K168 it was not compared; K238 the comparison is for every look.

        Cost: some 10 ms of five models, 0.1 s of 100 or more, when a metric is first asked for;
            nothing that grows with the rows.

        Example:
            >>> import karat
            >>> truth = [0, 1, 1, 0, 1] * 30
            >>> models = {"a": [0, 1, 1, 0, 0] * 30, "b": [0, 1, 1, 1, 0, 0, 1, 0, 0, 1] * 15}
            >>> print(karat.compare(truth, {**models, "c": [1, 1, 1, 0, 0] * 30}).best("accuracy"))
            Best of 3 by accuracy: a 0.8000; corrected for selection 0.7998 [0.7289, 0.8562]
        """
        name = str(get(metric))
        if name not in self.metrics:
            raise error("K168", what=name, known=shown(self.metrics))
        if self.anytime is not None:
            found = "The correction for choosing the best of several models holds for one look"
            raise error("K238", found=found, do="Compare on new rows without karat.Looks.")
        return self.best_models(name)

    @property
    def best_of_several(self) -> Mapping[str, BestModel]:
        """Metric → `best`, of three models or more; empty of two, and with `anytime`."""
        has_best = len(self.models) > 2 and self.anytime is None
        return {name: self.best(name) for name in self.metrics} if has_best else {}

    @property
    def flips(self) -> Mapping[tuple[str, str], Flips]:
        """Pair (a, b) → rows on which one of them alone is right, with both predictions.

        Empty where the models were not measured on the same rows.
        """
        if self.flip_source is None:
            return {}
        pairs = dict.fromkeys((one.a, one.b) for one in self.differences)
        return {(a, b): self.flip_source(a, b) for a, b in pairs}

    def per_label(
        self, metric: str | Metric = "f1", a: str | None = None, b: str | None = None
    ) -> list[LabelDifference]:
        """The difference a − b in every label of rows with sets, for all labels at once.

        Args:
            metric: of one label, as ``"f1"`` or ``"recall"``.
            a, b: two models; by default those of the first pair.

        Returns:
            In the order of the labels, records with ``label``, both values, ``difference``, limits
            alone and simultaneous, ``p``, ``p_adjusted``, and ``q`` (false discoveries).

        Errors:
            K166 rows have one class each, or models rows of their own; K168 no such pair; K301 no
            such metric; K219 sets do not have it.

        Cost: replicates × rows in which the models differ × labels, some seconds at most.

        Example:
            >>> import karat
            >>> truth = [{"cat"}, {"dog"}, {"cat", "dog"}] * 20
            >>> models = {"old": [{"cat"}, {"dog"}, {"cat"}] * 20, "new": truth}
            >>> found = karat.compare(truth, models).per_label("recall")
            >>> [(one.label, one.difference) for one in found]
            [('cat', 0.0), ('dog', 0.5)]
        """
        wanted = get(metric)
        if self.label_source is None:
            found = "Rows have one class each" if not self.is_of_sets else "Models have other rows"
            do = "Compare models of rows with sets of labels, on the same rows."
            raise error("K166", metric="per_label", found=found, do=do)
        first = self.differences[0]
        pair = (first.a if a is None else a, first.b if b is None else b)
        if pair[0] == pair[1] or not {*pair} <= {*self.models}:
            what = " − ".join(map(str, pair))
            raise error("K168", what=what, known=shown(self.models))
        return self.label_source(wanted, *pair)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON types, in the schema ``karat.comparison/3``."""
        strata = {name: one.to_dict() for name, one in self.strata.items()}
        folds = self.kept_folds
        return {
            **({"strata": strata} if strata else {}),
            **({} if folds is None else {"folds": [one.to_dict() for one in folds.differences]}),
            "schema": "karat.comparison/3",
            "karat": __version__,
            "models": list(self.models),
            "labels": list(self.classes.labels),
            "n": dict(self.n),
            "level": self.level,
            **of_looks(self.anytime),
            "adjust": self.adjust,
            "baseline": self.baseline,
            "paired": self.is_paired,
            "values": {
                metric: {model: found.to_dict() for model, found in each.items()}
                for metric, each in self.values.items()
            },
            "differences": [one.to_dict() for one in self.differences],
            "omnibus": {metric: found.to_dict() for metric, found in self.omnibus.items()},
            "best": {metric: found.to_dict() for metric, found in self.best_of_several.items()},
            "doubts": [one.to_dict() for one in self.doubts],
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        return f"<karat.Comparison: {shown(self.models)} in {len(self.metrics)} metrics>"


def notes_of(
    differences: Sequence[Difference],
    spec: ComparisonSpec,
    is_paired: bool,
    n_models: int,
    has_clusters: bool,
) -> tuple[str, ...]:
    """Return sentences on scope, pairing, adjustment and the meaning of the columns."""
    notes = [_SCOPE]
    unpaired = "Unpaired: the models are treated as independent, which needs more rows."
    notes.append("Paired: models are compared row by row." if is_paired else unpaired)
    if has_clusters:
        notes.append("Rows of a cluster count together.")
    n_pairs = len(spec.pairs)
    if n_pairs > 1 and spec.adjust == "holm":
        adjusted = f"p is adjusted for the {n_pairs} pairs of each metric (Holm)"
        notes.append(f"{adjusted}; the intervals are not.")
    elif n_pairs > 1 and spec.adjust == "maxt":
        notes.append(f"p and the intervals hold for the {n_pairs} pairs of each metric at once.")
    elif n_pairs > 1:
        notes.append(f"p is not adjusted, though there are {n_pairs} pairs.")
    if spec.look is not None:
        notes.append(f"{spec.look.looks.capitalize()}; p-values too.")
    elif n_models > 2:
        notes.append(_BEST)
    if spec.margin:
        alpha = spec.error_rate
        interval = f"the {100 * max(1 - 2 * alpha, 0):g} % interval"
        notes.append(f"Equivalent: {interval} lies inside the margin (two one-sided tests).")
    by_method: dict[str, list[str]] = {}
    for one in differences:
        if one.method:
            by_method.setdefault(one.method, []).append(one.metric)
    for method, metrics in by_method.items():
        notes.append(f"{method}: {', '.join(dict.fromkeys(metrics))}.")
    notes.append(_DETECTABLE)
    return tuple(notes)
