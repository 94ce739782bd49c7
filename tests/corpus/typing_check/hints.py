"""What annotations promise of functions, methods and attributes, in sources and stubs."""

from __future__ import annotations
import __future__

import ast
import functools
import importlib
import inspect
import sys
import types
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, Final, get_args, get_origin

from tests.corpus.typing_check.matching import is_of

PACKAGE: Final = "karat"
# The stub of the native core is split in two files; the second is no module.
_PARTS: Final = {"karat._native": "karat._native_tables"}


@dataclass(frozen=True)
class Hint:
    """An annotation: its text, and the type it means; UNKNOWN where it cannot be evaluated."""

    text: str
    type: Any
    names: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def holds(self, value: Any, self_type: type | None = None) -> bool:
        """Whether it is true of a value."""
        return is_of(value, self.type, self_type, self.names)

    @property
    def is_any(self) -> bool:
        """Whether it promises nothing."""
        return self.type is Any or self.type is object


class Unknown:
    """The type of an annotation that cannot be evaluated."""


NONE: Final = Hint("", Any)


@dataclass(frozen=True)
class Overload:
    """A signature and what comes back where it fits."""

    signature: inspect.Signature
    returns: Hint
    namespace: Callable[[], dict[str, Any]]

    def fits(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether a call with these arguments is one of this signature."""
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError:
            return False
        for name, value in bound.arguments.items():
            parameter = self.signature.parameters[name]
            if parameter.annotation is parameter.empty or parameter.kind in (
                parameter.VAR_POSITIONAL,
                parameter.VAR_KEYWORD,
            ):
                continue
            hint = hint_of(parameter.annotation, self.namespace())
            if hint.type is not Unknown and not hint.holds(value):
                return False
        return True


@dataclass(frozen=True)
class Promise:
    """A public callable with what one file says of it: the source, or the stub."""

    name: str
    place: str
    overloads: tuple[Overload, ...]

    def returns(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Hint | None:
        """What a call with these arguments promises; None where no overload takes them."""
        if len(self.overloads) == 1:
            return self.overloads[0].returns
        return next((x.returns for x in self.overloads if x.fits(args, kwargs)), None)


def hint_of(annotation: Any, namespace: dict[str, Any]) -> Hint:
    """An annotation, evaluated where it is text."""
    if annotation is inspect.Signature.empty:
        return NONE
    if not isinstance(annotation, str):
        return Hint(_text(annotation), annotation, namespace)
    try:
        value = eval(annotation, namespace)  # noqa: S307
    except Exception:
        return Hint(annotation, Unknown)
    return Hint(annotation, value, namespace)


def _text(annotation: Any) -> str:
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)


@functools.cache
def namespace_of(module_name: str) -> dict[str, Any]:
    """The names of a module, with those that it imports for type checkers alone."""
    module = sys.modules[module_name]
    names = dict(vars(module))
    path = getattr(module, "__file__", None) or ""
    if path.endswith(".py"):
        tree = ast.parse(Path(path).read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                _execute(ast.Module(node.body, []), names, path)
    return names


def _execute(tree: ast.Module, names: dict[str, Any], path: str) -> None:
    flags = __future__.annotations.compiler_flag
    exec(compile(tree, path, "exec", flags=flags, dont_inherit=True), names)  # noqa: S102


@functools.cache
def stub_of(module_name: str) -> dict[str, Any]:
    """The names of the stub beside a module, executed; empty where there is none."""
    module = sys.modules.get(module_name)
    path = Path(getattr(module, "__file__", None) or "")
    is_package = path.stem == "__init__"
    stub = path.parent / f"{'__init__' if is_package else module_name.rpartition('.')[2]}.pyi"
    if not path.name or not stub.exists():
        return {}
    names: dict[str, Any] = {"__name__": f"stub of {module_name}"}
    names["__package__"] = module_name if is_package else module_name.rpartition(".")[0]
    _execute(_tree(stub), names, str(stub))
    # A class of a stub stands for the real one.
    for name, value in list(names.items()):
        if _is_from(value, names["__name__"]) and hasattr(module, name):
            names[f"stub {name}"], names[name] = value, getattr(module, name)
    return names


def _tree(stub: Path) -> ast.Module:
    """The statements of a stub, with those of its other part in place of their import."""
    body: list[ast.stmt] = []
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        other = stub.with_name(f"{(getattr(node, 'module', '') or '').rpartition('.')[2]}.pyi")
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*" and other.exists():
            body += _tree(other).body
        else:
            body.append(node)
    return ast.Module(body, [])


def _is_from(value: Any, module_name: str) -> bool:
    return isinstance(value, type) and value.__module__ == module_name


def promises(
    name: str, function: Callable[..., Any], owner: type | None = None, attribute: str = ""
) -> tuple[Promise, ...]:
    """What the source and the stub promise of a function, or of a method of a class."""
    promised = [_from_source(name, function)]
    if owner is not None:
        declaration = stub_of(owner.__module__).get(f"stub {owner.__name__}")
        method = vars(declaration).get(attribute) if declaration else None
        stub, qualname = owner.__module__, f"{owner.__name__}.{attribute}"
    else:
        stub, _, attribute = name.rpartition(".")
        method, qualname = stub_of(stub).get(attribute), attribute
        if getattr(method, "__module__", None) not in (f"stub of {stub}", "typing"):
            method = None
    if method is not None:
        promised.append(_from_stub(name, stub, qualname, method))
    return tuple(promised)


def _from_source(name: str, function: Callable[..., Any]) -> Promise:
    plain: Any = inspect.unwrap(function)
    plain = plain.func if isinstance(plain, functools.partial) else plain
    home = getattr(plain, "__globals__", {}).get("__name__", getattr(plain, "__module__", None))
    overloads = typing.get_overloads(plain) if hasattr(plain, "__qualname__") else []

    def namespace() -> dict[str, Any]:
        return namespace_of(home) if home in sys.modules else {}

    return Promise(name, "source", _overloads(overloads or [plain], namespace))


def _from_stub(name: str, module_name: str, qualname: str, declaration: Any) -> Promise:
    place = SimpleNamespace(__module__=f"stub of {module_name}", __qualname__=qualname)
    overloads = typing.get_overloads(place) or [declaration]  # type: ignore[arg-type]
    plain = [getattr(function, "__func__", function) for function in overloads]
    return Promise(name, "stub", _overloads(plain, lambda: stub_of(module_name)))


def _overloads(
    functions: list[Callable[..., Any]], namespace: Callable[[], dict[str, Any]]
) -> tuple[Overload, ...]:
    overloads = []
    for function in functions:
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):
            signature = inspect.Signature()
        # A signature that is set for readers has no annotations.
        returns = getattr(function, "__annotations__", {}).get("return", signature.empty)
        overloads.append(Overload(signature, hint_of(returns, namespace()), namespace))
    return tuple(overloads)


@dataclass(frozen=True)
class Member:
    """A public attribute, property or method without arguments of a class."""

    name: str
    kind: str
    hint: Hint


@functools.cache
def members(owner: type) -> tuple[Member, ...]:
    """The public members of a class of karat, its bases included; the first of a name counts."""
    known: dict[str, Member] = {}
    for base in owner.__mro__:
        if not is_ours(base):
            continue
        for member in _members_here(base):
            known.setdefault(member.name, member)
    return tuple(known.values())


def is_ours(value: Any) -> bool:
    """Whether a class is one of karat."""
    return isinstance(value, type) and value.__module__.partition(".")[0] == PACKAGE


def _members_here(base: type) -> Iterator[Member]:
    declaration = stub_of(base.__module__).get(f"stub {base.__name__}") or base
    names = stub_of(base.__module__) if declaration is not base else namespace_of(base.__module__)
    for name, value in vars(declaration).items():
        if name.startswith("_"):
            continue
        getter = value.fget if isinstance(value, property) else getattr(value, "func", None)
        if isinstance(value, property | functools.cached_property) and getter is not None:
            returns = inspect.unwrap(getter).__annotations__.get("return", inspect.Signature.empty)
            yield Member(name, "property", hint_of(returns, names))
        elif inspect.isfunction(value) and _needs_nothing(value):
            returns = inspect.unwrap(value).__annotations__.get("return", inspect.Signature.empty)
            yield Member(name, "method", hint_of(returns, names))
    for name, annotation in vars(declaration).get("__annotations__", {}).items():
        hint = hint_of(annotation, names)
        if not name.startswith("_"):
            kind = "class variable" if _is_qualified(hint.type, ClassVar) else "field"
            yield Member(name, kind, replace(hint, type=_without_qualifier(hint.type)))


def _is_qualified(hint: Any, qualifier: Any) -> bool:
    return hint is qualifier or get_origin(hint) is qualifier


def _without_qualifier(hint: Any) -> Any:
    """The type in ClassVar[…] or Final[…]."""
    if get_origin(hint) in (ClassVar, Final):
        return get_args(hint)[0]
    return Any if hint in (ClassVar, Final) else hint


def _needs_nothing(function: types.FunctionType) -> bool:
    signature = inspect.signature(function)
    required = [
        x
        for x in signature.parameters.values()
        if x.default is x.empty and x.kind not in (x.VAR_POSITIONAL, x.VAR_KEYWORD)
    ]
    return len(required) == 1 and not inspect.isgeneratorfunction(function)


def loaded(module_name: str) -> types.ModuleType:
    """A module, imported."""
    return importlib.import_module(module_name)
