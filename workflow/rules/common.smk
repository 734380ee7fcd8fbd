"""Shared by the rules: the checked configuration, and functions that look up one job in it."""

import fcntl
import functools
import os
import platform
import re
import signal
import sys
import threading
import time
from pathlib import Path

ROOT = Path(str(workflow.current_basedir)).parents[1]
sys.path.insert(0, str(ROOT / "src"))

from replication import plugins, processor
from replication.errors import UserError, remedy
from replication.plan import configuration, outputs
from replication.plan.plan import Plan
from replication.plan.steps import FILES

# jobs run the interpreter of this process, find the packages without an installation, and compute
# on one instruction level
os.environ.update(
    processor.settings(platform.machine()),
    PATH=os.pathsep.join([str(Path(sys.executable).parent), *os.get_exec_path()]),
    PYTHONPATH=str(ROOT / "src"),
)


STARTED = time.time()


def explained(function):
    """Make a function end the run with one line on an error that the user can fix."""

    @functools.wraps(function)
    def wrapper(*arguments, **names):
        try:
            return function(*arguments, **names)
        except UserError as error:
            sys.exit(f"error: {error}")

    return wrapper


@explained
def hold():
    """Hold a lock until this process ends, see tools/unlock.py."""
    outputs.check_folder(Path(".snakemake"))
    Path(".snakemake").mkdir(exist_ok=True)
    stream = open(".snakemake/running", "w")
    fcntl.flock(stream, fcntl.LOCK_SH)
    return stream


RUNNING = hold()


@explained
def load_catalog(config):
    """Read the configuration, and check it unless the parent process has done so."""
    files = sorted({os.path.relpath(path) for path in workflow.configfiles})
    given = workflow.config_settings.config
    origin = " + ".join([*files, *(["--config"] if given else [])])
    # the words after --config alone may allow modules: no file can
    os.environ.pop(plugins.VARIABLE, None)
    if "plugins" in given:
        os.environ[plugins.VARIABLE] = os.path.abspath(str(given["plugins"]))
        config = {key: value for key, value in config.items() if key != "plugins"}
    catalog = Plan.load(config, ROOT, origin, workflow.is_main_process)
    if workflow.is_main_process:
        configuration.check_effort(catalog.config["effort"], files)
    return catalog


LOOKS = re.compile(
    r"-[A-Za-z]*[nSDt][A-Za-z]*|--(dry-?run|li|rulegraph|dag|filegraph|d3dag|(detailed-)?summary|"
    r"unlock|touch|cleanup|report|archive|containerize|generate|delete|help|version).*"
)
"""Options with which Snakemake makes nothing."""


@explained
def check_outputs():
    """Set outputs aside that were changed after the last run.

    Return what that run remembers, and the outputs to make again.
    """
    roots = CATALOG.config["roots"]
    before = outputs.remembered(outputs.record(ROOT, roots))
    looks = any(map(LOOKS.fullmatch, sys.argv[1:]))
    if workflow.is_main_process and not looks:
        outputs.check_folders(ROOT, roots.values())
    found = outputs.changed(ROOT, roots, before) if workflow.is_main_process else []
    for name in found:
        print(
            f"note: {name} was changed after it was made; a run that needs it makes it again",
            file=sys.stderr,
        )
    if not found or looks:
        return before, []
    print(f"note: see {outputs.set_aside(ROOT, roots, found)}", file=sys.stderr)
    return before, found


def forgotten_downloads():
    """Return the records of the run's data that `make retry` has removed."""
    return outputs.forgotten(ROOT, CATALOG.records_of_data())


def forget_outputs():
    """Remember nothing while jobs run: a run that is interrupted leaves outputs of two runs."""
    outputs.record(ROOT, CATALOG.config["roots"]).unlink(missing_ok=True)


def remember_outputs():
    """Remember the outputs at the end of a run, for the next one."""
    outputs.remember(ROOT, CATALOG.config["roots"], REMEMBERED)


INTERRUPTS = []


def note_interrupts():
    """Let an interrupt end the run as SIGTERM does: what runs ends, nothing more is started.

    The jobs of a terminal get the interrupt as well; those of a cluster do not, and are cancelled.
    Another interrupt ends Snakemake at once.
    """

    def interrupted(number, frame):
        INTERRUPTS.append(number)
        if len(INTERRUPTS) > 1 or not workflow.local_exec:
            raise KeyboardInterrupt
        # the thread that this one interrupts may hold a lock
        threading.Thread(target=workflow.scheduler.exit_gracefully).start()

    signal.signal(signal.SIGINT, interrupted)


def one_of(kind):
    """Return a regular expression for the ids of one kind; without ids it matches nothing."""
    return "|".join(CATALOG.ids(kind)) or "(?!)"


def targets(paper):
    """Input function: all files that are made for one paper."""

    @explained
    def files(wildcards):
        return CATALOG.targets(paper)

    return files


def inputs(rule, name):
    """Input function: the files of one input of a job that can have several, or none."""

    @explained
    def files(wildcards):
        return CATALOG.inputs(rule, **dict(wildcards.items()))[name]

    return files


def spec(rule):
    """Parameter function: the specification of a job, as JSON."""

    @explained
    def text(wildcards):
        return CATALOG.spec(rule, **dict(wildcards.items()))

    return text


def code(rule):
    """Parameter function: the digest of the code that a job depends on."""

    @explained
    def digest(wildcards):
        return CATALOG.code(rule, **dict(wildcards.items()))

    return digest


def policy(wildcards):
    """Parameter function: how data sets are obtained, as JSON."""
    return configuration.as_json(CATALOG.config["data"])


def target_name(paper):
    """Return the name of the target that makes everything for a paper or a study."""
    return f"paper_{paper}" if CATALOG.papers[paper].get("prints", True) else paper


def describe_target(paper):
    """Describe a target that was made in a loop, for `--list-rules`."""
    entry = CATALOG.papers[paper]
    made = workflow.get_rule(target_name(paper))
    made.docstring = f"{entry['title']}: {entry['citation']}"


@explained
def check_targets():
    """End the run if the command line names a paper, or a file of a paper, that does not exist.

    Snakemake itself checks targets after reading the rules, and suggests no alternatives.
    """
    figures = Path(CATALOG.config["roots"]["figures"])
    papers = list(map(target_name, CATALOG.papers))
    files = [file for paper in CATALOG.papers for file in CATALOG.targets(paper)]
    files += [CATALOG.file("cases", paper=paper) for paper in CATALOG.papers]
    for word in sys.argv[1:]:
        folder, known, here = Path(word).parent, [word], Path(word).exists()
        if word.startswith("paper_"):
            known = papers
        elif folder.parent.name == figures.name:
            known = [one for one in files if Path(one).parent == folder] or files
            # a figure of another run is there, but no rule of this one makes it
            here = here and folder.parent == figures
        if word not in known and not here:
            # the numbers of figures and tables have two digits
            meant = re.sub(r"(?<!\d)(\d)(?=\.)", r"0\1", word)
            raise UserError(f"unknown target {word!r}; {remedy(meant, known)}")


def print_unavailable():
    """Print at the end of a run which data sets could not be downloaded, and what to do."""
    for line in CATALOG.unavailable():
        print(line, file=sys.stderr)


def print_next():
    """Print at the end of a run where its report is and how to check it, if it is new."""
    page = Path(FILES["report"].format(**CATALOG.config["roots"]))
    if page.is_file() and page.stat().st_mtime >= STARTED:
        print(f"report: {page} (open it in a browser)", file=sys.stderr)
        print("next: make verify compares the run with the record", file=sys.stderr)


def print_errors():
    """Print the error messages of failed jobs again at the end of a run, one line each."""
    if INTERRUPTS:
        print(
            "interrupted: what is finished is kept; the same command goes on from here",
            file=sys.stderr,
        )
    logs = Path(CATALOG.config["roots"]["results"], "logs")
    for path in sorted(logs.rglob("*.txt")):
        if path.stat().st_mtime >= STARTED:
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
                if line.startswith("error:"):
                    print(
                        f"failed: {path.relative_to(logs).with_suffix('')}: {line[7:]}",
                        file=sys.stderr,
                    )


# before Snakemake, whose messages are tracebacks, and once in a run
if workflow.is_main_process:
    explained(configuration.run)(
        sorted(
            {
                *Path("config").rglob("*.yaml"),
                *(Path(os.path.relpath(path)) for path in workflow.configfiles),
            }
        )
    )
