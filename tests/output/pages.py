"""Read a page without a browser: its text, its policy, and what it would load."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

HOSTILE = [
    "<script>document.title = 'taken'</script>",
    "\"quotes' & <b>bold</b>",
    "\u05d0\u05d1\u05d2 \u202egnp.exe",
    "x" * 300,
    "🦜🏳️‍🌈 parrot",
    "</script><!-- ${x} {{ 7 * 7 }} $a$ \\frac",
]
"""Names of classes that a page has to show as text."""

OUTSIDE = re.compile(
    r"""(?:\bsrc|\bposter|\bdata|\baction|xlink:href)\s*=|\bhref\s*=\s*["'](?!\#)|@import|"""
    r"""url\(\s*["']?(?!\#)|\bon\w+\s*=|<(?:iframe|object|embed|link|base|form)\b""",
    re.IGNORECASE,
)
"""What would load something, run something, or send something."""

VOID = {"meta", "br", "input", "link", "img", "hr", "base"}


@dataclass
class Element:
    """An element of a page: tag, attributes, and the text in it."""

    tag: str
    attributes: dict[str, str]
    text: str = ""


@dataclass
class Parsed(HTMLParser):
    """The elements of a page in order, by Python's own parser."""

    elements: list[Element] = field(default_factory=list)
    open: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop().tag != tag:
            pass

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element.text += data

    def all(self, tag: str) -> list[Element]:
        return [element for element in self.elements if element.tag == tag]


def parsed(page: str) -> Parsed:
    found = Parsed()
    found.feed(page)
    found.close()
    return found


def data_of(page: str) -> dict[str, Any]:
    """What the script of a page reads."""
    (block,) = (one for one in parsed(page).all("script") if one.attributes.get("id") == "data")
    loaded: dict[str, Any] = json.loads(block.text)
    return loaded


def faults(page: str) -> list[str]:
    """What a page must not hold: anything that its policy would have to stop, or lets through."""
    found = []
    document = parsed(page)
    (policy,) = (
        one.attributes["content"]
        for one in document.all("meta")
        if one.attributes.get("http-equiv") == "Content-Security-Policy"
    )
    if not policy.startswith("default-src 'none'; ") or "unsafe" in policy:
        found.append(f"policy {policy}")
    for tag, kind in (("style", "style-src"), ("script", "script-src")):
        runs = [one for one in document.all(tag) if one.attributes.get("type") is None]
        found += [f"{len(runs)} × {tag}"] * (len(runs) != 1)
        found += [
            f"{tag} without its hash" for one in runs if f"{kind} {hash_of(one.text)}" not in policy
        ]
    markup = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    for tag in re.findall(r"<[a-zA-Z][^>]*>", markup):
        bare = re.sub(r'"[^"]*"', '""', re.sub(r'href="#[^"]*"', "", tag))
        found += [f"outside: {tag}"] if OUTSIDE.search(bare) or " style=" in bare else []
    style = document.all("style")[0].text
    found += [f"outside: {one.group()}" for one in OUTSIDE.finditer(style)]
    return found


def hash_of(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
