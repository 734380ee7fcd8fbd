"""Worked examples of CASO (Tables I and II) in exact arithmetic, by the paper's definitions."""

import itertools
from collections.abc import Callable, Collection, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from couplings.counts import cooccurrence
from couplings.measures.coupled import relative_similarity, relative_steps
from replication.run.experiment import Experiment


class ExactTable:
    """Information table with the set functions of section III and the measures of section V.

    `rows` are objects by attributes, of hashable values.
    """

    def __init__(self, rows: Sequence[Sequence[object]]) -> None:
        self.rows = [tuple(row) for row in rows]
        self.n_objects, self.n_attributes = len(self.rows), len(self.rows[0])
        self._having = [
            {x: {u for u, y in enumerate(column) if y == x} for x in dict.fromkeys(column)}
            for column in zip(*self.rows, strict=True)
        ]
        self._conditional: dict[tuple[object, ...], Fraction] = {}

    def values(self, j: int) -> list[Any]:
        """V_j: the values of attribute j, in order of appearance."""
        return list(self._having[j])

    def values_of(self, j: int, objects: Collection[int]) -> set[object]:
        """F_j: the values of some objects in attribute j (definition 3.1)."""
        return {self.rows[u][j] for u in objects}

    def objects_of(self, j: int, values: Collection[object]) -> set[int]:
        """G_j: the objects whose value in attribute j is one of `values` (definition 3.1)."""
        return set().union(*(self._having[j][value] for value in values))

    def frequency(self, j: int, value: object) -> int:
        """|G_j({value})|: number of objects with a value of attribute j."""
        return len(self._having[j][value])

    def related(self, j: int, k: int, value: object) -> set[object]:
        """phi_{j->k}: the values of k that occur together with a value of j (definition 3.2)."""
        return self.values_of(k, self._having[j][value])

    def conditional(self, k: int, values: Collection[object], j: int, given: object) -> Fraction:
        """P_{k|j}(values | given): share of `values` among the objects with `given` (def. 3.3)."""
        key = (k, frozenset(values), j, given)
        # kept, because every pair of values needs it
        if key not in self._conditional:
            condition = self._having[j][given]
            shared = len(self.objects_of(k, values) & condition)
            self._conditional[key] = Fraction(shared, len(condition))
        return self._conditional[key]

    def intra(self, j: int, x: object, y: object) -> Fraction:
        """IaASV of two values (eq. 5)."""
        a, b = self.frequency(j, x), self.frequency(j, y)
        return Fraction(a * b, a + b + a * b)

    def shared(self, j: int, k: int, x: object, y: object) -> Fraction:
        """IRSI of two values of j with respect to k (eq. 12); k may be j itself."""
        both = self.related(j, k, x) & self.related(j, k, y)
        least = (min(self.conditional(k, [b], j, one) for one in (x, y)) for b in both)
        return sum(least, Fraction(0))

    def inter(self, j: int, x: object, y: object) -> Fraction:
        """IeASV of two values with equal weights (eq. 13)."""
        shared = (self.shared(j, k, x, y) for k in range(self.n_attributes) if k != j)
        return sum(shared, Fraction(0)) / (self.n_attributes - 1)

    def casv(self, j: int, x: object, y: object) -> Fraction:
        """CASV of two values (eq. 14)."""
        return self.intra(j, x, y) * self.inter(j, x, y)

    def caso(self, u: int, v: int) -> Fraction:
        """CASO of two objects (eq. 15)."""
        pairs = enumerate(zip(self.rows[u], self.rows[v], strict=True))
        return sum((self.casv(j, x, y) for j, (x, y) in pairs), Fraction(0))

    def absolute_difference(self, j: int, k: int, x: object, y: object) -> Fraction:
        """Sum over the values b of k of |P(b|x) - P(b|y)| (eq. 6, with k in place of classes)."""
        pairs = ([self.conditional(k, [b], j, one) for one in (x, y)] for b in self.values(k))
        return sum((abs(p - q) for p, q in pairs), Fraction(0))

    def add(self, j: int, x: object, y: object) -> Fraction:
        """ADD of two values: half the mean `absolute_difference` over the other attributes."""
        others = (k for k in range(self.n_attributes) if k != j)
        total = sum((self.absolute_difference(j, k, x, y) for k in others), Fraction(0))
        return total / (2 * (self.n_attributes - 1))

    def cado(self, j: int, x: object, y: object) -> Fraction:
        """CADO of two values (eq. 16): ``(1/IaASV - 1) (1 - IeASV)``."""
        return (1 / self.intra(j, x, y) - 1) * (1 - self.inter(j, x, y))


PREPARATION = "plain"
MOVIE, EXAMPLE = "movie", "information_table"
"""Data sets of Tables I and II."""
CELL = "cell"
VALUE = "value"
"""Kinds of records: a cell of the example table, and a value computed from the table."""

FITTING = "tables that fit the text"
"""Quantity: number of tables that agree with the text about Table II."""

RELATIONS = ("power", "universal", "joint", "intersection")
SHORT = dict(zip(RELATIONS, ("IRSP", "IRSU", "IRSJ", "IRSI"), strict=True))
"""The four inter-coupled relative similarities of section V-B, the most expensive one first."""
POWER = RELATIONS[0]
"""Relation of IRSP, which enumerates all subsets of values."""
RELATIVE: dict[str, Callable[..., Any]] = {
    relation: partial(relative_similarity, relation=relation) for relation in RELATIONS
}
"""Functions of the library that compute the four similarities."""


def worked(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """List the cells of an example table, and compute the values that the text states about it.

    Records: ``kind`` (`CELL` or `VALUE`), ``object``, ``attribute``, ``quantity`` (printed name),
    ``value`` (a number, or the size of a set) and ``exact`` (a fraction, or the members of a set).
    """
    table = experiment.tables(PREPARATION).tables[0]
    rows = [
        [table.categories[j][code] for j, code in enumerate(row)] for row in table.codes.tolist()
    ]
    for u, row in enumerate(rows):
        for name, value in zip(table.attributes, row, strict=True):
            yield {"kind": CELL, "object": f"u{u + 1}", "attribute": name, "exact": value}
    exact = ExactTable(rows)
    second = experiment.dataset == EXAMPLE
    found = _information_table(exact, experiment) if second else _movie(exact)
    for quantity, one in found.items():
        yield {"kind": VALUE, "quantity": quantity, **_shown(one)}


def _shown(found: Any) -> dict[str, Any]:
    """Return number and text of a fraction or a set."""
    if isinstance(found, Fraction | int):
        return {"value": float(found), "exact": str(found)}
    members = [f"u{one + 1}" if isinstance(one, int) else str(one) for one in sorted(found)]
    return {"value": float(len(members)), "exact": f"{{{', '.join(members)}}}"}


def _information_table(table: ExactTable, experiment: Experiment) -> dict[str, Any]:
    a1, a2, a3 = range(3)
    u2, u3 = 1, 2
    return {
        "|F2({u1,u2,u3})|": table.values_of(a2, [0, 1, 2]),
        "|G2({B1,B2})|": table.objects_of(a2, ["B1", "B2"]),
        "|phi_2->1(B1)|": table.related(a2, a1, "B1"),
        "|phi_2->1(B2)|": table.related(a2, a1, "B2"),
        **{
            f"P_1|2({{{values}}}|{given})": table.conditional(a1, values.split(","), a2, given)
            for values, given in (
                *(("A1", "B1"), ("A1", "B2"), ("A2", "B1"), ("A2", "B2")),
                ("A2,A3,A4", "B2"),
            )
        },
        "freq(B1)": table.frequency(a2, "B1"),
        "freq(B2)": table.frequency(a2, "B2"),
        "IaASV(B1,B2)": table.intra(a2, "B1", "B2"),
        **_relative_values(experiment),
        "IRSI(B1,B2|a3)": table.shared(a2, a3, "B1", "B2"),
        "IeASV(B1,B2)": table.inter(a2, "B1", "B2"),
        "CASV(B1,B2)": table.casv(a2, "B1", "B2"),
        "CASV(A2,A2) inside CASO(u2,u3)": table.casv(a1, "A2", "A2"),
        "CASV on a3 inside CASO(u2,u3)": table.casv(a3, table.rows[u2][a3], table.rows[u3][a3]),
        "CASO(u2,u3)": table.caso(u2, u3),
        "CADO(B1,B2)": table.cado(a2, "B1", "B2"),
        FITTING: _completions(),
    }


def _relative_values(experiment: Experiment) -> dict[str, Any]:
    """Return the relative similarities of B1 and B2 with respect to a1, and their evaluations."""
    found: dict[str, Any] = {}
    for step in relative(experiment):
        short = SHORT[step["relation"]]
        found[f"{short}(B1,B2|a1)"] = Fraction(step["similarity"])
        found[f"ICP count {short}"] = step["evaluations"]
    terms = {step["values"]: step["term"] for step in _steps(experiment, POWER)}
    return found | {"number of subsets in Table V": len(terms), "IRSP term for {A1}": terms["A1"]}


def _movie(table: ExactTable) -> dict[str, Any]:
    director, actor = 0, 1
    films = table.objects_of(director, ["Hitchcock"])
    found: dict[str, Any] = {
        "IaASV(Scorsese,Coppola)": table.intra(director, "Scorsese", "Coppola"),
        "P_2|1({De Niro,Stewart}|Hitchcock)": table.conditional(
            actor, ["De Niro", "Stewart"], director, "Hitchcock"
        ),
        "|G1({Hitchcock})|": films,
        "F2(G1({Hitchcock}))": table.values_of(actor, films),
        "phi_1->2(Hitchcock)": table.related(director, actor, "Hitchcock"),
        "|subsets of actors|": 2 ** len(table.values(actor)),
    }
    for x, y in (
        *(("Scorsese", "Coppola"), ("Coppola", "Coppola")),
        *(("Koster", "Coppola"), ("Koster", "Hitchcock")),
    ):
        found[f"CASV_Director({x},{y})"] = table.casv(director, x, y)
        found[f"SMS({x},{y})"] = int(x == y)
    pairs = enumerate(zip(*table.rows[:2], strict=True))
    return found | {"CADO(u1,u2)": sum((table.cado(j, *pair) for j, pair in pairs), Fraction(0))}


def _completions() -> int:
    """Count the tables that agree with the text about Table II.

    The text gives column a2, and column a1 of u1, u2, u3 and u6. Two parts are free: column a1 of
    u4 and u5, one of which is A3, and the grouping of the objects by column a3, whose names do not
    matter. A table agrees if IeASV(B1, B2) = 1/4 and CASO(u2, u3) = 1/2 + 1/8 + 1/8.
    """
    a2 = ("B1", "B1", "B2", "B3", "B3", "B2")
    wanted = (Fraction(1, 4), Fraction(1, 2), Fraction(1, 8), Fraction(1, 8))
    fitting = 0
    pairs = [pair for pair in itertools.product(("A1", "A2", "A3", "A4"), repeat=2) if "A3" in pair]
    for a3, pair in itertools.product(groupings(len(a2)), pairs):
        table = ExactTable(list(zip(("A1", "A2", "A2", *pair, "A4"), a2, a3, strict=True)))
        found = (
            table.inter(1, "B1", "B2"),
            table.casv(0, "A2", "A2"),
            table.casv(1, "B1", "B2"),
            table.casv(2, a3[1], a3[2]),
        )
        fitting += found == wanted
    return fitting


def groupings(n: int) -> Iterator[tuple[int, ...]]:
    """Yield all groupings of n objects, each as group numbers in order of appearance."""
    for numbers in itertools.product(range(n), repeat=n):
        first = dict.fromkeys(numbers)
        if list(first) == list(range(len(first))):
            yield numbers


def relative(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """List the steps of the four relative similarities of B1 and B2 with respect to a1.

    Records, one per step: ``relation``, ``step``, ``values`` (of a1), ``complement`` (the other
    values, for IRSP only), ``p_x``, ``p_y``, ``term``; and the whole ``similarity`` and its number
    of ``evaluations``.
    """
    for relation, measure in RELATIVE.items():
        whole = measure(*_pair(experiment))
        for i, step in enumerate(_steps(experiment, relation)):
            yield {
                "relation": relation,
                "step": i,
                **{name: str(value) for name, value in step.items()},
                "similarity": str(whole.value),
                "evaluations": whole.evaluations,
            }


def _steps(experiment: Experiment, relation: str) -> Iterator[dict[str, Any]]:
    names = experiment.tables(PREPARATION).tables[0].categories[0]
    for step in relative_steps(*_pair(experiment), relation):
        outside = [b for b in range(len(names)) if b not in step.values]
        yield {
            "values": ", ".join(names[b] for b in step.values),
            "complement": ", ".join(names[b] for b in outside) if relation == POWER else "",
            **{"p_x": step.p_x, "p_y": step.p_y, "term": step.term},
        }


def _pair(experiment: Experiment) -> tuple[Any, int, int, int, int]:
    """Return what a relative similarity takes: counts, a2, the codes of B1 and B2, and a1."""
    table = experiment.tables(PREPARATION).tables[0]
    names = table.categories[1]
    return cooccurrence(table), 1, names.index("B1"), names.index("B2"), 0
