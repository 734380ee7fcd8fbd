"""What the rules share: the checked configuration, and functions that ask it about one job."""

import functools
import os
import sys
from pathlib import Path

ROOT = Path(workflow.basedir)
sys.path.insert(0, str(ROOT / "src"))

from replication.errors import UserError
from replication.judge.ledger import unavailable_lines
from replication.plan import configuration
from replication.plan.catalog import Catalog
from replication.plan.layout import FILES

# jobs run the interpreter of this process and find the packages without an installation
os.environ.update(
    PATH=os.pathsep.join([str(Path(sys.executable).parent), *os.get_exec_path()]),
    PYTHONPATH=str(ROOT / "src"),
)


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
    """Read and check the whole configuration."""
    files = {os.path.relpath(path) for path in workflow.configfiles}
    return Catalog.load(config, ROOT, " + ".join(sorted(files)))


def one_of(kind):
    """Regular expression for the ids of one kind; matches nothing if there is none."""
    return "|".join(CATALOG.ids(kind)) or "(?!)"


def file(name):
    """Pattern of a file, with the roots of this run and the wildcards of its rule."""
    return (
        FILES[name].replace("{results}", "<results>").replace("{figures}", "<figures>")
    )


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
        return CATALOG.spec(rule, **dict(wildcards.items()))

    return text


def code(rule):
    """Parameter function: digest of the code that a job of a rule depends on."""

    @explained
    def digest(wildcards):
        return CATALOG.code(rule, **dict(wildcards.items()))

    return digest


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
    return paper if CATALOG.papers[paper].get("own") else f"paper_{paper}"


def describe_target(paper):
    """Give a target, made in a loop, the description that `--list-rules` shows."""
    entry = CATALOG.papers[paper]
    made = workflow.get_rule(target_name(paper))
    made.docstring = f"{entry['title']}: {entry['citation']}"


def print_unavailable():
    """Say at the end of a run which data sets could not be had, and what to do."""
    for line in unavailable_lines(Path(CATALOG.file("unavailable"))):
        print(line, file=sys.stderr)


explained(configuration.check_readable)(Path("config"))
