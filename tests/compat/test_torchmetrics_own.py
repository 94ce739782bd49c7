"""Metrics derived from those of `karat.compat.torchmetrics`, step by step beside torchmetrics."""

from __future__ import annotations

import io
import pickle
import warnings
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import pytest

from karat.errors import KaratError
from tests.compat.test_torchmetrics_loops import plain
from tests.optional import optional

torch = optional("torch")
torchmetrics = optional("torchmetrics")
karat_torchmetrics = optional("karat.compat.torchmetrics")

K = 3
HOMES = {"karat": karat_torchmetrics, "torchmetrics": torchmetrics}


def batches(n: int = 3) -> list[tuple[Any, Any]]:
    made = torch.Generator().manual_seed(23)
    return [
        (torch.rand((20, K), generator=made).softmax(1), torch.randint(0, K, (20,), generator=made))
        for _ in range(n)
    ]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


class Derived:
    """The same classes, derived from one library or the other."""

    def __init__(self, home: Any) -> None:
        self.home, c = home, home.classification

        class Percent(c.MulticlassAccuracy):  # type: ignore[misc, name-defined]
            def compute(self) -> Any:
                return 100 * super().compute()

        class Halved(c.MulticlassAccuracy):  # type: ignore[misc, name-defined]
            def update(self, preds: Any, target: Any) -> None:
                super().update(preds[: len(preds) // 2], target[: len(target) // 2])

        class Twice(c.MulticlassConfusionMatrix):  # type: ignore[misc, name-defined]
            def update(self, preds: Any, target: Any) -> None:
                super().update(preds, target)
                super().update(preds, target)

        class Again(Twice):
            def update(self, preds: Any, target: Any) -> None:
                super().update(preds, target)

            def compute(self) -> Any:
                return super().compute() / 2

        class Windowed(c.MulticlassConfusionMatrix):  # type: ignore[misc, name-defined]
            def update(self, preds: Any, target: Any) -> None:
                self.reset()
                super().update(preds, target)

        class Counting(c.MulticlassAccuracy):  # type: ignore[misc, name-defined]
            """A metric with a state beside its own."""

            def __init__(self, num_classes: int, **kwargs: Any) -> None:
                super().__init__(num_classes, **kwargs)
                self.add_state("n_rows", torch.tensor(0), dist_reduce_fx="sum")

            def update(self, preds: Any, target: Any) -> None:
                super().update(preds, target)
                self.n_rows += len(target)

            def compute(self) -> Any:
                return {"share": super().compute(), "rows": self.n_rows}

        class Floor:
            def compute(self) -> Any:
                return super().compute() * 0 - 1  # type: ignore[misc]

        class Mixed(Floor, c.MulticlassAccuracy):  # type: ignore[misc, name-defined]
            pass

        class Remembering(c.MulticlassAccuracy):  # type: ignore[misc, name-defined]
            def __init__(self, num_classes: int) -> None:
                super().__init__(num_classes)
                self.n_resets = 0

            def reset(self) -> None:
                super().reset()
                self.n_resets += 1

        class Stubborn(c.MulticlassConfusionMatrix):  # type: ignore[misc, name-defined]
            def reset(self) -> None:
                pass

        self.overriding = [
            Stubborn,
            Percent,
            Halved,
            Twice,
            Again,
            Windowed,
            Counting,
            Mixed,
            Remembering,
        ]
        self.percent, self.counting, self.remembering = Percent, Counting, Remembering

        class Own(home.Metric):  # type: ignore[misc, name-defined]
            """A state of every reduction."""

            full_state_update = False

            def __init__(self, **kwargs: Any) -> None:
                super().__init__(**kwargs)
                self.add_state("total", torch.tensor(0.0), dist_reduce_fx="sum")
                self.add_state("mean", torch.tensor(0.0), dist_reduce_fx="mean")
                self.add_state("most", torch.tensor(-9.0), dist_reduce_fx="max")
                self.add_state("least", torch.tensor(9.0), dist_reduce_fx="min")
                self.add_state("rows", [], dist_reduce_fx="cat")
                self.add_state("kept", [], dist_reduce_fx=None)
                self.add_state("norm", torch.zeros(2), dist_reduce_fx=lambda x: x.norm(dim=0))

            def update(self, preds: Any, target: Any) -> None:
                values = preds[:, 0] - target
                self.total += values.sum()
                self.mean = values.mean()
                self.most = torch.maximum(self.most, values.max())
                self.least = torch.minimum(self.least, values.min())
                self.rows.append(values[:2])
                self.kept.append(values[2:3])
                self.norm = self.norm + values[:2].abs()

            def compute(self) -> Any:
                parts = [self.total, self.mean, self.most, self.least, self.norm.sum()]
                return torch.stack([*parts, *torch.cat([*self.rows, *self.kept]).sort().values])

        class Whole(Own):
            full_state_update = True

        class Unsaid(Own):
            full_state_update = None

        self.own, self.whole, self.unsaid = Own, Whole, Unsaid
        self.all_own = [Own, Whole, Unsaid]

    def made(self, kind: Any) -> Any:
        return kind(K) if kind in self.overriding else kind()


def n_batches(metric: Any) -> int:
    """What both count; torchmetrics counts 0 where `update` begins with `reset`."""
    return 1 if type(metric).__name__ == "Windowed" else int(metric.update_count)


def steps_of(metric: Any) -> list[Any]:
    """All that is done to a metric."""
    log: list[Any] = [metric(*batches()[0])]
    metric.update(*batches()[1])
    log += [metric.compute(), metric.compute(), n_batches(metric)]
    log += [metric(*batches()[2]), metric.compute(), n_batches(metric)]
    copy = metric.clone()
    copy.update(*batches()[0])
    log += [copy.compute(), n_batches(copy), metric.compute()]
    metric.reset()
    log += [metric.update_count, metric.update_called]
    metric.update(*batches()[2])
    return [*log, metric.compute(), copy.compute()]


def derived(name: str) -> Iterator[tuple[Any, Any]]:
    """Each class of one list, of karat and of torchmetrics."""
    ours, theirs = (Derived(home) for home in HOMES.values())
    for mine, other in zip(getattr(ours, name), getattr(theirs, name), strict=True):
        yield (ours, mine), (theirs, other)


def members(of: Derived, kinds: list[Any]) -> dict[str, Any]:
    """Metrics that share, and each class twice."""
    c = of.home.classification
    found = {"acc": c.MulticlassAccuracy(K), "f1": c.MulticlassF1Score(K, average=None)}
    for kind in kinds:
        found |= {f"{kind.__name__}_{i}": of.made(kind) for i in "ab"}
    return found


@pytest.mark.parametrize("name", ["overriding", "all_own"])
def test_a_derived_metric_does_what_it_does_with_torchmetrics(name: str) -> None:
    for (ours, mine), (theirs, other) in derived(name):
        assert plain(steps_of(ours.made(mine))) == plain(steps_of(theirs.made(other))), mine
        assert "update" not in vars(ours.made(mine))


@pytest.mark.parametrize("name", ["overriding", "all_own"])
@pytest.mark.parametrize("groups", [True, False])
def test_a_derived_metric_in_a_collection(name: str, groups: bool) -> None:
    for pair in derived(name):
        if groups and pair[0][1].__name__ == "Stubborn":
            continue  # torchmetrics feeds tensors that two metrics of a group share twice
        logs = []
        for of, kind in pair:
            made = of.home.MetricCollection(
                members(of, [kind]), prefix="val_", compute_groups=groups
            )
            log = steps_of_collection(made)
            copy = made.clone(prefix="test_")
            made.reset()
            copy.update(*batches()[1])
            logs.append([*log, copy.compute(), made(*batches()[0])])
        ours, theirs = map(plain, logs)
        assert len(ours) == len(theirs) > 5
        for mine, other in zip(ours, theirs, strict=True):
            assert mine == other


def steps_of_collection(made: Any) -> list[Any]:
    log = [made(*batches()[0]), made.compute()]
    made.update(*batches()[1])
    log += [made.compute(), made(*batches()[2]), made.compute()]
    log += [{name: metric.compute() for name, metric in made.items()}]
    return [*log, {name: n_batches(metric) for name, metric in made.items()}]


def test_percent_is_the_case_that_was_found() -> None:
    """83.33, not 0.8333: by itself, from `forward` and in a collection that shares a tally."""
    of = Derived(karat_torchmetrics)
    preds, target = torch.tensor([0, 1, 2, 0, 1, 1]), torch.tensor([0, 1, 2, 0, 1, 2])
    alone = of.percent(K, average="micro")
    assert alone(preds, target).item() == pytest.approx(500 / 6)
    both = karat_torchmetrics.MetricCollection(
        {
            "own": of.percent(K, average="micro"),
            "plain": of.home.MulticlassAccuracy(K, average="micro"),
        }
    )
    assert both.compute_groups == {0: ["own", "plain"]}
    for found in (both(preds, target), both.compute()):
        assert found == {"own": pytest.approx(500 / 6), "plain": pytest.approx(5 / 6)}


def test_overrides_decide_who_shares() -> None:
    of = Derived(karat_torchmetrics)
    made = karat_torchmetrics.MetricCollection(members(of, of.overriding))
    groups = sorted(map(sorted, made.compute_groups.values()))
    shared = ["Mixed_a", "Mixed_b", "Percent_a", "Percent_b", "acc", "f1"]
    assert [group for group in groups if len(group) > 1] == [shared]
    assert len(groups) == 1 + 2 * 7


def test_a_verb_set_on_an_instance_is_called() -> None:
    logs = []
    for home in HOMES.values():
        metric = home.classification.MulticlassAccuracy(K)
        other = home.classification.MulticlassRecall(K)
        metric.compute = lambda: torch.tensor(42.0)
        made = home.MetricCollection({"a": metric, "b": other})
        made.update(*batches()[0])
        logs.append(plain(made.compute()))
    assert logs[0] == logs[1]
    assert logs[0]["a"] == "torch.float32 4200000.0"


def test_values_in_a_dict_stand_by_themselves() -> None:
    logs = []
    for home in HOMES.values():
        of, log = Derived(home), []
        inner = home.MetricCollection({"c": of.counting(K)}, prefix="in_", postfix="_ner")
        for metrics in (
            {"one": of.counting(K), "acc": home.classification.MulticlassAccuracy(K)},
            {"one": of.counting(K), "two": of.counting(K)},
            {"nested": inner},
            [inner],
            {"nested": inner, "two": of.counting(K)},
        ):
            made = home.MetricCollection(deepcopy(metrics), prefix="val_", postfix="_x")
            log += [made(*batches()[0]), made.compute()]
        logs.append(plain(log))
    assert logs[0] == logs[1]


def test_merging_derived_metrics() -> None:
    logs = []
    for home in HOMES.values():
        of, log = Derived(home), []
        for kind in (of.percent, of.own):
            for is_dict in (False, True):
                first, second = of.made(kind), of.made(kind)
                first.update(*batches()[0])
                first.update(*batches()[0])
                second.update(*batches()[1])
                first.merge_state(second.metric_state if is_dict else second)
                value = first.compute()
                log += [value[[0, 2, 3, 4]] if value.ndim else value]
                log += [getattr(first, "rows", [])[-2:], second.compute()]
        logs.append(plain([one for one in log if not isinstance(one, list)]))
        for kind in (of.whole, of.unsaid):
            with pytest.raises(RuntimeError):
                of.made(kind).merge_state(of.made(kind))
        with pytest.raises(ValueError):  # noqa: PT011
            of.made(of.own).merge_state(of.percent(K))
        with pytest.raises(ValueError):  # noqa: PT011
            of.made(of.own).merge_state({"total": torch.tensor(1.0)})
        with pytest.raises(ValueError):  # noqa: PT011
            of.made(of.own).merge_state(3)
    assert logs[0] == logs[1]


def test_a_merged_mean_is_that_of_all_batches() -> None:
    """torchmetrics drops the other metric where the own one has seen one batch."""
    of, means = Derived(karat_torchmetrics), []
    first, second = of.own(), of.own()
    for metric, n in ((first, 1), (second, 2)):
        for rows in batches()[:n]:
            metric(*rows)
            means.append((rows[0][:, 0] - rows[1]).mean())
    first.merge_state(second)
    weights = [1 / 3] * 3
    assert float(first.mean) == pytest.approx(
        float(sum(w * m for w, m in zip(weights, means, strict=True)))
    )


def test_collections_of_derived_metrics_merge() -> None:
    of = Derived(karat_torchmetrics)
    kinds = [of.percent, of.counting, of.own]
    first, second, whole = (
        karat_torchmetrics.MetricCollection(members(of, kinds)) for _ in range(3)
    )
    for made, rows in ((first, batches()[0]), (second, batches()[1])):
        made.update(*rows)
        whole.update(*rows)
    first.merge_state(second)
    ours, wanted = first.compute(), whole.compute()
    for name in ("acc", "f1", "Percent_a", "Percent_b", "Counting_a_share", "Counting_a_rows"):
        assert torch.equal(ours[name], wanted[name]), name
    assert torch.equal(ours["Own_a"][[0, 2, 3]], wanted["Own_a"][[0, 2, 3]])
    with pytest.raises(KaratError, match="full_state_update = False"):
        karat_torchmetrics.MetricCollection([of.unsaid()]).merge_state(
            karat_torchmetrics.MetricCollection([of.unsaid()])
        )


def saved(of: Derived) -> list[Any]:
    log: list[Any] = []
    for name in ("own", "whole", "counting"):
        kind = getattr(of, name)
        first, second = of.made(kind), of.made(kind)
        first.update(*batches()[0])
        log += [list(first.state_dict())]
        first.persistent(True)
        second.load_state_dict(first.state_dict(), strict=False)
        first.update(*batches()[1])
        second.update(*batches()[1])
        log += [first.compute(), second.compute(), sorted(first.state_dict())[:0]]
        model = torch.nn.Module()
        model.metric, model.linear = first, torch.nn.Linear(2, 2)
        log += [sorted(key for key in model.state_dict() if "linear" in key)]
        before = str(first.n_rows.dtype if name == "counting" else first.total.dtype)
        model.half()
        first.half().float().double()
        log += [before, str((first.n_rows if name == "counting" else first.total).dtype)]
        first.set_dtype(torch.float64)
        log += [str((first.n_rows if name == "counting" else first.total).dtype), str(first.dtype)]
        log += [
            str(model.to("meta").metric.device),
            str(first.metric_state["n_rows" if name == "counting" else "total"].device),
        ]
        first.reset()
        log += [str((first.n_rows if name == "counting" else first.total).device)]
    return log


def test_what_was_converted_or_loaded_is_what_counts() -> None:
    logs = []
    for home in HOMES.values():
        of = Derived(home)
        first, second = of.own(), of.own()
        first.set_dtype(torch.float64)
        first.reset()
        log = [str(first.total.dtype), str(first.norm.dtype)]
        first.update(batches()[0][0].double(), batches()[0][1])
        first.persistent(True)
        second.update(*batches()[1])
        log += [second.compute()]
        second.load_state_dict(first.state_dict())
        second.rows = [row.float() for row in second.rows]
        second._computed = None  # torchmetrics goes on with what was computed before
        logs.append(plain([*log, second.compute()]))
    assert logs[0] == logs[1]


def test_a_state_that_is_added_is_reset_in_a_collection() -> None:
    for home in HOMES.values():

        class Noting(home.classification.MulticlassRecall):  # type: ignore[misc, name-defined]
            def __init__(self) -> None:
                super().__init__(K)
                self.add_state("n", torch.tensor(0), dist_reduce_fx="sum")

        made = home.MetricCollection({"a": Noting(), "b": home.classification.MulticlassRecall(K)})
        made.update(*batches()[0])
        made["a"].n += 7
        made.reset()
        assert made["a"].n == 0


def test_metrics_that_stay_apart_from_other_processes_share_with_their_like() -> None:
    t = karat_torchmetrics
    made = t.MetricCollection(
        {
            "a": t.MulticlassRecall(K, sync_on_compute=False),
            "b": t.MulticlassRecall(K),
            "c": t.MulticlassPrecision(K),
        }
    )
    assert made.compute_groups == {0: ["a"], 1: ["b", "c"]}


def test_derived_metrics_are_saved_moved_and_converted() -> None:
    ours, theirs = (plain(saved(Derived(home))) for home in HOMES.values())
    assert ours == theirs


class Rows(karat_torchmetrics.Metric):  # type: ignore[misc, name-defined]
    """At the top of a module, so that it can be pickled."""

    full_state_update = False

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.add_state("rows", [], dist_reduce_fx="cat")
        self.add_state("n", torch.tensor(0), dist_reduce_fx="sum", persistent=True)

    def update(self, preds: Any, target: Any, *, shift: float = 0.0) -> None:
        """Keep the first score."""
        self.rows.append(preds[:, 0] + shift)
        self.n += len(target)

    def compute(self) -> Any:
        """The mean."""
        return torch.cat(self.rows).sum() / self.n


class Thousandths(karat_torchmetrics.MulticlassRecall):  # type: ignore[misc, name-defined]
    """A value of karat's, in other units."""

    def compute(self) -> Any:
        """In thousandths."""
        return 1000 * super().compute()


def pickled(metric: Any) -> Any:
    return pickle.loads(pickle.dumps(metric))


def stored(metric: Any) -> Any:
    buffer = io.BytesIO()
    torch.save(metric, buffer)
    buffer.seek(0)
    return torch.load(buffer, weights_only=False)


@pytest.mark.parametrize("copied", [deepcopy, pickled, stored, lambda metric: metric.clone()])
def test_copies_of_derived_metrics_go_on(copied: Callable[[Any], Any]) -> None:
    made = karat_torchmetrics.MetricCollection(
        {"rows": Rows(), "th": Thousandths(K), "plain": karat_torchmetrics.MulticlassRecall(K)}
    )
    made.update(*batches()[0])
    before = made.compute()
    copy = copied(made)
    assert plain(copy.compute()) == plain(before)
    copy.update(*batches()[1])
    made.update(*batches()[1])
    assert plain(copy.compute()) == plain(made.compute())
    assert copy["rows"].update_count == 2
    assert copy.compute()["th"] == 1000 * copy.compute()["plain"]
    alone = copied(made["th"].clone())
    alone.reset()
    assert alone(*batches()[0]) == before["th"]


def test_keywords_go_to_the_metrics_that_know_them() -> None:
    made = karat_torchmetrics.MetricCollection(
        {"rows": Rows(), "plain": karat_torchmetrics.MulticlassRecall(K)}
    )
    preds, target = batches()[0]
    found = made(preds, target, shift=1.0, weights=torch.ones(20))
    assert found["rows"] == pytest.approx(1 + float(preds[:, 0].mean()))
    made.update(preds=preds, target=target, shift=1.0)
    assert plain(made.compute()["rows"]) == plain(found["rows"])
    for verb in (made, made.update):
        with pytest.raises(KaratError, match="K126") as caught:
            verb(preds, target, shft=1.0)
        assert "Nearest: shift=" in str(caught.value)
    assert made["rows"].update_count == 2


def test_a_batch_that_is_refused_is_in_no_metric() -> None:
    made = karat_torchmetrics.MetricCollection(
        {"rows": Rows(), "plain": karat_torchmetrics.MulticlassRecall(K)}
    )
    preds, target = batches()[0]
    for verb in (made, made.update):
        with pytest.raises(KaratError, match="K621  target"):
            verb(preds, target + 5)
    assert [metric.update_called for metric in made.values()] == [False, False]
    halved = Derived(karat_torchmetrics).overriding[2](K)
    with pytest.raises(KaratError, match="K621  target"):
        halved.update(preds, target + 5)
    assert halved.update_count == 0


def test_a_value_is_computed_once_until_rows_are_added() -> None:
    for home in HOMES.values():

        class Counted(home.classification.MulticlassAccuracy):  # type: ignore[misc, name-defined]
            n = 0

            def compute(self) -> Any:
                type(self).n += 1
                return super().compute()

        made = home.MetricCollection(
            {"a": Counted(K), "b": home.classification.MulticlassRecall(K)}
        )
        made.update(*batches()[0])
        for _ in range(3):
            made.compute()
        assert Counted.n == 1
        made.update(*batches()[1])
        made.compute()
        assert Counted.n == 2
        never = Counted(K, compute_with_cache=False)
        never.update(*batches()[0])
        never.compute()
        never.compute()
        assert Counted.n == 4


def test_a_value_is_no_state() -> None:
    """What is done to a value does not reach the state, nor a graph the states of later batches."""
    for home in HOMES.values():

        class Total(home.Metric):  # type: ignore[misc, name-defined]
            full_state_update = False

            def __init__(self) -> None:
                super().__init__()
                self.add_state("total", torch.tensor(0.0), dist_reduce_fx="sum")

            def update(self, x: Any) -> None:
                self.total += x.sum()

            def compute(self) -> Any:
                return self.total

        metric, x = Total(), torch.ones(3, requires_grad=True)
        value = metric(x)
        value.backward()
        assert x.grad.tolist() == [1, 1, 1]
        assert not metric.total.requires_grad
        metric.update(x)
        assert not metric.total.requires_grad
        found = metric.compute()
        found += 100
        assert metric.total.item() == 6
        assert metric.reset() is None
        assert Total().total.item() == 0


@pytest.mark.parametrize(
    "wrong", [("n", 3), ("n", [1]), ("n", torch.tensor(0), "median"), ("n", [], 3)]
)
def test_states_that_cannot_be_are_refused(wrong: tuple[Any, ...]) -> None:
    for home in HOMES.values():
        metric = Derived(home).own()
        with pytest.raises(ValueError) as caught:  # noqa: PT011
            metric.add_state(*wrong)
        if home is karat_torchmetrics:
            assert caught.value.code == "K122"  # type: ignore[attr-defined]
