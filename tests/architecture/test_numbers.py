"""Every number with limits that a result holds reads alike: value, limits, method and remark."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from dataclasses import dataclass, is_dataclass
from types import ModuleType

import karat.inference.comparison
import karat.results
from karat.inference.json_record import JsonRecord

READ_ALIKE = ("value", "low", "high", "method", "remark")

EXCEPTIONS = {
    "RuleResult": "a verdict: the estimates it is judged by are in the report and the comparison"
}


def lacking(record: type) -> list[str]:
    """What a record with limits lacks to be read as every other number."""
    names = {*dir(record), *(name for base in record.__mro__ for name in vars(base))}
    names |= {name for base in record.__mro__ for name in getattr(base, "__annotations__", {})}
    return [name for name in (*READ_ALIKE, "__float__") if name not in names]


def records_with_limits() -> dict[str, type]:
    """Name → the record, of results and of comparisons."""
    modules: list[ModuleType] = []
    for package in (karat.results, karat.inference.comparison):
        found = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        modules += [importlib.import_module(module.name) for module in found]
    return {
        name: each
        for module in modules
        for name, each in inspect.getmembers(module, inspect.isclass)
        if is_dataclass(each)
        and issubclass(each, JsonRecord)
        and {"low", "high"} <= {*dir(each)} | {*each.__dataclass_fields__}
    }


def test_numbers_of_every_kind_read_alike() -> None:
    records = records_with_limits()
    assert {"Difference", "FoldDifference", "LabelDifference", "SliceDifference"} <= set(records)
    assert {"FoldResult", "JudgedShare", "ModelValue", "NestedResult"} <= set(records)
    assert set(records) >= set(EXCEPTIONS)
    missing = {name: lacking(each) for name, each in records.items() if name not in EXCEPTIONS}
    assert {name: each for name, each in missing.items() if each} == {}


def test_a_number_that_lacks_a_remark_would_be_seen() -> None:
    @dataclass(frozen=True)
    class Bare(JsonRecord):
        value: float
        low: float
        high: float
        method: str

    assert lacking(Bare) == ["remark", "__float__"]
