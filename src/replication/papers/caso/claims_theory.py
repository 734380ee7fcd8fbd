"""Claims of CASO on theory and cost: sections I to VII and IX.

Its examples and proofs are tried; operations are counted, times are compared by `judge.times`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from replication.judge.claims import EQUAL, ClaimBook, Evidence, Outcome, cases
from replication.judge.times import MARGIN, MUCH, Seconds, faster
from replication.papers.caso import theory
from replication.papers.caso.analysis import EXAMPLE, MOVIE, extreme
from replication.papers.caso.examples import RELATIONS, SHORT, VALUE

if TYPE_CHECKING:
    import pandas as pd

THEORY = ClaimBook()

# --- worked examples ----------------------------------------------------------------------------

_B, _DIRECTOR = "(B1,B2|a1)", "CASV_Director"


@THEORY.about(
    "caso-03",
    information_table={"|F2({u1,u2,u3})|": "{B1, B2}", "|G2({B1,B2})|": "{u1, u2, u3, u6}"},
)
@THEORY.about(
    "caso-05",
    information_table={"|phi_2->1(B1)|": "{A1, A2}", "|phi_2->1(B2)|": "{A2, A4}"},
    movie={"phi_1->2(Hitchcock)": "{Grant, Stewart}"},
)
@THEORY.about(
    "caso-06",
    information_table={"P_1|2({A1}|B1)": "1/2"},
    movie={"P_2|1({De Niro,Stewart}|Hitchcock)": "1/2"},
)
@THEORY.about("caso-09", information_table={"IaASV(B1,B2)": "1/2"})
@THEORY.about("caso-10", movie={"IaASV(Scorsese,Coppola)": "1/3"})
@THEORY.about(
    "caso-15",
    information_table={
        f"IRSP{_B}": "1/2",
        "IRSP term for {A1}": "1/2",
        "number of subsets in Table V": "16",
    },
)
@THEORY.about("caso-16", information_table={f"IRSU{_B}": "1/2"})
@THEORY.about("caso-17", information_table={f"IRSJ{_B}": "1/2"})
@THEORY.about("caso-18", information_table={f"IRSI{_B}": "1/2"})
@THEORY.about(
    "caso-19",
    information_table={"ICP count IRSP": "32", "ICP count IRSU": "8", "ICP count IRSI": "2"},
)
@THEORY.about("caso-21", information_table={"IeASV(B1,B2)": "1/4"})
@THEORY.about("caso-23", information_table={"CASV(B1,B2)": "1/8"})
@THEORY.about(
    "caso-25",
    movie={
        f"{_DIRECTOR}(Scorsese,Coppola)": "1/3",
        f"{_DIRECTOR}(Coppola,Coppola)": "1/3",
        f"{_DIRECTOR}(Koster,Coppola)": "0",
        f"{_DIRECTOR}(Koster,Hitchcock)": "1/4",
    },
)
@THEORY.about(
    "caso-26",
    information_table={
        "CASV(A2,A2) inside CASO(u2,u3)": "1/2",
        "CASV(B1,B2)": "1/8",
        "CASV on a3 inside CASO(u2,u3)": "1/8",
        "CASO(u2,u3)": "3/4",
    },
)
def worked_values(evidence: Evidence, **printed: Mapping[str, str]) -> Outcome:
    """Exact texts of some worked values, by example and printed name."""
    wanted = [(name, key, text) for name, texts in printed.items() for key, text in texts.items()]
    found = {name: _worked(evidence, name)["exact"] for name in printed}
    ours = [found[name][key] for name, key, _ in wanted]
    _, keys, texts = zip(*wanted, strict=True)
    holds = [one == text for one, text in zip(ours, texts, strict=True)]
    artefact = "table02" if EXAMPLE in printed else "table01"
    return Outcome(cases(keys, holds, ours=ours, printed=texts), artefact)


def _worked(evidence: Evidence, dataset: str) -> pd.DataFrame:
    """Worked values of one example, number and exact text, by their printed name."""
    records = evidence.experiment("worked", [dataset])
    records = records[(records["dataset"] == dataset) & (records["kind"] == VALUE)]
    return records.set_index("quantity")[["value", "exact"]]


@THEORY.about("caso-01")
def simple_matching_of_directors(evidence: Evidence) -> Outcome:
    """SMS of Scorsese and Coppola, and of Koster with Hitchcock and with Coppola."""
    pairs = ["SMS(Scorsese,Coppola)", "SMS(Koster,Hitchcock)", "SMS(Koster,Coppola)"]
    alike, near, far = _worked(evidence, MOVIE)["exact"][pairs]
    names = [pairs[0], " = ".join(pairs[1:])]
    return Outcome(
        cases(names, [alike == "0", near == far], ours=[alike, f"{near} = {far}"]), "table01"
    )


@THEORY.about("caso-02")
def coupled_similarity_of_directors(evidence: Evidence) -> Outcome:
    """CASV ranks Koster with Hitchcock above Koster with Coppola, and finds Scorsese a Coppola."""
    pairs = ("Koster,Hitchcock", "Koster,Coppola", "Scorsese,Coppola", "Coppola,Coppola")
    names = [f"{_DIRECTOR}({pair})" for pair in pairs]
    found = _worked(evidence, MOVIE).loc[names]
    near, far, alike, own = found["exact"]
    higher, lower = found["value"].iloc[:2]
    p_near, p_far, p_alike, p_own = evidence.stated(*names)
    told = cases(
        [" > ".join(names[:2]), " = ".join(names[2:])],
        [higher > lower, alike == own],
        ours=[f"{near} > {far}", f"{alike} = {own}"],
        print_holds=[p_near > p_far, p_alike == p_own],
    )
    return Outcome(told, "table01", value=f"{near} > {far}")


@THEORY.about("caso-04")
def films_of_hitchcock(evidence: Evidence) -> Outcome:
    """Objects with a value, and the values of another attribute in them."""
    found = _worked(evidence, MOVIE)["exact"]
    films = evidence.datasets("table01")
    printed = evidence.names()
    objects = found["|G1({Hitchcock})|"].strip("{}").split(", ")
    named = sorted(printed[films[int(one.removeprefix("u")) - 1]] for one in objects)
    ours = [f"{{{', '.join(named)}}}", found["F2(G1({Hitchcock}))"]]
    wanted = ["{N by NW, Vertigo}", "{Grant, Stewart}"]
    holds = [one == other for one, other in zip(ours, wanted, strict=True)]
    names = ["G1({Hitchcock})", "F2(G1({Hitchcock}))"]
    return Outcome(cases(names, holds, ours=ours, printed=wanted), "table01")


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
def proved(evidence: Evidence, *names: str) -> Outcome:
    """Statements of the table `theory`: cases without the exceptions."""
    records = evidence.need(evidence.table("theory"), "statement", names)
    records = records.set_index("statement").loc[list(names)]
    tried = records.index + " (" + records["tried_on"] + ")"
    return Outcome(_tried(tried, records["cases"], records["exceptions"]), "theory")


def _tried(names: Iterable[str], total: Iterable[int], exceptions: Iterable[int]) -> pd.DataFrame:
    """Cases of several statements: a row for those that hold, and one for the exceptions."""
    rows = [
        (name, holds, int(n))
        for name, all_of_it, wrong in zip(names, total, exceptions, strict=True)
        for holds, n in ((True, all_of_it - wrong), (False, wrong))
        if n
    ]
    said, holds, numbers = zip(*rows, strict=True)
    return cases(said, holds, n=numbers)


@THEORY.about("caso-14", theory.EQUIVALENCE, "unequal", "counted", "theory")
@THEORY.about("caso-20", theory.COUNTS, "disordered", "comparisons", "table09")
def proved_and_counted(
    evidence: Evidence, statement: str, wrong: str, asked: str, artefact: str
) -> Outcome:
    """IRSP, IRSU, IRSJ and IRSI, or their evaluations, on random tables and on data."""
    import pandas as pd

    found = evidence.experiment("evaluations")
    of_data = _tried(found["dataset"], found[asked], found[wrong])
    return Outcome(pd.concat([proved(evidence, statement).cases, of_data]), artefact)


# --- ranges: a case is a data set, which one value or object outside the range breaks -------------


def _bounded(
    found: pd.DataFrame, holds: pd.Series, greatest: pd.Series, bound: pd.Series
) -> pd.DataFrame:
    """Cases by data set: the greatest value beside its bound."""
    margin = bound - greatest
    return cases(found["dataset"], holds, ours=greatest, printed=bound, margin=margin)


@THEORY.about("caso-07")
def range_of_iaasv(evidence: Evidence) -> Outcome:
    """IaASV of all pairs of values of an attribute, equal ones included."""
    found = evidence.experiment("bounds")
    apart, own = found["iaasv_above_apart"], found["iaasv_above_self"]
    holds = (extreme(found, "iaasv", "least") >= 1 / 3 - EQUAL) & (apart == 0) & (own == 0)
    return Outcome(
        _bounded(found, holds, found["iaasv_self_greatest"], found["bound"]),
        "theory",
        "IaASV(x, x) = f/(f+2) exceeds m/(m+4) for a value in more than half of the objects; of "
        f"{found['pairs'].sum()} pairs of different values {apart.sum()} do.",
        f"{own.sum()} values",
    )


@THEORY.about("caso-22")
def range_of_ieasv(evidence: Evidence) -> Outcome:
    """IeASV of all pairs of values of an attribute, equal ones included."""
    found = evidence.experiment("bounds")
    low, high = (extreme(found, "ieasv", end) for end in ("least", "greatest"))
    told = _bounded(found, (low >= -EQUAL) & (high <= 1 + EQUAL), high, 1 + 0 * high)
    return Outcome(told, "theory", value=f"[{low.min():.4g}, {high.max():.4g}]")


@THEORY.about("caso-24")
def range_of_casv(evidence: Evidence) -> Outcome:
    """CASV of all pairs of values of an attribute, equal ones included."""
    found = evidence.experiment("bounds")
    low, high = (extreme(found, "casv", end) for end in ("least", "greatest"))
    apart = found["casv_apart_greatest"] <= found["bound"] + EQUAL
    return Outcome(
        _bounded(found, (low >= -EQUAL) & (high <= found["bound"] + EQUAL), high, found["bound"]),
        "theory",
        f"The bound holds for all different values on {apart.sum()} of {len(found)} data sets; "
        "CASV(x, x) = f/(f+2) exceeds it for a value in more than half of the objects.",
    )


@THEORY.about("caso-27")
def range_of_caso(evidence: Evidence) -> Outcome:
    """CASO of objects with themselves, and of sampled pairs of objects."""
    found = evidence.experiment("bounds")
    low = found["caso_self_least"] >= found["attributes"] / 3 - EQUAL
    pairs = found["caso_pair_greatest"] <= found["caso_bound"] + EQUAL
    above = found["caso_self_above"]
    greatest = found[["caso_self_greatest", "caso_pair_greatest"]].max(axis="columns")
    return Outcome(
        _bounded(found, low & pairs & (above == 0), greatest, found["caso_bound"]),
        "theory",
        f"CASO(u, u) is at least n/3 on {low.sum()} of {len(found)} data sets, and mn/(m+4) bounds "
        f"the sampled pairs of objects on {pairs.sum()}.",
        f"{above.sum()} objects",
    )


@THEORY.about("caso-29")
def no_triangle_inequality(evidence: Evidence) -> Outcome:
    """Triples of objects that break the triangle inequality under CASO."""
    found = evidence.experiment("bounds")
    failing, cado = (found[f"{name}_triangle_failures"] for name in ("caso", "cado"))
    return Outcome(
        _tried(found["dataset"], found["triples"], found["triples"] - failing),
        "theory",
        f"The dissimilarity CADO is no metric either: it fails for {cado.sum()} triples, on "
        f"{(cado > 0).sum()} of {len(found)} data sets.",
        str(failing.sum()),
    )


# --- cost ---------------------------------------------------------------------------------------

TIMES = ClaimBook()

POWER, *OTHERS = RELATIONS
*RIVALS, LEAST = RELATIONS
"""The relation that enumerates all subsets comes first, the one of the intersection last."""
_SYNTHETIC = ["axis", "values", "attributes"]


def _size(axis: str, values: float, attributes: float) -> str:
    """Name of a synthetic table: the size that grows, and the other one."""
    sizes = {"values": f"R = {values:g}", "attributes": f"n = {attributes:g}"}
    return f"{sizes.pop(axis)} ({next(iter(sizes.values()))})"


def _growth(evidence: Evidence) -> pd.DataFrame:
    """Evaluations on synthetic tables that the reference counted."""
    return evidence.experiment("growth").query("counted")


def _evaluations(evidence: Evidence) -> dict[str, dict[str, float]]:
    """Evaluations by table and relation: of `_growth`, and whole numbers on the data sets."""
    parts = _growth(evidence).groupby(_SYNTHETIC, sort=False)
    totals = {_size(*key): dict(zip(of["relation"], of["total"], strict=True)) for key, of in parts}
    data = evidence.experiment("evaluations").to_dict("records")
    # of up to a million digits
    return totals | {row["dataset"]: {name: int(row[name]) for name in RELATIONS} for row in data}


def _times(evidence: Evidence) -> dict[str, dict[str, Seconds]]:
    """Times of the reference code and of the compiled measures, by table."""
    synthetic = evidence.experiment("seconds").groupby(_SYNTHETIC, sort=False)
    data = evidence.experiment("seconds_data").groupby("dataset", sort=False)
    named = [(_size(*key), part) for key, part in synthetic] + list(data)
    return {
        name: {row["what"]: Seconds.of(row) for row in part.to_dict("records")}
        for name, part in named
    }


def _pairs(
    found: Mapping[str, Mapping[str, Any]], some: Iterable[str], other: str
) -> list[tuple[str, Any, Any]]:
    """What each of some things costs, and another one, by thing and table that has both."""
    return [
        (f"{SHORT.get(one, one.upper())} on {name}", costs[one], costs[other])
        for one in some
        for name, costs in found.items()
        if {one, other} <= costs.keys()
    ]


@TIMES.about("caso-30")
def operations(evidence: Evidence) -> Outcome:
    """Counted evaluations as multiples of the printed orders, and beside each other."""
    import pandas as pd

    found = _growth(evidence)
    size = found["values"].where(found["relation"] != POWER, 2.0 ** found["values"])
    multiples = found["total"] / (found["attributes"] ** 2 * found["values"] ** 2 * size)
    tables = [_size(*key) for key in found[_SYNTHETIC].itertuples(index=False)]
    names = [f"{SHORT[one]} on {name}" for one, name in zip(found["relation"], tables, strict=True)]
    orders = cases(names, multiples <= 1, ours=multiples, margin=1 - multiples)
    named, others, least = zip(*_pairs(_evaluations(evidence), RIVALS, LEAST), strict=True)
    fewest = cases(
        [f"IRSI before {name}" for name in named],
        [one <= other for one, other in zip(least, others, strict=True)],
        part=2,
    )
    return Outcome(
        pd.concat([orders, fewest]),
        "table10",
        "Evaluations are multiples of n^2 R^2 2^R (IRSP) and n^2 R^3 (the others).",
    )


@TIMES.about("caso-31")
def fastest(evidence: Evidence) -> Outcome:
    """Times of the reference code: how many times as long as IRSI the others take."""
    named, others, least = zip(*_pairs(_times(evidence), RIVALS, LEAST), strict=True)
    pairs = list(zip(least, others, strict=True))
    return Outcome(
        cases(
            named,
            [faster(one, other) for one, other in pairs],
            ours=[other.least / one.least for one, other in pairs],
        ),
        "table10",
        f"Times that differ by less than a factor of {MARGIN:g} or than the repetitions cannot be "
        "told apart.",
    )


@TIMES.about("caso-32")
def power_set(evidence: Evidence) -> Outcome:
    """ADD is one minus IRSP, whose evaluations are counted."""
    import pandas as pd

    named, others, power = zip(*_pairs(_evaluations(evidence), OTHERS, POWER), strict=True)
    costlier = [one > other for one, other in zip(power, others, strict=True)]
    counted = cases([f"IRSP above {name}" for name in named], costlier, part=2)
    return Outcome(
        pd.concat([proved(evidence, theory.POWER_SET).cases, counted]),
        "theory",
        "That is the cost of IRSP as it is worded, not of ADD, which is half a sum of absolute "
        "differences.",
    )


@TIMES.about("caso-63")
def costly(evidence: Evidence) -> Outcome:
    """Compiled ADD beside compiled CADO: how many times as long it takes."""
    found = _times(evidence)
    named, adds, cados = zip(*_pairs(found, ["add"], "cado"), strict=True)
    pairs = list(zip(adds, cados, strict=True))
    enumerated = (power.least / least.least for _, power, least in _pairs(found, [POWER], LEAST))
    return Outcome(
        cases(
            named,
            [faster(MUCH * cado, add) for add, cado in pairs],
            ours=[add.least / cado.least for add, cado in pairs],
        ),
        "table10",
        "What costs is the enumeration of all subsets, which takes up to "
        f"{max(enumerated):.3g} times the time of IRSI in the reference code.",
    )


@TIMES.about("caso-64")
def kept_values(evidence: Evidence) -> Outcome:
    """Value similarities that are computed with and without keeping them: counted work."""
    found = evidence.experiment("seconds_data")
    done = found.set_index(["what", "dataset"])["evaluations"]
    kept, again = done["values kept"], done["values computed again"]
    return Outcome(
        cases(kept.index, kept < again, ours=again / kept),
        "seconds_data",
        "Ours is how many times as often similarities are computed that are not kept.",
    )
