"""Step `retry`: forget the data sets that could not be had, so that they are asked for again."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("--raw", type=Path, default=Path("data/raw"), help="folder of downloads")


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    names = forget_unavailable(args.raw)
    if names:
        print(f"forgotten, the next run asks again for: {', '.join(names)}")
    else:
        print("no data set is marked as unavailable")
    return 0


def forget_unavailable(raw: Path) -> list[str]:
    """Remove the records of data sets that no route delivered, and of hosts without answer.

    Parameters
    ----------
    raw : Path
        Folder of downloads.

    Returns
    -------
    list of str
        The data sets whose record was removed, sorted.
    """
    from replication.data.fetch import forget_unreachable

    names = forget_unreachable(raw)
    for name in names:
        (Path(raw) / name / "source.json").unlink()
    return names
