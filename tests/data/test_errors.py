"""Each error of the inputs is raised by its own trigger, in four beats."""

from __future__ import annotations

import pickle

import pytest

from karat.errors import KaratError
from tests.data.triggers import TRIGGERS


@pytest.mark.parametrize("code", TRIGGERS)
def test_the_trigger_raises_its_error(code: str) -> None:
    with pytest.raises(KaratError) as caught:
        TRIGGERS[code]()
    assert caught.value.code == code
    assert isinstance(caught.value, ValueError)
    assert str(caught.value).startswith(f"{code}  ")
    assert len(str(caught.value).splitlines()) >= 3


@pytest.mark.parametrize("code", TRIGGERS)
def test_the_error_survives_a_process_boundary(code: str) -> None:
    with pytest.raises(KaratError) as caught:
        TRIGGERS[code]()
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
