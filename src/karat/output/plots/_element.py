"""What matplotlib writes as an SVG file, as one short element for a page.

No style, no metadata, no identifier that nothing refers to, coordinates to a tenth of a point.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Final
from xml.etree import ElementTree as ET

__all__ = ["element_of"]

_NAMESPACE: Final = "http://www.w3.org/2000/svg"
_NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")
_REFERENCE = re.compile(r"(?:href=#|url\(#)([^)]+)")
_SHORTENED: Final = {"transform", "d", "x", "y", "width", "height", "viewBox", "font-size"}
_DROPPED: Final = {
    "version",
    "font-family",
    "stroke-linejoin",
    "stroke-linecap",
    "stroke-dashoffset",
    "image-rendering",
}
"""The whole picture joins lines in one way; fonts are left to the page."""


def element_of(text: str, title: str, description: str, inks: Mapping[str, str]) -> str:
    """The element of an SVG file of matplotlib.

    Args:
        text: the file.
        title, description: what is read out in place of the picture.
        inks: colour → what to write in its place.
    """
    root = ET.fromstring(text)
    # Pages hold many pictures: what is referred to is called after its picture.
    picture = hashlib.sha256((text + title).encode()).hexdigest()[:5]
    targets = dict.fromkeys(_references(root))
    ids = {name: f"k{picture}-{place}" for place, name in enumerate(targets)}
    _shorten(root, ids, inks)
    root.set("role", "img")
    root.set("font-family", "sans-serif")
    root.set("stroke-linejoin", "round")
    for place, (tag, told) in enumerate((("title", title), ("desc", description))):
        if told:
            head = ET.Element(tag)
            head.text = told
            root.insert(place, head)
    root.set("xmlns", _NAMESPACE)
    return ET.tostring(root, encoding="unicode")


def _plain(name: str) -> str:
    """A name without its namespace."""
    return name.rpartition("}")[2]


def _references(root: ET.Element) -> Iterator[str]:
    for element in root.iter():
        for key, value in element.attrib.items():
            yield from _REFERENCE.findall(f"{_plain(key)}={value}")


def _shorten(element: ET.Element, ids: Mapping[str, str], inks: Mapping[str, str]) -> None:
    """Write an element and all within it shorter, in place."""
    element.tag = _plain(element.tag)
    element.tail = None
    if element.tag != "text":
        element.text = None
    attributes = _attributes(element, ids)
    for name in ("fill", "stroke"):
        if name in attributes:
            attributes[name] = inks.get(attributes[name], attributes[name])
    element.attrib.clear()
    element.attrib.update(attributes)
    children: list[ET.Element] = []
    for child in list(element):
        if _plain(child.tag) in ("metadata", "style"):
            continue
        _shorten(child, ids, inks)
        # A group that says nothing gives way to what it holds.
        is_bare = child.tag == "g" and not child.attrib
        is_empty = child.tag in ("g", "defs") and not len(child)
        children += [] if is_empty else list(child) if is_bare else [child]
    element[:] = children


def _attributes(element: ET.Element, ids: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in element.attrib.items():
        if key == "style":
            found |= _presentation(value)
        elif key == "id":
            found |= {"id": ids[value]} if value in ids else {}
        else:
            found[_plain(key)] = value
    for key, value in found.items():
        reference = _REFERENCE.search(f"{key}={value}")
        if reference:
            found[key] = value.replace(reference[1], ids[reference[1]])
        elif key in _SHORTENED:
            found[key] = _short_path(value) if key == "d" else _short(value)
    if found.get("transform", "").startswith(("rotate(-0 ", "rotate(0 ")):
        del found["transform"]
    # What is used has its own strokes.
    is_use = element.tag == "use"
    return {
        key: value
        for key, value in found.items()
        if key not in _DROPPED and not (is_use and key.startswith("stroke"))
    }


def _presentation(style: str) -> dict[str, str]:
    """A style as attributes: a strict content security policy of a page forbids styles."""
    pairs = [part.partition(":")[::2] for part in style.split(";") if part.strip()]
    found = {key.strip(): value.strip() for key, value in pairs}
    font = found.pop("font", None)
    size = font and re.search(r"([\d.]+)px", font)
    if font and size:
        found["font-size"] = size[1]
        if "bold" in font[: size.start()] or "700" in font[: size.start()]:
            found["font-weight"] = "bold"
    return found


def _short(data: str) -> str:
    """Coordinates to a tenth of a point."""
    return _NUMBER.sub(lambda number: _tenth(float(number[0])), " ".join(data.split()))


def _tenth(number: float) -> str:
    text = f"{number:.1f}".removesuffix(".0").replace("0.", ".", 1 if abs(number) < 1 else 0)
    return "0" if text in ("-0", "", "-") else text


_STEP = re.compile(r"([MLCQz])([^MLCQz]*)")


def _short_path(data: str) -> str:
    """A path by its steps: each from the point before, which is rounded, so that none adds up."""
    written: list[str] = []
    at, last = (0.0, 0.0), ""
    for command, numbers in _STEP.findall(data):
        values = [float(number) for number in numbers.split()]
        points = [
            (round(x, 1), round(y, 1)) for x, y in zip(values[::2], values[1::2], strict=True)
        ]
        if command == "L" and points[0] == at:
            continue
        steps = [f"{_tenth(x - at[0])} {_tenth(y - at[1])}" for x, y in points]
        letter = command.lower() if written else command
        # A step right after another one of its kind needs no letter.
        written.append(" ".join(steps) if letter == last == "l" else letter + " ".join(steps))
        last = letter
        at = points[-1] if points else at
    return re.sub(r" ?([a-zA-Z]) ?", r"\1", " ".join(written)).replace(" -", "-")
