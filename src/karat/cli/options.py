"""Arguments and options that commands share: they name a source, its rows and its columns."""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from karat.api.request.record import Flag
from karat.api.request.request import Request, flags_of
from karat.cli.outputs import FILE, OUTPUT_HELP

Command = TypeVar("Command", bound=Callable[..., Any])
if TYPE_CHECKING:
    _Choice = click.Choice[str]
else:
    _Choice = click.Choice
"""click 8.1 has no types of choices."""


class Described(click.Command):
    """A command whose help ends with examples, each on its own line, never re-wrapped."""

    def __init__(
        self,
        *args: Any,
        examples: Sequence[str] = (),
        repeated: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.examples: tuple[str, ...] = tuple(examples)
        self.repeated: Mapping[str, str] = repeated or {}
        """Option of one value → what to do in place of repeating it, as a sentence."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; the error names karat's options for all those that it lacks."""
        asked = list(args)
        try:
            self._refuse_repeats(ctx, args)
            return super().parse_args(ctx, args)
        except click.NoSuchOption as problem:
            answers = dict(self._answers(ctx, asked))
            if len(answers) < 2 and not any(answers.values()):
                raise
            known = [name for parameter in self.params for name in parameter.opts]
            lines = []
            for flag, word in answers.items():
                near = "" if word else next(iter(get_close_matches(flag, known, n=1)), "")
                meant = f" {word}." if word else f" Did you mean {near}?" if near else ""
                lines.append(f"No such option '{flag}'.{meant}")
            message = "\n".join(lines)
            raise click.NoSuchOption(problem.option_name, message, ctx=ctx) from None

    def _answers(self, ctx: click.Context, args: list[str]) -> Iterator[tuple[str, str | None]]:
        """Yield each option that the command does not have, and what karat calls it, if it does."""
        from karat.errors.habits import option_word

        known = [name for parameter in self.params for name in parameter.opts]
        parser = self.make_parser(ctx)
        parser.ignore_unknown_options = True
        own = args[: args.index("--")] if "--" in args else args
        read, unread, _ = parser.parse_args(own)
        for parameter in self.params:
            if isinstance(parameter, click.Argument):
                value = read.get(parameter.name or "") or ()
                unread = [*unread, *((value,) if isinstance(value, str) else value)]
        flags = (text.partition("=")[0] for text in unread if text and text.startswith("--"))
        for flag in dict.fromkeys(flags):
            if flag not in known:
                yield flag, option_word(flag, known)

    def _refuse_repeats(self, ctx: click.Context, args: Sequence[str]) -> None:
        """Refuse an option of one value that is given several times: the last would count."""
        if ctx.resilient_parsing:
            return
        _, _, order = self.make_parser(ctx).parse_args(list(args))
        for item, n in Counter(order).items():
            takes_one = isinstance(item, click.Option) and not (item.multiple or item.is_flag)
            if n > 1 and takes_one:
                is_list = "," in (item.metavar or "") or item.metavar == "COLUMNS"
                do = "Give it once, its values with commas between." if is_list else "Give it once."
                name = item.opts[-1]
                do = self.repeated.get(name, do)
                message = f"{name} takes one value and was given {n} times. {do}"
                raise click.UsageError(message, ctx)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        del ctx
        if self.examples:
            with formatter.section("Examples"):
                for line in self.examples:
                    formatter.write(f"{'':{formatter.current_indent}}{line}\n")


WRONG_INPUT = 2
"""Exit code of wrong usage or input, and of a question that is open."""


def sources(function: Command) -> Command:
    """The argument PREDICTIONS… of a command."""
    return click.argument("predictions", nargs=-1, required=True, metavar="PREDICTIONS…")(function)


class Words(_Choice):
    """One of a few words; of a slip the error names the word that is meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as problem:
            from karat.errors.habits import meant_choice

            word = meant_choice(value, self.choices)
            self.fail(problem.message + (f" Did you mean {word!r}?" if word else ""), param, ctx)


def choice(name: str, choices: Sequence[str], said: str) -> Callable[[Command], Command]:
    """An option that is one of these words, by default the first."""
    kind = Words(choices)
    return click.option(name, type=kind, default=choices[0], show_default=True, help=said)


def output_options(function: Command) -> Command:
    """The file that is written, and the title of a page."""
    said = "Heading of an HTML page. Default: the file, or the names of the models."
    function = click.option("--title", metavar="TEXT", help=said)(function)
    return click.option("-o", "--output", type=FILE, metavar="FILE", help=OUTPUT_HELP)(function)


def record_options(command: str, first: str = "") -> Callable[[Command], Command]:
    """The options of a command that are declared with those of the verbs.

    Args:
        first: the group whose options stand first.
    """

    def with_options(function: Command) -> Command:
        each = sorted(flags_of(command), key=lambda pair: pair[0].group != first)
        for item, flag in reversed(each):
            function = click.option(flag.name, item.name, **_facts(flag))(function)
        return function

    return with_options


def _facts(flag: Flag) -> dict[str, Any]:
    """What click knows of an option."""
    facts: dict[str, Any] = {"help": flag.help, "metavar": flag.metavar, "hidden": flag.is_hidden}
    match flag.kind:
        case "number":
            facts["type"] = float
        case "whole":
            is_bounded = flag.least is not None
            facts["type"] = click.IntRange(flag.least, flag.most) if is_bounded else int
        case "words":
            facts["type"] = Words(flag.choices)
        case "switch":
            facts["is_flag"] = True
        case "path":
            facts["type"] = click.Path(path_type=Path)
        case "file":
            facts["type"] = FILE
        case "names" | "bounds":
            facts["callback"] = joined
    if flag.is_repeated:
        facts["multiple"] = True
    if flag.default is not None:
        facts |= {"default": flag.default, "show_default": True}
    return facts


def request_of(command: str, verb: str, typed: Mapping[str, Any], **more: Any) -> Request:
    """The request of a command, in the terms of a verb.

    Args:
        typed: value of each option, as click read it.
        more: further values of the request.

    Errors:
        K122 a value that is no choice; K242 an option without the one that it needs.
    """
    from karat.errors import error
    from karat.errors.options import option

    flags = flags_of(command)
    values = {item.name: _value(flag, typed[item.name]) for item, flag in flags}
    request = Request.of(verb, **{"labels_are_text": True, "has_data": True, **values, **more})
    for item, flag in flags:
        if flag.needs and request.is_given(item.name) and not getattr(request, flag.needs):
            given, lacking = option(item.name, typed[item.name]), option(flag.needs)
            found, do = f"{given} was given alone", f"Give {lacking} too, or leave it out."
            raise error("K242", given=given, lacking=lacking, found=found, do=do)
    return request


def _value(flag: Flag, typed: Any) -> Any:
    """The value of an option, as a verb takes it."""
    match flag.kind:
        case "list":
            return labels_of(typed)
        case "columns":
            return columns_of(typed)
        case "groups":
            return groups_of(typed)
        case "level":
            return level_of(typed)
        case "size":
            return bytes_of(typed)
        case "names" | "bounds":
            return typed if typed == "all" else listed(typed)
        case "strata":
            return strata_of(typed)
        case "proportions":
            return proportions_of(typed)
    return typed


def strata_of(typed: Sequence[str]) -> dict[str, list[str]] | None:
    """The labels of each stratum: ``NAME=A,B``."""
    strata: dict[str, list[str]] = {}
    for text in typed:
        name, mark, labels = text.partition("=")
        listed_labels = labels_of(labels) or []
        if not (name.strip() and mark and all(listed_labels)) or name in strata:
            problem = f"{text!r} is not a name with labels, or its name was given before."
            raise click.BadParameter(f"{problem} Write tail=lynx,owl.", param_hint="--label-strata")
        strata[name] = listed_labels
    return strata or None


def proportions_of(typed: Sequence[str]) -> float | dict[str, float] | None:
    """One proportion, or that of each class: ``CLASS=P``."""
    found: dict[str, float] = {}
    for text in typed:
        name, mark, number = text.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if math.isnan(value) or name in found or bool(mark) != bool(name.strip()):
            problem = f"{text!r} is not a proportion, or its class was given before."
            problem += " Write 0.02 or CLASS=0.02."
            raise click.BadParameter(problem, param_hint="--prevalence")
        found[name] = value
    if "" not in found:
        return found or None
    if len(found) > 1:
        problem = "One proportion was given, and those of classes too."
        raise click.BadParameter(f"{problem} Give one of both.", param_hint="--prevalence")
    return found[""]


_NO_SIZE = 2.0**63
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)(i?)b?\s*", re.IGNORECASE)


def bytes_of(text: str) -> int:
    """A number of bytes as ``500MB``, ``2GiB`` or ``1000000`` (K122), at least 1 MiB."""
    from karat.api.options import unknown_choice
    from karat.api.request.checks import MIN_MEMORY

    found = _SIZE.fullmatch(text)
    if found is None:
        do = "It limits the memory for rows with scores."
        raise unknown_choice("max_memory", text, "a size as 500MB or 2GiB", do)
    number, unit, is_binary = found.groups()
    power = " kmgt".index(unit.lower() or " ")
    size = float(number) * (1024.0 if is_binary else 1000.0) ** power
    if not MIN_MEMORY <= size < _NO_SIZE:
        do = "Without a unit, as in 500MB or 2GiB, it is a number of bytes."
        raise unknown_choice("max_memory", text, "a size from 1MiB, below 8EiB", do)
    return int(size)


def level_of(text: str) -> float | None:
    """The confidence level that is asked for; None for ``none``."""
    if text.strip().lower() == "none":
        return None
    try:
        return float(text)
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is neither a number nor 'none'.", param_hint="--level"
        ) from None


_OPERATORS = ("=", "==", "!=", "<>", "<", ">", "<=", ">=", "AND", "OR", "IN", "LIKE", "IS", "NOT")


def source_of(predictions: Sequence[str]) -> str | list[str]:
    """Return the source of a command: one text, which may be a query or ``-``, or several paths."""
    if not all(text.strip() for text in predictions):
        raise click.UsageError("One of PREDICTIONS is empty; name a file, a folder or a query.")
    operator = next((text for text in predictions if text in _OPERATORS), None)
    if operator is not None:
        found = f"One of PREDICTIONS is {operator!r}: a condition with blanks needs quotes, as"
        raise click.UsageError(f"""{found} --where "country = 'DK'".""")
    if "-" in predictions and sys.stdin is None:
        raise click.UsageError("Standard input is closed, so there is nothing to read from -.")
    return predictions[0] if len(predictions) == 1 else list(predictions)


def listed(text: str | None) -> list[str] | None:
    """The items of ``a,b,c``; commas inside brackets and parentheses do not separate."""
    if text is None:
        return None
    items, depth, start = [], 0, 0
    for place, char in enumerate(text):
        depth += (char in "([") - (char in ")]")
        if char == "," and depth == 0:
            items.append(text[start:place])
            start = place + 1
    return [item.strip() for item in [*items, text[start:]]]


def joined(ctx: click.Context, parameter: click.Parameter, given: Sequence[str]) -> str | None:
    """One text of an option that is a list and may be repeated; None where it is not given."""
    del ctx, parameter
    return ",".join(given) if given else None


def is_typed(name: str) -> bool:
    """Return whether an option is on the command line; otherwise it has its default."""
    context = click.get_current_context(silent=True)
    source = None if context is None else context.get_parameter_source(name)
    return source is not None and source.name in ("COMMANDLINE", "ENVIRONMENT")


def labels_of(text: str | None) -> list[str] | None:
    """The labels of ``a,b,c``, or of the JSON list ``["a, b", "c"]`` where they hold commas."""
    if text is not None and text.lstrip().startswith("["):
        import json

        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, list) and all(isinstance(item, str | int) for item in found):
            return [item if isinstance(item, str) else json.dumps(item) for item in found]
    return listed(text)


def columns_of(text: str | None) -> str | list[str] | None:
    """Columns of scores: one name or pattern, several in order, or ``""`` for none."""
    names = labels_of(text)
    return names[0] if names is not None and len(names) == 1 else names


def groups_of(by: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The columns of slices, and crosses of several: ``A,B``."""
    found = [tuple(labels_of(text) or ()) for text in by]
    for text, names in zip(by, found, strict=True):
        if not names or len(set(names)) < len(names):
            raise click.BadParameter(f"{text!r} names no column, or one twice.", param_hint="--by")
    return tuple(dict.fromkeys(found))


def shown_mapping(
    mapping: Mapping[str, Any],
    threshold: float | None = None,
    *,
    of_sets: bool = False,
    has_predictions: bool = False,
) -> str:
    """Return the columns by role in one line, as a report shows them."""
    from karat.output.describe import shown_mapping as shown

    return shown(mapping, threshold, of_sets=of_sets, has_predictions=has_predictions)
