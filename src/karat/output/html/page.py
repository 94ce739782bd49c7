"""A page as one file: template, style sheet, script and data, under a content security policy.

Nothing is fetched: the policy allows the one style sheet and the one script that are in the file,
by their hashes, and nothing else. Foreign text reaches the page through the template, which
escapes it, or through the block of data, where every ``<`` is written as an escape.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from karat.errors import error
from karat.errors.foreign_text import harmless
from karat.output.html.colours import as_css

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["page", "read"]

_FOLDER: Final = "templates"
_ESCAPED: Final = {ord(char): f"\\u{ord(char):04x}" for char in "<>&'\u2028\u2029"}


def page(template: str, facts: Mapping[str, Any], data: Mapping[str, Any] | None = None) -> str:
    """The whole text of a page.

    Args:
        template: name of its template.
        facts: what the template shows.
        data: what the script reads, as JSON types; None: there is no script on the page.

    Errors:
        K501 jinja2 is not installed.
    """
    style = as_css() + _packed(read("style.css"))
    script = "" if data is None else read("script.js")
    return (
        _environment()
        .get_template(template)
        .render(
            **facts,
            style=style,
            script=script,
            data="" if data is None else _as_json(data),
            policy=_policy(style, script),
        )
    )


def read(name: str) -> str:
    """A file of the page's templates."""
    return resources.files(__package__).joinpath(_FOLDER, name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """What the page may load: its own style sheet, its own script, and nothing else."""
    rules = ["default-src 'none'", f"style-src {_hash(style)}"]
    rules += [f"script-src {_hash(script)}"] if script else []
    return "; ".join([*rules, "base-uri 'none'", "form-action 'none'"])


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
    return f"'sha256-{digest}'"


def _as_json(data: Mapping[str, Any]) -> str:
    """JSON that neither ends its block nor opens a comment: the escapes are JSON's own."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_ESCAPED)


def _packed(text: str) -> str:
    """A style sheet without indentation and blank lines."""
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def _shown(item: Any) -> Any:
    """Text without control and direction characters; what is markup already stays."""
    if isinstance(item, str) and not hasattr(item, "__html__"):
        return harmless(item)
    return item


@lru_cache(maxsize=1)
def _environment() -> Environment:
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
    except ModuleNotFoundError as problem:
        missing = problem.name or "jinja2"
        raise error("K501", feature="A page", package=missing, extra="cli") from None
    return Environment(
        loader=FunctionLoader(read),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
