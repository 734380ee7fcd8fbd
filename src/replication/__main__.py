"""Command line of the steps: ``python -m replication STEP ...``."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

_LONGEST = 4000
"""Characters of a message."""
_OF_PAPERS = {"score_labels": "replication.papers.study.score_labels"}
"""Module behind every step of a paper that no rule runs."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one step in this process; return its exit code, 2 for an error that the user can mend.

    `argv` is the step and its arguments, by default those of the process. Only the module of the
    step is imported, after the numerical libraries were told to use one thread each.
    """
    import argparse
    import importlib
    import logging

    from replication import processor
    from replication.errors import UserError, remedy
    from replication.plan.layout import STEPS
    from replication.steps import add_options

    steps = STEPS | _OF_PAPERS
    # That kernels are being compiled belongs in no job's log.
    logging.getLogger("couplings").setLevel(logging.ERROR)
    argv = list(sys.argv[1:] if argv is None else argv)
    if not argv or argv[0] in ("-h", "--help"):
        print(f"usage: python -m replication STEP ...\nsteps: {', '.join(steps)}")
        return 0 if argv else 2
    step = argv[0]
    common = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    common.add_argument("--threads", type=int, help="threads of compiled kernels")
    threads = common.parse_known_args(argv[1:])[0].threads
    os.environ.update(processor.THREADS)
    if threads is not None:
        os.environ["NUMBA_NUM_THREADS"] = str(threads)
    try:
        if step not in steps:
            raise UserError(f"unknown step {step!r}; {remedy(step, steps)}")
        module = importlib.import_module(steps[step])
        parser = argparse.ArgumentParser(prog=f"python -m replication {step}", parents=[common])
        if hasattr(module, "add_arguments"):
            module.add_arguments(parser)
            return module.run(parser.parse_args(argv[1:]))
        add_options(parser, module.run)
        given = vars(parser.parse_args(argv[1:]))
        del given["threads"]
        return module.run(**given)
    except Exception as error:
        message = _message(error)
        if message is None:
            raise
        line = " ".join(message.splitlines())
        print(f"error: {line[:_LONGEST]}{' ...' * (len(line) > _LONGEST)}", file=sys.stderr)
        return 2


def _message(error: Exception) -> str | None:
    """What to say of an error that the user can mend; None for one that he cannot."""
    from couplings.errors import CouplingsError
    from replication.errors import UserError

    if isinstance(error, UserError | CouplingsError):
        return str(error)
    if isinstance(error, MemoryError):
        return (
            f"the memory does not suffice ({error or 'no number known'}); take a sample of the "
            "rows, another algorithm, or a machine with more"
        )
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return (
            f"{os.fsdecode(error.filename)}: {error.strerror}; look at the file, its permissions "
            "and the room on its disk, then run again"
        )
    return None


if __name__ == "__main__":
    from replication import processor

    processor.fix(sys.orig_argv)
    sys.exit(main())
