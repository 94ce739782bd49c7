"""Derived metrics of `karat.compat.torchmetrics` in several processes, beside torchmetrics."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from tests.optional import optional

torch = optional("torch")
torchmetrics = optional("torchmetrics")

WORKER = """
import sys, torch, torch.distributed as dist
from importlib import import_module
rank = int(sys.argv[1])
dist.init_process_group("gloo", init_method=f"file://{sys.argv[2]}", rank=rank, world_size=2)

def steps(home):
    class Percent(home.classification.MulticlassAccuracy):
        def compute(self):
            return 100 * super().compute()

    class Own(home.Metric):
        full_state_update = False
        def __init__(self):
            super().__init__()
            self.add_state("n", torch.tensor(0), dist_reduce_fx="sum")
            self.add_state("mean", torch.tensor(0.0), dist_reduce_fx="mean")
            self.add_state("most", torch.tensor(0), dist_reduce_fx="max")
            self.add_state("stacked", torch.tensor([0]), dist_reduce_fx=None)
            self.add_state("rows", [], dist_reduce_fx="cat")
            self.add_state("norm", torch.tensor([0.0]), dist_reduce_fx=lambda x: x.norm(dim=0))
        def update(self, preds, target):
            self.n += len(preds)
            self.mean = preds.float().mean()
            self.most = torch.maximum(self.most, preds.max())
            self.stacked = preds[:1]
            self.rows.append(preds)
            self.norm = preds[:1].float()
        def compute(self):
            rows = torch.cat(self.rows) if isinstance(self.rows, list) else self.rows
            parts = (self.n, self.mean, self.most, self.stacked, rows, self.norm)
            return torch.cat([part.reshape(-1).float() for part in parts])

    metrics = home.MetricCollection({
        "own": Own(), "percent": Percent(3, average="micro"),
        "recall": home.classification.MulticlassRecall(3, average="micro"),
        "sum": Own() + Own(),
    })
    preds, target = torch.tensor([0, 1, 1, 2, 2]), torch.tensor([0, 1, 2, 2, 2])
    mine = slice(0, 2) if rank == 0 else slice(2, 5)
    metrics.update(preds[mine], target[mine])
    step = metrics["own"](preds[mine], target[mine]).tolist()
    found = {name: value.tolist() for name, value in sorted(metrics.compute().items())}
    again = {name: metrics[name].compute().tolist() for name in found}
    counted = {name: metrics[name].update_count for name in found}
    return [step, found, again, counted, metrics["own"].n.item()]

homes = ("karat.compat.torchmetrics", "torchmetrics")
ours, theirs = (steps(import_module(name)) for name in homes)
assert ours == theirs, f"{ours} {theirs}"
assert abs(ours[1]["percent"] - 80) < 1e-4, ours

home = import_module(homes[0])
target = torch.arange(400)
preds = torch.where(target % 3 > 0, target, (target + 1) % 400)
for made in (home.MulticlassCohenKappa(400, weights="linear"), home.MulticlassF1Score(400),
             home.MulticlassRecall(400, average="micro")):
    whole = made.clone()
    whole.sync_on_compute = False
    whole.update(preds, target)
    made.update(preds[rank::2], target[rank::2])
    assert made.compute() == whole.compute(), made
dist.barrier()
dist.destroy_process_group()
"""


def test_processes_reduce_states_as_with_torchmetrics(tmp_path: Any) -> None:
    arguments = [sys.executable, "-W", "ignore", "-c", WORKER]
    runs = [
        subprocess.Popen([*arguments, str(rank), str(tmp_path / "meet")], stderr=subprocess.PIPE)
        for rank in (0, 1)
    ]
    errors = [run.communicate(timeout=240)[1].decode() for run in runs]
    assert [run.returncode for run in runs] == [0, 0], errors
