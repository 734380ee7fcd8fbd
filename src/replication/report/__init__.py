"""Step `report`: one self-contained HTML page of a run, opened without a server or a network.

`gather` reads the files of the run, `pages` makes tables and pictures of them, the templates hold
the sentences, and the scripts show one page at a time, sort, filter and open tables, and search
over everything. Nothing here computes a result.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from replication.files import write_text
from replication.steps import specification


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("--spec", required=True, help="papers, artefacts, sources, roots (JSON)")
    parser.add_argument("--project", type=Path, required=True, help="pyproject.toml")
    parser.add_argument("--output", type=Path, required=True, help="output (HTML)")


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    from replication.plan.components import links
    from replication.plan.plan import Plan
    from replication.report.gather import gather
    from replication.report.pages import render

    spec = specification(args.spec)
    catalog = Plan.load(spec["config"], args.project.resolve().parent)
    page = render(gather(spec, args.project, links(catalog, catalog.config["papers"])))
    write_text(args.output, page)
    print(f"{args.output}: {len(page.encode()) / 1e6:.1f} MB")
    return 0
