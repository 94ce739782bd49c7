"""`install` puts the functions into scikit-learn, `uninstall` takes them out again."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
import warnings
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import numpy as np
import pytest

import karat.compat.sklearn as karat_sklearn
from tests.optional import optional

metrics = optional("sklearn.metrics")
calibration = optional("sklearn.calibration")
base = optional("sklearn.base")

NAMES = [name for name in karat_sklearn.__all__ if name[0].islower() and "install" not in name]


@pytest.fixture(autouse=True)
def undone() -> Generator[None]:
    yield
    karat_sklearn.uninstall()


def home(name: str) -> ModuleType:
    return metrics if hasattr(metrics, name) else calibration


def test_every_function_is_replaced_and_put_back() -> None:
    before = {name: getattr(home(name), name) for name in NAMES}
    with karat_sklearn.install():
        assert all(getattr(home(name), name) is getattr(karat_sklearn, name) for name in NAMES)
    assert {name: getattr(home(name), name) for name in NAMES} == before


def test_submodules_are_replaced_too() -> None:
    classification = optional("sklearn.metrics._classification")
    karat_sklearn.install()
    assert classification.f1_score is karat_sklearn.f1_score
    karat_sklearn.uninstall()
    assert classification.f1_score.__module__ == "sklearn.metrics._classification"


def test_scorers_use_them(monkeypatch: pytest.MonkeyPatch) -> None:
    y_true, y_pred = np.array([0, 1, 1]), np.array([0, 1, 0])

    class Model(base.ClassifierMixin, base.BaseEstimator):
        classes_ = np.array([0, 1])

        def fit(self, x: object, y: object) -> None: ...

        def predict(self, x: object) -> np.ndarray:
            return y_pred

    with karat_sklearn.install():
        scorer = metrics.get_scorer("accuracy")
        assert scorer._score_func is karat_sklearn.accuracy_score
        assert scorer(Model(), y_true, y_true) == 2 / 3
    assert metrics.get_scorer("accuracy")._score_func is metrics.accuracy_score


def test_installing_twice_and_undoing_twice_is_harmless() -> None:
    before = metrics.roc_auc_score
    karat_sklearn.install()
    karat_sklearn.install()
    karat_sklearn.uninstall()
    assert metrics.roc_auc_score is before
    karat_sklearn.uninstall()
    assert metrics.roc_auc_score is before


def test_an_installation_around_another_stays() -> None:
    before = metrics.f1_score
    karat_sklearn.install()
    with karat_sklearn.install(), karat_sklearn.install():
        pass
    assert metrics.f1_score is karat_sklearn.f1_score
    karat_sklearn.uninstall()
    assert metrics.f1_score is before
    with karat_sklearn.install():
        karat_sklearn.uninstall()
        assert metrics.f1_score is before
        karat_sklearn.install()
    assert metrics.f1_score is karat_sklearn.f1_score


def test_threads_leave_nothing_replaced() -> None:
    before = {name: getattr(home(name), name) for name in NAMES}
    started = threading.Barrier(16)

    def work(_: int) -> bool:
        started.wait()
        seen = []
        for _turn in range(5):
            with karat_sklearn.install():
                seen.append(metrics.f1_score is karat_sklearn.f1_score)
        return all(seen)

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(work, range(16)))
    assert {name: getattr(home(name), name) for name in NAMES} == before
    karat_sklearn.uninstall()
    assert {name: getattr(home(name), name) for name in NAMES} == before


def test_sets_of_labels_are_measured_while_installed() -> None:
    with karat_sklearn.install():
        assert metrics.f1_score.__module__ == "karat.compat.sklearn"
        found = metrics.f1_score([[0, 1], [1, 1]], [[0, 1], [1, 0]], average="macro")
        scorer = metrics.get_scorer("f1_samples")
        assert scorer._score_func is karat_sklearn.f1_score
    assert found == pytest.approx((1 + 2 / 3) / 2, rel=1e-15)


def test_a_function_held_before_cannot_be_pickled_while_installed() -> None:
    held = metrics.f1_score
    with karat_sklearn.install():
        with pytest.raises(pickle.PicklingError):
            pickle.dumps(held)
        assert b"karat.compat.sklearn" in pickle.dumps(metrics.f1_score)
    assert pickle.loads(pickle.dumps(held)) is held


def test_no_call_runs_a_metric_of_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise AssertionError("scikit-learn was called")

    modules = [
        module for name, module in list(sys.modules.items())
        if name.startswith(("sklearn.metrics", "sklearn.utils.multiclass", "sklearn.utils.valid"))
    ]  # fmt: skip
    for module in modules:
        for name, value in list(vars(module).items()):
            if callable(value) and not isinstance(value, type) and name.islower():
                monkeypatch.setattr(module, name, fail)
    truth, scores = ["a", "b", "a", "b"], [0.1, 0.4, 0.5, 0.9]
    assert karat_sklearn.f1_score(truth, truth[::-1], pos_label="b") == 0.0
    assert karat_sklearn.roc_auc_score(truth, scores) == 0.75
    assert karat_sklearn.log_loss(truth, scores) > 0
    assert "weighted avg" in karat_sklearn.classification_report(truth, truth)
    with pytest.raises(ValueError, match="continuous is not supported"):
        karat_sklearn.accuracy_score([0.5, 0.2], [0.1, 0.3])


ALONE = """
import sys, warnings
sys.modules["sklearn"] = None
import karat.compat.sklearn as metrics
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert metrics.precision_score([0, 1], [0, 0]) == 0.0
assert caught[0].category.__name__ == "UndefinedMetricWarning", caught
assert caught[0].filename == "<string>", caught[0].filename
try:
    metrics.f1_score([0, 1], [0, 1], average="mean")
except (ValueError, TypeError) as problem:
    assert type(problem).__name__ == "InvalidParameterError"
loaded = {name.partition(".")[0] for name in sys.modules}
assert not loaded & {"pandas", "scipy", "joblib"}, loaded
"""


def test_scikit_learn_is_not_needed() -> None:
    run = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_warnings_and_errors_are_of_the_loaded_classes() -> None:
    exceptions = optional("sklearn.exceptions")
    validation = optional("sklearn.utils._param_validation")
    with warnings.catch_warnings():
        warnings.simplefilter("error", exceptions.UndefinedMetricWarning)
        with pytest.raises(exceptions.UndefinedMetricWarning):
            karat_sklearn.recall_score([0, 0], [0, 1])
    with pytest.raises(validation.InvalidParameterError, match="'normalize' parameter"):
        karat_sklearn.accuracy_score([0], [0], normalize="yes")


def test_a_warning_points_at_the_line_that_called() -> None:
    with pytest.warns(match="no predicted samples") as caught:
        karat_sklearn.precision_score([0, 1], [0, 0])
    assert caught[0].filename == __file__
