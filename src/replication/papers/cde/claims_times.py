"""Claims of CDE about time and memory; times are compared by `replication.judge.times`."""

from __future__ import annotations

import pandas as pd

from replication.judge.claims import ClaimBook, Evidence, Outcome, cases, valued
from replication.judge.times import MUCH, Seconds, every, faster, mean
from replication.papers.cde import analysis

TIMES = ClaimBook()
HALF_ORDER = 10**0.5
"""Half an order of magnitude: a ratio is about 10 from 10 / this to 10 times this."""


def _exponents(
    evidence: Evidence, stated: dict[str, tuple[str, int]], part: int = 1
) -> pd.DataFrame:
    """Cases of exponents that are at most the stated ones: a letter by part of the work."""
    growth = evidence.experiment("embedding_growth")
    found = {work: analysis.growth(growth, work) for work in stated}
    letters, limits = zip(*stated.values(), strict=True)
    return cases(
        [f"{letter}^" for letter in letters],
        [found[work].at_most(limit) for work, (_, limit) in stated.items()],
        ours=map(str, found.values()),
        printed=limits,
        part=part,
    )


def _powers(rows: pd.DataFrame) -> str:
    return ", ".join(rows["case"] + rows["ours"])


@TIMES.about("cde-06")
def complexity(evidence: Evidence) -> Outcome:
    """Measured exponents of the parts of CDE, and the numbers of clusters that it tries."""
    steps = evidence.experiment("granularity")
    counting = _exponents(evidence, {"objects": ("n", 1), "attributes": ("m", 2)})
    rest = _exponents(evidence, {"values": ("L", 3)}, part=2)
    tried = analysis.tallied(steps["dataset"], steps["k"] < steps["values"], part=3)
    return Outcome(
        pd.concat([counting, rest, tried]),
        "embedding_growth",
        "k-means with up to k clusters of L rows of length L, for a k that grows with L, is more "
        "than the clustering of O(k L) that the paper adds up.",
        value=_powers(pd.concat([counting, rest])),
    )


@TIMES.about("cde-41")
def kmeans_linear(evidence: Evidence) -> Outcome:
    """Growth of one update of the centres with the rows and columns of the matrix."""
    found = _exponents(evidence, {"rows": ("n", 1), "columns": ("d", 1)})
    return Outcome(found, "embedding_growth", value=_powers(found))


@TIMES.about("cde-26")
def memory(evidence: Evidence) -> Outcome:
    """Peak memory of our code; that of the authors' is theirs to know."""
    records = evidence.experiment("adult_cost", ["adult"])
    peaks = records.set_index("pipeline")["peak_mib"].drop("cde_g")
    return Outcome(
        None,
        "adult_cost",
        "The memory that the authors' programs needed is not published: a matrix over all pairs "
        f"takes {records['matrix_mib'].iloc[0]:.0f} MiB, and our code needs none "
        f"({valued(peaks, '{} {:.0f} MiB')} at the peak, Python included).",
    )


@TIMES.about("cde-27")
def storage(evidence: Evidence) -> Outcome:
    """Numbers in a similarity matrix over those in an embedding, on every data set."""
    rows = evidence.experiment("embeddings", ["adult"]).query("measure == 'cde'")
    sizes = evidence.experiment("factors", ["adult"]).set_index("dataset")
    columns = rows.groupby("dataset")["dimension"].mean() * sizes["attributes"]
    ratio = (sizes["objects"] / columns).dropna().sort_values()
    return Outcome(
        cases(ratio.index, ratio > 1, ours=ratio, margin=ratio - 1),
        "embeddings",
        "A case is how many times as many numbers a matrix over all pairs holds.",
        value=f"{ratio['adult']:.0f}",
    )


@TIMES.about("cde-37")
def speed(evidence: Evidence) -> Outcome:
    """Whether CDE takes about ten times as long as the mean of the other embeddings.

    Then, by data set and similarity, whether it is more than `MUCH` times faster.
    """
    records = evidence.experiment("embedding_times")
    tenfold, much = {}, {}
    for name, rows in records.groupby("dataset", sort=False):
        times = {
            kind: {row["method"]: Seconds.of(row) for row in some.to_dict("records")}
            for kind, some in rows.groupby("kind")
        }
        mine = times["embedding"].pop("cde")
        theirs = HALF_ORDER * mean(times["embedding"].values())
        tenfold[name] = every([faster(theirs, mine), faster(mine, 10 * theirs)])
        for method, one in times.get("similarity", {}).items():
            much[f"{name} {method}"] = faster(MUCH * mine, one)
    ratios = analysis.slowdown(records)
    return Outcome(
        pd.concat([cases(tenfold, tenfold.values()), cases(much, much.values(), part=2)]),
        "times",
        f"CDE takes {ratios['min']:.1f} to {ratios['max']:.1f} times as long as the mean of the "
        f"other embeddings (median {ratios['median']:.1f}).",
        value=f"{ratios['median']:.1f}",
    )
