"""How Sphinx builds this documentation: ``python -m sphinx docs docs/_build/html``."""

import sys
import tomllib
from pathlib import Path

DOCS = Path(__file__).parent
ROOT = DOCS.parent
sys.path[:0] = [str(DOCS / "_extensions"), str(ROOT / "src")]

project = "couplings"
author = "the couplings developers"
copyright = author
release = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.mathjax",
    "registries",
    "run",
]
exclude_patterns = [
    *("_build", "_generated/*.md", "_extensions"),
    # read in the repository
    *("changelog.md", "third-party-licences.md", "protocols/*", "letters/*"),
]

myst_enable_extensions = ["deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say the types, with shapes
autodoc_default_options = {"members": True, "show-inheritance": True}
napoleon_google_docstring = False
# Fitted attributes under a heading of their own, and with their underscore.
napoleon_custom_sections = [("Attributes", "params_style")]
strip_signature_backslash = True
napoleon_use_rtype = False
default_role = "code"

html_theme = "furo"
html_title = f"couplings {release}"
html_static_path = ["_static"]
html_css_files = ["tables.css"]
html_show_sphinx = False
html_copy_source = False
html_last_updated_fmt = None
