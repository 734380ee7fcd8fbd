"""Fitted measures and representations of the study, in the forms that the algorithms ask for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from couplings.errors import CouplingsError
from replication.files import MISSING
from replication.papers.study.data import Prepared

if TYPE_CHECKING:
    from couplings.mixed import MixedTable
    from couplings.spaces import ObjectSpace
    from couplings.values import ValueMatrices
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
"""What leaves a cell out."""


class LeftOutError(Exception):
    """A cell that a rule leaves out.

    Parameters
    ----------
    rule : str
        Key of `RULES`.
    detail : str
        What happened.
    """

    def __init__(self, rule: str, detail: str = "") -> None:
        super().__init__(rule, detail)
        self.rule, self.detail = rule, detail

    @property
    def record(self) -> dict[str, str]:
        """Part of a record that says why there is no space."""
        return {"outcome": "left out", "rule": self.rule, "detail": self.detail}


def require_few(limit: int, n: int, what: str = "objects") -> None:
    """Raise `LeftOutError` for more objects than those for which all pairs are computed."""
    if n > limit:
        raise LeftOutError("too large", f"{n} {what}")


class Space:
    """A fitted measure, in the forms that the algorithms ask for.

    Parameters
    ----------
    measure : ValueMeasure
        Fitted.
    limit : int
        Most objects for which all pairs are computed.

    Attributes
    ----------
    objects : ObjectSpace
        The dissimilarity of objects. A similarity (`Caso`) is turned round, value by value.
    embedding : SpectralEmbedding or None
        What spectral clustering has made of it, for all replicates.
    """

    embedding: Any = None

    def __init__(self, measure: Any, limit: int) -> None:
        from couplings.measures.coupled import Caso
        from couplings.spaces import ObjectSpace

        self.measure, self.limit = measure, limit
        self.objects = measure.space_
        if isinstance(measure, Caso):
            self.objects = ObjectSpace(turned_round(measure.value_matrices_), "sum")

    @property
    def sums(self) -> ValueMatrices | None:
        """The matrices whose sums order the pairs of objects as the dissimilarity does.

        For roots of sums of squares these are the squares, for Jaccard the mismatches. None for a
        quotient of sums.
        """
        additive = self.objects.link in ("sum", "rss", "jaccard")
        return self.objects.matrices if additive else None

    @property
    def blind(self) -> bool:
        """Whether no two values of any attribute differ in what the measure adds up."""
        matrices = self.objects.matrices
        return all(np.ptp(matrices.block(j)) == 0 for j in range(matrices.n_attributes))

    def condensed(self, objects: Objects) -> np.ndarray:
        """Dissimilarities of all pairs, or `LeftOutError` for too many objects."""
        require_few(self.limit, objects.n_objects)
        return self.objects.condensed(objects.table)


class Representation:
    """A representation of objects by vectors, for the algorithms that can use one.

    Parameters
    ----------
    rows : ndarray of float64, shape (n, d)
        One vector per object.
    positions : ndarray of int64, shape (n,)
        The objects, as in `Prepared.rows`.
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
        """Vectors of objects, by their positions in the file."""
        return self._rows[objects.rows]

    @property
    def sums(self) -> None:
        """There are no value matrices: `LeftOutError`."""
        raise LeftOutError("vectors only")

    objects = sums

    def condensed(self, objects: Objects) -> np.ndarray:
        """Euclidean distances of all pairs; see `Space.condensed`."""
        from scipy.spatial.distance import pdist

        require_few(self.limit, objects.n_objects)
        return pdist(self.of(objects))


def turned_round(similarities: ValueMatrices) -> ValueMatrices:
    """Dissimilarities of values: the largest similarity of the attribute, minus each."""
    from couplings.values import ValueMatrices

    blocks = [similarities.block(j) for j in range(similarities.n_attributes)]
    return ValueMatrices.from_blocks([block.max() - block for block in blocks])


def factored(space: ObjectSpace) -> ObjectSpace:
    """Return the space without the way over all pairs: too many objects for that."""
    from couplings.spaces import ObjectSpace

    class Factored(ObjectSpace):
        def pairwise(self, table: Any, out: Any = None, dtype: Any = None) -> np.ndarray:
            raise LeftOutError("too large", f"{table.n_objects} different objects, no factors")

    return Factored(space.matrices, space.link)


def mixed_table(experiment: Experiment, made: Prepared) -> MixedTable:
    """Categories and the numbers, a missing one the mean; `LeftOutError` if either is lacking."""
    from couplings.mixed import MixedTable

    frame = experiment.prepared.iloc[made.rows]
    numeric = [column for column in experiment.facts["numeric"] if frame[column].nunique() > 1]
    symbolic = [column for column in made.table.attributes if column not in numeric]
    if not numeric or not symbolic:
        raise LeftOutError("not mixed")
    numbers = frame[numeric].replace(MISSING, "nan").to_numpy().astype(float, order="C")
    numbers = np.where(np.isnan(numbers), np.nanmean(numbers, axis=0), numbers)
    return MixedTable(made.table.select(symbolic), numbers, tuple(numeric))


def fits(experiment: Experiment, name: str, made: Prepared) -> Callable[[int], Any]:
    """What each replicate has learnt of a measure, by its number: the same unless that is random.

    An embedding of as many dimensions as clusters (`CDCDR`) has as many as there are classes. A
    coupled representation is made from the numbers themselves; a missing one is the mean. The
    function returned raises `LeftOutError` if there is no such measure.
    """
    from couplings.measures.cdcdr import CDCDR
    from couplings.measures.coupled_mixed import CoupledMixed

    measure, limit = experiment.measure(name), experiment.parameters["limit"]
    random = "random_state" in measure.get_params()

    @cache
    def learnt(number: int) -> Space | Representation:
        try:
            if isinstance(measure, CoupledMixed):
                rows = measure.fit_transform(mixed_table(experiment, made))
                return Representation(rows, made.rows, limit)
            state: dict[str, int] = {}
            if isinstance(measure, CDCDR):
                state["n_components"] = made.n_classes
            elif random:
                state["random_state"] = experiment.seed("measure", trial=number)
            return Space(experiment.measure(name, **state).fit(made.table), limit)
        except CouplingsError as error:
            raise LeftOutError("failed", str(error)) from error

    return lambda replicate: learnt(replicate if random else 0)
