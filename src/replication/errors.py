"""Errors that the reader can mend: one clear message, no traceback."""

from __future__ import annotations


class UserError(Exception):
    """A problem in files, settings or the network that its message tells how to solve.

    The command line prints ``error: <message>`` and ends with exit code 2.
    """
