"""Step `baseline`: record the verdicts of a run, so that later runs can tell what got worse."""

from __future__ import annotations

import argparse
from pathlib import Path

from replication.files import check_seals, read_rows, write_rows
from replication.judge.cells import VERDICT_COLUMNS
from replication.judge.claims import COLUMNS as CLAIM_COLUMNS
from replication.judge.ledger import BASELINE_COLUMNS, CLAIM_READING


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("--ledger", type=Path, required=True, help="folder of the ledger")
    parser.add_argument("--output", type=Path, required=True, help="recorded verdicts (CSV)")


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    check_seals(args.ledger / name for name in ("verdicts.csv", "claims.csv"))
    verdicts = read_rows(args.ledger / "verdicts.csv", VERDICT_COLUMNS)
    claims = read_rows(args.ledger / "claims.csv", CLAIM_COLUMNS)
    rows = [*verdicts, *({**claim, "reading": CLAIM_READING} for claim in claims)]
    write_rows(args.output, BASELINE_COLUMNS, rows)
    return 0
