"""Claims of CASO that its examples and proofs make, sections I to VII and IX."""

from __future__ import annotations

from collections.abc import Mapping

from replication.judge.claims import EQUAL, ClaimBook, Count, Evidence, Finding, count
from replication.papers.caso import theory
from replication.papers.caso.analysis import EXAMPLE, MOVIE, printed_values, statements, worked

THEORY = ClaimBook()

# --- worked examples ----------------------------------------------------------------------------


def _worked_values(name: str, dataset: str, wanted: Mapping[str, str]) -> None:
    """Register a claim that some worked values have some exact texts."""

    @THEORY.about(name)
    def worked_values(evidence: Evidence) -> Finding:
        found = worked(evidence, dataset)
        said = "; ".join(f"{quantity} = {found[quantity]['exact']}" for quantity in wanted)
        return Finding(
            count(found[quantity]["exact"] == text for quantity, text in wanted.items()),
            f"{said}.",
            "table01" if dataset == MOVIE else "table02",
        )


_worked_values(
    "caso-03", EXAMPLE, {"|F2({u1,u2,u3})|": "{B1, B2}", "|G2({B1,B2})|": "{u1, u2, u3, u6}"}
)
_worked_values("caso-09", EXAMPLE, {"IaASV(B1,B2)": "1/2"})
_worked_values("caso-10", MOVIE, {"IaASV(Scorsese,Coppola)": "1/3"})
_worked_values(
    "caso-15",
    EXAMPLE,
    {"IRSP(B1,B2|a1)": "1/2", "IRSP term for {A1}": "1/2", "number of subsets in Table V": "16"},
)
_worked_values("caso-16", EXAMPLE, {"IRSU(B1,B2|a1)": "1/2"})
_worked_values("caso-17", EXAMPLE, {"IRSJ(B1,B2|a1)": "1/2"})
_worked_values("caso-18", EXAMPLE, {"IRSI(B1,B2|a1)": "1/2"})
_worked_values(
    "caso-19", EXAMPLE, {"ICP count IRSP": "32", "ICP count IRSU": "8", "ICP count IRSI": "2"}
)
_worked_values("caso-21", EXAMPLE, {"IeASV(B1,B2)": "1/4"})
_worked_values("caso-23", EXAMPLE, {"CASV(B1,B2)": "1/8"})
_worked_values(
    "caso-25",
    MOVIE,
    {
        "CASV_Director(Scorsese,Coppola)": "1/3",
        "CASV_Director(Coppola,Coppola)": "1/3",
        "CASV_Director(Koster,Coppola)": "0",
        "CASV_Director(Koster,Hitchcock)": "1/4",
    },
)
_worked_values(
    "caso-26",
    EXAMPLE,
    {
        "CASV(A2,A2) inside CASO(u2,u3)": "1/2",
        "CASV(B1,B2)": "1/8",
        "CASV on a3 inside CASO(u2,u3)": "1/8",
        "CASO(u2,u3)": "3/4",
    },
)


@THEORY.about("caso-01")
def simple_matching_of_directors(evidence: Evidence) -> Finding:
    """SMS of Scorsese and Coppola, and of Koster with Hitchcock and with Coppola."""
    found = worked(evidence, MOVIE)
    alike, near, far = (
        found[f"SMS({pair})"]["exact"]
        for pair in ("Scorsese,Coppola", "Koster,Hitchcock", "Koster,Coppola")
    )
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
    found = worked(evidence, MOVIE)
    near, far, alike, own = (found[name] for name in names)
    p_near, p_far, p_alike, p_own = printed_values(evidence, names)
    return Finding(
        count([near["value"] > far["value"], alike["exact"] == own["exact"]]),
        f"CASV(Koster, Hitchcock) = {near['exact']} against CASV(Koster, Coppola) = "
        f"{far['exact']}; CASV(Scorsese, Coppola) = {alike['exact']}, CASV(Coppola, Coppola) = "
        f"{own['exact']}.",
        "table01",
        printed=count([p_near > p_far, p_alike == p_own]),
        value=f"{near['exact']} > {far['exact']}",
    )


@THEORY.about("caso-04")
def films_of_hitchcock(evidence: Evidence) -> Finding:
    """Objects with a value, and the values of another attribute in them."""
    found = worked(evidence, MOVIE)
    printed = evidence.printed
    films = list(printed.loc[printed["artefact"] == "table01", "dataset"].unique())
    objects = found["|G1({Hitchcock})|"]["exact"].strip("{}").split(", ")
    named = {films[int(one.removeprefix("u")) - 1] for one in objects}
    actors = found["F2(G1({Hitchcock}))"]["exact"]
    return Finding(
        count([named == {"Vertigo", "N by NW"}, actors == "{Grant, Stewart}"]),
        f"G1({{Hitchcock}}) = {{{', '.join(sorted(named))}}}; F2 of these is {actors}.",
        "table01",
    )


@THEORY.about("caso-05")
def values_that_occur_together(evidence: Evidence) -> Finding:
    """Inter-information functions of both examples."""
    example, movie = worked(evidence, EXAMPLE), worked(evidence, MOVIE)
    sets = {
        "phi_2->1(B1)": (example["|phi_2->1(B1)|"]["exact"], "{A1, A2}"),
        "phi_2->1(B2)": (example["|phi_2->1(B2)|"]["exact"], "{A2, A4}"),
        "phi_1->2(Hitchcock)": (movie["phi_1->2(Hitchcock)"]["exact"], "{Grant, Stewart}"),
    }
    said = "; ".join(f"{name} = {ours}" for name, (ours, _) in sets.items())
    return Finding(count(ours == theirs for ours, theirs in sets.values()), f"{said}.", "table02")


@THEORY.about("caso-06")
def conditional_probabilities(evidence: Evidence) -> Finding:
    """Information conditional probabilities of both examples."""
    first = worked(evidence, EXAMPLE)["P_1|2({A1}|B1)"]["exact"]
    second = worked(evidence, MOVIE)["P_2|1({De Niro,Stewart}|Hitchcock)"]["exact"]
    return Finding(
        count([first == "1/2", second == "1/2"]),
        f"P_1|2({{A1}}|B1) = {first}; P_2|1({{De Niro, Stewart}}|Hitchcock) = {second}.",
        "table02",
    )


# --- theorems -----------------------------------------------------------------------------------


def _tried(evidence: Evidence, *names: str) -> tuple[str, Count]:
    """What was found about some statements: a sentence, and the cases without the exceptions."""
    found = statements(evidence, names)
    said = "; ".join(
        f"{row['statement']}: {int(row['exceptions'])} exceptions in {int(row['cases'])} cases "
        f"({row['tried_on']})"
        for row in found
    )
    total = sum(int(row["cases"]) for row in found)
    return f"{said}.", Count(total - sum(int(row["exceptions"]) for row in found), total)


def _proved(name: str, *names: str) -> None:
    """Register a claim that rests on statements of the table `theory`."""

    @THEORY.about(name)
    def proved(evidence: Evidence) -> Finding:
        said, cases = _tried(evidence, *names)
        return Finding(cases, said, "theory")


_proved("caso-08", theory.INCREASING, theory.LEAST, theory.GREATEST)
_proved("caso-11", theory.EQUAL_INTRA)
_proved("caso-12", theory.MAXIMUM)
_proved("caso-13", theory.COMPLEMENT)
_proved("caso-28", "CASO symmetric")
_proved("caso-33", theory.EQUAL_FREQUENCIES)
_proved("caso-34", theory.IDENTITY_INTER, theory.BOTH)
_proved("caso-66", theory.DECREASING, theory.CONSTANT_INTRA, theory.IDENTITY_INTER, theory.BOTH)


@THEORY.about("caso-14")
def four_versions_are_equal(evidence: Evidence) -> Finding:
    """IRSP, IRSU, IRSJ and IRSI on random tables and on data, as fractions."""
    said, cases = _tried(evidence, theory.EQUIVALENCE)
    found = evidence.experiment("evaluations")
    unequal, asked = int(found["unequal"].sum()), int(found["counted"].sum())
    return Finding(
        Count(cases.held + asked - unequal, cases.total + asked),
        f"{said} On {len(found)} data sets {unequal} of {asked} sampled comparisons differ, as "
        "fractions.",
        "theory",
    )


@THEORY.about("caso-20")
def evaluations_fall(evidence: Evidence) -> Finding:
    """Numbers of evaluations of the four versions on random tables and on data."""
    said, cases = _tried(evidence, theory.COUNTS)
    found = evidence.experiment("evaluations")
    wrong, asked = int(found["disordered"].sum()), int(found["comparisons"].sum())
    return Finding(
        Count(cases.held + asked - wrong, cases.total + asked),
        f"{said} On {len(found)} data sets {wrong} of all {asked} comparisons break the order.",
        "table09",
    )


# --- ranges: a case is a data set, which one value or object outside the range breaks -------------


@THEORY.about("caso-07")
def range_of_iaasv(evidence: Evidence) -> Finding:
    """IaASV of all pairs of values of an attribute, equal ones included."""
    found = evidence.experiment("bounds")
    least = found[["iaasv_apart_least", "iaasv_self_least"]].min(axis="columns")
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
    low = found[["ieasv_apart_least", "ieasv_self_least"]].min(axis="columns")
    high = found[["ieasv_apart_greatest", "ieasv_self_greatest"]].max(axis="columns")
    return Finding(
        count((low >= -EQUAL) & (high <= 1 + EQUAL)),
        f"On {len(found)} data sets IeASV lies in [{low.min():.4g}, {high.max():.4g}].",
        "theory",
        value=f"[{low.min():.4g}, {high.max():.4g}]",
    )


@THEORY.about("caso-24")
def range_of_casv(evidence: Evidence) -> Finding:
    """CASV of all pairs of values of an attribute, equal ones included."""
    found = evidence.experiment("bounds")
    low = found[["casv_apart_least", "casv_self_least"]].min(axis="columns") >= -EQUAL
    apart = found["casv_apart_greatest"] <= found["bound"] + EQUAL
    own = found["casv_self_greatest"] <= found["bound"] + EQUAL
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
    failing = found["caso_triangle_failures"]
    cado = found["cado_triangle_failures"]
    example = (
        f"; on Table II {int(failing[EXAMPLE])} of {int(found.loc[EXAMPLE, 'triples'])}"
        if EXAMPLE in found.index
        else ""
    )
    return Finding(
        Count(int(failing.sum()), int(found["triples"].sum())),
        f"CASO(u, w) > CASO(u, v) + CASO(v, w) for {int(failing.sum())} of "
        f"{int(found['triples'].sum())} triples{example}. The dissimilarity CADO is no metric "
        f"either: {int(cado.sum())} triples, on {int((cado > 0).sum())} of {len(found)} data sets.",
        "theory",
        value=str(int(failing.sum())),
    )
