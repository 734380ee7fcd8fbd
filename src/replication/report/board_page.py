"""The leaderboard, as a table of the report and as a page of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from replication.report.looks import assets, templates
from replication.report.widgets import NUMBER, Head, data_table, script_json
from replication.show.rollup import verdict_colours


def render_board(board: Mapping[str, Any]) -> str:
    """The leaderboard as a page of its own.

    Parameters
    ----------
    board : mapping
        See `replication.report.leaderboard.board`.
    """
    parts: dict[str, dict[str, Any]] = {
        key: {} for key in ("pieces", "readings", "names", "marks", "papers")
    }
    template = templates().get_template("leaderboard.html.jinja")
    text = template.render(
        assets=assets(),
        colours=Markup(verdict_colours()),  # noqa: S704 - made of constants
        shared=script_json(parts),
        board=board_table(board),
    )
    return text + "\n"


def board_table(board: Mapping[str, Any]) -> dict[str, Any]:
    """The leaderboard as a table that is filled, filtered and ranked in the browser."""
    heads = [
        Head("Method"),
        Head("Algorithm"),
        Head("Mean rank", NUMBER),
        Head("Mean score", NUMBER),
        Head("Data sets", NUMBER),
        Head("Origin"),
        Head("Beside the best"),
        Head("Scores", folded=True),
    ]
    found = data_table(
        "board", "All methods, by their mean rank", heads, [], printed=25, board=board
    )
    handed = {one["id"] for one in board["methods"] if one["handed"]}
    return {**found, "methods": len(board["methods"]), "handed": len(handed)}
