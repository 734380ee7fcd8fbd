"""Claims of coupledMC on its worked example: distances, weights, Tables 2 to 4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from replication.judge.claims import EQUAL, ClaimBook, Count, Evidence, Finding, about, count, met
from replication.papers.coupledmc import analysis
from replication.papers.coupledmc.runs import RECONCILED

EXAMPLE = ClaimBook()


def _listed(rows: pd.DataFrame, digits: int = 4) -> str:
    names = rows["quantity"].str.partition(": ")[2]
    return ", ".join(
        f"{name} {value:.{digits}f}" for name, value in zip(names, rows["reproduced"], strict=True)
    )


def _entries(rows: pd.DataFrame, said: str, artefact: str) -> Finding:
    """Printed values, each met or not."""
    held = count(met(rows))
    return Finding(held, f"{held} come out{said}", artefact, value=str(held))


def _ours(evidence: Evidence, method: str, scale: str = "") -> dict[str, float]:
    """Distances of our representation by the names of the pairs, as ``46``."""
    reading = RECONCILED if method == "rfs_distance" else ""
    return {
        f"{one[-1]}{other[-1]}": value
        for (quantity, read, on, one, other), value in analysis.example_numbers(evidence).items()
        if (quantity, read, on) == (method, reading, scale)
    }


def _theirs(evidence: Evidence, method: str) -> dict[str, float]:
    """Printed distances by the names of the pairs."""
    return {
        metric.removeprefix("d(").removesuffix(")").replace("u", "").replace(",", ""): value
        for metric, value in analysis.printed_text(evidence, method).items()
    }


def _pairs(distances: Mapping[str, float], names: Sequence[str]) -> str:
    return ", ".join(f"u{name[0]}u{name[1]} {distances[name]:.3f}" for name in names)


@EXAMPLE.about("coupledmc-01", "wmm")
@EXAMPLE.about("coupledmc-03", "pcd")
def distances(evidence: Evidence, method: str) -> Finding:
    """The four weighted mixed distances, or the four partially coupled ones."""
    rows = analysis.in_text(evidence, f"{method}:")
    return _entries(rows, f": {_listed(rows)}.", "text")


@EXAMPLE.about("coupledmc-02")
def mixed_distances_confuse(evidence: Evidence) -> Finding:
    """Objects of two classes are much nearer than objects of one, nearly a third of the others."""

    def parts(distances: Mapping[str, float]) -> list[Count]:
        nearer = evidence.ahead(distances["43"], distances["46"])
        third = about(distances["46"] / distances["65"], 1 / 3)
        return [count([nearer]), count([third])]

    ours = _ours(evidence, "wmm")
    ratio = ours["46"] / ours["65"]
    return Finding(
        parts(ours),
        f"wmm: {_pairs(ours, ('46', '43', '65'))}; the ratio to the last is {ratio:.3f}, a third "
        "would be 0.333.",
        "text",
        printed=parts(_theirs(evidence, "wmm")),
        value=f"{ratio:.3f}",
    )


@EXAMPLE.about("coupledmc-04")
def partial_distances_order(evidence: Evidence) -> Finding:
    """Order of the partially coupled distances, pair by pair."""
    larger = (("35", "34"), ("35", "56"), ("46", "34"), ("56", "46"))

    def held(distances: Mapping[str, float]) -> Count:
        return count(evidence.ahead(distances[a], distances[b]) for a, b in larger)

    ours = _ours(evidence, "pcd")
    return Finding(
        held(ours),
        f"pcd: {_pairs(ours, ('35', '34', '56', '46'))}.",
        "text",
        printed=held(_theirs(evidence, "pcd")),
    )


@EXAMPLE.about("coupledmc-05")
def table_2(evidence: Evidence) -> Finding:
    """The entries of Table 2."""
    rows = evidence.table("table02", RECONCILED)
    odd = analysis.unmet(rows, "({object}, {column}) prints {printed}, ours {reproduced:.4f}")
    return _entries(rows, f"{odd}.", "table02")


@EXAMPLE.about("coupledmc-06")
def contexts(evidence: Evidence) -> Finding:
    """Contexts of the two discrete attributes."""
    found = analysis.example_numbers(evidence)
    claimed = {"a1d": {"a2d"}, "a2d": {"a1d", "a2r"}}
    ours = {
        target: {
            key[4]
            for key, value in found.items()
            if key[:2] == ("context", RECONCILED) and key[3] == target and value
        }
        for target in claimed
    }
    return Finding(
        count(ours[target] == claimed[target] for target in claimed),
        "; ".join(f"context of {t}: {', '.join(sorted(names))}" for t, names in ours.items()) + ".",
        "example",
    )


@EXAMPLE.about("coupledmc-07")
def weights(evidence: Evidence) -> Finding:
    """Weights of the context of a2d."""
    rows = analysis.in_text(evidence, "coupling weight:")
    printed = list(rows["printed"])
    exchanged = [f"{value:.3f}" for value in rows["reproduced"]][::-1] == printed
    end = "; exchanged, they are the printed ones" if exchanged else ""
    return _entries(
        rows, f". Shares of SU: {_listed(rows)}; printed {' and '.join(printed)}{end}.", "text"
    )


@EXAMPLE.about("coupledmc-08")
def weights_are_minmax(evidence: Evidence) -> Finding:
    """Whether the weights that the example is computed with are those of eq. (3)."""
    found = analysis.example_numbers(evidence)
    places = (("a1d", "a2d"), ("a2d", "a1d"), ("a2d", "a2r"))
    literal, ours = (
        [found["weight", reading, "", *place] for place in places]
        for reading in ("literal", RECONCILED)
    )
    printed = analysis.printed_text(evidence, "coupling_weight")
    theirs = [printed["gamma(a1d) as printed"], printed["gamma(a2r->d) as printed"]]

    def held(values: Sequence[float], wanted: Sequence[float | None]) -> Count:
        return count(
            one is not None and abs(value - one) <= EQUAL
            for value, one in zip(values, wanted, strict=True)
        )

    def two(values: Sequence[float]) -> str:
        return " and ".join(f"{value:.3f}" for value in sorted(values))

    return Finding(
        # eq. (3) is 0/0 in a context of one
        held(ours, [None, *literal[1:]]),
        f"Eq. (3) gives the context of a2d the weights {two(literal[1:])}, and 0/0 to a context "
        f"of one; the weights that give Table 2 are shares of SU ({two(ours[1:])}), and the text "
        f"prints {two(theirs)}. That weights lie in [0, 1] holds for both and tells nothing.",
        "example",
        printed=held(theirs, literal[1:]),
    )


@EXAMPLE.about("coupledmc-09")
def uncertainty(evidence: Evidence) -> Finding:
    """SU of independent attributes, and of ones that predict each other."""
    found = analysis.example_numbers(evidence)
    none, full = (found["uncertainty", "", "", "SU", name] for name in ("independent", "predicted"))
    sets = analysis.descriptions(evidence)
    low, high = analysis.extent(sets, "su")
    return Finding(
        count([abs(none) <= EQUAL, abs(full - 1) <= EQUAL]),
        f"SU is {none:.3f} for independent attributes and {full:.3f} for attributes that predict "
        f"each other; on the {len(sets)} data sets it lies in [{low:.2g}, {high:.2g}].",
        "description",
    )


@EXAMPLE.about("coupledmc-10")
def soft_matrix(evidence: Evidence) -> Finding:
    """Rows of the 0/1 matrix, and range of the soft one, on every data set."""
    sets = analysis.descriptions(evidence)
    low, high = analysis.extent(sets, "fsd")
    ones = sets[["ones_min", "ones_max"]].eq(sets["discrete_attributes"], axis=0).all(axis=1)
    return Finding(
        count([*ones, *((sets["fsd_min"] >= 0) & (sets["fsd_max"] <= 1))]),
        f"Every row has n1 ones on {ones.sum()} of {len(sets)} data sets; the soft entries lie in "
        f"[{low:.3f}, {high:.3f}].",
        "description",
    )


@EXAMPLE.about("coupledmc-11")
def table_3(evidence: Evidence) -> Finding:
    """The entries of Table 3."""
    return _entries(
        evidence.table("table03", RECONCILED), " at the printed two decimals.", "table03"
    )


@EXAMPLE.about("coupledmc-12")
def table_4(evidence: Evidence) -> Finding:
    """The entries of Table 4."""
    rows = evidence.table("table04", RECONCILED)
    return _entries(
        rows,
        f" up to the signs of the components, {(rows['verdict'] == 'exact').sum()} of them "
        f"exactly; the largest difference is {analysis.largest_difference(rows):.5f}, which the "
        "rounding of Table 1 explains.",
        "table04",
    )


@EXAMPLE.about("coupledmc-13")
def dimensions(evidence: Evidence) -> Finding:
    """Number of columns before and after the reduction, and what it keeps."""

    def parts(before: float, after: float, share: float) -> list[Count]:
        return [count([before == 14, after == 5]), count([share > 0.5])]

    ours, theirs = analysis.reductions(evidence)
    before, after, share = ours
    return Finding(
        parts(*ours),
        f"From {before:.0f} to {after:.0f} columns with {100 * share:.1f} % of the variance "
        f"(printed tables: {100 * theirs[2]:.1f} %): five is the full rank of six centred rows, so "
        "nothing is lost and nothing was selected.",
        "table04",
        printed=parts(*theirs),
        value=f"{before:.0f} to {after:.0f}",
    )


@EXAMPLE.about("coupledmc-14")
def reduced_distances(evidence: Evidence) -> Finding:
    """The four distances on Table 4."""
    rows = analysis.in_text(evidence, "normalized")
    return _entries(
        rows,
        f". With min-max columns, the normalisation that comes nearest: {_listed(rows, 3)}; "
        f"printed {', '.join(map(str, rows['printed']))}.",
        "text",
    )


@EXAMPLE.about("coupledmc-15")
def reduced_distances_order(evidence: Evidence) -> Finding:
    """Distances between classes above those within, under every normalisation."""

    def cases(distances: Mapping[str, float]) -> list[bool]:
        larger = [(a, b) for a in ("46", "35") for b in ("43", "65")]
        return [evidence.ahead(distances[a], distances[b]) for a, b in larger]

    said, ours = [], []
    for scale, name in (("minmax", "min-max"), ("z", "z-scored"), ("raw", "unscaled")):
        distances = _ours(evidence, "rfs_distance", scale)
        found = cases(distances)
        ours += found
        said.append(
            f"{name} columns: {sum(found)} of {len(found)} comparisons hold "
            f"({_pairs(distances, ('46', '43', '65', '35'))})"
        )
    return Finding(
        count(ours),
        "; ".join(said) + ". The text does not say how the distances are normalised.",
        "text",
        printed=count(cases(_theirs(evidence, "rfs_distance"))),
    )


@EXAMPLE.about("coupledmc-16")
def columns(evidence: Evidence) -> Finding:
    """Number of columns of the expanded matrix."""
    sets = analysis.descriptions(evidence)
    once = sets["values"] + sets["numeric_attributes"]
    held = count(case for L in (3, 4) for case in sets[f"columns_{L}"] == L * once)
    return Finding(
        held,
        f"L (T + n2) columns in {held} cases ({len(sets)} data sets, L = 3 and 4), up to "
        f"{sets['columns_4'].max():.0f}.",
        "description",
        value=str(held),
    )
