"""Whether a value is of a type: typeguard, and the element type of arrays."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final, TypeVar, Union, get_args, get_origin

import numpy as np
from typeguard import (
    CollectionCheckStrategy,
    ForwardRefPolicy,
    TypeCheckConfiguration,
    TypeCheckError,
    TypeCheckMemo,
    check_type_internal,
    checker_lookup_functions,
)

_ALL_ITEMS: Final = TypeCheckConfiguration(
    collection_check_strategy=CollectionCheckStrategy.ALL_ITEMS,
    forward_ref_policy=ForwardRefPolicy.ERROR,
)


def is_of(
    value: Any, hint: Any, self_type: type | None = None, names: dict[str, Any] | None = None
) -> bool:
    """Whether a value is of a type, each item of a container included.

    `names` are those of the module, where the bound of a type variable is text.
    """
    memo = TypeCheckMemo(names or {}, {}, self_type=self_type, config=_ALL_ITEMS)
    try:
        check_type_internal(value, hint, memo)
    except TypeCheckError:
        return False
    return True


def what_came(value: Any, hint: Any, self_type: type | None = None) -> str:
    """The type of a value that is not of a type: of the part that differs, where it is one."""
    for item, item_hint in _parts(value, hint):
        if not is_of(item, item_hint, self_type):
            return f"{what_came(item, item_hint, self_type)} in {type(value).__name__}"
    if isinstance(value, np.ndarray):
        return f"array of {value.dtype.name}"
    return _name(type(value))


def _name(kind: type) -> str:
    if kind.__module__ in ("builtins", "__main__") or kind.__module__.startswith("karat."):
        return kind.__qualname__
    return f"{kind.__module__.partition('.')[0]}.{kind.__qualname__}"


def _parts(value: Any, hint: Any) -> Iterator[tuple[Any, Any]]:
    """The items of a container with the types that they should be of."""
    if get_origin(hint) in (Union, types.UnionType):
        fitting = [x for x in get_args(hint) if _is_instance(value, get_origin(x))]
        if len(fitting) == 1:
            yield from _parts(value, fitting[0])
        return
    arguments, origin = get_args(hint), get_origin(hint)
    if not arguments or not _is_instance(value, origin):
        return
    if isinstance(value, Mapping) and len(arguments) == 2:
        for key, item in value.items():
            yield key, arguments[0]
            yield item, arguments[1]
    elif isinstance(value, tuple) and origin is tuple and arguments[-1] is not Ellipsis:
        yield from zip(value, arguments, strict=False)
    elif isinstance(value, Sequence | AbstractSet) and not isinstance(value, str | bytes):
        yield from ((item, arguments[0]) for item in value)


def _is_instance(value: Any, origin: Any) -> bool:
    return isinstance(origin, type) and isinstance(value, origin)


def _array_checker(origin: Any, args: Any, extras: Any) -> Any:
    """For typeguard, which compares the class of an array alone."""
    return _check_array if origin is np.ndarray else None


def _check_array(value: Any, origin: Any, args: tuple[Any, ...], memo: TypeCheckMemo) -> None:
    if not isinstance(value, np.ndarray):
        raise TypeCheckError("is not an instance of numpy.ndarray")
    scalars = get_args(args[1]) if len(args) == 2 else ()
    if scalars and not _has_elements(value.dtype, scalars[0]):
        raise TypeCheckError(f"has elements of {value.dtype}")


def _has_elements(dtype: np.dtype[Any], hint: Any) -> bool:
    if hint is Any or isinstance(hint, TypeVar):
        return True
    if get_origin(hint) in (Union, types.UnionType):
        return any(_has_elements(dtype, part) for part in get_args(hint))
    # C has two names for some integers: their types differ, their dtypes are equal.
    return any(issubclass(x, get_origin(hint) or hint) for x in (dtype.type, _usual(dtype)))


def _usual(dtype: np.dtype[Any]) -> type:
    return np.dtype(dtype.str).type


checker_lookup_functions.insert(0, _array_checker)
