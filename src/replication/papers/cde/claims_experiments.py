"""Claims of CDE about its experiments: sections 5.2 and 5.4."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from replication.judge.claims import MUCH, ClaimBook, Count, Evidence, Finding, close, count
from replication.papers.cde.analysis import (
    FIRST,
    HIGH_FCI,
    LOW_FCI,
    agreeing,
    best_on,
    clearly_ahead,
    datasets_of,
    decreasing_from,
    factors,
    named,
    printed_factor,
    printed_scores,
    rank_correlation,
    rows_of,
    scores_of,
    stable_from,
    sweep,
    thresholds,
)
from replication.papers.cde.derived import PRINT

EXPERIMENTS = ClaimBook()

EMBEDDINGS = ("cde", "zero_one", "zero_one_p", "idf")
SIMILARITIES = ("cde_g", "cos", "dilca", "algo")
"""Methods of Tables 1 and 2, the paper's own first."""
LABELS = {
    **{"cde": "CDE", "zero_one": "0-1", "zero_one_p": "0-1P", "idf": "IDF"},
    **{"cde_g": "CDE-G", "cos": "COS", "dilca": "DILCA", "algo": "ALGO"},
}
FITTED = (
    "The settings of the spectral clustering are fitted to each printed column; one setting for "
    "all stands in common_settings."
)

# --- both tables --------------------------------------------------------------------------------


def _scores_claim(evidence: Evidence, artefact: str) -> Finding:
    """Printed F-scores that are ours."""

    def scores(reading: str):
        rows = rows_of(evidence, artefact, reading)
        kept = rows["dataset"].isin(datasets_of(evidence, artefact)) & rows["verdict"].notna()
        return rows[(rows["metric"] == "fscore") & kept]

    rows = scores(FIRST)
    cases = agreeing(evidence, rows)
    by_method = ", ".join(
        f"{label} {agreeing(evidence, group)}" for label, group in rows.groupby("label", sort=False)
    )
    return Finding(
        cases,
        f"{cases.held} of {cases.total} printed F-scores lie within noise ({by_method}); the mean "
        f"distance is {rows['difference'].abs().mean():.3f}. Under the printed reading "
        f"{agreeing(evidence, scores('literal')).held} do.",
        artefact,
    )


def _gains_claim(evidence: Evidence, methods: Sequence[str], remark: str = "") -> Finding:
    """Gains of the averages, ours and from the printed columns."""
    table = evidence.table("text")
    rows = table[table["method"].isin(methods)].set_index(["method", "reading"])
    ours = rows.loc[[(method, FIRST) for method in methods]]
    printed = rows.loc[[(method, PRINT) for method in methods]]
    # the gains need the whole table
    evidence.need(
        table[table["reproduced"].notna() & (table["reading"] == FIRST)], "method", methods
    )
    words = "; ".join(
        f"{method.partition('_vs_')[2]} {a.printed}, ours {a.reproduced:.1%}, from the printed "
        f"columns {b.reproduced:.1%}"
        for method, a, b in zip(methods, ours.itertuples(), printed.itertuples(), strict=True)
    )
    return Finding(
        agreeing(evidence, ours),
        f"Gain in the average over {words}.{remark}",
        "text",
        printed=agreeing(evidence, printed),
    )


def _tests_claim(evidence: Evidence, artefact: str, level: float, remark: str = "") -> Finding:
    """Comparisons that are significant, ours and from the printed columns."""
    rows = evidence.table(artefact)
    rows = rows[rows["dataset"] == "p_value"]
    ours = rows[(rows["reading"] == FIRST) & rows["reproduced"].notna()]
    evidence.need(ours, "dataset", ["p_value"])
    printed = rows[rows["reading"] == PRINT]
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


def _best_claim(
    evidence: Evidence, artefact: str, datasets: Sequence[str], remark: str = ""
) -> Finding:
    """Data sets on which the paper's own method has the highest F-score."""
    method, *others = SIMILARITIES if artefact == "table02" else EMBEDDINGS
    ours = best_on(evidence, scores_of(evidence, artefact, datasets), method)
    printed = best_on(evidence, printed_scores(evidence, artefact).loc[list(datasets)], method)
    clear = clearly_ahead(evidence, artefact, method, others, datasets)
    return Finding(
        count(ours.values()),
        f"Of {len(ours)} data sets {LABELS[method]} has the highest mean on "
        f"{sum(ours.values())} ({named(ours)}), on {clear} by more than two standard errors; in "
        f"print on {named(printed)}.{remark}",
        artefact,
        printed=count(printed.values()),
    )


def _trend_claim(evidence: Evidence, artefact: str, factor: str, methods: Sequence[str]) -> Finding:
    """Columns whose F-scores grow with a factor, by the sign of the rank correlation."""
    names = datasets_of(evidence, artefact)
    ours, theirs = scores_of(evidence, artefact, names), printed_scores(evidence, artefact)
    counted, printed = factors(evidence, names)[factor.lower()], printed_factor(evidence, factor)
    rho = {method: rank_correlation(ours[method], counted) for method in methods}
    words = ", ".join(f"{LABELS[method]} {value:.2f}" for method, value in rho.items())
    return Finding(
        count(value > 0 for value in rho.values()),
        f"Rank correlation of our F-scores with {factor} over {len(names)} data sets: {words}.",
        artefact,
        printed=count(rank_correlation(theirs[m].dropna(), printed) > 0 for m in methods),
        value=words,
    )


# --- Table 1 ------------------------------------------------------------------------------------


@EXPERIMENTS.about("cde-11")
def scores_of_table_1(evidence: Evidence) -> Finding:
    """All F-scores of the embeddings."""
    return _scores_claim(evidence, "table01")


@EXPERIMENTS.about("cde-12")
def best_on_seven(evidence: Evidence) -> Finding:
    """The seven data sets on which the printed table has CDE in front."""
    names = datasets_of(evidence, "table01")
    printed = best_on(evidence, printed_scores(evidence, "table01"), "cde")
    every = best_on(evidence, scores_of(evidence, "table01", names), "cde")
    return _best_claim(
        evidence,
        "table01",
        [name for name, best in printed.items() if best],
        f" Of all {len(names)} it is in front on {sum(every.values())}: {named(every)}.",
    )


@EXPERIMENTS.about("cde-13")
def gains_over_embeddings(evidence: Evidence) -> Finding:
    """Gains of CDE over 0-1, 0-1P and IDF."""
    return _gains_claim(evidence, ["cde_vs_0_1", "cde_vs_0_1p", "cde_vs_idf"])


@EXPERIMENTS.about("cde-14")
def averages_of_table_1(evidence: Evidence) -> Finding:
    """Averages of the four columns, ours and from the printed columns."""
    rows = rows_of(evidence, "table01")
    rows = rows[rows["dataset"] == "average"]
    evidence.need(rows[rows["reproduced"].notna()], "dataset", ["average"])
    printed = rows_of(evidence, "table01", PRINT)
    words = ", ".join(
        f"{row.label} {float(row.printed):.3f} (ours {row.reproduced:.3f})"
        for row in rows.itertuples()
    )
    return Finding(
        agreeing(evidence, rows),
        f"{words}.",
        "table01",
        printed=agreeing(evidence, printed[printed["dataset"] == "average"]),
    )


@EXPERIMENTS.about("cde-15")
def tests_against_embeddings(evidence: Evidence) -> Finding:
    """Significance of CDE against 0-1, 0-1P and IDF."""
    return _tests_claim(evidence, "table01", 0.05)


@EXPERIMENTS.about("cde-16")
def trend_with_fci(evidence: Evidence) -> Finding:
    """Trend of three columns with FCI: the sign of the rank correlation."""
    return _trend_claim(evidence, "table01", "FCI", ("cde", "zero_one", "zero_one_p"))


@EXPERIMENTS.about("cde-17")
def cde_on_high_fci(evidence: Evidence) -> Finding:
    """CDE on the data sets that are named as having a high FCI."""
    return _best_claim(evidence, "table01", HIGH_FCI)


@EXPERIMENTS.about("cde-18")
def pca_on_high_fci(evidence: Evidence) -> Finding:
    """0-1P against 0-1 on the same data sets."""
    ours = scores_of(evidence, "table01", HIGH_FCI)
    printed = printed_scores(evidence, "table01").loc[list(HIGH_FCI)]
    higher = count(map(evidence.ahead, ours["zero_one_p"], ours["zero_one"]))
    clear = clearly_ahead(evidence, "table01", "zero_one_p", ["zero_one"], HIGH_FCI)
    return Finding(
        higher,
        f"0-1P is a rotation of 0-1, so k-means sees the same distances: its mean is higher on "
        f"{higher.held} of {higher.total} sets, on {clear} by more than two standard errors.",
        "table01",
        printed=count(map(evidence.ahead, printed["zero_one_p"], printed["zero_one"])),
    )


@EXPERIMENTS.about("cde-19")
def cde_on_low_fci(evidence: Evidence) -> Finding:
    """CDE on the data sets that are named as having a low FCI."""
    return _best_claim(evidence, "table01", LOW_FCI)


@EXPERIMENTS.about("cde-20")
def idf_on_weak_couplings(evidence: Evidence) -> Finding:
    """IDF on the data sets below those that are named as having a high FCI, and on Lymphography."""
    fci = printed_factor(evidence, "FCI")
    weak = [str(name) for name in fci.index if fci[name] < fci[list(HIGH_FCI)].min()]
    ours = best_on(evidence, scores_of(evidence, "table01", weak), "idf")
    printed = best_on(evidence, printed_scores(evidence, "table01").loc[weak], "idf")
    others = [name for name in EMBEDDINGS if name != "idf"]
    clear = clearly_ahead(evidence, "table01", "idf", others, weak)
    return Finding(
        [count(ours.values()), count([ours["lymphography"]])],
        f"Of the {len(weak)} sets with a lower FCI than those named as high ({', '.join(weak)}) "
        f"IDF has the highest mean on {named(ours)}, on {clear} by more than two standard errors; "
        f"in print on {named(printed)}.",
        "table01",
        printed=[count(printed.values()), count([printed["lymphography"]])],
    )


# --- Table 2 ------------------------------------------------------------------------------------


@EXPERIMENTS.about("cde-21")
def scores_of_table_2(evidence: Evidence) -> Finding:
    """All F-scores of the similarities."""
    found = _scores_claim(evidence, "table02")
    return Finding(found.ours, f"{found.evidence} {FITTED}", found.artefact)


@EXPERIMENTS.about("cde-22")
def best_on_half(evidence: Evidence) -> Finding:
    """CDE-G on all ten data sets; on Adult print has no number of the others."""
    return _best_claim(evidence, "table02", datasets_of(evidence, "table02"), f" {FITTED}")


@EXPERIMENTS.about("cde-23")
def gains_over_similarities(evidence: Evidence) -> Finding:
    """Gains of CDE-G over COS, DILCA and ALGO."""
    methods = ["cde_g_vs_cos", "cde_g_vs_dilca", "cde_g_vs_algo"]
    return _gains_claim(evidence, methods, f" {FITTED}")


@EXPERIMENTS.about("cde-24")
def what_is_averaged(evidence: Evidence) -> Finding:
    """Printed averages against those of the first nine printed rows."""
    nine = printed_scores(evidence, "table02").iloc[:9]
    cells = evidence.printed
    averages = cells[(cells["artefact"] == "table02") & (cells["dataset_id"] == "average")]
    averages = averages.set_index("method_id")["value"].astype(float)

    def met(means) -> list[bool]:
        return [abs(mean - averages[method]) <= 0.001 for method, mean in means.items()]

    fit = [name for name in nine.index if all(met(nine.drop(index=name).mean()))]
    printed = count(met(nine.mean()))
    words = ", ".join(f"{name} {value:.3f}" for name, value in nine.mean().items())
    return Finding(
        None,
        f"The first nine printed rows average {words}, {printed.held} of {printed.total} of them "
        f"as printed; without {' or '.join(fit) or 'any one row'} all do.",
        "table02",
        printed=printed,
    )


@EXPERIMENTS.about("cde-25")
def tests_against_similarities(evidence: Evidence) -> Finding:
    """Significance of CDE-G against COS, DILCA and ALGO."""
    return _tests_claim(evidence, "table02", 0.10, f" {FITTED}")


@EXPERIMENTS.about("cde-29")
def cde_g_on_high_vci(evidence: Evidence) -> Finding:
    """CDE-G on the data sets with more than two classes, which are those with the largest VCI."""
    names = datasets_of(evidence, "table02")
    classes = factors(evidence, names)["classes"]
    return _best_claim(evidence, "table02", [n for n in names if classes[n] > 2], f" {FITTED}")


@EXPERIMENTS.about("cde-30")
def trend_with_vci(evidence: Evidence) -> Finding:
    """Trend of the four columns with VCI: the sign of the rank correlation."""
    return _trend_claim(evidence, "table02", "VCI", SIMILARITIES)


# --- alpha and beta -----------------------------------------------------------------------------


def _flat_claim(evidence: Evidence, parameter: str, artefact: str) -> Finding:
    """Data sets on which the mean F-score is close to itself all along a sweep."""
    groups = sweep(evidence, parameter).groupby("dataset", sort=False)["fscore"]
    words = ", ".join(f"{name} {group.max() - group.min():.3f}" for name, group in groups)
    cases = count(close(group.max(), group.min()) for _, group in groups)
    return Finding(
        cases,
        f"Range of the mean F-score over {parameter}: {words} ({cases.held} below {MUCH:g}).",
        artefact,
    )


@EXPERIMENTS.about("cde-32")
def scores_along_alpha(evidence: Evidence) -> Finding:
    """F-scores of four data sets along alpha."""
    return _flat_claim(evidence, "alpha", "fig02")


@EXPERIMENTS.about("cde-33")
def dimension_along_alpha(evidence: Evidence) -> Finding:
    """Alpha from which the number of value clusters stays where it ends."""
    first = thresholds(evidence, "alpha", stable_from)
    words = ", ".join(f"{name} {value:g}" for name, value in first.items())
    return Finding(
        count(value <= 10 for value in first.values()),
        f"The number of value clusters stays within 5 % of its last value from alpha = {words} "
        "on (while k <= alpha the rule reads the same whatever alpha is).",
        "fig02",
    )


@EXPERIMENTS.about("cde-34")
def scores_along_beta(evidence: Evidence) -> Finding:
    """F-scores of four data sets along beta."""
    return _flat_claim(evidence, "beta", "fig03")


@EXPERIMENTS.about("cde-35")
def dimension_falls_with_beta(evidence: Evidence) -> Finding:
    """Whether the dimension never rises from beta = 1e-15 on, and is lower in the end."""
    rows = sweep(evidence, "beta")
    some = rows[rows["beta"] >= 1e-15].sort_values("beta")
    cases = count(
        group.is_monotonic_decreasing and group.iloc[0] > group.iloc[-1]
        for _, group in some.groupby("dataset", sort=False)["dimension"]
    )
    first = thresholds(evidence, "beta", decreasing_from)
    words = ", ".join(f"{name} {value:.0e}" for name, value in first.items())
    return Finding(
        cases,
        f"From 1e-15 on the dimension never rises, and it is lower at the largest beta, on "
        f"{cases.held} of {cases.total} data sets. It first falls at beta = {words}, where columns "
        "of rounding noise vanish.",
        "fig03",
    )


@EXPERIMENTS.about("cde-36")
def dimension_stays_with_beta(evidence: Evidence) -> Finding:
    """Whether the dimension is the same for every beta from 1e-15 on."""
    rows = sweep(evidence, "beta")
    constant = _constant(rows[rows["beta"] >= 1e-15], 0.0)
    middle = _constant(rows[rows["beta"].between(1e-12, 0.1)], 0.05)
    return Finding(
        constant,
        f"The mean dimension is constant from 1e-15 on for {constant.held} of {constant.total} "
        f"data sets. Between 1e-12 and 0.1 it stays within 5 % for {middle.held}; below, columns "
        "of rounding noise go, above, components that carry weight.",
        "fig03",
    )


def _constant(rows: Iterable, share: float) -> Count:
    """Data sets on which the dimension changes by at most a share of its largest value."""
    groups = rows.groupby("dataset", sort=False)["dimension"]
    return count(group.max() - group.min() <= share * group.max() for _, group in groups)


# --- the rest -----------------------------------------------------------------------------------


@EXPERIMENTS.about("cde-38")
def dm_against_dilca_and_algo(evidence: Evidence) -> Finding:
    """A result of the authors that they do not print."""
    return Finding(
        None,
        "The footnote prints no number, and DM is defined in another paper (Jia, Cheung, Liu 2016) "
        "that is none of those reproduced here.",
    )


@EXPERIMENTS.about("cde-39")
def nmi_like_f_score(evidence: Evidence) -> Finding:
    """Rank correlation of NMI and F-score over the embeddings, data set by data set."""
    records = evidence.experiment("embeddings").query("measure != 'cde_printed'")
    means = records.groupby(["dataset", "measure"])[["fscore", "nmi"]].mean()
    best = means.groupby("dataset")[["fscore", "nmi"]].idxmax()
    same = int((best["fscore"] == best["nmi"]).sum())
    cases = count(
        rank_correlation(group["fscore"], group["nmi"]) > 0.5
        for _, group in means.groupby("dataset", sort=True)
    )
    return Finding(
        cases,
        f"The four embeddings of Table 1 are ranked alike by NMI and F-score (rank correlation "
        f"above 0.5) on {cases.held} of {cases.total} data sets; the best one is the same on "
        f"{same}.",
        "embeddings",
    )
