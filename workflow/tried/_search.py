"""Tables, printed numbers and the report that the programs of this folder share."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from couplings import Ward
from replication.data.discretize import discretize
from replication.data.prepare import prepare
from replication.data.store import read_archive
from replication.errors import UserError
from replication.files import read_raw
from replication.judge.published import load
from replication.judge.verdicts import equals_printed, printed_number
from replication.plan.plan import Plan
from replication.run.scores import score

ROOT = Path(__file__).resolve().parents[2]
RUN = ROOT / "results" / os.environ.get("EFFORT", "full")
Found = tuple[str, Mapping[str, float]]
"""A setting and its numbers, by the metric of the printed ones."""


def table(paper: str, dataset: str, preparation: str) -> tuple[Any, np.ndarray]:
    """Table and classes of a finished run."""
    path = RUN / "tables" / paper / f"{dataset}.npz"
    if not path.is_file():
        raise UserError(f"{path}: is not there; run make reproduce first")
    found = read_archive(path, preparation)
    return found.tables[0], found.labels[0]


def anew(paper: str, dataset: str, preparation: str, **changed: Any) -> tuple[Any, np.ndarray]:
    """Table and classes with other answers in the data set's entry, such as ``missing``."""
    plan = Plan.of_effort(ROOT, "full", check=False)
    entry = plan.papers[paper]["datasets"][dataset] | changed
    source = plan.datasets[entry["source"]]
    spec: dict[str, Any] = {"paper": paper, "dataset": dataset, "entry": entry, "source": source}
    raw = read_raw(ROOT / "data" / "raw" / entry["source"] / "table.csv")
    frame, facts = prepare(raw, spec)
    rule = plan.papers[paper]["preparations"][preparation]
    cells = {name: frame[name].to_numpy(dtype=str) for name in frame}
    for name, values in facts["declared"].items():
        facts["declared"][name] = [*values, *(["?"] if "?" in cells[name] else [])]
    made = discretize(cells, facts, spec | {"preparation": rule})
    return made.tables[0], made.labels[0]


def printed(paper: str, dataset: str, method: str, *metrics: str) -> dict[str, str]:
    """Printed texts of a method on a data set by metric; all of them, if none is named."""
    cells = load(paper, ROOT / "data" / "published")
    cells = cells[(cells["dataset_id"] == dataset) & (cells["method_id"] == method)]
    texts = dict(zip(cells["metric"], cells["printed"], strict=True))
    return {name: texts[name] for name in metrics or texts}


def ward(measure: Any, objects: Any, n_clusters: int, **options: str) -> np.ndarray:
    """Labels by Ward's method of the distances of objects, as the workflow has them."""
    distances = measure.fit(objects).space_.condensed(objects)
    return Ward(n_clusters=n_clusters, **options).fit(distances).labels_


def mean_score(name: str, metric: str, classes: np.ndarray, runs: Any) -> dict[str, float]:
    """Mean of a score of label vectors, and two standard errors of the mean of 50 of them."""
    own = [score(classes, labels, (name,))[name] for labels in runs]
    return {metric: float(np.mean(own)), "noise": float(2 * np.std(own) / 50**0.5)}


def dilca_scores(classes: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """NMI and ARI as DILCA prints them; both must be met by a partition that fits."""
    return score(classes, labels, {"nmi": "nmi_sqrt", "ari": "ari"})


def report(place: str, texts: Mapping[str, str], found: Iterable[Found]) -> int:
    """Print the nearest settings to the printed numbers of a place; return how many fit.

    A setting fits if each of its numbers has the printed digits, or is at most its ``noise`` away.
    """
    wanted = {name: printed_number(text) for name, text in texts.items()}
    rows = []
    for setting, ours in found:
        gaps = [abs(ours[name] - float(one.value)) for name, one in wanted.items()]
        fits = all(
            equals_printed(one, float(ours[name])) or gap <= ours.get("noise", 0)
            for (name, one), gap in zip(wanted.items(), gaps, strict=True)
        )
        numbers = {name: f"{ours[name]:.4f} ({text})" for name, text in texts.items()}
        rows.append({"setting": setting, **numbers, "gap": max(gaps), "fits": fits})
    frame = pd.DataFrame(rows).sort_values("gap", kind="stable")
    shown = frame.head(4).assign(fits=frame["fits"].map({True: "yes", False: "no"}))
    print(f"{place}: the nearest of {len(frame)} settings, ours (printed)")
    print(shown.to_string(index=False, float_format="{:.4f}".format), end="\n\n")
    return int(frame["fits"].sum())


def close(fitting: Mapping[str, int]) -> None:
    """Print the line at the end: which places have settings that fit."""
    met = [f"{place} {count}" for place, count in fitting.items() if count]
    print(f"Settings that fit: {', '.join(met) or 'none'}; places searched: {len(fitting)}.")
