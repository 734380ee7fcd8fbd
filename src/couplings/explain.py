"""What a fitted measure has learned, as labelled tables: values, typical and odd objects."""

from typing import TYPE_CHECKING, Any

import numpy as np

from couplings._output import index_of
from couplings._params import check_integer
from couplings.errors import MeasureError
from couplings.spaces import ObjectSpace, extended_block
from couplings.values import ValueMatrices

if TYPE_CHECKING:
    import pandas as pd

    from couplings._domains import Domains, Extras
    from couplings.embedding import Embedding
    from couplings.spaces import Plain, Space
    from couplings.table import CategoricalTable


class Explained:
    """What measures whose dissimilarity is a sum over the attributes can say about it."""

    if TYPE_CHECKING:  # what the measure brings
        _domains: Domains
        space_: Plain
        _metric: Space
        _embedding: Embedding | None

        def _require_fit(self) -> None: ...

        def _require_distance(self, method: str) -> None: ...

        def _tables(self, X: Any, Y: Any) -> tuple[list[CategoricalTable], Extras]: ...

    def value_distances(self, attribute: str | int) -> "pd.DataFrame":
        """Return the distances of the values of one attribute.

        Parameters
        ----------
        attribute : str or int
            Its name, or position.

        Returns
        -------
        DataFrame of float64, shape (v, v)
            With the labels of the values that occur. What `pairwise` adds up, or the root of it
            if it adds up squares.

        Raises
        ------
        NotFittedError
            If `fit` has not been called.
        MeasureError
            If there is no such attribute, or if the measure compares whole objects only.

        Examples
        --------
        >>> from couplings import DilcaM
        >>> rows = [["step", "wide"], ["step", "slim"], ["sport", "slim"]]
        >>> DilcaM().fit(rows).value_distances("a0").round(2)
               sport  step
        sport   0.00  0.71
        step    0.71  0.00
        """
        import pandas as pd

        matrices = self._summed_matrices()
        j = self._domains.position(attribute)
        seen = np.flatnonzero(self._domains.shares(j) > 0)
        labels = [self._domains.labels(j)[x] for x in seen]
        block = matrices.block(j)[np.ix_(seen, seen)]
        if self.space_.link == "rss":
            block = np.sqrt(block)
        return pd.DataFrame(block, index=labels, columns=labels)

    def value_pairs(self) -> "pd.DataFrame":
        """Return the distance of every pair of values of an attribute, alike pairs first.

        Returns
        -------
        DataFrame
            ``attribute``, ``value``, ``other``, ``distance``: one row per pair, of all attributes.

        Raises
        ------
        CouplingsError
            As `value_distances`.

        Examples
        --------
        >>> from couplings import SimpleMatching
        >>> SimpleMatching().fit([["step", "wide"], ["sport", "slim"]]).value_pairs()
          attribute  value other  distance
        0        a0  sport  step       1.0
        1        a1   slim  wide       1.0
        """
        import pandas as pd

        rows = [
            (name, block.index[i], block.columns[j], block.iloc[i, j])
            for name in self._domains.attributes
            for block in [self.value_distances(name)]
            for i, j in zip(*np.triu_indices(len(block), 1), strict=True)
        ]
        pairs = pd.DataFrame(rows, columns=["attribute", "value", "other", "distance"])
        return pairs.sort_values("distance", kind="stable", ignore_index=True)

    def value_frequencies(self, attribute: str | int) -> "pd.Series":
        """Return the share of the objects of `fit` that have each value of one attribute.

        Parameters and errors are those of `value_distances`.
        """
        import pandas as pd

        self._require_fit()
        j = self._domains.position(attribute)
        shares = self._domains.shares(j)
        seen = np.flatnonzero(shares > 0)
        return pd.Series(shares[seen], index=[self._domains.labels(j)[x] for x in seen])

    def oddness(self, X: Any) -> "pd.DataFrame":
        """Return how far objects are from those of `fit` on average, attribute by attribute.

        Parameters
        ----------
        X : CategoricalTable, DataFrame or array_like
            n objects, as for `pairwise`.

        Returns
        -------
        DataFrame of float64, shape (n, m)
            The mean, over the objects of `fit`, of what the measure adds up for each attribute
            (squared distances of values for the link "rss"). The sum of a row is the mean
            dissimilarity of the object, or mean square.

        Raises
        ------
        CouplingsError
            As `pairwise`, and if the measure compares whole objects only.
        """
        import pandas as pd

        matrices = self._summed_matrices()
        (table,), extras = self._tables(X, None)
        result = np.empty(table.codes.shape)
        for j, column in enumerate(table.codes.T):
            share = self._domains.shares(j)
            block = matrices.block(j)
            if extras.rules[j]:
                block = extended_block(block, share, extras.rules[j])
            weights = np.append(share, np.zeros(len(block) - len(share))) / share.sum()
            result[:, j] = (block @ weights)[column]
        names = list(self._domains.attributes)
        return pd.DataFrame(result, index=index_of(X), columns=names)

    def typical(self, X: Any, n: int = 5) -> "pd.DataFrame":
        """Return the objects that are nearest to those of `fit` on average.

        Parameters
        ----------
        X : CategoricalTable, DataFrame or array_like
            Objects, as for `pairwise`.
        n : int, default 5
            How many.

        Returns
        -------
        DataFrame, n rows
            ``oddness``, the sum of `oddness`, increasing; ``because``: the attributes whose value
            is most typical, those first that are farthest below the mean of `X`.

        Raises
        ------
        CouplingsError
            As `oddness`, and if `n` is no positive integer.
        """
        return self._ranked(X, n, 1.0)

    def odd(self, X: Any, n: int = 5) -> "pd.DataFrame":
        """Return the objects that are farthest from those of `fit` on average, and why.

        Parameters and errors are those of `typical`.

        Returns
        -------
        DataFrame, n rows
            ``oddness``, the sum of `oddness`, decreasing; ``because``: the attributes whose value
            makes the object odd, those first that are farthest above the mean of `X`.

        Examples
        --------
        >>> from couplings import SimpleMatching
        >>> rows = [["step", "wide"], ["step", "wide"], ["step", "wide"], ["sport", "wide"]]
        >>> SimpleMatching().fit(rows).odd(rows, 1)
           oddness          because
        3     0.75  a0=sport (0.75)
        """
        return self._ranked(X, n, -1.0)

    def _ranked(self, X: Any, n: int, sign: float) -> "pd.DataFrame":
        import pandas as pd

        n = check_integer(type(self).__name__, "n", n, 1)
        parts = self.oddness(X)
        total = parts.to_numpy().sum(axis=1)
        order = np.argsort(sign * total, kind="stable")[:n]
        excess = sign * (parts.to_numpy() - parts.to_numpy().mean(axis=0))
        (table,), extras = self._tables(X, None)
        because = []
        for row in order:
            first = np.argsort(excess[row], kind="stable")[:3]
            named = [
                f"{parts.columns[j]}={self._label(j, table.codes[row, j], extras)} "
                f"({parts.to_numpy()[row, j]:.2f})"
                for j in first
                if excess[row, j] < 0
            ]
            because.append(", ".join(named))
        return pd.DataFrame({"oddness": total[order], "because": because}, index=parts.index[order])

    def _label(self, j: int, code: int, extras: Any) -> str:
        labels = (*self._domains.labels(j), *extras.labels[j])
        return "missing" if labels[code] is None else labels[code]

    def _summed_matrices(self) -> ValueMatrices:
        """Return what the zero-based dissimilarity adds up, or refuse."""
        self._require_distance("this")
        metric = self._metric
        if isinstance(metric, ObjectSpace) and metric.link in ("sum", "rss", "jaccard"):
            return metric.matrices
        if self._embedding is not None:
            return self._embedding.matrices
        raise MeasureError(
            f"{self!r} compares whole objects: its dissimilarity is no sum over the attributes"
        )
