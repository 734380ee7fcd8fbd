"""The worked examples of CASO: Tables I and II and every value that the text derives from them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from replication.papers.caso.exact import ExactTable

if TYPE_CHECKING:
    from replication.run.experiment import Experiment

PREPARATION = "plain"
CELL = "cell"
VALUE = "value"
"""Kinds of records: a cell of the input table, a value that is computed from it."""

FITTING = "tables that fit the text"
"""Quantity: how many tables could be Table II."""

RELATIONS = ("power", "universal", "joint", "intersection")
SHORT = dict(zip(RELATIONS, ("IRSP", "IRSU", "IRSJ", "IRSI"), strict=True))
"""The four inter-coupled relative similarities of section V-B, from the costliest on."""


def worked(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Cells of an example table, and the values of the text under their printed names.

    Yields
    ------
    dict
        ``kind`` (`CELL` or `VALUE`), ``object``, ``attribute``, ``quantity``, ``value`` (a number;
        of a set its size) and ``exact`` (a fraction or the members of a set).
    """
    table = experiment.tables(PREPARATION).tables[0]
    rows = [
        [table.categories[j][code] for j, code in enumerate(row)] for row in table.codes.tolist()
    ]
    for u, row in enumerate(rows):
        for name, value in zip(table.attributes, row, strict=True):
            yield {"kind": CELL, "object": f"u{u + 1}", "attribute": name, "exact": value}
    exact = ExactTable(rows)
    quantities = _movie(exact)
    if experiment.dataset == "information_table":
        quantities = _information_table(exact, experiment)
    for quantity, found in quantities:
        yield {"kind": VALUE, "quantity": quantity, **_shown(found)}


def _shown(found: object) -> dict[str, Any]:
    """Number and text of a fraction or a set."""
    if isinstance(found, Fraction | int):
        return {"value": float(found), "exact": str(found)}
    members = [f"u{one + 1}" if isinstance(one, int) else str(one) for one in sorted(found)]
    return {"value": float(len(members)), "exact": f"{{{', '.join(members)}}}"}


Found = Iterator[tuple[str, Fraction | int | Collection[Any]]]


def _information_table(table: ExactTable, experiment: Experiment) -> Found:
    a1, a2, a3 = range(3)
    u2, u3 = 1, 2
    yield "|F2({u1,u2,u3})|", table.values_of(a2, [0, 1, 2])
    yield "|G2({B1,B2})|", table.objects_of(a2, ["B1", "B2"])
    yield "|phi_2->1(B1)|", table.related(a2, a1, "B1")
    yield "|phi_2->1(B2)|", table.related(a2, a1, "B2")
    for values, given in (("A1", "B1"), ("A1", "B2"), ("A2", "B1"), ("A2", "B2")):
        yield f"P_1|2({{{values}}}|{given})", table.conditional(a1, [values], a2, given)
    yield "P_1|2({A2,A3,A4}|B2)", table.conditional(a1, ["A2", "A3", "A4"], a2, "B2")
    yield "freq(B1)", table.frequency(a2, "B1")
    yield "freq(B2)", table.frequency(a2, "B2")
    yield "IaASV(B1,B2)", table.intra(a2, "B1", "B2")
    yield from _relative_values(experiment)
    yield "IRSI(B1,B2|a3)", table.shared(a2, a3, "B1", "B2")
    yield "IeASV(B1,B2)", table.inter(a2, "B1", "B2")
    yield "CASV(B1,B2)", table.casv(a2, "B1", "B2")
    yield "CASV(A2,A2) inside CASO(u2,u3)", table.casv(a1, "A2", "A2")
    yield "CASV on a3 inside CASO(u2,u3)", table.casv(a3, table.rows[u2][a3], table.rows[u3][a3])
    yield "CASO(u2,u3)", table.caso(u2, u3)
    yield "CADO(B1,B2)", table.cado(a2, "B1", "B2")
    yield FITTING, _completions()


def _relative_values(experiment: Experiment) -> Found:
    """The four relative similarities of B1 and B2 given a1, with the library's counters."""
    counts, x, y = _pair(experiment)
    for relation, measure in relative_similarities().items():
        found = measure(counts, 1, x, y, 0)
        yield f"{SHORT[relation]}(B1,B2|a1)", found.value
        yield f"ICP count {SHORT[relation]}", found.evaluations
    subsets = list(_steps(experiment, "power"))
    yield "number of subsets in Table V", len(subsets)
    yield "IRSP term for {A1}", next(step["term"] for step in subsets if step["values"] == "A1")


def _movie(table: ExactTable) -> Found:
    director, actor = 0, 1
    yield "IaASV(Scorsese,Coppola)", table.intra(director, "Scorsese", "Coppola")
    de_niro_or_stewart = table.conditional(actor, ["De Niro", "Stewart"], director, "Hitchcock")
    yield "P_2|1({De Niro,Stewart}|Hitchcock)", de_niro_or_stewart
    films = table.objects_of(director, ["Hitchcock"])
    yield "|G1({Hitchcock})|", films
    yield "F2(G1({Hitchcock}))", table.values_of(actor, films)
    yield "phi_1->2(Hitchcock)", table.related(director, actor, "Hitchcock")
    yield "|subsets of actors|", 2 ** len(table.values(actor))
    for x, y in (
        ("Scorsese", "Coppola"),
        ("Coppola", "Coppola"),
        ("Koster", "Coppola"),
        ("Koster", "Hitchcock"),
    ):
        yield f"CASV_Director({x},{y})", table.casv(director, x, y)
        yield f"SMS({x},{y})", int(x == y)
    yield (
        "CADO(u1,u2)",
        sum(
            (table.cado(j, x, y) for j, (x, y) in enumerate(zip(*table.rows[:2], strict=True))),
            Fraction(0),
        ),
    )


def _completions() -> int:
    """Number of tables that agree with what the text says about Table II.

    Column a2 and the a1 of u1, u2, u3 and u6 are in the text. Free are the a1 of u4 and u5, one of
    which is A3, and how column a3 groups the objects; its names do not matter. Wanted are the
    worked values IeASV(B1, B2) = 1/4 and CASO(u2, u3) = 1/2 + 1/8 + 1/8.
    """
    a2 = ("B1", "B1", "B2", "B3", "B3", "B2")
    wanted = (Fraction(1, 4), Fraction(1, 2), Fraction(1, 8), Fraction(1, 8))
    fitting = 0
    for a3 in _groupings(len(a2)):
        for u4, u5 in itertools.product(("A1", "A2", "A3", "A4"), repeat=2):
            if "A3" not in (u4, u5):
                continue
            a1 = ("A1", "A2", "A2", u4, u5, "A4")
            table = ExactTable(list(zip(a1, a2, a3, strict=True)))
            found = (
                table.inter(1, "B1", "B2"),
                table.casv(0, "A2", "A2"),
                table.casv(1, "B1", "B2"),
                table.casv(2, a3[1], a3[2]),
            )
            fitting += found == wanted
    return fitting


def _groupings(n: int) -> Iterator[tuple[int, ...]]:
    """All groupings of n objects, each as group numbers in order of appearance."""
    if n == 0:
        yield ()
        return
    for head in _groupings(n - 1):
        for group in range(max(head, default=-1) + 2):
            yield (*head, group)


# --- Tables V to VIII ---------------------------------------------------------------------------


def relative(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Steps of the four relative similarities of B1 and B2 with respect to a1.

    Yields
    ------
    dict
        ``relation``, ``step``, ``values`` (of a1), ``complement`` (power set only), ``p_x``,
        ``p_y``, ``term``, and of the whole ``similarity`` and ``evaluations``.
    """
    counts, x, y = _pair(experiment)
    for relation, measure in relative_similarities().items():
        whole = measure(counts, 1, x, y, 0)
        for i, step in enumerate(_steps(experiment, relation)):
            yield {
                "relation": relation,
                "step": i,
                **{name: str(value) for name, value in step.items()},
                "similarity": str(whole.value),
                "evaluations": whole.evaluations,
            }


def _steps(experiment: Experiment, relation: str) -> Iterator[dict[str, Any]]:
    from couplings.measures.coupled import relative_steps

    counts, x, y = _pair(experiment)
    names = experiment.tables(PREPARATION).tables[0].categories[0]
    for step in relative_steps(counts, 1, x, y, 0, relation):
        outside = [b for b in range(len(names)) if b not in step.values]
        yield {
            "values": ", ".join(names[b] for b in step.values),
            "complement": ", ".join(names[b] for b in outside) if relation == "power" else "",
            "p_x": step.p_x,
            "p_y": step.p_y,
            "term": step.term,
        }


def _pair(experiment: Experiment) -> tuple[Any, int, int]:
    """Counts of the example, and the codes of B1 and B2 in a2."""
    from couplings.counts import cooccurrence

    table = experiment.tables(PREPARATION).tables[0]
    names = table.categories[1]
    return cooccurrence(table), names.index("B1"), names.index("B2")


def relative_similarities() -> dict[str, Callable[..., Any]]:
    """The functions of the library, by relation, from the costliest on."""
    from couplings.measures.coupled import relative_similarity

    return {relation: partial(relative_similarity, relation=relation) for relation in RELATIONS}
