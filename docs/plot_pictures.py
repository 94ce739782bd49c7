"""Draw the pictures of docs/gallery.md and docs/plots.md: python docs/plot_pictures.py docs/plots.

Run from the folder of the project. The pictures of the gallery are what its code draws; that of a
hundred classes is drawn here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import matplotlib as mpl
import numpy as np

import karat
from karat.output.plots.svg import as_svg
from karat.plot import PALETTE

GALLERY = Path(__file__).with_name("gallery.md")
BLOCK = re.compile(r"```python\n([^`]*)```\n\n!\[[^\]]*\]\(plots/(\w+)\.svg\)")
WIDTH, HEIGHT = 4.4, 3.5


def pictures() -> dict[str, Callable[[Any], Any]]:
    """Name of the file without its ending → what draws it on given axes."""
    text = GALLERY.read_text(encoding="utf-8")
    drawn: dict[str, Callable[[Any], Any]] = {
        name: lambda ax, code=code: run(code, ax) for code, name in BLOCK.findall(text)
    }
    drawn["many"] = lambda ax: karat.plot.roc(many_classes(), ax=ax)
    return drawn


def run(code: str, ax: Any) -> None:
    """Run the code of a picture; its new figure of pyplot is that of the axes."""
    with patch("matplotlib.pyplot.subplots", lambda **_: (ax.figure, ax)):
        exec(code, {})  # noqa: S102 - the code of a page of the project


def many_classes() -> karat.Report:
    """A hundred classes, some of them hard."""
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 100, 5_000)
    scores = rng.normal(size=(5_000, 100))
    scores[np.arange(5_000), y_true] += np.linspace(0.8, 4, 100)[y_true]
    return karat.evaluate(y_true, y_score=scores)


def main(folder: Path) -> None:
    mpl.use("Agg")
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in pictures().items():

        def on_paper(ax: Any, draw: Callable[[Any], Any] = draw) -> None:
            ax.figure.set_facecolor(PALETTE["paper"])
            draw(ax)

        text = as_svg(on_paper, WIDTH, HEIGHT)
        (folder / f"{name}.svg").write_text(text + "\n", encoding="utf-8")
        print(folder / f"{name}.svg", len(text))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
