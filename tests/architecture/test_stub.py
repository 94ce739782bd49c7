"""The stubs that the build writes say what the catalogue, and the table of the drop-in, say."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import karat
from karat.api import stubs as faces
from karat.compat.torchmetrics.stub import stub_texts
from karat.metrics._registry import all_names
from karat.metrics._stub import functions_text

PACKAGE = Path(karat.__file__).parent
DROP_IN = PACKAGE / "compat" / "torchmetrics"


@pytest.mark.parametrize("path", faces.stub_texts())
def test_the_stubs_of_the_faces_are_fresh(path: str) -> None:
    written = (PACKAGE / path).read_text(encoding="utf-8")
    assert written == faces.stub_texts()[path], "stale: run `make stub`"


def functions_of(text: str) -> dict[str, list[ast.FunctionDef]]:
    """Name → the function of that name in a stub, or its overloads."""
    found: dict[str, list[ast.FunctionDef]] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
    return found


def signature_of(function: ast.FunctionDef) -> dict[str, tuple[bool, str]]:
    """Name of a parameter → whether it needs its name, and its default as text."""
    given, none = function.args, inspect.Parameter.empty
    plain = [*[none] * (len(given.args) - len(given.defaults)), *given.defaults]
    pairs = [(item, False, default) for item, default in zip(given.args, plain, strict=True)]
    pairs += [
        (i, True, d or none) for i, d in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    ]
    return {
        item.arg: (is_named, "" if default is none else ast.unparse(default))
        for item, is_named, default in pairs
    }


def test_every_metric_is_a_function_with_its_signature_and_docstring() -> None:
    found = functions_of(functions_text())
    assert found.keys() == set(all_names())
    for name, calls in found.items():
        public = getattr(karat, name)
        wanted = {
            key: (
                item.kind is inspect.Parameter.KEYWORD_ONLY,
                "" if item.default is inspect.Parameter.empty else repr(item.default),
            )
            for key, item in inspect.signature(public).parameters.items()
        }
        has_average = "average" in wanted
        assert [signature_of(call).get("average") for call in calls] == (
            [(True, ""), calls[-1].args.kw_defaults and wanted["average"] and (True, "...")]
            if has_average and "average" in signature_of(calls[-1])
            else [(True, ""), None]
            if has_average
            else [None]
        )
        for call in calls:
            shown = {key: it for key, it in signature_of(call).items() if key != "average"}
            assert shown == {key: it for key, it in wanted.items() if key != "average"}, name
            assert all(item.annotation for item in [*call.args.args, *call.args.kwonlyargs])
        # Jedi shows the docstring of the last overload.
        told = " ".join((ast.get_docstring(calls[-1]) or "").split())
        summary, _, rest = (public.__doc__ or "").partition("\n")
        assert told.startswith(f"{summary} Definition: "), name
        assert " ".join(rest.partition("Args:")[0].split()).endswith(
            told.partition("Definition: ")[2].partition(" Another name of ")[0]
        )


@pytest.mark.parametrize("path", stub_texts())
def test_the_stubs_of_the_drop_in_are_fresh(path: str) -> None:
    written = (DROP_IN / path).read_text(encoding="utf-8")
    assert written == stub_texts()[path], "stale: run `make stub`"


def test_every_stub_of_the_drop_in_is_written_from_its_table() -> None:
    found = {path.relative_to(DROP_IN).as_posix() for path in DROP_IN.rglob("*.pyi")}
    assert found == set(stub_texts())
