"""`JudgedReport` as data: metrics from few gold labels and a judge's labels for every row."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Self

from karat.errors import error, shown
from karat.errors.doubts import Doubt, only_doubts
from karat.inference.json_record import JsonRecord, json_value
from karat.metrics import Metric, get
from karat.metrics._applies import check_applies
from karat.metrics._registry import find
from karat.results.named import keys_of
from karat.results.parts import why_missing
from karat.results.result import JsonDocument, Result, Results
from karat.tally import Classes
from karat.tally.cached import cached_property

if TYPE_CHECKING:
    from karat.results.report import ClassReport


IN_JSON: Final = (
    *("name", "value", "low", "high", "level", "method", "standard_error", "judge_weight"),
    *("n_effective", "n_gold", "gold_value", "gold_low", "gold_high", "judge_value", "remark"),
)
"""Fields of an estimate in JSON; the others are those of the gold rows."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class JudgedResult(Result):
    """One metric from gold labels and a judge's; `karat.api.judging` lists the attributes."""

    judge_weight: float
    n_effective: float
    n_gold: int
    gold_value: float
    gold_low: float | None
    gold_high: float | None
    judge_value: float

    @classmethod
    def beside(cls, gold: Result, n_rows: int, **numbers: Any) -> Self:
        """Return the estimate of a metric whose result on the gold rows is known."""
        undefined = gold.undefined
        if undefined is None and not math.isfinite(numbers["value"]):
            undefined = "the estimate from the gold labels and the judge's is not finite"
        return cls(
            name=gold.name,
            n=n_rows,
            undefined=undefined,
            definition=gold.definition,
            range=gold.range,
            better=gold.better,
            signature=gold.signature,
            **numbers,
        )

    def __str__(self) -> str:
        text = f"{self.name} {self.value:.6g}"
        if self.low is not None and self.high is not None:
            text += f" [{self.low:.6g}, {self.high:.6g}]"
        alone = f"{self.gold_value:.6g}"
        if self.gold_low is not None and self.gold_high is not None:
            alone += f" [{self.gold_low:.6g}, {self.gold_high:.6g}]"
        reason = f" (undefined: {self.undefined})" if self.undefined else ""
        return f"{text}; gold alone {alone}{reason}"

    def __repr__(self) -> str:
        return f"<karat.JudgedResult: {self}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the estimate as JSON types; null for numbers that are not finite."""
        return {name: json_value(getattr(self, name)) for name in IN_JSON}


@dataclass(frozen=True, slots=True)
class JudgedShare(JsonRecord):
    """Proportion of one class.

    Attributes:
        label: the class.
        name: its display name.
        value, low, high: the prediction-powered proportion, with its interval.
        judge_weight: λ of PPI++.
        n_effective: number of gold labels that would give as narrow an interval without a judge.
        gold_value, gold_low, gold_high: the proportion among the gold rows.
        judge_value: the proportion by the judge's labels alone.
        corrected, corrected_low, corrected_high: the judge's proportion corrected by its confusion
            (Rogan–Gladen), with its interval; None where that is not known.
        remark: why there is no corrected proportion, or None.
    """

    label: str | int | bool
    name: str
    value: float
    low: float
    high: float
    judge_weight: float
    n_effective: float
    gold_value: float
    gold_low: float
    gold_high: float
    judge_value: float
    corrected: float | None
    corrected_low: float | None
    corrected_high: float | None
    remark: str | None = None

    @property
    def method(self) -> str:
        """That of `value` and its limits."""
        return "prediction-powered"

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True, eq=False)
class JudgedReport(JsonDocument):
    """Metrics from gold labels and a judge's; `karat.JudgedReport` lists the attributes."""

    classes: Classes
    """The classes."""
    n_rows: int
    """Rows, each with a judge's label."""
    n_gold: int
    """Rows with a gold label."""
    level: float
    """Confidence level of the intervals."""
    shares: tuple[JudgedShare, ...]
    """Proportion of each class."""
    judge: ClassReport
    """The judge against the gold labels, on the gold rows."""
    gold: ClassReport | None
    """The predictions on the gold rows alone; None without predictions."""
    listed: Mapping[str, Metric]
    """Metrics by name."""
    make: Callable[[Metric], JudgedResult] = field(repr=False)
    """Function that estimates one metric."""
    mapping: Mapping[str, Any] = field(default_factory=dict)
    """Column of each role, if the rows come from a table."""
    source: Mapping[str, Any] = field(default_factory=dict)
    """Facts about the origin of the rows."""
    warnings: tuple[str, ...] = ()
    """Sentences for the reader."""
    requested: tuple[Metric, ...] | None = None
    """The requested metrics, or None for all."""
    is_clustered: bool = False
    """True if intervals account for clusters."""
    has_gold_weights: bool = False
    """True if gold rows were chosen with known probabilities."""

    @cached_property
    def metrics(self) -> Mapping[str, JudgedResult]:
        """Every listed metric by name; empty without predictions."""
        return Results(self.listed, self.make, self.__getitem__)

    @property
    def labels(self) -> tuple[str | int | bool, ...]:
        """The class labels in order."""
        return self.classes.labels

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """Unusual properties of the input, each with the option that settles it."""
        return only_doubts(self.warnings)

    def __getitem__(self, name: str | Metric) -> JudgedResult:
        """The estimate of a metric, by any of its names; of labels also one that is not listed.

        Errors:
            K301 no such metric; K247 there is no estimate of it with a judge; K194, K307 a plain
            name where no class is positive.
        """
        metric = get(name)
        if str(metric) in self.listed:
            return self.metrics[str(metric)]
        if self.gold is not None and not metric.needs_scores:
            check_applies(metric, self.classes, ())
            return self.make(metric)
        found = "There are no predictions"
        do = "Give y_pred=; of verdicts, read report.shares, and plan prevalence (rows_needed)."
        if self.gold is not None:
            found, do = "It was not estimated", f"There are {shown(self.listed)}."
        raise error("K247", name=str(metric), found=found, do=do)

    def __getattr__(self, name: str) -> JudgedResult:
        if (reason := why_missing(self, name)) is not None:
            raise AttributeError(reason)
        if name.startswith("_") or find(name) is None:
            raise AttributeError(f"A judged report has neither an attribute nor a metric {name!r}.")
        return self[name]

    def _ipython_key_completions_(self) -> list[str]:
        return keys_of(self.listed, lambda metric: str(metric) in self.listed)

    def __iter__(self) -> Iterator[str]:
        return iter(self.listed)

    def __len__(self) -> int:
        return len(self.listed)

    def __contains__(self, name: object) -> bool:
        return str(name) in self.listed

    def __repr__(self) -> str:
        return f"<karat.JudgedReport: {self.n_rows} rows, {self.n_gold} gold labels>"
