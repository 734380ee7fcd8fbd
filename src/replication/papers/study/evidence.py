"""Step `package_answer`: package the study's answer for `couplings.recommend`.

It reads the tables `leaderboard`, `data` and, if they are there, `cost` and `conclusions` of a full
run.
"""

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import ttest_1samp

from couplings.measures.registry import measure_entry
from replication.errors import UserError
from replication.files import write_json
from replication.papers.study.analysis import DEFAULT, REFERENCE, STANDARD
from replication.papers.study.rivals.experiment import MIXED
from replication.papers.study.statistics import ALPHA, ROPE, ranks, signed_rank
from replication.plan.configuration import read_yaml
from replication.run.paired import holm

COLUMNS = {
    "leaderboard": ("dataset", "measure", "algorithm", "ari"),
    "data": ("dataset", "objects"),
    "cost": ("measure", "algorithm", "seconds", "timed_on"),
    "conclusions": ("conclusion", "standing", "holds"),
}
"""Columns that the answer needs, by table."""
LARGEST = 9000
"""Number of objects above which methods that need all pairs are no candidates."""
STARTS = 10
"""Starts of a recommended method that is random, as in the study."""
LIMITS = (
    "The evidence is a few dozen public data sets whose classes need not be clusters, and the rule "
    "of this choice was made when their scores were known: it has not been tested on unseen data. "
    "Data sets differ more than methods do: compare on your own."
)
CONCLUSION = "Latent class analysis is better than simple matching with k-modes"
"""Conclusion of the study on which the recommendation rests."""
_ROOT = Path(__file__).parents[4]
PACKAGED = _ROOT / "src/couplings/data/answer.json"


def answer(tables: dict[str, pd.DataFrame], today: str) -> dict[str, Any]:
    """Return the content of the file that `couplings.recommend` reads.

    Latent class analysis is recommended if it is better than simple matching with k-modes by a
    Wilcoxon test, otherwise simple matching is. Candidates have scores on all data sets. For large
    tables they need no matrix of all pairs; for others the data sets have up to `LARGEST` objects.

    Raises `UserError` if a column is missing, or there is no evidence.
    """
    for name, columns in COLUMNS.items():
        if name in tables and not {*columns} <= {*tables[name]}:
            raise UserError(f"the table {name} lacks one of the columns {', '.join(columns)}")
    cells = tables["leaderboard"].merge(tables["data"][["dataset", "objects"]])
    absent = cells["ari"].isna() | (cells["algorithm"] == "base rate")
    cells = cells[~absent & ~cells["measure"].isin(MIXED)]
    cells = cells.assign(method=cells["measure"] + "." + cells["algorithm"])
    timed = tables.get("cost", pd.DataFrame(columns=COLUMNS["cost"]))
    timed = timed[timed["timed_on"] == timed["timed_on"].max()]
    timed = timed.assign(method=timed["measure"] + "." + timed["algorithm"])
    seconds = timed.set_index("method")["seconds"].to_dict()
    return {
        **{"date": today, "largest": LARGEST, "limits": f"{_standing(tables)}{LIMITS}"},
        "small": _answer(cells, False, seconds),
        "large": _answer(cells, True, seconds),
    }


def _standing(tables: dict[str, pd.DataFrame]) -> str:
    """Return how far the analyses of the study support the choice; empty without them."""
    if "conclusions" not in tables:
        return ""
    rows = tables["conclusions"][tables["conclusions"]["conclusion"] == CONCLUSION]
    if rows.empty:
        return ""
    share = (rows["holds"] == "yes").mean()
    return (
        f"{share:.0%} of {len(rows)} defensible analyses support that it is better than simple "
        f"matching with k-modes ({rows['standing'].iloc[0]}). "
    )


def _answer(cells: pd.DataFrame, large: bool, seconds: dict[str, float]) -> dict[str, Any]:
    """Return the answer for large tables, or for others."""
    sums = set(cells.loc[cells["algorithm"] == "kmodes", "measure"])
    pairs = (cells["algorithm"] == "spectral") & ~cells["measure"].isin(sums)
    pairs |= cells["algorithm"].isin(["ward", "average", "rock", "limbo"])
    kept = cells[~pairs if large else cells["objects"] <= LARGEST]
    scores = kept.pivot_table("ari", "dataset", "method").dropna(axis=1)
    if DEFAULT not in scores:
        raise UserError("the evidence has no scores of simple matching with k-modes")
    choice, gain = DEFAULT, None
    if STANDARD in scores:
        gain = gained((scores[STANDARD] - scores[DEFAULT]).to_numpy())
        choice = STANDARD if gain["mean"] > 0 and gain["p"] < ALPHA else DEFAULT
    gaps = scores.drop(columns=choice).sub(scores[choice], axis=0)
    tests = holm([signed_rank(gaps[one].to_numpy()) for one in gaps])
    proven = np.sign(gaps.mean().to_numpy()) * [p is not None and p < ALPHA for p in tests]
    places = ranks(scores).mean()
    first = places.idxmin()
    above = scores.drop(columns=DEFAULT).sub(scores[DEFAULT], axis=0) > ROPE
    measure, algorithm = choice.split(".")
    return {
        **{"measure": measure, "algorithm": algorithm, **_estimator(choice)},
        "gain": gain if choice == STANDARD else None,
        "base_rate": round(float(above.to_numpy().mean()), 4) if above.size else 0.0,
        **{"datasets": len(scores), "candidates": scores.shape[1]},
        "proven_better": int((proven > 0).sum()),
        "proven_worse": int((proven < 0).sum()),
        "first": {
            **{"name": _named(*first.split(".")), "recommended": first == choice},
            "mean_rank": round(float(places[first]), 4),
            "mean_ari": round(float(scores[first].mean()), 4),
        },
        "seconds": float(f"{seconds[choice]:.3g}") if choice in seconds else None,
    }


def gained(differences: np.ndarray) -> dict[str, Any]:
    """Summarise the differences of two methods' scores over at least two data sets.

    ``better``, ``same``, ``worse``: number of data sets on which the first method is better or
    worse by more than `ROPE`, or neither; ``mean`` difference with its 95 % t-interval ``low``,
    ``high`` over data sets; ``p`` of `signed_rank`, uncorrected, 1 below three data sets.
    """
    better, worse = int((differences > ROPE).sum()), int((differences < -ROPE).sum())
    low, high = ttest_1samp(differences, 0.0).confidence_interval()
    mean, p = differences.mean(), signed_rank(differences)
    found = {"mean": mean, "low": low, "high": high, "p": 1.0 if p is None else p}
    return {
        **{"better": better, "same": len(differences) - better - worse, "worse": worse},
        **{key: round(float(value), 4) for key, value in found.items()},
    }


def _estimator(choice: str) -> dict[str, Any]:
    """Return the class of a recommended method in the library, and its parameters."""
    if choice == DEFAULT:
        return {"estimator": "KModes", "parameters": {"measure": REFERENCE}}
    name, file = choice.split(".")[0], "config/algorithms.yaml"
    given = read_yaml(_ROOT / file, file)[name]["parameters"]
    return {"estimator": "LatentClasses", "parameters": {**given, "n_init": STARTS}}


def _named(measure: str, algorithm: str) -> str:
    """Return the name of a candidate."""
    own = measure == algorithm
    return measure if own else f"{measure_entry(measure).constructor} with {algorithm}"


def run(folder: Path, /, output: Path = PACKAGED) -> None:
    """Package the answer from a folder with the study's tables, as the JSON file OUTPUT."""
    files = {name: folder / f"{name}.csv" for name in COLUMNS}
    if absent := [name for name in ("leaderboard", "data") if not files[name].is_file()]:
        raise UserError(f"{files[absent[0]]}: there is no such file; run the study first")
    tables = {name: pd.read_csv(file) for name, file in files.items() if file.is_file()}
    write_json(output, answer(tables, date.today().isoformat()))
