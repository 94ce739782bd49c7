"""Every error is triggered once, and its message stands in `messages.txt`.

KARAT_UPDATE_GOLDEN=1 writes the file anew; read the difference before you commit it.
"""

from __future__ import annotations

import os
import pickle
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from karat.errors import CATALOGUE, InputError, KaratError, UnknownNameError, error
from tests.cli.triggers import TRIGGERS as OF_CLI
from tests.data.triggers import TRIGGERS as OF_INPUTS
from tests.errors.judge import TRIGGERS as OF_JUDGES
from tests.errors.triggers import TRIGGERS as OF_MEANING

TRIGGERS: dict[str, Callable[[], object]] = {**OF_CLI, **OF_INPUTS, **OF_MEANING, **OF_JUDGES}
MESSAGES = Path(__file__).with_name("messages.txt")
TEMPORARY = re.compile(re.escape(tempfile.gettempdir()) + r"/\w+/?")


def raised(code: str) -> KaratError:
    with pytest.raises(KaratError) as caught:
        TRIGGERS[code]()
    return caught.value


def test_the_catalogue_is_the_tested_set() -> None:
    assert sorted(TRIGGERS) == sorted(CATALOGUE)


@pytest.mark.parametrize("code", sorted(CATALOGUE))
def test_the_error_has_its_code_and_four_beats(code: str) -> None:
    problem = raised(code)
    assert problem.code == code
    what, *rest = str(problem).splitlines()
    assert what.startswith(f"{code}  ")
    assert len(rest) >= 1
    assert all(line.startswith("      ") for line in rest)
    text = CATALOGUE[code].render(problem.context)
    # A dict that is shown has a quote behind its brace, a part that was not filled a name.
    assert not re.search(r"\{[A-Za-z_]", text)
    assert isinstance(problem, ValueError)
    assert isinstance(problem, KeyError) == isinstance(problem, UnknownNameError)


@pytest.mark.parametrize("code", sorted(CATALOGUE))
def test_the_error_survives_pickling(code: str) -> None:
    problem = error(code, **raised(code).context)
    again = pickle.loads(pickle.dumps(problem))
    assert type(again) is type(problem)
    assert (str(again), again.code) == (str(problem), problem.code)


def test_the_messages_are_as_written() -> None:
    found = "\n\n".join(str(raised(code)) for code in sorted(TRIGGERS))
    found = TEMPORARY.sub("…/", found) + "\n"
    if os.environ.get("KARAT_UPDATE_GOLDEN"):
        MESSAGES.write_text(found, encoding="utf-8")
    assert found == MESSAGES.read_text(encoding="utf-8")


def test_an_unknown_name_is_a_key_error_that_prints_its_message() -> None:
    problem = error("K301", name="x", nearest="none")
    assert str(problem).startswith("K301  There is no metric named 'x'.")
    assert not isinstance(problem, InputError)
