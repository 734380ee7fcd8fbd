"""What the rules share: the checked configuration, and functions that ask it about one job."""

import atexit
import functools
import gc
import os
import sys
from pathlib import Path

ROOT = Path(workflow.basedir)
sys.path.insert(0, str(ROOT / "src"))

from replication import leftovers, warm
from replication.errors import UserError
from replication.files import short, short_list
from replication.judge.ledger import unavailable_lines
from replication.plan import configuration
from replication.plan.catalog import Catalog
from replication.plan.lineage import job_of
from replication.plan.digest import Sources, code_digest
from replication.plan.layout import FILES, RAW

# jobs run the interpreter of this process and find the packages without an installation
os.environ.update(
    PATH=os.pathsep.join([str(Path(sys.executable).parent), *os.get_exec_path()]),
    PYTHONPATH=str(ROOT / "src"),
)


# what a graph of a thousand jobs is made of stays until the end: looking for garbage in it every
# few hundred objects takes a third of a dry run
gc.freeze()
gc.set_threshold(1_000_000, 20, 20)

RUNS = Path(".snakemake/runs")
SOURCES = Sources(ROOT)


def explained(function):
    """Make a function end the run with one line at an error that the user can mend."""

    @functools.wraps(function)
    def wrapper(*arguments, **names):
        try:
            return function(*arguments, **names)
        except UserError as error:
            sys.exit(f"error: {error}")

    return wrapper


@explained
def load_catalog(config):
    """Read the whole configuration; check it, unless the process that sent this job has."""
    files = sorted({os.path.relpath(path) for path in workflow.configfiles})
    origin = " + ".join(files)
    if workflow.is_main_process:
        configuration.check_readable(map(Path, files))
    catalog = Catalog.load(config, ROOT, origin, workflow.is_main_process)
    configuration.check_roots(catalog.config, ROOT, origin)
    return catalog


def one_of(kind):
    """Regular expression for the ids of one kind; matches nothing if there is none."""
    return "|".join(CATALOG.ids(kind)) or "(?!)"


def file(name):
    """Pattern of a file, with the roots of this run and the wildcards of its rule."""
    return (
        FILES[name].replace("{results}", "<results>").replace("{figures}", "<figures>")
    )


def targets(paper):
    """Input function: everything that is wanted of one paper."""

    @explained
    def files(wildcards):
        return CATALOG.targets(paper)

    return files


def inputs(rule, name):
    """Input function: the files that the catalog names for a job of a rule."""

    @explained
    def files(wildcards):
        return CATALOG.inputs(rule, **dict(wildcards.items()))[name]

    return files


def spec(rule):
    """Parameter function: what a job of a rule needs to know, as JSON."""

    @explained
    def text(wildcards):
        return short(CATALOG.spec(rule, **dict(wildcards.items())))

    return text


def listed(name):
    """Parameter function: the files of an input, or @ and the file that lists them."""

    def words(wildcards, input):
        return short_list(list(input[name]))

    return words


def code(rule):
    """Parameter function: digest of the code that a job of a rule depends on."""

    @explained
    def digest(wildcards):
        return digest_of(
            frozenset(CATALOG.entry_points(rule, **dict(wildcards.items())))
        )

    return digest


@functools.cache
def digest_of(entry_points):
    """Digest of code; many jobs start in the same modules."""
    return code_digest(entry_points, ROOT, SOURCES)


def option(flag, name):
    """Parameter function: an option of the command line, or nothing if there is no such input."""

    def words(wildcards, input):
        files = list(input[name])
        return [flag, *files] if files else []

    return words


def policy(wildcards):
    """Parameter function: how data sets are obtained, as JSON."""
    return CATALOG.policy()


def target_name(paper):
    """Name of the target that makes all of a paper, or of a study of this project."""
    return f"paper_{paper}" if CATALOG.papers[paper].get("prints", True) else paper


def describe_target(paper):
    """Give a target, made in a loop, the description that `--list-rules` shows."""
    entry = CATALOG.papers[paper]
    made = workflow.get_rule(target_name(paper))
    made.docstring = f"{entry['title']}: {entry['citation']}"


def print_unavailable():
    """Say at the end of a run which data sets could not be had, and what to do."""
    for line in unavailable_lines(Path(CATALOG.file("unavailable"))):
        print(line, file=sys.stderr)


def take_over():
    """Remove the lock of a killed run before Snakemake looks for one, and say so."""
    own = leftovers.register(RUNS)
    atexit.register(own.unlink, missing_ok=True)
    if said := leftovers.release(RUNS, Path(".snakemake/locks")):
        print(said, file=sys.stderr)


def tidy_up():
    """Remove half-written files of a killed run; nobody else may be writing."""
    if leftovers.alone(RUNS):
        roots = [Path(root) for root in CATALOG.config["roots"].values()]
        resumed = [
            Path(CATALOG.config["roots"]["results"], name)
            for name in ("trials", "experiments")
        ]
        leftovers.clean(roots, resumed, Path(RAW))


def keep_warm():
    """Keep a process that has the libraries loaded for the steps; it ends with this one."""
    process = warm.keep()
    if process is not None:
        atexit.register(process.communicate)


def say_last(logs):
    """Have the reasons of failed jobs stand at the very end, one line each."""
    text = "".join(Path(log).read_text(encoding="utf-8") for log in logs)
    lines = []
    for rule, output, log in leftovers.failures(text):
        made = job_of(CATALOG, output)
        words = made.ids.values() if made else [output]
        lines.append(
            f"failed: {' '.join([rule, *words])}: {leftovers.last_words(Path(log))}"
        )
    atexit.register(print, *lines, sep="\n", file=sys.stderr)


def say_if_full():
    """Say at the very end that the disk is full, if it is."""
    places = [Path("."), *(Path(root) for root in CATALOG.config["roots"].values())]
    for line in sorted({leftovers.full_disk(place) for place in places} - {""}):
        print(line, file=sys.stderr)


explained(configuration.check_readable)(Path("config"))
if workflow.is_main_process:
    take_over()
