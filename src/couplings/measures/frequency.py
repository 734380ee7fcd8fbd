"""Measures based on the value frequencies of single attributes.

`SimpleMatching` and `Jaccard` only compare values for equality. The others are the similarity
measures compared by Boriah, Chandola and Kumar, and UEDM, based on entropies. All are pure
functions of the counts.

A similarity that is a sum over the attributes becomes the dissimilarity
``D(u, v) = sum_j w_j (max s_j - s_j(u, v))``, which reverses the order of pairs and keeps the
constant weights of the definition. D of an object with itself need not be 0, since most of these
measures weigh matches of rare and of frequent values differently; `pairwise` subtracts it unless
the paper's form is requested. Similarities that are quotients of two sums (`Lin`, `Lin1`,
`Anderberg`) become ``D = 1 / (1 + S)``.

References
----------
Boriah, Chandola, Kumar, "Similarity Measures for Categorical Data: A Comparative Evaluation", SIAM
International Conference on Data Mining (2008), table 2.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from couplings._checks import check_number
from couplings.counts import CooccurrenceCounts
from couplings.errors import MeasureError
from couplings.measures.base import PublishedDissimilarity, ValueMeasure, squared
from couplings.spaces import ObjectSpace, QuotientSpace
from couplings.values import ValueMatrices


def _matrices(
    counts: CooccurrenceCounts, parts: Callable[[np.ndarray], Sequence[np.ndarray]]
) -> list[ValueMatrices]:
    """Return value matrices computed from the frequencies; 0 for values that never occur."""
    found = []
    for frequency in np.split(counts.marginals, counts.offsets[1:-1]):
        seen = np.flatnonzero(frequency)
        blocks = parts(frequency[seen].astype(np.float64))
        full = np.zeros((len(blocks), len(frequency), len(frequency)))
        full[:, seen[:, None], seen] = blocks
        found.append(full)
    return [ValueMatrices.from_blocks(blocks) for blocks in zip(*found, strict=True)]


class SimpleMatching(ValueMeasure):
    """Simple matching dissimilarity (overlap, Hamming): the number of differing attributes.

    Parameters are those of `ValueMeasure`.

    Attributes
    ----------
    value_matrices_ : ValueMatrices
        0 for equal values, 1 for different ones.
    space_ : ObjectSpace
        Link "sum", so D is in [0, m].

    References
    ----------
    CASO, TNNLS 2015, section VIII-A (SMD).

    Examples
    --------
    >>> from couplings import SimpleMatching
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> SimpleMatching().fit(rows).pairwise(rows).round(2)
    array([[0., 1., 3.],
           [1., 0., 2.],
           [3., 2., 0.]])
    """

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        return ValueMatrices.from_blocks([1.0 - np.eye(size) for size in counts.n_values])


class Jaccard(SimpleMatching):
    """Jaccard dissimilarity of the sets of (attribute, value) items of two objects.

    With h differing attributes, ``D = 2 h / (m + h)``, in [0, 1].

    Parameters are those of `ValueMeasure`.

    Attributes
    ----------
    value_matrices_ : ValueMatrices
        0 for equal values, 1 for different ones.
    space_ : ObjectSpace
        Link "jaccard".

    References
    ----------
    DILCA, TKDD 2012, section 5.1.1.

    Examples
    --------
    >>> from couplings import Jaccard
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> Jaccard().fit(rows).pairwise(rows).round(2)
    array([[0. , 0.5, 1. ],
           [0.5, 0. , 0.8],
           [1. , 0.8, 0. ]])
    """

    def _space(self, values: ValueMatrices, counts: CooccurrenceCounts) -> ObjectSpace:
        return ObjectSpace(values, "jaccard")


class LinkedMeasure(PublishedDissimilarity):
    """Base class of frequency measures that link value similarities to a dissimilarity.

    Parameters
    ----------
    link : str, default "object"
        How the similarities s of values become the dissimilarity of two objects; see each measure.
    self_distance, missing, unknown
        As in `PublishedDissimilarity`.
    """

    link: str = "object"

    def _embeds(self) -> bool:
        return self.link != "value"

    def _similarity(self, frequency: np.ndarray, n: float) -> np.ndarray:
        """Return s of an attribute's values that occur `frequency` times each in `n` objects."""
        raise NotImplementedError

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        return _matrices(counts, lambda frequency: [self._linked(frequency, counts.n_objects)])[0]

    def _linked(self, frequency: np.ndarray, n: float) -> np.ndarray:
        """Return the terms that the link sums over the attributes."""
        block = self._similarity(frequency, n)
        if self.link == "sum":
            return 1.0 - block
        return 1.0 / (1.0 + block) if self.link == "value" else block

    def _space(self, values: ValueMatrices, counts: CooccurrenceCounts) -> ObjectSpace:
        if self.link == "sum":
            return ObjectSpace(values, "sum")
        if self.link == "value":
            return ObjectSpace(squared(values), "rss")
        # Divided by the number of attributes, so that the sum of the matrices is the mean.
        shared = ValueMatrices(values.data / values.n_attributes, values.offsets)
        return ObjectSpace(shared, "inverse")


@dataclass(eq=False, repr=False)
class OccurrenceFrequency(LinkedMeasure):
    """Occurrence frequency: mismatches of frequent values weigh less.

    For different values ``s(x, y) = 1 / (1 + log(n / f_x) log(n / f_y))``, for equal ones 1.

    Parameters
    ----------
    base : float, default e
        Base of both logarithms, greater than 1.
    link : {"object", "sum", "value"}, default "object"
        "object": D = 1 / (1 + mean of s over the attributes), in [1/2, 1). The diagonal is 1/2.
        "sum": D = sum of 1 - s, in [0, m). "value": D = root of the summed squares of
        1 / (1 + s), as DILCA's section 5.1 and eq. 4 print it; the diagonal is not 0.
    self_distance, missing, unknown
        As in `PublishedDissimilarity`.

    Attributes
    ----------
    value_matrices_ : ValueMatrices
        s for "object", 1 - s for "sum", 1 / (1 + s) for "value"; 0 for values that never occur.
    space_ : ObjectSpace
        Link "inverse", "sum" or "rss".

    References
    ----------
    CASO, TNNLS 2015, section VIII-A; Boriah, Chandola and Kumar, SDM 2008, table 2.

    Examples
    --------
    >>> from couplings import OccurrenceFrequency
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> OccurrenceFrequency().fit(rows).pairwise(rows).round(2)
    array([[0.  , 0.03, 0.09],
           [0.03, 0.  , 0.06],
           [0.09, 0.06, 0.  ]])
    """

    base: float = math.e
    link: Literal["object", "sum", "value"] = "object"

    def _similarity(self, frequency: np.ndarray, n: float) -> np.ndarray:
        check_number("OccurrenceFrequency", "base", self.base, above=1)
        rarity = np.log(n / frequency) / math.log(self.base)
        return _with_matches(1.0 / (1.0 + np.outer(rarity, rarity)), 1.0)


@dataclass(eq=False, repr=False)
class Goodall3(LinkedMeasure):
    """Goodall's third measure: matches of rare values weigh more.

    ``s(x, x) = 1 - f_x (f_x - 1) / (n (n - 1))``, 0 for different values;
    ``D = 1 / (1 + mean of s over the attributes)``, in [1/2, 1], not 0 on the diagonal.

    Parameters
    ----------
    link : {"object", "value"}, default "object"
        "object": as above. "value": D = root of the summed squares of 1 / (1 + s), as DILCA's
        section 5.1 and eq. 4 print it.
    self_distance, missing, unknown
        As in `PublishedDissimilarity`.

    Attributes
    ----------
    value_matrices_ : ValueMatrices
        s, in [0, 1], or 1 / (1 + s) for "value"; 0 for values that never occur.
    space_ : ObjectSpace
        Link "inverse" or "rss".

    References
    ----------
    Boriah, Chandola and Kumar, SDM 2008, table 2.

    Examples
    --------
    >>> from couplings import Goodall3
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> Goodall3().fit(rows).pairwise(rows).round(2)
    array([[0.  , 0.11, 0.45],
           [0.11, 0.  , 0.25],
           [0.45, 0.25, 0.  ]])
    """

    link: Literal["object", "value"] = "object"

    def _similarity(self, frequency: np.ndarray, n: float) -> np.ndarray:
        if n < 2:
            raise MeasureError("Goodall3 needs at least two objects")
        return np.diag(1.0 - frequency * (frequency - 1.0) / (n * (n - 1.0)))


@dataclass(eq=False, repr=False)
class Lin(LinkedMeasure):
    """Lin's information-theoretic similarity as a ratio of sums over the attributes.

    With shares p: ``S = sum of numerators / sum of (ln p_x + ln p_y)``, where the numerator is
    ``2 ln p_x`` for equal values and ``2 ln(p_x + p_y)`` for different ones;
    ``D = 1 / (1 + S)``, in [1/2, 1]. S is 1 if all attributes are constant.

    Parameters
    ----------
    link : {"object", "value"}, default "object"
        "object": as above. "value": one ratio s per attribute (1 in a constant one), and D = root
        of the summed squares of 1 / (1 + s), as DILCA's section 5.1 and eq. 4 print it.
    self_distance, missing, unknown
        As in `PublishedDissimilarity`.

    Attributes
    ----------
    value_matrices_ : ValueMatrices
        Numerators, not positive, or 1 / (1 + s) for "value"; 0 for values that never occur.
    space_ : ObjectSpace
        Link "ratio" or "rss".

    References
    ----------
    Lin, ICML 1998; Boriah, Chandola and Kumar, SDM 2008, table 2.

    Examples
    --------
    >>> from couplings import Lin
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> Lin().fit(rows).pairwise(rows).round(2)
    array([[0.  , 0.16, 0.5 ],
           [0.16, 0.  , 0.32],
           [0.5 , 0.32, 0.  ]])
    """

    link: Literal["object", "value"] = "object"

    def _embeds(self) -> bool:
        return False

    def _similarity(self, frequency: np.ndarray, n: float) -> np.ndarray:
        # In counts, so that two values that cover all objects give exactly ln 1 = 0.
        both = _with_matches(np.add.outer(frequency, frequency), frequency)
        block = 2.0 * np.log(both / n)
        if self.link == "object":
            return block
        share = np.log(frequency / n)
        whole = np.add.outer(share, share)
        return np.divide(block, whole, out=np.ones_like(block), where=whole != 0)

    def _space(self, values: ValueMatrices, counts: CooccurrenceCounts) -> ObjectSpace:
        if self.link == "value":
            return super()._space(values, counts)
        frequency = counts.marginals
        terms = np.log(np.where(frequency > 0, frequency, 1) / counts.n_objects)
        return ObjectSpace(values, "ratio", np.where(frequency > 0, terms, 0.0))


class FrequencySimilarity(ValueMeasure):
    """Base class of similarities that are weighted sums over the attributes.

    Attributes
    ----------
    similarities_ : ValueMatrices
        ``w_j s_j``, the terms of the definition; 0 for values that never occur.
    value_matrices_ : ValueMatrices
        ``w_j (max s_j - s_j)``, not negative; 0 for values that never occur.
    space_ : ObjectSpace
        Link "sum".
    """

    _by_values: ClassVar[bool] = False
    """Whether w_j is 1 / L, with L the number of all values that occur, instead of 1 / m."""

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        if counts.n_objects < 2:
            raise MeasureError(f"{type(self).__name__} needs at least two objects")
        n_values = int(np.count_nonzero(counts.marginals))
        weight = 1.0 / (n_values if self._by_values else counts.n_attributes)

        def parts(frequency: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            block = self._similarity(frequency, counts.n_objects) * weight
            return block, block.max() - block

        self.similarities_, apart = _matrices(counts, parts)
        return apart

    def _similarity(self, frequency: np.ndarray, n: float) -> np.ndarray:
        """Return s_j of values that occur `frequency` times each in `n` objects."""
        raise NotImplementedError


class Eskin(FrequencySimilarity):
    """Eskin's measure: mismatches weigh less in attributes of many values.

    ``s(x, x) = 1``; for different values ``s(x, y) = v^2 / (v^2 + 2)``, where v values occur.

    Parameters are those of `ValueMeasure`.

    Examples
    --------
    >>> from couplings import Eskin
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> Eskin().fit(rows).pairwise(rows).round(2)
    array([[0.  , 0.11, 0.33],
           [0.11, 0.  , 0.22],
           [0.33, 0.22, 0.  ]])
    """

    def _similarity(self, frequency: np.ndarray, n: float) -> np.ndarray:
        size = len(frequency)
        return _with_matches(np.full((size, size), size**2 / (size**2 + 2.0)), 1.0)


class InverseOccurrenceFrequency(FrequencySimilarity):
    """Inverse occurrence frequency (IOF): mismatches of rare values weigh less.

    ``s(x, x) = 1``; for different values ``s(x, y) = 1 / (1 + ln f_x ln f_y)``.

    Parameters are those of `ValueMeasure`.

    Examples
    --------
    >>> from couplings import InverseOccurrenceFrequency
    >>> rows = [list(text) for text in ("rs", "rs", "rm", "bm", "bl", "pl")]
    >>> InverseOccurrenceFrequency().fit(rows).pairwise(rows[:4]).round(2)
    array([[0.  , 0.  , 0.16, 0.38],
           [0.  , 0.  , 0.16, 0.38],
           [0.16, 0.16, 0.  , 0.22],
           [0.38, 0.38, 0.22, 0.  ]])
    """

    def _similarity(self, frequency: np.ndarray, n: float) -> np.ndarray:
        size = np.log(frequency)
        return _with_matches(1.0 / (1.0 + np.outer(size, size)), 1.0)


@dataclass(eq=False, repr=False)
class Goodall(PublishedDissimilarity, FrequencySimilarity):
    """Goodall's measure in four variants, which weigh a match by the frequency of the value.

    With ``q(x) = f_x (f_x - 1) / (n (n - 1))``, for equal values s is

    - variant 1: 1 minus the sum of q over the values that are at most as frequent,
    - variant 2: 1 minus the sum of q over the values that are at least as frequent,
    - variant 3: ``1 - q(x)``,
    - variant 4: ``q(x)``,

    and 0 for different values. Variant 3 has the s of `Goodall3`.

    Parameters
    ----------
    variant : {1, 2, 3, 4}, default 1
        In 1 and 3 matches of rare values weigh more; in 2 and 4 those of frequent ones.
    self_distance, missing, unknown
        As in `PublishedDissimilarity`.

    Examples
    --------
    >>> from couplings import Goodall
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> Goodall().fit(rows).pairwise(rows).round(2)
    array([[0.  , 0.28, 0.83],
           [0.28, 0.  , 0.56],
           [0.83, 0.56, 0.  ]])
    """

    variant: Literal[1, 2, 3, 4] = 1

    def _similarity(self, frequency: np.ndarray, n: float) -> np.ndarray:
        chance = frequency * (frequency - 1.0) / (n * (n - 1.0))
        if self.variant == 1:
            match = 1.0 - (frequency[None, :] <= frequency[:, None]) @ chance
        elif self.variant == 2:
            match = 1.0 - (frequency[None, :] >= frequency[:, None]) @ chance
        elif self.variant == 3:
            match = 1.0 - chance
        else:
            match = chance
        return np.diag(match)


class Smirnov(PublishedDissimilarity, FrequencySimilarity):
    """Smirnov's measure: a match weighs more if the value is rare and the others are frequent.

    ``s(x, x) = 2 + (n - f_x) / f_x + sum of f_q / (n - f_q)`` over the values q other than x; for
    different values, the sum over the values other than both. Every attribute has weight 1 / L,
    where L is the number of all values that occur.

    Parameters are those of `PublishedDissimilarity`.

    Examples
    --------
    >>> from couplings.measures import Smirnov
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> Smirnov().fit(rows).pairwise(rows).round(2)
    array([[0.  , 0.75, 2.25],
           [0.75, 0.  , 1.5 ],
           [2.25, 1.5 , 0.  ]])
    """

    _by_values = True

    def _similarity(self, frequency: np.ndarray, n: float) -> np.ndarray:
        if len(frequency) == 1:
            return np.full((1, 1), 2.0)
        odds = frequency / (n - frequency)
        mismatch = odds.sum() - np.add.outer(odds, odds)
        match = 2.0 + (n - frequency) / frequency + odds.sum() - odds
        return _with_matches(mismatch, match)


class Gambaryan(PublishedDissimilarity, FrequencySimilarity):
    """Gambaryan's measure: a match weighs most if about half of the objects have the value.

    ``s(x, x)`` is the entropy, in bits, of having the value or not; 0 for different values. Every
    attribute has weight 1 / L, where L is the number of all values that occur.

    Parameters are those of `PublishedDissimilarity`.

    Examples
    --------
    >>> from couplings.measures import Gambaryan
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> Gambaryan().fit(rows).pairwise(rows).round(2)
    array([[0.  , 0.15, 0.46],
           [0.15, 0.  , 0.31],
           [0.46, 0.31, 0.  ]])
    """

    _by_values = True

    def _similarity(self, frequency: np.ndarray, n: float) -> np.ndarray:
        from scipy.special import xlogy

        share = frequency / n
        return np.diag(-(xlogy(share, share) + xlogy(1 - share, 1 - share)) / np.log(2.0))


class Burnaby(FrequencySimilarity):
    """Burnaby's measure: mismatches of rare values weigh less.

    ``s(x, x) = 1``; for different values ``A / (A + ln o_x + ln o_y)`` with the odds
    ``o = p / (1 - p)`` and ``A = 2 sum of ln(1 - p)`` over all values of the attribute. The odds of
    the two values of a binary attribute cancel, so that a mismatch weighs as much as a match: the
    measure ignores binary attributes.

    Parameters are those of `ValueMeasure`.

    Examples
    --------
    >>> from couplings.measures import Burnaby
    >>> rows = [list(text) for text in ("rs", "rs", "rm", "bm", "bl", "pl")]
    >>> Burnaby().fit(rows).pairwise(rows[:4]).round(2)
    array([[0.  , 0.  , 0.18, 0.29],
           [0.  , 0.  , 0.18, 0.29],
           [0.18, 0.18, 0.  , 0.11],
           [0.29, 0.29, 0.11, 0.  ]])
    """

    def _similarity(self, frequency: np.ndarray, n: float) -> np.ndarray:
        if len(frequency) == 1:
            return np.ones((1, 1))
        if len(frequency) == 2:
            # exact, without the rounding of logarithms
            return np.ones((2, 2))
        whole = 2.0 * np.log1p(-frequency / n).sum()
        odds = np.log(frequency / (n - frequency))
        return _with_matches(whole / (whole + np.add.outer(odds, odds)), 1.0)


class QuotientSimilarity(PublishedDissimilarity):
    """Base class of similarities that are quotients of two sums over the attributes.

    Attributes
    ----------
    value_matrices_ : ValueMatrices
        Numerators; 0 for values that never occur.
    denominators_ : ValueMatrices
        Denominators.
    space_ : QuotientSpace
        D = 1 / (1 + S), in [1/2, 1].
    """

    def _embeds(self) -> bool:
        return False

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        values, self.denominators_ = _matrices(
            counts, lambda frequency: self._parts(frequency, counts.n_objects)
        )
        return values

    def _space(self, values: ValueMatrices, counts: CooccurrenceCounts) -> QuotientSpace:
        return QuotientSpace(values, self.denominators_)

    def _parts(self, frequency: np.ndarray, n: float) -> tuple[np.ndarray, np.ndarray]:
        """Return numerators and denominators of the values that occur."""
        raise NotImplementedError


class Lin1(QuotientSimilarity):
    """Lin1: Lin's measure, summing over the values with frequencies between those of the two.

    Let Q hold the values q with ``p_x <= p_q <= p_y``, where x is the rarer of the two values. Then
    ``S = sum of numerators / sum over the attributes of (sum of ln p_q over Q)``, with the
    numerator ``sum of ln p_q`` for equal values and ``2 ln(sum of p_q)`` for different ones. S is
    in [0, 1], and 1 if all attributes are constant.

    Parameters are those of `PublishedDissimilarity`.

    Examples
    --------
    >>> from couplings import Lin1
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> Lin1().fit(rows).pairwise(rows).round(2)
    array([[0.  , 0.24, 0.5 ],
           [0.24, 0.  , 0.39],
           [0.5 , 0.39, 0.  ]])
    """

    def _parts(self, frequency: np.ndarray, n: float) -> tuple[np.ndarray, np.ndarray]:
        low = np.minimum.outer(frequency, frequency)[:, :, None]
        high = np.maximum.outer(frequency, frequency)[:, :, None]
        between = (low <= frequency) & (frequency <= high)
        information = between @ np.log(frequency / n)
        # In counts, so that values that cover all objects give exactly ln 1 = 0.
        mismatch = 2.0 * np.log((between @ frequency) / n)
        return _with_matches(mismatch, information.diagonal()), information


class Anderberg(QuotientSimilarity):
    """Anderberg's measure: matches and mismatches of rare values weigh more.

    Over the attributes ``S = sum of matches / (sum of matches + sum of mismatches)``. A match of
    value x adds ``2 / (p_x^2 v (v + 1))``, a mismatch ``1 / (p_x p_y v (v + 1))``, where v values
    of the attribute occur. S is in [0, 1].

    Parameters are those of `PublishedDissimilarity`.

    Examples
    --------
    >>> from couplings.measures import Anderberg
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> Anderberg().fit(rows).pairwise(rows).round(2)
    array([[0.  , 0.1 , 0.5 ],
           [0.1 , 0.  , 0.25],
           [0.5 , 0.25, 0.  ]])
    """

    def _parts(self, frequency: np.ndarray, n: float) -> tuple[np.ndarray, np.ndarray]:
        size = len(frequency)
        rarity = n / frequency
        whole = np.outer(rarity, rarity) / (size * (size + 1.0))
        whole[np.diag_indices(size)] *= 2.0
        return np.diag(whole.diagonal()), whole


class UEDM(ValueMeasure):
    """Unified entropy-based distance metric of nominal values (UEDM).

    With p_x the share of a value and ``e_x = -p_x ln p_x``, the distance of two values of attribute
    j is ``w_j (e_x + e_y)``. The weight w_j is the share of ``R_j = H_j / ln v_j`` in the sum over
    the attributes, where H_j is the entropy and v_j the number of values. UEDM ignores dependence
    between attributes.

    Parameters are those of `ValueMeasure`.

    Attributes
    ----------
    value_matrices_ : ValueMatrices
        Dissimilarities, not negative, a metric on the values of an attribute. Values that never
        occur are at 0 and do not count in v_j; a constant attribute has weight 0.
    weights_ : ndarray of float64, shape (m,)
        The w_j, with sum 1 unless all attributes are constant.
    space_ : ObjectSpace
        Link "rss", weights inside the squares.

    References
    ----------
    Zhang, Cheung and Tan, IEEE TNNLS 31 (2020), doi 10.1109/TNNLS.2019.2899381; nominal attributes.

    Examples
    --------
    >>> from couplings.measures import UEDM
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> UEDM().fit(rows).pairwise(rows).round(2)
    array([[0.  , 0.21, 0.37],
           [0.21, 0.  , 0.3 ],
           [0.37, 0.3 , 0.  ]])
    """

    aggregation = "rss"

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        shares = [
            counts.block(j, j).diagonal() / counts.n_objects for j in range(counts.n_attributes)
        ]
        parts = [-p * np.log(np.where(p > 0, p, 1.0)) for p in shares]
        # The entropy of a constant attribute is 0, whatever the divisor.
        divisors = np.log(np.maximum([np.count_nonzero(p) for p in shares], 2))
        ratio = np.array([e.sum() for e in parts]) / divisors
        self.weights_ = ratio / ratio.sum() if ratio.any() else ratio
        blocks = []
        for p, e, weight in zip(shares, parts, self.weights_, strict=True):
            seen = p > 0
            block = np.where(np.outer(seen, seen), weight * np.add.outer(e, e), 0.0)
            np.fill_diagonal(block, 0.0)
            blocks.append(block)
        return ValueMatrices.from_blocks(blocks)


def _with_matches(block: np.ndarray, match: np.ndarray | float) -> np.ndarray:
    """Return the matrix with `match` on the diagonal."""
    np.fill_diagonal(block, match)
    return block
