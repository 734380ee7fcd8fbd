"""The definitions of CASO on a small table, word by word and in exact arithmetic.

Sets of objects and values instead of counts: what the fast measures of `couplings` are checked
against, and what the worked examples are computed with.
"""

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Any


class ExactTable:
    """Information table with the set functions of section III and the measures of section V.

    Its `rows` are objects by attributes, of any hashable values.
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
        """F_j: the values that some objects have in attribute j (definition 3.1)."""
        return {self.rows[u][j] for u in objects}

    def objects_of(self, j: int, values: Collection[object]) -> set[int]:
        """G_j: the objects with one of some values in attribute j (definition 3.1)."""
        return set().union(*(self._having[j][value] for value in values))

    def frequency(self, j: int, value: object) -> int:
        """|G_j({value})|."""
        return len(self._having[j][value])

    def related(self, j: int, k: int, value: object) -> set[object]:
        """phi_{j->k}: the values of k that occur together with a value of j (definition 3.2)."""
        return self.values_of(k, self._having[j][value])

    def conditional(self, k: int, values: Collection[object], j: int, given: object) -> Fraction:
        """P_{k|j}(values | given): share of the objects with a value of j (definition 3.3)."""
        key = (k, frozenset(values), j, given)
        # All pairs of values ask for it.
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
        """Sum over the values of k of |P(b|x) - P(b|y)| (eq. 6, with k for the classes)."""
        pairs = ([self.conditional(k, [b], j, one) for one in (x, y)] for b in self.values(k))
        return sum((abs(p - q) for p, q in pairs), Fraction(0))

    def add(self, j: int, x: object, y: object) -> Fraction:
        """ADD of two values: mean over the other attributes of half `absolute_difference`."""
        others = (k for k in range(self.n_attributes) if k != j)
        total = sum((self.absolute_difference(j, k, x, y) for k in others), Fraction(0))
        return total / (2 * (self.n_attributes - 1))

    def cado(self, j: int, x: object, y: object) -> Fraction:
        """CADO of two values (eq. 16): ``(1/IaASV - 1) (1 - IeASV)``."""
        return (1 / self.intra(j, x, y) - 1) * (1 - self.inter(j, x, y))
