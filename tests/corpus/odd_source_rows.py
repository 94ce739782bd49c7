"""Contents of small files as people write them, and queries of many rows."""

from __future__ import annotations

import datetime as dt
import decimal
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

TRUE = [0, 1, 1, 0, 1, 1] * 4
PRED = [0, 1, 0, 0, 1, 1, 1, 1] * 3
DAYS = [f"2024-01-0{1 + i % 4}" for i in range(24)]


def _csv(*values: str, separator: str = ",", head: str = "label,pred", end: str = "\n") -> str:
    """Rows of a CSV whose two columns hold some of these texts."""
    head = head.replace(",", separator)
    rows = [values[t % len(values)] + separator + values[p % len(values)] for t, p in _CODES]
    return end.join([head, *rows, ""])


_CODES = [(0, 0), (1, 1), (1, 0), (0, 0), (1, 1), (0, 1), (2, 2), (1, 2), (2, 1), (0, 0)]

# Name → the text of a CSV.
CSV: dict[str, str | bytes] = {
    "codes with zeros in front": _csv("007", "008", "010"),
    "codes of unlike length": _csv("007", "7", "07"),
    "whole numbers with a point": _csv("1.0", "2.0", "3.0"),
    "whole numbers with and without a point": _csv("1.0", "1", "2"),
    "numbers with exponents": _csv("1e0", "1", "2e0"),
    "numbers with signs": _csv("+1", "1", "-0"),
    "numbers in hexadecimal": _csv("0x1", "1", "2"),
    "numbers beyond float64": _csv("9007199254740992", "9007199254740993"),
    "numbers beyond int64": _csv("18446744073709551616", "18446744073709551617"),
    "numbers beyond 128 bits": _csv("1" + "0" * 40, "2" + "0" * 40),
    "numbers that are not whole": _csv("0.25", "0.5"),
    "thousands in quotes": _csv('"1,000"', '"2,000"', "1000"),
    "decimal commas in quotes": _csv('"0,5"', '"1,5"'),
    "booleans": _csv("true", "false"),
    "booleans in capitals": _csv("TRUE", "FALSE"),
    "booleans written in two ways": _csv("True", "true", "false"),
    "booleans among numbers": _csv("true", "0", "1"),
    "yes and no": _csv("yes", "no"),
    "spaces at the end": _csv("a", "a ", "b"),
    "spaces after commas": _csv(" a", " b", head="label, pred"),
    "spaces around numbers": _csv(" 1 ", "1", " 2"),
    "upper and lower case": _csv("Cat", "cat", "CAT"),
    "empty text in quotes": _csv('""', "a", "b"),
    "empty fields": _csv("", "a", "b"),
    **{
        f"the text {text}": _csv(text, "a", "b")
        for text in ("NA", "N/A", "nan", "NULL", "None", "-", "\\N")
    },
    **{
        f"the text {text} among numbers": _csv(text, "1", "2")
        for text in ("NA", "null", "None", "inf", "-")
    },
    "a mark of byte order": b"\xef\xbb\xbf" + _csv("a", "b").encode(),
    "UTF-16": _csv("a", "b").encode("utf-16"),
    "Latin-1": _csv("café", "b").encode("latin-1"),
    "bytes of zero": b"label,pred\na\x00,a\nb,b\n",
    "letters beyond ASCII": _csv("å", "日本", "🐈"),
    "composed and decomposed letters": _csv("é", "e\u0301"),
    "semicolons": _csv("1", "2", separator=";"),
    "semicolons and decimal commas": "label;p\n0;0,25\n1;0,75\n1;0,5\n0;0,125\n",
    "tabs": _csv("a", "b", separator="\t"),
    "carriage returns and line feeds": _csv("a", "b", end="\r\n"),
    "carriage returns": _csv("a", "b", end="\r"),
    "blank lines": _csv("a", "b", end="\n\n"),
    "line feeds in quotes": _csv('"a\nb"', '"c\nd"'),
    "quotes in quotes": _csv('"say ""a"""', "b"),
    "commas in quotes": _csv('"a,b"', '"b,a"'),
    "a comment in front": "# made by hand\n" + _csv("a", "b"),
    "no heading": _csv("a", "b").partition("\n")[2],
    "no heading, numbers": _csv("0", "1").partition("\n")[2],
    "a heading alone of spaces": _csv("a", "b", head=" , "),
    "a heading in capitals": _csv("a", "b", head="LABEL,PRED"),
    "a heading with spaces": _csv("a", "b", head="True Label,Predicted Label"),
    "a heading with points": _csv("a", "b", head="true.label,predicted.label"),
    "a heading with line feeds": _csv("a", "b", head='"true\nlabel",pred'),
    "equal names": _csv("a", "b", head="label,label"),
    "equal names in other case": "label,Label,pred\na,a,a\nb,a,b\n",
    "an index without a name": ",label,pred\n0,a,a\n1,b,a\n2,a,b\n",
    "an index named as pandas does": "Unnamed: 0,label,pred\n0,a,a\n1,b,a\n2,a,b\n",
    "a comma at the end": "label,pred,\na,a,\nb,a,\n",
    "too many fields": "label,pred\na,a\nb,a,c\n",
    "too few fields": "label,pred,w\na,a,1\nb\n",
    "a quote that is never closed": 'label,pred\n"a,a\nb,b\n',
    "a line beyond two megabytes": b'label,pred\n"' + b"a" * 2_200_000,
    "a line beyond two megabytes without a quote": b"label,pred\na," + b"b" * 2_200_000,
    "lists of probabilities as text": 'label,prob\n0,"[0.75, 0.25]"\n1,"[0.25, 0.75]"\n',
    "text after a quote": 'label,pred\n"a"x,a\nb,b\n',
    "CatBoost": "Label,Probability,Class\n0,0.25,0\n1,0.75,1\n1,0.25,0\n",
    "CatBoost, labels alone": "Label,Class\n0,0\n1,1\n1,0\n",
    "Class as the truth": "Class,pred\n0,0\n1,1\n1,0\n",
    "two columns Class": "Label,Class,class\n0,0,0\n1,1,1\n1,0,0\n",
    "probabilities in percent": "label,prob\n0,25%\n1,75%\n1,30%\n0,20%\n",
    "probabilities of 100": "label,prob\n0,25\n1,75\n1,30\n0,20\n",
    "probabilities with spaces": "label,prob\n0, 0.25\n1, 0.75\n1, 0.3\n",
    "probabilities with NaN": "label,prob\n0,0.25\n1,nan\n1,0.3\n",
    "probabilities with text": "label,prob\n0,0.25\n1,high\n1,0.3\n",
    "probabilities with exponents": "label,prob\n0,2.5E-1\n1,.75\n1,1.\n",
    "scores beyond float64": "label,score\n0,1\n1,9007199254740993\n1,3\n",
    "probabilities of texts": "label,p_cat,p_Dog\ncat,0.5,0.5\ndog,0.25,0.75\ncat,0.75,0.25\n",
    "probabilities of codes": "label,p_007,p_7\n007,0.5,0.5\n7,0.25,0.75\n007,0.75,0.25\n",
    "probabilities counted from 1": (
        "label,p_1,p_2,p_3\n0,0.5,0.25,0.25\n1,0.25,0.5,0.25\n2,0,0,1\n"
    ),
    "probabilities in another order": (
        "label,p_2,p_0,p_1\n0,0.25,0.5,0.25\n1,0.25,0.25,0.5\n2,1,0,0\n"
    ),
    "weights with text": "label,pred,weight\n0,0,1\n1,1,heavy\n1,0,3\n",
    "weights with decimal commas": 'label,pred,weight\n0,0,"1,5"\n1,1,"2,5"\n1,0,"3,5"\n',
    "a wide file": "\n".join(
        [
            "label," + ",".join(f"p_{i}" for i in range(70)),
            *[
                f"{i % 70}," + ",".join("0.5" if (j - i) % 70 < 2 else "0" for j in range(70))
                for i in range(75)
            ],
            "",
        ]
    ),
}
JSON: dict[str, str] = {
    "numbers and text": '{"label": 1, "pred": 1}\n{"label": "1", "pred": 1}\n',
    "numbers beside text": '{"label": 1, "pred": "1"}\n{"label": 2, "pred": "2"}\n',
    "numbers as text": '{"label": "1", "pred": "1"}\n{"label": "2", "pred": "1"}\n',
    "text and numbers in other columns": '{"label": "a", "pred": 1}\n{"label": "b", "pred": 2}\n',
    "text among numbers later": '{"label": 1, "pred": 1}\n' * 30 + '{"label": "a", "pred": 1}\n',
    "whole numbers with a point": '{"label": 1.0, "pred": 1}\n{"label": 2, "pred": 2.0}\n',
    "numbers that are not whole": '{"label": 1.5, "pred": 1}\n{"label": 2, "pred": 2}\n',
    "numbers beyond int64": '{"label": 18446744073709551616, "pred": 1}\n{"label": 1, "pred": 1}\n',
    "booleans": '{"label": true, "pred": false}\n{"label": false, "pred": false}\n',
    "booleans among numbers": '{"label": true, "pred": 0}\n{"label": 0, "pred": 1}\n',
    "booleans among text": '{"label": true, "pred": "true"}\n{"label": false, "pred": "true"}\n',
    "null": '{"label": null, "pred": 1}\n{"label": 1, "pred": 1}\n',
    "null alone": '{"label": null, "pred": null}\n{"label": null, "pred": null}\n',
    "NaN": '{"label": NaN, "pred": 1}\n{"label": 1, "pred": 1}\n',
    "missing keys": '{"label": 0, "pred": 1}\n{"label": 1}\n',
    "other keys later": '{"label": 0, "pred": 1}\n{"label": 1, "pred": 1, "note": "x"}\n',
    "equal keys": '{"label": 0, "label": 1, "pred": 1}\n{"label": 1, "label": 0, "pred": 1}\n',
    "keys in other case": (
        '{"label": 0, "Label": 1, "pred": 1}\n{"label": 1, "Label": 0, "pred": 0}\n'
    ),
    "keys with slashes": '{"true/label": 0, "pred~x": 1}\n{"true/label": 1, "pred~x": 0}\n',
    "an array": json.dumps([{"label": t, "pred": p} for t, p in zip(TRUE, PRED, strict=True)]),
    "an array over many lines": json.dumps([{"label": "a", "pred": "a"}] * 3, indent=2),
    "columns": json.dumps({"label": TRUE, "pred": PRED}),
    "objects in objects": (
        '{"label": {"id": 1}, "pred": {"id": 1}}\n{"label": {"id": 2}, "pred": {"id": 1}}\n'
    ),
    "lists of probabilities": (
        '{"label": 0, "prob": [0.75, 0.25]}\n{"label": 1, "prob": [0.25, 0.75]}\n'
    ),
    "unlike lists of probabilities": (
        '{"label": 0, "prob": [0.75, 0.25]}\n{"label": 1, "prob": [1.0]}\n'
    ),
    "empty lists of probabilities": '{"label": 0, "prob": []}\n{"label": 1, "prob": []}\n',
    "null in a list of probabilities": (
        '{"label": 0, "prob": [0.75, 0.25]}\n{"label": 1, "prob": [null, 1]}\n'
    ),
    "text in a list of probabilities": (
        '{"label": 0, "prob": [0.75, 0.25]}\n{"label": 1, "prob": ["0.5", 0.5]}\n'
    ),
    "probabilities as text": '{"label": 0, "prob": "0.25"}\n{"label": 1, "prob": "0.75"}\n',
    "probabilities of names": (
        '{"label": "a", "prob": {"a": 0.75, "b": 0.25}}\n'
        '{"label": "b", "prob": {"a": 0.5, "b": 0.5}}\n'
    ),
    "dates": (
        '{"label": "2024-01-01", "pred": "2024-01-01"}\n'
        '{"label": "2024-01-02", "pred": "2024-01-01"}\n'
    ),
    "escapes": '{"label": "\\u00e9\\n", "pred": "é"}\n{"label": "\\ud83d\\ude00", "pred": "😀"}\n',
    "half a character": '{"label": "\\ud83d", "pred": "a"}\n{"label": "a", "pred": "a"}\n',
    "commas between lines": '{"label": 0, "pred": 1},\n{"label": 1, "pred": 1}\n',
    "a mark of byte order": '\ufeff{"label": 0, "pred": 1}\n{"label": 1, "pred": 1}\n',
    "lists of two texts": '{"label": ["a", "b"], "pred": ["a"]}\n{"label": ["b"], "pred": ["b"]}\n',
}


def _numbers(scale: str, kind: Any = None) -> Callable[[], dict[str, Any]]:
    factor = decimal.Decimal(scale)
    return lambda: {
        "label": pa.array([decimal.Decimal(x) * factor for x in TRUE], kind),
        "pred": pa.array([decimal.Decimal(x) * factor for x in PRED], kind),
    }


def _of(kind: Any, *values: Any) -> Callable[[], dict[str, Any]]:
    return lambda: {
        "label": pa.array([values[x] for x in TRUE], kind),
        "pred": pa.array([values[x] for x in PRED], kind),
    }


_HALVES = [0.75 if x else 0.25 for x in TRUE]
# Name → the columns of a Parquet file. A quote at the end of a name is left out.
PARQUET: dict[str, Callable[[], dict[str, Any]]] = {
    "decimals": _numbers("1", pa.decimal128(5)),
    "decimals with places": _numbers("1", pa.decimal128(9, 2)),
    "decimals that are not whole": _numbers("0.5", pa.decimal128(9, 2)),
    "decimals of 38 digits": _numbers("1e30", pa.decimal128(38)),
    "decimals of 76 digits": _numbers("1e30", pa.decimal256(60)),
    "codes with zeros in front": _of(pa.string(), "007", "7"),
    "whole numbers as text": _of(pa.string(), "1.0", "1"),
    "booleans": _of(pa.bool_(), False, True),
    "booleans as text": _of(pa.string(), "True", "true"),
    "bytes": _of(pa.binary(), b"a", b"b"),
    "bytes that are no text": _of(pa.binary(), b"\xff", b"b"),
    "large text": _of(pa.large_string(), "a", "b"),
    "whole floats": _of(pa.float64(), 0.0, 1.0),
    "other floats": _of(pa.float64(), 0.0, 0.1),
    "half floats": _of(pa.float16(), np.float16(0), np.float16(1)),
    "uint64": _of(pa.uint64(), 0, 2**64 - 1),
    "int8": _of(pa.int8(), -1, 1),
    "dates": _of(pa.string(), "2024-01-01", "2024-01-02"),
    "days": _of(pa.date32(), dt.date(2024, 1, 1), dt.date(2024, 1, 2)),
    "empty text": _of(pa.string(), "", "b"),
    "the text nan": _of(pa.string(), "nan", "b"),
    "null": _of(pa.string(), None, "b"),
    "NaN": _of(pa.float64(), float("nan"), 1.0),
    "categories": lambda: {
        "label": pa.array(["b" if x else "a" for x in TRUE]).dictionary_encode(),
        "pred": pa.array(["b" if x else "a" for x in PRED]).dictionary_encode(),
    },
    "numbers beside text": lambda: {"label": TRUE, "pred": list(map(str, PRED))},
    "booleans beside numbers": lambda: {"label": TRUE, "pred": list(map(bool, PRED))},
    "decimals beside integers": lambda: {
        "label": pa.array(list(map(decimal.Decimal, TRUE)), pa.decimal128(9, 2)),
        "pred": PRED,
    },
    "a column of nulls": lambda: {"label": TRUE, "pred": pa.nulls(24)},
    "names in other case": lambda: {"label": TRUE, "LABEL": PRED, "pred": PRED},
    "equal names": lambda: {"label": TRUE, "pred": PRED, "pred'": TRUE},
    "names in other case beside a struct": lambda: {
        "label": TRUE,
        "pred": PRED,
        "Pred": TRUE,
        "note": pa.array([{"a": 1, "b": {"c": "x"}}] * 24),
    },
    "decimal probabilities": lambda: {
        "label": TRUE,
        "prob": pa.array([decimal.Decimal(str(x)) for x in _HALVES]),
    },
    "probabilities as text": lambda: {"label": TRUE, "prob": list(map(str, _HALVES))},
    "float32 probabilities": lambda: {"label": TRUE, "prob": pa.array(_HALVES, pa.float32())},
    "lists of probabilities": lambda: {"label": TRUE, "prob": [[1 - x, x] for x in _HALVES]},
    "unlike lists": lambda: {"label": TRUE, "prob": [[0.5]] + [[1 - x, x] for x in _HALVES[1:]]},
    "lists with a null": lambda: {
        "label": TRUE,
        "prob": [[None, 0.5]] + [[1 - x, x] for x in _HALVES[1:]],
    },
    "null instead of a list": lambda: {
        "label": TRUE,
        "prob": [None] + [[1 - x, x] for x in _HALVES[1:]],
    },
    "empty lists": lambda: {"label": TRUE, "prob": pa.array([[]] * 24, pa.list_(pa.float64()))},
    "lists beside a column": lambda: {
        "label": TRUE,
        "p_0": [[1 - x, x] for x in _HALVES],
        "p_1": _HALVES,
    },
    "whole scores": lambda: {"label": TRUE, "score": [i * 7 % 11 for i in range(24)]},
    "scores that no float equals": lambda: {"label": TRUE, "score": [2**53 + i for i in range(24)]},
    "weights of decimals": lambda: {
        "label": TRUE,
        "pred": PRED,
        "sample_weight": pa.array([decimal.Decimal(i % 4) / 2 for i in range(24)]),
    },
    "weights of text": lambda: {"label": TRUE, "pred": PRED, "sample_weight": ["1"] * 24},
    "weights that are negative": lambda: {
        "label": TRUE,
        "pred": PRED,
        "sample_weight": [1, -1] * 12,
    },
    "weights that are infinite": lambda: {
        "label": TRUE,
        "pred": PRED,
        "sample_weight": [1.0, float("inf")] * 12,
    },
}
_TWO = {"label": [0, 1, 1], "pred": [0, 1, 0]}
# Name → the files of a folder: bytes, or the columns of a Parquet file.
PARTS: dict[str, dict[str, Any]] = {
    "text and numbers": {"a.parquet": _TWO, "b.parquet": {"label": ["0", "1"], "pred": ["0", "1"]}},
    "text and other numbers": {
        "a.parquet": {"label": ["a", "b"], "pred": ["a", "b"]},
        "b.parquet": {"label": [0, 1], "pred": [0, 1]},
    },
    "integers and floats": {
        "a.parquet": _TWO,
        "b.parquet": {"label": [0.0, 1.0], "pred": [1.0, 1.0]},
    },
    "integers and booleans": {
        "a.parquet": _TWO,
        "b.parquet": {"label": [False, True], "pred": [True, True]},
    },
    "integers and nulls": {"a.parquet": _TWO, "b.parquet": {"label": [0, 1], "pred": pa.nulls(2)}},
    "another order of columns": {"a.parquet": _TWO, "b.parquet": {"pred": [1, 1], "label": [1, 0]}},
    "one more column": {"a.parquet": _TWO, "b.parquet": {**_TWO, "note": ["x", "y", "z"]}},
    "folders named by a column": {
        "label=0/a.parquet": {"pred": [0, 1]},
        "label=1/a.parquet": {"pred": [1, 1]},
    },
    "folders named by codes": {
        "label=007/a.parquet": {"pred": ["007", "008"]},
        "label=008/a.parquet": {"pred": ["008", "007"]},
    },
    "folders named by text and numbers": {
        "label=1/a.parquet": {"pred": ["1", "a"]},
        "label=a/a.parquet": {"pred": ["a", "a"]},
    },
    "folders named by dates": {"day=2024-01-01/a.parquet": _TWO, "day=2024-01-02/a.parquet": _TWO},
    "CSV of numbers and of text": {
        "a.csv": b"label,pred\n0,0\n1,1\n",
        "b.csv": b"label,pred\na,a\nb,a\n",
    },
    "CSV of codes and of numbers": {
        "a.csv": b"label,pred\n007,007\n008,007\n",
        "b.csv": b"label,pred\n7,7\n8,7\n",
    },
    "CSV of other separators": {
        "a.csv": b"label,pred\n0,0\n1,1\n",
        "b.csv": b"label;pred\n0;0\n1;0\n",
    },
    "CSV in another order": {
        "a.csv": b"label,pred\n0,0\n1,1\n",
        "b.csv": b"pred,label\n1,0\n1,0\n",
    },
    "CSV and Parquet": {"a.csv": b"label,pred\n0,0\n1,1\n", "b.parquet": _TWO},
    "CSV and Parquet of text": {
        "a.csv": b"label,pred\na,a\n1,1\n",
        "b.parquet": {"label": ["a", "1"], "pred": ["a", "a"]},
    },
    "CSV and floats": {
        "a.csv": b"label,pred\n0,0\n1,1\n",
        "b.parquet": {"label": [0.0, 1.0], "pred": [1.0, 1.0]},
    },
    "CSV and floats that are not whole": {
        "a.csv": b"label,pred\n0,0\n1,1\n",
        "b.parquet": {"label": [0.5, 1.0], "pred": [1.0, 1.0]},
    },
    "CSV and bytes": {
        "a.csv": b"label,pred\na,a\nb,b\n",
        "b.parquet": {"label": [b"a", b"b"], "pred": [b"a", b"a"]},
    },
    "CSV and booleans": {
        "a.csv": b"label,pred\n0,0\n1,true\n",
        "b.parquet": {"label": [False, True], "pred": [True, True]},
    },
    "Parquet and JSON": {
        "a.parquet": _TWO,
        "b.jsonl": b'{"label": 0, "pred": 1}\n{"label": 1.0, "pred": true}\n',
    },
    "CSV and mixed JSON": {
        "a.csv": b"label,pred\na,a\n1,1\n",
        "b.jsonl": b'{"label": "a", "pred": 1}\n{"label": "1", "pred": "a"}\n',
    },
    "Parquet of decimals and CSV": {
        "a.parquet": {
            "label": pa.array([decimal.Decimal(1)]),
            "pred": pa.array([decimal.Decimal(1)]),
        },
        "b.csv": b"label,pred\n1,1\n2,1\n",
    },
    "CSV and JSON": {
        "a.csv": b"label,pred\n0,0\n1,1\n",
        "b.jsonl": b'{"label": 0, "pred": 1}\n{"label": "1", "pred": 1}\n',
    },
    "JSON of numbers and of text": {
        "a.jsonl": b'{"label": 0, "pred": 1}\n',
        "b.jsonl": b'{"label": "a", "pred": "a"}\n',
    },
    "files to leave out": {
        "a.parquet": _TWO,
        "_SUCCESS": b"",
        "_meta/b.parquet": _TWO,
        ".hidden.csv": b"x\n",
        "notes.txt": b"notes",
    },
}


def _sql(columns: str, n: int = 45_000) -> str:
    """A query of many rows, by whole numbers and division."""
    return f"SELECT {columns} FROM (SELECT i, i * 7919 % 3 AS k FROM range({n}) AS t(i))"


_THREE = (
    "(1 + i * 31 % 97 + 40 * (k = 0)::INT) / 400.0::DOUBLE AS p_0, "
    "(1 + i * 17 % 89 + 40 * (k = 1)::INT) / 400.0::DOUBLE AS p_1, "
    "1 - p_0 - p_1 AS p_2"
)
_PAIR = "(1 + i * 31 % 97 + 60 * (k = 1)::INT) / 200.0::DOUBLE AS p"
LONG: dict[str, str] = {
    "three classes": _sql(
        f"k AS label, {_THREE}, (i % 5) / 4.0::DOUBLE AS sample_weight, i % 4 AS copies, "
        "i % 3 AS site, i % 500 AS user_id, i AS row_id"
    ),
    "two classes": _sql(
        f"(k = 1)::INT AS label, {_PAIR}, (i % 7 < 3)::INT AS pred, i % 3 AS site", 100_000
    ),
    "texts": _sql(
        f"['cat', 'dog', 'eel'][k + 1] AS label, {_THREE.replace('p_0 ', 'p_cat ')}".replace(
            "AS p_0", "AS p_cat"
        )
        .replace("AS p_1", "AS p_dog")
        .replace("1 - p_0 - p_1 AS p_2", "1 - p_cat - p_dog AS p_eel")
    ),
    "lists": _sql(
        "k AS label, [(1 + i * 31 % 97 + 40 * (k = 0)::INT) / 400.0, 0.25, "
        "0.75 - (1 + i * 31 % 97 + 40 * (k = 0)::INT) / 400.0]::DOUBLE[] AS prob"
    ),
    "missing labels": _sql(f"CASE WHEN i % 40 > 0 THEN k END AS label, {_THREE}"),
    "sums that are not 1": _sql(
        f"k AS label, {_THREE.replace('1 - p_0', '(i = 42000)::INT * 0.125 + 1 - p_0')}"
    ),
    "lists that become shorter": _sql(
        "k AS label, CASE WHEN i >= 40960 THEN [0.5, 0.5] ELSE [0.25, 0.25, 0.5] END AS prob"
    ),
    "a piece of missing labels": _sql(f"CASE WHEN i > 50000 THEN k END AS label, {_THREE}", 90_000),
    "missing texts": _sql(f"CASE WHEN i % 40 > 0 THEN k::VARCHAR ELSE '' END AS label, {_THREE}"),
    "a missing score": _sql(
        f"k AS label, {_THREE.replace('1 - p_0', 'nullif(i, 40000) * 0 + 1 - p_0')}"
    ),
    "a probability beyond one": _sql(
        f"k AS label, i % 3 AS site, {_THREE.replace('1 - p_0', '(i = 40001)::INT + 1 - p_0')}"
    ),
    "a label that comes late": _sql(f"CASE WHEN i = 44000 THEN 7 ELSE k END AS label, {_THREE}"),
    "a score that no float equals": _sql(
        "k AS label, i AS score_0, i + k AS score_1, 9007199254740993 - 44999 + i AS score_2"
    ),
    "unlike lists": _sql(
        "k AS label, CASE WHEN i = 40000 THEN [0.5, 0.5] ELSE [0.25, 0.25, 0.5] END AS prob"
    ),
}
