"""Every example in a docstring of the library runs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from importlib.util import find_spec
from types import ModuleType

import pytest

import karat
from karat.metrics._registry import every_record
from tests.docs.blocks import run_doctest


def modules() -> list[ModuleType]:
    """Every Python module of karat that may be imported: a `__main__` would run."""
    found = [item.name for item in pkgutil.walk_packages(karat.__path__, "karat.")]
    names = [name for name in found if not name.endswith(("_native", "__main__"))]
    if find_spec("torch") is None:
        names = [name for name in names if not name.startswith("karat.compat.torchmetrics.")]
    return [karat, *(importlib.import_module(name) for name in names)]


def examples() -> list[doctest.DocTest]:
    """The examples of every module, and those of the functions made from the records."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = [test for module in modules() for test in finder.find(module)]
    for record in every_record():
        found += finder.find(getattr(karat, record.name), f"karat.{record.name}", module=karat)
    return [test for test in found if test.examples]


EXAMPLES = examples()


@pytest.mark.parametrize("example", EXAMPLES, ids=[test.name for test in EXAMPLES])
def test_the_example_of_a_docstring_runs(example: doctest.DocTest) -> None:
    run_doctest(example, dict(example.globs))


def test_every_metric_function_has_an_example() -> None:
    names = {test.name for test in EXAMPLES}
    assert [r.name for r in every_record() if f"karat.{r.name}" not in names] == []


def test_every_module_says_what_it_is() -> None:
    assert [module.__name__ for module in modules() if not (module.__doc__ or "").strip()] == []


def test_every_public_name_says_what_it_is() -> None:
    public = {name: getattr(karat, name) for name in karat.__all__ if not name.startswith("__")}
    assert [name for name, value in public.items() if not (value.__doc__ or "").strip()] == []
