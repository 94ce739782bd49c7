"""Names in a text that do not exist: calls, keywords, commands, options, metrics."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from typing import Any, Final

from tests.messages import names
from tests.messages.hosts import HOST_WORDS
from tests.messages.written import GAP

__all__ = ["balanced", "faults_of", "faults_of_page", "is_sentence"]

_DOTTED: Final = re.compile(rf"(?<![\w.'/<-])karat((?:\.[A-Za-z_]\w*)+)({GAP})?")
_COMMAND: Final = re.compile(
    r"(?<![\w.])(`?)karat ([a-z]+)"
    r"((?: +(?:--?[a-z][\w-]*|'[^']*'|\"[^\"]*\"|[^\s,;:`'\"]*[^\s,;:`'\".]))*)"
)
_OPTION: Final = re.compile(r"(?<![\w<(-])--[a-z][\w-]*|(?<=[^r]\()--[a-z][\w-]*")
_KEYWORD: Final = re.compile(rf"(?<![\w.'\"{{<{GAP}&?-])([a-z][A-Za-z_0-9]*)=(?![=>])")
_WORD: Final = re.compile(
    rf"(?<![\w.{GAP}/'-])(?<!--pred )(?<!--prob )(?<!--confidence )"
    rf"[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\w{GAP}/*'-]|\.[a-z])"
)
_NO_SENTENCE: Final = re.compile(
    r"</?[a-z]+[ >/]|^<karat|\w=\"|\\[a-z]|\w\|\w+ \w+\||\(\?:|^  \w|^karat\.\w+$|^, "
    r"|\b(?:SELECT [^*]|CASE WHEN|FROM [(r]|CAST\(|SET |FILTER|read_json\(□|[a-z_]*regexp?_)"
    r"|\b(?:json_type|row_number|list_transform)|hive_partitioning=|header=false"
    r"|\|max_temp_directory_size\|"
)
"""Markup, LaTeX, SQL, patterns, lists of names, the repr of an object."""
_RULES: Final = re.compile(
    r"(?:--(?:min|max|max-drop|no-worse-than|margin) (?=\w+=)"
    r"|(?:min|max|max_drop|no_worse_than)=\{')([a-z]\w*)"
)
_METRICS: Final = re.compile(r"--metrics ([a-z][\w,]*)|metrics=\[('[^\]□…]*)\]|report\['(\w+)'\]")
_SCORER: Final = re.compile(r"scorer\(['\"](\w+)['\"]\)")
_LIKE_AN_OPTION: Final = re.compile(r" --[a-z]| [A-Z]{4,}\b| \S+\.(?:csv|parquet|json|karat)\b")


def faults_of(text: str, drop_in: str = "", *, is_ours: bool = True) -> list[str]:
    """What is wrong in a text, each as a sentence.

    Args:
        is_ours: no words of callers are in it.
        drop_in: the drop-in that speaks; its words are those of its library.
    """
    if not is_sentence(text):
        return []
    found = [*_calls(text), *_commands(text), *_loose(text, drop_in)]
    if is_ours and drop_in != "sklearn" and " " in text.strip() and re.search(r"[A-Z`.:=]", text):
        found += _words(text, drop_in)
    return list(dict.fromkeys(found))


def faults_of_page(text: str) -> list[str]:
    """Calls and commands that a line of a page names and that do not exist."""
    found = [*_calls(text), *_commands(text)]
    return [one for one in found if not one.endswith(("cannot be parsed", "is not closed"))]


def is_sentence(text: str) -> bool:
    """False for markup, formulas, queries and patterns."""
    return _NO_SENTENCE.search(text) is None


def balanced(text: str, start: int) -> str | None:
    """The parenthesis that opens at a place, with what it holds; None: it is not closed."""
    depth, quote = 0, ""
    for place in range(start, len(text)):
        char = text[place]
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if not depth:
                return text[start : place + 1]
    return None


def _calls(text: str) -> Iterator[str]:
    for found in _DOTTED.finditer(text):
        parts = found[1].lstrip(".").split(".")
        # What ends in a gap is the beginning of a name.
        parts = parts[: len(parts) - bool(found[2])]
        path = ".".join(parts)
        if path and text[found.end() : found.end() + 1] != "/" and not names.exists(path):
            yield f"karat.{path} does not exist"
        elif path and not found[2] and text[found.end() : found.end() + 1] == "(":
            yield from _call(f"karat.{path}", balanced(text, found.end()))


def _call(path: str, arguments: str | None) -> Iterator[str]:
    if arguments is None:
        yield f"{path}( is not closed"
        return
    source = (
        f"{path}{arguments}".replace(f"{GAP}=", "*_gap, ").replace(GAP, "_gap").replace("…", "...")
    )
    source = source.replace("...: ...", "'x': 0").replace(", ...}", "}")
    source = re.sub(r"(\w=)(?=[,)])", r"\1_gap", source)
    try:
        tree = ast.parse(source, mode="eval")
    except SyntaxError:
        if GAP not in arguments:
            yield f"{path}{arguments} cannot be parsed"
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        if name.startswith("karat.") and names.exists(name.removeprefix("karat.")):
            yield from _arguments(name, node)


def _arguments(name: str, node: ast.Call) -> Iterator[str]:
    function = names.named(name.removeprefix("karat."))
    keywords = [item.arg for item in node.keywords if item.arg is not None]
    wrong = names.takes(function, keywords)
    if wrong:
        yield from (f"{name} has no argument {word}" for word in wrong)
        return
    given: list[Any] = [one for one in node.args if not _is_rest(one)]
    if any(isinstance(one, ast.Starred) for one in given):
        return
    try:
        inspect.signature(function).bind_partial(*given, **dict.fromkeys(keywords))
    except TypeError as problem:
        yield f"{ast.unparse(node)}: {problem}"
    except ValueError:  # no signature
        return


def _is_rest(node: ast.expr) -> bool:
    """True for the ``...`` that stands for the other arguments."""
    return isinstance(node, ast.Constant) and node.value is ...


def _commands(text: str) -> Iterator[str]:
    for found in _COMMAND.finditer(text):
        mark, word, rest = found.groups()
        rest = rest.partition("`")[0]
        options = names.options_of(word)
        if options is None:
            if mark or _LIKE_AN_OPTION.search(rest):
                yield f"there is no command karat {word}"
            continue
        for option in _OPTION.findall(rest):
            if option not in options:
                yield f"karat {word} has no option {option}"


def _loose(text: str, drop_in: str) -> Iterator[str]:
    for option in _OPTION.findall(text):
        if option not in names.all_options() and option not in HOST_WORDS:
            yield f"there is no option {option}"
    known = names.parameters() | (names.parameters(drop_in) if drop_in else frozenset())
    for word in () if drop_in == "sklearn" else _KEYWORD.findall(text):
        if word not in known and word not in HOST_WORDS and not names.is_metric(word):
            yield f"no call has an argument {word}="
    listed = [word for found in _METRICS.findall(text) for word in _listed(*found)]
    for word in [*listed, *_RULES.findall(text), *_SCORER.findall(text)]:
        if word not in ("all", "default") and not names.is_metric(word):
            yield f"there is no metric {word}"


def _listed(typed: str, quoted: str, item: str) -> list[str]:
    """The metrics of ``--metrics a,b``, of ``metrics=['a', 'b']``, of ``report['a']``."""
    return [
        *filter(None, typed.split(",")),
        *re.findall(r"'([^']+)'", quoted),
        *filter(None, [item]),
    ]


def _words(text: str, drop_in: str) -> Iterator[str]:
    known = names.parameters() | (names.parameters(drop_in) if drop_in else frozenset())
    for word in _WORD.findall(text):
        if not _is_known(word, known):
            yield f"nothing is called {word}"


def _is_known(word: str, parameters: frozenset[str]) -> bool:
    return (
        word in parameters
        or word in names.members()
        or word in names.callables()
        or word in HOST_WORDS
        or names.is_metric(word)
    )
