"""Step `baseline`: record the verdicts of a run, so that later runs can tell what got worse."""

from __future__ import annotations

import argparse
from pathlib import Path

from replication.ledger import CLAIM_READING, read_claims, read_verdicts
from replication.steps import csv_line, write_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("--ledger", type=Path, required=True, help="folder of the ledger")
    parser.add_argument("--output", type=Path, required=True, help="recorded verdicts (CSV)")


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    rows = [
        (row["id"], row["reading"], row["verdict"])
        for row in read_verdicts(args.ledger / "verdicts.csv")
    ]
    rows += [
        (claim["id"], CLAIM_READING, claim["verdict"])
        for claim in read_claims(args.ledger / "claims.csv")
    ]
    lines = [csv_line(("id", "reading", "verdict")), *(csv_line(row) for row in rows)]
    write_text(args.output, "\n".join(lines) + "\n")
    return 0
