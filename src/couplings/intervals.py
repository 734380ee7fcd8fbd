"""Intervals of learned distances of values, by a bootstrap of the objects."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.spatial.distance import squareform

from couplings._checks import Seed, check_memory, check_positive, generator
from couplings._domains import learn_domains
from couplings.counts import cooccurrence
from couplings.errors import CouplingsError, MeasureError
from couplings.measures.base import ValueMeasure
from couplings.reading import position_of, reread
from couplings.table import Objects


@dataclass(frozen=True, eq=False)
class ValueIntervals:
    """Distances of values with their replicates; made by `value_intervals`.

    Parameters
    ----------
    distances : mapping from attribute to DataFrame of float64, shape (v, v)
        Results of `ValueMeasure.value_distances`.
    replicates : mapping from attribute to ndarray of float64, shape (R, v, v)
        The same for every bootstrap sample; NaN if a sample lacks one of the values.
    """

    distances: Mapping[str, pd.DataFrame]
    replicates: Mapping[str, np.ndarray]

    def pairs(self, attribute: str | int, level: float = 0.95) -> pd.DataFrame:
        """Return the distance of each pair of values of an attribute with its interval.

        Parameters
        ----------
        attribute : str or int
            Its name, or position.
        level : float in (0, 1), default 0.95

        Returns
        -------
        DataFrame
            ``value``, ``other``, ``distance``, ``low``, ``high``, ``seen`` (the share of the
            replicates that have both values), ``stable``; in the order of the values. Learned
            distances are biased, mostly upwards, and the bootstrap estimates the bias only roughly:
            the interval contains the percentile interval, which keeps the bias, and the basic
            one, which removes it. A pair is stable if its interval is at most half as wide as the
            largest distance of the attribute, and at least 95 % of the replicates have both values.

        Raises
        ------
        CouplingsError
            If there is no such attribute, or the level is not between 0 and 1.
        """
        if not 0 < level < 1:
            raise CouplingsError(f"pairs: level={level} is not between 0 and 1")
        name = self._name(attribute)
        frame, drawn = self.distances[name], self.replicates[name]
        i, j = np.triu_indices(len(frame), 1)
        found, drawn = frame.to_numpy()[i, j], drawn[:, i, j]
        seen = np.isfinite(drawn).mean(axis=0)
        # A pair absent from all replicates gets no interval.
        low, high = np.full((2, len(found)), np.nan)
        some, tail = seen > 0, (1 - level) / 2
        least, most = np.nanquantile(drawn[:, some], [tail, 1 - tail], axis=0)
        low[some] = np.maximum(0.0, np.minimum(least, 2 * found[some] - most))
        high[some] = np.maximum(most, 2 * found[some] - least)
        stable = (seen >= 0.95) & (high - low <= found.max(initial=0.0) / 2)
        columns = {"value": frame.index[i], "other": frame.columns[j], "distance": found}
        return pd.DataFrame({**columns, "low": low, "high": high, "seen": seen, "stable": stable})

    def nearer(self, attribute: str | int, value: str, near: str, far: str) -> float:
        """Return the share of the replicates in which a value is nearer to one than to another.

        A float in [0, 1], of the replicates that have all three values; a tie counts half. NaN if
        there is none.

        Parameters
        ----------
        attribute : str or int
            Its name, or position.
        value, near, far : str
            Values of the attribute.

        Raises
        ------
        CouplingsError
            If there is no such attribute or value.
        """
        name = self._name(attribute)
        labels = list(self.distances[name].index)
        x, a, b = (position_of(labels, one) for one in (value, near, far))
        gap = self.replicates[name][:, x, b] - self.replicates[name][:, x, a]
        gap = gap[np.isfinite(gap)]
        return float((np.sign(gap).mean() + 1) / 2) if len(gap) else np.nan

    def unstable(self, attribute: str | int) -> np.ndarray:
        """Return a mask of the pairs of values that are not stable, see `pairs`; bool, (v, v)."""
        return squareform(~self.pairs(attribute)["stable"].to_numpy(), checks=False)

    def _name(self, attribute: str | int) -> str:
        return list(self.distances)[position_of(list(self.distances), attribute)]


def value_intervals(
    measure: ValueMeasure, X: Objects, n_replicates: int = 1000, random_state: Seed = None
) -> ValueIntervals:
    """Learn a measure on a table and on bootstrap samples of its rows.

    Objects are drawn with replacement and counted again, and the measure is learned from the
    counts of all attributes together, because these depend on each other. Errors are those of
    `ValueMeasure.fit` and `value_distances`; `CouplingsError` also if the replicates do not fit
    into memory.

    Parameters
    ----------
    measure : ValueMeasure
        Measure whose parameters are used; `fit` is called on copies.
    X : CategoricalTable, DataFrame or array_like
        n objects.
    n_replicates : int, default 1000
        Number of bootstrap samples, R.
    random_state : int, SeedSequence, Generator or None
        Seed of the samples.

    Returns
    -------
    ValueIntervals

    References
    ----------
    Davison and Hinkley, Bootstrap Methods and their Application (1997), sections 5.2.1 and 5.3.1.

    Examples
    --------
    >>> from couplings import AhmadDey
    >>> from couplings.intervals import value_intervals
    >>> rows = [["red", "a"], ["red", "a"], ["rose", "a"], ["blue", "b"], ["rose", "b"]] * 20
    >>> found = value_intervals(AhmadDey(), rows, n_replicates=200, random_state=0)
    >>> found.nearer("a0", "red", near="rose", far="blue")
    1.0
    """
    check_positive("value_intervals", n_replicates=n_replicates)
    if not isinstance(measure, ValueMeasure):
        raise MeasureError(
            f"value_intervals needs a measure of values before the table, not {measure!r:.100}"
        )
    X = reread(X)
    rng = generator("value_intervals", random_state)
    parameters: dict[str, Any] = measure.get_params(deep=False)
    fitted = type(measure)(**parameters).fit(X)
    table, domains = learn_domains(X, "value_intervals", measure.missing)[0], fitted._domains
    distances = {name: fitted.value_distances(name) for name in domains.attributes}
    seen = [np.flatnonzero(shares > 0) for shares in domains.all_shares]
    sizes = [len(values) for values in seen]
    check_memory(
        "value_intervals",
        8.0 * n_replicates * sum(v * v for v in sizes),
        f"{n_replicates} replicates of the distances",
        "ask for fewer, or leave out attributes of many values",
    )
    drawn = [np.full((n_replicates, v, v), np.nan) for v in sizes]
    distinct, weights, inverse = table.distinct()
    n = table.n_objects
    for replicate in range(n_replicates):
        weights = np.bincount(inverse[rng.integers(0, n, n)], minlength=len(weights))
        again = type(measure)(**parameters).fit(cooccurrence(distinct, weights))
        matrices, root = again._summed_matrices(), again.space_.link == "rss"
        for j, values in enumerate(seen):
            here = np.flatnonzero(again._domains.shares(j)[values] > 0)
            block = matrices.block(j)[np.ix_(values[here], values[here])]
            drawn[j][replicate][np.ix_(here, here)] = np.sqrt(block) if root else block
    return ValueIntervals(distances, dict(zip(domains.attributes, drawn, strict=True)))
