"""Theorems and bounds of CASO, tested on random tables in exact arithmetic and on data sets."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from couplings.counts import CooccurrenceCounts, cooccurrence
from couplings.measures.coupled import Cado, casv, iaasv, ieasv
from couplings.table import CategoricalTable
from replication.papers.caso.examples import PREPARATION, RELATIVE, ExactTable
from replication.run.experiment import Experiment

_BATCH = 500
"""Random tables per entry of the journal."""

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


def equivalence(experiment: Experiment, *, tables: int, **most: int) -> Iterator[dict[str, Any]]:
    """Test the relative similarities of section V-B on random tables, in exact arithmetic.

    On each table, all values of one attribute are compared with respect to another one.

    Records: ``statement``, ``tables``, ``cases`` (pairs of values), ``exceptions`` and
    ``largest_difference`` (of a compiled measure from the fraction; 0 if none takes part).
    """
    yield from _on_random_tables(experiment, _equivalence, tables, most)


def special_cases(experiment: Experiment, *, tables: int, **most: int) -> Iterator[dict[str, Any]]:
    """Test known measures as special cases of CADO (section IX), in exact arithmetic.

    Records have the keys of `equivalence`.
    """
    yield from _on_random_tables(experiment, _special_cases, tables, most)
    for statement, holds in _frequencies(60).items():
        counted = {"cases": len(holds), "exceptions": holds.count(False)}
        yield {"statement": statement, "tables": 0, **counted, "largest_difference": 0.0}


Tried = Iterator[tuple[str, bool, float]]
"""Cases: the statement, whether it holds, and the difference of the compiled measure."""


def tallied(tried: Iterable[tuple[int, str, bool, float]]) -> pd.DataFrame:
    """Count tables, cases and exceptions by statement, from cases with the number of their table.

    Examples
    --------
    >>> tallied([(0, "s", True, 0.5), (0, "s", True, 0.0), (1, "s", False, 0.0)]).to_dict("index")
    {'s': {'tables': 2, 'cases': 3, 'exceptions': 1, 'largest_difference': 0.5}}
    """
    found = pd.DataFrame(tried, columns=["table", "statement", "holds", "difference"])
    return found.groupby("statement", sort=False).agg(
        tables=("table", "nunique"),
        cases=("holds", "size"),
        exceptions=("holds", lambda holds: int((~holds).sum())),
        largest_difference=("difference", "max"),
    )


def _on_random_tables(
    experiment: Experiment, examine: Callable[..., Tried], n_tables: int, most: Mapping[str, int]
) -> Iterator[dict[str, Any]]:
    """Test statements on many random tables; `examine` draws one and yields its cases."""

    def batch(first: int) -> dict[str, dict[str, float]]:
        rng = experiment.rng("tables", trial=first)
        numbers = range(min(_BATCH, n_tables - first))
        tried = ((table, *one) for table in numbers for one in examine(rng, **most))
        return tallied(tried).to_dict("index")

    found = pd.concat(
        pd.DataFrame.from_dict(
            experiment.once(f"batch {first}", partial(batch, first)), orient="index"
        )
        for first in range(0, n_tables, _BATCH)
    ).groupby(level=0, sort=False)
    total = found[["tables", "cases", "exceptions"]].sum().join(found["largest_difference"].max())
    yield from total.rename_axis("statement").reset_index().to_dict("records")


def _random_codes(
    rng: np.random.Generator, most_objects: int, most_attributes: int, most_values: int
) -> np.ndarray:
    n = int(rng.integers(2, most_objects + 1))
    m = int(rng.integers(2, most_attributes + 1))
    return rng.integers(0, rng.integers(1, most_values + 1, m), (n, m))


def _balanced_codes(
    rng: np.random.Generator, most_objects: int, most_attributes: int, most_values: int
) -> tuple[np.ndarray, int]:
    """Draw a table whose values all have the same frequency; return the frequency as well."""
    v = int(rng.integers(2, most_values + 1))
    times = int(rng.integers(1, most_objects // v + 1))
    m = int(rng.integers(2, most_attributes + 1))
    column = np.repeat(np.arange(v), times)
    return np.column_stack([rng.permutation(column) for _ in range(m)]), times


def _read(codes: np.ndarray) -> tuple[ExactTable, CooccurrenceCounts]:
    """Return a table for exact arithmetic, and its counts."""
    table = CategoricalTable.from_codes(codes, codes.max(axis=0) + 1)
    return ExactTable(codes.tolist()), cooccurrence(table)


def _equivalence(rng: np.random.Generator, **most: int) -> Tried:
    codes = _random_codes(rng, **most)
    j, k = (int(one) for one in rng.permutation(codes.shape[1])[:2])
    table, counts = _read(codes)
    inter = ieasv(counts).block(j)
    for x, y in itertools.combinations_with_replacement(sorted(table.values(j)), 2):
        found = {name: measure(counts, j, x, y, k) for name, measure in RELATIVE.items()}
        values = [one.value for one in found.values()]
        evaluations = [one.evaluations for one in found.values()]
        yield EQUIVALENCE, len(set(values)) == 1 and values[0] == table.shared(j, k, x, y), 0.0
        yield COUNTS, evaluations == sorted(evaluations, reverse=True), 0.0
        apart, together = _over_subsets(table, j, k, x, y)
        yield MAXIMUM, table.absolute_difference(j, k, x, y) == 2 * apart, 0.0
        yield COMPLEMENT, values[0] == 1 - together, 0.0
        expected = table.inter(j, x, y)
        others = [c for c in range(codes.shape[1]) if c not in (j, k)]
        power = sum((RELATIVE["power"](counts, j, x, y, c).value for c in others), values[0])
        same = table.add(j, x, y) == 1 - power / (len(others) + 1) == 1 - expected
        yield POWER_SET, same, abs(float(inter[x, y]) - float(expected))


def _over_subsets(table: ExactTable, j: int, k: int, x: Any, y: Any) -> tuple[Fraction, Fraction]:
    """Return the maxima of |P(W|x) - P(W|y)| and |P(W|x) + P(not W|y) - 1| over W within V_k."""
    values = table.values(k)
    subsets = [one for n in range(len(values) + 1) for one in itertools.combinations(values, n)]
    given_x, given_y = ([table.conditional(k, one, j, v) for one in subsets] for v in (x, y))
    apart = max(abs(p - q) for p, q in zip(given_x, given_y, strict=True))
    # subsets are sorted by size: their complements are the same list reversed
    together = max(abs(p + q - 1) for p, q in zip(given_x, reversed(given_y), strict=True))
    return apart, together


def _special_cases(rng: np.random.Generator, **most: int) -> Tried:
    codes = _random_codes(rng, **most)
    table, counts = _read(codes)
    plain = Cado(h1="one").fit(counts).value_matrices_
    for j, x, y in _pairs(table):
        expected = table.add(j, x, y)
        off = abs(float(plain.block(j)[x, y]) - float(expected))
        yield CONSTANT_INTRA, 1 - table.inter(j, x, y) == expected, off
        if table.frequency(j, x) == table.frequency(j, y):
            yield EQUAL_INTRA, table.intra(j, x, y) == table.intra(j, x, x), 0.0
    inverse = {x: Fraction(1, table.frequency(0, x)) for x in table.values(0)}
    yield from _with_itself(codes, IDENTITY_INTER, lambda x, y: inverse[x] + inverse[y])

    codes, times = _balanced_codes(rng, **most)
    table, counts = _read(codes)
    cado = Cado().fit(counts).value_matrices_
    for j, x, y in _pairs(table):
        add = table.add(j, x, y)
        off = abs(float(cado.block(j)[x, y]) * times / 2 - float(add))
        yield EQUAL_FREQUENCIES, add == Fraction(times, 2) * table.cado(j, x, y), off
    yield from _with_itself(codes, BOTH, lambda x, y: Fraction(2, times))


def _pairs(table: ExactTable) -> Iterator[tuple[int, Any, Any]]:
    """Yield every attribute with two different values of it."""
    for j in range(table.n_attributes):
        yield from ((j, *pair) for pair in itertools.combinations(sorted(table.values(j)), 2))


def _with_itself(
    codes: np.ndarray, statement: str, expected: Callable[[Any, Any], Fraction]
) -> Tried:
    """Compare CADO with `expected` for an attribute in its own context; equal values have 0."""
    # two equal columns: P(b|x) is 1 for b = x and 0 for all others
    table, counts = _read(np.column_stack([codes[:, 0], codes[:, 0]]))
    found = Cado().fit(counts).value_matrices_.block(0)
    for x, y in itertools.combinations_with_replacement(sorted(table.values(0)), 2):
        wanted = expected(x, y) if x != y else Fraction(0)
        yield statement, table.cado(0, x, y) == wanted, abs(float(found[x, y]) - float(wanted))


def _frequencies(most: int) -> dict[str, list[bool]]:
    """Test statements on IaASV as a function of two frequencies, for every even m up to `most`."""

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


def bounds(experiment: Experiment, *, triples: int) -> Iterator[dict[str, Any]]:
    """Measure ranges of the coupled similarities and metric axioms of CASO and CADO on a data set.

    The axioms are tested on all ordered triples of objects, or on `triples` random ones if there
    are more. The bounds of IaASV are compared in integers.

    One record: sizes; extremes of IaASV, IeASV and CASV over different values (``_apart``) and over
    values with themselves (``_self``); the number of values above the printed bound; the same for
    CASO of objects; failures of symmetry and of the triangle inequality; the range of CADO / ADD
    over pairs of objects.
    """
    table = experiment.tables(PREPARATION).tables[0]
    counts = cooccurrence(table)
    n, m = table.n_objects, table.n_attributes
    apart, own = _apart_and_self(lambda j: _above_in_integers(counts.block(j, j).diagonal(), n), m)
    space = experiment.similarity("caso", PREPARATION)
    of_objects = sum(space.matrices.block(j).diagonal()[table.codes[:, j]] for j in range(m))
    record: dict[str, Any] = {
        "objects": n,
        "attributes": m,
        "values": int(table.n_values.sum()),
        "pairs": len(apart),
        "bound": n / (n + 4),
        "iaasv_above_apart": int(apart.sum()),
        "iaasv_above_self": int(own.sum()),
    }
    for measure in (iaasv, ieasv, casv):
        for which, entries in zip(
            ("apart", "self"), _apart_and_self(measure(counts).block, m), strict=True
        ):
            record[f"{measure.__name__}_{which}_least"] = float(entries.min())
            record[f"{measure.__name__}_{which}_greatest"] = float(entries.max())
    top = m * n / (n + 4)
    yield record | {
        "caso_bound": top,
        "caso_self_least": float(of_objects.min()),
        "caso_self_greatest": float(of_objects.max()),
        "caso_self_above": int((of_objects > top * (1 + 1e-12)).sum()),
        **experiment.once("triples", lambda: _triples(experiment, table, triples)),
    }


def _above_in_integers(f: np.ndarray, n: int) -> np.ndarray:
    """Tell for all pairs of values with frequencies `f` whether IaASV exceeds n / (n + 4)."""
    both = np.outer(f, f)
    return both * (n + 4) > n * (np.add.outer(f, f) + both)


def _apart_and_self(
    block: Callable[[int], np.ndarray], n_attributes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the entries of all blocks for different values, and for values with themselves."""
    blocks = [block(j) for j in range(n_attributes)]
    apart = [one[np.triu_indices(len(one), 1)] for one in blocks]
    return np.concatenate(apart), np.concatenate([one.diagonal() for one in blocks])


def _triples(experiment: Experiment, table: CategoricalTable, most: int) -> dict[str, Any]:
    """Test symmetry and triangle inequality of CASO and CADO, and measure CADO / ADD."""
    n = table.n_objects
    triples: Iterable[Any] = itertools.permutations(range(n), 3)
    if n * (n - 1) * (n - 2) > most:
        rng = experiment.rng("triples")
        triples = (rng.choice(n, 3, replace=False) for _ in range(most))
    u, v, w = np.array(list(triples)).T
    record: dict[str, Any] = {"triples": len(u)}

    def between(name: str, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        matrices = experiment.similarity(name, PREPARATION).matrices
        pairs = enumerate(zip(table.codes[first].T, table.codes[second].T, strict=True))
        return sum(matrices.block(j)[x, y] for j, (x, y) in pairs)

    uv = {name: between(name, u, v) for name in ("caso", "cado", "add")}
    for name in ("caso", "cado"):
        slack = uv[name] + between(name, v, w) - between(name, u, w)
        record |= {
            f"{name}_asymmetric": int((between(name, v, u) != uv[name]).sum()),
            f"{name}_triangle_failures": int((slack < -1e-12).sum()),
            f"{name}_pair_greatest": float(uv[name].max()),
        }
    positive = uv["add"] > 0
    ratios = uv["cado"][positive] / uv["add"][positive]
    return record | {
        "ratio_least": float(ratios.min()) if len(ratios) else None,
        "ratio_greatest": float(ratios.max()) if len(ratios) else None,
    }
