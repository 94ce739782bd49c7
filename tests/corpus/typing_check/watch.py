"""Watch the public calls: what each gave is kept, to be checked when the caller has finished.

Nothing is checked while a call of the corpus runs, so that values that are computed when they are
read, and the warnings of that, stay as they are without the watch.
"""

from __future__ import annotations

import functools
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from tests.corpus.typing_check.hints import Promise
from tests.corpus.typing_check.surface import (
    MODULES,
    NATIVE,
    classes,
    functions,
    method_promises,
    methods,
)

# The core is called often; a function of it gives the same kind of thing each time.
NATIVE_TIMES: Final = 3


@dataclass(frozen=True)
class Seen:
    """What a public call gave."""

    promises: tuple[Promise, ...]
    value: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    owner: type | None = None


@dataclass
class Watch:
    """The public calls since the last look; calls that karat makes inside one are left out."""

    seen: list[Seen] = field(default_factory=list)
    built: list[Any] = field(default_factory=list)
    is_inside: bool = False
    native: Counter[str] = field(default_factory=Counter)

    def drained(self) -> tuple[list[Seen], list[Any]]:
        """The calls and the new objects since the last time."""
        seen, built = self.seen, self.built
        self.seen, self.built, self.native = [], [], Counter()
        return seen, built

    def watched(
        self, function: Callable[..., Any], promises: tuple[Promise, ...], owner: type | None = None
    ) -> Callable[..., Any]:
        """The function, whose outermost calls are kept."""

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if self.is_inside:
                return function(*args, **kwargs)
            self.is_inside = True
            try:
                value = function(*args, **kwargs)
            finally:
                self.is_inside = False
            kind = owner
            if owner is not None and args:
                kind = args[0] if isinstance(args[0], type) else type(args[0])
            self.seen.append(Seen(promises, value, args, kwargs, kind))
            return value

        return call

    def watched_native(
        self, function: Callable[..., Any], promises: tuple[Promise, ...]
    ) -> Callable[..., Any]:
        """The function of the native core, whose first calls are kept wherever they are made."""
        name = promises[0].name

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            value = function(*args, **kwargs)
            if self.native[name] < NATIVE_TIMES:
                self.native[name] += 1
                self.seen.append(Seen(promises, value, args, kwargs))
            return value

        return call

    def watched_start(self, start: Callable[..., None]) -> Callable[..., None]:
        """The constructor, whose objects are kept."""

        @functools.wraps(start)
        def call(self_: Any, *args: Any, **kwargs: Any) -> None:
            start(self_, *args, **kwargs)
            if not self.is_inside:
                self.built.append(self_)

        return call


@contextmanager
def watching() -> Iterator[Watch]:
    """Put the watch in the places where public names are looked up, and take it away again."""
    watch = Watch()
    before: list[tuple[Any, str, Any]] = []

    def put(place: Any, name: str, value: Any) -> None:
        before.append((place, name, vars(place)[name]))
        setattr(place, name, value)

    try:
        for place, name, value in _functions(watch):
            put(place, name, value)
        for owner in classes():
            for name, value in _methods(watch, owner):
                put(owner, name, value)
        yield watch
    finally:
        for place, name, value in reversed(before):
            setattr(place, name, value)


def _functions(watch: Watch) -> Iterator[tuple[Any, str, Any]]:
    wrapped = {}
    for key, (function, promises) in functions().items():
        kind = watch.watched_native if promises[0].name.startswith(NATIVE) else watch.watched
        wrapped[key] = kind(function, promises)
    for module_name, module in list(sys.modules.items()):
        # Only where users look: karat calls its own functions by the names in its modules.
        is_public = module_name in MODULES or module_name.startswith("tests.corpus.")
        if module is None or not is_public:
            continue
        for name, value in list(vars(module).items()):
            if id(value) in wrapped:
                yield module, name, wrapped[id(value)]


def _methods(watch: Watch, owner: type) -> Iterator[tuple[str, Any]]:
    for name, plain in methods(owner):
        held = vars(owner)[name]
        call = watch.watched(plain, method_promises(owner, name, plain), owner)
        is_bound = isinstance(held, staticmethod | classmethod)
        yield name, type(held)(call) if is_bound else call
    start = vars(owner).get("__init__")
    if hasattr(start, "__code__"):
        yield "__init__", watch.watched_start(start)
