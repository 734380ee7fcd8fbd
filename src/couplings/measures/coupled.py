"""Coupled similarity: values are similar if they are frequent and co-occur alike.

The similarity of two values x, y of an attribute is ``CASV = IaASV * IeASV``: the intra-coupled
factor grows with their frequencies; the inter-coupled factor is the overlap of their distributions
over the other attributes.

References
----------
CASO: Wang, Dong, Zhou, Cao, Chi, "Coupled Attribute Similarity Learning on Categorical Data",
IEEE TNNLS 26 (2015).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike

from couplings._checks import check_choice, is_whole
from couplings._kernels import contexts
from couplings._readonly import sealed
from couplings.counts import CooccurrenceCounts, counts_of, multipliable
from couplings.errors import MeasureError
from couplings.measures.base import PublishedDissimilarity, ValueMeasure
from couplings.table import Objects
from couplings.values import ValueMatrices

_LARGEST_POWER_SET = 20


def iaasv(counts: Any) -> ValueMatrices:
    """Return the intra-coupled similarity of the values of each attribute.

    ``f_x f_y / (f_x + f_y + f_x f_y)`` depends on the frequencies only, so two values of equal
    frequency are as similar to each other as each is to itself.

    Parameters
    ----------
    counts : CooccurrenceCounts, or table of any kind
        Counts of n objects.

    Returns
    -------
    ValueMatrices
        Symmetric, in [1/3, n/(n + 4)] off the diagonal and in [1/3, n/(n + 2)] on it; 0 for values
        that never occur.

    References
    ----------
    CASO, eq. 5. The paper also claims n/(n + 4) for the diagonal, which fails for f > n/2.
    """
    counts = counts_of(counts)
    _require_numbers(counts)
    return ValueMatrices.from_blocks(
        [_intra(counts.block(j, j).diagonal()) for j in range(counts.n_attributes)]
    )


def ieasv(counts: Any, weights: np.ndarray | None = None) -> ValueMatrices:
    """Return the inter-coupled similarity of the values of each attribute.

    For values x, y of attribute j: ``sum_k weights[j, k] IRSI_jk(x, y)`` over the attributes k
    other than j, where ``IRSI_jk(x, y) = sum_b min(P(b given x), P(b given y))`` over the values b
    of k.

    Parameters
    ----------
    counts : CooccurrenceCounts, or table of any kind
        Counts of m attributes, m > 1.
    weights : array_like of float, shape (m, m), optional
        Row j weights the contexts k of attribute j: finite, not negative, with a zero diagonal.
        Default: 1 / (m - 1) each.

    Returns
    -------
    ValueMatrices
        Symmetric, in [0, sum of the row of weights]. The diagonal is that sum (1 by default).
        Values that never occur have 0 throughout.

    Raises
    ------
    MeasureError
        If the table has one attribute, or if the weights are not as above.

    References
    ----------
    CASO, eq. 12 and 13.
    """
    counts = counts_of(counts)
    return _inter(counts, weights, False)


def casv(counts: Any, weights: np.ndarray | None = None) -> ValueMatrices:
    """Return the coupled similarity of the values of each attribute, ``IaASV * IeASV``.

    Errors are those of `ieasv`.

    Parameters
    ----------
    counts : CooccurrenceCounts, or table of any kind
        Counts of n objects and m attributes, m > 1.
    weights : array_like of float, shape (m, m), optional
        As in `ieasv`.

    Returns
    -------
    ValueMatrices
        Symmetric, in [0, n/(n + 2)] with the default weights; 0 for values that never occur. The
        diagonal is ``f / (f + 2)``, so the self-similarity of a value is below 1.

    References
    ----------
    CASO, eq. 14.
    """
    counts = counts_of(counts)
    inter = ieasv(counts, weights)
    return ValueMatrices(iaasv(counts).data * inter.data, inter.offsets)


@dataclass(eq=False, repr=False)
class Caso(ValueMeasure):
    """Coupled similarity of objects: the sum over the attributes of `casv`.

    Unlike the other measures, this is a similarity: it has `similarities` instead of `pairwise`.
    `as_distance` turns it into a distance; `Cado` is the dissimilarity that the paper pairs it
    with.

    Parameters
    ----------
    weights : array_like of float, shape (m, m), optional
        As in `ieasv`.
    missing, unknown
        As in `ValueMeasure`.

    Attributes
    ----------
    value_matrices_ : ValueMatrices
        CASV, in [0, n/(n + 2)] with the default weights.
    space_ : ObjectSpace
        Link "sum"; similarities in [0, m n/(n + 2)].

    References
    ----------
    CASO, eq. 15.

    Examples
    --------
    >>> from couplings import Caso
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> Caso().fit(rows).similarities(rows).round(2)
    array([[1.33, 1.2 , 0.4 ],
           [1.2 , 1.5 , 0.7 ],
           [0.4 , 0.7 , 1.17]])
    """

    weights: np.ndarray | None = None

    kind = "similarity"
    _needs_context = True

    def similarities(
        self, X: Objects, Y: Objects | None = None, dtype: DTypeLike = np.float64
    ) -> np.ndarray:
        """Return the similarities of objects, shape (n_x, n_y).

        Parameters and errors are those of `ValueMeasure.pairwise`. An unseen value is as similar to
        the others as the two least similar values of the attribute are to each other.
        """
        tables, extras = self._tables(X, Y)
        space = self._space_with(self.space_, extras)
        return space.between(tables[0], tables[-1], dtype=dtype)

    def as_distance(self) -> "CasoDistance":
        """Return the unfitted distance derived from these similarities, see `CasoDistance`."""
        return CasoDistance(self.weights, missing=self.missing, unknown=self.unknown)

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        return casv(counts, self.weights)


@dataclass(eq=False, repr=False)
class CasoDistance(PublishedDissimilarity):
    """Distance derived from the coupled similarity: small for objects with much in common.

    With s the sum over the attributes of `casv`: ``(s(u, u) + s(v, v)) / 2 - s(u, v)``.

    Parameters
    ----------
    weights : array_like of float, shape (m, m), optional
        As in `ieasv`.
    self_distance : {"zero", "paper"}, default "zero"
        "zero": as above. "paper": ``sum_j (max s_j - s_j(u, v))``, which reverses the order of
        pairs under the similarity exactly, and is not 0 for equal objects. `space_` always has
        this form.
    missing, unknown
        As in `ValueMeasure`.

    Attributes
    ----------
    value_matrices_ : ValueMatrices
        The largest CASV of the attribute minus each CASV; 0 for values that never occur.
    space_ : ObjectSpace
        Link "sum".

    References
    ----------
    CASO, eq. 14 and 15.

    Examples
    --------
    >>> from couplings import CasoDistance
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> CasoDistance().fit(rows).pairwise(rows).round(2)
    array([[0.  , 0.22, 0.85],
           [0.22, 0.  , 0.63],
           [0.85, 0.63, 0.  ]])
    """

    weights: np.ndarray | None = None

    _needs_context = True

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        alike = casv(counts, self.weights)
        blocks = []
        for j in range(counts.n_attributes):
            seen = counts.block(j, j).diagonal() > 0
            block = alike.block(j)
            blocks.append(np.where(np.outer(seen, seen), block.max() - block, 0.0))
        return ValueMatrices.from_blocks(blocks)


@dataclass(eq=False, repr=False)
class Cado(ValueMeasure):
    """Coupled dissimilarity of objects: the sum over the attributes of ``h1(IaASV) h2(IeASV)``.

    By default the dissimilarity of two values is ``(1/f_x + 1/f_y) ADD(x, y)``, where ADD is the
    mean total variation of their distributions over the other attributes. Rare values dominate it.

    Parameters
    ----------
    h1 : {"inverse-1", "complement", "inverse", "one"}, default "inverse-1"
        Decreasing function of IaASV: 1/t - 1, 1 - t, 1/t or 1. With "one" and the default `h2`
        the measure is ADD (`AhmadDey`).
    h2 : {"complement", "inverse-1"}, default "complement"
        Decreasing function of IeASV: 1 - t or 1/t - 1.
    missing, unknown
        As in `ValueMeasure`.

    Attributes
    ----------
    value_matrices_ : ValueMatrices
        Dissimilarities, by default in [0, 2]. They are 0 on the diagonal and for distinct values
        with equal distributions. The triangle inequality need not hold.
    space_ : ObjectSpace
        Link "sum".

    References
    ----------
    CASO, eq. 16 and section IX.

    Examples
    --------
    >>> from couplings import Cado
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> Cado().fit(rows).pairwise(rows).round(2)
    array([[0.  , 0.75, 3.  ],
           [0.75, 0.  , 2.25],
           [3.  , 2.25, 0.  ]])
    """

    h1: Literal["inverse-1", "complement", "inverse", "one"] = "inverse-1"
    h2: Literal["complement", "inverse-1"] = "complement"

    _needs_context = True

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        if self.h1 != "one":
            _require_numbers(counts)
        inter = _inter(counts, None, self.h2 == "complement")
        blocks = []
        for j in range(counts.n_attributes):
            frequency = counts.block(j, j).diagonal()
            observed = np.outer(frequency > 0, frequency > 0)
            block = inter.block(j)
            if self.h2 == "inverse-1":
                if (block[observed] == 0).any():
                    x, y = np.argwhere(observed & (block == 0))[0]
                    raise MeasureError(
                        f"Cado: h2='inverse-1' is infinite for values {x} and {y} of attribute "
                        f"{j}, which share no co-occurrence; use h2='complement'"
                    )
                block = 1 / np.where(observed, block, 1) - 1
            blocks.append(np.where(observed, _h1(self.h1, frequency) * block, 0.0))
        return ValueMatrices.from_blocks(blocks)


@dataclass(frozen=True)
class Step:
    """One step of a relative similarity: a term formed from two conditional probabilities.

    Parameters
    ----------
    values : tuple of int
        Codes of the context values W: a subset ("power"), otherwise a single value b.
    p_x, p_y : Fraction
        "power": P(W given x) and P(not W given y). Otherwise P(b given x) and P(b given y).
    term : Fraction
        "power": ``2 - p_x - p_y``. "universal", "joint": ``max(p_x, p_y)``. "intersection":
        ``min(p_x, p_y)``.
    """

    values: tuple[int, ...]
    p_x: Fraction
    p_y: Fraction
    term: Fraction


@dataclass(frozen=True)
class RelativeSimilarity:
    """An exact relative similarity and its computing effort.

    Parameters
    ----------
    value : Fraction
        In [0, 1].
    evaluations : int
        Number of conditional probabilities evaluated, counting those given x and given y.
    """

    value: Fraction
    evaluations: int


def relative_similarity(
    counts: Any, attribute: int, x: int, y: int, context: int, relation: str
) -> RelativeSimilarity:
    """Return the `RelativeSimilarity` of two values, exactly and by enumeration.

    All four relations give the same value. The function is a reference for small domains.

    Parameters
    ----------
    counts : CooccurrenceCounts, or table of any kind
        Counts of m attributes.
    attribute : int
        The attribute j of the two values.
    x, y : int
        Codes of the two values, which must occur.
    context : int
        The attribute k that compares them; not `attribute`.
    relation : {"power", "universal", "joint", "intersection"}
        The context values b, or sets W of them, that are visited, with two evaluations each:

        - "power" (IRSP, eq. 8): ``min of 2 - P(W given x) - P(not W given y)`` over all W,
        - "universal" (IRSU, eq. 10): ``2 - sum of max(P(b given x), P(b given y))`` over all b,
        - "joint" (IRSJ, eq. 11): the same over the values that occur with x or y,
        - "intersection" (IRSI, eq. 12): ``sum of min(P(b given x), P(b given y))`` over the values
          that occur with both.

    Raises
    ------
    CouplingsError
        If an index is out of range, if a value never occurs, if the context is the attribute
        itself or has more than 20 values ("power" only), or if the relation is unknown.

    References
    ----------
    CASO, eq. 8 to 12, and Tables V to VIII.
    """
    counts = counts_of(counts)
    steps = relative_steps(counts, attribute, x, y, context, relation)
    terms = [step.term for step in steps]
    if relation == "power":
        value = min(terms)
    elif relation == "intersection":
        value = sum(terms, Fraction(0))
    else:
        value = 2 - sum(terms, Fraction(0))
    return RelativeSimilarity(value, 2 * len(terms))


def relative_steps(
    counts: Any, attribute: int, x: int, y: int, context: int, relation: str
) -> Iterator[Step]:
    """Yield the steps of a relative similarity in the order of Tables V to VIII.

    Parameters and errors are those of `relative_similarity`. Subsets come in the order of their
    binary numbers, starting with the empty one; values in code order.
    """
    counts = counts_of(counts)
    _check_compared(counts, attribute, x, y, context, relation)
    table = counts.block(attribute, context)
    return _steps(table[x].tolist(), table[y].tolist(), relation)


def _steps(given_x: list[int], given_y: list[int], relation: str) -> Iterator[Step]:
    """Yield the steps from the counts of each context value with either value."""
    n_x, n_y = sum(given_x), sum(given_y)
    every = range(len(given_x))
    if relation == "power":
        for bits in product((False, True), repeat=len(every)):
            inside = tuple(b for b in every if bits[-1 - b])
            outside = tuple(b for b in every if not bits[-1 - b])
            p_x = Fraction(sum(given_x[b] for b in inside), n_x)
            p_y = Fraction(sum(given_y[b] for b in outside), n_y)
            yield Step(inside, p_x, p_y, 2 - p_x - p_y)
        return
    chosen = {
        "universal": lambda b: True,
        "joint": lambda b: given_x[b] or given_y[b],
        "intersection": lambda b: given_x[b] and given_y[b],
    }[relation]
    join = min if relation == "intersection" else max
    for b in filter(chosen, every):
        p_x, p_y = Fraction(given_x[b], n_x), Fraction(given_y[b], n_y)
        yield Step((b,), p_x, p_y, join(p_x, p_y))


def _check_compared(
    counts: CooccurrenceCounts, attribute: int, x: int, y: int, context: int, relation: str
) -> None:
    """Raise `CouplingsError` if the two values cannot be compared in the context."""
    check_choice(
        "relative_similarity", "relation", relation, ("power", "universal", "joint", "intersection")
    )
    for name, index in (("attribute", attribute), ("context", context)):
        if not 0 <= index < counts.n_attributes:
            raise MeasureError(
                f"{name} {index} is out of range; there are {counts.n_attributes} attributes"
            )
    if attribute == context:
        raise MeasureError(f"attribute {attribute} cannot be its own context; choose another one")
    frequency = counts.block(attribute, attribute).diagonal()
    for value in (x, y):
        if not 0 <= value < len(frequency) or frequency[value] == 0:
            raise MeasureError(
                f"value {value} of attribute {attribute} does not occur, so no probability is "
                "conditional on it; choose a value that occurs"
            )
    if relation == "power" and counts.n_values[context] > _LARGEST_POWER_SET:
        raise MeasureError(
            f"attribute {context} has {counts.n_values[context]} values and too many subsets; "
            f'"power" takes at most {_LARGEST_POWER_SET} values; use "intersection", which is equal'
        )


def _require_numbers(counts: CooccurrenceCounts) -> None:
    """Raise `MeasureError` if frequencies are shares: the formulas need numbers of objects."""
    largest = max(counts.block(j, j).shape[0] for j in range(counts.n_attributes))
    if not is_whole(counts.matrix) and counts.n_objects < largest:
        raise MeasureError(
            "CASO and CADO depend on the numbers of objects, but the weights sum to "
            f"{counts.n_objects:.3g}; multiply them so that they sum to the number of objects"
        )


def _intra(frequency: np.ndarray) -> np.ndarray:
    """Return the IaASV of values with these frequencies, 0 where one of them is 0."""
    frequency = multipliable(frequency)
    both = np.multiply.outer(frequency, frequency)
    whole = np.add.outer(frequency, frequency) + both
    return np.divide(both, whole, out=np.zeros(both.shape), where=both > 0)


def _h1(name: str, frequency: np.ndarray) -> np.ndarray:
    """Return the function `name` of IaASV; undefined entries where a frequency is 0."""
    if name == "one":
        return np.ones((len(frequency), len(frequency)))
    if name == "complement":
        return 1 - _intra(frequency)
    reciprocal = 1 / np.where(frequency > 0, frequency, 1)
    # 1/t - 1 = 1/f_x + 1/f_y, without the cancellation.
    weight = np.add.outer(reciprocal, reciprocal)
    return weight if name == "inverse-1" else weight + 1


def _inter(counts: CooccurrenceCounts, weights: np.ndarray | None, apart: bool) -> ValueMatrices:
    """Return IeASV or, with `apart`, the same sum over one minus each similarity."""
    m = counts.n_attributes
    if m < 2:
        raise MeasureError(
            "IeASV compares values by other attributes, and there is only one; add an attribute"
        )
    if weights is None:
        weights, divisor = np.ones((m, m)), float(m - 1)
    else:
        weights, divisor = np.ascontiguousarray(weights, dtype=np.float64), 1.0
        valid = weights.shape == (m, m) and np.isfinite(weights).all() and (weights >= 0).all()
        if not valid or weights.diagonal().any():
            raise MeasureError(
                f"weights must be {m} x {m}, finite, not negative, and 0 on the diagonal"
            )
    sizes = counts.n_values**2
    starts = np.concatenate([[0], np.cumsum(sizes)])
    data = np.zeros(int(sizes.sum()))
    matrix = multipliable(counts.matrix)
    contexts.shared(matrix, counts.offsets, starts, weights, divisor, apart, data)
    return ValueMatrices(sealed(data), counts.offsets)
