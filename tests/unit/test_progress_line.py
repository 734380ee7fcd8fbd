"""What `snakemake --logger progress` says of a run, from the messages that Snakemake sends."""

import io
import logging
from types import SimpleNamespace

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_progress import Estimate, LogHandler, duration

SETTINGS = {"dryrun": False, "verbose": False, "printshellcmds": False, "debug_dag": False}


class Run:
    """A handler that writes into a text, and a clock."""

    def __init__(self, monkeypatch, **settings):
        self.out = io.StringIO()
        monkeypatch.setattr("sys.stderr", self.out)
        self.handler = LogHandler(SimpleNamespace(stdout=False, **(SETTINGS | settings)), None)

    def say(self, at, text="", level=logging.INFO, **extra):
        record = logging.LogRecord("snakemake", level, "", 0, text, None, None)
        record.created = at
        vars(record).update(extra)
        self.handler.emit(record)

    def start(self, at, job, rule, **wildcards):
        self.say(at, event=LogEvent.JOB_INFO, jobid=job, rule_name=rule, wildcards=wildcards)

    def finish(self, at, job):
        self.say(at, event=LogEvent.JOB_FINISHED, job_id=job)

    def fail(self, at, job):
        self.say(at, level=logging.ERROR, event=LogEvent.JOB_ERROR, jobid=job)

    @property
    def lines(self):
        return self.out.getvalue().splitlines()


def test_a_log_file_gets_a_line_per_twentieth_and_not_one_per_job(monkeypatch):
    run = Run(monkeypatch)
    run.say(0.0, event=LogEvent.RUN_INFO, stats={"trials": 400, "total": 400})
    for job in range(400):
        run.start(float(job), job, "trials", dataset="vote")
        run.finish(job + 1.0, job)
    run.handler.close()
    run.handler.close()
    assert run.lines[0] == "400 jobs"
    assert run.lines[-1] == "400 of 400 jobs done in 7 min"
    assert len(run.lines) == 23
    assert run.lines[11] == " 50%, 200 of 400 jobs, about 3 min left"


def test_the_line_names_the_job_that_runs_longest(monkeypatch):
    run = Run(monkeypatch)
    run.say(0.0, event=LogEvent.RUN_INFO, stats={"trials": 2, "experiment": 1, "total": 3})
    run.start(0.0, 1, "experiment", paper="caso", dataset="movie")
    run.start(1.0, 2, "trials", paper="dilca")
    run.start(2.0, 3, "trials", paper="dilca")
    run.finish(20.0, 2)
    assert run.lines[-1].endswith(": experiment caso movie and 1 more")


def test_only_the_consequences_of_a_failed_job_are_left_to_the_end(monkeypatch):
    run = Run(monkeypatch)
    run.say(0.0, event=LogEvent.RUN_INFO, stats={"table": 2, "total": 2})
    run.say(0.0, "Select jobs to execute...")
    run.start(0.0, 1, "table")
    run.start(0.0, 2, "table")
    for _ in range(2):
        run.fail(1.0, 1)
    run.say(1.0, "Exiting because a job execution failed. Look above", logging.ERROR)
    run.say(1.0, "the file x is gone", logging.ERROR, event=LogEvent.ERROR)
    run.finish(2.0, 2)
    run.handler.close()
    assert run.lines == [
        "2 jobs",
        "the file x is gone",
        " 50%, 1 of 2 jobs, 1 failed, time left unknown yet",
        "1 of 2 jobs done in half a minute, 1 failed",
    ]


def test_a_dry_run_says_what_snakemake_says(monkeypatch):
    run = Run(monkeypatch, dryrun=True)
    run.say(0.0, "Job 3: Prepare zoo", event=LogEvent.JOB_INFO)
    run.handler.close()
    assert run.lines == ["Job 3: Prepare zoo"]


def test_jobs_of_a_rule_count_with_the_time_of_that_rule():
    jobs = Estimate(planned={"short": 11, "long": 2})
    for job in range(10):
        jobs.begin(job, "short", "")
        jobs.now += 1
        jobs.end(job)
    jobs.begin(10, "long", "")
    jobs.now += 90
    jobs.end(10)
    # one job of a second and one of ninety, one at a time
    assert jobs.seconds_left() == pytest.approx(91)
    # at two jobs at a time it is half of that
    jobs.begin(11, "short", "")
    jobs.start = 50.0
    assert jobs.seconds_left() == pytest.approx(91 / 2)


def test_nothing_is_promised_before_anything_is_done():
    assert Estimate(planned={"trials": 3}, now=60.0).left() == "time left unknown yet"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(5, "half a minute"), (50, "a minute"), (150, "2 min"), (3600, "60 min"), (9000, "2.5 h")],
)
def test_times_are_said_roughly(seconds, words):
    assert duration(seconds) == words
