"""Step `retry`: forget the data sets that no route delivered, so that the next run asks again."""

from __future__ import annotations

import shutil
from pathlib import Path

from replication.errors import UserError
from replication.files import read_json
from replication.steps import UNAVAILABLE


def run(raw: Path = Path("data/raw")) -> int:
    """Remove the records of unavailable data sets and of hosts that did not answer."""
    shutil.rmtree(raw / ".unreachable", ignore_errors=True)
    records = [path for path in sorted(raw.glob("*/source.json")) if _is_unavailable(path)]
    for path in records:
        path.unlink()
    names = ", ".join(path.parent.name for path in records)
    print(f"The next run asks again for: {names}" if names else "No data set is unavailable.")
    return 0


def _is_unavailable(path: Path) -> bool:
    """Return whether a record says so, or is damaged."""
    try:
        return read_json(path, "status")["status"] == UNAVAILABLE
    except UserError:
        return True
