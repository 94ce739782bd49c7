"""The `karat` group: its commands, loaded when they are called, and what ends a run."""

from __future__ import annotations

import contextlib
import importlib
import os
import traceback
from difflib import get_close_matches
from typing import Any

import click

from karat._version import __version__
from karat.cli.options import WRONG_INPUT, Described
from karat.cli.streams import OutputError, complain, guarded_output, hold_closed_streams, silence
from karat.errors import KaratError, error
from karat.errors.kinds import SAID, lacks_memory
from karat.errors.options import on_the_command_line

INTERRUPTED = 130
DEFECT = 70
"""That of sysexits.h for an internal error of a program."""

_COMMANDS = {
    "report": "Report every quality metric of prediction files.",
    "compare": "Compare models: differences, intervals and tests.",
    "gate": "Check that predictions are good enough and no worse than before.",
    "monitor": "Add predictions to a state file and check its rules.",
    "columns": "Show the detected role of each column, and what is in doubt.",
    "label": "Draw rows for people to label, beside a judge's labels.",
    "metrics": "List every metric with its definition and its other names.",
    "explain": "Show what would be computed, from which counts, in how many passes.",
    "demo": "Write two small prediction files and report one of them.",
}
"""Each command and what it does, so that `--help` need not load them."""


_OTHER_NAMES = {"check": "columns", "doctor": "columns", "evaluate": "report", "describe": "report"}
"""What a command may be taken to be called → its name."""


class Commands(Described, click.Group):
    """A group that imports the module of a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the order of the help."""
        del ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, or None."""
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        found: click.Command = importlib.import_module(f"karat.cli.{cmd_name}").command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments name; a file in its place is a slip worth naming."""
        name = args[0] if args else ""
        if name not in _COMMANDS and (os.path.exists(name) or "." in name or " " in name):
            ctx.fail(f"{name!r} is not a command. Did you mean: karat report {name!r}")
        if name and not name.startswith("-") and name not in _COMMANDS:
            near = _OTHER_NAMES.get(name) or next(iter(get_close_matches(name, _COMMANDS, 1)), None)
            meant = f"Did you mean: karat {near}" if near else f"Commands: {', '.join(_COMMANDS)}."
            ctx.fail(f"No such command {name!r}. {meant}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands in the help."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    examples=(
        "karat demo",
        "karat report predictions.parquet",
        "karat report 'runs/*.csv' --true label --pred guess -o report.json",
    ),
)
@click.version_option(__version__, prog_name="karat", message="%(prog)s %(version)s")
def app() -> None:
    """Measure classifiers: every metric, exact, from files of predictions.

    The result goes to standard output; the mapping of columns, progress and warnings go to
    standard error. Exit code 0: done. 1: a gate failed. 2: wrong usage or input. 3: a gate is
    inconclusive. 70: a bug in karat. 130: interrupted.
    """


def run(arguments: list[str]) -> int:
    """Run a command line and return its exit code; every failure is one message."""
    hold_closed_streams()
    try:
        with on_the_command_line(), guarded_output():
            returned: Any = app.main(arguments, prog_name="karat", standalone_mode=False)
    except click.ClickException as problem:
        with contextlib.suppress(OSError):
            problem.show()
        return WRONG_INPUT
    except (click.Abort, KeyboardInterrupt):
        complain("Interrupted.")
        return INTERRUPTED
    except (BrokenPipeError, SystemExit):
        # The reader of a pipe, `head`, has seen enough: click exits, or the last flush fails.
        return 0
    except Exception as problem:
        told = _told(problem)
        if told is None:
            # Python's own exit code of a traceback is that of a gate that failed.
            complain(f"{traceback.format_exc()}This is a bug in karat: please report it.")
            return DEFECT
        complain(told)
        return WRONG_INPUT
    finally:
        silence()
    return returned if isinstance(returned, int) else 0


def _told(problem: Exception) -> str | None:
    """The message of an error of the input or of the system; None: it is a bug in karat."""
    if isinstance(problem, MemoryError | ImportError) and lacks_memory(problem):
        try:
            problem = error("K419", found="The system refused more memory")
        except MemoryError:  # not even the rest of the message can be loaded
            return SAID
    if isinstance(problem, KaratError):
        return "\n".join(map(_harmless, str(problem).splitlines()))
    if isinstance(problem, OutputError):
        return f"Error: {problem}"
    if isinstance(problem, OSError):
        where = f"{os.fsdecode(problem.filename)}: " if problem.filename is not None else ""
        return f"Error: {_harmless(f'{where}{problem.strerror or problem}.')}"
    if isinstance(problem, ImportError):
        return f"Error: karat cannot be loaded: {problem}."
    return None


def _harmless(text: str) -> str:
    """A text that controls no terminal, also where no memory is left to load what knows how."""
    try:
        from karat.errors.text import harmless
    except (ImportError, MemoryError):
        return "".join(char if char.isprintable() else "\ufffd" for char in text)
    return harmless(text)
