"""Collections of `karat.compat.torchmetrics`: equal to single metrics, a row read once a need."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from karat.errors import KaratError
from tests.optional import optional

torch = optional("torch")
karat_torchmetrics = optional("karat.compat.torchmetrics")
label_needs = optional("karat.compat.torchmetrics.labels")
scored = optional("karat.compat.torchmetrics.scores")
MetricCollection = karat_torchmetrics.MetricCollection

K = 4


def ten() -> dict[str, Any]:
    """Ten metrics of one confusion matrix."""
    t = karat_torchmetrics
    return {
        "accuracy": t.MulticlassAccuracy(K),
        "hits": t.MulticlassAccuracy(K, average="micro"),
        "f1": t.MulticlassF1Score(K),
        "f2": t.MulticlassFBetaScore(2.0, K, average="weighted"),
        "precision": t.MulticlassPrecision(K),
        "recall": t.MulticlassRecall(K, average=None),
        "specificity": t.MulticlassSpecificity(K),
        "cells": t.MulticlassConfusionMatrix(K),
        "kappa": t.MulticlassCohenKappa(K, weights="quadratic"),
        "jaccard": t.MulticlassJaccardIndex(K),
    }


def curves() -> dict[str, Any]:
    t = karat_torchmetrics
    return {
        "area": t.MulticlassAUROC(K, thresholds=50),
        "steps": t.MulticlassAveragePrecision(K, thresholds=50),
        "exact": t.MulticlassAUROC(K),
        "exact steps": t.MulticlassAveragePrecision(K),
        "ece": t.MulticlassCalibrationError(K),
        "first two": t.MulticlassAccuracy(K, top_k=2),
    }


def batches(n: int = 3) -> list[tuple[Any, Any]]:
    made = torch.Generator().manual_seed(7)
    return [
        (torch.rand((50, K), generator=made).softmax(1), torch.randint(0, K, (50,), generator=made))
        for _ in range(n)
    ]


def passes(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts the rows' readings by kind of tally from here on."""
    counted: Counter[str] = Counter()
    for home in (label_needs.ClassCells, scored.BinnedScores, scored.KeptScores):

        def tally(self: Any, *args: Any, own: Callable[..., Any] = home.tally) -> Any:
            counted[type(self).__name__] += 1
            return own(self, *args)

        monkeypatch.setattr(home, "tally", tally)
    return counted


def test_ten_metrics_of_one_matrix_read_each_batch_once(monkeypatch: pytest.MonkeyPatch) -> None:
    together, alone = MetricCollection(ten()), ten()
    counted = passes(monkeypatch)
    for preds, target in batches():
        together.update(preds, target)
    assert counted == {"ClassCells": 3}
    for preds, target in batches():
        for metric in alone.values():
            metric.update(preds, target)
    assert counted == {"ClassCells": 33}
    assert together.compute_groups == {0: sorted(ten())}
    found = together.compute()
    for name, metric in alone.items():
        assert torch.equal(found[name], metric.compute()), name


def test_curves_share_what_they_need_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    together, alone = MetricCollection({**ten(), **curves()}), {**ten(), **curves()}
    counted = passes(monkeypatch)
    values = [together(preds, target) for preds, target in batches()]
    assert counted == {"ClassCells": 6, "BinnedScores": 3, "KeptScores": 3}
    for name, metric in alone.items():
        for (preds, target), value in zip(batches(), values, strict=True):
            assert torch.equal(metric(preds, target), value[name]), name
        assert torch.equal(together.compute()[name], metric.compute()), name


def test_sharing_does_not_depend_on_data() -> None:
    """Equal states of different needs, which torchmetrics would merge: one batch without ties."""
    t = karat_torchmetrics
    both = MetricCollection(
        {"all": t.MulticlassRecall(2), "some": t.MulticlassRecall(2, ignore_index=1)}
    )
    assert both.compute_groups == {0: ["all"], 1: ["some"]}
    both.update(torch.tensor([0, 0]), torch.tensor([0, 0]))
    both.update(torch.tensor([0, 1]), torch.tensor([1, 1]))
    assert both.compute_groups == {0: ["all"], 1: ["some"]}
    assert both.compute() == {"all": 0.75, "some": 1.0}


def test_a_collection_without_groups_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = MetricCollection(ten(), compute_groups=False)
    counted = passes(monkeypatch)
    shared = MetricCollection(ten(), compute_groups=[["f1", "recall"]])
    for preds, target in batches():
        plain.update(preds, target)
        shared.update(preds, target)
    assert counted == {"ClassCells": 33}
    other = shared.compute()
    assert all(torch.equal(value, other[name]) for name, value in plain.compute().items())


@pytest.mark.parametrize(
    "copied", [deepcopy, lambda c: pickle.loads(pickle.dumps(c)), MetricCollection.clone]
)
def test_a_copy_shares_within_itself_only(
    copied: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = MetricCollection(ten())
    first.update(*batches()[0])
    before = first.compute()
    second = copied(first)
    counted = passes(monkeypatch)
    second.update(*batches()[1])
    assert counted == {"ClassCells": 1}
    assert int(second.compute()["cells"].sum()) == 100
    assert torch.equal(first.compute()["cells"], before["cells"])


def test_reset_merge_and_move() -> None:
    first, second, whole = (MetricCollection(ten()) for _ in range(3))
    for collection, (preds, target) in zip((first, second), batches(2), strict=True):
        collection.update(preds, target)
        whole.update(preds, target)
    first.merge_state(second)
    assert all(torch.equal(v, whole.compute()[name]) for name, v in first.compute().items())
    first.reset()
    assert not any(metric.update_called for metric in first.values())
    first.update(*batches()[0])
    assert int(first.compute()["cells"].sum()) == 50
    assert {str(m.device) for m in first.to("meta").values()} == {"meta"}
    with pytest.raises(KaratError, match="same metrics and parameters"):
        whole.merge_state(MetricCollection(curves()))


def test_a_loaded_collection_shares_on() -> None:
    first, second = MetricCollection({**ten(), **curves()}), MetricCollection({**ten(), **curves()})
    first.update(*batches()[0])
    first.persistent()
    second.load_state_dict(first.state_dict(), strict=False)
    for collection in (first, second):
        collection.update(*batches()[1])
    found = second.compute()
    assert all(torch.allclose(v, found[name]) for name, v in first.compute().items())
    assert int(found["cells"].sum()) == 100


def test_names_are_those_of_torchmetrics() -> None:
    theirs = optional("torchmetrics")
    for home in (karat_torchmetrics, theirs.classification):
        kept = home if home is karat_torchmetrics else theirs
        nested = kept.MetricCollection([home.MulticlassRecall(K)], prefix="in_", postfix="_ner")
        made = kept.MetricCollection(
            [home.MulticlassAccuracy(K), nested], home.MulticlassF1Score(K), prefix="val/"
        )
        assert list(made) == [
            "val/MulticlassAccuracy",
            "val/MulticlassF1Score",
            "val/in_MulticlassRecall_ner",
        ] or list(made) == [
            "val/MulticlassAccuracy",
            "val/in_MulticlassRecall_ner",
            "val/MulticlassF1Score",
        ]
        named = kept.MetricCollection({"b": home.MulticlassRecall(K), "a": nested}, postfix="!")
        assert list(named.keys()) == ["a_in_MulticlassRecall_ner!", "b!"]
        assert list(named.keys(keep_base=True)) == ["a_in_MulticlassRecall_ner", "b"]
        assert list(named.clone(prefix="test/").keys())[1] == "test/b!"
        assert len(named) == 2
        assert "b" in named
        assert type(named["b!"]).__name__ == "MulticlassRecall"


def test_a_member_is_read_but_not_fed() -> None:
    together = MetricCollection(ten())
    together.update(*batches()[0])
    member = together["f1"]
    assert torch.equal(member.compute(), together.compute()["f1"])
    for act in (lambda: member.update(*batches()[0]), member.reset, lambda: member(*batches()[0])):
        with pytest.raises(KaratError, match="shares its tally with"):
            act()
    alone = member.clone()
    alone.update(*batches()[1])
    assert int(together.compute()["cells"].sum()) == 50
    assert int(alone.tally.sums["cells"].sum()) == 100


def test_a_metric_that_has_seen_rows_keeps_its_tally() -> None:
    fed = karat_torchmetrics.MulticlassConfusionMatrix(K)
    fed.update(*batches()[0])
    both = MetricCollection({"fed": fed, "new": karat_torchmetrics.MulticlassConfusionMatrix(K)})
    both.update(*batches()[1])
    assert int(both.compute()["fed"].sum()) == 100
    assert int(both.compute()["new"].sum()) == 50


def test_a_fed_collection_can_become_part_of_another() -> None:
    t = karat_torchmetrics
    first = MetricCollection(
        {"f1": t.MulticlassF1Score(K), "cells": t.MulticlassConfusionMatrix(K)}
    )
    first.update(*batches()[0])
    new = t.MulticlassConfusionMatrix(K)
    for shares in (True, False):
        whole = MetricCollection({"all": first.clone(), "new": new.clone()}, compute_groups=shares)
        whole.update(*batches()[1])
        found = whole.compute()
        assert (int(found["all_cells"].sum()), int(found["new"].sum())) == (100, 50)
        assert len(whole.compute_groups) == (2 if shares else 0)
    later = first.clone()
    later.add_metrics({"new": new})
    assert later.compute_groups == {0: ["cells", "f1"], 1: ["new"]}


def test_what_is_no_metric_of_karat_is_refused() -> None:
    foreign = optional("torchmetrics.classification").MulticlassAccuracy(K)
    t = karat_torchmetrics
    for wrong in (foreign, [foreign], {"a": foreign}, [t.MulticlassRecall(K)] * 2, None):
        with pytest.raises(KaratError, match="K621"):
            MetricCollection(wrong)
    with pytest.raises(KaratError, match="dict"):
        MetricCollection({"a": t.MulticlassRecall(K)}, t.MulticlassPrecision(K))
