"""What matplotlib writes as an SVG file, as one short element for a page.

No style, no metadata, no identifier that nothing refers to, coordinates to a tenth of a point.
"""

from __future__ import annotations

import hashlib
import io
import re
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from xml.etree import ElementTree as ET

import numpy as np
import numpy.typing as npt

from karat.curves._simplify import to_segment
from karat.output.plots._axes import FAINT, PALETTE, SERIES, check_matplotlib, few_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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


def _plain(name: str) -> str:
    """A name without its namespace."""
    return name.rpartition("}")[2]


def _shorten(element: ET.Element, ids: Mapping[str, str], inks: Mapping[str, str]) -> None:
    """Write an element and all within it shorter, in place."""
    element.tag = _plain(element.tag)
    element.tail = None
    if element.tag != "text":
        element.text = None
    attributes = _attributes(element, ids)
    for name in attributes.keys() & {"fill", "stroke"}:
        attributes[name] = inks.get(attributes[name], attributes[name])
    element.attrib = attributes
    children: list[ET.Element] = []
    for child in list(element):
        if _plain(child.tag) in ("metadata", "style"):
            continue
        _shorten(child, ids, inks)
        # A group that says nothing gives way to what it holds.
        is_bare = child.tag == "g" and not child.attrib
        is_empty = child.tag in ("g", "defs") and not len(child)
        children += [] if is_empty else list(child) if is_bare else [child]
    element[:] = _joined(children)
    fills = {child.get("fill") if child.tag == "use" else "" for child in element}
    # Markers of one line have one color, which their group can state for all.
    if element.tag == "g" and "fill" not in element.attrib and len(element) > 1 and len(fills) == 1:
        (fill,) = fills
        if fill:
            element.set("fill", fill)
            for child in element:
                del child.attrib["fill"]


def _joined(children: Sequence[ET.Element]) -> list[ET.Element]:
    """Elements of which paths that differ in nothing but their way are one.

    Between them may stand text and what is referred to, as between the lines of a grid.
    """
    found: list[ET.Element] = []
    last: ET.Element | None = None
    for child in children:
        is_path = child.tag == "path" and "id" not in child.attrib
        if last is not None and is_path and _look(last) == _look(child):
            last.set("d", f"{last.get('d')}{child.get('d')}")
            continue
        found.append(child)
        if child.tag not in ("text", "use", "defs"):
            last = child if is_path else None
    return found


def _look(path: ET.Element) -> dict[str, str]:
    return {key: value for key, value in path.attrib.items() if key != "d"}


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


_SETTINGS: Final[Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "karat",
    "figure.facecolor": "none",
    **dict.fromkeys(("axes.facecolor", "legend.facecolor"), PALETTE["paper"]),
    **dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), PALETTE["muted"]),
    **dict.fromkeys(("axes.labelcolor", "axes.titlecolor", "text.color"), PALETTE["ink"]),
    **dict.fromkeys(("xtick.labelcolor", "ytick.labelcolor"), PALETTE["ink"]),
    **dict.fromkeys(("grid.color", "legend.edgecolor"), PALETTE["grid"]),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 8.0,
}

_SETTING: Final = threading.Lock()
"""The settings of matplotlib are those of all threads: two that put back what they found in turn
would leave one's own behind."""


def as_svg(
    draw: Callable[[Axes], Any],
    width: float,
    height: float,
    *,
    title: str | None = None,
    description: str | None = None,
    colors: Mapping[str, str] | None = None,
    has_axes: bool = False,
) -> str:
    """What `draw` draws, as one ``<svg>`` element for a page, or for a file of its own.

    It holds no script, no style, no reference to anything outside, no date, and no `id` that two
    different pictures share. Every colour is one of `karat.plot.PALETTE`, written as the attribute
    ``fill`` or ``stroke``, so that a page may replace it, also by a CSS variable.
    Curves are as fine as the picture can show: a quarter of a point.
    Fonts are left to the page, text is as wide as DejaVu Sans or narrower.

    Args:
        draw: draws on the Axes it is given.
        width, height: of the picture, in inches of 72 points.
        title: what a screen reader says first; default: the title of the Axes, else its axes.
        description: what it says then; default: the texts of the legend.
        colors: name of a colour of `PALETTE` → what to write in its place.
        has_axes: whether the attribute ``data-axes`` is added: where the points (0, 0) and (1, 1)
            of the axes lie in the picture, so that a page may draw on it; of logarithmic axes
            their lower limit and (1, 1), followed by that limit.

    Returns:
        The element, without an XML declaration.

    Errors:
        K501 matplotlib is missing; those of `draw`.

    Cost: about 100 ms, the first one more.

    Example:
        >>> import karat
        >>> report = karat.evaluate([0, 0, 1, 1], y_prob=[0.1, 0.6, 0.4, 0.9])
        >>> text = as_svg(lambda ax: karat.plot.roc(report, ax=ax), width=4.2, height=3.4)
        >>> text[:4], "true positive rate</text>" in text, len(text) < 10_000
        ('<svg', True, True)
        >>> inks = {"ink": "var(--ink)"}
        >>> "var(--ink)" in as_svg(lambda ax: karat.plot.roc(report, ax=ax), 4, 3, colors=inks)
        True
    """
    with _axes_of_picture(width, height) as ax:
        draw(ax)
        text = _written(ax)
        corners = _corners(ax) if has_axes else ""
    axes = " by ".join(filter(None, (ax.get_ylabel(), ax.get_xlabel())))
    texts = []
    if (legend := ax.get_legend()) is not None:
        texts = [text.get_text() for text in (legend.get_title(), *legend.get_texts())]
    name, told = title or ax.get_title() or axes, description or "; ".join(filter(None, texts))
    root, _ = _parsed(text, name, colors)
    _hoist(root)
    return _finished(root, {"data-axes": corners}, title=name, description=told)


def panels_as_svg(
    draws: Sequence[Callable[[Axes], Any]],
    width: float,
    height: float,
    *,
    titles: Sequence[str],
    colors: Mapping[str, str] | None = None,
    has_context: bool = True,
) -> list[str]:
    """Small multiples for one page, one ``<svg>`` element for each panel.

    All panels have the same axes. The first element contains these and the lines of all panels,
    and the others refer to them.

    Args:
        draws: each draws its panel on the Axes it is given; the limits are those of all.
        width, height: of a panel, in inches of 72 points.
        titles: what a screen reader says of each.
        colors: as in `as_svg`.
        has_context: whether the first line of each panel stands behind those of the others.

    Returns:
        An element for each panel, with its attributes ``data-axes`` and ``data-panel``, a number.
    """
    with _axes_of_picture(width, height) as ax:
        names: list[dict[str, None]] = []
        for place, draw in enumerate(draws):
            before, n_lines = set(ax.get_children()), len(ax.lines)
            draw(ax)
            added = [one for one in ax.get_children() if one not in before]
            for number, artist in enumerate(added):
                artist.set_gid(f"panel-{place}-{number}")
            if has_context:
                ax.lines[n_lines].set_gid(f"line-{place}")
            names.append(dict.fromkeys(str(one.get_gid()) for one in added))
        ax.set(xlabel="", ylabel="")
        few_ticks(ax)
        text = _written(ax)
        corners = _corners(ax)
    root, ids = _parsed(text, "".join(titles), colors, [name for each in names for name in each])
    parents = {child: parent for parent in root.iter() for child in parent}
    panel_of = {ids[name]: place for place, each in enumerate(names) for name in each}
    own: list[list[ET.Element]] = [[] for _ in draws]
    prefix = next(iter(ids.values())).partition("-")[0]
    context = ET.Element("g", {"id": f"{prefix}-c", "fill": "none", "stroke-width": ".6"})
    context.set("stroke", (colors or {}).get("faint", FAINT))
    lines = {ids[f"line-{place}"] for place in range(len(draws))} if has_context else set[str]()
    for element in [one for one in root.iter() if one.get("id") in panel_of]:
        name = str(element.get("id"))
        parents[element].remove(element)
        del element.attrib["id"]
        part = own[panel_of[name]]
        if name in lines:
            line = next(one for one in element.iter("path"))
            look = {x: line.attrib.pop(x) for x in list(line.attrib) if x.startswith("stroke")}
            line.attrib.pop("fill", None)
            line.set("id", name)
            (parents[line] if line is not element else element).remove(line)
            context.append(line)
            part.append(ET.Element("use", {"href": f"#{name}", "fill": "none", **look}))
        is_bare = not element.attrib
        part.extend([] if not len(element) else list(element) if is_bare else [element])
    frame = ET.Element("g", {"id": f"{prefix}-f"})
    frame.extend(list(root))
    _hoist(frame)
    shared = [frame, context] if has_context else [frame]
    found = []
    for place, title in enumerate(titles):
        panel = ET.Element("svg", {"viewBox": root.get("viewBox", "")})
        uses = [ET.Element("use", {"href": f"#{one.get('id')}"}) for one in shared]
        panel.extend([*(uses if place else shared), *_joined(own[place])])
        facts = {"data-axes": corners, "data-panel": str(place)}
        found.append(_finished(panel, facts, title=title, is_alone=False))
    return found


@contextmanager
def _axes_of_picture(width: float, height: float) -> Iterator[Axes]:
    """The Axes of a figure that pyplot does not know, under settings of one's own."""
    check_matplotlib()
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.rcsetup import cycler

    with _SETTING, mpl.rc_context(), warnings.catch_warnings():
        # Letters that the measuring font lacks are drawn by that of the page.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        mpl.rcdefaults()
        mpl.rcParams.update(_SETTINGS | {"axes.prop_cycle": cycler(color=SERIES)})
        yield Figure(figsize=(width, height), layout="constrained").add_subplot()


def _written(ax: Axes) -> str:
    """Lay out the figure of an Axes, leave out what cannot be seen, and write it."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    # Laid out once: what is left out of lines moves nothing.
    layout = figure.get_layout_engine()
    assert layout is not None
    layout.execute(figure)
    figure.set_layout_engine("none")
    shrink(ax)
    file = io.StringIO()
    figure.savefig(
        file, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type"))
    )
    return file.getvalue()


def _parsed(
    text: str, name: str, colors: Mapping[str, str] | None, named: Sequence[str] = ()
) -> tuple[ET.Element, dict[str, str]]:
    """The short form of what matplotlib wrote, and the identifiers that it keeps by their old ones.

    Kept are those of what is referred to, and of what is `named`.
    """
    inks = {hex_: (colors or {}).get(colour, hex_) for colour, hex_ in PALETTE.items()}
    root = ET.fromstring(text)
    # Pages hold many pictures: what is referred to is called after its picture.
    picture = hashlib.sha256((text + name.replace(r"\$", "$")).encode()).hexdigest()[:5]
    targets = dict.fromkeys(
        target
        for element in root.iter()
        for key, value in element.attrib.items()
        for target in _REFERENCE.findall(f"{_plain(key)}={value}")
    )
    ids = {x: f"k{picture}-{place}" for place, x in enumerate([*targets, *named])}
    _shorten(root, ids, inks)
    return root, ids


def _hoist(group: ET.Element) -> None:
    """Let a group state what most of its texts look like, where nothing else would take that on."""
    texts = list(group.iter("text"))
    for key in ("font-size", "fill"):
        values = [text.get(key) for text in texts]
        common, n = Counter(values).most_common(1)[0] if values else (None, 0)
        if n < 2 or common is None or None in values or (key == "fill" and _is_bare(group)):
            continue
        group.set(key, common)
        for text in texts:
            if text.get(key) == common:
                del text.attrib[key]


def _is_bare(group: ET.Element) -> bool:
    """Return whether some shape of a group would be filled as the group says."""
    for child in group:
        if "fill" in child.attrib or child.tag in ("text", "defs", "title", "desc"):
            continue
        if child.tag != "g" or _is_bare(child):
            return True
    return False


def _finished(
    root: ET.Element,
    facts: Mapping[str, str],
    *,
    title: str = "",
    description: str = "",
    is_alone: bool = True,
) -> str:
    """The text of an element with what a screen reader says first; alone, it is a whole file."""
    root.attrib |= {"role": "img", "stroke-linejoin": "round"}
    root.attrib |= {"font-family": "sans-serif", "xmlns": _NAMESPACE} if is_alone else {}
    root.attrib |= {key: fact for key, fact in facts.items() if fact}
    for tag, text in (("desc", description), ("title", title)):
        if text:
            head = ET.Element(tag)
            # The labels of matplotlib write a dollar sign as \$.
            head.text = text.replace(r"\$", "$")
            root.insert(0, head)
    # Neither text nor an attribute holds this: ">" is escaped.
    return ET.tostring(root, encoding="unicode").replace(" />", "/>")


def _corners(ax: Axes) -> str:
    """Return where (0, 0) and (1, 1) lie, in points from the upper left.

    Of logarithmic axes with one lower limit it is where that and (1, 1) lie, and the limit; of
    others nothing.
    """
    scales, low = {ax.get_xscale(), ax.get_yscale()}, 0.0
    if scales == {"log"}:
        low = float(ax.get_xlim()[0])
    if scales not in ({"linear"}, {"log"}) or (low and low != ax.get_ylim()[0]):
        return ""
    height = ax.figure.bbox.height
    scale = 72.0 / ax.figure.dpi
    places = [ax.transData.transform(at) for at in ((low, low), (1.0, 1.0))]
    ends = [_tenth(float(z)) for x, y in places for z in (x * scale, (height - y) * scale)]
    return " ".join([*ends, f"{low:.9g}"] if low else ends)


_FINEST: Final = 0.2
"""Points (1/72 inch) by which a line may differ, if the picture has room for it."""
_COARSEST: Final = 3.0
"""The same, whatever the room."""
_MOST_POINTS: Final = 1_000
"""Points of all lines together that are named, and of those that are not."""

Floats: TypeAlias = npt.NDArray[np.float64]
Places: TypeAlias = npt.NDArray[np.intp]


def shrink(ax: Axes) -> None:
    """Leave out points of lines and bands, also of panels, that are too near to others to see."""
    from matplotlib.cbook import pts_to_prestep
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import same_color

    named: list[tuple[Any, Floats, Floats, Any]] = []
    faint: list[tuple[Any, Floats, Floats, Any]] = []
    for line in [line for one in (ax, *ax.child_axes) for line in getattr(one, "lines", ())]:
        x, y = (np.asarray(part, np.float64) for part in line.get_data())
        if len(x) < 3 or line.get_marker() not in ("None", "", None):
            continue
        if line.get_drawstyle() == "steps-pre":
            x, y = pts_to_prestep(x, y)
            line.set_drawstyle("default")
        on_page = line.get_transform().transform(np.column_stack([x, y])).T
        group = faint if same_color(line.get_color(), FAINT) else named
        group.append((line, x, y, on_page))
    for group in (named, faint):
        tolerance = _FINEST
        places = [coarser(px, py, tolerance) for *_, (px, py) in group]
        while sum(map(len, places)) > _MOST_POINTS and tolerance <= _COARSEST:
            tolerance *= 1.5
            places = [coarser(px, py, tolerance) for *_, (px, py) in group]
        for (line, x, y, _), kept in zip(group, places, strict=True):
            line.set_data(x[kept], y[kept])
    for one in (ax, *ax.child_axes):
        for filled in getattr(one, "collections", ()):
            if isinstance(filled, PolyCollection):
                verts = [np.asarray(path.vertices) for path in filled.get_paths()]
                on_page = [filled.get_transform().transform(part) for part in verts]
                places = [coarser(part[:, 0], part[:, 1], _FINEST) for part in on_page]
                filled.set_verts([part[kept] for part, kept in zip(verts, places, strict=True)])


def coarser(x: Floats, y: Floats, tolerance: float) -> Places:
    """Places of points through which a line stays within a tolerance of all of them.

    Ramer, Douglas, Peucker; a line is drawn in parts where points are not finite, and these parts
    stay apart.

    Example:
        >>> x = np.array([0.0, 1, 2, np.nan, 3, 4, 5])
        >>> coarser(x, np.array([0.0, 0.1, 0, np.nan, 0, 1, 0]), 0.25).tolist()
        [0, 2, 3, 4, 5, 6]
    """
    is_finite = np.isfinite(x) & np.isfinite(y)
    keep = ~is_finite
    borders = np.flatnonzero(np.diff(np.concatenate([[False], is_finite, [False]]).astype(int)))
    parts = [(int(a), int(b) - 1) for a, b in zip(borders[::2], borders[1::2], strict=True)]
    for part in parts:
        keep[list(part)] = True
    while parts:
        first, last = parts.pop()
        if last - first < 2:
            continue
        px, py = x[first : last + 1], y[first : last + 1]
        far = to_segment(px, py, px[0], py[0], px[-1], py[-1])
        furthest = int(np.argmax(far))
        if far[furthest] > tolerance:
            middle = first + furthest
            keep[middle] = True
            parts += [(first, middle), (middle, last)]
    return np.flatnonzero(keep)
