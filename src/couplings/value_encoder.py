"""Numeric columns for categories from learned distances, with rare values shrunk to the mean."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from couplings._checks import check_number
from couplings._domains import Extras, learn_domains
from couplings._params import Transformer, distinct_names
from couplings.measures.base import Objects, ValueMeasure, with_rules
from couplings.measures.registry import measure_from
from couplings.reading import reread


@dataclass(eq=False, repr=False)
class ValueEncoder(Transformer):
    """Encode categories as points whose distances a measure has learned from the other categories.

    It uses no target, so unlabelled rows may be fitted as well. Values that occur with the same
    values of the other attributes are close: a linear model with few labels of one of them learns
    about it from the other.

    Parameters
    ----------
    measure : str or ValueMeasure, optional
        Its dissimilarity must be a sum over the attributes. Default: "ahmad_dey", which compares
        the values of an attribute by the other attributes; "simple_matching" if there is only one.
    shrink : float, default 1
        The distance of a value of c objects from the mean of its attribute is multiplied by
        ``c / (c + shrink)``; 0 leaves it unchanged.

    Attributes
    ----------
    measure_ : ValueMeasure
        The fitted measure. Missing cells are a value of their own.
    tables_ : list of m ndarrays of float64, shape (v_j + 1, r_j)
        The points of the values of each attribute, r_j < v_j, with mean 0 over the objects of
        `fit`; the last row, the mean, is the point of all values unseen in `fit`.
    n_features_in_, feature_names_in_
        As in `ValueMeasure`.

    Examples
    --------
    >>> import pandas as pd
    >>> from couplings.value_encoder import ValueEncoder
    >>> cars = pd.DataFrame({"make": ["vw", "vw", "bmw"], "fuel": ["gas", "gas", "oil"]})
    >>> ValueEncoder(shrink=0).set_output(transform="pandas").fit_transform(cars).round(2)
       make_0  fuel_0
    0   -0.33    0.33
    1   -0.33    0.33
    2    0.67   -0.67
    """

    measure: str | ValueMeasure | None = None
    _: KW_ONLY
    shrink: float = 1.0

    _sign_of_fit = "tables_"
    # Missing cells are a value; scikit-learn's tag is derived from this.
    missing = "value"

    def fit(self, X: Objects, y: object = None) -> Self:
        """Learn the points of the values.

        Parameters
        ----------
        X : CategoricalTable, data frame of any library, or array_like
            At least two objects; every distinct entry of a column is a value.
        y : object, ignored

        Raises
        ------
        TableError
            If the data are not a table of categories.
        MeasureError
            If the measure is a similarity, has no columns, or cannot be computed.
        CouplingsError
            If `shrink` is negative.
        """
        owner = type(self).__name__
        check_number(owner, "shrink", self.shrink)
        X = reread(X)
        table = learn_domains(X, owner, "value")[0]
        default = "ahmad_dey" if table.n_attributes > 1 else "simple_matching"
        chosen = measure_from(default if self.measure is None else self.measure)
        self.measure_ = measure = with_rules(chosen, owner, "value", "raise").fit(X)
        names = getattr(measure, "feature_names_in_", None)
        self._remember_features(names, measure.n_features_in_)
        self.tables_ = []
        for j, points in enumerate(measure._required_embedding().tables):
            share = measure._domains.shares(j)[:, np.newaxis]
            points = np.where(share > 0, points[: len(share)], 0.0)
            points -= (share * points).sum(axis=0)
            count = share * table.n_objects
            points *= np.divide(
                count, count + self.shrink, out=np.zeros_like(count), where=count > 0
            )
            self.tables_.append(np.vstack([points, np.zeros(points.shape[1])]))
        return self

    def transform(self, X: Objects) -> Any:
        """Return the points of the values of objects, concatenated.

        Parameters
        ----------
        X : CategoricalTable, data frame of any library, or array_like
            n >= 1 objects with the attributes of `fit`.

        Returns
        -------
        ndarray of float64, shape (n, sum of r_j)
            A data frame if set by `set_output`. Values unseen in `fit`, and missing cells if `fit`
            had none, are 0, the mean.

        Raises
        ------
        NotFittedError
            If `fit` has not been called.
        MeasureError
            If the attributes differ from those of `fit`.
        """
        self._require_fit()
        domains, owner = self.measure_._domains, type(self).__name__
        extras = Extras.of(domains.n_attributes)
        codes = domains.encode(X, owner, "value", "typical", extras)
        # All unseen values share the last row.
        parts = [
            table[np.minimum(column, len(table) - 1)]
            for table, column in zip(self.tables_, codes.T, strict=True)
        ]
        return self._contained(np.hstack(parts), X)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> np.ndarray:
        """Return the names of the columns: attribute and number.

        Parameters and errors are those of `ValueMeasure.get_feature_names_out`.
        """
        self._require_fit()
        names = self.measure_._input_names(input_features)
        found = [
            f"{name}_{i}"
            for name, table in zip(names, self.tables_, strict=True)
            for i in range(table.shape[1])
        ]
        return distinct_names(found)
