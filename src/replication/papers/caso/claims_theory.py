"""Claims of CASO on theory and cost (sections I to VII and IX), each as its cases.

Examples are computed and statements tested in exact arithmetic. Operations are counted, and times
compared by `replication.judge.times`.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pandas as pd

from couplings import CategoricalTable, Jaccard, Lin, OccurrenceFrequency
from replication.judge.claims import EQUAL, ClaimBook, Evidence, Outcome, cases
from replication.judge.times import MARGIN, MUCH_LONGER, Seconds, faster
from replication.papers.caso import theory
from replication.papers.caso.analysis import extreme
from replication.papers.caso.examples import EXAMPLE, MOVIE, POWER, RELATIONS, SHORT, VALUE

CLAIMS = ClaimBook()

_B, _DIRECTOR = "(B1,B2|a1)", "CASV_Director"


@CLAIMS.about(
    "caso-03",
    information_table={"|F2({u1,u2,u3})|": "{B1, B2}", "|G2({B1,B2})|": "{u1, u2, u3, u6}"},
)
@CLAIMS.about(
    "caso-05",
    information_table={"|phi_2->1(B1)|": "{A1, A2}", "|phi_2->1(B2)|": "{A2, A4}"},
    movie={"phi_1->2(Hitchcock)": "{Grant, Stewart}"},
)
@CLAIMS.about(
    "caso-06",
    information_table={"P_1|2({A1}|B1)": "1/2"},
    movie={"P_2|1({De Niro,Stewart}|Hitchcock)": "1/2"},
)
@CLAIMS.about("caso-09", information_table={"IaASV(B1,B2)": "1/2"})
@CLAIMS.about("caso-10", movie={"IaASV(Scorsese,Coppola)": "1/3"})
@CLAIMS.about(
    "caso-15",
    information_table={
        f"IRSP{_B}": "1/2",
        "IRSP term for {A1}": "1/2",
        "number of subsets in Table V": "16",
    },
)
@CLAIMS.about("caso-16", information_table={f"IRSU{_B}": "1/2"})
@CLAIMS.about("caso-17", information_table={f"IRSJ{_B}": "1/2"})
@CLAIMS.about("caso-18", information_table={f"IRSI{_B}": "1/2"})
@CLAIMS.about(
    "caso-19",
    information_table={"ICP count IRSP": "32", "ICP count IRSU": "8", "ICP count IRSI": "2"},
)
@CLAIMS.about("caso-21", information_table={"IeASV(B1,B2)": "1/4"})
@CLAIMS.about("caso-23", information_table={"CASV(B1,B2)": "1/8"})
@CLAIMS.about(
    "caso-25",
    movie={
        f"{_DIRECTOR}(Scorsese,Coppola)": "1/3",
        f"{_DIRECTOR}(Coppola,Coppola)": "1/3",
        f"{_DIRECTOR}(Koster,Coppola)": "0",
        f"{_DIRECTOR}(Koster,Hitchcock)": "1/4",
    },
)
@CLAIMS.about(
    "caso-26",
    information_table={
        "CASV(A2,A2) inside CASO(u2,u3)": "1/2",
        "CASV(B1,B2)": "1/8",
        "CASV on a3 inside CASO(u2,u3)": "1/8",
        "CASO(u2,u3)": "3/4",
    },
)
def worked_values(evidence: Evidence, **printed: Mapping[str, str]) -> Outcome:
    """Worked values of the examples against the printed ones, as exact texts."""
    found = [
        cases(texts, ours == [*texts.values()], ours=ours, printed=texts.values())
        for dataset, texts in printed.items()
        for ours in [_worked(evidence, dataset)["exact"][list(texts)]]
    ]
    return Outcome(pd.concat(found), "table02" if EXAMPLE in printed else "table01")


def _worked(evidence: Evidence, dataset: str) -> pd.DataFrame:
    """Number and exact text of the worked values of one example, by printed name."""
    records = evidence.experiment("worked", [dataset])
    records = records[(records["dataset"] == dataset) & (records["kind"] == VALUE)]
    return records.set_index("quantity")[["value", "exact"]]


@CLAIMS.about("caso-01")
def simple_matching_of_directors(evidence: Evidence) -> Outcome:
    """SMS of Scorsese and Coppola is 0; Koster is as similar to Hitchcock as to Coppola."""
    pairs = ["SMS(Scorsese,Coppola)", "SMS(Koster,Hitchcock)", "SMS(Koster,Coppola)"]
    alike, near, far = _worked(evidence, MOVIE)["exact"][pairs]
    names, ours = [pairs[0], " = ".join(pairs[1:])], [alike, f"{near} = {far}"]
    return Outcome(cases(names, [alike == "0", near == far], ours=ours), "table01")


@CLAIMS.about("caso-02")
def coupled_similarity_of_directors(evidence: Evidence) -> Outcome:
    """CASV: Koster is closer to Hitchcock than to Coppola; Scorsese and Coppola are the same."""
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


@CLAIMS.about("caso-04")
def films_of_hitchcock(evidence: Evidence) -> Outcome:
    """Films directed by Hitchcock, and the actors in them."""
    found, films = _worked(evidence, MOVIE)["exact"], evidence.datasets("table01")
    objects = found["|G1({Hitchcock})|"].strip("{}").split(", ")
    named = sorted(evidence.names()[films[int(one.removeprefix("u")) - 1]] for one in objects)
    ours = pd.Series([f"{{{', '.join(named)}}}", found["F2(G1({Hitchcock}))"]])
    printed = {"G1({Hitchcock})": "{N by NW, Vertigo}", "F2(G1({Hitchcock}))": "{Grant, Stewart}"}
    holds = ours == [*printed.values()]
    return Outcome(cases(printed, holds, ours=ours, printed=printed.values()), "table01")


@CLAIMS.about("caso-08", theory.INCREASING, theory.LEAST, theory.GREATEST)
@CLAIMS.about("caso-11", theory.EQUAL_INTRA)
@CLAIMS.about("caso-12", theory.MAXIMUM)
@CLAIMS.about("caso-13", theory.COMPLEMENT)
@CLAIMS.about("caso-28", "CASO symmetric")
@CLAIMS.about("caso-33", theory.EQUAL_FREQUENCIES)
@CLAIMS.about(
    "caso-66", theory.DECREASING, theory.CONSTANT_INTRA, theory.IDENTITY_INTER, theory.BOTH
)
def proved(evidence: Evidence, *names: str) -> Outcome:
    """Statements of the table `theory`: the cases in which they hold, and the exceptions."""
    records = evidence.need(evidence.table("theory"), "statement", names)
    records = records.set_index("statement").loc[list(names)]
    tested = records.index + " (" + records["tried_on"] + ")"
    return Outcome(_tested(tested, records["cases"], records["exceptions"]), "theory")


@CLAIMS.about("caso-34")
def special_cases(evidence: Evidence) -> Outcome:
    """Part 1: CADO as simple matching with and without frequency. Part 2: as Jaccard coefficients.

    With both couplings specialised, CADO of two objects is a multiple of the number of attributes
    in which they differ. Part 2 asks whether Jaccard's dissimilarity is such a multiple, too.
    """
    jaccard = {}
    for n in range(2, 7):
        # object i differs from the first one in its first i attributes
        rows = np.tril(np.ones((n + 1, n), dtype=np.int64), -1)
        table = CategoricalTable.from_codes(rows, [2] * n)
        found = Jaccard().fit(table).pairwise(table)[0, 1:] / np.arange(1, n + 1)
        jaccard[f"Jaccard of {n} attributes"] = found
    same = [bool(np.ptp(one) <= EQUAL) for one in jaccard.values()]
    ratios = [f"{one[0]:.3f} to {one[-1]:.3f}" for one in jaccard.values()]
    return Outcome(
        pd.concat(
            [
                proved(evidence, theory.IDENTITY_INTER, theory.BOTH).cases,
                cases(jaccard, same, ours=ratios, part=2),
            ]
        ),
        "theory",
        "Ours in part 2 is Jaccard's dissimilarity per attribute that differs, of objects that "
        "differ in one attribute and in all: it orders pairs as simple matching does, and is no "
        "multiple of it.",
    )


def _tested(names: Iterable[str], total: pd.Series, exceptions: pd.Series) -> pd.DataFrame:
    """Cases of several statements: one row for those that hold, one for the exceptions."""
    rows = [
        (name, holds, int(n))
        for name, *counts in zip(names, total - exceptions, exceptions, strict=True)
        for holds, n in zip((True, False), counts, strict=True)
        if n
    ]
    said, holds, numbers = zip(*rows, strict=True)
    return cases(said, holds, n=numbers)


@CLAIMS.about("caso-14", theory.EQUIVALENCE, "unequal", "counted", "theory")
@CLAIMS.about("caso-20", theory.COUNTS, "disordered", "comparisons", "table09")
def proved_and_counted(
    evidence: Evidence, statement: str, wrong: str, asked: str, artefact: str
) -> Outcome:
    """Equality of the four relative similarities, or order of their evaluations."""
    found = evidence.experiment("evaluations")
    of_data = _tested(found["dataset"], found[asked], found[wrong])
    return Outcome(pd.concat([proved(evidence, statement).cases, of_data]), artefact)


PREMISE = "two frequencies sum to at most the number of objects"
"""Premise of the bounds in section V-A: f + g <= m."""


def _bounded(
    found: pd.DataFrame, holds: pd.Series, greatest: pd.Series, bound: pd.Series
) -> pd.DataFrame:
    """Cases by data set: the greatest value against its bound."""
    return cases(found["dataset"], holds, ours=greatest, printed=bound, margin=bound - greatest)


def _of_values(found: pd.DataFrame, measure: str) -> tuple[pd.DataFrame, pd.Series, pd.Series]:
    """Cases of a measure within 0 and the bound, with least and greatest value by data set."""
    low, high = (extreme(found, measure, end) for end in ("least", "greatest"))
    inside = (low >= -EQUAL) & (high <= found["bound"] + EQUAL)
    return _bounded(found, inside, high, found["bound"]), low, high


@CLAIMS.about("caso-07")
def range_of_iaasv(evidence: Evidence) -> Outcome:
    """Range of IaASV over pairs of different values, to which the premise of the proof applies."""
    found = evidence.experiment("bounds")
    apart, own = found["iaasv_above_apart"], found["iaasv_above_self"]
    holds = (extreme(found, "iaasv", "least") >= 1 / 3 - EQUAL) & (apart == 0)
    return Outcome(
        _bounded(found, holds, found["iaasv_apart_greatest"], found["bound"]),
        "theory",
        f"The premise of the proof, {PREMISE}, holds for different values; {apart.sum()} of "
        f"{found['pairs'].sum()} pairs exceed the bound. Without it IaASV(x, x) = f/(f+2) exceeds "
        f"m/(m+4) for {own.sum()} values in more than half of the objects (see caso-27).",
        f"{apart.sum()} pairs",
    )


@CLAIMS.about("caso-22")
def range_of_ieasv(evidence: Evidence) -> Outcome:
    """Range of IeASV over all pairs of values of an attribute, equal ones included."""
    told, low, high = _of_values(evidence.experiment("bounds").assign(bound=1.0), "ieasv")
    return Outcome(told, "theory", value=f"[{low.min():.4g}, {high.max():.4g}]")


@CLAIMS.about("caso-24")
def range_of_casv(evidence: Evidence) -> Outcome:
    """Range of CASV over pairs of different values, to which the premise of the bound applies."""
    found = evidence.experiment("bounds")
    greatest = found["casv_apart_greatest"]
    inside = (found["casv_apart_least"] >= -EQUAL) & (greatest <= found["bound"] + EQUAL)
    beyond = (found["casv_self_greatest"] > found["bound"] + EQUAL).sum()
    return Outcome(
        _bounded(found, inside, greatest, found["bound"]),
        "theory",
        f"The premise of the bound of IaASV, {PREMISE}, holds for different values. Without it "
        f"CASV(x, x) = f/(f+2) exceeds the bound on {beyond} of {len(found)} data sets, for values "
        "in more than half of the objects (see caso-27).",
    )


@CLAIMS.about("caso-27")
def range_of_caso(evidence: Evidence) -> Outcome:
    """Range of CASO over objects with themselves and over sampled pairs of objects."""
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


@CLAIMS.about("caso-29")
def no_triangle_inequality(evidence: Evidence) -> Outcome:
    """Triples of objects for which CASO breaks the triangle inequality."""
    found = evidence.experiment("bounds")
    failing, cado = (found[f"{name}_triangle_failures"] for name in ("caso", "cado"))
    return Outcome(
        _tested(found["dataset"], found["triples"], found["triples"] - failing),
        "theory",
        f"The dissimilarity CADO is no metric either: it fails for {cado.sum()} triples, on "
        f"{(cado > 0).sum()} of {len(found)} data sets.",
        str(failing.sum()),
    )


*OTHERS, INTERSECTION = RELATIONS
"""Relation of IRSI, the cheapest by the paper, and the others."""


def _on_tables(found: pd.DataFrame) -> pd.DataFrame:
    """Name the synthetic ``table`` of each record by the size that grows and the fixed size."""
    values = found["values"].map("R = {:g}".format)
    attributes = found["attributes"].map("n = {:g}".format)
    grows = found["axis"] == "values"
    table = values.where(grows, attributes) + " (" + attributes.where(grows, values) + ")"
    return found.assign(table=table)


def _times(evidence: Evidence) -> pd.DataFrame:
    """Times by synthetic table or data set, and by measure: reference code and compiled code."""
    data = evidence.experiment("seconds_data")
    found = pd.concat(
        [_on_tables(evidence.experiment("seconds")), data.assign(table=data["dataset"])]
    )
    found["time"] = [Seconds.of(row) for row in found.to_dict("records")]
    return found.pivot_table("time", "table", "what", "first", sort=False)


def _pairs(found: pd.DataFrame, some: Iterable[str], other: str) -> pd.DataFrame:
    """Cost of each of some measures (``one``) and of ``other``, on every table that has both."""
    pairs = []
    for one in some:
        both = found.reindex(columns=[one, other]).dropna()
        names = [f"{SHORT.get(one, one.upper())} on {table}" for table in both.index]
        pairs.append(both.set_axis(names).set_axis(["one", "other"], axis="columns"))
    return pd.concat(pairs)


def _ratio(times: pd.DataFrame) -> pd.Series:
    """Time of ``one`` divided by that of ``other``."""
    least = times.map(lambda time: time.least)
    return least["one"] / least["other"]


@CLAIMS.about("caso-30")
def operations(evidence: Evidence) -> Outcome:
    """Counted evaluations against the printed orders of growth, and against those of IRSI."""
    found = _on_tables(evidence.experiment("growth").query("counted"))
    size = found["values"].where(found["relation"] != POWER, 2.0 ** found["values"])
    multiples = found["total"] / (found["attributes"] ** 2 * found["values"] ** 2 * size)
    names = found["relation"].map(SHORT) + " on " + found["table"]
    orders = cases(names, multiples <= 1, ours=multiples, margin=1 - multiples)
    synthetic = found.pivot_table("total", "table", "relation", "first", sort=False)
    data = evidence.experiment("evaluations").set_index("dataset")
    # the data have texts of integers with up to a million digits
    pairs = _pairs(pd.concat([synthetic, data[list(RELATIONS)].map(int)]), OTHERS, INTERSECTION)
    fewest = cases("IRSI before " + pairs.index, pairs["other"] <= pairs["one"], part=2)
    return Outcome(
        pd.concat([orders, fewest]),
        "table10",
        "Evaluations are multiples of n^2 R^2 2^R (IRSP) and n^2 R^3 (the others).",
    )


@CLAIMS.about("caso-31")
def fastest(evidence: Evidence) -> Outcome:
    """Times of IRSP, IRSU and IRSJ in the reference code, as multiples of that of IRSI."""
    pairs = _pairs(_times(evidence), OTHERS, INTERSECTION)
    return Outcome(
        cases(pairs.index, map(faster, pairs["other"], pairs["one"]), ours=_ratio(pairs)),
        "table10",
        f"Times that differ by less than a factor of {MARGIN:g} or than the repetitions cannot be "
        "told apart.",
    )


@CLAIMS.about("caso-32")
def power_set(evidence: Evidence) -> Outcome:
    """ADD is one minus IeASV with IRSP."""
    return Outcome(
        proved(evidence, theory.POWER_SET).cases,
        "theory",
        "IRSP as worded costs most. ADD, half a sum of absolute differences, costs less.",
    )


@CLAIMS.about("caso-63")
def costly(evidence: Evidence) -> Outcome:
    """Time of compiled ADD as a multiple of that of compiled CADO."""
    found = _times(evidence)
    pairs = _pairs(found, ["add"], "cado")
    holds = map(faster, MUCH_LONGER * pairs["other"], pairs["one"])
    return Outcome(
        cases(pairs.index, holds, ours=_ratio(pairs)),
        "table10",
        "What costs is the enumeration of all subsets, which takes up to "
        f"{_ratio(_pairs(found, [POWER], INTERSECTION)).max():.3g} times the time of IRSI in the "
        "reference code.",
    )


@CLAIMS.about("caso-64")
def kept_values(evidence: Evidence) -> Outcome:
    """Number of value similarities that are computed with and without storing them."""
    done = evidence.experiment("seconds_data").set_index(["what", "dataset"])["evaluations"]
    kept, again = done["values kept"], done["values computed again"]
    return Outcome(
        cases(kept.index, kept < again, ours=again / kept),
        "seconds_data",
        "Ours is the number of similarities computed without storing them, divided by that with "
        "it.",
    )


@CLAIMS.about("caso-67")
def inter_coupling_tells_values_apart(evidence: Evidence) -> Outcome:
    """Largest IeASV of two different values against the IeASV of a value with itself."""
    found = evidence.experiment("bounds").set_index("dataset")
    own, other = found["ieasv_self_least"], found["ieasv_apart_greatest"]
    return Outcome(
        cases(found.index, evidence.ahead(own, other), ours=other, margin=own - other),
        "theory",
        "Ours is the largest IeASV of two different values. In Table I it is 1 for Scorsese and "
        "Coppola, as it is for each of them with itself.",
    )


@CLAIMS.about("caso-68")
def exponential_growth(evidence: Evidence) -> Outcome:
    """Growth of the steps of IRSP with the number of values, attributes and objects."""
    steps, data = evidence.experiment("growth"), evidence.experiment("evaluations")
    power = steps[steps["relation"] == POWER].set_index("axis")
    grows = {}
    for axis in ("values", "attributes"):
        logs = np.log2(power.loc[axis, [axis, "total"]].astype(float))
        slopes = logs["total"].diff() / logs[axis].diff()
        grows[axis] = bool(slopes.iloc[-1] > 2 * slopes.iloc[1])
    grows["objects"] = bool(data.sort_values("objects")[POWER].is_monotonic_increasing)
    return Outcome(
        cases(grows, grows.values()),
        "table10",
        "In values and attributes, growth is exponential if its exponent doubles along the axis. "
        "In objects, the case holds if data sets with more objects take more steps.",
    )


OBJECTS = 12
"""Objects of the tables on which OF and Lin are compared: one attribute, every frequency."""


def _similarities(name: str, first: int, second: int) -> tuple[float, float]:
    """Return the similarity of two values by OF or Lin, and of the first with itself.

    The values occur `first` and `second` times among `OBJECTS`; a third value takes the rest.
    """
    sizes = [first, second, OBJECTS - first - second]
    table = CategoricalTable.from_codes(np.repeat([0, 1, 2], sizes)[:, None], [3])
    measure = OccurrenceFrequency() if name == "OF" else Lin()
    block = measure.fit(table).value_matrices_.block(0)
    return float(block[0, 1]), float(block[0, 0])


@CLAIMS.about("caso-70")
def frequency_measures(evidence: Evidence) -> Outcome:
    """Similarity of two values by OF and Lin, over all pairs of frequencies of an attribute.

    Part 1: it grows with the frequencies, for different values or for equal ones. Part 2: at a
    given sum of the frequencies it is greatest where they are most alike.
    """
    grows, equal = {}, {}
    for name in ("OF", "Lin"):
        found = {
            (f, g): _similarities(name, f, g)
            for f in range(1, OBJECTS)
            for g in range(1, OBJECTS + 1 - f)
        }
        apart = all(found[f + 1, g][0] > found[f, g][0] for f, g in found if (f + 1, g) in found)
        alike = all(found[f + 1, 1][1] > found[f, 1][1] for f in range(1, OBJECTS - 1))
        grows[f"{name}, frequent values"] = apart or alike
        # with a smaller sum no two pairs of frequencies differ
        for total in range(4, OBJECTS + 1):
            sums = {f: found[f, total - f][0] for f in range(1, total)}
            middle = sums[total // 2]
            others = [value for f, value in sums.items() if f not in (total // 2, -(-total // 2))]
            equal[f"{name}, frequencies with the sum {total}"] = all(
                middle > other + EQUAL for other in others
            )
    return Outcome(
        pd.concat([cases(grows, grows.values()), cases(equal, equal.values(), part=2)]),
        "theory",
        f"One attribute of {OBJECTS} objects. Lin's similarity of different values depends on the "
        "sum of their frequencies alone; OF's is least at equal frequencies where these make up "
        "most of the objects.",
    )


@CLAIMS.about("caso-71")
def steps_and_flops(evidence: Evidence) -> Outcome:
    """Calculation steps of the four measures, and the flops of a step (Table X)."""
    found = _on_tables(evidence.experiment("growth"))
    most = found["attributes"] * found["values"] * (found["values"] - 1) / 2
    steps = found.assign(most=most).groupby("table", sort=False)
    least, greatest = steps["steps"].min(), steps["steps"].max()
    same = (least == greatest) & (greatest <= steps["most"].max())
    flops = (found["attributes"] - 1) * found["per_comparison"]
    others, values = 2 * (found["attributes"] - 1), found["values"]
    said = found["relation"].map({POWER: True, "universal": True})
    exact = np.where(found["relation"] == POWER, others * 2.0**values, others * values)
    held = np.where(said.notna(), np.isclose(flops, exact), flops <= others * values)
    order = found.assign(flops=flops).pivot_table("flops", "table", "relation", sort=False)
    falling = order[list(RELATIONS)].diff(axis=1).iloc[:, 1:] <= EQUAL
    names = found["relation"].map(SHORT) + " on " + found["table"]
    return Outcome(
        pd.concat(
            [
                cases(same.index, same, ours=greatest),
                cases(names, held, ours=flops, part=2),
                cases("order on " + falling.index, falling.all(axis=1), part=2),
            ]
        ),
        "table10",
        "Part 1 is the number of steps, part 2 the flops of a step.",
    )


@CLAIMS.about("caso-72")
def normalised_intra_coupling(evidence: Evidence) -> Outcome:
    """IaASV scaled by its least and greatest value within an attribute, as fractions.

    The form is a weighted sum of this and IeASV.
    """
    different = [(1, 2), (1, 3), (1, 2, 3), (2, 5, 9), (1, 1, 4)]
    equal = [(2, 2), (3, 3, 3)]
    held = {}
    for frequencies in [*different, *equal]:
        found = [
            Fraction(f * g, f + g + f * g) for f, g in combinations_with_replacement(frequencies, 2)
        ]
        low, high = min(found), max(found)
        name = f"frequencies {', '.join(map(str, frequencies))}"
        held[name] = low < high and all(0 <= (one - low) / (high - low) <= 1 for one in found)
    return Outcome(
        cases(held, held.values()),
        "theory",
        "Where all values of an attribute occur equally often, as in Balloon, least and greatest "
        "value are the same and the scaled one is 0/0.",
    )
