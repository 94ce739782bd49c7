"""Nothing waits for the device before a stream is read; what is wrong is said then."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError
from tests.devices.rows import add, differences, labels, on_the_device, scores, torch, weights

N, K = 400, 3
WAITING = ("item", "cpu", "numpy", "tolist", "__bool__", "__int__", "__float__", "__array__",
           "nonzero", "unique", "__index__")  # fmt: skip


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Whatever would wait for a device is counted, and refused."""
    waited: list[str] = []

    def refused(name: str) -> Callable[..., Any]:
        def waits(*given: Any, **named: Any) -> Any:
            waited.append(name)
            raise AssertionError(f"{name} waits for the device")

        return waits

    with monkeypatch.context() as patch:
        for name in WAITING:
            patch.setattr(torch.Tensor, name, refused(name))
        for name in ("unique", "nonzero", "bincount", "masked_select", "equal", "allclose"):
            patch.setattr(torch, name, refused(name))
        yield waited


def stream(**settings: Any) -> karat.Stream:
    return karat.Stream(**{"labels": range(K), "level": None, **settings})


def batches() -> dict[str, dict[str, Any]]:
    """The arguments of an update of every kind."""
    true, pred = labels(N, K)
    _, prob = scores(N, K, "y_prob", torch.float32)
    _, logits = scores(N, K, "y_score", torch.bfloat16)
    w = weights(N)
    return {
        "labels": {"y_true": true, "y_pred": pred},
        "weighted": {"y_true": true, "y_pred": pred, "weights": w},
        "floats": {"y_true": true.double(), "y_pred": pred.float()},
        "prob": {"y_true": true, "y_prob": prob},
        "score": {"y_true": true, "y_score": logits, "weights": w},
        "both": {"y_true": true, "y_pred": pred, "y_prob": prob.double()},
    }


@pytest.mark.parametrize("kind", sorted(batches()))
@pytest.mark.parametrize("declared", [range(K), [2, 0, 1], [0, 5, 1, 2]])
def test_nothing_waits_in_update(kind: str, declared: Any, no_waiting: list[str]) -> None:
    if len(list(declared)) > K and kind in ("prob", "score", "both"):
        declared = [1, 2, 0]
    given = batches()[kind]
    tallied = stream(labels=list(declared))
    with on_the_device():
        for _ in range(3):
            tallied.update(**given)
    assert tallied.n_rows == 3 * N
    assert no_waiting == []


def test_the_guard_sees_who_waits(no_waiting: list[str]) -> None:
    tallied = karat.Stream()
    with on_the_device(), pytest.raises(AssertionError, match="waits"):
        tallied.update(**batches()["labels"])
    assert no_waiting


def test_a_model_is_not_kept() -> None:
    true, _ = labels(N, K)
    layer = torch.nn.Linear(4, K)
    tallied = stream()
    with on_the_device():
        for _ in range(3):
            hidden = layer(torch.ones(N, 4))
            logits = hidden * hidden  # whose graph holds what it was made of
            assert logits.requires_grad
            tallied.update(true, y_score=logits)
            seen = [weakref.ref(hidden), weakref.ref(logits)]
            del hidden
            assert seen[0]() is not None
            del logits
            gc.collect()
            assert [one() for one in seen] == [None, None]
    assert tallied.report(["accuracy"])["accuracy"].n == 3 * N


def test_what_the_caller_writes_afterwards_is_not_seen() -> None:
    for name, rows in batches().items():
        given = {key: item.clone() for key, item in rows.items()}
        tallied, kept = stream(), stream()
        with on_the_device():
            tallied.update(**given)
            kept.update(**{key: item.clone() for key, item in given.items()})
        for item in given.values():
            item.zero_()
        assert differences(tallied.report(), kept.report()) == [], name


@pytest.mark.parametrize("kind", sorted(batches()))
def test_within_whatever_the_caller_does(kind: str) -> None:
    given = batches()[kind]
    expected = add(stream(), **{**given, "y_pred": given.get("y_pred")}).report()
    with on_the_device():
        found = [stream() for _ in range(4)]
        with torch.inference_mode():
            found[0].update(**{key: item.clone() for key, item in given.items()})
            found[0].update(**given)
        found[0].update(**given)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            found[1].update(**given)
            _ = found[1].report()
            found[1].update(**given)
        torch.set_default_dtype(torch.float64)
        try:
            found[2].update(**given)
        finally:
            torch.set_default_dtype(torch.float32)
        torch.use_deterministic_algorithms(mode=True)
        try:
            found[3].update(**given)
            assert differences(found[3].report(), expected) == []
        finally:
            torch.use_deterministic_algorithms(mode=False)
    for times, one in zip((3, 2, 1, 1), found, strict=True):
        whole = stream()
        for _ in range(times):
            add(whole, **{**given, "y_pred": given.get("y_pred")})
        assert differences(one.report(), whole.report()) == []


def spoiled(name: str, row: int, value: Any, kind: str = "prob") -> dict[str, Any]:
    given = {key: item.clone() for key, item in batches()[kind].items()}
    given[name][row] = torch.as_tensor(value, dtype=given[name].dtype)
    return given


WRONG = {
    "a class that is none": spoiled("y_true", 7, 5),
    "a negative class": spoiled("y_pred", 9, -1, "labels"),
    "both sides": {**spoiled("y_true", 390, 77, "labels"), "y_pred": torch.full((N,), 9)},
    "no whole number": spoiled("y_true", 11, 0.5, "floats"),
    "a missing label": spoiled("y_pred", 12, np.nan, "floats"),
    "a large label": spoiled("y_true", 13, 1e9, "floats"),
    "NaN": spoiled("y_prob", 15, [0.5, np.nan, 0.5]),
    "infinity": spoiled("y_score", 16, [np.inf, 0.0, 0.0], "score"),
    "infinite and too large": spoiled("y_prob", 17, [-1.0, np.inf, 0.5]),
    "below zero": spoiled("y_prob", 18, [-0.25, 0.75, 0.5]),
    "no sum of 1": spoiled("y_prob", 19, [0.5, 0.75, 0.5]),
    "a negative weight": spoiled("weights", 21, -1.0, "weighted"),
    "an infinite weight": spoiled("weights", 22, np.inf, "weighted"),
    "weights of scores": spoiled("weights", 22, np.nan, "score"),
}


def error_of(call: Callable[[], Any]) -> KaratError:
    with pytest.raises(KaratError) as found:
        call()
    return found.value


@pytest.mark.parametrize("name", sorted(WRONG))
def test_what_is_wrong_is_said_as_the_host_says_it(name: str) -> None:
    given, right = WRONG[name], batches()
    expected = error_of(lambda: stream().update(**given))
    kind = "weighted" if "weights" in given else "labels"
    if "y_prob" in given or "y_score" in given:
        kind = "prob" if "y_prob" in given else "score"
    tallied, before = stream(), right[kind]
    with on_the_device():
        for one in (before, given, before, {**given}):
            tallied.update(**one)
        for read in (
            tallied.report,
            tallied.to_bytes,
            lambda: stream().merge(tallied),
            lambda: tallied.merge(stream()),
            tallied.report,
        ):
            assert str(error_of(read)) == str(expected)
        once = error_of(lambda: karat.evaluate(**given, labels=range(K), level=None))
        assert (str(once), once.code) == (str(expected), expected.code)


def test_the_first_of_many_bad_rows_is_named() -> None:
    given = batches()["prob"]
    given["y_prob"][30:50] = torch.tensor([0.5, 0.75, 0.5])
    given["y_prob"][20:25] = torch.tensor([0.5, np.inf, -0.5])
    given["y_prob"][22:28, 2] = -1.0
    with on_the_device():
        found = error_of(lambda: karat.evaluate(**given, labels=range(K)))
    assert str(found) == str(error_of(lambda: stream().update(**given)))


@pytest.mark.parametrize("kind", ["weighted", "score"])
def test_rows_that_weigh_nothing(kind: str) -> None:
    given = {**batches()[kind], "weights": torch.zeros(N)}
    expected = error_of(lambda: karat.evaluate(**given))
    assert expected.code == "K115"
    tallied, whole = stream(), stream()
    with on_the_device():
        assert str(error_of(lambda: karat.evaluate(**given))) == str(expected)
        # Beside others they may.
        tallied.update(**given)
        tallied.update(**batches()[kind])
    whole.update(**batches()[kind])
    found = tallied.report(["macro_f1"])
    assert found["macro_f1"].value == whole.report()["macro_f1"].value
    assert tallied.n_rows == 2 * N


def test_a_refused_batch_leaves_no_classes() -> None:
    tallied, true = karat.Stream(), torch.tensor([7, 8])
    with on_the_device():
        assert error_of(lambda: tallied.update(true, true, weights=-true)).code == "K113"
        tallied.update(torch.tensor([1, 2]), torch.tensor([1, 3]))
    assert tallied.report().classes.labels == (1, 2, 3)


def test_a_stream_that_discovers_its_classes_refuses_a_batch_whole() -> None:
    given, wrong = batches()["prob"], WRONG["NaN"]
    found, expected = karat.Stream(level=None), karat.Stream(level=None)
    with on_the_device():
        found.update(**given)
        assert str(error_of(lambda: found.update(**wrong))) == str(
            error_of(lambda: expected.update(**wrong))
        )
        found.update(**given)
    for _ in range(2):
        expected.update(**given)
    assert found.n_rows == 2 * N
    assert differences(found.report(), expected.report()) == []


def test_batches_of_another_kind_are_refused_when_they_come() -> None:
    right = batches()
    prob = right["prob"]
    for first, second, code in (
        (right["labels"], prob, "K180"),
        (prob, right["labels"], "K180"),
        (prob, {"y_true": prob["y_true"], "y_score": prob["y_prob"]}, "K202"),
        (prob, right["both"], "K202"),
        (prob, {**prob, "weights": torch.ones(N)}, "K203"),
        (right["labels"], right["weighted"], "K203"),
        (prob, {"y_true": prob["y_true"], "y_prob": prob["y_prob"][:, :2]}, "K134"),
        (prob, {"y_true": prob["y_true"][1:], "y_prob": prob["y_prob"]}, "K102"),
    ):
        tallied = stream()
        with on_the_device():
            tallied.update(**first)
            assert error_of(lambda given=second, one=tallied: one.update(**given)).code == code
        assert tallied.n_rows == N
        again = stream()
        again.update(**{key: item.numpy() for key, item in first.items()})
        if code != "K102":
            with on_the_device():
                assert error_of(lambda given=second, one=again: one.update(**given)).code == code


def test_threads_add_to_one_stream() -> None:
    given, tallied = batches()["labels"], stream()

    def work() -> None:
        with on_the_device():
            for _ in range(10):
                tallied.update(**given)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert tallied.report()["accuracy"].n == 40 * N


class Held:
    """An array of another library: memory that only DLPack hands over."""

    def __init__(self, tensor: Any, kind: int = 1) -> None:
        self.tensor, self.kind = tensor, kind

    def __dlpack__(self, **given: Any) -> Any:
        return self.tensor.__dlpack__(**given)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.kind, 0


class Unreadable:
    """An array on a device that nothing here can read."""

    def __dlpack__(self, **given: Any) -> Any:
        raise BufferError("no such device here")

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0


def test_arrays_come_in_through_dlpack() -> None:
    for name, given in batches().items():
        expected = stream()
        expected.update(**given)
        held = {key: Held(item) for key, item in given.items()}
        tallied, read = stream(), stream()
        with on_the_device():
            tallied.update(**held)
            assert tallied._devices.n_rows == N
        assert differences(tallied.report(), expected.report()) == [], name
        if name != "score":  # NumPy has no bfloat16
            read.update(**held)
            assert read._devices.n_rows == 0
            assert differences(read.report(), expected.report()) == [], name
    true, pred = (column.numpy() for column in labels(N, K))
    tallied = stream()
    tallied.update(Held(torch.from_numpy(true)), pred)
    assert tallied.report()["accuracy"].value == np.mean(true == pred)


def test_what_nobody_can_read_is_refused() -> None:
    true, _ = labels(N, K)
    found = error_of(lambda: stream().update(true, Unreadable()))
    assert found.code == "K106"
    assert "no such device" in str(found)
    assert error_of(lambda: stream().update(true, y_prob=Unreadable())).code == "K130"


class OfCupy:
    """An array of CuPy where no torch can reach its device: copied only when it is told to."""

    __module__ = "cupy"

    def __init__(self, values: Any) -> None:
        self.values = values
        self.ndim, self.shape, self.dtype = values.ndim, values.shape, values.dtype

    def __array__(self, *given: Any, **named: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed")

    def __dlpack__(self, **given: Any) -> Any:
        raise BufferError("no such device here")

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0

    def get(self) -> Any:
        return self.values


def test_arrays_that_torch_cannot_reach_are_copied_to_the_host() -> None:
    for name, rows in batches().items():
        if name == "score":  # NumPy has no bfloat16
            continue
        given = {key: item.numpy() for key, item in rows.items()}
        copied, expected = stream(), stream()
        copied.update(**{key: OfCupy(item) for key, item in given.items()})
        expected.update(**given)
        assert differences(copied.report(), expected.report()) == [], name
