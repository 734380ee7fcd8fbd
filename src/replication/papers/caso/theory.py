"""What CASO proves, tried on random tables in exact arithmetic and on its data sets."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from replication.papers.caso.exact import ExactTable
from replication.papers.caso.examples import PREPARATION, relative_similarities

if TYPE_CHECKING:
    import numpy as np

    from couplings.counts import CooccurrenceCounts
    from couplings.table import CategoricalTable
    from replication.run.experiment import Experiment

_BATCH = 500

EQUIVALENCE = "IRSP = IRSU = IRSJ = IRSI"
MAXIMUM = "sum of absolute differences = 2 max over subsets"
COMPLEMENT = "IRSP = 1 - max |P(W|x) + P(not W|y) - 1|"
COUNTS = "evaluations: power >= universal >= joint >= intersection"
POWER_SET = "ADD = 1 - IeASV by the power set"
CONSTANT_INTRA = "h1 = 1: CADO = ADD"
EQUAL_FREQUENCIES = "equal frequencies f: ADD = (f / 2) CADO"
IDENTITY_INTER = "context is the attribute itself: CADO = SMD (1/f_x + 1/f_y)"
BOTH = "both: CADO = (2 / f) SMD"
EQUAL_INTRA = "f_x = f_y: IaASV(x, y) = IaASV(x, x)"
DECREASING = "h1(t) = 1/t - 1 and h2(t) = 1 - t decrease on (0, 1]"
INCREASING = "IaASV increases in both frequencies"
LEAST = "IaASV is least at frequencies 1 and 1"
GREATEST = "IaASV is greatest at m/2 and m/2 if the frequencies sum to at most m"


class Sizes(TypedDict):
    """Largest sizes of a random table."""

    most_objects: int
    most_attributes: int
    most_values: int


def equivalence(
    experiment: Experiment, *, tables: int, **most: Unpack[Sizes]
) -> Iterator[dict[str, Any]]:
    """The relative similarities of section V-B on random tables, exactly.

    Each table compares all values of one attribute with respect to another one.

    Yields
    ------
    dict
        ``statement``, ``tables``, ``cases`` (pairs of values), ``exceptions`` and, where a fast
        measure takes part, its ``largest_difference`` from the fraction.
    """
    yield from _in_batches(experiment, _equivalence, tables, most)


def special_cases(
    experiment: Experiment, *, tables: int, **most: Unpack[Sizes]
) -> Iterator[dict[str, Any]]:
    """Known measures as special cases of CADO (section IX), on random tables, exactly.

    Yields
    ------
    dict
        As `equivalence`.
    """
    yield from _in_batches(experiment, _special_cases, tables, most)
    for statement, holds in _frequencies(60).items():
        yield _record(statement, 0, len(holds), holds.count(False))


class Tally:
    """What was found on many tables: tables, cases, exceptions, largest difference by statement."""

    def __init__(self) -> None:
        self.found: dict[str, list[float]] = {}
        self._seen: set[str] = set()

    def next_table(self) -> None:
        """Begin another table."""
        self._seen.clear()

    def note(self, statement: str, holds: bool, difference: float = 0.0) -> None:
        """Enter one case of a statement."""
        self.add({statement: [statement not in self._seen, 1, not holds, difference]})
        self._seen.add(statement)

    def add(self, found: dict[str, list[float]]) -> None:
        """Add `found` of another tally."""
        for statement, (*numbers, difference) in found.items():
            *known, largest = self.found.get(statement, [0, 0, 0, 0.0])
            sums = [one + other for one, other in zip(known, numbers, strict=True)]
            self.found[statement] = [*sums, max(largest, difference)]


def _in_batches(
    experiment: Experiment,
    examine: Callable[[np.random.Generator, Sizes, Tally], None],
    n_tables: int,
    most: Sizes,
) -> Iterator[dict[str, Any]]:
    """Add up what was found on many random tables."""

    def batch(first: int, size: int) -> dict[str, list[float]]:
        tally = Tally()
        rng = experiment.rng("tables", trial=first)
        for _ in range(size):
            tally.next_table()
            examine(rng, most, tally)
        return tally.found

    total = Tally()
    for first in range(0, n_tables, _BATCH):
        size = min(_BATCH, n_tables - first)
        total.add(experiment.once(f"batch {first}", partial(batch, first, size)))
    for statement, numbers in total.found.items():
        yield _record(statement, *numbers)


def _record(
    statement: str, tables: int, cases: int, exceptions: int, difference: float = 0.0
) -> dict[str, Any]:
    return {
        "statement": statement,
        "tables": tables,
        "cases": cases,
        "exceptions": exceptions,
        "largest_difference": difference,
    }


def _random_codes(rng: np.random.Generator, limits: Sizes) -> np.ndarray:
    n = int(rng.integers(2, limits["most_objects"] + 1))
    m = int(rng.integers(2, limits["most_attributes"] + 1))
    sizes = rng.integers(1, limits["most_values"] + 1, m)
    return rng.integers(0, sizes, (n, m))


def _balanced_codes(rng: np.random.Generator, limits: Sizes) -> tuple[np.ndarray, int]:
    """Table in which every value of every attribute occurs equally often, and how often."""
    import numpy as np

    v = int(rng.integers(2, limits["most_values"] + 1))
    times = int(rng.integers(1, limits["most_objects"] // v + 1))
    m = int(rng.integers(2, limits["most_attributes"] + 1))
    column = np.repeat(np.arange(v), times)
    return np.column_stack([rng.permutation(column) for _ in range(m)]), times


def _read(codes: np.ndarray) -> tuple[ExactTable, CooccurrenceCounts]:
    """A table in exact arithmetic, and its counts."""
    from couplings.counts import cooccurrence
    from couplings.table import CategoricalTable

    table = CategoricalTable.from_codes(codes, codes.max(axis=0) + 1)
    return ExactTable(codes.tolist()), cooccurrence(table)


def _equivalence(rng: np.random.Generator, limits: Sizes, tally: Tally) -> None:
    from couplings.measures.coupled import ieasv

    codes = _random_codes(rng, limits)
    j, k = (int(one) for one in rng.permutation(codes.shape[1])[:2])
    table, counts = _read(codes)
    inter = ieasv(counts).block(j)
    measures = relative_similarities()
    for x, y in itertools.combinations_with_replacement(sorted(table.values(j)), 2):
        found = {name: measure(counts, j, x, y, k) for name, measure in measures.items()}
        values = [one.value for one in found.values()]
        evaluations = [one.evaluations for one in found.values()]
        tally.note(EQUIVALENCE, len(set(values)) == 1 and values[0] == table.shared(j, k, x, y))
        tally.note(COUNTS, evaluations == sorted(evaluations, reverse=True))
        apart, together = _over_subsets(table, j, k, x, y)
        tally.note(MAXIMUM, table.absolute_difference(j, k, x, y) == 2 * apart)
        tally.note(COMPLEMENT, values[0] == 1 - together)
        expected = table.inter(j, x, y)
        others = [c for c in range(codes.shape[1]) if c not in (j, k)]
        power = found["power"].value
        power += sum(measures["power"](counts, j, x, y, c).value for c in others)
        tally.note(
            POWER_SET,
            table.add(j, x, y) == 1 - power / (len(others) + 1) == 1 - expected,
            abs(float(inter[x, y]) - float(expected)),
        )


def _over_subsets(
    table: ExactTable, j: int, k: int, x: object, y: object
) -> tuple[Fraction, Fraction]:
    """Greatest |P(W|x) - P(W|y)| and |P(W|x) + P(not W|y) - 1| over the subsets W of V_k."""
    values = table.values(k)
    apart = together = Fraction(0)
    for inside in itertools.product((False, True), repeat=len(values)):
        chosen = [value for value, kept in zip(values, inside, strict=True) if kept]
        others = [value for value, kept in zip(values, inside, strict=True) if not kept]
        p_x = table.conditional(k, chosen, j, x)
        apart = max(apart, abs(p_x - table.conditional(k, chosen, j, y)))
        together = max(together, abs(p_x + table.conditional(k, others, j, y) - 1))
    return apart, together


def _special_cases(rng: np.random.Generator, limits: Sizes, tally: Tally) -> None:
    from couplings.measures.coupled import Cado

    codes = _random_codes(rng, limits)
    table, counts = _read(codes)
    plain = Cado(h1="one").fit(counts).value_matrices_
    for j in range(codes.shape[1]):
        for x, y in itertools.combinations(sorted(table.values(j)), 2):
            expected = table.add(j, x, y)
            tally.note(
                CONSTANT_INTRA,
                1 - table.inter(j, x, y) == expected,
                abs(float(plain.block(j)[x, y]) - float(expected)),
            )
            equal = table.frequency(j, x) == table.frequency(j, y)
            if equal:
                tally.note(EQUAL_INTRA, table.intra(j, x, y) == table.intra(j, x, x))
    _compare(codes, tally, IDENTITY_INTER, lambda t, x, y: _weight(t, x) + _weight(t, y))

    codes, times = _balanced_codes(rng, limits)
    table, counts = _read(codes)
    cado = Cado().fit(counts).value_matrices_
    for j in range(codes.shape[1]):
        for x, y in itertools.combinations(sorted(table.values(j)), 2):
            add = table.add(j, x, y)
            tally.note(
                EQUAL_FREQUENCIES,
                add == Fraction(times, 2) * table.cado(j, x, y),
                abs(float(cado.block(j)[x, y]) * times / 2 - float(add)),
            )
    _compare(codes, tally, BOTH, lambda t, x, y: Fraction(2, times))


def _weight(table: ExactTable, x: object) -> Fraction:
    return Fraction(1, table.frequency(0, x))


def _compare(
    codes: np.ndarray,
    tally: Tally,
    statement: str,
    expected: Callable[[ExactTable, Any, Any], Fraction],
) -> None:
    """CADO of the values of the first attribute, where different, against an expectation."""
    import numpy as np

    from couplings.measures.coupled import Cado

    # a context that repeats the attribute: P(b|x) is 1 for b = x and 0 for all others
    twice = np.column_stack([codes[:, 0], codes[:, 0]])
    table, counts = _read(twice)
    found = Cado().fit(counts).value_matrices_.block(0)
    for x, y in itertools.combinations_with_replacement(sorted(table.values(0)), 2):
        wanted = expected(table, x, y) if x != y else Fraction(0)
        tally.note(
            statement, table.cado(0, x, y) == wanted, abs(float(found[x, y]) - float(wanted))
        )


def _frequencies(most: int) -> dict[str, list[bool]]:
    """IaASV as a function of two frequencies, for every even m up to `most`, exactly."""

    def intra(a: int, b: int) -> Fraction:
        return Fraction(a * b, a + b + a * b)

    points = [Fraction(i, most) for i in range(1, most + 1)]
    falls = [1 / s - 1 > 1 / t - 1 and 1 - s > 1 - t for s, t in itertools.pairwise(points)]
    grid = range(1, most)
    steps = [intra(a, b) < min(intra(a + 1, b), intra(a, b + 1)) for a in grid for b in grid]
    least = [intra(a, b) > intra(1, 1) for a in grid for b in grid if (a, b) != (1, 1)]
    greatest = []
    for m in range(2, most + 1, 2):
        allowed = [intra(a, b) for a in range(1, m) for b in range(1, m - a + 1)]
        top = Fraction(m, m + 4)
        greatest.append(max(allowed) == top == intra(m // 2, m // 2) and allowed.count(top) == 1)
    return {DECREASING: falls, INCREASING: steps, LEAST: least, GREATEST: greatest}


# --- the data sets ------------------------------------------------------------------------------


def bounds(experiment: Experiment, *, triples: int) -> Iterator[dict[str, Any]]:
    """Ranges of the coupled similarities on one data set, and whether CASO and CADO are metric.

    The bounds of IaASV are compared in integers. Triples of objects are all of them up to
    the number `triples`, else a random sample.

    Yields
    ------
    dict
        One record: sizes; extremes of IaASV, IeASV and CASV over different values (``_apart``) and
        of one value (``_self``); how many exceed the printed bound; the same for CASO of objects;
        failures of symmetry and of the triangle inequality; the range of CADO / ADD over pairs of
        objects.
    """
    import numpy as np

    from couplings.counts import cooccurrence
    from couplings.measures.coupled import casv, iaasv, ieasv

    tables = experiment.tables(PREPARATION)
    table = tables.tables[0]
    counts = cooccurrence(table)
    n = table.n_objects
    above_apart = above_self = pairs = 0
    for j in range(table.n_attributes):
        f = counts.block(j, j).diagonal()
        x, y = np.triu_indices(len(f), 1)
        # IaASV > n / (n + 4), in integers
        both = f[x] * f[y]
        above_apart += int((both * (n + 4) > n * (f[x] + f[y] + both)).sum())
        above_self += int((2 * f > n).sum())
        pairs += len(x)
    space = experiment.similarity("caso", PREPARATION)
    own = sum(
        space.matrices.block(j).diagonal()[table.codes[:, j]] for j in range(table.n_attributes)
    )
    record: dict[str, Any] = {
        "objects": n,
        "attributes": table.n_attributes,
        "values": int(table.n_values.sum()),
        "classes": len(tables.facts["classes"]),
        "pairs": pairs,
        "bound": n / (n + 4),
        "iaasv_above_apart": above_apart,
        "iaasv_above_self": above_self,
    }
    for measure in (iaasv, ieasv, casv):
        ends = _extremes(counts, measure(counts))
        record |= {f"{measure.__name__}_{key}": value for key, value in ends.items()}
    top = table.n_attributes * n / (n + 4)
    record |= {
        "caso_bound": top,
        "caso_self_least": float(own.min()),
        "caso_self_greatest": float(own.max()),
        "caso_self_above": int((own > top * (1 + 1e-12)).sum()),
        **experiment.once("triples", lambda: _triples(experiment, table, triples)),
    }
    yield record


def _extremes(counts: CooccurrenceCounts, matrices: Any) -> dict[str, float]:
    """Least and greatest entry over different values, and over values with themselves."""
    import numpy as np

    apart, own = [], []
    for j in range(counts.n_attributes):
        block = matrices.block(j)
        apart.append(block[np.triu_indices(len(block), 1)])
        own.append(block.diagonal())
    different, same = np.concatenate(apart), np.concatenate(own)
    return {
        "apart_least": float(different.min()),
        "apart_greatest": float(different.max()),
        "self_least": float(same.min()),
        "self_greatest": float(same.max()),
    }


def _triples(experiment: Experiment, table: CategoricalTable, most: int) -> dict[str, Any]:
    """Symmetry and triangle inequality of CASO and CADO, and CADO / ADD."""
    import numpy as np

    n = table.n_objects
    if n * (n - 1) * (n - 2) <= most:
        triples = np.array(list(itertools.permutations(range(n), 3)))
    else:
        rng = experiment.rng("triples")
        triples = np.array([rng.choice(n, 3, replace=False) for _ in range(most)])
    u, v, w = triples.T
    record: dict[str, Any] = {"triples": len(triples)}
    spaces = {name: experiment.similarity(name, PREPARATION) for name in ("caso", "cado", "add")}
    uv, vw, uw = (
        {name: _between(table, space, *ends) for name, space in spaces.items()}
        for ends in ((u, v), (v, w), (u, w))
    )
    for name in ("caso", "cado"):
        backward = _between(table, spaces[name], v, u)
        slack = uv[name] + vw[name] - uw[name]
        record[f"{name}_asymmetric"] = int((backward != uv[name]).sum())
        record[f"{name}_triangle_failures"] = int((slack < -1e-12).sum())
        record[f"{name}_pair_greatest"] = float(uv[name].max())
    positive = uv["add"] > 0
    ratios = uv["cado"][positive] / uv["add"][positive]
    record["add_positive"] = int(positive.sum())
    record["ratio_least"] = float(ratios.min()) if len(ratios) else None
    record["ratio_greatest"] = float(ratios.max()) if len(ratios) else None
    return record


def _between(table: CategoricalTable, space: Any, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Sum over the attributes of the value matrices, for pairs of objects."""
    codes = table.codes
    return sum(space.matrices.block(j)[codes[u, j], codes[v, j]] for j in range(table.n_attributes))
