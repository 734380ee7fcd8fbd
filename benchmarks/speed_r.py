"""Peers in R: a session keeps its data, times its own calls and hands over numbers in files."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

MARK = "<<done>>"
"""What R prints after each command; a line that packages print themselves is another one."""
LOOP = f"""
commands <- file("stdin"); open(commands)
while (length(line <- readLines(commands, 1))) {{
  tryCatch(eval(parse(text = line), globalenv()), error = function(e) {{
    cat(conditionMessage(e), file = stderr()); quit(status = 1)
  }})
  cat("\\n{MARK}\\n"); flush(stdout())
}}
"""


class RError(Exception):
    """R has ended with an error."""


class Session:
    """A process of R; ended with this object."""

    def __init__(self, package: str) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(
            ["Rscript", "--vanilla", "-e", LOOP], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self.ask(f"suppressMessages(library({package}))")

    def __del__(self) -> None:
        self.process.kill()
        self.process.communicate()
        self.folder.cleanup()

    def ask(self, line: str) -> list[str]:
        """Evaluate one line of R; return what it prints."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        said: list[str] = []
        for answer in self.process.stdout:
            if answer.strip() == MARK:
                return [one for one in said if one]
            said.append(answer.strip())
        raise RError(self.process.stderr.read().strip() or "ended")

    def frame(self, frame: pd.DataFrame, name: str) -> None:
        """Give R a frame: text becomes factors."""
        path = Path(self.folder.name) / "frame.csv"
        frame.to_csv(path, index=False)
        self.ask(f'{name} <- read.csv("{path}", stringsAsFactors = TRUE, na.strings = character())')

    def numbers(self, numbers: np.ndarray, name: str) -> None:
        """Give R a vector of doubles."""
        path = Path(self.folder.name) / "numbers"
        np.asarray(numbers, dtype=np.float64).tofile(path)
        self.ask(f'{name} <- readBin("{path}", "double", {len(numbers)})')

    def result(self, name: str) -> np.ndarray:
        """Return a vector of R as doubles."""
        path = Path(self.folder.name) / "result"
        self.ask(f'writeBin(as.double({name}), "{path}")')
        return np.fromfile(path)


@dataclass(frozen=True)
class InR:
    """A call of R on data that it was given.

    Attributes
    ----------
    package : str
        What is loaded.
    give : callable
        ``give(session, data)`` hands over the data; not timed.
    work : str
        An expression of R over them.
    result : str, default "result"
        What of its value, called ``result``, is compared.
    """

    package: str
    give: Callable[[Session, Any], None]
    work: str
    result: str = "result"

    def on(self, data: Any) -> Bound:
        """Return the call on these data."""
        session = Session(self.package)
        self.give(session, data)
        session.ask(f"work <- function() {self.work}")
        return Bound(session, self.result)

    def __call__(self, data: Any) -> np.ndarray:
        """Return the numbers of the call."""
        return self.on(data)()


@dataclass(frozen=True)
class Bound:
    """A call of R on data that are there."""

    session: Session
    of_result: str

    def __call__(self) -> np.ndarray:
        self.session.ask("invisible(capture.output(result <- work()))")
        return self.session.result(self.of_result)

    def spent(self, calls: int) -> tuple[float, float]:
        """Return processor and wall seconds of one of several calls, as R counts them."""
        said = self.session.ask(
            "before <- proc.time(); "
            f"invisible(capture.output(for (i in seq_len({calls})) result <- work())); "
            "spent <- proc.time() - before; "
            'cat(format(c(spent[["user.self"]] + spent[["sys.self"]], spent[["elapsed"]]), '
            "digits = 6))"
        )
        cpu, wall = (float(number) for number in said[-1].split())
        return cpu / calls, wall / calls

    def memory(self) -> float:
        """Return MiB that R's heap grows by during a call, its result included."""
        said = self.session.ask(
            "invisible(gc(reset = TRUE)); before <- sum(gc()[, 2]); "
            "invisible(capture.output(result <- work())); cat(sum(gc()[, 6]) - before)"
        )
        return float(said[-1])


@cache
def version_in_r(package: str) -> str | None:
    """Return the version of a package of R, None without R or the package."""
    if shutil.which("Rscript") is None:
        return None
    asked = subprocess.run(
        ["Rscript", "--vanilla", "-e", f'cat(as.character(packageVersion("{package}")))'],
        capture_output=True, text=True,
    )  # fmt: skip
    return asked.stdout.strip() or None if asked.returncode == 0 else None
