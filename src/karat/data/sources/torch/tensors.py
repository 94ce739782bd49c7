"""Arguments on a device as tensors, and exchange of bytes between processes."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from karat.data.labels.containers import host_of
from karat.errors import error
from karat.tally.score_kind import KINDS, Argument, ScoreKind

Tensor: TypeAlias = Any
"""A `torch.Tensor`: torch is an optional dependency, so its types are not used."""

_READ_ON_THE_HOST: Final = ("cpu", "mps", "meta")
_DLPACK_DEVICES: Final = (2, 10, 14)
"""CUDA, ROCm, oneAPI: see `DLDeviceType`; the host reads the memory of others."""
_LABELS: Final = ("bool", "uint8", "int8", "int16", "int32", "int64")
_FLOATS: Final = ("float16", "bfloat16", "float32", "float64")

_stead: ContextVar[Any] = ContextVar("stead", default=None)
"""Device that CPU tensors are treated as being on; None: they are read on the host."""


def torch() -> Any:
    return sys.modules["torch"]


@contextmanager
def even_on_the_host(device: str = "cpu") -> Iterator[None]:
    """Treat CPU tensors as device tensors, inside a with statement, for tests.

    Args:
        device: the device that they are moved to.
    """
    token = _stead.set(torch().device(device))
    try:
        yield
    finally:
        _stead.reset(token)


@contextmanager
def calm(device: Any) -> Iterator[None]:
    """Context without gradients or reduced precision, independent of the caller's settings."""
    with torch().inference_mode(), torch().autocast(device.type, enabled=False):
        yield


@dataclass(frozen=True, eq=False)
class DeviceArrays:
    """Arguments of one call as tensors of one device, with checked shapes and dtypes.

    Attributes:
        true: [n], whole numbers, booleans or floats.
        pred: the same, or None.
        scores: float[n, k] or float[n] of any width, or None.
        kind: whether they are probabilities, logits or others.
        weights: [n], numbers or booleans, or None.
    """

    true: Tensor
    pred: Tensor | None
    scores: Tensor | None
    kind: ScoreKind
    weights: Tensor | None

    @property
    def device(self) -> Any:
        return self.true.device

    @property
    def n(self) -> int:
        return int(self.true.shape[0])


def device_arrays(
    y_true: Any, y_pred: Any, outputs: Mapping[str, Any], weights: Any
) -> DeviceArrays | None:
    """Return the arguments as tensors, if one of them is on a device.

    Returns:
        None if none is, or if something does not fit: then the host reads the arguments, or raises
            the error.
    """
    named = [name for name in KINDS if outputs.get(name) is not None]
    argument: Argument = named[0] if named else "y_prob"
    given = (y_true, y_pred, outputs.get(argument), weights)
    if "torch" not in sys.modules or not any(map(_may_be_elsewhere, given)):
        return None
    device = next((place for place in map(_device_of, given) if place is not None), None)
    if device is None or len(named) > 1 or y_true is None:
        return None
    with calm(device):
        try:
            found = [None if item is None else _tensor(item, device) for item in given]
        except (TypeError, ValueError, BufferError, RuntimeError):
            # A value that no tensor can represent, or that this device cannot read.
            return None
    true, pred, scores, weight = found
    columns = [column for column in (true, pred, weight) if column is not None]
    if not (_are_of_kind(columns, (*_LABELS, *_FLOATS)) and _are_of_kind([scores], _FLOATS)):
        return None
    n = true.shape[0] if true is not None and true.ndim == 1 else 0
    if not n or any(column.shape != (n,) for column in columns):
        return None
    shape = (n,) if scores is None else scores.shape
    if len(shape) not in (1, 2) or shape[0] != n or 0 in shape:
        return None
    return DeviceArrays(true, pred, scores, KINDS[argument], weight)


def _may_be_elsewhere(given: Any) -> bool:
    """Return quickly whether an argument may be on a device; False for most calls."""
    return given is not None and not isinstance(given, np.ndarray | list | tuple | str)


def _is_tensor(given: Any) -> bool:
    return host_of(given) == "torch" and isinstance(given, torch().Tensor)


def _device_of(given: Any) -> Any:
    """Return the device of an argument; None if the host reads it."""
    if not _may_be_elsewhere(given):
        return None
    if _is_tensor(given):
        is_elsewhere = given.device.type not in _READ_ON_THE_HOST
        return given.device if is_elsewhere else _stead.get()
    if not (hasattr(given, "__dlpack__") and hasattr(given, "__dlpack_device__")):
        return None
    try:
        kind = int(given.__dlpack_device__()[0])
        if kind in _DLPACK_DEVICES:
            return torch().from_dlpack(given).device
        if kind == 1 and _stead.get() is not None:
            torch().from_dlpack(given)
            return _stead.get()
    except Exception:  # the class of the container may raise anything
        return None
    return None


def _tensor(given: Any, device: Any) -> Tensor:
    """Return one argument on that device, [n] if it was [n, 1]."""
    if _is_tensor(given):
        found = given.detach()
    elif isinstance(given, np.ndarray):
        found = torch().as_tensor(given)
    elif hasattr(given, "__dlpack__"):
        found = torch().from_dlpack(given)
    else:
        raise TypeError
    found = found.to(device)
    if found.layout is not torch().strided:
        raise TypeError
    return found[:, 0] if found.ndim == 2 and found.shape[1] == 1 else found


def _are_of_kind(tensors: Sequence[Tensor | None], kinds: Sequence[str]) -> bool:
    dtypes = {getattr(torch(), kind) for kind in kinds}
    return all(tensor is None or tensor.dtype in dtypes for tensor in tensors)


_FAILED = -1


def all_gathered(own: bytes | None, group: Any = None) -> list[bytes | None]:
    """Return the data of every process, in rank order; None for those without data.

    Args:
        own: data of this process; None if it failed, which the others must know.
        group: process group of torch.distributed; None: all processes.

    Errors:
        K216 there is no process group.

    Cost: two collectives: the sizes, then the bytes padded to the longest.
    """
    found = sys.modules.get("torch.distributed")
    if found is None or not found.is_available() or not found.is_initialized():
        raise error(
            "K216",
            found="all_reduce() was called without a group of processes",
            do="Call torch.distributed.init_process_group first; merge() needs no processes.",
        )
    device = _device(str(found.get_backend(group)))
    n = found.get_world_size(group)
    size = _FAILED if own is None else len(own)
    with torch().inference_mode():
        sizes = torch().full((1,), size, dtype=torch().int64, device=device)
        each = [torch().empty_like(sizes) for _ in range(n)]
        found.all_gather(each, sizes, group=group)
        lengths = torch().cat(each).cpu().tolist()
        most = max(*lengths, 1)
        padded = np.zeros(most, np.uint8)
        if own is not None:
            padded[: len(own)] = np.frombuffer(own, np.uint8)
        mine = torch().from_numpy(padded).to(device)
        parts = [torch().empty_like(mine) for _ in range(n)]
        found.all_gather(parts, mine, group=group)
        return [
            None if length == _FAILED else part[:length].cpu().numpy().tobytes()
            for part, length in zip(parts, lengths, strict=True)
        ]


def _device(backend: str) -> Any:
    """Return the device of a backend's tensors."""
    is_of_host = any(name in backend for name in ("gloo", "mpi", "ucc"))
    if "nccl" in backend and not is_of_host:
        return torch().device("cuda", torch().cuda.current_device())
    return torch().device("cpu")
