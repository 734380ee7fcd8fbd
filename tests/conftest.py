"""What every test finds: matplotlib's own settings, whatever a picture set before it."""

import sys

import pytest


@pytest.fixture(autouse=True)
def default_style():
    """The pictures of the artefacts set the style of their process; here many share one."""
    yield
    if "matplotlib" in sys.modules:
        import matplotlib as mpl

        mpl.rcdefaults()
