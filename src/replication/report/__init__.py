"""Step `report`: one self-contained HTML page of a run, opened without a server or a network.

`gather` reads what the run left, `pages` words it as MyST Markdown, `site` has Sphinx make one page
of it and embeds whatever that page refers to. Nothing here computes a result.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from replication.files import check_seals, write_text
from replication.steps import specification


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("--spec", required=True, help="papers, artefacts, sources, roots (JSON)")
    parser.add_argument("--project", type=Path, required=True, help="pyproject.toml")
    parser.add_argument("--output", type=Path, required=True, help="output (HTML)")


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    from replication.report.gather import gather
    from replication.report.pages import documents
    from replication.report.site import build

    spec = specification(args.spec)
    check_seals(sorted((Path(spec["roots"]["results"]) / "ledger").glob("*.csv")))
    page = build(documents(gather(spec, args.project)))
    write_text(args.output, page)
    print(f"{args.output}: {len(page.encode()) / 1e6:.1f} MB")
    return 0
