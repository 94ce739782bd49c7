"""The settings of a report in JSON, in the words of the arguments that they are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, get_args

from karat.errors import KaratError
from karat.inference.confidence import Confidence, designs
from karat.metrics import get
from karat.metrics._lift import Policy
from karat.output.json import codec as js
from karat.output.json.codec import Kind, Part, Scope
from karat.results.sets import SetReport
from karat.results.values import ReportValues

_ALONE: Final = Kind(lambda part, _: part.fields())
"""A design without arguments."""
_SHARE: Final = js.NUMBER.where(lambda found, _: 0.0 < found < 1.0, "a proportion")
_CASES: Final = js.record(
    lambda s: {"design": "case-control", "prevalence": s.prevalence},
    prevalence=js.each(js.or_null(_SHARE), lambda s: s.classes.k).or_absent(None),
)
_DESIGN: Final = js.record(
    lambda s: {**s.CaseControl, "weights_are": s.Frequency, "anytime": s.Looks},
    CaseControl=_CASES.or_absent({"design": "cohort", "prevalence": None}),
    Frequency=_ALONE.into(lambda _: "frequency").or_absent("importance"),
    Looks=js.record(lambda s: s.planned, planned=js.COUNT).or_absent(None),
)
_INTERVAL: Final = js.record(
    None, level=js.RAW, side=js.TEXT, method=js.TEXT, seed=js.COUNT, n_replicates=js.COUNT
)
_METRICS: Final = Kind(
    lambda part, s: tuple(map(get, js.TEXTS.read(part, s))),
    lambda metrics, _: list(map(str, metrics)),
)


def _confidence(part: Part, s: Scope) -> Confidence:
    """Read how intervals are made, of rows that were drawn by the design in the scope."""
    asked = _INTERVAL.read(part, s)
    method = None if asked["method"] == "default" else asked["method"]
    how = {"design": s.drawn["design"], "anytime": s.drawn["anytime"]}
    try:
        found = Confidence.of(**{**asked, "method": method}, **how)
    except KaratError:
        found = None
    part.must(found is not None, "what can be asked of intervals")
    assert found is not None
    return replace(found, weights_are=s.drawn["weights_are"])


def _designs_of(report: ReportValues | SetReport) -> dict[str, Any]:
    found = designs(report.confidence)
    if isinstance(report, ReportValues) and report.design == "case-control":
        found["CaseControl"] = {}
        if report.population is not None:
            shares = [report.population.get(label) for label in report.labels]
            found["CaseControl"] = {"prevalence": shares}
    return found


SETTINGS: Final = js.record(
    None,
    undefined=js.choice(*get_args(Policy)),
    metrics=js.or_null(_METRICS).of("requested"),
    design=Kind(_DESIGN.read).of(_designs_of),
    drawn=js.given(lambda s: s.design),
    interval=js.or_null(Kind(_confidence, _INTERVAL.write)).of("confidence"),
    clustered=js.FLAG.of("is_clustered"),
)
"""Read as a dict, of which `interval` is the `Confidence`."""
