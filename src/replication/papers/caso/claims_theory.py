"""Claims of CASO on theory and cost: sections I to VII and IX.

Its examples and proofs are tried; operations are counted, times are compared by `judge.times`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from replication.judge.claims import EQUAL, ClaimBook, Count, Evidence, Finding, count, span
from replication.judge.times import MARGIN, MUCH, faster
from replication.papers.caso import analysis, theory
from replication.papers.caso.analysis import EXAMPLE, MOVIE
from replication.papers.caso.examples import RELATIONS, SHORT

THEORY = ClaimBook()

# --- worked examples ----------------------------------------------------------------------------


@THEORY.about(
    "caso-03", EXAMPLE, {"|F2({u1,u2,u3})|": "{B1, B2}", "|G2({B1,B2})|": "{u1, u2, u3, u6}"}
)
@THEORY.about("caso-09", EXAMPLE, {"IaASV(B1,B2)": "1/2"})
@THEORY.about("caso-10", MOVIE, {"IaASV(Scorsese,Coppola)": "1/3"})
@THEORY.about(
    "caso-15",
    EXAMPLE,
    {"IRSP(B1,B2|a1)": "1/2", "IRSP term for {A1}": "1/2", "number of subsets in Table V": "16"},
)
@THEORY.about("caso-16", EXAMPLE, {"IRSU(B1,B2|a1)": "1/2"})
@THEORY.about("caso-17", EXAMPLE, {"IRSJ(B1,B2|a1)": "1/2"})
@THEORY.about("caso-18", EXAMPLE, {"IRSI(B1,B2|a1)": "1/2"})
@THEORY.about(
    "caso-19", EXAMPLE, {"ICP count IRSP": "32", "ICP count IRSU": "8", "ICP count IRSI": "2"}
)
@THEORY.about("caso-21", EXAMPLE, {"IeASV(B1,B2)": "1/4"})
@THEORY.about("caso-23", EXAMPLE, {"CASV(B1,B2)": "1/8"})
@THEORY.about(
    "caso-25",
    MOVIE,
    {
        "CASV_Director(Scorsese,Coppola)": "1/3",
        "CASV_Director(Coppola,Coppola)": "1/3",
        "CASV_Director(Koster,Coppola)": "0",
        "CASV_Director(Koster,Hitchcock)": "1/4",
    },
)
@THEORY.about(
    "caso-26",
    EXAMPLE,
    {
        "CASV(A2,A2) inside CASO(u2,u3)": "1/2",
        "CASV(B1,B2)": "1/8",
        "CASV on a3 inside CASO(u2,u3)": "1/8",
        "CASO(u2,u3)": "3/4",
    },
)
def worked_values(evidence: Evidence, dataset: str, wanted: Mapping[str, str]) -> Finding:
    """Exact texts of some worked values."""
    found = analysis.worked(evidence, dataset)["exact"]
    return Finding(
        count(found[quantity] == text for quantity, text in wanted.items()),
        f"{'; '.join(f'{quantity} = {found[quantity]}' for quantity in wanted)}.",
        "table01" if dataset == MOVIE else "table02",
    )


@THEORY.about("caso-01")
def simple_matching_of_directors(evidence: Evidence) -> Finding:
    """SMS of Scorsese and Coppola, and of Koster with Hitchcock and with Coppola."""
    pairs = ("Scorsese,Coppola", "Koster,Hitchcock", "Koster,Coppola")
    alike, near, far = analysis.worked(evidence, MOVIE)["exact"][[f"SMS({pair})" for pair in pairs]]
    return Finding(
        count([alike == "0", near == far]),
        f"SMS(Scorsese, Coppola) = {alike}; SMS(Koster, Hitchcock) = {near} = "
        f"SMS(Koster, Coppola) = {far}.",
        "table01",
    )


@THEORY.about("caso-02")
def coupled_similarity_of_directors(evidence: Evidence) -> Finding:
    """CASV ranks Koster with Hitchcock above Koster with Coppola, and finds Scorsese a Coppola."""
    pairs = ("Koster,Hitchcock", "Koster,Coppola", "Scorsese,Coppola", "Coppola,Coppola")
    names = [f"CASV_Director({pair})" for pair in pairs]
    found = analysis.worked(evidence, MOVIE).loc[names]
    near, far, alike, own = found["exact"]
    p_near, p_far, p_alike, p_own = evidence.stated(*names)
    return Finding(
        count([found["value"].iloc[0] > found["value"].iloc[1], alike == own]),
        f"CASV(Koster, Hitchcock) = {near} against CASV(Koster, Coppola) = {far}; "
        f"CASV(Scorsese, Coppola) = {alike}, CASV(Coppola, Coppola) = {own}.",
        "table01",
        printed=count([p_near > p_far, p_alike == p_own]),
        value=f"{near} > {far}",
    )


@THEORY.about("caso-04")
def films_of_hitchcock(evidence: Evidence) -> Finding:
    """Objects with a value, and the values of another attribute in them."""
    found = analysis.worked(evidence, MOVIE)["exact"]
    printed = evidence.printed
    films = list(printed.loc[printed["artefact"] == "table01", "dataset"].unique())
    objects = found["|G1({Hitchcock})|"].strip("{}").split(", ")
    named = {films[int(one.removeprefix("u")) - 1] for one in objects}
    actors = found["F2(G1({Hitchcock}))"]
    return Finding(
        count([named == {"Vertigo", "N by NW"}, actors == "{Grant, Stewart}"]),
        f"G1({{Hitchcock}}) = {{{', '.join(sorted(named))}}}; F2 of these is {actors}.",
        "table01",
    )


@THEORY.about("caso-05")
def values_that_occur_together(evidence: Evidence) -> Finding:
    """Inter-information functions of both examples."""
    example, movie = (analysis.worked(evidence, name)["exact"] for name in (EXAMPLE, MOVIE))
    sets = {
        "phi_2->1(B1)": (example["|phi_2->1(B1)|"], "{A1, A2}"),
        "phi_2->1(B2)": (example["|phi_2->1(B2)|"], "{A2, A4}"),
        "phi_1->2(Hitchcock)": (movie["phi_1->2(Hitchcock)"], "{Grant, Stewart}"),
    }
    said = "; ".join(f"{name} = {ours}" for name, (ours, _) in sets.items())
    return Finding(count(ours == theirs for ours, theirs in sets.values()), f"{said}.", "table02")


@THEORY.about("caso-06")
def conditional_probabilities(evidence: Evidence) -> Finding:
    """Information conditional probabilities of both examples."""
    first = analysis.worked(evidence, EXAMPLE)["exact"]["P_1|2({A1}|B1)"]
    second = analysis.worked(evidence, MOVIE)["exact"]["P_2|1({De Niro,Stewart}|Hitchcock)"]
    return Finding(
        count([first == "1/2", second == "1/2"]),
        f"P_1|2({{A1}}|B1) = {first}; P_2|1({{De Niro, Stewart}}|Hitchcock) = {second}.",
        "table02",
    )


# --- theorems -----------------------------------------------------------------------------------


@THEORY.about("caso-08", theory.INCREASING, theory.LEAST, theory.GREATEST)
@THEORY.about("caso-11", theory.EQUAL_INTRA)
@THEORY.about("caso-12", theory.MAXIMUM)
@THEORY.about("caso-13", theory.COMPLEMENT)
@THEORY.about("caso-28", "CASO symmetric")
@THEORY.about("caso-33", theory.EQUAL_FREQUENCIES)
@THEORY.about("caso-34", theory.IDENTITY_INTER, theory.BOTH)
@THEORY.about(
    "caso-66", theory.DECREASING, theory.CONSTANT_INTRA, theory.IDENTITY_INTER, theory.BOTH
)
def proved(evidence: Evidence, *names: str) -> Finding:
    """Statements of the table `theory`: cases without the exceptions."""
    records = evidence.need(evidence.table("theory"), "statement", names)
    records = records.set_index("statement").loc[list(names)]
    total, exceptions = (int(records[column].sum()) for column in ("cases", "exceptions"))
    said = "; ".join(
        f"{name}: {int(row['exceptions'])} exceptions in {int(row['cases'])} cases "
        f"({row['tried_on']})"
        for name, row in records.iterrows()
    )
    return Finding(Count(total - exceptions, total), f"{said}.", "theory")


_UNEQUAL = "{unequal} of {counted} sampled comparisons differ, as fractions"
_DISORDERED = "{disordered} of all {comparisons} comparisons break the order"


@THEORY.about("caso-14", theory.EQUIVALENCE, "unequal", "counted", _UNEQUAL, "theory")
@THEORY.about("caso-20", theory.COUNTS, "disordered", "comparisons", _DISORDERED, "table09")
def proved_and_counted(
    evidence: Evidence, statement: str, wrong: str, asked: str, words: str, artefact: str
) -> Finding:
    """IRSP, IRSU, IRSJ and IRSI, or their evaluations, on random tables and on data."""
    tried = proved(evidence, statement)
    found = evidence.experiment("evaluations")
    sums = {name: int(found[name].sum()) for name in (wrong, asked)}
    return Finding(
        Count(tried.ours.held + sums[asked] - sums[wrong], tried.ours.total + sums[asked]),
        f"{tried.evidence} On {len(found)} data sets {words.format(**sums)}.",
        artefact,
    )


# --- ranges: a case is a data set, which one value or object outside the range breaks -------------


@THEORY.about("caso-07")
def range_of_iaasv(evidence: Evidence) -> Finding:
    """IaASV of all pairs of values of an attribute, equal ones included."""
    found = evidence.experiment("bounds")
    least = analysis.extreme(found, "iaasv", "least")
    apart, own = found["iaasv_above_apart"], found["iaasv_above_self"]
    worst = found.loc[(found["iaasv_self_greatest"] - found["bound"]).idxmax()]
    return Finding(
        count((least >= 1 / 3 - EQUAL) & (apart == 0) & (own == 0)),
        f"On {int((own > 0).sum())} of {len(found)} data sets values exceed m/(m+4) with "
        f"themselves, {int(own.sum())} of {int(found['values'].sum())} in all: those in more than "
        f"half of the objects, as IaASV(x, x) = f/(f+2); on {worst['dataset']} up to "
        f"{worst['iaasv_self_greatest']:.4f} against {worst['bound']:.4f}. Of "
        f"{int(found['pairs'].sum())} pairs of different values {int(apart.sum())} do. The least "
        f"IaASV is {least.min():.4f}.",
        "theory",
        value=f"{int(own.sum())} values",
    )


@THEORY.about("caso-22")
def range_of_ieasv(evidence: Evidence) -> Finding:
    """IeASV of all pairs of values of an attribute, equal ones included."""
    found = evidence.experiment("bounds")
    low, high = (analysis.extreme(found, "ieasv", end) for end in ("least", "greatest"))
    ends = f"[{low.min():.4g}, {high.max():.4g}]"
    return Finding(
        count((low >= -EQUAL) & (high <= 1 + EQUAL)),
        f"On {len(found)} data sets IeASV lies in {ends}.",
        "theory",
        value=ends,
    )


@THEORY.about("caso-24")
def range_of_casv(evidence: Evidence) -> Finding:
    """CASV of all pairs of values of an attribute, equal ones included."""
    found = evidence.experiment("bounds")
    low = analysis.extreme(found, "casv", "least") >= -EQUAL
    apart, own = (
        found[f"casv_{which}_greatest"] <= found["bound"] + EQUAL for which in ("apart", "self")
    )
    return Finding(
        count(low & apart & own),
        f"The bound m/(m+4) holds for all different values on {int(apart.sum())} of {len(found)} "
        f"data sets, for all values with themselves on {int(own.sum())}: CASV(x, x) = f/(f+2) "
        f"exceeds it for a value in more than half of the objects. The least CASV is "
        f"{found['casv_apart_least'].min():.4g}.",
        "theory",
    )


@THEORY.about("caso-27")
def range_of_caso(evidence: Evidence) -> Finding:
    """CASO of objects with themselves, and of sampled pairs of objects."""
    found = evidence.experiment("bounds")
    low = found["caso_self_least"] >= found["attributes"] / 3 - EQUAL
    pairs = found["caso_pair_greatest"] <= found["caso_bound"] + EQUAL
    above = found["caso_self_above"]
    return Finding(
        count(low & pairs & (above == 0)),
        f"CASO(u, u) >= n/3 on {int(low.sum())} of {len(found)} data sets. mn/(m+4) bounds all "
        f"CASO(u, u) on {int((above == 0).sum())} ({int(above.sum())} of "
        f"{int(found['objects'].sum())} objects exceed it), the sampled pairs of objects on "
        f"{int(pairs.sum())}.",
        "theory",
        value=f"{int(above.sum())} objects",
    )


@THEORY.about("caso-29")
def no_triangle_inequality(evidence: Evidence) -> Finding:
    """Triples of objects that break the triangle inequality under CASO."""
    found = evidence.experiment("bounds").set_index("dataset")
    failing, cado = (found[f"{name}_triangle_failures"] for name in ("caso", "cado"))
    failed, triples = int(failing.sum()), int(found["triples"].sum())
    example = ""
    if EXAMPLE in found.index:
        example = f"; on Table II {failing[EXAMPLE]:.0f} of {found.loc[EXAMPLE, 'triples']:.0f}"
    return Finding(
        Count(failed, triples),
        f"CASO(u, w) > CASO(u, v) + CASO(v, w) for {failed} of {triples} triples{example}. The "
        f"dissimilarity CADO is no metric either: {int(cado.sum())} triples, on "
        f"{int((cado > 0).sum())} of {len(found)} data sets.",
        "theory",
        value=str(failed),
    )


# --- cost ---------------------------------------------------------------------------------------

TIMES = ClaimBook()

POWER, *OTHERS = RELATIONS
*RIVALS, LEAST = RELATIONS
"""The relation that enumerates all subsets comes first, the one of the intersection last."""

_span = partial(span, high=".3g")


@TIMES.about("caso-30")
def operations(evidence: Evidence) -> Finding:
    """Counted evaluations beside the printed orders, and among each other."""
    found = analysis.evaluations(evidence)
    multiples = analysis.multiples_of_order(found)
    synthetic = len(multiples[LEAST])
    fewest = [least <= other for other, least in analysis.pairs(found, RIVALS, LEAST)]
    said = ", ".join(f"{SHORT[name]} {max(sizes):.2f}" for name, sizes in multiples.items())
    return Finding(
        [count(value <= 1 for sizes in multiples.values() for value in sizes), count(fewest)],
        f"Evaluations of a conditional probability on {synthetic} synthetic tables are at "
        f"most these multiples of n^2 R^2 2^R (IRSP) and n^2 R^3 (the others): {said}. On them and "
        f"{len(found) - synthetic} data sets IRSI takes no more than any other in "
        f"{sum(fewest)} of {len(fewest)} comparisons.",
        "table10",
    )


@TIMES.about("caso-31")
def fastest(evidence: Evidence) -> Finding:
    """Times of the reference code."""
    found = analysis.times(evidence)
    cases = [faster(least, other) for other, least in analysis.pairs(found, RIVALS, LEAST)]
    longer = {name: analysis.ratios(found, name, LEAST) for name in RIVALS}
    said = ", ".join(f"{SHORT[name]} {_span(times)}" for name, times in longer.items())
    return Finding(
        count(cases),
        f"Times relative to IRSI, reference code, {len(found)} tables: {said}. IRSI is the faster "
        f"one in {cases.count(True)} of {len(cases)} comparisons and the slower one in "
        f"{cases.count(False)}; the others differ by less than a factor of {MARGIN:g} or than the "
        "repetitions. Most of a comparison is not the evaluations, which IRSI has the fewest of.",
        "table10",
    )


@TIMES.about("caso-32")
def power_set(evidence: Evidence) -> Finding:
    """ADD is one minus IRSP, whose evaluations are counted."""
    theorem = proved(evidence, theory.POWER_SET)
    counted = analysis.pairs(analysis.evaluations(evidence), OTHERS, POWER)
    costlier = [power > other for other, power in counted]
    return Finding(
        [theorem.ours, count(costlier)],
        f"{theorem.evidence} IRSP takes more evaluations in {sum(costlier)} of {len(costlier)} "
        "comparisons. That is the cost of IRSP as it is worded, not of ADD, which is half a sum of "
        "absolute differences.",
        "theory",
    )


@TIMES.about("caso-63")
def costly(evidence: Evidence) -> Finding:
    """Compiled ADD beside compiled CADO."""
    found = analysis.times(evidence)
    compiled = analysis.pairs(found, ["add"], "cado")
    cases = [faster(MUCH * cado, add) for add, cado in compiled]
    longest = max(add.least for add, _ in compiled)
    longer, enumerated = (analysis.ratios(found, *two) for two in (("add", "cado"), (POWER, LEAST)))
    return Finding(
        count(cases),
        f"Compiled, ADD takes {_span(longer)} times as long as CADO on {len(cases)} tables, and at "
        f"most {longest:.2g} s: it is costly beside CADO (more than {MUCH:g} times as long) on "
        f"{cases.count(True)}, not so on {cases.count(False)}. What costs is the enumeration of "
        f"all subsets: up to {max(enumerated):.3g} times the time of IRSI in the reference code.",
        "table10",
    )


@TIMES.about("caso-64")
def kept_values(evidence: Evidence) -> Finding:
    """Value similarities that are computed with and without keeping them: counted work."""
    pairs = analysis.reuse(evidence)
    cases = [kept["evaluations"] < again["evaluations"] for kept, again in pairs]
    saved = [again["evaluations"] / kept["evaluations"] for kept, again in pairs]
    return Finding(
        count(cases),
        f"Among the first objects of {len(pairs)} data sets, similarities of values that are not "
        f"kept are computed {min(saved):.1f} to {max(saved):.1f} times as often.",
        "seconds_data",
    )
