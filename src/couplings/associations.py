"""Association of every two attributes of a table: Cramér's V, Theil's U, mutual information."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import chdtrc, xlogy

from couplings._checks import check_choice, is_whole
from couplings._domains import learn_domains
from couplings.counts import CooccurrenceCounts, Data, cooccurrence
from couplings.errors import CouplingsError

# With fewer objects no table of two attributes has as many objects as cells.
_FEWEST_SHARES = 4


def associations(data: Data, kind: str = "cramers_v") -> pd.DataFrame:
    """Return the strength, or the significance, of the association of all pairs of attributes.

    Parameters
    ----------
    data : table of any kind, or CooccurrenceCounts
        n objects, m categorical attributes. Each pair of attributes uses the objects in which
        neither cell is missing.
    kind : str, default "cramers_v"
        "cramers_v": Cramér's V with Bergsma's correction, so that independent attributes give
        about 0 in small tables too; "cramers_v_uncorrected". "theils_u": the share of the row's
        entropy that the column explains. "symmetric_uncertainty": twice the mutual information over
        the sum of both entropies. These are in [0, 1], 1 where each (for Theil's U: the column)
        determines the other. "mutual_information": in nats, on the diagonal the entropy.
        "p_chi2" and "p_g": p-values of independence by Pearson's chi-squared test and by the
        likelihood-ratio test (G), without a correction for continuity or for the number of pairs.
        "n": the number of objects with neither cell missing.

    Returns
    -------
    DataFrame of float64, shape (m, m)
        Labelled by the attributes; symmetric except for Theil's U. NaN if an attribute is constant
        on the objects with both cells, except for "mutual_information", which is 0, and "n".
        "cramers_v", "p_chi2" and "p_g" depend on the number of objects, which is the sum of the
        weights; if weights are fractions, they are NaN for fewer objects than pairs of values.

    Raises
    ------
    CouplingsError
        If the kind is unknown, or if it depends on the number of objects and weights that are
        fractions sum to less than 4.
    TableError
        If the data are not a table of categories.

    References
    ----------
    Bergsma, Journal of the Korean Statistical Society 42 (2013); Theil, American Journal
    of Sociology 76 (1970), the uncertainty coefficient; Witten and Frank,
    Data Mining (2005), symmetric uncertainty.

    Examples
    --------
    >>> from couplings.associations import associations
    >>> rows = [["step", "wide", "a"], ["step", "wide", "b"], ["sport", "slim", "a"]] * 20
    >>> associations(rows).round(2)
          a0    a1    a2
    a0  1.00  1.00  0.49
    a1  1.00  1.00  0.49
    a2  0.49  0.49  1.00
    """
    check_choice("associations", "kind", kind, tuple(_KINDS))
    if isinstance(data, CooccurrenceCounts):
        counts, absent = data, np.full(data.n_attributes, -1)
    else:
        table, domains = learn_domains(data, "associations", "value")
        counts, absent = cooccurrence(table), domains.missing_code
    pairs = _Pairs.of(counts, absent)
    if kind in _BY_NUMBER and not pairs.whole and counts.n_objects < _FEWEST_SHARES:
        raise CouplingsError(
            f"associations: {kind!r} depends on the number of objects, but the weights sum to "
            f"{counts.n_objects:.3g}; multiply them so that they sum to the number of objects, or "
            "take kind='cramers_v_uncorrected'"
        )
    found = _KINDS[kind](pairs)
    if kind not in ("mutual_information", "n"):
        undefined = np.minimum(pairs.sizes, pairs.sizes.T) < 2
        if kind in _BY_NUMBER and not pairs.whole:
            undefined |= pairs.n < pairs.sizes * pairs.sizes.T
        found = np.where(undefined, np.nan, found)
    names = counts.attributes or [f"a{j}" for j in range(counts.n_attributes)]
    return pd.DataFrame(found, index=list(names), columns=list(names))


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Statistics of all pairs of attributes j, k, each of shape (m, m).

    `n` is the number of objects with both cells. Of j, on these objects: `sizes` is the number of
    values that occur, and `entropy` their entropy in nats. Of both: `joint` is the entropy of the
    pairs of values, and `chi2` Pearson's statistic. `whole`: the counts are numbers of objects.
    """

    n: np.ndarray
    sizes: np.ndarray
    entropy: np.ndarray
    joint: np.ndarray
    chi2: np.ndarray
    whole: bool

    @classmethod
    def of(cls, counts: CooccurrenceCounts, absent: np.ndarray) -> "_Pairs":
        """Count by attribute, without the values with the codes `absent`."""
        offsets, m = counts.offsets, counts.n_attributes
        present = np.ones(int(offsets[-1]), dtype=bool)
        present[(offsets[:-1] + absent)[absent >= 0]] = False
        matrix = counts.matrix[np.ix_(present, present)].astype(np.float64)
        attribute = np.repeat(np.arange(m), np.diff(offsets))[present]
        starts = np.searchsorted(attribute, np.arange(m + 1))

        def sums(values: np.ndarray) -> np.ndarray:
            """Return the sums over the values of each attribute, along the last axis."""
            found = np.zeros((*values.shape[:-1], m))
            some = np.flatnonzero(np.diff(starts))
            if len(some):
                found[..., some] = np.add.reduceat(values, starts[some], axis=-1)
            return found

        # Objects with value x and a cell in attribute k.
        marginal = sums(matrix)
        n = sums(marginal.T).T
        sizes = sums((marginal > 0).T.astype(np.float64)).T
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.nan_to_num(marginal / n[attribute])
        entropy = sums(-xlogy(share, share).T).T
        joint, chi2 = np.empty((m, m)), np.empty((m, m))
        for j in range(m):
            rows = slice(starts[j], starts[j + 1])
            block, total = matrix[rows], n[j, attribute]
            with np.errstate(divide="ignore", invalid="ignore"):
                share = np.nan_to_num(block / total)
                expected = marginal[rows][:, attribute] / total * marginal[:, j]
                gap = np.nan_to_num((block - expected) ** 2 / expected)
            joint[j] = sums(-xlogy(share, share)).sum(axis=0)
            chi2[j] = sums(gap).sum(axis=0)
        # Sums in another order differ in their last bits.
        joint, chi2 = (np.triu(one) + np.triu(one, 1).T for one in (joint, chi2))
        return cls(n, sizes, entropy, joint, chi2, is_whole(counts.matrix))

    @property
    def information(self) -> np.ndarray:
        """Mutual information in nats."""
        return np.maximum(self.entropy + self.entropy.T - self.joint, 0.0)

    @property
    def degrees(self) -> np.ndarray:
        """Degrees of freedom of a test of independence."""
        return (self.sizes - 1) * (self.sizes.T - 1)


def _uncorrected(pairs: _Pairs) -> np.ndarray:
    least = np.minimum(pairs.sizes, pairs.sizes.T) - 1
    return np.minimum(1.0, np.sqrt(_ratio(_ratio(pairs.chi2, pairs.n), least)))


def _corrected(pairs: _Pairs) -> np.ndarray:
    before = pairs.n - 1
    excess = np.maximum(0.0, _ratio(pairs.chi2, pairs.n) - _ratio(pairs.degrees, before))
    own = pairs.sizes - 1 - _ratio((pairs.sizes - 1) ** 2, before)
    most = np.minimum(own, own.T)
    return np.where(most > 0, np.minimum(1.0, np.sqrt(_ratio(excess, most))), np.nan)


def _ratio(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """Return the quotient where the denominator is positive, and NaN elsewhere."""
    out = np.full(numerator.shape, np.nan)
    return np.divide(numerator, denominator, out=out, where=denominator > 0)


def _theils_u(pairs: _Pairs) -> np.ndarray:
    return np.minimum(1.0, _ratio(pairs.information, pairs.entropy))


def _uncertainty(pairs: _Pairs) -> np.ndarray:
    return np.minimum(1.0, _ratio(2 * pairs.information, pairs.entropy + pairs.entropy.T))


def _p_value(pairs: _Pairs, statistic: np.ndarray) -> np.ndarray:
    return chdtrc(np.maximum(pairs.degrees, 1), statistic)


# Undefined for a constant attribute, all but mutual information and n.
_KINDS: dict[str, Callable[[_Pairs], np.ndarray]] = {
    "cramers_v": _corrected,
    "cramers_v_uncorrected": _uncorrected,
    "theils_u": _theils_u,
    "symmetric_uncertainty": _uncertainty,
    "mutual_information": lambda pairs: pairs.information,
    "p_chi2": lambda pairs: _p_value(pairs, pairs.chi2),
    "p_g": lambda pairs: _p_value(pairs, 2 * pairs.n * pairs.information),
    "n": lambda pairs: pairs.n,
}
_BY_NUMBER = ("cramers_v", "p_chi2", "p_g")
