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
from couplings.measures.encodings import Encoding
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
    """A cell that a rule leaves out: a key of `RULES`, and perhaps a size or a message."""


REFUSED = (LeftOutError, CouplingsError)
"""Errors that leave a cell out."""


def left_out(error: Exception) -> dict[str, str]:
    """Return the part of a cell's record that names the rule of an error of `REFUSED`."""
    failed = not isinstance(error, LeftOutError)
    rule, detail, *_ = ("failed", str(error)) if failed else (*error.args, "")
    return {"outcome": "left out", "rule": rule, "detail": detail}


def require_few(experiment: Experiment, n: int, what: str = "objects") -> None:
    """Raise `LeftOutError` if there are more objects than the limit for computing all pairs."""
    if n > experiment.parameters["limit"]:
        raise LeftOutError("too large", f"{n} {what}")


class Space:
    """Fitted measure, in the forms that the algorithms need.

    Parameters
    ----------
    measure : ValueMeasure
        Fitted.

    Attributes
    ----------
    objects : ObjectSpace
        Dissimilarity of objects. A similarity (`Caso`) is subtracted from the largest one of each
        attribute.
    embedding : SpectralEmbedding or None
        Spectral embedding for all replicates, once it is computed.
    """

    embedding: Any = None

    def __init__(self, measure: Any) -> None:
        self.measure, self.objects = measure, measure.space_
        if isinstance(measure, Caso):
            blocks = map(measure.value_matrices_.block, range(measure.n_attributes_))
            unlike = ValueMatrices.from_blocks([block.max() - block for block in blocks])
            self.objects = ObjectSpace(unlike, "sum")

    @property
    def sums(self) -> ValueMatrices | None:
        """Matrices whose sums order pairs of objects as the dissimilarity does; None without any.

        For roots of sums of squares these are the squares, for Jaccard the mismatches.
        """
        return self.objects.matrices if self.objects.link in ("sum", "rss", "jaccard") else None

    @property
    def blind(self) -> bool:
        """Whether the measure tells no two values of any attribute apart."""
        matrices = self.objects.matrices
        return all(np.ptp(matrices.block(j)) == 0 for j in range(matrices.n_attributes))

    def condensed(self, objects: Objects) -> np.ndarray:
        """Return the dissimilarities of all pairs."""
        return self.objects.condensed(objects.table)

    def vectors(self, objects: Objects) -> np.ndarray:
        """Return the vectors of objects under an encoding."""
        if not isinstance(self.measure, Encoding):
            raise LeftOutError("no vectors")
        return getattr(self.measure, "compact", self.measure.transform)(objects.table)


class Representation:
    """Representation of objects by vectors, for the algorithms that can use one.

    Parameters
    ----------
    measure : CoupledMixed
        Not fitted.
    table : MixedTable
        The objects.
    made : Prepared
        The same objects, with their positions in the file.
    """

    blind = False
    embedding: Any = None

    def __init__(self, measure: CoupledMixed, table: MixedTable, made: Prepared) -> None:
        self.measure, rows = measure, measure.fit_transform(table)
        self._rows = np.empty((len(made.complete), rows.shape[1]))
        self._rows[made.rows] = rows

    def vectors(self, objects: Objects) -> np.ndarray:
        """Return the vectors of objects, by their positions in the file."""
        return self._rows[objects.rows]

    @property
    def sums(self) -> None:
        """Raise `LeftOutError`: there are no value matrices."""
        raise LeftOutError("vectors only")

    objects = sums

    def condensed(self, objects: Objects) -> np.ndarray:
        """Return the Euclidean distances of all pairs."""
        return pdist(self.vectors(objects))


class Factored(ObjectSpace):
    """Space that refuses to compute all pairs of objects, with `LeftOutError`."""

    def pairwise(self, table: Any, dtype: Any = None) -> np.ndarray:
        """Refuse."""
        raise LeftOutError("too large", f"{table.n_objects} different objects, no factors")


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


def fits(experiment: Experiment, made: Prepared) -> Callable[[int], Any]:
    """Return a function from the number of a replicate to a job's one measure fitted for it.

    A measure that is not random is fitted once. `CDCDR` has as many dimensions as there are
    classes; `CoupledMixed` represents a `mixed_table`. The function returned raises an error of
    `REFUSED` if the measure cannot be fitted to the data.
    """
    (name,) = experiment.measures
    measure = experiment.measure(name)
    random = "random_state" in measure.get_params()

    @cache
    def learnt(number: int) -> Space | Representation:
        if isinstance(measure, CoupledMixed):
            return Representation(measure, mixed_table(experiment, made), made)
        state = {"random_state": experiment.seed("measure", trial=number)} if random else {}
        if isinstance(measure, CDCDR):
            state = {"n_components": made.n_classes}
        return Space(experiment.measure(name, **state).fit(made.table))

    return lambda replicate: learnt(replicate if random else 0)
