"""One process of a group: what it adds to its stream, and what it holds in the end."""

from __future__ import annotations

import copy
import hashlib
import sys
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.errors import KaratError
from tests.devices.rows import add, labels, on_the_device, scores, torch

N, K = 70_000, 3
SHARES = {0: slice(0, 0), 1: slice(0, N)}
UNEVEN = {0: slice(0, 15_000), 1: slice(15_000, N)}


def streams(rank: int | None) -> dict[str, karat.Stream]:
    """The streams of a rank by name; None: of one process that adds all rows."""

    def part(shares: dict[int, slice]) -> slice:
        return slice(0, N) if rank is None else shares[rank]

    made: dict[str, karat.Stream] = {}
    true, pred = labels(N, K)
    _, prob = scores(N, K, "y_prob", torch.float32)
    _, logits = scores(N, K, "y_score", torch.bfloat16)
    small: dict[str, Any] = {
        "labels": range(K),
        "reading": karat.Reading(max_memory=1 << 20),
        "level": None,
    }
    with on_the_device():
        for name, shares in (("none of one", SHARES), ("uneven", UNEVEN)):
            rows = part(shares)
            made[f"labels, {name}"] = add(karat.Stream(), true[rows], pred[rows])
            made[f"tables, {name}"] = add(karat.Stream(**small), true[rows], y_prob=prob[rows])
            large = karat.Stream(labels=range(K), level=None)
            made[f"rows, {name}"] = add(large, true[rows], y_score=logits[rows])
    made["nothing"] = karat.Stream()
    return made


def check_is_reduced_once(stream: karat.Stream) -> None:
    """Wholes are not added up; a stream that was reset is a new part."""
    with pytest.raises(KaratError, match="called again") as found:
        stream.all_reduce()
    assert found.value.code == "K216"
    other = copy.copy(stream)
    other.reset()
    assert other.all_reduce().n_rows == 0


def main() -> None:
    """Run as `python -m tests.devices.ranks RANK N_RANKS FOLDER`: they meet in a file there."""
    rank, n_ranks = (int(word) for word in sys.argv[1:3])
    folder = Path(sys.argv[3])
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=n_ranks
    )
    for i, (name, stream) in enumerate(streams(rank).items()):
        n_rows = stream.n_rows
        assert copy.copy(stream).all_reduce().n_rows >= n_rows == stream.n_rows, name
        whole = stream.all_reduce()
        assert whole is stream, name
        data = stream.to_bytes()
        check_is_reduced_once(stream)
        assert stream.to_bytes() == data, name
        digest = hashlib.sha256(data).hexdigest()
        (folder / f"{rank}-{i}.sha").write_text(digest, encoding="utf-8")
        if not rank:
            (folder / f"{i}.stream").write_bytes(data)
    # One that cannot hand over its stream does not leave the others waiting.
    spoiled = karat.Stream(labels=range(K))
    with on_the_device():
        spoiled.update(torch.full((3,), 9 if rank else 1), torch.ones(3, dtype=torch.int64))
    try:
        spoiled.all_reduce()
        said = "nothing"
    except KaratError as problem:
        said = str(problem)
    (folder / f"{rank}.said").write_text(said, encoding="utf-8")
    torch.distributed.barrier()  # who leaves first would take the connection from who still reads
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
