"""Claims of CDE, each with its test; those about times are in a module of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from replication.judge.claims import (
    EQUAL,
    MUCH,
    ClaimBook,
    Count,
    Evidence,
    Finding,
    close,
    count,
    listed,
    met,
    valued,
)
from replication.papers.cde import analysis
from replication.papers.cde.analysis import FIRST, HIGH_FCI, LOW_FCI, SWEPT
from replication.papers.cde.claims_times import TIMES
from replication.papers.cde.derived import PRINT

CLAIMS = ClaimBook(TIMES)

METHODS = {
    "table01": {"cde": "CDE", "zero_one": "0-1", "zero_one_p": "0-1P", "idf": "IDF"},
    "table02": {"cde_g": "CDE-G", "cos": "COS", "dilca": "DILCA", "algo": "ALGO"},
}
"""Methods of Tables 1 and 2, the paper's own first."""
FITTED = (
    " The settings of the spectral clustering are fitted to each printed column; one setting for "
    "all stands in common_settings."
)


def _named(cases: Mapping[str, bool | None]) -> str:
    """Data sets on which a case holds."""
    return listed(name for name, holds in cases.items() if holds)


# --- values, influences, clusters ---------------------------------------------------------------


@CLAIMS.about("cde-01")
def values_are_told_apart(evidence: Evidence) -> Finding:
    """Theorem 1 on tables where two values have the same extents; Mc tells all others apart."""
    tables = analysis.all_tables(evidence)
    tried = tables[tables["same_extents"] > 0]
    holds = tried["undistinguished"] == 0
    kinds = {
        "data sets": "data sets",
        "random": "random tables",
        "duplicated": "random tables with an attribute repeated",
    }
    parts = (
        f"{(~holds[mine]).sum()} of {mine.sum()} {words}"
        for kind, words in kinds.items()
        for mine in [tried["kind"] == kind]
    )
    broken = tables.query("kind == 'data sets' and undistinguished > 0").set_index("dataset")
    return Finding(
        count(holds),
        "Only values of two attributes that occur in the same objects can break the theorem. Of "
        f"the tables that have such values it fails on {', '.join(parts)} (pairs on data sets: "
        f"{valued(broken['undistinguished'], '{} {:.0f}') or 'none'}).",
        "theorem1",
        value=f"{analysis.pair_totals(tables, 'undistinguished')['undistinguished']} pairs",
    )


@CLAIMS.about("cde-02")
def equal_frequencies(evidence: Evidence) -> Finding:
    """Equal rows of Mo against equal frequencies, over pairs of values of one attribute."""
    tables = analysis.all_tables(evidence)
    wrong, total = analysis.pair_totals(tables, "occurrence_mismatches", "siblings").values()
    return Finding(
        Count(total - wrong, total),
        f"Of {total} pairs of values of one attribute, {wrong} have equal rows in Mo without equal "
        "frequencies, or the reverse.",
        "theorem1",
    )


@CLAIMS.about("cde-03")
def conditional_influence_matrix(evidence: Evidence) -> Finding:
    """Influence inside an attribute, and asymmetry of Mc."""
    data = analysis.factors(evidence)
    found, together = analysis.pair_totals(data, "asymmetric", "together").values()
    asymmetric = count(data["asymmetric"] > 0)
    return Finding(
        [count(data["sibling_influence"] == 0), asymmetric],
        "The largest influence between different values of one attribute is "
        f"{data['sibling_influence'].max():g}; Mc is asymmetric on {asymmetric.held} of "
        f"{len(data)} data sets, in {found / together:.1%} of the pairs that occur together "
        "(a value has influence 1 on itself).",
        "factors",
    )


@CLAIMS.about("cde-04")
def range_of_psi(evidence: Evidence) -> Finding:
    """Range and symmetry of psi, table by table."""
    tables = analysis.all_tables(evidence)
    low, high, gap = tables["psi_low"], tables["psi_high"], tables["psi_asymmetry"]
    return Finding(
        count((low >= -EQUAL) & (high <= 1 + EQUAL) & (gap <= EQUAL)),
        f"On {len(tables)} tables psi lies in [{low.min():.3g}, {high.max():.3g}] and differs by "
        f"at most {gap.max():.1g} between the two orders (with the entropy's missing minus sign "
        "put back).",
        "factors",
        value=f"[{low.min():.2g}, {high.max():.2g}]",
    )


@CLAIMS.about("cde-05")
def uncorrelated_columns(evidence: Evidence) -> Finding:
    """Covariance of the columns of the value embedding, as a share of the largest variance."""
    covariance = analysis.factors(evidence)["covariance"]
    return Finding(
        count(covariance <= EQUAL),
        f"The largest covariance of two columns of the value embedding is {covariance.max():.1e} "
        f"of the largest variance, over {len(covariance)} data sets.",
        "factors",
    )


@CLAIMS.about("cde-40")
def equal_distances_of_one_hot(evidence: Evidence) -> Finding:
    """Range of the distances of different values in the 0-1 encoding."""
    data = analysis.factors(evidence)
    width = data["one_hot_high"] - data["one_hot_low"]
    return Finding(
        count(width <= EQUAL),
        f"All different values of an attribute are at {data['one_hot_low'].min():.6f} from each "
        f"other on {len(data)} data sets; the distances differ by at most {width.max():.1g}.",
        "factors",
        value=f"{width.max():.1g}",
    )


@CLAIMS.about("cde-42")
def end_of_the_clusterings(evidence: Evidence) -> Finding:
    """The words of section 3.5 and Algorithm 1, run with the same random numbers."""
    steps = evidence.experiment("granularity")
    ends = steps.pivot_table("k", ["dataset", "matrix", "trial"], "stop", aggfunc="first")
    words, program = (count(ends["printed"] == ends[stop]) for stop in ("printed-text", "code"))
    return Finding(
        words,
        f"Algorithm 1 ends at ceil(k / alpha) removed clusters, the words of section 3.5 at more "
        f"than k / alpha: at the same k in {words.held} of {words.total} clusterings. The rule of "
        f"the authors' program ends there in {program.held}.",
        "granularity",
    )


# --- data factors -------------------------------------------------------------------------------


@CLAIMS.about("cde-07", "table01", ["FCI"], literal=True)
@CLAIMS.about("cde-08", "table02", ["VCI"])
@CLAIMS.about("cde-10", "table01", ["objects", "values"])
def printed_factors(
    evidence: Evidence, artefact: str, metrics: Sequence[str], literal: bool = False
) -> Finding:
    """Printed sizes and factors that are ours; if asked for, also by eq. (7) as printed."""
    rows, others = (
        table[table["metric"].isin(metrics)]
        for table in (evidence.table(artefact, FIRST), evidence.table(artefact, "literal"))
    )
    cases = analysis.agreeing(evidence, rows)
    twice = rows["reproduced"].map(lambda x: round(round(x, 4) + EQUAL, 3))
    rounded_twice = (abs(twice - rows["printed_value"]) <= EQUAL).sum()
    said = f" With j = i as eq. (7) prints it, {sum(met(others))} would be." if literal else ""
    return Finding(
        cases,
        f"{cases.held} of {cases.total} printed numbers are ours, rounded; {rounded_twice} "
        "if rounded to four digits before. The largest difference is "
        f"{rows['difference'].abs().max():.5f}.{said}",
        artefact,
    )


@CLAIMS.about("cde-09")
def what_the_factors_measure(evidence: Evidence) -> Finding:
    """FCI and VCI along tables with a coupling planted more and more strongly."""
    tables = evidence.experiment("random_tables").query("kind == 'planted'")
    planted = tables.sort_values("strength")
    first, last = planted.iloc[0], planted.iloc[-1]
    orders = [analysis.in_order(planted[factor], planted["strength"]) for factor in ("fci", "vci")]
    return Finding(
        orders,
        f"On {len(planted)} tables with a coupling planted from strength {first['strength']:g} to "
        f"{last['strength']:g} FCI goes from {first['fci']:.3f} to {last['fci']:.3f} and puts "
        f"{orders[0]} pairs in the order of the strength; VCI goes from {first['vci']:.2f} to "
        f"{last['vci']:.2f} and puts {orders[1]}, ties apart.",
        "random_tables",
    )


@CLAIMS.about("cde-28")
def classes_and_value_clusters(evidence: Evidence) -> Finding:
    """Pairs of data sets that |C| and VCI put in the same order."""
    names = analysis.datasets_of(evidence, "table02")
    data = analysis.factors(evidence, names)
    printed = analysis.printed_factor(evidence, "VCI").loc[names]
    cases = analysis.in_order(data["vci"], data["classes"])
    return Finding(
        cases,
        f"Of {cases.total} pairs of data sets with different |C| and VCI, both put {cases.held} in "
        "the same order.",
        "factors",
        printed=analysis.in_order(printed, analysis.printed_factor(evidence, "classes")),
    )


@CLAIMS.about("cde-31")
def largest_sets(evidence: Evidence) -> Finding:
    """Data sets with the largest |O|, |V|, FCI and VCI."""
    ours, printed = analysis.largest(evidence, ("objects", "values", "FCI", "VCI"))
    return Finding(
        count(map(str.__eq__, ours.values(), SWEPT)),
        f"Largest: {valued(ours)}.",
        "factors",
        printed=count(map(str.__eq__, printed, SWEPT)),
    )


# --- Tables 1 and 2 -----------------------------------------------------------------------------


@CLAIMS.about("cde-11", "table01")
@CLAIMS.about("cde-21", "table02", FITTED)
def printed_f_scores(evidence: Evidence, artefact: str, remark: str = "") -> Finding:
    """Printed F-scores that are ours."""
    datasets = analysis.datasets_of(evidence, artefact)

    def scores(reading: str) -> pd.DataFrame:
        rows = evidence.table(artefact, reading)
        kept = rows["dataset"].isin(datasets) & rows["verdict"].notna()
        return rows[(rows["metric"] == "fscore") & kept]

    rows = scores(FIRST)
    cases = analysis.agreeing(evidence, rows)
    by_method = {
        label: analysis.agreeing(evidence, rows[rows["label"] == label])
        for label in rows["label"].unique()
    }
    return Finding(
        cases,
        f"{cases.held} of {cases.total} printed F-scores lie within noise ({valued(by_method)}); "
        f"the mean distance is {analysis.mean_distance(rows):.3f}. Under the printed reading "
        f"{analysis.agreeing(evidence, scores('literal')).held} do.{remark}",
        artefact,
    )


@CLAIMS.about("cde-13", ["cde_vs_0_1", "cde_vs_0_1p", "cde_vs_idf"])
@CLAIMS.about("cde-23", ["cde_g_vs_cos", "cde_g_vs_dilca", "cde_g_vs_algo"], FITTED)
def gains(evidence: Evidence, methods: Sequence[str], remark: str = "") -> Finding:
    """Gains of the averages, ours and from the printed columns."""
    table = evidence.table("text").query("method in @methods").set_index("method")
    ours, printed = (
        table[table["reading"] == reading].reindex(methods) for reading in (FIRST, PRINT)
    )
    # the gains need the whole table
    evidence.need(ours.dropna(subset="reproduced").reset_index(), "method", methods)
    words = "; ".join(
        f"{method.partition('_vs_')[2]} {a.printed}, ours {a.reproduced:.1%}, from the printed "
        f"columns {b.reproduced:.1%}"
        for method, a, b in zip(methods, ours.itertuples(), printed.itertuples(), strict=True)
    )
    return Finding(
        analysis.agreeing(evidence, ours),
        f"Gain in the average over {words}.{remark}",
        "text",
        printed=analysis.agreeing(evidence, printed),
    )


@CLAIMS.about("cde-15", "table01", 0.05)
@CLAIMS.about("cde-25", "table02", 0.10, FITTED)
def tests(evidence: Evidence, artefact: str, level: float, remark: str = "") -> Finding:
    """Comparisons that are significant, ours and from the printed columns."""
    ours, printed = (
        rows[(rows["dataset"] == "p_value") & rows["reproduced"].notna()]
        for rows in (evidence.table(artefact, FIRST), evidence.table(artefact, PRINT))
    )
    evidence.need(ours, "dataset", ["p_value"])
    words = ", ".join(
        f"{a.label} {float(a.printed):.3f} (from the printed columns {b.reproduced:.4f}, from ours "
        f"{a.reproduced:.4f})"
        for a, b in zip(ours.itertuples(), printed.itertuples(), strict=True)
    )
    return Finding(
        count(ours["reproduced"] < level),
        f"Paired two-tailed t, level {level:g}: {words}.{remark}",
        artefact,
        printed=count(printed["reproduced"] < level),
    )


@CLAIMS.about("cde-17", "table01", HIGH_FCI)
@CLAIMS.about("cde-19", "table01", LOW_FCI)
@CLAIMS.about("cde-22", "table02", remark=FITTED)
def best(
    evidence: Evidence, artefact: str, datasets: Sequence[str] = (), remark: str = ""
) -> Finding:
    """Data sets (all if empty) on which the paper's own method has the highest F-score."""
    method, *others = METHODS[artefact]
    ours, printed = analysis.best_on(evidence, artefact, method, datasets)
    clear = analysis.clearly_ahead(evidence, artefact, method, others, ours)
    return Finding(
        count(ours.values()),
        f"Of {len(ours)} data sets {METHODS[artefact][method]} has the highest mean on "
        f"{sum(ours.values())} ({_named(ours)}), on {clear} by more than two standard errors; in "
        f"print on {_named(printed)}.{remark}",
        artefact,
        printed=count(printed.values()),
    )


@CLAIMS.about("cde-12")
def best_on_seven(evidence: Evidence) -> Finding:
    """The seven data sets on which the printed table has CDE in front."""
    every, printed = analysis.best_on(evidence, "table01", "cde")
    said = f" Of all {len(every)} it is in front on {sum(every.values())}: {_named(every)}."
    return best(evidence, "table01", [name for name, held in printed.items() if held], said)


@CLAIMS.about("cde-29")
def best_on_high_vci(evidence: Evidence) -> Finding:
    """CDE-G on the data sets with more than two classes, which are those with the largest VCI."""
    classes = analysis.factors(evidence, analysis.datasets_of(evidence, "table02"))["classes"]
    return best(evidence, "table02", list(classes.index[classes > 2]), FITTED)


@CLAIMS.about("cde-20")
def idf_on_weak_couplings(evidence: Evidence) -> Finding:
    """IDF on the data sets below those that are named as having a high FCI, and on Lymphography."""
    fci = analysis.printed_factor(evidence, "FCI")
    weak = list(fci.index[fci < fci[list(HIGH_FCI)].min()])
    ours, printed = analysis.best_on(evidence, "table01", "idf", weak)
    others = [name for name in METHODS["table01"] if name != "idf"]
    clear = analysis.clearly_ahead(evidence, "table01", "idf", others, weak)
    return Finding(
        [count(ours.values()), count([ours["lymphography"]])],
        f"Of the {len(weak)} sets with a lower FCI than those named as high ({', '.join(weak)}) "
        f"IDF has the highest mean on {_named(ours)}, on {clear} by more than two standard errors; "
        f"in print on {_named(printed)}.",
        "table01",
        printed=[count(printed.values()), count([printed["lymphography"]])],
    )


@CLAIMS.about("cde-18")
def pca_on_high_fci(evidence: Evidence) -> Finding:
    """0-1P against 0-1 on the data sets that are named as having a high FCI."""
    higher, printed = (
        count(map(evidence.ahead, scores["zero_one_p"], scores["zero_one"]))
        for scores in analysis.both(evidence, "table01", HIGH_FCI)
    )
    clear = analysis.clearly_ahead(evidence, "table01", "zero_one_p", ["zero_one"], HIGH_FCI)
    return Finding(
        higher,
        f"0-1P is a rotation of 0-1, so k-means sees the same distances: its mean is higher on "
        f"{higher.held} of {higher.total} sets, on {clear} by more than two standard errors.",
        "table01",
        printed=printed,
    )


@CLAIMS.about("cde-16", "table01", "FCI", ("cde", "zero_one", "zero_one_p"))
@CLAIMS.about("cde-30", "table02", "VCI", METHODS["table02"])
def trend(evidence: Evidence, artefact: str, factor: str, methods: Sequence[str]) -> Finding:
    """Columns whose F-scores grow with a factor, by the sign of the rank correlation."""
    ours, theirs = analysis.both(evidence, artefact)
    counted = analysis.factors(evidence, list(ours.index))[factor.lower()]
    printed = analysis.printed_factor(evidence, factor)
    rho = {METHODS[artefact][one]: analysis.rank_correlation(ours[one], counted) for one in methods}
    words = valued(rho, "{} {:.2f}")
    return Finding(
        count(value > 0 for value in rho.values()),
        f"Rank correlation of our F-scores with {factor} over {len(ours)} data sets: {words}.",
        artefact,
        printed=count(analysis.rank_correlation(theirs[m].dropna(), printed) > 0 for m in methods),
        value=words,
    )


@CLAIMS.about("cde-14")
def averages_of_table_1(evidence: Evidence) -> Finding:
    """Averages of the four columns, ours and from the printed columns."""
    ours, printed = (
        evidence.table("table01", reading).query("dataset == 'average'")
        for reading in (FIRST, PRINT)
    )
    evidence.need(ours.dropna(subset="reproduced"), "dataset", ["average"])
    words = ", ".join(
        f"{row.label} {float(row.printed):.3f} (ours {row.reproduced:.3f})"
        for row in ours.itertuples()
    )
    agree, in_print = analysis.agreeing(evidence, ours), analysis.agreeing(evidence, printed)
    return Finding(agree, f"{words}.", "table01", printed=in_print)


@CLAIMS.about("cde-24")
def what_is_averaged(evidence: Evidence) -> Finding:
    """Printed averages against those of the first nine printed rows."""
    means, as_printed, fit = analysis.averages_of_nine(evidence)
    printed = count(as_printed)
    return Finding(
        None,
        f"The first nine printed rows average {valued(means, '{} {:.3f}')}, {printed.held} "
        f"of {printed.total} of them as printed; without {' or '.join(fit) or 'any one row'} all "
        "do.",
        "table02",
        printed=printed,
    )


# --- alpha and beta -----------------------------------------------------------------------------


@CLAIMS.about("cde-32", "alpha", "fig02")
@CLAIMS.about("cde-34", "beta", "fig03")
def flat(evidence: Evidence, parameter: str, artefact: str) -> Finding:
    """Data sets on which the mean F-score is close to itself all along a sweep."""
    widths = analysis.ranges(analysis.sweep(evidence, parameter, "fscore"))
    cases = count(close(one, 0) for one in widths)
    return Finding(
        cases,
        f"Range of the mean F-score over {parameter}: {valued(widths, '{} {:.3f}')} ({cases.held} "
        f"below {MUCH:g}).",
        artefact,
    )


@CLAIMS.about("cde-33")
def dimension_along_alpha(evidence: Evidence) -> Finding:
    """Alpha from which the number of value clusters stays where it ends."""
    first = analysis.thresholds(evidence.experiment("alpha", SWEPT), analysis.stable_from)
    return Finding(
        count(value <= 10 for value in first.values()),
        "The number of value clusters stays within 5 % of its last value from alpha = "
        f"{valued(first, '{} {:g}')} on (while k <= alpha the rule reads the same whatever alpha "
        "is).",
        "fig02",
    )


@CLAIMS.about("cde-35")
def dimension_falls_with_beta(evidence: Evidence) -> Finding:
    """Whether the dimension never rises from beta = 1e-15 on, and is lower in the end."""
    cases = analysis.falling(analysis.sweep(evidence, "beta", "dimension").loc[1e-15:])
    first = analysis.thresholds(evidence.experiment("beta", SWEPT), analysis.decreasing_from)
    return Finding(
        cases,
        f"From 1e-15 on the dimension never rises, and it is lower at the largest beta, on "
        f"{cases.held} of {cases.total} data sets. It first falls at beta = "
        f"{valued(first, '{} {:.0e}')}, where columns of rounding noise vanish.",
        "fig03",
    )


@CLAIMS.about("cde-36")
def dimension_stays_with_beta(evidence: Evidence) -> Finding:
    """Whether the dimension is the same for every beta from 1e-15 on."""
    curves = analysis.sweep(evidence, "beta", "dimension")
    whole = analysis.constant(curves.loc[1e-15:], 0.0)
    middle = analysis.constant(curves.loc[1e-12:0.1], 0.05)
    return Finding(
        whole,
        f"The mean dimension is constant from 1e-15 on for {whole.held} of {whole.total} "
        f"data sets. Between 1e-12 and 0.1 it stays within 5 % for {middle.held}; below, columns "
        "of rounding noise go, above, components that carry weight.",
        "fig03",
    )


# --- the rest -----------------------------------------------------------------------------------


@CLAIMS.about("cde-38")
def dm_against_dilca_and_algo(evidence: Evidence) -> Finding:
    """A result of the authors that they do not print."""
    return Finding(
        None,
        "The footnote prints no number, and DM is defined in another paper (Jia, Cheung, Liu 2016) "
        "that is none of those reproduced here.",
    )


@CLAIMS.about("cde-39")
def nmi_like_f_score(evidence: Evidence) -> Finding:
    """Rank correlation of NMI and F-score over the embeddings, data set by data set."""
    found = analysis.nmi_beside_fscore(evidence)
    cases = count(found["rho"] > 0.5)
    return Finding(
        cases,
        f"The four embeddings of Table 1 are ranked alike by NMI and F-score (rank correlation "
        f"above 0.5) on {cases.held} of {cases.total} data sets; the best one is the same on "
        f"{found['same'].sum()}.",
        "embeddings",
    )
