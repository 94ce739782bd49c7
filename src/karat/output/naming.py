"""One short text for each name of a document, and the legend that has the names in full."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from karat.errors.text import aliases, contrasted, safe
from karat.output.document import Document, Matrix, Table


class Naming:
    """The names of a document: each has one text, and no two have the same.

    Args:
        names: of classes, labels, slices and columns; a name of a model may be among them.
        limit: cells of the longest text.
        models: names of models, which head columns.
        model_limit: cells of the longest text of a model; None: as of other names.
        is_ascii: whether what is not ASCII is written as an escape.

    Example:
        >>> from karat.output.naming import Naming
        >>> naming = Naming(["species_07_red_longname", "species_08_red_longname", "cat"], 14)
        >>> naming.short("species_07_red_longname"), naming.short("cat")
        ('speci…07…gname', 'cat')
        >>> naming.legend()
        ['speci…07…gname = species_07_red_longname']
    """

    def __init__(
        self,
        names: Iterable[str],
        limit: int,
        *,
        models: Sequence[str] = (),
        model_limit: int | None = None,
        is_ascii: bool = False,
    ) -> None:
        others = [name for name in dict.fromkeys(names) if name not in set(models)]
        self._full = _spelled([*models, *others], is_ascii=is_ascii)
        of_models = [self._full[name] for name in models]
        texts = [self._full[name] for name in others]
        limit_of_models = limit if model_limit is None else model_limit
        short_models = contrasted(of_models, limit_of_models, texts)
        found = aliases(texts, limit, [*of_models, *short_models])
        self._short = dict(zip(models, short_models, strict=True))
        self._short |= {name: found[self._full[name]] for name in others}
        self._seen: dict[str, None] = {}

    def short(self, name: str) -> str:
        """The text of a name, harmless and short; the legend gets what is not in full."""
        self._seen[name] = None
        return self._short[name]

    def full(self, name: str) -> str:
        """The name in full, harmless."""
        return self._full[name]

    def legend(self, known: Collection[str] = ()) -> list[str]:
        """``text = name in full`` of every text that is not in full, in the order of use.

        Args:
            known: names that stand in full elsewhere; they are left out.
        """
        return [
            f"{self._short[name]} = {self._full[name]}"
            for name in self._seen
            if self._short[name] != self._full[name]
            and not (name in known and self._full[name] == safe(name))
        ]


def _spelled(names: Sequence[str], *, is_ascii: bool) -> dict[str, str]:
    """Name → its harmless text; names that would read the same are written as Python writes them.

    A line end would read as a backslash before an n does.
    """
    texts = {name: safe(name, is_ascii=is_ascii) for name in dict.fromkeys(names)}
    n = Counter(texts.values())
    return {name: text if n[text] == 1 else ascii(name) for name, text in texts.items()}


def names_of(document: Document) -> Iterator[str]:
    """Every name in the cells of tables, and of the classes of matrices."""
    for section in document.sections:
        if isinstance(section, Matrix):
            yield from section.names
        elif isinstance(section, Table):
            places = [i for i, column in enumerate(section.columns) if column.is_name]
            yield from (row[i].text for row in section.rows for i in places)
