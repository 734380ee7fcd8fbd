"""One HTML file out of Markdown pages: Sphinx makes the page, what it refers to goes inside."""

from __future__ import annotations

import base64
import io
import mimetypes
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

ASSETS = Path(__file__).parent / "assets"
TITLE = "Similarity of categorical data: what was found again"

_CONFIGURATION = {
    "project": TITLE,
    "extensions": ["myst_parser"],
    "html_theme": "furo",
    "html_title": TITLE,
    # no search of Sphinx in a single page: its index is a second file
    "html_sidebars": {
        "**": [
            "sidebar/brand.html",
            "sidebar/scroll-start.html",
            "sidebar/navigation.html",
            "sidebar/scroll-end.html",
        ]
    },
    "html_show_copyright": False,
    "html_copy_source": False,
    "html_css_files": ["report.css"],
    "html_js_files": ["report.js"],
    "html_theme_options": {"sidebar_hide_name": False, "top_of_page_buttons": []},
    "myst_links_external_new_tab": False,
    "toc_object_entries": False,
    "suppress_warnings": ["myst.xref_missing"],
}

_STYLE = re.compile(
    r'<link rel="(?:stylesheet|preload stylesheet)"[^>]*?href="(?P<file>_static/[^"?]+)[^>]*>'
)
_SCRIPT = re.compile(r'<script[^>]*?\ssrc="(?P<file>_static/[^"?]+)[^>]*></script>')
_URL = re.compile(r"url\(\s*(?P<quote>['\"]?)(?P<file>(?!data:|#)[^'\")]+)(?P=quote)\s*\)")
_ANCHOR = re.compile(r'<span id="([^"]*)"></span>')
_LEFT_OUT = re.compile(
    r'<link[^>]*\s(?:href|rel)="(?:_static/|genindex|search|index)[^>]*>\s*'
    r"|<!-- Generated with Sphinx[^>]*-->\s*"
)


def build(pages: Mapping[str, str]) -> str:
    """Make the page.

    Parameters
    ----------
    pages : mapping of str to str
        MyST Markdown by name; ``index`` lists the others.

    Returns
    -------
    str
        HTML that refers to no other file. The same for the same pages and versions of the tools.

    Raises
    ------
    RuntimeError
        If Sphinx finds a mistake in the pages.
    """
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        source, output = place / "source", place / "html"
        source.mkdir()
        for name, text in pages.items():
            (source / f"{name}.md").write_text(text, encoding="utf-8", newline="\n")
        sphinx(source, output)
        return embed((output / "index.html").read_text(encoding="utf-8"), output)


def sphinx(source: Path, output: Path) -> None:
    """Run Sphinx's builder of single pages.

    Raises
    ------
    RuntimeError
        With Sphinx's warnings, if there are any.
    """
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    warnings = io.StringIO()
    with patch_docutils(), docutils_namespace():
        app = Sphinx(
            srcdir=source,
            confdir=None,
            outdir=output,
            doctreedir=output / ".doctrees",
            buildername="singlehtml",
            confoverrides={**_CONFIGURATION, "html_static_path": [str(ASSETS)]},
            status=None,
            warning=warnings,
            freshenv=True,
        )
        app.build(force_all=True)
    if warnings.getvalue().strip():
        raise RuntimeError(f"Sphinx: {warnings.getvalue().strip()}")


def embed(page: str, folder: Path) -> str:
    """Page with its style sheets, scripts and images inside, and DataTables ready to be loaded.

    Parameters
    ----------
    page : str
        HTML that Sphinx wrote.
    folder : Path
        Where it lies; its files are in ``_static``.
    """
    page = _STYLE.sub(lambda match: f"<style>\n{style(folder / match['file'])}\n</style>", page)
    page = _SCRIPT.sub(lambda match: f"<script>\n{script(folder / match['file'])}\n</script>", page)
    page = without_repeated_anchors(_LEFT_OUT.sub("", page))
    # without an icon of its own, a page asks its server for one
    head = f'<link rel="icon" href="data:,">\n<style>\n{bundle("css")}\n</style>\n'
    first = page.index("<style>")
    page = f"{page[:first]}{head}{page[first:]}"
    store = base64.b64encode(bundle("js").encode()).decode("ascii")
    end = page.rindex("</body>")
    return f'{page[:end]}<script type="text/plain" id="datatables">{store}</script>\n{page[end:]}'


def without_repeated_anchors(page: str) -> str:
    """Page in which sections of one title, in different papers, do not share an automatic id.

    Every section has an id of its own besides, to which all links go.
    """
    seen: set[str] = set()

    def first(match: re.Match[str]) -> str:
        if match[1] in seen:
            return ""
        seen.add(match[1])
        return match[0]

    return _ANCHOR.sub(first, page)


def bundle(kind: str) -> str:
    """DataTables as packed by itables: ``js`` (a module) or ``css``."""
    from importlib.resources import files

    return (files("itables") / "html" / f"dt_bundle.{kind}").read_text(encoding="utf-8")


def style(path: Path) -> str:
    """Style sheet with the files that it refers to inside."""

    def inside(match: re.Match[str]) -> str:
        return f"url({data_uri(path.parent / match['file'])})"

    return _URL.sub(inside, path.read_text(encoding="utf-8"))


def script(path: Path) -> str:
    """Script that can stand inside a ``script`` element."""
    return path.read_text(encoding="utf-8").replace("</script", "<\\/script")


def data_uri(path: Path) -> str:
    """A whole file as an address."""
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"
