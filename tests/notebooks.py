"""Notebooks run in a kernel of this Python: `python -m tests.notebooks` reads cells as JSON.

In a process of its own: the sockets of the client are closed when it ends, which pytest would
report as warnings of some later test.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.heeding import heeding_interrupts

WITHOUT_WIDGETS = "import sys\nsys.modules['ipywidgets'] = None\n"


def outputs(cells: list[str], folder: Path) -> list[list[dict[str, Any]]]:
    """The outputs of each cell of a notebook, run in a folder; a cell that raises fails the test.

    An output is a dict as in the file of a notebook: ``output_type``, ``text`` or ``data`` by
    MIME type.
    """
    with heeding_interrupts():
        found = subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "tests.notebooks", str(folder)],
            input=json.dumps(cells),
            capture_output=True,
            text=True,
            cwd=Path(__file__).parents[1],
            timeout=240,
            check=False,
        )
    assert not found.returncode, found.stderr[-4000:]
    texts: list[list[dict[str, Any]]] = json.loads(found.stdout)
    return texts


def printed(cells: list[str], folder: Path) -> list[str]:
    """What each cell of a notebook prints, run in a folder."""
    return ["".join(one.get("text", "") for one in cell).strip() for cell in outputs(cells, folder)]


def main() -> None:
    """Run the cells of standard input and write what each shows to standard output."""
    import nbclient
    import nbformat
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager

    notebook: Any = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in json.load(sys.stdin)]
    kernel: Any = AsyncKernelManager()
    kernel._kernel_spec = KernelSpec(
        argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        display_name="Python",
        language="python",
    )
    resources = {"metadata": {"path": sys.argv[1]}}
    nbclient.NotebookClient(notebook, km=kernel, timeout=120, resources=resources).execute()
    print(json.dumps([cell.outputs for cell in notebook.cells]))


if __name__ == "__main__":
    main()
