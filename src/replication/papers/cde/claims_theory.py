"""Claims of CDE about its measure and about data sets: sections 2 to 5.3."""

from __future__ import annotations

from collections.abc import Sequence

from replication.judge.claims import EQUAL, ClaimBook, Count, Evidence, Finding, count
from replication.papers.cde.analysis import (
    AGREE,
    SWEPT,
    agreeing,
    all_tables,
    datasets_of,
    factors,
    in_order,
    planted_tables,
    printed_factor,
    random_tables,
    rounded_twice,
    rows_of,
)

THEORY = ClaimBook()

# --- values, influences, clusters ---------------------------------------------------------------


@THEORY.about("cde-01")
def values_are_told_apart(evidence: Evidence) -> Finding:
    """Theorem 1 on tables where two values have the same extents; Mc tells all others apart."""
    data, random = factors(evidence), random_tables(evidence)
    tables = {
        "data sets": data,
        "random tables": random[random["kind"] == "random"],
        "random tables with an attribute repeated": random[random["kind"] == "duplicated"],
    }
    cases, parts = [], []
    for kind, some in tables.items():
        tried = some[some["same_extents"] > 0]
        holds = tried["undistinguished"] == 0
        cases += list(holds)
        parts.append(f"{len(holds) - int(holds.sum())} of {len(tried)} {kind}")
    broken = data[data["undistinguished"] > 0]
    names = ", ".join(f"{row.Index} {row.undistinguished:.0f}" for row in broken.itertuples())
    return Finding(
        count(cases),
        "Only values of two attributes that occur in the same objects can break the theorem. Of "
        f"the tables that have such values it fails on {', '.join(parts)} (pairs on data sets: "
        f"{names or 'none'}).",
        "theorem1",
        value=f"{int(sum(some['undistinguished'].sum() for some in tables.values()))} pairs",
    )


@THEORY.about("cde-02")
def equal_frequencies(evidence: Evidence) -> Finding:
    """Equal rows of Mo against equal frequencies, over pairs of values of one attribute."""
    tables = all_tables(evidence)
    wrong, total = int(tables["occurrence_mismatches"].sum()), int(tables["siblings"].sum())
    return Finding(
        Count(total - wrong, total),
        f"Of {total} pairs of values of one attribute, {wrong} have equal rows in Mo without equal "
        "frequencies, or the reverse.",
        "theorem1",
    )


@THEORY.about("cde-03")
def conditional_influence_matrix(evidence: Evidence) -> Finding:
    """Influence inside an attribute, and asymmetry of Mc."""
    data = factors(evidence)
    largest = float(data["sibling_influence"].max())
    share = data["asymmetric"].sum() / data["together"].sum()
    asymmetric = count(data["asymmetric"] > 0)
    return Finding(
        [count(data["sibling_influence"] == 0), asymmetric],
        f"The largest influence between different values of one attribute is {largest:g}; Mc is "
        f"asymmetric on {asymmetric.held} of {len(data)} data sets, in {share:.1%} of the pairs "
        "that occur together (a value has influence 1 on itself).",
        "factors",
    )


@THEORY.about("cde-04")
def range_of_psi(evidence: Evidence) -> Finding:
    """Range and symmetry of psi, table by table."""
    tables = all_tables(evidence)
    low, high, gap = tables["psi_low"], tables["psi_high"], tables["psi_asymmetry"]
    return Finding(
        count((low >= -EQUAL) & (high <= 1 + EQUAL) & (gap <= EQUAL)),
        f"On {len(tables)} tables psi lies in [{low.min():.3g}, {high.max():.3g}] and differs by "
        f"at most {gap.max():.1g} between the two orders (with the entropy's missing minus sign "
        "put back).",
        "factors",
        value=f"[{low.min():.2g}, {high.max():.2g}]",
    )


@THEORY.about("cde-05")
def uncorrelated_columns(evidence: Evidence) -> Finding:
    """Covariance of the columns of the value embedding, as a share of the largest variance."""
    data = factors(evidence)
    return Finding(
        count(data["covariance"] <= EQUAL),
        "The largest covariance of two columns of the value embedding is "
        f"{data['covariance'].max():.1e} of the largest variance, over {len(data)} data sets.",
        "factors",
    )


@THEORY.about("cde-40")
def equal_distances_of_one_hot(evidence: Evidence) -> Finding:
    """Range of the distances of different values in the 0-1 encoding."""
    data = factors(evidence)
    width = data["one_hot_high"] - data["one_hot_low"]
    return Finding(
        count(width <= EQUAL),
        f"All different values of an attribute are at {data['one_hot_low'].min():.6f} from each "
        f"other on {len(data)} data sets; the distances differ by at most {width.max():.1g}.",
        "factors",
        value=f"{width.max():.1g}",
    )


@THEORY.about("cde-42")
def end_of_the_clusterings(evidence: Evidence) -> Finding:
    """The words of section 3.5 and Algorithm 1, run with the same random numbers."""
    steps = evidence.experiment("granularity")
    keys = ["dataset", "matrix", "trial"]
    ends = {stop: group.set_index(keys)["k"] for stop, group in steps.groupby("stop")}
    words = count(ends["printed"] == ends["printed-text"].loc[ends["printed"].index])
    program = count(ends["printed"] == ends["code"].loc[ends["printed"].index])
    return Finding(
        words,
        f"Algorithm 1 ends at ceil(k / alpha) removed clusters, the words of section 3.5 at more "
        f"than k / alpha: at the same k in {words.held} of {words.total} clusterings. The rule of "
        f"the authors' program ends there in {program.held}.",
        "granularity",
    )


# --- data factors -------------------------------------------------------------------------------


def _factor_claim(evidence: Evidence, artefact: str, metrics: Sequence[str]) -> Finding:
    """Printed sizes and factors that are ours."""
    rows = rows_of(evidence, artefact)
    rows = rows[rows["metric"].isin(metrics)]
    cases = agreeing(evidence, rows)
    return Finding(
        cases,
        f"{cases.held} of {cases.total} printed numbers are ours, rounded; {rounded_twice(rows)} "
        "if rounded to four digits before. The largest difference is "
        f"{rows['difference'].abs().max():.5f}.",
        artefact,
    )


@THEORY.about("cde-07")
def feature_correlation_indices(evidence: Evidence) -> Finding:
    """FCI of ten data sets."""
    found = _factor_claim(evidence, "table01", ["FCI"])
    literal = rows_of(evidence, "table01", "literal")
    literal = literal[literal["metric"] == "FCI"]
    held = int(literal["verdict"].isin(AGREE).sum())
    return Finding(
        found.ours,
        f"{found.evidence} With j = i as eq. (7) prints it, {held} would be.",
        found.artefact,
    )


@THEORY.about("cde-08")
def value_cluster_indices(evidence: Evidence) -> Finding:
    """VCI of ten data sets."""
    return _factor_claim(evidence, "table02", ["VCI"])


@THEORY.about("cde-10")
def sizes_of_data_sets(evidence: Evidence) -> Finding:
    """Objects and values of ten data sets."""
    return _factor_claim(evidence, "table01", ["objects", "values"])


@THEORY.about("cde-09")
def what_the_factors_measure(evidence: Evidence) -> Finding:
    """FCI and VCI along tables with a coupling planted more and more strongly."""
    planted = planted_tables(evidence)
    first, last = planted.iloc[0], planted.iloc[-1]
    orders = [in_order(planted[factor], planted["strength"]) for factor in ("fci", "vci")]
    return Finding(
        orders,
        f"On {len(planted)} tables with a coupling planted from strength {first['strength']:g} to "
        f"{last['strength']:g} FCI goes from {first['fci']:.3f} to {last['fci']:.3f} and puts "
        f"{orders[0]} pairs in the order of the strength; VCI goes from {first['vci']:.2f} to "
        f"{last['vci']:.2f} and puts {orders[1]}, ties apart.",
        "random_tables",
    )


@THEORY.about("cde-28")
def classes_and_value_clusters(evidence: Evidence) -> Finding:
    """Pairs of data sets that |C| and VCI put in the same order."""
    names = datasets_of(evidence, "table02")
    data = factors(evidence, names)
    cases = in_order(data["vci"], data["classes"])
    return Finding(
        cases,
        f"Of {cases.total} pairs of data sets with different |C| and VCI, both put {cases.held} in "
        "the same order.",
        "factors",
        printed=in_order(
            printed_factor(evidence, "VCI").loc[names], printed_factor(evidence, "classes")
        ),
    )


@THEORY.about("cde-31")
def largest_sets(evidence: Evidence) -> Finding:
    """Data sets with the largest |O|, |V|, FCI and VCI."""
    names = datasets_of(evidence, "table01")
    data = factors(evidence, names)
    largest = {factor: str(data[factor].idxmax()) for factor in ("objects", "values", "fci", "vci")}
    printed = [
        printed_factor(evidence, metric).idxmax() for metric in ("objects", "values", "FCI", "VCI")
    ]
    words = ", ".join(f"{factor} {name}" for factor, name in largest.items())
    return Finding(
        count(one == name for one, name in zip(largest.values(), SWEPT, strict=True)),
        f"Largest: {words}.",
        "factors",
        printed=count(one == name for one, name in zip(printed, SWEPT, strict=True)),
    )
