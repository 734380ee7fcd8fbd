"""What every test finds: matplotlib's own settings; and how tests share out over processes."""

import sys

import pytest

ONE_RUN = ("test_runs.py", "test_report_page.py", "test_notebooks.py")
"""Files whose tests look at the one run with quick effort."""


def pytest_collection_modifyitems(items):
    """The longest first: what looks at the one run, then what runs the workflow."""
    for item in items:
        if "quick" in item.fixturenames and item.path.name not in ONE_RUN:
            raise pytest.UsageError(f"{item.path.name} uses `quick`: add it to ONE_RUN")
    items.sort(
        key=lambda item: (item.path.name not in ONE_RUN, not item.get_closest_marker("workflow"))
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Tests of a file share its fixtures, so they stay in one process; those of the one run too."""
    from xdist.scheduler import LoadFileScheduling

    class Files(LoadFileScheduling):
        def _split_scope(self, nodeid):
            file = super()._split_scope(nodeid)
            return "one run" if file.endswith(ONE_RUN) else file

    return Files(config, log)


@pytest.fixture(autouse=True)
def default_style():
    """The pictures of the artefacts set the style of their process; here many share one."""
    yield
    if "matplotlib" in sys.modules:
        import matplotlib as mpl

        mpl.rcdefaults()
