"""Claims of DILCA on its experiments, each as its cases on the tables and tests of the run.

A comparison is about one data set and one index: the better of DILCA_M and DILCA_RR against the
best of the rivals. Our scores are those of the reconciled reading, in which DILCA_M, ROCK and LIMBO
take the setting that the paper's rule picks with the class labels. They leave out SynA to SynD, for
which the settings of the generator were not printed, unless the sentence names them: then ours are
means over generated tables, without SynA, whose printed scores led to our settings. The printed
scores cover all data sets. The evidence adds how
many cases hold with fixed settings, which need no labels.
"""

from collections.abc import Callable, Collection, Iterable, Sequence

import pandas as pd

from replication.judge.cells import COMPARABLE, valued
from replication.judge.claims import (
    EQUAL,
    SIGNIFICANCE_LEVEL,
    Evidence,
    MissingEvidenceError,
    Outcome,
    answer,
    cases,
    met,
)
from replication.judge.verdicts import EXACT, NOT_RUN
from replication.papers.dilca.claims_theory import CLAIMS
from replication.papers.dilca.records import ALGORITHMS, DILCA, INDICES, PURITY_COLUMNS, RECONCILED
from replication.run.selection import FIXED

LITERAL = "literal"

MEASURES = ("lin", "of", "goodall3")
BASELINES = ("jaccard", "pearson")
SYNTHETIC = ("syn_a", "syn_b", "syn_c", "syn_d")
"""Data sets whose generator is public, but not its settings and seed."""
GENERATED = SYNTHETIC[1:]
"""Those on which a sentence that names them is judged; the settings were chosen on the other."""
GROUPS = {
    ALGORITHMS: ("fig03", "fig04", "fig05"),
    MEASURES: ("fig06", "fig07", "fig08"),
    BASELINES: ("fig09", "fig10", "fig11"),
}
"""Rivals, and their tables of purity, NMI and ARI."""
TABLES = {
    artefact: (index, rivals)
    for rivals, artefacts in GROUPS.items()
    for index, artefact in zip(INDICES, artefacts, strict=True)
}
"""Index and rivals of each table."""


def public(datasets: Iterable[str]) -> list[str]:
    """Return the data sets that are not synthetic ones of the paper."""
    return [name for name in datasets if name not in SYNTHETIC]


@CLAIMS.about("dilca-08", "fig03", (*DILCA, *ALGORITHMS))
@CLAIMS.about("dilca-09", "fig04", (*DILCA, *ALGORITHMS))
@CLAIMS.about("dilca-10", "fig05", (*DILCA, *ALGORITHMS))
@CLAIMS.about("dilca-11", "fig06", MEASURES)
@CLAIMS.about("dilca-12", "fig07", MEASURES)
@CLAIMS.about("dilca-13", "fig08", MEASURES)
@CLAIMS.about("dilca-14", "fig09", BASELINES)
@CLAIMS.about("dilca-15", "fig10", BASELINES)
@CLAIMS.about("dilca-16", "fig11", BASELINES)
@CLAIMS.about("dilca-44", "fig15")
@CLAIMS.about("dilca-52", "fig02")
def printed_numbers(evidence: Evidence, artefact: str, methods: Collection[str] = ()) -> Outcome:
    """Verdicts on the printed numbers of one artefact, or of some of its methods."""
    rows = evidence.table(artefact, evidence.choice("reading", RECONCILED, LITERAL))
    if methods:
        rows = rows[rows["method"].isin(methods)]
    if len(missing := rows.loc[rows["verdict"] == NOT_RUN, "dataset"].unique()):
        raise MissingEvidenceError(
            f"not part of this run (effort {evidence.effort}): {', '.join(missing)}"
        )
    shown = rows[rows["verdict"].isin(COMPARABLE)]
    names = shown["dataset"].map(evidence.names()) + " " + shown["label" if methods else "metric"]
    printed = shown["printed_value" if "printed_value" in shown else "printed"]
    return Outcome(
        cases(names, met(shown), ours=shown["reproduced"].astype(float), printed=printed),
        artefact,
        f"{(shown['verdict'] == EXACT).sum()} numbers are exact, {len(rows) - len(shown)} cannot "
        "be compared.",
    )


DIGIT = 1.01e-4
"""One unit of the last printed digit, because some printed numbers are truncated."""


def _settled(evidence: Evidence, artefact: str) -> pd.DataFrame:
    """Comparable cells of a table under the first reading, each with its ``case``."""
    rows = evidence.table(artefact, RECONCILED).query("verdict in @COMPARABLE")
    evidence.need(rows, "dataset", ("titanic", "balloons"))
    rows = rows.assign(case=rows["dataset"].map(evidence.names()) + " " + rows["label"])
    return rows.set_index(["dataset", "method"])


def _gives(rows: pd.DataFrame, column: str) -> pd.Series:
    """Whether a column has the printed number, cell by cell."""
    return (rows[column] - rows["printed_value"]).abs() < DIGIT


@CLAIMS.about("dilca-17")
def purity_kind(evidence: Evidence) -> Outcome:
    """Kind of purity that is printed, in cells whose NMI and ARI are exact."""
    parts = []
    for artefacts in GROUPS.values():
        purity, nmi, ari = (_settled(evidence, artefact) for artefact in artefacts)
        same = [purity.index.isin(one.index[one["verdict"] == EXACT]) for one in (nmi, ari)]
        parts.append(purity[same[0] & same[1]])
    rows = pd.concat(parts)
    rows = rows[(rows["eq5"] - rows["inverse"]).abs() > EQUAL]
    # the paper prints both DILCA columns in all three groups: each cell counts once
    rows = rows[~rows.index.duplicated()]
    if rows.empty:
        raise MissingEvidenceError("no cell of this run tells the kinds of purity apart")
    inverse, matching = (_gives(rows, kind).sum() for kind in ("inverse", "matching"))
    return Outcome(
        cases(rows["case"], _gives(rows, "eq5"), ours=rows["eq5"], printed=rows["printed_value"]),
        "fig03 fig06 fig09",
        f"The transpose of eq. (5), classes over clusters, gives the printed number in {inverse} "
        f"cases, the best one-to-one matching in {matching}.",
    )


@CLAIMS.about("dilca-18")
def nmi_kind(evidence: Evidence) -> Outcome:
    """Normalisation of NMI that is printed."""
    rows = pd.concat([_settled(evidence, nmi) for _, nmi, _ in GROUPS.values()])
    root, mean = (_gives(rows, column) for column in ("reproduced", "nmi_arithmetic"))
    rows = rows.assign(root=root)[root != mean]
    rows = rows[~rows.index.duplicated()]
    if rows.empty:
        raise MissingEvidenceError(
            "no cell of this run tells the normalisations apart; with dilca.nmi answered by the "
            "arithmetic mean ours is the one that it is compared with"
        )
    return Outcome(
        cases(rows["case"], rows["root"], ours=rows["reproduced"], printed=rows["printed_value"]),
        "fig04 fig07 fig10",
        "Cases are cells whose digits only one normalisation gives; ours divides by the root of "
        "the product of the entropies.",
    )


@CLAIMS.about("dilca-54")
def supervised_cuts(evidence: Evidence) -> Outcome:
    """Number of exact cells per method with supervised cuts, and with ten bins of equal width."""
    rows = evidence.table("preparations")
    exact = rows.pivot_table("exact", "label", "way", "sum", sort=False).astype(int)
    return Outcome(
        cases(
            exact.index,
            exact["mdl"] >= exact[["bins", "mdl_or_bins"]].max(axis=1),
            ours=exact["mdl"],
            margin=exact["mdl"] - exact["bins"],
        ),
        "preparations",
        "Ours is the number of printed scores that are exact with the supervised cuts, on the "
        f"{rows['dataset'].nunique()} data sets with numbers. With ten bins of equal width it is "
        f"{valued(exact['bins'])}.",
    )


def _by_metric(rows: pd.DataFrame, column: str, metrics: Sequence[str]) -> pd.DataFrame:
    """Numbers by data set, one column per metric."""
    return rows.pivot_table(column, "dataset_id", "metric", "first")[list(metrics)].astype(float)


@CLAIMS.about("dilca-24")
def sparse(evidence: Evidence) -> Outcome:
    """Values per attribute of the synthetic sets."""
    cells = evidence.printed.query("artefact == 'fig02'")
    wide = _by_metric(cells, "value", ["values", "features"]).loc[list(SYNTHETIC[1:])]
    ratios = (wide["values"] / wide["features"]).rename(evidence.names())
    said = evidence.stated("values_per_variable_low", "values_per_variable_high")
    return Outcome(cases(ratios.index, printed=ratios, print_holds=ratios.isin(said)), "fig02")


@CLAIMS.about("dilca-45")
def context_is_small(evidence: Evidence) -> Outcome:
    """Mean context size over the number of other attributes."""
    datasets = public(evidence.datasets("fig15"))
    rows = evidence.table("fig15", RECONCILED).dropna(subset="reproduced")
    rows = evidence.need(rows, "dataset", datasets).rename(columns={"dataset": "dataset_id"})
    cells = evidence.printed[evidence.printed["artefact"] == "fig15"]
    sides = []
    for some, column in ((rows[rows["dataset_id"].isin(datasets)], "reproduced"), (cells, "value")):
        wide = _by_metric(some, column, ["mean_context_size", "orig_attributes"])
        size, others = wide["mean_context_size"], wide["orig_attributes"] - 1
        both = pd.DataFrame({"value": size / others, "holds": evidence.small(size, others)})
        sides.append(both.rename(index=evidence.names()))
    return Outcome(
        _both(*sides),
        "fig15",
        "Values are shares of the other attributes in the context of DILCA_RR. As in the paper, "
        "numeric attributes are discretised with the class labels.",
    )


def _both(ours: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Cases of two sides with ``value`` and ``holds`` by case; either side may lack a case."""
    wide = pd.concat([ours, printed.add_prefix("print_")], axis=1).astype(object)
    wide = wide.where(wide.notna(), None)
    found = cases(wide.index, ours=wide["value"], printed=wide["print_value"])
    for name in ("holds", "print_holds"):
        found.loc[wide[name].notna().to_numpy(), name] = wide[name].dropna().map(answer).to_numpy()
    return found


JUDGES = ("nmi", "ari")
"""Indices by which the paper judges; it calls purity misleading."""


def _sensitivity(evidence: Evidence, *methods: str) -> pd.DataFrame:
    """Range of NMI and ARI over the settings of some methods, one row per data set and index."""
    datasets = public(evidence.datasets("fig04"))
    frame = evidence.need(evidence.table("sensitivity"), "dataset", datasets)
    shown = frame["dataset"].isin(datasets) & frame["index"].isin(JUDGES)
    found = frame[shown & frame["method"].isin(methods)]
    case = found["dataset"].map(evidence.names()) + " " + found["index"].map(INDICES)
    return found.assign(case=case)


@CLAIMS.about("dilca-25")
def theta_matters(evidence: Evidence) -> Outcome:
    """Range of NMI and ARI over theta."""
    rows = _sensitivity(evidence, "rock")
    return Outcome(
        cases(rows["case"], evidence.ahead(rows["high"], rows["low"]), ours=rows["range"]),
        "sensitivity",
        f"Over theta, NMI and ARI of ROCK change by {rows['range'].mean():.3f} on average.",
    )


@CLAIMS.about("dilca-26")
def best_sigma(evidence: Evidence) -> Outcome:
    """Sigma of the highest NMI and ARI, on the data sets where the score depends on sigma."""
    rows = _sensitivity(evidence, "dilca_m")
    rows = rows[rows["range"] > EQUAL]
    # of several best settings the largest favours the claim
    best = rows["best"].map(lambda text: float(str(text).split()[-1]))
    return Outcome(
        cases(rows["case"], best > 0.5, ours=best, margin=best - 0.5),
        "sensitivity",
        "Ours is the best sigma by the class labels, the largest where several are best.",
    )


@CLAIMS.about("dilca-36")
def sigma_on_uci(evidence: Evidence) -> Outcome:
    """Range over sigma on the data sets of the UCI repository."""
    datasets = public(evidence.datasets("fig04"))
    frame = evidence.need(evidence.table("fig12"), "dataset", datasets)
    groups = frame.groupby("dataset")[["eq5", "nmi"]]
    ranges = (groups.max() - groups.min()).loc[datasets]
    least = evidence.stated(*(f"min_variation_to_be_plotted_{one}" for one in ("purity", "nmi")))
    low = ~(ranges >= [one - EQUAL for one in least]).any(axis=1)
    names, ours = ranges.index.map(evidence.names()), ranges.max(axis=1)
    parts = enumerate((low, low == (low.index != "vote")), 1)
    return Outcome(
        pd.concat([cases(names, holds, ours=ours, part=part) for part, holds in parts]),
        "fig12",
        "Ours is the larger range over sigma of purity by eq. (5) and NMI.",
    )


@CLAIMS.about("dilca-37")
def sigma_on_synthetic(evidence: Evidence) -> Outcome:
    """Rank correlation of purity and NMI with sigma; 0 if the score is constant."""
    frame = evidence.need(evidence.table("fig13"), "dataset", SYNTHETIC)
    frame = frame[frame["dataset"].isin(GENERATED)]
    columns = {"eq5": "purity", "nmi": "NMI"}
    found = {
        f"{evidence.names()[name]} {word}": float(rows[["sigma", key]].rank().corr()["sigma"][key])
        for name, rows in frame.groupby("dataset", sort=False)
        for key, word in columns.items()
    }
    ours = pd.Series(found).fillna(0.0)
    return Outcome(
        cases(ours.index, ours > 0, ours=ours),
        "fig13",
        "Ours is the rank correlation with sigma of purity (eq. 5) and NMI, means over generated "
        "tables. SynA is left out, because our settings of the generator were chosen on it.",
    )


@CLAIMS.about("dilca-53")
def sigma_matters_less(evidence: Evidence) -> Outcome:
    """Range of NMI and ARI over sigma against the range over theta and over phi."""
    rows = _sensitivity(evidence, "dilca_m", "rock", "limbo")
    wide = rows.pivot_table(index="case", columns="method", values="range", sort=False)
    less = [
        cases(
            wide.index + f", {rival.upper()}",
            evidence.ahead(wide[rival], wide["dilca_m"]),
            ours=wide["dilca_m"],
            margin=wide[rival] - wide["dilca_m"],
        )
        for rival in ("rock", "limbo")
    ]
    means = valued(rows.groupby("method", sort=False)["range"].mean(), "{} {:.3f}")
    return Outcome(
        pd.concat(less),
        "sensitivity",
        f"Ours is the range over sigma; mean ranges are {means}; the number of clusters was not "
        "varied.",
    )


ORACLE = {
    ALGORITHMS: "settings of DILCA_M, ROCK and LIMBO, and the variant, picked with the class "
    "labels",
    MEASURES: "sigma and the variant of DILCA, and the discretisation for OF, picked with the "
    "class labels",
    BASELINES: "sigma and the variant of DILCA picked with the class labels",
}
"""Choices that the class labels take part in, by rivals."""
ROCKS = ("post_operative", "titanic", "hepatitis", "breast_cancer")
"""Data sets on which ROCK's purity is high."""
NAMED = ("vote", "titanic", "balloons", "syn_a", "syn_b")


def _scores(evidence: Evidence, artefact: str) -> dict[str, pd.DataFrame]:
    """Scores by data set (rows) and method: ours, ours at fixed settings, and printed."""
    column = "reproduced"
    counted = evidence.choice("reading", RECONCILED, LITERAL, FIXED)
    if TABLES[artefact][0] == "purity":
        column = evidence.choice("dilca.purity", "reproduced", "eq5", "matching")
    main = evidence.wide(artefact, LITERAL if counted == LITERAL else RECONCILED, column)
    fixed = evidence.wide(artefact, FIXED, column).combine_first(main)
    ours = fixed if counted == FIXED else main
    return {"ours": ours, "fixed": fixed, "printed": evidence.wide(artefact)}


def duels(
    evidence: Evidence,
    artefacts: Iterable[str],
    datasets: Collection[str] = (),
    rivals: Collection[str] = (),
) -> pd.DataFrame:
    """Compare the better DILCA variant with the best rival, by data set and key of `TABLES`.

    Empty `datasets` and `rivals` stand for all of the table. Our side has generated data sets only
    if they are named.

    Returns
    -------
    DataFrame
        One row per side, data set and artefact: ``side`` (``ours``, ``fixed`` or ``printed``),
        ``dataset``, ``artefact``, ``index``, ``case``, ``dilca`` and ``rival`` (score of the better
        variant and of the best rival) and ``lead``, their difference.

    Raises
    ------
    MissingEvidenceError
        If a table lacks our number for a data set that is not synthetic.
    """
    found, called = [], evidence.names()
    for artefact in artefacts:
        index, every = TABLES[artefact]
        names, against = list(datasets or evidence.datasets(artefact)), list(rivals or every)
        counted = [*public(names), *(one for one in GENERATED if one in datasets)]
        for side, scores in _scores(evidence, artefact).items():
            wide = scores.reindex(
                index=names if side == "printed" else counted, columns=[*DILCA, *against]
            )
            if absent := [*wide.index[wide.isna().any(axis=1)]]:
                raise MissingEvidenceError(
                    f"not part of this run (effort {evidence.effort}): {artefact}, {absent[0]}"
                )
            dilca, rival = wide[[*DILCA]].max(axis=1), wide[against].max(axis=1)
            case = wide.index.map(called) + f" {INDICES[index]}"
            what = {"side": side, "dataset": wide.index, "artefact": artefact, "index": index}
            scored = {"case": case, "dilca": dilca, "rival": rival, "lead": dilca - rival}
            found.append(pd.DataFrame(what | scored))
    return pd.concat(found, ignore_index=True)


def _sides(found: pd.DataFrame) -> pd.DataFrame:
    """Cases from rows of `duels` with a column ``held``; the values are DILCA's leads."""
    rows = found.set_index("case").rename(columns={"lead": "value", "held": "holds"})
    sides = [rows.loc[rows["side"] == side, ["value", "holds"]] for side in ("ours", "printed")]
    return _both(*sides)


def _note(found: pd.DataFrame, rivals: tuple[str, ...], value: str = "the lead") -> str:
    """Sentence on the values, the choices made with class labels, and the fixed settings."""
    fixed = found.loc[found["side"] == "fixed", "held"]
    return (
        f"Values are {value} of the better DILCA variant ({ORACLE[rivals]}); with fixed settings "
        f"{int(fixed.sum())} of {len(fixed)} cases hold."
    )


@CLAIMS.about("dilca-20", ("fig04", "fig05"), ROCKS, ("rock",))
@CLAIMS.about("dilca-23", ("fig04", "fig05"), ("vote", "dermatology", "titanic", *SYNTHETIC[1:]))
@CLAIMS.about("dilca-28", ("fig07",), NAMED)
@CLAIMS.about("dilca-29", ("fig08",), (*NAMED, "audiology", "adult", "post_operative"))
@CLAIMS.about("dilca-30", ("fig10", "fig11"), (), ("jaccard",))
@CLAIMS.about("dilca-31", ("fig10", "fig11"), (), ("pearson",), Evidence.close)
@CLAIMS.about(
    "dilca-32", ("fig10",), ("audiology", "vote", "dermatology", *SYNTHETIC[1:]), ("pearson",)
)
@CLAIMS.about(
    "dilca-33", ("fig11",), ("vote", "dermatology", "car", "adult", "syn_b", "syn_c"), ("pearson",)
)
@CLAIMS.about(
    "dilca-49",
    ("fig04", "fig05"),
    SYNTHETIC,
    ("delta",),
    note="This is an opinion on other authors' distance, on generated data whose settings were not "
    "printed.",
)
def ahead(
    evidence: Evidence,
    artefacts: Sequence[str],
    datasets: Collection[str] = (),
    rivals: Collection[str] = (),
    holds: Callable[[Evidence, pd.Series, pd.Series], pd.Series] = Evidence.ahead,
    note: str = "",
) -> Outcome:
    """Data sets on which the better variant is ahead of the rivals, or meets another condition."""
    found = duels(evidence, artefacts, datasets, rivals)
    found["held"] = holds(evidence, found["dilca"], found["rival"])
    note = note or _note(found, TABLES[artefacts[0]][1])
    return Outcome(_sides(found), " ".join(artefacts), note)


@CLAIMS.about("dilca-35")
def never_wins_on_car(evidence: Evidence) -> Outcome:
    """Data set Car in all nine tables: DILCA is never ahead of the best rival."""
    found = duels(evidence, TABLES, ("car",))
    found["held"] = ~evidence.ahead(found["dilca"], found["rival"])
    found["case"] += " " + found["artefact"]
    return Outcome(_sides(found), "fig03 to fig11", _note(found, ALGORITHMS))


@CLAIMS.about("dilca-51")
def car_is_low(evidence: Evidence) -> Outcome:
    """Highest ARI and NMI of any method on Car."""
    found = duels(evidence, TABLES, ("car",)).query("side == 'ours'")
    best = found.groupby("index")[["dilca", "rival"]].max().max(axis=1)
    return Outcome(
        None,
        "fig04 to fig11",
        f"The best of all ten methods on Car ({ORACLE[ALGORITHMS]}) has NMI {best['nmi']:.4f} and "
        f"ARI {best['ari']:.4f}; numbers cannot show that the class labels are the cause.",
        f"{best['ari']:.4f}",
    )


@CLAIMS.about("dilca-19")
def rock_shapes(evidence: Evidence) -> Outcome:
    """Sizes of ROCK's clusters behind its purity."""
    frame = evidence.experiment("rock_clusters", ROCKS)
    rows = frame[frame["chosen"] & (frame["algorithm"] == "rock_last")]
    # a cluster that is larger than the largest class holds objects of several
    holds = (rows["largest_share"] > rows["majority_share"]) & (rows["small_pure"] > 0)
    return Outcome(
        cases(rows["dataset"].map(evidence.names()), holds, ours=rows["sizes"]),
        "rock_clusters",
        "Ours are the cluster sizes at the reported theta. A case holds if one cluster is larger "
        "than the largest class, and a pure one has less than 5 % of the objects.",
    )


def _unbeaten(evidence: Evidence, found: pd.DataFrame) -> pd.DataFrame:
    """By data set, whether no rival is ahead in one of the indices `JUDGES`."""
    found = found[found["index"].isin(JUDGES)]
    return _by_dataset(evidence, found.assign(held=~evidence.ahead(found["rival"], found["dilca"])))


def _by_dataset(evidence: Evidence, found: pd.DataFrame) -> pd.DataFrame:
    """Fold the indices of each side and data set: any that holds, and the highest lead."""
    rows = found.groupby(["side", "dataset"], sort=False).agg({"held": "any", "lead": "max"})
    return rows.reset_index().assign(case=lambda one: one["dataset"].map(evidence.names()))


@CLAIMS.about("dilca-21")
def best_of_all(evidence: Evidence) -> Outcome:
    """Data sets on which a DILCA variant is best or tied."""
    found = _unbeaten(evidence, duels(evidence, ("fig04", "fig05")))
    won = found[found["held"]]
    ours, printed = (won.loc[won["side"] == side, "dataset"] for side in ("ours", "printed"))
    (said,) = map(int, evidence.stated("datasets_where_best"))
    # our runs leave out the synthetic sets: compare with the printed count of the others
    again = len(public(printed))
    number = cases(
        ["number of data sets that the paper did not generate"],
        [len(ours) == again],
        ours=[len(ours)],
        printed=[again],
        print_holds=[len(printed) == said],
        part=2,
    )
    return Outcome(
        pd.concat([_sides(found), number]),
        "fig04 fig05",
        _note(found, ALGORITHMS, "the higher lead in NMI and ARI"),
        f"{len(ours)}",
    )


def _behind(evidence: Evidence, found: pd.DataFrame) -> pd.DataFrame:
    """Comparisons that DILCA loses, which hold if it is close; refused if there is none of ours."""
    if "ours" not in found["side"].to_numpy():
        raise MissingEvidenceError("DILCA is never behind in this run: there is no case to judge")
    return found.assign(held=(found["lead"] > 0) | evidence.close(found["dilca"], found["rival"]))


@CLAIMS.about("dilca-22")
def close_when_lost(evidence: Evidence) -> Outcome:
    """Index in which DILCA is closest to the winner, on data sets where it is not the best."""
    found = duels(evidence, ("fig03", "fig04", "fig05"))
    lost = _unbeaten(evidence, found).query("not held")[["side", "dataset"]]
    found = _behind(
        evidence, found.loc[found.groupby(["side", "dataset"])["lead"].idxmax()].merge(lost)
    )
    return Outcome(_sides(found), "fig03 fig04 fig05", _note(found, ALGORITHMS))


@CLAIMS.about("dilca-27")
def close_except_car(evidence: Evidence) -> Outcome:
    """Gaps where LIN, OF or GOODALL3 is ahead; the claim excepts Car."""
    found = duels(evidence, ("fig07", "fig08"))
    behind = found[evidence.ahead(found["rival"], found["dilca"])]
    others = _behind(evidence, behind[behind["dataset"] != "car"])
    held = _sides(others)
    note = "The sentence says 'in general', which both blind codings read as most."
    return Outcome(held, "fig07 fig08", f"{note} {_note(others, MEASURES)}")


@CLAIMS.about("dilca-34")
def beats_in_one_index(evidence: Evidence) -> Outcome:
    """Comparison with each rival: DILCA is ahead in at least one index."""
    found = []
    for rivals, artefacts in GROUPS.items():
        for rival in rivals:
            one = duels(evidence, artefacts, (), (rival,))
            one["held"] = evidence.ahead(one["dilca"], one["rival"])
            one = _by_dataset(evidence, one)
            found.append(one.assign(case=one["case"] + f" against {rival}"))
    rows = evidence.tests()
    rows = rows[~rows["score"].isin(PURITY_COLUMNS.values()) & rows["p_holm"].notna()]
    tested = rows[rows["method_a"].isin(DILCA) & ~rows["method_b"].isin(DILCA)]["p_holm"]
    return Outcome(
        _sides(pd.concat(found)),
        "fig03 to fig11",
        f"Values are the lead over one competitor in the best index "
        f"({ORACLE[ALGORITHMS]}); Wilcoxon's signed rank test over the data sets, corrected by "
        f"Holm, finds {(tested < SIGNIFICANCE_LEVEL).sum()} of {len(tested)} differences in NMI or "
        f"ARI at the level {SIGNIFICANCE_LEVEL:g}.",
    )
