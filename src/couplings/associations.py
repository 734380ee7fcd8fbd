"""Association of every two attributes of a table: Cramér's V, Theil's U, mutual information."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import chi2_contingency

from couplings._checks import check_choice
from couplings._domains import learn_domains
from couplings.counts import CooccurrenceCounts, cooccurrence
from couplings.measures.base import Data


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

    Raises
    ------
    CouplingsError
        If the kind is unknown.
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
    present = [np.arange(v) != code for v, code in zip(counts.n_values, absent, strict=True)]
    m = counts.n_attributes
    found = np.empty((m, m))
    for j in range(m):
        for k in range(j, m):
            block = counts.block(j, k)[np.ix_(present[j], present[k])]
            block = block[block.any(axis=1)][:, block.any(axis=0)]
            defined = min(block.shape) > 1 or kind in ("mutual_information", "n")
            found[j, k] = _KINDS[kind](block) if defined else np.nan
            found[k, j] = _theils_u(block.T) if defined and kind == "theils_u" else found[j, k]
    names = counts.attributes or [f"a{j}" for j in range(m)]
    return pd.DataFrame(found, index=list(names), columns=list(names))


def _test(block: np.ndarray, statistic: str = "pearson") -> Any:
    return chi2_contingency(block, correction=False, lambda_=statistic)


def _entropy(counts: np.ndarray) -> float:
    share = counts[counts > 0] / counts.sum()
    return float(-(share * np.log(share)).sum())


def _information(block: np.ndarray) -> float:
    if not block.size:
        return 0.0
    parts = _entropy(block.sum(axis=1)) + _entropy(block.sum(axis=0)) - _entropy(block)
    return max(parts, 0.0)


def _uncorrected(block: np.ndarray) -> float:
    return float(np.sqrt(_test(block).statistic / block.sum() / (min(block.shape) - 1)))


def _corrected(block: np.ndarray) -> float:
    degrees, n = np.array(block.shape) - 1, block.sum()
    excess = max(0.0, _test(block).statistic / n - degrees.prod() / (n - 1))
    most = (degrees - degrees**2 / (n - 1)).min()
    return min(1.0, float(np.sqrt(excess / most))) if most > 0 else np.nan


def _theils_u(block: np.ndarray) -> float:
    return min(1.0, _information(block) / _entropy(block.sum(axis=1)))


def _uncertainty(block: np.ndarray) -> float:
    both = _entropy(block.sum(axis=1)) + _entropy(block.sum(axis=0))
    return min(1.0, 2 * _information(block) / both)


# Undefined for a constant attribute, all but mutual information and n.
_KINDS: dict[str, Callable[[np.ndarray], float]] = {
    "cramers_v": _corrected,
    "cramers_v_uncorrected": _uncorrected,
    "theils_u": _theils_u,
    "symmetric_uncertainty": _uncertainty,
    "mutual_information": _information,
    "p_chi2": lambda block: float(_test(block).pvalue),
    "p_g": lambda block: float(_test(block, "log-likelihood").pvalue),
    "n": lambda block: float(block.sum()),
}
