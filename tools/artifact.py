"""Compare the claims in scope of docs/reproduce.md with the last run: artifact.py [page ledger]."""

import re
import sys
from pathlib import Path

from replication.files import read_rows

PAGE, LEDGER = "docs/reproduce.md", "results/full/ledger/claims.csv"
ROW = re.compile(r"^\| (\w+-\d+) \| (.+?) \| ([a-z ]+) \|", re.MULTILINE)


def compared(page: Path, ledger: Path) -> list[tuple[str, str, str, str]]:
    """Return the claim, its text, the verdict in scope and the verdict of the run, by row."""
    verdicts = {row["id"]: row["verdict"] for row in read_rows(ledger)}
    rows = ROW.findall(page.read_text(encoding="utf-8"))
    return [(claim, text, wanted, verdicts.get(claim, "missing")) for claim, text, wanted in rows]


def main(page: str = PAGE, ledger: str = LEDGER) -> int:
    """Print one line per claim; return 0 if all verdicts are those in scope."""
    if not Path(ledger).is_file():
        print(
            f"error: {ledger}: there is no finished run; make reproduce makes one", file=sys.stderr
        )
        return 2
    rows = compared(Path(page), Path(ledger))
    for claim, text, wanted, found in rows:
        end = "" if found == wanted else f", in scope: {wanted}"
        sign = "as in scope" if found == wanted else "DIFFERS"
        print(f"{sign:12} {claim:13} {found}{end}  ({text})")
    failed = sum(found != wanted for *_, wanted, found in rows)
    print(f"{len(rows) - failed} of {len(rows)} claims as in scope")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
