"""The outcome of a call as plain data: a skeleton, floats beside it, and prose beside it.

The skeleton is JSON. A float stands in it as FLOAT, prose as PROSE; both are kept in lists, in the
order in which they occur. So floats can be compared to the last bit or within a tolerance, and
prose can be left out.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import karat

FLOAT, PROSE = "~f", "~t"
FACTS: Final = frozenset(
    {"code", "files", "id", "ids", "keys", "method", "metric", "name", "query", "rule", "slice"}
    | {"slices", "status", "verdict", "where"}
)
"""Keys whose text is a fact, however many words it has; so are rows in files of text."""
LONG_NUMBER: Final = re.compile(r"-?\d+\.\d{11,}(?:e[-+]?\d+)?")
"""A float that a text holds to its last digit."""
LONG = 2_000
QUIET = (DeprecationWarning, PendingDeprecationWarning, ResourceWarning, FutureWarning)
FOLDER = re.compile(re.escape(tempfile.gettempdir()) + r"[\w/.-]*corpus-\w+/?")


@dataclass(frozen=True)
class Prose:
    """Text whose wording may change: it is compared only where asked."""

    text: str


@dataclass(frozen=True)
class Outcome:
    """A skeleton, its floats and its prose."""

    skeleton: Any
    floats: tuple[float, ...]
    prose: tuple[str, ...]

    def tree(self) -> Any:
        """The whole outcome again, with floats and prose in their places."""
        floats, prose = iter(self.floats), iter(self.prose)

        def filled(node: Any) -> Any:
            if isinstance(node, dict):
                return {key: filled(item) for key, item in node.items()}
            if isinstance(node, list):
                return [filled(item) for item in node]
            if isinstance(node, str) and node.startswith("~"):
                if node == FLOAT:
                    return next(floats)
                return Prose(next(prose)) if node == PROSE else node[1:]
            return node

        return filled(self.skeleton)


def outcome_of(call: Callable[[], Any]) -> Outcome:
    """Make the call and keep what it gave or raised, with the warnings it emitted."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            tree = {"gave": plain(call())}
        except Exception as problem:
            tree = {"raised": _raised(problem)}
    heard = {(w.category.__name__, str(w.message)) for w in seen if _is_ours(w.category)}
    if heard:
        tree["warned"] = [[name, Prose(cleaned(said))] for name, said in sorted(heard)]
    return flattened(tree)


def flattened(tree: Any) -> Outcome:
    """A tree of plain data as an outcome."""
    floats: list[float] = []
    prose: list[str] = []

    def cut(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: cut(item) for key, item in node.items()}
        if isinstance(node, list):
            return [cut(item) for item in node]
        if isinstance(node, float):
            floats.append(node)
            return FLOAT
        if isinstance(node, Prose):
            prose.append(node.text)
            return PROSE
        return "~" + node if isinstance(node, str) and node.startswith("~") else node

    return Outcome(cut(tree), tuple(floats), tuple(prose))


def _is_ours(category: type[Warning]) -> bool:
    return not issubclass(category, QUIET)


def _raised(problem: Exception) -> dict[str, Any]:
    kinds = [kind.__name__ for kind in type(problem).__mro__]
    ours = [kind for kind in ("InputError", "UnknownNameError", "KaratError") if kind in kinds]
    fields: dict[str, Any] = {"type": type(problem).__name__, "bases": ours}
    if isinstance(problem, karat.KaratError):
        # Its first line is the text of its code.
        fields |= {"code": problem.code, "text": cleaned(str(problem).partition("\n")[0])}
    return {**fields, "message": _prose(str(problem))}


def cleaned(text: str) -> str:
    """Text without what differs between two runs: folders, the version, addresses."""
    text = FOLDER.sub("…/", text).replace(karat.__version__, "<version>")
    return re.sub(r"0x[0-9a-f]{6,}", "0x…", text)


def _prose(text: str) -> Prose:
    text = cleaned(text)
    return Prose(text if len(text) <= LONG else text_digest(text))


def digest(data: bytes) -> str:
    """The first half of a SHA-256."""
    return hashlib.sha256(data).hexdigest()[:32]


def text_digest(text: str) -> str:
    """A digest of a text, its long numbers to nine digits: their last ones may move."""
    text = cleaned(text)
    rounded = LONG_NUMBER.sub(lambda number: f"{float(number[0]):.9g}", text)
    return f"sha256 {digest(rounded.encode())} of {rounded.count(chr(10)) + 1} lines"


def plain(value: Any, *, is_fact: bool = False) -> Any:
    """A value as dicts, lists, strings, ints, floats, prose."""
    if value is None or isinstance(value, bool | int | Prose):
        return value
    if isinstance(value, np.generic):
        return {"numpy": str(value.dtype), "value": plain(value.item())}
    if isinstance(value, float):
        return value
    if isinstance(value, str):
        # A name has at most one space; more make a sentence.
        is_prose = value.count(" ") > 1 and not is_fact
        return _prose(value) if is_prose or len(value) > LONG else cleaned(value)
    if isinstance(value, bytes | bytearray):
        return {"bytes": len(value), "sha256": digest(bytes(value))}
    if isinstance(value, complex):
        return [value.real, value.imag]
    if isinstance(value, np.ndarray):
        return _array(value)
    for kind, method in _METHODS:
        if any(base.__name__ == kind for base in type(value).__mro__):
            return {"is": type(value).__name__, **_fields(method(value))}
    if type(value).__module__.startswith("karat.") and hasattr(value, "to_dict"):
        return {"is": type(value).__name__, **_fields(value.to_dict())}
    if isinstance(value, Mapping):
        return _fields(value)
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {"is": type(value).__name__, **_fields(value._asdict())}
    if isinstance(value, list | tuple):
        return [plain(item, is_fact=is_fact) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((plain(item) for item in value), key=repr)
    if dataclasses.is_dataclass(value):
        own = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return {"is": type(value).__name__, **_fields(own)}
    if isinstance(value, Iterator):
        return [plain(item) for item in value]
    if isinstance(value, os.PathLike):
        return cleaned(os.fspath(value))
    return {"is": type(value).__name__, "text": _prose(str(value))}


def _fields(value: Mapping[Any, Any]) -> dict[str, Any]:
    fields = {}
    for key, item in value.items():
        name = key if isinstance(key, str) else f"<{key!r}>"
        is_fact = name in FACTS or name.endswith((".csv", ".txt"))
        fields[name] = "<version>" if name == "karat" else plain(item, is_fact=is_fact)
    return fields


def _array(value: np.ndarray) -> Any:
    head = {"array": str(value.dtype), "shape": list(value.shape)}
    if value.dtype.kind == "f":
        return {**head, "values": value.astype(np.float64).ravel().tolist()}
    return {**head, "values": [plain(item) for item in value.ravel().tolist()]}


def _tensor(value: Any) -> dict[str, Any]:
    import torch

    held = value.detach().cpu()
    if held.dtype in (torch.bfloat16, torch.float16):
        held = held.to(torch.float32)
    return {"tensor": str(value.dtype), "values": held.numpy()}


def _frame(value: Any) -> dict[str, Any]:
    module = type(value).__module__.partition(".")[0]
    if module == "pandas":
        columns = {str(name): value[name].tolist() for name in value.columns}
        index = type(value.index).__name__
        rows = {} if index == "RangeIndex" else {"rows": value.index.tolist()}
        types = [str(kind) for kind in value.dtypes]
        return {"frame": module, "index": index, **rows, "types": types, "columns": columns}
    types = [str(kind) for kind in value.dtypes]
    return {"frame": module, "types": types, "columns": value.to_dict(as_series=False)}


_METHODS: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("GateResult", lambda v: {**v.to_dict(), "exit_code": v.exit_code, "passed": v.passed}),
    ("Result", lambda v: {**v.to_dict(), "name": v.name, "definition": v.definition}),
    ("Tensor", _tensor),
    ("DataFrame", _frame),
)


def shown(outcome: Outcome) -> str:
    """The whole outcome as indented JSON."""
    return json.dumps(
        outcome.tree(), indent=1, ensure_ascii=False, default=lambda prose: prose.text
    )
