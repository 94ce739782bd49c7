"""Formulas of a page as MathML: every metric's, beside what docutils makes of the same LaTeX."""

from __future__ import annotations

import html
import re
from xml.etree import ElementTree as ET

import pytest
from docutils.utils.math import latex2mathml

from karat.metrics import Metric, all_metrics
from karat.metrics._registry import metrics_of_sets
from karat.output.html.mathml import formula

METRICS = list({one.latex: one for one in (*all_metrics(), *metrics_of_sets())}.values())
_OTHERWISE = {"∶": ":", "⁡": "", "¯": "", "ˉ": "", "ˆ": "^", "_": "", " ": ""}
"""Signs that docutils writes otherwise, or that a line over a group takes the place of."""


def signs(mathml: str) -> str:
    """What is read, without spaces."""
    named = re.sub(r"&(?!lt;|gt;|amp;)\w+;", lambda found: html.unescape(found[0]), mathml)
    text = "".join(ET.fromstring(named).itertext())
    return "".join(_OTHERWISE.get(sign, sign) for sign in text if not sign.isspace())


def of_docutils(metric: Metric) -> str:
    plain = re.sub(r"\\[bB]ig+(?![a-zA-Z])", "", metric.latex)
    plain = re.sub(r"(\\[dt]?frac)(\d)(\d)", r"\1{\2}{\3}", plain)
    return str(latex2mathml.tex2mathml(plain, as_block=True))


def test_every_formula_has_the_signs_that_docutils_writes() -> None:
    other = {
        one.name: (signs(formula(one.latex)), signs(of_docutils(one)))
        for one in METRICS
        if sorted(signs(formula(one.latex))) != sorted(signs(of_docutils(one)))
    }
    assert other == {}
    assert signs(formula(r"\frac{a}{b}")) != signs(formula(r"\frac{a}{c}"))


def test_every_formula_has_as_many_parts_as_its_elements_need() -> None:
    needed = {"mfrac": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "msubsup": 3}
    for metric in METRICS:
        for element in ET.fromstring(formula(metric.latex)).iter():
            n = needed.get(element.tag)
            assert n is None or len(element) == n, (metric.name, element.tag)


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"\frac{1}{2}", "<mfrac><mn>1</mn><mn>2</mn></mfrac>"),
        (r"\tfrac12", "<mfrac><mn>1</mn><mn>2</mn></mfrac>"),
        (r"x_{ij}^2", "<msubsup><mi>x</mi><mrow><mi>i</mi><mi>j</mi></mrow><mn>2</mn></msubsup>"),
        (r"\sum_i", "<munder><mo>∑</mo><mi>i</mi></munder>"),
        (r"\mathrm{TP} - 10", "<mi>TP</mi><mo>−</mo><mn>10</mn>"),
        (r"a < b", "<mi>a</mi><mo>&lt;</mo><mi>b</mi>"),
        (r"\ln p", '<mi>ln</mi><mspace width=".17em"/><mi>p</mi>'),
        (r"\ln(p)", "<mi>ln</mi><mi>(</mi><mi>p</mi><mi>)</mi>"),
        (r"\overline{x}", '<mrow class="over"><mi>x</mi></mrow>'),
        (
            r"\left(\frac{a}{b}\right)^2",
            "<msup><mrow><mo>(</mo><mfrac><mi>a</mi><mi>b</mi></mfrac><mo>)</mo></mrow><mn>2</mn></msup>",
        ),
    ],
)
def test_parts_of_formulas(latex: str, expected: str) -> None:
    assert formula(latex) == f'<math display="block">{expected}</math>'


@pytest.mark.parametrize("latex", [r"\unknown", r"\frac{a}", "{a", "a}", r"\left(a", r"\mathrm a"])
def test_what_is_not_known_is_an_error(latex: str) -> None:
    with pytest.raises(ValueError, match=r"known|ends|braces"):
        formula(latex)
