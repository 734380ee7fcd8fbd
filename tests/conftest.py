"""What every test finds: matplotlib's own settings; and how tests share out over processes."""

import gc
import os
import sys

import pytest
from hypothesis import settings

settings.register_profile("quick", max_examples=10, deadline=None)  # what `make check` takes

# runs have a mirror only if a test gives them one: the `mirrors` of the tests of the workflow
if mirror := os.environ.pop("REPLICATION_MIRROR", ""):
    os.environ["MIRROR"] = mirror
# idle threads of compiled kernels sleep: another process of the tests wants their core
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# linear algebra in one thread, as the steps have it: a second one waits by computing
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# modules and tests stay: looking for garbage among them is a fifth of collecting the tests
gc.set_threshold(100_000, 20, 20)

ONE_RUN = ("test_options.py", "test_runs.py", "test_report_page.py")
"""Files whose tests look at the one run with quick effort."""
LONG = (
    "test_contract.py",  # compiles most kernels, where they are not compiled yet
    "test_engines.py",
    "test_golden.py",
    "test_papers_caso.py",
    "test_papers_cde.py",
    "test_papers_coupledmc.py",
    "test_papers_coupledmc_claims.py",
    "test_papers_study.py",
    "test_digest.py",
    "test_speed.py",
    "test_wheel.py",
)
"""Files that take longest without a run of the workflow: none of them may be left for the end."""


def pytest_collection_modifyitems(items):
    """The longest first: what looks at the one run, what runs the workflow, other long files."""
    for item in items:
        if "quick" in item.fixturenames and item.path.name not in ONE_RUN:
            raise pytest.UsageError(f"{item.path.name} uses `quick`: add it to ONE_RUN")
    items.sort(
        key=lambda item: (
            item.path.name not in ONE_RUN,
            not item.get_closest_marker("workflow"),
            item.path.name not in LONG,
        )
    )


def pytest_collection_finish():
    """What is there now stays: calls that collect garbage need not look at it."""
    gc.freeze()


def pytest_runtest_teardown(item, nextitem):
    """What the tests of one file left stays as well."""
    if nextitem is None or nextitem.path != item.path:
        gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Tests of a file share its fixtures, so they stay in one process; those of the one run too."""
    from xdist.scheduler import LoadFileScheduling

    class Files(LoadFileScheduling):
        def _split_scope(self, nodeid):
            file = super()._split_scope(nodeid)
            return "one run" if file.endswith(ONE_RUN) else file

    return Files(config, log)


@pytest.fixture(scope="session")
def catalog():
    """The plan of a full run; tests leave it as it is."""
    from kit import ROOT

    from replication.plan.plan import Plan

    return Plan.of_effort(ROOT, "full")


UNTOUCHED = {}
"""Matplotlib's own settings as values of a plain dictionary, once they were set."""


@pytest.fixture(autouse=True)
def default_style():
    """The pictures of the artefacts set the style of their process; here many share one."""
    yield
    if "matplotlib" in sys.modules:
        import matplotlib as mpl

        # setting all of them takes longer than most tests do
        if dict.copy(mpl.rcParams) != UNTOUCHED:
            mpl.rcdefaults()
            UNTOUCHED.clear()
            UNTOUCHED.update(dict.copy(mpl.rcParams))


@pytest.fixture
def first_answers(monkeypatch):
    """Judge claims under the answers that count alone; golden pages show the others too."""
    monkeypatch.setattr("replication.judge.claims._varied", lambda *_: {})
