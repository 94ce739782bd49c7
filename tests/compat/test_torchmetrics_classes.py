"""What is true of every class of `karat.compat.torchmetrics`, and of the groups of collections."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import pytest

from karat.errors import KaratError
from tests.compat.torchmetrics_sets import needed, task_of
from tests.optional import optional

torch = optional("torch")
torchmetrics = optional("torchmetrics")
karat_torchmetrics = optional("karat.compat.torchmetrics")

K = 3
HOMES = {"karat": karat_torchmetrics, "torchmetrics": torchmetrics}
NAMES = sorted(karat_torchmetrics.classification.__all__)
OF_TASKS = [name for name in NAMES if name.startswith(("Binary", "Multi"))]
BY_TASK = [name for name in NAMES if name not in OF_TASKS]


@pytest.mark.parametrize("name", NAMES)
def test_facts_of_a_class_are_read_only(name: str) -> None:
    given: dict[str, Any] = {**needed(name)}
    given |= {"task": task_of(name)} if name in BY_TASK else {}
    of_task = f"{task_of(name).capitalize()}{name}" if name in BY_TASK else name
    given |= {"num_classes": K} if of_task.startswith("Multiclass") else {}
    given |= {"num_labels": K} if of_task.startswith("Multilabel") else {}
    for home in HOMES.values():
        metric = getattr(home.classification, name)(**given)
        for fact in ("is_differentiable", "higher_is_better", "full_state_update"):
            with pytest.raises(RuntimeError, match=f"Can't change const `{fact}`"):
                setattr(metric, fact, True)
    ours, theirs = (getattr(home.classification, name) for home in HOMES.values())
    for fact in ("higher_is_better", "full_state_update"):
        assert getattr(ours, fact) is getattr(theirs, fact)


@pytest.mark.parametrize("name", BY_TASK)
def test_names_by_task_are_classes(name: str) -> None:
    given: dict[str, Any] = {**needed(name)}
    for home in HOMES.values():
        by_task = getattr(home.classification, name)
        assert isinstance(by_task, type)
        assert issubclass(by_task, home.Metric)
        for task in ("binary", "multiclass", "multilabel"):
            of_task = f"{task.capitalize()}{name}"
            if of_task not in OF_TASKS:
                continue
            counted = {"num_labels" if task == "multilabel" else "num_classes": K}
            made = by_task(task=task, **counted, **given)
            assert type(made) is getattr(home.classification, of_task)
            assert isinstance(made, home.Metric)
            assert not isinstance(made, by_task)
            assert type(pickle.loads(pickle.dumps(made))) is type(made)
        assert pickle.loads(pickle.dumps(by_task)) is by_task
        assert "self" not in inspect.signature(by_task).parameters


def test_a_class_derived_from_one_by_task_has_to_have_an_effect() -> None:
    accuracy = karat_torchmetrics.Accuracy
    with pytest.raises(
        KaratError, match=r"(?s)K621.*compute has no effect.*Derive from .* MulticlassAcc"
    ):

        class Percent(accuracy):  # type: ignore[misc, valid-type]
            def compute(self) -> Any:
                return 100 * super().compute()

    class Three(accuracy):  # type: ignore[misc, valid-type]
        def __new__(cls) -> Any:
            return super().__new__(cls, task="multiclass", num_classes=3)

    assert type(Three()) is karat_torchmetrics.MulticlassAccuracy


def two(home: Any) -> dict[str, Any]:
    c = home.classification
    return {"acc": c.MulticlassAccuracy(K), "f1": c.MulticlassF1Score(K)}


@pytest.mark.parametrize("groups", [[["Nonsense"]], [["acc", "Nonsense"]], [["acc"], ["f2"]]])
def test_groups_of_names_that_no_metric_has_are_refused(groups: list[list[str]]) -> None:
    for home in HOMES.values():
        metrics = two(home)
        with pytest.raises(ValueError, match=groups[-1][-1]):
            home.MetricCollection(metrics, compute_groups=groups)


def test_states_of_torchmetrics_are_not_there_and_the_error_says_what_is() -> None:
    class Errors(karat_torchmetrics.MulticlassConfusionMatrix):  # type: ignore[misc, name-defined]
        def compute(self) -> Any:
            return self.confmat.sum() - self.confmat.trace()

    metric = Errors(K)
    with pytest.raises(AttributeError, match=r"Errors has no confmat: .* metric_state: cells"):
        metric(torch.tensor([0, 1]), torch.tensor([0, 1]))
    assert not hasattr(metric, "tp")
    metric.add_state("tp", torch.tensor(3))
    metric.register_buffer("fn", torch.tensor(4))
    assert (metric.tp, metric.fn) == (3, 4)
    with pytest.raises(AttributeError, match="no attribute 'tpp'"):
        metric.tpp  # noqa: B018


def test_groups_are_shown_as_torchmetrics_shows_them() -> None:
    for home in HOMES.values():
        metrics = two(home)
        for none in (False, None):
            assert home.MetricCollection(metrics, compute_groups=none).compute_groups == {}
        named = home.MetricCollection(metrics, compute_groups=[["acc", "f1"]], prefix="val_")
        assert named.compute_groups == {0: ["acc", "f1"]}


def test_a_class_that_lacks_a_verb_is_refused() -> None:
    for home in HOMES.values():

        class Half(home.Metric):  # type: ignore[misc, name-defined]
            def update(self) -> None:
                pass

        with pytest.raises(TypeError, match="abstract"):
            Half()
        with pytest.raises(TypeError, match="abstract"):
            home.Metric()


def test_functions_of_torchmetrics_reduce_as_their_names() -> None:
    data = optional("torchmetrics.utilities.data")
    for name, wanted in (("cat", [1.0, 2.0]), ("sum", [3.0]), ("max", [2.0]), ("mean", [1.5])):

        class One(karat_torchmetrics.Metric):  # type: ignore[misc, name-defined]
            full_state_update = False
            fx = getattr(data, f"dim_zero_{name}")

            def __init__(self) -> None:
                super().__init__()
                self.add_state(
                    "x", torch.zeros(0 if self.fx.__name__.endswith("cat") else 1), type(self).fx
                )

            def update(self, x: Any) -> None:
                self.x = x

            def compute(self) -> Any:
                return self.x

        first, second = One(), One()
        first.update(torch.tensor([1.0]))
        second.update(torch.tensor([2.0]))
        first.merge_state(second)
        assert first.x.tolist() == wanted
