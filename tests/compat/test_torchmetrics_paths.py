"""Import paths of `karat.compat.torchmetrics`: what is covered stands where torchmetrics has it."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.compat.torchmetrics import absent
from karat.compat.torchmetrics.absent import OTHER_FIELDS
from tests.optional import optional

theirs = optional("torchmetrics")
karat_torchmetrics = optional("karat.compat.torchmetrics")
names = optional("karat.compat.torchmetrics.table")

PAGE = Path(__file__).parents[2] / "docs" / "torchmetrics.md"
PATHS = ("", ".classification", ".functional", ".functional.classification")
COVERED = {"Metric", "MetricCollection", *names.CLASSES, *names.FUNCTIONS}


def exported(path: str) -> set[str]:
    """What torchmetrics exports at a path."""
    return set(optional(f"torchmetrics{path}").__all__)


def ours(path: str) -> Any:
    return import_module(f"karat.compat.torchmetrics{path}")


@pytest.mark.parametrize("path", PATHS)
def test_what_is_covered_is_imported_from_where_torchmetrics_has_it(path: str) -> None:
    wanted = sorted(exported(path) & COVERED)
    assert len(wanted) >= 15
    found: dict[str, Any] = {}
    exec(f"from {ours(path).__name__} import {', '.join(wanted)}", found)  # noqa: S102
    for name in wanted:
        assert found[name] is getattr(karat_torchmetrics, name), name
        assert found[name].__name__ == name
    assert set(wanted) <= set(ours(path).__all__) & set(dir(ours(path)))


def test_every_function_and_class_is_at_its_longest_path() -> None:
    assert sorted(ours(".classification").__all__) == sorted(names.CLASSES)
    assert sorted(ours(".functional.classification").__all__) == sorted(names.FUNCTIONS)
    assert sorted(ours(".functional").__all__) == sorted(names.FUNCTIONS)
    assert sorted(ours("").__all__) == sorted(COVERED)
    assert set(names.CLASSES) <= exported(".classification")
    assert set(names.FUNCTIONS) <= exported(".functional.classification")


def test_modules_are_attributes_as_there() -> None:
    """`import torchmetrics` and dots, in a process that has imported nothing else."""
    script = (
        "import karat.compat.torchmetrics as torchmetrics\n"
        "torchmetrics.functional.classification.multiclass_accuracy\n"
        "torchmetrics.classification.Accuracy(task='multiclass', num_classes=3)\n"
        "from karat.compat.torchmetrics.metric import Metric\n"
        "from karat.compat.torchmetrics.collections import MetricCollection\n"
        "assert torchmetrics.collections.MetricCollection is torchmetrics.MetricCollection\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert theirs.collections.MetricCollection is theirs.MetricCollection
    assert theirs.metric.Metric is theirs.Metric


def stubbed(path: str) -> dict[str, tuple[str, str]]:
    """A name of a stub → its bases and its signature, as text."""
    home = Path(ours(path).__file__).with_suffix(".pyi")
    found: dict[str, tuple[str, str]] = {}
    for node in ast.parse(home.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            (begins,) = node.body
            assert isinstance(begins, ast.FunctionDef)
            found[node.name] = ast.unparse(node.bases[0]), ast.unparse(begins.args)
        elif isinstance(node, ast.FunctionDef):
            found[node.name] = "", ast.unparse(node.args)
    return found


@pytest.mark.parametrize("path", [".classification", ".functional.classification"])
def test_the_stub_has_the_signatures_that_python_has(path: str) -> None:
    stub = stubbed(path)
    assert sorted(stub) == sorted(ours(path).__all__)
    for name, (base, text) in stub.items():
        own = getattr(ours(path), name)
        of_class = own.__init__ if name.startswith(("Binary", "Multi")) else own.__new__
        given = inspect.signature(of_class if inspect.isclass(own) else own)
        is_typed = name not in {*names.MEASURES, *names.MEASURES.values()}
        scope: dict[str, Any] = {}
        code = f"from __future__ import annotations\ndef stubbed({text}): ..."
        exec(code, scope)  # noqa: S102
        wanted = inspect.signature(scope["stubbed"]).parameters.values()
        if not is_typed:
            wanted = [one.replace(annotation=inspect.Parameter.empty) for one in wanted]
        assert list(given.parameters.values()) == list(wanted), name
        assert base == (own.__bases__[0].__name__ if inspect.isclass(own) else ""), name


def asked(path: str, name: str) -> str:
    """The text of the error that an import of a name ends in."""
    with pytest.raises(ImportError) as caught:
        exec(f"from {ours(path).__name__} import {name}", {})  # noqa: S102
    return str(caught.value)


@pytest.mark.parametrize("path", PATHS)
def test_every_other_name_of_torchmetrics_is_told(path: str) -> None:
    others = sorted(exported(path) - COVERED - {"functional"})
    assert len(others) > 15
    for name in others:
        what, *rest = asked(path, name).splitlines()
        assert what == f"K622  {ours(path).__name__} has no {name}."
        assert len(rest) == 2
    assert "karat.curves.roc;" in asked(path, "binary_roc")


def test_names_are_told_for_what_they_are() -> None:
    classes = set(optional("torchmetrics.classification").__all__)
    functions = set(optional("torchmetrics.functional.classification").__all__)
    for name in (classes | functions) - COVERED:
        text = asked("", name)
        assert "measures accuracy, auroc" in text or "multilabel data" in text, name
    listed = {name for pair in absent.MEASURED_ELSEWHERE for name in pair if name}
    bare = {
        re.sub("^(Binary|Multiclass|Multilabel|binary_|multiclass_|multilabel_)", "", n)
        for n in classes | functions
    }
    assert listed <= bare
    homes = ("torchmetrics.wrappers", "torchmetrics.aggregation")
    assert {*absent.TOOLS} == {
        name
        for name in exported("")
        if getattr(getattr(theirs, name), "__module__", "").startswith(homes)
    }
    for field, listed_there in OTHER_FIELDS.items():
        home = {name: getattr(theirs, name, None) or getattr(theirs.functional, name)
                for name in listed_there.split()}  # fmt: skip
        assert {f".{field}." in f"{own.__module__}." for own in home.values()} == {True}, field


def test_what_karat_has_instead_exists() -> None:
    texts = [*absent.MEASURED_ELSEWHERE.values(), *absent.TOOLS.values()]
    named = {found for text in texts for found in re.findall(r"karat\.[\w.]+\w", text)}
    assert len(named) >= 5
    for name in named:
        found: Any = karat
        for part in name.split(".")[1:]:
            found = getattr(found, part)
        assert callable(found)


def test_modules_and_misspelt_names_are_told() -> None:
    for name in ("wrappers", "aggregation", "text", "segmentation"):
        assert f"torchmetrics.{name}" in asked("", name)
    for path in PATHS:
        assert not hasattr(ours(path), "MultclassAccuracy")
        with pytest.raises(AttributeError, match="Nearest: MulticlassAccuracy"):
            ours(path).MultclassAccuracy  # noqa: B018
        with pytest.raises(AttributeError, match=r"has no attribute '__file_name__'$"):
            ours(path).__file_name__  # noqa: B018


def test_every_name_that_is_not_covered_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    part = text[text.index("## Metrics not covered") :]
    wanted = [*absent.TOOLS, *(of_class for _, of_class in absent.MEASURED_ELSEWHERE if of_class)]
    assert [name for name in wanted if f"`{name}`" not in part] == []
    assert [field for field in OTHER_FIELDS if field not in part] == []


def test_wrappers_of_torchmetrics_refuse_metrics_of_karat() -> None:
    part = PAGE.read_text(encoding="utf-8")
    made = karat_torchmetrics.MulticlassAccuracy(num_classes=3, average=None)
    for name in ("MetricCollection", "ClasswiseWrapper", "MinMaxMetric", "MetricTracker",
                 "BootStrapper", "MultitaskWrapper"):  # fmt: skip
        given = [made] if name == "MetricCollection" else made
        with pytest.raises((ValueError, TypeError)):
            getattr(theirs, name)({"task": made} if name == "MultitaskWrapper" else given)
        assert f"`{name}`" in part[part.index("## Metrics not covered") :]
