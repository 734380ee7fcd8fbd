"""Package the answer of the study for `couplings.recommend`.

    python -m replication.papers.study.evidence figures/study/evidence.csv figures/study/cost.csv

reads the tables `evidence` and `cost` of a full run and writes ``src/couplings/data/answer.json``.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

from couplings.measures.registry import measure_entry
from replication.errors import UserError
from replication.files import read_rows, write_json
from replication.papers.study.advice import LARGEST, advise
from replication.plan.configuration import read_yaml

COLUMNS = ("dataset", "objects", "measure", "algorithm", "ari")
SECONDS = ("measure", "algorithm", "seconds", "timed_on")
STARTS = 10
"""Starts of a recommended method that is random: as many as everything random has in the study."""
LIMITS = (
    "The evidence is a few dozen public data sets whose classes need not be clusters, and the rule "
    "of this choice was made when their scores were known: it has not been tested on unseen data. "
    "Data sets differ more than methods do: compare on your own."
)
_ROOT = Path(__file__).parents[4]
PACKAGED = _ROOT / "src/couplings/data/answer.json"
_ESTIMATORS = {"kmodes": "KModes", "spectral": "CategoricalSpectral", "ward": "Ward"}


def answer(
    rows: Sequence[Mapping[str, str]], timed: Sequence[Mapping[str, str]], today: str
) -> dict[str, Any]:
    """Return what `couplings.recommend` reads.

    Parameters
    ----------
    rows, timed : sequence of mapping
        Rows of the tables `evidence` and `cost`; the second may be empty.
    today : str
        Date of the answer.

    Raises
    ------
    UserError
        If a column is missing, there is no evidence, or the library has no estimator for what is
        recommended.
    """
    _check(rows, COLUMNS, "evidence")
    if timed:
        _check(timed, SECONDS, "cost")
    # seconds count of what was timed on as many data sets as any
    most = max((int(row["timed_on"]) for row in timed), default=0)
    seconds = {
        (row["measure"], row["algorithm"]): float(f"{float(row['seconds']):.3g}")
        for row in timed
        if int(row["timed_on"]) == most
    }
    advice = {"small": advise(rows), "large": advise(rows, large=True)}
    found: dict[str, Any] = {"date": today, "largest": LARGEST, "limits": LIMITS}
    checks = [advice["small"].overall, advice["small"].standard]
    found["unseen"] = [_rounded(asdict(one)) for one in checks if one is not None]
    for size, one in advice.items():
        choice = (one.measure, one.algorithm)
        first = {"name": _words(*one.first), "recommended": one.first == choice}
        first |= {"mean_rank": one.mean_rank, "mean_ari": one.mean_ari}
        found[size] = {
            **{"measure": one.measure, "algorithm": one.algorithm, **_estimator(*choice)},
            "gain": None if one.gain is None else _rounded(one.gain),
            **{"datasets": one.datasets, "candidates": one.candidates},
            **{"proven_better": one.proven_better, "proven_worse": one.proven_worse},
            **{"first": _rounded(first), "seconds": seconds.get(choice)},
        }
    return found


def _check(rows: Sequence[Mapping[str, str]], columns: Sequence[str], table: str) -> None:
    if not rows:
        raise UserError(f"the table {table} has no rows; run the study first")
    if absent := [name for name in columns if name not in rows[0]]:
        raise UserError(f"the table {table} lacks the columns {', '.join(absent)}")


def _rounded(values: Mapping[str, Any]) -> dict[str, Any]:
    return {k: round(v, 4) if isinstance(v, float) else v for k, v in values.items()}


def _estimator(measure: str, algorithm: str) -> dict[str, Any]:
    """Return the class in the library of a method, and its parameters."""
    if measure == algorithm:
        entry = read_yaml(_ROOT / "config/algorithms.yaml", "config/algorithms.yaml")[measure]
        package, _, name = entry["class"].partition(":")
        if package.startswith("couplings."):
            return {"estimator": name, "parameters": {**entry["parameters"], "n_init": STARTS}}
    elif algorithm in _ESTIMATORS:
        return {"estimator": _ESTIMATORS[algorithm], "parameters": {"measure": measure}}
    raise UserError(f"the library has no estimator for {measure!r} with {algorithm!r}; give it one")


def _words(measure: str, algorithm: str) -> str:
    """Return a candidate in words."""
    if measure == algorithm:
        return measure
    return f"{measure_entry(measure).constructor} with {algorithm}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Package the answer of the study")
    parser.add_argument("evidence", type=Path, help="CSV of the table `evidence`")
    parser.add_argument("cost", type=Path, nargs="?", help="CSV of the table `cost`, if measured")
    parser.add_argument("--output", type=Path, default=PACKAGED, help="JSON file")
    options = parser.parse_args(arguments)
    timed = read_rows(options.cost) if options.cost else []
    today = date.today().isoformat()
    write_json(options.output, answer(read_rows(options.evidence), timed, today))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
