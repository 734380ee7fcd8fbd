"""Claims of CDE about time and memory; times are compared by `replication.judge.times`."""

from __future__ import annotations

from replication.judge.claims import ClaimBook, Evidence, Finding, count, listed, valued
from replication.judge.times import MUCH
from replication.papers.cde import analysis

TIMES = ClaimBook()


@TIMES.about("cde-06")
def complexity(evidence: Evidence) -> Finding:
    """Measured exponents of the parts of CDE, and the numbers of clusters that it tries."""
    growth, steps = evidence.experiment("embedding_growth"), evidence.experiment("granularity")
    objects, attributes, values = (
        analysis.growth(growth, work) for work in ("objects", "attributes", "values")
    )
    below = steps["k"] < steps["values"]
    largest = growth[growth["work"] == "values"].sort_values("size").iloc[-1]
    return Finding(
        [
            count([objects.at_most(1), attributes.at_most(2)]),
            count([values.at_most(3)]),
            count(below),
        ],
        f"Counting grows as n^({objects}) and m^({attributes}), the rest of CDE as L^({values}) "
        f"with the number of values: k-means with up to k clusters of L rows of length L, for a k "
        "that grows with L, is more than the clustering of O(k L) that the paper adds up "
        f"({largest['columns']:.0f} value clusters at L = {largest['size']:.0f}). The last k is "
        f"below L in {below.sum()} of {len(steps)} clusterings (largest share "
        f"{(steps['k'] / steps['values']).max():.2f}).",
        "embedding_growth",
        value=f"n^{objects}, m^{attributes}, L^{values}",
    )


@TIMES.about("cde-41")
def kmeans_linear(evidence: Evidence) -> Finding:
    """Growth of one update of the centres."""
    growth = evidence.experiment("embedding_growth")
    rows, columns = (analysis.growth(growth, work) for work in ("rows", "columns"))
    return Finding(
        count([rows.at_most(1), columns.at_most(1)]),
        f"One update of the centres takes a time that grows as n^({rows}) with the rows and as "
        f"d^({columns}) with the columns of the matrix.",
        "embedding_growth",
        value=f"n^{rows}, d^{columns}",
    )


@TIMES.about("cde-26")
def memory(evidence: Evidence) -> Finding:
    """Peak memory of our code; that of the authors' is theirs to know."""
    records = evidence.experiment("adult_cost", ["adult"])
    peaks = records.set_index("pipeline")["peak_mib"].drop("cde_g")
    matrix = float(records["matrix_mib"].iloc[0])
    return Finding(
        None,
        "What the authors' programs needed on their machine is not published. A matrix over all "
        f"pairs takes {matrix:.0f} MiB, for the Gaussian of CDE just as for the others, and none "
        f"is needed: ours take {valued(peaks, '{} {:.0f} MiB')} at the peak, Python included.",
        "adult_cost",
    )


@TIMES.about("cde-27")
def storage(evidence: Evidence) -> Finding:
    """Numbers in an embedding and in a similarity matrix, on every data set."""
    numbers = analysis.storage(evidence)
    columns, ratio = numbers["columns"], numbers["ratio"]
    return Finding(
        count(ratio > 1),
        f"On Adult a matrix over all pairs holds {ratio['adult']:.0f} times as many numbers as the "
        f"embedding with its {columns['adult']:.0f} columns; over {len(ratio)} data sets "
        f"{ratio.min():.2f} to {ratio.max():.0f} times. The embedding is the larger one on "
        f"{listed(ratio.index[ratio <= 1])}.",
        "embeddings",
        value=f"{ratio['adult']:.0f}",
    )


@TIMES.about("cde-37")
def speed(evidence: Evidence) -> Finding:
    """CDE beside the other embeddings, and beside the similarities."""
    records = evidence.experiment("embedding_times")
    ratios = analysis.slowdown(records)
    tenfold, much = analysis.speed(records)
    return Finding(
        [count(tenfold), count(much)],
        f"CDE takes {ratios['min']:.1f} to {ratios['max']:.1f} times as long as the mean of the "
        f"other embeddings (median {ratios['median']:.1f}); a ratio of about 10, half an "
        f"order of magnitude either way, on {tenfold.count(True)} of {len(tenfold)} data sets, of "
        f"another size on {tenfold.count(False)}. It is more than {MUCH:g} times faster than a "
        f"similarity in {much.count(True)} of {len(much)} comparisons and not so in "
        f"{much.count(False)}.",
        "times",
        value=f"{ratios['median']:.1f}",
    )
