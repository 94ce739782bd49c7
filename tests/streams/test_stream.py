"""What a stream does besides adding rows: windows, threads, memory, bytes, settings."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import karat
from karat.errors import KaratError
from tests.grouping import grouped
from tests.optional import optional
from tests.streams.batches import Rows, assert_reports


def labels(n: int = 60, seed: int = 0, k: int = 3) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, k, n), rng.integers(0, k, n)


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32), width=st.integers(1, 4))
def test_a_window_moves_on(seed: int, width: int) -> None:
    rng = np.random.default_rng(seed)
    parts = [tuple(rng.integers(0, 3, (2, int(rng.integers(1, 9))))) for _ in range(8)]
    streams = [karat.Stream(labels=[0, 1, 2]) for _ in parts]
    for stream, part in zip(streams, parts, strict=True):
        stream.update(*part)
    window = karat.Stream(labels=[0, 1, 2])
    for i, stream in enumerate(streams):
        window.merge(stream)
        if i >= width:
            window.subtract(streams[i - width])
        held = parts[max(0, i - width + 1) : i + 1]
        rows = [np.concatenate([part[side] for part in held]) for side in (0, 1)]
        assert_reports(window.report(), karat.evaluate(*rows, labels=[0, 1, 2]))


@pytest.mark.parametrize("kind", ["dense", "marginals", "sparse"])
def test_a_window_of_discovered_classes_has_those_of_its_rows(kind: str) -> None:
    k = {"dense": 8, "marginals": 400, "sparse": 5_000}[kind]
    rng = np.random.default_rng(1)
    lower, upper = (rng.integers(first, first + k // 2, (2, k)) for first in (0, k // 3))
    one, other, window = karat.Stream(), karat.Stream(), karat.Stream()
    one.update(*lower)
    other.update(*upper)
    window.merge(one).merge(other).subtract(one)
    assert_reports(window.report(), karat.evaluate(*upper))
    assert window.n_rows == k
    assert window.subtract(other).n_rows == 0
    with pytest.raises(KaratError, match="K101"):
        window.report()
    window.update(*lower)
    assert_reports(window.report(), karat.evaluate(*lower))


@pytest.mark.parametrize("kind", ["labels", "rows", "tables"])
def test_a_reset_stream_is_a_new_one(kind: str) -> None:
    settings: Any = {"labels": [0, 1], "reading": karat.Reading(max_memory=1 << 20), "level": None}
    stream, rng = karat.Stream(**grouped(settings)), np.random.default_rng(0)
    n = 200_000 if kind == "tables" else 20
    y, p = rng.integers(0, 2, n), rng.random(n)
    stream.update(y, **({"y_pred": y} if kind == "labels" else {"y_prob": p}))
    stream.reset()
    assert stream.n_rows == 0
    assert (
        stream.to_bytes()
        == karat.Stream(
            labels=[0, 1], reading=karat.Reading(max_memory=1 << 20), level=None
        ).to_bytes()
    )
    stream.update([0, 1, 1], y_prob=[0.25, 0.5, 0.75])
    wanted = karat.evaluate([0, 1, 1], y_prob=[0.25, 0.5, 0.75], labels=[0, 1], level=None)
    assert_reports(stream.report(), wanted)


def test_what_was_not_merged_cannot_be_taken_away() -> None:
    stream, other = karat.Stream(), karat.Stream()
    stream.update(["a", "b"], ["a", "b"])
    other.update(["c"], ["a"])
    before = stream.to_bytes()
    with pytest.raises(KaratError, match="K208"):
        stream.subtract(other)
    with pytest.raises(KaratError, match="K208"):
        karat.Stream().subtract(stream)
    assert stream.to_bytes() == before
    stream.merge(other).subtract(other)
    assert_reports(stream.report("accuracy"), stream.report("accuracy"))
    assert stream.report().confusion.matrix.sum() == 2
    assert stream.subtract(karat.Stream()).n_rows == 2


def test_sums_are_not_taken_away() -> None:
    weighted, scored = karat.Stream(), karat.Stream()
    weighted.update([0, 1], [0, 1], weights=[1, 2])
    scored.update([0, 1], y_prob=[0.5, 0.25])
    for stream in (weighted, scored):
        before = stream.to_bytes()
        for other in (stream, pickle.loads(pickle.dumps(stream))):
            with pytest.raises(KaratError, match="K217"):
                stream.subtract(other)
        assert stream.to_bytes() == before
    with pytest.raises(KaratError, match="K217"):
        karat.Stream().subtract(scored)


@pytest.mark.parametrize("kind", ["labels", "rows", "tables"])
def test_eight_threads_update_merge_and_report(kind: str) -> None:
    """Every row is counted once, no report is torn, and nothing waits for ever."""
    n, n_batches = (4_000 if kind == "tables" else 200), 24
    options: dict[str, Any] = {"labels": [0, 1], "level": None, "metrics": ["accuracy"]}
    options |= {"reading": karat.Reading(max_memory=1 << 20)}
    stream, side = karat.Stream(**grouped(options)), karat.Stream(**grouped(options))
    batches = []
    for seed in range(8 * n_batches):
        y, pred = labels(n, seed, 2)
        prob = np.random.default_rng(seed).random(n)
        batches.append({"y_true": y, "y_prob": prob})
        if kind == "labels":
            batches[-1] = {"y_true": y, "y_pred": pred}
    stream.update(**batches[0])
    faults: list[BaseException] = []

    def guarded(work: Callable[[int], None]) -> Callable[[int], None]:
        def done(i: int) -> None:
            try:
                work(i)
            except BaseException as problem:  # a thread keeps what it raises to itself
                faults.append(problem)

        return done

    @guarded
    def work(i: int) -> None:
        mine = karat.Stream(**grouped(options))
        for number, batch in enumerate(batches[i * n_batches : (i + 1) * n_batches]):
            if number % 3 == 0:
                stream.update(**batch)
            elif number % 3 == 1:
                mine.update(**batch)
                stream.merge(mine)
                mine = karat.Stream(**grouped(options))
            else:
                side.update(**batch)
            if number % 8 == 0:
                report = stream.report()
                assert report.n_rows % n == 0
                assert report.cells.matrix().sum() == report.n_rows
                karat.Stream.from_bytes(side.to_bytes())
                repr(stream)

    workers = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    assert not faults
    # Merged both ways at once: no lock waits for another.
    one, other = (
        karat.Stream(**grouped(options)).merge(stream),
        karat.Stream(**grouped(options)).merge(side),
    )
    both = [threading.Thread(target=a.merge, args=(b,)) for a, b in ((one, other), (other, one))]
    for worker in both:
        worker.start()
    for worker in both:
        worker.join(60)
        assert not worker.is_alive()
    stream.merge(side)
    assert stream.n_rows == n * (8 * n_batches + 1)
    whole = {name: np.concatenate([batch[name] for batch in [batches[0], *batches]])
             for name in batches[0]}  # fmt: skip
    wanted = karat.evaluate(**grouped(whole), labels=[0, 1], level=None, metrics=["accuracy"])
    assert (stream.report().cells.matrix() == wanted.cells.matrix()).all()


def test_a_stream_merged_into_itself_has_its_rows_twice() -> None:
    stream = karat.Stream()
    stream.update([0, 1, 1], y_prob=[0.25, 0.5, 0.75])
    stream.merge(stream)
    assert stream.n_rows == 6
    assert stream.report()["accuracy"].value == 2 / 3


def test_arrays_may_change_after_they_were_given() -> None:
    y, p, w = np.array([0, 1]), np.array([0.25, 0.75]), np.array([1.0, 2.0])
    stream = karat.Stream(level=None)
    stream.update(y, y, y_prob=p, weights=w)
    wanted = stream.report()
    for array in (y, p, w):
        array[:] = 0
    assert_reports(stream.report(), wanted)


MEMORY = """
from pathlib import Path
import numpy as np
import karat
def peak():
    # A child's ru_maxrss starts at its parent's; the high-water mark of /proc is its own.
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
stream = karat.Stream(
    reading=karat.Reading(max_memory=32 << 20), labels=[0, 1], level=None
)
rng = np.random.default_rng(0)
def batch():
    y = rng.integers(0, 2, 500_000)
    return y, rng.random(500_000) * 0.7 + 0.3 * y
stream.update(*batch()[:1], y_prob=batch()[1])
before = peak()
for _ in range(39):
    y, p = batch()
    stream.update(y, y_prob=p)
report = stream.report("roc_auc")
assert report.n_rows == 20_000_000
low, high = report["roc_auc"].bound
assert high - low < 1e-4, (low, high)
print((peak() - before) >> 10)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_memory_is_bounded() -> None:
    """2·10^7 rows of 12 bytes are 229 MiB: of them 32 are kept, and as much works on them."""
    done = subprocess.run(
        [sys.executable, "-c", MEMORY], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 160, done.stdout


def test_metrics_are_those_of_the_stream_or_of_the_call() -> None:
    y, p = labels(40, k=2)[0], np.random.default_rng(1).random(40)
    stream = karat.Stream(metrics=["f1", "roc_auc"])
    stream.update(y, y_prob=p)
    assert list(stream.report()) == ["f1", "roc_auc"]
    assert list(stream.report("log_loss")) == ["log_loss"]
    assert list(stream.report(["accuracy", "f_beta(beta=2)"])) == ["accuracy", "f_beta(beta=2)"]
    rows = Rows({"y_true": y, "y_prob": p}, {"metrics": ["f1", "roc_auc"]})
    assert_reports(karat.Stream.from_bytes(stream.to_bytes()).report(), rows.evaluate())


def test_classes_have_the_names_of_the_stream() -> None:
    for names in ({0: "no", 1: "yes"}, ["no", "yes"]):
        stream = karat.Stream(labels=karat.Labels(names=names))
        stream.update([0, 1, 1], [0, 1, 0])
        for one in (stream, pickle.loads(pickle.dumps(stream))):
            assert one.report().classes.display == ("no", "yes")


def test_batches_that_weigh_nothing_are_rows() -> None:
    for batch in ({"y_pred": [1, 0]}, {"y_prob": [0.25, 0.5]}):
        stream = karat.Stream(level=None)
        stream.update([0, 1], **batch, weights=[0, 0])
        stream.update([1, 0], **batch, weights=[1, 0.5])
        stream.update([1, 1], **batch, weights=[0, 0])
        whole = {name: column * 3 for name, column in batch.items()}
        wanted = karat.evaluate([0, 1, 1, 0, 1, 1], **grouped(whole), weights=[0, 0, 1, 0.5, 0, 0],
                                level=None)  # fmt: skip
        assert_reports(stream.report(), wanted)


def test_weights_that_are_numbers_of_rows_err_as_rows_do() -> None:
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 120_000)
    columns = {
        "y_true": y,
        "y_prob": np.round(rng.random(120_000) * 0.6 + 0.3 * y, 3),
        "weights": rng.integers(0, 4, 120_000).astype(float),
    }
    names = ["accuracy", "log_loss", "brier", "roc_auc", "average_precision"]
    rows = Rows(columns, {"metrics": names, "weights_are": "frequency"})
    wanted, found = (
        rows.evaluate(),
        rows.streamed(rng, 5, reading=karat.Reading(max_memory=1 << 20)).report(),
    )
    assert not found.bounds
    for name in names:
        for fact in ("value", "low", "high"):
            one, other = getattr(found[name], fact), getattr(wanted[name], fact)
            assert one == pytest.approx(other, rel=1e-9), (name, fact)
    stream = karat.Stream(reading=karat.Reading(max_memory=1 << 20))
    stream.update(**columns | {"weights": karat.Frequency(columns["weights"] + 0.5)})
    with pytest.raises(KaratError, match="K150"):
        stream.report()


def test_frames_tensors_and_lists_are_batches() -> None:
    pandas, polars = optional("pandas"), optional("polars")
    rng = np.random.default_rng(6)
    y, p = np.array(["a", "b", "c"])[np.arange(30) % 3], rng.dirichlet([1, 1, 1], 30)
    wanted = karat.evaluate(y, y_prob=p, level=None)
    kinds: list[Callable[[Any, Any], dict[str, Any]]] = [
        lambda y, p: {"y_true": y.tolist(), "y_prob": p.tolist()},
        lambda y, p: {"y_true": pandas.Series(y), "y_prob": pandas.DataFrame(p)},
        lambda y, p: {"y_true": pandas.Categorical(y),
                      "y_prob": pandas.DataFrame(p[:, [2, 0, 1]], columns=["c", "a", "b"])},
        lambda y, p: {"y_true": polars.Series(y), "y_prob": polars.DataFrame(p)},
        lambda y, p: {"y_true": polars.Series(y),
                      "y_prob": polars.DataFrame(p, schema=["p_a", "p_b", "p_c"])},
    ]  # fmt: skip
    stream = karat.Stream(level=None)
    for part, kind in zip(np.array_split(np.arange(30), len(kinds)), kinds, strict=True):
        stream.update(**kind(y[part], p[part]))
    assert_reports(stream.report(), wanted)


def test_columns_that_are_named_have_their_classes_before_these_come() -> None:
    pandas = optional("pandas")
    frame = pandas.DataFrame([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]], columns=["c", "a", "b"])
    stream = karat.Stream(level=None)
    stream.update(["c", "b"], y_prob=frame)
    assert_reports(
        stream.report(["accuracy", "log_loss"]),
        karat.evaluate(["c", "b"], y_prob=frame, level=None, metrics=["accuracy", "log_loss"]),
    )


def test_tensors_are_batches() -> None:
    torch = optional("torch")
    y, pred = labels(30)
    logits = np.random.default_rng(1).normal(size=(30, 3)).astype(np.float32)
    stream, scored = karat.Stream(level=None), karat.Stream(level=None, labels=[0, 1, 2])
    for part in np.array_split(np.arange(30), 4):
        stream.update(torch.tensor(y[part]), torch.tensor(pred[part]))
        with_graph = torch.tensor(logits[part], requires_grad=True)
        scored.update(torch.tensor(y[part]), y_score=with_graph)
    assert_reports(stream.report(), karat.evaluate(y, pred, level=None))
    assert_reports(scored.report(), karat.evaluate(y, y_score=logits, labels=[0, 1, 2], level=None))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_forked_process_goes_on_while_another_thread_had_the_lock() -> None:
    stream = karat.Stream()
    stream.update([0, 1], [0, 1])
    is_held, may_go = threading.Event(), threading.Event()

    def hold() -> None:
        with stream._lock:
            is_held.set()
            may_go.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    assert is_held.wait(60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forks of threads are what this is of
        child = os.fork()
    if not child:
        signal.alarm(30)
        stream.update([1], [1])
        os._exit(stream.n_rows)
    _, status = os.waitpid(child, 0)
    may_go.set()
    holder.join()
    assert os.waitstatus_to_exitcode(status) == 3
    assert stream.n_rows == 2
