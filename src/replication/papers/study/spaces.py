"""Fitted measures and vector representations of the study, in the forms that algorithms need."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist

from couplings.errors import CouplingsError
from couplings.measures.cdcdr import CDCDR
from couplings.measures.coupled import Caso
from couplings.measures.coupled_mixed import CoupledMixed
from couplings.mixed import MixedTable
from couplings.spaces import ObjectSpace
from couplings.values import ValueMatrices
from replication.files import MISSING
from replication.papers.study.data import Prepared
from replication.run.experiment import Experiment
from replication.run.runner import Objects

RULES = {
    "not a sum": "k-modes adds up dissimilarities of values; this one is no sum over attributes",
    "too large": "the algorithm needs all pairs of objects, and there are more than the limit",
    "no links": "ROCK is defined on Jaccard's neighbours, CROCK on those of CASO",
    "no vectors": "k-means needs vectors; the measure gives dissimilarities only",
    "not mixed": "the representation needs categorical and numeric attributes",
    "vectors only": "the representation is a table of vectors; the algorithm needs values",
    "failed": "the algorithm gave up",
    "few rows": "less than half of the rows are without a missing cell",
}
"""Rules that leave a cell out, with their reasons."""


class LeftOutError(Exception):
    """A cell that a rule leaves out.

    Parameters
    ----------
    rule : str
        Key of `RULES`.
    detail : str
        Size or message in this case.
    """

    def __init__(self, rule: str, detail: str = "") -> None:
        super().__init__(rule, detail)
        self.rule, self.detail = rule, detail

    @property
    def record(self) -> dict[str, str]:
        """Part of the cell's record that names the rule."""
        return {"outcome": "left out", "rule": self.rule, "detail": self.detail}


def require_few(limit: int, n: int, what: str = "objects") -> None:
    """Raise `LeftOutError` if there are more objects than the limit for computing all pairs."""
    if n > limit:
        raise LeftOutError("too large", f"{n} {what}")


class Space:
    """Fitted measure, in the forms that the algorithms need.

    Parameters
    ----------
    measure : ValueMeasure
        Fitted.
    limit : int
        Most objects for which all pairs are computed.

    Attributes
    ----------
    objects : ObjectSpace
        Dissimilarity of objects. A similarity (`Caso`) becomes one by `dissimilarities`.
    embedding : SpectralEmbedding or None
        Spectral embedding for all replicates, once it is computed.
    """

    embedding: Any = None

    def __init__(self, measure: Any, limit: int) -> None:
        self.measure, self.limit = measure, limit
        self.objects = measure.space_
        if isinstance(measure, Caso):
            self.objects = ObjectSpace(dissimilarities(measure.value_matrices_), "sum")

    @property
    def sums(self) -> ValueMatrices | None:
        """Matrices whose sums order pairs of objects as the dissimilarity does; None without any.

        For roots of sums of squares these are the squares, for Jaccard the mismatches.
        """
        additive = self.objects.link in ("sum", "rss", "jaccard")
        return self.objects.matrices if additive else None

    @property
    def blind(self) -> bool:
        """Whether the measure tells no two values of any attribute apart."""
        matrices = self.objects.matrices
        return all(np.ptp(matrices.block(j)) == 0 for j in range(matrices.n_attributes))

    def condensed(self, objects: Objects) -> np.ndarray:
        """Return the dissimilarities of all pairs; `LeftOutError` if there are too many objects."""
        require_few(self.limit, objects.n_objects)
        return self.objects.condensed(objects.table)


class Representation:
    """Representation of objects by vectors, for the algorithms that can use one.

    Parameters
    ----------
    rows : ndarray of float64, shape (n, d)
        One vector per object.
    positions : ndarray of int64, shape (n,)
        Positions of the objects in the file, see `Prepared`.
    limit : int
        Most objects for which all pairs are computed.
    """

    blind = False
    embedding: Any = None

    def __init__(self, rows: np.ndarray, positions: np.ndarray, limit: int) -> None:
        self.limit = limit
        self._rows = np.empty((int(positions.max()) + 1, rows.shape[1]))
        self._rows[positions] = rows

    def of(self, objects: Objects) -> np.ndarray:
        """Return the vectors of objects, by their positions in the file."""
        return self._rows[objects.rows]

    @property
    def sums(self) -> None:
        """Raise `LeftOutError`: there are no value matrices."""
        raise LeftOutError("vectors only")

    objects = sums

    def condensed(self, objects: Objects) -> np.ndarray:
        """Return the Euclidean distances of all pairs, see `Space.condensed`."""
        require_few(self.limit, objects.n_objects)
        return pdist(self.of(objects))


def dissimilarities(similarities: ValueMatrices) -> ValueMatrices:
    """Subtract the similarities of values from the largest one of their attribute."""
    blocks = [similarities.block(j) for j in range(similarities.n_attributes)]
    return ValueMatrices.from_blocks([block.max() - block for block in blocks])


def factored(space: ObjectSpace) -> ObjectSpace:
    """Return a space that refuses to compute all pairs of objects, with `LeftOutError`."""

    class Factored(ObjectSpace):
        def pairwise(self, table: Any, dtype: Any = None) -> np.ndarray:
            raise LeftOutError("too large", f"{table.n_objects} different objects, no factors")

    return Factored(space.matrices, space.link)


def mixed_table(experiment: Experiment, made: Prepared) -> MixedTable:
    """Return the categories and numbers of the data; a missing number becomes the mean.

    Without categories or numbers that vary: `LeftOutError`.
    """
    frame = experiment.prepared.iloc[made.rows]
    numeric = [column for column in experiment.facts["numeric"] if frame[column].nunique() > 1]
    symbolic = [column for column in made.table.attributes if column not in numeric]
    if not numeric or not symbolic:
        raise LeftOutError("not mixed")
    numbers = frame[numeric].replace(MISSING, "nan").to_numpy().astype(float, order="C")
    numbers = np.where(np.isnan(numbers), np.nanmean(numbers, axis=0), numbers)
    return MixedTable(made.table.select(symbolic), numbers, tuple(numeric))


def fits(experiment: Experiment, name: str, made: Prepared) -> Callable[[int], Any]:
    """Return a function from the number of a replicate to the measure fitted for it.

    A measure that is not random is fitted once. `CDCDR` has as many dimensions as there are
    classes; `CoupledMixed` represents a `mixed_table`. The function returned raises `LeftOutError`
    if the measure cannot be fitted to the data.
    """
    measure, limit = experiment.measure(name), experiment.parameters["limit"]
    random = "random_state" in measure.get_params()

    @cache
    def learnt(number: int) -> Space | Representation:
        try:
            if isinstance(measure, CoupledMixed):
                rows = measure.fit_transform(mixed_table(experiment, made))
                return Representation(rows, made.rows, limit)
            state = {"random_state": experiment.seed("measure", trial=number)} if random else {}
            if isinstance(measure, CDCDR):
                state = {"n_components": made.n_classes}
            return Space(experiment.measure(name, **state).fit(made.table), limit)
        except CouplingsError as error:
            raise LeftOutError("failed", str(error)) from error

    return lambda replicate: learnt(replicate if random else 0)
