"""What the claims of CASO are counted on: numbers from its tables and experiments, no words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.judge.claims import EQUAL
from replication.papers.caso.rocks import SCORES
from replication.papers.caso.structure import ALL_ROWS
from replication.papers.caso.tables import INDICES

if TYPE_CHECKING:
    import pandas as pd

    from replication.judge.claims import Evidence

MOVIE, EXAMPLE = "movie", "information_table"
"""Data sets of Tables I and II."""
SIX = ("shuttle", "balloon", "soybean_small", "zoo", "soybean_large", "breastcancer")
"""Data sets of Table XI."""
TEN = (
    *("movie", "balloon", "soybean_small", "zoo", "hayes_roth", "voting", "breastcancer"),
    *("tic", "letter", "mushroom"),
)
"""Data sets of Fig. 2 in the order of its axis."""
FIVE = ("movie", "hayes_roth", "spect", "voting", "mushroom")
"""Data sets of Table XII."""
BALLOONS = ("balloon", "balloon_adult_stretch", "balloon_yellow_small")
"""The files of Balloon that have 20 rows."""
LEVEL = 0.05
"""Level of the tests of the paper."""

Means = dict[tuple[str, str, str], dict[str, float]]
"""Mean score by measure, for each data set, algorithm and score."""


def worked(evidence: Evidence, dataset: str) -> dict[str, Mapping[str, Any]]:
    """Worked values of one example by their printed name."""
    records = evidence.experiment("worked", [dataset])
    records = records[(records["dataset"] == dataset) & (records["kind"] == "value")]
    return {one["quantity"]: one for one in records.to_dict("records")}


def printed_values(evidence: Evidence, quantities: Sequence[str]) -> list[float]:
    """Numbers that the text prints for worked values."""
    cells = evidence.printed[evidence.printed["artefact"] == "text"].set_index("metric")
    return [float(cells.loc[name, "value"]) for name in quantities]


def statements(evidence: Evidence, names: Sequence[str]) -> list[dict[str, Any]]:
    """Records of the table `theory` about some statements: cases, exceptions, where tried."""
    records = evidence.table("theory")
    evidence.need(records, "statement", names)
    return records.set_index("statement", drop=False).loc[list(names)].to_dict("records")


def structure(evidence: Evidence) -> pd.DataFrame:
    """Indices of Fig. 2 on all rows of its ten data sets."""
    found = evidence.table("fig02")
    evidence.need(found, "dataset", TEN)
    return found[found["rows"] == ALL_ROWS]


def better_by_add(found: pd.DataFrame) -> dict[str, int]:
    """Data sets of Fig. 2 on which ADD is better than both SMD and OFD, by index."""
    cells = found.set_index(["dataset", "measure"])
    better = {}
    for key, more in INDICES.items():
        sign = 1 if more else -1
        rows = [[sign * cells.loc[(name, m), key] for m in ("add", "smd", "ofd")] for name in TEN]
        better[key] = sum(add > max(smd, ofd) + EQUAL for add, smd, ofd in rows)
    return better


def gains_against_size(found: pd.DataFrame, over: str) -> tuple[float, float]:
    """Rank correlation, with its p, of the number of objects and CADO's gain in RD over another."""
    from scipy import stats

    cells = found.set_index(["dataset", "measure"])
    sizes = [cells.loc[(name, "cado"), "objects"] for name in TEN]
    gains = [cells.loc[(name, "cado"), "rd"] / cells.loc[(name, over), "rd"] for name in TEN]
    rank = stats.spearmanr(sizes, gains)
    return float(rank.statistic), float(rank.pvalue)


def partition_means(evidence: Evidence) -> tuple[Means, dict[str, str]]:
    """Means of Table XI, and the algorithms under the paper's names."""
    found = evidence.table("table11")
    found = found[found["algorithm"].notna()]
    evidence.need(found, "dataset", SIX)
    means: Means = {}
    for one in found.to_dict("records"):
        key = (one["dataset"], one["algorithm"], one["score"])
        means.setdefault(key, {})[one["measure"]] = one["mean"]
    main = found[found["main"].notna()].drop_duplicates("main")
    return means, dict(zip(main["main"], main["algorithm"], strict=True))


def cells_of(means: Means, algorithm: str) -> list[dict[str, float]]:
    """Means of one algorithm by measure, one record per data set and score."""
    return [one for (_, name, _), one in means.items() if name == algorithm]


def changes(means: Means, algorithm: str, score: str) -> dict[str, float]:
    """Relative change of a mean from ADD to CADO, by data set of Table XI."""
    cells = {dataset: means[dataset, algorithm, score] for dataset in SIX}
    return {dataset: one["cado"] / one["add"] - 1 for dataset, one in cells.items()}


def printed_extremes(evidence: Evidence, key: str, metrics: Sequence[str]) -> list[float]:
    """Printed least and greatest change of an algorithm (``KM`` or ``SC``)."""
    cells = evidence.printed[evidence.printed["method_id"] == f"{key.lower()}_cado_vs_add"]
    cells = cells.set_index("metric")["value"]
    return [float(cells[metric]) for metric in metrics]


def balloon_ratios(evidence: Evidence) -> tuple[float, float]:
    """Least and greatest CADO / ADD over pairs of objects in the Balloon files of 20 rows."""
    bounds = evidence.experiment("bounds", BALLOONS).set_index("dataset").loc[list(BALLOONS)]
    return float(bounds["ratio_least"].min()), float(bounds["ratio_greatest"].max())


def tests(evidence: Evidence, keep: Callable[[str], bool], over: str = "data sets") -> pd.DataFrame:
    """Tests of some families, over the data sets or within each."""
    found = evidence.table("significance")
    inside = found["over"] == over
    return found[inside & found["family"].map(keep)]


def rocks(evidence: Evidence) -> list[dict[str, Any]]:
    """Rows of Table XII, all five data sets being there."""
    found = evidence.table("table12")
    evidence.need(found, "dataset", FIVE)
    return found.to_dict("records")


def thresholds_on_voting(evidence: Evidence) -> dict[str, pd.Series]:
    """Mean of the three scores by threshold on Voting, for ROCK and CROCK."""
    found = evidence.experiment("rock", ["voting"])
    found = found[found["dataset"] == "voting"]
    return {
        str(method): part.groupby("theta")[list(SCORES)].mean().mean(axis="columns")
        for method, part in found.groupby("method")
    }
