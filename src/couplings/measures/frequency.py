"""Measures that depend on the frequencies of the values."""

import math
from typing import ClassVar

import numpy as np

from couplings._params import check_choice, check_number
from couplings.counts import CooccurrenceCounts
from couplings.errors import MeasureError
from couplings.measures.base import PublishedDissimilarity, squared
from couplings.space import ObjectSpace
from couplings.values import ValueMatrices


def frequencies_of(counts: CooccurrenceCounts) -> list[np.ndarray]:
    """Return the frequencies of the values, attribute by attribute."""
    return np.split(counts.marginals, counts.offsets[1:-1])


class LinkedMeasure(PublishedDissimilarity):
    """Base of the measures by frequencies whose dissimilarity links similarities of values.

    Parameters
    ----------
    link : str, default "object"
        How the similarities s of the values become the dissimilarity of two objects, see each
        measure.
    self_distance, missing, unknown
        As in `PublishedDissimilarity`.
    """

    _links: ClassVar[tuple[str, ...]] = ("object", "value")

    def __init__(
        self,
        link: str = "object",
        *,
        self_distance: str = "zero",
        missing: str = "raise",
        unknown: str = "raise",
    ) -> None:
        super().__init__(self_distance=self_distance, missing=missing, unknown=unknown)
        self.link = link

    def _embeds(self) -> bool:
        return self.link != "value"

    def _similarity(self, frequency: np.ndarray, n: int) -> np.ndarray:
        """Return s of the values of an attribute, `frequency` of them each, in `n` objects."""
        raise NotImplementedError

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        check_choice(type(self).__name__, "link", self.link, self._links)
        blocks = []
        for frequency in frequencies_of(counts):
            block = self._similarity(frequency, counts.n_objects)
            if self.link == "sum":
                block = 1.0 - block
            elif self.link == "value":
                block = 1.0 / (1.0 + block)
            observed = frequency > 0
            blocks.append(np.where(np.outer(observed, observed), block, 0.0))
        return ValueMatrices.from_blocks(blocks)

    def _space(self, values: ValueMatrices, counts: CooccurrenceCounts) -> ObjectSpace:
        if self.link == "sum":
            return ObjectSpace(values, "sum")
        if self.link == "value":
            return ObjectSpace(squared(values), "rss")
        # The matrices divided by the number of attributes: their sum is the mean.
        shared = ValueMatrices(values.data / values.n_attributes, values.offsets)
        return ObjectSpace(shared, "inverse")


class OccurrenceFrequency(LinkedMeasure):
    """Occurrence frequency: a mismatch of frequent values weighs less.

    For different values ``s(x, y) = 1 / (1 + log(n / f_x) log(n / f_y))``, for equal ones 1.

    Parameters
    ----------
    base : float, default e
        Base of both logarithms, greater than 1.
    link : {"object", "sum", "value"}, default "object"
        "object": D = 1 / (1 + mean of s over the attributes), in [1/2, 1). The diagonal is 1/2.
        "sum": D = sum of 1 - s, in [0, m). "value": D = root of the summed squares of
        1 / (1 + s), as DILCA's section 5.1 and eq. 4 print it; the diagonal is not 0.
    self_distance : {"zero", "paper"}, default "zero"
        "zero": `pairwise` gives ``D(u, v) - (D(u, u) + D(v, v)) / 2``, so that equal objects are at
        0, as algorithms and scores expect. "paper": D as published. `space_` is always D.
    missing, unknown : str, default "raise"
        Rules for missing cells and unseen values, see `ValueMeasure`.

    Attributes
    ----------
    value_matrices_ : ValueMatrices
        s for "object", 1 - s for "sum", 1 / (1 + s) for "value". Values that never occur have 0
        with all others.
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

    _links = ("object", "sum", "value")

    def __init__(
        self,
        base: float = math.e,
        link: str = "object",
        *,
        self_distance: str = "zero",
        missing: str = "raise",
        unknown: str = "raise",
    ) -> None:
        super().__init__(link, self_distance=self_distance, missing=missing, unknown=unknown)
        self.base = base

    def _similarity(self, frequency: np.ndarray, n: int) -> np.ndarray:
        if not check_number("OccurrenceFrequency", "base", self.base) > 1:
            raise MeasureError(f"OccurrenceFrequency: base={self.base} is not greater than 1")
        rarity = np.log(n / np.maximum(frequency, 1)) / math.log(self.base)
        similarity = 1.0 / (1.0 + np.outer(rarity, rarity))
        np.fill_diagonal(similarity, 1.0)
        return similarity


class Goodall3(LinkedMeasure):
    """Goodall's third measure: a match of rare values weighs more.

    ``s(x, x) = 1 - f_x (f_x - 1) / (n (n - 1))``, 0 for different values;
    ``D = 1 / (1 + mean of s over the attributes)``, in [1/2, 1], not 0 on the diagonal.

    Parameters
    ----------
    link : {"object", "value"}, default "object"
        "object": as above. "value": D = root of the summed squares of 1 / (1 + s), as DILCA's
        section 5.1 and eq. 4 print it.
    self_distance : {"zero", "paper"}, default "zero"
        "zero": `pairwise` gives ``D(u, v) - (D(u, u) + D(v, v)) / 2``, so that equal objects are at
        0, as algorithms and scores expect. "paper": D as published. `space_` is always D.
    missing, unknown : str, default "raise"
        Rules for missing cells and unseen values, see `ValueMeasure`.

    Attributes
    ----------
    value_matrices_ : ValueMatrices
        s, in [0, 1], or 1 / (1 + s) for "value". Values that never occur have 0.
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

    def _similarity(self, frequency: np.ndarray, n: int) -> np.ndarray:
        if n < 2:
            raise MeasureError("Goodall3 needs at least two objects")
        return np.diag(1.0 - frequency * (frequency - 1.0) / (n * (n - 1.0)))


class Lin(LinkedMeasure):
    """Lin's information-theoretic similarity, as a ratio of sums over the attributes.

    With shares p: ``S = sum of numerators / sum of (ln p_x + ln p_y)``, where the numerator is
    ``2 ln p_x`` for equal values and ``2 ln(p_x + p_y)`` for different ones;
    ``D = 1 / (1 + S)``, in [1/2, 1]. S is 1 if all attributes are constant.

    Parameters
    ----------
    link : {"object", "value"}, default "object"
        "object": as above. "value": one ratio s per attribute (1 in a constant one), and D = root
        of the summed squares of 1 / (1 + s), as DILCA's section 5.1 and eq. 4 print it.
    self_distance : {"zero", "paper"}, default "zero"
        "zero": `pairwise` gives ``D(u, v) - (D(u, u) + D(v, v)) / 2``, so that equal objects are at
        0, as algorithms and scores expect. "paper": D as published. `space_` is always D.
    missing, unknown : str, default "raise"
        Rules for missing cells and unseen values, see `ValueMeasure`.

    Attributes
    ----------
    value_matrices_ : ValueMatrices
        The numerators, not positive, or 1 / (1 + s) for "value". Values that never occur have 0.
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

    def _embeds(self) -> bool:
        return False

    def _similarity(self, frequency: np.ndarray, n: int) -> np.ndarray:
        # In counts: exact, so that two values that make up everything give ln 1 = 0.
        both = np.add.outer(frequency, frequency)
        np.fill_diagonal(both, frequency)
        block = 2.0 * np.log(np.maximum(both, 1) / n)
        if self.link == "object":
            return block
        share = np.log(np.maximum(frequency, 1) / n)
        whole = np.add.outer(share, share)
        return np.divide(block, whole, out=np.ones_like(block), where=whole != 0)

    def _space(self, values: ValueMatrices, counts: CooccurrenceCounts) -> ObjectSpace:
        if self.link == "value":
            return super()._space(values, counts)
        frequency = counts.marginals
        terms = np.log(np.maximum(frequency, 1) / counts.n_objects)
        return ObjectSpace(values, "ratio", np.where(frequency > 0, terms, 0.0))
