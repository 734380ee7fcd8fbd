"""Claims of CDE, each with its test; those about times are in a module of their own."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from replication.judge.claims import (
    EQUAL,
    MUCH,
    ClaimBook,
    Evidence,
    Outcome,
    cases,
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
    "The settings of the spectral clustering are fitted to each printed column; one setting for "
    "all stands in common_settings."
)

# --- values, influences, clusters ---------------------------------------------------------------


@CLAIMS.about("cde-01")
def values_are_told_apart(evidence: Evidence) -> Outcome:
    """Theorem 1 on tables where two values have the same extents; Mc tells all others apart."""
    tables = analysis.all_tables(evidence)
    tried = tables[tables["same_extents"] > 0]
    return Outcome(
        analysis.tallied(tried["case"], tried["undistinguished"] == 0),
        "theorem1",
        "Only values of two attributes that occur in the same objects can break the theorem.",
        value=f"{analysis.pair_totals(tables, 'undistinguished')['undistinguished']} pairs",
    )


@CLAIMS.about("cde-02")
def equal_frequencies(evidence: Evidence) -> Outcome:
    """Equal rows of Mo against equal frequencies, over pairs of values of one attribute."""
    tables = analysis.all_tables(evidence).groupby("case", sort=False)
    wrong, total = (
        tables[name].sum().astype(int) for name in ("occurrence_mismatches", "siblings")
    )
    right = cases(total.index, [True] * len(total), n=total - wrong)
    found = pd.concat([right, cases(wrong.index, [False] * len(wrong), n=wrong)])
    return Outcome(found[found["n"] > 0], "theorem1")


@CLAIMS.about("cde-03")
def conditional_influence_matrix(evidence: Evidence) -> Outcome:
    """Influence inside an attribute, and share of the pairs of values with an asymmetric one."""
    data = analysis.factors(evidence)
    inside, share = data["sibling_influence"], data["asymmetric"] / data["together"]
    none_inside = cases(data.index, inside == 0, ours=inside)
    return Outcome(
        pd.concat([none_inside, cases(data.index, share > 0, ours=share, part=2)]),
        "factors",
        "A value has influence 1 on itself.",
    )


@CLAIMS.about("cde-04")
def range_of_psi(evidence: Evidence) -> Outcome:
    """Range and symmetry of psi, table by table."""
    tables = analysis.all_tables(evidence)
    low, high, gap = tables["psi_low"], tables["psi_high"], tables["psi_asymmetry"]
    return Outcome(
        analysis.tallied(tables["case"], (low >= -EQUAL) & (high <= 1 + EQUAL) & (gap <= EQUAL)),
        "factors",
        "The entropy has its missing minus sign.",
        value=f"[{low.min():.2g}, {high.max():.2g}]",
    )


@CLAIMS.about("cde-05")
def uncorrelated_columns(evidence: Evidence) -> Outcome:
    """Covariance of the columns of the value embedding, as a share of the largest variance."""
    covariance = analysis.factors(evidence)["covariance"]
    return Outcome(
        cases(covariance.index, covariance <= EQUAL, ours=covariance, margin=EQUAL - covariance),
        "factors",
    )


@CLAIMS.about("cde-40")
def equal_distances_of_one_hot(evidence: Evidence) -> Outcome:
    """Range of the distances of different values in the 0-1 encoding."""
    data = analysis.factors(evidence)
    width = data["one_hot_high"] - data["one_hot_low"]
    return Outcome(
        cases(width.index, width <= EQUAL, ours=width, margin=EQUAL - width),
        "factors",
        value=f"{width.max():.1g}",
    )


@CLAIMS.about("cde-42")
def end_of_the_clusterings(evidence: Evidence) -> Outcome:
    """The words of section 3.5 and Algorithm 1, run with the same random numbers."""
    steps = evidence.experiment("granularity")
    ends = steps.pivot_table("k", ["dataset", "matrix", "trial"], "stop", aggfunc="first")
    program = ends["printed"] == ends["code"]
    return Outcome(
        analysis.tallied(
            ends.index.get_level_values("dataset"), ends["printed"] == ends["printed-text"]
        ),
        "granularity",
        f"The rule of the authors' program ends at the k of Algorithm 1 in {program.sum()} of "
        f"{len(program)} clusterings.",
    )


# --- data factors -------------------------------------------------------------------------------


@CLAIMS.about("cde-07", "table01", ["FCI"], literal=True)
@CLAIMS.about("cde-08", "table02", ["VCI"])
@CLAIMS.about("cde-10", "table01", ["objects", "values"])
def printed_factors(
    evidence: Evidence, artefact: str, metrics: Sequence[str], literal: bool = False
) -> Outcome:
    """Printed sizes and factors that are ours; if asked for, also by eq. (7) as printed."""
    rows, others = (
        table[table["metric"].isin(metrics)]
        for table in (evidence.table(artefact, FIRST), evidence.table(artefact, "literal"))
    )
    twice = rows["reproduced"].map(lambda x: round(round(x, 4) + EQUAL, 3))
    rounded_twice = (abs(twice - rows["printed_value"]) <= EQUAL).sum()
    said = f", and {sum(met(others))} with j = i as eq. (7) prints it" if literal else ""
    return Outcome(
        analysis.agreeing(evidence, rows["dataset"] + " " + rows["metric"], rows),
        artefact,
        f"If rounded to four digits before, {rounded_twice} would agree{said}.",
    )


@CLAIMS.about("cde-09")
def what_the_factors_measure(evidence: Evidence) -> Outcome:
    """FCI and VCI along tables with a coupling planted more and more strongly."""
    planted = evidence.experiment("random_tables").query("kind == 'planted'")
    planted = planted.assign(at=planted["strength"]).sort_values("at").set_index("at")
    return Outcome(
        pd.concat(
            analysis.in_order(planted[factor], planted["strength"], part=part)
            for part, factor in enumerate(("fci", "vci"), 1)
        ),
        "random_tables",
        "Part 1 orders pairs of strengths by FCI, part 2 by VCI, ties apart.",
    )


@CLAIMS.about("cde-28")
def classes_and_value_clusters(evidence: Evidence) -> Outcome:
    """Pairs of data sets that |C| and VCI put in the same order."""
    names = analysis.datasets_of(evidence, "table02")
    data = analysis.factors(evidence, names)
    printed = [analysis.printed_factor(evidence, name).loc[names] for name in ("VCI", "classes")]
    ours = analysis.in_order(data["vci"], data["classes"])
    return Outcome(pd.concat([ours, analysis.in_order(*printed, side="print_holds")]), "factors")


@CLAIMS.about("cde-31")
def largest_sets(evidence: Evidence) -> Outcome:
    """Data sets with the largest |O|, |V|, FCI and VCI."""
    metrics = ("objects", "values", "FCI", "VCI")
    data = analysis.factors(evidence, analysis.datasets_of(evidence, "table01"))
    ours = [data[name.lower()].idxmax() for name in metrics]
    printed = [analysis.printed_factor(evidence, name).idxmax() for name in metrics]
    return Outcome(
        cases(
            metrics,
            map(str.__eq__, ours, SWEPT),
            ours=ours,
            printed=printed,
            print_holds=map(str.__eq__, printed, SWEPT),
        ),
        "factors",
    )


# --- Tables 1 and 2 -----------------------------------------------------------------------------


@CLAIMS.about("cde-11", "table01")
@CLAIMS.about("cde-21", "table02", FITTED)
def printed_f_scores(evidence: Evidence, artefact: str, remark: str = "") -> Outcome:
    """Printed F-scores that are ours."""
    rows = evidence.table(artefact, FIRST)
    printed = rows["dataset"].isin(analysis.datasets_of(evidence, artefact))
    rows = rows[(rows["metric"] == "fscore") & rows["verdict"].notna() & printed]
    return Outcome(
        analysis.agreeing(evidence, rows["dataset"] + " " + rows["label"], rows), artefact, remark
    )


@CLAIMS.about("cde-13", ["cde_vs_0_1", "cde_vs_0_1p", "cde_vs_idf"])
@CLAIMS.about("cde-23", ["cde_g_vs_cos", "cde_g_vs_dilca", "cde_g_vs_algo"], FITTED)
def gains(evidence: Evidence, methods: Sequence[str], remark: str = "") -> Outcome:
    """Gains of the averages, ours and from the printed columns."""
    table = evidence.table("text").query("method in @methods").set_index("method")
    ours, printed = (
        table[table["reading"] == reading].reindex(methods) for reading in (FIRST, PRINT)
    )
    # the gains need the whole table
    evidence.need(ours.dropna(subset="reproduced").reset_index(), "method", methods)
    return Outcome(analysis.agreeing(evidence, methods, ours, printed), "text", remark)


@CLAIMS.about("cde-14")
def averages_of_table_1(evidence: Evidence) -> Outcome:
    """Averages of the four columns, ours and from the printed columns."""
    ours, printed = (
        evidence.table("table01", reading).query("dataset == 'average'")
        for reading in (FIRST, PRINT)
    )
    evidence.need(ours.dropna(subset="reproduced"), "dataset", ["average"])
    return Outcome(analysis.agreeing(evidence, ours["label"], ours, printed), "table01")


@CLAIMS.about("cde-15", "table01", 0.05)
@CLAIMS.about("cde-25", "table02", 0.10, FITTED)
def tests(evidence: Evidence, artefact: str, level: float, remark: str = "") -> Outcome:
    """Comparisons that are significant by a paired two-tailed t test, ours and in print."""
    ours, printed = (
        rows[(rows["dataset"] == "p_value") & rows["reproduced"].notna()]
        for rows in (evidence.table(artefact, FIRST), evidence.table(artefact, PRINT))
    )
    evidence.need(ours, "dataset", ["p_value"])
    p = ours["reproduced"]
    return Outcome(
        cases(
            ours["label"],
            p < level,
            ours=p,
            printed=ours["printed"],
            print_holds=printed["reproduced"] < level,
            margin=level - p,
        ),
        artefact,
        remark,
    )


@CLAIMS.about("cde-17", "table01", HIGH_FCI)
@CLAIMS.about("cde-19", "table01", LOW_FCI)
@CLAIMS.about("cde-22", "table02", remark=FITTED)
def best(
    evidence: Evidence, artefact: str, datasets: Sequence[str] = (), remark: str = ""
) -> Outcome:
    """Data sets (all if empty) on which the paper's own method has the highest F-score."""
    method, *others = METHODS[artefact]
    found = analysis.leading(evidence, artefact, method, datasets)
    clear = analysis.clearly_ahead(evidence, artefact, method, others, found["case"])
    said = f"By more than two standard errors on {clear}."
    return Outcome(found, artefact, f"{said} {remark}".strip())


@CLAIMS.about("cde-12")
def best_on_seven(evidence: Evidence) -> Outcome:
    """The seven data sets on which the printed table has CDE in front."""
    every = analysis.leading(evidence, "table01", "cde")
    return best(evidence, "table01", list(every.loc[every["print_holds"].isin([True]), "case"]))


@CLAIMS.about("cde-29")
def best_on_high_vci(evidence: Evidence) -> Outcome:
    """CDE-G on the data sets with more than two classes, which are those with the largest VCI."""
    classes = analysis.factors(evidence, analysis.datasets_of(evidence, "table02"))["classes"]
    return best(evidence, "table02", list(classes.index[classes > 2]), FITTED)


@CLAIMS.about("cde-20")
def idf_on_weak_couplings(evidence: Evidence) -> Outcome:
    """IDF on the data sets below those that are named as having a high FCI, and on Lymphography."""
    fci = analysis.printed_factor(evidence, "FCI")
    weak = list(fci.index[fci < fci[list(HIGH_FCI)].min()])
    found = analysis.leading(evidence, "table01", "idf", weak)
    others = [name for name in METHODS["table01"] if name != "idf"]
    clear = analysis.clearly_ahead(evidence, "table01", "idf", others, weak)
    return Outcome(
        pd.concat([found, found[found["case"] == "lymphography"].assign(part=2)]),
        "table01",
        f"By more than two standard errors on {clear}.",
    )


@CLAIMS.about("cde-18")
def pca_on_high_fci(evidence: Evidence) -> Outcome:
    """0-1P against 0-1 on the data sets that are named as having a high FCI."""
    ours, printed = analysis.both(evidence, "table01", HIGH_FCI)
    holds, print_holds = (
        map(evidence.ahead, scores["zero_one_p"], scores["zero_one"]) for scores in (ours, printed)
    )
    clear = analysis.clearly_ahead(evidence, "table01", "zero_one_p", ["zero_one"], HIGH_FCI)
    return Outcome(
        cases(
            HIGH_FCI,
            holds,
            ours=ours["zero_one_p"],
            printed=printed["zero_one_p"],
            print_holds=print_holds,
            margin=ours["zero_one_p"] - ours["zero_one"],
        ),
        "table01",
        "0-1P is a rotation of 0-1, so k-means sees the same distances: its mean is higher by more "
        f"than two standard errors on {clear}.",
    )


@CLAIMS.about("cde-16", "table01", "FCI", ("cde", "zero_one", "zero_one_p"))
@CLAIMS.about("cde-30", "table02", "VCI", tuple(METHODS["table02"]))
def trend(evidence: Evidence, artefact: str, factor: str, methods: Sequence[str]) -> Outcome:
    """Columns whose F-scores grow with a factor, by the sign of the rank correlation."""
    ours, printed = analysis.both(evidence, artefact)
    counted = analysis.factors(evidence, list(ours.index))[factor.lower()]
    printed_factor = analysis.printed_factor(evidence, factor)
    rho = {METHODS[artefact][one]: analysis.rank_correlation(ours[one], counted) for one in methods}
    print_rho = [
        analysis.rank_correlation(printed[one].dropna(), printed_factor) for one in methods
    ]
    return Outcome(
        cases(
            rho,
            [one > 0 for one in rho.values()],
            ours=rho.values(),
            printed=print_rho,
            print_holds=[one > 0 for one in print_rho],
            margin=rho.values(),
        ),
        artefact,
        f"Rank correlation of F-scores with {factor}.",
        value=valued(rho, "{} {:.2f}"),
    )


@CLAIMS.about("cde-24")
def what_is_averaged(evidence: Evidence) -> Outcome:
    """Printed averages of Table 2 against those of its first nine printed rows."""
    nine = analysis.printed_scores(evidence, "table02").iloc[:9]
    cells = evidence.printed.query("artefact == 'table02' and dataset_id == 'average'")
    averages = cells.set_index("method_id")["value"].astype(float)[nine.columns]

    def as_printed(rows: pd.DataFrame) -> pd.Series:
        return (rows.mean() - averages).abs() <= 0.001

    fit = [name for name in nine.index if as_printed(nine.drop(index=name)).all()]
    return Outcome(
        cases(nine.columns, ours=nine.mean(), printed=averages, print_holds=as_printed(nine)),
        "table02",
        f"Without {' or '.join(fit) or 'any one row'} all averages are as printed.",
    )


# --- alpha and beta -----------------------------------------------------------------------------


@CLAIMS.about("cde-32", "alpha", "fig02")
@CLAIMS.about("cde-34", "beta", "fig03")
def flat(evidence: Evidence, parameter: str, artefact: str) -> Outcome:
    """Data sets on which the range of the mean F-score all along a sweep is small."""
    curves = analysis.sweep(evidence, parameter, "fscore")
    widths = curves.max() - curves.min()
    return Outcome(
        cases(SWEPT, widths < MUCH, ours=widths, margin=MUCH - widths),
        artefact,
        f"A case is the range of the mean F-score over {parameter}.",
    )


@CLAIMS.about("cde-33")
def dimension_along_alpha(evidence: Evidence) -> Outcome:
    """Alpha from which the number of value clusters stays within 5 % of its last value."""
    first = analysis.thresholds(evidence.experiment("alpha", SWEPT), analysis.stable_from)
    return Outcome(
        cases(first, [value <= 10 for value in first.values()], ours=first.values()),
        "fig02",
        "While k <= alpha the rule reads the same whatever alpha is.",
    )


@CLAIMS.about("cde-35")
def dimension_falls_with_beta(evidence: Evidence) -> Outcome:
    """Whether the dimension never rises from beta = 1e-15 on, and is lower in the end."""
    curves = analysis.sweep(evidence, "beta", "dimension").loc[1e-15:]
    falling = (curves.diff().iloc[1:] <= 0).all() & (curves.iloc[0] > curves.iloc[-1])
    first = analysis.thresholds(evidence.experiment("beta", SWEPT), analysis.decreasing_from)
    return Outcome(
        cases(SWEPT, falling, margin=curves.iloc[0] - curves.iloc[-1]),
        "fig03",
        f"The dimension first falls at beta = {valued(first, '{} {:.0e}')}, where columns of "
        "rounding noise vanish.",
    )


@CLAIMS.about("cde-36")
def dimension_stays_with_beta(evidence: Evidence) -> Outcome:
    """Whether the dimension is the same for every beta from 1e-15 on."""
    curves = analysis.sweep(evidence, "beta", "dimension").loc[1e-15:]
    width, middle = curves.max() - curves.min(), curves.loc[1e-12:0.1]
    steady = middle.max() - middle.min() <= 0.05 * middle.max()
    return Outcome(
        cases(SWEPT, width <= 0, ours=width, margin=-width),
        "fig03",
        f"Between 1e-12 and 0.1 the dimension stays within 5 % on {listed(steady.index[steady])}; "
        "below, columns of rounding noise go, above, components that carry weight.",
    )


# --- the rest -----------------------------------------------------------------------------------


@CLAIMS.about("cde-38")
def dm_against_dilca_and_algo(evidence: Evidence) -> Outcome:
    """A result of the authors that they do not print."""
    return Outcome(
        None,
        note="The footnote prints no number, and DM is defined in another paper (Jia, Cheung, Liu "
        "2016) that is none of those reproduced here.",
    )


@CLAIMS.about("cde-39")
def nmi_like_f_score(evidence: Evidence) -> Outcome:
    """Rank correlation of NMI and F-score over the embeddings, data set by data set."""
    records = evidence.experiment("embeddings").query("measure != 'cde_printed'")
    groups = records.groupby(["dataset", "measure"])[["fscore", "nmi"]].mean().groupby("dataset")
    best = groups.idxmax()
    rho = {name: analysis.rank_correlation(one["fscore"], one["nmi"]) for name, one in groups}
    return Outcome(
        cases(
            rho,
            [one > 0.5 for one in rho.values()],
            ours=rho.values(),
            margin=[one - 0.5 for one in rho.values()],
        ),
        "embeddings",
        "The best of the four embeddings is the same by NMI and F-score on "
        f"{(best['fscore'] == best['nmi']).sum()} data sets.",
    )
