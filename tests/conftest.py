"""What every test finds: matplotlib's own settings; and how tests share out over processes."""

import sys

import pytest


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(items):
    """Tests of a file share its fixtures, so they stay in one process, the longest files first.

    All that look at the one run with quick effort stay together, wherever they stand.
    """
    for item in items:
        group = "quick" if "quick" in item.fixturenames else item.path.name
        item.add_marker(pytest.mark.xdist_group(group))
    items.sort(
        key=lambda item: ("quick" not in item.fixturenames, not item.get_closest_marker("workflow"))
    )


@pytest.fixture(autouse=True)
def default_style():
    """The pictures of the artefacts set the style of their process; here many share one."""
    yield
    if "matplotlib" in sys.modules:
        import matplotlib as mpl

        mpl.rcdefaults()
