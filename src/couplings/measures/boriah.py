"""The similarity measures of Boriah, Chandola and Kumar that are not elsewhere in this package.

They compare fourteen measures that need nothing but the frequencies of the values: overlap is
`SimpleMatching`, occurrence frequency `OccurrenceFrequency`, Lin's measure `Lin`; the others are
here. All are pure functions of the counts.

A similarity that is a sum over the attributes becomes the dissimilarity
``D(u, v) = sum_j w_j (max s_j - s_j(u, v))``: the order of the pairs is reversed and nothing else
is changed. Constant weights are part of the definition and kept. Of an object with itself D need
not be 0, since most of these measures value the match of rare values and that of frequent ones
differently; `pairwise` takes that off, unless it is asked for the paper's form. Similarities that
are quotients of two sums (`Lin1`, `Anderberg`) become ``D = 1 / (1 + S)``, as for `Lin`.

References
----------
Boriah, Chandola, Kumar, "Similarity Measures for Categorical Data: A Comparative Evaluation", SIAM
International Conference on Data Mining (2008), table 2.
"""

import numpy as np

from couplings._params import check_choice
from couplings.counts import CooccurrenceCounts
from couplings.errors import MeasureError
from couplings.measures.base import PublishedDissimilarity, ValueMeasure
from couplings.measures.frequency import frequencies_of
from couplings.quotient import QuotientSpace
from couplings.values import ValueMatrices


class FrequencySimilarity(ValueMeasure):
    """Base of the similarities that are weighted sums over the attributes.

    Attributes
    ----------
    similarities_ : ValueMatrices
        ``w_j s_j``, what the definition adds up; values that never occur have 0.
    value_matrices_ : ValueMatrices
        ``w_j (max s_j - s_j)``, not negative; values that never occur have 0.
    space_ : ObjectSpace
        Link "sum".
    """

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        if counts.n_objects < 2:
            raise MeasureError(f"{type(self).__name__} needs at least two objects")
        similarities, apart = [], []
        sizes = [int(np.count_nonzero(frequency)) for frequency in frequencies_of(counts)]
        for frequency in frequencies_of(counts):
            seen = np.flatnonzero(frequency)
            inside = np.ix_(seen, seen)
            block = self._similarity(frequency[seen].astype(np.float64), counts.n_objects)
            block = block * self._weight(sizes)
            full, far = np.zeros((2, len(frequency), len(frequency)))
            full[inside] = block
            far[inside] = block.max() - block
            similarities.append(full)
            apart.append(far)
        self.similarities_ = ValueMatrices.from_blocks(similarities)
        return ValueMatrices.from_blocks(apart)

    def _similarity(self, frequency: np.ndarray, n: int) -> np.ndarray:
        """Return s_j of the values that occur, `frequency` of them each, in `n` objects."""
        raise NotImplementedError

    def _weight(self, sizes: list[int]) -> float:
        """Return w_j from the numbers of values of all attributes; by default 1 / m."""
        return 1.0 / len(sizes)


class Eskin(FrequencySimilarity):
    """Eskin's measure: a mismatch weighs less in an attribute of many values.

    ``s(x, x) = 1``, for different values ``s(x, y) = v^2 / (v^2 + 2)`` with v values that occur.

    Parameters
    ----------
    missing, unknown : str, default "raise"
        Rules for missing cells and unseen values, see `ValueMeasure`.

    Examples
    --------
    >>> from couplings import Eskin
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> Eskin().fit(rows).pairwise(rows).round(2)
    array([[0.  , 0.11, 0.33],
           [0.11, 0.  , 0.22],
           [0.33, 0.22, 0.  ]])
    """

    def _similarity(self, frequency: np.ndarray, n: int) -> np.ndarray:
        size = len(frequency)
        return _with_matches(np.full((size, size), size**2 / (size**2 + 2.0)), 1.0)


class InverseOccurrenceFrequency(FrequencySimilarity):
    """Inverse occurrence frequency (IOF): a mismatch of rare values weighs less.

    ``s(x, x) = 1``, for different values ``s(x, y) = 1 / (1 + ln f_x ln f_y)``.

    Parameters
    ----------
    missing, unknown : str, default "raise"
        Rules for missing cells and unseen values, see `ValueMeasure`.

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

    def _similarity(self, frequency: np.ndarray, n: int) -> np.ndarray:
        size = np.log(frequency)
        return _with_matches(1.0 / (1.0 + np.outer(size, size)), 1.0)


class Goodall(PublishedDissimilarity, FrequencySimilarity):
    """Goodall's measure in three variants: how much a match is worth by the value's frequency.

    With ``q(x) = f_x (f_x - 1) / (n (n - 1))``, for equal values s is

    - variant 1: 1 minus the sum of q over the values that are at most as frequent,
    - variant 2: 1 minus the sum of q over the values that are at least as frequent,
    - variant 3: ``1 - q(x)``,
    - variant 4: ``q(x)``,

    and 0 for different values. The s of `Goodall3` is that of variant 3.

    Parameters
    ----------
    variant : {1, 2, 3, 4}, default 1
        Which one. In 1 and 3 matches of rare values weigh more, in 2 and 4 those of frequent ones.
    self_distance : {"zero", "paper"}, default "zero"
        "zero": `pairwise` gives ``D(u, v) - (D(u, u) + D(v, v)) / 2``, so that equal objects are at
        0, as algorithms and scores expect. "paper": D as published. `space_` is always D.
    missing, unknown : str, default "raise"
        Rules for missing cells and unseen values, see `ValueMeasure`.

    Examples
    --------
    >>> from couplings import Goodall
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> Goodall().fit(rows).pairwise(rows).round(2)
    array([[0.  , 0.28, 0.83],
           [0.28, 0.  , 0.56],
           [0.83, 0.56, 0.  ]])
    """

    def __init__(
        self,
        variant: int = 1,
        *,
        self_distance: str = "zero",
        missing: str = "raise",
        unknown: str = "raise",
    ) -> None:
        super().__init__(self_distance=self_distance, missing=missing, unknown=unknown)
        self.variant = variant

    def _similarity(self, frequency: np.ndarray, n: int) -> np.ndarray:
        check_choice("Goodall", "variant", self.variant, (1, 2, 3, 4))
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
    """Smirnov's measure: a match counts by how rare the value is, and by how frequent the others.

    ``s(x, x) = 2 + (n - f_x) / f_x + sum of f_q / (n - f_q)`` over the values q other than x; for
    different values the sum over the values other than both. The weight of every attribute is
    1 / L, L the number of all values that occur.

    Parameters
    ----------
    self_distance : {"zero", "paper"}, default "zero"
        "zero": `pairwise` gives ``D(u, v) - (D(u, u) + D(v, v)) / 2``, so that equal objects are at
        0, as algorithms and scores expect. "paper": D as published. `space_` is always D.
    missing, unknown : str, default "raise"
        Rules for missing cells and unseen values, see `ValueMeasure`.

    Examples
    --------
    >>> from couplings import Smirnov
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> Smirnov().fit(rows).pairwise(rows).round(2)
    array([[0.  , 0.75, 2.25],
           [0.75, 0.  , 1.5 ],
           [2.25, 1.5 , 0.  ]])
    """

    def _similarity(self, frequency: np.ndarray, n: int) -> np.ndarray:
        if len(frequency) == 1:
            return np.full((1, 1), 2.0)
        odds = frequency / (n - frequency)
        mismatch = odds.sum() - np.add.outer(odds, odds)
        match = 2.0 + (n - frequency) / frequency + odds.sum() - odds
        return _with_matches(mismatch, match)

    def _weight(self, sizes: list[int]) -> float:
        return 1.0 / sum(sizes)


class Gambaryan(PublishedDissimilarity, FrequencySimilarity):
    """Gambaryan's measure: a match weighs most where about half of the objects have the value.

    ``s(x, x)`` is the entropy, in bits, of having the value or not; 0 for different values. The
    weight of every attribute is 1 / L, L the number of all values that occur.

    Parameters
    ----------
    self_distance : {"zero", "paper"}, default "zero"
        "zero": `pairwise` gives ``D(u, v) - (D(u, u) + D(v, v)) / 2``, so that equal objects are at
        0, as algorithms and scores expect. "paper": D as published. `space_` is always D.
    missing, unknown : str, default "raise"
        Rules for missing cells and unseen values, see `ValueMeasure`.

    Examples
    --------
    >>> from couplings import Gambaryan
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> Gambaryan().fit(rows).pairwise(rows).round(2)
    array([[0.  , 0.15, 0.46],
           [0.15, 0.  , 0.31],
           [0.46, 0.31, 0.  ]])
    """

    def _similarity(self, frequency: np.ndarray, n: int) -> np.ndarray:
        from scipy.special import xlogy

        share = frequency / n
        return np.diag(-(xlogy(share, share) + xlogy(1 - share, 1 - share)) / np.log(2.0))

    def _weight(self, sizes: list[int]) -> float:
        return 1.0 / sum(sizes)


class Burnaby(FrequencySimilarity):
    """Burnaby's measure: a mismatch of rare values weighs less.

    ``s(x, x) = 1``, for different values ``A / (A + ln o_x + ln o_y)`` with the odds
    ``o = p / (1 - p)`` and ``A = 2 sum of ln(1 - p)`` over all values of the attribute.

    Parameters
    ----------
    missing, unknown : str, default "raise"
        Rules for missing cells and unseen values, see `ValueMeasure`.

    Notes
    -----
    In an attribute of two values the odds cancel, so that a mismatch is worth as much as a match:
    the measure does not see attributes of two values.

    Examples
    --------
    >>> from couplings import Burnaby
    >>> rows = [list(text) for text in ("rs", "rs", "rm", "bm", "bl", "pl")]
    >>> Burnaby().fit(rows).pairwise(rows[:4]).round(2)
    array([[0.  , 0.  , 0.18, 0.29],
           [0.  , 0.  , 0.18, 0.29],
           [0.18, 0.18, 0.  , 0.11],
           [0.29, 0.29, 0.11, 0.  ]])
    """

    def _similarity(self, frequency: np.ndarray, n: int) -> np.ndarray:
        if len(frequency) == 1:
            return np.ones((1, 1))
        if len(frequency) == 2:
            # exactly, not up to the rounding of logarithms
            return np.ones((2, 2))
        whole = 2.0 * np.log1p(-frequency / n).sum()
        odds = np.log(frequency / (n - frequency))
        return _with_matches(whole / (whole + np.add.outer(odds, odds)), 1.0)


class QuotientSimilarity(PublishedDissimilarity):
    """Base of the similarities that are quotients of two sums over the attributes.

    Attributes
    ----------
    value_matrices_ : ValueMatrices
        The numerators; values that never occur have 0.
    denominators_ : ValueMatrices
        The denominators.
    space_ : QuotientSpace
        D = 1 / (1 + S), in [1/2, 1].
    """

    def _embeds(self) -> bool:
        return False

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        above: list[np.ndarray] = []
        below: list[np.ndarray] = []
        for frequency in frequencies_of(counts):
            seen = np.flatnonzero(frequency)
            parts = self._parts(frequency[seen].astype(np.float64), counts.n_objects)
            for part, blocks in zip(parts, (above, below), strict=True):
                full = np.zeros((len(frequency), len(frequency)))
                full[np.ix_(seen, seen)] = part
                blocks.append(full)
        self.denominators_ = ValueMatrices.from_blocks(below)
        return ValueMatrices.from_blocks(above)

    def _space(self, values: ValueMatrices, counts: CooccurrenceCounts) -> QuotientSpace:
        return QuotientSpace(values, self.denominators_)

    def _parts(self, frequency: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Return numerators and denominators of the values that occur."""
        raise NotImplementedError


class Lin1(QuotientSimilarity):
    """Lin1: Lin's measure with all values whose frequency lies between those of the two.

    With Q the values q such that ``p_x <= p_q <= p_y`` (for the rarer of the two as x):
    ``S = sum of numerators / sum over the attributes of (sum of ln p_q over Q)``. The numerator is
    ``sum of ln p_q`` for equal values and ``2 ln(sum of p_q)`` for different ones; S is in [0, 1],
    and 1 if all attributes are constant.

    Parameters
    ----------
    self_distance : {"zero", "paper"}, default "zero"
        "zero": `pairwise` gives ``D(u, v) - (D(u, u) + D(v, v)) / 2``, so that equal objects are at
        0, as algorithms and scores expect. "paper": D as published. `space_` is always D.
    missing, unknown : str, default "raise"
        Rules for missing cells and unseen values, see `ValueMeasure`.

    Examples
    --------
    >>> from couplings import Lin1
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> Lin1().fit(rows).pairwise(rows).round(2)
    array([[0.  , 0.24, 0.5 ],
           [0.24, 0.  , 0.39],
           [0.5 , 0.39, 0.  ]])
    """

    def _parts(self, frequency: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
        low = np.minimum.outer(frequency, frequency)[:, :, None]
        high = np.maximum.outer(frequency, frequency)[:, :, None]
        between = (low <= frequency) & (frequency <= high)
        information = between @ np.log(frequency / n)
        # In counts: exact, so that values that make up everything give ln 1 = 0.
        mismatch = 2.0 * np.log((between @ frequency) / n)
        return _with_matches(mismatch, information.diagonal()), information


class Anderberg(QuotientSimilarity):
    """Anderberg's measure: matches of rare values and mismatches of rare values count more.

    Over the attributes ``S = sum of matches / (sum of matches + sum of mismatches)``, a match of
    value x adding ``2 / (p_x^2 v (v + 1))``, a mismatch ``1 / (p_x p_y v (v + 1))``, v the number
    of values of the attribute that occur. S is in [0, 1].

    Parameters
    ----------
    self_distance : {"zero", "paper"}, default "zero"
        "zero": `pairwise` gives ``D(u, v) - (D(u, u) + D(v, v)) / 2``, so that equal objects are at
        0, as algorithms and scores expect. "paper": D as published. `space_` is always D.
    missing, unknown : str, default "raise"
        Rules for missing cells and unseen values, see `ValueMeasure`.

    Examples
    --------
    >>> from couplings import Anderberg
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> Anderberg().fit(rows).pairwise(rows).round(2)
    array([[0.  , 0.1 , 0.5 ],
           [0.1 , 0.  , 0.25],
           [0.5 , 0.25, 0.  ]])
    """

    def _parts(self, frequency: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
        size = len(frequency)
        rarity = n / frequency
        whole = np.outer(rarity, rarity) / (size * (size + 1.0))
        whole[np.diag_indices(size)] *= 2.0
        return np.diag(whole.diagonal()), whole


def _with_matches(block: np.ndarray, match: np.ndarray | float) -> np.ndarray:
    """Return the matrix with `match` on its diagonal."""
    np.fill_diagonal(block, match)
    return block
