"""Arguments of karat 0.2, and of other libraries, as a call has them today, with their values."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from karat.errors.parts import ARGUMENTS, FLAT, PARTS, REQUIRED, UNNAMED

LEFT_OUT: Final = "Leave it out: it is the default."
NO_CHOICE: Final = "There is no such choice here: leave it out."
FORMER_DESIGNS: Final[Mapping[object, str | None]] = {"cohort": None, "case-control": "CaseControl"}
"""Values of design= that were texts → the design; None: the default."""
_LONG: Final = 40
"""Characters of a value that an example shows."""
_FORMER: Final[Mapping[str, tuple[str, str]]] = {
    "strict_inconclusive": ("Rules", "inconclusive"),
    "with_rows": ("Reading", "keep_rows"),
    "weights_are": ("Frequency", "weights"),
}
"""Arguments of karat 0.2 that no option is called → group and part."""
_FORMER_DEFAULTS: Final[Mapping[str, Any]] = {
    "strict_inconclusive": False,
    "warn_only": False,
    "weights_are": "importance",
    "with_rows": False,
}
_OF_OPTIONS: Final = {
    option: (kind, part)
    for kind, parts in PARTS.items()
    for part, options in parts.items()
    for option in options
}
_DESIGNS: Final = tuple(kind for kind, argument in ARGUMENTS.items() if argument == "design")


def written(value: object) -> str:
    """A value in a call that a message shows; "…" where it is long, or no literal."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    kind = type(value).__name__
    if kind in PARTS and isinstance(given := getattr(value, "given", None), Mapping):
        return _call(kind, {name: written(part) for name, part in given.items()})
    if getattr(value, "shape", ()) != ():
        return "…"
    try:
        text = repr(value)
    except Exception:  # the repr of a foreign class may raise anything
        return "…"
    is_literal = text.isprintable() and not text.startswith("<")
    return text if is_literal and len(text) <= _LONG else "…"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a group as it is written; a group alone has the name ""."""

    kind: str
    name: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A call, as it was written.

    Attributes:
        function: its name.
        takes: the arguments that it has.
        values: the arguments that were given by name.
        options: options of the verb with their defaults; None where it is no verb.
        elsewhere: options that belong to another call → that call: ``"stream.update"``.
    """

    function: str
    takes: Collection[str]
    values: Mapping[str, object] = field(default_factory=dict)
    options: Mapping[str, object] | None = None
    elsewhere: Mapping[str, str] = field(default_factory=dict)

    def is_default(self, name: str) -> bool:
        """True if an argument of karat 0.2 had the value that it has when it is left out."""
        if name not in self.values:
            return False
        value = self.values[name]
        if value is None or (value is False and name == "anytime"):
            return True
        default = _FORMER_DEFAULTS.get(name, (self.options or {}).get(name))
        return type(value) is type(default) and bool(value == default)

    def has(self, part: Part) -> bool:
        """True if the function takes a part of a group."""
        if ARGUMENTS[part.kind] not in self.takes:
            return False
        names = _options_of(part)
        if self.options is None and part.kind in ("Labels", "Frequency"):
            # Other functions take labels and weights as such; pictures take those of verbs.
            return self.function.startswith("karat.plot.")
        return self.options is None or not names or any(name in self.options for name in names)

    def place(self, part: Part) -> str | None:
        """The other call that takes a part of a group; None without one."""
        return next(
            (self.elsewhere[name] for name in _options_of(part) if name in self.elsewhere), None
        )

    def parts(self, name: str, value: object) -> list[Part]:
        """The parts of groups that an option is today; none where it is in no group.

        Args:
            name: of the option, in karat 0.2 or as its record has it.
        """
        kind, part = _FORMER.get(name) or _OF_OPTIONS.get(name, ("", ""))
        if not kind or (name in FLAT and kind != self.function):
            return []
        if name == "strict_inconclusive":
            return [Part(kind, part, repr("fail"))]
        if name == "weights_are":
            is_group = type(self.values.get("weights")).__name__ == kind
            return [] if is_group else [Part(kind, part, "…")]
        if name == "folds" and isinstance(value, Mapping):
            return [Part(kind, role, written(value[role])) for role in PARTS[kind] if role in value]
        says_itself = {"anytime": True, "folds": "auto"}.get(name)
        if isinstance(value, bool | str) and value == says_itself:
            return [Part(kind, "")]
        found = [Part(kind, part, "…" if value is None else written(value))]
        if kind == "Judge" and name != "judge" and "judge" in self.values:
            return [Part(kind, "judge", written(self.values["judge"])), *found]
        return found

    def beside(self, part: Part) -> str | None:
        """The group that was given with another value of a part; None without one."""
        given = self._given(part.kind).get(part.name)
        is_weights = part.kind == "Frequency"
        if given is None or given == part.text or is_weights:
            return None
        return _call(part.kind, {part.name: given})

    def arguments(self, parts: Sequence[Part], flat: Mapping[str, str]) -> list[str]:
        """The arguments of the call today: parts of a group together, with what it was given.

        Args:
            flat: arguments that are no groups → their values.
        """
        groups: dict[str, dict[str, str]] = {}
        for part in parts:
            group = groups.setdefault(part.kind, self._given(part.kind))
            if part.name and (part.text != "…" or part.name not in group):
                group[part.name] = part.text
        flat = {name: text for name, text in flat.items() if name not in self.values}
        if "Frequency" in groups and "weights" in flat:
            groups["Frequency"]["weights"] = flat.pop("weights")
        if not groups.keys().isdisjoint(_DESIGNS):
            groups = {kind: self._given(kind) for kind in self._designs()} | groups
        found: dict[str, list[str]] = {name: [text] for name, text in flat.items()}
        for kind in ARGUMENTS:
            if kind in groups:
                found.setdefault(ARGUMENTS[kind], []).append(_call(kind, groups[kind]))
        return [
            f"{name}={texts[0]}" if len(texts) == 1 else f"{name}=[{', '.join(texts)}]"
            for name, texts in found.items()
        ]

    def bare(self, parts: Sequence[Part], flat: Mapping[str, str] | None = None) -> str:
        """Parts of groups by themselves, without what else the call was given."""
        weights = {"weights": self.values["weights"]} if "weights" in self.values else {}
        alone = Asked(self.function, self.takes, weights)
        return ", ".join(alone.arguments(parts, flat or {}))

    def _given(self, kind: str) -> dict[str, str]:
        """The parts of a group that the call has already."""
        value = self.values.get(ARGUMENTS[kind])
        for each in value if kind in _DESIGNS and isinstance(value, list | tuple) else [value]:
            if type(each).__name__ == kind:
                given: Mapping[str, object] = getattr(each, "given", {})
                return {name: written(one) for name, one in given.items()}
        if value is None or kind not in ("Labels", "Frequency"):
            return {}
        return {next(iter(PARTS[kind])): written(value)}

    def _designs(self) -> Iterator[str]:
        """The designs that the call has already."""
        value = self.values.get("design")
        for each in value if isinstance(value, list | tuple) else [value]:
            if isinstance(each, str) and FORMER_DESIGNS.get(each):
                yield str(FORMER_DESIGNS[each])
            elif type(each).__name__ in _DESIGNS:
                yield type(each).__name__


def _options_of(part: Part) -> tuple[str, ...]:
    """The options of a request that a part of a group stands for."""
    if part.kind == "Frequency":
        return ("weights_are",)
    return PARTS[part.kind].get(part.name) or next(iter(PARTS[part.kind].values()))


def _call(kind: str, parts: Mapping[str, str]) -> str:
    """A group of options as it is written."""
    inner = []
    for place, name in enumerate(PARTS[kind]):
        if name in parts:
            is_unnamed = place == 0 and kind in UNNAMED
            inner.append(parts[name] if is_unnamed else f"{name}={parts[name]}")
        elif place == 0 and kind in REQUIRED:
            inner.append("…")
    return f"karat.{kind}({', '.join(inner)})"
