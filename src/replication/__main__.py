"""Command line of the steps: ``python -m replication STEP ...``."""

import sys


def _say_interrupted(kind: type[BaseException], error: BaseException, trace: object) -> None:
    """Print one line for an interrupt, whatever was running; other errors as Python does."""
    if issubclass(kind, KeyboardInterrupt):
        print("interrupted: run the workflow again, it goes on from here", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)  # type: ignore[arg-type]  # a traceback


if __name__ == "__main__":
    sys.excepthook = _say_interrupted

# ruff: noqa: E402 - an interrupt while these modules are loaded is one line as well
import importlib
import logging
import os
from collections.abc import Sequence

from replication import processor
from replication.errors import UserError, remedy
from replication.plan.steps import COMMANDS
from replication.steps import run_step

_LONGEST = 4000
"""Largest number of characters in a message."""
_STEPS = COMMANDS | {
    # no rule runs these, and no digest depends on them
    "package_answer": "replication.papers.study.evidence",
    "score_labels": "replication.papers.study.score_labels",
}
"""Module of every step."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one step in this process; return its exit code, 2 for an error that the user can fix.

    `argv` is the step and its arguments, by default those of the process. Only the module of the
    step is imported, after the numerical libraries are limited to one thread each.
    """
    # notices of compilation do not belong in the log of a job
    logging.getLogger("couplings").setLevel(logging.ERROR)
    step, *words = (sys.argv[1:] if argv is None else argv) or [""]
    if step in ("", "-h", "--help"):
        print(f"usage: python -m replication STEP ...\nsteps: {', '.join(_STEPS)}")
        return 0 if step else 2
    os.environ.update(processor.THREADS)
    try:
        if step not in _STEPS:
            raise UserError(f"unknown step {step!r}; {remedy(step, _STEPS)}")
        run = importlib.import_module(_STEPS[step]).run
        return run_step(run, words, f"python -m replication {step}")
    except Exception as error:
        message = _message(error)
        if message is None:
            raise
        line = " ".join(message.splitlines())
        print(f"error: {line[:_LONGEST]}{' ...' * (len(line) > _LONGEST)}", file=sys.stderr)
        return 2


def _message(error: Exception) -> str | None:
    """Return the message for an error that the user can fix, otherwise None."""
    from couplings.errors import CouplingsError

    match error:
        case UserError() | CouplingsError():
            return str(error)
        case MemoryError():
            return (
                f"not enough memory ({error or 'size unknown'}); take a sample of the rows, "
                "another algorithm, or a machine with more memory"
            )
        case OSError() if error.strerror:
            # writing and closing a file that is open, and folders for temporary files, have no name
            place = "a file" if error.filename is None else os.fsdecode(error.filename)
            return (
                f"{place}: {error.strerror}; check the file, its "
                "permissions and the free space on its disk, then run again"
            )
    return None


if __name__ == "__main__":
    processor.fix(sys.orig_argv)
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # all files are closed; taking the modules apart would take a tenth of a second per job
    os._exit(status)
