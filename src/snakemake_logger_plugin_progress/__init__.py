"""``snakemake --logger progress``: one line with rule, share done and time left.

A terminal gets a line that is written over, anything else a line for every twentieth of the jobs.
Snakemake keeps its own log in ``.snakemake/log``, with every job and every failure in full.
"""

from __future__ import annotations

import logging
import sys
from collections import defaultdict
from dataclasses import dataclass, field

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

STEP = 5  # per cent between two lines of a log file
EARLY = 10.0  # seconds before which the time left is anybody's guess
# Consequences of a failed job. The failure itself is said at the very end of a run, in one line.
CONSEQUENCES = (
    "Exiting because a job execution failed",
    "RuleException:\nCalledProcessError in file",
    "WorkflowError:\nAt least one job did not complete successfully",
)


@dataclass
class Estimate:
    """What is done, what runs, and how long the rest may take.

    Jobs of a rule that has not finished one yet count as an average job of the others.
    """

    planned: dict[str, int] = field(default_factory=dict)
    running: dict[int, tuple[str, str, float]] = field(default_factory=dict)
    done: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    failed: int = 0
    start: float = 0.0
    now: float = 0.0

    @property
    def total(self) -> int:
        """Number of jobs."""
        return sum(self.planned.values())

    @property
    def finished(self) -> int:
        """Number of jobs that are done."""
        return sum(self.done.values())

    @property
    def share(self) -> int:
        """Per cent of the jobs that are done, rounded down."""
        return 100 * self.finished // max(self.total, 1)

    def begin(self, job: int, rule: str, words: str) -> None:
        """Note that a job runs."""
        self.running[job] = (rule, words, self.now)

    def end(self, job: int, failed: bool = False) -> None:
        """Note that a job is through; Snakemake tells of a failure twice."""
        known = job in self.running
        rule, _, began = self.running.pop(job, ("", "", self.now))
        if failed:
            self.failed += known
        else:
            self.done[rule] += 1
            self.seconds[rule] += self.now - began

    def seconds_left(self) -> float | None:
        """Seconds until all is done, at the pace so far; None as long as nothing can be said."""
        elapsed = self.now - self.start
        so_far = sum(self.seconds.values())
        if elapsed < EARLY or not so_far:
            return None
        mean = so_far / self.finished
        work = sum(
            max(planned - self.done[rule], 0)
            * (self.seconds[rule] / self.done[rule] if self.done[rule] else mean)
            for rule, planned in self.planned.items()
        )
        under_way = sum(self.now - began for _, _, began in self.running.values())
        at_once = max((so_far + under_way) / elapsed, 1.0)
        return max(work - under_way, 0.0) / at_once

    def left(self) -> str:
        """Time left, in words."""
        seconds = self.seconds_left()
        if seconds is None:
            return "time left unknown yet"
        return f"about {duration(seconds)} left"

    def names(self) -> str:
        """The job that runs longest, and how many run beside it."""
        if not self.running:
            return ""
        rule, words, _ = min(self.running.values(), key=lambda job: job[2])
        beside = len(self.running) - 1
        return f"{rule} {words}".strip() + (f" and {beside} more" if beside else "")

    def failures(self) -> str:
        """How many failed, if any did."""
        return f", {self.failed} failed" if self.failed else ""


def duration(seconds: float) -> str:
    """Write a time in words, as exactly as an estimate deserves."""
    minutes = round(seconds / 60)
    if seconds < 60:
        return "a minute" if seconds > 30 else "half a minute"
    return f"{minutes} min" if minutes < 120 else f"{minutes / 60:.1f} h"


class LogHandler(LogHandlerBase):
    """Handler of Snakemake's messages."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = False
    has_formatter = False
    needs_rulegraph = False

    def __post_init__(self) -> None:
        settings = self.common_settings
        self.stream = sys.stdout if settings.stdout else sys.stderr
        # Who asks for more than progress gets Snakemake's own words.
        self.plain = (
            settings.dryrun or settings.verbose or settings.printshellcmds or settings.debug_dag
        )
        self.jobs = Estimate()
        self.said = -1
        self.console = Console(file=self.stream)
        self.bar = Progress(
            TextColumn("{task.percentage:>3.0f}%"),
            BarColumn(bar_width=20),
            TextColumn("{task.completed:.0f} of {task.total:.0f}{task.fields[failures]}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}: {task.fields[names]}", markup=False),
            console=self.console,
            transient=True,
        )

    def emit(self, record: logging.LogRecord) -> None:
        """Take a message into account, and say it if it is none of progress."""
        try:
            if self.plain:
                text = self.format(record)
                if text != "None":
                    print(text, file=self.stream, flush=True)
            else:
                self._take(record)
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """Say how it went; Snakemake calls it more than once."""
        if self.bar.live.is_started:
            self.bar.stop()
        jobs, self.jobs = self.jobs, Estimate()
        if jobs.total:
            took = duration(jobs.now - jobs.start)
            self._say(f"{jobs.finished} of {jobs.total} jobs done in {took}{jobs.failures()}")
        super().close()

    def _take(self, record: logging.LogRecord) -> None:
        event = getattr(record, "event", None)
        self.jobs.now = record.created
        if event is None or event == LogEvent.ERROR:
            self._pass_on(record)
        elif event == LogEvent.RUN_INFO:
            self._plan(getattr(record, "stats", {}))
        elif event == LogEvent.JOB_INFO:
            words = " ".join(str(word) for word in dict(getattr(record, "wildcards", {})).values())
            self.jobs.begin(getattr(record, "jobid", 0), getattr(record, "rule_name", ""), words)
            self._show()
        elif event == LogEvent.JOB_FINISHED:
            self.jobs.end(getattr(record, "job_id", 0))
            self._show()
        elif event == LogEvent.JOB_ERROR:
            self.jobs.end(getattr(record, "jobid", 0), failed=True)
            self._show()
        elif event == LogEvent.GROUP_ERROR:
            self.jobs.failed += 1
            self._show()

    def _pass_on(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        wanted = record.levelno >= logging.WARNING or text.startswith("Nothing to be done")
        if wanted and text != "None" and not text.startswith(CONSEQUENCES):
            self._say(text)

    def _plan(self, stats: dict[str, int]) -> None:
        self.jobs.planned = {rule: number for rule, number in stats.items() if rule != "total"}
        self.jobs.start = self.jobs.now
        if self.jobs.total and self.console.is_terminal:
            self.bar.add_task("", total=self.jobs.total, failures="", left="", names="")
            self.bar.start()
        elif self.jobs.total:
            self._say(f"{self.jobs.total} jobs")

    def _show(self) -> None:
        jobs = self.jobs
        if self.console.is_terminal:
            for task in self.bar.task_ids:
                self.bar.update(
                    task,
                    completed=jobs.finished,
                    failures=jobs.failures(),
                    left=jobs.left(),
                    names=jobs.names(),
                )
        elif jobs.finished and jobs.share // STEP > self.said:
            self.said = jobs.share // STEP
            self._say(
                f"{jobs.share:3d}%, {jobs.finished} of {jobs.total} jobs{jobs.failures()}, "
                f"{jobs.left()}: {jobs.names()}".removesuffix(": ")
            )

    def _say(self, text: str) -> None:
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)
