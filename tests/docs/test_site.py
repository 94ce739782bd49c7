"""The documentation builds without a warning, and has a page for every public name."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

import karat
from karat import metrics
from karat.metrics._registry import every_record
from tests.architecture.tracked import ROOT, tracked_files
from tests.optional import optional

optional("sphinx")
optional("myst_parser")
optional("pydata_sphinx_theme")

sys.path.insert(0, str(ROOT / "docs"))
from builders.api_pages import MODULES, public_names  # noqa: E402
from builders.docstrings import as_rst  # noqa: E402
from builders.linked_files import links_within  # noqa: E402
from builders.mathml import written  # noqa: E402
from builders.metric_pages import FAMILIES  # noqa: E402


def build(docs: Path, out: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    return subprocess.run(
        [*command, str(docs), str(out)], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what git holds, so that the checkout stays as it is."""
    root = tmp_path_factory.mktemp("sources")
    for path in tracked_files():
        inside = path.relative_to(ROOT)
        if inside.parts[0] in ("docs", "decisions", "benchmarks", "examples") and path.exists():
            (root / inside.parent).mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, root / inside)
    return root


@pytest.fixture(scope="module")
def site(sources: Path) -> Path:
    done = build(sources / "docs", sources / "html")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return sources / "html"


def names_of(site: Path) -> set[str]:
    """The Python names that the inventory of the site leads to."""
    data = (site / "objects.inv").read_bytes()
    lines = zlib.decompress(data.split(b"\n", 4)[4]).decode().splitlines()
    return {line.split(" ", 1)[0] for line in lines if " py:" in line}


def test_every_public_name_has_a_page(site: Path) -> None:
    found = names_of(site)
    missing = {f"karat.{record.name}" for record in every_record()} - found
    missing |= {f"karat.{name}" for name in public_names(karat)} - found
    for module in MODULES:
        names = public_names(importlib.import_module(module))
        assert names
        missing |= {f"{module}.{name}" for name in names} - found
    assert missing == set()


@pytest.mark.parametrize("record", every_record(), ids=lambda record: record.name)
def test_a_metric_has_what_its_record_says(record: metrics.Record, site: Path) -> None:
    page = (site / "metrics" / f"{record.name}.html").read_text(encoding="utf-8")
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page))
    plain = metrics.Metric(record, "plain", metrics.Metric.defaults(record))
    assert ("<math" in page) == bool(plain.latex)
    for heading in ("Range", "Better", "Undefined", "The function"):
        assert heading in text
    assert ("Who calls it what" in text) == bool(record.equals)
    assert "http" not in "".join(re.findall(r"<math.*?</math>", page)).replace(
        "http://www.w3.org/1998/Math/MathML", ""
    )


def test_listed_metrics_show_themselves_on_real_predictions(site: Path) -> None:
    page = (site / "metrics" / "f1.html").read_text(encoding="utf-8")
    text = re.sub(r"<[^>]+>", "", page)
    report = karat.evaluate(
        str(ROOT / "examples/predictions/breast_cancer_rf.csv"), positive="malignant"
    )
    assert str(report["macro_f1"]) in text


def test_a_broken_link_would_be_told(sources: Path, site: Path) -> None:
    docs = sources / "docs"
    page = docs / "why.md"
    kept = page.read_text(encoding="utf-8")
    page.write_text(kept + "\n[nowhere](nowhere.md)\n", encoding="utf-8")
    try:
        done = build(docs, sources / "html")
        assert done.returncode != 0
        assert "nowhere" in done.stderr
    finally:
        page.write_text(kept, encoding="utf-8")


def test_digits_of_a_fraction_are_its_parts() -> None:
    short, long = (written(text, is_block=False) for text in (r"\tfrac12[x]", r"\tfrac{1}{2}[x]"))
    assert short == long
    assert re.search(r"<mfrac[^>]*>\s*<mn>1</mn>\s*<mn>2</mn>", short)
    assert written(r"\big(x\big)", is_block=False) == written("(x)", is_block=False)


def test_every_family_of_metrics_has_a_heading() -> None:
    assert {record.family for record in every_record()} == set(FAMILIES)


def test_docstrings_keep_their_marks() -> None:
    lines = [
        "`a` is |b| * 2.",
        "Cost: one pass.",
        "Args:",
        "    one, two,",
        "        three: numbers.",
        "",
        ">>> `x` | y",
        "",
    ]
    assert as_rst(lines) == [
        "``a`` is \\|b\\| \\* 2.",
        "**Cost:** one pass.",
        "Args:",
        "    one, two, three: numbers.",
        "",
        ">>> `x` | y",
        "",
    ]


def test_links_out_of_the_folder_lead_to_copies() -> None:
    assert links_within("[a](../decisions/0001.md#b)") == "[a](linked/decisions/0001.md#b)"
    assert links_within("[a](../benchmarks/results)") == "[a](linked/benchmarks/results/README.md)"
    assert links_within("[a](b.md)") == "[a](b.md)"


def figures() -> dict[str, float]:
    """Case → the least ratio to scikit-learn on the page of speed."""
    page = (ROOT / "docs/speed.md").read_text(encoding="utf-8")
    table = page.split("### Comparison with scikit-learn")[1].split("###")[0]
    rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("| ")]
    return {row[0].strip(): float(row[3].strip(" *x")) for row in rows[1:] if row[3].strip(" *x")}


def test_the_page_of_reasons_claims_no_more_than_was_measured() -> None:
    page = (ROOT / "docs/why.md").read_text(encoding="utf-8")
    claims = dict(re.findall(r"^\| (.*n=.*) \| (\d+) \|$", page, re.MULTILINE))
    measured = figures()
    assert len(claims) >= 5
    for case, least in claims.items():
        assert measured[case] >= float(least), case
