"""The documentation builds without a warning, and has a page for every public name."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import subprocess
import sys
import zlib
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest

import karat
from karat import metrics
from karat.errors import CATALOGUE
from karat.errors.doubts import DOUBTS
from karat.metrics._registry import every_record
from karat.plot import PALETTE
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
from builders.metric_pages import FAMILIES, search_terms  # noqa: E402
from builders.moved_pages import MOVED  # noqa: E402
from builders.pictures import themed  # noqa: E402
from builders.task_page import TASKS, names_of_tasks  # noqa: E402

from benchmarks import docs_page, render  # noqa: E402
from benchmarks.case import PEER  # noqa: E402


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


def test_a_broken_link_would_be_told(sources: Path, site: Path, tmp_path: Path) -> None:
    # Building a site again replaces its index, which other tests read.
    again = shutil.copytree(site, tmp_path / "html")
    docs = sources / "docs"
    page = docs / "why.md"
    kept = page.read_text(encoding="utf-8")
    page.write_text(kept + "\n[nowhere](nowhere.md)\n", encoding="utf-8")
    try:
        done = build(docs, again)
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


def test_every_public_name_stands_in_one_task() -> None:
    names = names_of_tasks()
    public = {name for name in karat.__all__ if not name.startswith("__")}
    assert sorted(names) == sorted(public)
    families = [family for task in TASKS for family in task.families]
    assert sorted(families) == sorted(FAMILIES)
    records = {record.name for record in every_record()}
    assert {name for task in TASKS for name in task.also} <= records


def test_the_page_of_tasks_leads_to_every_metric(site: Path) -> None:
    page = (site / "by_task.html").read_text(encoding="utf-8")
    links = set(re.findall(r'href="([^"#]+)', page))
    assert {f"metrics/{record.name}.html" for record in every_record()} <= links
    for module in ("curves", "objectives", "tally", "errors", "testing"):
        for name in public_names(importlib.import_module(f"karat.{module}")):
            assert f"karat.{module}.{name}" in page
    for name in set(public_names(karat)):
        assert f"#karat.{name}" in page


def targets(page: Path) -> set[str]:
    """Addresses on a page that lead to files of the site."""
    text = re.sub(r"<(script|pre).*?</\1>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    found = re.findall(r'(?:href|src)="([^"]+)"', text)
    return {unescape(one) for one in found if not re.match(r"[a-z]+:|//", one)}


def broken(site: Path) -> list[str]:
    """Links of all pages that lead to no file, or to no place in it."""
    ids: dict[Path, set[str]] = {}
    missing = []
    pages = [page for page in sorted(site.rglob("*.html")) if "_static" not in page.parts]
    for page in pages:
        for target in targets(page):
            name, _, place = target.partition("#")
            path = (page.parent / unquote(name.partition("?")[0])).resolve() if name else page
            if path.is_dir():
                path /= "index.html"
            if not path.is_file():
                missing.append(f"{page.name}: {target}")
            elif place and path.suffix == ".html":
                if path not in ids:
                    ids[path] = set(re.findall(r'\bid="([^"]+)"', path.read_text("utf-8")))
                if unquote(place) not in ids[path]:
                    missing.append(f"{page.name}: {target}")
    return missing


def test_every_link_of_the_site_leads_somewhere(site: Path, tmp_path: Path) -> None:
    assert broken(site) == []
    (tmp_path / "a.html").write_text('<a href="b.html">b</a><a href="#c">c</a><p id="d"></p>')
    assert sorted(broken(tmp_path)) == ["a.html: #c", "a.html: b.html"]


def test_a_page_that_moved_leads_to_its_place(site: Path) -> None:
    for old, new in MOVED.items():
        text = (site / f"{old}.html").read_text(encoding="utf-8")
        (target,) = re.findall(r"url=([^\"]+)", text)
        assert (site / old).parent.joinpath(target).resolve() == (site / f"{new}.html").resolve()


def entries_of(site: Path) -> dict[str, list[tuple[int, str, bool]]]:
    """The index of the search: what is typed → pages, and whether they are listed first."""
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text[text.index("{") : text.rindex("}") + 1])
    assert "cookbook/fraud" in index["docnames"]
    entries: dict[str, list[tuple[int, str, bool]]] = index["indexentries"]
    return entries


def test_the_search_knows_metrics_by_every_name_and_errors_by_their_codes(site: Path) -> None:
    entries = entries_of(site)
    first = {name for name, places in entries.items() if any(place[2] for place in places)}
    for record in every_record():
        wanted = {term.lower() for term in search_terms(record)}
        assert wanted <= first, record.name
        assert {alias.lower() for alias in record.aliases} <= first
    assert {"ece", "mcc", "recall at precision", "binaryf1score", "confusion matrix"} <= first
    assert {code.lower() for code in (*CATALOGUE, *DOUBTS)} <= first


def test_the_page_of_codes_has_no_template_left(site: Path) -> None:
    text = (site / "reference" / "codes.html").read_text(encoding="utf-8")
    body = re.sub(r"<[^>]+>", "", text[text.index("<article") : text.index("</article")])
    assert not re.search(r"\{\w+\}|\{\w+!r\}", body)
    assert all(f"{code} " in body for code in CATALOGUE)


def test_drawings_follow_the_theme_and_heat_maps_do_not(site: Path) -> None:
    page = (site / "plots.html").read_text(encoding="utf-8")
    assert page.count('<span class="picture">') >= 5
    assert 'fill="var(--karat-paper)"' in page
    ink = PALETTE["ink"]
    assert themed(f'<svg role="img"><path fill="{ink}"/></svg>', 'a "b"') == (
        '<span class="picture"><svg role="img" aria-label="a &quot;b&quot;">'
        '<path fill="var(--karat-ink)"/></svg></span>'
    )
    assert themed('<svg role="img"><path fill="#123456"/></svg>', "") is None
    assert themed(f'<svg role="img"><image/><path fill="{ink}"/></svg>', "") is None
    assert themed(f'<svg><g role="img" fill="{ink}"/></svg>', "") is None
    css = (site / "_static" / "pictures.css").read_text(encoding="utf-8")
    assert css.count("--karat-series-1:") == 2


def test_a_search_in_the_browser_finds_them_offline(site: Path) -> None:
    optional("playwright")
    from tests.browser.opening import browser

    wanted = {
        "ECE": "expected_calibration_error",
        "recall at precision": "recall_at_precision",
        "K109": "Codes of errors and doubts",
        "fraud": "Fraud: rare positives, costs and an alert budget",
    }
    with browser() as chromium:
        page = chromium.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        for query, title in wanted.items():
            page.goto(f"{(site / 'search.html').as_uri()}?q={query.replace(' ', '+')}")
            first = page.locator("ul.search li a").first
            first.wait_for()
            assert first.text_content() == title, query
        assert [url for url in asked if not url.startswith("file:")] == []


def cells_of(page: Path) -> set[tuple[str, ...]]:
    """The rows of all tables of a page."""
    rows = re.findall(r"<tr.*?</tr>", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    found = (re.findall(r"<td[^>]*>(.*?)</td>", row, flags=re.DOTALL) for row in rows)
    return {tuple(bare(unescape(re.sub(r"<[^>]+>", "", cell))) for cell in row) for row in found}


def bare(text: str) -> str:
    """A text without spaces, and with the plain apostrophes that a page makes round."""
    return re.sub(r"\s+", "", text).replace("’", "'")


def test_the_pages_of_studies_have_every_stored_figure(site: Path, sources: Path) -> None:
    results = sources / "benchmarks" / "results"
    designs = cells_of(site / "coverage" / "designs.html")
    stored = [
        one
        for path in (results / "coverage").glob("*.json")
        for one in json.loads(path.read_text(encoding="utf-8"))["found"]
    ]
    assert len(stored) > 1000
    shown = {(row[0], row[1]) for row in designs if row} | {
        (row[2], row[0]) for row in designs if len(row) > 2
    }
    names = ((one["design"], one["metric"]) for one in stored)
    assert {tuple(map(bare, pair)) for pair in names} - shown == set()
    assert (bare(stored[0]["design"]), "nosuchmetric") not in shown
    cases = cells_of(site / "speed" / "cases.html")
    newest = docs_page.newest(results)
    ratios = {(row[0], row[6]) for row in cases if len(row) == 11}
    wanted = ((one.name, render.ratio(one.ratio)) for one in newest.rows if one.ratio is not None)
    assert {tuple(map(bare, pair)) for pair in wanted} - ratios == set()
    for page, made in (("coverage", "coverage/designs"), ("speed", "speed/cases")):
        assert f'href="{made}.html"' in (site / f"{page}.html").read_text(encoding="utf-8")


def figures() -> dict[str, float]:
    """Case → the stored ratio to scikit-learn."""
    newest = docs_page.newest(ROOT / "benchmarks" / "results")
    rows = [one for one in newest.rows if one.peer == PEER]
    return {one.name: one.ratio for one in rows if one.ratio is not None}


def test_the_page_of_reasons_claims_no_more_than_was_measured() -> None:
    page = (ROOT / "docs/why.md").read_text(encoding="utf-8")
    claims = dict(re.findall(r"^\| (.*n=.*) \| (\d+) \|$", page, re.MULTILINE))
    measured = figures()
    assert len(claims) >= 5
    for case, least in claims.items():
        assert measured[case] >= float(least), case
