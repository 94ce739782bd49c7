"""Text of messages and output: values in one line, foreign text made harmless, numbers."""

from __future__ import annotations

import math
import re
import reprlib
import string
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

_WIDTH = 200
_DIGITS_BITS = 4096
"""Bits of the largest whole number whose digits are written."""


def short(item: object, width: int = 60) -> str:
    """The repr of one value, cut to fit into a message: of any value, whatever its class does."""
    try:
        text = _BRIEF.repr(item)
    except Exception:  # the repr of a foreign class may raise anything
        text = f"<{type(item).__name__}>"
    return text if len(text) <= width else f"{text[: width - 1]}…"


def shown(values: Any, limit: int = 8) -> str:
    """A short list of values for a message: ``'a', 'b', 'c' … (12 in all)``."""
    items = list(values)
    text = ", ".join(short(item, _WIDTH) for item in items[:limit])
    return text if len(items) <= limit else f"{text} … ({len(items)} in all)"


def filled(template: str, facts: Mapping[str, Any]) -> str:
    """``template.format(**facts)``, where ``!r`` is brief and no fact fails to print.

    A fact that begins with "column" has a capital where it begins a sentence, and only there.
    """
    text = ""
    for plain, name, spec, conversion in _FACTS.parse(template):
        text += plain
        if name is not None:
            found, _ = _FACTS.get_field(name, (), facts)
            fact = _FACTS.format_field(_FACTS.convert_field(found, conversion), spec or "")
            text += _cased(fact, is_start=not text or text.endswith(". "))
    return text


def _cased(fact: str, *, is_start: bool) -> str:
    """A fact that names columns, as it is written where a sentence begins or within one."""
    if not _NAMES_COLUMNS.match(fact):
        return fact
    return f"{'C' if is_start else 'c'}{fact[1:]}"


_NAMES_COLUMNS = re.compile(r"[Cc]olumns? ['\"]")


class _Brief(reprlib.Repr):
    """Reprs that stay short where nesting, length or a number of many digits would not."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxother, self.maxlong = 4, _WIDTH, _WIDTH
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = 8

    def repr1(self, x: Any, level: int) -> str:
        if isinstance(x, str):
            return repr(str.__str__(x)[: _WIDTH + 1])
        if isinstance(x, bytes):
            return repr(bytes(x[: _WIDTH + 1]))
        if isinstance(x, int) and int.bit_length(x) > _DIGITS_BITS:
            return f"<a whole number of {int.bit_length(x)} bits>"
        return super().repr1(x, level)


class _Facts(string.Formatter):
    """``str.format`` that survives facts whose class cannot be printed."""

    def convert_field(self, value: Any, conversion: Any) -> Any:
        return (
            short(value, _WIDTH) if conversion == "r" else super().convert_field(value, conversion)
        )

    def format_field(self, value: Any, format_spec: str) -> Any:
        try:
            return super().format_field(value, format_spec)
        except Exception:  # as in `short`
            return short(value, _WIDTH)


_BRIEF = _Brief()
_FACTS = _Facts()


_SHOWN_AS = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
# Joiners are part of ordinary text (Persian, emoji), take no cell and move nothing.
_JOINERS = ("\u200c", "\u200d")
_HARMFUL = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
ELLIPSIS = "…"


def safe(text: str, *, is_ascii: bool = False) -> str:
    r"""The text with every control, format and unassigned character written as an escape.

    Blank text, and text with blanks at its ends, is quoted, so that it can be seen.

    Example:
        >>> from karat.errors.text import safe
        >>> safe("\x1b[31mred\n")
        '\\x1b[31mred\\n'
    """
    shown = harmless(text, is_ascii=is_ascii)
    return shown if shown and shown == shown.strip() else f"'{shown}'"


def harmless(text: str, *, is_ascii: bool = False) -> str:
    """The text with escapes as `safe` writes them, never quoted: for running text."""
    shown = "".join(map(_visible, text))
    return shown.encode("ascii", "backslashreplace").decode("ascii") if is_ascii else shown


def _visible(char: str) -> str:
    if " " <= char <= "~":
        return char
    if char in _SHOWN_AS:
        return _SHOWN_AS[char]
    if unicodedata.category(char) in _HARMFUL and char not in _JOINERS:
        code = ord(char)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
    return char


def cells(text: str) -> int:
    """Number of terminal cells of a text: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(map(_char_cells, text))


def _char_cells(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def padded(text: str, width: int, align: str = "left") -> str:
    """The text filled with blanks to that many cells."""
    blanks = " " * (width - cells(text))
    return blanks + text if align == "right" else text + blanks


def shortened(text: str, limit: int) -> str:
    """The text in at most `limit` cells; its middle is left out, since ends tell names apart."""
    if cells(text) <= limit:
        return text
    if limit < 3:
        return _start(text, limit - 1) + ELLIPSIS if limit > 1 else ELLIPSIS
    tail = (limit - 1) // 2
    end = _start(text[::-1], tail)[::-1]
    # A combining mark must not open the tail: it would sit on the ellipsis.
    end = end.lstrip("".join(char for char in set(end) if _char_cells(char) == 0))
    return _start(text, limit - 1 - cells(end)) + ELLIPSIS + end


def _start(text: str, limit: int) -> str:
    used = 0
    for place, char in enumerate(text):
        used += _char_cells(char)
        if used > limit:
            return text[:place]
    return text


def aliases(names: Iterable[str], limit: int, taken: Collection[str] = ()) -> dict[str, str]:
    """Name → a text of at most `limit` cells that is that of no other name.

    A name that fits stays as it is. Ranges of numbers are rounded where that is enough; of other
    names the middle is left out, or what names have in common where that would make them the same.

    Args:
        names: names in full.
        limit: cells of the longest text.
        taken: texts that stand for something else.

    Example:
        >>> from karat.errors.text import aliases
        >>> aliases(["species_07_red_longname", "species_08_red_longname", "cat"], 14)["cat"]
        'cat'
        >>> list(aliases(["species_07_red_longname", "species_08_red_longname"], 14).values())
        ['speci…07…gname', 'speci…08…gname']
        >>> list(aliases(["[0.1234, 1.5151]", "(1.5151, 2.75e+08]"], 12).values())
        ['[0.12, 1.5]', '(1.5, 2.8e8]']
    """
    full = list(dict.fromkeys(names))
    found = {name: name for name in full if cells(name) <= limit}
    found |= _rounded(full, limit)
    long = [name for name in full if name not in found]
    if not long:
        return found
    # A terminal of ASCII shows a dot for an ellipsis.
    used = {_dotted(text) for text in (*full, *found.values(), *taken)}
    for name, text in _apart(dict.fromkeys(long), limit).items():
        candidate, n = text, 1
        while _dotted(candidate) in used:
            n += 1
            mark = f"~{n}"
            candidate = shortened(name, limit - len(mark)) + mark
        used.add(_dotted(candidate))
        found[name] = candidate
    return {name: found[name] for name in full}


def _dotted(text: str) -> str:
    """Return what distinguishes a text: dots for an ellipsis, and no blanks."""
    return "".join(text.replace(ELLIPSIS, ".").split())


def _apart(names: Iterable[str], limit: int) -> dict[str, str]:
    """Name → its text in at most `limit` cells; equal only where nothing that differs fits."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(shortened(name, limit), []).append(name)
    found: dict[str, str] = {}
    for text, group in groups.items():
        found |= {group[0]: text} if len(group) == 1 else _contrast(group, limit)
    return found


_LEAST_CONTRAST = 5
"""Cells that hold an end, what differs, another end, and two ellipses."""


def _contrast(group: Sequence[str], limit: int) -> dict[str, str]:
    """Name → its text with what differs between these names, which share both ends."""
    if limit < _LEAST_CONTRAST:
        return {name: shortened(name, limit) for name in group}
    start = _common(group)
    end = min(_common([name[start:][::-1] for name in group]), *(len(x) - start for x in group))
    wide_start, wide_end = _whole_words(group, start, end)
    for front, back in ((wide_start, wide_end), (start, end)):
        middles = [name[front : len(name) - back] for name in group]
        room = limit - max(map(cells, middles))
        if room >= bool(front) + bool(back):
            heads, tails = cells(group[0][:front]), cells(group[0][len(group[0]) - back :])
            head = min(heads, max(room - tails, (room + 1) // 2))
            tail = min(tails, room - head)
            return {
                name: _head(name[:front], head) + middle + _tail(name[len(name) - back :], tail)
                for name, middle in zip(group, middles, strict=True)
            }
    # What differs is long: it begins the text, and its own middle distinguishes it.
    front = wide_start or start
    rests = _apart([name[front:] for name in group], limit - 1)
    return {name: ELLIPSIS + rests[name[front:]].removeprefix(ELLIPSIS) for name in group}


def _common(texts: Sequence[str]) -> int:
    """Characters with which all of them begin; a combining mark stays with its letter."""
    first, last = min(texts), max(texts)
    n = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    while n and any(len(text) > n and not _char_cells(text[n]) for text in texts):
        n -= 1
    return n


_MOST_WORD = 6


def _whole_words(group: Sequence[str], start: int, end: int) -> tuple[int, int]:
    """Both common ends without the part of a word that what differs begins or ends with."""
    first = group[0]
    wide_start, wide_end = start, end
    while wide_start and start - wide_start < _MOST_WORD and first[wide_start - 1].isalnum():
        wide_start -= 1
    while wide_end and end - wide_end < _MOST_WORD and first[len(first) - wide_end].isalnum():
        wide_end -= 1
    return wide_start, wide_end


def _head(text: str, limit: int) -> str:
    """The beginning of a text in at most `limit` cells, with an ellipsis where it is cut."""
    return text if cells(text) <= limit else _start(text, limit - 1) + ELLIPSIS


def _tail(text: str, limit: int) -> str:
    """The end of a text, as `_head` cuts its beginning."""
    if not text or cells(text) <= limit:
        return text
    end = _start(text[::-1], limit - 1)[::-1]
    return ELLIPSIS + end.lstrip("".join(char for char in set(end) if not _char_cells(char)))


def distinct(names: Sequence[str], limit: int, taken: Collection[str] = ()) -> list[str]:
    """The names as `aliases` shortens them."""
    found = aliases(names, limit, taken)
    return [found[name] for name in names]


_NUMBER = r"[+-]?[0-9]+(?:\.[0-9]*)?(?:e[+-]?[0-9]+)?"
_RANGE = re.compile(rf"(?<=[\[(])({_NUMBER}), ({_NUMBER})(?=[\])])")


def _rounded(names: Sequence[str], limit: int) -> dict[str, str]:
    """The ranges among names with as many digits as fit; none where that is not enough."""
    ranges = [name for name in names if _RANGE.search(name)]
    if all(cells(name) <= limit for name in ranges):
        return {}
    others = {name for name in names if name not in set(ranges)}
    for digits in range(6, 0, -1):
        short = [_RANGE.sub(partial(_of_digits, digits), name) for name in ranges]
        if len(set(short) - others) < len(ranges) or any(map(_IS_EMPTY.search, short)):
            break
        if all(cells(name) <= limit for name in short):
            return dict(zip(ranges, short, strict=True))
    return {}


_IS_EMPTY = re.compile(rf"[\[(]({_NUMBER}), \1[\])]")


def _of_digits(digits: int, found: re.Match[str]) -> str:
    """A range with rounded limits: ``310, 1.8e8``."""
    limits = []
    for text in found.groups():
        rounded = f"{float(text):.{digits}g}"
        plain = f"{float(rounded):.15g}"
        limits.append(min(plain, re.sub(r"e\+?(-?)0*", r"e\1", rounded), key=len))
    return ", ".join(limits)


_WORDS = re.compile(r"[^\W_]*[\W_]*")


def contrasted(names: Sequence[str], limit: int, taken: Collection[str] = ()) -> list[str]:
    """Each name in at most `limit` cells; a long one without the words that all begin or end with.

    Example:
        >>> from karat.errors.text import contrasted
        >>> contrasted(["run_7_small.csv", "run_7_large.csv"], 8)
        ['…small…', '…large…']
    """
    if max(map(cells, names), default=0) <= limit:
        return list(names)
    words = [_WORDS.findall(name)[:-1] for name in names]
    room = min(map(len, words)) - 1 if len(set(names)) > 1 else 0
    front = 0
    while front < room and len({each[front] for each in words}) == 1:
        front += 1
    back = 0
    while back < room - front and len({each[-1 - back] for each in words}) == 1:
        back += 1
    short = ["".join(each[front : len(each) - back]) for each in words]
    if back:
        short = [text.rstrip(string.punctuation + string.whitespace) for text in short]
    short = [ELLIPSIS * bool(front) + text + ELLIPSIS * bool(back) for text in short]
    # Names may differ only in what separates their words.
    return distinct(short if len(set(short)) == len(set(names)) else names, limit, taken)


def wrapped(text: str, width: int, *, indent: int = 0, hang: int = 0) -> list[str]:
    """Running text as lines of at most `width` cells, broken at blanks where there are any.

    Args:
        indent: blanks before every line.
        hang: further blanks before all lines but the first.
    """
    lines: list[str] = []
    current = " " * indent
    is_blank = True
    for word in text.split(" "):
        joined = current + word if is_blank else f"{current} {word}"
        if cells(joined) > width and not is_blank:
            lines.append(current)
            current = " " * (indent + hang)
            joined = current + word
        while cells(joined) > width:
            head = _start(joined, width)
            lines.append(head)
            joined = " " * (indent + hang) + joined[len(head) :]
        current, is_blank = joined, False
    return [*lines, current]


MISSING = "–"


def count(n: float) -> str:
    """A whole number in full, in groups of three: ``1 797``."""
    return f"{int(n):,}".replace(",", " ")


def counted(n: float, noun: str) -> str:
    """A number of things: ``1 row``, ``2 classes``."""
    plural = noun if n == 1 else noun + ("es" if noun.endswith("s") else "s")
    return f"{count(n)} {plural}"


def amount(total: float) -> str:
    """A count in full, or a sum of weights in at least four significant digits."""
    return amounts([total])[0]


def amounts(totals: Sequence[float]) -> list[str]:
    """Counts in full; sums of weights with as many decimals as show four digits of the largest."""
    if all(float(total).is_integer() and abs(total) < 1e15 for total in totals):
        return [count(total) for total in totals]
    largest = max(map(abs, totals))
    if largest >= 1e15 or largest < 1e-3:
        return [f"{total:.3e}" for total in totals]
    digits = max(0, min(6, 3 - math.floor(math.log10(largest))))
    least = 0.5 * 10**-digits
    return [
        f"{total:.0e}" if 0 < abs(total) < least else f"{total:,.{digits}f}".replace(",", " ")
        for total in totals
    ]


def value(number: float | None) -> str:
    """A metric: four decimals below ten, four significant digits above, a dash for none.

    A value that is not 0 or 1 never reads 0.0000 or 1.0000: it gets the digits that show it.

    Example:
        >>> from karat.errors.text import value
        >>> value(0.93266), value(0.999996), value(12345.678)
        ('0.9327', '0.999996', '12 346')
    """
    if number is None or math.isnan(number):
        return MISSING
    if math.isinf(number):
        return "∞" if number > 0 else "-∞"
    size = abs(number)
    if size >= 1e7:
        return f"{number:.3e}"
    if size >= 1000:
        return f"{number:,.0f}".replace(",", " ")
    if size >= 10:
        return f"{number:.{2 if size < 100 else 1}f}"
    text = f"{number:.4f}"
    if float(text) == number:
        return text
    if abs(float(text)) == 1 and abs(1 - size) < 5e-5:
        # The small part keeps 0.999999999 from a digit more than it has.
        digits = min(16, math.ceil(-math.log10(abs(1 - size)) - 1e-6))
        return f"{number:.{digits}f}"
    return text if size >= 0.001 else f"{number:.1e}"


def threshold(number: float | None) -> str:
    """A threshold in six digits or more, never above it: given again, it still calls its rows.

    Example:
        >>> from karat.errors.text import threshold
        >>> threshold(0.5), threshold(0.4871617), threshold(0.99999987)
        ('0.5', '0.4871617', '0.99999987')
    """
    if number is None or not math.isfinite(number):
        return value(number)
    for digits in range(6, 17):
        text = f"{number:.{digits}g}"
        if float(text) <= number:
            return text
    return repr(float(number))


def interval(low: float | None, high: float | None) -> str:
    """``[0.9204, 0.9434]``; nothing when there is none."""
    return "" if low is None or high is None else f"[{value(low)}, {value(high)}]"


def points(number: float | None) -> str:
    """A difference of proportions in percentage points, without the unit: two decimals.

    Below a tenth of a point it has two significant digits.

    Example:
        >>> from karat.errors.text import points
        >>> points(0.0404), points(-0.00031), points(0.0), points(None)
        ('4.04', '-0.031', '0.00', '–')
    """
    if number is None or math.isnan(number):
        return MISSING
    shown = 100.0 * number
    return f"{shown + 0.0:.2f}" if not shown or abs(shown) >= 0.1 else f"{shown:.2g}"


def at_most(size: float) -> str:
    """A size in two digits, rounded up: ``2.4e-06``.

    Example:
        >>> from karat.errors.text import at_most
        >>> at_most(2.31e-6), at_most(0.25), at_most(0.0)
        ('2.4e-06', '0.25', '0')
    """
    if not size or math.isinf(size):
        return "∞" if size else "0"
    step = 10.0 ** (math.floor(math.log10(size)) - 1)
    rounded = step * math.ceil(size / step - 1e-9)
    return f"{rounded:.2g}" if rounded >= 0.001 else f"{rounded:.1e}"


def size(n_bytes: float) -> str:
    """``12 KiB``: bytes in the largest unit of which there is one.

    Example:
        >>> size(800), size(1 << 20), size(1536 * 1024)
        ('800 bytes', '1 MiB', '1.5 MiB')
    """
    units = ("bytes", "KiB", "MiB", "GiB", "TiB")
    place = min(int(math.log2(n_bytes) // 10) if n_bytes >= 1 else 0, len(units) - 1)
    return f"{n_bytes / 1024**place:.3g} {units[place]}"


def share(part: float, whole: float) -> str:
    """``6.9 %``; what is neither none nor all never reads 0.0 or 100.0."""
    if not whole or math.isnan(whole):
        return MISSING
    ratio = part / whole
    if 0 < ratio < 0.0005:
        return "<0.1 %"
    if 0.9995 <= ratio < 1:
        return ">99.9 %"
    return f"{100 * ratio:.1f} %"
