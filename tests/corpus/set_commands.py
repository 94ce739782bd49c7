"""The command line on files of rows with sets of labels; the group `set_models` has these calls."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.corpus.calls import Call
from tests.corpus.design_lines import run_lines
from tests.corpus.set_rows import MODELS, list_table, scored_table, text_table, wide_table, written

LINES = """
report tags.csv --separator '|'
report tags.csv --separator '|' --metrics micro_f1,macro_f1 --format markdown
report tags.csv --separator '|' --metrics micro_f1,macro_f1 --format latex
report tags.csv --separator '|' --metrics micro_f1,macro_f1 --format csv
report tags.csv --separator '|' --metrics micro_f1 -o tags.html
report tags.csv --separator '|' --metrics micro_f1 --errors wrong.csv
report tags.csv --separator '|' --metrics micro_f1 --by country --by country,sex
report tags.csv --separator '|' --metrics micro_f1 --clusters team --weights mass --format json
report tags.csv --separator '|' --metrics micro_f1 --where "sex = 'f'" --format json
report tags.csv --separator '|' --metrics micro_f1 --nulls drop --format json
report tags.csv --metrics micro_f1
report tags.csv --separator '|' --metrics accuracy
report tags.csv --separator '|' --positive ant
report tags.csv --separator '|' --design case-control
report tags.csv --separator '|' --anytime 500
report tags.csv --separator '|' --checkpoint run.karat
report tags.csv --separator '|' --labels ant,bee
report tags.parquet --metrics micro_f1,subset_accuracy --format json
report tags.parquet --metrics micro_f1 --max-memory 2MB --format json
report cells.csv --true 'true_*' --pred 'pred_*' --metrics micro_f1 --format json
report cells.csv --true 'true_*'
report scored.parquet --metrics ndcg,roc_auc_ovr_macro --format json
report scored.parquet --prob 'proba_*' --threshold 0.25 --metrics micro_f1 --format json
compare tags-old.csv tags-new.csv --separator '|' --metrics micro_f1,macro_f1
compare tags-old.csv tags-new.csv --separator '|' --metrics micro_f1 --format json
compare tags-old.csv tags-new.csv tags-big.csv --separator '|' --metrics micro_f1 --against-first
compare tags-old.csv tags-new.csv --separator '|' --metrics micro_f1 --clusters team --format json
compare tags-old.csv tags-new.csv --separator '|' --metrics subset_accuracy --flips flips.csv
compare tags-old.csv tags-new.csv --separator '|' --metrics micro_f1 --label-strata tail=doe,cow
compare tags-old.csv tags-new.csv --separator '|' --metrics micro_f1 --label-strata tail=elk
compare tags-old.csv tags-new.csv --separator '|' --metrics micro_f1 --margin 0.05 --format csv
compare tags-old.csv tags-new.csv --separator '|' --metrics micro_f1 -o compared.html
compare both.csv --pred old,new --separator '|' --metrics micro_f1 --format json
compare tags-old.csv scored.parquet --separator '|'
gate tags-new.csv --separator '|' --min micro_f1=0.5
gate tags-new.csv --separator '|' --baseline tags-old.csv
gate tags-old.csv --separator '|' --baseline tags-new.csv --max-drop macro_f1=0.01 --format json
gate tags-new.csv --separator '|' --baseline tags-old.csv --no-worse-than micro_f1=0.05
gate tags-new.csv --separator '|' --min micro_f1=0.5 --markdown gate.md --junit gate.xml
gate tags-new.csv --separator '|' --min micro_f1=0.5 --by sex
gate tags-new.csv --separator '|' --min micro_f1=0.5 --update-baseline base.json --with-rows
columns tags.csv --separator '|'
columns tags.csv
columns tags.parquet
columns cells.csv
columns scored.parquet
"""


def line_calls() -> Iterator[Call]:
    for line in LINES.strip().splitlines():
        verb = "karat " + line.partition(" ")[0]
        yield Call(line, verb, "command", lambda line=line: _ran(line))
    yield Call(
        "a stored baseline of sets",
        "karat gate",
        "command",
        lambda: _ran(
            "gate tags-old.csv --separator '|' --min micro_f1=0.1 --update-baseline sets.json",
            "gate tags-new.csv --separator '|' --baseline sets.json --format json",
            "gate tags-new.csv --separator '|' --baseline sets.json --max-drop micro_f1=0.01",
        ),
    )


def _ran(*lines: str) -> list[dict[str, Any]]:
    if not Path("tags.csv").exists():
        written("csv", text_table(), "tags")
        written("parquet", list_table(), "tags")
        written("jsonl", list_table(), "tags")
        written("csv", wide_table(), "cells")
        written("parquet", scored_table(), "scored")
        for model in MODELS:
            written("csv", text_table(model), f"tags-{model}")
        truth = {"true": text_table()["true"]}
        models = {name: text_table(name)["pred"] for name in ("old", "new")}
        written("csv", {**truth, **models}, "both")
    return run_lines(*lines)
