"""Step `report`: one self-contained HTML page of a run, opened without a server or a network.

`gather` reads the files of the run, `pages` turns them into tables and pictures, and the templates
hold the sentences. Scripts show one page at a time, sort, filter and open tables, and search the
whole report. No result is computed here.
"""

from pathlib import Path
from typing import Any

from replication.files import write_text


def run(spec: dict[str, Any], project: Path, output: Path) -> int:
    """Run the step."""
    from replication.plan.components import links
    from replication.plan.plan import Plan
    from replication.report.gather import gather
    from replication.report.pages import render

    catalog = Plan.load(spec["config"], project.resolve().parent)
    write_text(output, render(gather(spec, project, links(catalog, catalog.config["papers"]))))
    return 0
