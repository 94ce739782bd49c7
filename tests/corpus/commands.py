"""The command line, run in this process: exit code, standard output, standard error."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from karat.cli import main
from tests.corpus.calls import Call
from tests.corpus.files import written
from tests.corpus.outcome import Prose, cleaned, text_digest
from tests.corpus.rows import animals, binary, other_models, pick, with_nulls

REPORTS = """
two.parquet --prob p_yes
two.parquet --prob p_yes --format json --metrics roc_auc,log_loss,f1,brier
two.parquet --prob p_yes --threshold 0.3 --format json --metrics f1,precision
two.parquet --score z --format json --metrics roc_auc,ks_statistic
two.parquet --pred pred --weights mass --format json --metrics f1,mcc
two.parquet --pred pred --clusters team --format json --metrics f1,mcc
two.parquet --pred pred --positive 0 --format json --metrics f1,mcc
animals.csv
animals.csv --prob '' --pred pred
animals.csv --metrics all
animals.csv --metrics macro_f1,mcc
animals.csv --format json --metrics macro_f1,mcc
animals.csv --format markdown --metrics macro_f1,mcc
animals.csv --format latex --metrics macro_f1,mcc
animals.csv --format csv --metrics macro_f1,mcc
animals.csv --prob 'proba_*' --format json --metrics log_loss,accuracy
animals.csv --score z_cat,z_dog,z_eel --labels cat,dog,eel --format json --metrics accuracy
animals.csv --labels cat,dog,eel,fox --prob '' --format json --metrics macro_f1
animals.csv --by country --prob '' --format json --metrics accuracy
animals.csv --by country --by country,sex --prob '' --metrics accuracy
animals.csv --by age --clusters team --prob '' --format json --metrics accuracy
animals.csv --where "country = 'NO'" --prob '' --format json --metrics accuracy
animals.csv --where "nonsense" --prob ''
animals.csv --level none --prob '' --format json --metrics macro_f1
animals.csv --level 0.8 --side low --prob '' --format json --metrics macro_f1
animals.csv --method wald --prob '' --format json --metrics macro_f1
animals.csv --method bootstrap --seed 4 --prob '' --format json --metrics macro_f1
animals.csv --design case-control --prob '' --format json --metrics macro_f1
animals.csv --undefined nan --labels cat,dog,eel,fox --prob '' --format json --metrics macro_f1
animals.csv --threads 2 --prob '' --format json --metrics macro_f1
nulls.csv --prob ''
nulls.csv --prob '' --nulls drop --format json --metrics accuracy
animals.jsonl --prob '' --format json --metrics accuracy
animals.parquet animals.parquet --prob '' --format json --metrics accuracy
'*.parquet' --prob '' --pred pred
"SELECT label, pred FROM 'animals.parquet' WHERE sex = 'f'" --format json --metrics accuracy
two.parquet --prob p_yes --max-memory 2MB --format json --metrics roc_auc
two.parquet --prob p_yes --max-memory 2MB --exact --format json --metrics roc_auc
two.parquet --prob p_yes --checkpoint run.karat --format json --metrics roc_auc
animals.csv --checkpoint run.karat
nowhere.csv
two.parquet --true nowhere
two.parquet --prob p_yes --metrics no_such
two.parquet --prob p_yes --positive maybe
two.parquet --prob p_yes --level 2
two.parquet --method guess
two.parquet --format pdf
two.parquet --prob p_yes --threads 0
animals.csv --prob '' -o report.md
animals.csv --prob '' -o report.json
animals.csv --prob '' -o report.tex
animals.csv --prob '' -o report.csv
animals.csv --prob '' -o report.html --metrics macro_f1
animals.csv --prob '' -o nowhere/report.md
animals.csv --prob '' -o report.docx

--help
"""
COMPARISONS = """
old.csv new.csv
old.csv new.csv --metrics macro_f1,accuracy --format json
old.csv new.csv --margin 0.05 --format json --metrics accuracy
old.csv new.csv big.csv --adjust maxt --format json --metrics accuracy
old.csv new.csv big.csv --against-first --format json --metrics accuracy
old.csv new.csv --ids key --format json --metrics accuracy
old.csv short.csv --ids key
old.csv short.csv --ids key --allow-mismatch --format json --metrics accuracy
old.csv short.csv
old.csv new.csv --clusters team --weights mass --format json --metrics accuracy
old.csv new.csv --flips flips.csv --metrics accuracy
old.csv new.csv --format markdown --metrics accuracy
old.csv new.csv --format latex --metrics accuracy
old.csv new.csv --format csv --metrics accuracy
old.csv new.csv --where "sex = 'f'" --format json --metrics accuracy
old.csv new.csv --level 0.8 --seed 3 --format json --metrics accuracy
old.csv new.csv -o compared.html --metrics accuracy
old.csv
old.csv nowhere.csv
old.csv two.parquet
old.csv new.csv --metrics no_such
--help
"""
GATES = """
new.csv --min macro_f1=0.5
new.csv --min macro_f1=0.99
new.csv --min accuracy=0.5 --evidence low --format json
new.csv --max error_rate=0.5 --format json
new.csv --baseline old.csv
new.csv --baseline old.csv --format json
old.csv --baseline new.csv --max-drop accuracy=0.0 --format json
new.csv --baseline old.csv --no-worse-than accuracy=0.001 --format json
new.csv --baseline old.csv --no-worse-than accuracy=0.001 --inconclusive fail --format json
new.csv --min accuracy=0.9 --by country --format json
new.csv --min accuracy=0.9 --by country --min-n 200 --inconclusive fail
new.csv --min accuracy=0.99 --warn-only
new.csv --min accuracy=0.5 --update-baseline base.json
new.csv --min accuracy=0.5 --update-baseline base.json --with-rows
new.csv --min accuracy=0.5 --junit gate.xml
new.csv --min accuracy=0.99 --markdown gate.md
new.csv --baseline short.csv --ids key
new.csv --baseline short.csv --ids key --allow-mismatch --format json
new.csv --min accuracy
new.csv --min accuracy=high
new.csv --min no_such=0.5
new.csv
new.csv --baseline nowhere.json
--help
"""
OTHERS = """
columns two.parquet
columns animals.csv
columns animals.jsonl
columns nulls.csv
columns nowhere.csv
columns --help
metrics
metrics mcc
metrics macro_f1
metrics f_beta
metrics roc_auc
metrics agreement by chance
metrics no_such_metric
metrics --help
explain
explain accuracy
explain macro_f1 mcc
explain roc_auc log_loss
explain no_such
explain --help
demo --folder demo
demo --help
--version
--help
no_such_command
"""


def calls() -> Iterator[Call]:
    lines = [("report", line) for line in REPORTS.strip("\n").splitlines()]
    lines += [("compare", line) for line in COMPARISONS.strip().splitlines()]
    lines += [("gate", line) for line in GATES.strip().splitlines()]
    told = [f"{verb} {line}".strip() for verb, line in lines] + OTHERS.strip().splitlines()
    for line in told:
        yield Call(line, "karat " + line.split(" ")[0], "command", lambda line=line: _ran(line))
    yield Call(
        "report - < animals.csv",
        "karat report",
        "stdin",
        lambda: _ran(
            "report - --prob '' --format json --metrics accuracy", b"label,pred\na,a\nb,a\n"
        ),
    )


def _files() -> None:
    if Path("two.parquet").exists():
        return
    tables = {
        "two.parquet": binary(),
        "animals.csv": animals(),
        "animals.jsonl": animals(),
        "animals.parquet": animals(),
        "nulls.csv": with_nulls(animals()),
    }
    shared = pick(animals(), "label", "key", "mass", "team", "country", "sex")
    for name, pred in other_models()["labels"].items():
        tables[f"{name}.csv"] = {**shared, "pred": pred}
    order = np.random.default_rng(3).permutation(240)[:200]
    tables["short.csv"] = {name: values[order] for name, values in tables["new.csv"].items()}
    for name, columns in tables.items():
        Path(written(name.partition(".")[2], columns, Path(name).stem)).rename(name)


def _ran(line: str, stdin: bytes = b"") -> Any:
    _files()
    before = set(Path().iterdir())
    out, err = io.StringIO(), io.StringIO()
    given = io.TextIOWrapper(io.BytesIO(stdin))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), _stdin(given):
        code = main(shlex.split(line))
    found: dict[str, Any] = {"code": code, "err": Prose(cleaned(err.getvalue()))}
    text = out.getvalue()
    try:
        found["json"] = json.loads(text)
    except ValueError:
        found["out"] = _told(text)
    made = sorted(set(Path().iterdir()) - before)
    found["files"] = {str(path): _kept(path) for path in made}
    for path in made:
        if path.is_file():
            path.unlink()
    return found


@contextlib.contextmanager
def _stdin(given: Any) -> Iterator[None]:
    import sys

    before, sys.stdin = sys.stdin, given
    try:
        yield
    finally:
        sys.stdin = before


def _kept(path: Path) -> Any:
    if path.is_dir():
        return sorted(str(own) for own in path.iterdir())
    if path.suffix == ".json":
        return json.loads(path.read_text())
    return _told(path.read_text()) if path.suffix != ".karat" else "a checkpoint"


def _told(text: str) -> Prose:
    text = cleaned(text)
    return Prose(text if len(text) < 3_000 else text_digest(text))
