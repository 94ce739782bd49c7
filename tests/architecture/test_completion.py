"""What editors complete: jedi and Pyright know every public name, its type and its docstring."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import itertools
import os
import pydoc
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from unittest import mock

import pytest

import karat
from karat.api.results import ClassReport
from karat.metrics._registry import all_names, every_record
from tests.optional import optional

SOURCES = Path(karat.__file__).parents[1]
SUBPACKAGES = {path.parent.name for path in SOURCES.glob("karat/*/__init__.py")}

STATES = {
    "new": "pass",
    "loaded": "karat.f1([0, 1], [0, 1]); karat.evaluate([0, 1], [0, 1]).text();"
    "karat.plot.PALETTE; karat.curves.Roc; karat.macro_f1; karat.mcc",
    "everything": "[getattr(karat, name) for name in dir(karat)]",
}


@pytest.mark.parametrize("module", ["karat", "karat.curves", "karat.plot"])
@pytest.mark.parametrize("state", STATES)
def test_dir_lists_public_names_only(state: str, module: str) -> None:
    code = f"import karat, {module}; {STATES[state]}; print(*dir({module}))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    listed = found.stdout.split()
    assert [name for name in listed if name.startswith("_") and name != "__version__"] == []
    metrics = {record.name for record in every_record()} if module == "karat" else set()
    assert set(listed) == metrics.union(importlib.import_module(module).__all__)
    assert {"importlib", "annotations", "Any", "Final", "get_close_matches"}.isdisjoint(listed)
    assert listed == dir(importlib.import_module(module))


def crowded(listed: Iterable[str]) -> set[str]:
    """Names of metrics that are not the canonical name of a record: aliases and averages."""
    return set(listed).intersection(all_names()) - {record.name for record in every_record()}


def test_dir_has_one_name_for_each_metric() -> None:
    listed = dir(karat)
    assert len(listed) == len(set(listed))
    assert 150 < len(listed) < 220
    assert crowded(listed) == set()
    assert {record.name for record in every_record()} <= set(listed)
    several = [name for record in every_record() for name in (record.name, *record.aliases)]
    assert len(several) > 1.5 * len(every_record())
    hidden_names = {"macro_f1", "mcc", "f1_score", "roc_auc_ovr_macro", "mean_average_precision"}
    assert crowded([*listed, *hidden_names]) == hidden_names


def test_a_name_that_dir_leaves_out_is_there() -> None:
    """By attribute, by import and in the stub; a star import takes verbs and classes alone."""
    names = sorted(crowded(all_names()))
    assert len(names) > 250
    assert [name for name in names if not callable(getattr(karat, name))] == []
    code = "from karat import macro_f1, mcc; from karat import *; print(*globals())"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name for name in ran.stdout.split() if not name.startswith("__")}
    assert loaded == {*karat.__all__, "macro_f1", "mcc"} - {"__version__"}
    stub = ast.parse((SOURCES / "karat/__init__.pyi").read_text(encoding="utf-8"))
    assert set(names) <= {item.name for item in stub.body if isinstance(item, ast.FunctionDef)}


def test_help_lists_verbs_and_classes() -> None:
    text = pydoc.plain(pydoc.render_doc(karat))
    assert "NAME\n    karat - karat: quality metrics for classifiers." in text
    assert all(
        f"    {name}(" in text for name in karat.__all__ if inspect.isfunction(getattr(karat, name))
    )
    assert "macro_f1(y_true" not in text


def completed(code: str) -> dict[str, str]:
    """What jedi completes at the end of a text, with its docstring; private names aside."""
    jedi = optional("jedi")
    project = jedi.Project(SOURCES.parent, sys_path=[str(SOURCES), *sys.path])
    # The finder of an editable build hides the files from jedi, which an installed package has.
    finders = [one for one in sys.meta_path if not type(one).__module__.startswith("_editable")]
    with mock.patch.object(sys, "meta_path", finders):
        environment = jedi.InterpreterEnvironment()
        found = jedi.Script(code, project=project, environment=environment).complete()
        shown = [each for each in found if not each.name.startswith("_")]
        return {each.name: each.docstring(raw=True) for each in shown}


def undocumented(found: dict[str, str], names: Iterable[str]) -> list[str]:
    return [name for name in names if not found[name].strip()]


def test_jedi_completes_every_public_name_with_its_docstring() -> None:
    found = completed("import karat\nkarat.")
    public = {name for name in [*dir(karat), *all_names()] if not name.startswith("_")}
    # Nothing but the folders of the package stands beside them.
    assert public <= found.keys()
    assert found.keys() - public <= SUBPACKAGES
    assert undocumented(found, public) == []


@pytest.mark.parametrize("module", ["plot", "curves"])
def test_jedi_completes_the_functions_of_a_face(module: str) -> None:
    found = completed(f"import karat\nkarat.{module}.")
    public = getattr(karat, module).__all__
    assert found.keys() == set(public)
    assert undocumented(found, public) == []


RETURNED = {
    "karat.evaluate(t, p)": "per_class confusion metrics slices curves thresholds calibration"
    " to_html to_json to_frame text n_rows labels scores threshold cells",
    "karat.evaluate(t, p).f1": "value low high level method n undefined definition signature",
    "karat.evaluate(t, p)['f1']": "value low high level method n undefined definition signature",
    "karat.compare(t, {})": "models metrics differences values flips to_html notes",
    "karat.gate(t, p)": "passed rules exit_code headline notes to_json",
    "karat.find_weak_slices(f)": "slices p n_tested level",
    "karat.Stream()": "update merge report n_rows to_bytes",
    "karat.Stream().report()": "per_class confusion",
    "karat.curves.roc(t, y_prob=p)": "fpr tpr thresholds area",
}


@pytest.mark.parametrize("expression", RETURNED)
def test_jedi_completes_what_a_call_returns(expression: str) -> None:
    assert set(RETURNED[expression].split()) <= completed(f"import karat\n{expression}.").keys()


@pytest.mark.parametrize(
    "expression", ["karat.evaluate(t, p)", "karat.evaluate(t, p).f1", "karat.Stream()"]
)
def test_jedi_shows_a_docstring_for_each_attribute(expression: str) -> None:
    found = completed(f"import karat\n{expression}.")
    assert len(found) > 5
    assert undocumented(found, found) == []


def test_a_name_without_a_docstring_is_found() -> None:
    found = completed("class A:\n    b = 1\n    def c(self):\n        '''Said.'''\nA().")
    assert undocumented(found, ["b", "c"]) == ["b"]


def parameters_of(name: str) -> list[str]:
    """The parameters of a public function or class as it is at run time; none of a constant."""
    value = getattr(karat, name)
    if not callable(value) or (isinstance(value, type) and issubclass(value, Exception)):
        return []
    return [
        item.name
        for item in inspect.signature(value).parameters.values()
        if item.kind in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    ]


def hidden(known: dict[str, set[str]], names: Iterable[str]) -> dict[str, list[str]]:
    """Public name → the parameters that an editor does not show."""
    missing = {name: [p for p in parameters_of(name) if p not in known[name]] for name in names}
    return {name: parameters for name, parameters in missing.items() if parameters}


def callables() -> list[str]:
    """The public names that users call: all but the records that calls return, and errors."""
    every = dict.fromkeys([*dir(karat), *all_names()])
    names = [name for name in every if parameters_of(name)]
    return [name for name in names if not dataclasses.is_dataclass(getattr(karat, name))]


def test_jedi_shows_every_parameter_of_every_public_name() -> None:
    jedi = optional("jedi")
    names, known = callables(), {}
    project = jedi.Project(SOURCES.parent, sys_path=[str(SOURCES), *sys.path])
    finders = [one for one in sys.meta_path if not type(one).__module__.startswith("_editable")]
    with mock.patch.object(sys, "meta_path", finders):
        environment = jedi.InterpreterEnvironment()
        for name in names:  # of a long text jedi leaves the end out
            code = f"import karat\nkarat.{name}("
            script = jedi.Script(code, project=project, environment=environment)
            signatures = script.get_signatures()
            known[name] = {item.name for signature in signatures for item in signature.params}
    assert len(names) > 400
    assert hidden(known, names) == {}
    assert hidden({"f1": {"y_true"}}, ["f1"])["f1"][0] == "y_pred"


TAKE_DATA = {
    "karat.evaluate": (["y_true", "y_pred"], ["data"]),
    "karat.compare": (["y_true", "y_pred"], ["data"]),
    "karat.gate": (["y_true", "y_pred"], ["data"]),
    "karat.find_weak_slices": (["y_true", "y_pred"], ["data"]),
    "karat.check": (["y_true", "y_pred"], ["data"]),
    "karat.Monitor().add": (["y_true", "y_pred"], ["data"]),
    "karat.f1": (["y_true", "y_pred"], ["y_true", "y_pred"]),
    "karat.Stream().update": (["y_true", "y_pred"], ["data"]),
}
"""Call → the arguments by place in each form that an editor shows."""


@pytest.mark.parametrize("call", TAKE_DATA)
def test_jedi_shows_arrays_and_data_as_two_forms(call: str) -> None:
    jedi = optional("jedi")
    project = jedi.Project(SOURCES.parent, sys_path=[str(SOURCES), *sys.path])
    finders = [one for one in sys.meta_path if not type(one).__module__.startswith("_editable")]
    with mock.patch.object(sys, "meta_path", finders):
        script = jedi.Script(
            f"import karat\n{call}(", project=project, environment=jedi.InterpreterEnvironment()
        )
        forms = script.get_signatures()
    by_keyword = inspect.Parameter.KEYWORD_ONLY
    places = [[x.name for x in form.params if x.kind is not by_keyword] for form in forms]
    assert tuple(places) == TAKE_DATA[call]
    if "data" in places[-1]:
        # Each form shows every option; arrays have their roles by place alone.
        first, second = ([x.name for x in form.params] for form in forms)
        assert set(second) - set(first) == {"data"}
        assert len(first) == len(set(first))


def pyright(*arguments: str, folder: Path) -> str:
    """What Pyright says of the sources, with the packages of this Python."""
    optional("basedpyright")
    command = [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable, *arguments]
    found = subprocess.run(
        command,
        env=os.environ | {"PYTHONPATH": str(SOURCES)},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return found.stdout + found.stderr


def test_pyright_knows_the_types_of_the_public_interface(tmp_path: Path) -> None:
    told = pyright("--verifytypes", "karat", "--ignoreexternal", folder=tmp_path)
    score = re.search(r"Type completeness score: ([\d.]+)%", told)
    assert score is not None, told[-2000:]
    assert float(score[1]) >= 95.0
    assert "No py.typed file found" not in told


USES = """
import karat

t, p, prob = [0, 1], [0, 1], [0.2, 0.9]
report = karat.evaluate(t, y_prob=prob)
text: str = report.to_html() + report["f1"].name + report.f1.definition + str(report.per_class)
number: float = karat.f1(t, p) + karat.f1(t, p, average="macro") + karat.log_loss(t, y_prob=prob)
several = karat.f1(t, p, average=None).tolist()
stream = karat.Stream(labels=[0, 1])
stream.update(t, p)
area: float = karat.curves.roc(t, y_prob=prob).area + stream.report()["mcc"].value
passed: bool = karat.gate(report, min={"accuracy": 0.5}).passed
table = {"label": t, "pred": p}
by_name = karat.evaluate(table, y_true="label", y_pred="pred").n_rows + karat.check(table).n_rows
by_role = karat.evaluate(y_true=t, y_pred=p).n_rows + karat.evaluate(t, y_pred=p).n_rows
several = [karat.compare(t, {"a": p, "b": t}).models, karat.compare(table, y_pred=["a"]).models]
axes = karat.plot.roc(report, chance=False, linewidth=2)
axes.set_title("ROC")
"""
WRONG = (
    "karat.f1(t, p, average='mean')",
    "karat.f1(t, p, sample_weight=None)",
    "karat.log_loss(t, p)",
    "karat.f1(t, p, average=None) + 'text'",
    "karat.plot.roc(chance=1)",
    "karat.no_such_name",
    "karat.evaluate(data=t)",
    "karat.evaluate(t, predictions=p)",
    "karat.evaluate(t, p, y_true=t)",
)


def test_pyright_finds_no_error_where_every_public_name_is_used(tmp_path: Path) -> None:
    names = [name for name in {*dir(karat), *all_names()} if name != "__version__"]
    uses = "".join(f"print(karat.{name})\n" for name in [*names, "__version__"])
    uses += "".join(f"print(karat.plot.{name})\n" for name in karat.plot.__all__)
    uses += "".join(f"print(karat.curves.{name})\n" for name in karat.curves.__all__)
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "standard"}')
    (tmp_path / "uses.py").write_text(USES + uses)
    wrong = "".join(f"{line}\n" for line in WRONG)
    (tmp_path / "wrong.py").write_text(f"import karat\nt, p = [0], [0]\n{wrong}")
    told = pyright("uses.py", "wrong.py", folder=tmp_path)
    assert re.findall(r"uses\.py:\d+.*- error.*", told) == []
    lines = {int(line) for line in re.findall(r"wrong\.py:(\d+):\d+ - error", told)}
    assert lines == set(range(3, 3 + len(WRONG))), told


def test_pyright_knows_every_parameter_of_every_public_name(tmp_path: Path) -> None:
    names = callables()
    calls = [
        f"karat.{name}({', '.join(f'{parameter}=a' for parameter in parameters_of(name))})"
        for name in names
    ]
    calls = [call.replace("data=a, ", "", 1) for call in calls]  # roles and data exclude each other
    head = "from typing import Any\nimport karat\na: Any = None\n"
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "standard"}')
    (tmp_path / "calls.py").write_text(head + "\n".join([*calls, "karat.f1(a, a, lantern=a)"]))
    told = pyright("calls.py", folder=tmp_path)
    wrong = re.findall(r"calls\.py:(\d+):\d+ - error: (.*)", told)
    assert [calls[int(line) - 4] for line, _ in wrong[:-1]] == [], wrong
    assert len(wrong) == 1
    assert int(wrong[0][0]) == len(calls) + 4


def told_of_attributes(kind: type) -> dict[str, str]:
    """Attribute → what its docstring says, of a class and what it is made of."""
    found: dict[str, str] = {}
    for one in reversed(kind.__mro__[:-1]):
        if not dataclasses.is_dataclass(one):
            continue
        (body,) = ast.parse(textwrap.dedent(inspect.getsource(one))).body
        assert isinstance(body, ast.ClassDef)
        for node, after in itertools.pairwise(body.body):
            if isinstance(node, ast.AnnAssign) and isinstance(after, ast.Expr):
                assert isinstance(node.target, ast.Name)
                assert isinstance(after.value, ast.Constant)
                found[node.target.id] = " ".join(str(after.value.value).split())
    return found


def listed_attributes(kind: type) -> dict[str, str]:
    """Attribute → what the docstring of its class says."""
    block = inspect.cleandoc(kind.__doc__ or "").partition("Attributes:\n")[2]
    found: dict[str, str] = {}
    for item in re.split(r"\n(?=    \S)", f"\n{block}")[1:]:
        names, _, text = item.strip().partition(": ")
        found |= dict.fromkeys(names.split(", "), " ".join(text.split()))
    return found


@pytest.mark.parametrize("kind", [ClassReport, karat.Result, karat.Comparison])
def test_an_attribute_says_what_its_class_says_of_it(kind: type) -> None:
    listed, found = listed_attributes(kind), told_of_attributes(kind)
    assert len(listed) > 10
    for name, text in listed.items():
        assert found[name].casefold() == text.casefold()


def test_few_lines_of_stubs_are_committed() -> None:
    """The build writes those of the public names into the package, from records and the catalog."""
    from native.stubs import WRITERS

    written = {
        SOURCES / "karat" / home / path
        for writer, home in WRITERS.items()
        for path in importlib.import_module(writer).stub_texts()
    }
    lines = {path: path.read_text("utf-8").count("\n") for path in SOURCES.rglob("*.pyi")}
    assert written <= lines.keys()
    assert sum(lines.values()) > 10_000
    assert sum(n for path, n in lines.items() if path not in written) <= 3_000
