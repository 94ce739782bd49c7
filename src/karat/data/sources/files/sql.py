"""SQL that reads one column of one part: as a label, a weight or a number, or for a filter."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from karat.data.percents import PERCENT
from karat.data.sources.files.duck import FRACTION, STOP, literal, quoted
from karat.data.sources.files.text_labels import NULLS, Reading

if TYPE_CHECKING:
    import duckdb

_KEEPING = frozenset(
    {
        "PROJECTION",
        "FILTER",
        "UNNEST",
        "UNION",
        "ORDER_BY",
        "TOP_N",
        "LIMIT",
        "STREAMING_LIMIT",
        "COLUMN_DATA_SCAN",
        "DUMMY_SCAN",
        "EMPTY_RESULT",
    }
)
_SCANS = ("READ_", "RANGE", "GENERATE_SERIES")


def keep_order(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Use one thread for the connection if several could change the order of `sql`.

    Args:
        connection: the connection, which keeps the setting.
        sql: the SQL that will be read.
    """
    rows = connection.execute(f"EXPLAIN (FORMAT json) {sql}").fetchall()
    plans = [plan for _, text in rows for plan in json.loads(text)]
    if not all(map(_keeps, plans)):
        connection.execute("SET threads = 1").fetchall()


def _keeps(plan: dict[str, Any]) -> bool:
    name = plan["name"].strip()
    is_kept = name in _KEEPING or name.startswith(_SCANS)
    return is_kept and all(map(_keeps, plan.get("children", ())))


Family: TypeAlias = Literal["whole", "real", "boolean", "text", "binary", "unknown", "other"]
"""Kind of a DuckDB type as a label."""

_AS_THEY_ARE = {
    f"{sign}{size}" for sign in ("", "U") for size in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
}
_WHOLE_TYPES = {*_AS_THEY_ARE, "HUGEINT", "UHUGEINT"}
_PLAIN_NUMBERS = {*_AS_THEY_ARE, "FLOAT", "DOUBLE"}
_FAMILIES: Mapping[str, Family] = {
    **dict.fromkeys(("FLOAT", "DOUBLE", "DECIMAL"), "real"),
    **dict.fromkeys(("VARCHAR", "ENUM", "UUID"), "text"),
    **dict.fromkeys(("JSON", "NULL"), "unknown"),
    "BOOLEAN": "boolean",
    "BLOB": "binary",
}
_DOUBLE_DIGITS, _INT64_DIGITS = 15, 18
_TIMES = ("DATE", "TIME")
_TEXTS_OF_JSON = (*_TIMES, "INTERVAL", "UUID")

WHOLE = r"\s*[+-]?[0-9]{1,18}\s*"
CODE = r"\s*([+-]?0[0-9].*|[+-]?[0-9]+[eE][0-9]+\s*)"
"""Digits that are a code, not a number: with leading zeros, or as in `12e4`."""
# Integers with more digits are ids, which a double would merge.
NUMBER = (
    r"\s*[+-]?(([0-9]+\.[0-9]*|\.[0-9]+|[0-9]{1,18})([eE][+-]?[0-9]+)?"
    r"|(?i:nan|inf|infinity))\s*"
)


def family(kind: str, reading: Reading = "typed") -> Family:
    """Return the kind of a column as a label, from its DuckDB type and its file."""
    name = kind.partition("(")[0].strip().strip('"')
    if kind.endswith("]"):
        return "other"
    if name.startswith(_TEXTS_OF_JSON if reading == "json" else _TIMES):
        return "text"  # In JSON, they are strings that resemble dates.
    if name in _WHOLE_TYPES or (name == "DECIMAL" and not _digits(kind)[1]):
        return "whole"
    return _FAMILIES.get(name, "other")


def _digits(kind: str) -> tuple[int, int]:
    """Return the digits of a DECIMAL, and those after its point."""
    width, _, scale = kind.partition("(")[2].rstrip(")").partition(",")
    return int(width or 18), int(scale or 0)


def is_wide(kind: str) -> bool:
    """Return whether neither int64 nor double represents all values of a type: it is text."""
    name = kind.partition("(")[0]
    if name != "DECIMAL":
        return name in ("HUGEINT", "UHUGEINT", "JSON")
    width, scale = _digits(kind)
    return width > (_DOUBLE_DIGITS if scale else _INT64_DIGITS)


def _text_of(column: str, kind: str) -> str:
    """Return SQL for the text of a value of a DuckDB type; of times as `labels/times.py` writes."""
    text = f"CAST({column} AS VARCHAR)"
    if not kind.startswith("TIMESTAMP"):
        return text
    if kind.endswith("WITH TIME ZONE"):
        # Not cast to text, which is written in the time zone of the session.
        return f"CAST(make_timestamp(epoch_us({column})) AS VARCHAR) || '+00:00'"
    return f"regexp_replace({text}, ' 00:00:00$', '')"


def as_label(
    column: str, reading: Reading, origin: Reading, kinds: Sequence[str], *, has_comma: bool = False
) -> str:
    """Return SQL for a label column in the representation of `reading`.

    Args:
        column: its name as SQL.
        reading: representation of the labels of all parts.
        origin: representation in this part.
        kinds: the DuckDB type of the column, of this part first, then of the others.
        has_comma: as in `as_weight`.
    """
    if has_comma and origin == "csv":
        column = _text_of_csv(column, column, has_comma=has_comma)
    if reading == "marked":
        return _marked(column, origin, kinds[0])
    text = f"CAST({column} AS VARCHAR)"
    if reading != "typed":
        return text
    families = {family(kind) for kind in kinds}
    if families == {"binary"}:
        return f"decode({column})"
    if families & {"text", "unknown", "binary"}:
        return _text_of(column, kinds[0])
    if "real" in families:
        return f"CAST({column} AS DOUBLE)"
    if len(set(kinds)) > 1 or kinds[0] not in {*_AS_THEY_ARE, "BOOLEAN"}:
        return f"CAST({column} AS BIGINT)"
    return column


def _marked(column: str, origin: Reading, kind: str) -> str:
    text = f"CAST({column} AS VARCHAR)"
    if origin != "typed":
        return f"'{origin[0]}' || {text}"
    name = kind.partition("(")[0]
    if name in ("FLOAT", "DOUBLE"):
        return f"'d' || CAST(CAST({column} AS DOUBLE) AS VARCHAR)"
    if name == "BLOB":
        return f"'s' || decode({column})"
    if name == "JSON":
        return f"'j' || nullif({text}, 'null')"
    is_text = family(kind) in ("text", "unknown")
    return f"'s' || {_text_of(column, kind)}" if is_text else f"'n' || {text}"


def _is_spelled(column: str, texts: Sequence[str]) -> str:
    # Not IN: DuckDB converts a list to a join, which reorders rows.
    spellings = " ".join(f"WHEN {literal(text)} THEN true" for text in texts)
    return f"CASE lower(trim({column})) {spellings} ELSE false END"


def is_null(column: str) -> str:
    """Return SQL for whether a field of a CSV denotes a missing value."""
    return _is_spelled(column, (*NULLS, "none"))


def with_point(column: str) -> str:
    """Return SQL for a text whose decimal comma is a point; one with a point is no number."""
    return f"translate({column}, '.,', '?.')"


def _text_of_csv(column: str, text: str, *, has_comma: bool) -> str:
    """Return SQL for a text of a CSV, where the whole number `1,0` is written as `1.0`."""
    if not has_comma:
        return text
    return rf"regexp_replace({column}, '^(\s*[+-]?[0-9]+),(0+\s*)$', '\1.\2')"


def as_weight(
    column: str,
    name: str,
    origin: Reading,
    code: str = "K116",
    *,
    are_percent: bool = False,
    has_comma: bool = False,
) -> str:
    """Return SQL for weights as doubles; null if missing, `code` for any other value.

    Args:
        has_comma: whether numbers of a CSV have a decimal comma.
    """
    stop = _stop(code, name, column)
    if has_comma and origin == "csv":
        column = with_point(column)
    if are_percent:
        missing = f"WHEN {column} IS NULL OR {is_null(column)} THEN NULL::DOUBLE"
        return f"CASE {missing} ELSE coalesce({_fraction(column)}, {stop}) END"
    if origin == "typed":
        return f"CAST({column} AS DOUBLE)"
    if origin == "json":
        is_number = f"json_type({column}) NOT IN ('VARCHAR', 'OBJECT', 'ARRAY')"
        return (
            f"CASE WHEN {column} IS NULL THEN NULL WHEN {is_number} "
            f"THEN CAST({column} AS DOUBLE) ELSE {stop} END"
        )
    return _double_of_csv(column, stop)


def _double_of_csv(column: str, stop: str) -> str:
    odd = f"CASE WHEN {column} IS NULL OR {is_null(column)} THEN NULL::DOUBLE ELSE {stop} END"
    booleans = (
        f"CASE lower(trim({column})) WHEN 'true' THEN 1::DOUBLE WHEN 'false' THEN 0::DOUBLE END"
    )
    return (
        f"CASE WHEN contains({column}, '_') THEN {stop} "
        f"ELSE coalesce(TRY_CAST({column} AS DOUBLE), {booleans}, {odd}) END"
    )


def as_double(column: str, *, are_percent: bool, has_comma: bool) -> str:
    """Return SQL for a number of a CSV as a double, null if missing; an error for another text."""
    number = with_point(column) if has_comma else column
    number = _fraction(number) if are_percent else f"CAST({number} AS DOUBLE)"
    return f"CASE WHEN {is_null(column)} THEN NULL ELSE {number} END"


def _fraction(column: str) -> str:
    """Return SQL for a text with a percent sign as a double; null for other texts."""
    bare = f"rtrim(trim({column}), ' %')"
    return (
        f"CASE WHEN regexp_full_match({column}, {literal(PERCENT)}) "
        f"THEN CAST({bare} AS DOUBLE) / 100 END"
    )


def can_be_name(kind: str) -> bool:
    """Return whether a DuckDB type is one name, number or time for each row: an id, a cluster."""
    name = kind.partition("(")[0].strip()
    return not (kind.endswith("]") or name in ("STRUCT", "MAP", "UNION", "INTERVAL"))


def as_name(
    column: str,
    name: str,
    origin: Reading,
    kind: str,
    *,
    are_floats: bool = False,
    has_comma: bool = False,
) -> str:
    """Return SQL for a column of ids or clusters as text, of any type; null if missing.

    Whole numbers are written without a decimal point, so that 1.0 equals the 1 of another file.

    Args:
        are_floats: whether every text of a CSV is written as 1.0.
        has_comma: as in `as_weight`.
    """
    text = _text_of(column, kind if origin == "typed" else "")
    if origin == "csv":
        text = _text_of_csv(column, text, has_comma=has_comma)
        text = _without_point(text) if are_floats else text
        return f"CASE WHEN {_is_missing(column)} THEN NULL ELSE {text} END"
    if origin == "json":
        number = _whole(f"CAST({column} AS DOUBLE)", name)
        is_other = f"json_type({column}) IN ('OBJECT', 'ARRAY')"
        return (
            f"CASE WHEN json_type({column}) = 'DOUBLE' THEN {number} "
            f"WHEN {is_other} THEN {_stop('K106', name, column)} ELSE {column} ->> '$' END"
        )
    known = family(kind)
    if known == "real":
        return _whole(column, name)
    return f"decode({column})" if known == "binary" else text


def as_key(
    column: str, origin: Reading, kind: str, *, is_exact: bool = False, has_comma: bool = False
) -> str:
    """Return SQL for a column of any type as text that distinguishes values; null if missing.

    A whole number is one text in every file: 1.0, `1.0` and `1` of a CSV, "1" of JSON. Of other
    texts, `250.0` and `250.00` are two.

    Args:
        is_exact: whether `1` and `1.0` are two texts, as in a single file.
        has_comma: as in `as_weight`.
    """
    text = _text_of(column, kind if origin == "typed" else "")
    known = family(kind)
    if origin == "csv":
        text = _text_of_csv(column, text, has_comma=has_comma)
        # No spelling of a missing value begins with a digit, and most ids do: this is faster.
        is_number = f"{column}[1] BETWEEN '0' AND '9'"
        is_missing = f"NOT ({is_number}) AND ({_is_missing(column)})"
        text = f"CASE WHEN {is_missing} THEN NULL ELSE {text} END"
    elif origin == "json":
        text = f"({column} ->> '$')"
    elif known == "real":
        whole = f"TRY_CAST({column} AS HUGEINT)"
        return (
            f"CASE WHEN isnan(CAST({column} AS DOUBLE)) THEN NULL "
            f"WHEN {column} = {whole} THEN CAST({whole} AS VARCHAR) ELSE {text} END"
        )
    elif known not in ("text", "unknown"):
        return text
    if is_exact:
        return text
    return f"CASE WHEN ends_with({text}, '.0') THEN {_without_point(text)} ELSE {text} END"


def _without_point(text: str) -> str:
    return f"regexp_replace({text}, '^([+-]?[0-9]+)[.]0$', '\\1')"


def as_label_key(
    column: str, origin: Reading, kind: str, *, is_exact: bool = False, has_comma: bool = False
) -> str:
    """Return SQL as `as_key`, with true and false as 1 and 0, as between labels."""
    text = as_key(column, origin, kind, is_exact=is_exact, has_comma=has_comma)
    return f"CASE lower({text}) WHEN 'true' THEN '1' WHEN 'false' THEN '0' ELSE {text} END"


NO_VALUE: Final = "\ue000"
"""Text for a missing value, if rows without one are a slice."""


def as_slice(
    column: str, origin: Reading, kind: str, name: str = "", *, has_comma: bool = False
) -> str:
    """Return SQL for a column of slices as text, of any type; never null.

    Args:
        name: name of the column in messages.
        has_comma: as in `as_weight`; numbers then have a point, and K181 is raised for others.
    """
    text = f"{column} ->> '$'" if origin == "json" else _text_of(column, kind)
    if origin == "csv" and has_comma and family(kind) == "real":
        pointed = with_point(column)
        is_number = f"regexp_full_match({pointed}, {literal(f'{NUMBER}|{PERCENT}')})"
        is_other = f"regexp_full_match({column}, {literal(NUMBER)})"
        stop = _stop("K181", name, column)
        text = f"CASE WHEN {is_number} THEN {pointed} WHEN {is_other} THEN {stop} ELSE {text} END"
    if origin == "csv":
        return f"CASE WHEN {_is_missing(column)} THEN {literal(NO_VALUE)} ELSE {text} END"
    return f"coalesce({text}, {literal(NO_VALUE)})"


def _whole(column: str, name: str) -> str:
    """Return SQL for the text of a whole number stored as another type; not for NaN."""
    return (
        f"CASE WHEN isnan(CAST({column} AS DOUBLE)) THEN NULL "
        f"WHEN {column} = CAST({column} AS HUGEINT) THEN CAST(CAST({column} AS HUGEINT) AS VARCHAR)"
        f" WHEN {column} IS NOT NULL THEN {_stop('K106', name, column)} END"
    )


def _is_missing(column: str) -> str:
    """Return SQL for whether a CSV name is a usual spelling of a missing value, as for labels."""
    return f"{column} IS NULL OR trim({column}) = 'None' OR {_is_spelled(column, NULLS)}"


def _typed(
    column: str, name: str, origin: Reading, kind: str, *, has_comma: bool = False
) -> str | None:
    """Return SQL for a text column typed by its first rows, for a filter; None: unchanged."""
    stop = _stop("K408", f"{name} ({kind})", column)
    known = family(kind)
    if origin == "json":
        value = f"({column} ->> '$')"
        if kind == "VARCHAR":
            return value
        tests = {
            "whole": "IN ('BIGINT', 'UBIGINT', 'HUGEINT', 'UHUGEINT')",
            "real": "IN ('BIGINT', 'UBIGINT', 'HUGEINT', 'UHUGEINT', 'DOUBLE')",
            "boolean": "= 'BOOLEAN'",
        }
        if known in tests:
            is_it = f"json_type({column}) {tests[known]}"
            return (
                f"CASE WHEN {column} IS NULL THEN NULL WHEN {is_it} "
                f"THEN CAST({column} AS {kind}) ELSE {stop} END"
            )
        if kind == "JSON":
            return None
        return f"CAST({value if family(kind, 'json') == 'text' else column} AS {kind})"
    if known == "real":
        is_code = f"regexp_full_match({column}, {literal(CODE)})"
        column = with_point(column) if has_comma else column
        return f"CASE WHEN {is_code} THEN {stop} ELSE {_double_of_csv(column, stop)} END"
    if known not in ("whole", "boolean"):
        return None
    whole = r"\s*[+-]?(0|[1-9][0-9]{0,17})\s*"  # a code with a leading zero is no number
    pattern = whole if known == "whole" else r"\s*(?i:true|false)\s*"
    return (
        f"CASE WHEN {column} IS NULL OR {is_null(column)} THEN NULL "
        f"WHEN regexp_full_match({column}, {literal(pattern)}) "
        f"THEN CAST(trim({column}) AS {kind}) ELSE {stop} END"
    )


def _stop(code: str, name: str, column: str) -> str:
    """Return an expression that ends the query with an error of karat."""
    return f"error({literal(STOP + code + STOP + name + STOP)} || left({column}::VARCHAR, 60))"


def filtered(
    source: str,
    columns: Sequence[str],
    kinds: Mapping[str, str],
    origin: Reading,
    percents: Iterable[str] = (),
    has_comma: bool = False,
) -> tuple[str, list[str]]:
    """Return a text file for a filter, with its label columns as the file writes them.

    Args:
        source: what follows FROM.
        columns: those to keep.
        kinds: the guessed DuckDB type of each column of text.
        origin: kind of the file.
        percents: columns of percent, of which a condition reads the fraction.
        has_comma: as in `as_weight`.

    Returns:
        SQL after FROM, and the kept columns as SQL.
    """
    kept = [f'"karat {i}"' for i in range(len(columns))]
    copies = ", ".join(f"{quoted(n)} AS {alias}" for n, alias in zip(columns, kept, strict=True))
    seen = {
        name: _typed(quoted(name), name, origin, kind, has_comma=has_comma)
        for name, kind in kinds.items()
    }
    for name in percents:
        facts = quoted(name), f"{name} (percent)", origin, "K408"
        fraction = as_weight(*facts, are_percent=True, has_comma=has_comma)
        # Compared with a number or a text it is an error, since 45% may be meant by 45 or 0.45.
        packed = (f"struct_pack({FRACTION} := {x})" for x in (fraction, "NULL::DOUBLE"))
        seen[name] = f"nullif({', '.join(packed)})"
    replaced = ", ".join(f"{sql} AS {quoted(name)}" for name, sql in seen.items() if sql)
    star = f"* REPLACE ({replaced})" if replaced else "*"
    return f"(SELECT {copies}, {star} FROM {source})", kept


_LIST = re.compile(r"(?P<item>.*[^\]])\[\d*\]")


def item_of(kind: str) -> str | None:
    """Return the item type of a DuckDB list type; None for other types."""
    found = _LIST.fullmatch(kind)
    return found["item"] if found else None


def can_be_score(kind: str) -> bool:
    """Return whether a DuckDB type is numbers, or lists of numbers."""
    return family(item_of(kind) or kind) in ("whole", "real", "unknown")


def as_score(
    column: str,
    origin: Reading,
    kinds: Sequence[str],
    *,
    are_percent: bool = False,
    has_comma: bool = False,
) -> str:
    """Return SQL for a column of numbers; null for values that are not numbers.

    Args:
        column: its name as SQL.
        origin: representation in this part.
        kinds: the DuckDB type of the column, of this part first, then of all parts.
        are_percent: whether every number of a CSV has a percent sign.
        has_comma: as in `as_weight`.
    """
    item = item_of(kinds[0])
    if has_comma and origin == "csv":
        column = with_point(column)
    if are_percent:
        return _fraction(column)
    if origin == "csv":
        # DuckDB would read '1_2' as 12. The expression is short because each part of it takes
        # memory in every thread, for a thousand columns at once.
        number = f"TRY_CAST(replace({column}, '_', '?') AS DOUBLE)"
        if kinds[0] != "BIGINT":
            return number
        # A whole number beyond 2^53 that no double equals is refused, as in memory.
        is_rounded = f"TRY_CAST({column} AS HUGEINT) <> TRY_CAST({number} AS HUGEINT)"
        return f"CASE WHEN {is_rounded} THEN NULL ELSE {number} END"
    if origin == "json":
        if item is None:
            return _of_json(column)
        items = f"list_transform(CAST({column} AS JSON[]), lambda item: {_of_json('item')})"
        return f"CASE WHEN json_type({column}) = 'ARRAY' THEN {items} END"
    if (item or kinds[0]) in _PLAIN_NUMBERS and len(set(kinds)) == 1:
        return column
    return f"CAST({column} AS DOUBLE{'[]' if item else ''})"


def as_set(column: str, name: str, reading: Reading, origin: Reading, kinds: Sequence[str]) -> str:
    """Return SQL for a column of lists of labels, each as by `as_label`; null if missing.

    Args:
        column, reading, origin, kinds: as in `as_label`.
        name: name of the column in messages.
    """
    if origin == "json":
        is_list = f"json_type({column}) IN ('ARRAY', 'NULL')"
        items = (
            f"CASE WHEN {column} IS NULL THEN NULL WHEN {is_list} THEN CAST({column} AS JSON[]) "
        )
        items += f"ELSE {_stop('K106', name, column)} END"
    else:
        items = column
    label = as_label("item", reading, origin, [item_of(kind) or kind for kind in kinds])
    return items if label == "item" else f"list_transform({items}, lambda item: {label})"


def as_text(column: str, origin: Reading) -> str:
    """Return SQL for a column of text with several labels; null if missing.

    In a CSV, a blank field is blank text, and spellings of a missing value are null.
    """
    if origin == "json":
        return f"({column} ->> '$')"
    text = f"CAST({column} AS VARCHAR)"
    if origin != "csv":
        return text
    spelled = tuple(text for text in (*NULLS, "none") if text)
    return f"CASE WHEN {_is_spelled(column, spelled)} THEN NULL ELSE coalesce({text}, '') END"


def as_cell(column: str, name: str, origin: Reading, *, has_comma: bool = False) -> str:
    """Return SQL for a column of 0, 1 and nulls as doubles."""
    return as_weight(column, name, origin, "K106", has_comma=has_comma)


def text_of_typed(column: str, kind: str) -> str | None:
    """Return SQL for the text of a number or a truth value; None for a type that is text.

    A whole number has no decimal point, as in memory.
    """
    known = family(kind)
    if known in ("whole", "boolean"):
        return f"CAST({column} AS VARCHAR)"
    if known != "real":
        return None
    number = column if kind == "FLOAT" else f"CAST({column} AS DOUBLE)"
    whole = f"TRY_CAST({column} AS HUGEINT)"
    return (
        f"CASE WHEN isnan({number}) THEN NULL "
        f"WHEN {number} = {whole} THEN CAST({whole} AS VARCHAR) "
        f"ELSE CAST({number} AS VARCHAR) END"
    )


def text_of_json(column: str) -> str:
    """Return SQL for a number or a truth value of JSON as text of JSON, as the file writes it."""
    is_other = f"json_type({column}) IN ('VARCHAR', 'OBJECT', 'ARRAY', 'NULL')"
    return f"CASE WHEN {is_other} THEN {column} ELSE to_json({column} ->> '$') END"


def _of_json(column: str) -> str:
    # Objects and arrays do not convert to numbers, but '"0.5"' and true would.
    is_other = f"json_type({column}) IN ('VARCHAR', 'BOOLEAN')"
    return f"CASE WHEN {is_other} THEN NULL ELSE TRY_CAST({column} AS DOUBLE) END"
