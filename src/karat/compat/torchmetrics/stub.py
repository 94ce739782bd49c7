"""The type stubs of the drop-in, from its table, as the build writes them: ``native/stubs.py``."""

from __future__ import annotations

from inspect import Parameter
from textwrap import wrap
from typing import Final

from karat.compat.torchmetrics.table import TABLE, written

_WIDTH: Final = 100
_CLASS: Final = Parameter("cls", Parameter.POSITIONAL_OR_KEYWORD)
_SELF: Final = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)


def stub_texts() -> dict[str, str]:
    """The text of each stub, by its path beside this file.

    Example:
        >>> sorted(stub_texts())
        ['classification.pyi', 'functional/classification.pyi']
    """
    metrics, functions = "", ""
    for measure in sorted(TABLE, key=lambda measure: measure.parent):  # parents first
        function, metric = measure.names
        any_task = measure.any_task()
        if any_task is not None:
            functions += _definition("", function, any_task.of_function(), measure.returns)
            begins = _definition("    ", "__new__", [_CLASS, *any_task.of_class()], "Metric")
            metrics += f"\nclass {metric}(TaskMetric):\n{begins}"
        for name, of_task, task in measure.tasks():
            functions += _definition("", name, task.of_function(), measure.returns)
            parent = (
                of_task.removesuffix(metric) + measure.parent if measure.parent else "CountedMetric"
            )
            taken = [_SELF, *task.of_class()]
            begins = _definition("    ", "__init__", taken, "None")
            metrics += f"\nclass {of_task}({parent or 'CountedMetric'}):\n{begins}"
    needed = "\n".join(
        f"from karat.compat.torchmetrics.{home} import {name}"
        for home, name in (
            ("counted", "CountedMetric"),
            ("generation", "TaskMetric"),
            ("metric", "Metric"),
        )
    )
    return {
        "classification.pyi": _head("classes", needed) + metrics,
        "functional/classification.pyi": _head("functions", "from torch import Tensor")
        + f"\n{functions}",
    }


def _head(kind: str, needed: str) -> str:
    about = f'"""Metrics as {kind}. Written by the build; do not edit."""'
    return f"{about}\n\nfrom typing import Any\n\n{needed}\n"


def _definition(indent: str, name: str, taken: list[Parameter], returns: str) -> str:
    """A signature, with as many parameters in a line as fit."""
    joint = "\N{NO-BREAK SPACE}"
    parts = " ".join(f"{part},".replace(" ", joint) for part in written(taken)).removesuffix(",")
    start, end = f"{indent}def {name}(", f") -> {returns}: ..."
    lines = [f"{start}{parts}{end}"]
    if len(lines[0]) > _WIDTH:
        inner = f"{indent}    "
        filled = wrap(
            parts, _WIDTH, initial_indent=inner, subsequent_indent=inner, break_on_hyphens=False
        )
        lines = [start, *filled, f"{indent}{end}"]
    return "".join(f"{line}\n" for line in lines).replace(joint, " ")
