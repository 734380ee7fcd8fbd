"""What all measures share: they learn value matrices from co-occurrence counts."""

from typing import TYPE_CHECKING, ClassVar, Self, Union

import numpy as np
from numpy.typing import DTypeLike

from couplings._params import Params
from couplings.counts import CooccurrenceCounts, cooccurrence
from couplings.errors import MeasureError, NotFittedError
from couplings.space import ObjectSpace
from couplings.table import CategoricalTable
from couplings.values import ValueMatrices

if TYPE_CHECKING:
    import pandas as pd

Data = Union[CooccurrenceCounts, CategoricalTable, "pd.DataFrame"]


class ValueMeasure(Params):
    """Base of the measures: a subclass implements `_values`.

    Attributes
    ----------
    value_matrices_ : ValueMatrices
        One matrix over the values of each attribute.
    space_ : ObjectSpace
        The dissimilarity of objects that they make.
    n_attributes_ : int
        Number of attributes seen by `fit`.
    """

    _needs_context: ClassVar[bool] = False

    def fit(self, X: Data, y: object = None) -> Self:
        """Learn the value matrices.

        Parameters
        ----------
        X : CooccurrenceCounts, CategoricalTable or DataFrame
            Only the co-occurrence counts are used.
        y : object
            Ignored.

        Returns
        -------
        Self

        Raises
        ------
        MissingValuesError
            If a cell is missing.
        MeasureError
            If the measure needs other attributes and there is only one, or cannot be computed.
        """
        counts = X
        self.categories_ = getattr(X, "categories", None)
        if not isinstance(counts, CooccurrenceCounts):
            table = _as_table(X)
            self.categories_ = table.categories
            counts = cooccurrence(table)
        if self._needs_context and counts.n_attributes < 2:
            raise MeasureError(
                f"{type(self).__name__} compares the values of an attribute by the other "
                "attributes, and there is only one; use SimpleMatching or add an attribute"
            )
        self.n_attributes_ = counts.n_attributes
        self.value_matrices_ = self._values(counts)
        self.space_ = self._space(self.value_matrices_, counts)
        return self

    def pairwise(
        self,
        X: "CategoricalTable | pd.DataFrame",
        out: np.ndarray | None = None,
        dtype: DTypeLike = np.float64,
    ) -> np.ndarray:
        """Return the dissimilarities of all objects of `X`, shape (n, n).

        Parameters
        ----------
        X : CategoricalTable or DataFrame
            Objects over the domains that `fit` has seen; a frame is encoded by them.
        out, dtype
            As in `ObjectSpace.pairwise`.

        Raises
        ------
        NotFittedError
            If `fit` has not been called.
        MeasureError
            If the domains are not those of `fit`.
        """
        space = self._fitted_space()
        if self.categories_ is None:
            return space.pairwise(_as_table(X), out, dtype)
        if not isinstance(X, CategoricalTable):
            if X.shape[1] != len(self.categories_):
                raise MeasureError(
                    f"{type(self).__name__} was fitted on {len(self.categories_)} attributes, "
                    f"these data have {X.shape[1]}"
                )
            X = CategoricalTable.from_pandas(
                X, dict(zip(map(str, X.columns), self.categories_, strict=True))
            )
        if X.categories != self.categories_:
            raise MeasureError(
                f"{type(self).__name__} was fitted on other domains than this table declares; "
                "encode both with the same domains"
            )
        return space.pairwise(X, out, dtype)

    def _fitted_space(self) -> ObjectSpace:
        if not hasattr(self, "space_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet; call fit first")
        return self.space_

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        """Return the value matrices."""
        raise NotImplementedError

    def _space(self, values: ValueMatrices, counts: CooccurrenceCounts) -> ObjectSpace:
        """Return the object space; by default the sum of the value matrices."""
        return ObjectSpace(values, "sum")

    def __sklearn_tags__(self) -> object:
        """Describe the estimator to scikit-learn."""
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            input_tags=InputTags(categorical=True, string=True),
        )


def squared(values: ValueMatrices) -> ValueMatrices:
    """Return the squares of the entries, what the link "rss" sums up."""
    return ValueMatrices(values.data**2, values.offsets)


def _as_table(data: "CategoricalTable | pd.DataFrame") -> CategoricalTable:
    if isinstance(data, CategoricalTable):
        return data
    return CategoricalTable.from_pandas(data)
