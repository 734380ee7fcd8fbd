"""How pages of the report look: their templates, styles and scripts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

if TYPE_CHECKING:
    from jinja2 import Environment

HERE = Path(__file__).parent


def templates() -> Environment:
    """The templates; what a page lacks is an error."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates", encoding="utf-8"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
    )


def assets() -> dict[str, Markup]:
    """Styles and scripts, by the name of the file."""
    return {
        path.name: Markup(path.read_text(encoding="utf-8").replace("</script", "<\\/script"))  # noqa: S704
        for path in sorted((HERE / "assets").iterdir())
    }
