"""Test the claims of CDE; each function returns the cases of one claim."""

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from couplings.measures.cde import value_embedding
from replication.judge import times
from replication.judge.cells import listed, valued
from replication.judge.claims import (
    ABOUT,
    EQUAL,
    HOLDS,
    MUCH,
    ClaimBook,
    Evidence,
    Outcome,
    cases,
    met,
)
from replication.judge.verdicts import IN_WORDS, STANDARD_ERRORS
from replication.papers.cde.repeated_scores import FIRST, PRINT, printed_table, slowdown, thresholds
from replication.run.paired import paired_test

CLAIMS = ClaimBook()

METHODS = {
    "table01": {"cde": "CDE", "zero_one": "0-1", "zero_one_p": "0-1P", "idf": "IDF"},
    "table02": {"cde_g": "CDE-G", "cos": "COS", "dilca": "DILCA", "algo": "ALGO"},
}
"""Methods of Tables 1 and 2, each with the paper's own method first."""
HIGH_FCI = ("wisconsin", "soybean_small", "mammographic", "zoo", "dermatology")
"""Data sets that the text names as having a high FCI."""
LOW_FCI = ("adult", "primary_tumor")
"""Data sets that the text names as having a low FCI."""
SWEPT = ("adult", "dermatology", "wisconsin", "primary_tumor")
"""Data sets of Figs 2 and 3: those with the largest |O|, |V|, FCI and VCI, as the text says."""
FITTED = (
    "The settings of the spectral clustering are fitted to each printed column; common_settings "
    "has one setting for all."
)
READING = ("reading", FIRST, "literal")
SPECTRAL = (
    "cde.affinity, cde.spectral and cde.start",
    "fitted to each column",
    *map(
        " ".join, itertools.product(("one-minus", "gauss-mean"), ("njw", "sym"), ("sample", "plus"))
    ),
)
"""Question about the spectral clustering, then its answers: affinity, variant and start."""
WIDTH = ("cde.sigma", "mean", "dim", "median")
"""Question about the width of the Gaussian of CDE-G, then its answers."""
HALF_ORDER = 10**0.5
"""Half an order of magnitude: a ratio counts as about 10 between 10 / this and 10 times this."""


def _in_order(one: pd.Series, other: pd.Series, side: str = "holds", part: int = 1) -> pd.DataFrame:
    """Return one case per pair of entries without a tie; it holds if both series order it alike."""
    pairs = {
        f"{a} and {b}": bool((one[a] - one[b]) * (other[a] - other[b]) > 0)
        for a, b in itertools.combinations(one.index, 2)
        if one[a] != one[b] and other[a] != other[b]
    }
    return cases(pairs, **{side: pairs.values()}, part=part)


def _tallied(names: Iterable[object], holds: Iterable[bool], part: int = 1) -> pd.DataFrame:
    """Return cases as one row per name and outcome, with their number."""
    found = Counter(zip(names, holds, strict=True))
    names, holds = zip(*found, strict=True)
    return cases(names, holds, n=found.values(), part=part)


def _all_tables(evidence: Evidence) -> pd.DataFrame:
    """Return `theory.value_pairs` by ``case``; random tables have an attribute twice, too."""
    random = evidence.experiment("random_tables").query("kind != 'planted'")
    sets = evidence.experiment("factors")
    return pd.concat(
        [sets.assign(case=sets["dataset"]), random.assign(case=random["kind"] + " tables")]
    )


def _factors(evidence: Evidence, artefact: str = "") -> pd.DataFrame:
    """Return our sizes and data factors by data set, for Table 1 or 2 in its printed order."""
    datasets = list(_printed_scores(evidence, artefact).index) if artefact else []
    found = evidence.experiment("factors", datasets).set_index("dataset")
    return found.loc[datasets] if datasets else found


def _printed_factor(evidence: Evidence, metric: str) -> pd.Series:
    """Return a printed size or data factor, such as ``objects`` or ``FCI``, by data set."""
    cells = evidence.printed.query("metric == @metric")
    return cells.set_index("dataset_id")["value"].astype(float)


def _object_columns(evidence: Evidence, *needed: str) -> tuple[pd.Series, pd.DataFrame]:
    """Return the mean number of columns of an object embedded by CDE, and the sizes of the data."""
    rows = evidence.experiment("embeddings", needed).query("measure == 'cde'")
    sizes = evidence.experiment("factors", needed).set_index("dataset")
    return (rows.groupby("dataset")["dimension"].mean() * sizes["attributes"]).dropna(), sizes


@CLAIMS.about("cde-01")
def theorem_1(evidence: Evidence) -> Outcome:
    """Theorem 1, on tables in which two values occur in the same objects.

    On all other tables Mc alone tells the values apart.
    """
    tables = _all_tables(evidence)
    tried = tables[tables["same_extents"] > 0]
    return Outcome(
        _tallied(tried["case"], tried["undistinguished"] == 0),
        "theorem1",
        "Only values of two attributes that occur in the same objects can break the theorem.",
        value=f"{tables['undistinguished'].sum():.0f} pairs",
    )


@CLAIMS.about("cde-43")
def case_2_of_the_proof(evidence: Evidence) -> Outcome:
    """Case 2 of the proof, per table: no values of two attributes occur in the same objects."""
    tables = _all_tables(evidence)
    return Outcome(
        _tallied(tables["case"], tables["same_extents"] == 0),
        "theorem1",
        "The proof needs a value that occurs with only one of the two. Values that occur in the "
        "same objects have no such value.",
    )


@CLAIMS.about("cde-44")
def dimensions_after_pca(evidence: Evidence) -> Outcome:
    """Columns of a value after PCA against before; columns of an object against those of 0-1."""
    before, after = (
        _sweep(evidence, parameter, "dimension").loc[at]
        for parameter, at in (("alpha", 10), ("beta", 1e-10))
    )
    columns, sizes = _object_columns(evidence)
    values = sizes["values"][columns.index]
    return Outcome(
        pd.concat(
            [
                cases(before.index, after < 0.5 * before, ours=after / before),
                cases(columns.index, columns < values, ours=columns / values, part=2),
            ]
        ),
        "fig03",
        "Part 1 is the share of a value's columns that PCA keeps; less than half is substantial. "
        "Part 2 is the columns of an object divided by those of the 0-1 encoding.",
    )


@CLAIMS.about("cde-45")
def bold_faces(evidence: Evidence) -> Outcome:
    """Highest F-scores in bold: our transcription has no typefaces."""
    best = _printed_scores(evidence, "table01").idxmax(axis=1)
    return Outcome(
        None,
        "table01",
        "The transcription does not show bold type. In print CDE has the highest number on "
        f"{(best == 'cde').sum()} data sets.",
    )


@CLAIMS.about("cde-02")
def equal_frequencies(evidence: Evidence) -> Outcome:
    """Equal rows of Mo if and only if equal frequencies, over pairs of values of one attribute."""
    tables = _all_tables(evidence).groupby("case", sort=False)
    wrong, total = (tables[key].sum().astype(int) for key in ("occurrence_mismatches", "siblings"))
    counts = {True: total - wrong, False: wrong}
    found = pd.concat(cases(n.index, [held] * len(n), n=n) for held, n in counts.items())
    return Outcome(found[found["n"] > 0], "theorem1")


@CLAIMS.about("cde-03")
def conditional_influence_matrix(evidence: Evidence) -> Outcome:
    """Influence of values on others of their attribute; share of pairs that is asymmetric."""
    data = _factors(evidence)
    inside, share = data["sibling_influence"], data["asymmetric"] / data["together"]
    return Outcome(
        pd.concat(
            [
                cases(data.index, inside == 0, ours=inside),
                cases(data.index, share > 0, ours=share, part=2),
            ]
        ),
        "factors",
        "A value has influence 1 on itself.",
    )


@CLAIMS.about("cde-04")
def range_of_psi(evidence: Evidence) -> Outcome:
    """Range and symmetry of psi, table by table."""
    tables = _all_tables(evidence)
    low, high, gap = tables["psi_low"], tables["psi_high"], tables["psi_asymmetry"]
    return Outcome(
        _tallied(tables["case"], (low >= -EQUAL) & (high <= 1 + EQUAL) & (gap <= EQUAL)),
        "factors",
        "The entropy is computed with the minus sign that the formula lacks.",
        value=f"[{low.min():.2g}, {high.max():.2g}]",
    )


@CLAIMS.about("cde-05")
def independent_dimensions(evidence: Evidence) -> Outcome:
    """Columns after PCA: uncorrelated, by data set (part 1), and independent (part 2).

    Part 2 takes the value embedding of values in 3 to 8 clusters, one each. Two columns of values
    are independent only if every pair of their entries occurs.
    """
    covariance = _factors(evidence)["covariance"]
    held, counts = {}, {}
    for clusters in range(3, 9):
        columns = value_embedding(np.eye(clusters)).round(9)
        first, second = columns[:, 0], columns[:, 1]
        pairs = len(np.unique(columns[:, :2], axis=0))
        of_both = len(np.unique(first)) * len(np.unique(second))
        held[f"{clusters} clusters"] = pairs == of_both
        counts[f"{clusters} clusters"] = f"{pairs} of {of_both} pairs"
    return Outcome(
        pd.concat(
            [
                cases(
                    covariance.index,
                    covariance <= EQUAL,
                    ours=covariance,
                    margin=EQUAL - covariance,
                ),
                cases(held, held.values(), ours=counts.values(), part=2),
            ]
        ),
        "factors",
        "Part 1 is the largest covariance of two columns as a share of the largest variance. PCA "
        "gives uncorrelated columns, as the section says first; part 2 counts the pairs of entries "
        "of the first two columns, of which independence needs all.",
    )


@CLAIMS.about("cde-40")
def equal_distances(evidence: Evidence) -> Outcome:
    """Range of the distances of values in the 0-1 encoding, by data set."""
    data = _factors(evidence)
    found = data["one_hot_high"] - data["one_hot_low"]
    return Outcome(
        cases(found.index, found <= EQUAL, ours=found, margin=EQUAL - found),
        "factors",
        value=f"{found.max():.1g}",
    )


@CLAIMS.about("cde-42")
def last_k(evidence: Evidence) -> Outcome:
    """Last k by section 3.5 and by Algorithm 1, from the same random numbers.

    The rule is a step of the algorithm. Its two wordings are compared; no number can refute it.
    """
    steps = evidence.experiment("granularity")
    ends = steps.pivot_table("k", ["dataset", "matrix", "trial"], "stop", aggfunc="first")
    program, text = (ends["printed"] == ends[name] for name in ("code", "printed-text"))
    return Outcome(
        None,
        "granularity",
        f"A step of the algorithm: section 3.5 and Algorithm 1 end at the same k in {text.sum()} "
        f"of {len(text)} clusterings, the authors' program and Algorithm 1 in {program.sum()}.",
    )


@CLAIMS.about("cde-46")
def steps_of_the_embedding(evidence: Evidence) -> Outcome:
    """Growth with L of what one pass reads per k_max L, and an object's columns per attribute.

    Part 1: k-means reads L rows of L numbers for each k. Part 2: a value has as many columns as
    its embedding.
    """
    steps = evidence.experiment("granularity").query("stop == 'code'")
    sizes = _factors(evidence)
    columns, _ = _object_columns(evidence)
    reads = {
        # one pass of one clustering reads L rows of L numbers, for each of k_max clusterings
        name: float((rows["k"] * rows["values"] ** 2 / (rows["k"] * rows["values"])).mean())
        for name, rows in steps.groupby("dataset")
    }
    width = (columns / sizes["attributes"]).dropna()
    found = {
        "k_max L": pd.Series(reads),
        "n m": width,
    }
    slopes = []
    for ratio in found.values():
        logs = np.log(sizes["values"][ratio.index].astype(float))
        slopes.append(float(np.polyfit(logs, np.log(ratio.astype(float)), 1)[0]))
    parts = [
        cases([name], [slope <= ABOUT], ours=[slope], margin=[ABOUT - slope], part=part)
        for part, (name, slope) in enumerate(zip(found, slopes, strict=True), 1)
    ]
    return Outcome(
        pd.concat(parts),
        "granularity embeddings",
        "Ours is the exponent of L with which the numbers that are read or written, divided by the "
        f"printed order, grow over the data sets; up to {ABOUT:g} counts as no growth. The stated "
        "total has L^3, which covers part 1.",
    )


@CLAIMS.about("cde-47")
def little_loss(evidence: Evidence) -> Outcome:
    """F-score with the columns that PCA keeps at beta = 1e-10 against that with all columns."""
    scores, columns = (_sweep(evidence, "beta", name) for name in ("fscore", "dimension"))
    whole, kept = scores.iloc[0], scores.loc[1e-10]
    dropped = (columns.iloc[0] - columns.loc[1e-10]).max()
    return Outcome(
        cases(
            SWEPT, evidence.close(kept, whole), ours=kept - whole, margin=MUCH - abs(kept - whole)
        ),
        "fig03",
        "Ours is the change of the mean F-score. The columns that are left out, up to "
        f"{dropped:.0f} on average, differ by less than beta between any two values.",
    )


@CLAIMS.about("cde-07", "table01", ["FCI"], literal=True)
@CLAIMS.about("cde-08", "table02", ["VCI"])
@CLAIMS.about("cde-10", "table01", ["objects", "values"])
def printed_factors(
    evidence: Evidence, artefact: str, metrics: Sequence[str], literal: bool = False
) -> Outcome:
    """Printed sizes and data factors against ours; `literal` counts eq. (7) as printed too."""
    rows, others = (
        _computed(evidence, table[table["metric"].isin(metrics)])
        for table in (evidence.table(artefact, FIRST), evidence.table(artefact, "literal"))
    )
    twice = rows["reproduced"].map(lambda x: round(round(x, 4) + EQUAL, 3))
    rounded_twice = (abs(twice - rows["printed_value"]) <= EQUAL).sum()
    said = f"; with j = i, as eq. (7) prints it, {sum(met(others))} agree" if literal else ""
    return Outcome(
        _agreeing(rows["dataset"] + " " + rows["metric"], rows),
        artefact,
        f"Rounded to four digits first, {rounded_twice} agree{said}.",
    )


@CLAIMS.about("cde-09")
def factors_of_planted_couplings(evidence: Evidence) -> Outcome:
    """FCI and VCI against the strength of a planted coupling."""
    planted = evidence.experiment("random_tables").query("kind == 'planted'")
    planted = planted.assign(at=planted["strength"]).sort_values("at").set_index("at")
    return Outcome(
        pd.concat(
            _in_order(planted[factor], planted["strength"], part=part)
            for part, factor in enumerate(("fci", "vci"), 1)
        ),
        "random_tables",
        "Part 1 orders pairs of strengths by FCI, part 2 by VCI, without ties.",
    )


@CLAIMS.about("cde-28")
def classes_and_value_clusters(evidence: Evidence) -> Outcome:
    """Number of classes against VCI, over pairs of data sets."""
    data = _factors(evidence, "table02")
    vci, classes = (_printed_factor(evidence, name).loc[data.index] for name in ("VCI", "classes"))
    ours = _in_order(data["vci"], data["classes"])
    return Outcome(pd.concat([ours, _in_order(vci, classes, side="print_holds")]), "factors")


@CLAIMS.about("cde-31")
def largest_sets(evidence: Evidence) -> Outcome:
    """Data sets with the largest |O|, |V|, FCI and VCI, against those of Figs 2 and 3."""
    metrics = ("objects", "values", "FCI", "VCI")
    data = _factors(evidence, "table01")
    ours = [data[name.lower()].idxmax() for name in metrics]
    printed = [_printed_factor(evidence, name).idxmax() for name in metrics]
    held, theirs = (map(str.__eq__, found, SWEPT) for found in (ours, printed))
    return Outcome(cases(metrics, held, ours=ours, printed=printed, print_holds=theirs), "factors")


def _printed_scores(evidence: Evidence, artefact: str) -> pd.DataFrame:
    """Return the printed F-scores, data sets by methods; NaN where none is printed."""
    cells = evidence.printed.query("artefact == @artefact and metric == 'fscore'")
    names = [name for name in cells["dataset_id"].unique() if name != "average"]
    return printed_table(cells).loc[names].replace("", "nan").astype(float)


def _both(
    evidence: Evidence, artefact: str, datasets: Sequence[str] = ()
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return our mean F-scores and the printed ones, data sets (all if empty) by methods."""
    printed = _printed_scores(evidence, artefact)
    names = list(datasets or printed.index)
    rows = evidence.table(artefact, evidence.choice(*READING) if artefact == "table01" else FIRST)
    rows = rows[(rows["metric"] == "fscore") & rows["reproduced"].notna()]
    evidence.need(rows, "dataset", names)
    ours = rows.pivot_table("reproduced", "dataset", "method", aggfunc="first")
    if artefact == "table02" and (setting := _other_setting(evidence)):
        ours.update(_with_setting(evidence, *setting))
    return ours.loc[names], printed.loc[names]


def _other_setting(evidence: Evidence) -> tuple[str, ...]:
    """Return the answers to `SPECTRAL` and `WIDTH`; empty if both are the defaults."""
    told = evidence.choice(*SPECTRAL), evidence.choice(*WIDTH)
    return () if told == (SPECTRAL[1], WIDTH[1]) else told


def _with_setting(evidence: Evidence, setting: str, width: str) -> pd.DataFrame:
    """Return mean F-scores under one setting; with settings fitted to each column, only CDE-G."""
    rows = evidence.table("bandwidths")
    if setting == SPECTRAL[1]:
        own = rows[(rows["method"] == "cde_g") & rows["chosen"]].iloc[0]
        affinity, variant, start = "", own["variant"], own["init"]
    else:
        affinity, variant, start = setting.split()
    rows = rows[(rows["variant"] == variant) & (rows["init"] == start)]
    wanted = rows["method"].map(lambda method: width if method == "cde_g" else affinity)
    return rows[rows["affinity"] == wanted].pivot_table("fscore", "dataset", "method")


def _ahead(
    evidence: Evidence, artefact: str, methods: Iterable[str], datasets: Sequence[str], note: str
) -> Outcome:
    """Test whether the first of some methods is ahead of all others; undecided without a number."""
    method, *others = methods

    def leads(row: pd.Series) -> bool | None:
        return None if row.isna().any() else evidence.ahead(row[method], row[others].max())

    ours, printed = (scores[[method, *others]] for scores in _both(evidence, artefact, datasets))
    frame = cases(
        ours.index,
        map(leads, ours.iloc),
        ours=ours[method],
        printed=printed[method],
        print_holds=map(leads, printed.iloc),
        margin=ours[method] - ours[others].max(axis=1),
    )
    rows = evidence.table(artefact, FIRST).query("metric == 'fscore' and method != ''")
    # cells that the paper leaves empty have no verdict; their number of runs is in trials
    rows = rows.assign(variance=rows["sd"] ** 2 / rows["samples"].fillna(rows["trials"]))
    variance = rows.pivot_table("variance", "dataset", "method", aggfunc="first").loc[ours.index]
    # the embeddings differ, so that equal starts do not make runs of two methods alike
    error = [(variance[method] + variance[other]) ** 0.5 for other in others]
    clear = [
        ours[method] - ours[other] > STANDARD_ERRORS * one
        for other, one in zip(others, error, strict=True)
    ]
    led = pd.concat(clear, axis=1).all(axis=1)
    said = f"more than {IN_WORDS} on {led.sum()} of {len(led)}"
    return Outcome(frame, artefact, note.format(said))


def _agreeing(
    names: Iterable[str], ours: pd.DataFrame, printed: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return one case per number, which holds if it is exact or within noise."""
    return cases(
        names,
        met(ours),
        ours=ours["reproduced"],
        printed=ours["printed"],
        print_holds=None if printed is None else met(printed),
    )


def _stated(
    evidence: Evidence, artefact: str, reading: str, column: str, names: Sequence[str]
) -> list[pd.DataFrame]:
    """Return the rows of a table with some names, under a reading and from the printed columns."""
    tables = [evidence.table(artefact, one).dropna(subset="reproduced") for one in (reading, PRINT)]
    return [evidence.need(rows, column, names)[rows[column].isin(names)] for rows in tables]


def _computed(evidence: Evidence, rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows of verdicts, all of which must have been computed."""
    evidence.need(rows[rows["verdict"] != "not run"], "dataset", rows["dataset"])
    return rows


@CLAIMS.about("cde-11", "table01")
@CLAIMS.about("cde-21", "table02", FITTED)
def printed_f_scores(evidence: Evidence, artefact: str, remark: str = "") -> Outcome:
    """Printed F-scores against ours."""
    rows = evidence.table(artefact, evidence.choice(*READING))
    printed = rows["dataset"].isin(_printed_scores(evidence, artefact).index)
    rows = _computed(
        evidence, rows[(rows["metric"] == "fscore") & rows["verdict"].notna() & printed]
    )
    return Outcome(_agreeing(rows["dataset"] + " " + rows["label"], rows), artefact, remark)


@CLAIMS.about("cde-13", ["cde_vs_0_1", "cde_vs_0_1p", "cde_vs_idf"])
@CLAIMS.about("cde-23", ["cde_g_vs_cos", "cde_g_vs_dilca", "cde_g_vs_algo"], FITTED)
def gains(evidence: Evidence, methods: Sequence[str], remark: str = "") -> Outcome:
    """Gains of the averages, ours and from the printed columns."""
    sides = _stated(evidence, "text", evidence.choice(*READING), "method", methods)
    ours, printed = (rows.set_index("method").loc[methods] for rows in sides)
    return Outcome(_agreeing(methods, ours, printed), "text", remark)


@CLAIMS.about("cde-14")
def averages_of_table_1(evidence: Evidence) -> Outcome:
    """Averages of the four columns, ours and from the printed columns."""
    sides = _stated(evidence, "table01", evidence.choice(*READING), "dataset", ["average"])
    return Outcome(_agreeing(sides[0]["label"], *sides), "table01")


@CLAIMS.about("cde-15", "table01", 0.05)
@CLAIMS.about("cde-25", "table02", 0.10, FITTED)
def tests(evidence: Evidence, artefact: str, level: float, remark: str = "") -> Outcome:
    """Significance by a paired two-tailed t-test, ours and from the printed columns."""
    counted = evidence.choice(*READING) if artefact == "table01" else FIRST
    ours, printed = _stated(evidence, artefact, counted, "dataset", ["p_value"])
    p = ours.set_index("method")["reproduced"]
    held = p < level
    if artefact == "table02" and _other_setting(evidence):
        scores = _both(evidence, artefact)[0].dropna()
        found = pd.DataFrame([paired_test(scores["cde_g"], scores[name]) for name in p.index])
        p, held = found["p"], (found["p"] < level) & (found["difference"] > 0)
    sides = {"ours": p, "printed": ours["printed"], "print_holds": printed["reproduced"] < level}
    return Outcome(cases(ours["label"], held, **sides, margin=level - p), artefact, remark)


@CLAIMS.about("cde-17", "table01", HIGH_FCI)
@CLAIMS.about("cde-19", "table01", LOW_FCI)
@CLAIMS.about("cde-22", "table02", remark=FITTED)
def best(
    evidence: Evidence, artefact: str, datasets: Sequence[str] = (), remark: str = ""
) -> Outcome:
    """Highest F-score of the paper's own method, data set by data set (all if empty)."""
    return _ahead(
        evidence, artefact, METHODS[artefact], datasets, f"The lead is {{}}. {remark}".strip()
    )


@CLAIMS.about("cde-12")
def best_on_seven(evidence: Evidence) -> Outcome:
    """CDE on the seven data sets where its printed F-score is the highest."""
    every = best(evidence, "table01").cases
    return best(evidence, "table01", list(every.loc[every["print_holds"] == HOLDS, "case"]))


@CLAIMS.about("cde-29")
def best_on_high_vci(evidence: Evidence) -> Outcome:
    """CDE-G on the data sets with more than two classes, which have the largest VCI."""
    classes = _factors(evidence, "table02")["classes"]
    return best(evidence, "table02", list(classes.index[classes > 2]), FITTED)


@CLAIMS.about("cde-20")
def idf_on_weak_couplings(evidence: Evidence) -> Outcome:
    """IDF on the data sets whose FCI is below that of all data sets named as high."""
    fci = _printed_factor(evidence, "FCI")
    weak = list(fci.index[fci < fci[list(HIGH_FCI)].min()])
    methods = sorted(METHODS["table01"], key=lambda name: name != "idf")
    return _ahead(evidence, "table01", methods, weak, "The lead is {}.")


@CLAIMS.about("cde-18")
def pca_on_high_fci(evidence: Evidence) -> Outcome:
    """0-1P against 0-1 on the data sets named as having a high FCI."""
    note = "0-1P is a rotation of 0-1, so k-means sees the same distances. Its lead is {}."
    return _ahead(evidence, "table01", ["zero_one_p", "zero_one"], HIGH_FCI, note)


@CLAIMS.about("cde-16", "table01", "FCI", ("cde", "zero_one", "zero_one_p"))
@CLAIMS.about("cde-30", "table02", "VCI", tuple(METHODS["table02"]))
def trend(evidence: Evidence, artefact: str, factor: str, methods: Sequence[str]) -> Outcome:
    """Rank correlation of a method's F-scores with a data factor; a positive one holds."""
    scores = _both(evidence, artefact)
    factors = _factors(evidence, artefact)[factor.lower()], _printed_factor(evidence, factor)
    rho, printed = (
        one[[*methods]].corrwith(values, method="spearman").rename(METHODS[artefact])
        for one, values in zip(scores, factors, strict=True)
    )
    sides = {"ours": rho, "printed": printed, "print_holds": printed > 0}
    return Outcome(
        cases(rho.index, rho > 0, **sides, margin=rho),
        artefact,
        f"Rank correlation of F-scores with {factor}.",
        valued(rho, "{} {:.2f}"),
    )


@CLAIMS.about("cde-24")
def data_sets_of_the_averages(evidence: Evidence) -> Outcome:
    """Printed averages of Table 2 against the means of its first nine printed rows."""
    nine = _printed_scores(evidence, "table02").iloc[:9]
    cells = evidence.printed.query("artefact == 'table02' and dataset_id == 'average'")
    averages = cells.set_index("method_id")["value"].astype(float)[nine.columns]

    def fits(rows: pd.DataFrame) -> pd.Series:
        return (rows.mean() - averages).abs() <= 0.001

    fit = [name for name in nine.index if fits(nine.drop(index=name)).all()]
    return Outcome(
        cases(nine.columns, ours=nine.mean(), printed=averages, print_holds=fits(nine)),
        "table02",
        f"Without {' or '.join(fit) or 'any one row'} all averages are as printed.",
    )


FIGURES = {"alpha": "fig02", "beta": "fig03"}


def _sweep(evidence: Evidence, parameter: str, mean: str) -> pd.DataFrame:
    """Return a mean by value of ``alpha`` or ``beta`` (rows) and data set, first reading."""
    rows = evidence.need(evidence.table(FIGURES[parameter], FIRST), "dataset", SWEPT)
    return rows.pivot_table(mean, parameter, "dataset")[list(SWEPT)]


@CLAIMS.about("cde-32", "alpha")
@CLAIMS.about("cde-34", "beta")
def flat(evidence: Evidence, parameter: str) -> Outcome:
    """Range of the mean F-score over all values of a parameter; a small one holds."""
    curves = _sweep(evidence, parameter, "fscore")
    widths = curves.max() - curves.min()
    return Outcome(
        cases(SWEPT, evidence.close(curves.max(), curves.min()), ours=widths, margin=MUCH - widths),
        FIGURES[parameter],
        f"A case is the range of the mean F-score over {parameter}.",
    )


@CLAIMS.about("cde-33")
def dimension_along_alpha(evidence: Evidence) -> Outcome:
    """Smallest alpha from which the number of value clusters stays within 5 % of its last value."""
    first = thresholds(evidence.experiment("alpha", SWEPT), "alpha")
    return Outcome(
        cases(first.index, first <= 10, ours=first),
        "fig02",
        "While k <= alpha, the rule does not depend on alpha.",
    )


@CLAIMS.about("cde-35")
def dimension_falls_with_beta(evidence: Evidence) -> Outcome:
    """The dimension never rises from beta = 1e-15 on, and ends lower."""
    curves = _sweep(evidence, "beta", "dimension").loc[1e-15:]
    falling = (curves.diff().iloc[1:] <= 0).all() & (curves.iloc[0] > curves.iloc[-1])
    first = thresholds(evidence.experiment("beta", SWEPT), "beta")
    return Outcome(
        cases(SWEPT, falling, margin=curves.iloc[0] - curves.iloc[-1]),
        "fig03",
        f"The dimension first falls at beta {valued(first, '{1:.0e} on {0}')}, where columns of "
        "rounding noise vanish.",
    )


@CLAIMS.about("cde-36")
def dimension_stays_with_beta(evidence: Evidence) -> Outcome:
    """The dimension is the same for every beta from 1e-15 on."""
    curves = _sweep(evidence, "beta", "dimension").loc[1e-15:]
    width, middle = curves.max() - curves.min(), curves.loc[1e-12:0.1]
    steady = middle.max() - middle.min() <= 0.05 * middle.max()
    return Outcome(
        cases(SWEPT, width <= 0, ours=width, margin=-width),
        "fig03",
        f"Between 1e-12 and 0.1 the dimension stays within 5 % on {listed(steady.index[steady])}; "
        "below this range columns of rounding noise disappear, above it components that carry "
        "weight.",
    )


def _exponents(
    evidence: Evidence, stated: dict[str, tuple[str, int]], part: int = 1
) -> pd.DataFrame:
    """Test whether measured exponents are at most the stated ones: letter and limit by work."""
    growth = evidence.experiment("embedding_growth")
    powers = [
        times.power({int(row["size"]): times.Seconds.of(row) for row in rows.to_dict("records")})
        for rows in (growth[growth["work"] == work] for work in stated)
    ]
    letters, limits = zip(*stated.values(), strict=True)
    held = [power.at_most(limit) for power, limit in zip(powers, limits, strict=True)]
    return cases(map("{}^".format, letters), held, ours=map(str, powers), printed=limits, part=part)


@CLAIMS.about("cde-06")
def complexity(evidence: Evidence) -> Outcome:
    """Exponents of the parts of CDE's time, and numbers of value clusters against L."""
    steps = evidence.experiment("granularity")
    counting = _exponents(evidence, {"objects": ("n", 1), "attributes": ("m", 2)})
    powers = pd.concat([counting, _exponents(evidence, {"values": ("L", 3)}, part=2)])
    return Outcome(
        pd.concat([powers, _tallied(steps["dataset"], steps["k"] < steps["values"], part=3)]),
        "embedding_growth",
        "k-means with up to k clusters of L rows of length L, for a k that grows with L, is more "
        "than the clustering of O(k L) that the paper adds up.",
        value=", ".join(powers["case"] + powers["ours"]),
    )


@CLAIMS.about("cde-41")
def kmeans_linear(evidence: Evidence) -> Outcome:
    """Exponents of the time of one update of the centres, in rows and columns of the matrix."""
    found = _exponents(evidence, {"rows": ("n", 1), "columns": ("d", 1)})
    return Outcome(found, "embedding_growth", value=", ".join(found["case"] + found["ours"]))


@CLAIMS.about("cde-26")
def memory(evidence: Evidence) -> Outcome:
    """Peak memory of our code; that of the authors' programs is not published."""
    records = evidence.experiment("adult_cost", ["adult"])
    peaks = records.set_index("pipeline")["peak_mib"].drop("cde_g")
    return Outcome(
        None,
        "adult_cost",
        "The memory that the authors' programs needed is not published: a matrix over all pairs "
        f"takes {records['matrix_mib'].iloc[0]:.0f} MiB, and our code needs none "
        f"({valued(peaks, '{} {:.0f} MiB')} at the peak, Python included).",
    )


@CLAIMS.about("cde-27")
def storage(evidence: Evidence) -> Outcome:
    """Size of a matrix over all pairs of objects over that of an embedding, by data set."""
    columns, sizes = _object_columns(evidence, "adult")
    ratio = (sizes["objects"] / columns).dropna().sort_values()
    return Outcome(
        cases(ratio.index, ratio > 1, ours=ratio, margin=ratio - 1),
        "embeddings",
        "Ours is the size of a matrix over all pairs of objects, divided by that of the embedding.",
        value=f"{ratio['adult']:.0f}",
    )


@CLAIMS.about("cde-37")
def speed(evidence: Evidence) -> Outcome:
    """Seconds of CDE against other methods.

    Part 1, by data set: about ten times the mean of the other embeddings. Part 2, by data set and
    similarity: more than `times.MUCH_LONGER` times faster.
    """
    records = evidence.experiment("embedding_times")
    tenfold, much = {}, {}
    for name, rows in records.groupby("dataset", sort=False):
        taken = {
            kind: {row["method"]: times.Seconds.of(row) for row in some.to_dict("records")}
            for kind, some in rows.groupby("kind")
        }
        mine = taken["embedding"].pop("cde")
        theirs = HALF_ORDER * times.mean(taken["embedding"].values())
        tenfold[name] = times.every([times.faster(theirs, mine), times.faster(mine, 10 * theirs)])
        for method, one in taken.get("similarity", {}).items():
            much[f"{name} {method}"] = times.faster(times.MUCH_LONGER * mine, one)
    ratios = slowdown(records)
    return Outcome(
        pd.concat([cases(tenfold, tenfold.values()), cases(much, much.values(), part=2)]),
        "times",
        f"CDE takes {ratios['min']:.1f} to {ratios['max']:.1f} times as long as the mean of the "
        f"other embeddings (median {ratios['median']:.1f}).",
        value=f"{ratios['median']:.1f}",
    )


@CLAIMS.about("cde-38")
def dm_against_dilca_and_algo(evidence: Evidence) -> Outcome:
    """DM against DILCA and ALGO, a comparison without printed numbers."""
    return Outcome(
        None,
        note="The footnote prints no number, and DM is defined in another paper (Jia, Cheung, Liu "
        "2016) that is none of those reproduced here.",
    )


@CLAIMS.about("cde-39")
def nmi_like_f_score(evidence: Evidence) -> Outcome:
    """Rank correlation of NMI and F-score over the embeddings, by data set."""
    records = evidence.experiment("embeddings").query("measure != 'cde_printed'")
    groups = records.groupby(["dataset", "measure"])[["fscore", "nmi"]].mean().groupby("dataset")
    best = groups.idxmax()
    rho = pd.Series({name: one["fscore"].corr(one["nmi"], "spearman") for name, one in groups})
    return Outcome(
        cases(rho.index, rho > 0.5, ours=rho, margin=rho - 0.5),
        "embeddings",
        "The best of the four embeddings is the same by NMI and F-score on "
        f"{(best['fscore'] == best['nmi']).sum()} data sets.",
    )
