"""Functions and classes of the drop-in, made from its table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, Signature, signature
from typing import Any

from torch import Tensor

from karat.compat.torchmetrics.absent import instead_of
from karat.compat.torchmetrics.counted import CountedMetric
from karat.compat.torchmetrics.metric import Metric
from karat.compat.torchmetrics.rules import rule_of
from karat.compat.torchmetrics.table import TABLE, TASKS, Measure, Task
from karat.compat.torchmetrics.tally import refused
from karat.errors import error

Made = Callable[..., Any]

_CLASS = Parameter("cls", Parameter.POSITIONAL_OR_KEYWORD)


def functions(home: str) -> dict[str, Any]:
    """Every function by its name, as if the module ``home`` defined it."""
    made: dict[str, Any] = {}
    for measure in TABLE:
        own = {name: _function(name, measure, task) for name, _, task in measure.tasks()}
        made |= own
        name, any_task = measure.names[0], measure.any_task()
        if any_task is not None:
            made[name] = _by_task(name, any_task.of_function(), measure.returns, own)
    return _defined_in(home, made)


def metrics(home: str) -> dict[str, Any]:
    """Every class by its name, as if the module ``home`` defined it."""
    made: dict[str, Any] = {}
    for measure in sorted(TABLE, key=lambda measure: measure.parent):  # parents first
        _, bare = measure.names
        own = {}
        for _, name, task in measure.tasks():
            parent = made.get(name.removesuffix(bare) + measure.parent, CountedMetric)
            own[name] = _metric(name, measure, task, parent)
        made |= own
        any_task = measure.any_task()
        if any_task is None:
            continue
        begins = _by_task("__new__", [_CLASS, *any_task.of_class()], "Metric", own)
        begins.__qualname__ = f"{bare}.__new__"
        parts = {"__new__": begins, "__doc__": begins.__doc__}
        made[bare] = type(bare, (TaskMetric,), parts)
    return _defined_in(home, made)


class TaskMetric(Metric):
    """A class whose instances are those of the task's class: `Accuracy` gives `BinaryAccuracy`."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse K621 what a derived class would add: no instance is of that class."""
        above = cls.__mro__[1].__name__
        added = [own for own in vars(cls) if own == "__init__" or not own.startswith("__")]
        if above != TaskMetric.__name__ and added:
            found = f"{above}(task=…) gives no {cls.__name__}, so that {added[0]} has no effect"
            do = f"Derive from the class of the task, as Multiclass{above}."
            raise refused(cls.__name__, found, do)
        super().__init_subclass__(**kwargs)

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Not available here: an attribute of the class of the task."""
        raise NotImplementedError(type(self).__name__)

    def compute(self) -> Any:
        """Not available here: an attribute of the class of the task."""
        raise NotImplementedError(type(self).__name__)


def _function(name: str, measure: Measure, task: Task) -> Made:
    taken = task.of_function()
    weights = taken[-1].name

    def run(*, preds: Tensor, target: Tensor, **given: Any) -> Any:
        row_weights = given.pop(weights)
        return rule_of(measure, {**given, **measure.fixed}).once(preds, target, row_weights)

    made: Made = _with_signature(name, taken, measure.returns, run)
    made.__doc__ = f"{task.doc}{task.more}."
    return made


def _metric(name: str, measure: Measure, task: Task, parent: type[CountedMetric]) -> Any:
    taken = task.of_class()
    named = {own.name for own in taken}
    unnamed = [own for own in measure.also_takes if own not in named]

    def begin(*, self: CountedMetric, kwargs: dict[str, Any], **given: Any) -> None:
        if measure.parent:
            # By position, so that Python refuses a fixed argument that is given.
            super(made, self).__init__(*measure.fixed.values(), **given, **kwargs)
            return
        given |= {own: kwargs.pop(own, 0) for own in unnamed}
        super(made, self).__init__(**kwargs)
        for own, value in given.items():
            setattr(self, own, value)
        self.measure_by(rule_of(measure, given, of_batches=True))

    first = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
    begins = _with_signature("__init__", [first, *taken], "None", begin)
    begins.__qualname__ = f"{name}.__init__"
    parts: dict[str, Any] = {
        "__doc__": f"{task.doc}.",
        "__init__": begins,
        "also_takes": measure.also_takes,
        "higher_is_better": measure.higher_is_better,
    }
    made: Any = type(name, (parent,), parts)
    return made


def _with_signature(name: str, taken: list[Parameter], returns: str, run: Made) -> Any:
    """A function with these parameters, which calls ``run`` with all of them by name."""
    own = Signature(taken, return_annotation=returns)

    def made(*args: Any, **options: Any) -> Any:
        try:
            bound = own.bind(*args, **options)
        except TypeError as problem:
            raise TypeError(f"{name}() {problem}") from None
        bound.apply_defaults()
        return run(**bound.arguments)

    made.__name__ = made.__qualname__ = name
    made.__annotations__ = {one.name: one.annotation for one in taken} | {"return": returns}
    vars(made)["__signature__"] = own
    return made


def _by_task(name: str, taken: list[Parameter], returns: str, of_tasks: Mapping[str, Made]) -> Made:
    """Return the function that takes `task`; it ignores arguments that the task does not have."""
    own = Signature([parameter.replace(annotation=Parameter.empty) for parameter in taken])

    def of_task(*args: Any, **options: Any) -> Any:
        bound = own.bind(*args, **options)
        bound.apply_defaults()
        given = dict(bound.arguments)
        given.pop(_CLASS.name, None)
        others = given.pop("kwargs", {})
        chosen = _chosen(of_tasks, given)
        known = signature(chosen).parameters
        return chosen(**{key: value for key, value in given.items() if key in known}, **others)

    of_task.__name__ = of_task.__qualname__ = name
    of_task.__doc__ = f"`{'`, `'.join(of_tasks)}`, by task."
    of_task.__annotations__["return"] = returns
    vars(of_task)["__signature__"] = own
    return of_task


def _chosen(of_tasks: Mapping[str, Made], given: dict[str, Any]) -> Made:
    """The function or class of the task."""
    tasks = {
        task: made
        for name, made in of_tasks.items()
        for task in TASKS
        if name.lower().startswith(task)
    }
    # torchmetrics' own ClassificationTask is a text that prints otherwise.
    task = str(getattr(given["task"], "value", given["task"])).lower().replace("-", "_")
    if task not in tasks:
        choices, do = ", ".join(map(repr, tasks)), "Say what the targets are."
        instead = instead_of(next(iter(of_tasks)))
        if instead is not None:
            do = f"Where a row has one class: {instead}."
        raise error("K122", argument="task", value=given["task"], choices=choices, do=do)
    counted = {"multiclass": ("num_classes", "classes"), "multilabel": ("num_labels", "labels")}
    argument, things = counted.get(task, ("", ""))
    if argument and not isinstance(given[argument], int):
        value, do = given[argument], f"A {task} task needs the number of its {things}."
        raise error("K122", argument=argument, value=value, choices="2, 3, …", do=do)
    return tasks[task]


def _defined_in(home: str, made: dict[str, Any]) -> dict[str, Any]:
    for own in made.values():
        own.__module__ = home
    return made
